"""The leaderboard's operations as it grows to a million contestants, and its page with 10,000."""

import gzip
import json
import random
import statistics
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from hashlib import md5
from uuid import UUID

from benchmarks.service import SLUG, Client, Service
from benchmarks.table import Row, ms, seconds
from deploy import servers
from leaderboard import best, board, charts, contests, events, fences, ranking
from leaderboard.best import Result
from leaderboard.contests import Contest
from leaderboard.db import Connection, connect, transaction
from leaderboard.fences import Place

SLUG_HERE = f"{SLUG}-board"
SINCE = datetime.now(UTC) - timedelta(hours=20)
OPERATIONS = ("top 50", "a page anywhere", "a rank anywhere", "with 10 neighbours", "search of a name", "one update")
RESULTS = 20_000
SCORE = {"boards": 20, "moves": 400, "mean": "20", "moves_per_board": [20] * 20}
WHOLE = 10**4
"""Up to so many contestants, as many as the page is measured with, submissions stand behind all of the bests."""
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
    before = 0
    for size in sizes:
        _grow(service, contest, before, size, dice)
        before = size
        for name, spent in _measure(service, contest, size, dice, 20 if quick else 100).items():
            times[name].append(spent)
        if size == WHOLE:
            yield from _page(service)
    for name, spent in times.items():
        found = ", ".join(ms(each) for each in spent)
        growth = spent[-1] / spent[0]
        yield Row(
            f"leaderboard, {name}: {', '.join(f'{size:,}' for size in sizes)} contestants", found,
            "the smallest board", f"{growth:.1f}", f"flat (<= {FLAT:.0f})", growth <= FLAT,
        )  # fmt: skip


def _results(dice: random.Random) -> list[tuple[bytes, str]]:
    """Keys and scores of chains; many contestants share one, as ties must not slow anything."""
    found = []
    for _ in range(RESULTS):
        counts = [dice.randint(12, 99) for _ in range(dice.randint(20, 60))]
        boards, total = len(counts), sum(counts)
        score = {"boards": boards, "moves": total, "mean": f"{total}/{boards}", "moves_per_board": counts}
        found.append((ranking.chain_key(counts), json.dumps(score)))
    return found


def _grow(service: Service, contest: Contest, before: int, size: int, dice: random.Random) -> None:
    """So many contestants, each with a best; then the fences, as `nugget db rebuild` counts them."""
    with connect(servers.database_url(service.data, "postgres", "golden_nugget")) as conn:
        conn.execute("SET session_replication_role = replica")  # rows that are right need no checking one by one
        conn.execute("SET synchronous_commit = off")
        conn.execute("CREATE TEMP TABLE result (nth int PRIMARY KEY, key bytea, score json)")
        with conn.cursor().copy("COPY result FROM STDIN") as copy:
            for nth, (key, score) in enumerate(_results(dice)):
                copy.write_row((nth, key, score))
        conn.execute(
            """
            CREATE TEMP TABLE new AS
            SELECT n, uuidv7() AS who, uuidv7() AS what, left(md5(n::text), 16) AS name,
                   %(since)s + random() * interval '16 hours' AS at, floor(random() * %(results)s)::int AS nth
            FROM generate_series(%(first)s::int, %(last)s) AS n""",
            {"first": before + 1, "last": size, "since": SINCE, "results": RESULTS},
        )
        index = conn.execute("SELECT pg_get_indexdef('contestant_search'::regclass)").fetchone()
        assert index
        conn.execute("DROP INDEX contestant_search")  # to be made again at once, which is quicker
        conn.execute("INSERT INTO contestant (id, name, folded) SELECT who, name, name FROM new")
        conn.execute(index[0])
        if size <= WHOLE:
            conn.execute(
                """
                INSERT INTO submission (id, contest, contestant, received_at, record, size, sha256, state, turn)
                SELECT what, %s, who, at, '', 0, sha256(what::text::bytea), 'decided', at FROM new""",
                [contest.id],
            )
        conn.execute(
            """
            INSERT INTO best (contest, setup, live, contestant, key, received_at, submission, score)
            SELECT %s, 0, true, who, key, at, what, score FROM new JOIN result USING (nth)""",
            [contest.id],
        )
        fences.rebuild(conn, contest.id)
        conn.commit()
        conn.autocommit = True
        conn.execute("VACUUM ANALYZE best, fence, contestant, submission")  # as autovacuum would by and by


def _name(n: int) -> str:
    """What the contestant of that number is called: no two alike, as a search would otherwise find many."""
    return md5(str(n).encode(), usedforsecurity=False).hexdigest()[:16]


def _sample(
    service: Service, contest: Contest, size: int, dice: random.Random, times: int
) -> list[tuple[UUID, UUID, Place]]:
    """Contestants anywhere on the board, with what stands there."""
    names = [_name(n) for n in dice.sample(range(1, size + 1), times)]
    with connect(servers.database_url(service.data, "postgres", "golden_nugget")) as conn:
        rows = conn.execute(
            """
            SELECT contestant, submission, key, received_at FROM best JOIN contestant ON contestant.id = best.contestant
            WHERE contest = %s AND folded = ANY(%s)""",
            [contest.id, names],
        ).fetchall()
        conn.execute(  # an update refers to it; nothing else measured on the larger boards reads any
            """
            INSERT INTO submission (id, contest, contestant, received_at, record, size, sha256, state, turn)
            SELECT submission, contest, contestant, received_at, '', 0, sha256(submission::text::bytea), 'decided',
                   received_at
            FROM best WHERE submission = ANY(%s) ON CONFLICT DO NOTHING""",
            [[what for _, what, _, _ in rows]],
        )
    return [(who, what, Place(bytes(key), at, who)) for who, what, key, at in rows]


def _measure(service: Service, contest: Contest, size: int, dice: random.Random, times: int) -> dict[str, float]:
    """Medians of each operation, each time somewhere else on the board."""
    found: dict[str, list[float]] = {name: [] for name in OPERATIONS}
    people = _sample(service, contest, size, dice, times)
    with transaction() as conn:
        for who, _, place in people:
            cursor = board._encode(False, place)
            name = _name(dice.randint(1, size))
            for operation, action in zip(
                OPERATIONS,
                (
                    partial(board.page, conn, contest),
                    partial(board.page, conn, contest, cursor=cursor),
                    partial(board.one, conn, contest, who, 0),
                    partial(board.one, conn, contest, who, 5),
                    partial(charts.search, conn, contest, name),
                ),
                strict=False,
            ):
                found[operation].append(seconds(action))
    for who, what, place in people:
        key = place.key[:5] + bytes([11]) + place.key[6:]  # a better last board
        with transaction() as conn:
            conn.execute("SET LOCAL synchronous_commit = off")
            found["one update"].append(seconds(partial(_update, conn, contest, who, what, key)))
    return {name: statistics.median(spent) for name, spent in found.items()}


def _update(conn: Connection, contest: Contest, who: UUID, what: UUID, key: bytes) -> None:
    """As queue.finish does it: the contest's counter, then bests and fences. The commit waits for no disk."""
    events.lock(conn, [contest.id])
    best.apply(conn, [Result(contest.id, who, 0, what, datetime.now(UTC), key, SCORE, (True,))])
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
