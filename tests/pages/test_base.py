"""What holds for every page: no inline code, the switches, static files that may be kept."""

import re

import pytest
from flask import Flask

from leaderboard.contests import Contest
from tests.api.conftest import CASES, drain
from tests.pages.conftest import Browser

PATHS = [
    "/",
    "/register",
    "/sign-in",
    "/me",
    "/contests/golden-nugget",
    "/contests/golden-nugget/submit",
    "/nowhere",
    "/verify",
    "/puzzles",
    "/puzzles/jc-golden-nugget",
    "/contestants/Ada",
    "/contests/golden-nugget/compare?a=Ada&b=Ada",
]


@pytest.fixture
def pages(ada: Browser, contest: Contest) -> dict[str, str]:
    """The HTML of every page, as a contestant sees it."""
    bad = ada.upload((CASES / "invalid" / "dead-push-line.txt").read_text())
    good = ada.upload((CASES / "valid" / "poor-20.txt").read_text())
    drain()
    return {path: ada.get(path).html for path in (*PATHS, bad.path, good.path)}


def test_no_page_has_code_or_style_of_its_own(pages: dict[str, str]) -> None:
    for path, html in pages.items():
        assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son[a-z]+=|javascript:", html), path


def test_no_page_asks_another_host(pages: dict[str, str]) -> None:
    for path, html in pages.items():
        loaded = re.findall(r'<(?:script|img|link|iframe|source)[^>]*(?:src|href)="([^"]*)"', html)
        assert loaded, path
        assert all(target.startswith("/static/") for target in loaded), path


def test_every_page_has_one_heading_a_title_and_a_language(pages: dict[str, str]) -> None:
    for path, html in pages.items():
        assert len(re.findall("<h1", html)) == 1, path
        assert re.search(r"<title>[^<]+ · Golden Nugget</title>", html), path
        assert '<html lang="en"' in html, path


def test_the_theme_is_kept(app: Flask, browser: Browser) -> None:
    assert "data-theme" not in browser.get("/register").html
    assert browser.get("/theme/dark?next=/register").path == "/register"
    assert 'data-theme="dark"' in browser.get("/register").html
    browser.get("/theme/auto")
    assert "data-theme" not in browser.get("/register").html
    assert browser.get("/theme/pink").status == 404


def test_static_files_may_be_kept_as_long_as_their_address(app: Flask, browser: Browser) -> None:
    (style,) = re.findall(r'<link rel="stylesheet" href="([^"]*)"', browser.get("/register").html)
    with browser.client.get(style) as answer:
        assert answer.status_code == 200
        assert "immutable" in answer.headers["Cache-Control"]
    with browser.client.get("/static/golden-nugget.css") as answer:
        assert "immutable" not in answer.headers["Cache-Control"]
