"""What all pages share: the blueprint, names for the templates, language and theme, errors, conditional answers."""

from __future__ import annotations

import hashlib
import re
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from flask import Blueprint, abort, make_response, redirect, render_template, request, url_for
from markupsafe import Markup

from api import auth, charts, i18n, picture
from api.i18n import _
from verifier import VERSION, steps

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flask import Response
    from flask.sansio.blueprints import BlueprintSetupState
    from werkzeug.wrappers import Response as BaseResponse

    from api.problems import Problem
    from leaderboard.charts import Lead
    from leaderboard.contests import Contest
    from verifier.verdict import Score
    from verifier.view import View

bp = Blueprint("pages", "api", template_folder="templates", static_folder="static", static_url_path="/static")
THEMES = ("auto", "light", "dark")
YEAR = 365 * 24 * 3600
FRACTION = re.compile("[0-9]+/[0-9]+")
HERE = Path(__file__).parents[1]


@cache
def fingerprint() -> str:
    """Changes with the templates, style, scripts and catalogues: in every ETag and the addresses of static files."""
    digest = hashlib.sha256(VERSION.encode())
    for folder in ("templates", "static", "locale"):
        for path in sorted((HERE / folder).rglob("*")):
            if path.is_file():
                digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def theme() -> str:
    """What the reader chose by the switch; "auto" leaves it to the system."""
    chosen = request.cookies.get("theme", "auto")
    return chosen if chosen in THEMES else "auto"


@bp.record_once
def everywhere(state: BlueprintSetupState) -> None:
    """Names that every template may use, imported macros too."""
    state.app.jinja_env.globals |= {
        "_": i18n._,
        "ngettext": i18n.ngettext,
        "language": i18n.language,
        "languages": i18n.LANGUAGES,
        "theme": theme,
        "viewer": auth.viewer,
        "csrf_token": auth.csrf_token,
        "decimal": i18n.decimal,
        "when": i18n.when,
        "title_of": title_of,
        "phase_of": phase_of,
        "state_of": state_of,
        "picture": picture.render,
        "chain": picture.chain,
        "link": link,
        "progress": progress,
        "spread": charts.spread,
        "part_of": part_of,
        "parts_of": parts_of,
        "value_of": value_of,
        "setup_view": setup_view,
        "static": lambda name: url_for("pages.static", filename=name, v=fingerprint()),
        "here": here,
    }


def parts_of(score: Score) -> list[str]:
    """The parts of a score that are shown as they are: all but lists."""
    return [name for name, value in score.items() if isinstance(value, (int, str))]


def part_of(name: str) -> str:
    """A part of a score in words."""
    return {
        "boards": _("Boards"),
        "moves": _("Moves"),
        "mean": _("Mean of moves"),
        "slides": _("Slides"),
        "swaps": _("Swaps"),
        "foundation": _("Tiles on foundations"),
        "points": _("Points"),
        "matches": _("Matches"),
        "wins": _("Wins"),
        "draws": _("Draws"),
        "losses": _("Losses"),
        "solved": _("Solved"),
        "setups": _("Setups"),
        "result": _("Result"),
        "turns": _("Turns"),
    }.get(name, name)


def value_of(value: Any) -> str:
    """A part of a score as it is read; a fraction with its decimals."""
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, str) and FRACTION.fullmatch(value):
        return f"{value} = {i18n.decimal(value)}"
    return str(value)


def progress(leads: Sequence[Lead], contest: Contest) -> Markup:
    """The chart of the best mean, from the contest's start up to now or its end."""
    points = [(lead.received_at, lead.score["mean"]) for lead in leads]
    end = max(min(contest.now, contest.closes_at), leads[-1].received_at)
    return charts.progress(points, min(contest.opens_at, leads[0].received_at), end)


def setup_view(puzzle: str, header: str) -> View:
    """The first position of a setup."""
    return steps(f"puzzle: {puzzle}\n{header}\n".encode(), limit=1)[0].view


def link(target: str, words: str) -> Markup:
    """A link, to be put into a sentence."""
    return Markup('<a href="{}">{}</a>').format(target, words)


def here() -> str:
    """The path and query of this page, to come back to. A page that answers a POST is come back to by its GET."""
    return request.full_path.rstrip("?")


def title_of(titles: Mapping[str, str]) -> str:
    """A contest's title in the reader's language, else in English."""
    return titles.get(i18n.language()) or titles["en"]


def phase_of(phase: str) -> str:
    """A contest's phase in words."""
    return {
        "upcoming": _("not open yet"),
        "open": _("open"),
        "frozen": _("open, board frozen"),
        "closed": _("closed"),
        "published": _("finished"),
    }[phase]


def state_of(state: str) -> str:
    """A submission's state in words."""
    return {
        "queued": _("in the queue"),
        "verifying": _("being verified"),
        "accepted": _("accepted"),
        "rejected": _("rejected"),
        "failed": _("could not be verified"),
    }[state]


def local(target: str | None) -> str:
    """A path of this site, else the home page: nobody is sent elsewhere by a link of ours."""
    if not target or not target.startswith("/") or target.startswith("//") or "\\" in target:
        return url_for("pages.home")
    parts = urlsplit(target)
    return target if not parts.scheme and not parts.netloc and target.isprintable() else url_for("pages.home")


def time_of(text: str) -> datetime | None:
    """The time that a form says, in UTC unless it says otherwise; None for anything else."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def reason() -> str | None:
    """The reason that a form gives for a decision; None if there is none that can be kept."""
    said = request.form.get("reason", "").strip()
    return said if 1 <= len(said) <= 500 and "\0" not in said else None


def unless_seen(*facts: object) -> Response | None:
    """304 where the reader has this very page already; else None, and `seen` marks the page that is made.

    `facts` is everything that the page depends on besides language, theme and who looks.
    """
    response = make_response(b"", 304)
    response.set_etag(_tag(facts))
    mark(response)
    return response if request.if_none_match.contains(_tag(facts)) else None


def seen(page: str, *facts: object) -> Response:
    """The page with its ETag, to be asked for again each time."""
    response = make_response(page)
    response.set_etag(_tag(facts))
    mark(response)
    return response


def mark(response: Response) -> None:
    """Only this reader's browser may keep the page, and asks before it shows it again."""
    response.headers["Cache-Control"] = "private, no-cache"
    response.headers["Vary"] = "Cookie, Accept-Language"


def _tag(facts: tuple[object, ...]) -> str:
    who = auth.viewer()
    parts = (
        fingerprint(),
        i18n.language(),
        theme(),
        who and (who.id, who.name, who.role),
        request.query_string,
        *facts,
    )
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:24]


def problem(error: Problem) -> Response:
    """A problem as a page for people."""
    status = error.code
    words = {
        "csrf": _("This form is too old, or comes from elsewhere. Open the page again and repeat what you did."),
        "bad-token": _("That token is not valid."),
        "too-large": _("That is too large: a record has at most 1 MiB."),
        400: _("This request could not be read."),
        401: _("Please sign in first."),
        403: _("This is not open to you."),
        404: _("There is nothing at this address."),
        405: _("This address does not take that."),
        408: _("The form came too slowly."),
        415: _("A record is sent as it is, without a content encoding."),
        422: _("Something in the form is not right."),
        429: _("Too many requests: please wait a moment."),
        503: _("The service is resting for a moment. Nothing that was received is lost."),
    }
    fallback = _("Something went wrong here. It has been noted; nothing that was received is lost.")
    said = words.get(error.problem) or words.get(status) or (words[400] if status < 500 else fallback)
    page = render_template("error.html", status=status, words=said)
    response = make_response(page, status, error.headers)
    response.headers["Cache-Control"] = "no-store"
    return response


@bp.after_request
def keep(response: Response) -> Response:
    """A static file may be kept: for good under an address with its fingerprint, for a month if it is a font."""
    if request.endpoint == "pages.static" and response.status_code in (200, 304):
        if request.args.get("v") == fingerprint():
            response.headers["Cache-Control"] = f"public, max-age={YEAR}, immutable"
        elif request.path.endswith(".woff2"):
            response.headers["Cache-Control"] = f"public, max-age={YEAR // 12}"
    return response


@bp.get("/language/<code>")
def choose_language(code: str) -> BaseResponse:
    """Keep the language in a cookie and go back."""
    if code not in i18n.LANGUAGES:
        abort(404)
    return _choose(i18n.COOKIE, code)


@bp.get("/theme/<name>")
def choose_theme(name: str) -> BaseResponse:
    """Keep the theme in a cookie and go back."""
    if name not in THEMES:
        abort(404)
    return _choose("theme", name)


def _choose(cookie: str, value: str) -> BaseResponse:
    response = redirect(local(request.args.get("next")), 303)
    response.set_cookie(cookie, value, max_age=YEAR, samesite="Lax", secure=request.is_secure, httponly=True)
    response.headers["Cache-Control"] = "no-store"
    return response
