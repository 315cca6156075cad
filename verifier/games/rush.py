"""Rush, by Mark Steere: stones fill a board of points; two connections give another one; most win.

Kinds of cells in its pictures: "black-stone", "white-stone".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from verifier.equipment import EMPTY, ORTHOGONAL, Board, put
from verifier.rules import Header, Match, result_of
from verifier.verdict import Rejected, shown
from verifier.view import Cell, View, tally

LEAST, MOST = 3, 25
"""The bounds of an odd number of columns or rows."""
SIZES = {str(size): size for size in range(LEAST, MOST + 1, 2)}
SIZE = re.compile("(0|[1-9][0-9]*)(?:x(0|[1-9][0-9]*))?")
USUAL = (19, 19)
"""Columns and rows where a record doesn't say."""
TURN = re.compile("[a-z][1-9][0-9]*(?:[+][a-z][1-9][0-9]*)*")
STONES = "bw"
"""The stones of the seats."""


@cache
def board_of(size: tuple[int, int]) -> tuple[Board, tuple[tuple[int, ...], ...]]:
    """The board of so many columns and rows, and the neighbours of each of its points."""
    board = Board(*size)
    return board, board.steps(ORTHOGONAL)


class State(NamedTuple):
    """A match between two turns. Points are numbered as equipment.Board does."""

    size: tuple[int, int]
    points: str
    """What is on each point: a letter of STONES, or nothing."""
    turns: int = 0
    last: tuple[int, ...] = ()
    """The points of the last turn's stones."""
    result: str = ""

    @property
    def seat(self) -> int:
        """Who is on turn, 0 Black, 1 White."""
        return self.turns % 2


class Rush(Match):
    id = "rush"
    headers = ("size", "players", "result")
    seats = ("Black", "White")

    def option(self, key: str, value: Any) -> tuple[int, int]:
        """The size, columns and rows: text, or a JSON number."""
        form = SIZE.fullmatch(str(value)) if isinstance(value, str) or type(value) is int else None
        if not form:
            raise Rejected(
                "malformed",
                "A size is a number, or two with an x between, such as 9 or 9x13, and not {found}.",
                found=shown(str(value)),
            )
        columns, rows = form[1], form[2] or form[1]
        for number in (columns, rows):
            if number not in SIZES:
                raise Rejected(
                    "bad-layout",
                    "A board has an odd number of columns and of rows, from {least} to {most}, and not {found}.",
                    least=LEAST, most=MOST, found=shown(number),
                )  # fmt: skip
        return SIZES[columns], SIZES[rows]

    def start(self, header: Header) -> State:
        size = header.options.get("size", USUAL)
        return State(size, EMPTY * (size[0] * size[1]))

    def points(self, state: State) -> list[int]:
        return [state.points.count(stone) for stone in STONES]

    def advance(self, state: State, token: str) -> State:
        if not TURN.fullmatch(token):
            raise Rejected(
                "malformed",
                "A turn is due, its stones' points joined by +, such as e5 or e5+e6+c3, and not {found}.",
                found=shown(token),
            )
        placed: list[int] = []
        due = True
        for name in token.split("+"):
            if not due:
                raise Rejected(
                    "illegal-move", "The turn ends before {point}: no other stone is due.", point=shown(name)
                )
            point = self._free(state, name)
            connections = len(around(state, point))
            state = state._replace(points=put(state.points, {point: STONES[state.seat]}))
            placed.append(point)
            due = connections >= 2 and next(placements(state), None) is not None
        if due:
            raise Rejected(
                "illegal-move",
                "The last stone formed {n} connections, so another is due; {point} is open, for instance.",
                n=connections, point=board_of(state.size)[0].names[next(placements(state))],
            )  # fmt: skip
        full = EMPTY not in state.points
        return state._replace(
            turns=state.turns + 1, last=tuple(placed), result=result_of(*self.points(state)) if full else ""
        )

    def _free(self, state: State, name: str) -> int:
        """The point of that name, where the player on turn may place a stone."""
        point = board_of(state.size)[0].squares.get(name)
        if point is None:
            raise Rejected(
                "illegal-move",
                "{point} is off this board of {columns} columns and {rows} rows.",
                point=shown(name), columns=state.size[0], rows=state.size[1],
            )  # fmt: skip
        if state.points[point] != EMPTY:
            raise Rejected("illegal-move", "There is a stone on {point}.", point=name)
        if not allowed(state, point):
            raise Rejected(
                "illegal-move",
                "A stone on {point} would form {n} connections, all of them with {side}'s own stones.",
                point=name, n=len(around(state, point)), side=self.seats[state.seat],
            )  # fmt: skip
        return point

    def view(self, state: State) -> View:
        board, _ = board_of(state.size)
        names = dict(zip(STONES, self.seats, strict=True))
        cells = [
            Cell()
            if stone == EMPTY
            else Cell("XO"[STONES.index(stone)], f"{names[stone].lower()}-stone", f"{names[stone].lower()} stone")
            for stone in state.points
        ]
        black, white = self.points(state)
        marks = [board.mark(point, "to") for point in state.last]
        return View((board.panel(cells, marks, ground="points"),), (tally(self.seats, (black, white)),))

    def refused(self, state: State, token: str) -> View:
        squares = board_of(state.size)[0].squares
        named = (squares.get(name) for name in token.split("+")[: len(squares)])
        return self.view(state._replace(last=tuple(point for point in named if point is not None)))


def around(state: State, point: int) -> str:
    """The stones on the neighbouring points."""
    return "".join(state.points[near] for near in board_of(state.size)[1][point]).replace(EMPTY, "")


def allowed(state: State, point: int) -> bool:
    """Whether the player on turn may place a stone on that empty point."""
    stones = around(state, point)
    return len(stones) < 2 or STONES[1 - state.seat] in stones


def placements(state: State) -> Iterator[int]:
    """The points where the player on turn may place a stone."""
    return (point for point, stone in enumerate(state.points) if stone == EMPTY and allowed(state, point))
