"""``--output-format html``, through the command."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Gblint = Callable[..., Any]
Write = Callable[..., Path]
CODE = """
import torch


def peak(x):
    return x.max().item()


@torch.compile
def f(x: torch.Tensor):
    return x * peak(x) + x
"""


def test_a_page_is_written_and_summed_up(gblint: Gblint, project: Write) -> None:
    root = project({"a.py": CODE})
    result = gblint("check", "--no-cache", "--output-format", "html", "--output-file", "out.html", "--select", "GBL1")
    assert (result.status, result.out) == (1, "")
    assert result.err.startswith("note: Found 1 graph break in 1 file")
    page = (root / "out.html").read_text(encoding="utf-8")
    assert "select <code>GBL1</code>" in page and "min-confidence <code>likely</code>" in page
    assert page.count('class="tree"') == 1 and "graph 1: 1 operator, from line 6" in page


def test_many_paths_take_a_line(gblint: Gblint, project: Write) -> None:
    """A hook may pass hundreds of paths."""
    names = [f"a{number:02}.py" for number in range(12)]
    root = project(dict.fromkeys(names, CODE))
    page = gblint("check", "--no-cache", "--output-format", "html", *(str(root / name) for name in names)).out
    assert f"paths <code>{', '.join(names[:8])} and 4 more</code>" in page


def test_fixes_are_shown_as_diffs(gblint: Gblint, project: Write) -> None:
    code = "import torch\n\n\n@torch.compile\ndef f(x: torch.Tensor):\n    x = x + x.max().item()\n    return x\n"
    root = project({"a.py": code})
    gblint("check", "--no-cache", "--output-format", "html", "--output-file", "out.html", "--show-fixes")
    page = (root / "out.html").read_text(encoding="utf-8")
    assert '<span class="del">-    x = x + x.max().item()' in page and 'class="tree"' in page


def test_it_goes_to_standard_output_unless_that_is_a_terminal(
    gblint: Gblint, project: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    project({"a.py": CODE})
    assert gblint("check", "--no-cache", "--output-format", "html").out.startswith("<!doctype html>")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    result = gblint("check", "--no-cache", "--output-format", "html")
    assert result.status == 2 and "add --output-file report.html" in result.err
