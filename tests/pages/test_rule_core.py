"""The rules of JC Golden Nugget in the browser against the verifier: the same verdict on every record, place for place.

Both were written from the rules page. Without Chromium on the machine these tests are skipped.
"""

import json
import random
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, sync_playwright

from api.pages.base import HERE
from tests.pages.test_browser import CHROMIUM, QUIET
from verifier import verify
from verifier.record import Allowed

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="no Chromium on this machine")

CASES = Path(__file__).parents[1] / "cases" / "jc-golden-nugget"
PLACES = "1234567ABCDEFGHIJKLMNOPQRSTU"
LOAD = """async source => {
    globalThis.core = await import(URL.createObjectURL(new Blob([source], {type: 'text/javascript'})));
    globalThis.bytes = coded => Uint8Array.from(atob(coded), char => char.charCodeAt(0));
    globalThis.judge = coded => core.replay(bytes(coded)).verdict;
}"""


@pytest.fixture(scope="module")
def core() -> Iterator[Page]:
    """An empty page with the module; `judge` answers to a record in base64."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        page = browser.new_page()
        page.evaluate(LOAD, (HERE / "static" / "jc-golden-nugget.js").read_text())
        yield page
        browser.close()


def disagreements(core: Page, records: list[bytes]) -> list[tuple[bytes, Any, Any]]:
    """The records that are judged otherwise, the browser's verdict and ours: all of them in one call."""
    theirs = core.evaluate("records => records.map(judge)", [b64encode(record).decode() for record in records])
    found = []
    for record, answer in zip(records, theirs, strict=True):
        ours = verify(record, Allowed("jc-golden-nugget")).to_json()
        ours.get("error", {}).pop("message", None)
        if ours != answer:
            found.append((record[:2000], answer, ours))
    return found


def test_every_case(core: Page) -> None:
    records = [(CASES / name).read_bytes() for name in json.loads((CASES / "expected.json").read_text())]
    assert len(records) > 100
    assert not disagreements(core, records)


def test_ten_thousand_random_move_lists(core: Page) -> None:
    """On board 1 and, behind boards that are right, on later ones; right and wrong digits; in text and in JSON."""
    pick = random.Random(2026)
    solved = boards((CASES / "valid" / "full-20.txt").read_text())
    records = []
    for _ in range(10_000):
        places = pick.choices(PLACES, k=pick.choice((0, 1, 5, 20, 60, 99, 100, 120)))
        digits = pick.choice(("", "", "7", "67", "1234567", "01234567890xX-"))
        moves = [place + (pick.choice(digits) if digits and pick.random() < 0.3 else "") for place in places]
        before = 19 if pick.random() < 0.01 else pick.choice((0, 0, 1, 2))
        ending = solved[before][1] if pick.random() < 0.5 else [pick.randint(0, 50) for _ in range(pick.randint(0, 51))]
        if pick.random() < 0.5:
            moves = [move.lower() if pick.random() < 0.5 else move for move in moves]
            listed = [*solved[:before], (moves, ending)]
            told = [{"moves": list(moves), "position": ending} for moves, ending in listed]
            records.append(json.dumps({"puzzle": "jc-golden-nugget", "boards": told}).encode())
        else:
            listed = [*solved[:before], (moves, ending)]
            told = [
                f"board {at} {' '.join(moves)} position {' '.join(map(str, ending))}\n"
                for at, (moves, ending) in enumerate(listed, 1)
            ]
            records.append(f"puzzle: jc-golden-nugget\n{''.join(told)}".encode())
    wrong = disagreements(core, records)
    assert not wrong, wrong[:3]


SIGNS = ' \t\r\n,#:{}[]"\\-.e017Ppx\u212a\u0131\u017f\u0661\u00e9\U0001f300\x00\x0b\xa0\ufeff'
WORDS = [
    "49",
    "50",
    "P7",
    "board",
    "BOARD",
    "position",
    "board 1",
    "board 2",
    "puzzle:",
    "layout:",
    "deal: 7\n",
    "\npuzzle: maze\n",
    "\nsize: 5\n",
    "\n#",
    "null",
    "true",
    "NaN",
    "1.0",
    "1e0",
    "-0",
    '"boards"',
    '"moves"',
    '"position"',
    '"P"',
    '"P7 5"',
    "{}",
    "[]",
    '""',
]
PIECES = [piece.encode() for piece in (*SIGNS, *WORDS)]
BROKEN = [b"\xff", b"\xc3", b"\xe2\x82", b"\xf0\x9f\x8c", b"\xed\xa0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80"]
"""Bytes that no text in UTF-8 has, or not there."""


def test_records_with_accidents(core: Page) -> None:
    """Records of some boards in which a few pieces are cut out, doubled, put in or put elsewhere; broken bytes too."""
    pick = random.Random(7)
    names = [
        "full-20.txt",
        "bom-crlf-tabs-20.txt",
        "lower-short-21-commas.txt",
        "mixed-37-comments.txt",
        "json-rows-25.json",
    ]
    bases = []
    for name in names:
        whole = (CASES / "valid" / name).read_bytes()
        cut = 900 if name.endswith(".txt") else 0
        bases += [whole[:cut], whole[:250]] if cut else [few(whole, 1), few(whole, 2)]
    bases += [(CASES / "valid" / "best-20-short.txt").read_bytes(), b"", b"puzzle: jc-golden-nugget\n", b"{}"]
    records = []
    for _ in range(5_000):
        record = pick.choice(bases)
        for _ in range(pick.choice((1, 1, 2, 3))):
            at = pick.randint(0, len(record))
            end = min(len(record), at + pick.choice((0, 0, 1, 2, 5)))
            piece = record[at : at + 3] * 2 if pick.random() < 0.2 else pick.choice(PIECES)
            if pick.random() < 0.05:
                piece = pick.choice(BROKEN)
            at = 0 if pick.random() < 0.05 else at
            record = record[:at] + (piece if pick.random() < 0.8 else b"") + record[end:]
        records.append(record)
    wrong = disagreements(core, records)
    assert not wrong, wrong[:3]


def test_the_record_it_writes_is_the_canonical_one(core: Page) -> None:
    """Byte for byte what the cases have that are written as docs/FORMATS.md shows it."""
    for name, full in (("full-20.txt", True), ("best-200-full.txt", True), ("tie-last-board-longer.txt", False)):
        record = (CASES / "valid" / name).read_bytes()
        rewritten = core.evaluate(
            "([coded, full]) => core.write(core.replay(bytes(coded)).boards, {full})",
            [b64encode(record).decode(), full],
        )
        assert rewritten.encode() == record


def boards(text: str) -> list[tuple[list[str], list[int]]]:
    """The moves and the position of each board of a text record without comments."""
    found = []
    for part in text.split("board ")[1:]:
        moves, position = part.split("position")
        found.append((moves.split()[1:], [int(number) for number in position.split()]))
    return found


def few(record: bytes, n: int) -> bytes:
    """The first boards of a JSON record."""
    whole = json.loads(record)
    return json.dumps({**whole, "boards": whole["boards"][:n]}).encode()
