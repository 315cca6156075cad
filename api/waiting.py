"""How long a submission will wait: its place in the queue times the measured pace."""

from __future__ import annotations

from time import monotonic

from flask import current_app

from leaderboard import queue
from leaderboard.db import transaction

FRESH = 1.0
"""Seconds that a measured pace is good for."""


def expected(position: int | None) -> float | None:
    """Seconds until the verdict of who has this place; None without one, and where nothing is known of the pace."""
    if position is None:
        return None
    until, pace = current_app.extensions.get("pace", (0.0, None))
    if monotonic() > until:
        with transaction() as conn:
            pace = queue.pace(conn)
        current_app.extensions["pace"] = (monotonic() + FRESH, pace)
    return None if pace is None else round(position * pace, 3)
