"""Who is asking; the only file that reads a credential.

A program sends its token (`Authorization: Bearer ...`). A browser has the token in a signed cookie that scripts can't
read and that other sites' forms don't send; as some still could, whatever such a browser changes must also carry the
CSRF token of its pages.
"""

from __future__ import annotations

import hmac
import secrets
from datetime import timedelta
from uuid import UUID

from flask import Flask, Request, g, request, session
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface

from api.problems import Problem
from leaderboard import tokens
from leaderboard.contestants import Contestant
from leaderboard.db import statement, transaction
from leaderboard.tokens import Scope, Token

SAFE = ("GET", "HEAD", "OPTIONS")
SIGNED_IN = timedelta(days=30)
SUBMITTING = ("submissions.submit",)
"""Routes for which a token of the scope `submit` is enough."""


def init_app(app: Flask, secret_key: str, *, https: bool) -> None:
    """The cookie, and the check that a browser's changes come from our own pages."""
    app.config.update(
        SECRET_KEY=secret_key,
        SESSION_COOKIE_NAME="nugget",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_SECURE=https,
        PERMANENT_SESSION_LIFETIME=SIGNED_IN,
    )
    app.session_interface = Sessions()
    app.before_request(_check_csrf)


class Sessions(SecureCookieSessionInterface):
    """Flask's own; but for a request without cookies nothing is made ready to read one."""

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession | None:
        return super().open_session(app, request) if "HTTP_COOKIE" in request.environ else self.session_class()


_seen: dict[bytes, tuple[Contestant, Token]] = {}
"""Whose token it was when it was last looked up here, by its hash. It says nothing of whether it still is good."""
MANY = 10_000
"""Tokens that a process remembers; then it begins anew."""


def presumed() -> tuple[Contestant, UUID | None]:
    """Who is asking by this token, as far as this process remembers, and the token, which has yet to be checked.

    It spares a look at the database, for a statement that checks the token itself. None: it has just been checked.
    """
    if "viewer" not in g and "presumed" not in g:
        found = (bearer := _bearer()) and _seen.get(tokens.digest(bearer))
        g.presumed = (found[0], found[1].id) if found and found[1].covers(_needed()) else None
    who: tuple[Contestant, UUID] | None = g.get("presumed")
    return who if who and "viewer" not in g else (contestant(), None)


def viewer() -> Contestant | None:
    """Who is asking, as far as they say; None for anybody. A bad token is an error, a stale cookie is not."""
    if "viewer" not in g:
        found = None
        bearer = _bearer()
        if shown := bearer or session.get("token"):
            with statement() as conn:
                found = tokens.held(conn, shown)
            if found is None or not found[1].covers(_needed()):
                if bearer:
                    raise _refused(found and found[1])
                found = None
            if bearer and found:
                if len(_seen) >= MANY:
                    _seen.clear()
                _seen[tokens.digest(bearer)] = found
        g.viewer, g.token = found or (None, None)
    who: Contestant | None = g.viewer
    return who


def contestant() -> Contestant:
    """Who is asking, or 401."""
    if found := viewer():
        return found
    raise Problem(
        "unauthorized", "Send your token: Authorization: Bearer ...", headers={"WWW-Authenticate": _CHALLENGE}
    )


def organiser() -> Contestant:
    """Who is asking, if it is an organiser, or 401 or 403."""
    who = contestant()
    if not who.organiser:
        raise Problem("forbidden", "Only organisers may do this.")
    return who


def token() -> Token:
    """By which token or session they are asking."""
    contestant()
    found: Token = g.token
    return found


def sign_in(contestant: Contestant) -> None:
    """Let this browser be the contestant from now on."""
    with transaction() as conn:
        shown = tokens.issue(conn, contestant, label=browser(), lasts=SIGNED_IN, session=True)
    be(contestant, shown)


def be(contestant: Contestant, shown: str) -> None:
    """Let this browser hold that session; one that it held before ends."""
    if earlier := session.get("token"):
        with transaction() as conn:
            tokens.end(conn, earlier)
    session.clear()  # with the CSRF token, which somebody else may know
    session["token"] = shown
    session.permanent = True
    g.viewer = contestant


def browser() -> str:
    """What the list of sessions calls this browser."""
    sent = request.headers.get("User-Agent", "")
    names = ("Firefox", "Edg", "OPR", "Chrome", "Safari"), ("Android", "iPhone", "iPad", "Windows", "Mac OS", "Linux")
    known = [next((name for name in group if name in sent), "") for group in names]
    return ", ".join(filter(None, known)) or "browser"


def sign_out() -> None:
    """Forget who this browser was, here and in the database."""
    if shown := session.get("token"):
        with transaction() as conn:
            tokens.end(conn, shown)
    session.clear()
    g.viewer = None


def leave() -> None:
    """Forget a contestant whose account has ended; the second click of a form that was open is still answered."""
    session.pop("token", None)
    g.viewer = None


def csrf_token() -> str:
    """What a form of ours carries in its hidden field `csrf_token`, or a script in the header `X-CSRF-Token`."""
    if "csrf" not in session:
        session["csrf"] = secrets.token_urlsafe(16)
    found: str = session["csrf"]
    return found


def is_metrics_reader(secret: str) -> bool:
    """Whether the request shows that token, which the settings give to whoever reads the metrics."""
    return bool(secret) and hmac.compare_digest((_bearer() or "").encode(), secret.encode())


_CHALLENGE = 'Bearer realm="golden-nugget"'


def _bearer() -> str | None:
    header = request.headers.get("Authorization")
    if header is None:
        return None
    scheme, _, shown = header.partition(" ")
    if scheme.lower() != "bearer" or not shown.strip():
        raise Problem("bad-token", "Authorization must be: Bearer TOKEN.", headers={"WWW-Authenticate": _CHALLENGE})
    return shown.strip()


def _needed() -> Scope:
    """The scope that a token needs for this request."""
    if request.method in SAFE:
        return "read"
    return "submit" if request.endpoint in SUBMITTING else "all"


def _refused(known: Token | None) -> Problem:
    if known:
        return Problem("forbidden", f"This token is for {known.scope!r} only.")
    return Problem("bad-token", "It is unknown, expired or revoked.", headers={"WWW-Authenticate": _CHALLENGE})


def _check_csrf() -> None:
    """Refuse what a browser changes without the token of our pages. A page always must: signing in is a change."""
    if request.method in SAFE or request.routing_exception or "Authorization" in request.headers:
        return
    if request.blueprint != "pages" and "token" not in session:
        return
    sent = request.headers.get("X-CSRF-Token") or request.form.get("csrf_token", "")
    if (
        not hmac.compare_digest(sent.encode(errors="replace"), session.get("csrf", "").encode())
        or "csrf" not in session
    ):
        raise Problem("csrf", "Open the page again and repeat what you did.")
