"""Counters of all processes together, for the metrics: counted in memory, added to a table every few seconds.

So they are the same whichever process is asked, and no process leaves a file behind.
"""

import json
import threading
from collections import defaultdict
from time import monotonic

from leaderboard.db import Connection

EVERY = 5.0
"""Seconds between two times that a process adds what it has counted."""
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5)
"""Upper ends, in seconds, of what times are sorted into."""

_lock = threading.Lock()
_values: dict[tuple[str, tuple[tuple[str, str], ...]], float] = defaultdict(float)
_added = monotonic()


def count(name: str, n: float = 1, **labels: str) -> None:
    """Count something under a name and labels, of which there must be few."""
    with _lock:
        _values[name, tuple(sorted(labels.items()))] += n


def time(name: str, seconds: float, **labels: str) -> None:
    """Count how long something took."""
    bucket = next((f"{end:g}" for end in BUCKETS if seconds <= end), "+Inf")
    count(f"{name}_bucket", 1, **labels, le=bucket)
    count(f"{name}_sum", seconds, **labels)


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
        mine = sorted(_values.items())
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
