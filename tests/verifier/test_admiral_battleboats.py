"""Admiral Battleboats, as api/rules/admiral-battleboats.md tells it."""

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.verifier.matches import error
from verifier import setup_of, steps, verify

HEAD = "puzzle: admiral-battleboats\nplayers: Ann, Bob\nlayout:\n"
ANN = "a1-e1 a3-e3 a5-e5 a7-d7 a9-c9 a11-c11 a13-c13 a15-c15 g1-g3 g5-g7 @a9\n"
BOB = "a1-a5 b1-b5 c1-c5 d1-d4 e1-e3 f1-f3 g1-g3 h1-h3 i1-i3 j1-j3 @e2\n"
FLEETS = ANN + BOB
MOVES = """a1/a2/a3/a4/a5>a1
k1/l1/m1/n1/o1/k2/l2/m2/n2/o2>b3
b1/b2/b3/b4/b5/c1/c2/c3/c4/c5/d1+d2/d3/d4
k3/l3/m3/n3/o3/e4
e1/e2/e3/f1/f2/f3/g1/g2/g3/h1/h2+h3/i1/i2"""
FIRST, SECOND, THIRD, FOURTH, _ = MOVES.split("\n")
SQUARES = [f"{column}{row}" for column in "abcdefghijklmno" for row in range(1, 16)]

Fleet = list[list[str]]


def placed(draw: random.Random) -> Fleet:
    """Ten ships somewhere: three of 5 squares, one of 4, six of 3."""
    ships: Fleet = []
    for length in (5, 5, 5, 4, 3, 3, 3, 3, 3, 3):
        while True:
            across, column, row = draw.random() < 0.5, draw.randrange(15), draw.randrange(1, 16)
            steps = [(column + i * across, row + i * (not across)) for i in range(length)]
            ship = [f"{'abcdefghijklmno'[c]}{r}" for c, r in steps if c < 15 and r < 16]
            if len(ship) == length and not any(square in other for other in ships for square in ship):
                ships.append(ship)
                break
    return ships


def laid(draw: random.Random, fleet: Fleet, admiral: int) -> str:
    """The fleet as a layout has it, in any order and from either end."""
    ends = [draw.choice([f"{ship[0]}-{ship[-1]}", f"{ship[-1]}-{ship[0]}"]) for ship in fleet]
    return f"{' '.join(draw.sample(ends, 10))} @{draw.choice(fleet[admiral])}\n"


class Side:
    """A player, told as plainly as it can be."""

    def __init__(self, draw: random.Random):
        self.fleet = placed(draw)
        self.admiral = draw.choice([0, 1, 2, 4, 5, 6, 7, 8, 9])
        self.alive = True
        self.hit: set[str] = set()

    def afloat(self) -> list[int]:
        return [number for number, ship in enumerate(self.fleet) if not set(ship) <= self.hit]

    def normal(self) -> int:
        return sum(2 if len(self.fleet[number]) == 4 else 1 for number in self.afloat())

    def bonus(self) -> int:
        self.alive = self.alive and self.admiral in self.afloat()
        return 0 if not self.alive else 3 if len(self.fleet[self.admiral]) == 5 else 1


def match(seed: int, aimed: float) -> tuple[str, list[str], str, list[int]]:
    """A random match, of which a part of the shots is aimed: the layout, the turns, the result, both strengths."""
    draw = random.Random(seed)
    sides = [Side(draw), Side(draw)]
    layout = "".join(laid(draw, side.fleet, side.admiral) for side in sides)
    turns: list[str] = []
    while True:
        seat = len(turns) % 2
        own, other = sides[seat], sides[1 - seat]
        free = [square for square in SQUARES if square not in other.hit]
        draw.shuffle(free)
        ships = {square for ship in other.fleet for square in ship}
        free.sort(key=lambda square: square in ships and draw.random() < aimed, reverse=True)
        shots = own.normal() - (0 if turns else 6)
        normal, rest = free[:shots], free[shots:]
        draw.shuffle(normal)
        fired, token = normal, "/".join(normal)
        choice = draw.random()
        goals = [n for n in own.afloat() if len(own.fleet[n]) != 4 and n != own.admiral]
        if choice < 0.5 and own.bonus() and turns and rest:
            bonus = rest[: own.bonus()]
            fired, token = normal + bonus, f"{token}+{'/'.join(bonus)}"
        elif choice > 0.8 and own.bonus() and goals:
            own.admiral = draw.choice(goals)
            token += f">{draw.choice(own.fleet[own.admiral])}"
        turns.append(token)
        other.hit.update(fired)
        strengths = [side.normal() + side.bonus() for side in sides]
        if strengths[1 - seat] <= 2:
            return layout, turns, ("1-0", "0-1")[seat], strengths


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32), aimed=st.sampled_from([0.0, 0.3, 1.0]))
def test_a_random_match_ends_when_a_side_has_two_shots_left(seed: int, aimed: float) -> None:
    layout, turns, result, strengths = match(seed, aimed)
    text = verify(f"{HEAD}{layout}result: {result}\n{' '.join(turns)}".encode())
    assert text.score == {"result": result, "points": strengths, "turns": len(turns)}
    record = {"puzzle": "admiral-battleboats", "layout": [layout], "moves": turns, "result": result}
    twin = verify(json.dumps(record).encode())
    assert (twin.score, twin.play, twin.setup) == (text.score, text.play, text.setup)
    assert error(f"{HEAD}{layout}{' '.join(turns[:-1])}")[:2] == ("not-finished", len(turns))
    for more in (turns[-1], "resigns", "?"):
        assert error(f"{HEAD}{layout}{' '.join(turns)} {more}")[:2] == ("illegal-move", len(turns) + 1)


def test_the_worked_example() -> None:
    verdict = verify(f"{HEAD}{FLEETS}result: 1-0\n\n{MOVES}".encode())
    assert verdict.score == {"result": "1-0", "points": [14, 2], "turns": 5}


def test_a_fleet_is_the_same_in_any_order_and_a_turn_in_any_order_of_its_shots() -> None:
    ann = "g7-g5 e1-a1 a3-e3 a5-e5 a9-c9 a7-d7 a11-c11 a13-c13 a15-c15 g1-g3 @c9\n"
    assert setup_of("admiral-battleboats", f"layout:\n{ann}{BOB}") == setup_of(
        "admiral-battleboats", f"layout:\n{FLEETS}"
    )
    assert setup_of("admiral-battleboats", f"layout:\n{FLEETS}") != setup_of(
        "admiral-battleboats", f"layout:\n{BOB}{ANN}"
    )
    moves = MOVES.replace("a1/a2/a3/a4/a5>a1", "a5/a2/a3/a4/a1>e1").replace("h3/i1/i2", "i2/h3/i1")
    one, other = (verify(f"{HEAD}{text}".encode()) for text in (FLEETS + MOVES, ann + BOB + moves))
    assert other.score
    assert (one.score, one.play) == (other.score, other.play)
    moved = verify(f"{HEAD}{FLEETS}{MOVES.replace('>a1', '>a3')}".encode())
    assert moved.score == one.score
    assert moved.play != one.play


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("a3-e3", "a3", "malformed"),
        ("a3-e3", "a0-e0", "malformed"),
        ("a3-e3", "a03-e3", "malformed"),
        ("a3-e3", "a3:e3", "malformed"),
        ("a3-e3", "@a1", "bad-layout"),  # a ship is due
        ("a3-e3", "a3-e4", "bad-layout"),
        ("a3-e3", "a3-b4", "bad-layout"),
        ("a3-e3", "a3-f3", "bad-layout"),
        ("a3-e3", "a3-a3", "bad-layout"),
        ("a3-e3", "a3-b3", "bad-layout"),
        ("a3-e3", "l3-p3", "bad-layout"),
        ("a3-e3", "a12-a16", "bad-layout"),
        ("a3-e3", "a3-e" + "9" * 5000, "bad-layout"),
        ("a3-e3", "e1-e5", "bad-layout"),  # crosses a1-e1
        ("a7-d7", "a7-e7", "bad-layout"),  # a fourth carrier
        ("a9-c9", "a9-d9", "bad-layout"),  # a second submarine
        ("@a9", "@a7", "bad-layout"),
        ("@a9", "@o15", "bad-layout"),
        ("@a9", "@z99", "bad-layout"),
        ("@a9", "@a", "malformed"),
        ("@a9", "a9", "malformed"),
        ("@a9", "h8-l8", "bad-layout"),  # the admiral is due
    ],
)
def test_fleets_that_are_refused(old: str, new: str, code: str) -> None:
    fleet = ANN.replace(old, new)
    assert error(f"{HEAD}{fleet}{BOB}{MOVES}") == (code, None, 4, fleet.rindex(new) + 1)


def test_two_fleets_are_due_and_nothing_else() -> None:
    assert error(f"{HEAD}{FLEETS}".replace("@e2", "@e2 a1-a5")) == ("malformed", None, 5, len(BOB) + 1)
    assert error(f"{HEAD}{ANN}") == ("malformed", None, 4, ANN.index("@") + 1)
    assert error("puzzle: admiral-battleboats\n\nresigns") == ("unknown-deal", None, 1, 1)
    assert error(f"puzzle: admiral-battleboats\nseed: 1\nlayout:\n{FLEETS}{MOVES}") == ("malformed", None, 2, 1)


@pytest.mark.parametrize(
    ("moves", "code"),
    [
        ("a1/a2/a3/a4/a5/a6", "illegal-move"),  # the destroyers do not fire yet
        ("a1/a2/a3/a4", "illegal-move"),
        ("a1/a2/a3/a4/a5+a6", "illegal-move"),
        ("a1/a2/a3/a4/a1", "illegal-move"),
        ("a1/a2/a3/a4/p1", "illegal-move"),
        ("a1/a2/a3/a4/a16", "illegal-move"),
        ("a1/a2/a3/a4/a" + "9" * 5000, "illegal-move"),
        ("a1/a2/a3/a4/a5>a9", "illegal-move"),  # he is there
        ("a1/a2/a3/a4/a5>a7", "illegal-move"),
        ("a1/a2/a3/a4/a5>o15", "illegal-move"),
        ("a1/a2/a3/a4/a5>z99", "illegal-move"),
        ("a1/a2/a3/a4/a0", "malformed"),
        ("a1/a2/a3/a4/a05", "malformed"),
        ("a1/a2/a3/a4/a5>", "malformed"),
        ("a1/a2/a3/a4/a5+", "malformed"),
        ("a1/a2/a3/a4/a5+a6>a1", "malformed"),
        ("a1/a2/a3/a4/a5>a1/a3", "malformed"),
        ("a1//a2/a3/a4/a5", "malformed"),
        (">a1", "malformed"),
        ("pass", "malformed"),
        (f"{FIRST} k1/l1/m1/n1/o1/k2/l2/m2/n2/o2/k3", "illegal-move"),  # a carrier is sunk
        (f"{FIRST} k1/l1/m1/n1/o1/k2/l2/m2/n2/o2+k3/l3", "illegal-move"),  # one bonus shot on a destroyer
        (f"{FIRST} k1/l1/m1/n1/o1/k2/l2/m2/n2/o2>a1", "illegal-move"),  # sunk
        (f"{FIRST} {SECOND} a1/b2/b3/b4/b5/c1/c2/c3/c4/c5/d1", "illegal-move"),
        (f"{FIRST} {SECOND} {THIRD} {FOURTH}+f4", "illegal-move"),  # the admiral is dead
        (f"{FIRST} {SECOND} {THIRD} {FOURTH}>e1", "illegal-move"),
        (f"{FIRST} {SECOND} {THIRD} {FOURTH}", "not-finished"),
    ],
)
def test_what_is_forbidden(moves: str, code: str) -> None:
    move = len(moves.split()) + (code == "not-finished")
    assert error(HEAD + FLEETS + moves) == (code, move, 6, moves.rfind(" ") + 2)


def test_who_resigns_has_lost_with_the_strengths_of_then() -> None:
    scores = [verify(f"{HEAD}{FLEETS}{moves}resigns".encode()).score for moves in ("", f"{FIRST} ")]
    assert scores == [
        {"result": "0-1", "points": [12, 12], "turns": 0},
        {"result": "1-0", "points": [14, 11], "turns": 1},
    ]


def test_the_picture_shows_both_seas() -> None:
    positions = [step.view for step in steps((HEAD + FLEETS + MOVES).encode())]
    ann, bob = positions[1].panels
    assert (ann.title, bob.title) == ("Ann", "Bob")
    assert [row[0].kind for row in bob.rows] == [""] * 10 + ["sunk"] * 5
    assert {mark.column for mark in bob.marks} == {0}
    assert not ann.marks
    assert sum(cell.kind == "ship" for row in ann.rows for cell in row) == 37
    assert [cell.underlined for cell in ann.rows[14][:6]] == [True] * 5 + [False]  # the admiral is on a1-e1
    assert positions[3].notes[1] == "Bob: 6 shots a turn; the admiral is dead."
