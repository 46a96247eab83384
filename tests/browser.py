"""A Chromium for tests of pages; the test is skipped where there is none."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

COMMANDS = """chromium chromium-browser google-chrome google-chrome-stable chrome
    microsoft-edge microsoft-edge-stable msedge brave-browser""".split()
# Paths on systems where browsers are not on PATH.
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)


@contextmanager
def open_browser() -> Iterator[Any]:
    """Start a browser of the system, or the one that playwright has fetched."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is in the extra `test`")
    with playwright.sync_playwright() as manager:
        candidates = (*map(shutil.which, COMMANDS), *PLACES, manager.chromium.executable_path)
        path = next((path for path in candidates if path and Path(path).is_file()), None)
        if path is None:
            pytest.skip("no Chromium, Chrome or Edge is installed; `playwright install chromium` fetches one")
        browser = manager.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()
