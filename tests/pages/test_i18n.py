"""Exact decimals, plural forms, the choice of a language; no message untranslated, unused or with other fields."""

import re
from collections.abc import Iterator
from fractions import Fraction
from string import Formatter

import pytest
from babel.messages.pofile import read_po
from flask import Flask
from hypothesis import given
from hypothesis import strategies as st

from api import i18n
from api.pages.puzzles import RULES_TOLD
from tests.pages.conftest import Browser
from tests.pages.messages import Message, wanted
from verifier import RULES

OTHERS = [code for code in i18n.LANGUAGES if code != "en"]


@pytest.fixture(scope="module", params=OTHERS)
def messages(request: pytest.FixtureRequest) -> Iterator[dict[Message, Message]]:
    """A catalogue: each message and its translation."""
    with (i18n.LOCALE / f"{request.param}.po").open("rb") as file:
        yield {message.id: message.string for message in read_po(file, locale=request.param) if message.id}


def test_every_message_is_translated(messages: dict[Message, Message]) -> None:
    missing = {where: message for message, where in wanted().items() if not forms(messages.get(message, ""))}
    assert not missing


def test_every_translation_is_used(messages: dict[Message, Message]) -> None:
    assert not messages.keys() - wanted().keys()


def test_translations_have_the_fields_of_their_messages(messages: dict[Message, Message]) -> None:
    for message, translation in messages.items():
        for form in forms(translation):
            assert fields(form) == fields(forms(message)[-1]), message


def forms(message: Message) -> list[str]:
    """The text, or the forms for different numbers; none where one is empty."""
    found = [message] if isinstance(message, str) else list(message)
    return found if all(found) else []


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


@pytest.mark.parametrize(
    ("fraction", "shown"),
    [
        ("75/4", "18.7500"),
        ("59", "59.0000"),
        ("2/3", "0.6667"),
        ("1/20000", "0.0001"),
        ("1/20001", "0.0000"),
        ("581/20", "29.0500"),
        ("199999/200000", "1.0000"),
    ],
)
def test_decimals(fraction: str, shown: str) -> None:
    assert i18n.decimal(fraction) == shown


@given(st.fractions(0, 100, max_denominator=10**6))
def test_decimals_are_never_more_than_half_a_unit_off(fraction: Fraction) -> None:
    assert abs(Fraction(i18n.decimal(str(fraction))) - fraction) <= Fraction(1, 20000)


def test_decimals_and_plural_forms_follow_the_language(app: Flask) -> None:
    with app.test_request_context(headers={"Accept-Language": "pl"}):
        assert i18n.decimal("75/4") == "18,7500"
        counted = [i18n.ngettext("{n} board", "{n} boards", n) for n in (1, 2, 5, 22)]
        assert counted == ["1 plansza", "2 plansze", "5 plansz", "22 plansze"]


@pytest.mark.parametrize(
    ("asked", "language"),
    [
        ("pl", "pl"),
        ("pl-PL,en;q=0.5", "pl"),
        ("de,pl;q=0.4", "pl"),
        ("de", "en"),
        ("en-GB,pl;q=0.9", "en"),
        ("", "en"),
        ("*", "en"),
    ],
)
def test_the_language_is_what_the_browser_asks_for(app: Flask, browser: Browser, asked: str, language: str) -> None:
    assert f'<html lang="{language}"' in browser.get("/register", **{"Accept-Language": asked}).html


def test_the_switch_goes_before_the_browser(app: Flask, browser: Browser) -> None:
    page = browser.get("/language/pl?next=/register", **{"Accept-Language": "en"})
    assert page.path == "/register"
    assert "Zarejestruj się" in page.text
    assert browser.get("/language/xx").status == 404


def test_values_that_are_markup_stay_so_and_the_others_are_escaped(app: Flask) -> None:
    from api.pages.base import link

    text = "To upload you need a name on the board: {register}, or {sign_in} if you have one."
    said = i18n._(text, register=link("/r", "<r>"), sign_in="<s>")
    assert '<a href="/r">&lt;r&gt;</a>' in said
    assert "&lt;s&gt;" in said


@pytest.mark.parametrize("puzzle", sorted(RULES))
def test_the_rules_are_told_whole_in_each_language(puzzle: str) -> None:
    """As many headings, points and rows, and the same codes and records: what a translation forgets shows here."""

    def shape(text: str) -> tuple[object, ...]:
        block = re.compile(r"(?ms)^```.*?^```")
        rest = block.sub("", text)
        lines = [line.lstrip()[:2] for line in rest.splitlines()]
        counts = [lines.count(sign) for sign in ("##", "- ", "1.", "2.", "| ")]
        return block.findall(text), set(re.findall(r"`[^`]+`", rest)), counts

    english = (RULES_TOLD / f"{puzzle}.md").read_text()
    for language in OTHERS:
        assert shape((RULES_TOLD / language / f"{puzzle}.md").read_text()) == shape(english)
