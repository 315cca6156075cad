"""What organisers tell and do, as everybody reads it on a contest's page: description, notices, the public log."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from markdown_it import MarkdownIt
from markupsafe import Markup

from api import i18n
from api.i18n import _
from api.pages.base import bp
from leaderboard.audit import Entry

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flask.sansio.blueprints import BlueprintSetupState

    from leaderboard.audit import PublicEntry


@bp.record_once
def names(state: BlueprintSetupState) -> None:
    """What the templates call."""
    state.app.jinja_env.globals |= {"told": told, "deed": deed, "moved": moved}


class Told(NamedTuple):
    """A text of organisers as HTML, and the language that it is in."""

    html: Markup
    language: str


def told(texts: Mapping[str, str]) -> Told | None:
    """The text in the reader's language, else in English, else in any; None where there is none."""
    code = next((code for code in (i18n.language(), "en", *texts) if code in texts), None)
    return Told(_html(texts[code]), code) if code else None


@lru_cache(maxsize=256)
def _html(text: str) -> Markup:
    """Markdown with neither raw HTML nor headings, which are the page's, nor pictures from elsewhere."""
    markdown = MarkdownIt("commonmark", {"html": False}).disable(["image", "heading", "lheading"])
    return Markup(markdown.render(text).replace("<pre>", '<pre tabindex="0">'))  # noqa: S704 - it escapes all HTML


def deed(entry: PublicEntry | Entry) -> str:
    """What was done, in words."""
    name = entry.whom or "?"
    return {
        "create": _("The contest was announced."),
        "reschedule": _("The times were changed."),
        "extend": _("The deadline was moved back."),
        "freeze": _("The board was frozen."),
        "close": _("The contest was closed."),
        "publish": _("The records were published."),
        "disqualify": _("A submission of {name} was disqualified.", name=name),
        "reinstate": _("A submission of {name} was reinstated.", name=name),
        "requeue": _("A submission of {name} that had failed was queued again.", name=name),
        "hide": _("The name of {name} was hidden.", name=name)
        if isinstance(entry, Entry)
        else _("A name was hidden; the public reads {name}.", name=name),
        "unhide": _("The name of {name} is shown again.", name=name),
        "uphold": _("A match that {name} handed in was upheld.", name=name),
        "void": _("A match that {name} handed in was declared void.", name=name),
        "invite": _("{name} was invited.", name=name),
        "uninvite": _("The invitation of {name} was withdrawn.", name=name),
        "reverify-apply": _("Submissions were verified again."),
        "notice": _("A notice was posted."),
        "notice-edited": _("A notice was edited."),
        "notice-taken-back": _("A notice was taken back."),
    }.get(entry.action, entry.action)


def moved(entry: PublicEntry | Entry) -> list[tuple[str, datetime | None, datetime | None]]:
    """The times that were changed: which, from when, to when."""
    words = {
        "opens_at": _("opens"),
        "freezes_at": _("freezes"),
        "closes_at": _("closes"),
        "publishes_at": _("publishes records"),
    }
    return [
        (words[name], _time(entry.detail[name][0]), _time(entry.detail[name][1]))
        for name in words
        if name in entry.detail
    ]


def _time(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
