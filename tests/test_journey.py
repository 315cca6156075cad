"""One upload, all the way to the page, with nothing faked.

`nugget run` starts the servers, plain HTTP registers and uploads, a Celery worker verifies, the page shows the rank.
"""

import http.cookiejar
import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
CASES = ROOT / "tests" / "cases" / "jc-golden-nugget"
RANKS = [(row["rank"], row["files"]) for row in json.loads((CASES / "rank.json").read_text())]


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where a service of its own answers, with the demo contest and what stands on its board."""
    from tests.conftest import temporary_folder

    for folder in temporary_folder():
        environment = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
        log = (folder / "log").open("w+")
        command = [sys.executable, "-m", "deploy.cli", "run", "--demo", "--data", str(folder / "data"), "--port", "0"]
        with (
            log,
            subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log, env={**environment, "RATE_LIMITS": "0"}) as run,
        ):
            try:
                yield announced(run, Path(log.name))
            finally:
                run.send_signal(signal.SIGINT)
                assert run.wait(60) == 0, Path(log.name).read_text()


def announced(run: subprocess.Popen[bytes], log: Path) -> str:
    until = time.monotonic() + 60
    while time.monotonic() < until and run.poll() is None:
        if found := re.search(r"http://[0-9.:]+", log.read_text()):
            return found[0]
        time.sleep(0.1)
    pytest.fail(log.read_text())


def call(url: str, body: bytes | None = None, **headers: str) -> Any:
    """The JSON that a request is answered with."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    with urllib.request.urlopen(urllib.request.Request(url, body, named), timeout=30) as answer:
        return json.load(answer)


def page(url: str) -> str:
    """The page that a reader gets."""
    with urllib.request.urlopen(urllib.request.Request(url, headers={"Accept": "text/html"}), timeout=30) as answer:
        text: str = answer.read().decode()
    return text


def cells(html: str, contestant: str) -> list[str]:
    """The text of a contestant's row on the board."""
    row = re.search(rf'(?s)<tr[^>]* data-row="{contestant}".*?</tr>', html)
    assert row, "not on the page"
    return [
        " ".join(re.sub("<[^>]+>", " ", cell).split()) for cell in re.findall(r"(?s)<t[dh]\b.*?>(.*?)</t[dh]>", row[0])
    ]


def test_register_upload_verdict_rank_page(url: str) -> None:
    ada = call(f"{url}/api/v1/contestants", b'{"name": "Ada of the journey"}')
    token = f"Bearer {ada['token']}"
    record = (CASES / "valid" / "bom-crlf-tabs-20.txt").read_bytes()
    row = call(f"{url}/api/v1/contests/golden-nugget/submissions", record, Authorization=token)
    assert row["state"] in ("queued", "verifying", "accepted")
    until = time.monotonic() + 60
    while row["state"] in ("queued", "verifying") and time.monotonic() < until:
        row = call(f"{url}/api/v1/submissions/{row['id']}", Authorization=token, Prefer="wait=10")
    assert row["state"] == "accepted"
    assert row["verdict"]["score"]["mean"] == "23"
    place = call(f"{url}/api/v1/contests/golden-nugget/standings/{ada['id']}")
    rank, name, mean, *_ = cells(page(f"{url}/contests/golden-nugget"), ada["id"])
    assert rank.split()[0] == str(place["rank"])
    assert name.startswith("Ada of the journey")
    assert mean.startswith("23")
    assert "Ada of the journey" in page(f"{url}/submissions/{row['id']}")


def test_the_same_way_by_a_browser_without_scripts(url: str) -> None:
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))

    def read(path: str, **form: str) -> tuple[str, str]:
        """A page's address and text; with `form`, what its form is answered with."""
        if not form:
            with browser.open(url + path, timeout=30) as answer:
                return answer.url, answer.read().decode()
        csrf = re.search(r'name="csrf_token" value="([^"]+)"', read(path)[1])
        assert csrf
        data = urllib.parse.urlencode({**form, "csrf_token": csrf[1]}).encode()
        with browser.open(url + path, data, timeout=30) as answer:
            return answer.url, answer.read().decode()

    read("/register", name="Grace of the journey")
    record = (CASES / "invalid" / "dead-push-several.txt").read_text()
    address, text = read("/contests/golden-nugget/submit", record=record)
    assert "/submissions/" in address
    until = time.monotonic() + 60
    while "no-coloured-block-moves" not in text and time.monotonic() < until:
        time.sleep(0.2)
        text = read(urllib.parse.urlsplit(address).path)[1]
    assert "no-coloured-block-moves" in text
    assert "board 18" in text.lower()
    assert "<svg" in text


def test_all_valid_records_rank_as_they_should(url: str) -> None:
    """Uploaded in an order that is not theirs; among those of the demo contest, which has the same records."""
    token = {}
    for number, file in enumerate(sorted(file for _, files in RANKS for file in files)):
        who = call(f"{url}/api/v1/contestants", json.dumps({"name": f"Traveller {number}"}).encode())
        record = (CASES / file).read_bytes()
        row = call(f"{url}/api/v1/contests/golden-nugget/submissions", record, Authorization=f"Bearer {who['token']}")
        token[who["id"]] = (file, row["id"], f"Bearer {who['token']}")
    for _, submission, bearer in token.values():
        row = call(f"{url}/api/v1/submissions/{submission}", Authorization=bearer, Prefer="wait=10")
        assert row["state"] == "accepted"
    board = call(f"{url}/api/v1/contests/golden-nugget/standings?limit=200")["standings"]
    ranks: dict[int, list[str]] = {}
    for row in board:
        if row["contestant"]["id"] in token:
            ranks.setdefault(row["rank"], []).append(token[row["contestant"]["id"]][0])
    assert [sorted(files) for _, files in sorted(ranks.items())] == [sorted(files) for _, files in RANKS]


def test_a_killed_worker_costs_nobody_a_verdict(url: str) -> None:
    """Kill -9 of the worker in the middle of a burst of uploads: each gets its one verdict, without anybody's help."""
    who = call(f"{url}/api/v1/contestants", b'{"name": "Burst"}')
    token, record = f"Bearer {who['token']}", (CASES / "valid" / "worst-200-of-99-full.txt").read_bytes()
    ids = []
    for number in range(40):
        body = record + b"# %d\n" % number
        ids.append(call(f"{url}/api/v1/contests/golden-nugget/submissions", body, Authorization=token)["id"])
        if number == 20:
            for pid in workers():
                os.kill(pid, signal.SIGKILL)
    begun = time.monotonic()
    states = {}
    for each in ids:
        while states.get(each) not in ("accepted", "rejected", "failed") and time.monotonic() < begun + 60:
            states[each] = call(f"{url}/api/v1/submissions/{each}", Authorization=token, Prefer="wait=10")["state"]
    assert set(states.values()) == {"accepted"}


def workers() -> list[int]:
    """The Celery processes below the service that this test has started."""
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
            children.setdefault(parent, []).append(int(folder.name))
    below, queue = [], [os.getpid()]
    while queue:
        found = children.get(queue.pop(), [])
        below += found
        queue += found
    return [pid for pid in below if b"worker.app" in Path(f"/proc/{pid}/cmdline").read_bytes()]
