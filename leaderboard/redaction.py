"""Hidden names taken out of texts that people wrote."""

import re
from collections.abc import Callable
from typing import Any
from unicodedata import category, normalize

from leaderboard.contestants import LONGEST
from leaderboard.db import Connection

Hide = Callable[[str], str]
"""Puts what the public reads in the place of each hidden name."""


def of(conn: Connection) -> Hide:
    """By the names that were hidden and not shown again, whoever has them now; they are few."""
    hidden = {
        normalize("NFKC", name).casefold(): shown
        for name, shown in conn.execute("SELECT name, '#' || left(contestant::text, 8) FROM hidden_name")
    }
    if not hidden:
        return lambda text: text
    names = "|".join(re.escape(name) for name in sorted(hidden, key=len, reverse=True))
    pattern = re.compile(rf"(?<!\w)(?:{names})(?!\w)", re.IGNORECASE)

    def hide(text: str) -> str:
        plain = _plain(text)
        return pattern.sub(lambda found: hidden.get(found[0].casefold(), "#"), plain) if pattern.search(plain) else text

    return hide


def _plain(text: str) -> str:
    """The text as names are compared. Marks beyond what a name may have go: to put endless ones in order takes ages."""
    if text.isascii():
        return text
    kept, marks = [], 0
    for char in text:
        marks = marks + 1 if category(char)[0] == "M" else 0
        if marks <= LONGEST:
            kept.append(char)
    return normalize("NFKC", "".join(kept))


def deep(hide: Hide, value: Any) -> Any:
    """The same for every text in a JSON value."""
    match value:
        case str():
            return hide(value)
        case dict():
            return {key: deep(hide, each) for key, each in value.items()}
        case list():
            return [deep(hide, each) for each in value]
    return value
