"""Live updates over a real connection."""

import http.client
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest
from flask.testing import FlaskClient

from leaderboard import contestants, submissions
from leaderboard import contests as rows
from leaderboard.db import transaction
from tests.api.conftest import RECORD, WORSE, Web, drain, new_contest, problem

EVENTS = "/api/v1/contests/golden-nugget/events"


@dataclass
class Event:
    id: int
    kind: str
    data: dict[str, object]


@contextmanager
def stream(web: Web, **headers: str) -> Iterator[http.client.HTTPResponse]:
    """The answer to who wants to listen, an error too."""
    connection = http.client.HTTPConnection("127.0.0.1", web.port, timeout=60)
    connection.request("GET", EVENTS, headers={name.replace("_", "-"): value for name, value in headers.items()})
    try:
        yield connection.getresponse()
    finally:
        connection.close()


@contextmanager
def listening(web: Web, **headers: str) -> Iterator[http.client.HTTPResponse]:
    """A stream, as soon as the server has noticed the end of the last one: it has room for one."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        with stream(web, **headers) as answer:
            if answer.status == 200:
                yield answer
                return
        time.sleep(0.2)
    pytest.fail("the stream that has ended still holds its thread")


def event(answer: http.client.HTTPResponse) -> Event:
    """The next event of the stream."""
    fields: dict[str, str] = {}
    while "data" not in fields:
        fields = {}
        while (line := answer.readline()) != b"\n":
            assert line, "the stream has ended"
            name, _, value = line.decode().rstrip("\n").partition(": ")
            fields[name] = value
    return Event(int(fields["id"]), fields["event"], json.loads(fields["data"]))


def upload(name: str, record: bytes) -> str:
    """Somebody new hands in a record, and it is verified."""
    with transaction() as conn:
        who, _ = contestants.register(conn, name)
        contest = rows.get(conn, "golden-nugget")
        assert contest
        row, _ = submissions.add(conn, contest.slug, who, record)
    drain()
    return str(row.id)


def test_what_happens_comes_in_order(web: Web) -> None:
    with listening(web) as answer:
        assert answer.headers["Content-Type"].startswith("text/event-stream")
        assert answer.headers["Cache-Control"] == "no-store"
        ids = [upload("Ada", RECORD), upload("Bob", WORSE)]
        seen = [event(answer) for _ in ids]
    assert [each.kind for each in seen] == ["standing", "standing"]
    assert [each.data["submission"] for each in seen] == ids
    assert seen[1].id == seen[0].id + 1


def test_what_was_missed_is_told_again(web: Web) -> None:
    for name in ("Cleo", "Dan"):
        upload(name, RECORD)
    with listening(web, Last_Event_ID="0") as answer:
        first, second = event(answer), event(answer)
    assert (first.id, second.id) == (1, 2)
    with listening(web, Last_Event_ID="1") as answer:
        assert event(answer) == second


def test_streams_hold_a_quarter_of_the_threads(web: Web) -> None:
    """Of four threads one; who comes too many goes on asking for the standings. A stream that ends makes room."""
    with listening(web):
        with stream(web) as other:
            assert other.status == 503
            assert json.loads(other.read())["code"] == "too-many-streams"
            assert other.headers["Retry-After"] == "30"
    with listening(web):
        pass


@pytest.mark.parametrize("last", ["x", "-1", "1.0", "", "9" * 19, "\u00b2"])
def test_a_number_that_is_none(client: FlaskClient, last: str) -> None:
    new_contest()
    answer = problem(client.get(EVENTS, headers={"Last-Event-ID": last}))
    assert answer["code"] == "invalid"
    assert answer["errors"][0]["header"] == "Last-Event-ID"


def test_a_contest_that_is_not_there(client: FlaskClient) -> None:
    assert problem(client.get(EVENTS))["code"] == "not-found"
