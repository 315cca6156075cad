"""A contest and its leaderboard, and the form that takes a record."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

import structlog
from flask import abort, current_app, g, redirect, render_template, request, url_for

from api import auth, bodies
from api.i18n import _
from api.pages.base import bp, parts_of, seen, unless_seen
from api.pages.examples import example
from api.pages.hints import CHAIN, deciding
from leaderboard import (
    audit,
    board,
    charts,
    contestants,
    contests,
    events,
    matches,
    notices,
    reverification,
    submissions,
)
from leaderboard.db import transaction
from verifier.record import LIMIT
from worker.bell import ring

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

    from leaderboard.contests import Contest
    from leaderboard.db import Connection

log = structlog.get_logger()

PAGE = 50
NEIGHBOURS = 5
LAST_MATCHES = 20
LAST_DEEDS = 30


@bp.get("/contests/<slug:slug>")
def contest(slug: str) -> ResponseReturnValue:
    """The leaderboard: a page of it from `cursor`, what `find` finds, or the neighbours of `around`."""
    viewer, asked = auth.viewer(), request.args
    whole = "around" not in asked and "find" not in asked
    with transaction() as conn:
        found = contests.get(conn, slug) or abort(404)
        setup = asked.get("setup", 0, type=int)
        if not 0 <= setup <= len(found.setups):
            abort(404)
        event = board.event(conn, found)
        seen_from = story(conn, found, event) if found.puzzle == CHAIN else None
        waiting = matches.undecided(conn, found) if found.league else {}
        told = audit.last(conn, found)
        facts = (event, found.phase, found.provisional, seen_from and seen_from.event, sorted(waiting.items()), told)
        if not (found.league and viewer and viewer.organiser) and (answer := unless_seen(*facts)):
            return answer  # what waits for an organiser has no public event
        around = contestants.by_shown(conn, asked["around"]) if "around" in asked else None
        try:
            page = board.page(conn, found, PAGE if whole else 1, asked.get("cursor"), setup)
        except board.BadCursor:
            abort(404)
        shown = page.standings
        if "around" in asked:
            shown = (around and board.one(conn, found, around.id, NEIGHBOURS, setup)) or []
        elif "find" in asked:
            shown = charts.search(conn, found, asked["find"])
        best = board.page(conn, found, 1, setup=setup).standings if page.previous else page.standings[:1]
        mine = board.one(conn, found, viewer.id, 0, setup) if viewer else None
        counted = matches.counted(conn, found, LAST_MATCHES) if found.league else []
        undecided = (
            matches.listed(conn, found, matches.UNDECIDED, PAGE) if found.league and viewer and viewer.organiser else []
        )
        corrections = reverification.corrections(conn, found)
        notes, entries = notices.listed(conn, found), audit.public(conn, found, LAST_DEEDS)
    ranks = [standing.rank for standing in shown]
    html = render_template(
        "contest.html",
        contest=found,
        setup=setup,
        page=page,
        shown=shown,
        whole=whole,
        best=best[0] if best else None,
        shared={rank for rank in ranks if ranks.count(rank) > 1},
        mine=mine[0] if mine else None,
        columns=parts_of(best[0].score) if best and found.puzzle != CHAIN else [],
        story=seen_from,
        counted=counted,
        waiting=waiting,
        undecided=undecided,
        corrections=corrections,
        notices=notes,
        entries=entries,
    )
    return seen(html, *facts)


@dataclass(frozen=True)
class Story:
    """What the charts of a contest show, as of one public event."""

    event: int
    leads: list[charts.Lead]
    means: dict[int, int]
    until: float
    """On the monotonic clock: how long it is good enough, as long as nothing else is known to be wrong with it."""


def story(conn: Connection, contest: Contest, event: int) -> Story:
    """The charts' figures. While much happens they lag behind, so that making them takes a twentieth of the time."""
    stories: dict[tuple[int, str], Story] = current_app.extensions.setdefault("stories", {})
    known = stories.get((contest.id, contest.phase))
    began = monotonic()
    if known and (known.event == event or (began < known.until and not events.upset(conn, contest, known.event))):
        return known
    leads, means = charts.leads(conn, contest), charts.means(conn, contest)
    ended = monotonic()
    made = Story(event, leads, means, ended + 20 * (ended - began))
    stories[contest.id, contest.phase] = made
    return made


@bp.get("/contests/<slug:slug>/compare")
def compare(slug: str) -> ResponseReturnValue:
    """Why `a` stands above `b`, or that they share a rank."""
    names = [request.args.get(key, "").strip() for key in ("a", "b")]
    with transaction() as conn:
        found = contests.get(conn, slug) or abort(404)
        if found.puzzle != CHAIN:
            abort(404)
        known = [contestants.by_shown(conn, name) for name in names]
        places = [(one and board.one(conn, found, one.id, 0)) or None for one in known]
    standings = [place[0] for place in places if place]
    missing = [name for name, place in zip(names, places, strict=True) if name and not place]
    standings.sort(key=lambda standing: standing.rank)
    why = deciding(*(standing.score["moves_per_board"] for standing in standings)) if len(standings) == 2 else None
    return render_template("compare.html", contest=found, names=names, missing=missing, standings=standings, why=why)


@bp.get("/contests/<slug:slug>/submit")
def upload(slug: str) -> ResponseReturnValue:
    """The form; with `?example=1` the example record stands in it."""
    with transaction() as conn:
        found = contests.get(conn, slug) or abort(404)
    text = example(found.puzzle) if request.args.get("example") else ""
    return render_template("submit.html", contest=found, text=text, fault=None)


@bp.post("/contests/<slug:slug>/submit")
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
                row, new = submissions.add(conn, found.slug, contestant, record, request=g.request_id)
            except submissions.NotOpen:
                fault = _("This contest takes no records now.")
            except submissions.QuotaUsed as error:
                fault = _("You have used today's {n} uploads; the next day begins at 00:00 UTC.", n=error.quota)
    if fault:
        text = fields.get("record", b"").decode(errors="replace")
        return render_template("submit.html", contest=found, text=text, fault=fault), 422
    ring()
    log.info("submission received", submission=str(row.id), contest=slug, size=row.size, new=new)
    return redirect(url_for("pages.submission", id=row.id), 303)
