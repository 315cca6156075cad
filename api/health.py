"""Alive; ready; metrics."""

from __future__ import annotations

import threading
from contextlib import suppress
from ipaddress import ip_address
from time import perf_counter

from flask import Blueprint, Flask, Response, current_app, g, request
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest

from api import auth, status
from api.problems import Problem
from leaderboard import tally
from leaderboard.db import Unavailable, transaction
from leaderboard.settings import Settings

bp = Blueprint("health", __name__)


def init_app(app: Flask, settings: Settings) -> None:
    """Count and time every request."""
    app.config["METRICS_TOKEN"] = settings.metrics_token
    app.config["CHORE_MINUTES"] = settings.chore_minutes
    app.register_blueprint(bp)

    @app.before_request
    def begin() -> None:
        g.began = perf_counter()

    @app.after_request
    def count(response: Response) -> Response:
        endpoint = request.endpoint or "none"
        method = request.method if endpoint != "none" else "any"
        tally.count("requests", method=method, endpoint=endpoint, status=str(response.status_code))
        tally.time("request_seconds", perf_counter() - g.began, endpoint=endpoint)
        if tally.due():
            threading.Thread(target=_add, name="tally", daemon=True).start()  # no request waits for the database here
        return response


def _add() -> None:
    """Add to the counters of all processes what this one has counted; what fails stays for the next time."""
    with suppress(Unavailable), transaction() as conn:
        tally.add(conn)


@bp.get("/healthz")
def alive() -> dict[str, str]:
    """The process answers."""
    return {"status": "alive"}


@bp.get("/readyz")
def ready() -> dict[str, str]:
    """The database answers too; 503 while it doesn't. Redis isn't asked: no request needs it."""
    with transaction() as conn:
        conn.execute("SELECT 1")
    return {"status": "ready"}


@bp.get("/metrics")
def metrics() -> Response:
    """Prometheus metrics of all processes, for this machine and for whoever has the token."""
    if not (_from_here() or auth.is_metrics_reader(current_app.config["METRICS_TOKEN"])):
        raise Problem("not-found")
    registry = CollectorRegistry()
    with transaction() as conn:
        registry.register(status.Everything(conn))
        return Response(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


def _from_here() -> bool:
    """Whether the request comes from this machine itself, and not through a proxy on it."""
    if any(name in request.headers for name in ("Forwarded", "X-Forwarded-For", "Via")):
        return False
    return ip_address(request.remote_addr or "::").is_loopback
