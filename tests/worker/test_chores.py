"""The service looks after itself: the canary, the self-audit, the logs of one upload, counters of all processes."""

import json
import re
import time
import urllib.request
from dataclasses import replace
from pathlib import Path

import pytest

from api.app import create_app
from leaderboard import chores, contests, submissions
from leaderboard.db import transaction
from tests.api.conftest import serve
from tests.leaderboard.conftest import make_contest, upload
from tests.worker.conftest import until
from tests.worker.test_tasks import EXAMPLE, decided, register
from worker import app as worker_app
from worker import chores as work

OF_THE_CANARY = ("submission", "verdict", "best", "event")


@pytest.fixture
def every_minute(pool):
    settings = replace(pool, chore_minutes=1, rate_limits=0)
    worker_app.use(settings)
    return settings


def rows(table: str) -> int:
    with transaction() as conn:
        return int(conn.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def known(name: str) -> chores.Chore:
    with transaction() as conn:
        return chores.all_of(conn)[name]


def hurry() -> None:
    with transaction() as conn:
        conn.execute("UPDATE chore SET due_at = now()")


def test_the_canary_goes_the_way_of_all_others_and_leaves_nothing_behind(every_minute, start):
    client = create_app(every_minute).test_client()
    assert client.get("/api/v1/status").json["canary"]["at"] is None
    start(env={"CHORE_MINUTES": "1"})
    until(lambda: known("canary").done_at and known("audit").done_at)
    assert known("canary").findings == known("audit").findings == []
    assert {table: rows(table) for table in OF_THE_CANARY} == dict.fromkeys(OF_THE_CANARY, 0)
    status = client.get("/api/v1/status").json
    assert status["fine"] is True
    assert (status["decided_last_hour"], status["queue"]["waiting"]) == (0, 0)
    assert status["canary"]["seconds"] < 30
    assert "Everything is fine." in client.get("/status").text
    assert client.get("/api/v1/contests").json == {"contests": []}
    for address in ("/api/v1/contests/canary", "/contests/canary", "/contestants/%23canary"):
        assert client.get(address).status_code == 404
    with transaction() as conn:
        assert contests.get(conn, "canary") is None
        conn.execute("UPDATE chore SET done_at = now() - interval '1 day' WHERE name = 'canary'")
    assert client.get("/api/v1/status").json["fine"] is False
    metrics = client.get("/metrics").text
    assert "nugget_canary_missing 1.0" in metrics
    assert "nugget_fine 0.0" in metrics
    assert 'nugget_verdicts_total{code="accepted",puzzle="maze"}' not in metrics


def test_the_self_audit_finds_what_does_not_fit_together(every_minute, start):
    contest, ann = make_contest(), register("Ann")
    start()
    row = upload(contest, ann, EXAMPLE)
    until(lambda: decided(row.id))
    for _ in range(60):  # a sample from a random place on
        work.audit(60)
        assert known("audit").findings == []
        hurry()
        if known("audit").facts["records"]:
            break
    with transaction() as conn:
        conn.execute("UPDATE best SET score = '{}' WHERE submission = %s", [row.id])
        conn.execute("UPDATE fence SET rows = 7 WHERE contest = %s", [contest.id])
        conn.execute("UPDATE submission SET record = %s WHERE id = %s", [EXAMPLE[:-1] + b"x", row.id])
    found: set[str] = set()
    for _ in range(200):
        hurry()
        work.audit(60)
        found.update(each.split()[1] for each in known("audit").findings)
        if found >= {"standings", "count", "record"}:
            break
    assert found >= {"standings", "count", "record"}


def test_one_id_leads_through_the_logs_from_upload_to_rank(every_minute, start, tmp_path: Path):
    make_contest("golden-nugget")
    start()
    serving = serve(replace(every_minute, web_processes=2), tmp_path)
    web = next(serving)
    try:
        one_upload(web.url, tmp_path)
    finally:
        serving.close()


def one_upload(url: str, folder: Path) -> None:
    def ask(path: str, data: bytes | None = None, **headers: str) -> tuple[bytes, object]:
        with urllib.request.urlopen(urllib.request.Request(url + path, data, headers), timeout=20) as answer:
            return answer.read(), answer.headers

    token = json.loads(ask("/api/v1/contestants", b'{"name": "Ann"}')[0])["token"]
    mine = {"Authorization": f"Bearer {token}", "X-Request-ID": "from-upload-to-rank"}
    body, headers = ask("/api/v1/contests/golden-nugget/submissions", EXAMPLE, Prefer="wait=10", **mine)
    assert headers["X-Request-ID"] == "from-upload-to-rank"
    made = json.loads(body)
    until(lambda: decided(made["id"]))

    def logs() -> str:
        return (folder / "web.log").read_text() + (folder / "worker.log").read_text()

    def lines() -> list[dict]:
        return [json.loads(line) for line in logs().splitlines() if "from-upload-to-rank" in line]

    until(lambda: {"submission received", "claimed", "verified", "ranked"} <= {line["event"] for line in lines()})
    assert {line["process"] for line in lines()} == {"web", "worker"}
    assert all(line["submission"] == made["id"] for line in lines() if line["event"] != "request")
    assert token not in logs()
    assert "127.0.0.1" not in "".join(line for line in logs().splitlines() if "submission" in line)

    # Two web processes and a worker: whoever is asked tells of all of them.
    for _ in range(20):
        ask("/api/v1/puzzles")

    def counted() -> bool:
        page = ask("/metrics")[0].decode()
        said = re.search(r'requests_total\{endpoint="puzzles.every",method="GET",status="200"\} ([0-9.]+)', page)
        verified = re.search(r'verification_seconds_count\{puzzle="jc-golden-nugget"\} ([0-9.]+)', page)
        return bool(said and float(said[1]) == 20 and verified and float(verified[1]) == 1 and "Ann" not in page)

    until(counted)


def test_the_expected_wait_is_the_place_times_the_pace(every_minute):
    contest, ann = make_contest(), register("Ann")
    client = create_app(every_minute).test_client()
    first = upload(contest, ann, b"one")
    with transaction() as conn:
        assert submissions.get(conn, first.id).position == 1
    with client.application.app_context():
        from api import waiting

        assert waiting.expected(1) is None  # nothing was ever decided
        client.application.extensions["pace"] = (time.monotonic() + 60, 0.25)
        assert (waiting.expected(None), waiting.expected(4)) == (None, 1.0)
