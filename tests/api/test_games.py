"""Every game through every door: command line, dry run, upload."""

import json
import subprocess
import sys
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.api.conftest import drain, join, new_contest
from tests.api.test_solitaires import expected
from tests.test_cases import holds
from verifier import RULES

EACH = pytest.mark.parametrize("game", [rules.id for rules in RULES.values() if rules.kind == "game"])


@EACH
def test_every_case_by_the_command_line(game: str) -> None:
    files = expected(game)
    command = [sys.executable, "-m", "deploy.cli", "verify", "--json", *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    for line, (file, verdict) in zip(done.stdout.splitlines(), files.items(), strict=True):
        assert holds(json.loads(line), verdict), file


@EACH
def test_every_case_by_dry_run(client: FlaskClient, game: str) -> None:
    for file, verdict in expected(game).items():
        assert holds(judged(client.post("/api/v1/verify", data=file.read_bytes()).json), verdict), file


@EACH
def test_every_case_by_upload(app: Flask, client: FlaskClient, game: str) -> None:
    new_contest(puzzle=game, setups=[])
    ada = join(client, "Ada")
    answers = {file: ada.submit(file.read_bytes()) for file in expected(game)}
    drain()
    for file, answer in answers.items():
        place = answer.headers.get("Location")
        assert holds(judged((ada.get(place) if place else answer).json), expected(game)[file]), file


def judged(answer: dict[str, Any]) -> dict[str, Any]:
    """The verdict: by itself, or in a submission, or in the refusal of a record that is too large."""
    verdict: dict[str, Any] = answer.get("verdict", answer)
    return verdict
