"""A contestant's page: where they stand, and the records that were better than all of theirs before."""

from flask import Flask

from leaderboard import contestants, organising
from leaderboard.contests import Contest
from leaderboard.db import transaction
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


def test_a_former_name_leads_to_the_present_one_while_it_is_kept(
    ada: Browser, browser: Browser, contest: Contest
) -> None:
    ada.upload(POOR)
    for name in ("Ann", "Anna"):
        ada.send("/me/account", act="name", name=name)
    for name in ("Ada", "ADA", "ann"):
        assert browser.get(f"/contestants/{name}").path == "/contestants/Anna"
    with transaction() as conn:
        anna = contestants.by_name(conn, "Anna")
        assert anna
        organising.hide(conn, anna, "command line", "rude")
    assert browser.get("/contestants/Ada").status == 404
    with transaction() as conn:
        organising.unhide(conn, anna, "command line", "it is a name")
        conn.execute("UPDATE former_name SET free_at = now() WHERE hash = %s", [contestants.name_hash("ada")])
    assert browser.get("/contestants/Ada").status == 404  # it may be somebody else's now
    browser.register("Ada")
    assert browser.get("/contestants/Ada").path == "/contestants/Ada"
    ada.send("/me/account", action="/me/deletion", name="Anna")
    assert browser.get("/contestants/Ann").status == 404


def test_a_name_that_was_hidden_leads_nowhere(ada: Browser, browser: Browser, contest: Contest) -> None:
    ada.upload(POOR)
    for name, act in (("Rude", organising.hide), ("Ina", organising.unhide)):
        ada.send("/me/account", act="name", name=name)
        with transaction() as conn:
            found = contestants.by_name(conn, name)
            assert found
            act(conn, found, "command line", "a reason")
    assert browser.get("/contestants/Ada").path == "/contestants/Ina"
    assert browser.get("/contestants/Rude").status == 404


def test_an_organiser_hides_the_name_on_its_page(ada: Browser, browser: Browser, contest: Contest) -> None:
    browser.register("Olga")
    with transaction() as conn:
        olga, found = contestants.by_name(conn, "Olga"), contestants.by_name(conn, "Ada")
        assert olga
        assert found
        contestants.set_role(conn, olga, "organiser")
    action = f"/contestants/{found.id}/hiding"
    assert "Hide the name" not in ada.get("/contestants/Ada").text
    assert browser.send("/contestants/Ada", action=action, act="hide", reason=" ").status == 422
    page = browser.send("/contestants/Ada", action=action, act="hide", reason="rude")
    hidden = f"/contestants/%23{str(found.id)[:8]}"
    assert (page.path, "Hidden from the public: Ada" in page.text) == (f"/contestants/#{str(found.id)[:8]}", True)
    assert "Ada" not in Browser(browser.client.application.test_client()).get(hidden).text
    page = browser.send(hidden, action=action, act="unhide", reason="it is a name")
    assert page.path == "/contestants/Ada"


def test_nobody_is_not_found(ada: Browser) -> None:
    assert ada.get("/contestants/Eve").status == 404
    assert ada.get("/contestants/%00").status == 404
