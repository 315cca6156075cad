"""Is everything fine: for people, for programs, and as metrics."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version as installed
from typing import Any

from flask import current_app
from marshmallow import Schema, fields
from prometheus_client import Metric
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.registry import Collector

from api.openapi import Blueprint
from api.schemas import about
from leaderboard import chores, queue, reverification, tally
from leaderboard.chores import Chore
from leaderboard.db import Connection, transaction
from verifier import VERSION

bp = Blueprint("status", __name__, url_prefix="/api/v1", description="Is everything fine?")

SLOW = 30
"""Seconds that the oldest due submission may have waited."""
MISSED = 3
"""So many times in a row the canary or the self-audit may be missing before it is an alarm."""


@dataclass(frozen=True)
class Status:
    """How the service is."""

    waiting: int
    oldest: float
    decided: int
    canary: Chore
    audit: Chore
    every: float
    """Seconds between two canaries; 0: there are none."""

    @property
    def slow(self) -> bool:
        return self.oldest > SLOW

    @property
    def canary_missing(self) -> bool:
        return self._missing(self.canary)

    @property
    def audit_missing(self) -> bool:
        return self._missing(self.audit)

    @property
    def fine(self) -> bool:
        found = self.canary.findings or self.audit.findings
        return not (self.slow or found or self.canary_missing or self.audit_missing)

    def _missing(self, chore: Chore) -> bool:
        late = chore.waiting if chore.age is None else chore.age
        return bool(self.every) and late > MISSED * self.every + 60


class Looked(Schema):
    """When something was last done well."""

    at = fields.AwareDateTime(required=True, allow_none=True, metadata=about("null: not yet."))
    missing = fields.Boolean(required=True, metadata=about("It is later than it should be."))
    findings = fields.Integer(required=True, metadata=about("So much was wrong the last time."))


class Canary(Looked):
    """The service's own submission, which goes the way of all others."""

    seconds = fields.Float(required=True, allow_none=True, metadata=about("From its upload to its verdict."))


class Queue(Schema):
    """What waits."""

    waiting = fields.Integer(required=True)
    oldest_seconds = fields.Float(required=True, metadata=about("So long the oldest due one has waited."))


class Versions(Schema):
    """What runs."""

    service = fields.String(required=True)
    verifier = fields.String(required=True)


class StatusOf(Schema):
    """How the service is."""

    fine = fields.Boolean(required=True)
    queue = fields.Nested(Queue, required=True)
    decided_last_hour = fields.Integer(required=True)
    canary = fields.Nested(Canary, required=True)
    audit = fields.Nested(Looked, required=True)
    versions = fields.Nested(Versions, required=True)


def read(conn: Connection) -> Status:
    """How the service is now."""
    depth, known = queue.depth(conn), chores.all_of(conn)
    every = current_app.config["CHORE_MINUTES"] * 60.0
    return Status(depth.waiting, depth.oldest, queue.decided_in(conn, 3600), known["canary"], known["audit"], every)


def versions() -> dict[str, str]:
    """What runs."""
    return {"service": installed("golden-nugget"), "verifier": VERSION}


@bp.get("/status")
@bp.response(200, StatusOf)
def status() -> dict[str, Any]:
    """Whether everything is fine: the queue, the canary, the self-audit. 503 means that the database is away."""
    with transaction() as conn:
        found = read(conn)
    return {
        "fine": found.fine,
        "queue": {"waiting": found.waiting, "oldest_seconds": round(found.oldest, 3)},
        "decided_last_hour": found.decided,
        "canary": {
            "at": found.canary.done_at,
            "missing": found.canary_missing,
            "findings": len(found.canary.findings),
            "seconds": found.canary.facts.get("seconds"),
        },
        "audit": {
            "at": found.audit.done_at,
            "missing": found.audit_missing,
            "findings": len(found.audit.findings),
        },
        "versions": versions(),
    }


# --- metrics ---------------------------------------------------------------------------------------------------------

COUNTERS = {
    "requests": "Requests answered.",
    "verdicts": "Verdicts given to uploads.",
    "rings": "Messages sent to workers.",
    "drains": "Messages that workers have followed.",
}
TIMES = {"request_seconds": "Time to the answer.", "verification_seconds": "Time to verify a record."}


class Everything(Collector):
    """The metrics of all processes together, read from the database."""

    def __init__(self, conn: Connection) -> None:
        self.conn = conn

    def collect(self) -> Iterator[Metric]:
        tally.add(self.conn)
        found = tally.read(self.conn)
        for name, words in COUNTERS.items():
            rows = [(labels, value) for each, labels, value in found if each == name]
            family = CounterMetricFamily(f"nugget_{name}", words, labels=sorted(rows[0][0]) if rows else [])
            for labels, value in rows:
                family.add_metric([labels[key] for key in sorted(labels)], value)
            yield family
        for name, words in TIMES.items():
            yield _histogram(name, words, found)
        yield from self._gauges()

    def _gauges(self) -> Iterator[Metric]:
        now = read(self.conn)
        yield _gauge("queue_length", "Submissions that are not decided.", now.waiting)
        yield _gauge("queue_oldest_seconds", "So long the oldest due submission has waited.", now.oldest)
        yield _gauge("fine", "1: everything is as it should be.", now.fine)
        yield _gauge("canary_missing", "1: the canary is later than it should be.", now.canary_missing)
        if now.canary.age is not None:
            yield _gauge("canary_age_seconds", "Since the last canary that got through.", now.canary.age)
        yield _gauge("canary_findings", "What was wrong with the last canary.", len(now.canary.findings))
        yield _gauge("audit_findings", "What the last self-audit found wrong.", len(now.audit.findings))
        if now.audit.age is not None:
            yield _gauge("audit_age_seconds", "Since the last self-audit that found nothing wrong.", now.audit.age)
        total = GaugeMetricFamily("nugget_reverification_total", "Submissions to verify again.", labels=["contest"])
        done = GaugeMetricFamily("nugget_reverification_decided", "Of those, verified again.", labels=["contest"])
        for slug, n, decided in reverification.progress(self.conn):
            total.add_metric([slug], n)
            done.add_metric([slug], decided)
        yield total
        yield done


def _gauge(name: str, words: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"nugget_{name}", words, value=value)


def _histogram(name: str, words: str, found: list[tuple[str, dict[str, str], float]]) -> HistogramMetricFamily:
    """Buckets that are counted each for itself, added up as Prometheus has them."""
    buckets: dict[tuple[tuple[str, str], ...], dict[str, float]] = defaultdict(dict)
    sums: dict[tuple[tuple[str, str], ...], float] = {}
    for each, labels, value in found:
        own = tuple(sorted((key, text) for key, text in labels.items() if key != "le"))
        if each == f"{name}_bucket":
            buckets[own][labels["le"]] = value
        elif each == f"{name}_sum":
            sums[own] = value
    names = [key for key, _ in next(iter(buckets), ())]
    family = HistogramMetricFamily(f"nugget_{name}", words, labels=names)
    for own, counted in buckets.items():
        so_far, shown = 0.0, []
        for end in tally.UP_TO:
            so_far += counted.get(end, 0)
            shown.append((end, so_far))
        family.add_metric([text for _, text in own], shown, sums.get(own, 0))
    return family
