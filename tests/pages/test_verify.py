"""The dry run as a page: several files, a line each; the place of an error; where an accepted record would stand."""

import base64
import io
import re
from html import unescape

from leaderboard.contests import Contest
from tests.api.conftest import CASES, drain
from tests.pages.conftest import Browser, Page

POOR = (CASES / "valid" / "poor-20.txt").read_bytes()
BEST = (CASES / "valid" / "best-20-short.txt").read_bytes()
DEAD = (CASES / "invalid" / "dead-push-line.txt").read_bytes()


def files(**named: bytes) -> list[tuple[io.BytesIO, str]]:
    return [(io.BytesIO(data), name) for name, data in named.items()]


def test_a_rejected_record_shows_token_and_square(browser: Browser, contest: Contest) -> None:
    page = browser.send("/verify", record=DEAD.decode())
    assert page.status == 200
    assert re.search(r"Board \d+, move \d+, line \d+, column \d+:", page.text)
    assert "<mark>" in page.html
    assert "m-arrow" in page.html
    assert DEAD.decode().split()[-1] in page.text.rpartition("try this example")[2]


def test_an_accepted_record_is_told_where_it_would_stand(ada: Browser, contest: Contest) -> None:
    ada.upload(BEST.decode())
    drain()
    page = ada.send("/verify", record=POOR.decode())
    assert "In Winter it would stand at rank 2; 1 are on the board now." in page.text
    assert "rank 1;" in ada.send("/verify", record=BEST.decode()).text


def test_a_record_that_is_not_stored_is_watched_move_by_move(browser: Browser) -> None:
    """By the form alone: where it breaks, then one back, to a move of another board; its very bytes go along."""
    found = browser.send("/verify", file=files(dead=DEAD))
    assert "Watch it where it breaks" in found.text
    error = re.search(r"Board (\d+), move (\d+), line (\d+), column (\d+):", found.text)
    assert error
    fields = dict(
        re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)">', found.html.split("</details>")[0])
    )

    assert base64.urlsafe_b64decode(fields["record"]) == DEAD

    def watch(**more: str) -> Page:
        return browser._page(browser.client.post("/replay", data=fields | more, headers=browser.headers))

    page = watch()
    assert f"Board {error[1]}, move {error[2]} ·" in page.text
    assert "moves no coloured block" in page.text
    assert "<mark>" in page.html
    back = re.search(r'id="to-previous"[^>]* value="([^"]*)"', page.html)
    assert back
    page = watch(at=unescape(back[1]))
    assert f"Board {error[1]}, move {int(error[2]) - 1} ·" in page.text
    assert "moves no coloured block" not in page.text
    assert "Board 1, move 3 ·" in watch(board="1", move="3").text
    assert browser.get("/replay").path == "/verify"
    assert watch(record="§").status == 400
    composer = browser.client.post("/compose/jc-golden-nugget", data=fields, headers=browser.headers)
    assert f'data-carried="{fields["record"]}"' in composer.text
    unreadable = browser.send("/verify", record="no record")
    assert "Watch it" not in unreadable.text


def test_several_files_get_a_line_each(browser: Browser, contest: Contest) -> None:
    page = browser.send("/verify", file=files(poor=POOR, dead=DEAD, empty=b""))
    lines = re.findall(r"<summary>(.*?)</summary>", page.html, re.DOTALL)
    assert len(lines) == 3
    assert ["accepted" in line for line in lines] == [True, False, False]
    assert ["poor" in lines[0], "dead" in lines[1], "empty" in lines[2]] == [True, True, True]


def test_too_many_or_none_are_refused(browser: Browser, contest: Contest) -> None:
    assert browser.send("/verify", record=" ").status == 422
    assert browser.send("/verify", file=files(**{f"f{n}": b"x" for n in range(21)})).status == 422


def test_nothing_is_stored(ada: Browser, contest: Contest) -> None:
    ada.send("/verify", record=POOR.decode())
    assert "not uploaded anything yet" in ada.get("/me").text


def test_the_verdict_is_told_in_polish(browser: Browser, contest: Contest) -> None:
    browser.headers["Accept-Language"] = "pl"
    assert re.search(r"Plansza \d+, ruch \d+", browser.send("/verify", record=DEAD.decode()).text)
