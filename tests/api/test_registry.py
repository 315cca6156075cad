"""The law of the registry: whatever is registered can be read about, tried, seen, dealt and played."""

import json
import re
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from api.picture import render
from deploy import demo
from tests.test_rules import CASES, records
from verifier import RULES, Rejected, steps, verify
from verifier.deal import deal

API = Path(demo.__file__).parents[2] / "api"
EACH = pytest.mark.parametrize("id", list(RULES))


def test_all_nineteen_are_there() -> None:
    kinds = [rules.kind for rules in RULES.values()]
    assert (kinds.count("puzzle"), kinds.count("game")) == (4, 15)


def test_nothing_is_told_of_what_is_not_registered() -> None:
    for folder in (API / "examples", API / "rules", API / "rules" / "pl", CASES):
        assert {path.stem for path in folder.iterdir() if path.name != "pl"} == set(RULES), folder


@EACH
def test_its_rules_can_be_read(client: FlaskClient, id: str) -> None:
    """By REST, and in every language on the page that the list names."""
    (listed,) = (row for row in client.get("/api/v1/puzzles").json["puzzles"] if row["id"] == id)
    told = client.get(listed["url"]).json
    assert told["rules"].startswith("# ")
    assert len(told["rules"]) > 1500
    for language in ("en", "pl"):
        page = client.get(listed["page"], headers={"Accept-Language": language})
        assert page.status_code == 200
        assert told["rules"].partition("\n")[0].removeprefix("# ") in page.text
    assert "<svg" in page.text


@EACH
def test_its_example_passes_and_is_shown_from_start_to_end(client: FlaskClient, id: str) -> None:
    example = client.get(f"/api/v1/puzzles/{id}").json["example"].encode()
    verdict = verify(example)
    assert verdict.accepted
    assert verdict.view
    first, last = render(steps(example, limit=1)[0].view, "start"), render(verdict.view(), "end")
    for picture in (first, last):
        assert re.search(r"<svg .*viewBox.*</svg>", picture, re.DOTALL)
    assert first.replace("start", "") != last.replace("end", "")


@EACH
def test_it_has_accepted_and_rejected_cases_in_both_formats(id: str) -> None:
    stated = json.loads((CASES / id / "expected.json").read_text())
    assert {verdict["accepted"] for verdict in stated.values()} == {True, False}
    assert {path.suffix for path in records(id)} >= {".txt", ".json"}


@EACH
def test_it_is_dealt_if_its_records_name_deals(client: FlaskClient, id: str) -> None:
    answer = client.get(f"/api/v1/puzzles/{id}/deals/7")
    if "deal" in RULES[id].headers:
        dealt = deal(id, "7")
        assert answer.status_code == 200
        assert "<svg" in render(dealt.view, "deal 7")
        assert dealt.setup.name == "deal 7"
    else:
        assert answer.status_code == 404
        with pytest.raises(Rejected):
            deal(id, "7")


@EACH
def test_it_has_a_contest_in_the_demo(id: str) -> None:
    shown = [contest for contest in demo.CONTESTS.values() if contest.puzzle == id]
    if RULES[id].kind == "game":
        assert id in demo.LEAGUES
        assert not shown
    else:
        assert len(shown) == 1
