"""All standings from nothing: the verdicts alone say what they must be.

The bests are made anew from every result of a contest, compared with those that stand, and put in their place where
they differ; the fences are counted anew. If all is well nothing changes, and that is what it tells.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby, islice
from typing import TypeVar

from leaderboard import best, events, fences, league
from leaderboard.best import Bests, Result
from leaderboard.contests import Contest
from leaderboard.db import Connection

Progress = Callable[[int, int], object]
"""Called with the results read so far and how many there are."""

T = TypeVar("T")

EACH = 1000


@dataclass(frozen=True)
class Rebuilt:
    """What a rebuild has found."""

    results: int
    """Accepted, timely submissions that were looked at."""
    bests: int
    """Standings that follow from them."""
    differed: int
    """Standings that were missing, wrong or too many before; 0 if all was well."""


def rebuild(conn: Connection, contest: Contest, progress: Progress = lambda _done, _all: None) -> Rebuilt:
    """Rebuild a contest's bests and fences; verdicts of this contest wait until the caller's transaction ends."""
    conn.execute("SET LOCAL statement_timeout = 0")
    conn.execute("SET LOCAL lock_timeout = '30s'")
    conn.execute("SET LOCAL work_mem = '64MB'")
    conn.execute("SET LOCAL enable_seqscan = on")
    events.lock(conn, [contest.id])
    many = best.many_setups(conn, {contest.id})
    conn.execute("CREATE TEMP TABLE rebuilt (LIKE best) ON COMMIT DROP")
    if contest.league:
        bests = league.table(conn, contest.id)
        _keep(conn, [bests])
        return Rebuilt(league.counted(conn, contest.id), *_replace(conn, contest.id))
    row = conn.execute(best.COUNT, {"contest": contest.id}).fetchone()
    assert row
    done = 0
    with conn.cursor(name="results") as rows:
        rows.itersize = EACH
        rows.execute(best.RESULTS + " ORDER BY submission.contestant", {"contest": contest.id})
        for chunk in batched(_per_contestant(best.results(rows), many), EACH):
            _keep(conn, [bests for bests, _ in chunk])
            done += sum(read for _, read in chunk)
            progress(done, row[0])
    return Rebuilt(done, *_replace(conn, contest.id))


def _per_contestant(results: Iterator[Result], many: set[int]) -> Iterator[tuple[Bests, int]]:
    """The bests of each contestant, and of how many results."""
    for _, theirs in groupby(results, key=lambda result: result.contestant):
        found = list(theirs)
        bests: Bests = {}
        best.improve(bests, found, many)
        yield bests, len(found)


def _keep(conn: Connection, found: list[Bests]) -> None:
    with conn.cursor().copy(
        "COPY rebuilt (contest, contestant, setup, live, key, received_at, submission, score) FROM STDIN"
    ) as copy:
        for bests in found:
            for slot, each in bests.items():
                copy.write_row((*slot, each.key, each.received_at, each.submission, json.dumps(each.score)))


def batched(items: Iterable[T], n: int) -> Iterator[list[T]]:
    """The items in lists of n, the last one shorter."""
    rest = iter(items)
    while chunk := list(islice(rest, n)):
        yield chunk


def _replace(conn: Connection, contest: int) -> tuple[int, int]:
    """Put the rebuilt bests in the place of those that differ: how many there are, and how many differed."""
    conn.execute("CREATE UNIQUE INDEX ON rebuilt (contest, contestant, setup, live)")
    conn.execute("ANALYZE rebuilt")
    gone = conn.execute(
        """
        DELETE FROM best WHERE contest = %s AND NOT EXISTS (
            SELECT FROM rebuilt WHERE (rebuilt.contest, rebuilt.contestant, rebuilt.setup, rebuilt.live)
                                    = (best.contest, best.contestant, best.setup, best.live))""",
        [contest],
    ).rowcount
    mended = conn.execute("""
        INSERT INTO best SELECT rebuilt.* FROM rebuilt LEFT JOIN best USING (contest, contestant, setup, live)
        WHERE (rebuilt.key, rebuilt.received_at, rebuilt.submission, rebuilt.score::text)
              IS DISTINCT FROM (best.key, best.received_at, best.submission, best.score::text)
        ON CONFLICT (contest, contestant, setup, live) DO UPDATE
        SET key = excluded.key, received_at = excluded.received_at, submission = excluded.submission,
            score = excluded.score""").rowcount
    fences.rebuild(conn, contest)
    row = conn.execute("SELECT count(*) FROM rebuilt").fetchone()
    assert row
    conn.execute("DROP TABLE rebuilt")
    return row[0], gone + mended
