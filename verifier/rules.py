"""The protocol every puzzle and game offers.

A puzzle or game answers a few questions and knows nothing of files, lines and columns. What all of them need - reading,
setups, the chance stream, counting, locating errors - is done once, in record.py and replay.py. Whatever a rule forbids
is raised as `Rejected(code, template, **values)`; its place is added by whoever reads the record.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from verifier.chance import Stream
from verifier.verdict import Rejected, Score, cut, shown
from verifier.view import View

if TYPE_CHECKING:
    from verifier.record import Record

SETUP_HEADERS = ("deal", "seed", "layout")
SEED = re.compile("[0-9a-f]{1,64}")
LAST_DEAL = 2**53 - 1

Result = str | list[int]
"""A match's result: "1-0", "0-1" or "1/2-1/2", seat 1 first; with three and more players the places in seat order."""


# The classes of this package are plain ones and named tuples: a dataclass takes longer to make than a record to verify,
# and the command `nugget verify` makes them anew for each call.
class Setup:
    """What a play starts from. Two setups are equal when the plays start equally, however they were written."""

    def __init__(self, puzzle: str, start: Any, name: str = "", text: str = ""):
        self.puzzle = puzzle
        self.start = start
        """The puzzle's own value of it, hashable."""
        self.name = name
        """How the record named it: "deal 7", "seed 2a"; empty for one that is only written out."""
        self.text = text
        """The setup written out as the lines below `layout:`; equal for equal setups."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Setup) and (self.puzzle, self.start) == (other.puzzle, other.start)

    def __hash__(self) -> int:
        return hash((self.puzzle, self.start))


class Header:
    """What a record says before its body."""

    def __init__(self, setup: Setup | None = None) -> None:
        self.players: tuple[str, ...] = ()
        """The names in seat order, as written; empty where the record gives none."""
        self.result: Result | None = None
        """The result that the record states."""
        self.options: dict[str, Any] = {}
        """The values of the puzzle's own header keys, as its `option` has read them."""
        self.setup = setup
        self.draw: Stream | None = None
        """The stream of all chance behind the setup; None where the record names none (then chance is believed)."""


class Played(NamedTuple):
    """A record played to its end."""

    score: Score
    play: str
    """All that was played, in one spelling."""
    view: Callable[[], View]
    """Draws the last position."""


class Position(NamedTuple):
    """What a replay comes to behind a token of the record, not yet drawn."""

    token: str
    """The token that led to it; empty for the start. At a fault the one that could not be played."""
    turn: int
    """The number of the move or turn that the token belongs to; 0 for the start."""
    move: int
    """The number of the move or turn that is due next."""
    draw: Callable[[int | None], View]
    """Draws it, whole or as a seat (from 0) has seen it."""
    token_index: int | None = None
    """Of the token among the record's; None where it is none of its own."""
    seat: int | None = None
    """Whose token it is, from 0; None in a puzzle, or where all move at once."""
    due: int | None = None
    """Who is on turn now; None also when the match is over."""
    fault: Rejected | None = None
    """Why the replay ends here."""
    state: Any = None
    """What a replay can go on from; None where it can't from here."""


Numbered = tuple[int, Position]
"""A position with its number, from 0, the start."""


class Length(NamedTuple):
    """How long the replay of a board is."""

    total: int
    """Positions, the start and a faulty end included; 0 where the board is not there."""
    single: bool
    """Whether each move is one token, so that the number of a position is that of its move."""
    last: Numbered | None
    marks: list[Numbered]
    """Some of the positions, in order, from which a replay can go on."""


class Rules(ABC):
    """One puzzle or game: what the service asks of each of them."""

    id: ClassVar[str]
    kind: ClassVar[Literal["puzzle", "game"]] = "puzzle"
    headers: ClassVar[tuple[str, ...]] = ()
    """The header keys that it knows besides `puzzle`."""
    layout_size: ClassVar[int] = 0
    """How many entries a setup has when it is written out."""
    body: ClassVar[Literal["moves", "boards"]] = "moves"
    """The JSON key of what is played."""
    hides: ClassVar[bool] = False
    """Whether the players do not all see the same of a position."""

    # --- the setup (puzzles and games that have one) -----------------------------------------------------------------

    def deal(self, draw: Stream) -> tuple[Any, Stream]:
        """Draw the setup: its value and the stream behind it."""
        raise NotImplementedError

    def lay(self, entries: Iterator[str]) -> Any:
        """The setup from its written-out entries, judged one by one: `malformed`, `bad-layout` for the one last taken.

        Takes all of `layout_size` entries; the iterator itself answers for a wrong number of them.
        """
        raise NotImplementedError

    def written(self, setup: Any) -> str:
        """The setup as the lines below `layout:`, one and the same for equal setups; `lay` reads it back."""
        return ""

    def differs(self, entries: Sequence[str], setup: Any) -> int:
        """The index of the first entry that is not as in `setup`, which a seed has given."""
        due = self.written(setup).lower().split()
        return next((i for i, entry in enumerate(entries) if entry != due[i]), 0)

    # --- the header --------------------------------------------------------------------------------------------------

    def option(self, key: str, value: Any) -> Any:
        """Read one of the puzzle's own headers, text (folded) or what JSON has; `malformed`, or an error of range."""
        raise NotImplementedError

    def check(self, header: Header) -> None:  # noqa: B027 - most have nothing to check
        """When the headers have ended: what must hold between them; an error is placed at line 1, column 1."""

    # --- the play ----------------------------------------------------------------------------------------------------

    @abstractmethod
    def replay(self, record: Record) -> Played:
        """Play a record whose header has been read, to its end; or raise its first error with its place."""

    @abstractmethod
    def positions(self, record: Record, board: int = 1, after: Position | None = None) -> Iterator[Position]:
        """The positions of a record from its start on, the last at its end or its first error.

        `after` is one of them that has a state: then those behind it.
        """

    def boards(self, record: Record) -> int:
        """How many boards there are to look at."""
        return 1

    def length(self, record: Record, board: int = 1, every: int = 500) -> Length:
        """How long the positions of a board go on; every so many of them are kept, if they have a state."""
        total, single, last, marks = 0, True, None, []
        for number, position in enumerate(self.positions(record, board)):
            total, last = number + 1, (number, position)
            single &= position.turn == number
            if number % every == 0 and position.state is not None:
                marks.append(last)
        return Length(total, single, last, marks)

    @abstractmethod
    def key(self, score: Score) -> tuple[int, ...]:
        """Whole numbers that rank an accepted record: compared in order, smaller is better."""


class TokenRules(Rules):
    """A puzzle or game whose body is a plain row of tokens, played one after the other.

    A state is whatever the puzzle likes, but never changed in place: `play` answers with the next one. A token comes
    with A-Z folded to a-z and is otherwise as written: only ASCII may match (`[0-9]`, not `\\d`; no `str.isdigit`).
    """

    @abstractmethod
    def start(self, header: Header) -> Any:
        """The first state."""

    @abstractmethod
    def play(self, state: Any, token: str) -> Any:
        """The next state; or `malformed`, `illegal-move`, `wrong-draw`."""

    @abstractmethod
    def turn(self, state: Any) -> int:
        """The number, from 1, of the move or turn that is due: what `move` counts."""

    @abstractmethod
    def score(self, state: Any) -> Score:
        """What the play is worth where the record ends; or `not-finished`."""

    @abstractmethod
    def view(self, state: Any) -> View:
        """A picture of the state."""

    def refused(self, state: Any, token: str) -> View:
        """A picture of the state before a token that was rejected, with the move marked where one can be made out."""
        return self.view(state)

    def seen(self, state: Any, seat: int) -> View:
        """A picture of what the player in a seat (from 0) sees of the state, where `hides` says that it is not all."""
        return self.view(state)

    def seat(self, state: Any) -> int | None:
        """Who is on turn, from 0; None in a puzzle, or where all move at once."""
        return None

    def spelling(self, state: Any, token: str) -> str:
        """A token that was played, in the one spelling of what it means there: for telling equal plays."""
        return token

    def over(self, state: Any) -> bool:
        """Whether the play has ended, so that any further token is an error."""
        return False

    def moves(self, state: Any) -> Iterable[str] | None:
        """The tokens that are legal now, where they can be listed (one spelling of each)."""
        return None

    # --- playing a whole record --------------------------------------------------------------------------------------

    def replay(self, record: Record) -> Played:
        """Play the record's tokens in order; the first that breaks a rule ends it, and is given its place."""
        state = self.start(record.header)
        # Half a million tokens fit into a record: what a puzzle leaves as it is here is not called for each.
        ends = type(self).over is not TokenRules.over
        spells = type(self).spelling is not TokenRules.spelling
        played: list[str] = []
        for index, token in enumerate(record.tokens):
            try:
                after = self._next(state, token) if ends else self.play(state, token)
            except Rejected as error:
                refused = partial(self.refused, state, token)
                raise error.at(record.place(index), move=self.turn(state), view=refused) from None
            if spells:
                played.append(self.spelling(state, token))
            state = after
        try:
            score = self.score(state)
        except Rejected as error:
            raise error.at(record.last(), move=self.turn(state), view=partial(self.view, state)) from None
        stated, reached = record.header.result, score.get("result")
        if stated is not None and stated != reached:
            raise Rejected(
                "wrong-result", "The result is {reached}, not {stated}.", reached=_said(reached), stated=_said(stated)
            ).at(record.place_of("result"), view=lambda: self.view(state))
        return Played(score, " ".join(played if spells else record.tokens), lambda: self.view(state))

    def positions(self, record: Record, board: int = 1, after: Position | None = None) -> Iterator[Position]:
        """The position at the start and behind each token, and the one before a token that breaks a rule."""
        if after is None:
            after = self._first(record)
            yield after
        state, first = after.state, 0 if after.token_index is None else after.token_index + 1
        for index in range(first, len(record.tokens)):
            before, token = state, record.tokens[index]
            try:
                state = self._next(before, token)
            except Rejected as error:
                yield self._faulty(record, before, index, error)
                return
            yield self._behind(before, state, index, token)

    def length(self, record: Record, board: int = 1, every: int = 500) -> Length:
        """As `positions` would tell, but without making half a million of them."""
        start = self._first(record)
        before = state = start.state
        ends = type(self).over is not TokenRules.over
        single, index, token, marks = True, -1, "", [(0, start)]
        for index, token in enumerate(record.tokens):
            before = state
            try:
                state = self._next(state, token) if ends else self.play(state, token)
            except Rejected as error:
                single = single and self.turn(before) == index + 1
                return Length(index + 2, single, (index + 1, self._faulty(record, before, index, error)), marks)
            single = single and self.turn(before) == index + 1
            if (index + 1) % every == 0:
                marks.append((index + 1, self._behind(before, state, index, token)))
        last = self._behind(before, state, index, token) if token else start
        return Length(index + 2, single, (index + 1, last), marks)

    def _first(self, record: Record) -> Position:
        state = self.start(record.header)
        return Position("", 0, self.turn(state), partial(self._drawn, state), due=self.seat(state), state=state)

    def _behind(self, before: Any, state: Any, index: int, token: str) -> Position:
        due = None if self.over(state) else self.seat(state)
        drawn = partial(self._drawn, state)
        return Position(token, self.turn(before), self.turn(state), drawn, index, self.seat(before), due, state=state)

    def _faulty(self, record: Record, state: Any, index: int, error: Rejected) -> Position:
        token, turn, seat = record.tokens[index], self.turn(state), self.seat(state)
        error.at(record.place(index), move=turn)
        return Position(token, turn, turn, partial(self._refused, state, token), index, seat, seat, error)

    def _drawn(self, state: Any, seat: int | None) -> View:
        return self.view(state) if seat is None else self.seen(state, seat)

    def _refused(self, state: Any, token: str, seat: int | None) -> View:
        return self.refused(state, token) if seat is None else self.seen(state, seat)

    def _next(self, state: Any, token: str) -> Any:
        if self.over(state):
            raise Rejected("illegal-move", "The match is over; nothing may follow.")
        return self.play(state, token)


def _said(result: object) -> str:
    return ", ".join(map(str, result)) if isinstance(result, list) else str(result)


WON = ("1-0", "0-1")
"""The result of a match of two, by the seat (0 or 1) of the winner."""
DRAW = "1/2-1/2"


def result_of(first: int, second: int) -> str:
    """The result of two players who have got this much: more wins, equal is a draw."""
    return DRAW if first == second else WON[second > first]


class Match(TokenRules):
    """A game, whose records are finished matches.

    Its states have `seat`, who is on turn (0 or 1), `result`, a `Result` that is empty until the match is over, and
    `turns`, how many have been played (a game that counts them otherwise has a `turn` of its own).
    """

    kind = "game"
    headers: ClassVar[tuple[str, ...]] = ("players", "result")
    seats: ClassVar[tuple[str, ...]] = ("White", "Black")
    """What the players are called, in seat order."""

    def key(self, score: Score) -> tuple[int, ...]:
        """Matches have no rank of their own; a table counts their results."""
        return ()

    def read_players(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """One name for each seat, or `malformed`."""
        if len(names) != len(self.seats):
            raise Rejected(
                "malformed", "{n} names were found where {due} players take part.", n=len(names), due=len(self.seats)
            )
        return names

    def read_result(self, value: Any) -> Result:
        """A result as the record states it (text, or what JSON has), or `malformed`."""
        if value not in (*WON, DRAW):
            raise Rejected("malformed", "The result is not 1-0, 0-1 or 1/2-1/2, but {found}.", found=shown(str(value)))
        return str(value)

    def agree(self, header: Header) -> None:
        """When both the players and the result have been read: that they fit each other, or `malformed`."""

    def names(self, header: Header) -> Sequence[str]:
        """What messages and pictures call the players: by name, cut as a quotation is, or by seat."""
        return [cut(name) for name in header.players] or self.seats

    def play(self, state: Any, token: str) -> Any:
        if token != "resigns":
            return self.advance(state, token)
        self.may_resign(state)
        return state._replace(result=WON[1 - state.seat])

    def advance(self, state: Any, token: str) -> Any:
        """`play` of any token but `resigns`."""
        raise NotImplementedError

    def may_resign(self, state: Any) -> None:
        """That the player on turn can resign now, or `illegal-move`."""

    def turn(self, state: Any) -> int:
        turns: int = state.turns
        return turns + 1

    def seat(self, state: Any) -> int | None:
        seat: int = state.seat
        return seat

    def over(self, state: Any) -> bool:
        return bool(state.result)

    def points(self, state: Any) -> list[int] | None:
        """What each seat has at the end, where the game counts it."""
        return None

    def score(self, state: Any) -> Score:
        """{"result", "points" where the game has them, "turns"} of a match that is over."""
        if not state.result:
            raise Rejected("not-finished", "The match is not over: turn {turn} is due.", turn=self.turn(state))
        points = self.points(state)
        return {
            "result": state.result,
            **({} if points is None else {"points": points}),
            "turns": self.turn(state) - 1,
        }
