"""The pages on the test's own database, and somebody who fills in their forms."""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from leaderboard.contests import Contest
from tests.api.conftest import new_contest

PASSWORD = "correct horse"


@pytest.fixture
def contest(app: Flask) -> Contest:
    """The open contest golden-nugget."""
    return new_contest(titles={"en": "Winter", "pl": "Zima"})


@dataclass
class Page:
    """What came back: the status, the address it was found at, the HTML, and the text that a reader reads."""

    answer: TestResponse
    html: str = field(repr=False)
    text: str

    @property
    def status(self) -> int:
        return self.answer.status_code

    @property
    def path(self) -> str:
        return self.answer.request.path


@dataclass
class Browser:
    """Somebody with cookies who follows redirects and sends forms as they stand in the page."""

    client: FlaskClient
    headers: dict[str, str] = field(default_factory=lambda: {"Accept": "text/html"})

    def get(self, path: str, **headers: str) -> Page:
        answer = self.client.get(path, headers={**self.headers, **headers}, follow_redirects=True)
        return self._page(answer)

    def send(self, path: str, action: str | None = None, **fields: Any) -> Page:
        """Open the page, fill in its form (the one with that action) and send it; files are (bytes, name)."""
        page = self.get(path)
        forms = re.findall(r'<form[^>]*action="([^"]*)"[^>]*>(.*?)</form>', page.html, re.DOTALL)
        target, form = next((a, f) for a, f in forms if a == (action or path.partition("?")[0]))
        hidden = dict(re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)">', form))
        answer = self.client.post(target, data={**hidden, **fields}, headers=self.headers, follow_redirects=True)
        return self._page(answer)

    def register(self, name: str, password: str = "") -> str:
        """Join; answers with the token that is shown."""
        page = self.send("/register", name=name, password=password)
        assert page.status == 200, page.text
        found = re.search(r"gn_[A-Za-z0-9_-]{43}", page.text)
        assert found
        return found[0]

    def upload(self, text: str, slug: str = "golden-nugget") -> Page:
        return self.send(f"/contests/{slug}/submit", record=text)

    @staticmethod
    def _page(answer: TestResponse) -> Page:
        html = answer.text
        answer.close()
        return Page(answer, html, read(html))


def read(html: str) -> str:
    """The text of a page, runs of white space as one blank."""
    reader = _Reader()
    reader.feed(html)
    return " ".join("".join(reader.parts).split())


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []

    def handle_data(self, data: str) -> None:
        self.parts.append(data)


@pytest.fixture
def browser(app: Flask) -> Browser:
    """Somebody whom nobody knows."""
    return Browser(app.test_client())


@pytest.fixture
def ada(app: Flask) -> Browser:
    """A contestant, signed in."""
    browser = Browser(app.test_client())
    browser.register("Ada")
    return browser
