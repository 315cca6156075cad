"""Contests, their setups, and the phase that the database clock gives them."""

from datetime import UTC, datetime, timedelta

import pytest

from leaderboard import contests, events
from leaderboard.contests import BadContest
from leaderboard.db import transaction
from tests.leaderboard.conftest import DAY, current, make_contest, move, now

HOUR = timedelta(hours=1)


def test_a_contest_as_created(pool):
    times = [datetime(2030, 1, day, tzinfo=UTC) for day in (1, 2, 3, 4)]
    contest = make_contest(
        "winter-2030",
        titles={"en": "Winter", "pl": "Zima"},
        opens_at=times[0],
        freezes_at=times[1],
        closes_at=times[2],
        publishes_at=times[3],
        quota=20,
    )
    assert (contest.slug, contest.titles, contest.quota) == ("winter-2030", {"en": "Winter", "pl": "Zima"}, 20)
    assert [contest.opens_at, contest.freezes_at, contest.closes_at, contest.publishes_at] == times
    assert (contest.phase, contest.live, contest.published, contest.provisional) == ("upcoming", True, False, False)
    assert current(contest).id == contest.id


def test_without_a_stated_time_it_is_published_when_it_closes(contest):
    assert contest.publishes_at == contest.closes_at


@pytest.mark.parametrize(
    ("hours", "phase", "live"),
    [
        ((1, 2, 3, 4), "upcoming", True),
        ((-1, 2, 3, 4), "open", True),
        ((-2, -1, 3, 4), "frozen", False),
        ((-3, -2, -1, 4), "closed", False),
        ((-4, -3, -2, -1), "published", True),
        ((-4, None, -2, 1), "closed", True),
        ((-4, None, 1, 1), "open", True),
    ],
)
def test_the_phase_follows_from_the_clock(contest, hours, phase, live):
    names = ("opens_at", "freezes_at", "closes_at", "publishes_at")
    times = {name: n and now() + n * HOUR for name, n in zip(names, hours, strict=True)}
    found = move(contest, **times)
    assert (found.phase, found.live) == (phase, live)


@pytest.mark.parametrize("name", ["opens_at", "freezes_at", "closes_at", "publishes_at"])
def test_a_moment_belongs_to_the_phase_that_it_begins(contest, name):
    phases = {"opens_at": "open", "freezes_at": "frozen", "closes_at": "closed", "publishes_at": "published"}
    times = {
        "opens_at": now() - 9 * DAY,
        "freezes_at": now() + DAY,
        "closes_at": now() + 2 * DAY,
        "publishes_at": now() + 3 * DAY,
    }
    before = list(times)[: list(times).index(name)]
    move(contest, **times)
    with transaction() as conn:
        for back, earlier in zip(range(len(before), 0, -1), before, strict=True):
            conn.execute(
                f"UPDATE contest SET {earlier} = now() - interval '1 day' * %s WHERE id = %s", [back, contest.id]
            )
        conn.execute(f"UPDATE contest SET {name} = now() WHERE id = %s", [contest.id])
        assert contests.get(conn, contest.slug).phase == phases[name]
        conn.execute(f"UPDATE contest SET {name} = now() + interval '1 us' WHERE id = %s", [contest.id])
        assert contests.get(conn, contest.slug).phase != phases[name]


@pytest.mark.parametrize("slug", ["", "A", "a b", "a/b", "-a", "a--b", "a-", "é", "a\0", "x" * 61])
def test_a_slug_that_cannot_be_is_nobodys(conn, slug):
    assert contests.get(conn, slug) is None
    with pytest.raises(BadContest) as error:
        make_contest(slug)
    assert error.value.field == "slug"


@pytest.mark.parametrize(
    ("field", "fields"),
    [
        ("titles", {"titles": {}}),
        ("titles", {"titles": {"pl": "Zima"}}),
        ("titles", {"titles": {"en": " "}}),
        ("puzzle", {"puzzle": "chess"}),
        ("opens_at", {"opens_at": datetime(2026, 1, 1)}),  # noqa: DTZ001 - without an offset: what is tested
        ("closes_at", {"closes_at": now() - 2 * DAY}),
        ("freezes_at", {"freezes_at": now() + 2 * DAY}),
        ("freezes_at", {"freezes_at": now() - 2 * DAY}),
        ("publishes_at", {"publishes_at": now()}),
        ("quota", {"quota": 0}),
        ("setups", {"setups": ["deal: 1"]}),
        ("setups", {"puzzle": "maze"}),
        ("setups", {"puzzle": "maze", "setups": ["deal: -1"]}),
        ("setups", {"puzzle": "maze", "setups": ["deal: 1", "deal: 01"]}),
    ],
)
def test_a_contest_that_cannot_be(pool, field, fields):
    with pytest.raises(BadContest) as error:
        make_contest(**fields)
    assert error.value.field == field
    assert str(error.value)


def test_a_slug_is_taken_once_and_the_transaction_goes_on(contest):
    with transaction() as conn:
        with pytest.raises(BadContest) as error:
            contests.create(
                conn,
                slug=contest.slug,
                titles={"en": "x"},
                puzzle="jc-golden-nugget",
                opens_at=now(),
                closes_at=now() + DAY,
            )
        assert error.value.field == "slug"
        assert contests.get(conn, contest.slug)


def test_setups_are_numbered_and_written_out(pool):
    contest = make_contest(puzzle="maze", setups=["deal: 1", "deal: 02"])
    assert [(setup.number, setup.header, setup.name) for setup in contest.setups] == [
        (1, "deal: 1", "deal 1"),
        (2, "deal: 02", "deal 2"),
    ]
    assert contest.setups[0].layout.split()[:2] == ["8S", "AD"]
    allowed = contests.allowed(contest)
    assert (allowed.puzzle, [setup.name for setup in allowed.setups]) == ("maze", ["deal 1", "deal 2"])


def test_all_contests_those_that_close_last_first(pool):
    for n in (2, 1, 3):
        make_contest(f"c{n}", closes_at=now() + n * DAY)
    with transaction() as conn:
        assert [contest.slug for contest in contests.listed(conn)] == ["c3", "c2", "c1"]


def test_a_phase_is_told_once(contest):
    def told() -> list[str]:
        with transaction() as conn:
            events.announce(conn)
            return [event.payload["phase"] for event in events.since(conn, contest, 0)]

    assert told() == ["open"]
    assert told() == ["open"]
    move(contest, closes_at=now(), publishes_at=now())
    assert told() == ["open", "published"]


@pytest.mark.parametrize("name", ["opens_at", "freezes_at", "closes_at", "publishes_at"])
@pytest.mark.parametrize("text", ["0001-01-01T00:00:00+14:00", "1999-12-31T23:59:59Z", "9999-12-31T23:59:59-14:00"])
def test_a_time_at_the_edge_of_the_calendar_is_none_of_a_contest(pool, name, text):
    """PostgreSQL would keep some of them as years that Python cannot read back."""
    times = {"opens_at": now(), "freezes_at": now() + HOUR, "closes_at": now() + DAY, "publishes_at": now() + DAY}
    with pytest.raises(BadContest) as error:
        make_contest(**times | {name: datetime.fromisoformat(text)})
    assert (error.value.field, error.value.code) == (name, "time-out-of-range")
