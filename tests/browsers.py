"""A real browser for tests of pages: an installed Chromium, driven by Playwright."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest

CHROMIUM = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Debian's Chromium, driven by Playwright."""
    if find_spec("playwright") is None:
        pytest.skip("Playwright is not installed: pip install playwright")
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed: apt install chromium")
    from playwright import sync_api

    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()
