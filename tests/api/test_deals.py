"""A deal written out, by HTTP: the same as by the command."""

import json

import pytest
from flask.testing import FlaskClient

from deploy.cli import main
from tests.api.conftest import problem
from verifier import RULES

DEALT = [rules.id for rules in RULES.values() if "deal" in rules.headers]


@pytest.mark.parametrize("puzzle", DEALT)
def test_a_deal_is_what_the_command_prints(
    client: FlaskClient, puzzle: str, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = client.get(f"/api/v1/puzzles/{puzzle}/deals/0012")
    assert answer.status_code == 200
    capsys.readouterr()  # the request was logged
    assert main(["deal", puzzle, "12", "--json"]) == 0
    assert answer.json == json.loads(capsys.readouterr().out)
    assert answer.json["deal"] == 12


@pytest.mark.parametrize(
    "path",
    [
        "maze/deals/9007199254740992",
        "maze/deals/x",
        "maze/deals/1%0Alayout:",
        "jc-golden-nugget/deals/1",
        "chess/deals/1",
    ],
)
def test_what_is_no_deal_is_not_found(client: FlaskClient, path: str) -> None:
    body = problem(client.get(f"/api/v1/puzzles/{path}"))
    assert body["code"] == "not-found"
    assert body["detail"]
