"""nugget run: everything in one, for as long as it runs and no longer."""

import os
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

STANDINGS = "/api/v1/contests/golden-nugget/standings"


def commands(pids: set[int]) -> dict[str, int]:
    """The worker's and the web server's main processes among them: the ones that lead their process groups."""
    found = {}
    for pid in pids:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        if os.getpgid(pid) == pid:
            found |= {name: pid for name in ("celery", "granian") if name.encode() in words}
    return found


def test_a_demo_that_survives_any_end(folder, serve, wait_until, all_gone):
    service = serve(folder / "data", "--demo")
    wait_until(lambda: service.get(STANDINGS)["total"] == 12)
    board = service.get(STANDINGS)["standings"]
    assert [row["rank"] for row in board] == [1, 2, 3, 4, 5, 6, 7, 7, 9, 10, 11, 12]
    assert board[0]["score"]["boards"] == 200
    processes = service.processes()
    assert len(processes) > 10

    service.end()
    all_gone(processes)

    service = serve(folder / "data", "--demo")
    assert service.get(STANDINGS)["standings"] == board
    processes = service.processes()
    service.process.send_signal(signal.SIGINT)
    service.process.send_signal(signal.SIGTERM)  # impatience changes nothing
    said, _ = service.process.communicate(timeout=60)
    assert service.process.returncode == 0
    assert "everything is kept" in said
    all_gone(processes)


def test_whichever_child_dies_is_started_again(folder, serve, wait_until):
    service = serve(folder / "data")
    before = commands(service.processes())
    postmaster = int((folder / "data/postgres/cluster/postmaster.pid").read_text().split()[0])
    for pid in (*before.values(), postmaster):
        os.kill(pid, signal.SIGKILL)

    def works() -> bool:
        try:
            service.get("/api/v1/contests")
        except OSError:
            return False
        after = commands(service.processes())
        return set(after) == {"celery", "granian"} and not set(after.values()) & set(before.values())

    wait_until(works)


@pytest.mark.skipif(not all(map(shutil.which, ("bash", "curl"))), reason="the lines are for bash and curl")
def test_the_lines_it_prints_work(folder, serve):
    service = serve(folder / "data", "--demo")
    lines = [line for line in service.said.splitlines() if line.startswith("  ")]
    assert len(lines) == 4
    done = subprocess.run(["bash", "-c", "\n".join(lines)], capture_output=True, text=True, check=True)
    assert '"state":"accepted"' in done.stdout
    assert '"name":"Visitor ' in done.stdout.partition('"standings"')[2]


def run(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """nugget run where it is not expected to start."""
    command = [sys.executable, "-m", "deploy.cli", "run", "--data", str(folder / "data"), *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def test_a_taken_port_is_said_at_once(folder):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        done = run(folder, "--port", str(port))
    assert done.returncode == 2
    assert done.stderr == f"nugget run: Port {port} of 127.0.0.1 is taken. Choose another by --port.\n"


def test_a_bad_setting_is_said_at_once(folder, monkeypatch):
    monkeypatch.setenv("LOG_LEVEL", "loud")
    done = run(folder)
    assert (done.returncode, done.stderr) == (2, "nugget run: LOG_LEVEL must be debug, info, warning or error.\n")


def test_the_key_is_made_once_and_only_its_owner_reads_it(folder):
    from deploy.run import environment, make_keys

    make_keys(folder)
    key = (folder / "secret-key").read_text()
    make_keys(folder)
    assert (folder / "secret-key").read_text() == key
    assert (folder / "secret-key").stat().st_mode & 0o777 == 0o600
    assert (folder / "signing-key").stat().st_mode & 0o777 == 0o600
    assert environment(folder, {})["SIGNING_KEY"] == (folder / "signing-key").read_text() != key
    assert environment(folder, {})["SECRET_KEY"] == key
    assert environment(folder, {"SECRET_KEY": "given"})["SECRET_KEY"] == "given"
