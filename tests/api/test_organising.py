"""What organisers do by REST: each act, its place in the log, the board afterwards; and nothing of it for others."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from leaderboard import queue
from leaderboard.contests import League
from leaderboard.db import transaction
from tests.api.conftest import RECORD, REJECTED, STANDINGS, WORSE, drain, join, new_contest, problem

CONTEST = "/api/v1/contests/golden-nugget"


def later(**time: float) -> str:
    return (datetime.now(UTC) + timedelta(**time)).isoformat()


def board(client) -> list[tuple[int, str]]:
    return [(row["rank"], row["contestant"]["name"]) for row in client.get(STANDINGS).json["standings"]]


def log(who) -> list[dict[str, Any]]:
    return who.get(f"{CONTEST}/audit").json["entries"]


@pytest.fixture
def terms() -> dict[str, Any]:
    return {
        "slug": "brain-cup",
        "titles": {"en": "Brain Cup", "pl": "Puchar"},
        "descriptions": {"en": "For *everybody*."},
        "puzzle": "brain-burn",
        "setups": ["deal: 7", "deal: 8"],
        "opens_at": later(days=-1),
        "freezes_at": later(days=1),
        "closes_at": later(days=2),
        "publishes_at": later(days=3),
        "quota": 5,
        "keeps_records": False,
    }


def test_a_contest_is_announced_once(client, organiser, terms):
    answer = organiser.post("/api/v1/contests", json=terms)
    assert (answer.status_code, answer.json["phase"], answer.json["descriptions"]) == (
        201, "open", {"en": "For *everybody*."},
    )  # fmt: skip
    shown = client.get("/api/v1/contests/brain-cup").json
    assert (shown["setups"][1]["name"], shown["keeps_records"]) == ("deal 8", False)
    assert organiser.post("/api/v1/contests", json=terms).status_code == 200
    for field, value in (("quota", 6), ("keeps_records", True)):
        other = problem(organiser.post("/api/v1/contests", json={**terms, field: value}))
        assert (other["status"], other["code"]) == (409, "contest-exists")
        assert field in other["detail"]
    assert len(client.get("/api/v1/contests").json["contests"]) == 1
    entries = client.get("/api/v1/contests/brain-cup/audit").json["entries"]
    assert [entry["action"] for entry in entries] == ["create"]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"slug": "No Slug"}, "/slug"),
        ({"titles": {"pl": "Tylko"}}, "/titles"),
        ({"titles": {"en": "x" * 101}}, "/titles"),
        ({"puzzle": "chess"}, "/puzzle"),
        ({"setups": []}, "/setups"),
        ({"setups": ["deal: 7", "deal: 7"]}, "/setups"),
        ({"setups": ["deal: x"]}, "/setups"),
        ({"closes_at": "2020-01-01T00:00:00Z"}, "/closes_at"),
        ({"closes_at": "2030-01-01T00:00:00"}, "/closes_at"),
        ({"freezes_at": "2020-01-01T00:00:00Z"}, "/freezes_at"),
        ({"quota": 0}, "/quota"),
        ({"league": {"invited": True}}, "/league"),
        ({"prize": 1}, "/prize"),
    ],
)
def test_a_contest_that_cannot_be_is_refused_at_its_field(client, organiser, terms, change, field):
    wrong = problem(organiser.post("/api/v1/contests", json={**terms, **change}))
    assert (wrong["status"], wrong["code"]) == (422, "invalid")
    assert wrong["errors"][0]["pointer"].startswith(field)
    assert client.get("/api/v1/contests").json["contests"] == []


def test_other_times_and_acts_at_once(client, contest, ada, bob, organiser):
    ada.submit(WORSE)
    drain()
    new = later(days=5)
    answer = organiser.post(f"{CONTEST}/times", json={"closes_at": new, "publishes_at": new, "reason": "a storm"})
    assert (answer.status_code, answer.json["closes_at"]) == (200, new)
    assert problem(organiser.post(f"{CONTEST}/times", json={"opens_at": new, "reason": "x"}))["errors"]
    assert problem(organiser.post(f"{CONTEST}/times", json={"closes_at": new}))["errors"][0]["pointer"] == "/reason"
    assert problem(organiser.post(f"{CONTEST}/acts", json={"act": "publish", "reason": "x"}))["code"] == "invalid"
    for text in ("a\0b", "\ud800", ""):
        answer = problem(organiser.post(f"{CONTEST}/acts", json={"act": "freeze", "reason": text}))
        assert [error["pointer"] for error in answer["errors"]] == ["/reason"]
    assert organiser.post(f"{CONTEST}/acts", json={"act": "freeze", "reason": "the end"}).json["phase"] == "frozen"
    bob.submit(RECORD)
    drain()
    assert board(client) == [(1, "Ada")]
    assert organiser.post(f"{CONTEST}/acts", json={"act": "close", "reason": "done"}).json["phase"] == "published"
    assert board(client) == [(1, "Bob"), (2, "Ada")]
    entries = client.get(f"{CONTEST}/audit").json["entries"]
    assert [(each["action"], each["reason"]) for each in entries] == [
        ("close", "done"), ("freeze", "the end"), ("reschedule", "a storm"),
    ]  # fmt: skip
    assert entries[2]["detail"]["closes_at"][1].startswith(new[:19])
    assert "actor" not in entries[0]
    assert {each["actor"] for each in log(organiser)} == {"Olga"}
    more = client.get(f"{CONTEST}/audit?limit=2").json
    assert client.get(f"{CONTEST}/audit?before={more['next']}").json["entries"] == entries[2:]


def test_a_disqualified_leader_leaves_no_gap_and_comes_back(client, contest, ada, bob, organiser):
    best = ada.submit(RECORD).json["id"]
    bob.submit(WORSE)
    drain()
    tag = client.get(STANDINGS).headers["ETag"]
    url = f"/api/v1/submissions/{best}/disqualification"
    for _ in range(2):  # the second click changes nothing
        answer = organiser.post(url, json={"disqualified": True, "reason": "a bought solution"})
        assert (answer.status_code, answer.json["disqualified"]) == (200, True)
    assert client.get(STANDINGS, headers={"If-None-Match": tag}).status_code == 200
    assert board(client) == [(1, "Bob")]
    organiser.post(url, json={"disqualified": False, "reason": "it was not"})
    assert board(client) == [(1, "Ada"), (2, "Bob")]
    assert [(entry["action"], entry["whom"], entry["reason"]) for entry in log(client)] == [
        ("reinstate", "Ada", "it was not"), ("disqualify", "Ada", "a bought solution"),
    ]  # fmt: skip


def test_submissions_are_listed_by_filters_and_pages(client, contest, ada, bob, organiser):
    ids = [who.submit(record).json["id"] for who, record in ((ada, WORSE), (bob, REJECTED), (ada, RECORD))]
    drain()
    organiser.post(f"/api/v1/submissions/{ids[0]}/disqualification", json={"disqualified": True, "reason": "x"})

    def listed(query: str = "") -> list[str]:
        return [row["id"] for row in organiser.get(f"{CONTEST}/submissions?{query}").json["submissions"]]

    assert listed() == ids[::-1]
    assert listed("state=rejected") == [ids[1]]
    assert listed("code=unsolved") == [ids[1]]
    assert listed("state=accepted&disqualified=0") == [ids[2]]
    assert listed("disqualified=1") == [ids[0]]
    assert listed(f"contestant={bob.id}") == [ids[1]]
    assert listed("late=1") == []
    assert listed("since=2020-01-01T00:00:00Z") == ids[::-1]
    assert listed("since=2999-01-01T00:00:00Z") == []
    first = organiser.get(f"{CONTEST}/submissions?limit=2").json
    assert [row["id"] for row in first["submissions"]] == ids[:0:-1]
    assert listed(f"limit=2&cursor={first['next']}") == ids[:1]
    assert problem(organiser.get(f"{CONTEST}/submissions?cursor=x"))["errors"][0]["parameter"] == "cursor"
    assert problem(organiser.get(f"{CONTEST}/submissions?state=lost"))["code"] == "invalid"


def test_the_same_play_of_two_contestants_is_flagged(client, contest, ada, bob, organiser):
    one = ada.submit(RECORD).json["id"]
    ada.submit(RECORD + b"# again")
    two = bob.submit(RECORD.replace(b"\n", b"\r\n")).json["id"]
    bob.submit(WORSE)
    drain()
    (group,) = organiser.get(f"{CONTEST}/alike").json["groups"]
    assert group["submissions"][0]["id"] == one
    assert [row["contestant"]["name"] for row in group["submissions"]] == ["Ada", "Ada", "Bob"]
    assert group["submissions"][2]["id"] == two
    assert len(board(client)) == 2  # nothing follows of itself


def test_a_failed_one_is_tried_again(contest, ada, organiser):
    row = ada.submit(RECORD).json
    url = f"/api/v1/submissions/{row['id']}/requeue"
    assert problem(organiser.post(url, json={"reason": "x"}))["code"] == "not-failed"
    with transaction() as conn:
        conn.execute("UPDATE submission SET state = 'failed' WHERE id = %s", [row["id"]])
    assert organiser.post(url, json={"reason": "the verifier is mended"}).json["state"] == "queued"
    drain()
    assert ada.get(f"/api/v1/submissions/{row['id']}").json["state"] == "accepted"
    with transaction() as conn:
        assert queue.depth(conn).waiting == 0


def test_a_hidden_name_is_read_by_nobody_else(client, contest, ada, bob, organiser):
    ada.submit(RECORD)
    drain()
    answer = organiser.post(f"/api/v1/contestants/{ada.id}/hiding", json={"hidden": True, "reason": "rude"})
    shown = answer.json["shown"]
    assert (answer.json["hidden"], shown) == (True, f"#{ada.id[:8]}")
    assert board(client) == [(1, shown)]
    assert [(each["action"], each["whom"]) for each in log(organiser)] == [("hide", "Ada")]
    assert [(each["action"], each["whom"]) for each in log(client)] == [("hide", shown)]
    new_contest(slug="elsewhere")  # where Ada takes no part
    assert organiser.get("/api/v1/contests/elsewhere/audit").json["entries"] == []
    for path in (STANDINGS, f"{STANDINGS}.csv", f"{CONTEST}/audit", f"{STANDINGS}/{ada.id}", "/contests/golden-nugget"):
        assert "Ada" not in client.get(path).text
        assert "Ada" not in bob.get(path).text
    organiser.post(f"/api/v1/contestants/{ada.id}/hiding", json={"hidden": False, "reason": "it is a name"})
    assert board(client) == [(1, "Ada")]


def test_notices_are_posted_edited_and_taken_back(client, contest, organiser):
    url = f"{CONTEST}/notices"
    tag = client.get(STANDINGS).headers["ETag"]
    one = organiser.post(url, json={"texts": {"en": "Board **41** of the example was wrong."}})
    assert (one.status_code, one.json["number"], one.json["edited_at"]) == (201, 1, None)
    organiser.post(url, json={"texts": {"en": "A second one", "pl": "Drugie"}})
    assert client.get(STANDINGS, headers={"If-None-Match": tag}).status_code == 200
    edited = organiser.post(f"{url}/1", json={"texts": {"en": "<script>No HTML</script>"}}).json["notices"]
    assert [each["number"] for each in edited] == [2, 1]
    assert edited[1]["edited_at"]
    assert "<script>No" not in client.get("/contests/golden-nugget").text
    assert [each["number"] for each in organiser.post(f"{url}/2", json={"texts": None}).json["notices"]] == [1]
    assert problem(organiser.post(f"{url}/2", json={"texts": {"en": "x"}}))["status"] == 404
    assert problem(organiser.post(url, json={"texts": {"pl": "x"}}))["errors"][0]["pointer"] == "/texts/en"
    assert client.get(url).json["notices"][0]["texts"] == {"en": "<script>No HTML</script>"}
    assert [each["action"] for each in log(client)] == ["notice-taken-back", "notice-edited", "notice", "notice"]


def test_players_are_invited(client, organiser):
    new_contest(slug="club", puzzle="knight-fight", league=League(invited=True))
    new_contest(slug="fair", puzzle="knight-fight")
    ann = join(client, "Ann")
    for _ in range(2):
        answer = organiser.post("/api/v1/contests/club/invitations", json={"name": "ann"})
        assert (answer.status_code, answer.json["id"]) == (200, ann.id)
    assert problem(organiser.post("/api/v1/contests/club/invitations", json={"name": "Nobody"}))["code"] == "invalid"
    assert problem(organiser.post("/api/v1/contests/fair/invitations", json={"name": "Ann"}))["code"] == "invalid"
    entries = client.get("/api/v1/contests/club/audit").json["entries"]
    assert [(each["action"], each["whom"]) for each in entries] == [("invite", "Ann")]
    invitations = "/api/v1/contests/club/invitations"
    assert [each["name"] for each in organiser.get(invitations).json["invitations"]] == ["Ann"]
    for status in (204, 404):
        gone = client.delete(f"{invitations}/{ann.id}", headers=organiser.headers)
        assert gone.status_code == status
    assert organiser.get(invitations).json["invitations"] == []
    entries = client.get("/api/v1/contests/club/audit").json["entries"]
    assert [(each["action"], each["whom"]) for each in entries] == [("uninvite", "Ann"), ("invite", "Ann")]
