"""A test-only puzzle whose verdicts depend on the verifier's version."""

from typing import Any

import verifier
from verifier.rules import TokenRules
from verifier.verdict import Rejected
from verifier.view import View


def judged(n: int, version: str) -> int | None:
    """What a record of the number n is worth; None: it is rejected. The versions differ in both."""
    if version == "2":
        return None if n % 3 == 0 else n + 7 * (n % 2)
    return None if n % 5 == 0 else n


class Counting(TokenRules):
    """A record of one number."""

    id = "test-counting"

    def start(self, header: Any) -> int:
        return -1

    def play(self, state: int, token: str) -> int:
        if (worth := judged(int(token), verifier.VERSION)) is None:
            raise Rejected("illegal-move", "Not by this version.")
        return worth

    def turn(self, state: int) -> int:
        return 1

    def score(self, state: int) -> dict[str, int]:
        return {"moves": state}

    def key(self, score: dict[str, Any]) -> tuple[int, ...]:
        return (score["moves"],)

    def view(self, state: int) -> View:
        raise NotImplementedError
