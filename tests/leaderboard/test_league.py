"""What a match is worth, exactly."""

from fractions import Fraction
from itertools import product

import pytest

from leaderboard.points import POINT, points, shares


@pytest.mark.parametrize(
    ("result", "worth"),
    [
        ("1-0", ["1", "0"]),
        ("0-1", ["0", "1"]),
        ("1/2-1/2", ["1/2", "1/2"]),
        ([2, 1, 3], ["1/2", "1", "0"]),
        ([1, 1, 3], ["3/4", "3/4", "0"]),
        ([1, 2, 2], ["1", "1/4", "1/4"]),
        ([1, 1, 1, 1], ["1/2", "1/2", "1/2", "1/2"]),
        ([1, 2, 2, 2, 5], ["1", "1/2", "1/2", "1/2", "0"]),
    ],
)
def test_a_point_is_shared_by_places(result: str | list[int], worth: list[str]) -> None:
    assert [points(share) for share in shares(result)] == worth


@pytest.mark.parametrize("n", range(2, 11))
def test_each_share_is_whole_and_a_match_is_worth_half_a_point_to_each_player_on_average(n: int) -> None:
    """For every way in which up to ten players can be level."""
    for ties in product((False, True), repeat=n - 1):
        places = [1]
        for place, tied in enumerate(ties, 2):
            places.append(places[-1] if tied else place)
        found = shares(places)
        assert sum(found) == POINT * n // 2
        assert found == sorted(found, reverse=True)
        for place, share in zip(places, found, strict=True):
            level = range(place, place + places.count(place))
            assert Fraction(share, POINT) == Fraction(sum(n - p for p in level), len(level) * (n - 1))
