"""Register, sign in and out; nothing is changed by another site's form."""

import re

import pytest
from flask import Flask

from leaderboard import contestants
from leaderboard.db import transaction
from tests.api.conftest import RECORD, drain, new_contest
from tests.pages.conftest import PASSWORD, Browser, Page


def test_who_registers_is_signed_in_and_shown_the_token(browser: Browser) -> None:
    token = browser.register("Ada")
    assert "Ada" in browser.get("/").text
    assert browser.get("/me").path == "/me"
    assert token not in browser.get("/me").html


def test_a_token_signs_in_elsewhere(app: Flask, ada: Browser) -> None:
    token = Browser(app.test_client()).register("Bob")
    other = Browser(app.test_client())
    page = other.send("/sign-in?next=/me", token=token)
    assert (page.status, page.path) == (200, "/me")
    assert "Bob" in page.text


def test_a_password_signs_in_elsewhere(app: Flask, browser: Browser) -> None:
    browser.register("Ada", PASSWORD)
    other = Browser(app.test_client())
    assert other.send("/sign-in?next=/me", name="ada", password=PASSWORD).path == "/me"


@pytest.mark.parametrize(
    "form", [{"name": "Ada", "password": "wrong"}, {"name": "Nobody", "password": "x"}, {"token": "gn_x"}]
)
def test_what_is_wrong_is_said_and_nobody_is_signed_in(app: Flask, ada: Browser, form: dict[str, str]) -> None:
    other = Browser(app.test_client())
    page = other.send("/sign-in", **form)
    assert page.status == 422
    assert 'role="alert"' in page.html
    assert other.get("/me").path == "/sign-in"


def test_signing_out_forgets(ada: Browser) -> None:
    page = ada.send("/", action="/sign-out")
    assert "Sign in" in page.text
    assert ada.get("/me").path == "/sign-in"


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("Ada", "is taken"),
        ("\uff41da", "is taken"),
        ("", "1 to 40"),
        ("x" * 41, "1 to 40"),
        ("a  b", "single spaces"),
        ("a/b", "no comma"),
    ],
)
def test_a_name_that_cannot_be_is_told_why(ada: Browser, browser: Browser, name: str, sentence: str) -> None:
    page = browser.send("/register", name=name)
    assert page.status == 422
    assert sentence in page.text


def test_a_form_from_elsewhere_changes_nothing(browser: Browser) -> None:
    answer = browser.client.post("/register", data={"name": "Ada"}, headers=browser.headers)
    assert answer.status_code == 403
    assert "This form is too old, or comes from elsewhere." in answer.text
    browser.register("Ada")


@pytest.mark.parametrize(
    "target", ["https://elsewhere.example/", "//elsewhere.example", "/\\elsewhere.example", "javascript:alert(1)", ""]
)
def test_nobody_is_sent_to_another_site(browser: Browser, target: str) -> None:
    answer = browser.client.get("/theme/dark", query_string={"next": target})
    assert answer.headers["Location"] == "/"


def test_an_account_is_changed_and_ended(app: Flask, browser: Browser) -> None:
    first = browser.register("Ada")
    elsewhere, program = Browser(app.test_client()), app.test_client()
    elsewhere.send("/sign-in", token=first)

    def change(action: str, **fields: str) -> Page:
        return browser.send("/me/account", action=action, **fields)

    def status(token: str, method: str = "GET") -> int:
        data = None if method == "GET" else {"name": "Eve"}
        return program.open(
            "/api/v1/me", method=method, json=data, headers={"Authorization": f"Bearer {token}"}
        ).status_code

    page = change("/me/account", act="name", name="a/b")
    assert page.status == 422
    assert "no comma" in page.text
    page = change("/me/account", act="name", name=" Countess Ada ")
    assert (page.status, page.path) == (200, "/me/account")
    assert "Your name is changed." in page.text
    assert "Countess Ada" in page.html

    assert change("/me/account", act="password", password="short").status == 422
    assert change("/me/account", act="password", password=PASSWORD).status == 200
    assert elsewhere.get("/me").path == "/sign-in"
    for wrong in ({}, {"present_password": "wrong"}):
        page = change("/me/account", act="password", password="another one", **wrong)
        assert page.status == 422
        assert "The present password is another one." in page.text
    assert elsewhere.send("/sign-in?next=/me", name="countess ada", password=PASSWORD).path == "/me"

    assert change("/me/tokens", act="make", scope="read", days="0").status == 422
    page = change("/me/tokens", act="make", scope="read", label="Night <b>script</b>", days="7")
    made = re.search(r"gn_[A-Za-z0-9_-]{43}", page.text)
    assert made
    assert page.answer.headers["Cache-Control"] == "no-store"
    assert (status(made[0]), status(made[0], "PATCH")) == (200, 403)
    page = browser.get("/me/account")
    assert made[0] not in page.html
    assert "<b>script" not in page.html
    button = re.search(r'value="([^"]*)" aria-label="Revoke Night', page.html)
    assert button
    assert "no longer valid" in change("/me/tokens", revoke=button[1]).text
    assert change("/me/tokens", revoke=button[1]).status == 200
    assert (status(made[0]), status(first)) == (401, 200)
    change("/me/tokens", act="others")
    assert status(first) == 401
    assert elsewhere.get("/me").path == "/sign-in"

    page = change("/me/deletion", present_password="wrong", name="Countess Ada")
    assert page.status == 422
    form = dict(re.findall(r'name="(csrf_token|contestant)" value="([^"]*)"', page.html))
    for _ in range(2):  # a double click
        answer = browser.client.post(
            "/me/deletion", data={**form, "present_password": PASSWORD}, headers=browser.headers, follow_redirects=True
        )
        assert answer.status_code == 200
        assert "The account is deleted" in answer.text
    assert browser.get("/me/account").path == "/sign-in"
    assert elsewhere.send("/sign-in", name="Countess Ada", password=PASSWORD).status == 422


def test_without_a_password_the_name_confirms_the_end(ada: Browser) -> None:
    page = ada.send("/me/account", action="/me/deletion", name="ada")
    assert page.status == 422
    assert "as it is written" in page.text
    assert "The account is deleted" in ada.send("/me/account", action="/me/deletion", name="Ada").text


def test_an_organiser_gives_a_new_token_to_who_lost_all(app: Flask, ada: Browser, browser: Browser) -> None:
    browser.register("Olga")
    assert "Give a new token" not in ada.get("/contestants/Ada").text
    with transaction() as conn:
        olga, found = contestants.by_name(conn, "Olga"), contestants.by_name(conn, "Ada")
        assert olga
        assert found
        contestants.set_role(conn, olga, "organiser")
    action = f"/contestants/{found.id}/token"
    page = browser.send("/contestants/Ada", action=action, reason=" ")
    assert page.status == 422
    assert "Give a reason" in page.text
    page = browser.send("/contestants/Ada", action=action, reason="Lost the phone")
    given = re.search(r"gn_[A-Za-z0-9_-]{43}", page.text)
    assert given
    back = Browser(app.test_client())
    assert "Ada" in back.send("/sign-in?next=/me", token=given[0]).text
    assert "Give a new token" not in browser.get("/contestants/Olga").text


def test_a_contest_that_keeps_no_records_says_so_and_what_it_withdrew_is_not_disqualified(
    app: Flask, ada: Browser, browser: Browser
) -> None:
    new_contest(keeps_records=False)
    assert "keeps no records" in ada.get("/contests/golden-nugget").text
    path = ada.upload(RECORD.decode()).path
    browser.register("Olga")
    browser.upload(RECORD.decode() + "\n")  # the same play
    drain()
    ada.send("/me/account", action="/me/deletion", name="Ada")
    with transaction() as conn:
        olga = contestants.by_name(conn, "Olga")
        assert olga
        contestants.set_role(conn, olga, "organiser")
    page = browser.get(path)
    assert "withdrawn with its contestant's account" in page.text
    assert "disqualified" not in page.text
    assert "Reinstate" not in page.text
    page = browser.get("/organise/golden-nugget")
    assert "The same play from several contestants" in page.text
    assert page.html.count('<span class="pill rejected">withdrawn</span>') == 1
    assert "disqualified" not in page.text
    told = browser.client.get(f"/api/v1{path}").json
    assert (told["disqualified"], told["withdrawn"]) == (True, True)
