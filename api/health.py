"""Alive; ready; metrics."""

from __future__ import annotations

from ipaddress import ip_address
from time import perf_counter

from flask import Blueprint, Flask, Response, current_app, g, request
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, Counter, Histogram, generate_latest

from api import auth
from api.problems import Problem
from leaderboard.db import transaction
from leaderboard.settings import Settings

bp = Blueprint("health", __name__)

REQUESTS = Counter("nugget_requests", "Requests answered.", ["method", "endpoint", "status"])
SECONDS = Histogram(
    "nugget_request_seconds", "Time to the answer.", ["endpoint"], buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5)
)


def init_app(app: Flask, settings: Settings) -> None:
    """Count and time every request."""
    app.config["METRICS_TOKEN"] = settings.metrics_token
    app.register_blueprint(bp)

    @app.before_request
    def begin() -> None:
        g.began = perf_counter()

    @app.after_request
    def count(response: Response) -> Response:
        endpoint = request.endpoint or "none"
        REQUESTS.labels(request.method if endpoint != "none" else "any", endpoint, response.status_code).inc()
        SECONDS.labels(endpoint).observe(perf_counter() - g.began)
        return response


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
    """Prometheus metrics of this process, for this machine and for whoever has the token."""
    if not (_from_here() or auth.is_metrics_reader(current_app.config["METRICS_TOKEN"])):
        raise Problem("not-found")
    return Response(generate_latest(REGISTRY), content_type=CONTENT_TYPE_LATEST)


def _from_here() -> bool:
    """Whether the request comes from this machine itself, and not through a proxy on it."""
    if any(name in request.headers for name in ("Forwarded", "X-Forwarded-For", "Via")):
        return False
    return ip_address(request.remote_addr or "::").is_loopback
