"""The routes of an account: change it, end it, and the tokens that open it."""

from __future__ import annotations

import unicodedata
from datetime import timedelta
from typing import Any
from uuid import UUID

from api import auth, schemas
from api.openapi import READ_TOKEN, TOKEN, Blueprint
from api.problems import Problem, invalid
from leaderboard import accounts, contestants, tokens
from leaderboard.contestants import Contestant
from leaderboard.db import transaction

bp = Blueprint("accounts", __name__, url_prefix="/api/v1", description="One's account and its tokens.")


@bp.patch("/me")
@bp.doc(security=TOKEN)
@bp.arguments(schemas.Changes)
@bp.response(200, schemas.Me)
@bp.problems("bad-json", "name-taken", "wrong-password", "signing-in")
def change(changes: dict[str, str]) -> Contestant:
    """Another name, another password, or both. Who has a password must give it to set another."""
    try:
        return accounts.change(
            auth.contestant(),
            auth.token(),
            changes.get("name"),
            changes.get("password"),
            changes.get("present_password"),
        )
    except accounts.WrongPassword:
        raise wrong_password() from None
    except contestants.NameTaken as error:
        raise Problem("name-taken", str(error)) from None
    except contestants.BadName as error:
        raise invalid(str(error), pointer="/name") from None


@bp.post("/me/deletion")
@bp.doc(security=TOKEN)
@bp.arguments(schemas.Farewell)
@bp.response(204)
@bp.problems("bad-json", "wrong-password", "organising", "signing-in")
def delete(said: dict[str, str]) -> None:
    """Delete the account for good: name, password, tokens and sessions.

    It is confirmed by the password, or without one by the name. Results stay under a neutral name where the contest
    keeps records, matches always.
    """
    try:
        end(auth.contestant(), said.get("present_password"), said.get("name"))
    except accounts.WrongPassword:
        raise wrong_password() from None
    except NotConfirmed:
        raise invalid("It must be your own name, as it is written.", pointer="/name") from None
    except accounts.Organising:
        raise organising() from None


@bp.get("/me/tokens")
@bp.doc(security=READ_TOKEN)
@bp.response(200, schemas.Tokens)
def listed() -> dict[str, Any]:
    """One's valid tokens and sessions, the newest first."""
    contestant, current = auth.contestant(), auth.token()
    with transaction() as conn:
        return {"tokens": [schemas.token(row, current) for row in tokens.listed(conn, contestant)]}


@bp.post("/me/tokens")
@bp.doc(security=TOKEN)
@bp.arguments(schemas.NewToken)
@bp.response(201, schemas.MadeToken)
@bp.problems("bad-json", "too-many-tokens")
def make(new: dict[str, Any]) -> dict[str, Any]:
    """Make a token, which is shown this once; it may do no more and lasts no longer than the one that asks."""
    contestant, current = auth.contestant(), auth.token()
    try:
        with transaction() as conn:
            row, token = tokens.make(conn, contestant, current, new["scope"], new["label"], lasting(new["days"]))
    except tokens.TooLarge as error:
        raise Problem("forbidden", str(error)) from None
    except tokens.TooMany as error:
        raise Problem("too-many-tokens", str(error)) from None
    return {**schemas.token(row, current), "token": token}


@bp.delete("/me/tokens")
@bp.doc(security=TOKEN)
@bp.response(200, schemas.Revoked)
def revoke_others() -> dict[str, int]:
    """Revoke all tokens and sessions but the one of this request."""
    contestant, current = auth.contestant(), auth.token()
    with transaction() as conn:
        return {"revoked": tokens.revoke_others(conn, contestant, current)}


@bp.delete("/me/tokens/<uuid:id>")
@bp.doc(security=TOKEN)
@bp.response(204)
@bp.problems("not-found")
def revoke(id: UUID) -> None:
    """Revoke a token or session of one's own, at once."""
    contestant = auth.contestant()
    with transaction() as conn:
        if not tokens.revoke(conn, contestant, id):
            raise Problem("not-found")


@bp.post("/contestants/<uuid:id>/tokens")
@bp.doc(security=TOKEN)
@bp.arguments(schemas.ReasonToGive)
@bp.response(201, schemas.GivenToken)
@bp.problems("bad-json", "not-found")
def give(why: dict[str, str], id: UUID) -> dict[str, str]:
    """Give, as an organiser, a new token to a contestant who has lost all; the reason goes into the audit log."""
    return {"token": given(id, why["reason"])}


class NotConfirmed(Exception):
    """Another name was typed."""


def end(contestant: Contestant, present: str | None, name: str | None) -> None:
    """Delete the account if that is confirmed. Raises NotConfirmed, accounts.WrongPassword, accounts.Organising."""
    kept = accounts.confirmed(contestant, present)
    if kept is None and unicodedata.normalize("NFC", (name or "")[: contestants.SPELLING]) != contestant.name:
        raise NotConfirmed
    with transaction() as conn:
        accounts.delete(conn, contestant)


def given(id: UUID, reason: str) -> str:
    """A new token for a contestant, from the organiser who asks."""
    organiser = auth.organiser()
    with transaction() as conn:
        contestant = contestants.get(conn, id)
        if contestant is None or contestants.is_deleted(conn, contestant):
            raise Problem("not-found")
        if contestant.organiser:
            raise Problem("forbidden", "An organiser gets a token from the command nugget alone.")
        return accounts.give_token(conn, contestant, organiser, reason)


def lasting(days: int | None) -> timedelta | None:
    """For how long a token is made."""
    return None if days is None else timedelta(days=days)


def wrong_password() -> Problem:
    """For whoever gives another password than the present one, or none."""
    return Problem("wrong-password", "Give the present password as `present_password`.")


def organising() -> Problem:
    """For an organiser who wants to go."""
    return Problem("organising", "What you did as an organiser stands under your name; stop being one first.")
