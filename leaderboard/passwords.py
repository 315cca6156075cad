"""Passwords: argon2id, so many at once and no more."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import argon2

SHORTEST, LONGEST = 8, 200
"""Characters. Longer ones would let a request cost more than it should."""

AT_ONCE, WAITING = 2, 4
"""Hashes that a process computes at once, each some 64 MiB and 0.2 s of a core, and requests that wait for their turn.
Whoever comes when all these places are taken is told so at once: the threads are needed for uploads."""

_hasher = argon2.PasswordHasher()
_room = threading.BoundedSemaphore(AT_ONCE + WAITING)
_at_once = threading.BoundedSemaphore(AT_ONCE)
_NOBODYS = (
    f"$argon2id$v=19$m={_hasher.memory_cost},t={_hasher.time_cost},p={_hasher.parallelism}"
    "$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
)
"""The hash of no password that anybody knows: to compare with it costs what any other comparison does."""


class Busy(Exception):
    """Too many passwords are being hashed right now; a moment later it may go."""


def hashed(password: str) -> str:
    """What is kept of a password. Raises Busy."""
    with _place():
        return _hasher.hash(password)


def matches(kept: str | None, password: str) -> bool:
    """Whether the password is the one that is kept; where None is, it costs as much and is never so. Raises Busy."""
    if len(password) > LONGEST:
        return False
    with _place():
        try:
            return _hasher.verify(kept or _NOBODYS, password) and kept is not None
        except argon2.exceptions.VerifyMismatchError:
            return False


def outdated(kept: str) -> bool:
    """Whether the hash was made with other parameters than those of today."""
    return _hasher.check_needs_rehash(kept)


@contextmanager
def _place() -> Iterator[None]:
    if not _room.acquire(blocking=False):
        raise Busy
    try:
        with _at_once:
            yield
    finally:
        _room.release()
