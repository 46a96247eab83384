"""Tests of the site: the output on its first page, the separator of its search, its scripts, its links."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SETTINGS = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")


def test_the_first_page_shows_what_gblint_prints(gblint: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    page = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"```text\n(.*?)```", page, re.DOTALL)
    monkeypatch.chdir(ROOT / "examples" / "demo")
    assert gblint("check", "--output-format", "concise", "--no-cache", ".").out == shown


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_the_first_pages_show_a_change_that_gblint_makes(
    page: str, gblint: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    (shown,) = re.findall(r"```diff\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)
    monkeypatch.chdir(ROOT / "examples" / "demo")
    assert shown in gblint("check", "--diff", "--unsafe-fixes", "--no-cache", ".").out


def test_search_splits_names() -> None:
    (separator,) = re.findall(r"separator: '(.*)' \}", SETTINGS)
    words = re.split(separator.replace("''", "'"), "set `torch._dynamo.config.capture_scalar_outputs = True`")
    assert {"torch", "dynamo", "config", "capture", "scalar", "outputs", "True"} < set(words)


def test_scripts_and_styles_of_the_site_exist() -> None:
    listed = re.findall(r"(?:javascripts|stylesheets)/[\w.]+", SETTINGS)
    folders = [ROOT / "docs" / "javascripts", ROOT / "docs" / "stylesheets"]
    assert set(listed) == {f"{folder.name}/{file.name}" for folder in folders for file in folder.iterdir()}


def test_links_of_the_pages_are_files_of_the_repository() -> None:
    """The site build turns links to the rules, the ids and the pages at the top into links of the site."""
    for page in [
        *(ROOT / "docs").glob("*.md"),
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        ROOT / "rules" / "README.md",
    ]:
        links = re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text(encoding="utf-8"))
        assert [link for link in links if not (page.parent / link).exists()] == [], page.name
