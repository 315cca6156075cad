"""The embedded servers keep what was committed and leave nobody behind, however their launcher ends."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest

from deploy import servers

LAUNCHER = """
import sys, time
from pathlib import Path
from deploy import servers
with servers.running(Path(sys.argv[1])):
    print("up", flush=True)
    time.sleep(60)
"""


def launch(data: Path) -> subprocess.Popen[bytes]:
    """A launcher in a process of its own, whose servers answer."""
    process = subprocess.Popen([sys.executable, "-c", LAUNCHER, str(data)], stdout=subprocess.PIPE)
    assert process.stdout
    assert process.stdout.readline() == b"up\n"
    process.stdout.close()
    return process


def processes_of(data: Path) -> list[int]:
    """The living processes whose command line names the folder."""
    found = []
    for proc in Path("/proc").glob("[0-9]*"):
        try:
            words, state = (proc / "cmdline").read_bytes(), (proc / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if os.fsencode(data) in words and state != "Z":
            found.append(int(proc.name))
    return found


def test_killed_launcher_leaves_no_process_and_no_committed_row_is_lost(folder):
    data = folder / "data"
    launcher = launch(data)
    with psycopg.connect(servers.database_url(data)) as conn:
        conn.execute("CREATE TABLE kept (n int)")
        conn.execute("INSERT INTO kept VALUES (42)")
    assert len(processes_of(data)) >= 3
    launcher.send_signal(signal.SIGKILL)
    launcher.wait()
    until = time.monotonic() + 10
    while processes_of(data):
        assert time.monotonic() < until, "a process outlived its launcher"
        time.sleep(0.02)
    with servers.running(data) as (database_url, _), psycopg.connect(database_url) as conn:
        assert conn.execute("SELECT n FROM kept").fetchall() == [(42,)]


def test_servers_killed_with_their_launcher_start_again_at_once(folder):
    data = folder / "data"
    launcher = launch(data)
    with psycopg.connect(servers.database_url(data), autocommit=True) as conn:
        conn.execute("CREATE TABLE kept (n int)")
        conn.execute("INSERT INTO kept VALUES (42)")
    for pid in processes_of(data):
        os.kill(pid, signal.SIGKILL)
    launcher.wait()
    with servers.running(data) as (database_url, _), psycopg.connect(database_url) as conn:
        assert conn.execute("SELECT n FROM kept").fetchall() == [(42,)]


def test_a_pid_file_that_names_a_stranger_does_not_keep_postgres_from_starting(folder):
    data = folder / "data"
    with servers.running(data):
        pid_file = data / "postgres/cluster/postmaster.pid"
        lines = pid_file.read_text().splitlines()
    pid_file.write_text("\n".join([str(os.getpid()), *lines[1:]]))
    with servers.running(data) as (database_url, _), psycopg.connect(database_url) as conn:
        assert conn.execute("SELECT 1").fetchone() == (1,)


def test_one_launcher_at_a_time(folder):
    with servers.locked(folder / "data"), pytest.raises(servers.CannotStart, match="Another nugget run uses"):
        with servers.locked(folder / "data"):
            pytest.fail("two launchers hold one folder")


def test_a_deep_folder_with_odd_characters_has_its_sockets_elsewhere(folder):
    data = folder / ("deep" * 20) / "a, é b"
    data.parent.mkdir()
    with servers.running(data) as (database_url, _), psycopg.connect(database_url) as conn:
        assert conn.execute("SELECT 1").fetchone() == (1,)
    assert len(str(servers.sockets(data))) < 40
    servers.sockets(data).rmdir()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has servers that run as somebody else")
def test_as_root_a_folder_that_nobody_may_enter_is_refused_and_left_as_it_is(folder):
    parent = folder / "private"
    parent.mkdir(mode=0o700)
    with pytest.raises(servers.CannotStart, match="nobody, who cannot enter"):
        with servers.locked(parent / "data"):
            pytest.fail("it was entered")
    assert parent.stat().st_mode & 0o777 == 0o700


def test_the_log_says_why_a_server_does_not_start(folder):
    data = folder / "data"
    with servers.locked(data):
        server = servers.redis(data)
        server.argv += ["--no-such-option", "1"]
        with pytest.raises(servers.CannotStart, match="no-such-option"):
            server.start_and_wait()


@pytest.mark.parametrize("obstinate", [False, True])
def test_an_interruption_at_any_moment_leaves_no_child_that_nobody_can_wait_for(tmp_path, obstinate):
    code = "import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(60)" if obstinate else "pass"
    child = servers.Child("Python", [sys.executable, "-c", code], tmp_path / "log", {}, lambda _: True, grace=0.5)
    child.start()
    assert child.process
    child.process._waitpid_lock.acquire()  # as a signal leaves it that raises in the middle of Popen's own poll
    if not obstinate:
        os.waitpid(child.process.pid, 0)  # and as one between the wait and the note of it
    child.stop()
    assert not child.running()
