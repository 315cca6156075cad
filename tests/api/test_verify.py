"""The dry run by HTTP: the same verdicts as everywhere else, nothing stored."""

import pytest
from flask.testing import FlaskClient

from leaderboard.db import transaction
from tests.api.conftest import RECORD, Player
from tests.test_cases import CASES, EXPECTED, holds
from verifier import verify

VERIFY = "/api/v1/verify"


@pytest.mark.parametrize("id", sorted({record.parts[-3] for record in EXPECTED}))
def test_each_record_gets_its_verdict(client: FlaskClient, id: str) -> None:
    """All cases of a puzzle or game in one test: the answers are the verifier's own, word for word."""
    for record in (path for path in EXPECTED if path.parts[-3] == id):
        data = record.read_bytes()
        answer = client.post(VERIFY, data=data, content_type="application/x-www-form-urlencoded")
        verdict = answer.json if answer.status_code == 200 else answer.json["verdict"]
        assert (answer.status_code == 413) == (len(data) > 2**20)
        assert holds(verdict, EXPECTED[record]), record.relative_to(CASES)
        assert verdict == verify(data).to_json()


def test_nothing_is_stored_and_nobody_asked(client: FlaskClient, ada: Player) -> None:
    assert client.post(VERIFY, data=RECORD, headers={"Authorization": "Bearer nobody"}).json["accepted"]
    assert ada.post(VERIFY, data=RECORD).json["accepted"]
    with transaction() as conn:
        assert conn.execute("SELECT count(*) FROM submission").fetchone() == (0,)


@pytest.mark.parametrize("data", [b"", b"\0", b"\xff\xfe", b"{", b"record=", b"puzzle: chess", b'{"puzzle": 1e999}'])
def test_any_bytes_get_a_verdict(client: FlaskClient, data: bytes) -> None:
    answer = client.post(
        VERIFY, data=data, content_type="application/octet-stream", environ_overrides={"CONTENT_LENGTH": str(len(data))}
    )
    assert answer.status_code == 200
    assert answer.json["accepted"] is False
    assert answer.json["error"]["message"]
