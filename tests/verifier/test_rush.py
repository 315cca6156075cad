"""Rush, as its rules file tells it."""

import json
import random
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.test_playouts import start
from tests.verifier.matches import fault
from verifier import Rejected, verify
from verifier.games.rush import Rush, State, placements

RULES = Rush()
EXAMPLE = "c2 c3 b3 b2+a1 c1 a3 b1+a2"
Stones = dict[tuple[int, int], int]
"""The stones of a board, by column and row from 0: the seat of each."""


def test_the_worked_example() -> None:
    assert verify(f"puzzle: rush\nsize: 3\n\n{EXAMPLE}".encode()).score == {
        "result": "1-0", "points": [5, 4], "turns": 7
    }  # fmt: skip


def told(stones: Stones, columns: int, rows: int, seat: int) -> Iterator[tuple[tuple[int, int], bool]]:
    """The placements once more, as the rules file words them: each point, and whether it forms two connections."""
    for column in range(columns):
        for row in range(rows):
            near = [(column - 1, row), (column + 1, row), (column, row - 1), (column, row + 1)]
            around = [stones[point] for point in near if point in stones]
            if (column, row) not in stones and (len(around) < 2 or 1 - seat in around):
                yield (column, row), len(around) >= 2


def match(columns: int, rows: int, seed: int) -> tuple[list[str], list[int]]:
    """A random match to its end by the rules told again: its turns, and the stones of each seat."""
    draw, stones, turns = random.Random(seed), Stones(), []
    while len(stones) < columns * rows:
        seat, turn, due = len(turns) % 2, [], True
        while due and (possible := list(told(stones, columns, rows, seat))):
            (column, row), due = draw.choice(possible)
            stones[column, row] = seat
            turn.append(f"{chr(97 + column)}{row + 1}")
        assert turn, "there is always a placement at the start of a turn"
        turns.append("+".join(turn))
    return turns, [list(stones.values()).count(seat) for seat in (0, 1)]


SIZES = st.sampled_from([(3, 3), (5, 5), (3, 25), (25, 3), (7, 9), (11, 5)])
SEEDS = st.integers(0, 2**32)


@settings(max_examples=30)
@given(size=SIZES, seed=SEEDS)
def test_a_random_match_by_the_rules_told_again_is_accepted(size: tuple[int, int], seed: int) -> None:
    turns, points = match(*size, seed)
    written = "x".join(map(str, size))
    score = {"result": "1-0" if points[0] > points[1] else "0-1", "points": points, "turns": len(turns)}
    assert (
        verify(f"puzzle: rush\nsize: {written}\nresult: {score['result']}\n{' '.join(turns)}".encode()).score == score
    )
    assert verify(json.dumps({"puzzle": "rush", "size": written, "moves": turns}).encode()).score == score
    drawn = f"puzzle: rush\nsize: {written}\nresult: 1/2-1/2\n{' '.join(turns)}"
    assert fault(drawn) == ("wrong-result", None, 3, 9)


@settings(max_examples=30)
@given(size=SIZES, seed=SEEDS)
def test_a_match_cut_short_or_continued_is_rejected(size: tuple[int, int], seed: int) -> None:
    turns, _ = match(*size, seed)
    head = f"puzzle: rush\nsize: {size[0]}x{size[1]}\n"
    cut = fault(head + "\n".join(turns[:-1]))
    assert cut
    assert cut[:2] == ("not-finished", len(turns))
    for more in ("a1", "resigns", "?"):
        assert fault(head + "\n".join([*turns, more])) == ("illegal-move", len(turns) + 1, len(turns) + 3, 1)


@settings(max_examples=30)
@given(size=SIZES, seed=SEEDS)
def test_every_turn_split_or_lengthened_is_illegal(size: tuple[int, int], seed: int) -> None:
    """A turn is over when it is over: without its last stone it is too short, with any other stone too long."""
    turns, _ = match(*size, seed)
    at = random.Random(seed).randrange(len(turns))
    state = start(RULES, f"puzzle: rush\nsize: {size[0]}x{size[1]}\n")
    for turn in turns[:at]:
        state = RULES.play(state, turn)
    assert isinstance(RULES.play(state, turns[at]), State)
    stones = turns[at].split("+")
    wrong = ["+".join(stones[:end]) for end in range(1, len(stones))]
    wrong += [f"{turns[at]}+{chr(97 + column)}{row + 1}" for column in range(size[0]) for row in range(size[1])]
    for token in wrong:
        with pytest.raises(Rejected) as error:
            RULES.play(state, token)
        assert error.value.code == "illegal-move"


def test_the_placements_are_those_of_the_rules_told_again() -> None:
    state = start(RULES, "puzzle: rush\nsize: 5\n")
    stones = Stones()
    for turn in match(5, 5, 1)[0]:
        seat = state.turns % 2
        expected = {f"{chr(97 + column)}{row + 1}" for (column, row), _ in told(stones, 5, 5, seat)}
        names = [f"{'abcde'[point % 5]}{5 - point // 5}" for point in placements(state)]
        assert set(names) == expected
        state = RULES.play(state, turn)
        stones |= {(ord(stone[0]) - 97, int(stone[1]) - 1): seat for stone in turn.split("+")}


@pytest.mark.parametrize(
    ("size", "code"),
    [
        ("3", None), ("25", None), ("3x25", None), ("25X3", None), ("9x13", None),
        ("1", "bad-layout"), ("0", "bad-layout"), ("8", "bad-layout"), ("27", "bad-layout"), ("9x8", "bad-layout"),
        ("8x9", "bad-layout"), ("1x9", "bad-layout"), ("9" * 5000, "bad-layout"), ("1" * 5000 + "x3", "bad-layout"),
        ("", "malformed"), ("nine", "malformed"), ("09", "malformed"), ("+9", "malformed"), ("-9", "malformed"),
        ("9x", "malformed"), ("x9", "malformed"), ("9x9x9", "malformed"), ("9 x 9", "malformed"), ("9.0", "malformed"),
        ("9\u00d79", "malformed"), ("\uff19", "malformed"), ("00", "malformed"), ("8x09", "malformed"),
        ("9,9", "malformed"),
    ],
)  # fmt: skip
def test_sizes(size: str, code: str | None) -> None:
    found = fault(f"puzzle: rush\nsize: {size}\nresigns")
    assert found == (code and (code, None, 2, 7 if size else 1))
    as_json = verify(json.dumps({"puzzle": "rush", "size": size, "moves": ["resigns"]}).encode()).error
    assert (as_json and as_json.code) == code


@pytest.mark.parametrize(
    ("size", "code"),
    [
        ("9", None), ("25", None), ('" 9 "', None), ('"9x13"', None),
        ("8", "bad-layout"), ("0", "bad-layout"), ("27", "bad-layout"), ("9" * 5000, "bad-layout"),
        ("-9", "malformed"), ("9.0", "malformed"), ("9e0", "malformed"), ("true", "malformed"), ("null", "malformed"),
        ("[9, 13]", "malformed"), ("{}", "malformed"),
    ],
)  # fmt: skip
def test_sizes_in_json(size: str, code: str | None) -> None:
    error = verify(f'{{"puzzle": "rush", "size": {size}, "moves": ["resigns"]}}'.encode()).error
    assert (error and error.code) == code


def test_the_usual_size_is_19() -> None:
    assert fault("puzzle: rush\ns19 resigns") is None
    assert fault("puzzle: rush\nt19 resigns") == ("illegal-move", 1, 2, 1)
    assert fault("puzzle: rush\na20 resigns") == ("illegal-move", 1, 2, 1)


@pytest.mark.parametrize(
    ("body", "code", "move", "column"),
    [
        ("resigns", None, 0, 0),
        ("a1 resigns", None, 0, 0),
        ("A1 RESIGNS", None, 0, 0),
        ("a1 a1", "illegal-move", 2, 4),
        ("a1 z1", "illegal-move", 2, 4),
        ("a1 a99999999999999999999", "illegal-move", 2, 4),
        ("a1 a0", "malformed", 2, 4),
        ("a1 a01", "malformed", 2, 4),
        ("a1 b1+", "malformed", 2, 4),
        ("a1 +b1", "malformed", 2, 4),
        ("a1 b1++c1", "malformed", 2, 4),
        ("a1 b1+c", "malformed", 2, 4),
        ("a1 b1+c1", "illegal-move", 2, 4),
        ("a1 b1+resigns", "malformed", 2, 4),
        ("a1 pass", "malformed", 2, 4),
        ("a1 é1", "malformed", 2, 4),
        ("a1 b1 resigns a2", "illegal-move", 3, 15),
    ],
)
def test_where_a_record_is_wrong(body: str, code: str | None, move: int, column: int) -> None:
    assert fault(f"puzzle: rush\nsize: 5\n{body}") == (code and (code, move, 3, column))


@pytest.mark.parametrize("key", ["seed", "deal", "layout"])
def test_there_is_no_chance_and_no_setup(key: str) -> None:
    assert fault(f"puzzle: rush\n{key}: 1\nresigns") == ("malformed", None, 2, 1)
