"""Mad Chess, by Andy Lewicki: one of two dice names the piece, the other the way it moves.

Kinds of cells in its pictures: chess pieces and "die" (equipment.py).
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
    PIECES,
    chess_panel,
    dice_panel,
    man_cell,
    men_of,
    moved,
    named,
    own,
    put,
    reach,
    seat_of,
    thrown,
    throws,
)
from verifier.rules import DRAW, WON, Header, Match
from verifier.verdict import Rejected, shown
from verifier.view import Note, View

START = "rnbqkbnr" + "p" * 8 + EMPTY * 32 + "P" * 8 + "RNBQKBNR"
KINDS = "?pnbrqk"
"""What a die names."""
QUIET = 100
"""So many turns in a row without a piece taken are a draw."""
MOVE = re.compile("([a-h][1-8])([a-h][1-8])([qrbn]?)")


class State(NamedTuple):
    """A match before a throw, or between a throw and its move. Squares are numbered as equipment.Board does."""

    draw: Stream | None
    men: str = START
    dice: tuple[int, ...] = ()
    """The last throw."""
    is_thrown: bool = False
    """Whether that throw's move is due; otherwise a throw is."""
    turns: int = 0
    quiet: int = 0
    """Turns since a piece was taken."""
    last: tuple[int, ...] = ()
    """The squares of the last move, none after a pass."""
    result: str = ""

    @property
    def seat(self) -> int:
        """Who is on turn, 0 or 1."""
        return self.turns % 2


def ways(kind: str, dice: tuple[int, ...]) -> str:
    """How a piece of that kind may move after this throw, as a kind; empty if it may not."""
    first, second = (KINDS[die] for die in dice)
    return second if kind == first else first if kind == second else ""


def targets(state: State, start: int) -> Iterator[int]:
    """Where the piece on that square, the player's own, may go."""
    kind, men, seat = state.men[start].lower(), state.men, state.seat
    way = ways(kind, state.dice)
    if not way:
        return
    king = "kK"[seat]
    for target in pawn_reach(start, seat, men) if way == "p" else reach(way, start, men):
        if seat_of(men[target]) == seat:
            continue
        if men[target] == king and kind == "p" and state.dice != (1, 1):
            continue
        yield target


def pawn_reach(start: int, seat: int, men: str) -> Iterator[int]:
    """Where a piece of that player may go like a pawn: forward to empty squares, diagonally to an enemy piece."""
    up = -8 if seat == 0 else 8
    one, two = start + up, start + 2 * up
    if not 0 <= one < 64:
        return
    if men[one] == EMPTY:
        yield one
        if CHESS_BOARD.rank(start) == (2, 7)[seat] and men[two] == EMPTY:
            yield two
    for side in (one - 1, one + 1):
        if side in AROUND[start] and seat_of(men[side]) == 1 - seat:
            yield side


class MadChess(Match):
    id = "mad-chess"
    headers = ("seed", "players", "result")

    def start(self, header: Header) -> State:
        return State(header.draw)

    def advance(self, state: State, token: str) -> State:
        if not state.is_thrown:
            dice, draw = thrown(token, 2, state.draw)
            return state._replace(dice=dice, draw=draw, is_thrown=True)
        if token == "pass":
            return self._passed(state)
        form = MOVE.fullmatch(token)
        if not form:
            raise Rejected(
                "malformed",
                "A move is due, such as e2e4, e7e8q or pass, not {found}.",
                found=shown(token),
            )
        start, target, becomes = own(form[1], state.seat, state.men), CHESS_BOARD.squares[form[2]], form[3]
        if target not in targets(state, start):
            raise self._unreached(state, start, target)
        man = state.men[start]
        promotes = man in "Pp" and CHESS_BOARD.rank(target) == (8, 1)[state.seat]
        if promotes and not becomes:
            raise Rejected(
                "illegal-move",
                "The pawn comes to the last row at {square}: a letter (q, r, b or n) says what it becomes.",
                square=form[2],
            )
        if becomes and not promotes:
            raise Rejected(
                "illegal-move", "Only a pawn on its last row becomes another piece; {move} ends otherwise.", move=token
            )
        taken = state.men[target]
        men = moved(state.men, start, target)
        if becomes:
            men = put(men, {target: becomes.upper() if state.seat == 0 else becomes})
        if taken in "Kk":
            return self._turned(state, men, (start, target), 0)._replace(result=WON[state.seat])
        return self._turned(state, men, (start, target), state.quiet + 1 if taken == EMPTY else 0)

    def _passed(self, state: State) -> State:
        for start in men_of(state.seat, state.men):
            target = next(targets(state, start), None)
            if target is not None:
                raise Rejected(
                    "illegal-move",
                    "The throw gives a move, {start} to {target} for instance, so there is no pass.",
                    start=CHESS_BOARD.names[start], target=CHESS_BOARD.names[target],
                )  # fmt: skip
        return self._turned(state, state.men, (), state.quiet + 1)

    def _turned(self, state: State, men: str, last: tuple[int, ...], quiet: int) -> State:
        return state._replace(
            men=men,
            is_thrown=False,
            turns=state.turns + 1,
            quiet=quiet,
            last=last,
            result=DRAW if quiet == QUIET else "",
        )

    def _unreached(self, state: State, start: int, target: int) -> Rejected:
        """Why the player's own piece can't make that move."""
        kind, names = state.men[start].lower(), CHESS_BOARD.names
        way = ways(kind, state.dice)
        first, second = (PIECES[KINDS[die]] for die in state.dice)
        if not way:
            return Rejected(
                "illegal-move",
                "The throw is {first} and {second}; on {square} stands a {piece}.",
                first=first, second=second, square=names[start], piece=PIECES[kind],
            )  # fmt: skip
        if seat_of(state.men[target]) == state.seat:
            return Rejected("illegal-move", "The player's own piece stands on {square}.", square=names[target])
        if kind == "p" and state.men[target] in "Kk" and way != "p" and target in reach(way, start, state.men):
            return Rejected("illegal-move", "A pawn takes the king only after a throw of 11.")
        return Rejected(
            "illegal-move",
            "The {piece} on {start} moves like a {way} now, and so it can't come to {target}.",
            piece=PIECES[kind], start=names[start], way=PIECES[way], target=names[target],
        )  # fmt: skip

    def moves(self, state: State) -> list[str]:
        """All moves after a throw; before it all throws, or the one that the seed gives."""
        if not state.is_thrown:
            return throws(2, state.draw)
        names, last = CHESS_BOARD.names, (8, 1)[state.seat]
        return [
            names[start] + names[target] + becomes
            for start in men_of(state.seat, state.men)
            for target in targets(state, start)
            for becomes in ("qrbn" if state.men[start] in "Pp" and CHESS_BOARD.rank(target) == last else ("",))
        ] or ["pass"]

    def view(self, state: State) -> View:
        board = chess_panel([man_cell(man) for man in state.men], state.last)
        return View((board, dice_panel(state.dice, Note("Throw"))) if state.dice else (board,))

    def refused(self, state: State, token: str) -> View:
        return self.view(state._replace(last=named(token)[:2]))
