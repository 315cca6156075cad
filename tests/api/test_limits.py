"""Limits of requests: counted in Redis, told in headers, and never a reason to wait."""

import secrets
import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from api.app import create_app
from deploy import servers as embedded
from leaderboard.settings import Settings
from tests.api.conftest import RECORD, SUBMIT, drain, join, new_contest, problem


@pytest.fixture
def somebody() -> dict[str, str]:
    """An address that no test has had: counts outlive a test."""
    return {"REMOTE_ADDR": f"2001:db8::{secrets.token_hex(2)}:{secrets.token_hex(2)}:{secrets.token_hex(2)}"}


@pytest.fixture
def app(pool: Settings) -> Flask:
    """The service with its limits."""
    return create_app(pool)


def test_the_numbers_are_in_the_headers(client: FlaskClient, somebody: dict[str, str]) -> None:
    answers = [client.post("/api/v1/verify", data=RECORD, environ_base=somebody) for _ in range(2)]
    assert [answer.headers["X-RateLimit-Limit"] for answer in answers] == ["60", "60"]
    assert [answer.headers["X-RateLimit-Remaining"] for answer in answers] == ["59", "58"]
    assert int(answers[0].headers["X-RateLimit-Reset"]) >= time.time()
    assert "Retry-After" not in answers[0].headers


def test_too_many_registrations(client: FlaskClient, somebody: dict[str, str]) -> None:
    def register(number: int) -> int:
        return client.post("/api/v1/contestants", json={"name": f"N {number}"}, environ_base=somebody).status_code

    assert [register(number) for number in range(30)] == [201] * 30
    answer = client.post("/api/v1/contestants", json={"name": "Late"}, environ_base=somebody)
    assert problem(answer)["code"] == "rate-limited"
    assert 0 < int(answer.headers["Retry-After"]) <= 3600
    assert (
        client.post(
            "/api/v1/contestants", json={"name": "Other"}, environ_base={"REMOTE_ADDR": "192.0.2.7"}
        ).status_code
        == 201
    )


def test_uploads_count_for_each_contestant(client: FlaskClient) -> None:
    new_contest()
    ada, bob = (join(client, name) for name in ("Ada", "Bob"))
    for _ in range(60):
        assert ada.submit(RECORD).status_code in (200, 202)
    assert problem(ada.submit(RECORD))["code"] == "rate-limited"
    assert bob.submit(RECORD).status_code == 202


def test_the_setting_multiplies_them(pool: Settings, somebody: dict[str, str]) -> None:
    client = create_app(replace(pool, rate_limits=10)).test_client()
    answer = client.post("/api/v1/verify", data=RECORD, environ_base=somebody)
    assert answer.headers["X-RateLimit-Limit"] == "600"


def test_a_bad_token_does_not_begin_the_count_anew(client: FlaskClient, somebody: dict[str, str]) -> None:
    new_contest()
    answer = client.post("/api/v1/verify", data=RECORD, environ_base=somebody)
    assert answer.headers["X-RateLimit-Remaining"] == "59"
    bad = {"Authorization": "Bearer nobody"}
    assert problem(client.post(SUBMIT, data=RECORD, headers=bad, environ_base=somebody))["code"] == "bad-token"
    answer = client.post("/api/v1/verify", data=RECORD, environ_base=somebody)
    assert answer.headers["X-RateLimit-Remaining"] == "58"


def test_passwords_are_guessed_slowly_and_a_token_still_signs_in(pool: Settings) -> None:
    """From many addresses, for a name that somebody has and one that nobody has."""
    app = create_app(pool)
    name = f"Ada {secrets.token_hex(6)}"
    token = app.test_client().post("/api/v1/contestants", json={"name": name}).json["token"]

    def sign_in(number: int, **form: str) -> int:
        browser = app.test_client()
        with browser.session_transaction() as session:
            session["csrf"] = "known"
        form["csrf_token"] = "known"
        elsewhere = {"REMOTE_ADDR": f"2001:db8::{secrets.token_hex(2)}:{number}"}
        return browser.post("/sign-in", data=form, environ_base=elsewhere).status_code

    for claimed in (name, f"Nobody {secrets.token_hex(6)}"):
        assert [sign_in(n, name=claimed, password="a guess") for n in range(7)] == [422] * 5 + [429] * 2
        assert sign_in(8, name=claimed.upper(), password="a guess") == 429
    assert sign_in(9, token=token) == 303


def test_health_has_none(client: FlaskClient) -> None:
    assert "X-RateLimit-Limit" not in client.get("/healthz").headers


class TestRedisAway:
    """Frozen or gone: uploads are answered within a second all the same, and are verified."""

    @pytest.fixture
    def redis(self, pool: Settings, folder: Path) -> Iterator[embedded.Child]:
        """A Redis of its own, to be ill-treated."""
        with embedded.locked(folder / "data"):
            child = embedded.redis(folder / "data")
            child.start_and_wait()
            yield child
            if child.process:
                child.process.send_signal(signal.SIGCONT)
            child.stop()

    @pytest.fixture
    def client(self, pool: Settings, redis: embedded.Child, folder: Path) -> FlaskClient:
        client = create_app(replace(pool, redis_url=embedded.redis_url(folder / "data"))).test_client()
        assert client.get("/api/v1/contests").headers["X-RateLimit-Limit"]
        return client

    @pytest.mark.parametrize("fault", [signal.SIGSTOP, signal.SIGKILL])
    def test_uploads_go_on(self, client: FlaskClient, redis: embedded.Child, fault: signal.Signals) -> None:
        new_contest()
        ada = join(client, "Ada")
        assert redis.process
        redis.process.send_signal(fault)
        times = []
        for number in range(5):
            begun = time.monotonic()
            answer = ada.submit(RECORD + b"# %d" % number)
            times.append(time.monotonic() - begun)
            assert answer.status_code == 202
        assert sorted(times)[2] < 1  # what holds up one or two of them may be the machine
        drain()
        assert ada.get(answer.headers["Location"]).json["state"] == "accepted"

    def test_limits_hold_meanwhile(self, client: FlaskClient, redis: embedded.Child, somebody: dict[str, str]) -> None:
        assert redis.process
        redis.process.send_signal(signal.SIGSTOP)
        codes = [client.post("/api/v1/verify", data=RECORD, environ_base=somebody).status_code for _ in range(62)]
        assert codes.count(200) == 60
        assert codes[-1] == 429
