"""The dry run: any record, no account, nothing stored."""

from __future__ import annotations

from typing import Any

from flask.typing import ResponseReturnValue

from api import bodies, dry_run, replays, schemas
from api.openapi import Blueprint
from api.submissions import RECORD

bp = Blueprint("verify", __name__, url_prefix="/api/v1", description="Try a record.")


@bp.post("/verify")
@bp.doc(**RECORD)
@bp.response(200, schemas.Verdict)
@bp.problems("busy", "verifier-failed", "bad-form", "invalid", "csrf")
def verify() -> dict[str, Any]:
    """The verdict on a record, accepted or rejected. Nothing is stored."""
    return dry_run.run(bodies.record())


@bp.post("/verify/replay")
@bp.doc(**RECORD)
@bp.arguments(schemas.ReplayOf, location="query")
@bp.response(200, schemas.Replay)
@bp.problems("busy", "verifier-failed", "bad-form", "invalid", "csrf")
def replay(part: dict[str, int]) -> ResponseReturnValue:
    """The positions of a record's play, up to its end or its first error. Nothing is stored."""
    return replays.answer(bodies.record(), part)
