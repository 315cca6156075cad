"""JC Golden Nugget, by Jarosław Cichocki: 49 two-sided blocks, 28 places to push from, a chain of 20 to 200 boards."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from math import gcd
from typing import Any, NoReturn

from verifier.record import JsonRecord, Place, Record, strings, tokens_of
from verifier.rules import Played, Position, Rules
from verifier.verdict import Code, Rejected, Score, shown
from verifier.view import Cell, Mark, Panel, View

FEWEST, MOST, MOVES = 20, 200, 99
"""Boards in a chain, moves on a board."""

COLOURS = {"w": "white", "y": "yellow", "b": "blue", "p": "pink", "r": "red", "g": "green"}
SIDES = (
    "ywbwpwr wpwrwgw bwywbwg wgwgwyw ywrwpwy wrwpwbw gwrwpwb".replace(" ", ""),
    "wwwywwy ypwwbwb pgwwrwy wwywgww pwgwgpb grrrwwp bwwrwwb".replace(" ", ""),
)
"""The colours of the blocks 1 to 49 on side A and on side B."""

# A board is 49 bytes, the blocks row by row from the top, each as its number less 1: so that a table of bytes (for
# `translate`) tells their colours, and a slice is a line seen from a place, its nearest block first.
START = bytes(range(49))
_COLOUR = tuple(side.encode().ljust(256) for side in SIDES)
_WHITE = tuple(bytes(block < 49 and side[block] == "w" for block in range(256)) for side in SIDES)
_NAMES = [str(block + 1) for block in range(49)]
_NUMBERS = {name: block for block, name in enumerate(_NAMES)}


_LINES: dict[str, slice] = {}
"""The seven squares of a place's line, the nearest first (drawn in api/rules/jc-golden-nugget.md)."""
_RIM: dict[str, Mark] = {}
"""Where a place stands around the grid, and which way it pushes."""
for _i in range(7):
    for _place, _line, _mark in (
        ("1234567"[_i], slice(_i, 49, 7), Mark(-1, _i, "down")),
        ("abcdefg"[_i], slice(7 * _i + 6, 7 * _i - 1 if _i else None, -1), Mark(_i, 7, "left")),
        ("nmlkjih"[_i], slice(42 + _i, None, -7), Mark(7, _i, "up")),
        ("utsrqpo"[_i], slice(7 * _i, 7 * _i + 7), Mark(_i, -1, "right")),
    ):
        _LINES[_place], _RIM[_place] = _line, _mark
_PUSHES = {place + digit: (line, int(digit or 0)) for place, line in _LINES.items() for digit in ("", *"1234567")}
"""Each move's notation, short or full: its line, and where it says the white block was (0: it doesn't say)."""


def _gap(white: bytes) -> int:
    """Where the farthest white block of a line lies, 1 to 7; 0 without one, -1 where no coloured block would move."""
    far = white.rfind(1) + 1
    return -1 if far and all(white[: far - 1]) else far


_GAPS = {white: _gap(white) for white in (bytes(bits >> i & 1 for i in range(7)) for bits in range(128))}


def _shifted(blocks: bytearray, gap: int) -> bytearray:
    """A line after a push: its white block from `gap` in front, those before that one on, the others as they were."""
    return blocks[gap - 1 : gap] + blocks[: gap - 1] + blocks[gap:]


def solved(cells: bytes | bytearray, side: int) -> bool:
    """Whether the 25 coloured blocks fill the inner 5x5, each row or each column of it in one colour."""
    colours = cells.translate(_COLOUR[side])
    rows = [colours[at : at + 5] for at in (8, 15, 22, 29, 36)]
    if any(b"w" in row for row in rows):
        return False
    return all(row.count(row[0]) == 5 for row in rows) or all(row == rows[0] for row in rows)


class _Chain:
    """A record of boards, text or JSON, on its way through the rules: where it has got to and what it has counted."""

    def __init__(self, record: Record):
        self.record = record
        self.cells = bytearray(START)
        self.moves: list[list[str]] = []
        """The moves of each board so far; those of the faulty board up to its fault."""
        self.starts: list[int] = []
        """The index of each board's first move among the record's tokens; in JSON those of `moves` alone."""
        self.refused = ""
        """The token that could not be played."""

    def read(self) -> Score:
        """Read the record to its end; the score, or the first error with its place."""
        if isinstance(self.record, JsonRecord):
            self._json(self.record.boards)
        else:
            self._text(list(self.record.tokens))
        counts = [len(moves) for moves in self.moves]
        if len(counts) < FEWEST:
            raise Rejected(
                "too-few-boards", "A chain has at least {due} boards; {n} were found.", due=FEWEST, n=len(counts)
            ).at(self.record.end())
        boards, total = len(counts), sum(counts)
        return {"boards": boards, "moves": total, "mean": _fraction(total, boards), "moves_per_board": counts}

    # --- text --------------------------------------------------------------------------------------------------------

    def _text(self, tokens: list[str]) -> None:
        at, end = 0, len(tokens)
        while at < end:
            at = self._heading(tokens, at)
            self.starts.append(at)
            played = self.play(tokens[at : at + MOVES + 1])
            at += played
            if at < end and tokens[at] not in ("position", "board"):
                raise self._fault(tokens[at]).at(self._place(at))
            if not self._is_solved():
                raise self._unsolved().at(self._place(at))
            if at == end or tokens[at] == "board":
                raise self._no_position().at(self._place(at))
            at += 1
            due = [_NAMES[block] for block in self.cells]
            if tokens[at : at + 49] != due or (at + 49 < end and tokens[at + 49] != "board"):
                self._wrong_position(tokens, at, due)
            at += 49

    def _heading(self, tokens: list[str], at: int) -> int:
        """Read `board N`; answers where the moves start."""
        board = len(self.moves) + 1
        if tokens[at] != "board":
            raise self._malformed("The boards start with `board 1`, not with {found}.", tokens, at, board)
        if board > MOST:
            raise _too_many_boards().at(self._place(at), board=board)
        number = tokens[at + 1] if at + 1 < len(tokens) else ""
        if number != str(board):
            if re.fullmatch("[0-9]+", number):
                raise Rejected(
                    "board-order", "This is board {due}, but it is called {found}.", due=board, found=shown(number)
                ).at(self._place(at + 1), board=board)
            raise self._malformed("The board's number is due, not {found}.", tokens, at + 1, board)
        return at + 2

    def _wrong_position(self, tokens: list[str], at: int, due: list[str]) -> NoReturn:
        """The position that starts there is not the one due: unreadable, too short, too long, or another one."""
        board = len(self.moves)
        for index in range(at, at + 49):
            found = tokens[index] if index < len(tokens) else "board"
            if found == "board":
                raise self._malformed(
                    "A position has 49 numbers; after {n} comes {found}.", tokens, index, board, n=index - at
                )
            if found not in _NUMBERS:
                raise self._malformed("{found} is not a block's number, 1 to 49.", tokens, index, board)
        if at + 49 < len(tokens) and tokens[at + 49] != "board":
            raise self._malformed("The 49 numbers are followed by {found}, not by a new board.", tokens, at + 49, board)
        wrong = next(index for index in range(49) if tokens[at + index] != due[index])
        raise self._other_position(wrong, tokens[at + wrong]).at(self._place(at + wrong))

    def _malformed(self, template: str, tokens: list[str], at: int, board: int, **values: int) -> Rejected:
        found = shown(tokens[at]) if at < len(tokens) else "the end of the record"
        error = Rejected("malformed", template, found=found, **values).at(self._place(at), board=board)
        return error.at(view=self._view()) if board == len(self.moves) else error

    def _place(self, index: int) -> Place:
        return self.record.place(index) if index < len(self.record.tokens) else self.record.end()

    # --- JSON --------------------------------------------------------------------------------------------------------

    def _json(self, boards: Any) -> None:
        if not isinstance(boards, list):
            raise Rejected("malformed", "{key} is not a list.", key="boards")
        count = 0
        for board, content in enumerate(boards, 1):
            if board > MOST:
                raise _too_many_boards().at(board=board)
            if not isinstance(content, dict) or not content.keys() <= {"moves", "position"} or "moves" not in content:
                raise Rejected(
                    "malformed", "A board is an object with the keys `moves` and `position`, and no others."
                ).at(board=board)
            try:
                tokens = list(tokens_of(strings("moves", content["moves"])))
            except Rejected as error:
                raise error.at(board=board) from None
            self.starts.append(count)
            count += len(tokens)
            played = self.play(tokens)
            if played < len(tokens):
                raise self._fault(tokens[played])
            if not self._is_solved():
                raise self._unsolved()
            if "position" not in content:
                raise self._no_position()
            numbers = self._numbers(content["position"])
            wrong = next((index for index in range(49) if numbers[index] != self.cells[index] + 1), None)
            if wrong is not None:
                raise self._other_position(wrong, str(numbers[wrong]))

    def _numbers(self, position: Any) -> list[int]:
        """A position's 49 numbers, flat or as 7 rows of 7."""
        numbers = position
        if isinstance(position, list) and len(position) == 7:
            rows = [row for row in position if isinstance(row, list) and len(row) == 7]
            numbers = [number for row in rows for number in row]
        if (
            not isinstance(numbers, list)
            or len(numbers) != 49
            or not all(type(number) is int and 1 <= number <= 49 for number in numbers)
        ):
            raise Rejected("malformed", "A position is 49 whole numbers from 1 to 49, or 7 rows of 7 of them.").at(
                board=len(self.moves), view=self._view()
            )
        return numbers

    # --- what a board must be ----------------------------------------------------------------------------------------

    def play(self, tokens: list[str]) -> int:
        """A new board: play as many of the tokens as are moves on it; answers how many."""
        cells, white = self.cells, _WHITE[len(self.moves) % 2]
        count = 0
        for token in tokens:
            line, digit = _PUSHES.get(token, (None, 0))
            if line is None:
                break
            blocks = cells[line]
            gap = _GAPS[bytes(blocks.translate(white))]
            if gap <= 0 or count == MOVES or (digit and digit != gap):
                break
            cells[line] = _shifted(blocks, gap)
            count += 1
        self.moves.append(tokens[:count])
        return count

    def _fault(self, token: str) -> Rejected:
        """Why the token can't be played on this board as it stands now."""
        count = len(self.moves[-1])
        self.refused = token
        return self._reason(token, count).at(board=len(self.moves), move=count + 1, view=self._view(token))

    def _reason(self, token: str, count: int) -> Rejected:
        if token not in _PUSHES:
            found = shown(token)
            return Rejected(
                "malformed", "{found} is not a move: a place 1-7 or A-U, alone or followed by a digit 1-7.", found=found
            )
        found = shown(token.upper())
        if count == MOVES:
            return Rejected(
                "too-many-moves",
                "{found} is one move more than the {most} that a board may have.",
                found=found,
                most=MOVES,
            )
        line, digit = _PUSHES[token]
        gap = _GAPS[bytes(self.cells[line].translate(_WHITE[(len(self.moves) - 1) % 2]))]
        blocks = " ".join(_NAMES[block] for block in self.cells[line])
        if gap == 0:
            return Rejected(
                "no-white-block", "{found} pushes a line without a white block, {blocks}.", found=found, blocks=blocks
            )
        if gap < 0:
            return Rejected(
                "no-coloured-block-moves", "{found} moves no coloured block of {blocks}.", found=found, blocks=blocks
            )
        return Rejected(
            "wrong-white-place",
            "{found} says that the farthest white block lies at {digit}, but it lies at {gap} in {blocks}.",
            found=found, digit=digit, gap=gap, blocks=blocks,
        )  # fmt: skip

    def _is_solved(self) -> bool:
        return solved(self.cells, (len(self.moves) - 1) % 2)

    def _unsolved(self) -> Rejected:
        return self._ending("unsolved", "After {n} moves the board is not solved.", n=len(self.moves[-1]))

    def _no_position(self) -> Rejected:
        return self._ending("missing-position", "The board is solved, but its position is not written down.")

    def _other_position(self, wrong: int, found: str) -> Rejected:
        return self._ending(
            "wrong-position",
            "The position is not the one that the moves lead to: row {row}, column {column} holds {due}, not {found}.",
            (Mark(wrong // 7, wrong % 7, "move"),),
            row=wrong // 7 + 1, column=wrong % 7 + 1, due=self.cells[wrong] + 1, found=found,
        )  # fmt: skip

    def _ending(self, code: Code, template: str, marks: tuple[Mark, ...] = (), **values: str | int) -> Rejected:
        """An error of a board whose moves have ended."""
        return Rejected(code, template, **values).at(board=len(self.moves), view=self._view(marks=marks))

    def _view(self, token: str = "", marks: tuple[Mark, ...] = ()) -> Callable[[], View]:
        """Draws the board as it stands now."""
        return partial(picture, bytes(self.cells), (len(self.moves) - 1) % 2, token, marks)


def _fraction(total: int, parts: int) -> str:
    """A fraction in lowest terms; a whole number without its 1."""
    common = gcd(total, parts)
    return f"{total // common}/{parts // common}" if common < parts else str(total // common)


def _too_many_boards() -> Rejected:
    return Rejected("too-many-boards", "A chain has at most {most} boards.", most=MOST)


def picture(cells: bytes, side: int, token: str = "", marks: tuple[Mark, ...] = ()) -> View:
    """The board with its 28 places on the rim. A push is marked at its place, and on the white block that it takes."""
    if token in _PUSHES:
        line, _ = _PUSHES[token]
        gap = _GAPS[bytes(cells[line].translate(_WHITE[side]))]
        taken = range(49)[line][max(gap, 0) - 1 : max(gap, 0)]
        marks = (_RIM[token[0]], *(Mark(*divmod(square, 7), "from") for square in taken))
    row_of = []
    for at in range(0, 49, 7):
        row = []
        for block in cells[at : at + 7]:
            colour = COLOURS[SIDES[side][block]]
            row.append(Cell(_NAMES[block], colour, f"{_NAMES[block]}, {colour}", underlined=side == 1))
        row_of.append(tuple(row))
    return View((Panel(tuple(row_of), "", "1234567", "UTSRQPO", "NMLKJIH", "ABCDEFG", marks),))


class JcGoldenNugget(Rules):
    """The puzzle as one of the registry. Its body is boards, so it replays a record in its own way."""

    id = "jc-golden-nugget"
    body = "boards"

    def key(self, score: Score) -> tuple[int, ...]:
        """Lower mean, more boards, fewer moves on the last board, on the last but one and so on.

        The mean comes as floor(total * 10^6 / boards), which orders means with denominators up to 200 exactly:
        two different ones differ by at least 1 / (200 * 199) = 1 / 39,800, so a scale of 39,800 or more separates them.
        """
        boards, counts = score["boards"], score["moves_per_board"]
        return (score["moves"] * 10**6 // boards, 255 - boards, *reversed(counts))

    def replay(self, record: Record) -> Played:
        chain = _Chain(record)
        score = chain.read()
        play = "\n".join("".join(token[0] for token in moves) for moves in chain.moves)
        cells, side = bytes(chain.cells), (score["boards"] - 1) % 2
        return Played(score, play, partial(picture, cells, side))

    def boards(self, record: Record) -> int:
        chain = _Chain(record)
        with suppress(Rejected):
            chain.read()
        return len(chain.moves)

    def positions(self, record: Record, board: int = 1, after: Position | None = None) -> Iterator[Position]:
        """The positions of one board, up to its end or the first error; none has a state, as a board is short."""
        chain, error = _Chain(record), None
        try:
            chain.read()
        except Rejected as fault:
            error = fault
        again = _Chain(record)
        for moves in chain.moves[: board - 1]:
            again.play(moves)
        for moves in chain.moves[board - 1 : board]:
            cells, side = again.cells, len(again.moves) % 2
            yield Position("", 0, 1, partial(_drawn, bytes(cells), side, ()))
            start = chain.starts[board - 1]
            for count, token in enumerate(moves, 1):
                line, _ = _PUSHES[token]
                gap = _GAPS[bytes(cells[line].translate(_WHITE[side]))]
                cells[line] = _shifted(cells[line], gap)
                drawn = partial(_drawn, bytes(cells), side, _pushed(token, gap))
                yield Position(token, count, count + 1, drawn, start + count - 1)
            if error and error.view and error.board == board:
                index = start + len(moves) if chain.refused or record.boards is None else None
                due = len(moves) + 1
                yield Position(chain.refused, due, due, partial(_before, error), index, fault=error)


def _drawn(cells: bytes, side: int, marks: tuple[Mark, ...], _seat: int | None) -> View:
    return picture(cells, side, marks=marks)


def _before(error: Rejected, _seat: int | None) -> View:
    assert error.view
    return error.view()


def _pushed(token: str, gap: int) -> tuple[Mark, ...]:
    """The marks of a push that has been made: its place, the white block that came to the front, and what it moved."""
    squares = range(49)[_LINES[token[0]]][:gap]
    return (_RIM[token[0]], *(Mark(*divmod(square, 7), "move" if at else "to") for at, square in enumerate(squares)))
