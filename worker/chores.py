"""What a worker does now and then so that the service looks after itself. One process at a time does each."""

from __future__ import annotations

import logging
from time import monotonic

from leaderboard import canary, chores, db
from leaderboard.chores import Kept
from leaderboard.contests import allowing
from leaderboard.db import transaction
from verifier import verify
from worker import batch, tasks
from worker.app import settings
from worker.bell import ring

log = logging.getLogger(__name__)


def look() -> None:
    """Do what is due. Raises Unavailable."""
    every = settings().chore_minutes * 60.0
    if not every:
        return
    with transaction() as conn:
        due = chores.due(conn)
    for name in due:
        try:
            {"audit": audit, "canary": send_canary, "cleanup": clean}[name](every)
        except db.Unavailable:
            raise
        except Exception:
            log.exception("chore %s failed", name)
            with transaction() as conn:
                chores.ended(conn, name, every, [f"The chore {name} failed; the worker's log says how."], {})


def send_canary(every: float) -> None:
    """Upload the canary, or see what became of it."""
    with transaction() as conn:
        if not db.alone(conn, "chore canary") or "canary" not in chores.due(conn):
            return
        sent = canary.step(conn, every)
    if sent:
        ring()


def audit(every: float) -> None:
    """Compare a sample of what is stored with what it must be."""
    with transaction() as conn:
        if not db.alone(conn, "chore audit") or not chores.take(conn, "audit", every):
            return
    begun = monotonic()
    with transaction() as conn:
        conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        findings, kept = chores.audit(conn)
    with tasks.alone():  # the time limit is the whole process's
        findings += filter(None, map(_wrong, kept))
    for each in findings:
        log.error("self-audit: %s", each)
    with transaction() as conn:
        facts = {"records": len(kept), "seconds": round(monotonic() - begun, 3)}
        chores.ended(conn, "audit", every, findings, facts)


def _wrong(kept: Kept) -> str | None:
    with batch.time_limit(batch.ROW_LIMIT):
        verdict = verify(kept.record, allowing(kept.puzzle, kept.setups))
    return chores.wrong_verdict(kept, verdict.to_json())


def clean(every: float) -> None:
    """Forget what nobody needs any more."""
    with transaction() as conn:
        if db.alone(conn, "chore cleanup") and chores.take(conn, "cleanup", every):
            chores.ended(conn, "cleanup", every, [], {"tokens": chores.clean(conn)})
