"""What organisers do on pages: a contest's times, notices, submissions and names; and what everybody reads of it."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from flask import abort, redirect, render_template, request, url_for
from markdown_it import MarkdownIt
from markupsafe import Markup

from api import auth, i18n
from api.i18n import _
from api.pages.base import bp
from leaderboard import (
    audit,
    contest_file,
    contestants,
    contests,
    matches,
    notices,
    organising,
    oversight,
    queue,
    submissions,
)
from leaderboard.contests import BadContest
from leaderboard.db import transaction
from leaderboard.oversight import Filter
from worker.bell import ring

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flask.sansio.blueprints import BlueprintSetupState
    from flask.typing import ResponseReturnValue

    from leaderboard.contestants import Contestant
    from leaderboard.contests import Contest
    from leaderboard.db import Connection
    from leaderboard.submissions import Submission

PAGE = 50
STATES = ("queued", "verifying", "accepted", "rejected", "failed")
MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")  # none from other hosts


class Fault(Exception):
    """What was asked for can't be done; the sentence says why."""


@bp.record_once
def names(state: BlueprintSetupState) -> None:
    """What the templates call."""
    state.app.jinja_env.globals |= {"markdown_of": markdown_of, "deed_of": deed_of}


def markdown_of(texts: Mapping[str, str]) -> Markup:
    """A text of organisers in the reader's language, else in English; without raw HTML."""
    text = texts.get(i18n.language()) or texts.get("en", "")
    return Markup(MARKDOWN.render(text))  # noqa: S704 - markdown-it escapes what is no Markdown


def organiser() -> Contestant:
    """Who is asking, if it is an organiser."""
    who = auth.contestant()
    if not who.organiser:
        abort(403)
    return who


@bp.get("/organise")
def new_contest() -> ResponseReturnValue:
    """The form that takes a contest written as TOML."""
    organiser()
    return render_template("organise-new.html", text="", fault=None)


@bp.post("/organise")
def made_contest() -> ResponseReturnValue:
    """Announce the contest and go to its page."""
    who, text = organiser(), request.form.get("toml", "")
    try:
        with transaction() as conn:
            made, _new = organising.create(conn, who, **contest_file.read(text.encode(errors="replace")))
    except BadContest as error:
        return render_template("organise-new.html", text=text, fault=f"{error.field}: {error}"), 422
    return redirect(url_for("pages.organise", slug=made.slug), 303)


@bp.get("/contests/<slug:slug>/organise")
def organise(slug: str) -> ResponseReturnValue:
    """Everything that organisers look through."""
    organiser()
    with transaction() as conn:
        return _page(conn, contests.get(conn, slug) or abort(404))


@bp.post("/contests/<slug:slug>/organise")
def organised(slug: str) -> ResponseReturnValue:
    """Do one thing and show the page again."""
    who = organiser()
    try:
        with transaction() as conn:
            contest = contests.get(conn, slug) or abort(404)
            _act(conn, contest, who, request.form)
    except (Fault, BadContest, notices.BadNotice, notices.NoNotice, matches.OpenToAll) as error:
        with transaction() as conn:
            return _page(conn, contests.get(conn, slug) or abort(404), str(error)), 422
    if request.form.get("do") == "requeue":
        ring()
    return redirect(url_for("pages.organise", slug=slug), 303)


def _act(conn: Connection, contest: Contest, who: Contestant, form: Mapping[str, str]) -> None:
    def reason() -> str:
        text = form.get("reason", "").strip()
        if not 1 <= len(text) <= 500 or "\0" in text:
            raise Fault(_("Give a reason of at most 500 characters."))
        return text

    texts = {code: form.get(code, "") for code in i18n.LANGUAGES}
    match form.get("do"):
        case "extend":
            organising.extend(conn, contest, who, reason(), _time(form.get("when", "")))
        case "freeze" | "close" | "publish" as act:
            organising.at_once(conn, contest, who, reason(), act)
        case "notice":
            notices.post(conn, contest, who, texts)
        case "edit":
            notices.edit(conn, contest, who, _number(form), texts)
        case "take-back":
            notices.take_back(conn, contest, who, _number(form))
        case "invite":
            matches.invite(conn, contest, _named(conn, form), who)
        case "hide":
            organising.hide(conn, _named(conn, form), who, reason())
        case "unhide":
            organising.unhide(conn, _named(conn, form), who, reason())
        case "disqualify":
            organising.disqualify(conn, _submission(conn, contest, form).id, who, reason())
        case "reinstate":
            organising.reinstate(conn, _submission(conn, contest, form).id, who, reason())
        case "requeue":
            queue.retry(conn, _submission(conn, contest, form).id, who, reason())
        case _:
            abort(400)


def _page(conn: Connection, contest: Contest, fault: str | None = None) -> str:
    asked = request.args
    contestant = None
    if asked.get("name"):
        whom = contestants.by_name(conn, asked["name"])
        contestant = whom.id if whom else UUID(int=0)  # nobody's
    state, code = asked.get("state") or None, asked.get("code") or None
    chosen = Filter(
        state=state if state in STATES else None,
        code=code,
        contestant=contestant,
        late=True if asked.get("late") else None,
        disqualified=True if asked.get("disqualified") else None,
    )
    last = submissions.get(conn, _uuid(asked["before"])) if asked.get("before") else None
    rows = oversight.of_contest(conn, contest, chosen, PAGE + 1, last)
    return render_template(
        "organise.html",
        contest=contest,
        fault=fault,
        given=request.form,
        rows=rows[:PAGE],
        more=len(rows) > PAGE,
        alike=oversight.alike(conn, contest),
        told=notices.listed(conn, contest),
        log=audit.listed(conn, PAGE, contest=contest),
        states=STATES,
    )


def _submission(conn: Connection, contest: Contest, form: Mapping[str, str]) -> Submission:
    row = submissions.get(conn, _uuid(form.get("submission", "")))
    if row is None or row.contest != contest.slug:
        abort(404)
    return row


def _named(conn: Connection, form: Mapping[str, str]) -> Contestant:
    if found := contestants.by_name(conn, form.get("name", "")):
        return found
    raise Fault(_("Nobody here is called like that."))


def _number(form: Mapping[str, str]) -> int:
    text = form.get("number", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else abort(400)


def _time(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text.strip())
    except ValueError:
        raise Fault(_("Write the time such as 2026-12-01T12:00:00Z.")) from None


def _uuid(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        abort(404)


def deed_of(entry: Any) -> str:
    """What was done, in words."""
    return {
        "create": _("The contest was announced"),
        "reschedule": _("Times were changed"),
        "extend": _("The deadline was extended"),
        "freeze": _("The board was frozen"),
        "close": _("The contest was closed"),
        "publish": _("The records were published"),
        "notice": _("A notice was posted"),
        "notice-edited": _("A notice was edited"),
        "notice-taken-back": _("A notice was taken back"),
        "disqualify": _("A submission was disqualified"),
        "reinstate": _("A disqualification was taken back"),
        "requeue": _("A submission is verified once more"),
        "invite": _("Somebody was invited"),
        "hide": _("A name was hidden"),
        "unhide": _("A name is shown again"),
        "uphold": _("A match was upheld"),
        "void": _("A match was declared void"),
        "reverify-apply": _("Verdicts were corrected"),
    }.get(entry.action, entry.action)
