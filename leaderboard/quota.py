"""The uploads of a UTC day, taken by one statement."""

from datetime import date
from uuid import UUID

from leaderboard.db import Connection


def take(conn: Connection, contest: int, contestant: UUID, quota: int) -> date | None:
    """Take one of today's uploads: the day it was taken from, or None when all are used up."""
    row = conn.execute(
        """
        INSERT INTO quota (contest, contestant, day, used)
        VALUES (%(contest)s, %(contestant)s, (now() AT TIME ZONE 'UTC')::date, 1)
        ON CONFLICT (contest, contestant, day) DO UPDATE SET used = quota.used + 1 WHERE quota.used < %(quota)s
        RETURNING day""",
        {"contest": contest, "contestant": contestant, "quota": quota},
    ).fetchone()
    return row[0] if row else None


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
