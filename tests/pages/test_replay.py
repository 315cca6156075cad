"""The replay viewer: every puzzle and game forth and back, by keys, by address, with and without JavaScript."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from flask import Flask
from playwright.sync_api import Page, expect

from leaderboard.contests import Contest
from leaderboard.db import transaction
from tests.api.conftest import CASES, Web, drain
from tests.pages.conftest import Browser
from tests.pages.test_browser import (  # noqa: F401 - fixtures
    CHROMIUM,
    PHONE,
    Open,
    chromium,
    complaints_of_axe,
    expect_in_sight,
    open_page,
    site,
    width_of,
)
from verifier import RULES

BEST = (CASES / "valid" / "best-20-short.txt").read_text()
DEAD = (CASES / "invalid" / "dead-push-line.txt").read_text()
in_chromium = pytest.mark.skipif(not CHROMIUM, reason="no Chromium on this machine")


def at(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)


def shown(page: Page) -> tuple[str, str, str]:
    """The picture, the headline and the place in the record."""
    return tuple(page.locator(f"#{part}").inner_html() for part in ("stage", "now", "record"))  # type: ignore[return-value]


@in_chromium
@pytest.mark.parametrize("puzzle", RULES)
def test_each_steps_forth_and_back_to_equal_pictures(open_page: Open, site: Web, puzzle: str) -> None:  # noqa: F811
    page = open_page(f"/puzzles/{puzzle}/replay")
    number, seen = page.locator("#move"), [shown(page)]
    for n in (1, 2, 3):
        page.get_by_role("link", name="One on").click()
        expect(number).to_have_value(str(n))
        seen.append(shown(page))
    assert len({picture for picture, _, _ in seen}) > 1
    for n in (2, 1, 0):
        page.get_by_role("link", name="One back").click()
        expect(number).to_have_value(str(n))
        assert shown(page) == seen[n], n  # the start is as the server has drawn it into the page


@in_chromium
def test_keys_slider_boards_and_what_is_announced(open_page: Open, site: Web) -> None:  # noqa: F811
    page = open_page("/puzzles/jc-golden-nugget/replay")
    said, number = page.locator("#said"), page.locator("#move")
    page.keyboard.press("ArrowRight")
    expect(number).to_have_value("1")
    expect(said).to_have_text(re.compile(r"^Board 1, move 1: U\. The push from U\. \d+, white comes to the front"))
    assert at(page) == {"board": ["1"], "move": ["1"]}
    expect(page.locator("#record mark")).to_have_text("U")
    page.keyboard.press("End")
    expect(number).to_have_value("38")
    page.keyboard.press("PageDown")
    expect(page.locator("#board")).to_have_value("2")
    expect(number).to_have_value("0")
    page.keyboard.press("PageUp")
    expect(page.locator("#board")).to_have_value("1")
    page.keyboard.press("Home")
    slider = page.get_by_role("slider", name="Position")
    slider.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(number).to_have_value("2")
    page.get_by_label("Speed").select_option(label="fast")
    page.locator("h1").click()
    page.keyboard.press("Space")
    expect(number).to_have_value(re.compile(r"^([7-9]|\d\d)$"), timeout=20_000)  # some later one
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    page.get_by_label("Board", exact=True).fill("20")
    page.get_by_role("button", name="Go there").click()
    expect(page.locator("#now")).to_contain_text("Board 20, at the start")
    page.reload()
    expect(page.locator("#now")).to_contain_text("Board 20, at the start")


@in_chromium
def test_the_line_of_a_json_record_is_in_sight(open_page: Open, site: Web) -> None:  # noqa: F811
    page = open_page("/verify", viewport=PHONE)
    record = CASES.parent / "piecepack-klondike/valid"
    page.get_by_label("Files").set_input_files(min(record.glob("*.json")))
    page.get_by_role("button", name="Check", exact=True).click()
    page.get_by_role("button", name="Watch it move by move").click()
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    for _ in range(4):  # faster than positions come
        page.keyboard.press("ArrowRight")
    expect(page.locator("#move")).to_have_value("4")
    expect_in_sight(page, "#record")
    expect(page.locator("#record")).to_contain_text(re.compile(r"Line \d+, column \d+ of the record\."))


@in_chromium
def test_what_each_player_saw(open_page: Open, site: Web) -> None:  # noqa: F811
    page = open_page("/puzzles/dark-knight-fight/replay?move=4")
    expect(page.locator("#stage svg")).to_have_count(3)
    page.get_by_role("link", name="As White (Ann) saw it").click()
    expect(page.locator("#stage svg")).to_have_count(1)
    hidden = page.locator("#stage .k-down")
    assert hidden.count() > 80
    page.keyboard.press("ArrowRight")
    expect(page.locator("#move")).to_have_value("5")
    expect(page.locator("#stage svg")).to_have_count(1)
    assert at(page) == {"move": ["5"], "seat": ["1"]}


@in_chromium
def test_without_javascript(open_page: Open, site: Web) -> None:  # noqa: F811
    page = open_page("/puzzles/mad-chess/replay", java_script_enabled=False)
    for n in (1, 2):
        page.get_by_role("link", name="One on").click()
        assert at(page) == {"step": [str(n)]}
    expect(page.locator("#now")).to_contain_text("Move 1 · White · pass")
    page.get_by_label("Step").fill("1")
    page.get_by_role("button", name="Go there").click()
    expect(page.locator("#now")).to_contain_text("44")
    page.get_by_role("link", name="To the end").click()
    expect(page.get_by_role("button", name="Play")).to_be_hidden()


@in_chromium
def test_a_record_that_is_not_stored_is_carried_along(open_page: Open, site: Web) -> None:  # noqa: F811
    page = open_page("/verify")
    page.get_by_label("or the record itself").fill(DEAD)
    page.get_by_role("button", name="Check").click()
    page.get_by_role("button", name="Watch it where it breaks").click()
    expect(page.locator("#now")).to_contain_text("moves no coloured block")
    faulty = shown(page)
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#now")).not_to_contain_text("moves no coloured block")
    page.keyboard.press("End")
    expect(page.locator("#now")).to_contain_text("moves no coloured block")
    assert shown(page) == faulty
    page.get_by_label("Board", exact=True).fill("1")
    page.keyboard.press("Enter")
    expect(page.locator("#now")).to_contain_text("Board 1, at the start")
    assert urlsplit(page.url).path == "/replay"
    assert not [(each["id"], each["nodes"][0]["html"]) for each in complaints_of_axe(page)]
    page.goto("/verify")
    page.get_by_label("or the record itself").fill(BEST)
    page.get_by_role("button", name="Check").click()
    page.get_by_role("button", name="Open it to play on").click()
    expect(page.locator("#said")).to_have_text("The record is opened. Boards: 20.")


@in_chromium
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_and_a_phone_does_not_scroll_sideways(open_page: Open, site: Web, theme: str) -> None:  # noqa: F811
    page = open_page("/puzzles", color_scheme=theme, reduced_motion="reduce")
    for path in ("jc-golden-nugget/replay?board=2&move=5", "admiral-battleboats/replay?move=3", "forky/replay?move=3"):
        page.goto(f"/puzzles/{path}")
        assert not [(each["id"], each["nodes"][0]["html"]) for each in complaints_of_axe(page)], path
        page.set_viewport_size(PHONE)  # type: ignore[arg-type]
        assert width_of(page) <= PHONE["width"], path


def test_a_rejected_record_opens_at_its_error_and_is_the_owners_alone(
    app: Flask, ada: Browser, browser: Browser, contest: Contest
) -> None:
    path = ada.upload(DEAD).path
    drain()
    assert f'href="{path}/replay"' in ada.get(path).html
    page = ada.get(f"{path}/replay")
    error = ada.client.get(f"/api/v1{path}").json["verdict"]["error"]
    assert f"Board {error['board']}, move {error['move']}" in page.text
    assert error["message"] in page.text
    before = ada.get(f"{path}/replay?board={error['board']}&move={error['move'] - 1}")
    assert error["message"] not in before.text
    assert browser.get(f"{path}/replay").status == 404
    with transaction() as conn:
        conn.execute("UPDATE contest SET closes_at = now(), publishes_at = now() WHERE id = %s", [contest.id])
    assert browser.get(f"{path}/replay").text.count(error["message"]) >= 1


@pytest.mark.parametrize(
    ("case", "opens_at", "watch"),
    [
        ("position-number-0.txt", "Board 4, move 43", True),
        ("position-huge.txt", "Board 5, move 34", True),
        ("json-position-48.json", "Board 3, move 38", True),
        ("position-two-swapped.txt", "Board 8, move 22", True),
        ("board-skips-one.txt", "Board 8, move ", False),
        ("json-board-key-unknown.json", "Board 2, move 32", False),
        ("nineteen-boards.txt", "Board 1, move 46", False),
        ("no-boards.json", None, False),
        ("no-header.txt", None, False),
    ],
)
def test_wherever_a_record_breaks_its_replay_says_so(
    app: Flask, ada: Browser, contest: Contest, case: str, opens_at: str | None, watch: bool
) -> None:
    path = ada.upload((CASES / "invalid" / case).read_bytes()).path
    drain()
    error = ada.client.get(f"/api/v1{path}").json["verdict"]["error"]
    assert (f'href="{path}/replay"' in ada.get(path).html) == watch
    page = ada.get(f"{path}/replay")
    assert page.text.count(error["message"]) >= 1
    assert opens_at is None or opens_at in page.text
    if watch:
        assert "The position that the moves lead to." in page.text
    if watch and "line" in error:
        assert f"Line {error['line']}, column {error['column']} of the record." in page.text


def test_an_address_that_makes_no_sense_is_none_of_ours(browser: Browser) -> None:
    for query in ("board=0", "board=x", "move=-1", "board=21", "step=1e3", "seat=99999999999"):
        assert browser.get(f"/puzzles/jc-golden-nugget/replay?{query}").status == 404, query
    assert "Move 7 " in browser.get("/puzzles/knight-fight/replay?move=900").text
    assert browser.get("/puzzles/nothing/replay").status == 404


def test_in_polish(browser: Browser) -> None:
    page = browser.get("/puzzles/forky/replay?move=3", **{"Accept-Language": "pl"})
    for words in ("Ruch 3", "Pociąg", "Na ruchu:", "Wymagana:"):
        assert words in page.text
    page = browser.get("/puzzles/dark-knight-fight/replay?move=3", **{"Accept-Language": "pl"})
    assert "Co widzą Białe" in page.text
