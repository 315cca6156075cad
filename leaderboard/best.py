"""A contestant's best."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from leaderboard import ranking
from leaderboard.db import Connection
from verifier.verdict import Score


@dataclass(frozen=True)
class Result:
    """An accepted, timely submission, as it may become its contestant's best."""

    contest: int
    contestant: UUID
    setup: int
    """0 where the puzzle has none."""
    submission: UUID
    received_at: datetime
    key: bytes
    score: Score
    faces: tuple[bool, ...]
    """Where it counts: True for the live bests, False for those that stay public through a freeze."""


class Place(NamedTuple):
    """Where a best stands in the order of a board: key first, then who was earlier."""

    key: bytes
    received_at: datetime
    contestant: UUID


class Slot(NamedTuple):
    """Which best: the primary key."""

    contest: int
    contestant: UUID
    setup: int
    live: bool


@dataclass(frozen=True)
class Best:
    """What stands in a slot."""

    key: bytes
    received_at: datetime
    submission: UUID
    score: Score

    @property
    def order(self) -> tuple[bytes, datetime, UUID]:
        return self.key, self.received_at, self.submission


def apply(conn: Connection, results: Sequence[Result]) -> set[UUID]:
    """Let each result become the best where it is better, or equal and earlier: the submissions that changed a board.

    The caller holds the locks of the contests' counters, so nobody else changes these rows.
    """
    if not results:
        return set()
    before = _read(conn, results)
    after = dict(before)
    changed: set[UUID] = set()
    many = _many_setups(conn, results)
    for result in results:
        for live in result.faces:
            slot = Slot(result.contest, result.contestant, result.setup if result.contest in many else 0, live)
            new = Best(result.key, result.received_at, result.submission, result.score)
            if slot not in after or new.order < after[slot].order:
                after[slot] = new
                changed.add(result.submission)
                if result.contest in many:
                    after[slot._replace(setup=0)] = _overall(after, slot)
    _write(conn, {slot: new for slot, new in after.items() if new != before.get(slot)})
    return changed


def _overall(bests: dict[Slot, Best], slot: Slot) -> Best:
    """The standing over all setups of a contestant, received when the last of its parts was."""
    parts = [best for other, best in bests.items() if other.setup and other._replace(setup=slot.setup) == slot]
    score, key = ranking.overall([part.score for part in parts], [part.key for part in parts])
    last = max(parts, key=lambda part: (part.received_at, part.submission))
    return Best(key, last.received_at, last.submission, score)


def _read(conn: Connection, results: Sequence[Result]) -> dict[Slot, Best]:
    rows = conn.execute(
        """
        SELECT contest, contestant, setup, live, key, received_at, submission, score
        FROM best JOIN (SELECT DISTINCT * FROM unnest(%(contests)s::int[], %(contestants)s::uuid[]))
                  AS wanted (contest, contestant) USING (contest, contestant)""",
        {"contests": [each.contest for each in results], "contestants": [each.contestant for each in results]},
    )
    return {Slot(*row[:4]): Best(*row[4:]) for row in rows}


def _many_setups(conn: Connection, results: Sequence[Result]) -> set[int]:
    """The contests of more than one setup; the others have no standings but the overall ones."""
    rows = conn.execute(
        "SELECT contest FROM contest_setup WHERE contest = ANY(%s) GROUP BY contest HAVING count(*) > 1",
        [list({each.contest for each in results})],
    )
    return {contest for (contest,) in rows}


def _write(conn: Connection, bests: dict[Slot, Best]) -> None:
    conn.execute(
        """
        INSERT INTO best (contest, contestant, setup, live, key, received_at, submission, score)
        SELECT * FROM unnest(%(contests)s::int[], %(contestants)s::uuid[], %(setups)s::smallint[], %(lives)s::bool[],
                             %(keys)s::bytea[], %(times)s::timestamptz[], %(submissions)s::uuid[], %(scores)s::json[])
        ON CONFLICT (contest, contestant, setup, live) DO UPDATE
        SET key = excluded.key, received_at = excluded.received_at, submission = excluded.submission,
            score = excluded.score""",
        {
            "contests": [slot.contest for slot in bests],
            "contestants": [slot.contestant for slot in bests],
            "setups": [slot.setup for slot in bests],
            "lives": [slot.live for slot in bests],
            "keys": [best.key for best in bests.values()],
            "times": [best.received_at for best in bests.values()],
            "submissions": [best.submission for best in bests.values()],
            "scores": [json.dumps(best.score) for best in bests.values()],
        },
    )
