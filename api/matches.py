"""The routes of matches: confirm or dispute one, decide about one, and see those that count."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from api import auth, schemas
from api.contests import found
from api.openapi import READ_TOKEN, TOKEN, Blueprint
from api.problems import Problem
from api.submissions import seen
from leaderboard import matches
from leaderboard.contests import Contest
from leaderboard.db import Connection, transaction
from leaderboard.matches import Match

bp = Blueprint("matches", __name__, url_prefix="/api/v1", description="Matches of a game that were handed in.")


@bp.get("/submissions/<uuid:id>/match")
@bp.doc(security=[{}, *READ_TOKEN])
@bp.response(200, schemas.Match)
@bp.problems("not-found")
def show(id: UUID) -> dict[str, Any]:
    """What became of an accepted record of a game: the match, who has confirmed it, and whether it counts."""
    row = seen(id)
    with transaction() as conn:
        match = matches.get(conn, row.id)
    if match is None:
        raise Problem("not-found", "This submission is no match.")
    return schemas.match(match)


@bp.post("/submissions/<uuid:id>/confirmation")
@bp.doc(security=TOKEN)
@bp.arguments(schemas.Answer)
@bp.response(200, schemas.Match)
@bp.problems("not-found", "forbidden", "no-match", "match-settled", "bad-json", "invalid")
def confirmation(said: dict[str, bool], id: UUID) -> dict[str, Any]:
    """Confirm or dispute a match that another player has handed in. Saying the same again changes nothing."""
    contestant, row = auth.contestant(), seen(id)
    with transaction() as conn:
        return schemas.match(answer(conn, found(conn, row.contest), row.id, contestant, said["confirmed"]))


@bp.post("/submissions/<uuid:id>/ruling")
@bp.doc(security=TOKEN)
@bp.arguments(schemas.Ruling)
@bp.response(200, schemas.Match)
@bp.problems("not-found", "forbidden", "no-match", "bad-json", "invalid")
def ruling(said: dict[str, Any], id: UUID) -> dict[str, Any]:
    """Decide as an organiser whether a match counts, whatever its players say; the reason goes into the audit log."""
    organiser, row = auth.organiser(), seen(id)
    with transaction() as conn:
        return schemas.match(rule(conn, found(conn, row.contest), row.id, organiser, said["counts"], said["reason"]))


@bp.get("/contests/<slug:slug>/matches")
@bp.doc(security=[{}, *READ_TOKEN])
@bp.arguments(schemas.MatchesOf, location="query")
@bp.response(200, schemas.Matches)
@bp.problems("not-found", "forbidden")
def of_contest(part: dict[str, Any], slug: str) -> dict[str, Any]:
    """The matches that the table is made of, those received last first; for organisers those that they must decide."""
    viewer, limit = auth.viewer(), part["limit"]
    if part["undecided"] and not (viewer and viewer.organiser):
        raise Problem("forbidden", "Only organisers see what is not decided.")
    with transaction() as conn:
        contest = found(conn, slug)
        before = matches.get(conn, part["before"]) if "before" in part else None
        if part["undecided"]:
            rows = matches.listed(conn, contest, matches.UNDECIDED, limit + 1, before)
        else:
            rows = matches.counted(conn, contest, limit + 1, before)
    shown = rows[:limit]
    return {"matches": list(map(schemas.match, shown)), "next": shown[-1].submission if len(rows) > limit else None}


@bp.get("/me/matches")
@bp.doc(security=READ_TOKEN)
@bp.response(200, schemas.Matches)
def mine() -> dict[str, Any]:
    """The matches that wait for one's own answer, the oldest first."""
    contestant = auth.contestant()
    with transaction() as conn:
        return {"matches": list(map(schemas.match, matches.asked(conn, contestant))), "next": None}


def answer(conn: Connection, contest: Contest, id: UUID, contestant: Any, confirmed: bool) -> Match:
    """Write a player's answer down, or say as a problem why not."""
    try:
        return matches.answer(conn, contest, id, contestant, confirmed)
    except matches.NotPlaying as error:
        raise Problem("forbidden", str(error)) from None
    except matches.NoMatch as error:
        raise Problem("no-match", str(error)) from None
    except matches.Settled as error:
        raise Problem("match-settled", str(error)) from None


def rule(conn: Connection, contest: Contest, id: UUID, organiser: Any, counts: bool, reason: str) -> Match:
    """Write an organiser's decision down, or say as a problem that there is nothing to decide."""
    try:
        return matches.rule(conn, contest, id, organiser, counts, reason)
    except matches.NoMatch as error:
        raise Problem("no-match", str(error)) from None
