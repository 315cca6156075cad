"""Accounts by REST: what a token may and until when, and that signing in takes nothing from uploads."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from leaderboard import contestants, passwords
from leaderboard.db import transaction
from tests.api.conftest import RECORD, Player, join, problem

TOKENS = "/api/v1/me/tokens"


def another(player: Player, **stated: object) -> tuple[Player, str]:
    """The same contestant with a new token, and the id of that token."""
    made = player.post(TOKENS, json=stated)
    assert made.status_code == 201, made.text
    return Player(player.client, player.id, player.name, made.json["token"]), made.json["id"]


def test_a_token_ends_at_once_when_it_is_revoked(contest, ada):
    other, named = another(ada, label="a program")
    assert other.submit(RECORD).status_code == 202
    assert ada.client.delete(f"{TOKENS}/{named}", headers=ada.headers).status_code == 204
    refused = problem(other.submit(RECORD + b"# more"))
    assert (refused["status"], refused["code"]) == (401, "bad-token")
    assert problem(other.get("/api/v1/me"))["code"] == "bad-token"
    assert ada.get("/api/v1/me").status_code == 200
    assert [token["label"] for token in ada.get(TOKENS).json["tokens"]].count("a program") == 0


def test_a_token_may_what_its_scope_says_and_makes_no_larger_one(contest, ada):
    reads, submits = (another(ada, scope=scope)[0] for scope in ("read", "submit"))
    assert (reads.get("/api/v1/me").status_code, submits.get("/api/v1/me").status_code) == (200, 200)
    assert problem(reads.submit(RECORD))["code"] == "forbidden"
    assert submits.submit(RECORD).status_code == 202
    for small in (reads, submits):
        assert problem(small.post(TOKENS, json={"scope": "all"}))["code"] == "forbidden"
        assert small.client.patch("/api/v1/me", json={"name": "Eve"}, headers=small.headers).status_code == 403


def test_a_demoted_organisers_rights_end_at_once(contest, organiser):
    assert organiser.get("/api/v1/contests/golden-nugget/submissions").status_code == 200
    with transaction() as conn:
        olga = contestants.by_name(conn, "Olga")
        assert olga
        contestants.set_role(conn, olga, "contestant")
    assert problem(organiser.get("/api/v1/contests/golden-nugget/submissions"))["code"] == "forbidden"
    assert organiser.get("/api/v1/me").json["role"] == "contestant"


@pytest.fixture
def hashing() -> Iterator[None]:
    """Every place for hashing passwords is taken."""
    with ExitStack() as taken:
        for _ in range(passwords.AT_ONCE + passwords.WAITING):
            assert passwords._room.acquire(blocking=False)
            taken.callback(passwords._room.release)
        yield


def test_uploads_go_on_while_too_many_sign_in(contest, ada, hashing):
    refused = ada.client.post("/api/v1/contestants", json={"name": "Bob", "password": "correct horse"})
    assert (problem(refused)["status"], "Retry-After" in refused.headers) == (429, True)
    assert ada.submit(RECORD).status_code == 202
    assert join(ada.client, "Bob").get("/api/v1/me").status_code == 200  # the name was not taken by half
