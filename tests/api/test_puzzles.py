"""What can be verified, by HTTP."""

import pytest
from flask.testing import FlaskClient

from tests.api.conftest import problem
from verifier import RULES, VERSION, verify


def test_all_puzzles_and_games(client: FlaskClient) -> None:
    body = client.get("/api/v1/puzzles").json
    assert [row["id"] for row in body["puzzles"]] == list(RULES)
    assert body["version"] == VERSION
    assert body["limit"] == 2**20


@pytest.mark.parametrize("id", RULES)
def test_each_has_what_is_needed_to_write_a_record(client: FlaskClient, id: str) -> None:
    row = client.get(f"/api/v1/puzzles/{id}").json
    assert row["kind"] == RULES[id].kind
    assert row["rules"]
    assert verify(row["example"].encode()).puzzle == id
    assert verify(row["example"].encode()).accepted


@pytest.mark.parametrize("id", ["chess", "..", "JC-Golden-Nugget"])
def test_no_puzzle(client: FlaskClient, id: str) -> None:
    assert problem(client.get(f"/api/v1/puzzles/{id}"))["code"] == "not-found"
