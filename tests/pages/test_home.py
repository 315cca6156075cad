"""The home page: the main contest first, and a column only where there is something in it."""

from datetime import timedelta
from uuid import UUID

from flask import Flask

from leaderboard import contestants, contests, matches
from leaderboard.contests import Contest
from leaderboard.db import transaction
from tests.api.conftest import CASES, drain, new_contest
from tests.pages.conftest import Browser

MAZE = (CASES.parent / "maze" / "valid" / "deal1-a.txt").read_text()
RUSH = "puzzle: rush\nplayers: Ada, Bob\nsize: 3\na3\nb3\nb1\nb2+c3\na1\nc1\nc2+a2\n"


def test_the_main_contest_comes_first_also_when_another_closes_later(ada: Browser, contest: Contest) -> None:
    later = contest.closes_at + timedelta(days=1)
    new_contest(slug="maze", titles={"en": "Labyrinth"}, puzzle="maze", closes_at=later, setups=["deal: 1"])
    ada.upload((CASES / "valid" / "poor-20.txt").read_text())
    ada.upload(MAZE, "maze")
    drain()
    page = ada.get("/")
    assert page.text.index("Winter") < page.text.index("Labyrinth")
    assert page.html.index('class="button" href="/contests/golden-nugget"') > 0
    main, maze = page.html.split("Labyrinth")
    assert ("Mean" in main, "Mean" in maze) == (True, False)
    assert "Ada" in maze


def test_leagues_stand_below_the_puzzles_with_who_leads(app: Flask, ada: Browser, contest: Contest) -> None:
    Browser(app.test_client()).register("Bob")
    new_contest(slug="rush", titles={"en": "Stones"}, puzzle="rush")
    page = ada.get("/")
    assert page.text.index("Winter") < page.text.index("Leagues") < page.text.index("Stones")
    assert page.text.count("Nobody is on the board yet.") == 2
    with transaction() as conn:
        found, bob = contests.get(conn, "rush"), contestants.by_name(conn, "Bob")
        assert found
        assert bob
    path = ada.upload(RUSH, "rush").path
    drain()
    with transaction() as conn:
        matches.answer(conn, found, UUID(path.rpartition("/")[2]), bob, True)
    assert "led by Ada · 2 players" in ada.get("/").text
