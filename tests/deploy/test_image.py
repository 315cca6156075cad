"""The image and the compose file, as far as they can be tried without a container engine."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from dataclasses import fields
from pathlib import Path

import pytest
import yaml

from deploy.run import free_port
from leaderboard.settings import Settings

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
UID = 10001


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile's instructions: word and argument."""
    text = re.sub(r"\\\n", " ", (DEPLOY / "Dockerfile").read_text())
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(line.split(maxsplit=1)[0], line.split(maxsplit=1)[1]) for line in lines]


def compose() -> dict:
    return yaml.safe_load((DEPLOY / "compose.yaml").read_text())


def example() -> list[str]:
    return re.findall(r"^([A-Z_]+)=", (DEPLOY / "env.example").read_text(), re.MULTILINE)


def test_every_setting_is_explained_and_no_other() -> None:
    assert sorted(example()) == sorted(each.name.upper() for each in fields(Settings))


def test_the_defaults_in_the_example_are_those_of_the_code() -> None:
    lines = re.findall(r"^([A-Z_]+)=(.*)$", (DEPLOY / "env.example").read_text(), re.MULTILINE)
    given = Settings.from_environment(dict(lines) | {"SECRET_KEY": "x" * 32})
    assert given == Settings(given.database_url, given.redis_url, "x" * 32)


def test_the_compose_file_runs_the_services_in_order() -> None:
    services = compose()["services"]
    assert set(services) == {"postgres", "redis", "migrate", "web", "worker"}
    for name in ("web", "worker"):
        assert services[name]["depends_on"]["migrate"] == {"condition": "service_completed_successfully"}
        assert services[name]["depends_on"]["postgres"] == {"condition": "service_healthy"}
    assert services["migrate"]["depends_on"]["postgres"] == {"condition": "service_healthy"}
    assert all("healthcheck" in service for name, service in services.items() if name != "migrate")
    for service in services.values():
        assert set(service.get("depends_on", {})) <= set(services)


def test_the_compose_file_has_no_secret_and_sets_only_what_exists() -> None:
    file = compose()
    for name in ("migrate", "web", "worker"):
        assert file["services"][name]["env_file"] == ".env"
        assert set(file["services"][name]["environment"]) <= set(example())
    named = set(re.findall(r"\$\{([A-Z_]+)", (DEPLOY / "compose.yaml").read_text()))
    commented = set(re.findall(r"^# ([A-Z_]+)=", (DEPLOY / "env.example").read_text(), re.MULTILINE))
    assert named == commented
    assert "POSTGRES_PASSWORD: ${POSTGRES_PASSWORD:?" in (DEPLOY / "compose.yaml").read_text()


@pytest.mark.parametrize("service", ["migrate", "web", "worker"])
def test_each_command_is_one_of_ours(service: str) -> None:
    command = compose()["services"][service]["command"]
    assert command[0] == "nugget"
    done = subprocess.run([sys.executable, "-m", "deploy.cli", *command[1:], "--help"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_image_is_built_in_stages_and_runs_as_nobody_special() -> None:
    found = instructions()
    assert [word for word, _ in found].count("FROM") == 2
    last = found[max(i for i, (word, _) in enumerate(found) if word == "FROM") :]
    assert ("USER", str(UID)) in last
    assert json.loads(dict(last)["CMD"]) == compose()["services"]["web"]["command"]
    sources = [
        source for word, text in found if word == "COPY" and "--from" not in text for source in text.split()[:-1]
    ]
    assert all((ROOT / source).exists() for source in sources)
    shipped = (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines()
    assert {f"!{source}" for source in sources} == {line for line in shipped if line.startswith("!")}


@pytest.mark.timeout(600)
def test_the_steps_of_the_image_make_a_service(folder: Path, settings: Settings) -> None:
    """The first stage in a folder of its own, and what the image runs, as the image's user."""
    source, prefix = folder / "src", folder / "opt"
    source.mkdir()
    for word, text in instructions():
        if word == "COPY" and "--from" not in text:
            for name in text.split()[:-1]:
                copy(ROOT / name, source / name)
        elif word == "RUN" and "/opt/golden-nugget" in text:
            argv = [part.replace("/opt/golden-nugget", str(prefix)) for part in shlex.split(text)]
            argv = [sys.executable if part == "python3" else part for part in argv if part != "--no-cache-dir"]
            argv += ["--no-compile"] if "install" in argv else []  # only slower here
            done = subprocess.run(argv, cwd=source, capture_output=True, text=True)
            assert done.returncode == 0, f"{shlex.join(argv)}\n{done.stdout}{done.stderr}"
    shutil.rmtree(source)
    program = prefix / "bin/nugget"
    as_user = {"user": UID, "group": UID, "extra_groups": []} if os.geteuid() == 0 and enterable(prefix) else {}
    environ = {"PATH": f"{prefix / 'bin'}:{os.defpath}", "HOME": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}

    record = prefix.glob("lib/python3*/site-packages/api/examples/jc-golden-nugget.txt")
    done = subprocess.run([program, "verify", *record], cwd="/", env=environ, capture_output=True, text=True, **as_user)
    assert "accepted, jc-golden-nugget" in done.stdout, done.stderr

    # The tests' own servers may let only their user in; whoever may not enter stays who we are.
    port = free_port("127.0.0.1", 0)
    environ |= {
        "DATABASE_URL": settings.database_url, "REDIS_URL": settings.redis_url, "SECRET_KEY": settings.secret_key,
        "WEB_HOST": "127.0.0.1", "WEB_PORT": str(port),
    }  # fmt: skip
    migrated = subprocess.run([program, "db", "migrate"], cwd="/", env=environ, capture_output=True, text=True)
    assert migrated.returncode == 0, migrated.stderr
    with (folder / "log").open("wb") as log:
        web = subprocess.Popen([program, "web"], cwd="/", env=environ, stdout=log, stderr=log)
        try:
            until = time.monotonic() + 60
            while not (page := answer(f"http://127.0.0.1:{port}/puzzles/maze")):
                assert web.poll() is None, (folder / "log").read_text()
                assert time.monotonic() < until, (folder / "log").read_text()
                time.sleep(0.1)
            assert b"<html" in page
            assert answer(f"http://127.0.0.1:{port}/readyz") == b'{"status":"ready"}\n'
        finally:
            web.terminate()
            web.wait(20)


def copy(source: Path, target: Path) -> None:
    """As COPY does, without what the builder is not given."""
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", ".env", "*.so"))
    else:
        shutil.copy(source, target)


def enterable(path: Path) -> bool:
    """Whether everybody may go there, and to the Python that its programs run on."""
    real = (path / "bin/python3").resolve()
    return all(each.stat().st_mode & 0o001 for each in (path, *path.parents, *real.parents))


def answer(url: str) -> bytes:
    """The body, or nothing while nobody listens."""
    try:
        with urllib.request.urlopen(url, timeout=5) as found:
            return found.read()
    except urllib.error.HTTPError as error:
        raise AssertionError(error.read()) from error
    except OSError:
        return b""
