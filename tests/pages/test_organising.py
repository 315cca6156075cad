"""The pages of organisers: each act by its form once, with its audit line, its event, and the ranks afterwards."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from flask import Flask

from leaderboard import contestants, contests, events
from leaderboard.contests import Contest, League
from leaderboard.db import transaction
from tests.api.conftest import RECORD, WORSE, drain, new_contest
from tests.pages.conftest import Browser

HOME = "/organise/golden-nugget"


@pytest.fixture
def olga(app: Flask) -> Browser:
    """An organiser, signed in."""
    browser = Browser(app.test_client())
    browser.register("Olga")
    with transaction() as conn:
        found = contestants.by_name(conn, "Olga")
        assert found
        contestants.set_role(conn, found, "organiser")
    return browser


def act(who: Browser, form: str, **fields: str) -> str:
    """Press the button `act` of a form of the contest's page; what a reader then reads."""
    page = who.send(HOME, HOME, act=form, **fields)
    assert page.status == 200, page.text
    return page.text


def board(reader: Browser) -> list[str]:
    rows = reader.get("/api/v1/contests/golden-nugget/standings").answer.json["standings"]
    return [f"{row['rank']} {row['contestant']['name']}" for row in rows]


def kinds() -> list[str]:
    with transaction() as conn:
        contest = contests.get(conn, "golden-nugget")
        assert contest
        return [event.kind for event in events.since(conn, contest, 0)]


def test_what_is_done_about_submissions_and_names_is_seen_at_once(
    contest: Contest, olga: Browser, ada: Browser, browser: Browser, app: Flask
) -> None:
    bob = Browser(app.test_client())
    bob.register("Bob the Rude")
    first, other = ada.upload(RECORD.decode()).path, bob.upload(RECORD.decode()).path
    bob.upload(WORSE.decode())
    drain()
    assert board(browser) == ["1 Ada", "1 Bob the Rude"]
    page = olga.get(HOME).text
    assert "The same play from several contestants" in page
    listed = olga.get(
        f"{HOME}/submissions?contestant=Ada&state=accepted&late=no&disqualified=no&since=2020-01-01T00:00"
    )
    assert first in listed.html
    assert other not in listed.html
    assert "Nobody is called like that." in olga.get(f"{HOME}/submissions?contestant=Zoe").text
    assert "No submission fits." in olga.get(f"{HOME}/submissions?late=yes").text

    olga.send(first, f"{first}/decision", act="disqualify", reason="played by Bob the Rude")
    assert board(browser) == ["1 Bob the Rude"]
    assert "A submission of Ada was disqualified." in browser.get("/contests/golden-nugget").text
    olga.send(first, f"{first}/decision", act="reinstate", reason="it was not")
    assert board(browser) == ["1 Ada", "1 Bob the Rude"]

    olga.send(other, f"{other}/decision", act="hide", reason="Bob the Rude is no name")
    with transaction() as conn:
        found = contestants.by_name(conn, "Bob the Rude")
    assert found
    assert board(browser) == ["1 Ada", f"1 {found.shown}"]
    api = "/api/v1/contests/golden-nugget"
    for path in (
        *("/", "/contests/golden-nugget", "/contests/golden-nugget?find=bob", f"/contestants/%23{str(found.id)[:8]}"),
        *(f"{api}/standings", f"{api}/standings.csv", f"{api}/audit", f"{api}/notices", f"{api}/standings/{found.id}"),
        *(f"/api/v1{other}", other, f"/contests/golden-nugget/compare?a=Ada&b=%23{str(found.id)[:8]}"),
    ):
        answer = browser.get(path)
        assert answer.status == 200, path
        assert "Bob the Rude" not in answer.html, path
    assert browser.get("/contestants/Bob%20the%20Rude").status == 404
    assert "have hidden your name" in bob.get("/me").text
    assert bob.get("/api/v1/me").answer.json["hidden"] is True
    olga.send(other, f"{other}/decision", act="unhide", reason="it is one")
    assert board(browser) == ["1 Ada", "1 Bob the Rude"]
    assert kinds()[-4:] == ["disqualified", "reinstated", "name", "name"]
    log = olga.get(HOME).text
    for deed in ("was disqualified.", "was reinstated."):
        assert deed in log


def test_times_notices_and_a_failed_submission(contest: Contest, olga: Browser, ada: Browser, browser: Browser) -> None:
    row = ada.upload(RECORD.decode()).path
    with transaction() as conn:
        conn.execute("UPDATE submission SET state = 'failed'")
    queue = f"{row}/decision"
    olga.send(f"{HOME}/submissions?state=failed", queue, act="requeue")  # one click
    drain()
    assert board(browser) == ["1 Ada"]

    later = (datetime.now(UTC) + timedelta(days=9)).strftime("%Y-%m-%dT%H:%M")
    times = {name: t.strftime("%Y-%m-%dT%H:%M") for name in ("opens_at",) if (t := getattr(contest, name))}
    times |= {"freezes_at": "", "closes_at": later, "publishes_at": later, "reason": "the service was away"}
    act(olga, "times", **times)
    with transaction() as conn:
        moved = contests.get(conn, "golden-nugget")
    assert moved
    assert moved.closes_at.strftime("%Y-%m-%dT%H:%M") == later
    assert moved.opens_at == contest.opens_at  # not cut to the minute
    page = browser.get("/contests/golden-nugget").text
    assert "The times were changed." in page
    assert "the service was away" in page
    refused = olga.send(HOME, HOME, act="publish", reason="too early")
    assert refused.status == 422
    assert "The order of the times would break" in refused.text
    assert olga.send(HOME, HOME, act="freeze", reason=" ").status == 422
    assert olga.send(HOME, HOME, act="freeze", reason="x" * 501).status == 422

    for _ in range(2):  # a double click
        act(olga, "tell", en="**Mind** the <b>clock</b> ![x](https://example.org/x.png)", pl="Uwaga na zegar")
    page = browser.get("/contests/golden-nugget")
    assert "<strong>Mind</strong> the &lt;b&gt;clock&lt;/b&gt; !<a " in page.html
    assert page.html.count("<strong>Mind</strong>") == 1
    assert "Uwaga na zegar" in browser.get("/contests/golden-nugget", **{"Accept-Language": "pl"}).text
    form = {"number": "1", "csrf_token": csrf(olga)}
    olga.client.post(HOME, data={**form, "act": "tell", "en": "Changed", "pl": ""})
    assert "Changed" in browser.get("/contests/golden-nugget").text
    olga.client.post(HOME, data={**form, "act": "take-back"})
    assert "Changed" not in browser.get("/contests/golden-nugget").text
    assert kinds().count("notice") == 3

    act(olga, "freeze", reason="as announced")
    assert "The board is frozen" in browser.get("/contests/golden-nugget").text
    act(olga, "close", reason="as announced")
    act(olga, "publish", reason="as announced")
    assert "finished" in browser.get("/contests/golden-nugget").text


def test_a_contest_is_announced_and_players_invited(olga: Browser, ada: Browser, browser: Browser) -> None:
    toml = """
slug = "knights"
puzzle = "knight-fight"
opens_at = 2026-01-01T00:00:00Z
closes_at = 2099-01-01T00:00:00Z
[title]
en = "Knights"
[description]
en = "By *invitation*."
[league]
invited = true
"""
    wrong = olga.send("/organise", "/organise", toml=toml.replace("2026-01-01T00:00:00Z", "2026-01-01T00:00:00"))
    assert wrong.status == 422
    assert "opens_at" in wrong.text
    assert "time-without-zone" in wrong.text
    for _ in range(2):
        assert olga.send("/organise", "/organise", toml=toml).path == "/organise/knights"
    assert "<em>invitation</em>" in browser.get("/contests/knights").html
    page = olga.send("/organise/knights", "/organise/knights", act="invite", name="nobody at all")
    assert (page.status, "Nobody is called like that." in page.text) == (422, True)
    token = {"csrf_token": csrf(olga), "act": "invite", "name": "Ada"}
    for _ in range(2):
        assert olga.client.post("/organise/knights", data=token).status_code == 303
    assert olga.get("/organise/knights").text.count("Ada was invited.") == 1
    with transaction() as conn:
        assert conn.execute("SELECT count(*) FROM entrant").fetchone() == (1,)
    page = olga.get("/organise/knights")
    assert "Invited so far: 1" in page.text
    invited = re.search(r'name="contestant" value="([^"]+)"', page.html)
    assert invited
    back = {"csrf_token": csrf(olga), "act": "uninvite", "contestant": invited[1]}
    assert olga.client.post("/organise/knights", data=back).status_code == 303
    assert "The invitation of Ada was withdrawn." in browser.get("/contests/knights").text
    assert "Invited so far" not in olga.get("/organise/knights").text
    assert olga.client.post("/organise/knights", data={**back, "contestant": "x"}).status_code == 400
    new_contest(slug="open-knights", puzzle="knight-fight", league=League())
    token["name"] = "Ada"
    assert olga.client.post("/organise/open-knights", data=token).status_code == 422


def csrf(who: Browser) -> str:
    with who.client.session_transaction() as session:
        return str(session["csrf"])
