"""Fourmate, as its rules file tells it."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.verifier.matches import accepted, during, fault
from verifier import Rejected, setup_of, verify
from verifier.equipment import CHESS_BOARD, moved
from verifier.games.fourmate import Fourmate, State, fischer_row, formation

RULES = Fourmate()
SQUARES = CHESS_BOARD.names
TOKENS = ["pass", *(start + target for start in SQUARES for target in SQUARES)]
EXAMPLE = "b1f5 b8e5 c8c3 f1f4 c3d3 e5b2 e1e4 d3d5 b2a3 a1e5"
HEAD = "puzzle: fourmate\nlayout:\nRNBQKBNR\n"


def position(pieces: str, turns: int = 0) -> State:
    """A state with these pieces: "Ke1 ra8"."""
    men = ["."] * 64
    for piece in pieces.split():
        men[CHESS_BOARD.squares[piece[1:]]] = piece[0]
    return State("".join(men), turns=turns)


def test_the_worked_example() -> None:
    verdict = verify(f"puzzle: fourmate\nseed: 4e8f\n\n{EXAMPLE}".encode())
    assert verdict.score == {"result": "1-0", "turns": 7}
    assert verdict.setup
    assert verdict.setup.text == "BBRKQRNN" == fischer_row(896).upper()
    laid = verify(f"puzzle: fourmate\nlayout:\nbbrkqrnn\n{EXAMPLE}".encode())
    assert (laid.score, laid.setup, laid.play) == (verdict.score, verdict.setup, verdict.play)


def test_the_rows_are_the_960_of_fischer_random_chess() -> None:
    rows = [fischer_row(number) for number in range(960)]
    assert len(set(rows)) == 960
    assert all(RULES.lay(iter([row])) == row for row in rows)
    assert [rows[number] for number in (0, 518, 959)] == ["bbqnnrkr", "rnbqkbnr", "rkrnnqbb"]


@pytest.mark.parametrize(
    ("layout", "code", "line", "column"),
    [
        ("RNBQKBNR", None, 0, 0),
        ("rnbqkbnr # the row of chess", None, 0, 0),
        ("RNBQKBN", "malformed", 3, 1),
        ("RNBQKBNRR", "malformed", 3, 1),
        ("R N B Q K B N R", "malformed", 3, 1),
        (" RNBQKPNR", "malformed", 3, 2),
        ("RNBQKBNB", "bad-layout", 3, 1),
        ("RBBNNQKR", None, 0, 0),
        ("RBNBNQKR", "bad-layout", 3, 1),
        ("KRBBNNQR", "bad-layout", 3, 1),
        ("RNBQKBNR RNBQKBNR", "malformed", 3, 10),
        ("RNBQKPNR RNBQKBNR", "malformed", 3, 1),
        ("", "malformed", 2, 1),
    ],
)
def test_layouts(layout: str, code: str | None, line: int, column: int) -> None:
    try:
        assert setup_of("fourmate", f"layout:\n{layout}")
        found = None
    except Rejected as error:
        found = (error.code, error.line, error.column)
    assert found == (code and (code, line, column))


@pytest.mark.parametrize(
    ("pieces", "seat", "has"),
    [
        pytest.param("Ra5 Nb5 Bc5 Qd5", 0, True, id="a row"),
        pytest.param("Ra5 Nb5 Bc5 Qe5", 0, False, id="a gap"),
        pytest.param("Ra4 Nb4 Bc4 Qd4", 0, False, id="all on the own half"),
        pytest.param("ra4 nb4 bc4 qd4", 1, True, id="for Black that is the other half"),
        pytest.param("Ra3 Na4 Ba5 Qa6", 0, True, id="a column, two on the own half"),
        pytest.param("Ra2 Na3 Ba4 Qa5", 0, False, id="a column, three on the own half"),
        pytest.param("Ra5 Nb5 Bc5 Qd5 Ke5", 0, False, id="five in line"),
        pytest.param("Ra5 Nb5 Bc5 Qd5 ke5", 0, True, id="an enemy at the end"),
        pytest.param("Ra5 Nb5 Bc5 Qd5 Kd6", 0, True, id="a neighbour beside the line"),
        pytest.param("Rb4 Nc5 Bd6 Qe7", 0, True, id="a diagonal up"),
        pytest.param("Rb7 Nc6 Bd5 Qe4", 0, True, id="a diagonal down"),
        pytest.param("Rh5 Ne5 Bf5 Qg5", 0, True, id="a row at the edge"),
        pytest.param("Rg5 Nh5 Ba6 Qb6", 0, False, id="a row does not go round the edge"),
        pytest.param("Re4 Nf4 Be5 Qf5", 0, True, id="a square"),
        pytest.param("Re4 Nf4 Be5 Qf5 Kg5 Rg4", 0, True, id="a square with neighbours"),
        pytest.param("Re3 Nf3 Be4 Qf4", 0, False, id="a square on the own half"),
        pytest.param("Re4 Nf4 Be5 qf5", 0, False, id="an enemy in the square"),
    ],
)
def test_formations(pieces: str, seat: int, has: bool) -> None:
    assert bool(formation(position(pieces).men, seat)) == has


def told(state: State) -> Iterator[str]:
    """What may come next, told once more and square by square."""
    black = state.turns % 2 == 1
    if state.first is not None:
        possible = list(going_with(state.men, state.first[1])) if state.first else []
    else:
        possible = list(single(state.men, black))
        if black:
            pairs = [move for move in possible if any(going_with(played(state.men, move), place(move[2:])))]
            possible = pairs or possible
    yield from possible or ["pass"]


def going_with(men: str, first: int) -> Iterator[str]:
    name = SQUARES[first]
    for move in single(men, black=True):
        if move[:2] != name and max(abs(ord(a) - ord(b)) for a, b in zip(move[2:], name, strict=True)) > 1:
            yield move


def single(men: str, black: bool) -> Iterator[str]:
    for start, man in zip(SQUARES, men, strict=True):
        if man == "." or man.islower() != black:
            continue
        for target in SQUARES:
            right, up = ord(target[0]) - ord(start[0]), int(target[1]) - int(start[1])
            far = max(abs(right), abs(up))
            if men[place(target)] != ".":
                continue
            straight, slanted = right == 0 or up == 0, abs(right) == abs(up)
            leaps = {"n": {abs(right), abs(up)} == {1, 2}, "k": far == 1}
            slides = {"r": straight, "b": slanted, "q": straight or slanted}
            between = [
                f"{chr(ord(start[0]) + right * step // far)}{int(start[1]) + up * step // far}"
                for step in range(1, far)
            ]
            if leaps.get(man.lower()) or (slides.get(man.lower()) and all(men[place(name)] == "." for name in between)):
                yield start + target


def place(name: str) -> int:
    return CHESS_BOARD.squares[name]


def played(men: str, move: str) -> str:
    return moved(men, place(move[:2]), place(move[2:]))


@settings(max_examples=10)
@given(seed=st.integers(0, 2**32))
def test_the_moves_listed_and_accepted_are_those_of_the_rules_told_again(seed: int) -> None:
    state: State = during(RULES, f"puzzle: fourmate\ndeal: {seed % 960}\n", seed)
    assert sorted(RULES.moves(state)) == sorted(told(state)) == accepted(RULES, state, TOKENS)


def test_black_who_is_shut_in_passes_twice() -> None:
    state = position("kh8 rg8 Rf8 Qg7 Nh7", turns=1)
    assert RULES.moves(state) == ["pass"] == accepted(RULES, state, TOKENS)
    between = RULES.play(state, "pass")
    assert RULES.moves(between) == ["pass"] == accepted(RULES, between, TOKENS)
    assert RULES.play(between, "pass").turns == 2


def test_black_makes_one_move_where_no_two_go_together() -> None:
    state = position("kh8 rg8 Rf8 Qg7", turns=1)  # only the king can move, to h7
    assert RULES.moves(state) == ["h8h7"] == accepted(RULES, state, TOKENS)
    between = RULES.play(state, "h8h7")
    assert accepted(RULES, between, TOKENS) == ["pass"]
    assert RULES.play(between, "pass").turns == 2


def test_a_first_move_must_leave_a_second_one() -> None:
    state = position("kh8 ra8 Ka1", turns=1)
    assert "a8g8" not in RULES.moves(state)  # it leaves the king h7 and g7 only, which touch g8
    with pytest.raises(Rejected, match="No second move goes with"):
        RULES.play(state, "a8g8")


def test_white_passes_only_without_a_move() -> None:
    assert accepted(RULES, position("Ka1 ra2 rb2 rb1 kh8"), TOKENS) == ["pass"]
    assert accepted(RULES, position("Ka1 ra2 rb2 kh8"), TOKENS) == ["a1b1"]


@pytest.mark.parametrize(
    ("body", "code", "move", "column"),
    [
        ("resigns", None, 0, 0),
        ("b1c3 resigns", None, 0, 0),
        ("b1c3 b8c6 resigns", "illegal-move", 2, 11),
        ("b1c3 b8c6", "not-finished", 2, 6),
        ("b1c3 b8c6 g8f6", "not-finished", 3, 11),
        ("b1c3 b8c6 c6b8", "illegal-move", 2, 11),
        ("b1c3 b8c6 pass", "illegal-move", 2, 11),
        ("b1c3 pass", "illegal-move", 2, 6),
        ("b1c3q", "malformed", 1, 1),
        ("b1c9", "malformed", 1, 1),
        ("b1b1", "illegal-move", 1, 1),
        ("e2e4", "illegal-move", 1, 1),
        ("a1a3 a8a3", "illegal-move", 2, 6),
        ("a1a8", "illegal-move", 1, 1),
    ],
)
def test_where_a_record_is_wrong(body: str, code: str | None, move: int, column: int) -> None:
    assert fault(f"{HEAD}{body}") == (code and (code, move, 4, column))
