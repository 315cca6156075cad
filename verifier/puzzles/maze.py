"""Maze, as in AisleRiot: 48 cards in a line of 54 spaces, to be put in order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from verifier.chance import Stream
from verifier.rules import Header, TokenRules
from verifier.verdict import Rejected, Score, shown
from verifier.view import Cell, Mark, Panel, View

# A space is one byte: 12 * suit + rank of its card, or a gap.
RANKS = "a23456789tjq"
SUITS = {"c": "clubs", "d": "diamonds", "h": "hearts", "s": "spades"}
GAP = 255
_NAMES = {12 * suit + rank: f"{RANKS[rank]}{letter}" for suit, letter in enumerate(SUITS) for rank in range(12)}
_NAMES[GAP] = "."
_SPACES = {name: space for space, name in _NAMES.items()}
ACE, QUEEN = 0, 11
FREE = (8, 17)
"""The spaces 9 and 18, gaps of every setup."""
MOVES = {f"{source + 1}-{to + 1}": (source, to) for source in range(54) for to in range(54)}


def _follows(before: int, card: int) -> bool:
    """Whether the card comes next in order: one higher of the same suit, or any ace behind any queen; a gap never."""
    if GAP in (before, card):
        return False
    return card % 12 == ACE if before % 12 == QUEEN else card == before + 1


class State(NamedTuple):
    """The spaces, the moves made, and the last of them."""

    spaces: bytes
    """54, from 1."""
    moves: int = 0
    source: int = -1
    to: int = -1


class Maze(TokenRules):
    """The puzzle as one of the registry. A setup is the 54 spaces, as in a state."""

    id = "maze"
    headers = ("deal", "layout")
    layout_size = 54

    def deal(self, draw: Stream) -> tuple[bytes, Stream]:
        pack, draw = draw.shuffle(f"{rank}{suit}" for suit in SUITS for rank in RANKS + "k")
        spaces = [_SPACES.get(card, GAP) for card in pack]  # the kings are taken away
        for space in FREE:
            spaces.insert(space, GAP)
        return bytes(spaces), draw

    def lay(self, entries: Iterator[str]) -> bytes:
        spaces = bytearray()
        for entry in entries:
            card = _SPACES.get(entry)
            if card is None:
                raise Rejected(
                    "malformed", "{found} is not a card, such as 7H or TS, nor a gap, `.`.", found=shown(entry)
                )
            if card == GAP:
                if (
                    len(spaces) not in FREE
                    and sum(spaces[at] == GAP for at in range(len(spaces)) if at not in FREE) == 4
                ):
                    raise Rejected("bad-layout", "Besides spaces 9 and 18 there are four gaps, and this is a fifth.")
            elif len(spaces) in FREE:
                raise Rejected(
                    "bad-layout",
                    "Space {space} is a gap in every setup, but {card} lies there.",
                    space=len(spaces) + 1, card=entry.upper(),
                )  # fmt: skip
            elif card in spaces:
                raise Rejected("bad-layout", "The card {card} is there for the second time.", card=entry.upper())
            spaces.append(card)
        return bytes(spaces)

    def written(self, setup: bytes) -> str:
        return "\n".join(" ".join(_NAMES[space].upper() for space in setup[at : at + 9]) for at in range(0, 54, 9))

    def start(self, header: Header) -> State:
        assert header.setup
        return State(header.setup.start)

    def play(self, state: State, token: str) -> State:
        if token not in MOVES:
            raise Rejected(
                "malformed", "{found} is not a move: two spaces from 1 to 54, such as 23-9.", found=shown(token)
            )
        source, to = MOVES[token]
        card = state.spaces[source]
        if card == GAP:
            raise Rejected("illegal-move", "Space {space} is a gap: there is no card to move.", space=source + 1)
        if state.spaces[to] != GAP:
            raise Rejected(
                "illegal-move",
                "Space {space} is not a gap: {card} lies there.",
                space=to + 1, card=_NAMES[state.spaces[to]].upper(),
            )  # fmt: skip
        if not _fits(state.spaces, card, to):
            raise _unfit(state.spaces, card, to)
        spaces = bytearray(state.spaces)
        spaces[source], spaces[to] = GAP, card
        return State(bytes(spaces), state.moves + 1, source, to)

    def turn(self, state: State) -> int:
        return state.moves + 1

    def score(self, state: State) -> Score:
        """Every end counts; an ace in front is worth a point, as if a queen lay before it."""
        cards = state.spaces.replace(bytes([GAP]), b"")
        points = (cards[0] % 12 == ACE) + sum(map(_follows, cards, cards[1:]))
        return {"points": points, "moves": state.moves, "solved": points == 48}

    def key(self, score: Score) -> tuple[int, ...]:
        """More points, then fewer moves."""
        return -score["points"], score["moves"]

    def moves(self, state: State) -> list[str]:
        gaps = [to for to, card in enumerate(state.spaces) if card == GAP]
        return [
            f"{source + 1}-{to + 1}"
            for source, card in enumerate(state.spaces)
            if card != GAP
            for to in gaps
            if _fits(state.spaces, card, to)
        ]

    def view(self, state: State) -> View:
        return _picture(state, state.source, state.to)

    def refused(self, state: State, token: str) -> View:
        return _picture(state, *MOVES.get(token, (-1, -1)))


def _fits(spaces: bytes, card: int, to: int) -> bool:
    """Whether the card may go to the gap by its left or its right neighbour, or by the end of the line."""
    before = _follows(spaces[to - 1], card) if to else card % 12 == ACE
    return before or (_follows(card, spaces[to + 1]) if to < 53 else card % 12 == QUEEN)


def _unfit(spaces: bytes, card: int, to: int) -> Rejected:
    """The card fits neither way."""
    name = _NAMES[card].upper()
    if to == 0:
        return Rejected(
            "illegal-move",
            "{card} doesn't fit space 1: that takes an ace, or what comes right before {right} in space 2.",
            card=name, right=_NAMES[spaces[1]].upper(),
        )  # fmt: skip
    if to == 53:
        return Rejected(
            "illegal-move",
            "{card} doesn't fit space 54: that takes a queen, or what comes right after {left} in space 53.",
            card=name, left=_NAMES[spaces[52]].upper(),
        )  # fmt: skip
    return Rejected(
        "illegal-move",
        "{card} doesn't fit space {space}: it comes neither right after {left} nor right before {right}.",
        card=name, space=to + 1, left=_NAMES[spaces[to - 1]].upper(), right=_NAMES[spaces[to + 1]].upper(),
    )  # fmt: skip


def _picture(state: State, source: int, to: int) -> View:
    """The six rows, each space with its number as a corner; where a move goes from and to, where there is one."""
    cells = [_cell(card, space) for space, card in enumerate(state.spaces, 1)]
    marks = tuple(Mark(*divmod(at, 9), sign) for at, sign in ((source, "from"), (to, "to")) if at >= 0)
    return View((Panel(tuple(tuple(cells[at : at + 9]) for at in range(0, 54, 9)), marks=marks),))


def _cell(card: int, space: int) -> Cell:
    if card == GAP:
        return Cell("", "gap", f"space {space}, gap", corner=str(space))
    name = _NAMES[card]
    return Cell(name.upper(), SUITS[name[1]], f"{name.upper()}, space {space}", corner=str(space))
