"""The row as the queue: every row ends with exactly one verdict, whoever dies on the way."""

import secrets
import threading
from uuid import UUID

import psycopg
import pytest

from leaderboard import audit, events, queue, quota, submissions
from leaderboard.contests import Contest
from leaderboard.db import transaction
from leaderboard.queue import Claimed
from tests.leaderboard.conftest import accepted, claim, decide, finish, make_contest, rejected, upload


def pass_time(row: Claimed | submissions.Submission, seconds: float = queue.LEASE) -> None:
    """As if so many seconds had gone by for this row."""
    with transaction() as conn:
        conn.execute(
            """
            UPDATE submission
            SET due_at = due_at - interval '1 s' * %(seconds)s, turn = turn - interval '1 s' * %(seconds)s
            WHERE id = %(id)s""",
            {"seconds": seconds, "id": row.id},
        )


def state(row: Claimed | submissions.Submission) -> str:
    with transaction() as conn:
        found = submissions.get(conn, row.id)
    assert found
    return found.state


def verdicts(row: Claimed | submissions.Submission) -> int:
    with transaction() as conn:
        [(count,)] = conn.execute("SELECT count(*) FROM verdict WHERE submission = %s", [row.id]).fetchall()
    return int(count)


def due() -> bool:
    with transaction() as conn:
        return queue.due(conn)


def test_a_row_is_due_once_and_goes_from_queued_to_decided(contest, enter):
    assert not due()
    row = upload(contest, enter("Ann"), b"record")
    assert due()
    [claimed] = claim()
    assert (claimed.id, claimed.record, claimed.alone, claimed.puzzle, claimed.setups) == (
        row.id,
        b"record",
        True,
        "jc-golden-nugget",
        [],
    )
    assert state(row) == "verifying"
    assert not due()
    assert claim() == []
    assert finish([(claimed, rejected())]) == {row.id}
    assert state(row) == "rejected"
    assert not due()


def test_turns_are_fair_who_uploads_much_waits_behind_who_uploads_little(contest, enter):
    ann, bob = enter("Ann"), enter("Bob")
    many = [upload(contest, ann).id for _ in range(5)]
    one = upload(contest, bob).id
    order = [row.id for _ in range(6) for row in claim(1)]
    assert order == [many[0], one, *many[1:]]


def test_the_position_counts_the_rows_before(contest, enter):
    ann, bob = enter("Ann"), enter("Bob")
    rows = [upload(contest, ann), upload(contest, ann), upload(contest, bob)]
    with transaction() as conn:
        assert [submissions.get(conn, row.id).position for row in rows] == [1, 3, 2]


def test_drains_at_once_share_the_rows_without_taking_one_twice(contest, enter):
    ann = enter("Ann")
    rows = {upload(contest, ann).id for _ in range(60)}
    taken: list[UUID] = []

    def drain() -> None:
        while batch := claim(4):
            taken.extend(row.id for row in batch)
            finish([(row, rejected()) for row in batch])

    threads = [threading.Thread(target=drain) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == sorted(rows)


def test_a_claim_writes_rows_and_no_index_entry(contest, enter):
    ann = enter("Ann")
    for _ in range(5):
        upload(contest, ann)
    with transaction() as conn:
        assert len(queue.claim(conn, 5)) == 5
        written = conn.execute(
            "SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_xact_user_tables WHERE relname = 'submission'"
        ).fetchall()
    assert written == [(5, 5)]


def test_rows_whose_lease_has_run_out_keep_their_place(contest, enter):
    rows = [upload(contest, enter(name)).id for name in ("Ann", "Bob", "Cyd")]
    assert [row.id for row in claim(2)] == rows[:2]
    with transaction() as conn:
        conn.execute("UPDATE submission SET due_at = now() WHERE state = 'verifying'")
    assert [row.id for _ in range(3) for row in claim(2)] == rows


@pytest.mark.parametrize(
    ("waiting", "k", "processes", "taken"), [(9, 4, 2, 4), (5, 4, 2, 3), (5, 4, 1, 4), (3, 16, 2, 2), (1, 4, 3, 1)]
)
def test_what_is_left_is_shared(contest, enter, waiting, k, processes, taken):
    ann = enter("Ann")
    for _ in range(waiting):
        upload(contest, ann)
    with transaction() as conn:
        assert len(queue.claim(conn, k, processes)) == taken


def test_a_batch_carries_no_more_bytes_than_it_should_but_always_one_row(contest, enter, monkeypatch):
    ann = enter("Ann")
    for size in (50, 30, 30, 30, 30):
        upload(contest, ann, secrets.token_bytes(size))
    monkeypatch.setattr(queue, "BATCH_BYTES", 40)
    assert [len(row.record) for row in claim()] == [50]
    monkeypatch.setattr(queue, "BATCH_BYTES", 60)
    assert [len(row.record) for row in claim()] == [30, 30]


def test_who_comes_too_late_writes_nothing(contest, enter):
    row = upload(contest, enter("Ann"))
    [slow] = claim()
    pass_time(slow)
    assert claim() == []  # its backoff
    pass_time(slow, 1)
    [fast] = claim()
    assert fast.id == row.id
    assert fast.attempt > slow.attempt
    assert finish([(slow, accepted([12] * 20))]) == set()
    assert state(row) == "verifying"
    assert finish([(fast, rejected())]) == {row.id}
    assert finish([(slow, accepted([12] * 20))]) == set()
    assert finish([(fast, accepted([12] * 20))]) == set()
    assert (state(row), verdicts(row)) == ("rejected", 1)


def test_an_attempt_that_dies_in_company_counts_for_nobody_and_each_comes_alone_then(contest, enter):
    rows = [upload(contest, enter()) for _ in range(3)]
    batch = claim()
    assert [row.alone for row in batch] == [False] * 3
    for row in batch:
        pass_time(row)
    again = [claim() for _ in rows]
    assert [[(row.alone, row.attempt) for row in batch] for batch in again] == [[(True, 2)]] * 3
    with transaction() as conn:
        assert conn.execute("SELECT DISTINCT strikes FROM submission").fetchall() == [(0,)]


def test_fresh_rows_do_not_share_a_batch_with_a_suspect(contest, enter):
    suspect, other = upload(contest, enter()), upload(contest, enter())
    for row in claim(2):
        pass_time(row)
    fresh = [upload(contest, enter()) for _ in range(3)]
    batches = [claim() for _ in range(3)]
    assert [{row.id for row in batch} for batch in batches] == [{suspect.id}, {other.id}, {row.id for row in fresh}]


def kill(row: submissions.Submission) -> None:
    """An attempt on the row dies, and its backoff goes by."""
    [claimed] = claim()
    assert claimed.id == row.id
    pass_time(row)
    claim()
    pass_time(row, 10)


def test_three_attempts_that_die_alone_are_enough(enter):
    contest, ann = make_contest(quota=3), enter("Ann")
    row = upload(contest, ann)
    for _ in range(queue.STRIKES):
        assert state(row) != "failed"
        kill(row)
    assert state(row) == "failed"
    assert not due()
    with transaction() as conn:
        assert quota.used(conn, contest.id, ann.id) == 0
        [entry] = audit.listed(conn)
        assert (entry.actor, entry.action, entry.object) == ("worker", "failed", f"submission {row.id}")
    assert verdicts(row) == 0


def test_between_attempts_that_die_there_is_a_pause(contest, enter):
    upload(contest, enter())
    pauses = []
    for _ in range(queue.STRIKES - 1):
        [row] = claim()
        pass_time(row)
        claim()
        with transaction() as conn:
            [(pause,)] = conn.execute("SELECT extract(epoch FROM due_at - now()) FROM submission").fetchall()
        pauses.append(float(pause))
        pass_time(row, 10)
    assert pauses == pytest.approx(queue.BACKOFF[1 : queue.STRIKES], abs=1)


def test_a_failed_one_may_be_tried_again_by_an_organiser(contest, enter):
    row = upload(contest, enter())
    for _ in range(queue.STRIKES):
        kill(row)
    with transaction() as conn:
        assert queue.retry(conn, row.id, "Eve", "the verifier is mended")
        assert not queue.retry(conn, row.id, "Eve", "twice")
        assert [entry.action for entry in audit.listed(conn)] == ["requeue", "failed"]
    finish([(claimed, rejected()) for claimed in claim()])
    assert state(row) == "rejected"


def test_rows_given_back_are_due_at_once_and_nothing_counts(contest, enter):
    row = upload(contest, enter())
    for attempt in range(1, 6):
        [claimed] = claim()
        assert claimed.attempt == attempt
        with transaction() as conn:
            queue.give_back(conn, [claimed])
    [claimed] = claim()
    finish([(claimed, rejected())])
    assert state(row) == "rejected"
    with transaction() as conn:
        queue.give_back(conn, [claimed])
        queue.died(conn, [claimed])
    assert state(row) == "rejected"


def test_a_failure_that_is_told_counts_without_waiting_for_the_lease(contest, enter):
    row = upload(contest, enter())
    for _ in range(queue.STRIKES):
        [claimed] = claim()
        with transaction() as conn:
            queue.died(conn, [claimed])
        claim()
        pass_time(row, 10)
    assert state(row) == "failed"


def test_an_attempt_that_a_restart_of_the_database_cut_off_does_not_count(contest, enter):
    upload(contest, enter())
    [row] = claim()
    with transaction() as conn:
        conn.execute("UPDATE submission SET claimed_at = pg_postmaster_start_time() - interval '1 s'")
    pass_time(row)
    claim()
    with transaction() as conn:
        assert conn.execute("SELECT strikes FROM submission").fetchall() == [(0,)]


def numbers(contest: Contest) -> tuple[list[int], list[int]]:
    with transaction() as conn:
        rows = conn.execute(
            "SELECT number, public FROM event WHERE contest = %s ORDER BY number", [contest.id]
        ).fetchall()
    return [number for number, _ in rows], [public for _, public in rows if public]


def test_event_numbers_have_no_gap_with_many_writers_and_contests(enter):
    contests = [make_contest(f"c{n}") for n in range(3)]
    everybody = [enter() for _ in range(6)]
    for _ in range(4):
        for contest in contests:
            for contestant in everybody:
                upload(contest, contestant)

    def drain(moves: int) -> None:
        while batch := claim(7):
            finish([(row, accepted([moves] * 20) if row.record[0] % 2 else rejected()) for row in batch])

    threads = [threading.Thread(target=drain, args=[15 + n]) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for contest in contests:
        every, public = numbers(contest)
        assert every == list(range(1, 25))
        assert public == list(range(1, len(public) + 1))
        assert public
        with transaction() as conn:
            assert [event.number for event in events.since(conn, contest, 2)] == public[2:]


def test_an_event_of_the_public_only_where_its_board_has_changed(contest, enter):
    ann = enter("Ann")
    first = decide(contest, ann, accepted([15] * 20))
    decide(contest, ann, accepted([16] * 20))
    decide(contest, ann, rejected())
    assert numbers(contest) == ([1, 2, 3], [1])
    with transaction() as conn:
        [event] = events.since(conn, contest, 0)
    assert (event.kind, event.payload) == (
        "standing",
        {"submission": str(first.id), "contestant": str(ann.id), "accepted": True},
    )


def test_depth_tells_how_much_waits_and_how_long(contest, enter):
    with transaction() as conn:
        assert queue.depth(conn) == queue.Depth(0, 0.0)
    rows = [upload(contest, enter()) for _ in range(3)]
    with transaction() as conn:
        conn.execute("UPDATE submission SET received_at = now() - interval '50 s' WHERE id = %s", [rows[1].id])
    with transaction() as conn:
        depth = queue.depth(conn)
    assert depth.waiting == 3
    assert 50 <= depth.oldest < 60


@pytest.mark.parametrize("table", ["audit", "event", "verdict"])
def test_what_has_been_said_stays_said(contest, enter, table):
    decide(contest, enter(), rejected())
    with transaction() as conn, pytest.raises(psycopg.errors.RaiseException):
        conn.execute(f"DELETE FROM {table}")
