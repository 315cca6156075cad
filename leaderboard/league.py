"""The table of a contest of a game: what matches are worth, exactly, and each contestant's standing.

A match is worth a point to its winner and half a point to each side of a draw. With n > 2 players it is worth
(n - place) / (n - 1), and those who share a place get the mean of the places they take up. Points are kept as whole
numbers of 1/5040: the divisors of a mean are n - 1, up to 9, and 2 (a mean of consecutive numbers is whole or a half),
and 5040 is a multiple of 2 (n - 1) for each n up to 10. More points rank first, then fewer matches.

The standings are rows of `best` like those of any contest, so ranks, pages and frozen boards are those of board.py.
"""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from fractions import Fraction
from typing import NamedTuple
from uuid import UUID

from leaderboard import best, ranking
from leaderboard.best import Best, Bests, Slot
from leaderboard.db import Connection
from verifier.rules import DRAW, WON, Result
from verifier.verdict import Score

POINT = 5040
"""A whole point, in the units that shares are kept in."""


def shares(result: Result) -> list[int]:
    """What a match is worth to each seat, in 1/5040."""
    if isinstance(result, str):
        return {WON[0]: [POINT, 0], WON[1]: [0, POINT], DRAW: [POINT // 2, POINT // 2]}[result]
    return [_share(place, result.count(place), len(result)) for place in result]


def points(total: int) -> str:
    """A sum of shares as an exact fraction in lowest terms: "5/2", "3"."""
    return str(Fraction(total, POINT))


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
    total, last = sum(match.share for match in matches), max(matches)
    score: Score = {
        "points": points(total),
        "matches": len(matches),
        "wins": sum(match.share == POINT for match in matches),
    }
    if all(match.players == 2 for match in matches):
        losses = sum(match.share == 0 for match in matches)
        score |= {"draws": len(matches) - score["wins"] - losses, "losses": losses}
    return Best(ranking.pack((-total, len(matches))), last.received_at, last.submission, score)


def _share(place: int, level: int, n: int) -> int:
    """The mean of (n - p) / (n - 1) over the places p that `level` players share from `place` on."""
    share = Fraction(POINT * sum(n - p for p in range(place, place + level)), level * (n - 1))
    assert share.denominator == 1
    return int(share)
