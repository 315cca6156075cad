"""The home page: the main contest first, and a column only where there is something in it."""

from datetime import timedelta

from leaderboard.contests import Contest
from tests.api.conftest import CASES, drain, new_contest
from tests.pages.conftest import Browser

MAZE = (CASES.parent / "maze" / "valid" / "deal1-a.txt").read_text()


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
