"""Every error of the service, as RFC 9457.

A view raises `Problem(code, detail)`; whatever else goes wrong - a route that isn't there, a field that isn't valid,
the database away, a fault of ours - becomes one here. A record that breaks the rules is no problem but a verdict.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any

import structlog
from flask import Flask, Response, current_app, g, json, request
from werkzeug.exceptions import HTTPException, InternalServerError, MethodNotAllowed

from api import dry_run
from leaderboard import passwords
from leaderboard.db import Unavailable

log = structlog.get_logger()

TYPE = "application/problem+json"

PROBLEMS: dict[str, tuple[int, str]] = {
    "bad-request": (400, "The request can't be understood"),
    "bad-json": (400, "The body is not JSON"),
    "bad-form": (400, "The form can't be read"),
    "body-cut-short": (400, "Fewer bytes came than were promised"),
    "unauthorized": (401, "You must say who you are"),
    "bad-token": (401, "This token is not valid"),
    "forbidden": (403, "You may not do this"),
    "wrong-password": (403, "The present password is another one"),
    "csrf": (403, "The form is too old or comes from elsewhere"),
    "not-found": (404, "There is nothing here"),
    "method-not-allowed": (405, "This can't be done here"),
    "not-published": (409, "The contest is not published yet"),
    "contest-exists": (409, "There is another contest of that slug"),
    "contest-not-open": (409, "The contest doesn't take submissions now"),
    "key-reused": (409, "This Idempotency-Key was used for another record"),
    "no-match": (409, "This submission is no match"),
    "match-settled": (409, "The match is decided already"),
    "reverification-open": (409, "Another re-verification is open"),
    "reverification-ended": (409, "This re-verification is applied or cancelled already"),
    "reverification-not-ready": (409, "This re-verification can't be applied now"),
    "not-failed": (409, "The submission has not failed"),
    "name-taken": (409, "Somebody has this name already"),
    "too-many-tokens": (409, "There are as many tokens as there may be"),
    "organising": (409, "An organiser's account is not given up"),
    "length-required": (411, "The Content-Length is missing"),
    "too-large": (413, "The body is too large"),
    "bad-encoding": (415, "Compressed bodies are not taken"),
    "bad-range": (416, "The file has no such part"),
    "invalid": (422, "A field is not valid"),
    "quota-used": (429, "The uploads of this day are used up"),
    "rate-limited": (429, "Too many requests"),
    "busy": (429, "Too much is being verified right now"),
    "signing-in": (429, "Too many are signing in right now"),
    "internal-error": (500, "Something is wrong with the service"),
    "verifier-failed": (500, "The verifier gave up on this record"),
    "unavailable": (503, "The database is away"),
    "archive-not-ready": (503, "The archive is being made, or too many are being sent"),
    "too-many-streams": (503, "No more live connections can be held"),
    "too-many-uploads": (503, "Too many bodies are being received"),
}
"""Each code with its status and title. Codes are stable: a program may hang on them."""

OF_STATUS = {
    401: "unauthorized",
    403: "forbidden",
    404: "not-found",
    405: "method-not-allowed",
    413: "too-large",
    416: "bad-range",
    429: "rate-limited",
}
"""The code of an error that the framework raises."""


class Problem(HTTPException):
    """An error that the client is told: a code of PROBLEMS and a sentence about this very case.

    `headers` go with the answer; `members` are further members of the problem object, as JSON values.
    """

    def __init__(self, problem: str, detail: str = "", *, headers: Mapping[str, str] | None = None, **members: Any):
        status, self.title = PROBLEMS[problem]
        super().__init__(detail)
        self.code: int = status
        self.problem = problem
        self.headers = dict(headers or {})
        self.members = members

    def to_json(self) -> dict[str, Any]:
        body = {"type": kind(self.problem), "title": self.title, "status": self.code, "code": self.problem}
        if self.description:
            body["detail"] = self.description
        if "request_id" in g:
            body["request_id"] = g.request_id
        return body | self.members


def kind(code: str) -> str:
    """The URI that names a kind of problem, and leads to its explanation."""
    return f"{current_app.config['PUBLIC_URL']}/api/v1/docs#{code}"


def invalid(detail: str, **place: str) -> Problem:
    """A field that isn't valid: `pointer=` into the JSON body or form, `parameter=` of the query, or `header=`."""
    return Problem("invalid", detail, errors=[{"detail": detail, **place}])


def init_app(app: Flask) -> None:
    """Let every error of the app be answered here."""
    app.register_error_handler(HTTPException, answer)
    app.register_error_handler(Unavailable, _unavailable)
    app.register_error_handler(dry_run.Busy, _busy)
    app.register_error_handler(passwords.Busy, _signing_in)
    app.register_error_handler(dry_run.Failed, _failed)
    app.register_error_handler(Exception, _unexpected)


def answer(error: HTTPException) -> Any:
    """The error as a problem; for somebody who came to read a page, as a page."""
    problem = _problem(error)
    if problem is None:
        return error  # a redirect
    if not request.path.startswith("/api/") and request.accept_mimetypes.best_match((TYPE, "text/html")) == "text/html":
        from api import pages  # the pages stand above this file

        g.setdefault("viewer", None)  # the page would ask who reads it, which may be what went wrong
        return pages.problem(problem)
    body = json.dumps(problem.to_json(), ensure_ascii=False) + "\n"
    return Response(body, problem.code, {**problem.headers, "Cache-Control": "no-store"}, content_type=TYPE)


def _problem(error: HTTPException) -> Problem | None:
    if isinstance(error, Problem):
        return error
    status = error.code or 500
    if status < 400:
        return None
    headers: dict[str, str] = {}
    if isinstance(error, MethodNotAllowed) and error.valid_methods:
        headers["Allow"] = ", ".join(sorted(error.valid_methods))
    if messages := getattr(error, "data", {}).get("messages"):
        return _invalid(messages)
    if status >= 500:
        return Problem("internal-error", headers=headers)
    code = OF_STATUS.get(status, "bad-request")
    return Problem(
        code, "" if code == "not-found" else error.description or HTTPStatus(status).description, headers=headers
    )


def _invalid(messages: Mapping[str, Any]) -> Problem:
    """What marshmallow has found, flat: one entry for each field, with its place."""
    errors = []
    for where, tree in messages.items():
        for path, text in _leaves(tree, ()):
            if where == "json":
                errors.append({"detail": text, "pointer": "".join(f"/{step}" for step in path)})
            else:
                errors.append({"detail": text, "parameter": "/".join(path)})
    place = errors[0].get("pointer", "").removeprefix("/") or errors[0].get("parameter")
    return Problem("invalid", f"{place}: {errors[0]['detail']}" if place else errors[0]["detail"], errors=errors)


def _leaves(tree: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Each sentence of a tree of messages, with the path to its field."""
    if isinstance(tree, Mapping):
        for key, sub in tree.items():
            step = () if key == "_schema" else (str(key).replace("~", "~0").replace("/", "~1"),)
            yield from _leaves(sub, path + step)
    else:
        yield from ((path, str(text)) for text in tree)


def _unavailable(error: Unavailable) -> Any:
    log.warning("database away", reason=str(error))
    return answer(Problem("unavailable", "Nothing was stored; please try again.", headers={"Retry-After": "2"}))


def _busy(_: dry_run.Busy) -> Any:
    return answer(Problem("busy", "Please try again in a moment.", headers={"Retry-After": "1"}))


def _signing_in(_: passwords.Busy) -> Any:
    return answer(Problem("signing-in", "Please try again in a moment.", headers={"Retry-After": "2"}))


def _failed(error: dry_run.Failed) -> Any:
    log.error("verifier failed", reason=str(error))
    return answer(Problem("verifier-failed", "It took too long or too much memory."))


def _unexpected(error: Exception) -> Any:
    log.error("internal error", exc_info=error)
    return answer(InternalServerError())
