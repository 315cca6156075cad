"""make chaos: kill and stop every part of the service under a steady stream of uploads, and count what was lost.

`nugget run` is started as a user starts it, in a folder of its own. While several clients upload, a fault is done; then
the stream ends, and whatever was answered with 2xx must be there with one verdict. The order of the faults comes from
the seed; a run takes about a minute and a half. Nothing here reaches into the service: processes are found in /proc,
and the database is looked at, not changed.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import random
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg

ROOT = Path(__file__).parents[2]
CLIENTS = 6
BEFORE, AFTER = 0.8, 1.5
"""Seconds of uploads before a fault and after it."""
STOPPED = 7.0
"""Seconds that a process is stopped: longer than a lease (leaderboard/queue.py)."""
SETTLED = 30.0
"""Seconds in which all must be decided once the stream has ended; then the run has failed."""
RECORD = (ROOT / "tests/cases/jc-golden-nugget/valid/best-20-short.txt").read_text()
QUOTA = 100_000


class Broken(Exception):
    """A promise of the service does not hold."""


# --- the processes ---------------------------------------------------------------------------------------------------


def children(pid: int) -> list[int]:
    """All descendants of a process, its own children first."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError, ValueError):
                stat = (entry / "stat").read_text()
                fields = stat[stat.rindex(")") + 2 :].split()
                if fields[0] != "Z":
                    parents[int(entry.name)] = int(fields[1])
    found, level = [], [pid]
    while level:
        level = [child for child, parent in parents.items() if parent in level]
        found += level
    return found


def command(pid: int) -> str:
    try:
        return (Path("/proc") / str(pid) / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


@dataclass
class Service:
    """`nugget run` on a data folder and a port."""

    data: Path
    port: int
    process: subprocess.Popen[bytes] = field(init=False)

    def start(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "deploy.cli", "run", "--data", str(self.data), "--port", str(self.port)],
            cwd=ROOT,
            env={**os.environ, "RATE_LIMITS": "0", "CHORE_MINUTES": "0", "LOG_LEVEL": "warning"},
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        wait_until(self.answers, 60, "the service does not answer after its start")

    def stop(self) -> None:
        """Ctrl-C; then nothing of it may be left."""
        family = [self.process.pid, *children(self.process.pid)]
        self.process.send_signal(signal.SIGINT)
        self.process.wait(60)
        time.sleep(0.3)
        left = [f"{pid} {command(pid)}" for pid in family if command(pid)]
        if left:
            raise Broken(f"processes are left over: {left}")
        files = [str(path) for path in self.data.rglob("pgsql_tmp*") if path.is_file()]
        if files:
            raise Broken(f"temporary files are left over: {files}")

    def answers(self) -> bool:
        try:
            return request(self.port, "GET", "/readyz", timeout=2)[0] == 200
        except OSError:
            return False

    def pids(self, part: str) -> list[int]:
        """The processes of a part of the service; the parent comes before its children."""
        words = {"web": "granian", "worker": "celery", "redis": "valkey-server", "postgres": "postgres"}
        family = [
            pid for pid in children(self.process.pid) if words[part] in command(pid).split(" -")[0] + command(pid)
        ]
        tops = [pid for pid in family if parent_of(pid) == self.process.pid]
        return tops + sorted(set(family) - set(tops))

    def connect(self) -> psycopg.Connection[Any]:
        from deploy import servers

        return psycopg.connect(servers.database_url(self.data), autocommit=True, connect_timeout=5)


def parent_of(pid: int) -> int:
    with contextlib.suppress(OSError, ValueError):
        stat = (Path("/proc") / str(pid) / "stat").read_text()
        return int(stat[stat.rindex(")") + 2 :].split()[1])
    return 0


def kill(*pids: int, with_signal: signal.Signals = signal.SIGKILL) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, with_signal)


# --- the stream ------------------------------------------------------------------------------------------------------


def request(
    port: int, method: str, path: str, body: bytes | None = None, token: str = "", timeout: float = 15, **headers: str
) -> tuple[int, Any]:
    """Status and JSON; OSError if no answer comes."""
    asked = urllib.request.Request(f"http://127.0.0.1:{port}{path}", body, method=method)
    if token:
        asked.add_header("Authorization", f"Bearer {token}")
    for name, value in headers.items():
        asked.add_header(name.replace("_", "-"), value)
    try:
        with urllib.request.urlopen(asked, timeout=timeout) as answer:
            return answer.status, json.loads(answer.read() or b"null")
    except urllib.error.HTTPError as error:
        return error.code, None
    except ValueError as error:  # an answer cut off in the middle is none
        raise OSError(str(error)) from None


@dataclass
class Stream:
    """Clients that upload one record after the other, each record another one by its comment."""

    port: int
    tokens: list[str]
    contests: list[str]
    acknowledged: dict[str, str] = field(default_factory=dict)
    """The submissions answered with 2xx, and the SHA-256 of what was sent."""
    refused: int = 0
    unanswered: int = 0

    @contextlib.contextmanager
    def flowing(self) -> Iterator[None]:
        stop = threading.Event()
        threads = [threading.Thread(target=self._upload, args=(stop, n)) for n in range(CLIENTS)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            stop.set()
            for thread in threads:
                thread.join()

    def _upload(self, stop: threading.Event, client: int) -> None:
        while not stop.is_set():
            mark = f"# {os.urandom(8).hex()}\n"
            # Every third record is a broken one: rejected records are not lost, either.
            text = RECORD + mark if random.random() < 0.67 else mark + RECORD.replace("board 7", "board 8", 1)
            data = text.encode()
            path = f"/api/v1/contests/{self.contests[client % len(self.contests)]}/submissions"
            try:
                status, answer = request(self.port, "POST", path, data, self.tokens[client], Content_Type="text/plain")
            except OSError:
                self.unanswered += 1
                time.sleep(0.05)
                continue
            if 200 <= status < 300:
                self.acknowledged[answer["id"]] = hashlib.sha256(data).hexdigest()
            else:
                self.refused += 1
                time.sleep(0.05)


# --- the faults ------------------------------------------------------------------------------------------------------

Fault = Callable[[Service], None]
FAULTS: dict[str, Fault] = {}


def fault(name: str) -> Callable[[Fault], Fault]:
    def add(function: Fault) -> Fault:
        FAULTS[name] = function
        return function

    return add


@fault("kill -9 a web process")
def _(service: Service) -> None:
    kill(service.pids("web")[-1])


@fault("kill -9 the web parent")
def _(service: Service) -> None:
    kill(service.pids("web")[0])


@fault("kill -9 a worker child")
def _(service: Service) -> None:
    kill(service.pids("worker")[-1])


@fault("kill -9 all worker children")
def _(service: Service) -> None:
    kill(*service.pids("worker")[1:])


@fault("kill -9 the worker parent")
def _(service: Service) -> None:
    kill(service.pids("worker")[0])


@fault("kill -9 Redis; it comes back empty")
def _(service: Service) -> None:
    kill(*service.pids("redis"))


@fault("stop PostgreSQL at once")
def _(service: Service) -> None:
    kill(service.pids("postgres")[0], with_signal=signal.SIGQUIT)


@fault("kill -9 PostgreSQL")
def _(service: Service) -> None:
    kill(*service.pids("postgres"))


@fault("kill -9 everything at once, nugget run too")
def _(service: Service) -> None:
    family = children(service.process.pid)
    kill(service.process.pid)
    service.process.wait()
    wait_until(lambda: not any(command(pid) for pid in family), 5, "processes outlive nugget run")
    service.start()


@fault("rolling restart")
def _(service: Service) -> None:
    for part in ("worker", "web"):
        old = service.pids(part)[0]
        kill(old, with_signal=signal.SIGTERM)
        wait_until(partial(renewed, service, part, old), 30, f"{part} is not started again")
        wait_until(service.answers, 30, "the service does not answer")


def renewed(service: Service, part: str, old: int) -> bool:
    return service.pids(part)[:1] not in ([], [old])


@fault("a message delivered ten times")
def _(service: Service) -> None:
    ring(service, 10)


@fault("drains in two workers at once")
def _(service: Service) -> None:
    from deploy.run import environment, worker_command
    from leaderboard.settings import Settings

    environ = environment(service.data, os.environ)
    second = subprocess.Popen(
        worker_command(Settings.from_environment(environ)), cwd=ROOT, env=environ, stderr=subprocess.DEVNULL
    )
    time.sleep(3)
    ring(service, 10)
    time.sleep(1)
    second.terminate()
    second.wait(30)


def stopped(part: str) -> None:
    @fault(f"SIGSTOP {part} for {STOPPED:.0f} s")
    def _(service: Service) -> None:
        pids = service.pids(part)
        kill(*pids, with_signal=signal.SIGSTOP)
        time.sleep(STOPPED)
        kill(*pids, with_signal=signal.SIGCONT)


for each in ("web", "worker", "redis", "postgres"):
    stopped(each)


def ring(service: Service, times: int) -> None:
    """Send the doorbell's message so many times, as an own process: a client of Celery, as a web process is one."""
    from deploy.run import environment

    program = f"from worker.bell import send\nfor _ in range({times}): send()"
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=environment(service.data, os.environ), check=True)


# --- the promises ----------------------------------------------------------------------------------------------------


def wait_until(holds: Callable[[], bool], seconds: float, else_: str) -> float:
    """Wait until it holds: how long that took."""
    begun = time.monotonic()
    while not holds():
        if time.monotonic() - begun > seconds:
            raise Broken(f"{else_} ({seconds:.0f} s)")
        time.sleep(0.05)
    return time.monotonic() - begun


def undecided(service: Service) -> int:
    try:
        with service.connect() as conn:
            row = conn.execute("SELECT count(*) FROM submission WHERE waiting").fetchone()
            return int(row[0]) if row else 0
    except psycopg.OperationalError:
        return 1


def check(service: Service, stream: Stream) -> list[float]:
    """Every promise, now that all is decided; the delays from upload to verdict, in seconds. Raises Broken."""
    with service.connect() as conn:
        rows = conn.execute(STORED).fetchall()
        stored = {str(row[0]): row for row in rows}
        lost = [one for one, digest in stream.acknowledged.items() if one not in stored or stored[one][1] != digest]
        wrong = [row for row in rows if not row[2] or row[3] != "decided" or row[4] != 1]
        if lost or wrong:
            raise Broken(f"lost: {lost}; without exactly one verdict: {wrong}")
        for what, query in GAPLESS.items():
            if found := conn.execute(query).fetchall():
                raise Broken(f"{what}: {found}")
        if left := conn.execute(CONNECTIONS).fetchall():
            raise Broken(f"connections are left over: {left}")
        return [row[5] for row in rows]


STORED = """
    SELECT submission.id, encode(sha256, 'hex'), sha256 = sha256(record), state, count(verdict.submission),
           coalesce(extract(epoch FROM max(decided_at) - received_at), 0)::float
    FROM submission LEFT JOIN verdict ON verdict.submission = submission.id GROUP BY submission.id"""
GAPLESS = {
    "event numbers have a gap": """
        SELECT counter.contest FROM counter LEFT JOIN event ON event.contest = counter.contest
        GROUP BY counter.contest, events, public_events
        HAVING count(number) <> events OR coalesce(max(number), 0) <> events
            OR count(public) <> public_events OR coalesce(max(public), 0) <> public_events""",
    "a quota is wrong": """
        WITH taken AS (
            SELECT contest, contestant, quota_day AS day, count(*) AS uploads FROM submission
            WHERE quota_day IS NOT NULL AND state <> 'failed' GROUP BY 1, 2, 3
        ) SELECT * FROM quota FULL JOIN taken USING (contest, contestant, day)
        WHERE coalesce(used, 0) <> coalesce(uploads, 0)""",
}
CONNECTIONS = """
    SELECT pid, state, query FROM pg_stat_activity
    WHERE state = 'idle in transaction' AND now() - xact_start > interval '1 s'"""


def boards(service: Service) -> dict[str, list[Any]]:
    """Every board as the public sees it, page by page."""
    found: dict[str, list[Any]] = {}
    for contest in ("chaos", "chaos-quota"):
        path, rows = f"/api/v1/contests/{contest}/standings?limit=2", []
        while path:
            status, page = request(service.port, "GET", path)
            if status != 200:
                raise Broken(f"{path} answers {status}")
            rows += page["standings"]
            path = f"/api/v1/contests/{contest}/standings?limit=2&cursor={page['next']}" if page["next"] else ""
        found[contest] = rows
    return found


def rebuilt(service: Service) -> None:
    """The boards must equal the ones rebuilt from nothing."""
    before = boards(service)
    done = subprocess.run(
        [sys.executable, "-m", "deploy.cli", "db", "rebuild", "--data", str(service.data)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode or boards(service) != before:
        raise Broken(f"the board rebuilt from nothing is another one: {done.stdout}{done.stderr}")


# --- one seed --------------------------------------------------------------------------------------------------------


@dataclass
class Figures:
    """What a run has seen."""

    acknowledged: int
    refused: int
    unanswered: int
    faults: int
    delays: list[float]


def prepare(service: Service) -> list[str]:
    """Two contests, one with a quota, and a contestant for each client."""
    from deploy import servers
    from leaderboard import contests
    from leaderboard.db import connect

    with connect(servers.database_url(service.data)) as conn:
        now = conn.execute("SELECT now(), now() + interval '1 day', now() + interval '2 days'").fetchone()
        assert now
        for slug, quota in (("chaos", None), ("chaos-quota", QUOTA)):
            contests.create(
                conn, slug=slug, titles={"en": slug}, puzzle="jc-golden-nugget", opens_at=now[0], closes_at=now[1],
                publishes_at=now[2], quota=quota,
            )  # fmt: skip
    tokens = []
    for n in range(CLIENTS):
        body = json.dumps({"name": f"Client {n}"}).encode()
        status, answer = request(service.port, "POST", "/api/v1/contestants", body, Content_Type="application/json")
        if status != 201:
            raise Broken(f"registration answers {status}")
        UUID(answer["id"])
        tokens.append(answer["token"])
    return tokens


def run(seed: int, say: Callable[[str], None]) -> Figures:
    """All faults once, in an order that the seed gives. Raises Broken."""
    order = random.Random(seed).sample(sorted(FAULTS), len(FAULTS))
    with tempfile.TemporaryDirectory(prefix="chaos-") as folder, socket.socket() as probe:
        os.chmod(folder, 0o711)
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        probe.close()
        service = Service(Path(folder) / "data", port)
        service.start()
        try:
            stream = Stream(port, prepare(service), ["chaos", "chaos-quota"])
            delays: list[float] = []
            for name in order:
                before = len(stream.acknowledged)
                with stream.flowing():
                    time.sleep(BEFORE)
                    FAULTS[name](service)
                    time.sleep(AFTER)
                settled = wait_until(lambda: not undecided(service), SETTLED, f"after {name}: not all is decided")
                delays = check(service, stream)
                wait_until(service.answers, SETTLED, f"after {name}: the service does not answer")
                rebuilt(service)
                uploads = len(stream.acknowledged) - before
                say(f"  {name:45} {uploads:5} uploads, all decided {settled:4.1f} s after the last")
            service.stop()
        except Broken:
            for log in sorted((service.data / "log").glob("*.log")):
                say(f"--- the end of {log.name}")
                say("\n".join(log.read_text(errors="replace").splitlines()[-30:]))
            raise
        finally:
            kill(service.process.pid, *children(service.process.pid))
            service.process.wait()
    return Figures(len(stream.acknowledged), stream.refused, stream.unanswered, len(order), delays)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1], help="one run for each (default: 1)")
    seeds = parser.parse_args().seeds
    every: list[Figures] = []
    lines, broken = [], False
    for seed in seeds:
        print(f"seed {seed}", flush=True)
        begun = time.monotonic()
        try:
            figures = run(seed, lambda line: print(line, flush=True))
        except Broken as error:
            print(f"  BROKEN: {error}", flush=True)
            lines.append(f"| {seed} | broken: {error} | | | | | | | | |")
            broken = True
            continue
        every.append(figures)
        half, worst = statistics.median(figures.delays), max(figures.delays)
        lines.append(
            f"| {seed} | {figures.acknowledged:,} | {figures.refused} | {figures.unanswered} "
            f"| {figures.faults} | 0 | 0 | {half:.2f} s | {worst:.1f} s | {time.monotonic() - begun:.0f} s |"
        )
    # Lost and doubled are 0 in a run that ends: one lost or doubled breaks it.
    print("\n| seed | acknowledged | refused | not answered | faults | lost | doubled | median | worst | took |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    print("\n".join(lines))
    if every:
        delays = sorted(delay for figures in every for delay in figures.delays)
        print(
            f"| all | {sum(each.acknowledged for each in every):,} | {sum(each.refused for each in every)} "
            f"| {sum(each.unanswered for each in every)} | {sum(each.faults for each in every)} | 0 | 0 "
            f"| {statistics.median(delays):.2f} s | {delays[-1]:.1f} s | |"
        )
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
