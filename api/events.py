"""Live updates: a contest's public events as they happen (server-sent events)."""

from __future__ import annotations

from collections.abc import Iterator
from threading import BoundedSemaphore
from time import monotonic, sleep

from flask import Flask, Response, current_app, json, request

from api.contests import found
from api.openapi import Blueprint
from api.problems import Problem, invalid
from leaderboard import board, events
from leaderboard.contests import Contest
from leaderboard.db import Unavailable, transaction

bp = Blueprint("events", __name__, url_prefix="/api/v1", description="Live updates.")

LONGEST, PAUSE, HEARTBEAT = 55.0, 1.0, 3.0
"""Seconds: a stream's end (the client then connects again), between two looks, between two signs of life. By the latter
the server notices that nobody listens any more."""

LAST = {
    "name": "Last-Event-ID",
    "in": "header",
    "schema": {"type": "string", "pattern": "^[0-9]{1,18}$"},
    "description": "Begin behind this event; without it with what happens from now on.",
}


def init_app(app: Flask, threads: int) -> None:
    """Each stream holds a thread: at most a quarter of them."""
    app.extensions["streams"] = BoundedSemaphore(max(1, threads // 4))


EVENT = {
    "type": "object",
    "properties": {
        "id": {"type": "string", "pattern": "^[0-9]+$", "description": "Its number."},
        "event": {"type": "string", "description": "Its kind."},
        "data": {"type": "string", "contentMediaType": "application/json"},
        "retry": {"type": "integer", "description": "Milliseconds before connecting again."},
    },
}


@bp.get("/contests/<slug:slug>/events")
@bp.doc(parameters=[LAST])
@bp.response(200, EVENT, content_type="text/event-stream", description="Events, until about a minute is over.")
@bp.problems("not-found", "too-many-streams", "invalid")
def stream(slug: str) -> Response:
    """The contest's events as they happen; `id` is the number of each, `event` its kind, `data` JSON."""
    last = request.headers.get("Last-Event-ID")
    if last is not None and not (last.isascii() and last.isdigit() and len(last) <= 18):
        raise invalid("Last-Event-ID is the number of an event.", header="Last-Event-ID")
    with transaction() as conn:
        contest = found(conn, slug)
        number = int(last) if last is not None else board.event(conn, contest)
    streams = current_app.extensions["streams"]
    if not streams.acquire(blocking=False):
        raise Problem("too-many-streams", "Ask for the standings from time to time.", headers={"Retry-After": "30"})
    response = Response(_happening(contest, number), content_type="text/event-stream")
    response.call_on_close(streams.release)
    response.headers.update({"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
    return response


def _happening(contest: Contest, number: int) -> Iterator[str]:
    yield "retry: 2000\n\n"
    end = monotonic() + LONGEST
    quiet = monotonic() + HEARTBEAT
    while monotonic() < end:
        try:
            with transaction() as conn:
                happened = events.since(conn, contest, number)
        except Unavailable:
            return  # the client connects again
        for event in happened:
            number = event.number
            data = json.dumps({**event.payload, "at": event.at.isoformat()})
            yield f"id: {number}\nevent: {event.kind}\ndata: {data}\n\n"
        if happened:
            quiet = monotonic() + HEARTBEAT
            continue
        if monotonic() > quiet:
            quiet = monotonic() + HEARTBEAT
            yield ": still here\n\n"
        sleep(PAUSE)
