"""drain, and the chores, each under an advisory lock."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from time import monotonic, sleep
from uuid import UUID

import structlog

from leaderboard import db, events, queue, reverification, tally
from leaderboard.db import Unavailable, transaction
from leaderboard.queue import Claimed
from worker import batch
from worker.app import app, settings
from worker.bell import ring

log = structlog.get_logger()

DRAIN = 1.0
"""Seconds that a drain works at most."""
PATIENCE = 3.0
"""Seconds that a finished batch waits for a database that is away."""

AGAIN = 0.05
"""Seconds that a batch of a re-verification takes: so long an upload may have to wait for it."""

_draining = threading.Lock()
_size = batch.Size()
_again = batch.Size(AGAIN)
_owed: list[Claimed] = []
"""Rows whose batch could not be written as the database was away: to be given back, uncounted."""


@app.task(name="drain", ignore_result=True)  # type: ignore[untyped-decorator]
def drain() -> None:
    """Verify what is due for a second at most; then ring for the rest."""
    tally.count("drains")
    # The child's own thread may be draining, and have missed what this ring is about: wait for its end.
    with suppress(Unavailable):
        if work(wait=DRAIN):
            ring()


def work(wait: float = 0) -> bool:
    """Drain in this process, where one thread at a time may: whether the time was up before the queue was empty.

    Waits up to `wait` seconds for another thread to end its drain. Raises Unavailable.
    """
    if not _draining.acquire(timeout=wait or -1, blocking=bool(wait)):
        return False
    try:
        return _drain(monotonic() + DRAIN)
    finally:
        _draining.release()


@contextmanager
def alone() -> Iterator[None]:
    """Verify something while no thread of this process drains."""
    with _draining:
        yield


def verify_again() -> bool:
    """A short batch of a re-verification, if no upload is due: whether there was one. Raises Unavailable.

    So an upload that comes meanwhile waits for AGAIN seconds at most.
    """
    if not _draining.acquire(blocking=False):
        return False
    try:
        with transaction() as conn:
            rows = [] if queue.due(conn) else reverification.claim(conn, _again.rows)
        if not rows:
            return False
        begun = monotonic()
        result = batch.run(rows, AGAIN)
        _again.learn(len(rows) - len(result.left), monotonic() - begun)
        with transaction() as conn:
            reverification.finish(conn, result.done)
            reverification.give_back(conn, result.left)
            reverification.died(conn, result.died)
        return True
    finally:
        _draining.release()


def chores() -> None:
    """The small duties that one process at a time does. Raises Unavailable."""
    with transaction() as conn:
        if db.alone(conn, "chores"):
            events.announce(conn)


def _drain(until: float) -> bool:
    while monotonic() < until:
        with transaction() as conn:
            if _owed:
                queue.give_back(conn, _owed)
            rows = queue.claim(conn, _size.rows, settings().worker_processes)
        _owed.clear()
        if not rows:
            return False
        for row in rows:
            log.info("claimed", submission=str(row.id), request_id=row.request, attempt=row.attempt)
        begun = monotonic()
        result = batch.run(rows)
        _size.learn(len(rows) - len(result.left), monotonic() - begun)
        try:
            _write(result)
        except Unavailable:
            _owed.extend(rows)
            raise
        except Exception:
            log.exception("a batch could not be written", rows=len(rows))
            with transaction() as conn:
                queue.died(conn, rows)
    return True


def _write(result: batch.Batch) -> None:
    """One transaction for all that became of a batch; again while the database is away, as the work is done."""
    until = monotonic() + PATIENCE
    while True:
        try:
            with transaction() as conn:
                written = queue.finish(conn, result.done)
                queue.give_back(conn, result.left)
                queue.died(conn, result.died)
        except Unavailable:
            if monotonic() > until:
                raise
            sleep(0.1)
        else:
            _tell(result, written)
            return


def _tell(result: batch.Batch, written: dict[UUID, bool]) -> None:
    for each in result.done:
        if each.row.id in written:
            code = each.verdict.error.code if each.verdict.error else "accepted"
            said = {"submission": str(each.row.id), "request_id": each.row.request}
            log.info("verified", code=code, microseconds=each.microseconds, attempt=each.row.attempt, **said)
            if written[each.row.id]:
                log.info("ranked", **said)
            if not each.row.hidden:
                tally.count("verdicts", puzzle=each.row.puzzle, code=code)
                tally.time("verification_seconds", each.microseconds / 1e6, puzzle=each.row.puzzle)


def wait() -> None:
    """Wait for a drain under way to end, and let no other begin; as long as a drain may take."""
    _draining.acquire(timeout=DRAIN + batch.ROW_LIMIT)
