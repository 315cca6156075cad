"""Applying what a re-verification says where a board is more than one best each: several setups, and a league."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from leaderboard import board, contests, correction, matches, queue, reverification
from leaderboard.contestants import Contestant
from leaderboard.contests import Contest, League
from leaderboard.correction import Preview
from leaderboard.db import transaction
from leaderboard.queue import Done
from leaderboard.rebuild import rebuild
from tests.leaderboard.conftest import DAY, claim, current, make_contest, now, upload
from tests.leaderboard.test_matches import AGAIN, LOST, record
from verifier import Rejected, Verdict, verify

Enter = Callable[..., Contestant]

BURNS = Path(__file__).parents[1] / "cases" / "brain-burn" / "valid"
DEAL_3, DEAL_100, DEAL_100_TOO = (
    (BURNS / f"{name}.txt").read_bytes() for name in ("deal3-b", "deal100-a", "deal100-c")
)


@pytest.fixture(autouse=True)
def second(monkeypatch: pytest.MonkeyPatch) -> None:
    """This process re-verifies by a second version of the verifier."""
    for module in (reverification, correction):
        monkeypatch.setattr(module, "VERSION", "2")


def refused(contest: Contest) -> Verdict:
    return Verdict(contest.puzzle, error=Rejected("illegal-move", "Not by this version."))


def judged(contest: Contest, data: bytes, refuses: Iterable[bytes]) -> Verdict:
    """What a version of the verifier says that refuses these records."""
    return refused(contest) if data in refuses else verify(data, contests.allowed(contest))


def hand_in(contest: Contest, contestant: Contestant, data: bytes, refuses: Iterable[bytes] = ()) -> UUID:
    """Upload it, and have it judged by the first version."""
    row = upload(contest, contestant, data)
    rows = claim()
    with transaction() as conn:
        queue.finish(conn, [Done(each, judged(contest, each.record, refuses), 1) for each in rows])
    return row.id


def again(contest: Contest, judge: Callable[[bytes], Verdict]) -> UUID:
    """Have everything judged by the second version."""
    with transaction() as conn:
        chosen = reverification.create(conn, contest, "Eve", reverification.Filter())
        rows = reverification.claim(conn, 100)
    with transaction() as conn:
        assert len(reverification.finish(conn, [Done(row, judge(row.record), 1) for row in rows])) == chosen.total
    return chosen.id


def boards(contest: Contest) -> dict[int, list[tuple[int, str, Any]]]:
    """All that the public sees, by setup."""
    with transaction() as conn:
        pages = {
            number: board.page(conn, current(contest), setup=number)
            for number in ([0, *(setup.number for setup in contest.setups)] if len(contest.setups) > 1 else [0])
        }
    return {number: [(each.rank, each.name, each.score) for each in page.standings] for number, page in pages.items()}


def preview(contest: Contest, chosen: UUID) -> Preview:
    """What it would change; looking changes nothing."""
    before, numbers = boards(contest), told(contest)
    with transaction() as conn:
        row = reverification.get(conn, contest, chosen)
        assert row
        seen = correction.preview(conn, current(contest), row)
    assert (boards(contest), told(contest)) == (before, numbers)
    return seen


def apply(contest: Contest, chosen: UUID) -> Preview:
    """Apply it; the boards are those that follow from nothing but the verdicts."""
    with transaction() as conn:
        done = correction.apply(conn, current(contest), chosen, "Eve", "rule 7 was read wrongly")
    with transaction() as conn:
        assert rebuild(conn, current(contest)).differed == 0
    return done


def told(contest: Contest) -> list[tuple[str, str | None, bool]]:
    """The events: kind, submission, and whether the public hears of it."""
    with transaction() as conn:
        return conn.execute(
            "SELECT kind, payload ->> 'submission', public IS NOT NULL FROM event WHERE contest = %s ORDER BY number",
            [contest.id],
        ).fetchall()


def moves(seen: Preview) -> list[list[tuple[str, int | None, int | None]]]:
    return [[(each.name, each.old_rank, each.new_rank) for each in one.moves] for one in seen.boards]


def test_of_several_setups_each_board_and_the_overall_one_follow(enter: Enter) -> None:
    contest = make_contest(puzzle="brain-burn", setups=["deal: 3", "deal: 100"], freezes_at=now() + DAY / 2)
    ann, bob, cleo = (enter(name) for name in ("Ann", "Bob", "Cleo"))
    hand_in(contest, ann, DEAL_3)
    lost = hand_in(contest, ann, DEAL_100)
    won = hand_in(contest, bob, DEAL_3 + b"# Bob's", refuses=[DEAL_3 + b"# Bob's"])
    hand_in(contest, bob, DEAL_100_TOO)
    only = hand_in(contest, cleo, DEAL_100 + b"# Cleo's")
    before = boards(contest)
    assert [[name for _, name, _ in before[number]] for number in (0, 1)] == [["Ann", "Cleo", "Bob"], ["Ann"]]

    chosen = again(contest, lambda data: judged(contest, data, [DEAL_100, DEAL_100 + b"# Cleo's"]))
    seen = preview(contest, chosen)
    assert seen.kinds == {"accepted": 1, "rejected": 2, "score": 0, "error": 0}
    assert {each.submission: each.kind for each in seen.changes} == {
        lost: "rejected", won: "accepted", only: "rejected",
    }  # fmt: skip
    assert moves(seen) == [[("Bob", 3, 1), ("Ann", 1, 2), ("Cleo", 2, None)]] * 2  # on the frozen board, too

    assert apply(contest, chosen) == seen
    after = boards(contest)
    assert [(rank, name) for rank, name, _ in after[0]] == [(1, "Bob"), (2, "Ann")]
    assert (after[0][0][2]["setups"], after[0][1][2]["setups"]) == (2, 1)
    assert [(rank, name) for rank, name, _ in after[1]] == [(1, "Ann"), (1, "Bob")]
    assert [(rank, name) for rank, name, _ in after[2]] == [(1, "Bob")]
    assert told(contest)[-4:] == [
        ("standing", str(lost), True),
        ("standing", str(won), True),
        ("standing", str(only), True),
        ("corrected", None, True),
    ]


def test_in_a_league_matches_cease_to_count_come_in_and_are_worth_something_else(enter: Enter) -> None:
    contest = make_contest(puzzle="knight-fight", league=League(per_pair=1), freezes_at=now() + DAY / 2)
    ann, bob, cleo, dan = (enter(name) for name in ("Ann", "Bob", "Cleo", "Dan"))
    first, lost = record("Ann", "Bob"), record("Ann", "Bob", LOST)
    late, turned = record("Bob", "Cleo", AGAIN), record("Cleo", "Ann", AGAIN)
    one, other = hand_in(contest, ann, first), hand_in(contest, ann, lost)
    came, worth = hand_in(contest, bob, late, refuses=[late]), hand_in(contest, cleo, turned)
    last = hand_in(contest, dan, record("Dan", "Bob"))  # so that the first match is nobody's last one
    with transaction() as conn:
        for each, who in ((one, bob), (other, bob), (worth, ann), (last, bob)):
            matches.answer(conn, contest, each, who, True)

    def points() -> dict[str, tuple[Any, Any]]:
        return {name: (score["points"], score["matches"]) for _, name, score in boards(contest)[0]}

    # Of Ann and Bob the first match counts, which Ann won; Cleo beat her, or the reverse.
    before = points()
    assert (before["Bob"], before["Ann"][1], before["Cleo"][1]) == (("0", 2), 2, 1)

    def judge(data: bytes) -> Verdict:
        found = judged(contest, data, [first])
        if data != turned:
            return found
        assert found.score
        result = {"1-0": "0-1", "0-1": "1-0"}[found.score["result"]]
        return Verdict(found.puzzle, score={**found.score, "result": result}, play=found.play, players=found.players)

    chosen = again(contest, judge)
    seen = preview(contest, chosen)
    assert seen.kinds == {"accepted": 1, "rejected": 1, "score": 1, "error": 0}
    assert apply(contest, chosen) == seen
    after = points()
    assert after["Bob"] == ("1", 2)  # by the second match, as the first is none any more
    assert int(after["Cleo"][0]) == 1 - int(before["Cleo"][0])
    assert int(after["Ann"][0]) == int(before["Cleo"][0])
    ranks = {name: rank for rank, name, _ in boards(contest)[0]}
    assert {name: new for name, old, new in moves(seen)[0]}.items() <= ranks.items()
    with transaction() as conn:
        assert matches.get(conn, one) is None
        entered = matches.get(conn, came)
        assert entered
        assert (entered.state, entered.counts) == ("waiting", False)
    assert told(contest)[-4:] == [
        ("standing", str(one), True),
        ("verdict", str(came), False),
        ("standing", str(worth), True),
        ("corrected", None, True),
    ]
    with transaction() as conn:
        matches.answer(conn, contest, came, cleo, True)
        assert rebuild(conn, current(contest)).differed == 0
    assert points()["Bob"][1] == 3
