"""Plays a record and says where it broke a rule."""

from __future__ import annotations

from hashlib import sha256
from itertools import islice

from verifier.record import Allowed, Record, TextRecord, opened
from verifier.registry import RULES
from verifier.rules import Setup, Step
from verifier.verdict import Rejected, Verdict


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


def steps(data: bytes, board: int | None = None, first: int = 0, limit: int = 1000) -> list[Step]:
    """The positions of a record, accepted or not, for looking at: `limit` of them from number `first` (0 is the start).

    `board` counts from 1 and chooses a board of jc-golden-nugget. Without a readable header there are none.
    """
    try:
        record = opened(data)
        record.read_header(RULES, None)
    except Rejected:
        return []
    return list(islice(record.rules.steps(record, board, first), limit))


def setup_of(puzzle: str, header: str) -> Setup | None:
    """The setup that header lines give, such as "deal: 7" or "layout:" with its lines; raises Rejected.

    None for a puzzle that starts always alike.
    """
    record = TextRecord(f"puzzle: {puzzle}\n{header}")
    record.read_header(RULES, None)
    return record.header.setup
