"""The app on the test's own database; contestants who use it; a real web server where bytes on the wire matter."""

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from deploy.run import answers, free_port, web_command
from deploy.servers import Child
from leaderboard import contestants, contests, db
from leaderboard.contests import Contest
from leaderboard.db import transaction
from leaderboard.settings import Settings
from tests.conftest import Servers, database
from worker import app as worker
from worker import tasks

CASES = Path(__file__).parents[1] / "cases" / "jc-golden-nugget"
RECORD = (CASES / "valid" / "best-20-short.txt").read_bytes()
WORSE = (CASES / "valid" / "poor-20.txt").read_bytes()
REJECTED = (CASES / "invalid" / "unsolved-no-moves.txt").read_bytes()
SUBMIT = "/api/v1/contests/golden-nugget/submissions"
STANDINGS = "/api/v1/contests/golden-nugget/standings"


def new_contest(**more: Any) -> Contest:
    """A contest that is open now, unless stated otherwise."""
    now = datetime.now(UTC)
    stated = {
        "slug": "golden-nugget",
        "titles": {"en": "Golden Nugget"},
        "puzzle": "jc-golden-nugget",
        "opens_at": now - timedelta(days=1),
        "closes_at": now + timedelta(days=1),
    }
    with transaction() as conn:
        return contests.create(conn, **{**stated, **more})


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    """Somebody whom nobody knows."""
    return app.test_client()


@pytest.fixture
def contest(app: Flask) -> Contest:
    """The open contest golden-nugget."""
    return new_contest()


@dataclass
class Player:
    """A contestant who uses the API with a token."""

    client: FlaskClient
    id: str
    name: str
    token: str

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    def get(self, path: str, **more: Any) -> TestResponse:
        return self.client.get(path, headers={**self.headers, **more.pop("headers", {})}, **more)

    def post(self, path: str, **more: Any) -> TestResponse:
        return self.client.post(path, headers={**self.headers, **more.pop("headers", {})}, **more)

    def submit(self, record: bytes, **more: Any) -> TestResponse:
        return self.post(SUBMIT, data=record, **more)


def join(client: FlaskClient, name: str) -> Player:
    """Register by HTTP."""
    answer = client.post("/api/v1/contestants", json={"name": name})
    assert answer.status_code == 201, answer.text
    return Player(client, answer.json["id"], answer.json["name"], answer.json["token"])


@pytest.fixture
def ada(client: FlaskClient) -> Player:
    return join(client, "Ada")


@pytest.fixture
def bob(client: FlaskClient) -> Player:
    return join(client, "Bob")


@pytest.fixture
def organiser(client: FlaskClient) -> Player:
    """Somebody who runs contests."""
    player = join(client, "Olga")
    with transaction() as conn:
        olga = contestants.by_name(conn, "Olga")
        assert olga
        contestants.set_role(conn, olga, "organiser")
    return player


def drain() -> None:
    """Verify all that is due, as a worker does."""
    while tasks.work():
        pass


def problem(answer: TestResponse) -> dict[str, Any]:
    """The problem that an answer is."""
    assert answer.content_type == "application/problem+json", answer.text[:500]
    body: dict[str, Any] = answer.json
    assert body["status"] == answer.status_code
    return body


def environment(settings: Settings) -> dict[str, str]:
    """The settings as a process reads them."""
    return {each.name.upper(): str(getattr(settings, each.name)) for each in fields(settings)}


@dataclass
class Web:
    """A web server process."""

    settings: Settings
    child: Child

    @property
    def port(self) -> int:
        return self.settings.web_port

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


def serve(settings: Settings, folder: Path) -> Iterator[Web]:
    """The real web server on a free port; this process drains."""
    worker.use(settings)
    settings = replace(settings, web_port=free_port("127.0.0.1", 0), rate_limits=settings.rate_limits)
    root = Path(__file__).parents[2]
    child = Child("Web", web_command(settings), folder / "web.log", environment(settings), answers(settings), cwd=root)
    child.start_and_wait()
    try:
        yield Web(settings, child)
    finally:
        child.stop()


@pytest.fixture(scope="module")
def web(servers: Servers, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    """A web server with four threads on a database of its own, with the open contest; the same for a file's tests."""
    for _, url in database(servers, template):
        settings = Settings(url, servers.redis_url, "a key for tests " * 4, web_threads=4, rate_limits=0)
        db.open_pool(settings)
        new_contest()
        yield from serve(settings, tmp_path_factory.mktemp("web"))
        db.close_pool()
