"""A worker whose registry also has puzzles that no verifier should have: they loop, abort, or eat memory."""

import os
import time
from collections.abc import Callable, Iterator
from typing import Any

from verifier import RULES
from verifier.rules import Played, Rules
from worker.app import app

__all__ = ["app"]  # what `celery -A` looks for


class Poison(Rules):
    """Accepts any record, after doing what the puzzle is named for."""

    def __init__(self, name: str, deed: Callable[[], object]):
        self.id = name  # type: ignore[misc]
        self.deed = deed

    def replay(self, record: Any) -> Played:
        self.deed()
        return Played({"moves": 0}, "", lambda: None)  # type: ignore[arg-type, return-value]

    def positions(self, record: Any, board: int = 1) -> Iterator[Any]:
        return iter(())

    def key(self, score: dict[str, Any]) -> tuple[int, ...]:
        return (score["moves"],)


def loop() -> None:
    while True:
        pass


def eat_memory() -> None:
    eaten = []
    while True:
        eaten.append(bytes(2**20))


for poison in (
    Poison("test-loops", loop),
    Poison("test-aborts", os.abort),
    Poison("test-eats-memory", eat_memory),
    Poison("test-sleeps", lambda: time.sleep(0.3)),
):
    RULES[poison.id] = poison
