"""The fences along a board's order, by which any rank is counted quickly: kept exact by whoever changes bests."""

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import NamedTuple
from uuid import UUID

from leaderboard.db import Connection

STEP = 1000
"""Rows between two fences after a rebuild; one with more than twice as many is split."""


class Line(NamedTuple):
    """Which order: a contest's overall one (setup 0) or that of one setup; of the live bests, or those of a freeze."""

    contest: int
    setup: int
    live: bool


class Place(NamedTuple):
    """Where a row stands in the order: key first, then who was earlier."""

    key: bytes
    received_at: datetime
    contestant: UUID


FIRST = Place(b"", datetime(1970, 1, 1, tzinfo=UTC), UUID(int=0))
"""Before every row."""


def begin(conn: Connection, lines: Iterable[Line]) -> None:
    """The first fence of lines that have no rows yet."""
    conn.cursor().executemany(
        """
        INSERT INTO fence (contest, setup, live, key, received_at, contestant, rows)
        VALUES (%s, %s, %s, %s, %s, %s, 0)""",
        [(*line, *FIRST) for line in lines],
    )


def move(conn: Connection, left: Iterable[tuple[Line, Place]], taken: Iterable[tuple[Line, Place]]) -> None:
    """Rows have left these places and taken those, as `best` has it already."""
    change = Counter(taken)
    change.subtract(left)
    places = [(line, place, n) for (line, place), n in change.items() if n]
    if not places:
        return
    crowded = conn.execute(
        """
        WITH change AS (
            SELECT * FROM unnest(%(contests)s::int[], %(setups)s::smallint[], %(lives)s::bool[], %(keys)s::bytea[],
                                 %(times)s::timestamptz[], %(contestants)s::uuid[], %(changes)s::int[])
            AS change (contest, setup, live, key, received_at, contestant, rows)
        ), sums AS (
            SELECT contest, setup, live, mine.*, sum(rows) AS rows FROM change CROSS JOIN LATERAL (
                SELECT key, received_at, contestant FROM fence
                WHERE fence.contest = change.contest AND fence.setup = change.setup AND fence.live = change.live
                  AND (fence.key, fence.received_at, fence.contestant)
                      <= (change.key, change.received_at, change.contestant)
                ORDER BY fence.key DESC, fence.received_at DESC, fence.contestant DESC LIMIT 1
            ) AS mine GROUP BY contest, setup, live, mine.key, mine.received_at, mine.contestant
        )
        UPDATE fence SET rows = fence.rows + sums.rows FROM sums
        WHERE fence.contest = sums.contest AND fence.setup = sums.setup AND fence.live = sums.live
          AND fence.key = sums.key AND fence.received_at = sums.received_at AND fence.contestant = sums.contestant
        RETURNING fence.contest, fence.setup, fence.live, fence.key, fence.received_at, fence.contestant, fence.rows""",
        {
            "contests": [line.contest for line, _, _ in places],
            "setups": [line.setup for line, _, _ in places],
            "lives": [line.live for line, _, _ in places],
            "keys": [place.key for _, place, _ in places],
            "times": [place.received_at for _, place, _ in places],
            "contestants": [place.contestant for _, place, _ in places],
            "changes": [n for _, _, n in places],
        },
    ).fetchall()
    for row in crowded:
        if row[-1] > 2 * STEP:
            _split(conn, Line(*row[:3]), Place(*row[3:6]))


def _split(conn: Connection, line: Line, fence: Place) -> None:
    """Put new fences between this one and the next, STEP rows apart."""
    values = {**line._asdict(), **fence._asdict(), "step": STEP}
    conn.execute(
        """
        WITH next AS (
            SELECT key, received_at, contestant FROM fence
            WHERE contest = %(contest)s AND setup = %(setup)s AND live = %(live)s
              AND (key, received_at, contestant) > (%(key)s, %(received_at)s, %(contestant)s)
            ORDER BY key, received_at, contestant LIMIT 1
        ), numbered AS (
            SELECT best.key, best.received_at, best.contestant,
                   row_number() OVER (ORDER BY best.key, best.received_at, best.contestant) - 1 AS nth,
                   count(*) OVER () AS n
            FROM best LEFT JOIN next ON true
            WHERE contest = %(contest)s AND setup = %(setup)s AND live = %(live)s
              AND (best.key, best.received_at, best.contestant) >= (%(key)s, %(received_at)s, %(contestant)s)
              AND coalesce((best.key, best.received_at, best.contestant)
                           < (next.key, next.received_at, next.contestant), true)
        ), cut AS (
            INSERT INTO fence (contest, setup, live, key, received_at, contestant, rows)
            SELECT %(contest)s, %(setup)s, %(live)s, key, received_at, contestant, least(%(step)s, n - nth)
            FROM numbered WHERE nth > 0 AND nth %% %(step)s = 0
        )
        UPDATE fence SET rows = %(step)s
        WHERE contest = %(contest)s AND setup = %(setup)s AND live = %(live)s
          AND key = %(key)s AND received_at = %(received_at)s AND contestant = %(contestant)s""",
        values,
    )


def rebuild(conn: Connection, contest: int) -> None:
    """Count all fences of a contest anew, from its bests."""
    conn.execute(
        "DELETE FROM fence WHERE contest = %s AND (key, received_at, contestant) <> (%s, %s, %s)", [contest, *FIRST]
    )
    conn.execute(
        """
        WITH numbered AS (
            SELECT setup, live, key, received_at, contestant,
                   row_number() OVER line - 1 AS nth, count(*) OVER (PARTITION BY setup, live) AS n
            FROM best WHERE contest = %(contest)s
            WINDOW line AS (PARTITION BY setup, live ORDER BY key, received_at, contestant)
        ), cut AS (
            INSERT INTO fence (contest, setup, live, key, received_at, contestant, rows)
            SELECT %(contest)s, setup, live, key, received_at, contestant, least(%(step)s, n - nth)
            FROM numbered WHERE nth > 0 AND nth %% %(step)s = 0
        )
        UPDATE fence SET rows = coalesce((SELECT least(%(step)s, n) FROM numbered
            WHERE numbered.setup = fence.setup AND numbered.live = fence.live AND nth = 0), 0)
        WHERE contest = %(contest)s AND (key, received_at, contestant) = (%(key)s, %(received_at)s, %(contestant)s)""",
        {"contest": contest, "step": STEP, **FIRST._asdict()},
    )
