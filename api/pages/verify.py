"""The dry run as a page: any records, no account, nothing stored."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, NamedTuple

from flask import render_template, request

from api import auth, dry_run, i18n, picture
from api.excerpt import Line, excerpt
from api.i18n import _
from api.pages.base import bp
from api.pages.examples import example
from leaderboard import board, charts, contests
from leaderboard.db import transaction
from verifier import RULES

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

    from leaderboard.contests import Contest
    from verifier.view import View

MOST = 20
"""Files at once."""


class Place(NamedTuple):
    """Where an accepted record would stand."""

    contest: Contest
    rank: int
    total: int


class Tried(NamedTuple):
    """A record and what became of it."""

    name: str
    """The file's; empty for pasted text."""
    verdict: dict[str, Any]
    sentence: str
    lines: list[Line]
    view: View | None
    places: list[Place]
    carried: str
    """The record, for the form that leads to its replay; empty where nothing can be shown."""


@bp.get("/verify")
def verify() -> ResponseReturnValue:
    """The form; with `?example=ID` the example of that puzzle or game stands in it."""
    chosen = request.args.get("example", "")
    text = example(chosen) if chosen in RULES else ""
    return render_template("verify.html", text=text, tried=[], fault=None)


@bp.post("/verify")
def verified() -> ResponseReturnValue:
    """The verdict on each record: the files, else the text."""
    auth.viewer()
    records = [(file.filename, file.read()) for file in request.files.getlist("file") if file.filename]
    text = request.form.get("record", "")
    fault = None
    if not records:
        records = [("", text.encode())] if text.strip() else []
        fault = None if records else _("Choose a file or paste a record first.")
    elif len(records) > MOST:
        records, fault = [], _("At most {n} files at once, please.", n=MOST)
    tried = [try_out(name, data) for name, data in records]
    return render_template(
        "verify.html", text=text.replace("\r\n", "\n"), tried=tried, fault=fault
    ), 422 if fault else 200


def try_out(name: str, data: bytes) -> Tried:
    """Verify a record in a child process, and say all that can be said about it."""
    found = dry_run.explain(data)
    verdict = found["verdict"]
    error = verdict.get("error")
    return Tried(
        name,
        verdict,
        i18n.sentence(found["detail"], error) if error else "",
        excerpt(data, error) if error else [],
        picture.view_of(found["view"]) if found["view"] else None,
        [] if error else places(verdict, found["layout"]),
        base64.urlsafe_b64encode(data).decode() if found["view"] else "",
    )


def places(verdict: dict[str, Any], layout: str | None) -> list[Place]:
    """The rank that the record would have in each contest that takes it now."""
    found = []
    with transaction() as conn:
        for contest in contests.listed(conn):
            if contest.puzzle != verdict["puzzle"] or contest.phase not in ("open", "frozen"):
                continue
            setup = next((one.number for one in contest.setups if one.layout == layout), 0)
            if bool(setup) != bool(contest.setups):
                continue
            own = setup if len(contest.setups) > 1 else 0
            total = board.page(conn, contest, limit=1, setup=own).total
            found.append(Place(contest, charts.place(conn, contest, verdict["score"], own), total))
    return found
