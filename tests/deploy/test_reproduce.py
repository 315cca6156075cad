"""The archive of a contest with 2,000 submissions: made by the service, checked offline, and not to be altered."""

import io
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from api.app import create_app
from deploy.reproduce import reproduce
from leaderboard import contestants, contests, db, matches, queue, submissions, tar
from leaderboard.contests import Contest, League
from leaderboard.db import transaction
from leaderboard.queue import Done
from leaderboard.settings import Settings
from tests.conftest import Servers, database
from verifier import verify

pytestmark = pytest.mark.timeout(600)

CASES = Path(__file__).parents[1] / "cases" / "jc-golden-nugget"
MANY = 2000
DAY = timedelta(days=1)


@pytest.fixture(scope="module")
def app(servers: Servers, template: str) -> Iterator[Flask]:
    for _, url in database(servers, template):
        settings = Settings(url, servers.redis_url, "a key for tests " * 4, rate_limits=0)
        yield create_app(settings)
        db.close_pool()


@pytest.fixture(autouse=True)
def close_what_is_left() -> None:
    """The pool is the module's."""


def contest(slug: str, puzzle: str, **more: Any) -> Contest:
    now = datetime.now(UTC)
    with transaction() as conn:
        return contests.create(
            conn, slug=slug, titles={"en": slug}, puzzle=puzzle, opens_at=now - DAY, closes_at=now + DAY, **more
        )


def hand_in(found: Contest, records: list[tuple[str, bytes]]) -> list[submissions.Submission]:
    with transaction() as conn:
        who = {name: contestants.by_name(conn, name) or contestants.register(conn, name)[0] for name, _ in records}
        return [submissions.add(conn, found.slug, who[name], record)[0] for name, record in records]


def decide() -> None:
    """Verify all that is due, as a worker does, without its pace."""
    while True:
        with transaction() as conn:
            rows = queue.claim(conn, 200)
        if not rows:
            return
        done = [Done(row, verify(row.record, contests.allowing(row.puzzle, row.setups)), 1) for row in rows]
        with transaction() as conn:
            queue.finish(conn, done)


def end(found: Contest) -> None:
    """Close and publish: half a second ago, so that nothing that is there is late."""
    with transaction() as conn:
        conn.execute("UPDATE contest SET closes_at = now(), publishes_at = now() WHERE id = %s", [found.id])


def download(app: Flask, slug: str, **headers: str) -> bytes:
    with app.test_client().get(f"/api/v1/contests/{slug}/archive", headers=headers) as answer:
        assert answer.status_code in (200, 206), answer.text
        return answer.data


@pytest.fixture(scope="module")
def main_contest(app: Flask) -> bytes:
    """2,000 submissions of 500 contestants: good and bad ones, one late and one disqualified."""
    found = contest("golden-nugget", "jc-golden-nugget")
    valid = [(CASES / "valid" / name).read_bytes() for name in sorted(RECORDS)]
    invalid = [path.read_bytes() for path in sorted((CASES / "invalid").glob("*.txt")) if path.stat().st_size < 9000]
    draw = random.Random(1)
    records = []
    for number in range(MANY - 1):
        record = draw.choice(valid if number % 3 else invalid)
        records.append((f"Player {number % 500}", record + f"\n# {number}".encode()))
    rows = hand_in(found, records)
    decide()
    with transaction() as conn:
        conn.execute("UPDATE submission SET disqualified_at = now() WHERE id = %s", [rows[1].id])
        conn.execute("UPDATE contest SET closes_at = now(), publishes_at = now() + interval '1 day'")
    hand_in(found, [("Player 7", valid[0] + b"\n# late")])
    decide()
    with transaction() as conn:
        from leaderboard.rebuild import rebuild

        now = contests.get(conn, found.slug)
        assert now
        rebuild(conn, now)
    answer = app.test_client().get("/api/v1/contests/golden-nugget/archive")
    assert (answer.status_code, answer.json["code"]) == (409, "not-published")
    with transaction() as conn:
        conn.execute("UPDATE contest SET publishes_at = now()")
    return download(app, "golden-nugget")


RECORDS = ("best-20-short.txt", "poor-20.txt", "full-20.txt", "tie-deep-first.txt", "tie-deep-second.txt",
           "tie-true-other-moves.txt", "mixed-37-comments.txt", "lower-short-21-commas.txt", "no-blank-no-final-newline-22.txt")  # fmt: skip # noqa: E501


def wrong(data: bytes, **options: Any) -> list[str]:
    return reproduce(io.BytesIO(data), **options).wrong


def members(data: bytes) -> dict[str, bytes]:
    found, at, file = {}, 0, io.BytesIO(data)
    while member := tar.read(file, at):
        found[member.name] = data[member.start : member.start + member.size]
        at = member.end
    return found


def packed(contents: dict[str, bytes]) -> bytes:
    """An archive of these members whose sums are right again, as a forger makes it."""
    sums = "".join(f"{sha256(data).hexdigest()}  {name}\n" for name, data in contents.items() if name != "SHA256SUMS")
    file = io.BytesIO()
    for name, data in {**contents, "SHA256SUMS": sums.encode()}.items():
        tar.write(file, name, [data])
    file.write(tar.END)
    return file.getvalue()


def test_it_is_identical(app: Flask, main_contest: bytes, tmp_path: Path) -> None:
    """By the command, on all cores, without any package but the project's own."""
    archive = tmp_path / "archive.tar"
    archive.write_bytes(main_contest)
    ran = subprocess.run(
        [sys.executable, "-S", "-m", "deploy.cli", "reproduce", str(archive)],
        cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.startswith(f"Identical: {MANY} submissions of golden-nugget verified again in ")
    found = members(main_contest)
    assert sum(name.startswith("records/") for name in found) == MANY
    assert "verifier/replay.py" in found
    # Another tar program reads it too, and the sums are as sha256sum wants them.
    listed = subprocess.run(["tar", "tf", str(archive)], capture_output=True, text=True, check=True).stdout.splitlines()
    assert listed == list(found)
    # The board is the one that the service shows.
    shown = app.test_client().get("/api/v1/contests/golden-nugget/standings?limit=200").json["standings"]
    board = json.loads(found["board.json"])["standings"]
    keys = ("rank", "contestant", "score", "submission")
    assert [[row[key] for key in keys] for row in board[:200]] == [[row[key] for key in keys] for row in shown]
    assert app.test_client().get("/api/v1/contests/golden-nugget/standings.csv").data == found["board.csv"]


def test_two_downloads_are_equal_also_in_parts(app: Flask, main_contest: bytes) -> None:
    assert download(app, "golden-nugget") == main_contest
    assert download(app, "golden-nugget", Range="bytes=1000-1999") == main_contest[1000:2000]
    assert db._settings
    again = create_app(db._settings)
    assert download(again, "golden-nugget") == main_contest
    answer = app.test_client().get("/api/v1/contests/golden-nugget/archive", headers={"Range": "bytes=999999999999-"})
    assert (answer.status_code, answer.json["code"]) == (416, "bad-range")
    etag = app.test_client().head("/api/v1/contests/golden-nugget/archive").headers["ETag"]
    answer = app.test_client().get("/api/v1/contests/golden-nugget/archive", headers={"If-None-Match": etag})
    assert answer.status_code == 304


def test_one_changed_byte_anywhere_is_found_and_named(main_contest: bytes) -> None:
    """At seeded places of every kind: header, content, padding, sums, end. A shorter and a longer file, too."""
    draw = random.Random(2)
    small = dict(list(members(main_contest).items())[-300:])
    first = {name: data for name, data in members(main_contest).items() if not name.startswith(("records/", "SHA"))}
    data = packed({**first, **small})
    assert not any("SHA" in each for each in wrong(data))  # every byte is right, though many records are missing
    whole = io.BytesIO(data)
    places, at = [], 0
    while member := tar.read(whole, at):
        kinds = {"header": (at, member.start), "content": (member.start, member.start + member.size),
                 "padding": (member.start + member.size, member.end)}  # fmt: skip
        places += [(member.name, draw.randrange(*span)) for span in kinds.values() if span[0] < span[1]]
        at = member.end
    last = [("SHA256SUMS", draw.randrange(at, len(data))) for _ in range(5)]
    for name, place in [*draw.sample(places, 120), *last]:
        changed = bytearray(data)
        changed[place] ^= 1 << draw.randrange(8)
        found = wrong(bytes(changed))
        assert found, f"byte {place}, in {name}, was changed in secret"
        if place >= at or data[place : place + 1] in b"\0":
            continue
        assert any(name in each or f"byte {place // 512 * 512}" in each for each in found), (name, place, found)
    for altered in (data[:-1], data[:-512], data + b"\0", data[:5000], b"", b"x"):
        assert wrong(altered)


def test_whoever_makes_the_sums_right_again_is_found_too(app: Flask) -> None:
    contest_of_few = contest("few", "jc-golden-nugget")
    records = [(CASES / "valid" / name).read_bytes() for name in RECORDS]
    hand_in(contest_of_few, [(f"Player {number}", record) for number, record in enumerate(records)])
    decide()
    end(contest_of_few)
    whole = members(download(app, "few"))
    assert wrong(packed(whole)) == []

    def forged(name: str, data: bytes) -> list[str]:
        assert data != whole.get(name)
        return wrong(packed({**whole, name: data}))

    rows = [json.loads(line) for line in whole["submissions.jsonl"].splitlines()]
    better = whole["submissions.jsonl"].replace(b'"moves": 375', b'"moves": 374', 1)
    assert ["the verdict differs" in each and each.startswith("submission ") for each in forged("submissions.jsonl", better)] == [True]  # fmt: skip # noqa: E501
    # Two change places on the board.
    board = whole["board.json"].split(b"\n")
    board[1], board[2] = board[2].replace(b'"rank": 2', b'"rank": 1'), board[1].replace(b'"rank": 1', b'"rank": 2')
    found = forged("board.json", b"\n".join(board))
    assert [each.split(":")[0] for each in found] == ["board.json row 1", "board.json row 2"]
    table = whole["board.csv"].replace(b"\r\n2,", b"\r\n1,", 1)
    assert [each.split(":")[0] for each in forged("board.csv", table)] == ["board.csv row 2"]
    record = f"records/{rows[0]['id']}"
    assert any(rows[0]["id"] in each for each in forged(record, whole[record] + b" "))
    for missing in (record, "board.csv", "audit.jsonl", "contestants.jsonl"):
        assert any(missing.removeprefix("records/") in each for each in wrong(packed(
            {name: data for name, data in whole.items() if name != missing}))), missing  # fmt: skip
    # What only a hostile one has.
    for name in ("../../etc/passwd", "/etc/passwd", "records/../x", "extra.txt"):
        assert "does not belong" in wrong(packed({name: b"", **whole}))[0]
    assert "at most" in forged(record, bytes(2**20 + 1))[0]
    for name in ("contest.json", "submissions.jsonl", "contestants.jsonl"):
        for text in (b"", b"{}", b"[" * 100_000, b"\xff\n", b'{"id": 1}\n', b"x" * (2**20 + 5)):
            assert forged(name, text), (name, text[:20])


def test_several_setups_and_leagues_are_the_same_too(app: Flask) -> None:
    demo = Path(__file__).parents[2] / "deploy" / "demo"
    maze = contest("maze", "maze", setups=("deal: 1", "deal: 2", "deal: 3"))
    names = sorted(path.name for path in (demo / "maze").iterdir() if path.suffix in (".txt", ".json"))
    hand_in(maze, [(f"M {n % 4}", (demo / "maze" / name).read_bytes()) for n, name in enumerate(names)])
    league = contest("knights", "knight-fight", league=League(per_pair=2))

    def played(first: str, second: str, play: str) -> bytes:
        return f"puzzle: knight-fight\nplayers: {first}, {second}\n{play}".encode()

    hand_in(league, [("Ann", b"puzzle: knight-fight\ndeal: 7\nresigns"), ("Bob", b"nothing"), ("Cleo", b"no")])
    moves = ["deal: 7\nc8 resigns", "deal: 8\nb1 resigns", "deal: 9\nresigns", "deal: 10\nresigns"]
    rows = hand_in(league, [("Ann", played("Ann", "Bob", moves[0])), ("Bob", played("Ann", "Bob", moves[0]))])
    rows += hand_in(league, [("Ann", played("Bob", "Ann", play)) for play in moves[1:3]])
    rows += hand_in(league, [("Cleo", played("Cleo", "Bob", moves[3])), ("Cleo", played("Bob", "Cleo", moves[2]))])
    decide()
    with transaction() as conn:
        bob, eve = contestants.by_name(conn, "Bob"), contestants.register(conn, "Eve", role="organiser")[0]
        assert bob
        for row in rows[2:4]:
            matches.answer(conn, league, row.id, bob, True)
        matches.answer(conn, league, rows[4].id, bob, False)
        matches.rule(conn, league, rows[5].id, eve, True, "both said so by letter")
    for each in (maze, league):
        end(each)
        data = download(app, each.slug)
        assert wrong(data) == []
        board = app.test_client().get(f"/api/v1/contests/{each.slug}/standings").json["standings"]
        stands = json.loads(members(data)["board.json"])["standings"]
        assert [(row["rank"], row["score"]) for row in stands] == [(row["rank"], row["score"]) for row in board]
    whole = members(data)
    assert [row["rank"] for row in board] == sorted(row["rank"] for row in board)
    assert "by letter" in whole["audit.jsonl"].decode()
    for before, after in ((b'"upheld"', b"null"), (b'"answer": true', b'"answer": false'), (b'"duplicate"', b"null")):
        changed = whole["matches.jsonl"].replace(before, after)
        assert changed != whole["matches.jsonl"]
        assert wrong(packed({**whole, "matches.jsonl": changed})), before


def test_a_receipt_proves_that_a_record_was_taken(app: Flask, main_contest: bytes, tmp_path: Path) -> None:
    found, client = contest("short", "jc-golden-nugget"), app.test_client()
    token = client.post("/api/v1/contestants", json={"name": "Zoe"}).json["token"]
    record = (CASES / "valid" / "poor-20.txt").read_bytes()
    headers = {"Authorization": f"Bearer {token}"}
    row = client.post("/api/v1/contests/short/submissions", data=record, headers=headers).json
    decide()
    end(found)
    key = client.get("/api/v1/key").json
    receipt, archive = tmp_path / "receipt.json", tmp_path / "short.tar"
    receipt.write_text(json.dumps(row["receipt"]))
    data = download(app, "short")

    def run(data: bytes, *options: str) -> tuple[int, str]:
        archive.write_bytes(data)
        command = [sys.executable, "-m", "deploy.cli", "reproduce", str(archive), "--receipt", str(receipt), *options]
        ran = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False)
        return ran.returncode, ran.stdout

    status, said = run(data, "--key", key["key"])
    assert status == 0, said
    assert "its signature is right" in said
    assert "is in the archive, with the same SHA-256" in said
    # An archive that is consistent, and lacks the submission.
    status, said = run(main_contest)
    assert status == 1
    assert "Identical" in said
    assert "its signature is right" in said
    assert "NOT in the archive" in said
    receipt.write_text(json.dumps({**row["receipt"], "received_at": "2026-01-01T00:00:00.000000Z"}))
    status, said = run(data)
    assert status == 1
    assert "NOT right" in said
    # The recipe of docs/CHECKING.md, by a program that is not ours.
    signed = json.dumps(
        {k: v for k, v in row["receipt"].items() if k != "signature"}, sort_keys=True, separators=(",", ":")
    )
    for name, content in (("m", signed.encode()), ("s", bytes.fromhex(row["receipt"]["signature"])), ("k.pem", key["pem"].encode())):  # fmt: skip # noqa: E501
        (tmp_path / name).write_bytes(content)
    openssl = ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", "k.pem", "-rawin", "-in", "m", "-sigfile", "s"]
    ran = subprocess.run(openssl, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
