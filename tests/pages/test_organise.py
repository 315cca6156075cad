"""Organisers' pages: a contest from TOML, notices, times, decisions; and what everybody reads of them."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from flask import Flask

from leaderboard import contestants
from leaderboard.contests import Contest
from leaderboard.db import transaction
from tests.api.conftest import RECORD, WORSE, drain
from tests.pages.conftest import Browser, Page

EXAMPLE = (Path(__file__).parents[2] / "deploy" / "contest.toml").read_text()
PAGE = "/contests/golden-nugget/organise"


@pytest.fixture
def olga(app: Flask) -> Browser:
    browser = Browser(app.test_client())
    browser.register("Olga")
    with transaction() as conn:
        who = contestants.by_name(conn, "Olga")
        assert who
        contestants.set_role(conn, who, "organiser")
    return browser


def do(olga: Browser, what: str, **fields: str) -> Page:
    """Send one of the page's forms; they have one address, and the button or a hidden field says which it is."""
    return olga.send(PAGE, **{"do": what, **fields})


def test_a_contest_is_announced_by_the_example_file(olga: Browser, browser: Browser) -> None:
    page = olga.send("/organise", toml=EXAMPLE.replace("quota = 20", "quota = 0"))
    assert (page.status, "quota: A daily quota is at least 1" in page.text) == (422, True)
    assert "JC Golden Nugget 2027" in page.text  # what was written is still there
    page = olga.send("/organise", toml=EXAMPLE)
    assert (page.status, page.path) == (200, "/contests/golden-nugget-2027/organise")
    shown = browser.get("/contests/golden-nugget-2027")
    assert "The contest was announced" in shown.text
    assert "<strong>lowest exact mean</strong>" in shown.html


def test_notices_and_decisions_are_on_the_contest_page(contest: Contest, ada: Browser, olga: Browser) -> None:
    page = ada.upload(RECORD.decode())
    drain()
    do(olga, "notice", en="Rule **7** is `clearer` now <b>", pl="Po polsku")
    shown = ada.get("/contests/golden-nugget")
    assert "Rule <strong>7</strong> is <code>clearer</code> now &lt;b&gt;" in shown.html
    assert "Po polsku" in ada.get("/contests/golden-nugget", **{"Accept-Language": "pl"}).text
    do(olga, "edit", number="1", en="Another text")
    assert "Another text" in ada.get("/contests/golden-nugget").text
    do(olga, "take-back", number="1")
    assert "Another text" not in ada.get("/contests/golden-nugget").text
    submission = page.path.rpartition("/")[2]
    assert do(olga, "disqualify", submission=submission, reason="").status == 422
    assert "Ada" in do(olga, "disqualify", submission=submission, reason="a bought one").text
    shown = ada.get("/contests/golden-nugget")
    assert "Nobody is on the board yet." in shown.text
    assert "A submission was disqualified · Ada: a bought one" in shown.text
    do(olga, "reinstate", submission=submission, reason="it was not")
    do(olga, "hide", name="Ada", reason="rude")
    shown = olga.get("/contests/golden-nugget")
    assert "Ada" not in shown.text
    assert "A name was hidden" in shown.text
    assert "Olga" in do(olga, "unhide", name="ada", reason="it is a name").text


def test_times_are_set_with_a_reason(contest: Contest, olga: Browser) -> None:
    later = (datetime.now(UTC) + timedelta(days=9)).strftime("%Y-%m-%dT%H:%M:%SZ")
    assert do(olga, "extend", when="tomorrow", reason="x").status == 422
    assert do(olga, "extend", when=later[:-1], reason="x").status == 422
    assert do(olga, "extend", when=later, reason="a storm").status == 200
    text = olga.get("/contests/golden-nugget").text
    assert "The deadline was extended: a storm" in text
    assert later in text
    assert "frozen" in do(olga, "freeze", reason="the end").text
    assert do(olga, "publish", reason="x").status == 422
    assert do(olga, "boil", reason="x").status == 400


def test_submissions_are_filtered_and_the_same_play_is_shown(
    contest: Contest, ada: Browser, olga: Browser, app: Flask
) -> None:
    bob = Browser(app.test_client())
    bob.register("Bob")
    ada.upload(RECORD.decode())
    bob.upload(RECORD.decode() + "# mine")
    bob.upload(WORSE.decode())
    ada.upload("puzzle: jc-golden-nugget")
    drain()
    page = olga.get(PAGE)
    assert page.html.count('href="/submissions/') == 6
    assert "The same play from several contestants" in page.text
    assert olga.get(f"{PAGE}?state=rejected&name=ada").html.count('href="/submissions/') == 1 + 2
    assert olga.get(f"{PAGE}?name=nobody").html.count('href="/submissions/') == 2
    assert ada.get(PAGE).status == 403
