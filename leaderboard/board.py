"""Any rank and any page, by the function `board`, which knows what the public may see.

Ranks are shared: 1 + how many have a smaller key. Within a rank the earlier stands first. A page is one statement, so one
moment. A cursor names a place in the order (key, received_at, contestant), not a count of rows: whatever else moves
meanwhile, nobody who stays where they are is shown twice or skipped.
"""

import base64
import binascii
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from psycopg.rows import dict_row

from leaderboard import events
from leaderboard.contests import Contest
from leaderboard.db import Connection
from verifier.verdict import Score


class BadCursor(Exception):
    """The text is no cursor of ours."""


@dataclass(frozen=True)
class Standing:
    """A contestant's place on the board."""

    rank: int
    """From 1; equal results share it, and the next rank skips."""
    contestant_id: UUID
    name: str
    score: Score
    received_at: datetime
    submission: UUID


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
    back, place = _decode(cursor) if cursor is not None else (False, _FIRST)
    sign, order = ("<", "DESC") if back else (">", "ASC")
    rows = _ranked(
        conn,
        contest,
        setup,
        f"""
        SELECT * FROM shown WHERE (key, received_at, contestant) {sign} (%(key)s, %(at)s, %(contestant)s)
        ORDER BY key {order}, received_at {order}, contestant {order} LIMIT %(limit)s""",
        {"key": place[0], "at": place[1], "contestant": place[2], "limit": limit},
    )
    head = rows[0]
    found = [row for row in rows if row["contestant"] is not None]
    standings = [_standing(row) for row in found]
    if not found:
        other = _encode(not back, place) if head["total"] else None
        return Page([], other if back else None, None if back else other, head["total"], head["event"])
    more = head["before"] + len(found) < head["total"]
    return Page(
        standings,
        next=_encode(False, _place(found[-1])) if more else None,
        previous=_encode(True, _place(found[0])) if head["before"] else None,
        total=head["total"],
        event=head["event"],
    )


def one(
    conn: Connection, contest: Contest, contestant_id: UUID, neighbours: int = 2, setup: int | None = None
) -> list[Standing] | None:
    """A contestant's standing between up to `neighbours` before and behind it; None if they are not on the board."""
    rows = _ranked(
        conn,
        contest,
        setup,
        """
        (SELECT shown.* FROM shown, mine WHERE (shown.key, shown.received_at, shown.contestant) < (mine.key, mine.received_at, mine.contestant)
         ORDER BY shown.key DESC, shown.received_at DESC, shown.contestant DESC LIMIT %(neighbours)s)
        UNION ALL
        (SELECT shown.* FROM shown, mine WHERE (shown.key, shown.received_at, shown.contestant) >= (mine.key, mine.received_at, mine.contestant)
         ORDER BY shown.key, shown.received_at, shown.contestant LIMIT %(neighbours)s + 1)""",
        {"contestant": contestant_id, "neighbours": neighbours},
    )
    return [_standing(row) for row in rows if row["contestant"] is not None] or None


def event(conn: Connection, contest: Contest) -> int:
    """The number of the contest's last public event."""
    return events.last(conn, contest)


Place = tuple[bytes, datetime, UUID]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST: Place = (b"", _EPOCH, UUID(int=0))


def _ranked(
    conn: Connection, contest: Contest, setup: int | None, picked: str, values: dict[str, Any]
) -> list[dict[str, Any]]:
    """The picked rows in order, each with its rank, beside `before` (rows before the first of them), `total` and `event`.

    Without rows there is one whose contestant is None.
    """
    return (
        conn.cursor(row_factory=dict_row)
        .execute(
            f"""
        WITH shown AS NOT MATERIALIZED (SELECT * FROM board(%(contest)s, %(setup)s)),
        mine AS (SELECT key, received_at, contestant FROM shown WHERE contestant = %(contestant)s),
        picked AS MATERIALIZED ({picked}),
        first AS (SELECT key, received_at, contestant FROM picked ORDER BY key, received_at, contestant LIMIT 1),
        smaller AS (SELECT count(*) AS n FROM shown WHERE key < (SELECT key FROM first)),
        before AS (SELECT smaller.n + (SELECT count(*) FROM shown, first WHERE shown.key = first.key
                   AND (shown.received_at, shown.contestant) < (first.received_at, first.contestant)) AS n FROM smaller)
        SELECT picked.contestant, name, picked.key, picked.received_at, submission, score,
               CASE WHEN picked.key = (SELECT key FROM first) THEN (SELECT n FROM smaller) + 1
                    ELSE (SELECT n FROM before) + rank() OVER (ORDER BY picked.key) END AS rank,
               (SELECT n FROM before) AS before, (SELECT count(*) FROM shown) AS total, public_events AS event
        FROM counter LEFT JOIN picked ON true LEFT JOIN contestant ON contestant.id = picked.contestant
        WHERE counter.contest = %(contest)s
        ORDER BY picked.key, picked.received_at, picked.contestant""",
            {"contest": contest.id, "setup": setup if setup and len(contest.setups) > 1 else 0, **values},
        )
        .fetchall()
    )


def _standing(row: dict[str, Any]) -> Standing:
    return Standing(row["rank"], row["contestant"], row["name"], row["score"], row["received_at"], row["submission"])


def _place(row: dict[str, Any]) -> Place:
    return row["key"], row["received_at"], row["contestant"]


def _encode(back: bool, place: Place) -> str:
    key, at, contestant = place
    micros = (at - _EPOCH) // timedelta(microseconds=1)
    raw = bytes([back]) + micros.to_bytes(8, "big") + contestant.bytes + key
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def _decode(cursor: str) -> tuple[bool, Place]:
    try:
        raw = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        at = _EPOCH + timedelta(microseconds=int.from_bytes(raw[1:9], "big"))
        place = raw[25:], at, UUID(bytes=raw[9:25])
    except (ValueError, OverflowError, binascii.Error):
        raise BadCursor("The cursor is none of ours.") from None
    if raw[0] > 1 or len(raw) > 25 + 255:
        raise BadCursor("The cursor is none of ours.")
    return bool(raw[0]), place
