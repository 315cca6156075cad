"""The composer in a real Chromium: a player who plays, goes back, branches, brings records in and hands one in.

Without Chromium on the machine these tests are skipped.
"""

import re
from base64 import b64encode
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from api import picture
from tests.api.conftest import CASES, drain
from tests.pages.test_browser import (
    BEST,
    CHROMIUM,
    DEAD,
    PHONE,
    Open,
    chromium,
    complaints_of_axe,
    open_page,
    site,
    width_of,
)
from verifier import verify

__all__ = ["chromium", "open_page", "site"]

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="no Chromium on this machine")

COMPOSER = "/compose/jc-golden-nugget"
FULL = CASES / "valid" / "full-20.txt"
"""Written as docs/FORMATS.md shows it."""


def first_boards(n: int) -> str:
    """The case's first boards, with all that stands before the next one's heading."""
    return FULL.read_text().split(f"\nboard {n + 1}\n")[0]


def first_moves() -> list[str]:
    """The moves of the case's first board, short."""
    return [move[0] for move in first_boards(1).split("board 1\n")[1].split("position")[0].split()]


def exported(page: Page) -> bytes:
    with page.expect_download() as found:
        page.get_by_role("button", name="Download").click()
    return Path(found.value.path()).read_bytes()


def shown(page: Page) -> list[str]:
    """The blocks as the board's table names them."""
    return page.locator("#rim td:not(thead td)").all_inner_texts()


def paste(page: Page, text: str) -> None:
    page.get_by_label("or the record itself").fill(text)
    page.get_by_role("button", name="Open", exact=True).click()


def place(page: Page, name: str) -> None:
    page.locator(f"[data-place='{name}']").click()


def test_play_by_mouse_and_export_what_the_case_has(open_page: Open) -> None:
    page = open_page(COMPOSER)
    for move in first_moves():
        place(page, move)
    expect(page.locator("#said")).to_contain_text("Board 1 is solved")
    expect(page.locator("#move")).to_have_text("Move 46 of 99")
    assert exported(page).decode() == first_boards(1)
    page.locator("#file").set_input_files(FULL)
    expect(page.locator("#total")).to_contain_text("Solved boards: 20. Moves: 577. Mean: 577/20 = 28.8500.")
    assert exported(page) == FULL.read_bytes()
    page.get_by_label("short notation").check()
    page.locator("#upto").fill("3")
    assert verify(exported(page)).to_json()["error"]["code"] == "too-few-boards"


def test_play_by_keys_turn_over_go_back_branch_return_and_find_it_all_again(open_page: Open) -> None:
    page = open_page(COMPOSER)
    page.locator("[data-place='1']").focus()
    for move in first_moves():
        page.keyboard.press(move.lower())
    expect(page.get_by_role("button", name="Turn over")).to_be_visible()
    assert exported(page).decode() == first_boards(1)
    page.locator("[data-place='1']").focus()
    page.keyboard.press("w")
    expect(page.locator("#where")).to_have_text("Board 2, side B")
    page.keyboard.press("n")
    page.keyboard.press("ArrowRight")
    expect(page.locator("[data-place='2']")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(page.locator("[data-place='M']")).to_be_focused()
    expect(page.locator(".block.leaning")).not_to_have_count(0)
    page.keyboard.press("Control+z")
    expect(page.locator("#move")).to_have_text("Move 0 of 99")
    page.keyboard.press("y")
    expect(page.locator("#move")).to_have_text("Move 1 of 99")
    there = shown(page)

    page.get_by_role("button", name=re.compile("Board 1, solved")).click()
    page.get_by_role("button", name="Undo").click()
    last = first_moves()[-1]
    other = page.locator(f".place:not(.illegal):not([data-place='{last}'])").first
    other.click()
    expect(page.locator("#said")).to_contain_text("up to board 2, is kept under Other lines")
    expect(page.locator("#boards button")).to_have_count(1)
    branch = shown(page)
    page.reload()
    assert shown(page) == branch
    page.get_by_role("button", name=re.compile("^Forget")).click()
    expect(page.locator("#lines li")).to_have_count(0)
    page.get_by_role("button", name="Bring the forgotten line back").click()
    page.get_by_role("button", name=re.compile("^Go there: Up to board 2")).click()
    assert shown(page) == there
    expect(page.locator("#boards button")).to_have_count(2)
    page.reload()
    assert shown(page) == there
    expect(page.locator("#lines li")).to_have_count(1)


def test_a_rejected_record_opens_at_its_failing_move(open_page: Open) -> None:
    page = open_page(COMPOSER)
    page.locator("#file").set_input_files(DEAD)
    expect(page.locator("#fault")).to_contain_text(
        "Board 13, move 19, line 150, column 46: Only white blocks would move"
    )
    expect(page.locator("#where")).to_have_text("Board 13, side A")
    expect(page.locator("#move")).to_have_text("Move 18 of 99")
    expect(page.locator(".place.fault")).to_have_attribute("data-place", "G")
    draw = verify(DEAD.read_bytes()).view
    assert draw
    assert shown(page) == [picture.said(cell) for row in draw().panels[0].rows for cell in row]
    place(page, "G")
    expect(page.locator("#said")).to_contain_text("G: left along row 7. Only white blocks would move")
    paste(page, first_boards(2).replace("position", "positions", 1))
    expect(page.locator("#fault")).to_contain_text("Board 1, move 47")
    expect(page.locator("#where")).to_have_text("Board 1, side A")


def test_what_stands_behind_the_fault_is_taken_over(open_page: Open) -> None:
    page = open_page(COMPOSER)
    paste(page, first_boards(2).replace("board 1\nN6", "board 1\nN6 X9"))
    expect(page.locator("#fault")).to_contain_text("Board 1, move 2")
    expect(page.locator("#rest-told")).to_contain_text("Behind the fault stand more pushes, up to board 2")
    expect(page.locator("#rest-moves")).to_have_text(f"Board 1: {' '.join(first_moves()[1:])}")
    page.reload()
    page.get_by_role("button", name="Push what follows").click()
    expect(page.locator("#where")).to_have_text("Board 2, side B")
    expect(page.locator("#rest")).to_be_hidden()
    assert exported(page).decode() == first_boards(2)
    paste(page, first_boards(2).replace("board 1\n", "board 1\n1 "))  # one push too many, and all is otherwise
    page.get_by_role("button", name="Push what follows").click()
    expect(page.locator("#said")).to_contain_text("Pushed: ")
    page.get_by_role("button", name="Forget it").click()
    expect(page.locator("#rest")).to_be_hidden()


def test_an_untouched_record_is_written_byte_for_byte(open_page: Open) -> None:
    page = open_page(COMPOSER)
    differ = page.evaluate(
        """async records => {
            const { Opened } = await import("/static/compose-opened.js");
            const bytes = coded => Uint8Array.from(atob(coded), char => char.charCodeAt(0));
            const same = (a, b) => a.length === b.length && a.every((byte, at) => byte === b[at]);
            return Object.keys(records).filter(name => {
                const record = new Opened(bytes(records[name]));
                return !same(new TextEncoder().encode(record.write(record.boards)), bytes(records[name]));
            });
        }""",
        {path.name: b64encode(path.read_bytes()).decode() for path in (CASES / "valid").iterdir()},
    )
    assert differ == []
    record = CASES / "valid" / "mixed-37-comments.txt"
    page.locator("#file").set_input_files(record)
    expect(page.locator("#total")).to_contain_text("Solved boards: 37.")
    page.reload()
    assert exported(page) == record.read_bytes()
    last_move = page.locator("#moves button").last.inner_text()[0]
    page.get_by_role("button", name="Undo").click()
    page.locator(f".place:not(.illegal):not([data-place='{last_move}'])").first.click()
    page.locator("#unfinished").check()
    *kept, last = exported(page).decode().rpartition("board 37")
    assert record.read_text().startswith(kept[0])
    assert "#" in kept[0]
    assert "position" not in last
    page.get_by_label("short notation").check()
    assert "#" not in exported(page).decode()


def test_windows_do_not_destroy_each_other(open_page: Open) -> None:
    page = open_page(COMPOSER)
    other = page.context.new_page()
    other.goto(COMPOSER)
    place(page, "P")
    place(other, "5")
    place(page, "L")
    for window, moves in ((page, ["Start", "P7", "L6"]), (other, ["Start", "56"])):
        window.reload()
        expect(window.locator("#moves button")).to_have_text(moves)
        expect(window.locator("#lines li")).to_have_count(1)


def test_a_link_shares_a_position_and_nothing_else(open_page: Open) -> None:
    page = open_page(COMPOSER)
    for move in "P5L":
        place(page, move)
    link = page.locator("#share").get_attribute("href")
    assert link
    guest = open_page(COMPOSER + link)
    assert shown(guest) == shown(page)
    expect(guest.locator("#move")).to_have_text("Move 3 of 99")
    expect(guest.locator("#record-card")).to_be_hidden()
    place(guest, "4")
    guest.get_by_role("link", name="To my own boards").click()
    expect(guest.locator("#move")).to_have_text("Move 0 of 99")
    expect(guest.locator("#lines li")).to_have_count(0)


def test_sign_in_check_upload_and_see_the_rank(open_page: Open) -> None:
    page = open_page(f"{COMPOSER}?contest=golden-nugget")
    page.locator("#file").set_input_files(BEST)
    expect(page.locator("#total")).to_contain_text("Solved boards: 20.")
    page.locator("#record-card").get_by_role("link", name="register").click()
    page.get_by_label("Name").fill("Hal")
    page.locator("main").get_by_role("button", name="Register").click()
    page.get_by_role("link", name="Go on").click()
    expect(page.locator("#total")).to_contain_text("Mean: 75/4 = 18.7500.")
    page.get_by_role("button", name="Check it").click()
    expect(page.locator("#answer")).to_contain_text("The verifier accepts it. Boards: 20. Moves: 375. Mean: 75/4")
    page.get_by_role("button", name="Upload to Winter").click()
    expect(page.get_by_role("heading", name="In the queue")).to_be_visible()
    drain()
    expect(page.locator("#submission")).to_contain_text("It stands at rank 1 of the leaderboard.")
    page.goto("/contests/golden-nugget/submit")
    page.get_by_label("A file").set_input_files(DEAD)
    page.get_by_role("button", name="Upload").click()
    drain()
    page.get_by_role("link", name="Open it where it breaks, to play on").click()
    expect(page.locator("#fault")).to_contain_text("Board 13, move 19, line 150, column 46")
    expect(page).to_have_url(re.compile(f"{COMPOSER}$"))
    expect(page.locator("#lines li").first).to_contain_text("Mean 75/4")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_is_accessible_in_the_middle_of_play(open_page: Open, theme: str) -> None:
    page = open_page(COMPOSER, color_scheme=theme, viewport=PHONE, reduced_motion="reduce")
    page.locator("#file").set_input_files(DEAD)
    expect(page.locator("#fault")).to_be_visible()
    place(page, "H")
    expect(page.locator("#said")).to_have_class("refused")
    assert not complaints_of_axe(page)
    assert width_of(page) == PHONE["width"]


def test_without_javascript_it_says_where_else_to_go(open_page: Open) -> None:
    page = open_page(COMPOSER, java_script_enabled=False)
    expect(page.locator("#compose")).to_be_hidden()
    page.get_by_role("link", name="Upload to Winter").click()
    expect(page.locator("h1")).to_have_text("Upload a record")


def test_in_polish(open_page: Open) -> None:
    page = open_page(COMPOSER, locale="pl-PL")
    place(page, "P")
    expect(page.locator("#said")).to_have_text("P7: biały klocek 42 jest na początku. Ruch 1 z 99.")
