"""One's account: name, password, tokens and sessions, and its end."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from flask import abort, redirect, render_template, request, url_for
from marshmallow import ValidationError

from api import accounts as routes
from api import auth, schemas
from api.i18n import _
from api.pages.accounts import name_fault
from api.pages.base import bp
from leaderboard import accounts, contestants, passwords, tokens
from leaderboard.db import transaction

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue


@bp.get("/me/account")
def account() -> ResponseReturnValue:
    """Everything that can be done about one's account; `done` is what has just been."""
    if auth.viewer() is None:
        return redirect(url_for("pages.sign_in", next=url_for("pages.account")), 303)
    return _page()


@bp.post("/me/account")
def account_changed() -> ResponseReturnValue:
    """Another name or another password, as the button `act` says."""
    who, by, said = auth.contestant(), auth.token(), request.form
    act = said.get("act")
    try:
        if act == "name":
            accounts.change(who, by, name=said.get("name", "").strip())
        elif act == "password":
            if not passwords.SHORTEST <= len(said.get("password", "")) <= passwords.LONGEST:
                raise contestants.BadName("password", "")
            accounts.change(who, by, password=said["password"], present=said.get("present_password"))
        else:
            abort(400)
    except accounts.WrongPassword:
        return _page(_wrong_password()), 422
    except (contestants.NameTaken, contestants.BadName) as error:
        return _page(name_fault(error)), 422
    return redirect(url_for("pages.account", done=act), 303)


@bp.post("/me/tokens")
def tokens_changed() -> ResponseReturnValue:
    """Make a token and show it this once, or revoke one (`revoke`), or all others."""
    who, by, said = auth.contestant(), auth.token(), request.form
    if said.get("act") == "make":
        return _made()
    with transaction() as conn:
        if said.get("act") == "others":
            tokens.revoke_others(conn, who, by)
        elif chosen := said.get("revoke", type=UUID):
            tokens.revoke(conn, who, chosen)  # a second click finds it revoked
        else:
            abort(400)
    return redirect(url_for("pages.account", done="tokens", _anchor="tokens"), 303)


@bp.post("/me/deletion")
def account_deleted() -> ResponseReturnValue:
    """End the account. A second click finds that done and leads to the same page."""
    who, said = auth.viewer(), request.form
    if who is None:
        return redirect(url_for("pages.farewell", id=said.get("contestant", type=UUID) or abort(401)), 303)
    try:
        routes.end(who, said.get("present_password"), said.get("name", "").strip())
    except accounts.WrongPassword:
        return _page(_wrong_password()), 422
    except routes.NotConfirmed:
        return _page(_("That is not your name, as it is written.")), 422
    except accounts.Organising:
        return _page(_("What you did as an organiser stands under your name; stop being one first.")), 422
    auth.leave()
    return redirect(url_for("pages.farewell", id=who.id), 303)


@bp.get("/farewell/<uuid:id>")
def farewell(id: UUID) -> str:
    """That an account is deleted, if it is."""
    with transaction() as conn:
        found = contestants.get(conn, id)
        if found is None or not contestants.is_deleted(conn, found):
            abort(404)
    return render_template("farewell.html", name=found.name)


def _made() -> ResponseReturnValue:
    said, days = request.form, request.form.get("days", "").strip()
    try:
        if days and not (days.isascii() and days.isdigit() and len(days) <= 4):
            raise ValidationError("days")
        wish = {"label": said.get("label", "").strip(), "scope": said.get("scope"), "days": days and int(days)}
        new = schemas.NewToken().load({name: value for name, value in wish.items() if value != ""})
        with transaction() as conn:
            _row, token = tokens.make(
                conn, auth.contestant(), auth.token(), new["scope"], new["label"], routes.lasting(new["days"])
            )
    except ValidationError:
        return _page(_("What it is for has at most 60 characters; it is valid for 1 to 3650 days, or for good.")), 422
    except tokens.TooMany:
        return _page(_("You have {n} tokens, and cannot have more: revoke one first.", n=tokens.MOST)), 422
    except tokens.TooLarge:
        abort(403)
    return render_template("new-token.html", token=token, back=url_for("pages.account", _anchor="tokens"), whose=None)


def _wrong_password() -> str:
    return _("The present password is another one.")


def _page(fault: str | None = None) -> str:
    who, current = auth.contestant(), auth.token()
    with transaction() as conn:
        rows = tokens.listed(conn, who)
        has_password = contestants.password_of(conn, who) is not None
    done = {
        "name": _("Your name is changed."),
        "password": _("Your password is changed. The other browsers are signed out."),
        "tokens": _("What you revoked is no longer valid."),
    }.get(request.args.get("done", ""))
    return render_template(
        "account.html",
        rows=rows,
        current=current,
        has_password=has_password,
        fault=fault,
        done=None if fault else done,
        given=request.form,
        scopes={"all": _("whatever you may"), "submit": _("look and upload"), "read": _("only look")},
    )
