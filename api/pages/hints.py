"""What a contestant of jc-golden-nugget can learn from a verdict: which boards are right, which beginning is better.

And why one stands above another. No SQL and no HTML: scores and bytes in, plain values out.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, Any

from leaderboard.ranking import chain_key
from verifier import RULES, verify
from verifier.puzzles.jc_golden_nugget import FEWEST
from verifier.record import JsonRecord, TextRecord, opened

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from verifier.verdict import Score

CHAIN = "jc-golden-nugget"


@dataclass(frozen=True)
class Right:
    """The boards of a rejected chain that are right."""

    boards: int
    score: Score | None
    """What a record of those alone would score; None where they are too few."""


def right_boards(data: bytes, verdict: Mapping[str, Any]) -> Right | None:
    """What is right in a rejected record of jc-golden-nugget; None for others, or where no board is."""
    boards = verdict["error"].get("board", 0) - 1
    if verdict["puzzle"] != CHAIN or boards < 1:
        return None
    if boards < FEWEST:
        return Right(boards, None)
    return Right(boards, verify(beginning(data, boards)).score)


def beginning(data: bytes, boards: int) -> bytes:
    """The record of the first so many boards, which are right, of a record that has more."""
    record = opened(data)
    record.read_header(RULES, None)
    if isinstance(record, JsonRecord):
        return json.dumps({"puzzle": CHAIN, "boards": record.boards[:boards]}).encode()
    assert isinstance(record, TextRecord)
    headings = [index for index, word in enumerate(record.tokens) if word == "board"]
    place = record.place(headings[boards])
    assert place
    line, column = place
    lines = data.decode().removeprefix("\ufeff").split("\n")[:line]
    return "\n".join([*lines[:-1], lines[-1][: column - 1]]).encode()


def better_start(moves: Sequence[int]) -> int | None:
    """How many of an accepted chain's boards alone would rank highest; None if that is all of them."""
    best = min(range(FEWEST, len(moves) + 1), key=lambda boards: chain_key(moves[:boards]))
    return best if best < len(moves) else None


@dataclass(frozen=True)
class Deciding:
    """Why one chain ranks above another, or that neither does."""

    rule: str
    """"mean", "boards", "last" (some board from the end decides), or "tie"."""
    first: int
    """What decides, of the better one: a numerator over `denominator`, boards, or moves on one board."""
    second: int
    """The same of the other one."""
    denominator: int = 1
    """Common to both means."""
    back: int = 0
    """0 for the last board, 1 for the last but one, and so on."""


def deciding(better: Sequence[int], other: Sequence[int]) -> Deciding:
    """What puts a chain above another that ranks no higher: the moves of each board are given, from the first."""
    means = Fraction(sum(better), len(better)), Fraction(sum(other), len(other))
    if means[0] != means[1]:
        common = lcm(means[0].denominator, means[1].denominator)
        return Deciding("mean", int(means[0] * common), int(means[1] * common), denominator=common)
    if len(better) != len(other):
        return Deciding("boards", len(better), len(other))
    for back, (mine, theirs) in enumerate(zip(reversed(better), reversed(other), strict=True)):
        if mine != theirs:
            return Deciding("last", mine, theirs, back=back)
    return Deciding("tie", 0, 0)
