"""The leaderboard's operations as it grows to a million contestants, and its page with 10,000."""

import gzip
import json
import random
import statistics
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

from benchmarks.service import SLUG, Client, Service
from benchmarks.table import Row, ms, seconds
from deploy import servers
from leaderboard import best, board, contests, events, fences, ranking
from leaderboard.best import Result
from leaderboard.contests import Contest
from leaderboard.db import Connection, connect, transaction
from leaderboard.fences import Place

SLUG_HERE = f"{SLUG}-board"
SINCE = datetime.now(UTC) - timedelta(hours=20)
OPERATIONS = ("top 50", "a page anywhere", "a rank anywhere", "with 10 neighbours", "one update")
FLAT = 3.0
"""A million may take so many times as long as a thousand: the index has two levels more, and that is all."""


def rows(service: Service, quick: bool) -> Iterator[Row]:
    """Each operation at each size."""
    dice = random.Random(1)
    with transaction() as conn:
        contest = contests.create(
            conn, slug=SLUG_HERE, titles={"en": "A large board"}, puzzle="jc-golden-nugget",
            opens_at=SINCE, closes_at=datetime.now(UTC) + timedelta(days=1),
        )  # fmt: skip
    sizes = (10**3, 10**4, 10**5) if quick else (10**3, 10**4, 10**5, 10**6)
    times: dict[str, list[float]] = {name: [] for name in OPERATIONS}
    people: list[tuple[UUID, UUID, Place]] = []
    for size in sizes:
        people += _grow(service, contest, size - len(people), dice)
        for name, spent in _measure(contest, people, dice, 20 if quick else 100).items():
            times[name].append(spent)
        if size == 10**4:
            yield from _page(service)
    for name, spent in times.items():
        found = ", ".join(ms(each) for each in spent)
        growth = spent[-1] / spent[0]
        yield Row(
            f"leaderboard, {name}: {', '.join(f'{size:,}' for size in sizes)} contestants", found,
            "the smallest board", f"{growth:.1f}", f"flat (<= {FLAT:.0f})", growth <= FLAT,
        )  # fmt: skip


def _grow(service: Service, contest: Contest, more: int, dice: random.Random) -> list[tuple[UUID, UUID, Place]]:
    """So many contestants more, each with a best; then the fences, as `nugget db rebuild` counts them."""
    new = []
    with connect(servers.database_url(service.data, "postgres", "golden_nugget")) as conn:
        conn.execute("SET session_replication_role = replica")  # rows that are right need no checking one by one
        for first in range(0, more, 50_000):
            part = []
            for _ in range(min(50_000, more - first)):
                counts = [dice.randint(12, 99) for _ in range(dice.randint(20, 60))]
                at = SINCE + timedelta(milliseconds=dice.randrange(60_000_000))
                part.append((uuid4(), uuid4(), Place(ranking.chain_key(counts), at, UUID(int=0)), counts))
            with conn.cursor().copy("COPY contestant (id, name, folded) FROM STDIN") as copy:
                for who, _, _, _ in part:
                    copy.write_row((who, f"C {who.hex[:20]}", f"c {who.hex[:20]}"))
            with conn.cursor().copy(
                "COPY submission (id, contest, contestant, received_at, record, size, sha256, state, turn) FROM STDIN"
            ) as copy:
                for who, what, place, _ in part:
                    copy.write_row((what, contest.id, who, place.received_at, b"", 0, what.bytes * 2, "decided", SINCE))
            with conn.cursor().copy(
                "COPY best (contest, setup, live, contestant, key, received_at, submission, score) FROM STDIN"
            ) as copy:
                for who, what, place, counts in part:
                    score = {
                        "boards": len(counts), "moves": sum(counts), "mean": f"{sum(counts)}/{len(counts)}",
                        "moves_per_board": counts,
                    }  # fmt: skip
                    row = (contest.id, 0, True, who, place.key, place.received_at, what, json.dumps(score))
                    copy.write_row(row)
            new += [(who, what, place._replace(contestant=who)) for who, what, place, _ in part]
        fences.rebuild(conn, contest.id)
        conn.commit()
        conn.autocommit = True
        conn.execute("VACUUM ANALYZE best, fence, contestant, submission")  # as autovacuum would by and by
    return new


def _measure(
    contest: Contest, people: list[tuple[UUID, UUID, Place]], dice: random.Random, times: int
) -> dict[str, float]:
    """Medians of each operation, each time somewhere else on the board."""
    found: dict[str, list[float]] = {name: [] for name in OPERATIONS}
    with transaction() as conn:
        for _ in range(times):
            who, _, place = dice.choice(people)
            cursor = board._encode(False, place)
            found["top 50"].append(seconds(lambda: board.page(conn, contest)))
            found["a page anywhere"].append(seconds(lambda cursor=cursor: board.page(conn, contest, cursor=cursor)))
            found["a rank anywhere"].append(seconds(lambda who=who: board.one(conn, contest, who, 0)))
            found["with 10 neighbours"].append(seconds(lambda who=who: board.one(conn, contest, who, 5)))
    for _ in range(times):
        index = dice.randrange(len(people))
        who, what, place = people[index]
        key = place.key[:4] + place.key[4:5] + bytes([11]) + place.key[6:]  # a better last board
        with transaction() as conn:
            conn.execute("SET LOCAL synchronous_commit = off")
            found["one update"].append(
                seconds(lambda key=key, who=who, what=what: _update(conn, contest, who, what, key))
            )
    return {name: statistics.median(spent) for name, spent in found.items()}


def _update(conn: Connection, contest: Contest, who: UUID, what: UUID, key: bytes) -> None:
    """As queue.finish does it: the contest's counter, then bests and fences. The commit waits for no disk."""
    events.lock(conn, [contest.id])
    best.apply(conn, [Result(contest.id, who, 0, what, datetime.now(UTC), key, {"boards": 20}, (True,))])
    conn.commit()


def _page(service: Service) -> Iterator[Row]:
    """What a browser gets."""
    with service.web() as port:
        client, path = Client(port), f"/contests/{SLUG_HERE}"
        accept = b"Accept: text/html\r\n"
        status, html, first = client.get(path, accept)
        assert status == 200, html[:300]
        warm = statistics.median(client.get(path, accept)[2] for _ in range(30))
        _, answer, _ = client.get(f"/api/v1/contests/{SLUG_HERE}/standings?limit=50")
        api = statistics.median(client.get(f"/api/v1/contests/{SLUG_HERE}/standings?limit=50")[2] for _ in range(30))
        weight = f"{len(html) / 1024:.0f} KiB ({len(gzip.compress(html)) / 1024:.0f} KiB gzipped)"
        yield Row("leaderboard page, 10,000 contestants: its HTML", weight)
        yield Row("... to the first byte", ms(warm), f"the first one, which makes the charts, {ms(first)}")
        yield Row(
            f"... the same 50 standings as JSON ({len(answer) / 1024:.0f} KiB)", ms(api), f"page {ms(warm)}",
            f"{api / warm:.2f}",
        )  # fmt: skip
