"""The service in a temporary folder: servers, web and worker as `nugget run` starts them; and clients of it."""

import hashlib
import json
import os
import shutil
import socket
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from time import monotonic, perf_counter, sleep

from deploy import run, servers
from deploy.servers import Child
from leaderboard import contestants, contests, db
from leaderboard.contests import Contest
from leaderboard.db import statement, transaction
from leaderboard.migrate import migrate
from leaderboard.settings import Settings
from worker import app as worker_app

ROOT = Path(__file__).parents[1]
SLUG = "benchmark"
THREADS = 16
_numbers = count()


@dataclass
class Service:
    """Where it is, and the contest and contestants that everything is measured with."""

    data: Path
    settings: Settings
    contest: Contest
    tokens: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)

    def environ(self, port: int = 0) -> dict[str, str]:
        """The environment of its processes."""
        return {
            **os.environ,
            "CHORE_MINUTES": "0",
            "DATABASE_URL": self.settings.database_url,
            "REDIS_URL": self.settings.redis_url,
            "SECRET_KEY": self.settings.secret_key,
            "WEB_PORT": str(port),
            "WEB_THREADS": str(THREADS),
            "RATE_LIMITS": "1000000",  # they are counted as always, and never reached
            "WORKER_PROCESSES": str(self.settings.worker_processes),
            "LOG_LEVEL": "warning",
            "PYTHONPATH": str(ROOT),
        }

    @contextmanager
    def web(self, app: str = "api.wsgi:app") -> Iterator[int]:
        """A web server on granian; its port."""
        port = run.free_port("127.0.0.1", 0)
        environ = self.environ(port)
        settings = Settings.from_environment(environ)
        argv = [app if word == "api.wsgi:app" else word for word in run.web_command(settings)]
        log = servers.log_file(self.data, "web")
        child = Child("Web", argv, log, environ, run.answers(settings), cwd=ROOT)
        with ExitStack() as stack:
            stack.callback(child.stop)
            child.start_and_wait()
            yield port

    @contextmanager
    def worker(self, app: str = "worker.app") -> Iterator[None]:
        """A worker."""
        environ = self.environ()
        argv = [app if word == "worker.app" else word for word in run.worker_command(self.settings)]
        child = Child("Worker", argv, servers.log_file(self.data, "worker"), environ, lambda _: True, cwd=ROOT)
        with ExitStack() as stack:
            stack.callback(child.stop)
            child.start_and_wait()
            yield


@contextmanager
def service(processes: int, people: int = THREADS) -> Iterator[Service]:
    """Everything but web and worker, in a folder that is removed afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="gn-bench-"))
    folder.chmod(0o711)
    try:
        with servers.running(folder / "data") as (database_url, redis_url):
            settings = Settings(database_url, redis_url, "a key for measurements " * 3, worker_processes=processes)
            migrate(database_url)
            db.open_pool(settings)
            worker_app.use(settings)
            try:
                now = datetime.now(UTC)
                with transaction() as conn:
                    contest = contests.create(
                        conn, slug=SLUG, titles={"en": "Benchmark"}, puzzle="jc-golden-nugget",
                        opens_at=now - timedelta(days=1), closes_at=now + timedelta(days=1),
                    )  # fmt: skip
                    made = [contestants.register(conn, f"Client {n}") for n in range(people)]
                    conn.execute("CREATE TABLE bare (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), record bytea)")
                    conn.execute(
                        "CREATE TABLE plain (id int PRIMARY KEY, record bytea, verdict json, done_at timestamptz)"
                    )
                yield Service(
                    folder / "data", settings, contest, [token for _, token in made], [str(one.id) for one, _ in made]
                )
            finally:
                db.close_pool()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def another(record: bytes) -> bytes:
    """The record with a comment that no other has: the same bytes again would be the same submission."""
    return record.rstrip(b"\n") + b"\n# %d\n" % next(_numbers)


def fill(service: Service, record: bytes, n: int) -> None:
    """Queue n submissions at once."""
    records = [another(record) for _ in range(n)]
    with transaction() as conn:
        conn.cursor().executemany(
            "INSERT INTO submission (contest, contestant, record, size, sha256, turn) "
            "VALUES (%s, %s, %s, %s, %s, now())",
            [
                (service.contest.id, service.ids[i % len(service.ids)], data, len(data), hashlib.sha256(data).digest())
                for i, data in enumerate(records)
            ],
        )


def waiting() -> bool:
    """Whether a submission is not decided. It costs the same however many there are, so it may be asked often."""
    with statement() as conn:
        row = conn.execute("SELECT EXISTS (SELECT FROM submission WHERE waiting)").fetchone()
    assert row
    return bool(row[0])


def empty(patience: float = 120) -> None:
    """Wait until the queue is empty."""
    until = monotonic() + patience
    while waiting():
        if monotonic() > until:
            sys.exit("The queue was not drained in time.")
        sleep(0.02)


class Client:
    """A connection that is kept open, and as little work around a request as can be."""

    def __init__(self, port: int, token: str = "") -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.head = b"Host: 127.0.0.1\r\nAuthorization: Bearer " + token.encode() + b"\r\n"

    def post(self, path: str, body: bytes) -> bytes:
        """The body of the answer, which is 202."""
        self.socket.sendall(
            b"POST %s HTTP/1.1\r\n%sContent-Length: %d\r\n\r\n" % (path.encode(), self.head, len(body)) + body
        )
        status, answer, _ = self._answer()
        assert status == 202, answer
        return answer

    def get(self, path: str, headers: bytes = b"") -> tuple[int, bytes, float]:
        """Status, body, and seconds to the first byte."""
        begun = perf_counter()
        self.socket.sendall(b"GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n%s\r\n" % (path.encode(), headers))
        status, body, first = self._answer()
        return status, body, first - begun

    def _answer(self) -> tuple[int, bytes, float]:
        got = self.socket.recv(65536)
        first = perf_counter()
        while b"\r\n\r\n" not in got:
            got += self._more()
        head, _, body = got.partition(b"\r\n\r\n")
        lines = head.lower().split(b"\r\n")
        length = next(int(line[15:]) for line in lines if line.startswith(b"content-length:"))
        while len(body) < length:
            body += self._more()
        return int(head.split()[1]), body, first

    def _more(self) -> bytes:
        part = self.socket.recv(65536)
        assert part, "the connection has ended"
        return part


def uploads(service: Service, port: int, path: str, record: bytes, seconds: float, rate: float = 0) -> int:
    """How many uploads are answered with 202 in that time by 16 clients; with a rate, so many a second are sent."""
    done, until = [0] * len(service.tokens), monotonic() + seconds

    def client(index: int, token: str) -> None:
        connection, due = Client(port, token), monotonic() + index / (rate or 1)
        while monotonic() < until:
            if rate:
                sleep(max(0, due - monotonic()))
                due += len(service.tokens) / rate
            connection.post(path, another(record))
            done[index] += 1

    together([lambda i=i, t=t: client(i, t) for i, t in enumerate(service.tokens)])
    return sum(done)


def together(actions: list[Callable[[], None]]) -> None:
    """Run them in threads, to the end of the last."""
    failed: list[BaseException] = []

    def guarded(action: Callable[[], None]) -> None:
        try:
            action()
        except BaseException as error:  # noqa: BLE001 - told by whoever waits for the threads
            failed.append(error)

    threads = [threading.Thread(target=guarded, args=[action]) for action in actions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]


def id_of(answer: bytes) -> str:
    """The id in an answer."""
    return str(json.loads(answer)["id"])
