"""Boards, tiles, coins and dice that several games share."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_lowercase

from verifier.view import Cell, Mark, Panel

KNIGHT = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
"""The steps of a chess knight: files to the right, ranks up."""


class Board:
    """Squares named by file and rank, a1 at the lower left, and numbered from 0 in reading order: a8, b8, ... on 8x8."""

    def __init__(self, files: int, ranks: int):
        self.files, self.ranks = files, ranks
        self.names = tuple(f"{file}{rank}" for rank in range(ranks, 0, -1) for file in ascii_lowercase[:files])
        self.squares = {name: square for square, name in enumerate(self.names)}

    def rank(self, square: int) -> int:
        """The square's rank, from 1 at the bottom."""
        return self.ranks - square // self.files

    def steps(self, steps: Sequence[tuple[int, int]]) -> tuple[tuple[int, ...], ...]:
        """For each square those of the board that one of the steps (files to the right, ranks up) leads to."""
        near = []
        for square in range(len(self.names)):
            row, column = divmod(square, self.files)
            ends = ((row - up, column + right) for right, up in steps)
            near.append(tuple(r * self.files + c for r, c in ends if 0 <= r < self.ranks and 0 <= c < self.files))
        return tuple(near)

    def mark(self, square: int, sign: str) -> Mark:
        """A mark on the square."""
        return Mark(*divmod(square, self.files), sign)

    def panel(self, cells: Sequence[Cell], marks: Sequence[Mark] = (), title: str = "") -> Panel:
        """A picture of the board: a cell for each square."""
        rows = tuple(tuple(cells[at : at + self.files]) for at in range(0, len(cells), self.files))
        ranks = [str(rank) for rank in range(self.ranks, 0, -1)]
        return Panel(rows, title, ascii_lowercase[: self.files], ranks, marks=tuple(marks))


# --- a piecepack: 24 tiles, four suits of six values -----------------------------------------------------------------

SUITS = {"s": "sun", "m": "moon", "c": "crown", "a": "arm"}
"""Suns, Moons, Crowns, Arms: the letter of each, and the kind its tiles are drawn as."""
TILES = tuple(suit + value for suit in SUITS for value in "na2345")
"""The tiles in the order they are dealt from, folded: suit, then null, ace, 2 to 5."""


def tile(name: str, kind: str = "", corner: str = "") -> Cell:
    """A tile's picture from its name; drawn as its suit, unless `kind` says otherwise."""
    suit, value = SUITS[name[0]], {"n": "null", "a": "ace"}.get(name[1], name[1])
    said = f"{value} of {suit}s" + (f", {kind}" if kind else "")
    return Cell(name.upper(), kind or suit, said, corner=corner)
