"""Weight and time to first byte of the leaderboard page with many contestants.

`.venv/bin/python benchmarks/leaderboard_page.py [CONTESTANTS]` (10,000 unless stated): the embedded servers in a
temporary folder, the real web server, one client on the same machine. Prints medians over requests one after the other.
"""

from __future__ import annotations

import gzip
import random
import re
import secrets
import statistics
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from http.client import HTTPConnection
from pathlib import Path
from time import perf_counter

from deploy import servers
from deploy.run import answers, free_port, web_command
from leaderboard import contests, db, queue
from leaderboard.contests import Contest
from leaderboard.migrate import migrate
from leaderboard.settings import Settings
from verifier import Verdict

ROOT = Path(__file__).parents[1]
TIMES = 50
BATCH = 500


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory(prefix="gn-bench-") as name:
        folder = Path(name)
        folder.chmod(0o711)  # as root the servers run as nobody
        with (
            servers.running(folder / "data") as (database_url, redis_url),
            site(database_url, redis_url, folder) as port,
        ):
            fill(count)
            report(port, count)


@contextmanager
def site(database_url: str, redis_url: str, folder: Path) -> Iterator[int]:
    """The web server on a migrated database."""
    migrate(database_url)
    port = free_port("127.0.0.1", 0)
    settings = Settings(database_url, redis_url, secrets.token_urlsafe(32), web_port=port, rate_limits=0)
    db.open_pool(settings)
    environment = {each.name.upper(): str(getattr(settings, each.name)) for each in fields(settings)}
    web = servers.Child("Web", web_command(settings), folder / "web.log", environment, answers(settings), cwd=ROOT)
    web.start_and_wait()
    try:
        yield port
    finally:
        web.stop()
        db.close_pool()


def fill(count: int) -> None:
    """So many contestants, each with one accepted chain of random length."""
    now = datetime.now(UTC)
    with db.transaction() as conn:
        contest = contests.create(
            conn,
            slug="big",
            titles={"en": "Big"},
            puzzle="jc-golden-nugget",
            opens_at=now - timedelta(days=1),
            closes_at=now + timedelta(days=1),
        )
    rng = random.Random(49)
    for start in range(0, count, BATCH):
        hand_in(contest, range(start, min(start + BATCH, count)))
        with db.transaction() as conn:
            rows = queue.claim(conn, BATCH)
        with db.transaction() as conn:
            queue.finish(conn, [queue.Done(row, verdict(rng), 1000) for row in rows])


def hand_in(contest: Contest, numbers: range) -> None:
    """Contestants of these numbers with a submission each, by plain SQL."""
    with db.transaction() as conn:
        conn.execute(
            """
            WITH entered AS (
                INSERT INTO contestant (name, folded) SELECT 'Contestant ' || n, 'contestant ' || n
                FROM unnest(%(numbers)s::int[]) AS n RETURNING id
            )
            INSERT INTO submission (contest, contestant, record, size, sha256, turn)
            SELECT %(contest)s, id, ''::bytea, 0, sha256(id::text::bytea), now() FROM entered""",
            {"numbers": list(numbers), "contest": contest.id},
        )


def verdict(rng: random.Random) -> Verdict:
    """What the verifier says of a chain of 20 to 200 boards."""
    level = rng.randint(14, 40)
    moves = [max(12, level + rng.randint(-4, 4)) for _ in range(rng.randint(20, 200))]
    score = {"boards": len(moves), "moves": sum(moves), "mean": str(Fraction(sum(moves), len(moves)))}
    return Verdict("jc-golden-nugget", score={**score, "moves_per_board": moves}, play=secrets.token_hex(32))


def report(port: int, count: int) -> None:
    first = ask(port, "/contests/big")
    page, tag = first[2].decode(), first[3]
    further = re.search(r'rel="next" href="([^"]*)"', page)
    print(f"{count:,} contestants; medians of {TIMES} requests, one after the other")
    for words, path, headers in (
        ("first page", "/contests/big", {}),
        ("second page", further[1].replace("&amp;", "&") if further else "/contests/big", {}),
        ("unchanged (304)", "/contests/big", {"If-None-Match": tag}),
        ("search", "/contests/big?find=contestant+777", {}),
        ("with neighbours", f"/contests/big?around=Contestant+{count // 2}", {}),
    ):
        answered = [ask(port, path, headers) for _ in range(TIMES)]
        milliseconds = statistics.median(each[1] for each in answered) * 1000
        body = answered[0][2]
        print(f"  {words:16} {milliseconds:7.1f} ms to the first byte, {len(body) / 1024:6.1f} KiB, {len(gzip.compress(body)) / 1024:5.1f} KiB gzipped")  # fmt: skip # noqa: E501
    files = sorted({*re.findall(r'(?:href|src)="(/static/[^"]*)"', page), "/static/times.js"})
    weight = sum(len(ask(port, path)[2]) for path in files)
    print(f"  style, scripts, font and icon, kept after the first visit: {weight / 1024:.1f} KiB in {len(files)} files")


def ask(port: int, path: str, headers: dict[str, str] | None = None) -> tuple[int, float, bytes, str]:
    """Status, seconds to the first byte, body and ETag."""
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    began = perf_counter()
    connection.request("GET", path, headers={"Accept": "text/html", **(headers or {})})
    answer = connection.getresponse()
    took = perf_counter() - began
    body = answer.read()
    connection.close()
    return answer.status, took, body, answer.getheader("ETag", "")


if __name__ == "__main__":
    main()
