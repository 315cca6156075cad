"""Every setting is explained, checked, and kept out of sight where it is a secret."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from leaderboard.settings import BadSetting, Settings

LEAST = {"DATABASE_URL": "host=/run", "REDIS_URL": "unix:///run/redis?db=1", "SECRET_KEY": "s" * 32}


def test_the_example_explains_every_setting_and_no_other():
    example = (Path(__file__).parents[2] / "deploy/env.example").read_text()
    assert re.findall(r"(?m)^([A-Z_]+)=", example) == [field.name.upper() for field in fields(Settings)]
    for block in example.split("\n\n"):
        assert block.startswith("#"), f"without a word of explanation: {block}"


def test_an_empty_variable_is_an_absent_one():
    assert Settings.from_environment({**LEAST, "WEB_PORT": " ", "LOG_LEVEL": ""}) == Settings.from_environment(LEAST)


@pytest.mark.parametrize(
    ("variables", "complaint"),
    [
        ({"DATABASE_URL": ""}, "DATABASE_URL is not set"),
        ({"SECRET_KEY": "short"}, "SECRET_KEY must have at least 32 characters"),
        ({"REDIS_URL": "localhost:6379"}, "REDIS_URL must start with"),
        ({"WEB_PORT": "http"}, "WEB_PORT must be a whole number, not 'http'"),
        ({"WEB_PORT": "65536"}, "WEB_PORT must be from 0 to 65535"),
        ({"WEB_THREADS": "1"}, "WEB_THREADS must be from 2"),
        ({"WORKER_PROCESSES": "-1"}, "WORKER_PROCESSES must be a whole number"),
        ({"PUBLIC_URL": "https://contest.example/path"}, "PUBLIC_URL must be like"),
        ({"LOG_LEVEL": "LOUD"}, "LOG_LEVEL must be"),
    ],
)
def test_a_bad_setting_is_named(variables, complaint):
    with pytest.raises(BadSetting, match=f"^{re.escape(complaint)}"):
        Settings.from_environment(LEAST | variables)


def test_secrets_are_not_shown():
    secrets = LEAST | {"DATABASE_URL": "password=hidden", "METRICS_TOKEN": "hidden"}
    assert "hidden" not in repr(Settings.from_environment(secrets))
    assert "ssss" not in repr(Settings.from_environment(secrets))


def test_the_redis_server_by_its_other_name():
    settings = Settings.from_environment(LEAST)
    assert settings.broker_url == "redis+socket:///run/redis?virtual_host=1"
    settings = Settings.from_environment(LEAST | {"REDIS_URL": "rediss://host:1/2"})
    assert settings.broker_url == "rediss://host:1/2"
