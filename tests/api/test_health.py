"""Alive, ready, metrics."""

from dataclasses import replace

import pytest
from flask.testing import FlaskClient

from api.app import create_app
from leaderboard.settings import Settings
from tests.api.conftest import problem


def test_alive_and_ready(client: FlaskClient) -> None:
    assert client.get("/healthz").json == {"status": "alive"}
    assert client.get("/readyz").json == {"status": "ready"}


def test_metrics_count_what_was_answered(client: FlaskClient) -> None:
    client.get("/api/v1/contests/nothing")
    page = client.get("/metrics").text
    assert 'nugget_requests_total{endpoint="contests.show",method="GET",status="404"}' in page
    assert 'nugget_request_seconds_count{endpoint="contests.show"}' in page


@pytest.mark.parametrize("method", ["BREW", "GET"])
def test_what_nobody_asked_for_is_counted_together(client: FlaskClient, method: str) -> None:
    """Whoever asks for ever new paths by ever new methods makes no new counters."""
    client.open("/nothing/a", method=method)
    page = client.get("/metrics").text
    assert "nothing/a" not in page
    assert "BREW" not in page


@pytest.fixture
def guarded(pool: Settings) -> FlaskClient:
    return create_app(replace(pool, metrics_token="a token", rate_limits=0)).test_client()


@pytest.mark.parametrize("address", ["127.0.0.1", "::1"])
def test_this_machine_reads_metrics(guarded: FlaskClient, address: str) -> None:
    assert guarded.get("/metrics", environ_base={"REMOTE_ADDR": address}).status_code == 200


@pytest.mark.parametrize("name", ["X-Forwarded-For", "Forwarded", "Via"])
def test_a_proxy_on_it_does_not(guarded: FlaskClient, name: str) -> None:
    assert problem(guarded.get("/metrics", headers={name: "127.0.0.1"}))["code"] == "not-found"


def test_others_need_the_token(guarded: FlaskClient, client: FlaskClient) -> None:
    elsewhere = {"REMOTE_ADDR": "192.0.2.1"}
    assert problem(guarded.get("/metrics", environ_base=elsewhere))["code"] == "not-found"
    assert problem(client.get("/metrics", environ_base=elsewhere))["code"] == "not-found"
    for token, status in (("a token", 200), ("another", 404), ("", 401)):
        headers = {"Authorization": f"Bearer {token}"}
        assert guarded.get("/metrics", environ_base=elsewhere, headers=headers).status_code == status
