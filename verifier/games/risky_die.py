"""Risky Die, an idea by Andy Lewicki: three pairs of dice, ten rounds, small gaps."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

from verifier.chance import Stream
from verifier.equipment import rolled, thrown
from verifier.rules import Header, Match, result_of
from verifier.verdict import Rejected, shown
from verifier.view import Cell, Mark, Note, Panel, View, ending, tally

ROUNDS, SETS, BUST = 10, 3, 5
DICE = re.compile("[1-6]{2}(?:/[1-6]{2}){2}")
TURN = re.compile("(?:k|[ab][1-6])(?:/(?:k|[ab][1-6])){2}")


class Outcome(NamedTuple):
    """A set after a player's choice."""

    dice: tuple[int, int]
    rolled: int | None
    """Which die was rolled, 0 or 1; None if the set was kept."""
    points: int
    bust: bool


class State(NamedTuple):
    """A match on its way."""

    names: Sequence[str]
    must_roll: bool
    draw: Stream | None
    dice: tuple[tuple[int, int], ...] = ()
    """The dice of the round, set by set."""
    thrown: bool = False
    """Whether they are there for a turn; else the next ones are due."""
    turns: tuple[tuple[Outcome, ...], ...] = ()
    """All turns played; player 1 has the first, the third and so on."""
    result: str = ""

    @property
    def seat(self) -> int:
        """Who is to move, or will be when the dice have been thrown."""
        return len(self.turns) % 2

    def points(self, seat: int) -> list[int]:
        """A player's points, round by round."""
        return [sum(outcome.points for outcome in turn) for turn in self.turns[seat::2]]


def outcome(dice: tuple[int, int], choice: str) -> Outcome:
    """What a choice, as "k" or "a5", makes of a set."""
    if choice == "k":
        return Outcome(dice, None, abs(dice[0] - dice[1]), False)
    rolled, face = "ab".index(choice[0]), int(choice[1])
    after = (face, dice[1]) if rolled == 0 else (dice[0], face)
    bust = face == dice[rolled]
    return Outcome(after, rolled, BUST if bust else abs(after[0] - after[1]), bust)


class RiskyDie(Match):
    """The game as one of the registry."""

    id = "risky-die"
    headers = (*Match.headers, "seed", "must-roll")
    seats = ("Player 1", "Player 2")

    def option(self, key: str, value: Any) -> bool:
        if value not in ("yes", "no"):
            raise Rejected("malformed", "must-roll is yes or no, not {found}.", found=shown(str(value)))
        return bool(value == "yes")

    def start(self, header: Header) -> State:
        return State(self.names(header), header.options.get("must-roll", False), header.draw)

    def advance(self, state: State, token: str) -> State:
        return self._turn(state, token) if state.thrown else self._throw(state, token)

    def _throw(self, state: State, token: str) -> State:
        if not DICE.fullmatch(token):
            raise Rejected(
                "malformed",
                "The dice of round {round} are due, three pairs as 42/65/11, not {found}.",
                round=len(state.turns) // 2 + 1,
                found=shown(token),
            )
        faces, draw = thrown(token.replace("/", ""), 2 * SETS, state.draw)
        return state._replace(dice=tuple(zip(faces[::2], faces[1::2], strict=True)), thrown=True, draw=draw)

    def _turn(self, state: State, token: str) -> State:
        if not TURN.fullmatch(token):
            raise Rejected(
                "malformed",
                "A turn is due, a choice for each of the three sets as k/a5/b2, not {found}.",
                found=shown(token),
            )
        choices = token.split("/")
        if state.must_roll and choices == ["k"] * SETS:
            raise Rejected("illegal-move", "All three sets are kept, but one die at least must be rolled in a turn.")
        rolls = "".join(choice[1:] for choice in choices)
        _, draw = thrown(rolls, len(rolls), state.draw)
        turn = tuple(outcome(dice, choice) for dice, choice in zip(state.dice, choices, strict=True))
        after = state._replace(draw=draw, turns=(*state.turns, turn), thrown=not state.seat)
        if len(after.turns) < 2 * ROUNDS:
            return after
        first, second = self.points(after)
        return after._replace(result=result_of(second, first))

    def turn(self, state: State) -> int:
        return len(state.turns) + 1

    def points(self, state: State) -> list[int]:
        return [sum(state.points(seat)) for seat in range(2)]

    def moves(self, state: State) -> Iterator[str]:
        """Every throw that is possible, or the one that the seed gives; then every turn with the same."""
        count = SETS if state.thrown else 2 * SETS
        faces = rolled(count, state.draw)[0] if state.draw else ["123456"] * count
        if not state.thrown:
            for throw in product(*faces):
                yield "/".join(throw[at] + throw[at + 1] for at in range(0, 2 * SETS, 2))
            return
        for dice in product("kab", repeat=SETS):
            count = SETS - dice.count("k")
            if count or not state.must_roll:
                for throw in product(*faces[:count]):
                    due = iter(throw)
                    yield "/".join(die if die == "k" else die + next(due) for die in dice)

    def view(self, state: State) -> View:
        first = max(len(state.turns) - (not state.thrown), 0) // 2 * 2  # the first turn of the round that is shown
        panels = [self._dice(state.dice, Note("Dice of round {n}", n=first // 2 + 1))]
        for seat, turn in enumerate(state.turns[first : first + 2]):
            gains = ["bust" if outcome.bust else f"+{outcome.points}" for outcome in turn]
            marks = [Mark(o.rolled, at, "move") for at, o in enumerate(turn) if o.rolled is not None]
            title = Note("{name}, round {n}", name=state.names[seat], n=first // 2 + 1)
            panels.append(
                self._dice([outcome.dice for outcome in turn], title)._replace(below=gains, marks=tuple(marks))
            )
        table = Panel(
            tuple(self._points(state.points(seat)) for seat in range(2)),
            Note("Points by rounds"),
            [str(n + 1) for n in range(ROUNDS)],
            ("1", "2"),
        )
        return View(
            (*panels, table),
            (tally(state.names, self.points(state)), ending(state.result, state.names[state.seat])),
        )

    def _points(self, points: Sequence[int]) -> tuple[Cell, ...]:
        """A place for each round."""
        return *(Cell(str(n), "number", str(n)) for n in points), *[Cell()] * (ROUNDS - len(points))

    def _dice(self, dice: Sequence[tuple[int, int]], title: str) -> Panel:
        """Three sets side by side, the first die of each above the second; empty places before the first throw."""
        rows = [[Cell(str(pair[at]), "die", str(pair[at])) for pair in dice] or [Cell()] * SETS for at in range(2)]
        return Panel(tuple(map(tuple, rows)), title, "123", "ab")
