"""Who did what, when and why: append-only."""

from dataclasses import dataclass
from datetime import datetime

from psycopg.rows import class_row

from leaderboard.db import Connection


@dataclass(frozen=True)
class Entry:
    """One deed."""

    id: int
    at: datetime
    actor: str
    action: str
    object: str
    reason: str


def note(conn: Connection, actor: str, action: str, thing: str, reason: str = "") -> None:
    """Write down what is done in this transaction. `actor` is a contestant's name or a part of the service."""
    conn.execute(
        "INSERT INTO audit (actor, action, object, reason) VALUES (%s, %s, %s, %s)", [actor, action, thing, reason]
    )


def listed(conn: Connection, limit: int = 100, before: int | None = None) -> list[Entry]:
    """The newest entries first; `before` is the id of the last one of the page before."""
    return (
        conn.cursor(row_factory=class_row(Entry))
        .execute(
            """
        SELECT id, at, actor, action, object, reason FROM audit
        WHERE %(before)s::bigint IS NULL OR id < %(before)s ORDER BY id DESC LIMIT %(limit)s""",
            {"before": before, "limit": limit},
        )
        .fetchall()
    )
