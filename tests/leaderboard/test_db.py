"""The pool outlives forks and lost connections; whatever the driver says is Unavailable."""

import os
import time

import pytest

from leaderboard import contestants, db
from leaderboard.db import Unavailable, savepoint, transaction
from leaderboard.settings import Settings


def answer() -> int:
    with transaction() as conn:
        [(one,)] = conn.execute("SELECT 1").fetchall()
    return int(one)


def execute(*statements: str) -> None:
    with transaction() as conn:
        for statement in statements:
            conn.execute(statement)


def fail() -> None:
    with transaction() as conn:
        conn.execute("INSERT INTO audit (actor, action, object) VALUES ('a', 'b', 'c')")
        raise KeyError


def test_an_exception_rolls_back(pool):
    with pytest.raises(KeyError):
        fail()
    with transaction() as conn:
        assert conn.execute("SELECT count(*) FROM audit").fetchone() == (0,)


def test_a_lost_connection_is_unavailable_once_and_then_another_is_there(pool):
    with pytest.raises(Unavailable):
        execute("SELECT pg_terminate_backend(pg_backend_pid())")
    assert answer() == 1


def test_idle_connections_that_were_lost_are_not_handed_out(pool):
    answer()
    with transaction() as conn:
        conn.execute("""
            SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()""")
    for _ in range(5):
        assert answer() == 1


def test_a_forked_child_has_a_pool_of_its_own(pool):
    answer()
    child = os.fork()
    if not child:
        os._exit(0 if answer() == 1 and answer() == 1 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert answer() == 1


def test_a_server_that_is_away_is_unavailable_soon(tmp_path):
    settings = Settings(
        database_url=f"host={tmp_path} dbname=x", redis_url="unix:///nowhere", secret_key="a key for tests " * 4
    )
    db.open_pool(settings)
    begun = time.monotonic()
    with pytest.raises(Unavailable):
        answer()
    assert time.monotonic() - begun < 5
    db.close_pool()
    with pytest.raises(Unavailable):
        db.connect(settings.database_url)


def test_no_statement_and_no_lock_holds_others_up_for_long(pool):
    with transaction() as conn:
        limits = conn.execute("""
            SELECT current_setting('statement_timeout'), current_setting('lock_timeout'),
                   current_setting('idle_in_transaction_session_timeout'), current_setting('timezone')""").fetchone()
    assert limits == ("5s", "3s", "15s", "UTC")


def test_a_statement_that_takes_too_long_is_unavailable(pool):
    with pytest.raises(Unavailable):
        execute("SET LOCAL statement_timeout = '50ms'", "SELECT pg_sleep(5)")


def test_a_duty_is_done_by_one_at_a_time(pool):
    with transaction() as one, transaction() as other:
        assert db.alone(one, "chores")
        assert not db.alone(other, "chores")
        assert db.alone(other, "something else")
    with transaction() as other:
        assert db.alone(other, "chores")


def test_an_unknown_error_of_ours_is_not_unavailable(pool):
    with pytest.raises(Exception, match="nowhere") as error, transaction() as conn:
        conn.execute("SELECT * FROM nowhere")
    assert not isinstance(error.value, Unavailable)


def begin_and_fail() -> None:
    with transaction() as conn:
        with savepoint(conn):
            conn.execute("INSERT INTO audit (actor, action, object) VALUES ('a', 'b', 'c')")
        raise KeyError


def test_a_savepoint_is_not_the_transaction_even_if_it_is_the_first_of_it(pool):
    with pytest.raises(KeyError):
        begin_and_fail()
    with transaction() as conn:
        assert conn.execute("SELECT count(*) FROM audit").fetchone() == (0,)


def test_who_gets_no_token_is_not_registered(pool):
    with transaction() as other:
        other.execute("LOCK TABLE token IN EXCLUSIVE MODE")
        with pytest.raises(Unavailable), transaction() as conn:
            contestants.register(conn, "Ann")
    with transaction() as conn:
        assert contestants.register(conn, "Ann")
