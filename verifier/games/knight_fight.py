"""Knight Fight: two knights use up a board of 10x10 numbers; who can't land any more loses.

Kinds of cells in its pictures: "open" (a number), "used" (one that a knight has landed on), "white-knight" and
"black-knight"; an erased number leaves an empty place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, NamedTuple

from verifier.chance import Stream
from verifier.equipment import KNIGHT, Board, man_cell
from verifier.rules import WON, Header, Match
from verifier.verdict import Rejected, shown
from verifier.view import Cell, Mark, Note, View, tally

Numbers = tuple[int, ...]


class State(NamedTuple):
    """A match between two turns. Squares are numbered as equipment.Board does."""

    setup: Numbers
    """What lay on each square at first."""
    board: tuple[int | None, ...]
    """What is still open."""
    landed: tuple[int, ...] = ()
    """Where the knights landed, White's and Black's turns alternating: the last two squares are where they stand."""
    taken: tuple[int, ...] = ()
    """What the last turn has closed besides the square it landed on."""
    points: tuple[int, int] = (0, 0)
    result: str = ""

    @property
    def seat(self) -> int:
        """Who is on turn, 0 or 1."""
        return len(self.landed) % 2


class KnightFight(Match):
    """The original; its variants override what is theirs."""

    id = "knight-fight"
    headers = ("deal", "seed", "layout", "players", "result")
    layout_size = 100
    board = Board(10, 10)
    jumps = board.steps(KNIGHT)
    """For each square those a knight's jump away."""
    digits: ClassVar[int] = 2
    """How many digits an entry of a layout has."""
    numbers: ClassVar[Numbers] = tuple(range(100))
    """What is laid out, before it is shuffled."""
    entry_ranks: ClassVar[tuple[int, int]] = (0, 0)
    """The rank that each seat's knight enters on; 0 is any."""
    takes_score: ClassVar[bool] = False
    """Whether what a turn closes besides the square it lands on is scored, too."""

    # --- the setup ---------------------------------------------------------------------------------------------------

    def deal(self, draw: Stream) -> tuple[Numbers, Stream]:
        return draw.shuffle(self.numbers)

    def lay(self, entries: Iterator[str]) -> Numbers:
        left = list(self.numbers)
        laid: list[int] = []
        for entry in entries:
            number = self.read_entry(entry, len(laid))
            if number not in left:
                raise Rejected("bad-layout", "{found} isn't in this game, or not that often.", found=shown(entry))
            left.remove(number)
            laid.append(number)
        return tuple(laid)

    def read_entry(self, entry: str, square: int) -> int:
        """What an entry of a layout says, or `malformed`; `bad-layout` if that can't lie on the square."""
        if len(entry) != self.digits or not (entry.isascii() and entry.isdigit()):
            raise Rejected(
                "malformed",
                "An entry of the layout has {n} digits; {found} was found.",
                n=self.digits,
                found=shown(entry),
            )
        return int(entry)

    def written(self, setup: Numbers) -> str:
        entries = [self.label(number) for number in setup]
        return "\n".join(
            " ".join(entries[at : at + self.board.files]) for at in range(0, len(entries), self.board.files)
        )

    def label(self, number: int) -> str:
        """A number as layouts and pictures have it."""
        return f"{number:0{self.digits}}"

    # --- the play ----------------------------------------------------------------------------------------------------

    def start(self, header: Header) -> State:
        assert header.setup
        return State(header.setup.start, header.setup.start)

    def turn(self, state: State) -> int:
        return len(state.landed) + 1

    def points(self, state: State) -> list[int]:
        return list(state.points)

    def advance(self, state: State, token: str) -> State:
        if token == "pass":
            raise Rejected("illegal-move", "There is no passing.")
        names = token.split("x")
        if len(names) > 2 or not all(name in self.board.squares for name in names):
            raise Rejected(
                "malformed",
                "{found} is not a turn: a square (`e4`), a square and what is taken with it (`e4xb7`), or `resigns`.",
                found=shown(token),
            )
        square, *named = (self.board.squares[name] for name in names)
        self._check_landing(state, square)
        self._check_choice(state, square, named)
        taken = (*named, *self.bound(state.board, square))
        board = list(state.board)
        for closed in (square, *taken):
            board[closed] = None
        points = list(state.points)
        points[state.seat] += sum(
            state.setup[scored] for scored in ((square, *taken) if self.takes_score else (square,))
        )
        after = State(state.setup, tuple(board), (*state.landed, square), taken, (points[0], points[1]))
        return after._replace(result=self.outcome(after))

    def moves(self, state: State) -> Iterator[str]:
        for square in () if state.result else self.targets(state):
            name = self.board.names[square]
            choices = self.choices(state.board, square)
            yield from (f"{name}x{self.board.names[choice]}" for choice in choices) if choices else (name,)

    def targets(self, state: State) -> list[int]:
        """Where the player on turn may land."""
        attacked = self.jumps[state.landed[-1]] if state.landed else ()
        return [square for square in self.near(state) if state.board[square] is not None and square not in attacked]

    def near(self, state: State) -> tuple[int, ...]:
        """Where the knight on turn gets, whatever lies there: a jump away, or the first time wherever it may enter."""
        if len(state.landed) > 1:
            return self.jumps[state.landed[-2]]
        rank = self.entry_ranks[state.seat]
        return tuple(square for square in range(len(state.board)) if rank in (0, self.board.rank(square)))

    def choices(self, board: tuple[int | None, ...], square: int) -> tuple[int, ...]:
        """The open squares one of which the player who lands there has to name: for a double the other doubles."""
        if not _is_double(board[square]):
            return ()
        return tuple(other for other, number in enumerate(board) if other != square and _is_double(number))

    def bound(self, board: tuple[int | None, ...], square: int) -> tuple[int, ...]:
        """What is closed together with that square without a choice: the mirror."""
        number = board[square]
        assert number is not None
        return () if _is_double(number) else (board.index(number % 10 * 10 + number // 10),)

    def outcome(self, state: State) -> str:
        """The result if the match is over before this turn, else an empty string: who is stuck has lost."""
        return "" if self.targets(state) else WON[1 - state.seat]

    def _check_landing(self, state: State, square: int) -> None:
        """Whether the player on turn may land there."""
        name = self.board.names[square]
        if square not in self.near(state):
            if len(state.landed) < 2:
                rank = self.entry_ranks[state.seat]
                raise Rejected(
                    "illegal-move", "The knight enters on rank {rank}, not on {square}.", rank=rank, square=name
                )
            stands = self.board.names[state.landed[-2]]
            raise Rejected(
                "illegal-move", "The knight on {stands} doesn't jump to {square}.", stands=stands, square=name
            )
        if state.board[square] is None:
            raise Rejected("illegal-move", "{square} is closed: nothing is left on it.", square=name)
        if state.landed and square in self.jumps[state.landed[-1]]:
            other = self.board.names[state.landed[-1]]
            raise Rejected(
                "illegal-move", "{square} is attacked by the other knight, on {other}.", square=name, other=other
            )

    def _check_choice(self, state: State, square: int, named: list[int]) -> None:
        """Whether a choice is named exactly where there is one, and one that there is."""
        choices, name = self.choices(state.board, square), self.board.names[square]
        label = self.label(state.setup[square])
        if choices and not named:
            raise Rejected(
                "illegal-move",
                "{number} on {square} asks for a choice: {square}x and a square, such as {example}.",
                number=label, square=name, example=f"{name}x{self.board.names[choices[0]]}",
            )  # fmt: skip
        if named and not choices:
            raise Rejected(
                "illegal-move",
                "{number} on {square} leaves no choice: nothing follows {square}.",
                number=label,
                square=name,
            )
        if named and named[0] not in choices:
            raise Rejected(
                "illegal-move",
                "{number} on {square} can't be followed by x{named}; there are {choices}.",
                number=label, square=name, named=self.board.names[named[0]],
                choices=", ".join(self.board.names[choice] for choice in choices),
            )  # fmt: skip

    # --- the picture -------------------------------------------------------------------------------------------------

    def view(self, state: State) -> View:
        """The board with the knights; marked: where the last one came from and landed, and what went with it."""
        marks = [self.board.mark(square, "move") for square in (*state.landed[-1:], *state.taken)]
        marks += [self.board.mark(square, "from") for square in state.landed[-3:-2]]
        return self.picture(state, marks)

    def refused(self, state: State, token: str) -> View:
        """The board with the squares marked that the token names, and the knight on turn."""
        named = (self.board.squares.get(name) for name in token.split("x")[:2])
        marks = [self.board.mark(square, "to") for square in named if square is not None]
        return self.picture(state, [*marks, *(self.board.mark(square, "from") for square in state.landed[-2:-1])])

    def picture(self, state: State, marks: Sequence[Mark]) -> View:
        """The board with these marks, and the points."""
        cells = [self.cell(state, square) for square in range(len(state.board))]
        return View((self.board.panel(cells, marks),), self.tally(state))

    def cell(self, state: State, square: int) -> Cell:
        """A square of the picture."""
        if square in state.landed[-2:]:
            return man_cell("Nn"[state.landed.index(square) % 2])
        label = self.label(state.setup[square])
        if square in state.landed:
            return Cell(label, "used", f"{label}, used")
        return Cell() if state.board[square] is None else Cell(label, "open", label)

    def tally(self, state: State) -> tuple[Note, ...]:
        """Both sides' points."""
        return (tally(self.seats, state.points),)


def _is_double(number: int | None) -> bool:
    return number is not None and number % 11 == 0
