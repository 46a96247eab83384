"""Tests of the playground page: its check, and the page itself in a browser."""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.browser import open_browser

DOCS = Path(__file__).parents[2] / "docs"
SCRIPT = (DOCS / "javascripts" / "playground.js").read_text(encoding="utf-8")
EXAMPLES = dict(re.findall(r'^    "([^"]+)": `(.*?)`,$', SCRIPT, re.DOTALL | re.MULTILINE))
CODES = {
    "A number taken out of a tensor": ["GBL101", "GBL201", "GBL401"],
    "A mixture of experts": ["GBL301"],
    "A break that raises": ["GBL406"],
    "No break": [],
}
PAGE = """<!doctype html><meta charset="utf-8">
<div id="gblint-playground"></div><script src="javascripts/playground.js"></script>
"""


def load(name: str) -> ModuleType:
    """Import a module from the folder of the page."""
    spec = importlib.util.spec_from_file_location(f"playground_{name}", DOCS / "playground" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def answer(text: str, version: str = "2.13") -> dict[str, Any]:
    """Check a text as the page does."""
    found: dict[str, Any] = json.loads(load("check").check(text, version))
    return found


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_has_its_findings(name: str) -> None:
    shown = answer(EXAMPLES[name])
    assert [finding["code"] for finding in shown["findings"]] == CODES[name]
    assert shown["errors"] == []


def test_all_examples_are_listed() -> None:
    assert EXAMPLES.keys() == CODES.keys()


def test_a_finding_has_its_place_and_its_notes() -> None:
    shown = answer(EXAMPLES["A break that raises"])
    (finding,) = shown["findings"]
    lines = EXAMPLES["A break that raises"].splitlines()
    assert lines[finding["line"] - 1][finding["column"] - 1 : finding["end_column"] - 1].startswith("np.interp(")
    assert list(finding["notes"]) == ["chain", "raises", "help"]


def test_text_without_compiled_code_gets_a_hint() -> None:
    assert load("check").NOTHING_COMPILED in answer("x = 1\n")["notes"]


def test_a_syntax_error_has_its_line() -> None:
    assert [error["line"] for error in answer("x = 1\ndef f(:\n")["errors"]] == [2]


def test_the_newest_release_comes_first() -> None:
    versions = load("check").versions()
    assert versions == sorted(versions, key=lambda each: [int(part) for part in each.split(".")], reverse=True)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The playground, opened as a file without the rest of the site."""
    scripts = dict(load("bundle").scripts())
    if not scripts:
        pytest.skip("Pyodide is not installed: make docs installs it")
    folder = tmp_path_factory.mktemp("site")
    for name, text in {f"assets/playground/{name}": text for name, text in scripts.items()}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "javascripts").mkdir()
    (folder / "javascripts" / "playground.js").write_text(SCRIPT, encoding="utf-8")
    (folder / "playground.html").write_text(PAGE, encoding="utf-8")
    with open_browser() as browser:
        opened = browser.new_page()
        opened.goto((folder / "playground.html").as_uri())
        opened.wait_for_selector(".pg-results li", timeout=120_000)
        yield opened


# The codes of the findings on the page; the summary above them may name a code, too.
LISTED = "[...document.querySelectorAll('.pg-results a')].map(link => link.innerText).filter(text => /^GBL/.test(text))"


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_page_lists_what_the_command_finds(page: Any, name: str) -> None:
    page.select_option("select >> nth=0", label=name)
    page.wait_for_function(
        f"codes => JSON.stringify({LISTED}) === codes", arg=json.dumps(CODES[name], separators=(",", ":"))
    )
    assert page.evaluate(LISTED) == CODES[name]


def test_the_page_follows_what_is_typed(page: Any) -> None:
    page.fill("textarea", "import torch\n\n\n@torch.compile\ndef f(x):\n    return x.tolist()\n")
    page.wait_for_selector(".pg-results a:text('GBL102')")
    page.click(".pg-where")
    assert page.evaluate("getSelection().toString()") == "x.tolist()"
    page.fill("textarea", "def f(:")
    page.wait_for_selector(".pg-error")


def test_a_deep_expression_ends_with_an_answer(page: Any) -> None:
    """A deep expression gets an answer, though the stack of a browser is smaller than that of Python."""
    deep = "x" + " + 1" * 900
    page.fill("textarea", f"import torch\n\n@torch.compile\ndef f(x):\n    y = {deep}\n    return y.item()\n")
    page.wait_for_selector(".pg-results a:text('GBL101')")


def test_a_link_brings_the_text_back(page: Any) -> None:
    page.fill("textarea", "import torch\n\n# ünïcödé 🔥\nf = torch.compile(lambda x: x.item())\n")
    page.click("text=Copy link")
    page.wait_for_function("location.hash.length > 1")
    page.reload()
    page.wait_for_selector(".pg-results a:text('GBL101')", timeout=120_000)
    assert "🔥" in page.input_value("textarea")
