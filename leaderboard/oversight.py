"""What organisers look through: the submissions of a contest, and those that play alike."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from psycopg.rows import class_row

from leaderboard.contests import Contest
from leaderboard.db import Connection
from leaderboard.submissions import SELECT, Submission


@dataclass(frozen=True)
class Filter:
    """Which submissions; None leaves a question open."""

    state: str | None = None
    """Of submissions.State."""
    code: str | None = None
    """The error's code of a rejected one."""
    contestant: UUID | None = None
    late: bool | None = None
    disqualified: bool | None = None
    since: datetime | None = None
    """Received then or later."""


def of_contest(
    conn: Connection, contest: Contest, chosen: Filter, limit: int = 50, before: Submission | None = None
) -> list[Submission]:
    """A contest's submissions, the newest first; `before` is the last one of the page before."""
    return (
        conn.cursor(row_factory=class_row(Submission))
        .execute(
            f"""
        SELECT * FROM ({SELECT} WHERE submission.contest = %(contest)s
                       AND (%(contestant)s::uuid IS NULL OR submission.contestant = %(contestant)s)
                       AND (%(since)s::timestamptz IS NULL OR received_at >= %(since)s)
                       AND (%(at)s::timestamptz IS NULL OR (received_at, submission.id) < (%(at)s, %(id)s::uuid))
        ) AS one
        WHERE (%(state)s::text IS NULL OR state = %(state)s)
          AND (%(code)s::text IS NULL OR verdict -> 'error' ->> 'code' = %(code)s)
          AND (%(late)s::boolean IS NULL OR late = %(late)s)
          AND (%(disqualified)s::boolean IS NULL OR disqualified = %(disqualified)s)
        ORDER BY received_at DESC, id DESC LIMIT %(limit)s""",  # noqa: S608 - only text of our own files
            {
                **vars(chosen),
                "contest": contest.id,
                "at": before and before.received_at,
                "id": before and before.id,
                "limit": limit,
            },
        )
        .fetchall()
    )


def alike(conn: Connection, contest: Contest, limit: int = 50) -> list[list[Submission]]:
    """Accepted records that play the same way move by move and come from several contestants of a puzzle's contest.

    A list for each play, the earliest submission first; the plays handed in again last come first. Nothing follows of
    itself: short solutions may well be found twice. Matches are left out: there it is their players' business.
    """
    if contest.league:
        return []
    rows = (
        conn.cursor(row_factory=class_row(Submission))
        .execute(
            f"""
        WITH suspect AS (
            SELECT play, max(received_at) AS newest FROM verdict JOIN submission ON submission.id = submission
            WHERE contest = %(contest)s AND applied AND accepted
            GROUP BY play HAVING count(DISTINCT contestant) > 1 ORDER BY newest DESC LIMIT %(limit)s
        )
        SELECT one.* FROM ({SELECT} WHERE submission.contest = %(contest)s AND accepted) AS one
        JOIN verdict ON verdict.submission = one.id AND applied JOIN suspect USING (play)
        ORDER BY newest DESC, play, one.received_at, one.id""",  # noqa: S608 - only text of our own files
            {"contest": contest.id, "limit": limit},
        )
        .fetchall()
    )
    plays: dict[UUID, bytes] = dict(
        conn.execute(
            "SELECT submission, play FROM verdict WHERE applied AND submission = ANY(%s)", [[row.id for row in rows]]
        ).fetchall()
    )
    groups: dict[bytes, list[Submission]] = {}
    for row in rows:
        groups.setdefault(plays[row.id], []).append(row)
    return list(groups.values())
