"""A contestant: where they stand, and how they got there."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from flask import abort, redirect, render_template, url_for

from api import auth
from api.pages.base import bp
from leaderboard import board, charts, contestants, contests
from leaderboard.db import transaction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flask.typing import ResponseReturnValue

    from leaderboard.board import Standing
    from leaderboard.charts import Best
    from leaderboard.contests import Contest


class Part(NamedTuple):
    """What somebody did in a contest."""

    contest: Contest
    standing: Standing
    total: int
    bests: Sequence[Best]
    """Of a contest with one setup or none; each better than those before."""


@bp.get("/contestants/<name>")
def contestant(name: str) -> ResponseReturnValue:
    """By the name as the contestant writes it; another spelling of it leads there."""
    viewer = auth.viewer()
    with transaction() as conn:
        found = contestants.by_shown(conn, name) or abort(404)
        if found.shown != name:
            return redirect(url_for("pages.contestant", name=found.shown), 301)
        parts = []
        for contest in contests.listed(conn):
            if standings := board.one(conn, contest, found.id, neighbours=0):
                setups = len(contest.setups)
                bests = charts.bests(conn, contest, found.id, setups) if setups < 2 else ()
                total = board.page(conn, contest, limit=1).total
                parts.append(Part(contest, standings[0], total, bests))
    mine = viewer is not None and viewer.id == found.id
    return render_template("contestant.html", who=found, parts=parts, mine=mine)
