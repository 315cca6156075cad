"""What players and organisers say of a match, by the buttons on its page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import abort, redirect, request, url_for

from api import auth, matches
from api.i18n import _
from api.pages.base import bp, reason
from api.submissions import seen
from leaderboard import contests
from leaderboard.db import transaction

if TYPE_CHECKING:
    from uuid import UUID

    from flask.sansio.blueprints import BlueprintSetupState
    from flask.typing import ResponseReturnValue

    from leaderboard.matches import Match


@bp.record_once
def names(state: BlueprintSetupState) -> None:
    """What the templates of matches call."""
    state.app.jinja_env.globals |= {"match_state_of": match_state_of, "fault_of": fault_of}


@bp.post("/submissions/<uuid:id>/confirmation")
def answer_match(id: UUID) -> ResponseReturnValue:
    """Confirm or dispute the match, and see it again."""
    contestant, said = auth.contestant(), request.form.get("confirmed")
    if said not in ("yes", "no"):
        abort(400)
    row = seen(id)
    with transaction() as conn:
        contest = contests.get(conn, row.contest) or abort(404)
        matches.answer(conn, contest, id, contestant, said == "yes")
    return redirect(url_for("pages.submission", id=id), 303)


@bp.post("/submissions/<uuid:id>/ruling")
def decide_match(id: UUID) -> ResponseReturnValue:
    """Decide as an organiser, and see the match again."""
    organiser, said, why = auth.organiser(), request.form.get("counts"), reason() or abort(400)
    if said not in ("yes", "no"):
        abort(400)
    row = seen(id)
    with transaction() as conn:
        contest = contests.get(conn, row.contest) or abort(404)
        matches.rule(conn, contest, id, organiser, said == "yes", why)
    return redirect(url_for("pages.submission", id=id), 303)


def match_state_of(match: Match) -> str:
    """How a match stands, in words."""
    if match.counts:
        return _("counts")
    return {
        "faulty": _("no match"),
        "waiting": _("to be confirmed"),
        "confirmed": _("confirmed"),
        "disputed": _("disputed"),
        "unanswered": _("not answered"),
        "upheld": _("upheld"),
        "void": _("void"),
    }[match.state]


def fault_of(match: Match) -> str:
    """Why an accepted record is no match, in words."""
    return {
        "no-players": _("The record is right, but names no players, so it is no match of this contest."),
        "unknown-player": _("The record is right, but nobody here is called {name}.", name=match.fault_name),
        "player-twice": _("The record is right, but {name} plays against themselves.", name=match.fault_name),
        "not-playing": _("The record is right, but you are none of its players."),
        "not-invited": _("The record is right, but {name} is not invited to this contest.", name=match.fault_name),
        "duplicate": _("The same match was handed in before; it counts once."),
    }[match.fault or "duplicate"]
