"""What the server's own process does before it serves: its log."""

import http.client
import json
from dataclasses import replace
from pathlib import Path

from leaderboard.settings import Settings
from tests.api.conftest import RECORD, serve


def test_each_request_is_a_line_of_json_under_its_id(settings: Settings, folder: Path) -> None:
    for web in serve(replace(settings, rate_limits=0), folder):
        connection = http.client.HTTPConnection("127.0.0.1", web.port, timeout=30)
        connection.request("POST", "/api/v1/verify", RECORD, {"X-Request-Id": "me-1"})
        assert connection.getresponse().status == 200
        connection.close()
    lines = [json.loads(line) for line in (folder / "web.log").read_text().splitlines() if line.startswith("{")]
    (mine,) = [line for line in lines if line["request_id"] == "me-1"]
    assert mine["event"] == "request"
    assert (mine["method"], mine["path"], mine["status"]) == ("POST", "/api/v1/verify", 200)
    assert settings.secret_key not in (folder / "web.log").read_text()


def test_the_level_of_the_settings_holds(settings: Settings, folder: Path) -> None:
    for web in serve(replace(settings, rate_limits=0, log_level="error"), folder):
        connection = http.client.HTTPConnection("127.0.0.1", web.port, timeout=30)
        connection.request("GET", "/healthz")
        assert connection.getresponse().status == 200
        connection.close()
    assert "{" not in (folder / "web.log").read_text()
