"""A submission's page: its state, the verdict in words, in the record and on the board; who may see it."""

import re

from flask import Flask

from api.excerpt import excerpt
from leaderboard.contests import Contest
from tests.api.conftest import CASES, drain
from tests.pages.conftest import Browser

POOR = (CASES / "valid" / "poor-20.txt").read_text()
BEST = (CASES / "valid" / "best-20-short.txt").read_text()


def rejected(name: str) -> str:
    return (CASES / "invalid" / name).read_bytes().decode()


def test_it_waits_is_decided_and_stands_on_the_board(ada: Browser, contest: Contest) -> None:
    page = ada.upload(POOR)
    assert "place 1 in the queue" in page.text
    assert '<noscript><meta http-equiv="refresh"' in page.html
    drain()
    page = ada.get(page.path)
    assert "It stands at rank 1 of the leaderboard." in page.text
    assert "903/10 = 90.3000" in page.text
    assert "http-equiv" not in page.html


def test_a_worse_one_is_told_which_counts(ada: Browser, contest: Contest) -> None:
    ada.upload(BEST)
    worse = ada.upload(POOR)
    drain()
    assert "Ada has a better record on the board, at rank 1." in ada.get(worse.path).text


def test_a_dead_push_is_marked_in_the_record_and_on_the_board(ada: Browser, contest: Contest) -> None:
    page = ada.upload(rejected("dead-push-line.txt"))
    drain()
    page = ada.get(page.path)
    error = ada.client.get(f"/api/v1{page.path}").json["verdict"]["error"]
    assert error["code"] == "no-coloured-block-moves"
    assert f"Board {error['board']}, move {error['move']}, line {error['line']}, column {error['column']}:" in page.text
    marked = re.search(r"<mark>(.*?)</mark>", page.html)
    line = rejected("dead-push-line.txt").split("\n")[error["line"] - 1]
    assert marked
    assert line[error["column"] - 1 :].split()[0] == marked[1]
    assert re.search(rf'class="m-arrow".*?<text class="m-rim" y="5">{marked[1][0].upper()}</text>', page.html)
    assert f"The push from {marked[1][0].upper()}." in page.text


def test_a_wrong_position_is_marked_on_the_board(ada: Browser, contest: Contest) -> None:
    page = ada.upload(rejected("position-two-swapped.txt"))
    drain()
    page = ada.get(page.path)
    assert page.html.count('class="m-move"') == 1
    assert "The position that the moves lead to." in page.text


def test_side_b_is_underlined(ada: Browser, contest: Contest) -> None:
    page = ada.upload(rejected("position-two-swapped.txt"))  # board 8 is at fault
    drain()
    assert ada.get(page.path).html.count('class="p-under"') == 49


def test_json_has_no_lines_but_a_board(ada: Browser, contest: Contest) -> None:
    page = ada.upload(rejected("dead-push-other-side.json"))
    drain()
    page = ada.get(page.path)
    assert "excerpt" not in page.html
    assert page.html.count("p-block") == 49


def test_others_see_only_what_stands_on_the_board(app: Flask, ada: Browser, contest: Contest, browser: Browser) -> None:
    good, bad = ada.upload(POOR), ada.upload(rejected("dead-push-line.txt"))
    drain()
    assert browser.get(bad.path).status == 404
    page = browser.get(good.path)
    assert page.status == 200
    assert "Download the record" not in page.text
    assert "p-block" not in page.html
    assert browser.get("/submissions/00000000-0000-4000-8000-000000000000").status == 404


def test_what_a_record_holds_is_text(ada: Browser, contest: Contest) -> None:
    page = ada.upload('puzzle: jc-golden-nugget\n<script>alert("1")</script> & {{ 7 * 7 }}\n')
    drain()
    html = ada.get(page.path).html
    assert "<script>alert" not in html
    assert "&lt;script&gt;" in html
    assert "{{ 7 * 7 }}" in html


def test_the_verdict_is_told_in_the_readers_language(ada: Browser, contest: Contest) -> None:
    page = ada.upload(rejected("dead-push-line.txt"))
    drain()
    assert re.search(
        r"Plansza \d+, ruch \d+, wiersz \d+, kolumna \d+:", ada.get(page.path, **{"Accept-Language": "pl"}).text
    )


def test_my_submissions(ada: Browser, contest: Contest) -> None:
    ada.upload(POOR)
    ada.upload(rejected("dead-push-line.txt"))
    drain()
    ada.upload(BEST)
    text = ada.get("/me").text
    assert (
        text.index("place 1 in the queue")
        < text.index("no-coloured-block-moves")
        < text.index("90.3000 (903/10, 20 boards)")
    )


def test_what_is_right_is_told(ada: Browser, contest: Contest) -> None:
    chain = (CASES / "valid" / "mixed-37-comments.txt").read_text()
    page = ada.upload(chain[: chain.rindex("position")])
    drain()
    text = ada.get(page.path).text
    assert "Boards 1 to 36 are right." in text
    assert re.search(r"A record of those alone would score \d+(/\d+ = \d+\.\d{4})?, and stand at rank 1\.", text)


def test_a_beginning_that_would_rank_higher_is_told(ada: Browser, contest: Contest) -> None:
    page = ada.upload((CASES / "valid" / "one-board-of-99.txt").read_text())
    drain()
    assert "alone would rank higher" not in ada.get(page.path).text
    page = ada.upload((CASES / "valid" / "full-100-crlf.txt").read_bytes().decode())
    drain()
    found = re.search(
        r"The first (\d+) boards alone would rank higher: \d+(/\d+)? = [\d.]+, at rank 1\.", ada.get(page.path).text
    )
    assert found
    assert 20 <= int(found[1]) < 100


def test_the_receipt_is_the_owners(ada: Browser, contest: Contest, browser: Browser) -> None:
    page = ada.upload(POOR)
    drain()
    receipt = ada.client.get(f"{page.path}/receipt")
    assert receipt.json == ada.client.get(f"/api/v1{page.path}").json["receipt"]
    assert browser.get(f"{page.path}/receipt").status == 404


def marked(record: bytes, line: int, column: int) -> tuple[str, str, str, str]:
    (found,) = [each for each in excerpt(record, {"line": line, "column": column}) if each.faulty]
    return found.before, found.token, found.behind, found.caret


def test_the_excerpt_marks_the_token() -> None:
    assert marked(b"\xef\xbb\xbfone\n\ttwo, three\r\nfour", 2, 2) == ("\t", "two", ", three", "\t^^^")
    assert marked(b"P Q#R", 1, 3) == ("P ", "Q", "#R", "  ^")
    assert marked(b"a\xffb", 1, 2) == ("a", "\ufffdb", "", " ^^")
    assert marked(b"one two", 1, 8) == ("one two", "", "", "       ^")
    assert marked(b"one\n", 2, 1) == ("", "", "", "^")


def test_a_line_of_a_mebibyte_is_cut() -> None:
    record = b"P " * 2**19
    shown = excerpt(record, {"line": 1, "column": 2**19 + 1})
    assert len(shown) == 1
    assert sum(map(len, (shown[0].before, shown[0].token, shown[0].behind))) < 300
    assert shown[0].token == "P"
