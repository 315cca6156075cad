"""Ranks are exact, pages complete, at any depth and while the board moves."""

import json
import random
import threading
from collections.abc import Callable
from uuid import UUID

import pytest

from leaderboard import best, board, events, fences, ranking
from leaderboard.best import Result
from leaderboard.board import BadCursor, Page, Standing
from leaderboard.contests import Contest
from leaderboard.db import Connection, transaction
from leaderboard.rebuild import rebuild
from tests.leaderboard.conftest import (
    DAY,
    accepted,
    claim,
    current,
    decide,
    finish,
    make_contest,
    move,
    now,
    rejected,
    upload,
)

CHAINS = [[15] * 20, [15] * 40, [15] * 19 + [16], [16] + [15] * 19, [20] * 20]


def names(standings: list[Standing]) -> list[tuple[int, str]]:
    return [(each.rank, each.name) for each in standings]


def whole(conn: Connection, contest: Contest, limit: int, setup: int | None = None) -> list[Standing]:
    """All pages one after the other, and the same backwards."""
    pages: list[Page] = [board.page(conn, contest, limit, setup=setup)]
    assert pages[0].previous is None
    while cursor := pages[-1].next:
        pages.append(board.page(conn, contest, limit, cursor, setup))
    forwards = [each for page in pages for each in page.standings]
    back, cursor = [pages[-1].standings], pages[-1].previous
    while cursor:
        page = board.page(conn, contest, limit, cursor, setup)
        back.insert(0, page.standings)
        cursor = page.previous
    assert [each for standings in back for each in standings] == forwards
    assert all(page.total == len(forwards) for page in pages)
    return forwards


def test_an_empty_board(contest, conn):
    assert board.page(conn, contest) == Page([], None, None, 0, 0)


def test_equal_results_share_a_rank_and_the_next_rank_skips(contest, enter):
    for name, chain in [("Ann", 20), ("Bob", 15), ("Cyd", 15), ("Dan", 14)]:
        decide(contest, enter(name), accepted([chain] * 20))
    with transaction() as conn:
        assert names(whole(conn, contest, 50)) == [(1, "Dan"), (2, "Bob"), (2, "Cyd"), (4, "Ann")]
        assert names(whole(conn, contest, 1)) == [(1, "Dan"), (2, "Bob"), (2, "Cyd"), (4, "Ann")]


def test_only_the_best_counts_and_of_equal_ones_the_earlier(contest, enter):
    ann = enter("Ann")
    decide(contest, ann, accepted([20] * 20))
    first = decide(contest, ann, accepted([15] * 20))
    decide(contest, ann, accepted([15] * 20))
    decide(contest, ann, accepted([16] * 20))
    decide(contest, ann, rejected())
    with transaction() as conn:
        [standing] = board.page(conn, contest).standings
    assert (standing.submission, standing.received_at) == (first.id, first.received_at)
    assert standing.score == first.verdict["score"]


def test_of_equal_ones_the_earlier_counts_also_when_it_is_verified_last(contest, enter):
    ann = enter("Ann")
    early, late = upload(contest, ann), upload(contest, ann)
    rows = {row.id: row for row in claim()}
    finish([(rows[late.id], accepted([15] * 20))])
    finish([(rows[early.id], accepted([15] * 20))])
    with transaction() as conn:
        assert [each.submission for each in board.page(conn, contest).standings] == [early.id]


def test_a_contestant_between_neighbours(contest, enter):
    everybody = [enter(f"N{n}") for n in range(7)]
    for n, contestant in enumerate(everybody):
        decide(contest, contestant, accepted([15 + n // 2] * 20))
    with transaction() as conn:
        around = board.one(conn, contest, everybody[3].id)
        assert names(around) == [(1, "N1"), (3, "N2"), (3, "N3"), (5, "N4"), (5, "N5")]
        assert names(board.one(conn, contest, everybody[0].id, neighbours=1)) == [(1, "N0"), (1, "N1")]
        assert names(board.one(conn, contest, everybody[6].id, neighbours=0)) == [(7, "N6")]
        assert board.one(conn, contest, enter("Not there").id) is None


@pytest.mark.parametrize("cursor", ["", "x", "AA", "A" * 30 + "é", "Ag" + "A" * 40, "A" * 1000, "//8" + "A" * 40])
def test_a_cursor_that_is_none(contest, conn, cursor):
    with pytest.raises(BadCursor):
        board.page(conn, contest, cursor=cursor)


@pytest.fixture
def many(monkeypatch, contest: Contest) -> Callable[[int], None]:
    """Changes that many random results, with fences every 4 rows; whoever asks may compare with the plain rule."""
    monkeypatch.setattr(fences, "STEP", 4)
    chance = random.Random(7)
    with transaction() as conn:
        conn.execute("""
            INSERT INTO contestant (name, folded) SELECT 'C' || n, 'c' || n FROM generate_series(1, 90) n""")
        everybody = [contestant for (contestant,) in conn.execute("SELECT id FROM contestant ORDER BY name")]

    def change(n: int) -> None:
        with transaction() as conn:
            events.lock(conn, [contest.id])
            best.apply(conn, [result(conn, chance.choice(everybody)) for _ in range(n)])

    def result(conn: Connection, contestant: UUID) -> Result:
        chain = chance.choice(CHAINS) if chance.random() < 0.5 else [chance.randint(14, 17) for _ in range(20)]
        verdict = accepted(chain)
        row = conn.execute(
            """
            INSERT INTO submission (contest, contestant, record, size, sha256, turn, state, received_at)
            VALUES (%(contest)s, %(contestant)s, %(record)s, 16, sha256(%(record)s), now(), 'decided',
                    clock_timestamp())
            RETURNING id, received_at""",
            {"contest": contest.id, "contestant": contestant, "record": chance.randbytes(16)},
        ).fetchone()
        conn.execute(
            """
                INSERT INTO verdict (submission, version, accepted, verdict, applied, microseconds)
                VALUES (%s, '1', true, %s, true, 1)""",
            [row[0], json.dumps(verdict.to_json())],
        )
        return Result(contest.id, contestant, 0, row[0], row[1], ranking.chain_key(chain), verdict.score, (True,))

    return change


def plain(conn: Connection, contest: Contest) -> list[tuple[int, UUID]]:
    """Ranks and contestants by counting, without fences and pages."""
    rows = conn.execute(
        """
        SELECT rank() OVER (ORDER BY key), contestant FROM best WHERE contest = %s AND setup = 0 AND live
        ORDER BY key, received_at, contestant""",
        [contest.id],
    )
    return [(rank, contestant) for rank, contestant in rows]


def counted(conn: Connection, contest: Contest) -> None:
    """Each fence counts exactly the rows up to the next one."""
    assert not conn.execute(
        """
        WITH range AS (
            SELECT *, lead((key, received_at, contestant)) OVER (ORDER BY key, received_at, contestant) AS end
            FROM fence
            WHERE contest = %(contest)s AND setup = 0 AND live
        ) SELECT * FROM range WHERE rows <> (
            SELECT count(*) FROM best WHERE contest = %(contest)s AND setup = 0 AND live
            AND (key, received_at, contestant) >= (range.key, range.received_at, range.contestant)
            AND coalesce((key, received_at, contestant) < range.end, true))""",
        {"contest": contest.id},
    ).fetchall()


def test_fences_and_pages_agree_with_plain_counting(contest, many):
    for n in [1, 1, 3, 20, 40, 1, 80, 5, 100, 2]:
        many(n)
        with transaction() as conn:
            counted(conn, contest)
            due = plain(conn, contest)
            for limit in (1, 3, 50):
                assert [(each.rank, each.contestant_id) for each in whole(conn, contest, limit)] == due
            for rank, contestant in due[:: len(due) // 5 + 1]:
                [mine] = board.one(conn, contest, contestant, neighbours=0)
                assert mine.rank == rank
    assert len(due) > 80


def test_a_rebuild_from_nothing_gives_the_identical_board(contest, many):
    many(150)
    heard = []
    with transaction() as conn:
        before = whole(conn, contest, 50)
        found = rebuild(conn, contest, lambda done, due: heard.append((done, due)))
        assert (found.results, found.bests, found.differed) == (150, len(before), 0)
        assert heard[-1] == (150, 150)
        assert whole(conn, contest, 50) == before
        counted(conn, contest)


def test_a_rebuild_mends_what_is_wrong_and_says_so(contest, many):
    many(60)
    with transaction() as conn:
        before = whole(conn, contest, 50)
        conn.execute("DELETE FROM best WHERE contestant = %s", [before[0].contestant_id])
        conn.execute("UPDATE best SET key = '\\x00' WHERE contestant = %s", [before[-1].contestant_id])
        conn.execute("UPDATE fence SET rows = rows + 1")
    with transaction() as conn:
        assert rebuild(conn, contest).differed == 2
        assert whole(conn, contest, 50) == before
        counted(conn, contest)


def test_nobody_is_shown_twice_or_skipped_while_others_move(contest, enter):
    everybody = [enter(f"N{n}") for n in range(6)]
    for n, contestant in enumerate(everybody):
        decide(contest, contestant, accepted([20 + n] * 20))
    with transaction() as conn:
        first = board.page(conn, contest, 3)
    decide(contest, everybody[2], accepted([15] * 20))  # from the first page to its top
    decide(contest, enter("New"), accepted([16] * 20))  # before all pages still to come
    with transaction() as conn:
        second = board.page(conn, contest, 3, first.next)
    assert names(first.standings) == [(1, "N0"), (2, "N1"), (3, "N2")]
    assert names(second.standings) == [(5, "N3"), (6, "N4"), (7, "N5")]


def test_a_page_is_one_moment_also_while_others_write(contest, many):
    """Ranks, order and total of one answer belong together, whatever is committed meanwhile."""
    many(50)
    done = threading.Event()

    def write() -> None:
        for _ in range(40):
            many(5)
        done.set()

    writer = threading.Thread(target=write)
    writer.start()
    seen = 0
    while not done.is_set():
        with transaction() as conn:
            page = board.page(conn, contest, 200)
        keys = [ranking.sort_key("jc-golden-nugget", each.score) for each in page.standings]
        assert keys == sorted(keys)
        assert [each.rank for each in page.standings] == [keys.index(key) + 1 for key in keys]
        assert page.total == len(keys)
        seen += 1
    writer.join()
    assert seen > 5


def test_in_a_freeze_the_public_board_stays_and_then_shows_all(enter):
    contest = make_contest(freezes_at=now() + DAY / 2)
    ann, bob = enter("Ann"), enter("Bob")
    decide(contest, ann, accepted([20] * 20))
    pending = upload(contest, bob)  # before the freeze, verified in it
    contest = move(contest, freezes_at=now())
    assert contest.phase == "frozen"
    [row] = claim()
    assert row.id == pending.id
    finish([(row, accepted([19] * 20))])
    hidden = decide(contest, ann, accepted([15] * 20))
    with transaction() as conn:
        assert names(board.page(conn, contest).standings) == [(1, "Bob"), (2, "Ann")]
        public = board.event(conn, contest)
        assert str(hidden.id) not in str(events.since(conn, contest, 0))
    contest = move(contest, closes_at=now())
    with transaction() as conn:
        assert names(board.page(conn, contest).standings) == [(1, "Bob"), (2, "Ann")]
    contest = move(contest, publishes_at=now())
    with transaction() as conn:
        assert names(board.page(conn, contest).standings) == [(1, "Ann"), (2, "Bob")]
        events.announce(conn)
        assert board.event(conn, contest) > public
        events.announce(conn)


def test_a_late_upload_is_judged_and_never_ranked(contest, enter):
    ann = enter("Ann")
    pending = upload(contest, ann)
    contest = move(contest, closes_at=now(), publishes_at=now() + DAY)
    assert (contest.phase, contest.provisional) == ("closed", True)
    late = upload(contest, ann)
    finish([(row, accepted([15 if row.id == late.id else 20] * 20)) for row in claim()])
    contest = current(contest)
    assert (contest.phase, contest.provisional) == ("closed", False)
    with transaction() as conn:
        assert [each.submission for each in board.page(conn, contest).standings] == [pending.id]
