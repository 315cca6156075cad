"""Matches by HTTP: one player hands in, the other answers, an organiser decides, the table shows it."""

from threading import Thread
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from leaderboard.contests import League
from leaderboard.db import transaction
from tests.api.conftest import Player, drain, join, new_contest, problem

CONTEST = "/api/v1/contests/knights"
PLAY = "deal: 7\nc8 j8xa7 b6xg10 h7 d7 i9 f6"


@pytest.fixture
def league(app: Flask) -> None:
    """An open contest of knight-fight."""
    new_contest(slug="knights", titles={"en": "Knights"}, puzzle="knight-fight", league=League(per_pair=2))


def hand_in(player: Player, players: str = "Ada, Bob", play: str = PLAY) -> str:
    """Hand a match in, and let a worker verify it: the submission's address."""
    record = f"puzzle: knight-fight\nplayers: {players}\n{play}".encode()
    answer = player.post(f"{CONTEST}/submissions", data=record)
    assert answer.status_code == 202, answer.text
    drain()
    return f"/api/v1/submissions/{answer.json['id']}"


def say(player: Player, address: str, confirmed: Any = True) -> TestResponse:
    return player.post(f"{address}/confirmation", json={"confirmed": confirmed})


def table(player: Player) -> dict[str, str]:
    rows = player.client.get(f"{CONTEST}/standings").json["standings"]
    return {row["contestant"]["name"]: row["score"]["points"] for row in rows}


def test_the_other_player_confirms_and_the_table_shows_it(league: None, ada: Player, bob: Player) -> None:
    address = hand_in(ada)
    (waiting,) = bob.get("/api/v1/me/matches").json["matches"]
    assert address.endswith(waiting["submission"])
    assert ada.get("/api/v1/me/matches").json["matches"] == []
    match = bob.get(f"{address}/match").json
    assert (match["state"], match["counts"], match["result"]) == ("waiting", False, "1-0")
    assert [(each["contestant"]["name"], each["points"], each["confirmed"]) for each in match["players"]] == [
        ("Ada", "1", True), ("Bob", "0", None),
    ]  # fmt: skip
    assert bob.get(f"{address}/record").status_code == 200
    assert table(ada) == {}
    etag = ada.client.get(f"{CONTEST}/standings").headers["ETag"]

    once, twice = say(bob, address), say(bob, address)
    assert (once.status_code, once.json["state"], once.json["counts"]) == (200, "confirmed", True)
    assert twice.json == once.json
    assert table(ada) == {"Ada": "1", "Bob": "0"}
    assert ada.client.get(f"{CONTEST}/standings", headers={"If-None-Match": etag}).status_code == 200
    assert [each["submission"] for each in ada.client.get(f"{CONTEST}/matches").json["matches"]] == [
        match["submission"]
    ]
    assert problem(say(bob, address, confirmed=False))["code"] == "match-settled"


def test_a_dispute_keeps_it_out_and_an_organiser_decides(
    league: None, ada: Player, bob: Player, organiser: Player
) -> None:
    address = hand_in(ada)
    assert say(bob, address, confirmed=False).json["state"] == "disputed"
    assert table(ada) == {}
    assert problem(ada.get(f"{CONTEST}/matches?undecided=1"))["code"] == "forbidden"
    (row,) = organiser.get(f"{CONTEST}/matches?undecided=1").json["matches"]
    assert address.endswith(row["submission"])
    decision = {"counts": True, "reason": "Seen on the spot."}
    assert problem(bob.post(f"{address}/ruling", json=decision))["code"] == "forbidden"
    assert problem(organiser.post(f"{address}/ruling", json={"counts": True}))["code"] == "invalid"
    assert organiser.post(f"{address}/ruling", json=decision).json["state"] == "upheld"
    assert table(ada) == {"Ada": "1", "Bob": "0"}
    assert organiser.get(f"{CONTEST}/matches?undecided=1").json["matches"] == []


def test_a_third_contestant_can_do_neither(league: None, ada: Player, bob: Player) -> None:
    address, cleo = hand_in(ada), join(ada.client, "Cleo")
    for confirmed in (True, False):
        assert problem(say(cleo, address, confirmed))["code"] == "not-found"  # it isn't even told that there is one
        assert problem(say(ada, address, confirmed))["code"] == "forbidden"
    assert ada.client.post(f"{address}/confirmation", json={"confirmed": True}).status_code == 401
    say(bob, address)
    assert problem(say(cleo, address))["code"] == "forbidden"


def test_two_confirmations_at_the_same_instant_count_once(league: None, ada: Player, bob: Player) -> None:
    address = hand_in(ada)
    answers: list[int] = []

    def confirm() -> None:
        client = bob.client.application.test_client()
        answers.append(
            client.post(f"{address}/confirmation", json={"confirmed": True}, headers=bob.headers).status_code
        )

    threads = [Thread(target=confirm) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [200] * 4
    assert table(ada) == {"Ada": "1", "Bob": "0"}
    with transaction() as conn:
        assert conn.execute("SELECT count(*) FROM audit WHERE action = 'confirm'").fetchone() == (1,)


def test_the_same_match_from_both_counts_once(league: None, ada: Player, bob: Player) -> None:
    address = hand_in(ada)
    other = hand_in(bob, play=f"# my copy\n{PLAY}")
    match = bob.get(f"{other}/match").json
    assert (match["state"], match["fault"]) == ("faulty", "duplicate")
    assert address.endswith(match["same_as"])
    assert ada.get(f"{address}/match").json["state"] == "confirmed"
    assert table(ada) == {"Ada": "1", "Bob": "0"}
    assert problem(say(ada, other))["code"] in ("no-match", "not-found")


@pytest.mark.parametrize("body", [{}, {"confirmed": "yes"}, {"confirmed": 1}, {"confirmed": None}, [], {"sure": True}])
def test_an_answer_of_another_form_is_invalid(league: None, ada: Player, bob: Player, body: object) -> None:
    address = hand_in(ada)
    assert problem(bob.post(f"{address}/confirmation", json=body))["code"] == "invalid"
    assert bob.get(f"{address}/match").json["state"] == "waiting"


def test_a_contest_tells_its_terms(league: None, ada: Player) -> None:
    contest = ada.client.get(CONTEST).json
    assert contest["league"] == {"per_pair": 2, "answer_days": 7, "invited": False}


def test_pages_of_matches(league: None, ada: Player, bob: Player) -> None:
    for deal in (7, 9):
        say(bob, hand_in(ada, play=f"deal: {deal}\nresigns"))
    first = ada.client.get(f"{CONTEST}/matches?limit=1").json
    second = ada.client.get(f"{CONTEST}/matches?limit=1&before={first['next']}").json
    assert first["matches"] != second["matches"]
    assert second["next"] is None
