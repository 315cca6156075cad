"""JC Golden Nugget against its rules page, told again as plainly as it can be."""

import json
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier import steps, verify

CASES = Path(__file__).parents[1] / "cases" / "jc-golden-nugget"
SIDE_A = "ywbwpwrwpwrwgwbwywbwgwgwgwywywrwpwywrwpwbwgwrwpwb"
SIDE_B = "wwwywwyypwwbwbpgwwrwywwywgwwpwgwgpbgrrrwwpbwwrwwb"
PLACES = "1234567ABCDEFGHIJKLMNOPQRSTU"


def line(place: str) -> list[tuple[int, int]]:
    """The squares (row, column) of a place's line, the nearest first."""
    i = PLACES.index(place)
    match i // 7:
        case 0:
            return [(row, i) for row in range(7)]
        case 1:
            return [(i - 7, column) for column in reversed(range(7))]
        case 2:
            return [(row, 20 - i) for row in reversed(range(7))]
        case _:
            return [(27 - i, column) for column in range(7)]


def push(board: list[list[int]], side: str, place: str) -> str | None:
    """Push a board of block numbers in place; what forbids it, or None."""
    squares = line(place)
    white = [side[board[row][column] - 1] == "w" for row, column in squares]
    if True not in white:
        return "no-white-block"
    gap = max(i for i in range(7) if white[i])
    if all(white[:gap]):
        return "no-coloured-block-moves"
    blocks = [board[row][column] for row, column in squares]
    for (row, column), block in zip(squares, [blocks[gap], *blocks[:gap], *blocks[gap + 1 :]], strict=True):
        board[row][column] = block
    return None


def start() -> list[list[int]]:
    return [[7 * row + column + 1 for column in range(7)] for row in range(7)]


@given(st.lists(st.sampled_from(PLACES), min_size=1, max_size=99), st.booleans())
def test_pushes_are_as_the_plain_telling_has_them(places: list[str], in_json: bool) -> None:
    board, faults = start(), []
    for move, place in enumerate(places, 1):
        fault = push(board, SIDE_A, place)
        if fault:
            faults.append((fault, 1, move))
            break
    colours = [[SIDE_A[block - 1] for block in row[1:6]] for row in board[1:6]]
    lines = [colours, [list(column) for column in zip(*colours, strict=True)]]
    if not any(all(len(set(row)) == 1 and row[0] != "w" for row in way) for way in lines):
        faults.append(("unsolved", 1, None))
    faults.append(("missing-position", 1, None))
    text = f"puzzle: jc-golden-nugget\nboard 1\n{' '.join(places)}\n"
    if in_json:
        text = json.dumps({"puzzle": "jc-golden-nugget", "boards": [{"moves": places}]})
    error = verify(text.encode()).error
    assert error is not None
    assert (error.code, error.board, error.move) == faults[0]
    assert (error.line is None) == in_json


def test_the_worked_example_leads_to_its_position() -> None:
    text = "puzzle: jc-golden-nugget\nboard 1\nP7 54 L6\n"
    rows = steps(text.encode())[-1].view.panels[0].rows
    assert [[int(cell.label) for cell in row] for row in rows] == [
        [1, 2, 3, 4, 26, 6, 7],
        [8, 9, 17, 11, 5, 13, 14],
        [15, 16, 24, 18, 12, 20, 21],
        [22, 23, 31, 25, 19, 27, 28],
        [29, 30, 37, 32, 33, 34, 35],
        [42, 36, 45, 38, 39, 40, 41],
        [43, 44, 10, 46, 47, 48, 49],
    ]


def test_every_case_is_played_alike_by_the_plain_telling() -> None:
    """The positions of each board of the accepted records, from the moves alone."""
    for record in ("best-200-full", "worst-200-of-99-full", "mixed-37-comments"):
        data = (CASES / "valid" / f"{record}.txt").read_bytes()
        score = verify(data).score
        assert score is not None
        board = start()
        for number in (*range(1, 20), score["boards"]):
            if number == score["boards"]:
                board = [[int(cell.label) for cell in row] for row in steps(data, number)[0].view.panels[0].rows]
            played = steps(data, number)
            assert steps(data, number, first=2, limit=3) == played[2:5]
            assert len(played) == score["moves_per_board"][number - 1] + 1
            for step in played[1:]:
                assert push(board, (SIDE_A, SIDE_B)[(number - 1) % 2], step.token[0].upper()) is None
                assert [[int(cell.label) for cell in row] for row in step.view.panels[0].rows] == board
        assert score["mean"] == str(Fraction(sum(score["moves_per_board"]), score["boards"]))


def test_a_rejected_move_is_shown_on_the_board_before_it() -> None:
    error = verify(b"puzzle: jc-golden-nugget\nboard 1\nU u U u4 P\n").error
    assert error is not None
    assert (error.code, error.move, error.line, error.column) == ("no-coloured-block-moves", 4, 3, 7)
    assert error.view is not None
    (panel,) = error.view().panels
    assert [cell.label for cell in panel.rows[0]] == ["2", "4", "6", "1", "3", "5", "7"]
    assert panel.marks == ((0, -1, "right"),)


def test_a_wrong_white_place_is_shown_with_the_block_that_it_is() -> None:
    error = verify(b"puzzle: jc-golden-nugget\nboard 1\nP5\n").error
    assert error is not None
    assert error.view is not None
    assert error.view().panels[0].marks == ((5, -1, "right"), (5, 6, "from"))


HEADER = "puzzle: jc-golden-nugget"


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("", "unknown-puzzle", (1, 1)),
        (",,,\n , # nothing\n", "unknown-puzzle", (1, 1)),
        ("\n\n# c\n  puzzle :  jc-GOLDEN-nugget  # c\n", "too-few-boards", (5, 1)),
        ("puzzle: jc-golden-nugget board 1", "unknown-puzzle", (1, 9)),
        ("colour: red\npuzzle: chess", "malformed", (1, 1)),
        (f"deal: 7\n{HEADER}", "malformed", (1, 1)),
        (f"{HEADER}\nplayers:", "malformed", (2, 1)),
        (f", {HEADER}", "malformed", (1, 1)),
        (f"{HEADER}\nPUZZLE: x", "malformed", (2, 1)),
        (f"{HEADER}\n:", "malformed", (2, 1)),
        (f"{HEADER}\n,\n puzzle: x", "malformed", (3, 2)),
        (f"{HEADER}\nboard", "malformed", (2, 6)),
        (f"{HEADER}\nboard # 1", "malformed", (2, 10)),
        (f"{HEADER}\nboard 01", "board-order", (2, 7)),
        (f"{HEADER}\nboard 1x", "malformed", (2, 7)),
        (f"{HEADER}\nboard 1", "unsolved", (2, 8)),
        (f"{HEADER}\nboard 1 board 2", "unsolved", (2, 9)),
        (f"{HEADER}\nboard 1\rP", "unsolved", (2, 10)),
        (f"{HEADER}\nboard 1\x0bP", "malformed", (2, 7)),
        (f"{HEADER}\nboard 1 11", "wrong-white-place", (2, 9)),
        (f"{HEADER}\nboard 1 18", "malformed", (2, 9)),
        (f"{HEADER}\nboard 1 \ufeffP", "malformed", (2, 9)),
        (f"\ufeff\ufeff{HEADER}", "malformed", (1, 1)),
        (f"\ufeff{HEADER}\nboard 2", "board-order", (2, 7)),
        (f"\ufeffpuzzle: x{HEADER}", "unknown-puzzle", (1, 9)),
    ],
)
def test_errors_stand_where_they_are_met(text: str, code: str, place: tuple[int, int]) -> None:
    error = verify(text.encode()).error
    assert error is not None
    assert (error.code, (error.line, error.column)) == (code, place)


@pytest.mark.parametrize(
    ("content", "code", "board", "move"),
    [
        ({}, "unknown-puzzle", None, None),
        ({"puzzle": 7}, "malformed", None, None),
        ({"puzzle": "chess", "boards": 3}, "unknown-puzzle", None, None),
        ({"puzzle": " JC-golden-nugget\n"}, "malformed", None, None),
        ({"puzzle": "jc-golden-nugget", "boards": None}, "malformed", None, None),
        ({"puzzle": "jc-golden-nugget", "boards": [], "Boards": []}, "malformed", None, None),
        ({"puzzle": "jc-golden-nugget", "boards": []}, "too-few-boards", None, None),
        ({"puzzle": "jc-golden-nugget", "boards": [7]}, "malformed", 1, None),
        ({"puzzle": "jc-golden-nugget", "boards": [{}]}, "malformed", 1, None),
        ({"puzzle": "jc-golden-nugget", "boards": [{"moves": ["P", 7]}]}, "malformed", 1, None),
        ({"puzzle": "jc-golden-nugget", "boards": [{"moves": ["P", ""]}]}, "malformed", 1, 2),
        ({"puzzle": "jc-golden-nugget", "boards": [{"moves": ["P", "#"]}]}, "malformed", 1, 2),
        ({"puzzle": "jc-golden-nugget", "boards": [{"moves": [" P,5\tL "]}]}, "unsolved", 1, None),
        ({"puzzle": "jc-golden-nugget", "boards": [{"moves": ["\ud800"]}]}, "malformed", 1, 1),
        ({"puzzle": "jc-golden-nugget", "boards": [{"moves": [], "position": None}]}, "unsolved", 1, None),
    ],
)
def test_errors_of_json_have_a_board_and_a_move(
    content: object, code: str, board: int | None, move: int | None
) -> None:
    verdict = verify(json.dumps(content).encode())
    error = verdict.error
    assert error is not None
    assert (error.code, error.board, error.move, error.line) == (code, board, move, None)
    assert verdict.to_json()["error"]["message"].encode()


def boards_of(text: str) -> list[dict[str, list[str]]]:
    """The boards of a record without comments: their moves and numbers as written."""
    boards: list[dict[str, list[str]]] = []
    for part in text.split("board ")[1:]:
        moves, position = part.split("position")
        boards.append({"moves": moves.split()[1:], "position": position.split()})
    return boards


def as_json(boards: list[dict[str, list[str]]]) -> bytes:
    numbered = [{**board, "position": [int(number) for number in board["position"]]} for board in boards]
    return json.dumps({"boards": numbered, "puzzle": "jc-golden-nugget"}).encode()


@pytest.mark.parametrize("name", ["full-20", "best-20-short", "best-200-full", "no-blank-no-final-newline-22"])
def test_notation_and_form_do_not_change_the_verdict_nor_the_play(name: str) -> None:
    text = (CASES / "valid" / f"{name}.txt").read_text()
    boards = boards_of(text)
    short = [{**board, "moves": [move[0] for move in board["moves"]]} for board in boards]
    in_text, in_json, in_short = (verify(data) for data in (text.encode(), as_json(boards), as_json(short)))
    assert in_text.to_json() == in_json.to_json() == in_short.to_json()
    assert in_text.play == in_json.play == in_short.play
    assert in_text.play is not None
