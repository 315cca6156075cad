"""Mike Mallette's Rush: 32 checkers a side, one of them with the flag; dice decide attacks.

Kinds of cells in its pictures: "white-checker", "black-checker" (labelled F with the flag), "die" (equipment.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from verifier.chance import Stream
from verifier.equipment import (
    AROUND,
    CHESS_BOARD,
    EMPTY,
    SIDES,
    chess_panel,
    dice_panel,
    men_of,
    moved,
    named,
    own,
    put,
    seat_of,
    thrown,
    throws,
)
from verifier.rules import DRAW, WON, Header, Match
from verifier.verdict import Rejected, shown
from verifier.view import Cell, Note, View

START = "c" * 32 + "C" * 32
"""A checker is a c, White's in upper case."""
FIRST_ROWS = (1, 8)
QUIET = 100
"""So many turns in a row without a checker removed are a draw."""
SQUARE = re.compile("[a-h][1-8]")
MOVE = re.compile("([a-h][1-8])([x>]?)([a-h][1-8])")


class State(NamedTuple):
    """A match between two tokens. Squares are numbered as equipment.Board does."""

    draw: Stream | None
    men: str = START
    flags: tuple[int, ...] = ()
    """Where the flags are, White's first; as many as have been placed."""
    attack: tuple[int, ...] = ()
    """Attacker's and defender's squares while a throw is due."""
    dice: tuple[int, ...] = ()
    """The throw of the last turn, if it was an attack."""
    turns: int = 0
    quiet: int = 0
    """Turns since a checker was removed."""
    last: tuple[int, ...] = ()
    """The squares of the last turn, for its picture."""
    result: str = ""

    @property
    def seat(self) -> int:
        """Who is on turn, 0 or 1."""
        return self.turns % 2


class FlagRush(Match):
    id = "flag-rush"
    headers = ("seed", "players", "result")

    def start(self, header: Header) -> State:
        return State(header.draw)

    def may_resign(self, state: State) -> None:
        if state.attack:
            raise Rejected("illegal-move", "The attack has been announced: its throw is due, nobody can resign now.")

    def advance(self, state: State, token: str) -> State:
        if state.attack:
            return self._fought(state, token)
        if len(state.flags) < 2:
            return self._placed(state, token)
        form = MOVE.fullmatch(token)
        if not form:
            raise Rejected(
                "malformed",
                "A turn is due, such as e4e5 (a move), e4xe5 (an attack) or e4>e5 (the flag), not {found}.",
                found=shown(token),
            )
        start, target = own(form[1], state.seat, state.men), CHESS_BOARD.squares[form[3]]
        if target not in AROUND[start]:
            raise Rejected(
                "illegal-move", "{target} is not one of the squares around {start}.", target=form[3], start=form[1]
            )
        holder = seat_of(state.men[target])
        match form[2]:
            case "x":
                return self._attacked(state, start, target, holder)
            case ">":
                return self._passed(state, start, target, holder)
            case _:
                return self._moved(state, start, target, holder)

    def _placed(self, state: State, token: str) -> State:
        if not SQUARE.fullmatch(token):
            raise Rejected("malformed", "The square of a flag is due, not {found}.", found=shown(token))
        square, row = CHESS_BOARD.squares[token], FIRST_ROWS[state.seat]
        if CHESS_BOARD.rank(square) != row:
            raise Rejected(
                "illegal-move",
                "{side}'s flag starts on row {row}, not on {square}.",
                side=SIDES[state.seat], row=row, square=token,
            )  # fmt: skip
        return state._replace(flags=(*state.flags, square), turns=state.turns + 1, last=(square,))

    def _moved(self, state: State, start: int, target: int, holder: int) -> State:
        if holder >= 0:
            raise Rejected(
                "illegal-move",
                "A checker moves to an empty square, and on {square} stands one of {side}.",
                square=CHESS_BOARD.names[target], side=SIDES[holder],
            )  # fmt: skip
        return self._turned(_carried(state, start, target), (start, target))

    def _attacked(self, state: State, start: int, target: int, holder: int) -> State:
        if holder != 1 - state.seat:
            raise Rejected(
                "illegal-move", "There is no enemy checker on {square} to attack.", square=CHESS_BOARD.names[target]
            )
        return state._replace(attack=(start, target), dice=(), last=(start, target))

    def _fought(self, state: State, token: str) -> State:
        """The throw of an attack: the loser is removed, with its flag if it has one."""
        dice, draw = thrown(token, 2, state.draw)
        start, target = state.attack
        state = state._replace(draw=draw, attack=())
        if dice[0] == dice[1]:
            return self._turned(state, (start, target), dice)
        loser = target if dice[0] > dice[1] else start
        if loser in state.flags:
            winner = 1 - state.flags.index(loser)
            state = state._replace(flags=tuple(-1 if flag == loser else flag for flag in state.flags))
        else:
            winner = -1
        state = (
            _carried(state, start, target) if loser == target else state._replace(men=put(state.men, {start: EMPTY}))
        )
        return self._turned(state, (start, target), dice, quiet=0, result=WON[winner] if winner >= 0 else "")

    def _passed(self, state: State, start: int, target: int, holder: int) -> State:
        if state.flags[state.seat] != start:
            raise Rejected(
                "illegal-move",
                "{side}'s flag is on {flag}, not on {start}.",
                side=SIDES[state.seat],
                flag=CHESS_BOARD.names[state.flags[state.seat]], start=CHESS_BOARD.names[start],
            )  # fmt: skip
        if holder != state.seat:
            raise Rejected(
                "illegal-move",
                "The flag passes to one of {side}'s own checkers, and there is none on {square}.",
                side=SIDES[state.seat], square=CHESS_BOARD.names[target],
            )  # fmt: skip
        return self._turned(_flagged(state, start, target), (start, target))

    def _turned(
        self,
        state: State,
        last: tuple[int, int],
        dice: tuple[int, ...] = (),
        quiet: int | None = None,
        result: str = "",
    ) -> State:
        """The turn has been played; whether it ends the match."""
        seat = state.seat
        quiet = state.quiet + 1 if quiet is None else quiet
        flag = state.flags[seat]
        if flag >= 0 and CHESS_BOARD.rank(flag) == FIRST_ROWS[1 - seat]:
            result = WON[seat]
        elif quiet == QUIET:
            result = DRAW
        return state._replace(turns=state.turns + 1, dice=dice, quiet=quiet, last=last, result=result)

    def moves(self, state: State) -> list[str]:
        """All turns, or all throws; with a seed the throw that it gives."""
        names = CHESS_BOARD.names
        if state.attack:
            return throws(2, state.draw)
        if len(state.flags) < 2:
            return [name for name in names if name.endswith(str(FIRST_ROWS[state.seat]))]
        return [
            names[start] + sign + names[target]
            for start in men_of(state.seat, state.men)
            for target in AROUND[start]
            for sign in self._signs(state, start, seat_of(state.men[target]))
        ]

    def _signs(self, state: State, start: int, holder: int) -> Iterator[str]:
        """What the checker on `start` may do to a square around it, as a move writes it."""
        if holder < 0:
            yield ""
        elif holder != state.seat:
            yield "x"
        elif state.flags[state.seat] == start:
            yield ">"

    def view(self, state: State) -> View:
        cells = [_cell(man, square in state.flags) for square, man in enumerate(state.men)]
        board = chess_panel(cells, state.last)
        return View((board, dice_panel(state.dice, Note("Throw"))) if state.dice else (board,))

    def refused(self, state: State, token: str) -> View:
        return self.view(state if state.attack else state._replace(last=named(token)[:2], dice=()))


def _carried(state: State, start: int, target: int) -> State:
    """The checker goes to another square, with the flag if it has it."""
    return _flagged(state, start, target)._replace(men=moved(state.men, start, target))


def _flagged(state: State, start: int, target: int) -> State:
    """A flag that was on one square is on another."""
    return state._replace(flags=tuple(target if flag == start else flag for flag in state.flags))


def _cell(man: str, flag: bool) -> Cell:
    if man == EMPTY:
        return Cell()
    side = SIDES[seat_of(man)].lower()
    return Cell(
        "F" if flag else "OX"[seat_of(man)],
        f"{side}-checker",
        f"{side} checker, with the flag" if flag else f"{side} checker",
    )
