"""Piecepack Klondike, by Eric Witt: a patience with 24 tiles in six towers and no stock."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import product
from typing import NamedTuple

from verifier.chance import Stream
from verifier.equipment import SUITS, TILES, tile
from verifier.rules import Header, TokenRules
from verifier.verdict import Rejected, Score, shown
from verifier.view import Cell, Mark, Note, Panel, View

# A tile is one byte, 6 * suit + rank, the ranks from the ace (0) to the null (5).
RANKS = "a2345n"
_NAMES = [f"{suit}{rank}" for suit in SUITS for rank in RANKS]
_TILES = {name: number for number, name in enumerate(_NAMES)}
NULL = 5

NEEDED = 9
"""Tiles on foundations that make a record count."""
FOUNDATION = -1
MOVES = {f"{source + 1}{to}": (source, "123456".find(to)) for source in range(6) for to in "123456f"}
"""A token's two towers, from 0; the second is FOUNDATION, where it goes there."""


class State(NamedTuple):
    """Where the tiles lie, the tokens counted, and the last of them."""

    towers: tuple[bytes, ...]
    """Six, each from the bottom up."""
    down: tuple[int, ...]
    """How many of a tower's tiles lie face down: its lowest ones."""
    up: tuple[int, ...] = (0, 0, 0, 0)
    """How many tiles lie on the foundation of each suit."""
    moves: int = 0
    last: tuple[int, ...] = ()
    """Where the last move went, or what it turned up: towers (0 to 5), foundations (6 to 9)."""


class PiecepackKlondike(TokenRules):
    """The puzzle as one of the registry. A setup is the 21 tiles of the towers 1 to 6, each from the bottom up."""

    id = "piecepack-klondike"
    headers = ("deal", "layout")
    layout_size = 21

    def deal(self, draw: Stream) -> tuple[bytes, Stream]:
        tiles, draw = draw.shuffle(_TILES[name] for name in TILES)
        order = iter(tiles)
        towers = [bytearray() for _ in range(6)]
        for first in range(6):
            for tower in towers[first:]:
                tower.append(next(order))
        return b"".join(towers), draw

    def lay(self, entries: Iterator[str]) -> bytes:
        tiles = bytearray()
        for entry in entries:
            if entry not in _TILES:
                raise Rejected("malformed", "{found} is not a tile, such as S3, AA or MN.", found=shown(entry))
            if _TILES[entry] in tiles:
                raise Rejected("bad-layout", "The tile {tile} is there for the second time.", tile=entry.upper())
            tiles.append(_TILES[entry])
        return bytes(tiles)

    def written(self, setup: bytes) -> str:
        return "\n".join(" ".join(_NAMES[number].upper() for number in tower) for tower in _towers(setup))

    def start(self, header: Header) -> State:
        assert header.setup
        return State(_towers(header.setup.start), tuple(range(6)))

    def play(self, state: State, token: str) -> State:
        if token == "turn":
            return _turned(state)
        if token not in MOVES:
            raise Rejected(
                "malformed",
                "{found} is not a move: two towers such as 34, a tower and F such as 3F, or turn.",
                found=shown(token),
            )
        source, to = MOVES[token]
        tower = state.towers[source]
        if not tower:
            raise Rejected("illegal-move", "Tower {tower} has no tiles.", tower=source + 1)
        if len(tower) == state.down[source]:
            raise Rejected("illegal-move", "The top tile of tower {tower} lies face down.", tower=source + 1)
        if to == FOUNDATION:
            return _to_foundation(state, source)
        first = _first(state, source, to)
        if first < 0:
            raise _unfit(state, source, to)
        towers = list(state.towers)
        towers[source], towers[to] = tower[:first], towers[to] + tower[first:]
        return State(tuple(towers), state.down, state.up, state.moves + 1, (to,))

    def turn(self, state: State) -> int:
        return state.moves + 1

    def score(self, state: State) -> Score:
        found = sum(state.up)
        if found < NEEDED:
            raise Rejected(
                "not-finished", "{n} tiles lie on foundations; {due} are needed at least.", n=found, due=NEEDED
            )
        return {"foundation": found, "moves": state.moves}

    def key(self, score: Score) -> tuple[int, ...]:
        """More foundation tiles, then fewer moves."""
        return -score["foundation"], score["moves"]

    def moves(self, state: State) -> list[str]:
        found = [] if _too_early(state) else ["turn"]
        for source, tower in enumerate(state.towers):
            if len(tower) > state.down[source]:
                found += [f"{source + 1}{to + 1}" for to in range(6) if _first(state, source, to) >= 0]
                if tower[-1] % 6 == state.up[tower[-1] // 6]:
                    found.append(f"{source + 1}f")
        return found

    def view(self, state: State) -> View:
        return _picture(state, [(row, "to") for row in state.last])

    def refused(self, state: State, token: str) -> View:
        move = next(_clearing(state), None) if token == "turn" else MOVES.get(token)  # a turn: what has to come before
        if move is None:
            return _picture(state, ())
        source, to = move
        if to == FOUNDATION:
            return _picture(state, [(source, "from"), *((6 + top // 6, "to") for top in state.towers[source][-1:])])
        return _picture(state, [(source, "from"), (to, "to")])


def _towers(setup: bytes) -> tuple[bytes, ...]:
    """The 21 tiles as towers of 1 to 6."""
    return tuple(setup[n * (n - 1) // 2 : n * (n + 1) // 2] for n in range(1, 7))


def _first(state: State, source: int, to: int) -> int:
    """The index of the tile that moves, with all above it, from a tower with face-up tiles to another; -1 for none."""
    tower, down, other = state.towers[source], state.down[source], state.towers[to]
    if source == to or len(other) == state.down[to] > 0:
        return -1
    if not other:
        return down if tower[down] % 6 == NULL else -1
    at = down + tower[down] % 6 - other[-1] % 6 + 1  # face-up tiles descend by one: this one is one lower than the top
    return at if down <= at < len(tower) and tower[at] // 6 != other[-1] // 6 else -1


def _unfit(state: State, source: int, to: int) -> Rejected:
    """Why nothing can go from a tower with face-up tiles to another."""
    if source == to:
        return Rejected("illegal-move", "Tower {tower} can't be moved onto itself.", tower=to + 1)
    tower, other = state.towers[source], state.towers[to]
    if not other:
        return Rejected(
            "illegal-move",
            "Tower {tower} is an open space: it takes a null, and none lies face up on tower {source}.",
            tower=to + 1, source=source + 1,
        )  # fmt: skip
    top = _NAMES[other[-1]].upper()
    if len(other) == state.down[to]:
        return Rejected(
            "illegal-move", "The top tile of tower {tower} lies face down; nothing goes on it.", tower=to + 1
        )
    if other[-1] % 6 == 0:
        return Rejected(
            "illegal-move", "Nothing goes on an ace: {top} is on top of tower {tower}.", top=top, tower=to + 1
        )
    one_lower = [number for number in tower[state.down[source] :] if number % 6 == other[-1] % 6 - 1]
    if one_lower:
        return Rejected(
            "illegal-move",
            "{tile} can't go on {top}: they are of the same suit.",
            tile=_NAMES[one_lower[0]].upper(), top=top,
        )  # fmt: skip
    return Rejected(
        "illegal-move",
        "No face-up tile of tower {source} is one lower than {top}, the top tile of tower {tower}.",
        source=source + 1, top=top, tower=to + 1,
    )  # fmt: skip


def _to_foundation(state: State, source: int) -> State:
    tower = state.towers[source]
    suit, rank = divmod(tower[-1], 6)
    due = state.up[suit]
    if rank != due:
        raise Rejected(
            "illegal-move",
            "The next tile of this suit's foundation is {due}, not {tile}.",
            due=_NAMES[6 * suit + due].upper(), tile=_NAMES[tower[-1]].upper(),
        )  # fmt: skip
    towers, up = list(state.towers), list(state.up)
    towers[source] = tower[:-1]
    up[suit] += 1
    return State(tuple(towers), state.down, tuple(up), state.moves + 1, (6 + suit,))


def _uncovered(state: State) -> list[int]:
    """The towers whose top tile lies face down."""
    return [n for n, tower in enumerate(state.towers) if len(tower) == state.down[n] > 0]


def _turned(state: State) -> State:
    error = _too_early(state)
    if error:
        raise error
    turned = _uncovered(state)
    down = tuple(count - (n in turned) for n, count in enumerate(state.down))
    return State(state.towers, down, state.up, state.moves + 1, tuple(turned))


def _too_early(state: State) -> Rejected | None:
    """What forbids a turn; None when it is legal."""
    if not _uncovered(state):
        return Rejected("illegal-move", "There is nothing to turn: no face-down tile is uncovered.")
    open_ = [n for n, tower in enumerate(state.towers) if len(tower) > state.down[n]]
    for n in open_:
        if state.towers[n][-1] % 6 == 0:
            return Rejected(
                "illegal-move",
                "It is too early to turn: {ace} lies face up on tower {tower} and has to go to its foundation.",
                ace=_NAMES[state.towers[n][-1]].upper(), tower=n + 1,
            )  # fmt: skip
    for source, to in _clearing(state):
        return Rejected(
            "illegal-move",
            "It is too early to turn: {move} can still clear tower {tower}.",
            move=f"{source + 1}{to + 1}", tower=source + 1,
        )  # fmt: skip
    return None


def _clearing(state: State) -> Iterator[tuple[int, int]]:
    """The moves of all face-up tiles of a tower that uncover a tile or, where there is none, go onto a tile."""
    for source, to in product(range(6), repeat=2):
        down = state.down[source]
        if len(state.towers[source]) > down == _first(state, source, to) and (down or state.towers[to]):
            yield source, to


def _picture(state: State, marked: Collection[tuple[int, str]]) -> View:
    """The towers as rows, their bottom at the left, and the foundations' top tiles."""
    rows = tuple(
        tuple(tile(_NAMES[number], "down" if at < down else "") for at, number in enumerate(tower)) or (Cell(),)
        for tower, down in zip(state.towers, state.down, strict=True)
    )
    tops = tuple(tile(_NAMES[6 * suit + count - 1]) if count else Cell() for suit, count in enumerate(state.up))
    towers = tuple(Mark(row, len(rows[row]) - 1, sign) for row, sign in marked if row < 6)
    foundations = tuple(Mark(0, row - 6, sign) for row, sign in marked if row >= 6)
    return View(
        (
            Panel(rows, Note("Towers"), columns=[""] * max(map(len, rows)), ranks="123456", marks=towers),
            Panel((tops,), Note("Foundations"), columns="SMCA", ranks="F", marks=foundations),
        )
    )
