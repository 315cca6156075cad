"""Dominate, as api/rules/dominate.md tells it."""

import json
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.verifier.matches import error, history, judged
from verifier import RULES, setup_of, steps, verify
from verifier.games.dominate import Dominate

HEAD = "puzzle: dominate\nplayers: Ann, Bob\n"
HANDS = "06 26 34 24 13 25 14 36 35\n56 45 02 04 15 01 16 12 05\n"
MOVES = "c5d5=25 e2f2=51 a3a4=26 a5b5=04 e1f1=13 e4f4=02 b2c2=36 b6c6=05 a1b1=42 d6e6=16 b3c3=14"

rules = RULES["dominate"]
assert isinstance(rules, Dominate)


def test_the_worked_example_as_text_and_as_json() -> None:
    text = verify(f"{HEAD}seed: 53\nresult: 1-0\nlayout:\n{HANDS}{MOVES}".encode())
    assert text.score == {"result": "1-0", "points": [6, 5], "turns": 11}
    twin = verify(json.dumps({"puzzle": "dominate", "seed": "53", "moves": [MOVES.upper()]}).encode())
    assert (twin.score, twin.play, twin.setup) == (text.score, text.play, text.setup)


def test_a_tile_may_be_named_from_either_end() -> None:
    turned = " ".join(f"{t[2:4]}{t[:2]}={t[6]}{t[5]}" for t in MOVES.split())
    first, second = (verify(f"{HEAD}seed: 53\n{moves}".encode()) for moves in (MOVES, turned))
    assert second.score
    assert (first.score, first.play) == (second.score, second.play)


def test_a_hand_is_the_same_in_any_order_and_either_way_round() -> None:
    turned = "60 62 43 24 31 25 14 35 36\n05 45 20 04 51 01 16 12 56\n"
    assert setup_of("dominate", f"layout:\n{turned}") == setup_of("dominate", f"seed: 53\nlayout:\n{HANDS}")


@pytest.mark.parametrize(
    ("layout", "code", "place"),
    [
        (HANDS.replace("06 ", "05 ", 1).replace("12 05", "12 06"), "wrong-draw", (5, 1)),
        (HANDS.replace("35\n", "03\n"), "wrong-draw", (5, 25)),
        (HANDS.replace("35\n", "37\n"), "malformed", (5, 25)),
        (HANDS.replace("35\n", "55\n"), "bad-layout", (5, 25)),
        (HANDS.replace("35\n", "60\n"), "bad-layout", (5, 25)),
        (HANDS.replace("05\n", "05 03\n"), "malformed", (6, 28)),
        (HANDS.replace(" 05\n", "\n"), "malformed", (7, 1)),
    ],
)
def test_layouts_that_are_refused(layout: str, code: str, place: tuple[int, int]) -> None:
    assert error(f"{HEAD}seed: 53\nlayout:\n{layout}{MOVES}") == (code, None, *place)


@pytest.mark.parametrize(
    ("moves", "code", "move"),
    [
        ("c5d5=25", "not-finished", 2),
        ("c5d5=56", "illegal-move", 1),  # Bob's tile
        ("c5d5=22", "illegal-move", 1),
        ("c5d6=25", "illegal-move", 1),
        ("c5c5=25", "illegal-move", 1),
        ("c5e5=25", "illegal-move", 1),
        ("f1g1=25", "illegal-move", 1),
        ("f6f7=25", "illegal-move", 1),
        ("f6f" + "7" * 5000 + "=25", "illegal-move", 1),
        ("c5d5=25 d5e5=04", "illegal-move", 2),
        ("c5d5=25 a5b5=02", "illegal-move", 2),
        ("pass", "malformed", 1),
        ("c5d5=27", "malformed", 1),
        ("c0d0=25", "malformed", 1),
        ("c05d05=25", "malformed", 1),
        ("c5d5=2", "malformed", 1),
        ("c5d5", "malformed", 1),
        ("resigns c5d5=25", "illegal-move", 1),
        (f"{MOVES} f5f6=45", "illegal-move", 12),
    ],
)
def test_what_is_forbidden(moves: str, code: str, move: int) -> None:
    column = moves.rfind(" ") + 2
    assert error(f"{HEAD}layout:\n{HANDS}{moves}") == (code, move, 6, column)


@settings(max_examples=6)
@given(deal=st.integers(0, 2**53 - 1), seed=st.integers(0, 2**32), data=st.data())
def test_what_is_listed_is_what_is_accepted(deal: int, seed: int, data: st.DataObject) -> None:
    state = data.draw(st.sampled_from(history(rules, f"puzzle: dominate\ndeal: {deal}\n", seed)[:-1]))
    shown = {
        (column, row): tile.numbers[end]
        for tile in state.laid
        for end, (column, row) in enumerate((tile.token[:2], tile.token[2:4]))
    }
    squares = list(product("abcdef", "123456"))
    accepted, fitting = set(), set()
    for (c1, r1), (c2, r2) in product(squares, squares):
        if abs(ord(c1) - ord(c2)) + abs(int(r1) - int(r2)) != 1 or c1 + r1 > c2 + r2:
            continue
        for tile in sorted(state.hands[len(state.laid) % 2]):
            for numbers in (tile, tile[::-1]):
                after = shown | {(c1, r1): numbers[0], (c2, r2): numbers[1]}
                lines = [[n for at, n in after.items() if at[k] == line] for k in (0, 1) for line in "abcdef123456"]
                if len(after) == len(shown) + 2 and all(len(set(line)) == len(line) for line in lines):
                    fitting.add(f"{c1}{r1}{c2}{r2}={numbers}")
                if judged(rules, state, f"{c1}{r1}{c2}{r2}={numbers}") == "accepted":
                    accepted.add(f"{c1}{r1}{c2}{r2}={numbers}")
    assert accepted == fitting == set(rules.moves(state))


@settings(max_examples=20)
@given(deal=st.integers(0, 2**53 - 1), seed=st.integers(0, 2**32))
def test_who_can_not_lay_a_tile_has_lost(deal: int, seed: int) -> None:
    *_, last = history(rules, f"puzzle: dominate\ndeal: {deal}\n", seed)
    laid = len(last.laid)
    assert rules.points(last) == [(laid + 1) // 2, laid // 2]
    assert last.result == ("1/2-1/2" if laid == 18 else ("0-1", "1-0")[laid % 2])
    assert laid == 18 or not rules.moves(last)


def test_the_picture_shows_the_grid_and_both_hands() -> None:
    *_, last = steps(f"{HEAD}layout:\n{HANDS}{MOVES}".encode())
    ann, grid, bob = last.view.panels
    assert ["".join(cell.label or "." for cell in row) for row in grid.rows] == [
        ".0516.", "0425..", "6...02", "214...", ".36.51", "42..13",
    ]  # fmt: skip
    assert ["".join(cell.label or "." for cell in row) for row in (*ann.rows, *bob.rows)] == [
        "033......", "645......", "0145.....", "1256.....",
    ]  # fmt: skip
