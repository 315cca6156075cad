"""What organisers change afterwards is audited, and the board follows at once."""

from uuid import uuid4

import pytest

from leaderboard import audit, board, events, organising
from leaderboard.contests import BadContest, Contest
from leaderboard.db import transaction
from leaderboard.rebuild import rebuild
from tests.leaderboard.conftest import DAY, accepted, current, decide, make_contest, move, now, rejected


def names(contest: Contest) -> list[tuple[int, str, int]]:
    with transaction() as conn:
        contest = current(contest)
        assert rebuild(conn, contest).differed == 0
        return [(each.rank, each.name, each.score["moves"]) for each in board.page(conn, contest).standings]


def told(contest: Contest) -> list[str]:
    with transaction() as conn:
        return [event.kind for event in events.since(conn, contest, 0)]


def test_a_disqualified_submission_makes_place_for_the_next_best(contest, enter):
    ann, bob, eve = enter("Ann"), enter("Bob"), enter("Eve", role="organiser")
    decide(contest, ann, accepted([20] * 20))
    best = decide(contest, ann, accepted([15] * 20))
    decide(contest, bob, accepted([16] * 20))
    with transaction() as conn:
        assert organising.disqualify(conn, best.id, eve, "not their own")
        assert not organising.disqualify(conn, best.id, eve, "twice")
    assert names(contest) == [(1, "Bob", 320), (2, "Ann", 400)]
    with transaction() as conn:
        assert organising.reinstate(conn, best.id, eve, "it was their own")
        assert not organising.reinstate(conn, best.id, eve, "twice")
    assert names(contest) == [(1, "Ann", 300), (2, "Bob", 320)]
    assert told(contest)[-2:] == ["disqualified", "reinstated"]
    with transaction() as conn:
        assert [(entry.actor, entry.action, entry.reason) for entry in audit.listed(conn)] == [
            ("Eve", "reinstate", "it was their own"),
            ("Eve", "disqualify", "not their own"),
        ]


def test_who_has_nothing_else_leaves_the_board(contest, enter):
    ann, eve = enter("Ann"), enter("Eve", role="organiser")
    only = decide(contest, ann, accepted([15] * 20))
    refused = decide(contest, ann, rejected())
    with transaction() as conn:
        assert organising.disqualify(conn, only.id, eve, "x")
        assert organising.disqualify(conn, refused.id, eve, "x")
        assert not organising.disqualify(conn, uuid4(), eve, "x")
    assert names(contest) == []
    assert told(contest) == ["standing", "disqualified"]  # that of a rejected one changes nothing that is seen


def test_a_disqualification_acts_on_a_frozen_board_too(enter):
    contest, ann, eve = make_contest(freezes_at=now() + DAY / 2), enter("Ann"), enter("Eve", role="organiser")
    shown = decide(contest, ann, accepted([16] * 20))
    contest = move(contest, freezes_at=now())
    hidden = decide(contest, ann, accepted([15] * 20))
    with transaction() as conn:
        assert organising.disqualify(conn, hidden.id, eve, "x")
    assert told(contest) == ["standing"]
    assert names(contest) == [(1, "Ann", 320)]
    with transaction() as conn:
        assert organising.disqualify(conn, shown.id, eve, "x")
    assert told(contest) == ["standing", "disqualified"]
    assert names(contest) == []


def test_with_other_times_the_late_are_in_time_and_the_other_way_round(contest, enter):
    ann, bob, eve = enter("Ann"), enter("Bob"), enter("Eve", role="organiser")
    first = decide(contest, ann, accepted([16] * 20))
    second = decide(contest, bob, accepted([15] * 20))
    with transaction() as conn:
        contest = organising.reschedule(
            conn, contest, eve, "it closed earlier", closes_at=second.received_at, publishes_at=now() + DAY
        )
    assert contest.phase == "closed"
    assert names(contest) == [(1, "Ann", 320)]
    with transaction() as conn:
        organising.reschedule(conn, contest, eve, "longer", closes_at=now() + DAY, publishes_at=now() + DAY)
    assert names(contest) == [(1, "Bob", 300), (2, "Ann", 320)]
    with transaction() as conn:
        organising.reschedule(conn, current(contest), eve, "a freeze", freezes_at=second.received_at)
    assert names(contest) == [(1, "Ann", 320)]
    with transaction() as conn:
        organising.reschedule(conn, current(contest), eve, "no freeze", freezes_at=None)
    assert names(contest) == [(1, "Bob", 300), (2, "Ann", 320)]
    assert [kind for kind in told(contest) if kind == "dates"] == ["dates"] * 4
    with transaction() as conn:
        assert "freezes_at was None" in audit.listed(conn)[1].reason
    assert first.id != second.id


def test_times_that_cannot_be_change_nothing(contest, enter):
    eve = enter("Eve", role="organiser")
    with transaction() as conn, pytest.raises(BadContest):
        organising.reschedule(conn, contest, eve, "x", closes_at=contest.opens_at)
    assert current(contest).closes_at == contest.closes_at
    assert told(contest) == []
