"""How many requests are answered: counted in Redis, for all web processes together.

With Redis away or slow the counting goes on in each process, and an answer has waited a fraction of a second.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import Flask, Response
from flask_limiter import HeaderNames, Limiter
from flask_limiter.util import get_remote_address
from redis.backoff import NoBackoff
from redis.retry import Retry

from api import auth
from api.problems import Problem
from leaderboard.db import Unavailable
from leaderboard.settings import Settings

PATIENCE = 0.2
"""Seconds that a request waits for Redis; then it is believed to be away, and asked again after a growing pause."""

RETRY = "X-RateLimit-Retry-After"


def whoever() -> str:
    """The contestant, else the address. A bad token is left to the view: here it would pass for a fault of Redis."""
    try:
        who = auth.viewer()
    except (Problem, Unavailable):
        who = None
    return str(who.id) if who else get_remote_address()


LIMITS: dict[str, tuple[int, str, Callable[[], str]]] = {
    "contestants.register": (30, "hour", get_remote_address),
    "pages.registered": (30, "hour", get_remote_address),
    "pages.signed_in": (20, "minute", get_remote_address),
    "submissions.submit": (60, "minute", whoever),
    "pages.uploaded": (60, "minute", whoever),
    "verify.verify": (60, "minute", get_remote_address),
    "pages.verified": (60, "minute", get_remote_address),
}
"""Routes that have a limit of their own: so many requests in that time, counted for each of what the function tells."""
OTHERS = (1200, "minute")
EXEMPT = ("pages.static", "health.alive", "health.ready", "health.metrics")


def init_app(app: Flask, settings: Settings) -> None:
    """Count the requests of the app, whose routes are all there."""
    if not settings.rate_limits:
        return
    redis_options: Any = {
        "socket_timeout": PATIENCE,
        "socket_connect_timeout": PATIENCE,
        "retry": Retry(NoBackoff(), 0),
    }
    limiter = Limiter(
        get_remote_address,
        default_limits=[_limit(*OTHERS, settings)],
        strategy="moving-window",
        headers_enabled=True,
        header_name_mapping={HeaderNames.RETRY_AFTER: RETRY},
        storage_uri=settings.limits_url,
        storage_options=redis_options,
        in_memory_fallback_enabled=True,
    )
    views: dict[str, Any] = app.view_functions
    for endpoint, (most, time, key) in LIMITS.items():
        if endpoint in views:
            views[endpoint] = limiter.limit(_limit(most, time, settings), key_func=key)(views[endpoint])
    for endpoint in EXEMPT:
        if endpoint in views:
            views[endpoint] = limiter.exempt(views[endpoint])
    app.after_request(_say_when)
    limiter.init_app(app)


def _say_when(response: Response) -> Response:
    """Say when to come back to those who must, and not with every answer as the limiter does."""
    seconds = response.headers.pop(RETRY, None)
    if response.status_code == 429 and seconds:
        response.headers.setdefault("Retry-After", seconds)
    return response


def _limit(most: int, time: str, settings: Settings) -> str:
    return f"{most * settings.rate_limits} per {time}"
