"""Tokens, the cookie, and that no other site can use it."""

import re
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from api.app import create_app
from leaderboard import contestants, tokens
from leaderboard.db import transaction
from leaderboard.settings import Settings
from tests.api.conftest import RECORD, SUBMIT, Player, join, problem

pytestmark = pytest.mark.usefixtures("contest")


def new_token(**more: Any) -> str:
    with transaction() as conn:
        ada = contestants.by_name(conn, "Ada")
        assert ada
        return tokens.issue(conn, ada, **more)


@pytest.mark.parametrize("header", ["Bearer nobody", "Bearer", "Bearer ", "Basic QWRhOng=", "x", "Bearer \u00e4"])
def test_a_token_that_is_none(client: FlaskClient, header: str) -> None:
    answer = client.get("/api/v1/me", headers={"Authorization": header})
    assert problem(answer)["code"] == "bad-token"
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")


def test_a_bad_token_is_told_where_none_is_needed(client: FlaskClient, ada: Player) -> None:
    location = ada.submit(RECORD).headers["Location"]
    answer = client.get(location, headers={"Authorization": "Bearer nobody"})
    assert problem(answer)["code"] == "bad-token"


def test_an_expired_token(client: FlaskClient, ada: Player) -> None:
    token = new_token(lasts=timedelta(seconds=-1))
    assert problem(client.get("/api/v1/me", headers={"Authorization": f"Bearer {token}"}))["code"] == "bad-token"


def test_a_token_that_may_only_read(client: FlaskClient, ada: Player) -> None:
    headers = {"Authorization": f"Bearer {new_token(scope='read')}"}
    assert client.get("/api/v1/me", headers=headers).json["name"] == "Ada"
    assert problem(client.post(SUBMIT, data=RECORD, headers=headers))["code"] == "forbidden"


def csrf(client: FlaskClient, path: str = "/sign-in") -> str:
    """The token in a page's form."""
    found = re.search(r'name="csrf_token" value="([^"]+)"', client.get(path).text)
    assert found
    return found[1]


@pytest.fixture
def browser(app: Flask, client: FlaskClient) -> FlaskClient:
    """A browser in which Ada has signed in."""
    token = join(client, "Ada").token
    browser = app.test_client()
    answer = browser.post("/sign-in", data={"token": token, "csrf_token": csrf(browser)})
    assert answer.status_code == 303, answer.text
    return browser


class TestBrowser:
    def test_signing_in(self, browser: FlaskClient) -> None:
        assert browser.get("/api/v1/me").json["name"] == "Ada"

    def test_the_cookie(self, app: Flask, client: FlaskClient) -> None:
        token = join(client, "Ada").token
        browser = app.test_client()
        answer = browser.post("/sign-in", data={"token": token, "csrf_token": csrf(browser)})
        (cookie,) = [value for value in answer.headers.getlist("Set-Cookie") if value.startswith("nugget=")]
        assert "HttpOnly" in cookie
        assert "SameSite=Lax" in cookie
        assert token not in cookie

    def test_a_cookie_that_somebody_made(self, browser: FlaskClient) -> None:
        cookie = browser.get_cookie("nugget")
        assert cookie
        browser.set_cookie("nugget", cookie.value[:-3] + "abc")
        assert problem(browser.get("/api/v1/me"))["code"] == "unauthorized"

    def test_signing_out_ends_the_cookie_for_good(self, browser: FlaskClient) -> None:
        cookie = browser.get_cookie("nugget")
        assert cookie
        assert browser.post("/sign-out", data={"csrf_token": csrf(browser, "/me")}).status_code == 303
        browser.set_cookie("nugget", cookie.value)
        assert problem(browser.get("/api/v1/me"))["code"] == "unauthorized"

    @pytest.mark.parametrize("sent", [None, "", "guess"])
    def test_another_sites_form(self, browser: FlaskClient, sent: str | None) -> None:
        headers = {} if sent is None else {"X-CSRF-Token": sent}
        assert problem(browser.post(SUBMIT, data=RECORD, headers=headers))["code"] == "csrf"
        assert browser.get("/api/v1/me/submissions").json["submissions"] == []

    def test_our_own_script(self, browser: FlaskClient) -> None:
        assert browser.post(SUBMIT, data=RECORD, headers={"X-CSRF-Token": csrf(browser, "/me")}).status_code == 202

    def test_our_own_form(self, browser: FlaskClient) -> None:
        data = {"record": RECORD.decode(), "csrf_token": csrf(browser, "/me")}
        assert browser.post(SUBMIT, data=data).status_code == 202

    def test_a_token_needs_no_other(self, browser: FlaskClient) -> None:
        token = new_token()
        assert browser.post(SUBMIT, data=RECORD, headers={"Authorization": f"Bearer {token}"}).status_code == 202

    def test_the_csrf_token_changes_with_signing_in(self, app: Flask, client: FlaskClient) -> None:
        token = join(client, "Ada").token
        browser = app.test_client()
        before = csrf(browser)
        browser.post("/sign-in", data={"token": token, "csrf_token": before})
        assert csrf(browser, "/me") != before

    @pytest.mark.parametrize("path", ["/sign-in", "/register", "/sign-out"])
    def test_pages_always_check(self, client: FlaskClient, path: str) -> None:
        assert client.post(path, data={"name": "Eve"}).status_code == 403
        with transaction() as conn:
            assert contestants.by_name(conn, "Eve") is None


def test_behind_https_the_cookie_is_for_https_only(pool: Settings) -> None:
    app = create_app(replace(pool, public_url="https://contest.example", rate_limits=0))
    answer = app.test_client().get("/sign-in", base_url="https://contest.example")
    assert "; Secure;" in answer.headers["Set-Cookie"]
