"""Verifying again by REST and on the organisers' page: what organisers see, apply and cancel."""

import pytest

from leaderboard import correction, reverification
from leaderboard.db import transaction
from leaderboard.queue import Done
from leaderboard.rebuild import rebuild
from tests.api.conftest import RECORD, REJECTED, STANDINGS, WORSE, drain, problem
from verifier import Rejected, Verdict, verify
from worker import tasks

SETS = "/api/v1/contests/golden-nugget/reverifications"
PAGE = "/contests/golden-nugget/reverification"


@pytest.fixture
def second(monkeypatch: pytest.MonkeyPatch) -> None:
    """This process runs a second version of the verifier."""
    for module in (reverification, correction):
        monkeypatch.setattr(module, "VERSION", "2")


def judge_again(refuse: bytes) -> None:
    """Verify the set as a worker of version 2 does, which rejects this one record."""
    with transaction() as conn:
        rows = reverification.claim(conn, 100)
    no = Verdict("jc-golden-nugget", error=Rejected("illegal-move", "Not by this version."))
    with transaction() as conn:
        done = [Done(row, no if row.record == refuse else verify(row.record), 1) for row in rows]
        assert len(reverification.finish(conn, done)) == len(rows)


def test_organisers_choose_see_what_would_change_and_apply_it(contest, ada, bob, organiser, second, client):
    first, worse = ada.submit(RECORD).json, ada.submit(WORSE).json
    bob.submit(WORSE + b"# Bob's")
    bob.submit(REJECTED)
    drain()
    before = client.get(STANDINGS).json
    assert [row["contestant"]["name"] for row in before["standings"]] == ["Ada", "Bob"]

    assert problem(ada.post(SETS, json={}))["code"] == "forbidden"
    assert problem(organiser.post(SETS, json={"contestant": "Nobody"}))["errors"][0]["pointer"] == "/contestant"
    assert problem(organiser.post(SETS, json={"code": "wrong-draw"}))["code"] == "invalid"
    assert problem(organiser.post(SETS, json={"codes": "x"}))["code"] == "invalid"
    answer = organiser.post(SETS, json={"accepted": True, "older_than": "3"})
    assert answer.status_code == 202, answer.text
    made = answer.json
    assert (made["total"], made["decided"], made["ready"], made["preview"]) == (3, 0, False, None)
    assert problem(organiser.post(SETS, json={}))["code"] == "reverification-open"
    one = f"{SETS}/{made['id']}"
    assert problem(organiser.post(f"{one}/apply", json={"reason": "soon"}))["code"] == "reverification-not-ready"
    assert problem(organiser.post(f"{one}/apply", json={"reason": " "}))["code"] == "invalid"

    judge_again(RECORD)
    seen = organiser.get(one).json
    assert (seen["decided"], seen["ready"]) == (3, True)
    preview = seen["preview"]
    assert preview["verdicts"] == {"accepted": 0, "rejected": 1, "score": 0, "error": 0}
    [change] = preview["changes"]
    assert (change["submission"], change["new"]["error"]["code"]) == (first["id"], "illegal-move")
    [live] = preview["boards"]
    assert [(row["contestant"]["name"], row["old_rank"], row["new_rank"]) for row in live["ranks"]] == [("Bob", 2, 1)]
    assert client.get(STANDINGS).json == before
    assert organiser.get(f"/api/v1/submissions/{first['id']}").json["state"] == "accepted"

    done = organiser.post(f"{one}/apply", json={"reason": "rule 7 was read wrongly"}).json
    assert (done["state"], done["changed"], done["ended_by"]) == ("applied", 1, "Olga")
    assert problem(organiser.post(f"{one}/cancel", json={"reason": "late"}))["code"] == "reverification-ended"
    after = client.get(STANDINGS).json
    # Both have the same score now; who was earlier stands first.
    assert [(row["contestant"]["name"], row["rank"]) for row in after["standings"]] == [("Ada", 1), ("Bob", 1)]
    assert after["standings"][0]["submission"] == worse["id"]
    assert after["event"] > before["event"]
    now = ada.get(f"/api/v1/submissions/{first['id']}").json
    assert (now["state"], now["version"]) == ("rejected", "2")
    with transaction() as conn:
        assert rebuild(conn, contest).differed == 0
    page = client.get("/contests/golden-nugget").text
    assert "rule 7 was read wrongly" in page
    assert "3 submissions were verified again by version 2." in page


def test_a_version_that_contradicts_itself_is_told_and_nothing_comes_of_it(contest, ada, organiser):
    ada.submit(RECORD)
    drain()
    made = organiser.post(SETS, json={}).json
    judge_again(RECORD)
    seen = organiser.get(f"{SETS}/{made['id']}").json
    assert (seen["odd"], seen["ready"], seen["preview"]["changes"]) == (1, True, [])


def test_a_worker_goes_on_with_it_only_when_no_upload_waits(contest, ada, organiser):
    ada.submit(RECORD)
    drain()
    made = organiser.post(SETS, json={}).json
    ada.submit(WORSE)
    assert not tasks.verify_again()
    drain()
    assert tasks.verify_again()
    assert organiser.get(f"{SETS}/{made['id']}").json["ready"]


def test_the_page_does_the_same(contest, ada, organiser, second, client):
    ada.submit(RECORD)
    drain()
    with client.session_transaction() as session:
        session["token"], session["csrf"] = organiser.token, "known"
    assert "Verify them again" in client.get(PAGE).text
    form = {"csrf_token": "known"}
    answer = client.post(PAGE, data={**form, "contestant": "Nobody"})
    assert answer.status_code == 422
    assert "Nobody is called like that." in answer.text
    assert (
        client.post(PAGE, data={**form, "verdict": "accepted", "received_from": "2026-01-01T00:00"}).status_code == 303
    )
    assert "0 of 1 verified by version 2" in client.get(PAGE).text
    judge_again(RECORD)
    page = client.get(PAGE).text
    assert "becomes rejected" in page
    assert "1 leave it." in page
    with transaction() as conn:
        found = reverification.newest(conn, contest)
    end = f"{PAGE}/{found.id}"
    assert client.post(end, data={**form, "act": "apply", "reason": ""}).status_code == 422
    assert client.post(end, data={**form, "act": "cancel", "reason": "a mistake"}).status_code == 303
    assert "a mistake" in client.get(PAGE).text
    assert client.post(end, data={**form, "act": "apply", "reason": "again"}).status_code == 409
    assert [row["contestant"]["name"] for row in client.get(STANDINGS).json["standings"]] == ["Ada"]
