"""What the tests of several games need: states in the middle of random matches, and the tokens that a game takes."""

import random
from collections.abc import Iterable
from typing import Any

from tests.test_playouts import playout, start
from verifier import Rejected, verify
from verifier.rules import Match


def during(rules: Match, head: str, seed: int) -> Any:
    """A state somewhere in a random match of a record with this header."""
    tokens, _ = playout(rules, head, seed)
    state = start(rules, head)
    for token in tokens[: random.Random(seed).randrange(len(tokens))]:
        state = rules.play(state, token)
    return state


def accepted(rules: Match, state: Any, tokens: Iterable[str]) -> list[str]:
    """Those of the tokens, all of the right form, that may be played now, in order; the others are illegal moves."""
    found = []
    for token in tokens:
        try:
            rules.play(state, token)
        except Rejected as error:
            if error.code != "illegal-move":
                raise
        else:
            found.append(token)
    return sorted(found)


def fault(record: str) -> tuple[object, ...] | None:
    """Code, move, line and column of the error in a record; None of an accepted one."""
    error = verify(record.encode()).error
    return error and (error.code, error.move, error.line, error.column)
