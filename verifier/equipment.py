"""Boards, tiles, coins and dice that several games share.

Kinds of cells in their pictures: "white-king" ... "black-pawn" (chess pieces), "die", "left" "right" "top" "bottom"
(halves of domino stones).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product
from string import ascii_lowercase

from verifier.chance import Stream
from verifier.verdict import Rejected, shown
from verifier.view import Cell, Mark, Panel

KNIGHT = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
"""The steps of a chess knight: files to the right, ranks up."""
ORTHOGONAL = ((0, 1), (1, 0), (0, -1), (-1, 0))
DIAGONAL = ((1, 1), (1, -1), (-1, -1), (-1, 1))


class Board:
    """Squares named by file and rank, a1 at the lower left, and numbered from 0 in reading order (8x8: a8 first)."""

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

    def rays(self, steps: Sequence[tuple[int, int]]) -> tuple[tuple[tuple[int, ...], ...], ...]:
        """For each square the rows of squares that start there, one for each step, the nearest square first."""
        return tuple(
            tuple(tuple(self._ray(square, right, up)) for right, up in steps) for square in range(len(self.names))
        )

    def _ray(self, square: int, right: int, up: int) -> Iterator[int]:
        row, column = divmod(square, self.files)
        while 0 <= (row := row - up) < self.ranks and 0 <= (column := column + right) < self.files:
            yield row * self.files + column

    def mark(self, square: int, sign: str) -> Mark:
        """A mark on the square."""
        return Mark(*divmod(square, self.files), sign)

    def panel(self, cells: Sequence[Cell], marks: Sequence[Mark] = (), title: str = "", ground: str = "") -> Panel:
        """A picture of the board: a cell for each square."""
        rows = tuple(tuple(cells[at : at + self.files]) for at in range(0, len(cells), self.files))
        ranks = [str(rank) for rank in range(self.ranks, 0, -1)]
        return Panel(rows, title, ascii_lowercase[: self.files], ranks, marks=tuple(marks), ground=ground)


# --- a piecepack: 24 tiles, four suits of six values -----------------------------------------------------------------

SUITS = {"s": "sun", "m": "moon", "c": "crown", "a": "arm"}
"""Suns, Moons, Crowns, Arms: the letter of each, and the kind its tiles are drawn as."""
TILES = tuple(suit + value for suit in SUITS for value in "na2345")
"""The tiles in the order they are dealt from, folded: suit, then null, ace, 2 to 5."""


def tile(name: str, kind: str = "", corner: str = "") -> Cell:
    """A tile's picture from its name; drawn as its suit, unless `kind` says otherwise."""
    suit, value = SUITS[name[0]], {"n": "null", "a": "ace"}.get(name[1], name[1])
    said = f"{value} of {suit}s" + (f", coin {corner}" if corner else "") + (", face down" if kind == "down" else "")
    return Cell(name.upper(), kind or suit, said, corner=corner)


# --- chess ------------------------------------------------------------------------------------------------------------

CHESS_BOARD = Board(8, 8)
AROUND = CHESS_BOARD.steps(ORTHOGONAL + DIAGONAL)
"""For each square of the chess board the up to eight squares that it touches."""
SIDES = ("White", "Black")
PIECES = {"p": "pawn", "n": "knight", "b": "bishop", "r": "rook", "q": "queen", "k": "king"}
EMPTY = "."
"""What stands on a chess board is a string: a letter for each square, upper case for White, or nothing."""

_RAYS = {
    "n": tuple(tuple((end,) for end in ends) for ends in CHESS_BOARD.steps(KNIGHT)),
    "b": CHESS_BOARD.rays(DIAGONAL),
    "r": CHESS_BOARD.rays(ORTHOGONAL),
    "q": CHESS_BOARD.rays(ORTHOGONAL + DIAGONAL),
    "k": tuple(tuple((end,) for end in ends) for ends in AROUND),
}


def reach(kind: str, square: int, men: str) -> Iterator[int]:
    """Where a knight, bishop, rook, queen or king (n b r q k) on that square comes to in chess: the empty squares, and
    the first one in each direction that holds a piece of either side."""
    for ray in _RAYS[kind][square]:
        for target in ray:
            yield target
            if men[target] != EMPTY:
                break


def seat_of(man: str) -> int:
    """Whose piece it is: 0 White, 1 Black, -1 nobody's as there is none."""
    return -1 if man == EMPTY else int(man > "Z")


def men_of(seat: int, men: str) -> list[int]:
    """The squares of a player's pieces."""
    return [square for square, man in enumerate(men) if seat_of(man) == seat]


def put(men: str, changes: Mapping[int, str]) -> str:
    """What stands on the board once these squares are changed."""
    squares = list(men)
    for square, man in changes.items():
        squares[square] = man
    return "".join(squares)


def moved(men: str, start: int, target: int) -> str:
    """What stands on the board after a move."""
    return put(men, {start: EMPTY, target: men[start]})


def own(name: str, seat: int, men: str) -> int:
    """The square of that name, which must hold a piece of the player on turn (`illegal-move`)."""
    square = CHESS_BOARD.squares[name]
    if seat_of(men[square]) == seat:
        return square
    if men[square] == EMPTY:
        raise Rejected("illegal-move", "Nothing stands on {square}.", square=name)
    raise Rejected(
        "illegal-move", "{side} is on turn, but the piece on {square} is not {side}'s.", side=SIDES[seat], square=name
    )


def man_cell(man: str) -> Cell:
    """A chess piece in a picture, or an empty square."""
    if man == EMPTY:
        return Cell()
    side, name = SIDES[seat_of(man)].lower(), PIECES[man.lower()]
    return Cell(man.upper(), f"{side}-{name}", f"{side} {name}")


def chess_panel(cells: Sequence[Cell], *paths: Sequence[int]) -> Panel:
    """A picture of a chess board on which moves are marked: where each began, and where it came to."""
    marks = []
    for path in paths:
        marks += [CHESS_BOARD.mark(square, "from") for square in path[:1] if len(path) > 1]
        marks += [CHESS_BOARD.mark(square, "to") for square in path[len(path) > 1 :]]
    return CHESS_BOARD.panel(cells, marks, ground="checkered")


def named(token: str) -> tuple[int, ...]:
    """The squares of the chess board that a token names, for marking them."""
    return tuple(CHESS_BOARD.squares[name] for name in re.findall("[a-h][1-8]", token))


# --- dice -------------------------------------------------------------------------------------------------------------


def rolled(count: int, draw: Stream) -> tuple[str, Stream]:
    """What the stream gives for so many dice, as a record writes them, and the stream behind them."""
    faces = ""
    for _ in range(count):
        face, draw = draw.die()
        faces += str(face)
    return faces, draw


def throws(count: int, draw: Stream | None) -> list[str]:
    """The throws of so many dice that may come: the one that the stream gives, or without one all."""
    return ["".join(faces) for faces in product("123456", repeat=count)] if draw is None else [rolled(count, draw)[0]]


def thrown(token: str, count: int, draw: Stream | None) -> tuple[tuple[int, ...], Stream | None]:
    """The dice of a throw, written as their digits in the order thrown, and the stream behind them.

    Where there is a stream they must be the ones that it gives (`wrong-draw`).
    """
    if not re.fullmatch(f"[1-6]{{{count}}}", token):
        raise Rejected(
            "malformed",
            "A throw of {count} dice is due, as digits from 1 to 6, not {found}.",
            count=count,
            found=shown(token),
        )
    if draw:
        due, draw = rolled(count, draw)
        if token != due:
            raise Rejected("wrong-draw", "The seed gives the throw {due}, not {found}.", due=due, found=token)
    return tuple(map(int, token)), draw


def dice_panel(faces: Iterable[int], title: str = "") -> Panel:
    """A picture of dice as they lie."""
    return Panel((tuple(Cell(str(face), "die", str(face)) for face in faces),), title)


# --- domino stones: every pair of different numbers 0-6, no doubles --------------------------------------------------

STONES = tuple(f"{low}{high}" for low in range(7) for high in range(low + 1, 7))
"""The 21 stones, each with its smaller half first, in the order they are dealt from."""
STONE = "[0-6][0-6]"
"""The form of a stone in a record, its halves in either order; doubles have it too, but there are none."""


def stone(halves: str) -> str:
    """The stone that has these two halves, whichever comes first."""
    return min(halves, halves[::-1])


def laid_stones(entries: Iterator[str]) -> Iterator[str]:
    """The next stones of a layout, one for each entry: `malformed`, or `bad-layout` for a double or one seen before."""
    seen = set()
    for entry in entries:
        if not re.fullmatch(STONE, entry):
            raise Rejected("malformed", "A stone is due, two digits from 0 to 6, not {found}.", found=shown(entry))
        if entry[0] == entry[1]:
            raise Rejected("bad-layout", "There is no double {stone} among the stones.", stone=entry)
        if stone(entry) in seen:
            raise Rejected("bad-layout", "The stone {stone} is there twice.", stone=entry)
        seen.add(stone(entry))
        yield stone(entry)


def hand_panel(hand: Collection[str], size: int, title: str) -> Panel:
    """A picture of a hand, of this size at first: the stones side by side on their ends, then empty places."""
    stones, empty = sorted(hand), (Cell(),) * (size - len(hand))
    ends = [[half(held[at], side) for held in stones] for at, side in enumerate(("top", "bottom"))]
    return Panel(tuple((*end, *empty) for end in ends), title)


def half(number: str, side: str) -> Cell:
    """Half a stone, which shows this number; `side` (left, right, top, bottom) says which half of it."""
    return Cell(number, side, number)
