"""What the tests of several games need: states in the middle of random matches, and the tokens that a game takes."""

import random
from collections.abc import Iterable
from itertools import accumulate
from typing import Any

from tests.test_playouts import playout, start
from verifier import Rejected, verify
from verifier.rules import Match


def history(rules: Match, head: str, seed: int) -> list[Any]:
    """The states of a random match of a record with this header, one after the other."""
    tokens, _ = playout(rules, head, seed)
    return list(accumulate(tokens, rules.play, initial=start(rules, head)))


def during(rules: Match, head: str, seed: int) -> Any:
    """A state somewhere in a random match of a record with this header."""
    return random.Random(seed).choice(history(rules, head, seed)[:-1])


def judged(rules: Match, state: Any, token: str) -> str:
    """How the token is judged there."""
    try:
        rules.play(state, token)
    except Rejected as refused:
        return refused.code
    return "accepted"


def accepted(rules: Match, state: Any, tokens: Iterable[str]) -> list[str]:
    """Those of the tokens, all of the right form, that may be played now, in order; the others are illegal moves."""
    codes = {token: judged(rules, state, token) for token in tokens}
    assert set(codes.values()) <= {"accepted", "illegal-move"}
    return sorted(token for token, code in codes.items() if code == "accepted")


def fault(record: str) -> tuple[object, ...] | None:
    """Code, move, line and column of the error in a record; None of an accepted one."""
    return None if verify(record.encode()).accepted else error(record)


def error(record: str) -> tuple[str, int | None, int | None, int | None]:
    """The same of a record that must have an error."""
    found = verify(record.encode()).error
    assert found, record
    return found.code, found.move, found.line, found.column
