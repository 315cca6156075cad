"""Handing in: what is kept, what is answered, and who sees it."""

import gzip
import io
import json
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from threading import Thread
from uuid import UUID

import pytest
from flask import Flask
from flask.testing import FlaskClient

from api import schemas
from leaderboard import submissions
from leaderboard.contests import Contest
from leaderboard.db import transaction
from leaderboard.receipts import genuine
from tests.api.conftest import (
    CASES,
    RECORD,
    REJECTED,
    SUBMIT,
    WORSE,
    Player,
    drain,
    join,
    new_contest,
    problem,
)

pytestmark = pytest.mark.usefixtures("contest")


def test_a_record_is_kept_and_verified(ada: Player) -> None:
    answer = ada.submit(RECORD)
    assert answer.status_code == 202
    assert answer.json["state"] == "queued"
    assert answer.json["position"] is None  # nobody waits for it to be counted
    assert ada.get(answer.headers["Location"]).json["position"] == 1
    assert answer.json["sha256"] == sha256(RECORD).hexdigest()
    assert answer.json["size"] == len(RECORD)
    assert answer.json["verdict"] is None
    drain()
    row = ada.get(answer.headers["Location"]).json
    assert row["state"] == "accepted"
    assert row["position"] is None
    assert row["verdict"]["accepted"]
    assert row["verdict"]["score"]["mean"] == "75/4"
    assert row["receipt"] == answer.json["receipt"]


def test_an_answer_that_is_made_by_hand_is_what_the_schema_says(ada: Player, app: Flask) -> None:
    known = ada.submit(RECORD).json["id"]
    with app.test_request_context(), transaction() as conn:
        row = submissions.get(conn, UUID(known))
        assert row
        row = replace(row, position=None)
        assert schemas.new_submission(row) == schemas.Submission().dump(schemas.submission(row))


def test_a_token_that_a_process_remembers_is_checked_all_the_same(ada: Player) -> None:
    def change(what: str) -> None:
        with transaction() as conn:
            conn.execute(f"UPDATE token SET {what} WHERE contestant = %s", [ada.id])

    assert ada.submit(RECORD).status_code == 202
    for gone in ("revoked_at = now()", "expires_at = now()"):
        change(gone)
        for record in (RECORD, WORSE):
            assert problem(ada.submit(record))["code"] == "bad-token"
        change("revoked_at = NULL, expires_at = NULL, used_on = NULL")
    assert len(ada.get("/api/v1/me/submissions").json["submissions"]) == 1
    change("used_on = NULL")
    assert ada.submit(WORSE).status_code == 202
    assert ada.get("/api/v1/me/tokens").json["tokens"][0]["used_on"] == datetime.now(UTC).date().isoformat()
    with transaction() as conn:
        conn.execute("UPDATE contestant SET hidden_at = now() WHERE id = %s", [ada.id])
    assert ada.submit(RECORD + b"# once more\n").json["contestant"]["name"].startswith("#")


def test_the_receipt_says_what_was_received(ada: Player) -> None:
    row = ada.submit(RECORD).json
    key = ada.client.get("/api/v1/key").json["key"]
    receipt = row["receipt"]
    assert genuine(receipt, key)
    assert not genuine({**receipt, "sha256": "0" * 64}, key)
    assert not genuine(receipt, "00" * 32)
    assert not genuine({**receipt, "signature": None}, key)
    del receipt["signature"]
    assert receipt == {
        "key": key,
        "contest": "golden-nugget",
        "submission": row["id"],
        "contestant": ada.id,
        "sha256": sha256(RECORD).hexdigest(),
        "received_at": row["received_at"].replace("+00:00", "Z"),
    }


def test_a_rejected_record_gets_the_place(ada: Player) -> None:
    location = ada.submit(REJECTED).headers["Location"]
    drain()
    row = ada.get(location).json
    assert row["state"] == "rejected"
    assert row["verdict"]["error"]["code"] == "unsolved"
    assert row["verdict"]["error"]["board"] == 6
    assert row["verdict"]["error"]["message"]


def test_the_same_bytes_are_the_same_submission(ada: Player, bob: Player) -> None:
    first = ada.submit(RECORD)
    again = ada.submit(RECORD)
    assert again.status_code == 200
    assert again.json["id"] == first.json["id"]
    assert again.headers["Location"] == first.headers["Location"]
    assert bob.submit(RECORD).status_code == 202


def test_nobody_hands_in_without_a_token(client: FlaskClient) -> None:
    answer = client.post(SUBMIT, data=RECORD)
    assert problem(answer)["code"] == "unauthorized"
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")


def test_a_contest_that_is_not_there(ada: Player) -> None:
    assert problem(ada.post("/api/v1/contests/other/submissions", data=RECORD))["code"] == "not-found"


@pytest.mark.parametrize("phase", ["upcoming", "published"])
def test_a_contest_that_is_not_open(ada: Player, phase: str) -> None:
    now = datetime.now(UTC)
    begin = now + timedelta(hours=1) if phase == "upcoming" else now - timedelta(hours=2)
    new_contest(slug="other", opens_at=begin, closes_at=begin + timedelta(hours=1))
    answer = problem(ada.post("/api/v1/contests/other/submissions", data=RECORD))
    assert answer["code"] == "contest-not-open"
    assert answer["phase"] == phase


def test_a_late_record_is_verified_and_not_ranked(ada: Player) -> None:
    now = datetime.now(UTC)
    new_contest(slug="other", closes_at=now - timedelta(hours=1), publishes_at=now + timedelta(hours=1))
    answer = ada.post("/api/v1/contests/other/submissions", data=RECORD)
    assert answer.status_code == 202
    assert answer.json["late"]
    drain()
    assert ada.get(answer.headers["Location"]).json["state"] == "accepted"
    assert ada.get("/api/v1/contests/other/standings").json["standings"] == []


class TestKeys:
    def test_the_same_key_and_bytes(self, ada: Player) -> None:
        first = ada.submit(RECORD, headers={"Idempotency-Key": "one"})
        again = ada.submit(RECORD, headers={"Idempotency-Key": "one"})
        assert (first.status_code, again.status_code) == (202, 200)
        assert again.json["id"] == first.json["id"]

    def test_the_answer_is_the_present_state(self, ada: Player) -> None:
        ada.submit(RECORD, headers={"Idempotency-Key": "one"})
        drain()
        assert ada.submit(RECORD, headers={"Idempotency-Key": "one"}).json["state"] == "accepted"

    def test_the_same_key_and_other_bytes(self, ada: Player) -> None:
        ada.submit(RECORD, headers={"Idempotency-Key": "one"})
        answer = ada.submit(WORSE, headers={"Idempotency-Key": "one"})
        assert problem(answer)["code"] == "key-reused"
        assert len(ada.get("/api/v1/me/submissions").json["submissions"]) == 1

    def test_keys_of_others_do_not_matter(self, ada: Player, bob: Player) -> None:
        ada.submit(RECORD, headers={"Idempotency-Key": "one"})
        assert bob.submit(WORSE, headers={"Idempotency-Key": "one"}).status_code == 202

    @pytest.mark.parametrize("key", ["", "a" * 256, "\u00e4"])
    def test_a_key_that_is_none(self, ada: Player, key: str) -> None:
        answer = problem(ada.submit(RECORD, headers={"Idempotency-Key": key}))
        assert answer["code"] == "invalid"
        assert answer["errors"][0]["header"] == "Idempotency-Key"


class TestQuota:
    def test_of_fifty_at_once_exactly_twenty_are_taken(self, ada: Player) -> None:
        new_contest(slug="other", quota=20)
        records = [RECORD + b"# %d" % n for n in range(50)]

        def submit(record: bytes) -> int:
            return (
                ada.client.application.test_client()
                .post("/api/v1/contests/other/submissions", data=record, headers=ada.headers)
                .status_code
            )

        with ThreadPoolExecutor(8) as threads:
            codes = list(threads.map(submit, records))
        assert codes.count(202) == 20
        assert codes.count(429) == 30
        with transaction() as conn:
            assert conn.execute("SELECT count(*) FROM submission").fetchone() == (20,)

    def test_when_it_comes_back(self, ada: Player) -> None:
        new_contest(slug="other", quota=1)
        ada.post("/api/v1/contests/other/submissions", data=RECORD)
        answer = ada.post("/api/v1/contests/other/submissions", data=WORSE)
        assert problem(answer)["code"] == "quota-used"
        assert answer.json["quota"] == 1
        assert 0 < int(answer.headers["Retry-After"]) <= 24 * 3600
        assert datetime.fromisoformat(answer.json["resets_at"]).time() == datetime.min.time()

    def test_the_same_bytes_cost_nothing(self, ada: Player) -> None:
        new_contest(slug="other", quota=1)
        ada.post("/api/v1/contests/other/submissions", data=RECORD)
        assert ada.post("/api/v1/contests/other/submissions", data=RECORD).status_code == 200


class TestWaiting:
    """Prefer: wait=N."""

    def test_decided_in_time(self, ada: Player) -> None:
        worker = Thread(target=lambda: (time.sleep(0.3), drain()))
        worker.start()
        answer = ada.submit(RECORD, headers={"Prefer": "wait=10"})
        worker.join()
        assert answer.status_code == 201
        assert answer.json["state"] == "accepted"
        assert answer.headers["Preference-Applied"] == "wait=10"
        assert answer.headers["Location"] == f"/api/v1/submissions/{answer.json['id']}"

    def test_not_decided_in_time(self, ada: Player) -> None:
        answer = ada.submit(RECORD, headers={"Prefer": "respond-async, wait=1"})
        assert answer.status_code == 202
        assert answer.headers["Retry-After"] == "1"

    def test_a_preference_that_cannot_be_read_is_ignored(self, ada: Player) -> None:
        assert ada.submit(RECORD, headers={"Prefer": "wait=soon"}).status_code == 202

    def test_a_submission_can_be_waited_for_too(self, ada: Player) -> None:
        location = ada.submit(RECORD).headers["Location"]
        worker = Thread(target=lambda: (time.sleep(0.3), drain()))
        worker.start()
        assert ada.get(location, headers={"Prefer": "wait=10"}).json["state"] == "accepted"
        worker.join()

    def test_at_most_half_of_the_threads_wait(self, ada: Player) -> None:
        places = ada.client.application.extensions["waiting"]
        taken = 0
        while places.acquire(blocking=False):
            taken += 1
        assert taken == 8  # of 16
        begun = time.monotonic()
        assert ada.submit(RECORD, headers={"Prefer": "wait=10"}).status_code == 202
        assert time.monotonic() - begun < 5
        for _ in range(taken):
            places.release()


class TestWhoSees:
    """Its owner everything; others what stands on the public board; else 404 as if there were nothing."""

    @pytest.fixture
    def location(self, ada: Player) -> str:
        location: str = ada.submit(RECORD).headers["Location"]
        drain()
        return location

    def test_the_owner(self, ada: Player, location: str) -> None:
        answer = ada.get(f"{location}/record")
        assert answer.data == RECORD
        assert answer.content_type == "application/octet-stream"
        assert answer.headers["Content-Disposition"].startswith("attachment")
        assert ada.get(f"{location}/replay").status_code == 200

    def test_others_see_what_stands_on_the_board(self, client: FlaskClient, bob: Player, location: str) -> None:
        assert bob.get(location).json["verdict"]["score"]["boards"] == 20
        assert client.get(location).json["contestant"]["name"] == "Ada"

    @pytest.mark.parametrize("part", ["record", "replay"])
    def test_and_not_the_record(self, client: FlaskClient, bob: Player, location: str, part: str) -> None:
        for answer in (client.get(f"{location}/{part}"), bob.get(f"{location}/{part}")):
            assert problem(answer)["code"] == "not-found"

    def test_nor_what_does_not_stand_there(self, ada: Player, bob: Player, location: str) -> None:
        worse = ada.submit(WORSE).headers["Location"]
        drain()
        assert ada.get(worse).status_code == 200
        assert problem(bob.get(worse))["code"] == "not-found"

    def test_organisers_see_all_but_the_record(self, ada: Player, organiser: Player) -> None:
        rejected = ada.submit(REJECTED).headers["Location"]
        drain()
        assert organiser.get(rejected).json["state"] == "rejected"
        assert problem(organiser.get(f"{rejected}/record"))["code"] == "not-found"

    def test_everybody_everything_once_published(self, client: FlaskClient, ada: Player, contest: Contest) -> None:
        rejected = ada.submit(REJECTED).headers["Location"]
        drain()
        with transaction() as conn:
            conn.execute("UPDATE contest SET closes_at = now(), publishes_at = now() WHERE id = %s", [contest.id])
        assert client.get(rejected).json["state"] == "rejected"
        assert client.get(f"{rejected}/record").data == REJECTED

    def test_no_submission(self, ada: Player) -> None:
        for nobody in ("00000000-0000-0000-0000-000000000000", "1", "'"):
            assert problem(ada.get(f"/api/v1/submissions/{nobody}"))["code"] == "not-found"


class TestReplay:
    def test_from_the_start_to_the_end(self, ada: Player) -> None:
        location = ada.submit(RECORD).headers["Location"]
        steps = ada.get(f"{location}/replay?board=1&limit=200").json["steps"]
        assert steps[0]["token"] == ""
        assert [cell["label"] for cell in steps[0]["view"]["panels"][0]["rows"][0]] == list("1234567")
        assert len(steps) == 38 + 1  # its first board has 38 moves

    def test_in_parts(self, ada: Player) -> None:
        location = ada.submit(RECORD).headers["Location"]
        whole = ada.get(f"{location}/replay?board=2&limit=200").json["steps"]
        parts, first = [], 0
        while first is not None:
            part = ada.get(f"{location}/replay?board=2&limit=10&first={first}").json
            parts += part["steps"]
            first = part["next"]
        assert parts == whole

    def test_as_a_page_shows_it_packed_and_light(self, ada: Player) -> None:
        """The heaviest legal record: 200 boards of 99 moves, of which one board at a time is fetched, in parts."""
        record = (CASES / "valid" / "worst-200-of-99-full.txt").read_bytes()
        location = ada.submit(record).headers["Location"]
        path = f"{location}/replay?board=200&first=80&limit=40&pictures=true"
        answer = ada.get(path, headers={"Accept-Encoding": "gzip"})
        assert answer.headers["Content-Encoding"] == "gzip"
        assert len(answer.data) < 100_000
        body = json.loads(gzip.decompress(answer.data))
        assert body == ada.get(path).json
        assert (body["boards"], body["total"], body["next"]) == (200, 100, None)
        assert [step["number"] for step in body["steps"]] == list(range(80, 100))
        last = body["steps"][-1]
        assert "view" not in last
        assert last["picture"].count('class="p-block"') == 49
        assert last["said"].startswith("Board 200, move 99")
        lines = record.decode().split("\n")
        assert lines[last["line"] - 1][last["column"] - 1 :].split()[0].lower() == last["token"]
        assert ada.get(f"{location}/replay?board=201").json["steps"] == []
        assert ada.get(f"{location}/replay?board=200&first=100").json["steps"] == []

    def test_the_last_step_of_a_rejected_record_is_its_error(self, ada: Player) -> None:
        record = (CASES / "invalid" / "dead-push-line.txt").read_bytes()
        location = ada.submit(record).headers["Location"]
        drain()
        error = ada.get(location).json["verdict"]["error"]
        steps = ada.get(f"{location}/replay?board={error['board']}&limit=200").json["steps"]
        assert steps[-1]["error"] == error
        assert (steps[-1]["turn"], steps[-1]["line"]) == (error["move"], error["line"])
        assert not any(step["error"] for step in steps[:-1])

    @pytest.mark.parametrize("query", ["board=0", "board=x", "board=1.0", "first=-1", "limit=0", "limit=201"])
    def test_a_query_that_makes_no_sense(self, ada: Player, query: str) -> None:
        location = ada.submit(RECORD).headers["Location"]
        answer = problem(ada.get(f"{location}/replay?{query}"))
        assert answer["code"] == "invalid"
        assert answer["errors"][0]["parameter"] == query.partition("=")[0]


class TestForms:
    """The record as a field of a form, by file or by text: the very bytes count."""

    @pytest.mark.parametrize("data", [RECORD, b"", b"\xff\x00\r\n", RECORD.replace(b"\n", b"\r\n")], ids=len)
    def test_a_file(self, ada: Player, data: bytes) -> None:
        answer = ada.post(SUBMIT, data={"record": (io.BytesIO(data), "record.txt")})
        assert answer.json["sha256"] == sha256(data).hexdigest()

    def test_text(self, ada: Player) -> None:
        answer = ada.post(SUBMIT, data={"record": RECORD.decode()}, content_type="multipart/form-data")
        assert answer.json["sha256"] == sha256(RECORD).hexdigest()

    def test_a_form_of_text(self, ada: Player) -> None:
        answer = ada.post(SUBMIT, data={"note": "a=b&record", "record": RECORD.decode()})
        assert answer.request.mimetype == "application/x-www-form-urlencoded"
        assert answer.json["sha256"] == sha256(RECORD).hexdigest()

    def test_a_form_of_bytes(self, ada: Player) -> None:
        answer = ada.post(
            SUBMIT, data=b"record=%ff%00+%2B", content_type="application/x-www-form-urlencoded; charset=latin-1"
        )
        assert answer.json["sha256"] == sha256(b"\xff\x00 +").hexdigest()

    @pytest.mark.parametrize(
        "record", [RECORD, b"", b"{}", b"# record=1\nx", b"\xff=1&record=2", b"puzzle=1&a b=&record=c"]
    )
    def test_a_bare_record_that_curl_calls_a_form(self, ada: Player, record: bytes) -> None:
        answer = ada.post(SUBMIT, data=record, content_type="application/x-www-form-urlencoded")
        assert answer.json["sha256"] == sha256(record).hexdigest()

    def test_a_page_sends_an_empty_file_beside_the_text(self, ada: Player) -> None:
        answer = ada.post(SUBMIT, data={"record": [(io.BytesIO(b""), ""), RECORD.decode()]})
        assert answer.json["sha256"] == sha256(RECORD).hexdigest()

    def test_two_records(self, ada: Player) -> None:
        answer = problem(ada.post(SUBMIT, data={"record": [(io.BytesIO(b"a"), "a"), (io.BytesIO(b"b"), "b")]}))
        assert answer["code"] == "invalid"
        assert answer["errors"][0]["pointer"] == "/record"

    def test_no_record(self, ada: Player) -> None:
        answer = problem(ada.post(SUBMIT, data={"file": (io.BytesIO(RECORD), "record.txt")}))
        assert answer["code"] == "invalid"
        assert answer["errors"][0]["pointer"] == "/record"

    @pytest.mark.parametrize(
        ("kind", "body"),
        [
            ("multipart/form-data", b"x"),
            ("multipart/form-data; boundary=a", b"x"),
            ("multipart/form-data; boundary=a", b'--a\r\nContent-Disposition: form-data; name="record"\r\n\r\npuzzle'),
            ("multipart/form-data; boundary=" + "a" * 500, b"x"),
        ],
    )
    def test_a_form_that_cannot_be_read(self, ada: Player, kind: str, body: bytes) -> None:
        assert problem(ada.post(SUBMIT, data=body, content_type=kind))["code"] == "bad-form"
        assert ada.get("/api/v1/me/submissions").json["submissions"] == []


def test_ones_own_submissions_page_by_page(ada: Player, bob: Player) -> None:
    ids = [ada.submit(RECORD + b"# %d" % n).json["id"] for n in range(5)]
    bob.submit(RECORD)
    found, cursor = [], ""
    while cursor is not None:
        page = ada.get(f"/api/v1/me/submissions?limit=2{cursor and '&cursor=' + cursor}").json
        found += [row["id"] for row in page["submissions"]]
        cursor = page["next"]
    assert found == ids[::-1]


@pytest.mark.parametrize("cursor", ["x", "00000000-0000-0000-0000-000000000000", "%00"])
def test_a_cursor_of_nobody(ada: Player, cursor: str) -> None:
    answer = problem(ada.get(f"/api/v1/me/submissions?cursor={cursor}"))
    assert answer["code"] == "invalid"
    assert answer["errors"][0]["parameter"] == "cursor"


def test_one_contestant_does_not_see_anothers_cursor(client: FlaskClient, ada: Player) -> None:
    eve = join(client, "Eve")
    row = ada.submit(RECORD).json
    assert problem(eve.get(f"/api/v1/me/submissions?cursor={row['id']}"))["code"] == "invalid"
