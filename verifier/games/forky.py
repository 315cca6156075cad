"""Forky, an idea by Andy Lewicki: a domino train for two; the parity of the open half changes with every stone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from verifier.chance import Stream
from verifier.equipment import STONE, STONES, half, hand_panel, laid_stones, stone
from verifier.rules import WON, Header, Match, result_of
from verifier.verdict import Rejected, shown
from verifier.view import Mark, Note, Panel, View, ending, nameplate

HAND = 10
"""Stones in a hand."""
ROW = 5
"""Stones of the train that a picture shows in one row."""
PARITY = ("even", "odd")


class Deal(NamedTuple):
    """The setup."""

    drawn: str
    """The stone that the train starts with."""
    starts: int
    """The seat, 0 or 1, that its bigger half faces."""
    hands: tuple[frozenset[str], ...]


class State(NamedTuple):
    """A match on its way."""

    names: Sequence[str]
    hands: tuple[frozenset[str], ...]
    train: tuple[str, ...]
    """The stones as they were laid, each with the half first that joins and the half last that was the open one."""
    seat: int
    """Who is to move."""
    due: int
    """The parity of the next number to be opened: 0 even, 1 odd."""
    turns: int = 0
    result: str = ""

    @property
    def open(self) -> str:
        """The open half."""
        return self.train[-1][1]


def playable(hand: Iterable[str], open: str, due: int) -> list[str]:
    """The ways to play a stone of the hand: the half that joins first, the half that becomes the open one last."""
    ways = (way for held in sorted(hand) for way in (held, held[::-1]))
    return [way for way in ways if open in (way[0], "0") and (way[1] == "0" or int(way[1]) % 2 == due)]


def settled(state: State) -> State:
    """The same state, with its result if the match has ended by a hand played out or by a blocked train."""
    for seat, hand in enumerate(state.hands):
        if not hand:
            return state._replace(result=WON[seat])
    if any(playable(hand, state.open, state.due) for hand in state.hands):
        return state
    first, second = (pips(hand) for hand in state.hands)
    return state._replace(result=result_of(second, first))


def pips(hand: Iterable[str]) -> int:
    """The sum of all halves."""
    return sum(int(number) for held in hand for number in held)


class Forky(Match):
    """The game as one of the registry."""

    id = "forky"
    headers = (*Match.headers, "deal", "seed", "layout")
    layout_size = 2 + 2 * HAND
    seats = ("Player 1", "Player 2")

    def deal(self, draw: Stream) -> tuple[Deal, Stream]:
        (drawn, *rest), draw = draw.shuffle(STONES)
        starts, draw = draw.below(2)
        return Deal(drawn, starts, (frozenset(rest[:HAND]), frozenset(rest[HAND:]))), draw

    def lay(self, entries: Iterator[str]) -> Deal:
        stones = laid_stones(entries)
        drawn, seat = next(stones), next(entries)
        if seat not in ("1", "2"):
            raise Rejected("malformed", "The seat that starts is 1 or 2, not {found}.", found=shown(seat))
        return Deal(drawn, int(seat) - 1, tuple(frozenset(islice(stones, HAND)) for _ in range(2)))

    def written(self, setup: Deal) -> str:
        return "\n".join((f"{setup.drawn} {setup.starts + 1}", *(" ".join(sorted(hand)) for hand in setup.hands)))

    def differs(self, entries: Sequence[str], setup: Deal) -> int:
        if stone(entries[0]) != setup.drawn:
            return 0
        if entries[1] != str(setup.starts + 1):
            return 1
        return next(i for i in range(2, len(entries)) if stone(entries[i]) not in setup.hands[(i - 2) // HAND])

    def start(self, header: Header) -> State:
        assert header.setup
        drawn, seat, hands = header.setup.start
        return settled(State(self.names(header), hands, (drawn,), seat, 1 - int(drawn[1]) % 2))

    def advance(self, state: State, token: str) -> State:
        fitting = playable(state.hands[state.seat], state.open, state.due)
        if token == "pass":
            if fitting:
                raise Rejected("illegal-move", "Passing is not allowed while a stone fits: {way}.", way=fitting[0])
            return state._replace(seat=1 - state.seat, turns=state.turns + 1)
        if not re.fullmatch(STONE, token):
            raise Rejected(
                "malformed",
                "{found} is not a move: a stone as two digits from 0 to 6, `pass` or `resigns`.",
                found=shown(token),
            )
        if token not in fitting:
            raise self._misfit(state, token, fitting)
        hands = list(state.hands)
        hands[state.seat] -= {stone(token)}
        return settled(
            state._replace(
                hands=tuple(hands),
                train=(*state.train, token),
                seat=1 - state.seat,
                due=1 - state.due,
                turns=state.turns + 1,
            )
        )

    def _misfit(self, state: State, token: str, fitting: list[str]) -> Rejected:
        if stone(token) not in state.hands[state.seat]:
            return Rejected(
                "illegal-move", "{name} doesn't hold the stone {stone}.", name=state.names[state.seat], stone=token
            )
        if not fitting:
            return Rejected("illegal-move", "No stone in hand fits, {stone} neither: `pass` is due.", stone=token)
        if token[::-1] in fitting:
            return Rejected(
                "illegal-move",
                "The stone fits the other way round, as {turned}: the half that joins comes first.",
                turned=token[::-1],
            )
        if state.open not in (token[0], "0"):
            return Rejected(
                "illegal-move", "{stone} doesn't join: the open half is {open}.", stone=token, open=state.open
            )
        if state.due:
            return Rejected(
                "illegal-move", "{stone} opens {number}, but an odd number or 0 is due.", stone=token, number=token[1]
            )
        return Rejected(
            "illegal-move", "{stone} opens {number}, but an even number or 0 is due.", stone=token, number=token[1]
        )

    def points(self, state: State) -> list[int]:
        return [pips(hand) for hand in state.hands]

    def moves(self, state: State) -> list[str]:
        return playable(state.hands[state.seat], state.open, state.due) or ["pass"]

    def refused(self, state: State, token: str) -> View:
        view, hand = self.view(state), sorted(state.hands[state.seat])
        if stone(token) not in hand:
            return view
        panels, at = list(view.panels), hand.index(stone(token))
        panels[2 * state.seat] = panels[2 * state.seat]._replace(marks=(Mark(0, at, "move"), Mark(1, at, "move")))
        return view._replace(panels=tuple(panels))

    def view(self, state: State) -> View:
        halves = [half(way[at], side) for way in state.train for at, side in ((0, "left"), (1, "right"))]
        rows = tuple(tuple(halves[at : at + 2 * ROW]) for at in range(0, len(halves), 2 * ROW))
        last = Mark(*divmod(len(halves) - 1, 2 * ROW), "move")
        hands = [hand_panel(hand, HAND, nameplate(name)) for hand, name in zip(state.hands, state.names, strict=True)]
        due = Note("Open: {open}. Due: {parity} or 0.", open=state.open, parity=PARITY[state.due])
        end = ending(state.result, state.names[state.seat])
        return View(
            (hands[0], Panel(rows, Note("Train"), marks=(last,)), hands[1]),
            (end,) if state.result else (due, end),
        )
