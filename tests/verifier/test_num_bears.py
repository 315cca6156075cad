"""Num Bears, as api/rules/num-bears.md tells it."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.test_playouts import start
from verifier import RULES, Rejected, setup_of, verify
from verifier.games.num_bears import BOARD, NumBears, State, worth

EXAMPLE = """
    i1+j10 a1 d1+i10 b10+f10 g10+i2 f1+h10 g1+i9 b1+i8 a2+h9 f2+g9
    d2+g2 a10+j9 i3+j1 d10+e1 a3+a9 e10+i4 g3+j8 a8+i5 a4+e9 i7+j2
    b2+g4 f3+i6 d9+f4 a7+e2 b3+f5 c10+j3 b4+c9 c1 d3+f6 b5+b9
    g5+g8 f7+j7 a6+d4 f8 a5+c8 c2 d8+j4 c7+j6 c3+d5 d6+d7
    b6+f9 c6+e8 g6 b8+g7 e3+h1 c5+e4 c4 pass e5+h2 e6+j5
"""
TOLD = {1: (20, 0), 2: (20, 10), 3: (22, 10), 4: (22, 12), 5: (42, 12), 47: (290, 242), 48: (290, 242), 49: (300, 242)}
"""Points after the turns that the rules' table shows."""

rules = RULES["num-bears"]
assert isinstance(rules, NumBears)


def played(deal: int, seed: int, most: int) -> tuple[list[str], State]:
    """A random match, up to that many turns of it."""
    draw, state, tokens = random.Random(seed), start(rules, f"puzzle: num-bears\ndeal: {deal}\n"), []
    while not state.result and len(tokens) < most:
        tokens.append(draw.choice(rules.moves(state)))
        state = rules.play(state, tokens[-1])
    return tokens, state


def error(turns: str, deal: int = 40) -> tuple[str, int | None]:
    found = verify(f"puzzle: num-bears\ndeal: {deal}\n{turns}".encode()).error
    assert found
    return found.code, found.move


def test_the_worked_example() -> None:
    state = start(rules, "puzzle: num-bears\ndeal: 40\n")
    for turn, token in enumerate(EXAMPLE.split(), 1):
        state = rules.play(state, token)
        assert turn not in TOLD or state.points == TOLD[turn]
    verdict = verify(f"puzzle: num-bears\nplayers: Ann, Bob\ndeal: 40\nresult: 1-0\n{EXAMPLE}".encode())
    assert verdict.score == {"result": "1-0", "points": [300, 252], "turns": 50}


def test_the_deal_that_the_rules_show() -> None:
    setup = setup_of("num-bears", "deal: 40")
    assert setup
    rows = setup.text.splitlines()
    assert (rows[0], rows[-1]) == ("3 1 1 6 8 1 0 6 1 5", "0 0 0 1 4 6 4 2 5 3")


@pytest.mark.parametrize(
    ("digits", "points"), [([9, 1], 10), ([6, 6], 12), ([0, 0], 20), ([0], 10), ([5, 5], 20), ([1, 1], 2)]
)
def test_what_tiles_are_worth(digits: list[int], points: int) -> None:
    assert worth(digits) == points


@settings(max_examples=20)
@given(deal=st.integers(0, 2**53 - 1), seed=st.integers(0, 2**32), most=st.integers(0, 55))
def test_what_is_accepted_is_what_the_rules_say(deal: int, seed: int, most: int) -> None:
    """Told a second time, from the tiles that are left and nothing else."""
    tokens, state = played(deal, seed, most)
    if state.result:
        return
    left = dict(zip(BOARD.names, state.setup, strict=True))
    for token in tokens:
        for square in token.split("+") if token != "pass" else ():
            del left[square]
    south, north = (
        {square for square in left if not any(f"{square[0]}{rank}" in left for rank in covering(int(square[1:])))}
        for covering in (lambda rank: range(1, rank), lambda rank: range(rank + 1, 11))
    )
    own = south if len(tokens) % 2 == 0 else north
    expected = {square for square in south | north if left[square] == 0}
    for first in own:
        for second in (south | north) - {first}:
            if left[first] == left[second] or left[first] + left[second] == 10:
                expected |= {f"{first}+{second}", f"{second}+{first}"}
    every = ["pass", *BOARD.names, *(f"{one}+{two}" for one in BOARD.names for two in BOARD.names)]
    assert {token for token in every if accepts(state, token)} == (expected or {"pass"})
    assert {spelling for token in rules.moves(state) for spelling in both_ways(token)} == (expected or {"pass"})


def accepts(state: State, token: str) -> bool:
    try:
        rules.play(state, token)
    except Rejected as refused:
        return refused.code != "illegal-move"
    return True


def both_ways(token: str) -> set[str]:
    return {token, "+".join(reversed(token.split("+")))}


@settings(max_examples=20)
@given(deal=st.integers(0, 2**53 - 1), seed=st.integers(0, 2**32))
def test_a_match_ends_when_nobody_can_take_anything_and_points_decide(deal: int, seed: int) -> None:
    tokens, state = played(deal, seed, 500)
    assert tokens[-1] != "pass"
    assert len(tokens) <= 200
    points = state.points
    assert state.result == ("1/2-1/2" if points[0] == points[1] else "1-0" if points[0] > points[1] else "0-1")


@settings(max_examples=20)
@given(deal=st.integers(0, 2**53 - 1), seed=st.integers(0, 2**32))
def test_the_order_within_a_pair_makes_no_other_play(deal: int, seed: int) -> None:
    tokens, _ = played(deal, seed, 500)
    turned = ["+".join(reversed(token.split("+"))) for token in tokens]
    plays = {verify(f"puzzle: num-bears\ndeal: {deal}\n{' '.join(form)}".encode()).play for form in (tokens, turned)}
    assert len(plays) == 1
    assert None not in plays


@pytest.mark.parametrize(
    "token", ["a1+", "+a1", "a1+b1+c1", "a0", "a01", "a11", "k1", "a", "11", "a1+k1", "a1xb1", "0"]
)
def test_a_token_of_another_form_is_malformed(token: str) -> None:
    assert error(token) == ("malformed", 1)


@pytest.mark.parametrize(
    ("turns", "why"),
    [
        ("pass", "there is something to take"),
        ("j1", "a 3 alone"),
        ("a1+a1", "the same tile twice"),
        ("a1+d1", "0 and 1"),
        ("b10+f10", "both on the other side only"),
        ("e5", "covered both ways"),
        ("a1 a1", "gone"),
        ("resigns a1", "after the end"),
        (EXAMPLE.replace("pass", "b7"), "only pass is left"),
        (EXAMPLE + "pass", "after the end"),
    ],
)
def test_what_is_forbidden(turns: str, why: str) -> None:
    assert error(turns)[0] == "illegal-move", why


def test_who_is_on_turn_and_resigns_has_lost() -> None:
    for count in range(50):
        verdict = verify(f"puzzle: num-bears\ndeal: 40\n{' '.join(EXAMPLE.split()[:count])} resigns".encode())
        assert verdict.score
        assert (verdict.score["result"], verdict.score["turns"]) == (("0-1", "1-0")[count % 2], count)


@pytest.mark.parametrize(
    ("entries", "code"), [("1 10", "malformed"), ("1 x", "malformed"), ("1" + " 1" * 10, "bad-layout")]
)
def test_an_entry_of_a_layout_that_cannot_be_is_named(entries: str, code: str) -> None:
    found = verify(f"puzzle: num-bears\nlayout:\n{entries}\n".encode()).error
    assert found
    assert (found.code, found.line, found.column) == (code, 3, entries.rindex(" ") + 2)
