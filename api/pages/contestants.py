"""A contestant: where they stand, and how they got there."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from flask import abort, redirect, render_template, request, url_for

from api import accounts, auth
from api.i18n import _
from api.pages.base import bp, reason
from leaderboard import board, charts, contestants, contests, organising
from leaderboard.db import transaction

if TYPE_CHECKING:
    from collections.abc import Sequence
    from uuid import UUID

    from flask.typing import ResponseReturnValue

    from leaderboard.board import Standing
    from leaderboard.charts import Best
    from leaderboard.contestants import Contestant
    from leaderboard.contests import Contest


class Part(NamedTuple):
    """What somebody did in a contest."""

    contest: Contest
    standing: Standing
    total: int
    bests: Sequence[Best]
    """Of a puzzle's contest with one setup or none; each better than those before."""


@bp.get("/contestants/<name>")
def contestant(name: str) -> ResponseReturnValue:
    """By the name as the contestant writes it; another spelling of it leads there, and a former name that is kept."""
    with transaction() as conn:
        found = contestants.by_shown(conn, name)
        former = None if found else contestants.by_former_name(conn, name)
        if former and (former.hidden or contestants.was_hidden(conn, former, name)):
            former = None
    if found and found.shown == name:
        return _page(found)
    if found:
        return redirect(url_for("pages.contestant", name=found.shown), 301)
    if former is None:
        abort(404)
    return redirect(url_for("pages.contestant", name=former.name), 302)  # the name may be somebody else's some day


@bp.post("/contestants/<uuid:id>/token")
def give_token(id: UUID) -> ResponseReturnValue:
    """Give, as an organiser, a new token to a contestant who has lost all, and show it this once."""
    auth.organiser()
    with transaction() as conn:
        found = contestants.get(conn, id) or abort(404)
    if (why := reason()) is None:
        return _page(found, _("Give a reason, of at most 500 characters.")), 422
    token = accounts.given(id, why)
    back = url_for("pages.contestant", name=found.shown)
    return render_template("new-token.html", token=token, back=back, whose=found.name)


@bp.post("/contestants/<uuid:id>/hiding")
def hide_name(id: UUID) -> ResponseReturnValue:
    """Hide, as an organiser, a name from the public, or show it again, as the button `act` says."""
    who = auth.organiser()
    act = {"hide": organising.hide, "unhide": organising.unhide}.get(request.form.get("act", "")) or abort(400)
    why = reason()
    with transaction() as conn:
        found = contestants.get(conn, id) or abort(404)
        if why is not None:
            act(conn, found, who, why)
            found = contestants.get(conn, id) or abort(404)
    if why is None:
        return _page(found, _("Give a reason, of at most 500 characters.")), 422
    return redirect(url_for("pages.contestant", name=found.shown), 303)


def _page(found: Contestant, fault: str | None = None) -> str:
    viewer = auth.viewer()
    with transaction() as conn:
        parts = []
        for contest in contests.listed(conn):
            if standings := board.one(conn, contest, found.id, neighbours=0):
                setups = len(contest.setups)
                single = setups < 2 and not contest.league
                bests = charts.bests(conn, contest, found.id, setups) if single else ()
                total = board.page(conn, contest, limit=1).total
                parts.append(Part(contest, standings[0], total, bests))
        ended = contestants.is_deleted(conn, found)
    mine = viewer is not None and viewer.id == found.id
    return render_template("contestant.html", who=found, parts=parts, mine=mine, ended=ended, fault=fault)
