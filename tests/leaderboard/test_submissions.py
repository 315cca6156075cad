"""Uploads: nothing is lost, nothing counts twice, and nobody sees what isn't theirs."""

import hashlib
import re
import secrets
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest

from leaderboard import quota, submissions
from leaderboard.contestants import Contestant
from leaderboard.db import Connection, transaction
from leaderboard.submissions import KeyReused, NotOpen, QuotaUsed, Submission
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


def together(jobs: list[Callable[[], object]]) -> Counter[object]:
    """Do all of it at the same moment, each in a thread: how often each answer or type of error came."""
    start, answers = threading.Barrier(len(jobs)), []

    def run(job: Callable[[], object]) -> None:
        start.wait()
        try:
            answers.append(job())
        except (NotOpen, QuotaUsed, KeyReused) as error:
            answers.append(type(error))

    threads = [threading.Thread(target=run, args=[job]) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return Counter(answers)


def get(row: submissions.Submission) -> submissions.Submission:
    with transaction() as conn:
        found = submissions.get(conn, row.id)
    assert found
    return found


def test_a_new_upload_is_queued_and_kept_byte_for_byte(contest, enter):
    record = b"\xff\x00 any bytes \r\n"
    with transaction() as conn:
        row, new = submissions.add(conn, contest.slug, enter("Ann"), record)
    assert (new, row.state, row.position, row.verdict, row.late) == (True, "queued", None, None, False)
    assert get(row) == replace(row, position=1)
    with transaction() as conn:
        assert submissions.record_of(conn, row.id) == record


def test_a_plan_made_while_the_table_is_small_does_not_get_slower_with_every_row(contest, enter):
    upload(contest, enter("Ann"))
    names = list(dict.fromkeys(re.findall(r"%\((\w+)\)s", submissions._KEEP)))
    query = re.sub(r"%\((\w+)\)s", lambda match: f"${names.index(match[1]) + 1}", submissions._KEEP)
    with transaction() as conn:
        plan = "\n".join(row[0] for row in conn.execute(f"EXPLAIN (GENERIC_PLAN, COSTS OFF) {query}"))
    scans = re.findall(r"(?:Index (?:Only )?Scan.* using|Scan on) (submission\w*)", plan)
    assert sorted(scans) == ["submission_contest_contestant_sha256_key", "submission_waiting"]


def test_the_same_bytes_again_are_the_earlier_submission(contest, enter):
    ann, bob = enter("Ann"), enter("Bob")
    first = upload(contest, ann, b"record")
    with transaction() as conn:
        assert submissions.add(conn, contest.slug, ann, b"record") == (replace(first, position=1), False)
        other, new = submissions.add(conn, contest.slug, bob, b"record")
        assert new
        assert other.id != first.id


def test_the_same_bytes_at_the_same_moment_are_one_submission_and_cost_one(enter):
    contest, ann = make_contest(quota=5), enter("Ann")
    answers = together([lambda: upload(contest, ann, b"record").id] * 12)
    assert list(answers.values()) == [12]
    with transaction() as conn:
        assert quota.used(conn, contest.id, ann.id) == 1


def test_of_fifty_uploads_at_once_exactly_the_quota_is_taken(enter):
    contest, ann = make_contest(quota=20), enter("Ann")
    answers = together([lambda: upload(contest, ann) and "taken"] * 50)
    assert answers == {"taken": 20, QuotaUsed: 30}
    with transaction() as conn:
        assert quota.used(conn, contest.id, ann.id) == 20
        assert len(submissions.of_contestant(conn, ann.id)) == 20


def test_with_the_quota_used_up_known_bytes_still_answer(enter):
    contest, ann = make_contest(quota=1), enter("Ann")
    first = upload(contest, ann, b"record")
    with transaction() as conn, pytest.raises(QuotaUsed) as error:
        submissions.add(conn, contest.slug, ann, b"another")
    assert error.value.quota == 1
    midnight = error.value.resets_at
    assert (midnight.hour, midnight.minute, midnight.second, midnight.microsecond) == (0, 0, 0, 0)
    assert now() < midnight <= now() + DAY
    assert upload(contest, ann, b"record").id == first.id


def test_an_idempotency_key_answers_with_its_submission_and_refuses_other_bytes(contest, enter):
    ann, bob = enter("Ann"), enter("Bob")
    first = upload(contest, ann, b"record", key="k\0\ud800")
    assert upload(contest, ann, b"record", key="k\0\ud800").id == first.id
    with pytest.raises(KeyReused):
        upload(contest, ann, b"another", key="k\0\ud800")
    assert upload(contest, bob, b"another", key="k\0\ud800").id != first.id
    assert upload(contest, ann, b"record", key="other key").id == first.id
    with pytest.raises(KeyReused):
        upload(contest, ann, b"another", key="other key")
    with transaction() as conn:
        assert len(submissions.of_contestant(conn, ann.id)) == 1


def test_one_key_with_different_bytes_at_once_keeps_one_of_them(enter):
    contest, ann = make_contest(quota=20), enter("Ann")
    answers = together([lambda: upload(contest, ann, secrets.token_bytes(9), key="k") and "taken"] * 10)
    assert answers == {"taken": 1, KeyReused: 9}
    with transaction() as conn:
        assert quota.used(conn, contest.id, ann.id) == 1
        assert len(submissions.of_contestant(conn, ann.id)) == 1


def test_uploads_are_taken_while_open_and_late_ones_until_publication(enter):
    contest, ann = make_contest(), enter("Ann")
    assert not upload(contest, ann).late
    assert upload(move(contest, closes_at=now(), publishes_at=now() + DAY), ann).late
    for times, phase in [
        ({"opens_at": now() + DAY / 2, "closes_at": now() + DAY, "publishes_at": now() + DAY}, "upcoming"),
        ({"opens_at": now() - DAY, "closes_at": now(), "publishes_at": now()}, "published"),
    ]:
        move(contest, **times)
        with pytest.raises(NotOpen) as error:
            upload(contest, ann)
        assert error.value.phase == phase


def test_the_deadline_itself_is_late(contest, enter):
    row = upload(contest, enter("Ann"))
    assert not get(row).late
    move(contest, closes_at=row.received_at, publishes_at=row.received_at)
    assert get(row).late


def test_a_contestants_submissions_page_by_page(contest, enter):
    ann = enter("Ann")
    rows = [upload(contest, ann).id for _ in range(5)]
    other = make_contest("another")
    rows.append(upload(other, ann).id)
    upload(contest, enter("Bob"))
    with transaction() as conn:
        found = submissions.of_contestant(conn, ann.id, limit=4)
        found += submissions.of_contestant(conn, ann.id, limit=4, before=found[-1])
        assert [row.id for row in found] == rows[::-1]
        assert [row.id for row in submissions.of_contestant(conn, ann.id, other)] == rows[-1:]


def test_a_receipt_names_what_was_received(contest, enter):
    ann = enter("Ann")
    row = upload(contest, ann, b"record")
    assert submissions.receipt(row) == {
        "contest": "open",
        "submission": str(row.id),
        "contestant": str(ann.id),
        "sha256": hashlib.sha256(b"record").hexdigest(),
        "received_at": row.received_at.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
    }


NOTHING, SUMMARY, ALL = (False, False), (True, False), (True, True)


def sees(conn: Connection, row: Submission, viewer: Contestant | None) -> tuple[bool, bool]:
    found = submissions.visible(conn, row, viewer)
    return found.summary, found.record


def test_who_sees_a_submission(contest, enter):
    ann, bob, eve = enter("Ann"), enter("Bob"), enter("Eve", role="organiser")

    def seen(row: submissions.Submission) -> list[tuple[bool, bool]]:
        with transaction() as conn:
            return [sees(conn, row, viewer) for viewer in (ann, bob, eve, None)]

    on_board = decide(contest, ann, accepted([15] * 20))
    beaten = decide(contest, ann, accepted([16] * 20))
    refused = decide(contest, ann, rejected())
    waiting = upload(contest, ann)
    assert seen(on_board) == [ALL, SUMMARY, SUMMARY, SUMMARY]
    for row in (beaten, refused, waiting):
        assert seen(row) == [ALL, NOTHING, SUMMARY, NOTHING]
    move(contest, closes_at=now(), publishes_at=now())
    for row in (on_board, beaten, refused, waiting):
        assert seen(row) == [ALL, ALL, ALL, ALL]


def test_a_result_of_a_freeze_is_not_seen_on_the_board(enter):
    contest, ann, bob = make_contest(freezes_at=now() + DAY / 2), enter("Ann"), enter("Bob")
    before = decide(contest, ann, accepted([20] * 20))
    move(contest, freezes_at=now())
    hidden = decide(contest, ann, accepted([15] * 20))
    with transaction() as conn:
        assert sees(conn, before, bob) == SUMMARY
        assert sees(conn, hidden, bob) == NOTHING


def test_a_verdict_is_kept_as_it_is_whatever_characters_it_quotes(contest, enter):
    row = decide(contest, enter("Ann"), rejected("{word} is no move.", "\0 \ud800 ż 💎"))
    assert row.state == "rejected"
    assert row.verdict["error"]["message"] == "\0 \ud800 ż 💎 is no move."
    assert row.detail == {"template": "{word} is no move.", "values": {"word": "\0 \ud800 ż 💎"}}
    assert (row.version, row.position) == ("1", None)
    assert current(contest).provisional is False
    assert claim() == []
    assert finish([]) == set()
