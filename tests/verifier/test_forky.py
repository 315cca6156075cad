"""Forky, as api/rules/forky.md tells it."""

import json
from collections.abc import Iterable
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.verifier.matches import accepted, error, history
from verifier import RULES, Film, setup_of, steps, verify
from verifier.games.forky import Forky

HEAD = "puzzle: forky\nplayers: Ann, Bob\n"
HANDS = "16 2\n26 35 14 13 05 03 23 06 04 56\n24 25 46 34 01 36 02 15 45 12\n"
MOVES = "63 30 25 56 pass 60 46"
SCORE = {"result": "0-1", "points": [39, 34], "turns": 7}

rules = RULES["forky"]
assert isinstance(rules, Forky)


def test_the_worked_example_as_text_and_as_json() -> None:
    text = verify(f"{HEAD}seed: 37\nresult: 0-1\nlayout:\n{HANDS}{MOVES}".encode())
    assert text.score == SCORE
    record = {"puzzle": "Forky", "layout": HANDS.split("\n")[:3], "seed": "37", "moves": [MOVES], "result": "0-1"}
    twin = verify(json.dumps(record).encode())
    assert (twin.score, twin.play, twin.setup) == (text.score, text.play, text.setup)
    assert verify(f"{HEAD}seed: 37\n{MOVES}".encode()).play == text.play


def test_a_hand_is_the_same_in_any_order_and_either_way_round() -> None:
    turned = "61 2\n62 35 41 13 50 30 56 32 06 04\n24 25 46 34 01 36 02 15 45 21\n"
    assert setup_of("forky", f"layout:\n{turned}") == setup_of("forky", f"seed: 37\nlayout:\n{HANDS}")


@pytest.mark.parametrize(
    ("setup", "place"),
    [
        ("seed: 37\nlayout:\n14 2\n26 35 16 13 05 03 23 06 04 56\n24 25 46 34 01 36 02 15 45 12\n", (5, 1)),
        ("seed: 37\nlayout:\n16 1\n26 35 14 13 05 03 23 06 04 56\n24 25 46 34 01 36 02 15 45 12\n", (5, 4)),
        ("seed: 37\nlayout:\n16 2\n62 35 24 13 05 03 23 06 04 56\n14 25 46 34 01 36 02 15 45 12\n", (6, 7)),
    ],
)
def test_a_layout_that_is_not_the_seeds_is_refused_at_its_first_wrong_entry(setup: str, place: tuple[int, int]) -> None:
    assert error(f"{HEAD}{setup}{MOVES}") == ("wrong-draw", None, *place)


@pytest.mark.parametrize(
    ("layout", "code", "place"),
    [
        (HANDS.replace("23", "27"), "malformed", (5, 19)),
        (HANDS.replace("16 2", "16 0"), "malformed", (4, 4)),
        (HANDS.replace("16 2", "16 12"), "malformed", (4, 4)),
        (HANDS.replace("23", "33"), "bad-layout", (5, 19)),
        (HANDS.replace("23", "61"), "bad-layout", (5, 19)),
        (HANDS.replace("12\n", "12 12\n"), "malformed", (6, 31)),
        (HANDS.replace(" 12\n", "\n"), "bad-layout", (7, 1)),  # the next line is read for the entry that is missing
    ],
)
def test_layouts_that_are_refused(layout: str, code: str, place: tuple[int, int]) -> None:
    assert error(f"{HEAD}layout:\n{layout}63 30 25") == (code, None, *place)


@pytest.mark.parametrize(
    ("moves", "code", "move", "column"),
    [
        ("", "not-finished", 1, 28),  # at the layout's last entry
        ("63 30 25 56 pass 60", "not-finished", 7, 18),
        ("26", "illegal-move", 1, 1),  # Ann holds it, Bob is on turn
        ("66", "illegal-move", 1, 1),
        ("36", "illegal-move", 1, 1),  # the other way round
        ("46", "illegal-move", 1, 1),  # does not join
        ("pass", "illegal-move", 1, 1),
        ("64", "illegal-move", 1, 1),  # even, odd is due
        ("7", "malformed", 1, 1),
        ("633", "malformed", 1, 1),
        ("67", "malformed", 1, 1),
        ("６３", "malformed", 1, 1),  # noqa: RUF001 - wide digits are none
        ("63 30 25 56 54", "illegal-move", 5, 13),  # a pass is due
        (f"{MOVES} pass", "illegal-move", 8, 24),
        ("resigns resigns", "illegal-move", 1, 9),
        ("63 pass!", "malformed", 2, 4),
    ],
)
def test_what_is_forbidden(moves: str, code: str, move: int, column: int) -> None:
    line = 7 if moves else 6
    assert error(f"{HEAD}layout:\n{HANDS}{moves}") == (code, move, line, column)


@settings(max_examples=15)
@given(deal=st.integers(0, 2**53 - 1), seed=st.integers(0, 2**32))
def test_what_is_listed_is_what_is_accepted(deal: int, seed: int) -> None:
    for state in history(rules, f"puzzle: forky\ndeal: {deal}\n", seed)[:-1]:
        tokens = ["pass", *(f"{a}{b}" for a in range(7) for b in range(7))]
        assert accepted(rules, state, tokens) == sorted(rules.moves(state))


def told(hand: Iterable[str], open: str, odd: bool) -> set[str]:
    """The stones that fit once more, as the rules file words it."""
    fitting = set()
    for held in hand:
        for joins, opens in (held, held[::-1]):
            if (joins == open or open == "0") and (opens == "0" or (opens in "135") == odd):
                fitting.add(joins + opens)
    return fitting


@settings(max_examples=15)
@given(deal=st.integers(0, 2**53 - 1), seed=st.integers(0, 2**32))
def test_a_match_goes_as_the_rules_told_again_say(deal: int, seed: int) -> None:
    *before, last = history(rules, f"puzzle: forky\ndeal: {deal}\n", seed)
    odd = last.train[0][1] in "246"
    for state, after in pairwise((*before, last)):
        fitting = [told(hand, state.train[-1][1], odd) for hand in state.hands]
        assert any(fitting), "a blocked match goes on"
        assert set(rules.moves(state)) == (fitting[state.seat] or {"pass"})
        assert after.seat == 1 - state.seat
        odd ^= after.train != state.train
    assert not all(last.hands) or not any(told(hand, last.train[-1][1], odd) for hand in last.hands)
    stones = [*last.train, *last.hands[0], *last.hands[1]]
    assert len({frozenset(stone) for stone in stones}) == len(stones) == 21
    out = [seat for seat in (0, 1) if not last.hands[seat]]
    points = rules.points(last)
    assert points == [sum(int(half) for stone in hand for half in stone) for hand in last.hands]
    if out:
        assert last.result == ("1-0", "0-1")[out[0]]
    else:
        assert last.result == ("1-0" if points[0] < points[1] else "0-1" if points[1] < points[0] else "1/2-1/2")


def test_the_picture_shows_both_hands_and_the_train() -> None:
    *_, last = steps(f"{HEAD}layout:\n{HANDS}{MOVES}".encode())
    ann, train, bob = last.view.panels
    assert (ann.title, bob.title) == ("Ann", "Bob")
    assert "".join(cell.label for row in train.rows for cell in row) == "166330" + "25566046"
    held = sorted(top.label + bottom.label for top, bottom in zip(*bob.rows, strict=True))
    assert " ".join(held) == "   01 02 12 15 24 34 45"


def test_a_name_of_any_length_fills_no_message_and_no_picture() -> None:
    record = f"puzzle: forky\nplayers: {'A' * 100_000}, {chr(0) * 100_000}\nseed: 37\n66".encode()
    found = verify(record).error
    assert found
    assert len(found.message) < 400
    assert "\0" not in found.message
    assert len(str(steps(record)[0].view)) < 2000
    shown = Film(record).show()
    assert [len(name) for name in shown.players] == [40, 6 * 39 + 1]
