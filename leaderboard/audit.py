"""Who did what, when and why: append-only; and the part of it that the public may read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal
from uuid import UUID

from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from leaderboard import redaction
from leaderboard.db import Connection

if TYPE_CHECKING:
    from leaderboard.contestants import Contestant
    from leaderboard.contests import Contest

Shown = Literal["never", "published", "now"]
"""When the public may read of a deed: never, when records are published, or at once. What says anything about a result
that is not public yet is "published"."""


@dataclass(frozen=True)
class Entry:
    """One deed."""

    id: int
    at: datetime
    actor: str
    action: str
    object: str
    reason: str
    detail: dict[str, Any]
    """What was changed: a field's name to [before, after]."""
    whom: str | None
    """The name of the contestant whom it concerns."""


@dataclass(frozen=True)
class PublicEntry:
    """What the public may read of a deed."""

    id: int
    at: datetime
    action: str
    reason: str
    detail: dict[str, Any]
    whom: str | None
    """As the public reads the name."""


def note(
    conn: Connection,
    actor: Contestant | str,
    action: str,
    thing: str,
    reason: str = "",
    *,
    contest: int | None = None,
    whom: UUID | None = None,
    shown: Shown = "never",
    detail: Mapping[str, Any] | None = None,
) -> None:
    """Write down what is done in this transaction. `actor` is a contestant, or names a part of the service.

    `contest`: it belongs to this one. `whom`: the contestant whom it concerns.
    """
    actor_id = None if isinstance(actor, str) else actor.id
    conn.execute(
        """
        INSERT INTO audit (actor, actor_id, action, object, reason, contest, whom, shown, detail)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)""",
        [name_of(actor), actor_id, action, thing, reason, contest, whom, shown, Jsonb(dict(detail or {}))],
    )


def name_of(actor: Contestant | str) -> str:
    """What those who act are called: a contestant's name, or the part of the service."""
    return actor if isinstance(actor, str) else actor.name


def listed(
    conn: Connection,
    limit: int = 100,
    before: int | None = None,
    contest: Contest | None = None,
    thing: str | None = None,
) -> list[Entry]:
    """The newest entries first; `before` is the id of the last one of the page before. Of a contest, or of a thing.

    That a name was hidden or is shown again belongs to all contests in which its contestant takes part.
    """
    return (
        conn.cursor(row_factory=class_row(Entry))
        .execute(
            """
        SELECT audit.id, at, actor, action, object, reason, detail, name AS whom
        FROM audit LEFT JOIN contestant ON contestant.id = whom
        WHERE (%(before)s::bigint IS NULL OR audit.id < %(before)s)
          AND (%(contest)s::int IS NULL OR contest = %(contest)s
               OR (contest IS NULL AND action IN ('hide', 'unhide')
                   AND (EXISTS (SELECT FROM submission
                                WHERE submission.contest = %(contest)s AND submission.contestant = whom)
                        OR EXISTS (SELECT FROM match_player JOIN match ON match.submission = match_player.match
                                   WHERE match.contest = %(contest)s AND match_player.contestant = whom))))
          AND (%(thing)s::text IS NULL OR object = %(thing)s)
        ORDER BY audit.id DESC LIMIT %(limit)s""",
            {"before": before, "limit": limit, "contest": contest and contest.id, "thing": thing},
        )
        .fetchall()
    )


def last(conn: Connection, contest: Contest) -> int:
    """The number of the contest's last entry that is public at once; 0 before the first."""
    row = conn.execute(
        "SELECT id FROM audit WHERE contest = %s AND shown = 'now' ORDER BY id DESC LIMIT 1", [contest.id]
    ).fetchone()
    return int(row[0]) if row else 0


def public(conn: Connection, contest: Contest, limit: int = 100, before: int | None = None) -> list[PublicEntry]:
    """What the public may read about a contest now, the newest first; hidden names are in none of it.

    That a name was hidden or is shown again belongs to the contests on whose public board it stands.
    """
    rows = (
        conn.cursor(row_factory=class_row(PublicEntry))
        .execute(
            """
        SELECT audit.id, at, action, reason, detail, contestant.shown AS whom
        FROM audit LEFT JOIN contestant ON contestant.id = whom
        WHERE (audit.shown = 'now' OR (audit.shown = 'published' AND %(published)s))
          AND (contest = %(contest)s
               OR (contest IS NULL AND EXISTS (SELECT FROM board(%(contest)s, 0) AS seen WHERE seen.contestant = whom)))
          AND (%(before)s::bigint IS NULL OR audit.id < %(before)s)
        ORDER BY audit.id DESC LIMIT %(limit)s""",
            {"contest": contest.id, "published": contest.published, "before": before, "limit": limit},
        )
        .fetchall()
    )
    hide = redaction.of(conn)
    return [replace(row, reason=hide(row.reason)) for row in rows]
