"""``gblint check --fix``, ``--unsafe-fixes`` and ``--diff``."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Write = Callable[..., Path]
Gblint = Callable[..., Any]

BEFORE = """\
import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    if x.isnan().any():
        raise ValueError("ä")
    print(x.isnan().sum())
    if x.is_signed():
        x = x + 1
    return x[: x.sum().item()]
"""
AFTER = """\
import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    if x.isnan().any():
        raise ValueError("ä")
    print(x.isnan().sum())
    if x.dtype.is_signed:
        x = x + 1
    return x[: x.sum().item()]
"""


@pytest.fixture
def here(project: Write, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = project({"m.py": BEFORE, "gblint.toml": ""})
    monkeypatch.chdir(root)
    return root


def test_fix_changes_the_file_and_reports_the_rest(here: Path, gblint: Gblint) -> None:
    result = gblint("check", "--fix", "--output-format", "concise")
    assert (here / "m.py").read_text(encoding="utf-8") == AFTER
    assert result.status == 1
    assert "fixed 1 finding in 1 file" in result.err
    assert "GBL101" in result.out
    assert "GBL610" not in result.out
    assert "fixed 0 findings; 3 findings can be fixed with --unsafe-fixes" in gblint("check", "--fix").err
    assert (here / "m.py").read_text(encoding="utf-8") == AFTER


def test_diff_changes_nothing(here: Path, gblint: Gblint) -> None:
    result = gblint("check", "--diff")
    assert (here / "m.py").read_text(encoding="utf-8") == BEFORE
    assert result.status == 1
    assert result.out.startswith("--- m.py\n+++ m.py\n@@")
    assert "+    if x.dtype.is_signed:\n" in result.out
    assert "would fix 1 finding in 1 file; 3 more" in result.err


def test_diff_with_nothing_to_fix(here: Path, gblint: Gblint) -> None:
    (here / "m.py").write_text("import torch\n\n\n@torch.compile\ndef f(x):\n    return x\n")
    result = gblint("check", "--diff")
    assert (result.status, result.out) == (0, "")


def test_standard_input_comes_out_fixed(here: Path, gblint: Gblint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(BEFORE.encode())))
    result = gblint("check", "--fix", "--output-format", "concise", "--stdin-filename", "m.py", "-")
    assert result.out == AFTER
    assert "GBL101" in result.err
    assert (here / "m.py").read_text(encoding="utf-8") == BEFORE


def test_the_configuration_chooses_the_way(here: Path, gblint: Gblint) -> None:
    (here / "gblint.toml").write_text(
        '[fixes]\nGBL401 = "remove-statement"\nGBL203 = "off"\nGBL101 = "off"\nGBL610 = "off"\n'
    )
    assert "nothing" not in gblint("check", "--fix").err
    assert (here / "m.py").read_text(encoding="utf-8") == BEFORE
    assert "1 finding can be fixed with --unsafe-fixes" in gblint("check", "--fix").err
    gblint("check", "--fix", "--unsafe-fixes")
    assert (here / "m.py").read_text(encoding="utf-8") == BEFORE.replace("    print(x.isnan().sum())\n", "")


def test_choices_that_no_rule_offers_are_refused(here: Path, gblint: Gblint) -> None:
    (here / "gblint.toml").write_text('[fixes]\nGBL401 = "print-in-grap"\nGBL999 = "off"\n')
    result = gblint("check", "--fix")
    assert result.status == 2
    assert "gblint.toml:2: fixes.GBL401: 'print-in-grap' is not one of" in result.err
    assert "did you mean 'print-in-graph'?" in result.err
    assert "gblint.toml:3: fixes: no rule has the code 'GBL999'" in result.err


def test_a_file_that_cannot_be_written(here: Path, gblint: Gblint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.access", lambda path, mode: False)
    result = gblint("check", "--fix")
    assert result.status == 2
    assert "m.py: not fixed: no permission to write" in result.err
    assert (here / "m.py").read_text(encoding="utf-8") == BEFORE


def test_the_report_carries_the_fixes(here: Path, gblint: Gblint) -> None:
    findings = json.loads(gblint("check", "--show-fixes", "--output-format", "json").out)["findings"]
    fixes = {finding["code"]: finding["fixes"] for finding in findings}
    assert [fix["applicability"] for fix in fixes["GBL401"]] == ["unsafe", "unsafe", "unsafe"]
    assert fixes["GBL401"][0]["edits"] == [
        {
            "path": "m.py",
            "line": 8,
            "column": 5,
            "end_line": 8,
            "end_column": 11,
            "content": 'torch._higher_order_ops.print("{!s}", ',
        }
    ]
    assert {fix["applicability"] for fix in fixes["GBL101"]} == {"unsafe", "display"}


def test_what_is_not_the_users_is_not_changed(project: Write, gblint: Gblint, monkeypatch: pytest.MonkeyPatch) -> None:
    root = project(
        {"src/m.py": BEFORE.replace("@torch.compile\n", ""), "app.py": "import torch, m\ng = torch.compile(m.f)\n"}
    )
    monkeypatch.chdir(root)
    result = gblint("check", "--fix", "app.py")
    assert (root / "src" / "m.py").read_text(encoding="utf-8") == BEFORE.replace("@torch.compile\n", "")
    assert "fixed 0 findings" in result.err
