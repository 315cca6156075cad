"""What can be played: the rules of each puzzle and game, a picture, and a record that is accepted."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from flask import abort, render_template
from markdown_it import MarkdownIt
from markupsafe import Markup

from api import i18n
from api.pages.base import HERE, bp
from api.pages.examples import example
from leaderboard import contests
from leaderboard.db import transaction
from verifier import RULES, verify

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

RULES_TOLD = HERE / "rules"
"""<id>.md in English; <language>/<id>.md in each other language."""


@bp.get("/puzzles")
def puzzles() -> ResponseReturnValue:
    """All puzzles and games."""
    listed = [
        (rules.id, rules.kind, heading(rules.id))
        for rules in RULES.values()
        if (RULES_TOLD / f"{rules.id}.md").is_file()
    ]
    return render_template("puzzles.html", listed=listed)


@bp.get("/puzzles/<slug:puzzle_id>")
def puzzle(puzzle_id: str) -> ResponseReturnValue:
    """The rules of one."""
    rules = RULES.get(puzzle_id) or abort(404)
    with transaction() as conn:
        held = [contest for contest in contests.listed(conn) if contest.puzzle == rules.id]
    record = example(rules.id)
    draw = verify(record.encode()).view
    return render_template(
        "puzzle.html",
        rules=rules,
        title=heading(rules.id),
        text=told(rules.id, i18n.language()),
        record=record,
        view=draw() if draw else None,
        contests=held,
    )


@cache
def told(puzzle_id: str, language: str) -> Markup:
    """The rules as HTML, without their heading."""
    path = RULES_TOLD / ("" if language == "en" else language) / f"{puzzle_id}.md"
    _heading, _, body = path.read_text().partition("\n")
    html = MarkdownIt("commonmark", {"html": False}).enable("table").render(body)
    html = html.replace("<table>", '<div class="scroll" tabindex="0"><table>').replace("</table>", "</table></div>")
    return Markup(html.replace("<pre>", '<pre tabindex="0">'))  # noqa: S704 - our own text, without raw HTML


@cache
def heading(puzzle_id: str) -> str:
    """What a puzzle or game is called: the heading of its rules."""
    return (RULES_TOLD / f"{puzzle_id}.md").read_text().partition("\n")[0].removeprefix("# ")
