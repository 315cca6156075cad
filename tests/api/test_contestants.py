"""Registering, and what is one's own."""

import json

import pytest
from flask.testing import FlaskClient

from leaderboard import accounts
from tests.api.conftest import Player, join, problem


def test_register(client: FlaskClient) -> None:
    answer = client.post("/api/v1/contestants", json={"name": "Ada"})
    assert answer.status_code == 201
    assert answer.json.keys() == {"id", "name", "token"}
    assert answer.headers["Cache-Control"] == "no-store"
    me = client.get("/api/v1/me", headers={"Authorization": f"Bearer {answer.json['token']}"})
    assert me.json["id"] == answer.json["id"]
    assert me.json["name"] == "Ada"
    assert me.json["role"] == "contestant"
    assert me.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("kind", ["application/json", "application/x-www-form-urlencoded", "text/plain", ""])
def test_json_whatever_the_media_type_says(client: FlaskClient, kind: str) -> None:
    assert client.post("/api/v1/contestants", data='{"name": "Ada"}', content_type=kind).status_code == 201


def test_a_password(client: FlaskClient) -> None:
    assert client.post("/api/v1/contestants", json={"name": "Ada", "password": "correct horse"}).status_code == 201
    assert accounts.sign_in("ada", "correct horse")
    assert not accounts.sign_in("ada", "correct hors")


def test_a_name_that_is_taken(client: FlaskClient) -> None:
    join(client, "Ada")
    assert problem(client.post("/api/v1/contestants", json={"name": "\uff21da"}))["code"] == "name-taken"


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "/name"),
        ({"name": ""}, "/name"),
        ({"name": 7}, "/name"),
        ({"name": None}, "/name"),
        ({"name": "a,b"}, "/name"),
        ({"name": "a" * 41}, "/name"),
        ({"name": "a" * 100_000}, "/name"),
        ({"name": "a\0b"}, "/name"),
        ({"name": "\ud800"}, "/name"),
        ({"name": "\u202eAda"}, "/name"),
        ({"name": ".."}, "/name"),
        ({"name": "Ada", "password": "short"}, "/password"),
        ({"name": "Ada", "password": "\ud800" * 10}, "/password"),
        ({"name": "Ada", "password": 12345678}, "/password"),
        ({"name": "Ada", "a/b~c": 1}, "/a~1b~0c"),
        ([], ""),
        ("Ada", ""),
        (7, ""),
        (None, ""),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_field_that_is_not_valid(client: FlaskClient, body: object, pointer: str) -> None:
    answer = problem(client.post("/api/v1/contestants", data=json.dumps(body)))
    assert answer["code"] == "invalid"
    assert answer["errors"][0]["pointer"] == pointer
    assert answer["errors"][0]["detail"] in answer["detail"]


@pytest.mark.parametrize(
    "body", [b" ", b"{", b"\xff", b"[" * 100_000, b'{"name": ' + b"9" * 10_000 + b"}"], ids=lambda b: b[:9]
)
def test_a_body_that_is_no_json(client: FlaskClient, body: bytes) -> None:
    assert problem(client.post("/api/v1/contestants", data=body))["code"] == "bad-json"


def test_me_without_a_token(client: FlaskClient, ada: Player) -> None:
    assert problem(client.get("/api/v1/me"))["code"] == "unauthorized"
    assert problem(client.get("/api/v1/me/submissions"))["code"] == "unauthorized"
    assert ada.get("/api/v1/me/submissions").json == {"submissions": [], "next": None}
