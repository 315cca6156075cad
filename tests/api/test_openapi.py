"""The description of the API is true: whatever schemathesis makes up from it, the answers are as described."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from openapi_spec_validator import validate

from api.problems import PROBLEMS
from leaderboard import contestants
from leaderboard.db import transaction
from tests.api.conftest import Web

HERE = Path(__file__).parent


@pytest.mark.timeout(330)
@pytest.mark.parametrize("known", [False, True], ids=["anybody", "with a token"])
def test_every_answer_is_as_described(web: Web, tmp_path: Path, known: bool) -> None:
    """Examples, boundaries, made-up requests and chains of them, with all checks; no stream, which would not end."""
    headers = []
    if known:
        with transaction() as conn:
            headers = ["--header", f"Authorization: Bearer {contestants.register(conn, 'Zed')[1]}"]
    command = [sys.executable, "-m", "schemathesis.cli", f"--config-file={HERE / 'schemathesis.toml'}", "run"]
    options = "--checks all --max-examples 6 --request-timeout 60 --seed 1 --no-color --exclude-path-regex /events$"
    ran = subprocess.run(
        [*command, f"{web.url}/api/v1/openapi.json", *options.split(), *headers],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    told = "\n".join(line[:300] for line in ran.stdout.splitlines())  # one may hold a body of a MiB
    assert ran.returncode == 0, told[-8000:] + ran.stderr[-2000:]
    tested = re.search(r"Tested: (\d+)", ran.stdout)
    assert tested
    assert int(tested[1]) >= 16


def test_it_is_valid(client: FlaskClient) -> None:
    description = client.get("/api/v1/openapi.json").json
    validate(description)
    assert description["openapi"] == "3.1.0"


def test_every_route_is_in_it(app: Flask, client: FlaskClient) -> None:
    paths = client.get("/api/v1/openapi.json").json["paths"]
    described = {
        (path, method.upper()) for path, operations in paths.items() for method in operations if method != "parameters"
    }
    routes = {
        (re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule), method)
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
        if rule.rule.startswith("/api/v1/") and not rule.endpoint.startswith("openapi.")
    }
    assert described == routes


def test_every_problem_is_in_it(client: FlaskClient) -> None:
    description = client.get("/api/v1/openapi.json").json
    assert description["components"]["schemas"]["Problem"]["properties"]["code"]["enum"] == list(PROBLEMS)
    text = str(description["paths"])
    assert [code for code in PROBLEMS if f"`{code}`" not in text] == ["method-not-allowed"]
