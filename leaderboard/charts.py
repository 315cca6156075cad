"""What people look up and look at: who is called so, how the best mean fell, how means spread, how somebody got better.

All of it is what the public board shows or has shown: nothing received after the freeze, too late, or disqualified.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from psycopg.rows import class_row

from leaderboard import board, ranking
from leaderboard.board import Standing
from leaderboard.contestants import SPELLING, folded
from leaderboard.contests import Contest
from leaderboard.db import Connection
from verifier.verdict import Score

_SHOWN = """
    FROM submission JOIN verdict ON verdict.submission = submission.id AND applied AND accepted
                    JOIN contest_now AS now ON now.id = submission.contest
    WHERE submission.contest = %(contest)s AND disqualified_at IS NULL
      AND received_at < CASE WHEN live THEN closes_at ELSE freezes_at END"""


@dataclass(frozen=True)
class Best:
    """A record that was better than all before it: of the whole contest, or of one contestant."""

    received_at: datetime
    submission: UUID
    score: Score


@dataclass(frozen=True)
class Lead(Best):
    """One of the whole contest."""

    name: str
    """The contestant's."""


def search(conn: Connection, contest: Contest, text: str, limit: int = 10) -> list[Standing]:
    """Standings of contestants whose names hold the text, however it is written in case or width; the best first."""
    wanted = folded(text.strip()[:SPELLING])
    if not wanted or "\0" in wanted:
        return []
    rows = conn.execute(
        """
        SELECT contestant FROM board(%(contest)s, 0) AS shown JOIN contestant ON contestant.id = shown.contestant
        WHERE CASE WHEN hidden_at IS NULL THEN folded ELSE contestant.shown END LIKE %(pattern)s  -- has an index
        ORDER BY folded <> %(text)s, key, received_at, contestant LIMIT %(limit)s""",
        {"contest": contest.id, "text": wanted, "pattern": _holding(wanted), "limit": limit},
    ).fetchall()
    return [standing for (one,) in rows for standing in board.one(conn, contest, one, neighbours=0) or ()]


def _holding(text: str) -> str:
    """The LIKE pattern of all that holds this very text."""
    return "%" + re.sub(r"([\\%_])", r"\\\1", text) + "%"


def place(conn: Connection, contest: Contest, score: Score, setup: int = 0) -> int:
    """The rank that a score would have on the public board, beside what stands there now."""
    row = conn.execute(
        "SELECT smaller + 1 FROM board_place(%s, %s, %s, '-infinity', %s)",
        [contest.id, setup, ranking.sort_key(contest.puzzle, score), UUID(int=0)],
    ).fetchone()
    assert row
    return int(row[0])


def leads(conn: Connection, contest: Contest) -> list[Lead]:
    """The records of jc-golden-nugget that had a lower mean than all before them, from the first on.

    Means are compared as the sort key does: floor(moves * 10^6 / boards) is exact for 20 to 200 boards.
    """
    statement = f"""
        WITH shown AS (
            SELECT submission.id, submission.contestant, received_at, verdict -> 'score' AS score,
                   (verdict -> 'score' ->> 'moves')::bigint * 1000000
                   / (verdict -> 'score' ->> 'boards')::bigint AS mean {_SHOWN}
        ), behind AS (
            SELECT *, min(mean) OVER (
                ORDER BY received_at, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS least
            FROM shown
        )
        SELECT received_at, behind.id AS submission, score, shown AS name
        FROM behind JOIN contestant ON contestant.id = behind.contestant
        WHERE least IS NULL OR mean < least ORDER BY received_at, behind.id"""  # noqa: S608 - only text of this file
    return conn.cursor(row_factory=class_row(Lead)).execute(statement, {"contest": contest.id}).fetchall()


def means(conn: Connection, contest: Contest) -> dict[int, int]:
    """How many contestants of jc-golden-nugget stand at means from n up to below n + 1, for each n with any."""
    rows = conn.execute(
        """
        SELECT ((get_byte(key, 0)::bigint << 24) + (get_byte(key, 1) << 16) + (get_byte(key, 2) << 8)
                + get_byte(key, 3)) / 1000000 AS mean, count(*)
        FROM board(%s, 0) GROUP BY mean ORDER BY mean""",
        [contest.id],
    ).fetchall()
    return {int(mean): int(count) for mean, count in rows}


def bests(conn: Connection, contest: Contest, contestant_id: UUID, setup: int = 0, limit: int = 5000) -> Sequence[Best]:
    """A contestant's records that were better than all of theirs before, from the first on; of their first `limit`."""
    statement = f"""
        SELECT received_at, submission.id AS submission, verdict -> 'score' AS score {_SHOWN}
          AND submission.contestant = %(contestant)s AND coalesce(submission.setup, 0) = %(setup)s
        ORDER BY received_at, submission.id LIMIT %(limit)s"""
    values = {"contest": contest.id, "contestant": contestant_id, "setup": setup, "limit": limit}
    rows = conn.cursor(row_factory=class_row(Best)).execute(statement, values).fetchall()
    found: list[Best] = []
    least: bytes | None = None
    for row in rows:
        key = ranking.sort_key(contest.puzzle, row.score)
        if least is None or key < least:
            least = key
            found.append(row)
    return found
