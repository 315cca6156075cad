"""Is everything fine, in words."""

from __future__ import annotations

from flask import make_response, render_template
from flask.typing import ResponseReturnValue

from api import status
from api.pages.base import bp
from leaderboard.db import transaction


@bp.get("/status")
def status_page() -> ResponseReturnValue:
    """The queue, the canary, the self-audit, as of now."""
    with transaction() as conn:
        found = status.read(conn)
    response = make_response(render_template("status.html", status=found, versions=status.versions()))
    response.headers["Cache-Control"] = "no-store"
    return response
