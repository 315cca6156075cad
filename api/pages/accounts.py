"""Taking part: register, sign in and out, one's own submissions."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from flask import abort, redirect, render_template, request, url_for

from api import auth
from api.i18n import _
from api.pages.base import bp, local
from leaderboard import accounts, contestants, contests, matches, passwords, submissions, tokens
from leaderboard.db import transaction

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

PAGE = 50


@bp.get("/register")
def register() -> ResponseReturnValue:
    """The form for a name and, if wished, a password."""
    return render_template("register.html", name="", fault=None, next=local(request.args.get("next")))


@bp.post("/register")
def registered() -> ResponseReturnValue:
    """Register, sign in, and show the token this once."""
    name, password = request.form.get("name", ""), request.form.get("password", "")
    try:
        if password and not passwords.SHORTEST <= len(password) <= passwords.LONGEST:
            raise contestants.BadName("password", "")
        with transaction() as conn:
            contestant, token = contestants.register(conn, name.strip(), password or None)
    except (contestants.NameTaken, contestants.BadName) as error:
        fault = name_fault(error)
    else:
        auth.sign_in(contestant)
        return render_template("registered.html", token=token, next=local(request.form.get("next")))
    return render_template("register.html", name=name, fault=fault, next=local(request.form.get("next"))), 422


@bp.get("/sign-in")
def sign_in() -> ResponseReturnValue:
    """Name and password, or a token."""
    return render_template("sign-in.html", name="", fault=None, next=local(request.args.get("next")))


@bp.post("/sign-in")
def signed_in() -> ResponseReturnValue:
    """Sign in and go on to where the reader was."""
    name, shown = request.form.get("name", "").strip(), request.form.get("token", "").strip()
    if shown:
        with transaction() as conn:
            contestant = tokens.contestant_of(conn, shown, "all")
        if contestant:
            auth.sign_in(contestant)
            return redirect(local(request.form.get("next")), 303)
    else:
        password = request.form.get("password", "")
        if found := accounts.sign_in(name, password, auth.browser(), auth.SIGNED_IN):
            auth.be(*found)
            return redirect(local(request.form.get("next")), 303)
    fault = _("That token is not valid.") if shown else _("Name and password do not go together.")
    return render_template("sign-in.html", name=name, fault=fault, next=local(request.form.get("next"))), 422


@bp.post("/sign-out")
def sign_out() -> ResponseReturnValue:
    """Forget who this browser is."""
    auth.sign_out()
    return redirect(url_for("pages.home"), 303)


@bp.get("/me")
def me() -> ResponseReturnValue:
    """One's own submissions, the newest first; `before` is the last one of the page before."""
    if (contestant := auth.viewer()) is None:
        return redirect(url_for("pages.sign_in", next=url_for("pages.me")), 303)
    before = request.args.get("before", type=UUID)
    with transaction() as conn:
        last = submissions.get(conn, before) if before else None
        if before and (last is None or last.contestant_id != contestant.id):
            abort(404)
        rows = submissions.of_contestant(conn, contestant.id, limit=PAGE + 1, before=last)
        asked = matches.asked(conn, contestant)
        titles = {contest.slug: contest.titles for contest in contests.listed(conn)}
    return render_template("me.html", rows=rows[:PAGE], more=len(rows) > PAGE, titles=titles, asked=asked)


def name_fault(error: contestants.NameTaken | contestants.BadName) -> str:
    """What is wrong with a name, or with the length of a password."""
    if isinstance(error, contestants.NameTaken):
        return _("That name, or one that can't be told from it, is taken.")
    return {
        "password": _("A password has 8 to 200 characters."),
        "length": _("A name has 1 to 40 characters."),
        "characters": _("A name has printable characters, at least one of them to be seen, and no comma, # or /."),
        "spaces": _("A name has single spaces, and none at its ends."),
    }[error.reason]
