"""The embedded PostgreSQL and Redis in a temporary folder; a fresh database for each test that asks.

With DATABASE_URL and REDIS_URL set those servers are used instead; the user must be allowed to create databases.
"""

import logging
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from math import inf
from pathlib import Path
from typing import NamedTuple

import hypothesis
import psycopg
import pytest
from flask import Flask
from psycopg.conninfo import make_conninfo
from psycopg.sql import SQL, Identifier

from api import archives
from api.app import create_app
from deploy import servers as embedded
from leaderboard import db, tally
from leaderboard.migrate import migrate
from leaderboard.settings import Settings
from worker import app as worker

# No test is timed: what is slow on a busy machine is not wrong.
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")

# The bell of a test's service goes on looking for its database, which has been dropped: nobody need read of it.
logging.getLogger("psycopg.pool").setLevel(logging.CRITICAL)


class Servers(NamedTuple):
    """Where the tests' servers are."""

    database_url: str
    admin_url: str  # of a user who may create databases
    redis_url: str
    copying: str  # how it makes a database from a template soonest


@pytest.fixture
def folder() -> Iterator[Path]:
    """A temporary folder that the servers may enter, which run as nobody where the tests run as root."""
    yield from temporary_folder()


def temporary_folder(within: Path | None = None) -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="gn-", dir=within))
    path.chmod(0o711)
    yield path
    shutil.rmtree(path, ignore_errors=True)


def memory(needed: int = 4 * 2**30) -> Path | None:
    """A folder that lies in memory, if there is one with room: making a database for each test is mostly files."""
    folder = Path("/dev/shm")
    if not folder.is_dir() or shutil.disk_usage(folder).free < needed or os.statvfs(folder).f_flag & os.ST_NOEXEC:
        return None
    return folder


@pytest.fixture(autouse=True)
def close_what_is_left() -> Iterator[None]:
    """No test's pool goes on looking for a database that has been dropped; the next transaction opens it again."""
    yield
    db.close_pool()


@pytest.fixture(scope="session")
def servers() -> Iterator[Servers]:
    """A real PostgreSQL and a real Redis, the same for all tests of the session."""
    if "DATABASE_URL" in os.environ and "REDIS_URL" in os.environ:
        yield Servers(os.environ["DATABASE_URL"], os.environ["DATABASE_URL"], os.environ["REDIS_URL"], "WAL_LOG")
        return
    for path in temporary_folder(memory()):
        data = path / "data"
        with embedded.running(data) as (database_url, redis_url):
            admin_url = embedded.database_url(data, "postgres", "postgres")
            with psycopg.connect(admin_url, autocommit=True) as conn:
                # What must outlive a crash is tried on servers of its own; here nothing need reach the disk.
                conn.execute("ALTER SYSTEM SET fsync = off")
                conn.execute("SELECT pg_reload_conf()")
            yield Servers(database_url, admin_url, redis_url, "FILE_COPY")


@pytest.fixture(scope="session")
def template(servers: Servers) -> Iterator[str]:
    """The name of a database that is migrated and otherwise empty."""
    for name, url in database(servers, None):
        migrate(url)
        yield name


@pytest.fixture
def database_url(servers: Servers, template: str) -> Iterator[str]:
    """A migrated database that no other test has seen."""
    for _, url in database(servers, template):
        yield url


@pytest.fixture
def empty_database_url(servers: Servers) -> Iterator[str]:
    """A database with nothing in it, not even the migrations."""
    for _, url in database(servers, None):
        yield url


def database(servers: Servers, template: str | None) -> Iterator[tuple[str, str]]:
    """A new database, a copy of another one if named; dropped at the end whoever is still connected."""
    with psycopg.connect(servers.database_url) as conn:
        owner = conn.info.user
    with psycopg.connect(servers.admin_url, autocommit=True) as conn:
        name = f"test_{secrets.token_hex(8)}"
        conn.execute(
            SQL("CREATE DATABASE {} OWNER {} TEMPLATE {} STRATEGY {}").format(
                Identifier(name), Identifier(owner), Identifier(template or "template1"), SQL(servers.copying)
            )
        )
        yield name, make_conninfo(servers.database_url, dbname=name)
        conn.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(name)))


@pytest.fixture
def settings(servers: Servers, database_url: str) -> Settings:
    """Settings on the test's own database."""
    return Settings(database_url=database_url, redis_url=servers.redis_url, secret_key="a key for tests " * 4)


@pytest.fixture
def pool(settings: Settings) -> Iterator[Settings]:
    """This process's pool opened on the test's database, so that transaction() works, and a drain."""
    tally._values.clear()  # what this process has counted for another test is not in this one's metrics
    tally._added = inf  # and nothing is on its way to the table when the metrics are read
    db.open_pool(settings)
    worker.use(settings)
    yield settings
    db.close_pool()


@pytest.fixture(scope="session")
def one_app(servers: Servers) -> Flask:
    """The service without limits of requests, made once for all tests."""
    return create_app(Settings("", servers.redis_url, "a key for tests " * 4, rate_limits=0))


@pytest.fixture
def app(one_app: Flask, pool: Settings) -> Flask:
    """The service without limits of requests, on the test's own database."""
    archives.init_app(one_app, pool)  # what another test's database has led to is forgotten
    for name in ("stories", "pace"):
        one_app.extensions.pop(name, None)
    return one_app
