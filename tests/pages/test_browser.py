"""The pages in a real Chromium, with and without JavaScript: what is live, what is narrow or dark, what is accessible.

Without Chromium on the machine these tests are skipped.
"""

import json
import re
import shutil
from collections.abc import Callable, Iterator
from typing import Any
from urllib.request import Request, urlopen

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from leaderboard import contestants, contests, db, notices, queue, reverification, submissions
from leaderboard.queue import Done
from leaderboard.settings import Settings
from tests.api.conftest import CASES, Web, drain, new_contest, serve
from tests.conftest import Servers, database
from verifier import Rejected, Verdict, verify

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
"""Chromium as root, and asking nobody outside."""

expect.set_options(timeout=30_000)

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="no Chromium on this machine")

BEST, POOR, DEAD = (
    CASES / name for name in ("valid/best-20-short.txt", "valid/poor-20.txt", "invalid/dead-push-line.txt")
)
PHONE, DESKTOP = {"width": 390, "height": 844}, {"width": 1280, "height": 900}


@pytest.fixture(scope="module")
def site(servers: Servers, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    """The real web server with an open contest and three contestants, of whom two tie."""
    for _, url in database(servers, template):
        settings = Settings(url, servers.redis_url, "a key for tests " * 4, web_threads=8, rate_limits=0)
        db.open_pool(settings)
        new_contest(titles={"en": "Winter", "pl": "Zima"})
        for web in serve(settings, tmp_path_factory.mktemp("web")):
            for name, record in (("Ada", POOR), ("Bob", "tie-deep-first.txt"), ("Cleo", "tie-true-other-moves.txt")):
                hand_in(web, name, (CASES / "valid" / record).read_bytes())
            yield web
        db.close_pool()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield browser
        browser.close()


Open = Callable[..., Page]


@pytest.fixture
def open_page(chromium: Browser, site: Web) -> Iterator[Open]:
    """Opens a window of its own; at the end nobody may have complained on the console."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def window(path: str = "/", **options: object) -> Page:
        stated = {"locale": "en-GB", "viewport": DESKTOP, "base_url": site.url} | options
        context = chromium.new_context(**stated)  # type: ignore[arg-type]
        context.set_default_timeout(30_000)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(path)
        return page

    yield window
    for context in contexts:
        context.close()
    # Pages that are not there, and event streams for which no thread is free, are meant to be.
    assert not [text for text in complaints if not re.search("status of (404|503)", text)]


def hand_in(web: Web, name: str, record: bytes) -> None:
    """Register, upload and get the verdict, by another client."""
    token = post(f"{web.url}/api/v1/contestants", json.dumps({"name": name}).encode(), "application/json")["token"]
    post(f"{web.url}/api/v1/contests/golden-nugget/submissions", record, "text/plain", token)
    drain()


def post(url: str, body: bytes, media_type: str, token: str = "") -> dict[str, str]:
    request = Request(url, body, {"Content-Type": media_type, "Authorization": f"Bearer {token}"})
    if not token:
        request.remove_header("Authorization")
    with urlopen(request, timeout=60) as answer:
        found: dict[str, str] = json.load(answer)
    return found


def join(page: Page, name: str) -> None:
    page.goto("/register")
    page.get_by_label("Name").fill(name)
    page.locator("main").get_by_role("button", name="Register").click()
    expect(page.locator("h1")).to_have_text(f"Welcome, {name}")


def expect_in_sight(page: Page, within: str) -> None:
    """The marked token of the record's lines is to be seen, or soon will be, however long the lines are."""
    page.wait_for_function(
        """(within) => {
            const [mark, lines] = ["mark", "pre"].map(
                (tag) => document.querySelector(`${within} ${tag}`)?.getBoundingClientRect());
            return mark && lines.left <= mark.left && mark.width > 0 && mark.right <= lines.right;
        }""",
        arg=within,
    )


def mark_window(page: Page) -> None:
    """A mark that a reload would wipe out."""
    page.evaluate("window.stayed = true")


def stayed(page: Page) -> bool:
    return bool(page.evaluate("window.stayed === true"))


def test_register_upload_watch_the_verdict_arrive_and_see_the_rank(open_page: Open) -> None:
    page = open_page()
    join(page, "Dan")
    page.get_by_role("link", name="Go on").click()
    page.get_by_role("link", name="See the leaderboard").click()
    page.get_by_role("link", name="Upload a record").click()
    page.get_by_role("link", name="try this example").click()
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_role("heading", name="In the queue")).to_be_visible()
    mark_window(page)
    drain()
    expect(page.get_by_role("heading", name="Accepted")).to_be_visible()
    expect(page.locator("#submission")).to_contain_text("It stands at rank 1 of the leaderboard.")
    assert stayed(page)
    page.get_by_role("link", name="Winter").click()
    expect(page.get_by_role("row", name="1 Dan")).to_contain_text("18.7500")


def test_without_javascript_too(open_page: Open) -> None:
    page = open_page(java_script_enabled=False)
    join(page, "Eve")
    page.goto("/contests/golden-nugget/submit")
    page.get_by_label("A file").set_input_files(POOR)
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_role("heading", name="In the queue")).to_be_visible()
    drain()
    expect(page.get_by_role("heading", name="Accepted")).to_be_visible()  # the page asks again by itself
    page.get_by_role("link", name="Winter").click()
    expect(page.get_by_role("row").filter(has_text="Eve")).to_contain_text("903/10")


@pytest.mark.parametrize("java_script", [True, False])
def test_the_dry_run_shows_the_token_and_the_square(open_page: Open, java_script: bool) -> None:
    page = open_page("/verify", java_script_enabled=java_script)
    page.get_by_label("or the record itself").fill(DEAD.read_text())
    page.get_by_role("button", name="Check").click()
    said = page.locator(".tried summary")
    expect(said).to_contain_text("moves no coloured block")
    found = re.search(r"line (\d+), column (\d+): “(\w+)”", said.inner_text())
    assert found
    line, column, token = int(found[1]), int(found[2]), found[3]
    assert DEAD.read_text().split("\n")[line - 1][column - 1 :].upper().startswith(token)
    expect(page.locator(".tried mark")).to_have_text(re.compile(f"^{token}$", re.IGNORECASE))
    arrow = page.locator(".tried .m-rim")
    expect(arrow).to_have_text(token[0])
    where = arrow.bounding_box()
    table = page.locator(".tried .p-table").bounding_box()
    assert where
    assert table
    side = ("top", "right", "bottom", "left")["1234567ABCDEFGHIJKLMNOPQRSTU".index(token[0]) // 7]
    right, down = where["x"] - table["x"] - table["width"] / 2, where["y"] - table["y"] - table["height"] / 2
    across = abs(right) > abs(down)
    assert side == ("right" if right > 0 else "left") if across else ("bottom" if down > 0 else "top")


def test_on_a_phone_the_token_at_fault_is_in_sight(open_page: Open) -> None:
    page = open_page("/verify", viewport=PHONE)
    page.get_by_label("or the record itself").fill(DEAD.read_text())
    page.get_by_role("button", name="Check", exact=True).click()
    expect_in_sight(page, ".tried")


def test_several_files_have_their_answers_one_by_one(open_page: Open) -> None:
    page = open_page("/verify")
    mark_window(page)
    page.get_by_label("Files").set_input_files([BEST, DEAD, POOR])
    page.get_by_role("button", name="Check").click()
    expect(page.locator(".tried")).to_have_count(3)
    expect(page.locator(".tried .pill")).to_have_text(["accepted", "rejected", "accepted"])
    assert stayed(page)


def test_the_leaderboard_moves_while_others_upload(open_page: Open, site: Web) -> None:
    page = open_page("/contests/golden-nugget")
    expect(page.locator("#board tbody tr").first).to_be_visible()
    mark_window(page)
    hand_in(site, "Fay", (CASES / "valid" / "best-200-full.txt").read_bytes())
    expect(page.locator("#board tbody tr").first).to_contain_text("Fay")
    expect(page.locator("#live-state")).to_have_text("The board has changed.")
    assert stayed(page)


def test_the_leaderboard_moves_also_where_no_stream_is_free(open_page: Open, site: Web) -> None:
    pages = [open_page("/contests/golden-nugget") for _ in range(3)]  # of eight threads two may stream
    hand_in(site, "Gus", POOR.read_bytes())
    for page in pages:
        expect(page.locator("#board tbody")).to_contain_text("Gus")


def test_english_and_polish(open_page: Open) -> None:
    page = open_page("/contests/golden-nugget", locale="pl-PL")
    expect(page.locator("html")).to_have_attribute("lang", "pl")
    expect(page.locator("h1")).to_have_text("Zima")
    expect(page.locator("#board")).to_contain_text("29,0500")
    page.get_by_role("link", name="English").click()
    expect(page.locator("h1")).to_have_text("Winter")
    expect(page.locator("#board")).to_contain_text("29.0500")
    page.goto("/verify")
    page.get_by_label("or the record itself").fill(DEAD.read_text())
    page.get_by_role("link", name="Polski").click()
    page.get_by_label("albo sam zapis").fill(DEAD.read_text())
    page.get_by_role("button", name="Sprawdź").click()
    expect(page.locator(".tried summary")).to_contain_text("nie porusza żadnego kolorowego klocka")


def test_the_theme_follows_the_system_and_the_switch(open_page: Open) -> None:
    page = open_page("/", color_scheme="dark")
    assert lightness(page) < 0.2
    page.get_by_role("link", name="light").click()
    assert lightness(page) > 0.8
    page.get_by_role("link", name="dark").click()
    assert lightness(page) < 0.2
    assert lightness(open_page("/", color_scheme="light")) > 0.8


def lightness(page: Page) -> float:
    red, green, blue = map(
        int, re.findall(r"\d+", page.evaluate("getComputedStyle(document.body).backgroundColor"))[:3]
    )
    return (red + green + blue) / 765


def test_the_keyboard_is_enough(open_page: Open) -> None:
    page = open_page("/contests/golden-nugget")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="The rules")).to_be_focused()
    page.get_by_label("Find a contestant").focus()
    page.keyboard.type("bob")
    page.keyboard.press("Enter")
    expect(page.locator("#board tbody tr")).to_have_count(1)
    expect(page.locator("#board tbody tr")).to_contain_text("Bob")


def test_times_are_the_readers_own(open_page: Open) -> None:
    page = open_page("/contests/golden-nugget", timezone_id="Asia/Tokyo")
    shown = page.locator("#phase time")
    expect(shown).to_contain_text("UTC")
    expect(shown).to_contain_text("GMT+9")


@pytest.fixture(scope="module")
def visited(chromium: Browser, site: Web) -> Iterator[tuple[BrowserContext, list[str]]]:
    """Somebody signed in with a rejected, an accepted and a waiting submission, and the paths of all pages."""
    context = chromium.new_context(base_url=site.url, locale="en-GB", viewport=DESKTOP)  # type: ignore[arg-type]
    context.set_default_timeout(30_000)
    page = context.new_page()
    join(page, "Zoe")
    paths = []
    for record in (DEAD, BEST, CASES / "invalid" / "position-two-swapped.txt"):
        page.goto("/contests/golden-nugget/submit")
        page.get_by_label("A file").set_input_files(record)
        page.get_by_role("button", name="Upload").click()
        paths.append(page.url.removeprefix(site.url))
    drain()
    page.goto("/contests/golden-nugget/submit")
    page.get_by_label("A file").set_input_files(POOR)
    page.get_by_role("button", name="Upload").click()
    paths.append(page.url.removeprefix(site.url))
    page.close()
    yield (
        context,
        [
            *paths,
            *("/", "/contests/golden-nugget", "/contests/golden-nugget?around=Bob", "/contests/golden-nugget/submit"),
            *("/contests/golden-nugget/compare?a=Ada&b=Bob", "/me", "/contestants/Bob", "/puzzles", "/verify"),
            *("/compose/jc-golden-nugget", "/me/account", "/status"),
            *("/puzzles/jc-golden-nugget", "/puzzles/mad-chess", "/puzzles/maze", "/nowhere", "/api/v1/docs"),
        ],
    )
    context.close()


@pytest.fixture(scope="module")
def office(chromium: Browser, site: Web) -> Iterator[tuple[BrowserContext, list[str]]]:
    """An organiser with records that were verified again, and the paths of what only organisers see."""
    context = chromium.new_context(base_url=site.url, locale="en-GB", viewport=DESKTOP)  # type: ignore[arg-type]
    context.set_default_timeout(30_000)
    page = context.new_page()
    join(page, "Olga")
    page.close()
    second = new_contest(slug="second", titles={"en": "Second"})
    corrected = new_contest(slug="corrected", titles={"en": "Corrected"})
    with pytest.MonkeyPatch.context() as patch:  # an earlier version accepts what the running one will not
        patch.setattr(queue, "VERSION", "0")
        with db.transaction() as conn:
            for name, record in (("Ada", POOR), ("Bob", BEST)):
                who = contestants.by_name(conn, name)
                assert who
                submissions.add(conn, corrected.slug, who, record.read_bytes())
        drain()
    with db.transaction() as conn, pytest.MonkeyPatch.context() as patch:
        olga, contest = contestants.by_name(conn, "Olga"), contests.get(conn, "golden-nugget")
        assert olga
        assert contest
        contestants.set_role(conn, olga, "organiser")
        notices.post(conn, second, olga, {"en": "It **begins** soon."})
        patch.setattr(reverification, "VERSION", "2")
        reverification.create(conn, contest, olga, reverification.Filter())
        no = Verdict("jc-golden-nugget", error=Rejected("illegal-move", "Not by this version."))
        for row in reverification.claim(conn, 100):
            verdict = no if row.record == POOR.read_bytes() else verify(row.record)
            reverification.finish(conn, [Done(row, verdict, 1)])
    with db.transaction() as conn:
        reverification.create(conn, corrected, olga, reverification.Filter())
        for row in reverification.claim(conn, 100):
            verdict = no if row.record == BEST.read_bytes() else verify(row.record)
            reverification.finish(conn, [Done(row, verdict, 1)])
    yield (
        context,
        [
            *("/organise", "/organise/golden-nugget", "/organise/golden-nugget/submissions", "/organise/second"),
            "/organise/golden-nugget/submissions?state=rejected&contestant=Nobody",
            *(f"/contests/{slug}/reverification" for slug in ("golden-nugget", "second", "corrected")),
            *("/contests/second", "/contests/golden-nugget", "/status"),
        ],
    )
    context.close()


RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
COLOURS = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}
"""What depends on the theme."""
GUESTS = ["/register", "/sign-in", "/", "/contests/golden-nugget"]


@pytest.fixture
def pages_of(
    request: pytest.FixtureRequest, chromium: Browser, site: Web
) -> Iterator[tuple[BrowserContext, list[str]]]:
    """A browser of `visitors`, `organisers` or `guests`, and the paths of the pages that they see."""
    if request.param == "guests":
        context = chromium.new_context(base_url=site.url, locale="en-GB")
        context.set_default_timeout(30_000)
        yield context, GUESTS
        context.close()
    else:
        yield request.getfixturevalue("visited" if request.param == "visitors" else "office")


def width_of(page: Page) -> int:
    """How wide the page is, in pixels; in bounded time, as Playwright waits for a plain evaluation for ever."""
    found: int = page.wait_for_function("document.documentElement.scrollWidth").json_value()
    return found


def complaints_of_axe(window: Page, rules: dict[str, Any] | None = None) -> list[dict[str, Any]]:
    """What axe finds on the page, all details open; in bounded time, as Playwright waits for a promise for ever."""
    for _ in range(2):
        window.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
        window.evaluate(Axe().axe_script)
        found: list[dict[str, Any]] | None = window.evaluate(
            """rules => Promise.race([
                axe.run({runOnly: rules}).then(results => results.violations),
                new Promise(done => setTimeout(done, 20_000, null)),
            ])""",
            rules or RULES,
        )
        if found is not None:
            return found
        window.reload()
    pytest.fail(f"axe gives no answer on {window.url}")


@pytest.mark.timeout(300)  # thirty pages
@pytest.mark.parametrize("pages_of", ["visitors", "organisers", "guests"], indirect=True)
def test_axe_finds_nothing_in_either_theme_and_a_phone_never_scrolls_sideways(
    pages_of: tuple[BrowserContext, list[str]],
) -> None:
    context, paths = pages_of
    page = context.new_page()
    page.emulate_media(reduced_motion="reduce")
    found: dict[str, Any] = {}
    for path in paths:
        page.set_viewport_size(DESKTOP)  # type: ignore[arg-type]
        page.emulate_media(color_scheme="light")
        answer = page.goto(path)
        assert answer
        assert answer.ok or path == "/nowhere", path
        violations = complaints_of_axe(page)
        page.emulate_media(color_scheme="dark")
        violations += complaints_of_axe(page, COLOURS)
        if violations:
            found[path] = [
                (each["id"], each["nodes"][0]["html"], each["nodes"][0]["failureSummary"]) for each in violations
            ]
        page.set_viewport_size(PHONE)  # type: ignore[arg-type]
        if (width := width_of(page)) > PHONE["width"]:
            found[f"{path} on a phone"] = width
    page.close()
    assert not found
