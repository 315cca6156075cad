"""A real Celery worker process on the test's own database."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from leaderboard.settings import Settings
from worker import app

Worker = subprocess.Popen[bytes]

COMMAND = ["-m", "celery", "-A", "worker.app", "worker", "--loglevel", "info", "--without-gossip", "--without-mingle"]


def environment(settings: Settings) -> dict[str, str]:
    """What a worker process reads its settings from."""
    own = {name.upper(): str(getattr(settings, name)) for name in ("database_url", "redis_url", "secret_key")}
    return {**os.environ, **own, "WORKER_PROCESSES": "2", "CHORE_MINUTES": "0"}


@pytest.fixture
def start(pool: Settings, tmp_path: Path) -> Iterator[Callable[..., Worker]]:
    """Starts a worker, whose output is shown where a test fails; all that were started are killed at the end."""
    started: list[Worker] = []
    log = tmp_path / "worker.log"

    def start(*command: str, env: dict[str, str] | None = None) -> Worker:
        with log.open("ab") as out:
            worker = subprocess.Popen(
                [sys.executable, *(command or COMMAND)], env=environment(pool) | (env or {}), stdout=out, stderr=out
            )
        started.append(worker)
        return worker

    yield start
    for worker in started:
        worker.kill()
        worker.wait()
    sys.stdout.write(log.read_text() if log.exists() else "")


@pytest.fixture
def bell_here(pool: Settings) -> None:
    """This process's bell rings the test's workers."""
    app.use(pool)


def children(worker: Worker) -> list[int]:
    """The process ids of a worker's pool children."""
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(worker.pid)], capture_output=True, text=True, check=False)
    return [int(pid) for pid in found.stdout.split()]


def until(true: Callable[[], object], seconds: float = 60) -> None:
    """Wait for it to become true; fail if it does not in time."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, f"not within {seconds} s"
        time.sleep(0.02)


def kill(pid: int, with_signal: signal.Signals = signal.SIGKILL) -> None:
    os.kill(pid, with_signal)
