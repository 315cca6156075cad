"""Any rank and any page, by the function `board`, which knows what the public may see.

Ranks are shared: 1 + how many have a smaller key. Within a rank the earlier stands first. A page is one statement, so
one moment. A cursor names a place in the order (key, received_at, contestant), not a count of rows: whatever else moves
meanwhile, nobody who stays where they are is shown twice or skipped.
"""

import base64
import binascii
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from psycopg.rows import dict_row

from leaderboard import events
from leaderboard.contests import Contest
from leaderboard.db import Connection
from leaderboard.fences import FIRST, Place
from leaderboard.tables import Standing as Standing


class BadCursor(Exception):
    """The text is no cursor of ours."""


@dataclass(frozen=True)
class Page:
    """Some standings in their order."""

    standings: list[Standing]
    next: str | None
    """The cursor of the page behind this one; None on the last."""
    previous: str | None
    """The cursor of the page before this one; None on the first."""
    total: int
    event: int
    """The contest's last public event: with the phase, what an ETag hangs on."""


def page(
    conn: Connection, contest: Contest, limit: int = 50, cursor: str | None = None, setup: int | None = None
) -> Page:
    """Up to `limit` standings behind (or before) the cursor; of one setup (by its number), or overall.

    Raises BadCursor.
    """
    back, place = _decode(cursor) if cursor is not None else (False, FIRST)
    rows = _ranked(conn, contest, setup, _BEFORE if back else _BEHIND, {**place._asdict(), "limit": limit})
    found = [row for row in rows if row["contestant"]]
    first = rows[0]
    if not found:
        # Everybody on this side has gone meanwhile; whoever is left stands on the other side.
        other = _encode(not back, place) if first["total"] else None
        return Page([], other if back else None, None if back else other, first["total"], first["event"])
    return Page(
        [_standing(row) for row in found],
        next=_encode(False, _place(found[-1])) if first["before"] + len(found) < first["total"] else None,
        previous=_encode(True, _place(first)) if first["before"] else None,
        total=first["total"],
        event=first["event"],
    )


def one(
    conn: Connection, contest: Contest, contestant_id: UUID, neighbours: int = 2, setup: int | None = None
) -> list[Standing] | None:
    """A contestant's standing between up to `neighbours` before and behind it; None if they are not on the board."""
    rows = _ranked(conn, contest, setup, _AROUND, {"contestant": contestant_id, "limit": neighbours})
    return [_standing(row) for row in rows if row["contestant"]] or None


def event(conn: Connection, contest: Contest) -> int:
    """The number of the contest's last public event."""
    return events.last(conn, contest)


# What to show; each part is read along the index, from its place on.
_BEHIND = """
    SELECT * FROM board(%(contest)s, %(setup)s)
    WHERE (key, received_at, contestant) > (%(key)s, %(received_at)s, %(contestant)s)
    ORDER BY key, received_at, contestant LIMIT %(limit)s"""
_BEFORE = """
    SELECT * FROM board(%(contest)s, %(setup)s)
    WHERE (key, received_at, contestant) < (%(key)s, %(received_at)s, %(contestant)s)
    ORDER BY key DESC, received_at DESC, contestant DESC LIMIT %(limit)s"""
_AROUND = """
    SELECT picked.* FROM board(%(contest)s, %(setup)s) AS mine CROSS JOIN LATERAL (
        (SELECT * FROM board(%(contest)s, %(setup)s) AS shown
         WHERE (shown.key, shown.received_at, shown.contestant) < (mine.key, mine.received_at, mine.contestant)
         ORDER BY key DESC, received_at DESC, contestant DESC LIMIT %(limit)s)
        UNION ALL
        (SELECT * FROM board(%(contest)s, %(setup)s) AS shown
         WHERE (shown.key, shown.received_at, shown.contestant) >= (mine.key, mine.received_at, mine.contestant)
         ORDER BY key, received_at, contestant LIMIT %(limit)s + 1)
    ) AS picked
    WHERE mine.contestant = %(contestant)s"""
# The ranks of those rows. Within the first row's rank all share it; whoever follows has the rank of their place.
_RANKS = """
    ), first AS MATERIALIZED (
        SELECT key, received_at, contestant FROM picked ORDER BY key, received_at, contestant LIMIT 1
    ), place AS MATERIALIZED (
        SELECT * FROM board_place(
            %(contest)s, %(setup)s, coalesce((SELECT key FROM first), ''), (SELECT received_at FROM first),
            (SELECT contestant FROM first))
    )
    SELECT picked.contestant, shown AS name, picked.key, picked.received_at, submission, score,
           CASE WHEN picked.key = (SELECT key FROM first) THEN smaller + 1
                ELSE before + rank() OVER (ORDER BY picked.key) END AS rank,
           before, total, (SELECT public_events FROM counter WHERE counter.contest = %(contest)s) AS event
    FROM place LEFT JOIN picked ON true LEFT JOIN contestant ON contestant.id = picked.contestant
    ORDER BY picked.key, picked.received_at, picked.contestant"""


def _ranked(
    conn: Connection, contest: Contest, setup: int | None, picked: str, values: dict[str, Any]
) -> list[dict[str, Any]]:
    """The picked rows in order, each with its rank, beside `before` (rows before the first), `total` and `event`.

    Without rows there is one whose contestant is None.
    """
    own = setup if setup and len(contest.setups) > 1 and not contest.league else 0
    statement = "WITH picked AS MATERIALIZED (" + picked + _RANKS
    rows = conn.cursor(row_factory=dict_row)
    return rows.execute(statement, {"contest": contest.id, "setup": own, **values}).fetchall()


def _standing(row: dict[str, Any]) -> Standing:
    return Standing(row["rank"], row["contestant"], row["name"], row["score"], row["received_at"], row["submission"])


def _place(row: dict[str, Any]) -> Place:
    return Place(row["key"], row["received_at"], row["contestant"])


def _encode(back: bool, place: Place) -> str:
    key, at, contestant = place
    micros = (at - FIRST.received_at) // timedelta(microseconds=1)
    raw = bytes([back]) + micros.to_bytes(8, "big") + contestant.bytes + key
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def _decode(cursor: str) -> tuple[bool, Place]:
    try:
        raw = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        at = FIRST.received_at + timedelta(microseconds=int.from_bytes(raw[1:9], "big"))
        place = Place(raw[25:], at, UUID(bytes=raw[9:25]))
    except (ValueError, OverflowError, binascii.Error):
        raise BadCursor("The cursor is none of ours.") from None
    if raw[0] > 1 or len(raw) > 25 + 255:
        raise BadCursor("The cursor is none of ours.")
    return bool(raw[0]), place
