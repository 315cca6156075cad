"""Admiral Battleboats, an idea by lukulus: battleships on 15 x 15 squares with salvos and an admiral.

Kinds of cells in its pictures: "ship", "hit", "sunk", "miss"; the ship with the admiral is underlined.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from verifier.equipment import Board
from verifier.rules import WON, Header, Match
from verifier.verdict import Rejected, shown
from verifier.view import Cell, Note, View, ending, nameplate

SEA = Board(15, 15)
SHIPS, FLEET_SIZE = 10, 11
"""Ships of a fleet; entries that it has in a layout, the admiral's too."""
WEAKEST = 2
"""With this strength or less a side has lost."""

SQUARE = "[a-z][1-9][0-9]*"
SHIP = re.compile(f"({SQUARE})-({SQUARE})")
ADMIRAL = re.compile(f"@({SQUARE})")
SHOTS = f"{SQUARE}(?:/{SQUARE})*+"
_LONGEST = 100
"""Characters that a legal turn can have, and some more."""
TOKEN = re.compile(rf"({SHOTS})(?:\+({SHOTS})|>({SQUARE}))?")


class Kind(NamedTuple):
    """A kind of ship."""

    name: str
    number: int
    """Ships of it in a fleet."""
    shots: int
    bonus: int
    """The admiral's shots on it; 0 where he can't be."""


KINDS = {5: Kind("aircraft carrier", 3, 1, 3), 4: Kind("submarine", 1, 2, 0), 3: Kind("destroyer", 6, 1, 1)}
"""The kinds of ships by their length."""

Ship = tuple[int, ...]
"""Its squares, from the end that comes first by column and row."""


class Fleet(NamedTuple):
    """A player's ships as placed, in one order for equal fleets, and the ship that the admiral starts on."""

    ships: tuple[Ship, ...]
    admiral: int

    def written(self) -> str:
        """The fleet as a layout has it."""
        ends = " ".join(f"{SEA.names[ship[0]]}-{SEA.names[ship[-1]]}" for ship in self.ships)
        return f"{ends} @{SEA.names[self.ships[self.admiral][0]]}"


class State(NamedTuple):
    """A match on its way."""

    names: Sequence[str]
    fleets: tuple[Fleet, ...]
    """With the ship where each admiral is, or has died."""
    shots: tuple[frozenset[int], ...] = (frozenset(), frozenset())
    """The squares that each player has shot at, in the other's sea."""
    turns: int = 0
    last: Sequence[int] = ()
    """The squares of the last turn."""
    result: str = ""

    @property
    def seat(self) -> int:
        """Who is to move."""
        return self.turns % 2

    def sunk(self, seat: int, ship: int) -> bool:
        """Whether a player's ship has been hit on all squares."""
        return self.shots[1 - seat].issuperset(self.fleets[seat].ships[ship])

    def normal(self, seat: int) -> int:
        """A player's normal shots a turn."""
        ships = self.fleets[seat].ships
        return sum(KINDS[len(ship)].shots for number, ship in enumerate(ships) if not self.sunk(seat, number))

    def bonus(self, seat: int) -> int:
        """The shots that a player's admiral adds, 0 when he is dead."""
        fleet = self.fleets[seat]
        return 0 if self.sunk(seat, fleet.admiral) else KINDS[len(fleet.ships[fleet.admiral])].bonus

    def strength(self, seat: int) -> int:
        """All that a player can fire in a turn."""
        return self.normal(seat) + self.bonus(seat)


class Turn(NamedTuple):
    """A token that has been read."""

    normal: list[int]
    bonus: list[int]
    to: int | None
    """The ship that the admiral goes to."""


def columns_first(square: int) -> tuple[int, int]:
    """A square's column and row, for an order by both."""
    return square % SEA.files, SEA.rank(square)


def laid_ship(first: str, last: str) -> Ship:
    """The squares of a ship by its two ends, `bad-layout` if it is no ship."""
    for end in (first, last):
        if end not in SEA.squares:
            raise Rejected("bad-layout", "{square} is off the sea a1 to o15.", square=shown(end))
    low, high = sorted((SEA.squares[first], SEA.squares[last]), key=columns_first)
    (column, row), (to_column, to_row) = columns_first(low), columns_first(high)
    if column != to_column and row != to_row:
        raise Rejected(
            "bad-layout", "A ship lies along a row or a column, not from {first} to {last}.", first=first, last=last
        )
    step = 1 if row == to_row else -SEA.files
    ship = tuple(range(low, high + (1 if step > 0 else -1), step))
    if len(ship) not in KINDS:
        raise Rejected("bad-layout", "A ship has 3, 4 or 5 squares, not {n}.", n=len(ship))
    return ship


def laid_fleet(entries: Iterator[str]) -> Fleet:
    """A player's ten ships and admiral, each judged where it stands."""
    ships: list[Ship] = []
    for _ in range(SHIPS):
        entry = next(entries)
        ends = SHIP.fullmatch(entry)
        if not ends:
            if ADMIRAL.fullmatch(entry):
                raise Rejected(
                    "bad-layout",
                    "Ship {n} of ten is due, not the admiral {found}.",
                    n=len(ships) + 1,
                    found=shown(entry),
                )
            raise Rejected("malformed", "A ship is due by its two ends, as a1-e1, not {found}.", found=shown(entry))
        ship = laid_ship(*ends.groups())
        kind = KINDS[len(ship)]
        if sum(len(other) == len(ship) for other in ships) == kind.number:
            raise Rejected(
                "bad-layout",
                "{ship} is one {kind} more than the {n} of a fleet.",
                ship=entry,
                kind=kind.name,
                n=kind.number,
            )
        shared = {square for other in ships for square in other}.intersection(ship)
        if shared:
            raise Rejected(
                "bad-layout", "{ship} crosses another ship on {square}.", ship=entry, square=SEA.names[min(shared)]
            )
        ships.append(ship)
    ships.sort(key=lambda ship: (-len(ship), columns_first(ship[0])))
    return Fleet(tuple(ships), laid_admiral(next(entries), ships))


def laid_admiral(entry: str, ships: Sequence[Ship]) -> int:
    """The number of the ship that the admiral is on."""
    square = ADMIRAL.fullmatch(entry)
    if not square:
        if SHIP.fullmatch(entry):
            raise Rejected("bad-layout", "After ten ships the admiral is due, not {found}.", found=shown(entry))
        raise Rejected("malformed", "The admiral is due, as @c1, not {found}.", found=shown(entry))
    number = ship_on(square[1], ships)
    if number is None:
        raise Rejected("bad-layout", "The admiral is on no ship of his side: {square}.", square=shown(square[1]))
    if not KINDS[len(ships[number])].bonus:
        raise Rejected("bad-layout", "The admiral can't be on the submarine.")
    return number


def ship_on(name: str, ships: Sequence[Ship]) -> int | None:
    """The number of the ship on the square of that name, which may be off the sea."""
    square = SEA.squares.get(name)
    return next((number for number, ship in enumerate(ships) if square in ship), None)


class AdmiralBattleboats(Match):
    """The game as one of the registry."""

    id = "admiral-battleboats"
    hides = True
    headers = (*Match.headers, "layout")
    layout_size = 2 * FLEET_SIZE

    def lay(self, entries: Iterator[str]) -> tuple[Fleet, ...]:
        return laid_fleet(entries), laid_fleet(entries)

    def written(self, setup: tuple[Fleet, ...]) -> str:
        return "\n".join(fleet.written() for fleet in setup)

    def start(self, header: Header) -> State:
        assert header.setup
        return State(self.names(header), header.setup.start)

    def advance(self, state: State, token: str) -> State:
        seat, turn = state.seat, self._read(state, token)
        fleets, shots = list(state.fleets), list(state.shots)
        if turn.to is not None:
            fleets[seat] = fleets[seat]._replace(admiral=turn.to)
        fired = turn.normal + turn.bonus
        shots[seat] = shots[seat].union(fired)
        after = state._replace(fleets=tuple(fleets), shots=tuple(shots), turns=state.turns + 1, last=fired)
        return after._replace(result=WON[seat]) if after.strength(1 - seat) <= WEAKEST else after

    def _read(self, state: State, token: str) -> Turn:
        """What the token does, which must be a legal turn."""
        written = TOKEN.fullmatch(token)
        if not written:
            raise Rejected(
                "malformed",
                "{found} is not a turn: squares joined by `/`, then perhaps `+` and the bonus shots or `>` and a ship; "
                "or `resigns`.",
                found=shown(token),
            )
        seat, (normal, bonus, to) = state.seat, written.groups()
        volleys = [names.split("/") if names else [] for names in (normal, bonus)]
        self._check_numbers(state, *map(len, volleys))
        fired = set(state.shots[seat])
        for name in volleys[0] + volleys[1]:
            if name not in SEA.squares:
                raise Rejected("illegal-move", "{square} is off the sea a1 to o15.", square=shown(name))
            if SEA.squares[name] in fired:
                raise Rejected("illegal-move", "{square} has been shot at already.", square=name)
            fired.add(SEA.squares[name])
        first, then = ([SEA.squares[name] for name in names] for names in volleys)
        return Turn(first, then, self._ship(state, to) if to else None)

    def _check_numbers(self, state: State, normal: int, bonus: int) -> None:
        """That a player fires all normal shots, and all the admiral's or none."""
        seat, left = state.seat, len(SEA.names) - len(state.shots[state.seat])
        due = state.normal(seat)
        if state.turns == 0:
            due -= KINDS[3].number  # White's destroyers do not fire on the first turn
        if normal != min(due, left):
            raise Rejected(
                "illegal-move",
                "{name} has {due} normal shots, not {n}.",
                name=state.names[seat],
                due=min(due, left),
                n=normal,
            )
        if not bonus:
            return
        if state.turns == 0:
            raise Rejected("illegal-move", "There are no bonus shots on the first turn of the match.")
        if state.sunk(seat, state.fleets[seat].admiral):
            raise Rejected("illegal-move", "The admiral has gone down with his ship: there are no bonus shots.")
        most = min(state.bonus(seat), left - normal)
        if bonus != most:
            raise Rejected("illegal-move", "The admiral has {due} bonus shots, not {n}.", due=most, n=bonus)

    def _ship(self, state: State, name: str) -> int:
        """The number of the own ship that the admiral goes to."""
        seat = state.seat
        ships, admiral = state.fleets[seat]
        if state.sunk(seat, admiral):
            raise Rejected("illegal-move", "The admiral has gone down with his ship and can't move.")
        number = ship_on(name, ships)
        if number is None:
            raise Rejected("illegal-move", "There is no own ship on {square} for the admiral.", square=shown(name))
        if number == admiral:
            raise Rejected("illegal-move", "The admiral is on the ship on {square} already.", square=name)
        if not KINDS[len(ships[number])].bonus:
            raise Rejected("illegal-move", "The admiral can't go to the submarine on {square}.", square=name)
        if state.sunk(seat, number):
            raise Rejected("illegal-move", "The ship on {square} is sunk: the admiral can't go there.", square=name)
        return number

    def spelling(self, state: State, token: str) -> str:
        if token == "resigns":
            return token
        turn = self._read(state, token)
        normal, bonus = ("/".join(sorted(SEA.names[square] for square in volley)) for volley in turn[:2])
        to = "" if turn.to is None else f">{SEA.names[state.fleets[state.seat].ships[turn.to][0]]}"
        return f"{normal}+{bonus}" if bonus else normal + to

    def points(self, state: State) -> list[int]:
        return [state.strength(seat) for seat in range(2)]

    def view(self, state: State) -> View:
        return self._picture(state, 1 - state.seat, state.last)

    def refused(self, state: State, token: str) -> View:
        named = set(re.findall(SQUARE, token[:_LONGEST].partition(">")[0]))
        return self._picture(state, state.seat, [square for name, square in SEA.squares.items() if name in named])

    def _picture(self, state: State, seat: int, marked: Sequence[int]) -> View:
        """Both seas, and the shots of one player marked."""
        panels, notes = [], []
        for owner, name in enumerate(state.names):
            marks = [SEA.mark(square, "move") for square in marked] if owner != seat else ()
            panels.append(SEA.panel(self._cells(state, owner), marks, nameplate(name)))
            admiral = state.fleets[owner].ships[state.fleets[owner].admiral]
            if state.sunk(owner, state.fleets[owner].admiral):
                notes.append(Note("{name}: {n} shots a turn; the admiral is dead.", name=name, n=state.normal(owner)))
            else:
                notes.append(
                    Note(
                        "{name}: {n} shots a turn, {bonus} bonus; the admiral is on the {kind} at {square}.",
                        name=name,
                        n=state.normal(owner),
                        bonus=state.bonus(owner),
                        kind=KINDS[len(admiral)].name,
                        square=SEA.names[admiral[0]],
                    )
                )
        return View(tuple(panels), (*notes, ending(state.result, state.names[state.seat])))

    def seen(self, state: State, seat: int) -> View:
        """The own sea, and of the other's what has been shot at; what was sunk is known, as both are told."""
        other, name = 1 - seat, state.names[seat]
        marks = [SEA.mark(square, "move") for square in state.last]
        there, here = (marks, []) if state.seat == other else ([], marks)
        shots = [
            cell if cell.kind in ("sunk", "miss") else Cell("X", "hit", "hit") if cell.kind == "hit" else Cell()
            for cell in self._cells(state, other)
        ]
        panels = (
            SEA.panel(self._cells(state, seat), here, nameplate(name)),
            SEA.panel(shots, there, Note("{name}, as {other} knows it", name=state.names[other], other=name)),
        )
        return View(panels, (ending(state.result, state.names[state.seat]),))

    def _cells(self, state: State, owner: int) -> list[Cell]:
        """A player's sea."""
        shots = state.shots[1 - owner]
        cells = [Cell("•", "miss", "miss") if square in shots else Cell() for square in range(len(SEA.names))]
        for number, ship in enumerate(state.fleets[owner].ships):
            kind, admiral = KINDS[len(ship)].name, number == state.fleets[owner].admiral
            for square in ship:
                fate = "sunk" if state.sunk(owner, number) else "hit" if square in shots else "ship"
                said = f"{kind} with the admiral" if admiral else kind
                cells[square] = Cell(kind[0].upper(), fate, said if fate == "ship" else f"{said}, {fate}", admiral)
        return cells
