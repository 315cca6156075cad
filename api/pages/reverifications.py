"""Verifying submissions again, for organisers: choose them, see what would change, apply or cancel it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flask import abort, redirect, render_template, request, url_for

from api import auth
from api.i18n import _
from api.pages.base import bp, reason, time_of
from api.problems import Problem
from api.reverifications import applied, cancelled, create, get, previewed
from leaderboard import contests, reverification
from leaderboard.db import transaction
from verifier import VERSION
from verifier.verdict import CODES

if TYPE_CHECKING:
    from uuid import UUID

    from flask.typing import ResponseReturnValue

PAGE = 20
FIELDS = ("verdict", "contestant", "older_than", "received_from", "received_before", "setup")


@bp.get("/contests/<slug:slug>/reverification")
def reverification_of(slug: str) -> ResponseReturnValue:
    """The one that is open, how far it is and what it would change; or the form for a new one; and the earlier ones."""
    auth.organiser()
    return _page(slug)


@bp.post("/contests/<slug:slug>/reverification")
def begin_reverification(slug: str) -> ResponseReturnValue:
    """Choose submissions, and see how far it is."""
    organiser = auth.organiser()
    try:
        asked = _asked()
        with transaction() as conn:
            create(conn, contests.get(conn, slug) or abort(404), organiser, asked)
    except Problem as problem:
        return _page(slug, _said(problem)), 422
    return redirect(url_for("pages.reverification_of", slug=slug), 303)


@bp.post("/contests/<slug:slug>/reverification/<uuid:id>")
def end_reverification(slug: str, id: UUID) -> ResponseReturnValue:
    """Apply or cancel it, with the reason that is given."""
    organiser, act = auth.organiser(), request.form.get("act")
    if act not in ("apply", "cancel"):
        abort(400)
    with transaction() as conn:
        contest = contests.get(conn, slug) or abort(404)
        row = get(conn, contest, id)
    if (why := reason()) is None:
        return _page(slug, _("Give a reason, of at most 500 characters.")), 422
    try:
        with transaction() as conn:
            (applied if act == "apply" else cancelled)(conn, contest, row, organiser, why)
    except Problem as problem:
        return _page(slug, _said(problem)), problem.code
    return redirect(url_for("pages.reverification_of", slug=slug), 303)


def _page(slug: str, fault: str | None = None) -> str:
    with transaction() as conn:
        contest = contests.get(conn, slug) or abort(404)
        rows = reverification.listed(conn, contest, PAGE)
        row = rows[0] if rows and rows[0].state == "open" else None
        preview = previewed(conn, contest, row)[1] if row else None
    return render_template(
        "reverification.html",
        contest=contest,
        row=row,
        preview=preview,
        rows=rows[1:] if row else rows,
        fault=fault,
        version=VERSION,
        codes=CODES,
        given=request.form,
    )


def _asked() -> dict[str, Any]:
    """What the form asks for."""
    said = {name: text for name in FIELDS if (text := request.form.get(name, "").strip())}
    asked: dict[str, Any] = {}
    if (verdict := said.pop("verdict", "")) in ("accepted", "rejected"):
        asked["accepted"] = verdict == "accepted"
    elif verdict in CODES:
        asked["code"] = verdict
    for name in ("received_from", "received_before"):
        if text := said.pop(name, ""):
            asked[name] = time_of(text)
            if asked[name] is None:
                raise Problem("invalid", _("A time is written like 2026-12-01T12:00."))
    if setup := said.pop("setup", ""):
        if not (setup.isascii() and setup.isdigit() and len(setup) < 5):
            abort(400)
        asked["setup"] = int(setup)
    if any("\0" in text or len(text) > 200 for text in said.values()):
        abort(400)
    return {**asked, **said}


def _said(problem: Problem) -> str:
    """The problem in the reader's language."""
    return {
        "reverification-open": _("Another re-verification of this contest is open: apply or cancel it first."),
        "reverification-ended": _("It was applied or cancelled already."),
        "reverification-not-ready": _("It can't be applied now: not everything is verified, or another version runs."),
    }.get(problem.problem) or (
        _("No decided submission fits.") if problem.description and "fits" in problem.description
        else _("Nobody is called like that.") if problem.description and "Nobody" in problem.description
        else str(problem.description)
    )  # fmt: skip
