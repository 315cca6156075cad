"""How many rows a batch takes, learnt from the last ones; and verifying them."""

from __future__ import annotations

import logging
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic, perf_counter_ns

from leaderboard.contests import allowing
from leaderboard.queue import Claimed, Done
from verifier import verify

log = logging.getLogger(__name__)

AIM = 0.2
"""Seconds that a batch should take: enough for one commit to carry many rows, too short for anybody to wait for it."""
MOST = 200
"""Rows of a batch."""
ROW_LIMIT = 3.0
"""Seconds that one record may take: more than any needs (a megabyte: one), and with AIM less than the lease."""


@dataclass
class Batch:
    """What became of the rows of a batch."""

    done: list[Done] = field(default_factory=list)
    left: Sequence[Claimed] = ()
    """Not begun, as the time was up."""
    died: list[Claimed] = field(default_factory=list)
    """The verifier itself failed on them."""


class Size:
    """The number of rows that should take `aim` seconds: it doubles at most, and shrinks at once."""

    def __init__(self, aim: float = AIM) -> None:
        self.aim = aim
        self.rows = 4

    def learn(self, rows: int, seconds: float) -> None:
        """A batch of so many rows has taken so long."""
        fitting = int(rows * self.aim / max(seconds, 1e-6))
        self.rows = max(1, min(fitting, 2 * max(rows, self.rows), MOST))


def run(rows: Sequence[Claimed], seconds: float = AIM) -> Batch:
    """Verify the rows one by one until the time is used up; the first is always verified."""
    batch, until = Batch(), monotonic() + seconds
    with time_limit(ROW_LIMIT) as again:
        for place, row in enumerate(rows):
            if place and monotonic() > until:
                batch.left = rows[place:]
                break
            again()
            begun = perf_counter_ns()
            try:
                verdict = verify(row.record, allowing(row.puzzle, row.setups))
            except Exception:
                log.exception("submission %s: the verifier failed", row.id)
                batch.died.append(row)
            else:
                batch.done.append(Done(row, verdict, (perf_counter_ns() - begun) // 1000))
    return batch


@contextmanager
def time_limit(seconds: float) -> Iterator[Callable[[], None]]:
    """Let the kernel end this process if the block takes longer, whichever thread it runs in and whatever it does.

    What it gives begins the time anew. Celery's own limit covers its tasks alone, and a Python thread that computes
    can't be stopped from within. The signal's default action (worker/child.py) needs no cooperation; the pool starts
    another child, and the row's lease tells the rest.
    """

    def begin() -> None:
        signal.setitimer(signal.ITIMER_REAL, seconds)

    begin()
    try:
        yield begin
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
