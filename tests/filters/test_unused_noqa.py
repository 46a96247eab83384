"""Codes in noqa comments that silence nothing: gblint warns of them, and can remove them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gblint.filters.noqa import comments, unused_codes
from gblint.fix.noqa import without_codes

Gblint = Callable[..., Any]
Write = Callable[..., Path]
PROGRAM = """\
import torch


@torch.compile
def f(x: torch.Tensor):
    y = x * x.sum().item()  # noqa: GBL101, GBL402
    z = y + 1  # noqa: GBL2
    print(z)  # noqa
    w = z + 1  # noqa: GBL706, E501
    return w
"""


@pytest.mark.parametrize(
    ("comment", "unused"),
    [
        ("# noqa: GBL101", []),
        ("# noqa: GBL1", []),
        ("# noqa: gbl101", []),
        ("# noqa: GBL101, GBL2, E501", ["GBL2"]),
        ("# noqa", []),
        ("# noqa: E501", []),
        ("# noqa: GBL706", []),
        ("# noqa: GBL7", []),
        ("# noqa: GBL", []),
        ("# gblint: noqa: GBL101", []),
        ("# gblint: noqa: GBL2", ["GBL2"]),
        ("# flake8: noqa", []),
    ],
)
def test_unused_codes(comment: str, unused: list[str]) -> None:
    found = unused_codes(comments(f"a = 1\nb = x.item()  {comment}\n"), [("GBL101", 2, 2)], ["GBL706"])
    assert [code for _, code in found] == unused


def test_a_finding_on_another_line_does_not_count() -> None:
    text = "a = 1  # noqa: GBL101\nb = x.item()\n"
    assert [(each.line, code) for each, code in unused_codes(comments(text), [("GBL101", 2, 2)])] == [(1, "GBL101")]


@pytest.mark.parametrize(
    ("line", "codes", "expected"),
    [
        ("a = 1  # noqa: GBL101\n", ["GBL101"], "a = 1\n"),
        ("a = 1  # noqa: GBL101\r\n", ["GBL101"], "a = 1\r\n"),
        ("a = 1  # noqa: GBL101", ["GBL101"], "a = 1"),
        ("a = 1  # noqa: gbl101, E501\n", ["GBL101"], "a = 1  # noqa: E501\n"),
        ("a = 1  # noqa: E501,GBL101,W1\n", ["GBL101"], "a = 1  # noqa: E501,W1\n"),
        ("a = 1  # the sum  # noqa: GBL101\n", ["GBL101"], "a = 1  # the sum\n"),
        ("a = 1  # noqa: GBL101 - it is small\n", ["GBL101"], "a = 1  # it is small\n"),
        ("a = 1  # noqa: GBL101  # type: ignore\n", ["GBL101"], "a = 1  # type: ignore\n"),
        ("# gblint: noqa: GBL101\n", ["GBL101"], ""),
        ("    # gblint: noqa: GBL101, GBL2\n", ["GBL2"], "    # gblint: noqa: GBL101\n"),
        ("a = '# noqa: GBL101'  # noqa: GBL101\n", ["GBL101"], "a = '# noqa: GBL101'\n"),
    ],
)
def test_codes_are_removed(line: str, codes: list[str], expected: str) -> None:
    before, after = "if True:\n    pass\n", "\nb = 2\n" if not line.endswith("\n") else "b = 2\n"
    assert without_codes(f"{before}{line}{after}", [(3, codes)]) == f"{before}{expected}{after}"


def test_what_is_no_program_stays() -> None:
    assert without_codes("a = (  # noqa: GBL101\n", [(1, ["GBL101"])]) is None
    assert without_codes("a = 1\n", [(1, ["GBL101"])]) is None


def test_they_are_warned_of_and_removed(project: Write, gblint: Gblint) -> None:
    place = project({"m.py": PROGRAM}) / "m.py"
    assert gblint("check", "--no-cache").status == 0
    result = gblint("check", "--no-cache", "--warn-unused-noqa")
    assert result.status == 1
    assert [line for line in result.err.splitlines() if "noqa comment" in line and "warning" in line] == [
        "warning: m.py:6: the noqa comment silences no finding of GBL402",
        "warning: m.py:7: the noqa comment silences no finding of GBL2",
    ]
    result = gblint("check", "--no-cache", "--remove-unused-noqa")
    assert (result.status, result.err) == (0, "note: removed 2 codes from noqa comments in 1 file\n")
    assert place.read_text() == PROGRAM.replace(", GBL402", "").replace("  # noqa: GBL2\n", "\n")
    project({"gblint.toml": "warn-unused-noqa = true\n"})
    assert gblint("check", "--no-cache").status == 0


@pytest.mark.parametrize(
    "options",
    [
        ("--warn-unused-noqa", "--entry", "m:f"),
        ("--remove-unused-noqa", "--changed", "m.py"),
        ("--remove-unused-noqa", "--fix"),
        ("--remove-unused-noqa", "--add-noqa"),
    ],
)
def test_options_that_do_not_go_together(project: Write, gblint: Gblint, options: tuple[str, ...]) -> None:
    place = project({"m.py": PROGRAM}) / "m.py"
    result = gblint("check", "--no-cache", *options)
    assert result.status == 2 and "error: " in result.err
    assert place.read_text() == PROGRAM
