"""The pages of organisers: hold a contest, look through its submissions, decide, tell everybody something."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any
from uuid import UUID

from flask import abort, redirect, render_template, request, url_for

from api import auth
from api.i18n import _
from api.pages.base import bp, local, reason, time_of
from leaderboard import (
    audit,
    contest_file,
    contestants,
    contests,
    invitations,
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
from verifier.verdict import CODES
from worker.bell import ring

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

    from leaderboard.contestants import Contestant
    from leaderboard.contests import Contest
    from leaderboard.db import Connection

PAGE = 50
STATES = ("queued", "verifying", "accepted", "rejected", "failed")


@bp.get("/organise")
def organise() -> ResponseReturnValue:
    """The contests, and a form for a new one."""
    auth.organiser()
    return _contests()


@bp.post("/organise")
def announce_contest() -> ResponseReturnValue:
    """A new contest as the form's TOML says; the same again is the one that stands."""
    who, text = auth.organiser(), request.form.get("toml", "")
    try:
        fields = contest_file.read(text.encode(errors="replace"))
        with transaction() as conn:
            made, _new = organising.create(conn, who, **fields)
    except BadContest as error:
        return _contests(text, f"{error.field}: {error} ({error.code})"), 422
    return redirect(url_for("pages.organise_contest", slug=made.slug), 303)


@bp.get("/organise/<slug:slug>")
def organise_contest(slug: str) -> ResponseReturnValue:
    """Everything that can be done about a contest, and what was done."""
    auth.organiser()
    return _page(slug)


@bp.post("/organise/<slug:slug>")
def act_on_contest(slug: str) -> ResponseReturnValue:
    """What the button `act` says."""
    who = auth.organiser()
    try:
        with transaction() as conn:
            _act(conn, contests.get(conn, slug) or abort(404), who, request.form.get("act", ""))
    except _Fault as fault:
        return _page(slug, str(fault)), 422
    except BadContest as error:
        said = {
            "times-order": _("The order of the times would break: a contest opens, may freeze, closes, and publishes."),
            "published": _("The records are public already."),
            "time-out-of-range": _("A time lies after the year 1999 and before the year 9999."),
        }.get(error.code, str(error))
        return _page(slug, said), 422
    return redirect(url_for("pages.organise_contest", slug=slug), 303)


@bp.get("/organise/<slug:slug>/submissions")
def organise_submissions(slug: str) -> ResponseReturnValue:
    """A contest's submissions, the newest first, as far as the form asks for them."""
    auth.organiser()
    asked, fault = request.args, None
    with transaction() as conn:
        contest = contests.get(conn, slug) or abort(404)
        chosen = Filter(
            state=asked.get("state") if asked.get("state") in STATES else None,
            code=asked.get("code") if asked.get("code") in CODES else None,
            late={"yes": True, "no": False}.get(asked.get("late", "")),
            disqualified={"yes": True, "no": False}.get(asked.get("disqualified", "")),
        )
        if name := asked.get("contestant", "").strip():
            whom = contestants.by_name(conn, name) or contestants.by_shown(conn, name)
            fault = None if whom else _("Nobody is called like that.")
            chosen = replace(chosen, contestant=whom.id if whom else UUID(int=0))
        if text := asked.get("since", "").strip():
            since = time_of(text)
            fault = fault if since else _("A time is written like 2026-12-01T12:00.")
            chosen = replace(chosen, since=since)
        before = asked.get("before", type=UUID)
        last = submissions.get(conn, before) if before else None
        rows = oversight.of_contest(conn, contest, chosen, PAGE + 1, last)
    more = {**asked.to_dict(), "before": rows[PAGE - 1].id} if len(rows) > PAGE else None
    return render_template(
        "organise-submissions.html",
        contest=contest,
        rows=rows[:PAGE],
        more=more,
        fault=fault,
        asked=asked,
        states=STATES,
        codes=CODES,
    )


@bp.post("/submissions/<uuid:id>/decision")
def decide_submission(id: UUID) -> ResponseReturnValue:
    """Disqualify, reinstate or requeue a submission, hide or show its contestant's name, and go back."""
    who, act = auth.organiser(), request.form.get("act")
    why = reason() or abort(400)
    with transaction() as conn:
        row = submissions.get(conn, id) or abort(404)
        match act:
            case "disqualify":
                organising.disqualify(conn, id, who, why)
            case "reinstate":
                organising.reinstate(conn, id, who, why)
            case "requeue":
                queue.retry(conn, id, who, why)
            case "hide" | "unhide":
                whom = contestants.get(conn, row.contestant_id) or abort(404)
                (organising.hide if act == "hide" else organising.unhide)(conn, whom, who, why)
            case _:
                abort(400)
    if act == "requeue":
        ring()
    return redirect(local(request.form.get("next") or url_for("pages.submission", id=id)), 303)


class _Fault(Exception):
    """What is wrong with the form, in the reader's language."""


def _act(conn: Connection, contest: Contest, who: Contestant, act: str) -> None:
    said = request.form
    match act:
        case "times":
            times: dict[str, Any] = {}
            for name in contests.TIMES:
                text = said.get(name, "").strip()
                times[name] = time_of(text)
                if (text and not times[name]) or not (text or name == "freezes_at"):
                    raise _Fault(_("A time is written like 2026-12-01T12:00."))
                present = getattr(contest, name)
                if present and times[name] == present.replace(second=0, microsecond=0):
                    times[name] = present  # the form shows it to the minute
            organising.reschedule(conn, contest, who, _needed(), **times)
        case "freeze" | "close" | "publish":
            organising.at_once(conn, contest, who, _needed(), act)
        case "invite":
            whom = contestants.by_name(conn, said.get("name", ""))
            if whom is None:
                raise _Fault(_("Nobody is called like that."))
            try:
                invitations.invite(conn, contest, whom, who)
            except invitations.OpenToAll:
                raise _Fault(_("This contest is open to all.")) from None
        case "uninvite":
            invitations.withdraw(conn, contest, said.get("contestant", type=UUID) or abort(400), who)
        case "tell" | "take-back":
            _tell(conn, contest, who, act)
        case _:
            abort(400)


def _tell(conn: Connection, contest: Contest, who: Contestant, act: str) -> None:
    texts = {language: request.form.get(language, "") for language in ("en", "pl")}
    number = request.form.get("number", type=int)
    try:
        if act == "take-back":
            notices.take_back(conn, contest, who, number or 0)
        elif number:
            notices.edit(conn, contest, who, number, texts)
        else:
            standing = notices.listed(conn, contest)[:1]
            filled = {language: text.strip() for language, text in texts.items() if text.strip()}
            if not (standing and dict(standing[0].texts) == filled):  # a second click posts nothing twice
                notices.post(conn, contest, who, texts)
    except notices.NoNotice:
        abort(404)
    except notices.BadNotice:
        raise _Fault(_("A notice has an English text; each has at most {n} characters.", n=notices.LENGTH)) from None


def _contests(text: str = "", fault: str | None = None) -> str:
    with transaction() as conn:
        listed = contests.listed(conn)
    return render_template("organise.html", contests=listed, text=text, fault=fault)


def _page(slug: str, fault: str | None = None) -> str:
    with transaction() as conn:
        contest = contests.get(conn, slug) or abort(404)
        return render_template(
            "organise-contest.html",
            contest=contest,
            fault=fault,
            given=request.form if fault else {},
            times=[
                ("opens_at", _("Opens (UTC)")),
                ("freezes_at", _("Freezes (UTC), or nothing")),
                ("closes_at", _("Closes (UTC)")),
                ("publishes_at", _("Publishes records (UTC)")),
            ],
            notices=notices.listed(conn, contest),
            invited=invitations.listed(conn, contest),
            alike=oversight.alike(conn, contest),
            undecided=matches.listed(conn, contest, matches.UNDECIDED, PAGE) if contest.league else [],
            entries=audit.listed(conn, PAGE, contest=contest),
        )


def _needed() -> str:
    if why := reason():
        return why
    raise _Fault(_("Give a reason, of at most 500 characters."))
