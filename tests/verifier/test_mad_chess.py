"""Mad Chess, as its rules file tells it."""

import random
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.verifier.matches import accepted, during, fault
from verifier import verify
from verifier.equipment import CHESS_BOARD
from verifier.games.mad_chess import MadChess, State

RULES = MadChess()
SQUARES = CHESS_BOARD.names
EXAMPLE = "44 pass 42 a8b6 24 h1g3 23 c8d6 43 g3h4 22 b8c6 34 h4e7 41 h7h2 45 e7e8"


def position(pieces: str, dice: tuple[int, int], turns: int = 0) -> State:
    """A state with these pieces ("Ke1 pe7"), after that throw."""
    men = ["."] * 64
    for piece in pieces.split():
        men[CHESS_BOARD.squares[piece[1:]]] = piece[0]
    return State(None, "".join(men), dice, is_thrown=True, turns=turns)


def legal(state: State) -> str:
    return " ".join(sorted(RULES.moves(state)))


def test_the_worked_example() -> None:
    verdict = verify(f"puzzle: mad-chess\nseed: 4e35\n\n{EXAMPLE}".encode())
    assert verdict.score == {"result": "1-0", "turns": 9}
    assert verify(f"puzzle: mad-chess\n{EXAMPLE}".encode()).score == verdict.score


@pytest.mark.parametrize(
    ("pieces", "dice", "turns", "moves"),
    [
        pytest.param("Ka1 Ph2", (1, 1), 0, "h2h3 h2h4", id="a pawn's double step"),
        pytest.param("Ka1 Ph3", (1, 1), 0, "h3h4", id="one step from the third row"),
        pytest.param("Ka1 Ph1", (1, 1), 0, "h1h2", id="one step from the first row"),
        pytest.param("Ka1 Ph2 nh3", (1, 1), 0, "pass", id="no step onto a piece"),
        pytest.param("Ka1 Ph2 nh4", (1, 1), 0, "h2h3", id="no double step onto a piece"),
        pytest.param("Ka1 Pd4 nc5 Nd5 re5", (1, 1), 0, "d4c5 d4e5", id="a pawn takes diagonally"),
        pytest.param("ka8 pc2", (1, 1), 1, "c2c1b c2c1n c2c1q c2c1r", id="promotion"),
        pytest.param("ka8 Pc2 pa5 pb7", (1, 1), 1, "a5a4 b7b5 b7b6", id="Black's pawns go down"),
        pytest.param("Kb2 Nc7", (1, 6), 0, "b2b3 b2b4", id="a king like a pawn, two steps from the second row"),
        pytest.param("Kh1 Ra7 kb8", (4, 1), 0, "a7a8 a7b8", id="a rook like a pawn takes the king"),
        pytest.param("Kh1 Pg5 kg8 nh6", (1, 4), 0, "g5a5 g5b5 g5c5 g5d5 g5e5 g5f5 g5g1 g5g2 g5g3 g5g4 g5g6 g5g7 g5h5",
                     id="a pawn like a rook takes no king"),
        pytest.param("Kh1 Pa7 kb8", (1, 1), 0,
                     "a7a8b a7a8n a7a8q a7a8r a7b8b a7b8n a7b8q a7b8r", id="but after 1 and 1"),
        pytest.param("Kh1 Pa7 kb8", (1, 6), 0,
                     "a7a6 a7a8b a7a8n a7a8q a7a8r a7b6 a7b7 h1h2", id="a pawn like a king takes no king"),
        pytest.param("Kh1 Ph3", (1, 2), 0, "h3f2 h3f4 h3g1 h3g5", id="a pawn like a knight"),
        pytest.param("Kh1 Ph6", (2, 1), 0, "h6f5 h6f7 h6g4 h6g8b h6g8n h6g8q h6g8r", id="promotes by a knight's leap"),
        pytest.param("Kh1 Nh6", (2, 2), 0, "h6f5 h6f7 h6g4 h6g8", id="a knight does not promote"),
        pytest.param("Kh1 Bh8", (6, 3), 0, "h1a8 h1b7 h1c6 h1d5 h1e4 h1f3 h1g2 h8g7 h8g8 h8h7", id="either way"),
        pytest.param("Kh1 Bh8", (2, 4), 0, "pass", id="none of the kinds"),
        pytest.param("Kh8", (6, 1), 0, "pass", id="nothing in front of the last row"),
    ],
)  # fmt: skip
def test_legal_moves(pieces: str, dice: tuple[int, int], turns: int, moves: str) -> None:
    assert legal(position(pieces, dice, turns)) == moves


def told(state: State) -> Iterator[str]:
    """The moves once more, by coordinates and one square at a time, as the rules file words them."""
    at = {(ord(name[0]) - 97, int(name[1])): man for name, man in zip(SQUARES, state.men, strict=True) if man != "."}
    white = state.turns % 2 == 0
    up, second, last = (1, 2, 8) if white else (-1, 7, 1)
    straight = [(0, 1), (0, -1), (1, 0), (-1, 0)]
    slanted = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
    first, other = state.dice
    for (file, row), man in at.items():
        number = " pnbrqk".index(man.lower())
        if man.isupper() != white or number not in state.dice:
            continue
        way = other if number == first else first
        ends = []
        if way == 1:
            for steps in (1, 2):
                if (file, row + up * steps) in at or (steps == 2 and row != second):
                    break
                ends.append((file, row + up * steps))
            ends += [(file + side, row + up) for side in (-1, 1) if (file + side, row + up) in at]
        elif way == 2:
            ends = [(file + a * s, row + b * t) for a, b in ((1, 2), (2, 1)) for s in (1, -1) for t in (1, -1)]
        else:
            for right, above in {3: slanted, 4: straight}.get(way, straight + slanted):
                for far in range(1, 2 if way == 6 else 9):
                    ends.append((file + right * far, row + above * far))
                    if ends[-1] in at:
                        break
        for end in ends:
            there = at.get(end, "")
            if not (0 <= end[0] < 8 and 1 <= end[1] <= 8) or (there and there.isupper() == white):
                continue
            if number == 1 and there in ("k", "K") and state.dice != (1, 1):
                continue
            written = f"{chr(97 + file)}{row}{chr(97 + end[0])}{end[1]}"
            yield from (written + kind for kind in "qrbn") if number == 1 and end[1] == last else (written,)


def after_a_throw(seed: int) -> State:
    """Some state of a random match, and any throw."""
    draw = random.Random(seed)
    state: State = during(RULES, f"puzzle: mad-chess\nseed: {seed % 1000}\n", seed)
    return state._replace(dice=(draw.randint(1, 6), draw.randint(1, 6)), is_thrown=True)


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32))
def test_the_moves_listed_are_those_of_the_rules_told_again(seed: int) -> None:
    state = after_a_throw(seed)
    assert sorted(RULES.moves(state)) == (sorted(told(state)) or ["pass"])


@settings(max_examples=3)
@given(seed=st.integers(0, 2**32))
def test_what_is_accepted_is_what_is_listed(seed: int) -> None:
    state = after_a_throw(seed)
    tokens = ["pass", *(a + b + kind for a in SQUARES for b in SQUARES for kind in ("", "q", "n"))]
    assert accepted(RULES, state, tokens) == sorted(set(RULES.moves(state)) & set(tokens))


@pytest.mark.parametrize(
    ("body", "code", "move", "column"),
    [
        ("resigns", None, 0, 0),
        ("44 resigns", None, 0, 0),
        ("4 4", "malformed", 1, 1),
        ("44 44", "malformed", 1, 4),
        ("e2e4", "malformed", 1, 1),
        ("11 e2e9", "malformed", 1, 4),
        ("11 e2e4q", "illegal-move", 1, 4),
        ("11 e2e4 pass", "malformed", 2, 9),
        ("11 e7e5", "illegal-move", 1, 4),
        ("11 e4e5", "illegal-move", 1, 4),
        ("11 e2e4 11", "not-finished", 2, 9),
        ("11 e2e4 resigns 11", "illegal-move", 2, 17),
    ],
)
def test_where_a_record_is_wrong(body: str, code: str | None, move: int, column: int) -> None:
    assert fault(f"puzzle: mad-chess\n{body}") == (code and (code, move, 2, column))
