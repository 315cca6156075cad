"""A contestant's best."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from leaderboard import fences, ranking
from leaderboard.db import Connection
from leaderboard.fences import Line, Place
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


class Slot(NamedTuple):
    """Which best: the primary key."""

    contest: int
    contestant: UUID
    setup: int
    """0: over all setups."""
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
        """Of two bests the lesser one stays: the better, or the earlier of equal ones."""
        return self.key, self.received_at, self.submission


Bests = dict[Slot, Best]

_FROM = """
    FROM submission JOIN contest ON contest.id = submission.contest
                    JOIN verdict ON verdict.submission = submission.id AND applied AND accepted
    WHERE received_at < closes_at AND disqualified_at IS NULL AND submission.contest = %(contest)s"""
RESULTS = (
    """
    SELECT submission.contest, puzzle, submission.contestant, coalesce(submission.setup, 0), submission.id,
           submission.received_at, verdict -> 'score', received_at < freezes_at"""
    + _FROM
)
"""All results of a contest; rows for `results`."""
COUNT = "SELECT count(*)" + _FROM
"""How many those are."""


def apply(conn: Connection, news: Sequence[Result]) -> set[UUID]:
    """Let each result become the best where it is better, or equal and earlier: the submissions that changed a board.

    The caller holds the locks of the contests' counters, so nobody else changes these rows.
    """
    if not news:
        return set()
    before = read(conn, [(each.contest, each.contestant) for each in news])
    after = dict(before)
    changed = improve(after, news, many_setups(conn, {each.contest for each in news if each.setup}))
    replace(conn, before, after)
    return changed


def refresh(conn: Connection, contest: int, contestant: UUID) -> set[bool]:
    """A contestant's bests anew, from their results: which faces changed (True live, False the frozen one).

    The caller holds the contest's counter.
    """
    rows = conn.execute(
        RESULTS + " AND submission.contestant = %(contestant)s", {"contest": contest, "contestant": contestant}
    )
    after: Bests = {}
    improve(after, results(rows), many_setups(conn, {contest}))
    before = read(conn, [(contest, contestant)])
    replace(conn, before, after)
    return changes(before, after)


def changes(before: Bests, after: Bests) -> set[bool]:
    """The faces in which some best is not what it was."""
    return {slot.live for slot in before.keys() | after.keys() if before.get(slot) != after.get(slot)}


def improve(bests: Bests, news: Iterable[Result], many: set[int]) -> set[UUID]:
    """Let each result take its slots where it is better; the submissions that did. `many`: as many_setups says."""
    changed: set[UUID] = set()
    for new in news:
        for live in new.faces:
            slot = Slot(new.contest, new.contestant, new.setup if new.contest in many else 0, live)
            best = Best(new.key, new.received_at, new.submission, new.score)
            if slot not in bests or best.order < bests[slot].order:
                bests[slot] = best
                changed.add(new.submission)
                if new.contest in many:
                    bests[slot._replace(setup=0)] = _overall(bests, slot)
    return changed


def results(rows: Iterable[tuple[int, str, UUID, int, UUID, datetime, Score, bool | None]]) -> Iterator[Result]:
    """Results from rows of RESULTS."""
    for contest, puzzle, contestant, setup, submission, received_at, score, early in rows:
        key = ranking.sort_key(puzzle, score)
        yield Result(contest, contestant, setup, submission, received_at, key, score, faces(early))


def faces(early: bool | None) -> tuple[bool, ...]:
    """The bests that a result counts for: `early` says whether it came before the freeze, None that there is none."""
    return (True, False) if early else (True,)


def many_setups(conn: Connection, contests: set[int]) -> set[int]:
    """Those of more than one setup; the others have no standings but the overall ones."""
    if not contests:
        return set()
    rows = conn.execute(
        "SELECT contest FROM contest_setup WHERE contest = ANY(%s) GROUP BY contest HAVING count(*) > 1",
        [list(contests)],
    )
    return {contest for (contest,) in rows}


def _overall(bests: Bests, slot: Slot) -> Best:
    """The standing over all setups of a contestant, received when the last of its parts was."""
    parts = [best for other, best in bests.items() if other.setup and other._replace(setup=slot.setup) == slot]
    score, key = ranking.overall([part.score for part in parts], [part.key for part in parts])
    last = max(parts, key=lambda part: (part.received_at, part.submission))
    return Best(key, last.received_at, last.submission, score)


def read(conn: Connection, whose: Iterable[tuple[int, UUID]]) -> Bests:
    """What stands for these contestants in these contests."""
    pairs = list(set(whose))
    rows = conn.execute(
        """
        SELECT contest, contestant, setup, live, key, received_at, submission, score
        FROM best JOIN unnest(%s::int[], %s::uuid[]) AS wanted (contest, contestant) USING (contest, contestant)""",
        [[contest for contest, _ in pairs], [contestant for _, contestant in pairs]],
    )
    return {Slot(*row[:4]): Best(*row[4:]) for row in rows}


def replace(conn: Connection, before: Bests, after: Bests) -> None:
    """Write what has changed, and move the fences' counts with it."""
    gone = {slot: best for slot, best in before.items() if best != after.get(slot)}
    new = {slot: best for slot, best in after.items() if best != before.get(slot)}
    if dropped := [slot for slot in gone if slot not in new]:
        conn.cursor().executemany(
            "DELETE FROM best WHERE contest = %s AND contestant = %s AND setup = %s AND live = %s", dropped
        )
    if new:
        _write(conn, new)
    fences.move(conn, map(_place, gone.items()), map(_place, new.items()))


def _write(conn: Connection, new: Bests) -> None:
    conn.execute(
        """
        INSERT INTO best (contest, contestant, setup, live, key, received_at, submission, score)
        SELECT * FROM unnest(%(contests)s::int[], %(contestants)s::uuid[], %(setups)s::smallint[], %(lives)s::bool[],
                             %(keys)s::bytea[], %(times)s::timestamptz[], %(submissions)s::uuid[], %(scores)s::json[])
        ON CONFLICT (contest, contestant, setup, live) DO UPDATE
        SET key = excluded.key, received_at = excluded.received_at, submission = excluded.submission,
            score = excluded.score""",
        {
            "contests": [slot.contest for slot in new],
            "contestants": [slot.contestant for slot in new],
            "setups": [slot.setup for slot in new],
            "lives": [slot.live for slot in new],
            "keys": [best.key for best in new.values()],
            "times": [best.received_at for best in new.values()],
            "submissions": [best.submission for best in new.values()],
            "scores": [json.dumps(best.score) for best in new.values()],
        },
    )


def _place(item: tuple[Slot, Best]) -> tuple[Line, Place]:
    slot, best = item
    return Line(slot.contest, slot.setup, slot.live), Place(best.key, best.received_at, slot.contestant)
