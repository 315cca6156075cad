"""One accepted record for each puzzle and game, as package data."""

from __future__ import annotations

from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "examples"


@cache
def example(puzzle: str) -> str:
    """The example record of a puzzle or game; KeyError where there is none."""
    path = FOLDER / f"{puzzle}.txt"
    if not path.is_file():
        raise KeyError(puzzle)
    return path.read_text()
