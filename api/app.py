"""create_app: settings, blueprints, error handlers, nothing else; a plain WSGI callable."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import structlog
from flask import Flask, Response, g, request
from werkzeug.middleware.proxy_fix import ProxyFix
from werkzeug.routing import BaseConverter

from api import (
    accounts,
    archives,
    auth,
    bodies,
    contestants,
    contests,
    events,
    health,
    limits,
    matches,
    openapi,
    organising,
    pages,
    problems,
    puzzles,
    reverifications,
    standings,
    status,
    submissions,
    verify,
)
from leaderboard import db
from leaderboard.settings import Settings
from worker import app as worker

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

log = structlog.get_logger()

HEADERS = {
    "Content-Security-Policy": "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
"""No page runs or shows anything that doesn't come from us as a file."""


class Slug(BaseConverter):
    """The name of a contest or puzzle in an address."""

    regex = "[a-z0-9]+(?:-[a-z0-9]+)*"


class Service(Flask):
    """Flask, but for two things that it does at each request and that cost more than they are worth."""

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """No function here is a coroutine; Flask would look at each one again."""
        return func

    def wsgi_app(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Add HEADERS to the answer, but for those that it has; Flask would copy each of them three times."""

        def start(status: str, headers: list[tuple[str, str]], *error: Any) -> Any:
            given = {name.lower() for name, _ in headers}
            added = [each for each in HEADERS.items() if each[0].lower() not in given]
            return start_response(status, headers + added, *error)

        return super().wsgi_app(environ, start)


def create_app(settings: Settings) -> Flask:
    """The service's face. The database is reached at the first request, in whichever process that is."""
    db.open_pool(settings)
    worker.use(settings)
    app = Service("api", static_folder=None)
    app.config.update(PUBLIC_URL=settings.public_url, MAX_FORM_MEMORY_SIZE=None)
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.url_map.converters["slug"] = Slug
    if settings.web_proxies:
        n = settings.web_proxies
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=n, x_proto=n, x_host=n)  # type: ignore[method-assign]
    app.before_request(_name_request)
    app.after_request(_finish)
    problems.init_app(app)
    health.init_app(app, settings)
    bodies.init_app(app, settings.web_threads)
    auth.init_app(app, settings.secret_key, https=settings.public_url.startswith("https:"))
    submissions.init_app(app, settings.web_threads)
    events.init_app(app, settings.web_threads)
    archives.init_app(app, settings)
    api = openapi.init_app(app)
    for noun in (
        contests,
        contestants,
        accounts,
        submissions,
        matches,
        standings,
        events,
        organising,
        reverifications,
        status,
        archives,
        puzzles,
        verify,
    ):
        api.register_blueprint(noun.bp)
    app.register_blueprint(pages.bp)
    limits.init_app(app, settings)
    return app


def _name_request() -> None:
    """Give the request the id under which the logs speak of it: the client's own, if it has a plain one."""
    named = request.headers.get("X-Request-Id", "")
    g.request_id = named if re.fullmatch("[A-Za-z0-9._-]{1,64}", named) else uuid4().hex
    structlog.contextvars.clear_contextvars()
    structlog.contextvars.bind_contextvars(request_id=g.request_id)


def _finish(response: Response) -> Response:
    if request.path.startswith("/api/") or request.method == "POST":  # a page may show a token, this once
        response.headers.setdefault("Cache-Control", "no-store")
    response.headers["X-Request-Id"] = g.request_id
    log.info("request", method=request.method, path=request.path, status=response.status_code)
    return response
