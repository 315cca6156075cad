"""Runs those migrations that have not run yet: plain SQL, checksummed."""

import hashlib
from collections.abc import Mapping
from importlib.resources import files

from leaderboard import db

LOCK = 0x676F6C64
"""The advisory lock that lets one process migrate at a time."""

TABLE = """
    CREATE TABLE IF NOT EXISTS migration (
        name text PRIMARY KEY, sha256 bytea NOT NULL, run_at timestamptz NOT NULL DEFAULT now())"""
"""Which migrations have run."""

Migration = tuple[str, bytes]


class Changed(Exception):
    """A migration that has run is not what it was; the database and the files tell different stories."""


def migrate(database_url: str) -> list[str]:
    """Run what is missing, each file in a transaction of its own, and return the names of the files that ran.

    Any number of processes may call it at once: the others wait, then find nothing to do.
    Raises Changed, Unavailable.
    """
    with db.connect(database_url) as conn:
        conn.autocommit = True
        conn.execute("SELECT pg_advisory_lock(%s)", [LOCK])
        conn.execute(TABLE)
        missing = _missing(conn)
        for name, sql in missing:
            with conn.transaction():
                conn.execute(sql)
                conn.execute(
                    "INSERT INTO migration (name, sha256) VALUES (%s, %s)", [name, hashlib.sha256(sql).digest()]
                )
        return [name for name, _ in missing]


def run(conn: db.Connection, wanted: Mapping[str, str]) -> None:
    """Run those migrations of an empty database, in the caller's transaction; `wanted`: their names and SHA-256.

    Raises Changed.
    """
    conn.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
    conn.execute(TABLE)
    known = {name: sql for name, sql in _all() if name in wanted}
    for name, digest in sorted(wanted.items()):
        if name not in known or hashlib.sha256(known[name]).hexdigest() != digest:
            raise Changed(f"{name} is not the migration that this program knows: it is of another version.")
        conn.execute(known[name])
        conn.execute("INSERT INTO migration (name, sha256) VALUES (%s, %s)", [name, bytes.fromhex(digest)])


def check(database_url: str) -> list[str]:
    """The names of the migrations that have not run yet; empty when the database is up to date.

    Raises Changed, Unavailable.
    """
    with db.connect(database_url) as conn:
        known = conn.execute("SELECT to_regclass('migration') IS NOT NULL").fetchone()
        return [name for name, _ in (_missing(conn) if known and known[0] else _all())]


def _all() -> list[Migration]:
    found = [path for path in files("leaderboard").joinpath("migrations").iterdir() if path.name.endswith(".sql")]
    return sorted((path.name, path.read_bytes()) for path in found)


def _missing(conn: db.Connection) -> list[Migration]:
    run: dict[str, bytes] = dict(conn.execute("SELECT name, sha256 FROM migration").fetchall())
    every = _all()
    for name, sql in every:
        if name in run and run[name] != hashlib.sha256(sql).digest():
            raise Changed(f"{name} has been changed after it ran; a change belongs in a new file.")
    return [(name, sql) for name, sql in every if name not in run]
