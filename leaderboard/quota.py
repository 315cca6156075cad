"""The uploads of a UTC day; they are taken by the statement that keeps an upload (submissions.py)."""

from datetime import date
from uuid import UUID

from leaderboard.db import Connection


def give_back(conn: Connection, contest: int, contestant: UUID, day: date) -> None:
    """Return an upload of that day."""
    conn.execute(
        "UPDATE quota SET used = used - 1 WHERE contest = %s AND contestant = %s AND day = %s",
        [contest, contestant, day],
    )


def used(conn: Connection, contest: int, contestant: UUID) -> int:
    """How many of today's uploads are used."""
    row = conn.execute(
        """
        SELECT used FROM quota
        WHERE contest = %s AND contestant = %s AND day = (now() AT TIME ZONE 'UTC')::date""",
        [contest, contestant],
    ).fetchone()
    return row[0] if row else 0
