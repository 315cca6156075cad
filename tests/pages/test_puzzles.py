"""Every puzzle and game has its rules told, a record that is accepted, and a picture."""

import pytest

from api.pages.examples import example
from api.pages.puzzles import RULES_TOLD
from tests.pages.conftest import Browser
from verifier import RULES, verify


@pytest.mark.parametrize("puzzle_id", RULES)
def test_the_example_is_accepted(puzzle_id: str) -> None:
    verdict = verify(example(puzzle_id).encode())
    assert verdict.puzzle == puzzle_id
    assert verdict.accepted


@pytest.mark.parametrize("puzzle_id", RULES)
def test_the_page_tells_the_rules(browser: Browser, puzzle_id: str) -> None:
    page = browser.get(f"/puzzles/{puzzle_id}")
    assert page.status == 200
    assert "<h2>" in page.html
    assert "How it ends" in page.text
    assert "<svg viewBox" in page.html


def test_the_list_names_them_all(browser: Browser) -> None:
    html = browser.get("/puzzles").html
    assert all(f'href="/puzzles/{puzzle_id}"' in html for puzzle_id in RULES)


def test_rules_are_told_for_nothing_else() -> None:
    assert {path.stem for path in RULES_TOLD.rglob("*.md")} <= set(RULES)


def test_the_rules_are_told_in_polish(browser: Browser) -> None:
    page = browser.get("/puzzles/jc-golden-nugget", **{"Accept-Language": "pl"})
    assert "Pchnięcie wyjmuje z linii biały klocek" in page.text
    assert "Miejsca 54 i 1 nie sąsiadują" in browser.get("/puzzles/maze", **{"Accept-Language": "pl"}).text


def test_an_unknown_one_is_not_found(browser: Browser) -> None:
    assert browser.get("/puzzles/chess").status == 404
