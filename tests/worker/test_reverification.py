"""A thousand submissions verified again by another verifier, with workers that are killed on the way."""

from collections import defaultdict
from typing import Any
from uuid import UUID

import pytest

from leaderboard import audit, board, correction, events, organising, queue, reverification, submissions
from leaderboard.contests import Contest
from leaderboard.db import transaction
from leaderboard.rebuild import rebuild
from leaderboard.reverification import Filter, Reverification
from tests.leaderboard.conftest import current, make_contest, now, upload
from tests.worker.conftest import COMMAND, until
from tests.worker.counting import Counting, judged
from tests.worker.test_tasks import register
from verifier import RULES

LENIENT = [each.replace("worker.app", "tests.worker.lenient") for each in COMMAND]
SECOND = {"TEST_VERIFIER": "2"}
EACH, CONTESTANTS = 4, 250


@pytest.fixture
def counting(pool: object, monkeypatch: pytest.MonkeyPatch) -> Contest:
    """An open contest of the test-only puzzle."""
    monkeypatch.setitem(RULES, Counting.id, Counting())
    contest = make_contest("counting", quota=EACH)
    with transaction() as conn:
        conn.execute("UPDATE contest SET puzzle = %s WHERE id = %s", [Counting.id, contest.id])
    return current(contest)


@pytest.fixture
def second(monkeypatch: pytest.MonkeyPatch) -> None:
    """This process runs the second version of the verifier."""
    for module in (reverification, correction, queue):
        monkeypatch.setattr(module, "VERSION", "2")


def waiting() -> int:
    with transaction() as conn:
        return queue.depth(conn).waiting


def state(contest: Contest) -> Reverification:
    with transaction() as conn:
        found = reverification.newest(conn, contest)
    assert found
    return found


def everything() -> dict[str, list[Any]]:
    """All that must not change unless a re-verification is applied."""
    with transaction() as conn:
        return {
            table: conn.execute(f"SELECT {what} FROM {table} ORDER BY 1, 2, 3, 4").fetchall()
            for table, what in (
                ("best", "contest, contestant, setup, live, key, submission, score::text"),
                ("fence", "contest, setup, live, key, received_at, contestant, rows"),
                ("event", "contest, number, public, kind"),
                ("counter", "contest, events, public_events, phase"),
                ("quota", "contest, contestant, day, used"),
                ("submission", "id, state, setup, disqualified_at"),
                ("verdict WHERE applied", "submission, version, verdict::text, decided_at"),
            )
        }


def ranks(worth: dict[UUID, int]) -> dict[UUID, int]:
    """By definition."""
    return {who: 1 + sum(other < mine for other in worth.values()) for who, mine in worth.items()}


def stored(contest: Contest, live: bool) -> dict[UUID, int]:
    with transaction() as conn:
        rows = conn.execute(
            "SELECT contestant, rank() OVER (ORDER BY key) FROM best WHERE contest = %s AND setup = 0 AND live = %s",
            [contest.id, live],
        ).fetchall()
    return dict(rows)


@pytest.mark.timeout(240)
def test_a_thousand_are_verified_again_previewed_cancelled_and_applied(counting, second, start):
    contest, numbers, handed_in = counting, iter(range(1, 10_000)), []
    everybody = [register(f"C{n}") for n in range(CONTESTANTS)]
    for turn in range(EACH):
        if turn == EACH // 2:
            frozen_at = now()
        for n, contestant in enumerate(everybody):
            # Many share a number, so that ranks are shared, too; the comment makes other bytes of it.
            number = 1 + next(numbers) * 7919 % 97
            row = upload(contest, contestant, f"puzzle: test-counting\n{number} # {turn}.{n}".encode())
            handed_in.append((row, contestant.id, number, turn < EACH // 2))
    first = start(*LENIENT)
    until(lambda: not waiting())
    first.kill()
    first.wait()
    eve, out = register("Eve"), handed_in[5]
    with transaction() as conn:
        contest = organising.reschedule(conn, contest, eve, "a freeze", freezes_at=frozen_at)
        organising.disqualify(conn, out[0].id, eve, "not their own")
    with transaction() as conn:
        events.announce(conn)
    before = everything()

    def expected(version: str, live: bool) -> dict[UUID, int]:
        worth: dict[UUID, int] = {}
        for row, who, number, early in handed_in:
            value = judged(number, version)
            if value is not None and row.id != out[0].id and (live or early):
                worth[who] = min(value, worth.get(who, value))
        return ranks(worth)

    for live in (True, False):
        assert stored(contest, live) == expected("1", live)

    # Verify all of it again; a worker is killed on the way, and an upload comes in between.
    with transaction() as conn:
        chosen = reverification.create(conn, contest, eve, Filter())
        assert (chosen.total, chosen.decided, chosen.version) == (EACH * CONTESTANTS, 0, "2")
    with transaction() as conn, pytest.raises(reverification.StillOpen):
        reverification.create(conn, contest, eve, Filter(accepted=False))
    with transaction() as conn, pytest.raises(correction.NotReady):
        correction.apply(conn, contest, chosen.id, eve, "too early")
    other = make_contest("elsewhere")
    with transaction() as conn:
        conn.execute("UPDATE contest SET puzzle = %s WHERE id = %s", [Counting.id, other.id])
    worker = start(*LENIENT, env=SECOND)
    until(lambda: state(contest).decided > 50)
    worker.kill()
    worker.wait()
    left = EACH * CONTESTANTS - state(contest).decided
    fresh = upload(other, eve, b"puzzle: test-counting\n4")
    start(*LENIENT, env=SECOND)
    until(lambda: state(contest).ready)
    assert state(contest).failed == state(contest).odd == 0
    found = state(contest)
    with transaction() as conn:
        assert submissions.get(conn, fresh.id).version == "2"
        # Who has just uploaded does not wait until all others have been judged once more.
        [(last, own)] = conn.execute(
            "SELECT max(decided_at), max(decided_at) FILTER (WHERE submission = %s) FROM verdict WHERE version = '2'",
            [fresh.id],
        ).fetchall()
    assert left == 0 or own < last
    with transaction() as conn:
        seen = correction.preview(conn, contest, found)

    # The preview says what the definition says, and neither it nor giving up changes anything.
    kinds: dict[str, int] = defaultdict(int)
    for _, _, number, _ in handed_in:
        old, new = judged(number, "1"), judged(number, "2")
        if old != new:
            kinds["accepted" if old is None else "rejected" if new is None else "score"] += 1
    assert seen.kinds == {"error": 0, **kinds}
    for moves in seen.boards:
        old_ranks, new_ranks = expected("1", moves.live), expected("2", moves.live)
        moved = {who for who in old_ranks | new_ranks if old_ranks.get(who) != new_ranks.get(who)}
        assert (moves.enter, moves.leave) == (len(new_ranks.keys() - old_ranks), len(old_ranks.keys() - new_ranks))
        assert moves.rise + moves.fall + moves.enter + moves.leave == len(moved)
        assert len(moves.moves) == min(len(moved), correction.SHOWN)
        for move in moves.moves:
            assert (move.old_rank, move.new_rank) == (old_ranks.get(move.contestant), new_ranks.get(move.contestant))
    with transaction() as conn:
        correction.cancel(conn, contest, chosen.id, eve, "the verifier is wrong")
    now_is = everything()
    for table, rows in before.items():
        assert [row for row in now_is[table] if other.id != row[0] and fresh.id != row[0]] == rows, table

    # Once more, and applied: the board is that of the definition, and that of a rebuild.
    with transaction() as conn:
        again = reverification.create(conn, contest, eve, Filter(older_than="2"))
        assert again.total == EACH * CONTESTANTS
    until(lambda: state(contest).ready)
    with transaction() as conn:
        assert organising.disqualify(conn, handed_in[9][0].id, eve, "after the preview")
        assert organising.reinstate(conn, out[0].id, eve, "it was their own")
    out = handed_in[9]
    with transaction() as conn:
        done = correction.apply(conn, contest, again.id, eve, "rule 7 was read wrongly")
    assert done.kinds == seen.kinds
    for live in (True, False):
        assert stored(contest, live) == expected("2", live)
    with transaction() as conn:
        assert rebuild(conn, contest).differed == 0
        assert {each.contestant_id: each.rank for each in board.page(conn, contest, 1000).standings} == expected(
            "2", False
        )
        assert events.since(conn, contest, 0, 10_000)[-1].kind == "corrected"
        told = conn.execute(
            "SELECT number, public FROM event WHERE contest = %s ORDER BY number", [contest.id]
        ).fetchall()
        assert [number for number, _ in told] == list(range(1, len(told) + 1))
        public = [number for _, number in told if number]
        assert public == list(range(1, len(public) + 1))
        assert conn.execute("SELECT count(*), count(*) FILTER (WHERE applied) FROM verdict").fetchone() == (2001, 1001)
        entry = audit.listed(conn)[0]
        assert (entry.actor, entry.action) == ("Eve", "reverify-apply")
        assert entry.reason.startswith("rule 7 was read wrongly")
        found = state(contest)
        assert (found.state, found.changed) == ("applied", sum(kinds.values()))
        with pytest.raises(correction.NotOpen):
            correction.apply(conn, contest, again.id, eve, "twice")
