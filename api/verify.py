"""The dry run: any record, no account, nothing stored."""

from __future__ import annotations

from typing import Any

from api import bodies, dry_run, schemas
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
