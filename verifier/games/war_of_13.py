"""War of 13, by Michael Coan, who calls it Strategy WAR: thirteen rounds, the highest card that is alone wins.

Kinds of cells in its pictures: "card", "won" (the card that took the pot), "sacrificed".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from verifier.rules import WON, Header, Match, Result, result_of
from verifier.verdict import Rejected, shown
from verifier.view import Cell, Mark, Note, Panel, View

FEWEST, MOST = 2, 10
"""Players."""
CARDS = {
    card: value for value, card in enumerate(["2", "3", "4", "5", "6", "7", "8", "9", "10", "j", "q", "k", "a"], 2)
}
"""The cards of a hand and what they are worth."""
NAMES = {value: card.upper() for card, value in CARDS.items()}
CARD = r"(?:10|[2-9jqka])\*?"
ROUND = re.compile(f"{CARD}(?:/{CARD})*+")
RESIGNS = re.compile("resigns-(0|[1-9][0-9]*)")
PLACES = re.compile(r"[1-9][0-9]?(?:[ \t\r]*,[ \t\r]*[1-9][0-9]?)*")


class Card(NamedTuple):
    """A card on the table."""

    value: int
    sacrificed: bool
    """Whether its player timed out: then it only adds to the pot."""


class Round(NamedTuple):
    """A round that has been played."""

    cards: tuple[Card, ...]
    """In seat order."""
    pot: int
    """All its cards and what had rolled over."""
    winner: int | None
    """The seat that took the pot; None if it rolled over or was lost."""


class State(NamedTuple):
    """A match on its way."""

    names: Sequence[str]
    rounds: tuple[Round, ...] = ()
    result: Result = ""

    def hand(self, seat: int) -> set[int]:
        """The values that a player still holds."""
        return set(CARDS.values()).difference(turn.cards[seat].value for turn in self.rounds)

    def points(self) -> list[int]:
        """The points won, in seat order."""
        return [sum(turn.pot for turn in self.rounds if turn.winner == seat) for seat in range(len(self.names))]

    @property
    def rolled(self) -> int:
        """What is in the pot before the next round."""
        return self.rounds[-1].pot if self.rounds and self.rounds[-1].winner is None else 0


def winner(cards: Sequence[Card]) -> int | None:
    """The seat of the highest card that no other one equals, sacrificed ones aside."""
    values = [card.value for card in cards if not card.sacrificed]
    highest = max((value for value in values if values.count(value) == 1), default=0)
    return next((seat for seat, card in enumerate(cards) if not card.sacrificed and card.value == highest), None)


class WarOf13(Match):
    """The game as one of the registry."""

    id = "war-of-13"

    def read_players(self, names: tuple[str, ...]) -> tuple[str, ...]:
        if not FEWEST <= len(names) <= MOST:
            raise Rejected(
                "malformed", "{fewest} to {most} players take part, not {n}.", fewest=FEWEST, most=MOST, n=len(names)
            )
        return names

    def read_result(self, value: Any) -> Result:
        if isinstance(value, str) and value.count(",") < MOST and PLACES.fullmatch(value):
            value = [int(place) for place in value.split(",")]
        if not isinstance(value, list):
            return super().read_result(value)
        players = len(value)
        if not FEWEST < players <= MOST or not all(type(place) is int and 1 <= place <= players for place in value):
            raise Rejected(
                "malformed",
                "The result is the place of each player, from 1 to the number of players; 1-0, 0-1 or 1/2-1/2 for two.",
            )
        return value

    def agree(self, header: Header) -> None:
        due, places = len(header.players), isinstance(header.result, list)
        if places and due != len(header.result or ()):
            raise Rejected(
                "malformed", "The result has {n} places for {due} players.", n=len(header.result or ()), due=due
            )
        if not places and due > 2:
            raise Rejected("malformed", "With {n} players the result is the place of each of them.", n=due)

    def check(self, header: Header) -> None:
        if not header.players:
            raise Rejected("malformed", "The record doesn't say who plays: `players:` is missing.")

    def start(self, header: Header) -> State:
        return State(self.names(header))

    def play(self, state: State, token: str) -> State:
        if resigns := RESIGNS.fullmatch(token):
            return self._resign(state, resigns[1])
        cards = self._cards(state, token)
        pot = state.rolled + sum(card.value for card in cards)
        after = state._replace(rounds=(*state.rounds, Round(cards, pot, winner(cards))))
        if len(after.rounds) < len(CARDS):
            return after
        points = after.points()
        if len(points) == 2:
            return after._replace(result=result_of(*points))
        return after._replace(result=[1 + sum(other > own for other in points) for own in points])

    def _resign(self, state: State, seat: str) -> State:
        if len(state.names) > 2:
            raise Rejected("illegal-move", "Only with two players one may resign; here are {n}.", n=len(state.names))
        if seat not in ("1", "2"):
            raise Rejected("illegal-move", "There is no seat {seat} to resign, only 1 and 2.", seat=shown(seat))
        return state._replace(result=WON[seat == "1"])

    def _cards(self, state: State, token: str) -> tuple[Card, ...]:
        """The cards of a round, which their players must hold."""
        if not ROUND.fullmatch(token):
            raise Rejected(
                "malformed",
                "{found} is not a round: each player's card, 2 to 10, J, Q, K or A, perhaps starred, joined by `/`.",
                found=shown(token),
            )
        played = token.split("/")
        if len(played) != len(state.names):
            raise Rejected(
                "malformed",
                "A round has a card of each of {due} players, not {n}.",
                due=len(state.names),
                n=len(played),
            )
        cards = tuple(Card(CARDS[card.rstrip("*")], card.endswith("*")) for card in played)
        for seat, card in enumerate(cards):
            hand = state.hand(seat)
            if card.value not in hand:
                raise Rejected(
                    "illegal-move",
                    "Player {seat} has played {card} before.",
                    seat=seat + 1,
                    card=NAMES[card.value],
                )
            if card.sacrificed and card.value != max(hand):
                raise Rejected(
                    "illegal-move",
                    "Player {seat} timed out and gives the highest card, {due}, not {card}.",
                    seat=seat + 1,
                    due=NAMES[max(hand)],
                    card=NAMES[card.value],
                )
        return cards

    def turn(self, state: State) -> int:
        return len(state.rounds) + 1

    def points(self, state: State) -> list[int]:
        return state.points()

    def view(self, state: State) -> View:
        seats = [str(seat + 1) for seat in range(len(state.names))]
        hands = tuple(
            tuple(Cell(NAMES[value], "card", NAMES[value]) if value in hand else Cell() for value in CARDS.values())
            for hand in map(state.hand, range(len(seats)))
        )
        panels = [Panel(hands, Note("Hands"), ranks=seats)]
        if state.rounds:
            table = tuple(tuple(self._cell(turn, seat) for turn in state.rounds) for seat in range(len(seats)))
            numbers = [str(number + 1) for number in range(len(state.rounds))]
            pots = [str(turn.pot) if turn.winner is not None else f"({turn.pot})" for turn in state.rounds]
            panels.append(Panel(table, Note("Rounds and their pots"), numbers, seats, pots))
        points = zip(seats, state.names, state.points(), strict=True)
        notes = [Note("{seat} {name}: {n} points.", seat=seat, name=name, n=n) for seat, name, n in points]
        if state.result:
            places = ", ".join(map(str, state.result)) if isinstance(state.result, list) else state.result
            notes.append(Note("Result: {result}.", result=places))
        elif state.rolled:
            notes.append(Note("{n} points roll over to the next pot.", n=state.rolled))
        return View(tuple(panels), tuple(notes))

    def seat(self, state: State) -> None:
        """Nobody: all play a card at the same time."""

    def refused(self, state: State, token: str) -> View:
        view = self.view(state)
        cards = [card.rstrip("*") for card in token.split("/")[:MOST]]
        marks = [
            Mark(seat, CARDS[card] - 2, "move")
            for seat, card in enumerate(cards)
            if card in CARDS and seat < len(state.names)
        ]
        return view._replace(panels=(view.panels[0]._replace(marks=tuple(marks)), *view.panels[1:]))

    def _cell(self, turn: Round, seat: int) -> Cell:
        card = turn.cards[seat]
        kind = "won" if turn.winner == seat else "sacrificed" if card.sacrificed else "card"
        name = NAMES[card.value]
        return Cell(name + "*" * card.sacrificed, kind, name if kind == "card" else f"{name}, {kind}")
