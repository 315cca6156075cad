"""A filled queue, drained: beside the same processes that only call verify(), and beside one task per submission."""

import multiprocessing
import statistics
from collections.abc import Iterator
from multiprocessing.synchronize import Barrier
from time import perf_counter, sleep

from benchmarks.service import Service, another, empty, fill
from benchmarks.table import Row, seconds
from benchmarks.verifying import record
from leaderboard.contests import allowing
from leaderboard.db import transaction
from verifier import verify
from worker.bell import send


def rows(service: Service, quick: bool) -> Iterator[Row]:
    """Typical records and the longest."""
    processes = service.settings.worker_processes
    for what, name, n in (("typical", "best-20-short", 3000), ("longest", "worst-200-of-99-full", 200)):
        data, n = record(name), n // 8 if quick else n
        pairs = []
        with service.worker():
            fill(service, data, 2 * processes)
            empty()
            for _ in range(1 if quick else 5):
                alone = n / _alone(data, n, processes)
                fill(service, data, n)
                for _ in range(processes):
                    send()
                pairs.append((n / seconds(empty), alone))
        ours, alone = (statistics.median(each) for each in zip(*pairs, strict=True))
        ratio = statistics.median(mine / theirs for mine, theirs in pairs)
        yield Row(
            f"draining {n} {what} records ({len(data):,} bytes), {processes} processes", f"{ours:.0f}/s",
            f"the same processes calling verify() {alone:.0f}/s", f"{ratio:.0%}", ">= 85 %", ratio >= 0.85,
        )  # fmt: skip
        one = _one_task_each(service, data, n)
        yield Row(
            f"... beside one Celery task each, {what}", f"{ours:.0f}/s", f"{one:.0f}/s", f"{ours / one:.1f} times"
        )


def _alone(data: bytes, n: int, processes: int) -> float:
    """Seconds that the processes need for n records between them, when they do nothing else."""
    context = multiprocessing.get_context("fork")
    barrier = context.Barrier(processes + 1)
    children = [context.Process(target=_verify, args=(data, n // processes, barrier)) for _ in range(processes)]
    for child in children:
        child.start()
    barrier.wait()
    begun = perf_counter()
    barrier.wait()
    found = perf_counter() - begun
    for child in children:
        child.join()
    return found


def _verify(data: bytes, n: int, barrier: Barrier) -> None:
    records = [another(data) for _ in range(n)]
    barrier.wait()
    for each in records:
        assert verify(each, allowing("jc-golden-nugget", [])).accepted
    barrier.wait()


def _one_task_each(service: Service, data: bytes, n: int) -> float:
    """Submissions a second, from the first that is done to the last: the start of the worker is left out."""
    import os

    os.environ |= {key: service.environ()[key] for key in ("DATABASE_URL", "REDIS_URL", "SECRET_KEY")}
    from benchmarks.one_task_each import decide

    with transaction() as conn:
        conn.execute("TRUNCATE plain")
        conn.cursor().executemany(
            "INSERT INTO plain (id, record) VALUES (%s, %s)", [(number, another(data)) for number in range(n)]
        )
    for number in range(n):
        decide.delay(number)
    with service.worker("benchmarks.one_task_each"):
        while True:
            sleep(0.1)
            with transaction() as conn:
                row = conn.execute(
                    "SELECT count(done_at), extract(epoch FROM max(done_at) - min(done_at))::float FROM plain"
                ).fetchone()
            assert row
            if row[0] == n:
                return float((n - 1) / row[1])
