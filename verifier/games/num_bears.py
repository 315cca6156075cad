"""Num Bears: two players take matching tiles from the two open sides of a square of digits.

Kinds of cells in its pictures: "open" (a tile open to a side), "tile" (a covered one); taken tiles leave empty places.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from verifier.chance import Stream
from verifier.equipment import Board
from verifier.rules import Header, Match, result_of
from verifier.verdict import Rejected, shown
from verifier.view import Cell, Mark, View, tally

SIZE = 10
BOARD = Board(SIZE, SIZE)
BAG = tuple(digit for digit in range(10) for _ in range(10))
"""What is laid out, before it is shuffled."""

Digits = tuple[int, ...]
"""The digit of each square, numbered as equipment.Board does."""


class State(NamedTuple):
    """A match between two turns. What is left of a file lies together, as tiles go from its ends only."""

    setup: Digits
    bottoms: tuple[int, ...]
    """The lowest square of each file that has a tile; in an empty file it lies above the top."""
    tops: tuple[int, ...]
    taken: tuple[int, ...] = ()
    """The squares that the last turn has emptied."""
    points: tuple[int, int] = (0, 0)
    turns: int = 0
    result: str = ""

    @property
    def seat(self) -> int:
        """Who is on turn, 0 South or 1 North."""
        return self.turns % 2

    def open(self, seat: int) -> list[int]:
        """The tiles open on a player's own side, from the left."""
        ends = (self.bottoms, self.tops)[seat]
        return [end for end, bottom, top in zip(ends, self.bottoms, self.tops, strict=True) if top <= bottom]


class NumBears(Match):
    """The game as one of the registry."""

    id = "num-bears"
    headers = ("deal", "seed", "layout", "players", "result")
    layout_size = SIZE * SIZE
    seats = ("South", "North")

    # --- the setup ---------------------------------------------------------------------------------------------------

    def deal(self, draw: Stream) -> tuple[Digits, Stream]:
        return draw.shuffle(BAG)

    def lay(self, entries: Iterator[str]) -> Digits:
        laid: list[int] = []
        for entry in entries:
            if len(entry) != 1 or entry not in "0123456789":
                raise Rejected(
                    "malformed", "An entry of the layout is one digit; {found} was found.", found=shown(entry)
                )
            if laid.count(int(entry)) == BAG.count(int(entry)):
                raise Rejected("bad-layout", "There are only {n} tiles of each digit.", n=BAG.count(int(entry)))
            laid.append(int(entry))
        return tuple(laid)

    def written(self, setup: Digits) -> str:
        return "\n".join(" ".join(map(str, setup[at : at + SIZE])) for at in range(0, len(setup), SIZE))

    # --- the play ----------------------------------------------------------------------------------------------------

    def start(self, header: Header) -> State:
        assert header.setup
        squares = range(SIZE * SIZE)
        return State(header.setup.start, tuple(squares[-SIZE:]), tuple(squares[:SIZE]))

    def points(self, state: State) -> list[int]:
        return list(state.points)

    def spelling(self, state: State, token: str) -> str:
        """The tiles of a pair may be named in either order."""
        return "+".join(sorted(token.split("+")))

    def advance(self, state: State, token: str) -> State:
        if token == "pass":
            if example := next(takings(state, state.seat), ()):
                raise Rejected(
                    "illegal-move", "Who can take something must: {example}, for instance.", example=_token(example)
                )
            return state._replace(turns=state.turns + 1, taken=())
        names = token.split("+")
        if len(names) > 2 or not all(name in BOARD.squares for name in names):
            raise Rejected(
                "malformed",
                "{found} is not a turn: two tiles (`a1+c10`), a 0 alone (`a1`), `pass` or `resigns`.",
                found=shown(token),
            )
        squares = tuple(BOARD.squares[name] for name in names)
        _check(state, squares)
        points = list(state.points)
        points[state.seat] += worth([state.setup[square] for square in squares])
        after = state._replace(
            bottoms=tuple(square - SIZE if square in squares else square for square in state.bottoms),
            tops=tuple(square + SIZE if square in squares else square for square in state.tops),
            taken=squares,
            points=(points[0], points[1]),
            turns=state.turns + 1,
        )
        goes_on = any(True for seat in (0, 1) for _ in takings(after, seat))
        return after if goes_on else after._replace(result=result_of(*after.points))

    def moves(self, state: State) -> list[str]:
        if state.result:
            return []
        return [_token(squares) for squares in takings(state, state.seat)] or ["pass"]

    # --- the picture -------------------------------------------------------------------------------------------------

    def view(self, state: State) -> View:
        """The tiles that are left, the places marked that the last turn has emptied."""
        return _picture(state, [BOARD.mark(square, "move") for square in state.taken])

    def refused(self, state: State, token: str) -> View:
        """The tiles marked that the token names."""
        named = (BOARD.squares.get(name) for name in token.split("+")[:2])
        return _picture(state, [BOARD.mark(square, "to") for square in named if square is not None])


def takings(state: State, seat: int) -> Iterator[tuple[int, ...]]:
    """What that player could take: the pairs with a tile of the own side, and each open 0 alone."""
    own, other = state.open(seat), state.open(1 - seat)
    beyond = [square for square in other if square not in own]
    yield from ((square,) for square in (*own, *beyond) if state.setup[square] == 0)
    pairs = (*combinations(own, 2), *((square, partner) for square in own for partner in beyond))
    yield from (pair for pair in pairs if fit(*(state.setup[square] for square in pair)))


def fit(digit: int, other: int) -> bool:
    """Whether two tiles can be taken together."""
    return digit == other or digit + other == 10


def worth(digits: list[int]) -> int:
    """The points for tiles taken together: a 0 is worth 10, and two 5s are worth 20."""
    return 20 if digits == [5, 5] else sum(digit or 10 for digit in digits)


def _check(state: State, squares: tuple[int, ...]) -> None:
    """Whether the player on turn may take these one or two tiles."""
    own, other = state.open(state.seat), state.open(1 - state.seat)
    for square in squares:
        name, file = BOARD.names[square], square % SIZE
        if not state.tops[file] <= square <= state.bottoms[file]:
            raise Rejected("illegal-move", "The tile of {square} is gone.", square=name)
        if square not in own and square not in other:
            raise Rejected("illegal-move", "The tile on {square} is covered on both sides.", square=name)
    first, second = squares[0], squares[-1]
    digit, partner = state.setup[first], state.setup[second]
    if len(squares) == 1:
        if digit != 0:
            raise Rejected(
                "illegal-move", "Only a 0 is taken alone, not the {digit} on {square}.",
                digit=digit, square=BOARD.names[first],
            )  # fmt: skip
        return
    if first == second:
        raise Rejected("illegal-move", "{square} is named twice.", square=BOARD.names[first])
    if first not in own and second not in own:
        raise Rejected(
            "illegal-move", "{first} and {second} are both open on the other player's side only.",
            first=BOARD.names[first], second=BOARD.names[second],
        )  # fmt: skip
    if not fit(digit, partner):
        raise Rejected(
            "illegal-move", "{digit} on {first} and {partner} on {second} are neither equal nor 10 together.",
            digit=digit, first=BOARD.names[first], partner=partner, second=BOARD.names[second],
        )  # fmt: skip


def _token(squares: tuple[int, ...]) -> str:
    return "+".join(BOARD.names[square] for square in squares)


def _picture(state: State, marks: list[Mark]) -> View:
    uncovered = {*state.open(0), *state.open(1)}
    cells = []
    for square, digit in enumerate(state.setup):
        there = state.tops[square % SIZE] <= square <= state.bottoms[square % SIZE]
        kind = "open" if square in uncovered else "tile"
        cells.append(Cell(str(digit), kind, f"{digit}, open" if kind == "open" else str(digit)) if there else Cell())
    return View((BOARD.panel(cells, marks),), (tally(NumBears.seats, state.points),))
