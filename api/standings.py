"""The routes of the leaderboard."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any
from uuid import UUID

from flask import Response, jsonify, request

from api import schemas
from api.contests import found
from api.openapi import Blueprint
from api.problems import Problem, invalid
from leaderboard import board, tables
from leaderboard.board import Page
from leaderboard.contests import Contest
from leaderboard.db import Connection, transaction

bp = Blueprint("standings", __name__, url_prefix="/api/v1", description="Who ranks where.")

ETAG = {
    "ETag": {"schema": {"type": "string"}, "description": "Send it as If-None-Match: 304 while nothing has changed."}
}
IF_NONE_MATCH = {"name": "If-None-Match", "in": "header", "schema": {"type": "string"}, "description": "A former ETag."}

CSV_PAGE = 500


@bp.get("/contests/<slug:slug>/standings")
@bp.doc(parameters=[IF_NONE_MATCH])
@bp.arguments(schemas.StandingsOf, location="query")
@bp.response(200, schemas.Standings, headers=ETAG)
@bp.alt_response(304, description="Nothing has changed.", success=True)
@bp.problems("not-found")
def standings(part: dict[str, Any], slug: str) -> Response:
    """A page of the standings. Equal results share a rank, and the next rank skips: 1, 1, 3."""
    with transaction() as conn:
        contest = found(conn, slug)
        answer, unchanged = _conditional(conn, contest)
        if unchanged:
            return answer
        page = _page(conn, contest, part["limit"], part.get("cursor"), part.get("setup"))
    rows = {"standings": [schemas.standing(row) for row in page.standings]}
    body = {**rows, "next": page.next, "previous": page.previous, "total": page.total, "event": page.event}
    body |= {"phase": contest.phase, "provisional": contest.provisional}
    answer.data = jsonify(schemas.Standings().dump(body)).data
    return answer


@bp.get("/contests/<slug:slug>/standings.csv")
@bp.doc(parameters=[IF_NONE_MATCH])
@bp.response(200, {"type": "string"}, content_type="text/csv", headers=ETAG, description="All standings.")
@bp.alt_response(304, description="Nothing has changed.", success=True)
@bp.problems("not-found")
def table(slug: str) -> Response:
    """All standings as comma-separated values (RFC 4180, UTF-8)."""
    with transaction() as conn:
        contest = found(conn, slug)
        answer, unchanged = _conditional(conn, contest)
        if unchanged:
            return answer
    answer.response = _lines(contest)
    answer.content_type = "text/csv; charset=utf-8; header=present"
    answer.headers["Content-Disposition"] = f'attachment; filename="{contest.slug}.csv"'
    return answer


@bp.get("/contests/<slug:slug>/standings/<uuid:contestant>")
@bp.arguments(schemas.Neighbours, location="query")
@bp.response(200, schemas.Around)
@bp.problems("not-found")
def one(part: dict[str, int], slug: str, contestant: UUID) -> dict[str, Any]:
    """One contestant's standing, between those before and after it."""
    with transaction() as conn:
        around = board.one(conn, found(conn, slug), contestant, part["neighbours"])
    if not around:
        raise Problem("not-found", "This contestant is not on the board.")
    mine = next(row for row in around if row.contestant_id == contestant)
    return {"rank": mine.rank, "standings": [schemas.standing(row) for row in around]}


def _conditional(conn: Connection, contest: Contest) -> tuple[Response, bool]:
    """An answer with the ETag of the board as it stands, and whether the client has that already.

    The event is read before the board: a board newer than its ETag is only fetched once more.
    """
    facts = (contest.slug, board.event(conn, contest), contest.phase, contest.provisional, request.full_path)
    answer = Response(content_type="application/json")
    answer.set_etag(hashlib.sha256(repr(facts).encode(errors="replace")).hexdigest()[:24], weak=True)
    answer.headers["Cache-Control"] = "no-cache"
    if request.if_none_match.contains_weak(answer.get_etag()[0] or ""):
        answer.status_code = 304
        del answer.headers["Content-Type"]
        return answer, True
    return answer, False


def _page(conn: Connection, contest: Contest, limit: int, cursor: str | None, setup: int | None) -> Page:
    if setup is not None and setup > max(1, len(contest.setups)):
        raise invalid("The contest has no such setup.", parameter="setup")
    try:
        return board.page(conn, contest, limit, cursor, setup)
    except board.BadCursor as error:
        raise invalid(str(error), parameter="cursor") from None


def _lines(contest: Contest) -> Iterator[str]:
    """The table, page by page, so that no transaction is longer than a page."""
    columns: list[str] | None = None
    cursor: str | None = None
    while True:
        with transaction() as conn:
            page = board.page(conn, contest, CSV_PAGE, cursor)
        text = ""
        if columns is None:
            columns = list(page.standings[0].score) if page.standings else []
            text = tables.head(columns)
        yield text + "".join(tables.line(row, columns) for row in page.standings)
        if (cursor := page.next) is None:
            return
