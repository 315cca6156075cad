"""Every case of every puzzle and game through every door: command line, dry run, upload."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.api.conftest import drain, join, new_contest
from tests.test_cases import holds
from verifier import RULES, Rejected
from verifier.record import opened

CASES = Path(__file__).parents[1] / "cases"
EACH = pytest.mark.parametrize("id", sorted(RULES.keys() - {"jc-golden-nugget"}))  # that one has tests of its own


def expected(puzzle: str) -> dict[Path, dict[str, Any]]:
    folder = CASES / puzzle
    return {folder / name: verdict for name, verdict in json.loads((folder / "expected.json").read_text()).items()}


def setups(puzzle: str) -> list[str]:
    """A header for each of the starting positions that the cases have."""
    found = {}
    for file in expected(puzzle):
        try:
            record = opened(file.read_bytes())
            record.read_header(RULES, None)
        except Rejected:
            continue
        setup = record.header.setup
        if setup and setup.text not in found:
            found[setup.text] = setup.name.replace(" ", ": ") or f"layout:\n{setup.text}"
    return list(found.values())


@EACH
def test_every_case_by_the_command_line(id: str) -> None:
    files = expected(id)
    command = [sys.executable, "-m", "deploy.cli", "verify", "--json", *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    for line, (file, verdict) in zip(done.stdout.splitlines(), files.items(), strict=True):
        assert holds(json.loads(line), verdict), file


@EACH
def test_every_case_by_dry_run(client: FlaskClient, id: str) -> None:
    for file, verdict in expected(id).items():
        assert holds(judged(client.post("/api/v1/verify", data=file.read_bytes()).json), verdict), file


@EACH
def test_every_case_by_upload(app: Flask, client: FlaskClient, id: str) -> None:
    new_contest(puzzle=id, setups=setups(id) if RULES[id].kind == "puzzle" else [])
    ada = join(client, "Ada")
    answers = {file: ada.submit(file.read_bytes()) for file in expected(id)}
    drain()
    for file, answer in answers.items():
        place = answer.headers.get("Location")
        assert holds(judged((ada.get(place) if place else answer).json), expected(id)[file]), file


def judged(answer: dict[str, Any]) -> dict[str, Any]:
    """The verdict: by itself, or in a submission, or in the refusal of a record that is too large."""
    verdict: dict[str, Any] = answer.get("verdict", answer)
    return verdict
