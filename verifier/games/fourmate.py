"""Fourmate, by Andy Lewicki: chess pieces that take nothing try to stand four in line or square.

Kinds of cells in its pictures: chess pieces (equipment.py; underlined: the formation that has won).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from verifier.chance import Stream
from verifier.equipment import (
    AROUND,
    CHESS_BOARD,
    EMPTY,
    PIECES,
    chess_panel,
    man_cell,
    men_of,
    moved,
    named,
    own,
    reach,
)
from verifier.rules import DRAW, WON, Header, Match
from verifier.verdict import Rejected, shown
from verifier.view import View

TURNS = 200
"""So many turns without a formation are a draw."""
ROW = re.compile("[rnbqk]{8}")
MOVE = re.compile("([a-h][1-8])([a-h][1-8])")

Move = tuple[int, int]


def _lines() -> Iterator[tuple[int, ...]]:
    """Every row, column and diagonal of four squares or more, from one end to the other."""
    for right, up in ((0, 1), (1, 0), (1, 1), (1, -1)):
        ahead, behind = CHESS_BOARD.rays([(right, up)]), CHESS_BOARD.rays([(-right, -up)])
        for square in range(64):
            if not behind[square][0] and len(ahead[square][0]) >= 3:
                yield (square, *ahead[square][0])


_LINES = tuple(_lines())
_SQUARES: tuple[tuple[int, ...], ...] = tuple((at, at + 1, at + 8, at + 9) for at in range(55) if at % 8 < 7)
_OWN_HALF = (range(32, 64), range(32))


class State(NamedTuple):
    """A match between two tokens. Squares are numbered as equipment.Board does."""

    men: str
    first: Move | tuple[()] | None = None
    """The first move of Black's turn, empty for a pass; None where a turn begins."""
    turns: int = 0
    last: tuple[int, ...] = ()
    """The squares of the last turn's moves: from, to, and so on."""
    result: str = ""

    @property
    def seat(self) -> int:
        """Who is on turn, 0 or 1."""
        return self.turns % 2


class Fourmate(Match):
    id = "fourmate"
    headers = ("deal", "seed", "layout", "players", "result")
    layout_size = 1

    # --- the setup: the row as one word, folded ----------------------------------------------------------------------

    def deal(self, draw: Stream) -> tuple[str, Stream]:
        number, draw = draw.below(960)
        return fischer_row(number), draw

    def lay(self, entries: Iterator[str]) -> str:
        row = next(entries)
        if not ROW.fullmatch(row):
            raise Rejected(
                "malformed", "A row is one word of 8 letters out of R N B Q K, and not {found}.", found=shown(row)
            )
        if sorted(row) != sorted("rnbqkbnr"):
            raise Rejected("bad-layout", "A row has two R, N and B each, a Q and a K; {row} has not.", row=row.upper())
        if row.index("b") % 2 == row.rindex("b") % 2:
            raise Rejected("bad-layout", "The bishops of {row} stand on squares of one colour.", row=row.upper())
        if not row.index("r") < row.index("k") < row.rindex("r"):
            raise Rejected("bad-layout", "The king of {row} does not stand between the rooks.", row=row.upper())
        return row

    def written(self, setup: str) -> str:
        return setup.upper()

    # --- the play ----------------------------------------------------------------------------------------------------

    def start(self, header: Header) -> State:
        assert header.setup
        row: str = header.setup.start
        return State(row + EMPTY * 48 + row.upper())

    def may_resign(self, state: State) -> None:
        if state.first is not None:
            raise Rejected("illegal-move", "Black's turn has begun: its second move is due, nobody can resign now.")

    def advance(self, state: State, token: str) -> State:
        form = MOVE.fullmatch(token)
        if not form and token != "pass":
            raise Rejected("malformed", "A move is due, such as b1c3 or pass, and not {found}.", found=shown(token))
        move: Move | tuple[()] = ()
        men = state.men
        if form:
            move = self._read(state, form[1], form[2])
            men = moved(men, *move)
        else:
            self._check_pass(state)
        if state.seat == 1 and state.first is None:
            return state._replace(men=men, first=move, last=move)
        seat, turns = state.seat, state.turns + 1
        result = WON[seat] if formation(men, seat) else DRAW if turns == TURNS else ""
        return State(men, None, turns, move if seat == 0 else state.last + move, result)

    def _read(self, state: State, start_name: str, target_name: str) -> Move:
        """The move, if it is allowed."""
        start, target = own(start_name, state.seat, state.men), CHESS_BOARD.squares[target_name]
        piece = PIECES[state.men[start].lower()]
        if state.men[target] != EMPTY:
            raise Rejected("illegal-move", "{square} is not empty, and nothing is taken.", square=target_name)
        if target not in reach(state.men[start].lower(), start, state.men):
            raise Rejected(
                "illegal-move",
                "The {piece} on {start} can't move to {target}.",
                piece=piece, start=start_name, target=target_name,
            )  # fmt: skip
        if state.seat == 1 and state.first is None:
            self._check_first(state, (start, target))
        elif state.first:
            if start == state.first[1]:
                raise Rejected(
                    "illegal-move", "The {piece} on {square} has just moved.", piece=piece, square=start_name
                )
            if target in AROUND[state.first[1]]:
                raise Rejected(
                    "illegal-move",
                    "The pieces moved would touch, on {first} and {second}.",
                    first=CHESS_BOARD.names[state.first[1]], second=target_name,
                )  # fmt: skip
        return start, target

    def _check_first(self, state: State, move: Move) -> None:
        """Black's first move leaves a second one that goes with it, unless no move does."""
        if next(seconds(state.men, move), None):
            return
        for other in moves_of(1, state.men):
            second = next(seconds(state.men, other), None)
            if second:
                raise Rejected(
                    "illegal-move",
                    "No second move goes with {move}, while others have one, such as {first} with {second}.",
                    move=_written(move), first=_written(other), second=_written(second),
                )  # fmt: skip

    def _check_pass(self, state: State) -> None:
        possible = seconds_due(state) if state.first is not None else moves_of(state.seat, state.men)
        move = next(possible, None)
        if move:
            raise Rejected(
                "illegal-move", "There is a move, {move} for instance, so there is no pass.", move=_written(move)
            )

    def moves(self, state: State) -> list[str]:
        if state.first is not None:
            possible = list(seconds_due(state))
        else:
            possible = list(moves_of(state.seat, state.men))
            if state.seat == 1:
                possible = [move for move in possible if next(seconds(state.men, move), None)] or possible
        return [_written(move) for move in possible] or ["pass"]

    def view(self, state: State) -> View:
        four = formation(state.men, 1 - state.seat) if state.result in WON else ()
        cells = [man_cell(man)._replace(underlined=square in four) for square, man in enumerate(state.men)]
        return View((chess_panel(cells, state.last[:2], state.last[2:]),))

    def refused(self, state: State, token: str) -> View:
        before = state.last if state.first is not None else ()
        return self.view(state._replace(last=before + named(token)[:2]))


def fischer_row(number: int) -> str:
    """The row of that number, 0 to 959, in the usual numbering of Fischer random chess; folded."""
    row = [""] * 8
    number, place = divmod(number, 4)
    row[2 * place + 1] = "b"
    number, place = divmod(number, 4)
    row[2 * place] = "b"
    knights, place = divmod(number, 6)
    row[_free(row)[place]] = "q"
    free = _free(row)
    for place in list(combinations(range(5), 2))[knights]:
        row[free[place]] = "n"
    for place, piece in zip(_free(row), "rkr", strict=True):
        row[place] = piece
    return "".join(row)


def _free(row: list[str]) -> list[int]:
    return [place for place, piece in enumerate(row) if not piece]


def moves_of(seat: int, men: str) -> Iterator[Move]:
    """Every move of a player's pieces to an empty square."""
    for start in men_of(seat, men):
        for target in reach(men[start].lower(), start, men):
            if men[target] == EMPTY:
                yield start, target


def seconds(men: str, first: Move) -> Iterator[Move]:
    """Black's second moves that go with a first one, which has not been made yet."""
    return _seconds(moved(men, *first), first[1])


def seconds_due(state: State) -> Iterator[Move]:
    """Black's second moves after the first one of a turn."""
    return _seconds(state.men, state.first[1]) if state.first else iter(())


def _seconds(men: str, where: int) -> Iterator[Move]:
    """The moves of Black's other pieces than the one on that square to squares that don't touch it."""
    return ((start, target) for start, target in moves_of(1, men) if start != where and target not in AROUND[where])


def formation(men: str, seat: int) -> tuple[int, ...]:
    """The squares of a formation of the player, none if there is none: four pieces on a 2x2 square, or in line and no
    fifth next to them; half of them beyond the own half."""
    mine = set(men_of(seat, men))
    fours = [square for square in _SQUARES if mine.issuperset(square)]
    for line in _LINES:
        marks = "".join("x" if square in mine else " " for square in line)
        fours += [line[run.start() : run.end()] for run in re.finditer("x+", marks) if len(run[0]) == 4]
    return next((four for four in fours if sum(square in _OWN_HALF[seat] for square in four) <= 2), ())


def _written(move: Move) -> str:
    return CHESS_BOARD.names[move[0]] + CHESS_BOARD.names[move[1]]
