"""nugget run as a process of its own, and the processes below it."""

import json
import os
import re
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}


class Service:
    """A running nugget run."""

    def __init__(self, data: Path, *options: str) -> None:
        self.data = data
        self.process = subprocess.Popen(
            [sys.executable, "-m", "deploy.cli", "run", "--data", str(data), "--port", "0", *options],
            env=ENVIRONMENT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.said = self.url = ""

    def greet(self) -> None:
        """Wait for what it prints when it is ready."""
        assert self.process.stdout
        while not self.said.endswith("/standings\n"):
            line = self.process.stdout.readline()
            assert line, f"it ended: {self.said}"
            self.said += line
        found = re.search(r"http://127\.0\.0\.1:\d+", self.said)
        assert found, self.said
        self.url = found[0]

    def get(self, path: str) -> dict:
        """The JSON at that path."""
        with urllib.request.urlopen(self.url + path, timeout=60) as answer:
            return json.load(answer)

    def processes(self) -> set[int]:
        """The living processes below this one, itself included."""
        parents = {}
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                state, parent = stat.read_text().rpartition(")")[2].split()[:2]
            except OSError:
                continue
            if state != "Z":
                parents[int(stat.parent.name)] = int(parent)
        found = {self.process.pid}
        while more := {pid for pid, parent in parents.items() if parent in found} - found:
            found |= more
        return found

    def end(self) -> None:
        """Kill it, whatever it is doing."""
        self.process.kill()
        self.process.wait()
        assert self.process.stdout
        self.process.stdout.close()


@pytest.fixture
def serve() -> Iterator[Callable[..., Service]]:
    """Starts nugget run with the given data folder and options; killed after the test if it still runs."""
    begun: list[Service] = []

    def start(data: Path, *options: str) -> Service:
        begun.append(Service(data, *options))
        begun[-1].greet()
        return begun[-1]

    yield start
    for each in begun:
        each.end()


def alive(pids: set[int]) -> set[int]:
    """Those that are still processes, and not only remembered."""
    found = set()
    for pid in pids:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z":
                found.add(pid)
        except OSError:
            continue
    return found


@pytest.fixture
def wait_until() -> Callable[..., None]:
    """Waits until a question is answered with yes, for some seconds at most."""

    def wait(question: Callable[[], object], seconds: float = 60) -> None:
        until = time.monotonic() + seconds
        while not question():
            assert time.monotonic() < until, "it did not happen in time"
            time.sleep(0.05)

    return wait


@pytest.fixture
def all_gone(wait_until: Callable[..., None]) -> Callable[[set[int]], None]:
    """Waits until none of the processes is left."""
    return lambda pids: wait_until(lambda: not alive(pids))
