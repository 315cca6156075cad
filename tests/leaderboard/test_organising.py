"""What organisers change afterwards is audited, and the board follows at once."""

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from uuid import uuid4

import pytest

from leaderboard import accounts, audit, board, charts, contestants, events, organising, redaction
from leaderboard.contestants import Contestant
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
        frozen = audit.listed(conn)[1]
        assert (frozen.action, frozen.reason, frozen.detail["freezes_at"][0]) == ("reschedule", "a freeze", None)
    assert first.id != second.id


def test_times_that_cannot_be_change_nothing(contest, enter):
    eve = enter("Eve", role="organiser")
    with transaction() as conn, pytest.raises(BadContest):
        organising.reschedule(conn, contest, eve, "x", closes_at=contest.opens_at)
    assert current(contest).closes_at == contest.closes_at
    assert told(contest) == []


def test_a_deadline_is_extended_when_it_is_over_and_nothing_once_records_are_public(contest, enter):
    ann, eve = enter("Ann"), enter("Eve", role="organiser")
    contest = move(contest, closes_at=now(), publishes_at=now() + DAY / 2)
    decide(contest, ann, accepted([16] * 20))
    assert names(contest) == []
    for closes_at, code in ((contest.closes_at - DAY / 4, "times-order"), (datetime(2030, 1, 1), "time-without-zone")):  # noqa: DTZ001
        with transaction() as conn, pytest.raises(BadContest) as error:
            organising.extend(conn, contest, eve, "x", closes_at)
        assert error.value.code == code
    later = now() + DAY
    for _ in range(2):  # the second click changes nothing
        with transaction() as conn:
            organising.extend(conn, contest, eve, "the service was away", later)
    contest = current(contest)
    assert (contest.phase, contest.closes_at, contest.publishes_at) == ("open", later, later)
    assert names(contest) == [(1, "Ann", 320)]
    assert told(contest) == ["dates"]
    with transaction() as conn:
        [entry] = audit.public(conn, contest)
    assert (entry.action, entry.reason, entry.whom) == ("extend", "the service was away", None)
    assert set(entry.detail) == {"closes_at", "publishes_at"}
    contest = move(contest, closes_at=now(), publishes_at=now())
    with transaction() as conn, pytest.raises(BadContest) as error:
        organising.extend(conn, contest, eve, "x", now() + DAY)
    assert error.value.code == "published"


def test_freeze_close_and_publish_at_once(contest, enter):
    ann, bob, eve = enter("Ann"), enter("Bob"), enter("Eve", role="organiser")
    decide(contest, ann, accepted([16] * 20))

    def act(what: organising.Act) -> str:
        with transaction() as conn:
            organising.at_once(conn, contest, eve, "as agreed", what)
        with transaction() as conn:
            events.announce(conn)
        return current(contest).phase

    with pytest.raises(BadContest):
        act("publish")  # it has not closed
    assert [act("freeze"), act("freeze")] == ["frozen", "frozen"]
    decide(contest, bob, accepted([15] * 20))
    assert names(contest) == [(1, "Ann", 320)]
    assert act("close") == "published"  # as it was to be published when it closes
    assert names(contest) == [(1, "Bob", 300), (2, "Ann", 320)]
    assert told(contest) == ["standing", "dates", "phase", "dates", "phase"]
    with pytest.raises(BadContest):
        with transaction() as conn:
            organising.reschedule(conn, contest, eve, "x", publishes_at=now() + DAY)


def test_a_hidden_name_is_nowhere_public_and_comes_back(contest, enter):
    ann, bob, eve = enter("Ann Öx"), enter("Bob"), enter("Eve", role="organiser")
    one, two = decide(contest, ann, accepted([15] * 20)), decide(contest, bob, accepted([16] * 20))
    with transaction() as conn:
        assert organising.hide(conn, ann, eve, "the name ANN öX is rude")
        assert not organising.hide(conn, ann, eve, "twice")
        organising.disqualify(conn, two.id, eve, "a copy of Ann Öx, not of Annika")
    hidden = f"#{str(ann.id)[:8]}"
    assert names(contest) == [(1, hidden, 300)]
    with transaction() as conn:
        found = contestants.by_shown(conn, hidden)
        assert found
        assert (found.id, found.hidden, found.shown) == (ann.id, True, hidden)
        assert contestants.by_shown(conn, "ann öx") is None
        assert contestants.by_name(conn, "ann öx") == found
        assert charts.search(conn, contest, "öx") == []
        assert [each.name for each in charts.search(conn, contest, hidden)] == [hidden]
        assert charts.leads(conn, contest)[0].name == hidden
        assert [(each.action, each.whom, each.reason) for each in audit.public(conn, contest)] == [
            ("disqualify", "Bob", f"a copy of {hidden}, not of Annika"),
            ("hide", hidden, f"the name {hidden} is rude"),
        ]
        assert audit.listed(conn)[1].whom == "Ann Öx"
        assert events.upset(conn, contest, events.last(conn, contest) - 2)
        assert not events.upset(conn, contest, events.last(conn, contest))
        organising.unhide(conn, found, eve, "it was not")
    assert names(contest) == [(1, "Ann Öx", 300)]
    assert told(contest) == ["standing", "standing", "name", "disqualified", "name"]
    assert one.contestant == "Ann Öx"


def test_a_name_that_was_hidden_stays_out_of_texts_whatever_its_contestant_does(contest, enter):
    ann, eve = enter("Rude One"), enter("Eve", role="organiser")
    decide(contest, ann, accepted([15] * 20))
    hidden = f"#{str(ann.id)[:8]}"

    def reasons() -> list[str]:
        with transaction() as conn:
            return [each.reason for each in audit.public(conn, contest) if each.reason]

    with transaction() as conn:
        organising.hide(conn, ann, eve, "not Rude One")
        accounts.rename(conn, ann, "Rude Too")
    with transaction() as conn:
        found = contestants.by_name(conn, "Rude Too")
        assert found
        accounts.rename(conn, found, "Ann")
        organising.unhide(conn, found, eve, "Ann, not rude too any more")
    assert reasons() == [f"Ann, not {hidden} any more", f"not {hidden}"]
    with transaction() as conn:
        accounts.delete(conn, found)
    assert reasons() == [f"Ann, not {hidden} any more", f"not {hidden}"]


def test_what_would_tell_of_a_frozen_result_is_public_with_the_records(enter):
    contest, ann, eve = make_contest(freezes_at=now() + DAY / 2), enter("Ann"), enter("Eve", role="organiser")
    contest = move(contest, freezes_at=now())
    sealed = decide(contest, ann, accepted([15] * 20))
    with transaction() as conn:
        organising.disqualify(conn, sealed.id, eve, "a reason")
        organising.hide(conn, ann, eve, "rude")
        assert audit.public(conn, contest) == []
    assert told(contest) == []
    contest = move(contest, closes_at=now(), publishes_at=now())
    with transaction() as conn:
        assert [each.action for each in audit.public(conn, contest)] == ["disqualify"]


def test_two_organisers_at_the_same_instant_do_one_thing_once(contest, enter):
    ann, eve, eda = enter("Ann"), enter("Eve", role="organiser"), enter("Eda", role="organiser")
    only = decide(contest, ann, accepted([15] * 20))

    def act(who: Contestant) -> bool:
        with transaction() as conn:
            return organising.disqualify(conn, only.id, who, "a copy")

    def extend(who: Contestant, day: int) -> None:
        with transaction() as conn:
            organising.reschedule(conn, contest, who, "x", **{("closes_at", "opens_at")[day]: later[day]})

    later = [contest.closes_at + DAY / 24, contest.opens_at - DAY]
    with transaction() as conn:
        organising.reschedule(conn, contest, eve, "room", publishes_at=contest.closes_at + DAY)
    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(act, (eve, eda, eve, eda)))
        list(pool.map(extend, (eve, eda), (0, 1)))
    assert sorted(done) == [False, False, False, True]
    changed = current(contest)
    assert [changed.closes_at, changed.opens_at] == later  # neither undoes the other
    assert told(contest) == ["standing", "dates", "disqualified", "dates", "dates"]


def test_what_becomes_public_while_other_times_wait_for_the_lock_stays_so(contest, enter):
    eve = enter("Eve", role="organiser")
    contest = move(contest, closes_at=now() - DAY / 4, publishes_at=now() + DAY)
    with transaction() as waited:
        waited.execute("SELECT now()")  # its time is from before the other one's
        with transaction() as conn:
            organising.at_once(conn, contest, eve, "all is decided", "publish")
        with pytest.raises(BadContest) as error:
            organising.reschedule(waited, contest, eve, "x", publishes_at=now() + DAY)
        assert error.value.code == "published"
    assert current(contest).published


def test_a_hidden_name_that_is_a_number_leaves_times_as_they_are(contest, enter):
    ann, eve = enter(str(now().year)), enter("Eve", role="organiser")
    with transaction() as conn:
        organising.extend(conn, contest, eve, f"as {ann.name} wished", now() + 2 * DAY)
        organising.hide(conn, ann, eve, "rude")
        (entry,) = (each for each in audit.public(conn, contest) if each.action == "extend")
    assert entry.reason == f"as #{str(ann.id)[:8]} wished"
    assert [datetime.fromisoformat(time) for time in entry.detail["closes_at"]] > [contest.opens_at]


def test_a_hidden_name_is_found_however_it_is_written(contest, enter):
    ann, eve = enter("Zoë Rude"), enter("Eve", role="organiser")
    with transaction() as conn:
        organising.hide(conn, ann, eve, "rude")
        hide = redaction.of(conn)
    for written in ("Zoë Rude", "ZOË rude", "Zoe\u0308 Rude", "\uff3ao\u00eb \uff32ude"):
        assert hide(f"by {written}!") == f"by #{str(ann.id)[:8]}!"
    endless = "\u0f73\u0301" * 200_000  # to normalise that would take minutes
    assert hide(f"by Zoë Rude {endless}").startswith(f"by #{str(ann.id)[:8]} ")
    assert hide("\uff21 wide text of others") == "\uff21 wide text of others"
