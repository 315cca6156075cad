"""The reader's language: catalogues, the choice between them, and verdict sentences in it.

Every visible text is written in English where it is used and looked up by `_` or `ngettext`. A further language is one
file `locale/<code>.po` and one entry of LANGUAGES; the files are read as they are, so there is no step of compiling.
Templates of verdicts (`Rejected(code, template)`) are messages like any other.
"""

from __future__ import annotations

import gettext
import io
from datetime import UTC
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from babel import Locale
from babel.dates import format_date, format_datetime
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from flask import g, has_request_context, request
from markupsafe import Markup, escape

from verifier.verdict import PLACES, WHERE

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

LANGUAGES = {"en": "English", "pl": "Polski"}
"""Codes and the names that their speakers use; the first is what everybody else gets."""
COOKIE = "language"
LOCALE = Path(__file__).parent / "locale"


PIECES = ("king", "queen", "rook", "bishop", "knight", "pawn")
WORDS = (
    "the end of the record",
    "White",
    "Black",
    *PIECES,
    *(f"{side} {piece}" for side in ("white", "black") for piece in (*PIECES, "checker", "stone")),
    *("with the flag", "at home", "black hole"),
    *("Player 1", "Player 2", "South", "North"),
    *("open", "used", "erased", "hidden", "star", "the hole", "gap", "face down", "won", "sacrificed", "bust"),
    *("null", "ace", "suns", "moons", "crowns", "arms"),
    *(f"{ship}{more}" for ship in ("aircraft carrier", "submarine", "destroyer") for more in ("", " with the admiral")),
    *("hit", "sunk", "miss", "even", "odd"),
    "a layout",
    "`deal:` or `seed:` or `layout:`",
    "`deal:` or `layout:`",
)
"""Words of ours among the values of templates and in pictures; a token of a record is always quoted."""


@cache
def catalogue(language: str) -> gettext.NullTranslations:
    """The messages of a language of LANGUAGES; English is what the sources say."""
    if language == "en":
        return gettext.NullTranslations()
    with (LOCALE / f"{language}.po").open("rb") as file:
        messages = read_po(file, locale=language)
    compiled = io.BytesIO()
    write_mo(compiled, messages)
    compiled.seek(0)
    return gettext.GNUTranslations(compiled)


def language() -> str:
    """What the reader chose by the switch, else what the browser asks for, else English."""
    if not has_request_context():
        return "en"
    if "language" not in g:
        chosen = request.cookies.get(COOKIE)
        asked = (tag.partition("-")[0].lower() for tag, quality in request.accept_languages if quality)
        g.language = chosen if chosen in LANGUAGES else next((code for code in asked if code in LANGUAGES), "en")
    return str(g.language)


def _(text: str, /, **values: object) -> str:
    """The text in the reader's language, `{name}` filled in; values that are markup make the whole markup."""
    return fill(catalogue(language()).gettext(text), values)


def ngettext(one: str, many: str, n: int, /, **values: object) -> str:
    """The form of the text that goes with n things; `{n}` is filled in with n."""
    return fill(catalogue(language()).ngettext(one, many, n), {"n": n, **values})


def fill(text: str, values: Mapping[str, object]) -> str:
    """`text` with its `{name}`s filled in. A text without values may hold braces."""
    if not values:
        return text
    if any(hasattr(value, "__html__") for value in values.values()):
        return Markup(escape(text)).format(**values)  # noqa: S704 - escaped here, and format escapes the values
    return text.format(**values)


def word(value: str) -> str:
    """One of WORDS in the reader's language; anything else as it is."""
    return catalogue(language()).gettext(value) if value in WORDS else value


def message(template: str, values: Mapping[str, Any]) -> str:
    """A template of the verifier's in the reader's language, filled in; what lists WORDS is translated word by word."""
    return catalogue(language()).gettext(template).format(**{key: listed(value) for key, value in values.items()})


def listed(value: Any) -> Any:
    """A value, or each of several with commas between them; what is quoted from a record stays."""
    if not isinstance(value, str) or value.startswith("“"):
        return value
    return ", ".join(map(word, value.split(", ")))


def sentence(detail: Mapping[str, Any], error: Mapping[str, Any]) -> str:
    """A verdict's sentence in the reader's language, as `Rejected.message` makes it in English.

    `detail` is the template and its values as stored with the verdict, `error` the verdict's own error with its places.
    """
    look_up = catalogue(language()).gettext
    where = ", ".join(look_up(WHERE[name]).format(n=error[name]) for name in PLACES if name in error)
    text = message(detail["template"], detail["values"])
    return f"{where[0].upper()}{where[1:]}: {text}" if where else text


def decimal(fraction: str, places: int = 4) -> str:
    """An exact fraction (`"75/4"`, `"59"`) to some decimals, halves rounded up, with the language's decimal sign.

    Whole numbers all the way: no float ever holds a mean.
    """
    top, _slash, bottom = fraction.partition("/")
    n, d = int(top) * 10**places, int(bottom or 1)
    digits = str((2 * n + d) // (2 * d)).rjust(places + 1, "0")
    sign = Locale.parse(language()).number_symbols["latn"]["decimal"]
    return f"{digits[:-places]}{sign}{digits[-places:]}" if places else digits


def when(moment: datetime) -> str:
    """A moment as the language writes it, to the minute, in UTC; the page's script adds the reader's own time."""
    return format_datetime(moment, "d MMM y, HH:mm 'UTC'", tzinfo=None, locale=language())


def day(moment: datetime) -> str:
    """The day of a moment in UTC, short."""
    return format_date(moment.astimezone(UTC), "d MMM y", locale=language())
