"""Counters of all processes together, for the metrics: counted in memory, added to a table every few seconds.

So they are the same whichever process is asked, and no process leaves a file behind.
"""

import json
import threading
from bisect import bisect_left
from collections import defaultdict
from time import monotonic

from leaderboard.db import Connection

EVERY = 5.0
"""Seconds between two times that a process adds what it has counted."""
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5)
"""Upper ends, in seconds, of what times are sorted into."""
UP_TO = (*(f"{end:g}" for end in BUCKETS), "+Inf")
"""The same as labels."""

Labels = tuple[tuple[str, str], ...]

_lock = threading.Lock()
_values: dict[tuple[str, Labels], float] = defaultdict(float)
_added = monotonic()


def count(name: str, n: float = 1, **labels: str) -> None:
    """Count something under a name and labels, of which there must be few."""
    key = name, tuple(sorted(labels.items()))
    with _lock:
        _values[key] += n


def time(name: str, seconds: float, **labels: str) -> None:
    """Count how long something took."""
    all_labels = sorted(labels.items())
    bucket = f"{name}_bucket", tuple(sorted([*all_labels, ("le", UP_TO[bisect_left(BUCKETS, seconds)])]))
    total = f"{name}_sum", tuple(all_labels)
    with _lock:
        _values[bucket] += 1
        _values[total] += seconds


def due() -> bool:
    """Whether it is time to add what was counted; true for one caller only."""
    global _added
    with _lock:
        if not _values or monotonic() < _added + EVERY:
            return False
        _added = monotonic()
        return True


def add(conn: Connection) -> None:
    """Add what was counted. What can't be added now stays for the next time."""
    with _lock:
        mine = list(_values.items())
        _values.clear()
    if not mine:
        return
    try:
        with conn.transaction():
            conn.execute("SET LOCAL synchronous_commit = off")
            conn.execute(
                """
                INSERT INTO tally (name, labels, value)
                SELECT * FROM unnest(%s::text[], %s::text[], %s::float8[]) AS mine (name, labels, value) ORDER BY 1, 2
                ON CONFLICT (name, labels) DO UPDATE SET value = tally.value + excluded.value""",
                [
                    [name for (name, _), _ in mine],
                    [json.dumps(dict(labels)) for (_, labels), _ in mine],
                    [value for _, value in mine],
                ],
            )
    except BaseException:
        with _lock:
            for key, value in mine:
                _values[key] += value
        raise


def read(conn: Connection) -> list[tuple[str, dict[str, str], float]]:
    """All counters: name, labels, value."""
    rows = conn.execute("SELECT name, labels, value FROM tally ORDER BY name, labels").fetchall()
    return [(name, json.loads(labels), value) for name, labels, value in rows]
