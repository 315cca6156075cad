"""Boards that are right, a beginning that ranks higher, and why one chain is above another."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.pages.hints import beginning, better_start, deciding, right_boards
from leaderboard.ranking import chain_key
from tests.api.conftest import CASES
from verifier import verify

EXPECTED = json.loads((CASES / "expected.json").read_text())
REJECTED = {name: CASES / name for name, verdict in EXPECTED.items() if not verdict["accepted"]}
chains = st.lists(st.integers(12, 14), min_size=20, max_size=24)


@pytest.mark.parametrize("name", REJECTED)
def test_the_boards_before_the_fault_are_right(name: str) -> None:
    data = REJECTED[name].read_bytes()
    verdict = verify(data).to_json()
    right = right_boards(data, verdict)
    before = verdict["error"].get("board", 0) - 1
    if right is None:
        assert before < 1 or verdict["puzzle"] != "jc-golden-nugget"
        return
    assert right.boards == before
    assert (right.score is None) == (before < 20)
    if right.score:
        assert right.score["boards"] == before


def test_some_case_has_enough_right_boards_in_text() -> None:
    data = (CASES / "valid" / "full-100-crlf.txt").read_bytes()
    cut = data[: data.rindex(b"position")]
    right = right_boards(cut, verify(cut).to_json())
    assert right
    assert right.score
    whole = verify(data).score
    assert whole
    assert right.score["moves_per_board"] == whole["moves_per_board"][:99]


@pytest.mark.parametrize(
    "name", ["mixed-37-comments.txt", "json-rows-25.json", "bom-crlf-tabs-20.txt", "best-200-full.txt"]
)
def test_a_beginning_is_a_record_of_its_own(name: str) -> None:
    data = (CASES / "valid" / name).read_bytes()
    whole = verify(data).score
    assert whole
    for boards in (20, whole["boards"] - 1):
        if 20 <= boards < whole["boards"]:
            score = verify(beginning(data, boards)).score
            assert score
            assert score["moves_per_board"] == whole["moves_per_board"][:boards]


@given(chains)
def test_no_beginning_ranks_above_the_one_that_is_named(moves: list[int]) -> None:
    best = better_start(moves) or len(moves)
    assert all(chain_key(moves[:best]) <= chain_key(moves[:boards]) for boards in range(20, len(moves) + 1))


@given(chains, chains)
def test_the_deciding_rule_agrees_with_the_order(one: list[int], two: list[int]) -> None:
    better, other = sorted((one, two), key=chain_key)
    found = deciding(better, other)
    assert (found.rule == "tie") == (chain_key(one) == chain_key(two))
    if found.rule in ("mean", "last"):
        assert found.first < found.second
    if found.rule == "mean":
        assert found.first * len(better) == sum(better) * found.denominator
        assert found.second * len(other) == sum(other) * found.denominator
    if found.rule == "boards":
        assert found.first > found.second
    if found.rule == "last":
        assert better[-1 - found.back] == found.first
        assert better[len(better) - found.back :] == other[len(other) - found.back :]
