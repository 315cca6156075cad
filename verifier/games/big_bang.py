"""Big Bang, by Andy Lewicki: chess pieces burst out of the centre and race home past black holes.

Kinds of cells in its pictures: chess pieces (equipment.py; underlined: at home for good) and "hole".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from verifier.chance import Stream
from verifier.equipment import (
    CHESS_BOARD,
    EMPTY,
    PIECES,
    SIDES,
    chess_panel,
    man_cell,
    men_of,
    moved,
    named,
    own,
    put,
    reach,
    seat_of,
)
from verifier.rules import DRAW, WON, Header, Match
from verifier.verdict import Rejected, shown
from verifier.view import Cell, Note, View

START = EMPTY * 27 + "QK" + EMPTY * 6 + "kq" + EMPTY * 27
HOME = "rnbqkbnr" + EMPTY * 48 + "RNBQKBNR"
"""The places: a piece that stands on its own one is frozen."""
TO_COME = "rrnnbb"
"""The pieces that appear, three at a time."""
BANG = (("e5", "f6"), ("d4", "c3"), ("d5", "c6 b7 a8"), ("e4", "f3 g2 h1"))
"""The moves of the first four turns: from where, and where to."""
QUIET = 100
"""So many turns of the race in a row in which no piece is frozen are a draw."""
MOVE = re.compile("([a-h][1-8])([a-h][1-8])(?:>([a-h][1-8]))?")
ARRIVALS = re.compile("(?:[rnb][a-h][1-8]){3}")
HOLES = re.compile("(?:[a-h][1-8]){4}")

_ASCENDING = sorted(range(64), key=lambda square: (CHESS_BOARD.rank(square), square))
"""The squares in the order a1, b1, ..., h1, a2, ..., h8: what random events are drawn from."""
_QUARTERS = tuple(
    [CHESS_BOARD.squares[file + rank] for rank in ranks for file in files]
    for files, ranks in (("efgh", "5678"), ("abcd", "1234"), ("abcd", "5678"), ("efgh", "1234"))
)
"""Where pieces appear in each of the first four turns, in the same order."""
_LIGHT = {square for square in range(64) if (square // 8 + square % 8) % 2 == 0}


class State(NamedTuple):
    """A match between two tokens. Squares are numbered as equipment.Board does."""

    draw: Stream | None
    men: str = START
    holes: tuple[int, ...] = ()
    to_come: tuple[str, str] = (TO_COME, TO_COME)
    """The pieces of each seat that have not appeared yet; with a seed, from turn 1 and 2 on, in the order they come."""
    due: str = "move"
    """What token is due: "move", "pieces" or "holes"."""
    turns: int = 0
    quiet: int = 0
    """Turns of the race since a piece was frozen."""
    last: tuple[int, ...] = ()
    """The squares of the last move, that of a hole on the way among them."""
    result: str = ""

    @property
    def seat(self) -> int:
        """Who is on turn, 0 or 1."""
        return self.turns % 2


class BigBang(Match):
    id = "big-bang"
    headers = ("seed", "players", "result")

    def start(self, header: Header) -> State:
        return State(header.draw)

    def may_resign(self, state: State) -> None:
        if state.due != "move":
            raise Rejected("illegal-move", "The turn has begun: what appears in it is due, nobody can resign now.")

    def advance(self, state: State, token: str) -> State:
        match state.due:
            case "pieces":
                return self._appeared(state, token)
            case "holes":
                return self._opened(state, token)
        form = MOVE.fullmatch(token)
        if not form and token != "pass":
            raise Rejected(
                "malformed", "A move is due, such as e4e5, e4e5>b3 or pass, and not {found}.", found=shown(token)
            )
        if state.turns < len(BANG):
            return self._burst(state, token)
        if not form:
            return self._passed(state)
        return self._raced(state, form[1], form[2], form[3])

    def _burst(self, state: State, token: str) -> State:
        start, targets = BANG[state.turns]
        if token not in [start + target for target in targets.split()]:
            raise Rejected(
                "illegal-move",
                "Turn {turn} is a move from {start} to {targets}, and not {found}.",
                turn=state.turns + 1, start=start, targets=targets.replace(" ", "/"), found=token,
            )  # fmt: skip
        last = named(token)
        return state._replace(men=moved(state.men, *last), last=last, due="pieces")

    def _passed(self, state: State) -> State:
        move = next(moves_of(state), None)
        if move:
            raise Rejected("illegal-move", "There is a move, {move} for instance, so there is no pass.", move=move)
        return self._turned(state._replace(last=()), frozen=False)

    def _raced(self, state: State, start_name: str, target_name: str, exit_name: str | None) -> State:
        start, target = own(start_name, state.seat, state.men), CHESS_BOARD.squares[target_name]
        piece = PIECES[state.men[start].lower()]
        if state.men[start] == HOME[start]:
            raise Rejected(
                "illegal-move", "The {piece} on {square} is at home and frozen.", piece=piece, square=start_name
            )
        if state.men[target] != EMPTY:
            raise Rejected("illegal-move", "{square} is not empty, and nothing is taken.", square=target_name)
        if target not in reach(state.men[start].lower(), start, state.men):
            raise Rejected(
                "illegal-move",
                "The {piece} on {start} can't move to {target}.",
                piece=piece, start=start_name, target=target_name,
            )  # fmt: skip
        if CHESS_BOARD.rank(target) == away(state.seat):
            raise Rejected("illegal-move", "{square} is on the opponent's target row.", square=target_name)
        exit_square = self._exit(state, start, target, exit_name)
        if start not in (movable := list(movables(state))):
            raise Rejected(
                "illegal-move",
                "A piece on the opponent's target row moves first, here the one on {square}.",
                square=CHESS_BOARD.names[movable[0]],
            )
        if exit_square is None:
            men = moved(state.men, start, target)
            return self._turned(state._replace(men=men, last=(start, target)), frozen=men[target] == HOME[target])
        men = moved(state.men, start, exit_square)
        return state._replace(men=men, last=(start, target, exit_square), due="holes")

    def _exit(self, state: State, start: int, target: int, name: str | None) -> int | None:
        """Where the piece comes out, if it goes into a hole."""
        if target not in state.holes:
            if name:
                raise Rejected("illegal-move", "There is no hole on {square}.", square=CHESS_BOARD.names[target])
            return None
        if not name:
            raise Rejected(
                "illegal-move",
                "There is a hole on {square}: the move says where the piece comes out.",
                square=CHESS_BOARD.names[target],
            )
        square = CHESS_BOARD.squares[name]
        if square == target or square not in state.holes:
            raise Rejected(
                "illegal-move",
                "{square} is no other hole to come out of: they are {holes}.",
                square=name, holes=" ".join(CHESS_BOARD.names[hole] for hole in state.holes),
            )  # fmt: skip
        if square not in exits(state, start, target):
            raise Rejected(
                "illegal-move",
                "A bishop keeps its colour, and {square} has not the colour of {start}.",
                square=name, start=CHESS_BOARD.names[start],
            )  # fmt: skip
        return square

    def _turned(self, state: State, frozen: bool) -> State:
        """The turn has been played; whether it ends the match."""
        seat = state.seat
        quiet = 0 if frozen or state.turns < len(BANG) else state.quiet + 1
        home = slice(56, 64) if seat == 0 else slice(8)
        result = WON[seat] if state.men[home] == HOME[home] else DRAW if quiet == QUIET else ""
        return state._replace(turns=state.turns + 1, quiet=quiet, due="move", result=result)

    # --- random events -----------------------------------------------------------------------------------------------

    def _appeared(self, state: State, token: str) -> State:
        """The three pieces of one of the first four turns."""
        if not ARRIVALS.fullmatch(token):
            raise Rejected(
                "malformed",
                "Three pieces are due, each as r, n or b with its square, run together, and not {found}.",
                found=shown(token),
            )
        if state.draw:
            due, state = drawn_pieces(state, state.draw)
            _check_drawn(token, due)
        left = state.to_come[state.seat]
        for at in range(0, 9, 3):
            kind, square = token[at], CHESS_BOARD.squares[token[at + 1 : at + 3]]
            if kind not in left:
                raise Rejected(
                    "illegal-move", "{side} has no {piece} to come.", side=SIDES[state.seat], piece=PIECES[kind]
                )
            if square not in (places := arrivals(state, kind)):
                raise Rejected(
                    "illegal-move",
                    "A {piece} can't appear on {square}: the empty squares for it are {places}.",
                    piece=PIECES[kind], square=CHESS_BOARD.names[square],
                    places=" ".join(CHESS_BOARD.names[place] for place in places),
                )  # fmt: skip
            left = left.replace(kind, "", 1)
            state = state._replace(men=put(state.men, {square: "RNB"["rnb".index(kind)] if state.seat == 0 else kind}))
        to_come = (left, state.to_come[1]) if state.seat == 0 else (state.to_come[0], left)
        state = state._replace(to_come=to_come)
        return state._replace(due="holes") if state.turns == len(BANG) - 1 else self._turned(state, frozen=False)

    def _opened(self, state: State, token: str) -> State:
        """The four holes, anew."""
        if not HOLES.fullmatch(token):
            raise Rejected(
                "malformed", "The squares of four holes are due, run together, and not {found}.", found=shown(token)
            )
        if state.draw:
            due, draw = drawn_holes(state, state.draw)
            _check_drawn(token, due)
            state = state._replace(draw=draw)
        holes, places = named(token), hole_places(state)
        for at, hole in enumerate(holes):
            if hole not in places or hole in holes[:at]:
                raise Rejected(
                    "illegal-move",
                    "There can be no hole on {square}: holes are on four different empty squares of rows 2 to 7.",
                    square=CHESS_BOARD.names[hole],
                )
        return self._turned(state._replace(holes=holes), frozen=False)

    # --- looking at it -----------------------------------------------------------------------------------------------

    def moves(self, state: State) -> list[str] | None:
        """All moves; of random events the one that the seed gives, else they are too many to list."""
        if state.due != "move":
            if not state.draw:
                return None
            return [(drawn_pieces if state.due == "pieces" else drawn_holes)(state, state.draw)[0]]
        if state.turns < len(BANG):
            start, targets = BANG[state.turns]
            return [start + target for target in targets.split()]
        return list(moves_of(state)) or ["pass"]

    def view(self, state: State) -> View:
        cells = []
        for square, man in enumerate(state.men):
            cell = Cell("*", "hole", "black hole") if square in state.holes and man == EMPTY else man_cell(man)
            if man != EMPTY and man == HOME[square]:
                cell = cell._replace(underlined=True, name=f"{cell.name}, at home")
            cells.append(cell)
        at_home = [
            sum(man == HOME[square] for square, man in enumerate(state.men) if seat_of(man) == seat) for seat in (0, 1)
        ]
        note = Note("At home: White {white} of 8, Black {black} of 8.", white=at_home[0], black=at_home[1])
        return View((chess_panel(cells, state.last),), (note,))

    def refused(self, state: State, token: str) -> View:
        if state.due != "move":
            return self.view(state)
        return self.view(state._replace(last=named(token)[:3]))


def away(seat: int) -> int:
    """The opponent's target row."""
    return (8, 1)[seat]


def exits(state: State, start: int, hole: int) -> list[int]:
    """Where the piece on `start` may come out after going into a hole."""
    others = [other for other in state.holes if other != hole]
    if state.men[start] in "Bb":
        return [other for other in others if (other in _LIGHT) == (start in _LIGHT)]
    return others


def targets(state: State, start: int) -> Iterator[int]:
    """Where the piece on that square may go, whether or not another piece must move first."""
    if state.men[start] == HOME[start]:
        return
    for target in reach(state.men[start].lower(), start, state.men):
        if state.men[target] != EMPTY or CHESS_BOARD.rank(target) == away(state.seat):
            continue
        if target not in state.holes or exits(state, start, target):
            yield target


def movables(state: State) -> Iterator[int]:
    """The squares of the pieces that may move: those on the opponent's target row, or else all that can."""
    able = [square for square in men_of(state.seat, state.men) if next(targets(state, square), None) is not None]
    return iter([square for square in able if CHESS_BOARD.rank(square) == away(state.seat)] or able)


def moves_of(state: State) -> Iterator[str]:
    """The moves of the race that are legal now."""
    names = CHESS_BOARD.names
    for start in movables(state):
        for target in targets(state, start):
            if target in state.holes:
                yield from (f"{names[start]}{names[target]}>{names[out]}" for out in exits(state, start, target))
            else:
                yield names[start] + names[target]


def arrivals(state: State, kind: str) -> list[int]:
    """The empty squares where a piece of that kind may appear now, in the order they are drawn from."""
    places = [square for square in _QUARTERS[state.turns] if state.men[square] == EMPTY]
    if kind == "b":
        first = state.men.find("Bb"[state.seat])
        places = [square for square in places if first < 0 or (square in _LIGHT) != (first in _LIGHT)]
    return places


def drawn_pieces(state: State, draw: Stream) -> tuple[str, State]:
    """The three pieces that the seed gives, as a record writes them, and the state with their list in order and the
    stream behind them."""
    seat, come, men, token = state.seat, state.to_come[state.seat], state.men, ""
    if len(come) == len(TO_COME):
        order, draw = draw.shuffle(come)
        come = "".join(order)
    for kind in come[:3]:
        places = arrivals(state._replace(men=men), kind)
        place, draw = draw.below(len(places))
        men = put(men, {places[place]: kind.upper() if seat == 0 else kind})
        token += kind + CHESS_BOARD.names[places[place]]
    to_come = (come, state.to_come[1]) if seat == 0 else (state.to_come[0], come)
    return token, state._replace(to_come=to_come, draw=draw)


def hole_places(state: State) -> list[int]:
    """Where holes may be: the empty squares of rows 2 to 7, in the order they are drawn from."""
    return [square for square in _ASCENDING if state.men[square] == EMPTY and 2 <= CHESS_BOARD.rank(square) <= 7]


def drawn_holes(state: State, draw: Stream) -> tuple[str, Stream]:
    """The four holes that the seed gives, as a record writes them, and the stream behind them."""
    places, token = hole_places(state), ""
    for _ in range(4):
        place, draw = draw.below(len(places))
        token += CHESS_BOARD.names[places.pop(place)]
    return token, draw


def _check_drawn(found: str, due: str) -> None:
    if found != due:
        raise Rejected("wrong-draw", "The seed gives {due}, not {found}.", due=due, found=found)
