"""The routes of contests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from api import auth, schemas
from api.openapi import Blueprint
from api.problems import Problem
from leaderboard import contests
from leaderboard.contestants import Contestant
from leaderboard.contests import Contest
from leaderboard.db import Connection, transaction

bp = Blueprint("contests", __name__, url_prefix="/api/v1", description="What one can take part in.")


def found(conn: Connection, slug: str) -> Contest:
    """The contest of that slug, or 404."""
    if contest := contests.get(conn, slug):
        return contest
    raise not_found(slug)


@contextmanager
def organised(slug: str) -> Iterator[tuple[Connection, Contest, Contestant]]:
    """A transaction in which the organiser who asks acts on the contest of that slug; or 401, 403, 404."""
    who = auth.organiser()
    with transaction() as conn:
        yield conn, found(conn, slug), who


def not_found(slug: str) -> Problem:
    """There is none of that slug."""
    return Problem("not-found", f"There is no contest {slug}.")


@bp.get("/contests")
@bp.response(200, schemas.Contests)
def every() -> dict[str, Any]:
    """All contests, those that close last first."""
    with transaction() as conn:
        return {"contests": contests.listed(conn)}


@bp.get("/contests/<slug:slug>")
@bp.response(200, schemas.Contest)
@bp.problems("not-found")
def show(slug: str) -> Contest:
    """One contest."""
    with transaction() as conn:
        return found(conn, slug)
