"""The routes of what can be verified."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from flask import url_for
from flask.typing import ResponseReturnValue

from api import replays, schemas
from api.openapi import Blueprint
from api.pages.examples import example
from api.problems import Problem
from verifier import RULES, VERSION, Rejected
from verifier.deal import deal
from verifier.record import LIMIT
from verifier.rules import Rules

bp = Blueprint("puzzles", __name__, url_prefix="/api/v1", description="What can be verified.")

RULES_TOLD = Path(__file__).parent / "rules"
"""<id>.md in English."""


@bp.get("/puzzles")
@bp.response(200, schemas.Puzzles)
def every() -> dict[str, Any]:
    """All puzzles and games."""
    return {"puzzles": [_short(rules) for rules in RULES.values()], "version": VERSION, "limit": LIMIT}


@bp.get("/puzzles/<slug:id>")
@bp.response(200, schemas.FullPuzzle)
@bp.problems("not-found")
def show(id: str) -> dict[str, Any]:
    """A puzzle or game, with its rules and an accepted record."""
    rules = RULES.get(id)
    if rules is None:
        raise Problem("not-found", f"There is no puzzle or game {id}.")
    return {
        **_short(rules),
        "headers": list(rules.headers),
        "setup": bool(rules.layout_size),
        "rules": (RULES_TOLD / f"{id}.md").read_text(),
        "example": example(id),
        "limits": {"bytes": LIMIT},
    }


@bp.get("/puzzles/<slug:id>/replay")
@bp.arguments(schemas.ReplayOf, location="query")
@bp.response(200, schemas.Replay)
@bp.problems("not-found", "busy", "verifier-failed")
def replay(part: dict[str, int], id: str) -> ResponseReturnValue:
    """The positions of the example record's play."""
    if id not in RULES:
        raise Problem("not-found", f"There is no puzzle or game {id}.")
    return replays.answer(example(id).encode(), part)


@bp.get("/puzzles/<slug:id>/deals/<number>")
@bp.response(200, schemas.Deal)
@bp.problems("not-found")
def dealt(id: str, number: str) -> dict[str, Any]:
    """A deal of a puzzle or game, written out as a layout and as a picture; what `nugget deal --json` prints."""
    try:
        return deal(id, number).to_json()
    except Rejected as error:
        raise Problem("not-found", error.message) from None


def _short(rules: Rules) -> dict[str, Any]:
    page = url_for("pages.puzzle", puzzle_id=rules.id)
    return {"id": rules.id, "kind": rules.kind, "url": url_for("puzzles.show", id=rules.id), "page": page}
