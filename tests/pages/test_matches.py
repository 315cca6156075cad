"""Matches on the pages: the buttons of the other player, the organiser's decision, and the table."""

import re

import pytest
from flask import Flask

from leaderboard import contestants
from leaderboard.contests import League
from leaderboard.db import transaction
from tests.api.conftest import drain, new_contest
from tests.pages.conftest import Browser, Page

RECORD = "puzzle: knight-fight\nplayers: Ada, Bob\ndeal: 7\nc8 j8xa7 b6xg10 h7 d7 i9 f6"


@pytest.fixture
def bob(app: Flask) -> Browser:
    browser = Browser(app.test_client())
    browser.register("Bob")
    return browser


@pytest.fixture
def league(app: Flask) -> None:
    new_contest(slug="knights", titles={"en": "Knights"}, puzzle="knight-fight", league=League())


def hand_in(browser: Browser, record: str = RECORD) -> str:
    """Upload a record, and let a worker verify it; the path of its page."""
    path = browser.upload(record, "knights").path
    drain()
    return path


def say(browser: Browser, path: str, **fields: str) -> Page:
    return browser.send(path, action=f"{path}/confirmation", **fields)


def test_one_hands_in_the_other_confirms_on_the_page(league: None, ada: Browser, bob: Browser) -> None:
    path = hand_in(ada)
    page = ada.get(path)
    assert "to be confirmed" in page.text
    assert re.search(r"Seat 1\s*Ada\s*In the game: \d+\s*Points: 1\s*Says: it was so", page.text)
    assert "Confirm: it was so" not in page.text  # the other player says it
    assert "Matches that wait for your answer" in bob.get("/me").text
    assert "Matches that wait for your answer" not in ada.get("/me").text
    page = Browser(ada.client.application.test_client()).get("/contests/knights")
    assert "None counts yet." in page.text
    assert "Not in the table: 1 match that its players have yet to confirm." in page.text
    page = say(bob, path, confirmed="yes")
    assert (page.status, page.path) == (200, path)
    assert "It counts in the table." in page.text
    assert "Matches that wait for your answer" not in bob.get("/me").text
    board = Browser(ada.client.application.test_client()).get("/contests/knights")
    assert "Ada, Bob" in board.text
    assert "Points: 1" in board.text
    hers = bob.get("/contestants/Ada").text
    assert "Points: 1 · Matches: 1 · Wins: 1 · Draws: 0 · Losses: 0" in hers
    assert "The last match that counts" in hers
    assert "better than those before" not in hers
    assert "Not in the table" not in board.text
    assert Browser(ada.client.application.test_client()).get(path).status == 200


def test_a_dispute_and_an_organiser(league: None, app: Flask, ada: Browser, bob: Browser) -> None:
    path = hand_in(ada)
    page = say(bob, path, confirmed="no")
    assert "It waits for an organiser's decision." in page.text
    assert "Not in the table: 1 match that a player disputes." in bob.get("/contests/knights").text
    assert "Confirm: it was so" in page.text  # a dispute can be withdrawn
    olga = Browser(app.test_client())
    olga.register("Olga")
    assert olga.get(path).status == 404
    with transaction() as conn:
        found = contestants.by_name(conn, "Olga")
        assert found
        contestants.set_role(conn, found, "organiser")
    assert "Matches that wait for an organiser" in olga.get("/contests/knights").text
    assert "Matches that wait for an organiser" not in ada.get("/contests/knights").text
    page = olga.send(path, action=f"{path}/ruling", counts="yes", reason="I was there.")
    assert "It counts in the table." in page.text
    page = olga.send(path, action=f"{path}/ruling", counts="no", reason="It was another day.")
    assert "An organiser has decided that it does not count." in page.text
    assert olga.send(path, action=f"{path}/ruling", counts="no", reason=" ").status == 400


@pytest.mark.parametrize(
    ("players", "said"),
    [
        ("Ada, Zed", "nobody here is called Zed"),
        ("Ada, ADA", "Ada plays against themselves"),
        ("Bob, Cleo", "nobody here is called Cleo"),
    ],
)
def test_why_an_accepted_record_is_no_match(league: None, ada: Browser, bob: Browser, players: str, said: str) -> None:
    path = hand_in(ada, RECORD.replace("Ada, Bob", players))
    page = ada.get(path)
    assert said in page.text
    assert "Accepted" in page.text


def test_a_page_of_another_sites_form_changes_nothing(league: None, ada: Browser, bob: Browser) -> None:
    path = hand_in(ada)
    answer = bob.client.post(f"{path}/confirmation", data={"confirmed": "yes"}, headers=bob.headers)
    assert answer.status_code == 403
    assert "to be confirmed" in bob.get(path).text
