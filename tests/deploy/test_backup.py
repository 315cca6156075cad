"""Everything goes into one file, and comes out of it in an empty place as it was; half a file changes nothing."""

import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from api.app import create_app
from leaderboard import backup as backups
from leaderboard import canary, contestants, contests, db, events, organising, submissions, tokens
from leaderboard.backup import BadBackup, NotEmpty, backup, restore
from leaderboard.contests import League
from leaderboard.db import transaction
from leaderboard.rebuild import rebuild
from leaderboard.settings import Settings
from tests.api.conftest import CASES, drain, new_contest
from worker import tasks

ROOT = Path(__file__).parents[2]


@pytest.fixture
def filled(pool: Settings) -> tuple[Settings, str]:
    """A database with something in every corner, and a token of Ada's."""
    now = datetime.now(UTC)
    contest = new_contest(freezes_at=now + timedelta(hours=1), quota=9)
    new_contest(slug="knights", puzzle="knight-fight", league=League(None, invited=False))
    new_contest(slug="maze", puzzle="maze", setups=("deal: 1", "deal: 2"))
    tasks.chores()
    with transaction() as conn:
        ada, token = contestants.register(conn, "Ada", "a long password")
        bob, _ = contestants.register(conn, "Bób ❤", role="organiser")
        for who, name in ((ada, "poor-20.txt"), (ada, "best-20-short.txt"), (bob, "exactly-1-MiB.txt")):
            submissions.add(conn, contest.slug, who, (CASES / "valid" / name).read_bytes(), key=name)
        row, _ = submissions.add(conn, contest.slug, bob, bytes(range(256)))
    drain()
    with transaction() as conn:
        submissions.add(conn, contest.slug, bob, b"still in the queue")
        organising.disqualify(conn, row.id, bob, "not a record\n\\.")
        assert canary.step(conn, 60)
    return pool, token


def contents(url: str) -> dict[str, list[Any]]:
    """Every row of every table but the migrations'."""
    with psycopg.connect(url) as conn:
        return {
            table: sorted(map(repr, conn.execute(SQL("SELECT * FROM {}").format(Identifier(table))).fetchall()))
            for table in backups._tables(conn)
        }


def boards(settings: Settings, token: str) -> list[Any]:
    """What the service shows, and to whoever has the token."""
    client = create_app(replace(settings, rate_limits=0)).test_client()
    told = [client.get(f"/api/v1/contests/{slug}/standings").json for slug in ("golden-nugget", "knights", "maze")]
    return [*told, client.get("/api/v1/me/submissions", headers={"Authorization": f"Bearer {token}"}).json]


def test_it_comes_back_as_it_was(filled: tuple[Settings, str], empty_database_url: str, tmp_path: Path) -> None:
    settings, token = filled
    file, before = tmp_path / "backup", boards(settings, token)
    counts = backup(settings.database_url, file)
    assert file.stat().st_mode & 0o777 == 0o600
    assert counts["submission"] == 6
    assert counts["event"] > 3
    assert [path.name for path in tmp_path.iterdir()] == ["backup"]
    assert restore(empty_database_url, file) == counts
    assert contents(empty_database_url) == contents(settings.database_url)
    with pytest.raises(NotEmpty):
        restore(empty_database_url, file)

    there = replace(settings, database_url=empty_database_url)
    assert boards(there, token) == before
    db.open_pool(there)
    with transaction() as conn:
        assert tokens.contestant_of(conn, token, "all")
        contest = contests.get(conn, "golden-nugget")
        assert contest
        assert rebuild(conn, contest).differed == 0
        last = events.last(conn, contest)
    # Life goes on: new rows get numbers of their own, what is append-only stays so.
    drain()
    new = new_contest(slug="later")
    assert new.id > contest.id
    with transaction() as conn:
        contestant = contestants.by_name(conn, "ada")
        assert contestant
        submissions.add(conn, contest.slug, contestant, (CASES / "valid" / "best-200-full.txt").read_bytes())
    drain()
    with transaction() as conn:
        assert events.last(conn, contest) == last + 1
        with pytest.raises(psycopg.errors.RaiseException):
            conn.execute("DELETE FROM audit")
    with transaction() as conn:
        assert not canary.step(conn, 60)  # what was under way is taken away
    # Backed up again, it is the same file but for what has happened.
    assert backup(empty_database_url, file)["submission"] == 6


def test_what_is_damaged_or_cut_short_changes_nothing(
    filled: tuple[Settings, str], empty_database_url: str, tmp_path: Path
) -> None:
    file = tmp_path / "backup"
    backup(filled[0].database_url, file)
    whole = file.read_bytes()
    middle = len(whole) // 2
    flipped = whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]
    for damaged in (b"", b"x" * 100, whole[:20], whole[:-1], whole[:middle], whole + b"\n", flipped):
        file.write_bytes(damaged)
        with pytest.raises(BadBackup):
            restore(empty_database_url, file)
        assert contents(empty_database_url) == {}
    with pytest.raises(FileNotFoundError):
        restore(empty_database_url, tmp_path / "nothing")
    with pytest.raises(db.Unavailable):
        backup("host=/nowhere", file)
    assert [path.name for path in tmp_path.iterdir()] == ["backup"]


def test_the_commands_find_the_servers_of_a_data_folder(folder: Path) -> None:
    """Into a folder that is not there yet, from one whose servers do not run."""

    def nugget(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "deploy.cli", *words]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env={})

    old, new, file = folder / "old", folder / "new", folder / "backup"
    from deploy import servers
    from leaderboard.migrate import migrate

    with servers.database(old, None) as url:
        migrate(url)
        with psycopg.connect(url) as conn:
            conn.execute("INSERT INTO contestant (name, folded) VALUES ('Ada', 'ada')")
        before = contents(url)
    done = nugget("backup", str(file), "--data", str(old))
    assert done.returncode == 0, done.stderr
    assert "Backed up" in done.stdout
    done = nugget("restore", str(file), "--data", str(new))
    assert done.returncode == 0, done.stderr
    done = nugget("restore", str(file), "--data", str(new))
    assert (done.returncode, done.stdout) == (2, "")
    assert "a backup is restored into an empty one" in done.stderr
    with servers.database(new, None) as url:
        assert contents(url) == before  # what migrations have put in came with the backup, once
        assert "'Ada'" in contents(url)["contestant"][0]
