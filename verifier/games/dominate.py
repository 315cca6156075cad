"""Dominate, an idea by Andy Lewicki: domino stones on a 6 x 6 grid, no number twice in a row or column."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from verifier.chance import Stream
from verifier.equipment import ORTHOGONAL, STONE, STONES, Board, half, hand_panel, laid_stones, stone
from verifier.rules import DRAW, WON, Header, Match
from verifier.verdict import Rejected, shown
from verifier.view import Cell, View, ending, nameplate

HAND = 9
"""Tiles in a hand."""
GRID = Board(6, 6)
NEXT = GRID.steps(ORTHOGONAL)
LINES = tuple(
    tuple(square for square in range(36) if square // 6 == at // 6 or square % 6 == at % 6) for at in range(36)
)
"""For each square those in its row and its column, itself included."""
TOKEN = re.compile(f"([a-z][1-9][0-9]*)([a-z][1-9][0-9]*)=({STONE})")


class Laid(NamedTuple):
    """A tile on the grid."""

    squares: tuple[int, int]
    """In the order of their names."""
    numbers: str
    """The numbers on them."""

    @property
    def token(self) -> str:
        first, second = (GRID.names[square] for square in self.squares)
        return f"{first}{second}={self.numbers}"


class State(NamedTuple):
    """A match on its way."""

    names: Sequence[str]
    hands: tuple[frozenset[str], ...]
    laid: tuple[Laid, ...] = ()
    result: str = ""

    @property
    def seat(self) -> int:
        """Who is to move."""
        return len(self.laid) % 2

    @property
    def grid(self) -> dict[int, str]:
        """The numbers by their squares."""
        return {square: number for tile in self.laid for square, number in zip(tile.squares, tile.numbers, strict=True)}


def clash(grid: dict[int, str], square: int, number: str) -> int | None:
    """The square of its row or column that already shows the number."""
    return next((other for other in LINES[square] if grid.get(other) == number), None)


def placements(state: State) -> Iterator[Laid]:
    """What the player to move can lay."""
    grid = state.grid
    for numbers in sorted(way for tile in state.hands[state.seat] for way in (tile, tile[::-1])):
        free = {at for at in range(36) if at not in grid and clash(grid, at, numbers[0]) is None}
        for first in sorted(free, key=GRID.names.__getitem__):
            for second in NEXT[first]:
                if (
                    GRID.names[first] < GRID.names[second]
                    and second not in grid
                    and clash(grid, second, numbers[1]) is None
                ):
                    yield Laid((first, second), numbers)


class Dominate(Match):
    """The game as one of the registry."""

    id = "dominate"
    headers = (*Match.headers, "deal", "seed", "layout")
    layout_size = 2 * HAND
    seats = ("Player 1", "Player 2")

    def deal(self, draw: Stream) -> tuple[tuple[frozenset[str], ...], Stream]:
        stones, draw = draw.shuffle(STONES)
        return (frozenset(stones[:HAND]), frozenset(stones[HAND : 2 * HAND])), draw

    def lay(self, entries: Iterator[str]) -> tuple[frozenset[str], ...]:
        stones = laid_stones(entries)
        return tuple(frozenset(islice(stones, HAND)) for _ in range(2))

    def written(self, setup: tuple[frozenset[str], ...]) -> str:
        return "\n".join(" ".join(sorted(hand)) for hand in setup)

    def differs(self, entries: Sequence[str], setup: tuple[frozenset[str], ...]) -> int:
        return next(i for i, entry in enumerate(entries) if stone(entry) not in setup[i // HAND])

    def start(self, header: Header) -> State:
        assert header.setup
        return State(self.names(header), header.setup.start)

    def advance(self, state: State, token: str) -> State:
        tile = self._tile(state, token)
        hands = list(state.hands)
        hands[state.seat] -= {stone(tile.numbers)}
        after = state._replace(hands=tuple(hands), laid=(*state.laid, tile))
        if len(after.laid) == 2 * HAND:
            return after._replace(result=DRAW)
        if not any(placements(after)):
            return after._replace(result=WON[1 - after.seat])
        return after

    def _tile(self, state: State, token: str) -> Laid:
        """The tile that the token lays, which must be a legal move."""
        written = TOKEN.fullmatch(token)
        if not written:
            raise Rejected(
                "malformed",
                "{found} is not a move: two squares, `=` and two digits from 0 to 6, as b2b3=40, or `resigns`.",
                found=shown(token),
            )
        *names, numbers = written.groups()
        grid = state.grid
        for name in names:
            if name not in GRID.squares:
                raise Rejected("illegal-move", "{square} is off the grid a1 to f6.", square=shown(name))
        first, second = (GRID.squares[name] for name in names)
        if stone(numbers) not in state.hands[state.seat]:
            raise Rejected(
                "illegal-move", "{name} doesn't hold the tile {tile}.", name=state.names[state.seat], tile=numbers
            )
        if second not in NEXT[first]:
            raise Rejected("illegal-move", "{first} and {second} don't share a side.", first=names[0], second=names[1])
        for square, name in ((first, names[0]), (second, names[1])):
            if square in grid:
                raise Rejected("illegal-move", "{square} is covered already.", square=name)
        for square, name, number in ((first, names[0], numbers[0]), (second, names[1], numbers[1])):
            other = clash(grid, square, number)
            if other is not None:
                raise Rejected(
                    "illegal-move",
                    "{number} can't lie on {square}: its row or column shows it on {other}.",
                    number=number,
                    square=name,
                    other=GRID.names[other],
                )
        if names[0] > names[1]:
            return Laid((second, first), numbers[::-1])
        return Laid((first, second), numbers)

    def spelling(self, state: State, token: str) -> str:
        return token if token == "resigns" else self._tile(state, token).token

    def turn(self, state: State) -> int:
        return len(state.laid) + 1

    def points(self, state: State) -> list[int]:
        return [HAND - len(hand) for hand in state.hands]

    def moves(self, state: State) -> list[str]:
        return [tile.token for tile in placements(state)]

    def view(self, state: State) -> View:
        return self._picture(state, [square for tile in state.laid[-1:] for square in tile.squares])

    def refused(self, state: State, token: str) -> View:
        named = TOKEN.fullmatch(token)
        return self._picture(
            state, [GRID.squares[name] for name in named.groups()[:2] if name in GRID.squares] if named else []
        )

    def _picture(self, state: State, marked: Sequence[int]) -> View:
        """The grid between the two hands."""
        cells = [Cell()] * 36
        for tile in state.laid:
            first, second = tile.squares
            sides = ("left", "right") if abs(first - second) == 1 else ("bottom", "top")
            for square, number, side in zip(tile.squares, tile.numbers, sides, strict=True):
                cells[square] = half(number, side)
        marks = [GRID.mark(square, "move") for square in marked]
        hands = [hand_panel(hand, HAND, nameplate(name)) for hand, name in zip(state.hands, state.names, strict=True)]
        return View(
            (hands[0], GRID.panel(cells, marks), hands[1]),
            (ending(state.result, state.names[state.seat]),),
        )
