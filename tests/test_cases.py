"""Every entry of every expected.json is a test."""

import json
from pathlib import Path
from typing import Any

import pytest

from verifier import RULES, verify

CASES = Path(__file__).parent / "cases"
EXPECTED = {
    file.parent / name: verdict
    for file in sorted(CASES.glob("*/expected.json"))
    for name, verdict in json.loads(file.read_text()).items()
}


def holds(found: Any, stated: Any) -> bool:
    """Whether every stated key is there with that value; there may be more."""
    if isinstance(stated, dict):
        return isinstance(found, dict) and all(key in found and holds(found[key], stated[key]) for key in stated)
    return type(found) is type(stated) and found == stated


@pytest.mark.parametrize("record", EXPECTED, ids=lambda path: str(path.relative_to(CASES)))
def test_each_record_gets_its_verdict(record: Path) -> None:
    verdict = verify(record.read_bytes()).to_json()
    assert holds(verdict, EXPECTED[record]), verdict
    assert verdict["accepted"] or verdict["error"]["message"]


def test_every_record_is_stated() -> None:
    records = {file for file in CASES.glob("*/*/*") if file.parent.name in ("valid", "invalid")}
    assert records == EXPECTED.keys()


@pytest.mark.parametrize("id", RULES)
def test_every_puzzle_and_game_has_accepted_and_rejected_cases(id: str) -> None:
    accepted = {stated["accepted"] for record, stated in EXPECTED.items() if record.parts[-3] == id}
    assert accepted == {True, False}
