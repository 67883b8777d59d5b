"""Makes the pictures of docs/app.md from a running app: ``python docs/images/app.py`` with Playwright and Chromium."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

import veridag as vd

HERE = Path(__file__).parent
MINUTES = 60_000


def main() -> None:
    """Start a server, go through the steps, and keep what they look like."""
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
                browser.close()
            finally:
                server.terminate()


def go_through(page: Any) -> None:
    """The steps, from the table to what if."""
    page.locator("#table-view[aria-busy=false]").wait_for()
    keep(page, "table", "app-table.png")
    page.get_by_role("button", name="Start learning").click()
    page.locator("#runs progress[value]").wait_for(timeout=MINUTES)
    page.locator("#runs", has_text=re.compile(r"[2-9]\d %")).wait_for(timeout=MINUTES)
    keep(page, "learn", "app-learn.png", height=400)
    page.locator("#network-view svg").first.wait_for(timeout=5 * MINUTES)
    page.locator("#graph .arc").first.dispatch_event("click")
    keep(page, "network", "app-network.png", height=860)
    page.locator("#what-if-cards .card[aria-label='xray'] .state").nth(1).click()
    keep(page, "what-if", "app-what-if.png")


def keep(page: Any, step: str, name: str, height: int = 760) -> None:
    """The part of the page where a step begins."""
    page.set_viewport_size({"width": 1280, "height": height})
    page.evaluate("step => document.getElementById(step).scrollIntoView()", step)
    page.wait_for_timeout(500)
    page.screenshot(path=HERE / name)


if __name__ == "__main__":
    main()
