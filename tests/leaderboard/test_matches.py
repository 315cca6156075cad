"""Matches: who hands one in, who answers, what counts, and the table that follows, on the real database."""

import threading
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from leaderboard import (
    accounts,
    board,
    contests,
    invitations,
    matches,
    organising,
    queue,
    rebuild,
    submissions,
)
from leaderboard.contestants import Contestant
from leaderboard.contests import Contest, League
from leaderboard.db import transaction
from leaderboard.matches import Match
from leaderboard.queue import Done
from leaderboard.submissions import Submission
from tests.leaderboard.conftest import DAY, claim, current, make_contest, move, now, upload
from verifier import setup_of, verify

Enter = Callable[..., Contestant]

FIRST = "deal: 7\nc8 j8xa7 b6xg10 h7 d7 i9 f6"
"""Seat 1 wins."""
AGAIN = "deal: 7\nc8 resigns"
MORE = "deal: 8\nb1 resigns"
LOST = "deal: 9\nresigns"
"""Seat 2 wins."""


@pytest.fixture
def league(pool: object) -> Contest:
    """An open contest of knight-fight, one match of a pair."""
    return make_contest(puzzle="knight-fight")


def record(first: str, second: str, play: str = FIRST, remark: str = "") -> bytes:
    return f"puzzle: knight-fight\nplayers: {first}, {second}\n{play} {remark}".encode()


def hand_in(contest: Contest, contestant: Contestant, data: bytes) -> Submission:
    """Upload a record and let the verifier decide it."""
    row = upload(contest, contestant, data)
    with transaction() as conn:
        rows = queue.claim(conn, 100)
    with transaction() as conn:
        queue.finish(conn, [Done(each, verify(each.record, contests.allowed(contest)), 1) for each in rows])
        found = submissions.get(conn, row.id)
    assert found
    return found


def match_of(row: Submission) -> Match:
    with transaction() as conn:
        found = matches.get(conn, row.id)
    assert found
    return found


def say(contest: Contest, row: Submission, contestant: Contestant, confirmed: bool = True) -> Match:
    with transaction() as conn:
        return matches.answer(conn, contest, row.id, contestant, confirmed)


def table(contest: Contest) -> list[tuple[int, str, dict[str, object]]]:
    with transaction() as conn:
        page = board.page(conn, current(contest))
    return [(each.rank, each.name, each.score) for each in page.standings]


def points(contest: Contest) -> dict[str, tuple[object, object]]:
    return {name: (score["points"], score["matches"]) for _, name, score in table(contest)}


def ranks(contest: Contest) -> dict[str, int]:
    return {name: rank for rank, name, _ in table(contest)}


def event(contest: Contest) -> int:
    with transaction() as conn:
        return board.event(conn, contest)


def test_one_hands_in_the_other_confirms_and_the_table_shows_it(league: Contest, enter: Enter) -> None:
    ann, bob = enter("Ann"), enter("Bob")
    row = hand_in(league, ann, record("ANN", " bob "))
    match = match_of(row)
    assert (row.state, match.state, match.counts, match.result) == ("accepted", "waiting", False, "1-0")
    assert [(each.name, each.points, each.answer) for each in match.players] == [("Ann", "1", True), ("Bob", "0", None)]
    assert table(league) == []
    with transaction() as conn:
        assert [each.submission for each in matches.asked(conn, bob)] == [row.id]
        assert matches.asked(conn, ann) == []

    match = say(league, row, bob)
    assert (match.state, match.counts) == ("confirmed", True)
    assert table(league) == [
        (1, "Ann", {"points": "1", "matches": 1, "wins": 1, "draws": 0, "losses": 0}),
        (2, "Bob", {"points": "0", "matches": 1, "wins": 0, "draws": 0, "losses": 1}),
    ]
    assert event(league) == 1
    with transaction() as conn:
        assert [each.submission for each in matches.counted(conn, league)] == [row.id]
        assert matches.asked(conn, bob) == []


def test_a_confirmation_twice_changes_nothing_and_is_final(league: Contest, enter: Enter) -> None:
    ann, bob = enter("Ann"), enter("Bob")
    row = hand_in(league, ann, record("Ann", "Bob"))
    once = say(league, row, bob)
    before = event(league)
    assert say(league, row, bob) == once
    assert event(league) == before
    with pytest.raises(matches.Settled):
        say(league, row, bob, confirmed=False)


def test_two_confirmations_at_the_same_instant_count_once(league: Contest, enter: Enter) -> None:
    ann, bob = enter("Ann"), enter("Bob")
    row = hand_in(league, ann, record("Ann", "Bob"))
    gate, states = threading.Barrier(4), []

    def confirm() -> None:
        gate.wait()
        states.append(say(league, row, bob).state)

    threads = [threading.Thread(target=confirm) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert states == ["confirmed"] * 4
    assert points(league) == {"Ann": ("1", 1), "Bob": ("0", 1)}
    assert event(league) == 1


def test_a_dispute_keeps_it_out_until_it_is_withdrawn(league: Contest, enter: Enter) -> None:
    ann, bob = enter("Ann"), enter("Bob")
    row = hand_in(league, ann, record("Ann", "Bob"))
    assert say(league, row, bob, confirmed=False).state == "disputed"
    assert table(league) == []
    assert say(league, row, bob, confirmed=True).state == "confirmed"
    assert points(league)["Ann"] == ("1", 1)


def test_neither_a_third_contestant_nor_who_handed_it_in_can_answer(league: Contest, enter: Enter) -> None:
    ann, _, cleo = enter("Ann"), enter("Bob"), enter("Cleo")
    row = hand_in(league, ann, record("Ann", "Bob"))
    for somebody in (cleo, ann):
        for confirmed in (True, False):
            with pytest.raises(matches.NotPlaying):
                say(league, row, somebody, confirmed)
    assert match_of(row).state == "waiting"


@pytest.mark.parametrize(
    ("data", "fault", "name"),
    [
        (b"puzzle: knight-fight\n" + FIRST.encode(), "no-players", None),
        (record("Ann", "Nobody"), "unknown-player", "Nobody"),
        (record("Ann", "ann"), "player-twice", "Ann"),
        (record("Bob", "Cleo"), "not-playing", None),
        (b'{"puzzle": "knight-fight", "deal": 9, "moves": ["resigns"], "players": ["Ann", "\\ud800"]}',
         "unknown-player", "?"),
        (b'{"puzzle": "knight-fight", "deal": 9, "moves": ["resigns"], "players": ["Ann", "\\u0000"]}',
         "unknown-player", "\ufffd"),
    ],
)  # fmt: skip
def test_an_accepted_record_that_is_no_match(
    league: Contest, enter: Enter, data: bytes, fault: str, name: str | None
) -> None:
    ann, bob, _ = enter("Ann"), enter("Bob"), enter("Cleo")
    row = hand_in(league, ann, data)
    match = match_of(row)
    assert (row.state, match.state, match.fault, match.fault_name) == ("accepted", "faulty", fault, name)
    with pytest.raises(matches.NoMatch):
        say(league, row, bob)
    assert table(league) == []


def test_a_rejected_record_and_a_puzzle_are_no_match(league: Contest, enter: Enter) -> None:
    ann = enter("Ann")
    row = hand_in(league, ann, record("Ann", "Ann", "deal: 7\nz1"))
    assert row.state == "rejected"
    with transaction() as conn:
        assert matches.get(conn, row.id) is None


def test_the_same_match_counts_once_and_handing_it_in_is_a_confirmation(league: Contest, enter: Enter) -> None:
    ann, bob, cleo = enter("Ann"), enter("Bob"), enter("Cleo")
    row = hand_in(league, ann, record("Ann", "Bob"))
    mine = hand_in(league, ann, record("Ann", "Bob", remark="# once more"))
    assert (match_of(mine).fault, match_of(mine).same_as) == ("duplicate", row.id)
    assert table(league) == []
    foreign = hand_in(league, cleo, record("Ann", "Bob"))
    assert match_of(foreign).fault == "not-playing"
    written = f"puzzle: knight-fight\nplayers: aNN, Bob\nlayout:\n{layout()}\n{FIRST.split(chr(10))[1].upper()}"
    theirs = hand_in(league, bob, written.encode())
    assert (match_of(theirs).fault, match_of(theirs).same_as) == ("duplicate", row.id)
    assert match_of(row).state == "confirmed"
    assert points(league) == {"Ann": ("1", 1), "Bob": ("0", 1)}


def layout() -> str:
    setup = setup_of("knight-fight", "deal: 7")
    assert setup
    return setup.text


def test_as_many_matches_of_a_pair_count_as_the_contest_says(enter: Enter, pool: object) -> None:
    contest = make_contest(puzzle="knight-fight", league=League(per_pair=2))
    ann, bob, cleo = enter("Ann"), enter("Bob"), enter("Cleo")
    rows = [hand_in(contest, ann, record("Ann", "Bob", play)) for play in (FIRST, AGAIN, MORE)]
    say(contest, rows[1], bob)
    say(contest, rows[2], bob)
    assert points(contest) == {"Ann": ("2", 2), "Bob": ("0", 2)}
    say(contest, rows[0], bob)  # received before the others, so it counts and the last no longer does
    assert points(contest) == {"Ann": ("2", 2), "Bob": ("0", 2)}
    assert [match_of(row).counts for row in rows] == [True, True, False]
    other = hand_in(contest, cleo, record("Ann", "Cleo", LOST))
    say(contest, other, ann)
    assert points(contest) == {"Ann": ("2", 3), "Bob": ("0", 2), "Cleo": ("1", 1)}


def test_more_points_then_fewer_matches_then_shared(enter: Enter, pool: object) -> None:
    contest = make_contest(puzzle="knight-fight", league=League(per_pair=None))
    ann, bob, cleo, dan = (enter(name) for name in ("Ann", "Bob", "Cleo", "Dan"))
    for one, other, play in ((ann, bob, FIRST), (ann, bob, LOST), (cleo, dan, FIRST), (bob, dan, MORE)):
        say(contest, hand_in(contest, one, record(one.name, other.name, play)), other)
    assert ranks(contest) == {"Bob": 1, "Cleo": 2, "Ann": 3, "Dan": 4}
    say(contest, hand_in(contest, cleo, record("Cleo", "Ann", LOST)), ann)
    assert ranks(contest) == {"Ann": 1, "Bob": 1, "Cleo": 3, "Dan": 4}
    say(contest, hand_in(contest, cleo, record("Cleo", "Dan", MORE)), dan)
    assert ranks(contest) == {"Ann": 1, "Bob": 1, "Cleo": 1, "Dan": 4}


def test_without_an_answer_it_waits_for_an_organiser(league: Contest, enter: Enter) -> None:
    ann, bob, organiser = enter("Ann"), enter("Bob"), enter("Olga", role="organiser")
    row = hand_in(league, ann, record("Ann", "Bob"))
    with transaction() as conn:
        conn.execute("UPDATE match SET asked_at = asked_at - interval '7 days' - interval '1 second'")
    assert match_of(row).state == "unanswered"
    assert table(league) == []
    with transaction() as conn:
        assert not submissions.visible(conn, row, enter("Eve")).summary
        assert submissions.visible(conn, row, organiser).record  # who decides must see it
        assert matches.rule(conn, league, row.id, organiser, True, "Bob is ill").state == "upheld"
    assert points(league)["Ann"] == ("1", 1)
    with pytest.raises(matches.Settled):
        say(league, row, bob)
    with transaction() as conn:
        assert matches.rule(conn, league, row.id, organiser, False, "it was not so").state == "void"
        assert conn.execute("SELECT action, reason FROM audit ORDER BY id").fetchall() == [
            ("uphold", "Bob is ill"), ("void", "it was not so"),
        ]  # fmt: skip
    assert table(league) == []


def test_a_void_match_does_not_come_back_by_being_handed_in_again(league: Contest, enter: Enter) -> None:
    ann, bob, organiser = enter("Ann"), enter("Bob"), enter("Olga", role="organiser")
    row = hand_in(league, ann, record("Ann", "Bob"))
    with transaction() as conn:
        matches.rule(conn, league, row.id, organiser, False, "agreed beforehand")
    hand_in(league, bob, record("Ann", "Bob", remark="# again"))
    assert (match_of(row).state, table(league)) == ("void", [])


def test_who_may_enter(enter: Enter, pool: object) -> None:
    contest = make_contest(puzzle="knight-fight", league=League(invited=True))
    ann, bob = enter("Ann"), enter("Bob")
    with transaction() as conn:
        invitations.invite(conn, contest, ann, "command line")
    assert match_of(hand_in(contest, ann, record("Ann", "Bob"))).fault_name == "Bob"
    with transaction() as conn:
        invitations.invite(conn, contest, bob, "command line")
        invitations.invite(conn, contest, bob, "command line")
    row = hand_in(contest, ann, record("Ann", "Bob", remark="# Bob is invited now"))
    assert say(contest, row, bob).counts


def test_who_sees_a_match(league: Contest, enter: Enter) -> None:
    ann, bob, cleo, organiser = enter("Ann"), enter("Bob"), enter("Cleo"), enter("Olga", role="organiser")
    row = hand_in(league, ann, record("Ann", "Bob"))

    def sees(viewer: Contestant | None) -> tuple[bool, bool]:
        with transaction() as conn:
            found = submissions.visible(conn, row, viewer)
        return found.summary, found.record

    assert [sees(each) for each in (ann, bob, cleo, None)] == [
        (True, True),
        (True, True),
        (False, False),
        (False, False),
    ]
    assert sees(organiser) == (True, False)
    say(league, row, bob)
    assert [sees(each) for each in (cleo, None, organiser)] == [(True, False)] * 3


def test_a_frozen_table_takes_what_was_received_before(enter: Enter, pool: object) -> None:
    contest = make_contest(puzzle="knight-fight", league=League(per_pair=None), freezes_at=now() + DAY / 2)
    ann, bob = enter("Ann"), enter("Bob")
    early = hand_in(contest, ann, record("Ann", "Bob"))
    frozen = move(contest, freezes_at=now() - timedelta(milliseconds=1))
    later = hand_in(contest, ann, record("Ann", "Bob", LOST))
    before = event(contest)
    say(contest, later, bob)
    assert (table(frozen), event(contest)) == ([], before)
    say(contest, early, bob)
    assert points(frozen) == {"Ann": ("1", 1), "Bob": ("0", 1)}
    assert event(contest) == before + 1
    with transaction() as conn:
        assert [each.submission for each in matches.counted(conn, current(contest))] == [early.id]
    live = move(contest, freezes_at=now() + DAY / 2)
    assert points(live) == {"Ann": ("1", 2), "Bob": ("1", 2)}


def test_a_late_match_never_counts(league: Contest, enter: Enter) -> None:
    ann, bob = enter("Ann"), enter("Bob")
    closed = move(league, closes_at=now() - timedelta(seconds=1), publishes_at=now() + DAY)
    row = hand_in(closed, ann, record("Ann", "Bob"))
    match = say(league, row, bob)
    assert (match.state, match.late, match.counts, table(league)) == ("confirmed", True, False, [])


def test_standings_rebuilt_from_nothing_are_the_same(enter: Enter, pool: object) -> None:
    contest = make_contest(puzzle="knight-fight", league=League(per_pair=2), freezes_at=now() + DAY / 2)
    everybody = [enter(name) for name in ("Ann", "Bob", "Cleo")]
    for one in everybody:
        for other in everybody:
            for play in (FIRST, AGAIN, LOST) if one is not other else ():
                say(contest, hand_in(contest, one, record(one.name, other.name, play)), other)
    before = table(contest)
    assert len(before) == 3
    with transaction() as conn:
        rebuilt = rebuild.rebuild(conn, current(contest))
    assert (rebuilt.results, rebuilt.differed) == (6, 0)
    with transaction() as conn:
        conn.execute("DELETE FROM best")
    with transaction() as conn:
        assert rebuild.rebuild(conn, current(contest)).differed == 6
    assert table(contest) == before


def test_claiming_twice_makes_one_match(league: Contest, enter: Enter) -> None:
    """A worker that lost its lease finishes nothing, so the match is entered by one of them only."""
    ann = enter("Ann")
    enter("Bob")
    upload(league, ann, record("Ann", "Bob"))
    (first,) = claim()
    with transaction() as conn:
        conn.execute("UPDATE submission SET due_at = now() - interval '1 second'")
    with transaction() as conn:
        queue.claim(conn, 1)
    with transaction() as conn:
        conn.execute("UPDATE submission SET due_at = now() WHERE state = 'queued'")
    (second,) = claim()
    for row in (first, second):
        with transaction() as conn:
            queue.finish(conn, [Done(row, verify(row.record), 1)])
    with transaction() as conn:
        assert conn.execute("SELECT count(*) FROM match").fetchone() == (1,)


WAR = {
    name: (Path(__file__).parents[1] / "cases/war-of-13/valid" / f"{name}.txt").read_text()
    for name in ("players-3", "players-7", "tied-places")
}


def war(case: str, *names: str) -> bytes:
    """A match of War of 13, of other players."""
    lines = [line for line in WAR[case].splitlines() if not line.startswith("players:")]
    return "\n".join([lines[0], f"players: {', '.join(names)}", *lines[1:]]).encode()


def test_more_than_two_players(enter: Enter, pool: object) -> None:
    """(n - place) / (n - 1), the mean of shared places; it counts when the last of them has confirmed."""
    contest = make_contest(puzzle="war-of-13", league=League(per_pair=1))
    seven = [enter(name) for name in ("Ann", "Bob", "Cleo", "Dan", "Eve", "Fay", "Gus")]
    ann, bob, cleo = seven[:3]
    row = hand_in(contest, bob, war("players-3", "Ann", "Bob", "Cleo"))  # places 2, 3, 1
    assert not say(contest, row, ann).counts
    assert match_of(row).state == "waiting"
    assert say(contest, row, cleo).counts
    assert points(contest) == {"Cleo": ("1", 1), "Ann": ("1/2", 1), "Bob": ("0", 1)}

    turned = hand_in(
        contest, ann, war("tied-places", "Bob", "Ann", "Cleo")
    )  # the same three: one of their matches counts
    for each in (bob, cleo):
        say(contest, turned, each)
    assert (match_of(turned).state, match_of(turned).counts) == ("confirmed", False)
    dan = seven[3]
    tied = hand_in(contest, ann, war("tied-places", "Ann", "Dan", "Bob"))  # places 1, 1, 3
    assert [each.points for each in match_of(tied).players] == ["3/4", "3/4", "0"]
    assert say(contest, tied, dan, confirmed=False).state == "disputed"
    assert say(contest, tied, bob).state == "disputed"  # one dispute is enough
    assert say(contest, tied, dan).counts

    long = hand_in(contest, ann, war("players-7", *(each.name for each in seven)))  # places 1, 6, 3, 4, 5, 7, 2
    for each in seven[1:]:
        assert not match_of(long).counts
        say(contest, long, each)
    assert points(contest) == {
        "Ann": ("9/4", 3), "Cleo": ("5/3", 2), "Dan": ("5/4", 2), "Gus": ("5/6", 1), "Eve": ("1/3", 1),
        "Bob": ("1/6", 3), "Fay": ("0", 1),
    }  # fmt: skip
    assert ranks(contest) == {"Ann": 1, "Cleo": 2, "Dan": 3, "Gus": 4, "Eve": 5, "Bob": 6, "Fay": 7}
    assert [score["wins"] for _, name, score in table(contest) if name == "Ann"] == [1]


def test_one_who_is_named_twice_among_many_or_plays_in_another_seat(enter: Enter, pool: object) -> None:
    contest = make_contest(puzzle="war-of-13", league=League(per_pair=None))
    ann, bob, cleo = enter("Ann"), enter("Bob"), enter("Cleo")
    twice = match_of(hand_in(contest, ann, war("players-3", "Ann", "Bob", " ANN")))
    assert (twice.fault, twice.fault_name) == ("player-twice", "Ann")
    row = hand_in(contest, ann, war("players-3", "Ann", "Bob", "Cleo"))
    swapped = hand_in(contest, bob, war("players-3", "Bob", "Ann", "Cleo"))  # other seats: another match
    assert match_of(swapped).fault is None
    again = hand_in(contest, cleo, war("players-3", "ann", "BOB", "cleo"))  # the same one: Cleo confirms it
    assert match_of(again).same_as == row.id
    assert {each.name: each.answer for each in match_of(row).players} == {"Ann": True, "Bob": None, "Cleo": True}
    assert say(contest, row, bob).counts
    assert not match_of(swapped).counts
    assert points(contest) == {"Cleo": ("1", 1), "Ann": ("1/2", 1), "Bob": ("0", 1)}


def test_how_many_matches_are_undecided(league: Contest, enter: Enter) -> None:
    ann, bob, cleo, organiser = enter("Ann"), enter("Bob"), enter("Cleo"), enter("Olga", role="organiser")

    def undecided() -> dict[matches.State, int]:
        with transaction() as conn:
            return matches.undecided(conn, league)

    row = hand_in(league, ann, record("Ann", "Bob"))
    hand_in(league, ann, record("Ann", "Cleo"))
    hand_in(league, ann, record("Ann", "Nobody"))
    assert undecided() == {"waiting": 2}
    say(league, row, bob, confirmed=False)
    assert undecided() == {"waiting": 1, "disputed": 1}
    with transaction() as conn:
        conn.execute("UPDATE match SET asked_at = asked_at - interval '8 days'")
    assert undecided() == {"unanswered": 1, "disputed": 1}
    with transaction() as conn:
        matches.rule(conn, league, row.id, organiser, False, "they agree")
    assert undecided() == {"unanswered": 1}
    hand_in(league, cleo, record("Ann", "Cleo", remark="# late, but it was so"))
    assert undecided() == {}
    assert points(league) == {"Ann": ("1", 1), "Cleo": ("0", 1)}


def test_a_renamed_player_stays_a_player_and_the_old_name_is_nobody(enter: Enter, pool: object) -> None:
    """A match belongs to contestants, whatever they are called later; a record is read with the names of its day."""
    contest = make_contest(puzzle="knight-fight", league=League(per_pair=None))
    ann, bob = enter("Ann"), enter("Bob")
    row = hand_in(contest, ann, record("Ann", "Bob"))
    with transaction() as conn:
        conn.execute("UPDATE contestant SET name = 'Robert', folded = 'robert' WHERE id = %s", [bob.id])
    assert match_of(hand_in(contest, ann, record("Ann", "Bob", AGAIN))).fault == "unknown-player"
    assert say(contest, row, bob).counts
    assert points(contest) == {"Ann": ("1", 1), "Robert": ("0", 1)}
    same = hand_in(contest, bob, record("Ann", "Robert"))
    assert (match_of(same).fault, match_of(same).same_as) == ("duplicate", row.id)
    assert points(contest) == {"Ann": ("1", 1), "Robert": ("0", 1)}


def test_what_came_behind_the_freeze_is_not_counted_in_public(enter: Enter, pool: object) -> None:
    contest = make_contest(puzzle="knight-fight", league=League(per_pair=None), freezes_at=now() + DAY / 2)
    ann = enter("Ann")
    enter("Bob")
    hand_in(contest, ann, record("Ann", "Bob"))
    frozen = move(contest, freezes_at=now() - timedelta(milliseconds=1))
    hand_in(contest, ann, record("Ann", "Bob", LOST))
    with transaction() as conn:
        assert matches.undecided(conn, frozen) == {"waiting": 1}
    live = move(contest, freezes_at=now() + DAY / 2)
    with transaction() as conn:
        assert matches.undecided(conn, live) == {"waiting": 2}


def test_no_record_of_a_league_shows_a_hidden_name(enter: Enter, pool: object) -> None:
    contest = make_contest(puzzle="knight-fight", league=League(per_pair=None))
    ann, vile, eve, olga = enter("Ann"), enter("Vile One"), enter("Eve"), enter("Olga", role="organiser")
    rows = {
        "match": hand_in(contest, ann, record("Ann", "Vile One")),
        "duplicate": hand_in(contest, vile, record("Ann", "Vile One", remark="# I too")),
        "not-playing": hand_in(contest, eve, record("Ann", "VILE ONE")),
        "player-twice": hand_in(contest, ann, record("Vile One", "vile one")),
        "rejected": hand_in(contest, ann, record("Ann", "Vile One", "deal: 7\nz1")),
        "result": hand_in(contest, ann, b"puzzle: knight-fight\nresult: Vile One\nplayers: Ann, Eve\ndeal: 7\n"),
    }
    other = hand_in(contest, ann, record("Ann", "Eve"))
    with transaction() as conn:
        organising.hide(conn, vile, olga, "rude")
    move(contest, closes_at=now(), publishes_at=now())
    for renamed in (False, True):
        if renamed:
            with transaction() as conn:
                accounts.rename(conn, vile, "Kind One")
        for name, row in rows.items():
            with transaction() as conn:
                sees = submissions.visible(conn, row, None)
                assert (sees.summary, sees.record) == (True, False), (name, renamed)
                public = submissions.told(conn, row, sees)
                assert "vile" not in f"{public.verdict}{public.detail}".casefold(), name
                assert submissions.visible(conn, row, olga).record
                match = matches.get(conn, row.id)
                assert match is None or "vile" not in str(match.fault_name).casefold(), name
    with transaction() as conn:
        assert "Vile One" in str(
            submissions.told(conn, rows["result"], submissions.visible(conn, rows["result"], olga))
        )
        assert submissions.visible(conn, other, None).record
