"""The pool, opened after the fork; transaction(); Unavailable for what the driver raises."""

import os
import select
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import psycopg_pool
from psycopg.pq import TransactionStatus

from leaderboard.settings import Settings

Connection = psycopg.Connection
"""What every function of this package takes first: the caller decides what is one transaction."""

WAIT = 3.0
"""Seconds that a caller waits for a free connection."""

SESSION = """
    SELECT set_config('timezone', 'UTC', false), set_config('statement_timeout', '5s', false),
           set_config('lock_timeout', '3s', false), set_config('idle_in_transaction_session_timeout', '15s', false),
           set_config('enable_seqscan', 'off', false)
"""
"""No statement, lock or forgotten transaction holds others up for long. Long jobs raise their limits by SET LOCAL.

The plan of a statement is kept, often since its table had a few rows: reading the whole table was cheapest then, and
would cost each statement more with every row that is added. So what has an index is read by it.
"""


class Unavailable(Exception):
    """PostgreSQL cannot be reached or cannot answer now. Nothing is half-done; later it may work."""


_lock = threading.Lock()
_settings: Settings | None = None
_pool: psycopg_pool.ConnectionPool[Connection] | None = None
_owner = 0


def open_pool(settings: Settings) -> None:
    """Say where the database is. The pool itself opens at the first transaction, in the process that needs it."""
    global _settings
    close_pool()
    _settings = settings


def close_pool() -> None:
    """Close all connections of this process; the next transaction opens new ones."""
    global _pool
    with _lock:
        pool, _pool = _pool, None
    if pool and _owner == os.getpid():
        pool.close()


@contextmanager
def transaction() -> Iterator[Connection]:
    """A connection in a transaction of its own: committed at the end, rolled back by any exception.

    Raises Unavailable for whatever the driver says of a database that is away, overloaded, or gone meanwhile.
    """
    with _told(), _open().connection(timeout=WAIT) as conn:
        yield conn


@contextmanager
def connected(database_url: str) -> Iterator[Connection]:
    """The same outside the pool and without its time limits; the caller may commit in between."""
    with _told(), connect(database_url) as conn:
        yield conn


@contextmanager
def savepoint(conn: Connection) -> Iterator[None]:
    """What fails in it is undone alone; the rest of the caller's transaction stands and goes on.

    conn.transaction() is the whole transaction if nothing was done before it, and so commits what is not finished.
    """
    if conn.info.transaction_status == TransactionStatus.IDLE:
        conn.execute("SELECT")
    with conn.transaction():
        yield


@contextmanager
def statement() -> Iterator[Connection]:
    """A connection whose statements are each a transaction of its own: for a single one that only reads.

    It spares the round trips of BEGIN and COMMIT. Raises Unavailable, as transaction() does.
    """
    with _told():
        pool = _open()
        conn = pool.getconn(WAIT)
        try:
            conn.autocommit = True
            yield conn
        finally:
            if not conn.closed:
                conn.autocommit = False
            pool.putconn(conn)


def connect(database_url: str) -> Connection:
    """One connection outside the pool, without its time limits, for jobs such as migrations. Raises Unavailable."""
    try:
        return psycopg.connect(database_url, connect_timeout=5, options="-c timezone=UTC")
    except psycopg.OperationalError as error:
        raise Unavailable(str(error).partition("\n")[0]) from error


@contextmanager
def _told() -> Iterator[None]:
    """Raise Unavailable for what the driver says of a database that is away, overloaded, or gone meanwhile."""
    try:
        yield
    except (psycopg.OperationalError, psycopg.InterfaceError, psycopg.errors.ReadOnlySqlTransaction) as error:
        raise Unavailable(str(error).partition("\n")[0]) from error


def alone(conn: Connection, what: str) -> bool:
    """Whether this transaction is the only one that does `what` now; the others are told no, and don't wait."""
    row = conn.execute("SELECT pg_try_advisory_xact_lock(hashtext('golden-nugget'), hashtext(%s))", [what]).fetchone()
    return bool(row and row[0])


def _open() -> psycopg_pool.ConnectionPool[Connection]:
    """This process's pool. A connection that crossed a fork would be two processes', so a child opens its own."""
    global _pool, _owner
    with _lock:
        if _pool is None or _owner != os.getpid():
            assert _settings, "open_pool comes first"
            _owner = os.getpid()
            _pool = psycopg_pool.ConnectionPool(
                _settings.database_url,
                kwargs={"connect_timeout": 2},
                min_size=1,
                max_size=_settings.web_threads + 2,
                configure=_configure,
                check=_check,
                max_lifetime=30 * 60,
                max_idle=5 * 60,
                # Then a lost server is given up until the next caller asks; a longer backoff would delay that one.
                reconnect_timeout=2,
                open=True,
            )
        return _pool


def _check(conn: Connection) -> None:
    """Ask a connection whether it lives only if its server has said something unasked: mostly, that it ends it.

    One that ends without a word closes the socket, which also shows here. So a request costs no round trip more.
    """
    poll = select.poll()
    poll.register(conn.fileno(), select.POLLIN)
    if poll.poll(0):
        psycopg_pool.ConnectionPool.check_connection(conn)


def _configure(conn: Connection) -> None:
    conn.execute(SESSION)
    conn.commit()
