"""The stream of words all dealing comes from (docs/FORMATS.md)."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import NamedTuple, TypeVar

T = TypeVar("T")


class Stream(NamedTuple):
    """An endless row of 64-bit words that anyone can recompute, and how many of them are used up.

    Drawing changes nothing: it answers with what was drawn and the stream that goes on behind it.
    """

    id: str
    seed: str
    """A deal number in decimal without leading zeros, or a record's seed in lower-case hexadecimal as written."""
    used: int = 0

    def word(self) -> tuple[int, Stream]:
        """The next word, 0 to 2^64 - 1."""
        block, part = divmod(self.used, 4)
        digest = sha256(f"golden-nugget/1 {self.id} {self.seed} {block}".encode("ascii")).digest()
        return int.from_bytes(digest[8 * part : 8 * part + 8], "big"), Stream(self.id, self.seed, self.used + 1)

    def below(self, n: int) -> tuple[int, Stream]:
        """A whole number from 0 to n - 1, each equally likely; n from 1 to 2^64."""
        word, rest = self.word()
        while word >= n * (2**64 // n):
            word, rest = rest.word()
        return word % n, rest

    def die(self) -> tuple[int, Stream]:
        """A throw, 1 to 6."""
        face, rest = self.below(6)
        return face + 1, rest

    def shuffle(self, items: Iterable[T]) -> tuple[tuple[T, ...], Stream]:
        """The items in a new order, each order equally likely."""
        order, rest = list(items), self
        for i in range(len(order) - 1, 0, -1):
            j, rest = rest.below(i + 1)
            order[i], order[j] = order[j], order[i]
        return tuple(order), rest
