"""Dark Knight Fight: Knight Fight with hidden numbers, and stars in place of the doubles.

Its pictures show the whole board, and beside it what each player sees. Kinds of cells besides those of Knight Fight:
"star", and "down" for what is hidden from a player.
"""

from __future__ import annotations

from collections.abc import Sequence

from verifier.chance import Stream
from verifier.games.knight_fight import KnightFight, Numbers, State
from verifier.rules import result_of
from verifier.verdict import Rejected
from verifier.view import Cell, Mark, Note, View

STARS = {"+": 100, "-": -100}
"""The stars as layouts have them, and their points; there are five of each."""
SIGNS = {points: sign for sign, points in STARS.items()}
PLAIN = tuple(number for number in range(100) if number % 11)


class DarkKnightFight(KnightFight):
    """What differs: stars, no choice but of the square, where to enter, and points decide."""

    id = "dark-knight-fight"
    hides = True
    numbers = (*PLAIN, *5 * tuple(STARS.values()))
    entry_ranks = (1, 10)

    # --- the setup ---------------------------------------------------------------------------------------------------

    def deal(self, draw: Stream) -> tuple[Numbers, Stream]:
        inner = [square for square in range(len(self.board.names)) if self.board.rank(square) not in self.entry_ranks]
        squares, draw = draw.shuffle(inner)
        stars = {square: 100 if place < 5 else -100 for place, square in enumerate(squares[:10])}
        numbers, draw = draw.shuffle(PLAIN)
        rest = iter(numbers)
        return tuple(stars.get(square) or next(rest) for square in range(len(self.board.names))), draw

    def read_entry(self, entry: str, square: int) -> int:
        if entry not in STARS:
            return super().read_entry(entry, square)
        if self.board.rank(square) in self.entry_ranks:
            raise Rejected("bad-layout", "No star lies on {square}.", square=self.board.names[square])
        return STARS[entry]

    def label(self, number: int) -> str:
        return SIGNS.get(number) or super().label(number)

    # --- the play ----------------------------------------------------------------------------------------------------

    def choices(self, board: tuple[int | None, ...], square: int) -> tuple[int, ...]:
        """There are none."""
        return ()

    def bound(self, board: tuple[int | None, ...], square: int) -> tuple[int, ...]:
        """A number's mirror; nothing goes with a star."""
        return () if board[square] in SIGNS else super().bound(board, square)

    def outcome(self, state: State) -> str:
        """Points decide when the player on turn is stuck."""
        return "" if self.targets(state) else result_of(*state.points)

    # --- the picture -------------------------------------------------------------------------------------------------

    def picture(self, state: State, marks: Sequence[Mark]) -> View:
        """The whole board, and what each player sees of it at this moment."""
        (board,), notes = super().picture(state, marks)
        seen = [self.seen(state, seat).panels[0] for seat in range(2)]
        return View((board._replace(title=Note("The whole board")), *seen), notes)

    def seen(self, state: State, seat: int) -> View:
        cells = [self.seen_cell(state, seat, square) for square in range(len(state.board))]
        marks = [self.board.mark(square, "move") for square in (*state.landed[-1:], *state.taken)]
        title = Note("What {name} sees", name=self.seats[seat])
        return View((self.board.panel(cells, marks, title=title),))

    def cell(self, state: State, square: int) -> Cell:
        cell = super().cell(state, square)
        return cell._replace(kind="star", name=f"star, {cell.label}100") if cell.label in STARS else cell

    def seen_cell(self, state: State, seat: int, square: int) -> Cell:
        """A square as a player sees it.

        Before the first turn that is the outer ranks, on turn the squares to go to; both players see the knights, used
        squares, stars already taken and the mirror just erased. A star shows its value only when it is taken.
        """
        cell = self.cell(state, square)
        if square in state.landed:
            return cell if square in state.landed[-2:] or cell.kind == "star" else Cell("", "used", "used")
        if square in state.taken:
            label = self.label(state.setup[square])
            return Cell(label, "used", f"{label}, erased")
        first = len(state.landed) <= seat and self.board.rank(square) in self.entry_ranks
        if first or (not state.result and seat == state.seat and square in self.targets(state)):
            return Cell("?", "star", "star") if cell.kind == "star" else cell
        return Cell("", "down", "hidden")
