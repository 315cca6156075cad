"""The commands that speak to a server: register, submit, standings. Nothing but the standard library."""

import argparse
import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

LARGEST = 2**20
"""Bytes of the largest record; one byte more is enough to be told that it is too large."""


class Refused(Exception):
    """The server did not do it, or could not be reached; the text says why."""


def main(options: argparse.Namespace) -> int:
    """The commands register, submit and standings, as deploy/cli.py reads them."""
    server = options.server.rstrip("/")
    try:
        match options.command:
            case "register":
                return register(server, options.name)
            case "submit":
                return submit(server, options.file, options.contest, options.wait)
            case _:
                return standings(server, options.contest)
    except (Refused, OSError) as error:
        print(f"nugget {options.command}: {error}", file=sys.stderr)
        return 2


def register(server: str, name: str) -> int:
    """Become a contestant of the server and keep the token."""
    answer = call(
        server, "/api/v1/contestants", json.dumps({"name": name}).encode(), {"Content-Type": "application/json"}
    )
    save_token(server, answer["token"])
    print(f"Registered as {answer['name']}. The token is kept in {token_file()}.")
    return 0


def submit(server: str, file: str, contest: str, wait: bool) -> int:
    """Upload a record and, if asked, wait for its verdict: 1 if that is not acceptance."""
    token = tokens().get(server)
    if token is None:
        raise Refused(f"No token for {server} yet: nugget register NAME comes first.")
    record = sys.stdin.buffer.read(LARGEST + 1) if file == "-" else read(file)
    headers = {"Content-Type": "application/octet-stream"} | ({"Prefer": "wait=10"} if wait else {})
    row = call(server, f"/api/v1/contests/{urllib.parse.quote(contest, safe='')}/submissions", record, headers, token)
    print(f"Submission {row['id']} ({row['sha256'][:12]}...), received {row['received_at']}", flush=True)
    if not wait:
        return 0
    while (row := call(server, f"/api/v1/submissions/{row['id']}", token=token))["state"] in ("queued", "verifying"):
        time.sleep(0.5)
    print(described(row))
    return 0 if row["state"] == "accepted" else 1


def described(row: dict[str, Any]) -> str:
    """A decided submission in a line."""
    verdict = row["verdict"] or {}
    if row["state"] == "rejected":
        return f"rejected, {verdict['error']['code']}: {verdict['error']['message']}"
    score = ", ".join(
        f"{key} {value}" for key, value in verdict.get("score", {}).items() if not isinstance(value, list)
    )
    return f"{row['state']}: {score}" if score else str(row["state"])


def standings(server: str, contest: str) -> int:
    """Show the first page of a leaderboard."""
    page = call(server, f"/api/v1/contests/{urllib.parse.quote(contest, safe='')}/standings")
    for each in page["standings"]:
        score = ", ".join(f"{key} {value}" for key, value in each["score"].items() if not isinstance(value, list))
        print(f"{each['rank']:>5}  {each['contestant']['name']:<40}  {score}")
    shown, total = len(page["standings"]), page["total"]
    print(
        f"{shown} of {total}"
        if shown < total
        else "Nobody stands on the board yet."
        if total == 0
        else f"{total} in all"
    )
    return 0


def call(
    server: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None, token: str | None = None
) -> dict[str, Any]:
    """The JSON object that the server answers to a POST of the body, or to a GET without one. Raises Refused."""
    request = urllib.request.Request(server + path, body, headers or {})  # noqa: S310 - the user names the server
    request.add_header("Accept", "application/json")
    if token is not None:
        request.add_unredirected_header("Authorization", f"Bearer {token}")
    local = urllib.parse.urlsplit(server).hostname in ("127.0.0.1", "::1", "localhost")
    handlers = [urllib.request.ProxyHandler({})] if local else []
    try:
        with urllib.request.build_opener(*handlers).open(request, timeout=30) as answer:
            found = json.load(answer)
    except urllib.error.HTTPError as error:
        raise Refused(problem(error)) from None
    except (urllib.error.URLError, TimeoutError, ValueError) as error:
        raise Refused(f"{server} does not answer as a Golden Nugget server: {error}") from None
    if not isinstance(found, dict):
        raise Refused(f"{server} does not answer as a Golden Nugget server.")
    return found


def problem(error: urllib.error.HTTPError) -> str:
    """What an error of the server says, in its own words where it has some."""
    try:
        found = json.load(error)
        return f"{found['title']}: {found['detail']}" if found.get("detail") else str(found["title"])
    except (ValueError, KeyError, TypeError, AttributeError):
        return f"{error.code} {error.reason}"


def read(file: str) -> bytes:
    """A record's bytes; of one that is too long only as many as show it."""
    with open(file, "rb") as stream:
        return stream.read(LARGEST + 1)


def token_file() -> Path:
    """Where the tokens are kept, one for each server."""
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "golden-nugget" / "tokens.json"


def tokens() -> dict[str, str]:
    """The tokens kept so far, by server."""
    try:
        return dict(json.loads(token_file().read_text()))
    except FileNotFoundError:
        return {}
    except ValueError:
        raise Refused(f"{token_file()} is damaged; remove it and register again.") from None


def save_token(server: str, token: str) -> None:
    """Keep a token where only its owner can read it."""
    file = token_file()
    text = json.dumps(tokens() | {server: token}, indent=1)
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    new = file.with_suffix(".new")
    new.unlink(missing_ok=True)
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as stream:
        stream.write(text)
    new.replace(file)
