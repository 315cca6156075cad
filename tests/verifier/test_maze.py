"""Maze against its rules, told again as plainly as they can be."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier import setup_of, steps, verify
from verifier.puzzles.maze import Maze
from verifier.rules import Header

RULES = Maze()
DEALS = st.integers(0, 2**53 - 1)
SPACES = st.integers(1, 54)
RANKS = "A23456789TJQ"

DEAL_1 = """\
8S AD 5H 7C 8D . 5D QC .
8C . JC AH . AS . 5S .
2D QD JD 4H 2S QS 6H 2H 3H
6S AC 7S 9H 3D 9D 3C JH TH
9C TD 9S 2C 5C JS 6C 3S 7D
TC 4C 7H QH 6D 4D 8H 4S TS"""
AFTER_TWO = """\
8S AD 5H 6H 8D . 5D QC 7C
8C . JC AH . AS . 5S .
2D QD JD 4H 2S QS . 2H 3H
6S AC 7S 9H 3D 9D 3C JH TH
9C TD 9S 2C 5C JS 6C 3S 7D
TC 4C 7H QH 6D 4D 8H 4S TS"""


def record(body: str, deal: int = 1) -> bytes:
    return f"puzzle: maze\ndeal: {deal}\n{body}".encode()


def fits(spaces: list[str], source: int, to: int) -> bool:
    """Whether the card of one space may go to another, both from 1."""
    card, there = spaces[source - 1], spaces[to - 1]
    if card == "." or there != ".":
        return False
    left = spaces[to - 2] if to > 1 else "edge"
    right = spaces[to] if to < 54 else "edge"
    rank = RANKS.index(card[0])
    return any(
        (
            rank > 0 and left == RANKS[rank - 1] + card[1],
            rank < 11 and right == RANKS[rank + 1] + card[1],
            card[0] == "A" and (left[0] == "Q" or to == 1),
            card[0] == "Q" and (right[0] == "A" or to == 54),
        )
    )


def points(spaces: list[str]) -> int:
    cards = [card for card in spaces if card != "."]
    deck = [rank + suit for suit in "CDHS" for rank in RANKS]
    found = int(cards[0][0] == "A")
    for before, card in pairwise(cards):
        if card[0] == "A":
            found += before[0] == "Q"
        else:
            found += before == deck[deck.index(card) - 1]
    return found


def test_the_worked_example() -> None:
    setup = setup_of("maze", "deal: 1")
    assert setup is not None
    assert setup.text == DEAL_1
    assert verify(record("")).score == {"points": 1, "moves": 0, "solved": False}
    assert verify(record("4-9")).score == {"points": 2, "moves": 1, "solved": False}
    assert verify(record("4-9 25-4")).score == {"points": 3, "moves": 2, "solved": False}
    cells = [cell for row in steps(record("4-9 25-4"))[-1].view.panels[0].rows for cell in row]
    assert [cell.label or "." for cell in cells] == AFTER_TWO.split()
    assert [cell.corner for cell in cells] == [str(space) for space in range(1, 55)]


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        ("25-1", "Space 25 is a gap: there is no card to move"),
        ("13-6", "AH doesn't fit space 6: it comes neither right after 8D nor right before 5D"),
        ("10-2", "Space 2 is not a gap: AD lies there"),
        ("4-4", "Space 4 is not a gap: 6H lies there"),
    ],
)
def test_an_illegal_move_is_explained(move: str, reason: str) -> None:
    error = verify(record(f"4-9 25-4 {move}")).error
    assert error is not None
    assert error.code == "illegal-move"
    assert error.places == {"move": 3, "line": 3, "column": 10}
    assert reason in error.message


@pytest.mark.parametrize("token", ["55-1", "0-3", "03-9", "7H-9", "4-", "-9", "4-9-4", "4_9", "4\u20119", "\u0664-9"])
def test_a_token_of_another_form_is_malformed(token: str) -> None:
    error = verify(record(token)).error
    assert error is not None
    assert (error.code, error.move) == ("malformed", 1)


@given(deal=DEALS, data=st.data())
def test_moves_and_points_are_as_the_plain_telling_has_them(deal: int, data: st.DataObject) -> None:
    state = RULES.start(Header(setup=setup_of("maze", f"deal: {deal}")))
    spaces = RULES.written(state.spaces).split()
    cards = sorted(spaces)
    played: list[str] = []
    for _ in range(data.draw(st.integers(0, 10))):
        legal = [f"{a}-{b}" for a in range(1, 55) for b in range(1, 55) if fits(spaces, a, b)]
        assert sorted(RULES.moves(state)) == sorted(legal)
        if not legal:
            break
        played.append(data.draw(st.sampled_from(legal)))
        state = RULES.play(state, played[-1])
        source, to = map(int, played[-1].split("-"))
        spaces[source - 1], spaces[to - 1] = ".", spaces[source - 1]
        assert RULES.written(state.spaces).split() == spaces
        assert sorted(spaces) == cards
    found = points(spaces)
    score = {"points": found, "moves": len(played), "solved": found == 48}
    assert verify(record(" ".join(played), deal)).score == score
    assert verify(json.dumps({"puzzle": "maze", "deal": deal, "moves": played}).encode()).score == score


@given(deal=DEALS, moves=st.lists(st.tuples(SPACES, SPACES), min_size=1, max_size=5))
def test_the_first_illegal_move_is_named(deal: int, moves: list[tuple[int, int]]) -> None:
    setup = setup_of("maze", f"deal: {deal}")
    spaces, legal = setup.text.split() if setup else [], 0
    while legal < len(moves) and fits(spaces, *moves[legal]):
        source, to = moves[legal]
        spaces[source - 1], spaces[to - 1] = ".", spaces[source - 1]
        legal += 1
    verdict = verify(record(" ".join(f"{source}-{to}" for source, to in moves), deal))
    if verdict.error:
        assert (verdict.error.code, verdict.error.move) == ("illegal-move", legal + 1)
    else:
        assert legal == len(moves)


@given(suits=st.permutations("CDHS"), gaps=st.sets(st.integers(0, 51), min_size=4, max_size=4))
def test_four_suits_in_order_are_48_points_wherever_the_gaps_are(suits: list[str], gaps: set[int]) -> None:
    cards = iter([rank + suit for suit in suits for rank in RANKS])
    spaces = ["." if at in gaps else next(cards) for at in range(52)]
    for space in (8, 17):
        spaces.insert(space, ".")
    assert points(spaces) == 48
    verdict = verify(f"puzzle: maze\nlayout:\n{' '.join(spaces)}".encode())
    assert verdict.score == {"points": 48, "moves": 0, "solved": True}


def test_more_points_rank_before_fewer_moves() -> None:
    assert RULES.key({"points": 30, "moves": 90, "solved": False}) < RULES.key(
        {"points": 29, "moves": 1, "solved": False}
    )
    assert RULES.key({"points": 30, "moves": 89, "solved": False}) < RULES.key(
        {"points": 30, "moves": 90, "solved": False}
    )


def test_the_refused_move_is_marked() -> None:
    verdict = verify(record("13-6"))
    assert verdict.view is not None
    assert [tuple(mark) for mark in verdict.view().panels[0].marks] == [(1, 3, "from"), (0, 5, "to")]
