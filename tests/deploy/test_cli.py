"""The command nugget: offline, against a server, and for the database."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from deploy.cli import main
from leaderboard.settings import Settings

DEMO = Path(__file__).parents[2] / "deploy/demo/golden-nugget"


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    """Where the client keeps its tokens during the test."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
def variables(settings: Settings, monkeypatch) -> None:
    """The environment names the tests' servers."""
    monkeypatch.setenv("DATABASE_URL", settings.database_url)
    monkeypatch.setenv("REDIS_URL", settings.redis_url)
    monkeypatch.setenv("SECRET_KEY", settings.secret_key)


def test_register_submit_standings(folder, home, serve, wait_until, capsys, tmp_path, monkeypatch):
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.delenv("REDIS_URL", raising=False)
    service = serve(folder / "data", "--demo")
    wait_until(lambda: service.get("/api/v1/contests/golden-nugget/standings")["total"] == 12)
    server = ["--server", service.url]
    record = str(DEMO / "best-20-short.txt")
    assert main(["submit", record, *server]) == 2
    assert "nugget register NAME comes first" in capsys.readouterr().err

    assert main(["register", "Somebody", *server]) == 0
    assert (home / "golden-nugget/tokens.json").stat().st_mode & 0o777 == 0o600
    assert main(["register", "somebody", *server]) == 2
    assert "Somebody" in capsys.readouterr().out

    assert main(["submit", record, "--wait", *server]) == 0
    assert "accepted: boards 20, moves 375, mean 75/4" in capsys.readouterr().out
    wrong = tmp_path / "wrong.txt"
    wrong.write_text("puzzle: jc-golden-nugget\n\nboard 2\n")
    assert main(["submit", str(wrong), "--wait", *server]) == 1
    assert "rejected, board-order: " in capsys.readouterr().out
    large = tmp_path / "large.txt"
    large.write_bytes(b" " * (2**20 + 1))
    assert main(["submit", str(large), *server]) == 2
    assert main(["submit", str(tmp_path / "none.txt"), *server]) == 2
    assert main(["submit", record, "--contest", "no/such", *server]) == 2
    capsys.readouterr()

    assert main(["db", "rebuild", "--data", str(folder / "data")]) == 0
    assert "golden-nugget: 13 results, 13 standings, 0 of them differed" in capsys.readouterr().out

    assert main(["standings", *server]) == 0
    assert "Somebody" in capsys.readouterr().out
    assert main(["standings", "no-such", *server]) == 2


def test_a_server_that_is_not_there(home, capsys):
    assert main(["standings", "--server", "http://127.0.0.1:1"]) == 2
    assert "does not answer" in capsys.readouterr().err


def test_db_check_and_migrate(empty_database_url, variables, monkeypatch, capsys):
    monkeypatch.setenv("DATABASE_URL", empty_database_url)
    assert main(["db", "check"]) == 1
    assert main(["db", "migrate"]) == 0
    assert main(["db", "check"]) == 0
    assert "up to date" in capsys.readouterr().out


def test_settings_that_are_missing_are_named(folder, monkeypatch, capsys):
    monkeypatch.delenv("SECRET_KEY", raising=False)
    assert main(["web", "--data", str(folder)]) == 2
    assert capsys.readouterr().err == "nugget web: SECRET_KEY is not set; deploy/env.example explains it.\n"


def test_verify_loads_nothing_but_the_standard_library():
    script = """if True:
        import json, sys
        before = set(sys.modules)
        from deploy.cli import main
        status = main(sys.argv[1:])
        print(json.dumps(sorted(set(sys.modules) - before)))
        sys.exit(status)"""
    command = [sys.executable, "-c", script, "verify", "--json", str(DEMO / "best-20-short.txt")]
    verdict, modules = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert json.loads(verdict)["score"]["mean"] == "75/4"
    loaded = {name.partition(".")[0] for name in json.loads(modules)}
    assert {"deploy", "verifier"} <= loaded
    assert loaded - {"deploy", "verifier"} <= sys.stdlib_module_names
