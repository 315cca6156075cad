"""The leaderboard as a page: order, ties, pages by cursor, conditional answers, phases; and the upload form."""

import io
import re
from datetime import UTC, datetime, timedelta

import pytest
from flask import Flask

from api.pages import contests as pages
from leaderboard import board, contestants, organising
from leaderboard.contests import Contest
from leaderboard.db import transaction
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
    found = re.findall(r"<tr.*?</tr>", re.sub(r'<a class="why".*?</a>', "", body[1]), re.DOTALL) if body else []
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


def test_a_contestant_is_found_however_the_name_is_written(app: Flask, contest: Contest, browser: Browser) -> None:
    fill(app, Ada=POOR, Adam=BEST, Cleo=TIED[0])
    shown = rows(browser.get("/contests/golden-nugget?find=ADA").html)
    assert [row[:2] for row in shown] == [["3", "Ada"], ["1", "Adam"]]
    assert "Nobody on the board is called like that." in browser.get("/contests/golden-nugget?find=Eve").text
    assert browser.get("/contests/golden-nugget?find=%00").status == 200


def test_somebody_is_shown_with_the_neighbours(
    app: Flask, contest: Contest, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(app, Ada=POOR, Bob=BEST, Cleo=TIED[0], Dan=TIED[1])
    monkeypatch.setattr(pages, "NEIGHBOURS", 1)
    shown = rows(browser.get("/contests/golden-nugget?around=Cleo").html)
    assert [row[:2] for row in shown] == [["1", "Bob"], ["2shared", "Cleo"], ["2shared", "Dan"]]


def test_nobody_on_the_board_makes_no_chart(contest: Contest, browser: Browser) -> None:
    assert 'class="chart"' not in browser.get("/contests/golden-nugget").html


def test_charts_that_took_long_are_kept_for_a_while(
    app: Flask, contest: Contest, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Made in a second, they are good for twenty, unless what they show is no longer true."""
    times = iter([0, 1, 20, 22, 23, 24, 25])
    monkeypatch.setattr(pages, "monotonic", lambda: next(times))

    def told() -> bool:
        return "The best mean fell from" in browser.get("/contests/golden-nugget").html

    assert not told()
    fill(app, Ada=POOR, Bob=BEST)
    assert not told()
    assert told()
    with transaction() as conn:
        [first] = board.page(conn, contest, 1).standings
        eve = contestants.register(conn, "Eve")[0]
        organising.disqualify(conn, first.submission, eve, "not their own")
    assert not told()


def test_the_charts_tell_how_the_best_mean_fell_and_how_means_spread(
    app: Flask, contest: Contest, browser: Browser
) -> None:
    fill(app, Ada=POOR, Cleo=TIED[0], Dan=TIED[1], Bob=BEST)
    page = browser.get("/contests/golden-nugget")
    assert "The best mean fell from 90.3000 to 18.7500." in page.html
    progress, spread = re.findall(r"<details.*?</details>", page.html, re.DOTALL)
    assert [read(cell) for cell in re.findall(r'<td class="number">(.*?)</td>', progress)] == [
        "903/10",
        "581/20",
        "75/4",
    ]
    assert read(spread).endswith("from 18 to below 191from 29 to below 302from 90 to below 911")


@pytest.mark.parametrize(
    ("records", "told"),
    [
        ({"Ada": "best-20-short.txt", "Bob": "best-200-full.txt"}, "289 20 < 375 20 = 75 4"),
        ({"Ada": "tie-mean-40-boards.txt", "Bob": "tie-mean-20-boards.txt"}, "more boards decide: 40 against 20"),
        (
            {"Ada": "tie-last-board-longer.txt", "Bob": "tie-last-board-shorter.txt"},
            "Board 20 is the first from the end that differs: 22 moves against 26.",
        ),
        ({"Ada": "tie-true-other-moves.txt", "Bob": "tie-deep-first.txt"}, "a true tie"),
    ],
)
def test_why_one_is_above_the_other(
    app: Flask, contest: Contest, browser: Browser, records: dict[str, str], told: str
) -> None:
    fill(app, **{name: (CASES / "valid" / file).read_text() for name, file in records.items()})
    page = browser.get("/contests/golden-nugget/compare?a=Ada&b=bob")
    assert told in " ".join(read(page.html.replace("<", " <")).replace(" / ", " ").split())
    assert browser.get("/contests/golden-nugget/compare?a=Bob&b=Ada").text.count(told.rpartition(" ")[2])


def test_who_is_not_on_the_board_cannot_be_compared(app: Flask, contest: Contest, ada: Browser) -> None:
    fill(app, Bob=BEST)
    page = ada.get("/contests/golden-nugget/compare?a=Ada&b=Bob")
    assert page.status == 200
    assert "Ada is not on the board." in page.text
    assert ada.get("/contests/golden-nugget/compare").status == 200


def test_a_contest_of_another_puzzle_has_its_own_columns_and_shows_its_setups(app: Flask, ada: Browser) -> None:
    new_contest(slug="maze", puzzle="maze", setups=["deal: 1", "deal: 2"])
    ada.upload((CASES.parent / "maze" / "valid" / "deal1-a.txt").read_text(), "maze")
    drain()
    page = ada.get("/contests/maze?setup=1")
    (row,) = rows(page.html)
    assert row[:2] == ["1", "Ada"]
    assert [part.partition(":")[0] for part in row[2:5]] == ["Points", "Moves", "Solved"]
    assert page.html.count("<figure") == 2
    assert "Nobody is on the board yet." in ada.get("/contests/maze?setup=2").text
    assert ada.get("/contests/maze?setup=3").status == 404
    assert rows(ada.get("/contests/maze").html)[0][1] == "Ada"
