"""Uploads a second beside a bare INSERT route, and the time from upload to verdict."""

import statistics
from collections.abc import Iterator
from threading import Event, Thread
from time import monotonic, perf_counter, sleep

from benchmarks.service import SLUG, Client, Service, another, empty, id_of, uploads
from benchmarks.table import Row, ms, quantile
from benchmarks.verifying import record
from leaderboard.db import transaction
from worker.bell import send

PATH = f"/api/v1/contests/{SLUG}/submissions"


def rows(service: Service, quick: bool) -> Iterator[Row]:
    """Intake alone; then everything at once, and how long a verdict takes."""
    data = record("best-20-short")
    span, rounds = (1.0, 1) if quick else (3.0, 5)
    with service.web() as port:
        with service.web("benchmarks.bare:app") as bare_port:
            uploads(service, port, PATH, data, 1)
            uploads(service, bare_port, "/bare", data, 1)
            pairs = []
            for _ in range(rounds):
                _clear()
                ours = uploads(service, port, PATH, data, span) / span
                pairs.append((ours, uploads(service, bare_port, "/bare", data, span) / span))
            _clear()
        ours, bare = (statistics.median(each) for each in zip(*pairs, strict=True))
        ratio = statistics.median(mine / theirs for mine, theirs in pairs)
        yield Row(
            "uploads by HTTP (no worker running)", f"{ours:.0f}/s", f"bare one-INSERT route {bare:.0f}/s",
            f"{ratio:.0%}", ">= 60 %", ratio >= 0.6,
        )  # fmt: skip
        with service.worker():
            uploads(service, port, PATH, data, 1)
            send()
            empty()
            begun = monotonic()
            taken = uploads(service, port, PATH, data, 2 * span)
            empty()
            whole = taken / (monotonic() - begun)
            yield Row("uploads taken and decided, all on this machine", f"{whole:.0f}/s")
            idle = _latencies(service, port, data, 20 if quick else 150, 0.05)
            yield from _verdict("idle", idle)
            stop = Event()
            load = Thread(target=_load, args=[service, port, data, whole / 2, stop])
            load.start()
            try:
                sleep(1)
                busy = _latencies(service, port, data, 20 if quick else 150, 0.02)
            finally:
                stop.set()
                load.join()
            empty()
            yield from _verdict(f"at half load ({whole / 2:.0f} uploads/s)", busy)


def _load(service: Service, port: int, data: bytes, rate: float, stop: Event) -> None:
    while not stop.is_set():
        uploads(service, port, PATH, data, 1, rate)


def _latencies(service: Service, port: int, data: bytes, n: int, pause: float) -> list[float]:
    """Seconds from the first byte sent until another connection sees the verdict, looking every millisecond."""
    client, found = Client(port, service.tokens[0]), []
    with transaction() as conn:
        conn.commit()
        conn.autocommit = True
        try:
            for _ in range(n):
                body = another(data)
                begun = perf_counter()
                uploaded = id_of(client.post(PATH, body))
                while not conn.execute("SELECT 1 FROM verdict WHERE submission = %s", [uploaded]).fetchone():
                    sleep(0.001)
                found.append(perf_counter() - begun)
                sleep(pause)
        finally:
            conn.autocommit = False
    return found


def _verdict(when: str, found: list[float]) -> Iterator[Row]:
    for share, aim in ((0.5, 0.03), (0.99, 0.15)):
        took = quantile(found, share)
        yield Row(
            f"upload to verdict, {when}, p{100 * share:.0f} of {len(found)}", ms(took), aim=f"< {1000 * aim:.0f} ms",
            met=took < aim,
        )  # fmt: skip


def _clear() -> None:
    """Forget what the last round has queued."""
    with transaction() as conn:
        conn.execute("DELETE FROM submission WHERE state = 'queued'")
        conn.execute("DELETE FROM bare")
