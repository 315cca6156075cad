"""The routes of contestants: register, and what is one's own."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from api import auth, schemas
from api.openapi import READ_TOKEN, Blueprint
from api.problems import Problem, invalid
from leaderboard import contestants, submissions
from leaderboard.contestants import Contestant
from leaderboard.db import transaction

bp = Blueprint("contestants", __name__, url_prefix="/api/v1", description="Who takes part.")


@bp.post("/contestants")
@bp.arguments(schemas.NewContestant)
@bp.response(201, schemas.Registered)
@bp.problems("bad-json", "name-taken", "csrf")
def register(new: dict[str, Any]) -> dict[str, Any]:
    """Take part: a name, and a token that is shown this once."""
    try:
        with transaction() as conn:
            contestant, token = contestants.register(conn, new["name"], new["password"])
    except contestants.NameTaken as error:
        raise Problem("name-taken", str(error)) from None
    except contestants.BadName as error:
        raise invalid(str(error), pointer="/name") from None
    return {"id": contestant.id, "name": contestant.name, "token": token}


@bp.get("/me")
@bp.response(200, schemas.Me)
@bp.doc(security=READ_TOKEN)
def me() -> Contestant:
    """Who the token belongs to."""
    return auth.contestant()


@bp.get("/me/submissions")
@bp.arguments(schemas.Paged, location="query")
@bp.response(200, schemas.Submissions)
@bp.doc(security=READ_TOKEN)
def mine(page: dict[str, Any]) -> dict[str, Any]:
    """One's own submissions, the newest first."""
    contestant = auth.contestant()
    with transaction() as conn:
        last = None
        if cursor := page.get("cursor"):
            last = submissions.get(conn, _uuid(cursor))
            if last is None or last.contestant_id != contestant.id:
                raise invalid("The cursor is none of ours.", parameter="cursor")
        rows = submissions.of_contestant(conn, contestant.id, limit=page["limit"] + 1, before=last)
    shown = rows[: page["limit"]]
    return {
        "submissions": [schemas.submission(row) for row in shown],
        "next": str(shown[-1].id) if len(rows) > len(shown) else None,
    }


def _uuid(cursor: str) -> UUID:
    try:
        return UUID(cursor)
    except ValueError:
        raise invalid("The cursor is none of ours.", parameter="cursor") from None
