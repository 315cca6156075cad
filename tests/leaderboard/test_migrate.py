"""Migrations run once each, in order, by one process at a time."""

import threading

import pytest

from leaderboard import db, migrate
from leaderboard.migrate import Changed


def test_an_empty_database_gets_all_of_them_and_then_none(empty_database_url):
    every = migrate.check(empty_database_url)
    assert every[0] == "0001_submissions.sql"
    assert every == sorted(every)
    assert migrate.migrate(empty_database_url) == every
    assert migrate.check(empty_database_url) == []
    assert migrate.migrate(empty_database_url) == []


def test_many_at_once_run_each_of_them_once(empty_database_url):
    every, ran = migrate.check(empty_database_url), []
    threads = [threading.Thread(target=lambda: ran.extend(migrate.migrate(empty_database_url))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ran == every


def test_a_file_that_changed_after_it_ran_is_an_error(database_url):
    with db.connect(database_url) as conn:
        conn.execute("UPDATE migration SET sha256 = '\\x00' WHERE name = '0001_submissions.sql'")
    for call in (migrate.migrate, migrate.check):
        with pytest.raises(Changed, match="0001_submissions"):
            call(database_url)


def test_one_that_fails_leaves_nothing_behind(empty_database_url, monkeypatch):
    good = ("0001_good.sql", b"CREATE TABLE good (id integer)")
    bad = ("0002_bad.sql", b"CREATE TABLE half (id integer); SELECT 1 / 0")
    monkeypatch.setattr(migrate, "_all", lambda: [good, bad])
    with pytest.raises(Exception, match="division by zero"):
        migrate.migrate(empty_database_url)
    assert migrate.check(empty_database_url) == ["0002_bad.sql"]
    with db.connect(empty_database_url) as conn:
        assert conn.execute("SELECT to_regclass('good') IS NOT NULL, to_regclass('half') IS NULL").fetchone() == (
            True,
            True,
        )
