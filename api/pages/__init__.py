"""The same facts as HTML; calls what the routes call, never the routes.

One module for each noun, as in `leaderboard`: importing them here puts their views on the blueprint.
"""

from api.pages import (
    accounts,
    compose,
    contestants,
    contests,
    home,
    matches,
    organising,
    own_account,
    puzzles,
    replay,
    reverifications,
    status,
    submissions,
    told,
    verify,
)
from api.pages.base import bp, problem

__all__ = [
    "accounts",
    "bp",
    "compose",
    "contestants",
    "contests",
    "home",
    "matches",
    "organising",
    "own_account",
    "problem",
    "puzzles",
    "replay",
    "reverifications",
    "status",
    "submissions",
    "told",
    "verify",
]
