"""The home page: what runs now, what it is about, how to take part."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import render_template

from api.pages.base import bp, seen
from leaderboard import board, contests
from leaderboard.db import transaction
from verifier import RULES
from verifier.puzzles.jc_golden_nugget import START, picture

if TYPE_CHECKING:
    from flask import Response

    from leaderboard.contests import Contest

ORDER = ("open", "frozen", "upcoming", "closed", "published")
"""What runs now comes first; of that, the puzzle that all this is for, and then the others as the registry has them."""
PUZZLES = tuple(RULES)


@bp.get("/")
def home() -> Response:
    """Contests with the first places of each."""
    with transaction() as conn:
        listed = sorted(contests.listed(conn), key=_place)
        tops = {contest.id: board.page(conn, contest, limit=3) for contest in listed}
    facts = [(contest.id, contest.titles, contest.phase, tops[contest.id].event) for contest in listed]
    return seen(render_template("home.html", contests=listed, tops=tops, start=picture(START, 0)), facts)


def _place(contest: Contest) -> tuple[int, int]:
    return ORDER.index(contest.phase), PUZZLES.index(contest.puzzle)
