"""Plays a record and says where it broke a rule."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from itertools import islice, takewhile
from typing import NamedTuple

from verifier.record import Allowed, Place, Record, TextRecord, opened
from verifier.registry import RULES
from verifier.rules import Length, Match, Numbered, Position, Setup
from verifier.verdict import Rejected, Verdict, cut
from verifier.view import View


def verify(data: bytes, allowed: Allowed | None = None) -> Verdict:
    """The verdict on the record in these bytes, whatever they are; `allowed` is what a contest takes."""
    record: Record | None = None
    try:
        record = opened(data)
        record.read_header(RULES, allowed)
        played = record.rules.replay(record)
    except Rejected as error:
        error.__traceback__ = None  # it would keep the whole record alive
        return Verdict(record.puzzle if record else None, error=error, view=error.view)
    setup = record.header.setup
    play = sha256("\n".join((record.rules.id, setup.text if setup else "", played.play)).encode(errors="replace"))
    return Verdict(
        record.puzzle,
        score=played.score,
        setup=setup,
        play=play.hexdigest(),
        players=record.header.players,
        view=played.view,
    )


class Step(NamedTuple):
    """A position of a replay, drawn."""

    token: str
    move: int
    """The number of the move or turn that is due next."""
    view: View


class Frame(NamedTuple):
    """A position of a replay that is shown: drawn, and with its place in the record."""

    number: int
    """From 0, the start."""
    at: Position
    view: View
    place: Place


class Replay(NamedTuple):
    """A stretch of a record's play, accepted or not, for looking at."""

    puzzle: str
    boards: int
    """How many there are; 1 of everything but jc-golden-nugget."""
    board: int
    total: int
    """Positions of this board, the start and a faulty end included; 0 where the board is not there."""
    single: bool
    """Whether each move is one token, so that the number of a position is that of its move."""
    players: tuple[str, ...]
    """The names in seat order; empty where the record gives none."""
    seats: tuple[str, ...]
    """What the game calls the seats; empty for a puzzle, or where they have numbers only."""
    hides: bool
    """Whether the players do not all see the same."""
    frames: list[Frame]


class Film:
    """A record opened for looking at: played whole once, then from the nearest of the positions that are kept."""

    EVERY = 500
    """Positions from one that is kept to the next."""

    def __init__(self, data: bytes):
        """Raises Rejected without a readable header."""
        self._record = opened(data)
        self._record.read_header(RULES, None)
        self._boards = self._record.rules.boards(self._record)
        self._lengths: dict[int, Length] = {}

    def show(
        self,
        board: int = 1,
        *,
        first: int | None = None,
        move: int | None = None,
        limit: int = 1,
        seat: int | None = None,
    ) -> Replay:
        """Up to `limit` positions of a board from number `first` on, or the one behind `move`, else the last.

        `board` counts from 1. A number or move past the end is the last. Only what is answered is drawn, as `seat`
        (from 0) has seen it if stated.
        """
        record, rules, length = self._record, self._record.rules, self._length(board)
        found = [length.last] if length.last else []
        if first is not None and first < length.total:
            positions = self._positions(board, lambda number, _: number <= first)
            found = list(islice((each for each in positions if each[0] >= first), limit))
        elif first is None and move is not None and length.last and length.last[1].turn > move:
            positions = self._positions(board, lambda _, at: at.turn <= move)
            *_, last = takewhile(lambda each: each[1].turn <= move, positions)
            found = [last]
        places = record.places(at.token_index for _, at in found if at.token_index is not None)
        frames = [Frame(number, at, at.draw(seat), _stands(at, places)) for number, at in found]
        players = tuple(map(cut, record.header.players))
        seats = rules.seats if isinstance(rules, Match) and len(players) < 3 else ()
        return Replay(rules.id, self._boards, board, length.total, length.single, players, seats, rules.hides, frames)

    def _length(self, board: int) -> Length:
        if board not in self._lengths:
            self._lengths[board] = self._record.rules.length(self._record, board, self.EVERY)
        return self._lengths[board]

    def _positions(self, board: int, before: Callable[[int, Position], bool]) -> Iterator[Numbered]:
        """The positions from the last kept one for which that holds, else from the start."""
        mark = next((each for each in reversed(self._lengths[board].marks) if before(*each)), None)
        if mark is None:
            yield from enumerate(self._record.rules.positions(self._record, board))
        else:
            yield mark
            yield from enumerate(self._record.rules.positions(self._record, board, mark[1]), mark[0] + 1)


def _stands(at: Position, places: Mapping[int, tuple[int, int]]) -> Place:
    """Where a position's token stands; of an error, the place that its verdict names."""
    if at.fault and at.fault.line and at.fault.column:
        return at.fault.line, at.fault.column
    return None if at.token_index is None else places.get(at.token_index)


def steps(data: bytes, board: int | None = None, first: int = 0, limit: int = 1000) -> list[Step]:
    """The legal positions of a record, drawn: `limit` of them from number `first` (0 is the start).

    `board` counts from 1 and chooses a board of jc-golden-nugget. Without a readable header there are none.
    """
    try:
        record = opened(data)
        record.read_header(RULES, None)
    except Rejected:
        return []
    legal = (position for position in record.rules.positions(record, board or 1) if not position.fault)
    return [Step(at.token, at.move, at.draw(None)) for at in islice(legal, first, first + limit)]


def setup_of(puzzle: str, header: str) -> Setup | None:
    """The setup that header lines give, such as "deal: 7" or "layout:" with its lines; raises Rejected.

    None for a puzzle that starts always alike.
    """
    record = TextRecord(f"puzzle: {puzzle}\n{header}")
    record.read_header(RULES, None)
    return record.header.setup
