"""Every error in one shape: RFC 9457, a stable code, the right status, and as a page for those who read pages."""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from api import dry_run
from api.app import HEADERS, create_app
from api.problems import PROBLEMS
from leaderboard import db
from leaderboard.settings import Settings
from tests.api.conftest import RECORD, STANDINGS, Player, problem

pytestmark = pytest.mark.usefixtures("contest")


def test_a_problem(client: FlaskClient) -> None:
    answer = client.get("/api/v1/contests/other", headers={"X-Request-Id": "me-1"})
    assert problem(answer) == {
        "type": "/api/v1/docs#not-found",
        "title": "There is nothing here",
        "status": 404,
        "code": "not-found",
        "detail": "There is no contest other.",
        "request_id": "me-1",
    }
    assert answer.headers["Cache-Control"] == "no-store"


def test_its_type_leads_to_its_explanation(client: FlaskClient) -> None:
    page = client.get("/api/v1/docs").text
    for code in PROBLEMS:
        assert f'id="{code}"' in page


@pytest.mark.parametrize("path", ["/api", "/api/", "/api/v1/nothing", "/api/v2/contests", "/api/v1/contests/"])
def test_a_route_that_is_not_there(client: FlaskClient, path: str) -> None:
    for method in (client.get, client.post):
        assert problem(method(path, headers={"Accept": "application/json"}))["code"] == "not-found"


def test_a_method_that_is_not_there(client: FlaskClient) -> None:
    answer = client.delete("/api/v1/puzzles")
    assert problem(answer)["code"] == "method-not-allowed"
    assert answer.headers["Allow"] == "GET, HEAD, OPTIONS"


@pytest.fixture
def fault(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Callable[[Exception], TestResponse]:
    """What is answered where a route raises that."""

    def answer(error: Exception) -> TestResponse:
        def fail() -> None:
            raise error

        monkeypatch.setitem(app.view_functions, "puzzles.every", fail)
        return app.test_client().get("/api/v1/puzzles")

    return answer


def test_a_fault_of_ours(fault: Callable[[Exception], TestResponse]) -> None:
    answer = fault(RuntimeError("a secret"))
    assert problem(answer)["code"] == "internal-error"
    assert "secret" not in answer.text


@pytest.mark.parametrize(("error", "code"), [(dry_run.Busy(), "busy"), (dry_run.Failed(), "verifier-failed")])
def test_a_verifier_that_cannot(fault: Callable[[Exception], TestResponse], error: Exception, code: str) -> None:
    answer = fault(error)
    assert problem(answer)["code"] == code
    assert ("Retry-After" in answer.headers) == (code == "busy")


@pytest.fixture
def without_database(pool: Settings, ada: Player) -> Player:
    """Ada, with the database away."""
    db.open_pool(replace(pool, database_url="host=/nowhere dbname=nothing connect_timeout=1"))
    return ada


@pytest.mark.parametrize("path", ["/readyz", "/api/v1/contests", STANDINGS, "/api/v1/me"])
def test_the_database_is_away(without_database: Player, path: str) -> None:
    answer = without_database.get(path)
    assert problem(answer)["code"] == "unavailable"
    assert answer.headers["Retry-After"] == "2"


def test_an_upload_without_the_database(without_database: Player) -> None:
    assert problem(without_database.submit(RECORD))["code"] == "unavailable"


def test_what_needs_no_database(without_database: Player) -> None:
    assert without_database.client.get("/healthz").status_code == 200
    assert without_database.client.post("/api/v1/verify", data=RECORD).json["accepted"]


@pytest.mark.parametrize("path", ["/nothing", "/contests/nothing", "/submissions/00000000-0000-0000-0000-000000000000"])
def test_pages_for_people(client: FlaskClient, path: str) -> None:
    answer = client.get(path, headers={"Accept": "text/html,*/*;q=0.8"})
    assert answer.status_code == 404
    assert answer.mimetype == "text/html"
    assert problem(client.get(path, headers={"Accept": "application/json"}))["code"] == "not-found"


def test_a_page_without_the_database(without_database: Player) -> None:
    answer = without_database.client.get("/contests/golden-nugget", headers={"Accept": "text/html"})
    assert answer.status_code == 503
    assert answer.mimetype == "text/html"
    assert answer.headers["Retry-After"] == "2"


@pytest.mark.parametrize("path", ["/", "/api/v1/contests", "/nothing", "/api/v1/nothing", "/api/v1/docs"])
def test_headers_that_keep_browsers_safe(client: FlaskClient, path: str) -> None:
    answer = client.get(path)
    for name, value in HEADERS.items():
        assert answer.headers[name] == value


def test_no_page_asks_for_more_than_the_policy_allows(client: FlaskClient) -> None:
    for path in ("/", "/api/v1/docs", "/contests/golden-nugget", "/sign-in", "/register"):
        page = client.get(path).text
        assert not re.search(r"<script(?![^>]* src=)|<style|\sstyle=|\son[a-z]+=|javascript:", page), path


class TestRequestId:
    def test_the_clients_own(self, client: FlaskClient) -> None:
        assert client.get("/healthz", headers={"X-Request-Id": "a-1.b_2"}).headers["X-Request-Id"] == "a-1.b_2"

    @pytest.mark.parametrize("id", ["", "a b", "a" * 65, "<script>", "\u00e4"])
    def test_one_that_is_not_plain(self, client: FlaskClient, id: str) -> None:
        assert re.fullmatch(
            "[0-9a-f]{32}", client.get("/healthz", headers={"X-Request-Id": id}).headers["X-Request-Id"]
        )


def test_the_address_that_visitors_type(pool: Settings) -> None:
    client = create_app(replace(pool, public_url="https://contest.example", rate_limits=0)).test_client()
    assert client.get("/api/v1/nothing").json["type"] == "https://contest.example/api/v1/docs#not-found"
