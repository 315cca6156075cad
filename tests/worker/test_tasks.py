"""Every row is decided once, soon, and without anybody's help, whatever happens to those who work."""

import os
import secrets
import signal
import threading
import time
from pathlib import Path
from uuid import UUID

import pytest

from leaderboard import audit, board, contestants, contests, queue, quota, submissions
from leaderboard.contestants import Contestant
from leaderboard.contests import Contest
from leaderboard.db import transaction
from leaderboard.settings import Settings
from tests.leaderboard.conftest import make_contest, upload
from tests.worker.conftest import COMMAND, children, kill, until
from worker import bell

EXAMPLE = Path("api/examples/jc-golden-nugget.txt").read_bytes()
POISONED = [each.replace("worker.app", "tests.worker.poison") for each in COMMAND]


@pytest.fixture
def contest(pool: Settings) -> Contest:
    return make_contest()


@pytest.fixture
def ann(pool: Settings) -> Contestant:
    return register("Ann")


def register(name: str) -> Contestant:
    with transaction() as conn:
        return contestants.register(conn, name)[0]


def get(submission_id: UUID) -> submissions.Submission:
    with transaction() as conn:
        found = submissions.get(conn, submission_id)
    assert found
    return found


def decided(*ids: UUID) -> bool:
    return all(get(each).verdict for each in ids)


def waiting() -> int:
    with transaction() as conn:
        return queue.depth(conn).waiting


def verdicts() -> dict[UUID, int]:
    with transaction() as conn:
        return dict(conn.execute("SELECT submission, count(*) FROM verdict GROUP BY submission").fetchall())


def test_a_ring_brings_the_verdict_and_the_rank(contest, ann, start, bell_here):
    start()
    good, bad = upload(contest, ann, EXAMPLE), upload(contest, ann, b"rubbish")
    bell.ring()
    until(lambda: decided(good.id, bad.id))
    assert (get(good.id).state, get(bad.id).state) == ("accepted", "rejected")
    assert get(bad.id).verdict["error"]["code"] == "unknown-puzzle"
    with transaction() as conn:
        [standing] = board.page(conn, contest).standings
    assert (standing.rank, standing.name, standing.submission) == (1, "Ann", good.id)


def test_without_any_ring_the_workers_look_by_themselves(contest, ann, start):
    start()
    row = upload(contest, ann, EXAMPLE)
    until(lambda: decided(row.id))


def test_without_redis_uploads_are_verified(contest, ann, start, pool, tmp_path):
    nobody = f"unix://{tmp_path}/nobody?db=0"
    start(env={"REDIS_URL": nobody})
    row = upload(contest, ann, EXAMPLE)
    until(lambda: decided(row.id))


def test_a_worker_that_cannot_replace_its_dead_children_ends_to_be_started_again(start, tmp_path):
    worker = start(env={"REDIS_URL": f"unix://{tmp_path}/nobody?db=0"})
    until(lambda: len(children(worker)) == 2)
    time.sleep(1)
    kill(children(worker)[0])
    assert worker.wait(60) == 1


def test_a_killed_child_is_replaced(start):
    worker = start()
    until(lambda: len(children(worker)) == 2)
    time.sleep(2)  # ready
    before = children(worker)
    for pid in before:
        kill(pid)
    until(lambda: len(children(worker)) == 2 and not set(before) & set(children(worker)))


def test_killed_in_the_middle_of_batches_during_uploads_every_row_gets_one_verdict(contest, start, bell_here):
    worker = start()
    everybody = [register(f"C{n}") for n in range(4)]
    kept: list[UUID] = []
    stop = threading.Event()

    def uploads(contestant: Contestant) -> None:
        while not stop.is_set():
            row = upload(contest, contestant, EXAMPLE + b"# " + secrets.token_hex(8).encode())
            kept.append(row.id)
            bell.ring()
            time.sleep(0.03)

    threads = [threading.Thread(target=uploads, args=[each]) for each in everybody]
    for thread in threads:
        thread.start()
    for enough in (20, 40):  # two of its children, then itself
        until(lambda: len(verdicts()) > enough)  # noqa: B023
        until(lambda: (found := children(worker)) and kill(found[0]) is None)
    until(lambda: len(verdicts()) > 60)
    worker.kill()
    worker.wait()
    start()
    time.sleep(0.3)
    stop.set()
    for thread in threads:
        thread.join()
    until(lambda: not waiting())  # a lease of 6 s and a look every 2 s
    assert verdicts() == dict.fromkeys(kept, 1)


def test_a_killed_worker_leaves_no_child_behind(contest, start):
    worker = start()
    until(lambda: len(children(worker)) == 2)
    pids = children(worker)
    worker.kill()
    worker.wait()
    until(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in pids))


def test_a_worker_told_to_stop_ends_its_batches_and_stops(contest, ann, start, bell_here):
    worker = start()
    rows = [upload(contest, ann, EXAMPLE + b"#%d" % n) for n in range(100)]
    bell.ring()
    until(lambda: verdicts())
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(60) == 0
    with transaction() as conn:
        assert conn.execute("SELECT count(*) FROM submission WHERE state = 'verifying'").fetchall() == [(0,)]
    assert len(verdicts()) < len(rows) or not waiting()


def poisoned(puzzle: str, quota: int | None = None) -> Contest:
    """A contest of a test-only puzzle, which only a poisoned worker knows."""
    contest = make_contest(puzzle)
    with transaction() as conn:
        conn.execute("UPDATE contest SET puzzle = %s, quota = %s WHERE id = %s", [puzzle, quota, contest.id])
        found = contests.get(conn, puzzle)
    assert found
    return found


@pytest.mark.timeout(240)
@pytest.mark.parametrize("puzzle", ["test-loops", "test-aborts", "test-eats-memory"])
def test_a_poison_record_fails_alone_its_neighbours_get_their_verdicts(contest, start, bell_here, puzzle):
    poison = poisoned(puzzle, quota=5)
    eve, others = register("Eve"), [register(f"C{n}") for n in range(6)]
    before = [upload(contest, each, EXAMPLE) for each in others[:3]]
    bad = upload(poison, eve, f"puzzle: {puzzle}".encode())
    behind = [upload(contest, each, EXAMPLE) for each in others[3:]]
    start(*POISONED)
    bell.ring()
    until(lambda: decided(*(row.id for row in before + behind)))
    until(lambda: get(bad.id).state == "failed", 90)  # three leases and pauses: half a minute
    assert {get(row.id).state for row in before + behind} == {"accepted"}
    assert all(count == 1 for count in verdicts().values())
    with transaction() as conn:
        assert quota.used(conn, poison.id, eve.id) == 0
        assert [entry.action for entry in audit.listed(conn)] == ["failed"]
    late = upload(contest, eve, EXAMPLE)
    bell.ring()
    until(lambda: decided(late.id))


def test_what_is_slow_within_its_time_does_not_fail_and_its_batch_is_cut_short(start, bell_here):
    slow = poisoned("test-sleeps")
    rows = [upload(slow, register(f"C{n}"), b"puzzle: test-sleeps") for n in range(6)]
    start(*POISONED)
    until(lambda: decided(*(row.id for row in rows)))
    with transaction() as conn:
        assert conn.execute("SELECT DISTINCT strikes, suspect FROM submission").fetchall() == [(0, False)]


def test_phases_are_told(contest, start):
    with transaction() as conn:
        conn.execute("UPDATE contest SET closes_at = now(), publishes_at = now() WHERE id = %s", [contest.id])
    start()

    def told() -> list[str]:
        with transaction() as conn:
            rows = conn.execute("SELECT payload ->> 'phase' FROM event WHERE kind = 'phase' ORDER BY public").fetchall()
        return [phase for (phase,) in rows]

    until(lambda: told() == ["published"])
