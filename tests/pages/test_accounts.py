"""Register, sign in and out; nothing is changed by another site's form."""

import pytest
from flask import Flask

from tests.pages.conftest import PASSWORD, Browser


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
