"""Makes the README's pictures: starts the demo, opens it in Chromium, and looks.

`.venv/bin/python docs/pictures.py`, after `make venv`, where Chromium is installed.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

HERE = Path(__file__).parent
FAULTY = HERE.parent / "tests/cases/jc-golden-nugget/invalid/dead-push-line.txt"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def leaderboard(page: Page) -> None:
    """The first places, when the demo's records have their verdicts."""
    page.goto("/contests/golden-nugget")
    expect(page.locator("#figures")).to_contain_text("14.4500", timeout=30_000)
    page.reload()
    page.screenshot(path=HERE / "leaderboard.png")


def rejected(page: Page) -> None:
    """A push that moves no coloured block: the place in the record, and the board before it."""
    page.goto("/register")
    page.get_by_label("Name").fill("Visitor")
    page.locator("main").get_by_role("button", name="Register").click()
    page.goto("/contests/golden-nugget/submit")
    page.get_by_label("A file").set_input_files(FAULTY)
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_role("heading", name="Rejected")).to_be_visible(timeout=30_000)
    page.screenshot(path=HERE / "rejected.png")


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="gn-pictures-") as folder:
        Path(folder).chmod(0o711)  # as root the servers run as nobody
        command = [sys.executable, "-m", "deploy.cli", "run", "--demo", "--data", f"{folder}/data", "--port", "0"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=HERE.parent) as service:
            assert service.stdout
            try:
                address = next(found[0] for line in service.stdout if (found := re.search(r"http://[\d.:]+", line)))
                with sync_playwright() as playwright:
                    browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
                    page = browser.new_page(base_url=address, viewport={"width": 1280, "height": 1000}, locale="en-GB")
                    leaderboard(page)
                    rejected(page)
                    browser.close()
            finally:
                service.terminate()
                service.communicate()


if __name__ == "__main__":
    main()
