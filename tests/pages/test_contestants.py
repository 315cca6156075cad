"""A contestant's page: where they stand, and the records that were better than all of theirs before."""

from flask import Flask

from leaderboard.contests import Contest
from tests.api.conftest import CASES, drain
from tests.pages.conftest import Browser

BEST, POOR, GOOD = (
    (CASES / "valid" / name).read_text() for name in ("best-20-short.txt", "poor-20.txt", "full-20.txt")
)


def test_it_tells_rank_and_history(ada: Browser, app: Flask, contest: Contest, browser: Browser) -> None:
    other = Browser(app.test_client())
    other.register("Bob")
    for who, record in ((ada, POOR), (other, BEST), (ada, GOOD), (ada, POOR.replace("board 1", "board  1", 1))):
        who.upload(record)
        drain()
    text = browser.get("/contestants/Ada").text
    assert "Rank 2 of 2." in text
    assert text.index("577/20 = 28.8500") < text.index("903/10 = 90.3000")
    assert text.count("903/10") == 1


def test_another_spelling_leads_to_the_name(ada: Browser) -> None:
    page = ada.get("/contestants/ADA")
    assert page.path == "/contestants/Ada"
    assert "Ada is on no board yet." in page.text


def test_nobody_is_not_found(ada: Browser) -> None:
    assert ada.get("/contestants/Eve").status == 404
    assert ada.get("/contestants/%00").status == 404
