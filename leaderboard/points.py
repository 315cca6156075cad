"""What matches are worth, exactly. No SQL.

A match is worth a point to its winner and half a point to each side of a draw. With n > 2 players it is worth
(n - place) / (n - 1), and those who share a place get the mean of the places they take up. Points are kept as whole
numbers of 1/5040: the divisors of a mean are n - 1, up to 9, and 2 (a mean of consecutive numbers is whole or a half),
and 5040 is a multiple of 2 (n - 1) for each n up to 10. More points rank first, then fewer matches.
"""

from collections.abc import Sequence
from fractions import Fraction

from leaderboard import ranking
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


def standing(matches: Sequence[tuple[int, int]]) -> tuple[Score, bytes]:
    """A contestant's score and sort key, from the share and the number of players of each match that counts."""
    total = sum(share for share, _ in matches)
    wins = sum(share == POINT for share, _ in matches)
    score: Score = {"points": points(total), "matches": len(matches), "wins": wins}
    if all(players == 2 for _, players in matches):
        losses = sum(share == 0 for share, _ in matches)
        score |= {"draws": len(matches) - wins - losses, "losses": losses}
    return score, ranking.pack((-total, len(matches)))


def _share(place: int, level: int, n: int) -> int:
    """The mean of (n - p) / (n - 1) over the places p that `level` players share from `place` on."""
    share = Fraction(POINT * sum(n - p for p in range(place, place + level)), level * (n - 1))
    assert share.denominator == 1
    return int(share)
