"""``torch.no_grad()`` in a variable at a graph break: Dynamo makes it anew, which disables gradients."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from gblint.config.settings import Config
from gblint.pipeline.lint import LintRequest, lint

PROGRAM = """
import contextlib
import torch

def made():
    return torch.no_grad()

def helper():
    print("helper")

def f(x: torch.Tensor):
{body}
    return x * factor

compiled = torch.compile(f, backend="eager")
"""
CASES = [
    (["quiet = torch.no_grad()", "print(1)", "with quiet:"], True),
    (["quiet = made()", "helper()", "with quiet:"], True),
    (["quiet = torch.no_grad() if x.ndim else contextlib.nullcontext()", "print(1)", "with quiet:"], True),
    (["print(1)", "quiet = torch.no_grad()", "with quiet:"], False),
    (["quiet = torch.no_grad()", "print(1)", "quiet = torch.no_grad()", "with quiet:"], False),
    (["quiet = torch.no_grad()", "with quiet:"], False),
    (["print(1)", "with torch.no_grad():"], False),
    (["loud = torch.enable_grad()", "print(1)", "with loud:"], False),
]


def _program(lines: list[str]) -> str:
    return PROGRAM.format(body="\n".join(f"    {line}" for line in [*lines, "    factor = x.sum()"]))


@pytest.mark.parametrize(("lines", "disables"), CASES)
def test_gblint_reports_what_disables_gradients(tmp_path: Path, lines: list[str], disables: bool) -> None:
    (tmp_path / "main.py").write_text(_program(lines))
    report = lint(LintRequest((tmp_path / "main.py",)), Config(root=tmp_path)).report
    found = [finding.span.line for finding in report.findings if finding.code == "GBL818"]
    assert found == ([11 + len(lines)] if disables else [])


@pytest.mark.parametrize(("lines", "disables"), CASES)
def test_dynamo_agrees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lines: list[str], disables: bool) -> None:
    torch = pytest.importorskip("torch")
    (tmp_path / "gblint_no_grad.py").write_text(_program(lines))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "gblint_no_grad", raising=False)
    module = importlib.import_module("gblint_no_grad")
    torch._dynamo.reset()
    with torch.enable_grad():
        module.compiled(torch.ones(3, requires_grad=True))
        assert torch.is_grad_enabled() != disables
