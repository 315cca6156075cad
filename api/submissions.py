"""The routes of submissions: hand in a record, follow it, and read it again."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from threading import BoundedSemaphore
from time import monotonic, sleep
from typing import Any
from uuid import UUID

import structlog
from flask import Response, current_app, g, jsonify, request, url_for
from flask.typing import ResponseReturnValue

from api import auth, bodies, replays, schemas
from api.contests import not_found
from api.openapi import READ_TOKEN, TOKEN, Blueprint
from api.problems import Problem, invalid
from leaderboard import contests, submissions
from leaderboard.contestants import Contestant
from leaderboard.db import Connection, statement, transaction
from leaderboard.submissions import Submission
from worker.bell import ring

log = structlog.get_logger()

bp = Blueprint("submissions", __name__, url_prefix="/api/v1", description="Records that were handed in.")

LONGEST_WAIT = 10
"""Seconds."""

RECORD = {
    "requestBody": {
        "required": False,  # no bytes are a record too, though none that could be accepted
        "description": "The record: as the whole body, whatever its media type, or as the field `record` of a form. "
        "At most 1 MiB; with a Content-Length.",
        "content": {
            "text/plain": {"schema": {"type": "string"}},
            "application/octet-stream": {"schema": {"type": "string"}},
            "application/json": {"schema": {}},
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "properties": {"record": {"type": "string", "contentMediaType": "application/octet-stream"}},
                    "required": ["record"],
                }
            },
        },
    }
}
"""How a route that takes a record describes its body."""

WAIT = {
    "name": "Prefer",
    "in": "header",
    "schema": {"type": "string"},
    "description": f"`wait=N`: wait up to N seconds (at most {LONGEST_WAIT}) for the verdict.",
}
KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "schema": {"type": "string", "pattern": "^[ -~]{1,255}$"},
    "description": "The same key and bytes: the same submission. The same key and other bytes: 409.",
}
LOCATION = {"Location": {"schema": {"type": "string"}, "description": "The submission."}}


@bp.post("/contests/<slug:slug>/submissions")
@bp.doc(security=TOKEN, parameters=[KEY, WAIT], **RECORD)
@bp.response(202, schemas.Submission, headers=LOCATION, description="It is kept, and will be verified.")
@bp.alt_response(201, schema=schemas.Submission, headers=LOCATION, description="It is kept and already decided.")
@bp.alt_response(200, schema=schemas.Submission, headers=LOCATION, description="These bytes were handed in before.")
@bp.problems("not-found", "contest-not-open", "key-reused", "quota-used", "bad-form", "invalid")
def submit(slug: str) -> ResponseReturnValue:
    """Keep the record; the verdict follows at Location."""
    record, key = bodies.record(), _key()
    contestant, token = (auth.contestant(), None) if key else auth.presumed()
    try:
        with transaction() if key else statement() as conn:
            row, new = add(conn, slug, contestant, record, key, token)
    except submissions.NotTheirs:  # or not shown yet today, which is written down by looking it up
        contestant = auth.contestant()
        with statement() as conn:
            row, new = add(conn, slug, contestant, record, None)
    ring()  # after the commit; nothing in a request needs Redis
    log.info("submission received", submission=str(row.id), contest=slug, size=row.size, new=new)
    row, headers = _waited(row)
    headers["Location"] = url_for("submissions.show", id=row.id)
    if new and row.waits:
        return jsonify(schemas.new_submission(row)), 202, headers
    return schemas.submission(row), 201 if new else 200, headers


def add(
    conn: Connection, slug: str, contestant: Contestant, record: bytes, key: str | None, token: UUID | None = None
) -> tuple[Submission, bool]:
    """Keep the record, or say as a problem why not."""
    if slug == contests.CANARY:
        raise not_found(slug)
    try:
        return submissions.add(conn, slug, contestant, record, key, g.request_id, token)
    except submissions.NoContest:
        raise not_found(slug) from None
    except submissions.NotOpen as error:
        raise Problem("contest-not-open", str(error), phase=error.phase) from None
    except submissions.KeyReused:
        raise Problem("key-reused", "Take a new key for a new record.") from None
    except submissions.QuotaUsed as error:
        left = max(1, round((error.resets_at - datetime.now(UTC)).total_seconds()))
        raise Problem(
            "quota-used",
            str(error),
            headers={"Retry-After": str(left)},
            quota=error.quota,
            resets_at=error.resets_at.isoformat().replace("+00:00", "Z"),
        ) from None


@bp.get("/submissions/<uuid:id>")
@bp.doc(security=[{}, *READ_TOKEN], parameters=[WAIT])
@bp.response(200, schemas.Submission)
@bp.problems("not-found")
def show(id: UUID) -> ResponseReturnValue:
    """A submission, its place in the queue or its verdict."""
    row, headers = _waited(seen(id))
    return schemas.submission(row), headers


@bp.get("/submissions/<uuid:id>/record")
@bp.doc(security=[{}, *READ_TOKEN])
@bp.response(200, {"type": "string"}, content_type="application/octet-stream", description="The very bytes.")
@bp.problems("not-found")
def record(id: UUID) -> Response:
    """The record, byte for byte as it came."""
    row, data = opened(id)
    response = Response(data, content_type="application/octet-stream")
    response.headers["Content-Disposition"] = f'attachment; filename="{row.id}.txt"'
    response.headers["Cache-Control"] = "private, no-cache"
    response.set_etag(row.sha256)
    return response.make_conditional(request)  # type: ignore[return-value]


@bp.get("/submissions/<uuid:id>/replay")
@bp.doc(security=[{}, *READ_TOKEN])
@bp.arguments(schemas.ReplayOf, location="query")
@bp.response(200, schemas.Replay)
@bp.problems("not-found", "busy", "verifier-failed")
def replay(part: dict[str, int], id: UUID) -> ResponseReturnValue:
    """The positions of the record's play, up to its end or its first error, made by the verifier."""
    _, data = opened(id)
    return replays.answer(data, part)


def seen(id: UUID) -> Submission:
    """The submission, if whoever asks may know of it; else 404."""
    viewer = auth.viewer()
    with transaction() as conn:
        row = submissions.get(conn, id)
        if row and (sees := submissions.visible(conn, row, viewer)).summary:
            return submissions.told(conn, row, sees)
    raise Problem("not-found")


def opened(id: UUID) -> tuple[Submission, bytes]:
    """The submission and its record, if whoever asks may read it; else 404."""
    viewer = auth.viewer()
    with transaction() as conn:
        row = submissions.get(conn, id)
        if row and submissions.visible(conn, row, viewer).record:
            data = submissions.record_of(conn, id)
            assert data is not None
            return row, data
    raise Problem("not-found")


def init_app(app: Any, threads: int) -> None:
    """At most half of the threads may wait for verdicts."""
    app.extensions["waiting"] = BoundedSemaphore(max(1, threads // 2))


def _key() -> str | None:
    key = request.headers.get("Idempotency-Key")
    if key is not None and not re.fullmatch("[ -~]{1,255}", key):
        raise invalid("An Idempotency-Key is 1 to 255 printable ASCII characters.", header="Idempotency-Key")
    return key


def _waited(row: Submission) -> tuple[Submission, dict[str, str]]:
    """The submission as it is when decided, or when the client's patience or our threads end; headers that say so."""
    if not row.waits:
        return row, {}
    wait = _wait()
    if not wait or not current_app.extensions["waiting"].acquire(blocking=False):
        return row, {"Retry-After": "1"}
    try:
        until, pause = monotonic() + wait, 0.01
        while row.waits and (left := until - monotonic()) > 0:
            sleep(min(pause, left))
            pause = min(pause * 1.5, 0.2)
            with transaction() as conn:
                row = submissions.get(conn, row.id) or row
    finally:
        current_app.extensions["waiting"].release()
    return row, {"Preference-Applied": f"wait={wait}", **({"Retry-After": "1"} if row.waits else {})}


def _wait() -> int:
    """Seconds from `Prefer: wait=N`; 0 where that isn't said. A preference that can't be read is ignored (RFC 7240)."""
    for preference in request.headers.get("Prefer", "").split(","):
        if match := re.fullmatch(r"wait\s*=\s*\"?([0-9]{1,9})\"?", preference.split(";")[0].strip(), re.IGNORECASE):
            return min(int(match[1]), LONGEST_WAIT)
    return 0
