"""Brain Burn, by Mark A. Biggar: tiles and the coins on them, sorted at the same time by sliding on a 5 x 5 board."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from verifier.chance import Stream
from verifier.equipment import TILES, tile
from verifier.rules import Header, TokenRules
from verifier.verdict import Rejected, Score, shown
from verifier.view import Cell, Mark, Panel, View

# A place is one byte: 6 * tile + coin, the tile as its index in TILES and the coin as its index in COINS; or the hole.
COINS = "NA2345"
HOLE = 255
_NAMES = {6 * t + c: f"{name}/{coin}".upper() for t, name in enumerate(TILES) for c, coin in enumerate(COINS)}
_NAMES[HOLE] = "."
_PLACES = {name.lower(): place for place, name in _NAMES.items()}

GOAL = bytes(6 * (6 * suit + value) + value for suit in range(4) for value in range(1, 6))
"""Rows 1 to 4 of a solved board. Then the nulls, the null coins and the hole are all that is left for row 5."""

_STEPS = {"u": (-1, 0), "d": (1, 0), "l": (0, -1), "r": (0, 1)}
_ARROWS = {"u": "up", "d": "down", "l": "left", "r": "right"}
TOKEN = re.compile("[udlr](?:/[udlr])?")


def _beside(place: int, letter: str, forwards: int = 1) -> int | None:
    """The place next to this one as the letter points (or against it); None off the board."""
    down, right = _STEPS[letter]
    row, column = place // 5 + forwards * down, place % 5 + forwards * right
    return 5 * row + column if 0 <= row < 5 and 0 <= column < 5 else None


class Way(NamedTuple):
    """What a token does for one place of the hole."""

    source: int
    """Where the tile that slides comes from, and where the hole is afterwards."""
    partner: int
    """The place that it trades coins with; -1 without a swap."""


def _ways(token: str) -> list[Way | None]:
    """For each place of the hole, what the token does; None where it is illegal."""
    ways: list[Way | None] = []
    for hole in range(25):
        source = _beside(hole, token[0], -1)
        partner = _beside(hole, token[2]) if len(token) > 1 else -1
        ways.append(None if source is None or partner in (None, source) else Way(source, partner))
    return ways


_WAYS = {token: _ways(token) for token in [*"udlr", *map("/".join, product("udlr", repeat=2))]}


class State(NamedTuple):
    """The board, the tokens counted, and the last of them."""

    board: bytes
    """25 places, row by row from the top."""
    hole: int
    slides: int = 0
    swaps: int = 0
    last: str = ""


class BrainBurn(TokenRules):
    """The puzzle as one of the registry. A setup is a board, as in a state."""

    id = "brain-burn"
    headers = ("deal", "layout")
    layout_size = 25

    def deal(self, draw: Stream) -> tuple[bytes, Stream]:
        tiles, draw = draw.shuffle(range(24))
        hole, draw = draw.below(25)
        coins, draw = draw.shuffle(coin for coin in range(6) for _ in range(4))
        board = [6 * kind + coin for kind, coin in zip(tiles, coins, strict=True)]
        board.insert(hole, HOLE)
        return bytes(board), draw

    def lay(self, entries: Iterator[str]) -> bytes:
        board = bytearray()
        for entry in entries:
            place = _PLACES.get(entry)
            if place is None:
                raise Rejected(
                    "malformed", "{found} is not a tile with a coin, such as S3/4, nor a hole, `.`.", found=shown(entry)
                )
            if place == HOLE:
                if HOLE in board:
                    raise Rejected("bad-layout", "This is a second hole.")
            elif any(other // 6 == place // 6 for other in board if other != HOLE):
                raise Rejected("bad-layout", "The tile {tile} is there for the second time.", tile=entry[:2].upper())
            elif sum(other % 6 == place % 6 for other in board if other != HOLE) == 4:
                raise Rejected("bad-layout", "The coin {coin} is there for the fifth time.", coin=entry[3].upper())
            board.append(place)
        return bytes(board)

    def written(self, setup: bytes) -> str:
        return "\n".join(" ".join(_NAMES[place] for place in setup[at : at + 5]) for at in range(0, 25, 5))

    def start(self, header: Header) -> State:
        assert header.setup
        board: bytes = header.setup.start
        return State(board, board.index(HOLE))

    def play(self, state: State, token: str) -> State:
        ways = _WAYS.get(token)
        if ways is None:
            raise Rejected(
                "malformed",
                "{found} is not a move: U, D, L or R, or a slide with a swap such as R/U.",
                found=shown(token),
            )
        hole = state.hole
        way = ways[hole]
        if way is None:
            raise _illegal(token, hole)
        source, partner = way
        board = bytearray(state.board)
        board[hole], board[source] = board[source], HOLE
        if partner < 0:
            return State(bytes(board), source, state.slides + 1, state.swaps, token)
        more = board[partner] % 6 - board[hole] % 6
        board[hole] += more
        board[partner] -= more
        return State(bytes(board), source, state.slides + 1, state.swaps + 1, token)

    def turn(self, state: State) -> int:
        return state.slides + 1

    def score(self, state: State) -> Score:
        for at, due in enumerate(GOAL):
            if state.board[at] != due:
                raise Rejected(
                    "not-finished",
                    "The puzzle is not solved: row {row}, column {column} holds {found} instead of {due}.",
                    row=at // 5 + 1, column=at % 5 + 1, found=shown(_NAMES[state.board[at]]), due=_NAMES[due],
                )  # fmt: skip
        return {"slides": state.slides, "swaps": state.swaps}

    def key(self, score: Score) -> tuple[int, ...]:
        """Fewer slides, then fewer swaps."""
        return score["slides"], score["swaps"]

    def moves(self, state: State) -> list[str]:
        return [token for token, ways in _WAYS.items() if ways[state.hole]]

    def view(self, state: State) -> View:
        if not state.last:
            return _picture(state.board, ())
        now = _beside(state.hole, state.last[0])
        assert now is not None  # the tile of the last move came from where the hole is
        return _picture(state.board, _marks(state.hole, now, state.last))

    def refused(self, state: State, token: str) -> View:
        if not TOKEN.fullmatch(token):
            return self.view(state)
        return _picture(state.board, _marks(_beside(state.hole, token[0], -1), state.hole, token))


def _illegal(token: str, hole: int) -> Rejected:
    """Why the token of a right form can't be played."""
    slide, swap = token[0].upper(), token[2:].upper()
    row, column = hole // 5 + 1, hole % 5 + 1
    if _beside(hole, token[0], -1) is None:
        return Rejected(
            "illegal-move",
            "There is no tile to slide {slide}: the hole lies at the edge, at row {row}, column {column}.",
            slide=slide, row=row, column=column,
        )  # fmt: skip
    if _beside(hole, token[2]) is None:
        return Rejected(
            "illegal-move",
            "{swap} points off the board: after the slide {slide} the tile lies at row {row}, column {column}.",
            slide=slide, swap=swap, row=row, column=column,
        )  # fmt: skip
    return Rejected(
        "illegal-move",
        "{swap} points at the hole: it lies where the tile came from that slid {slide}.",
        slide=slide, swap=swap,
    )  # fmt: skip


def _marks(source: int | None, to: int, token: str) -> tuple[Mark, ...]:
    """A move's places; a slide from off the board is an arrow at its edge."""
    row, column = divmod(to, 5)
    down, right = _STEPS[token[0]]
    marks = [
        Mark(row - down, column - right, _ARROWS[token[0]]) if source is None else Mark(*divmod(source, 5), "from"),
        Mark(row, column, "to"),
    ]
    partner = _beside(to, token[2]) if len(token) > 1 else None
    if partner is not None:
        marks.append(Mark(*divmod(partner, 5), "move"))
    return tuple(marks)


def _picture(board: bytes, marks: tuple[Mark, ...]) -> View:
    """The tiles with their coins as corners."""
    rows = tuple(tuple(map(_cell, board[at : at + 5])) for at in range(0, 25, 5))
    return View((Panel(rows, columns="12345", ranks="12345", marks=marks),))


def _cell(place: int) -> Cell:
    return Cell(name="the hole") if place == HOLE else tile(TILES[place // 6], corner=COINS[place % 6])
