"""A contest and its leaderboard, and the form that takes a record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import abort, redirect, render_template, request, url_for

from api import auth, bodies
from api.i18n import _
from api.pages.base import bp, seen, unless_seen
from api.pages.examples import example
from leaderboard import board, contests, submissions
from leaderboard.db import transaction
from verifier.record import LIMIT
from worker.bell import ring

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

PAGE = 50


@bp.get("/contests/<slug>")
def contest(slug: str) -> ResponseReturnValue:
    """The leaderboard, a page of it from `cursor`."""
    viewer, cursor = auth.viewer(), request.args.get("cursor")
    with transaction() as conn:
        found = contests.get(conn, slug) or abort(404)
        facts = (board.event(conn, found), found.phase, found.provisional)
        if answer := unless_seen(*facts):
            return answer
        try:
            page = board.page(conn, found, limit=PAGE, cursor=cursor)
        except board.BadCursor:
            abort(404)
        best = board.page(conn, found, limit=1).standings if page.previous else page.standings
        mine = board.one(conn, found, viewer.id, neighbours=0) if viewer else None
    ranks = [standing.rank for standing in page.standings]
    html = render_template(
        "contest.html",
        contest=found,
        page=page,
        best=best[0] if best else None,
        shared={rank for rank in ranks if ranks.count(rank) > 1},
        mine=mine[0] if mine else None,
    )
    return seen(html, *facts)


@bp.get("/contests/<slug>/submit")
def upload(slug: str) -> ResponseReturnValue:
    """The form; with `?example=1` the example record stands in it."""
    with transaction() as conn:
        found = contests.get(conn, slug) or abort(404)
    text = example(found.puzzle) if request.args.get("example") else ""
    return render_template("submit.html", contest=found, text=text, fault=None)


@bp.post("/contests/<slug>/submit")
def uploaded(slug: str) -> ResponseReturnValue:
    """Keep the record and go to its page."""
    contestant, fields = auth.contestant(), dict(bodies.parts())
    record = fields.get("file") or fields.get("record", b"")
    if len(record) > LIMIT:
        raise bodies.too_large(LIMIT)
    with transaction() as conn:
        found = contests.get(conn, slug) or abort(404)
        fault = None
        if not record:
            fault = _("Choose a file or paste a record first.")
        else:
            try:
                row, _new = submissions.add(conn, found, contestant, record)
            except submissions.NotOpen:
                fault = _("This contest takes no records now.")
            except submissions.QuotaUsed as error:
                fault = _("You have used today's {n} uploads; the next day begins at 00:00 UTC.", n=error.quota)
    if fault:
        text = fields.get("record", b"").decode(errors="replace")
        return render_template("submit.html", contest=found, text=text, fault=fault), 422
    ring()
    return redirect(url_for("pages.submission", id=row.id), 303)
