"""Brain Burn against its rules, told again as plainly as they can be."""

import json
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier import setup_of, steps, verify
from verifier.puzzles.brain_burn import BrainBurn
from verifier.rules import Header

RULES = BrainBurn()
TOKENS = [*"udlr", *map("/".join, product("udlr", repeat=2))]
TO = {"u": (-1, 0), "d": (1, 0), "l": (0, -1), "r": (0, 1)}
DEALS = st.integers(0, 2**53 - 1)

DEAL_7 = """\
M2/N MA/4 C5/5 SA/3 C2/5
S5/5 AA/2 CA/4 A4/N C3/2
. A5/3 AN/A SN/3 A2/N
C4/2 S3/5 CN/A M5/A M3/2
S4/N A3/4 M4/4 S2/3 MN/A"""
AFTER_THREE = """\
M2/N . C5/5 SA/3 C2/5
AA/4 MA/2 CA/4 A4/N C3/2
S5/3 A5/5 AN/A SN/3 A2/N
C4/2 S3/5 CN/A M5/A M3/2
S4/N A3/4 M4/4 S2/3 MN/A"""
SOLVED = """\
SA/A S2/2 S3/3 S4/4 S5/5
MA/A M2/2 M3/3 M4/4 M5/5
CA/A C2/2 C3/3 C4/4 C5/5
AA/A A2/2 A3/3 A4/4 A5/5
"""


def record(body: str, deal: int = 7) -> bytes:
    return f"puzzle: brain-burn\ndeal: {deal}\n{body}".encode()


def slid(text: str, token: str) -> str | None:
    """The position after a move; None where the rules forbid it."""
    board = {
        (row, column): entry for row, line in enumerate(text.split("\n")) for column, entry in enumerate(line.split())
    }
    hole = next(place for place, entry in board.items() if entry == ".")
    source = (hole[0] - TO[token[0]][0], hole[1] - TO[token[0]][1])
    if source not in board:
        return None
    board[hole], board[source] = board[source], "."
    if len(token) > 1:
        other = (hole[0] + TO[token[2]][0], hole[1] + TO[token[2]][1])
        if board.get(other, ".") == ".":
            return None
        (tile, coin), (tile_2, coin_2) = board[hole].split("/"), board[other].split("/")
        board[hole], board[other] = f"{tile}/{coin_2}", f"{tile_2}/{coin}"
    return "\n".join(" ".join(board[row, column] for column in range(5)) for row in range(5))


def test_the_worked_example() -> None:
    setup = setup_of("brain-burn", "deal: 7")
    assert setup is not None
    assert setup.text == DEAL_7
    state = RULES.start(Header(setup=setup))
    for token in ("d/r", "l", "d/l"):
        state = RULES.play(state, token)
    assert RULES.written(state.board) == AFTER_THREE
    verdict = verify(record("D/R L D/L")).to_json()
    assert verdict["error"] | {"message": ""} == {
        "code": "not-finished", "message": "", "move": 4, "line": 3, "column": 7,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("token", "reason"),
    [
        ("R", "no tile to slide R: the hole lies at the edge, at row 3, column 1"),
        ("R/D", "no tile to slide R"),
        ("D/L", "L points off the board: after the slide D the tile lies at row 3, column 1"),
        ("D/U", "U points at the hole"),
    ],
)
def test_an_illegal_move_is_explained(token: str, reason: str) -> None:
    error = verify(record(f" {token} L")).error
    assert error is not None
    assert error.code == "illegal-move"
    assert error.places == {"move": 1, "line": 3, "column": 2}
    assert reason in error.message


@given(deal=DEALS, data=st.data())
def test_moves_are_as_the_plain_telling_has_them(deal: int, data: st.DataObject) -> None:
    state = RULES.start(Header(setup=setup_of("brain-burn", f"deal: {deal}")))
    text = RULES.written(state.board)
    pieces = sorted(text.replace("/", " ").split())
    for _ in range(data.draw(st.integers(0, 12))):
        legal = [token for token in TOKENS if slid(text, token)]
        assert sorted(RULES.moves(state)) == sorted(legal)
        token = data.draw(st.sampled_from(legal))
        state, text = RULES.play(state, token), slid(text, token) or ""
        assert RULES.written(state.board) == text
        assert sorted(text.replace("/", " ").split()) == pieces


@given(deal=DEALS, tokens=st.lists(st.sampled_from(TOKENS), max_size=30))
def test_the_first_illegal_move_is_named_in_text_and_json(deal: int, tokens: list[str]) -> None:
    setup = setup_of("brain-burn", f"deal: {deal}")
    text, played = setup.text if setup else "", 0
    for token in tokens:
        after = slid(text, token)
        if after is None:
            break
        text, played = after, played + 1
    for data in (
        record(" ".join(tokens).upper(), deal),
        json.dumps({"puzzle": "brain-burn", "deal": deal, "moves": tokens}).encode(),
    ):
        error = verify(data).error
        assert error is not None
        assert (error.code, error.move) == ("illegal-move" if played < len(tokens) else "not-finished", played + 1)
        positions = steps(data)
        assert len(positions) == played + 1
        assert steps(data, first=2, limit=3) == positions[2:5]


@given(order=st.permutations(["SN/N", "MN/N", "CN/N", "AN/N", "."]))
def test_the_nulls_and_the_hole_may_end_in_any_order(order: list[str]) -> None:
    verdict = verify(f"puzzle: brain-burn\nlayout:\n{SOLVED}{' '.join(order)}".encode())
    assert verdict.score == {"slides": 0, "swaps": 0}


@given(way=st.lists(st.sampled_from(TOKENS), max_size=40))
def test_a_mixed_up_board_is_solved_by_the_way_back_and_by_nothing_less(way: list[str]) -> None:
    text, back = SOLVED + "SN/N MN/N . CN/N AN/N", list[str]()
    for token in way:
        if len(token) == 1 and (after := slid(text, token)):
            text = after
            back.insert(0, {"u": "d", "d": "u", "l": "r", "r": "l"}[token])
    head = f"puzzle: brain-burn\nlayout:\n{text}\n"
    assert verify((head + " ".join(back)).encode()).score == {"slides": len(back), "swaps": 0}
    if back[-1:] in (["u"], ["d"]):  # the last slide moves a null within row 5, or it brings a tile home
        error = verify((head + " ".join(back[:-1])).encode()).error
        assert error is not None
        assert (error.code, error.move) == ("not-finished", len(back))


def test_a_swap_of_equal_coins_changes_nothing_and_counts() -> None:
    setup = SOLVED + "SN/N MN/N . CN/N AN/N"
    verdict = verify(f"puzzle: brain-burn\nlayout:\n{setup}\nR/R".encode())
    assert verdict.score == {"slides": 1, "swaps": 1}
    assert RULES.key({"slides": 5, "swaps": 9}) < RULES.key({"slides": 6, "swaps": 0})


def test_the_refused_move_is_marked() -> None:
    verdict = verify(record("D/L"))
    assert verdict.view is not None
    marks = {(mark.row, mark.column, mark.sign) for mark in verdict.view().panels[0].marks}
    assert marks == {(1, 0, "from"), (2, 0, "to")}
    verdict = verify(record("R"))
    assert verdict.view is not None
    assert (2, -1, "right") in {(mark.row, mark.column, mark.sign) for mark in verdict.view().panels[0].marks}
