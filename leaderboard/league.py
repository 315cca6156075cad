"""The table of a contest of a game: each contestant's standing from the matches that count (points.py).

The standings are rows of `best` like those of any contest, so ranks, pages and frozen boards are those of board.py.
"""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from leaderboard import best, points
from leaderboard.best import Best, Bests, Slot
from leaderboard.db import Connection


def refresh(conn: Connection, contest: int, contestants: Sequence[UUID]) -> set[bool]:
    """Their standings anew, from the matches that count: which faces changed (True live, False the frozen one).

    The caller holds the contest's counter.
    """
    before = best.read(conn, [(contest, contestant) for contestant in contestants])
    after = table(conn, contest, contestants)
    best.replace(conn, before, after)
    return best.changes(before, after)


def table(conn: Connection, contest: int, contestants: Sequence[UUID] | None = None) -> Bests:
    """The standings that follow from the matches that count; of these contestants, or of all."""
    rows = conn.execute(
        """
        SELECT player.contestant, now.received_at, now.submission, early, share,
               (SELECT count(*) FROM match_player AS other WHERE other.match = now.submission) AS players
        FROM match_now AS now JOIN match_player AS player ON player.match = now.submission
        WHERE contest = %(contest)s AND counts
          AND (%(contestants)s::uuid[] IS NULL OR player.contestant = ANY(%(contestants)s))""",
        {"contest": contest, "contestants": None if contestants is None else list(contestants)},
    )
    played: dict[Slot, list[_Played]] = defaultdict(list)
    for contestant, received_at, submission, early, share, players in rows:
        for live in best.faces(early):
            played[Slot(contest, contestant, 0, live)].append(_Played(received_at, submission, share, players))
    return {slot: _standing(matches) for slot, matches in played.items()}


def counting(conn: Connection, submissions: Sequence[UUID]) -> set[tuple[UUID, bool]]:
    """Those of these matches that count, and for which face of the table (True: the live one)."""
    rows = conn.execute(
        "SELECT submission, early FROM match_now WHERE counts AND submission = ANY(%s)", [list(submissions)]
    )
    return {(submission, live) for submission, early in rows for live in best.faces(early)}


def counted(conn: Connection, contest: int) -> int:
    """How many matches count."""
    row = conn.execute("SELECT count(*) FROM match_now WHERE contest = %s AND counts", [contest]).fetchone()
    assert row
    return int(row[0])


class _Played(NamedTuple):
    """A match that counts, as one of its players sees it."""

    received_at: datetime
    submission: UUID
    share: int
    players: int


def _standing(matches: list[_Played]) -> Best:
    """A contestant's place in the table; its link leads to the last of the matches."""
    score, key = points.standing([(match.share, match.players) for match in matches])
    last = max(matches)
    return Best(key, last.received_at, last.submission, score)
