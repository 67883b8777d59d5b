"""Makes the pictures of docs/app.md from a running app, and of README.md from the example of a report.

``python docs/images/app.py`` with Playwright and Chromium. Each picture has a second one for dark pages, named -dark.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import sync_playwright

import veridag as vd

HERE = Path(__file__).parent
MINUTES = 60_000
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


def main() -> None:
    """Start a server, go through the steps, and keep what they look like; then the report."""
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder, "patients.csv")
        vd.networks.load("asia").sample(2000, seed=1).write(table)
        words = [sys.executable, "-m", "veridag.cli", "app", str(table), "--no-browser", "--folder", f"{folder}/all"]
        with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as server, sync_playwright() as playwright:
            try:
                assert server.stderr is not None
                address = next(found[0] for line in server.stderr if (found := re.search(r"http://\S+", line)))
                browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
                page = browser.new_page(viewport={"width": 1280, "height": 760})
                page.goto(address)
                go_through(page)
                page.goto(HERE.with_name("example-report.html").as_uri())
                page.wait_for_timeout(500)
                keep(page, "report.png", height=920)
                browser.close()
            finally:
                server.terminate()


def go_through(page: Any) -> None:
    """The steps, from the table to what if."""
    page.locator("#table-view[aria-busy=false]").wait_for()
    keep(page, "app-table.png", step="table")
    page.get_by_role("button", name="Start learning").click()
    page.locator("#runs progress[value]").wait_for(timeout=MINUTES)
    page.locator("#runs", has_text=re.compile(r"[2-9]\d %")).wait_for(timeout=MINUTES)
    keep(page, "app-learn.png", step="learn", height=400)
    page.locator("#network-view svg").first.wait_for(timeout=5 * MINUTES)
    page.locator("#graph .arc").first.dispatch_event("click")
    keep(page, "app-network.png", step="network", height=860)
    page.locator("#what-if-cards .card[aria-label='xray'] .state").nth(1).click()
    keep(page, "app-what-if.png", step="what-if")


def keep(page: Any, name: str, step: str = "", height: int = 760) -> None:
    """The part of the page where a step begins, or its top, as it is for light and for dark screens."""
    page.set_viewport_size({"width": 1280, "height": height})
    if step:
        page.evaluate("step => document.getElementById(step).scrollIntoView()", step)
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        page.wait_for_timeout(500)
        page.screenshot(path=HERE / (name if scheme == "light" else name.replace(".png", "-dark.png")))
    page.emulate_media(color_scheme="light")


if __name__ == "__main__":
    main()
