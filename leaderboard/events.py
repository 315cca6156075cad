"""The gapless numbers that live updates and ETags hang on."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from leaderboard.contests import Contest
from leaderboard.db import Connection


@dataclass(frozen=True)
class Event:
    """Something that happened in a contest.

    Kinds: "standing" (the board has changed), "verdict" (a submission was decided and the board is as it was), both
    with {"submission", "contestant", "accepted"}, as have "disqualified" and "reinstated"; "phase" (the contest has
    entered it); "dates" (its times were changed); "corrected" (a set of submissions has other verdicts now, with
    {"reverification", "version"}); "name" (a {"contestant"} has another name, or it is hidden or shown again);
    "notice" (the organisers have posted, edited or taken back the notice {"number"}).
    """

    number: int
    kind: str
    payload: dict[str, Any]
    at: datetime


@dataclass(frozen=True)
class Happening:
    """An event that has no number yet."""

    contest: int
    kind: str
    payload: dict[str, Any]
    public: bool
    """The public may see it: it changes nothing that is frozen or sealed."""


def lock(conn: Connection, contests: Iterable[int]) -> None:
    """Lock these contests' counters, in the order of their ids; what changes a contest's bests does this first."""
    conn.execute(
        "SELECT FROM counter WHERE contest = ANY(%s) ORDER BY contest FOR NO KEY UPDATE", [sorted(set(contests))]
    )


def add(conn: Connection, happenings: Sequence[Happening]) -> None:
    """Give the events their numbers, in their order. The caller holds the counters' locks."""
    if happenings:
        conn.execute(
            """
        WITH happening AS (
            SELECT contest, kind, payload, public, place,
                   row_number() OVER (PARTITION BY contest ORDER BY place) AS nth,
                   count(*) FILTER (WHERE public) OVER (PARTITION BY contest ORDER BY place) AS nth_public
            FROM unnest(%(contests)b::int[], %(kinds)b::text[], %(payloads)b::jsonb[], %(publics)b::bool[])
                 WITH ORDINALITY AS happening (contest, kind, payload, public, place)
        ), counted AS (
            UPDATE counter SET events = events + added, public_events = public_events + added_public
            FROM (SELECT contest, count(*) AS added, count(*) FILTER (WHERE public) AS added_public
                  FROM happening GROUP BY contest) AS sums
            WHERE counter.contest = sums.contest
            RETURNING counter.contest, events - added AS events, public_events - added_public AS public_events
        )
        INSERT INTO event (contest, number, public, kind, payload)
        SELECT contest, events + nth, CASE WHEN public THEN public_events + nth_public END, kind, payload
        FROM happening JOIN counted USING (contest)""",
            {
                "contests": [each.contest for each in happenings],
                "kinds": [each.kind for each in happenings],
                "payloads": [Jsonb(each.payload) for each in happenings],
                "publics": [each.public for each in happenings],
            },
        )


def seen(conn: Connection, contest: int, faces: set[bool]) -> bool:
    """Whether the public can see a change of these faces of the board (True the live one, False the frozen one)."""
    row = conn.execute(
        """
        SELECT freezes_at IS NULL OR counter.phase = 'published'
        FROM contest JOIN counter ON counter.contest = contest.id WHERE contest.id = %s""",
        [contest],
    ).fetchone()
    assert row
    return False in faces or (True in faces and bool(row[0]))


def announce(conn: Connection) -> None:
    """Tell of the phases that contests have entered since the last call.

    Publication is told here, too, so that what was hidden until then has no public number, and whatever changes a
    published board later has one.
    """
    changed = conn.execute("""
        SELECT id FROM contest_now AS now JOIN counter ON contest = id WHERE counter.phase <> now.phase""").fetchall()
    if changed:
        lock(conn, (contest for (contest,) in changed))
        entered = conn.execute("""
            UPDATE counter SET phase = now.phase FROM contest_now AS now
            WHERE contest = now.id AND counter.phase <> now.phase RETURNING contest, now.phase""").fetchall()
        add(conn, [Happening(contest, "phase", {"phase": phase}, True) for contest, phase in entered])


def upset(conn: Connection, contest: Contest, number: int) -> bool:
    """Whether something public after that number takes back what was shown before: it must not be shown any longer."""
    row = conn.execute(
        """
        SELECT EXISTS (
            SELECT FROM event WHERE contest = %s AND public > %s
                                AND kind IN ('disqualified', 'reinstated', 'dates', 'corrected', 'name'))""",
        [contest.id, number],
    ).fetchone()
    assert row
    return bool(row[0])


def since(conn: Connection, contest: Contest, number: int, limit: int = 100) -> list[Event]:
    """The public events after that number, in order."""
    return (
        conn.cursor(row_factory=class_row(Event))
        .execute(
            """
        SELECT public AS number, kind, payload, at FROM event
        WHERE contest = %s AND public > %s ORDER BY public LIMIT %s""",
            [contest.id, number, limit],
        )
        .fetchall()
    )


def last(conn: Connection, contest: Contest) -> int:
    """The number of the last public event; 0 before the first."""
    row = conn.execute("SELECT public_events FROM counter WHERE contest = %s", [contest.id]).fetchone()
    assert row
    return int(row[0])
