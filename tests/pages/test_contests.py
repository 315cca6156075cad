"""The leaderboard as a page: order, ties, pages by cursor, conditional answers, phases; and the upload form."""

import io
import re
from datetime import UTC, datetime, timedelta

import pytest
from flask import Flask

from api.pages import contests as pages
from leaderboard.contests import Contest
from tests.api.conftest import CASES, drain, new_contest
from tests.pages.conftest import Browser, read

BEST = (CASES / "valid" / "best-20-short.txt").read_text()
TIED = [(CASES / "valid" / name).read_text() for name in ("tie-deep-first.txt", "tie-true-other-moves.txt")]
POOR = (CASES / "valid" / "poor-20.txt").read_text()
REJECTED = (CASES / "invalid" / "unsolved-no-moves.txt").read_text()


def fill(app: Flask, **records: str) -> None:
    """A contestant for each record, all verified."""
    for name, record in records.items():
        browser = Browser(app.test_client())
        browser.register(name)
        browser.upload(record)
    drain()


def rows(html: str) -> list[list[str]]:
    """The cells of the leaderboard's rows, as text."""
    body = re.search(r'<tbody role="rowgroup">(.*?)</tbody>', html, re.DOTALL)
    found = re.findall(r"<tr.*?</tr>", body[1], re.DOTALL) if body else []
    return [[read(cell) for cell in re.findall(r"<t[dh].*?</t[dh]>", row, re.DOTALL)] for row in found]


def test_the_board_shows_rank_name_exact_mean_boards_and_last_board(
    app: Flask, contest: Contest, browser: Browser
) -> None:
    fill(app, Ada=POOR, Bob=BEST, Cleo=TIED[0], Dan=TIED[1])
    shown = rows(browser.get("/contests/golden-nugget").html)
    assert [row[:3] for row in shown] == [
        ["1", "Bob", "18.7500 75/4"],
        ["2shared", "Cleo", "29.0500 581/20"],
        ["2shared", "Dan", "29.0500 581/20"],
        ["4", "Ada", "90.3000 903/10"],
    ]
    assert shown[0][3] == "20 boards"
    last = BEST.partition("board 20")[2].partition("position")[0].split()
    assert shown[0][4] == f"{len(last)} on the last"


def test_pages_show_everybody_once(
    app: Flask, contest: Contest, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(app, Ada=POOR, Bob=BEST, Cleo=TIED[0], Dan=TIED[1])
    monkeypatch.setattr(pages, "PAGE", 3)
    first = browser.get("/contests/golden-nugget")
    further = re.search(r'rel="next" href="([^"]*)"', first.html)
    assert further
    second = browser.get(further[1].replace("&amp;", "&"))
    assert [row[1] for row in rows(first.html) + rows(second.html)] == ["Bob", "Cleo", "Dan", "Ada"]
    assert 'rel="next"' not in second.html
    back = re.search(r'rel="prev" href="([^"]*)"', second.html)
    assert back
    assert rows(browser.get(back[1]).html) == rows(first.html)


def test_a_cursor_that_is_none_of_ours_leads_nowhere(contest: Contest, browser: Browser) -> None:
    assert browser.get("/contests/golden-nugget?cursor=x").status == 404


def test_an_unchanged_board_is_not_sent_again(app: Flask, contest: Contest, browser: Browser) -> None:
    fill(app, Ada=POOR)
    tag = browser.get("/contests/golden-nugget").answer.headers["ETag"]
    assert browser.get("/contests/golden-nugget", **{"If-None-Match": tag}).status == 304
    assert browser.get("/contests/golden-nugget", **{"If-None-Match": tag, "Accept-Language": "pl"}).status == 200
    fill(app, Bob=BEST)
    assert browser.get("/contests/golden-nugget", **{"If-None-Match": tag}).status == 200


def test_your_own_row_is_pointed_out(ada: Browser, app: Flask, contest: Contest) -> None:
    fill(app, Bob=BEST)
    ada.upload(POOR)
    drain()
    page = ada.get("/contests/golden-nugget")
    assert "You stand at rank 2 of 2." in page.text
    assert re.search(r'<tr[^>]*class=" mine"', page.html)


def test_a_file_goes_before_the_text_and_is_kept_to_the_byte(ada: Browser, contest: Contest) -> None:
    data = (CASES / "valid" / "bom-crlf-tabs-20.txt").read_bytes()
    page = ada.send("/contests/golden-nugget/submit", file=(io.BytesIO(data), "my record.txt"), record="something else")
    assert page.path.startswith("/submissions/")
    assert ada.client.get(f"/api/v1{page.path}/record").data == data


def test_the_example_is_accepted(ada: Browser, contest: Contest) -> None:
    form = ada.get("/contests/golden-nugget/submit?example=1").html
    text = re.search(r"<textarea[^>]*>\n(.*?)</textarea>", form, re.DOTALL)
    assert text
    page = ada.upload(text[1])
    drain()
    assert "Accepted" in ada.get(page.path).text


def test_the_same_record_again_is_the_same_submission(ada: Browser, contest: Contest) -> None:
    assert ada.upload(POOR).path == ada.upload(POOR).path


def test_an_empty_form_stores_nothing(ada: Browser, contest: Contest) -> None:
    page = ada.upload("")
    assert page.status == 422
    assert "Choose a file or paste a record first." in page.text
    assert "not uploaded anything yet" in ada.get("/me").text


def test_over_1_mib_is_refused(ada: Browser, contest: Contest) -> None:
    page = ada.upload("#" * (2**20 + 1))
    assert page.status == 413
    assert "at most 1 MiB" in page.text


def test_who_is_not_signed_in_is_sent_to_do_so(browser: Browser, contest: Contest) -> None:
    assert "To upload you need a name on the board" in browser.get("/contests/golden-nugget/submit").text
    assert browser.upload(POOR).status == 401


def test_the_quota_is_told(app: Flask, ada: Browser) -> None:
    new_contest(slug="small", quota=1)
    ada.upload(POOR, "small")
    page = ada.upload(BEST, "small")
    assert page.status == 422
    assert "today's 1 uploads" in page.text


def test_a_contest_before_and_after_its_time(app: Flask, ada: Browser) -> None:
    now, day = datetime.now(UTC), timedelta(days=1)
    new_contest(slug="later", opens_at=now + day, closes_at=now + 2 * day)
    new_contest(slug="closed", opens_at=now - 2 * day, closes_at=now - day, publishes_at=now + day)
    assert "not open yet" in ada.get("/contests/later").text
    assert ada.upload(POOR, "later").status == 422
    late = ada.upload(POOR, "closed")
    drain()
    assert "It came after the contest had closed" in ada.get(late.path).text
    assert "Nobody is on the board yet." in ada.get("/contests/closed").text


def test_what_is_not_there_is_a_page_too(app: Flask, browser: Browser) -> None:
    page = browser.get("/contests/nowhere")
    assert page.status == 404
    assert "There is nothing at this address." in page.text
    assert browser.get("/contests/nowhere", **{"Accept-Language": "pl"}).text.find("Pod tym adresem nic nie ma.") > 0
