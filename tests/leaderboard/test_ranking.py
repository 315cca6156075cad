"""Sort keys order as the rules do, on exact fractions, also where results tie."""

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard import ranking

chains = st.lists(st.integers(12, 99), min_size=20, max_size=200)
# Few values and lengths, so that equal means, equal lengths and equal chains are common.
alike = st.lists(st.sampled_from([20, 21]), min_size=20, max_size=24)
scaled = st.builds(
    lambda chain, n: chain * n, st.lists(st.sampled_from([14, 15]), min_size=20, max_size=22), st.integers(1, 9)
)


def rule(moves: list[int]) -> tuple[Fraction, int, list[int]]:
    """api/rules/jc-golden-nugget.md: lower mean, more boards, fewer moves on the last board, the last but one, ..."""
    return Fraction(sum(moves), len(moves)), -len(moves), moves[::-1]


@given(st.lists(chains | alike | scaled, min_size=2, max_size=12))
def test_the_bytes_of_a_chain_order_as_the_rule(found):
    assert sorted(found, key=ranking.chain_key) == sorted(found, key=rule)
    for one, other in pairwise(found):
        assert (ranking.chain_key(one) == ranking.chain_key(other)) == (rule(one) == rule(other))
        assert (ranking.chain_key(one) < ranking.chain_key(other)) == (rule(one) < rule(other))


def test_the_closest_means_there_are_have_different_keys():
    one, other = [15] * 199 + [16], [15] * 198 + [16]  # 15 + 1/200 and 15 + 1/199: 1/39,800 apart
    assert Fraction(sum(other), 199) - Fraction(sum(one), 200) == Fraction(1, 39_800)
    assert ranking.chain_key(one) < ranking.chain_key(other)


def test_a_longer_chain_of_the_same_mean_comes_first():
    assert ranking.chain_key([15] * 40) < ranking.chain_key([15] * 20)


def test_the_last_board_decides_before_the_first():
    assert ranking.chain_key([16] + [15] * 18 + [14]) < ranking.chain_key([14] + [15] * 18 + [16])


@pytest.mark.parametrize("moves", [[], [15] * 201, [15] * 19 + [256], [-1] * 20])
def test_what_does_not_fit_is_an_error(moves):
    with pytest.raises(OverflowError):
        ranking.chain_key(moves)


numbers = st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 3)


@given(st.tuples(numbers, numbers, numbers), st.tuples(numbers, numbers, numbers))
def test_packed_numbers_order_as_the_numbers_also_below_zero(one, other):
    assert (ranking.pack(one) < ranking.pack(other)) == (one < other)
    assert (ranking.pack(one) == ranking.pack(other)) == (one == other)
    assert ranking.unpack(ranking.pack(one)) == one


@pytest.mark.parametrize("part", [2**63, -(2**63) - 1])
def test_a_number_that_does_not_fit_is_an_error(part):
    with pytest.raises(OverflowError):
        ranking.pack([part])


def test_over_several_setups_more_solved_ones_come_first_then_the_sums():
    solved = {"points": 48, "moves": 90, "solved": True}, ranking.pack([-48, 90])
    close = {"points": 47, "moves": 9, "solved": False}, ranking.pack([-47, 9])
    one_solved = ranking.overall(*zip(solved, close, strict=True))
    none_solved = ranking.overall(*zip(close, close, close, strict=True))
    assert one_solved[0] == {"setups": 2, "solved": 1, "points": 95, "moves": 99}
    assert none_solved[0] == {"setups": 3, "solved": 0, "points": 141, "moves": 27}
    assert one_solved[1] < none_solved[1]
    assert ranking.overall(*zip(close, close, strict=True))[1] > none_solved[1]  # fewer points


def test_where_a_record_is_only_accepted_when_solved_each_counts_as_solved():
    assert ranking.overall([{"moves": 7}, {"moves": 5}], [ranking.pack([7]), ranking.pack([5])])[0] == {
        "setups": 2,
        "solved": 2,
        "moves": 12,
    }
