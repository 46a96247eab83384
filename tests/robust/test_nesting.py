"""Expressions and statements that are nested deeply take time that is linear in their depth."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from gblint.config.settings import Config
from gblint.pipeline.lint import LintRequest, lint

DEPTH = 40
# An expression over ``a``, which stands for the same expression of the depth before.
EXPRESSIONS = {
    "attribute": "a.b",
    "item": "a['b']",
    "number": "a[0]",
    "slice": "a[1:]",
    "call": "g(a)",
    "method": "a.b()",
    "method-with-itself": "g.b(a)",
    "unknown": "missing(a)",
    "unknown-name": "missing(k=a)",
    "binary": "(a + 1)",
    "matmul": "(x @ a)",
    "not": "(not a)",
    "negative": "(-a)",
    "compare": "(a < 1)",
    "is": "(a is None)",
    "in": "(a in y)",
    "and": "(y and a)",
    "or": "(a or y)",
    "condition": "(a if flag else y)",
    "test": "(x if a else y)",
    "other": "(x if flag else a)",
    "tuple": "(a, 1)",
    "first": "(a, 1)[0]",
    "dict": "{'b': a}['b']",
    "list": "[a]",
    "star": "g(*[a])",
    "stars": "g(**{'v': a})",
    "lambda": "(lambda v: v)(a)",
    "lambda-body": "(lambda: a)()",
    "f-string": "str(f'{1}' + str(a))",
    "walrus": "(w := a)",
    "getattr": "getattr(a, 'b')",
    "getattr-default": "getattr(x, 'b', a)",
    "isinstance": "isinstance(a, torch.Tensor)",
    "len": "len(a)",
    "int": "int(a)",
    "max": "max(a, 1)",
    "sorted": "sorted(a, key=lambda v: v)",
    "zip": "list(zip(a, a0))",
    "type": "type(a)",
    "super": "super(type(a), a)",
    "partial": "functools.partial(g, a)()",
    "torch": "torch.add(a, 1)",
    "tensor": "torch.tensor(a)",
    "where": "torch.where(a > 0, x, y)",
    "cond": "torch.cond(flag, lambda v: v, lambda v: a, (x,))",
    "numpy": "np.add(a, 1)",
    "module": "nn.ReLU()(a)",
    "sequential": "nn.Sequential(a)",
    "compile": "torch.compile(a)",
    "config": "self.config.update(a)",
    "comprehension": "[v for v in a]",
    "comprehension-body": "[a for v in y]",
    "comprehension-known": "[a for v in (1, 2)]",
    "generator-known": "sum(a for v in (1, 2))",
    "dict-known": "{1: a for v in (1, 2)}",
    "generator": "sum(v for v in a)",
    "map": "tuple(map(g, a))",
    "item-of-tensor": "x[a]",
    "shape": "a.shape[0]",
    "chain": "a.sum().b.detach()",
    "box": "Box(a).value",
    "box-call": "Box(a)(x)",
    "recursion": "h(a, 3)",
}
# A statement over ``BODY``, which stands for the same statement of the depth before.
STATEMENTS = {
    "if": "if x.shape[0] > N:\n    BODY",
    "else": "if flag:\n    pass\nelse:\n    BODY",
    "both": "if x.sum() > N:\n    y = x + N\nBODY",
    "for": "for i in range(n):\n    BODY",
    "while": "while x.sum() > N:\n    BODY",
    "for-changing": "for i in range(n):\n    y = [y, N]\n    BODY",
    "for-known": "for i in (1, 2):\n    BODY",
    "for-many": "for i in range(12):\n    y = y + i\n    BODY",
    "while-changing": "while x.sum() > N:\n    y = [y, N]\n    BODY",
    "with": "with torch.no_grad():\n    BODY",
    "with-unknown": "with missing(N):\n    BODY",
    "try": "try:\n    BODY\nexcept ValueError:\n    y = x",
    "except": "try:\n    y = missing(x)\nexcept ValueError:\n    BODY",
    "finally": "try:\n    y = x\nfinally:\n    BODY",
    "def": "def fN(v):\n    BODY\n    return v\nfN(x)",
    "match": "match n:\n    case N:\n        y = x\n    case _:\n        BODY",
}
# Python itself allows 20 statically nested blocks of some kinds, and 100 levels of indentation.
BLOCKS = 18
HEAD = """\
import functools

import numpy as np
import torch
from torch import nn


def g(v=1, **more):
    return v


def h(v, count):
    return v if count == 0 else h(v, count - 1)


class Box:
    def __init__(self, value):
        self.value = value
        self.config = {}

    def __call__(self, x):
        return self.value


"""
RUN = """
import resource, sys
resource.setrlimit(resource.RLIMIT_CPU, (90, 100))
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
from gblint.cli.main import run
sys.exit(run(["check", "--isolated", "--no-cache", "--jobs", "1", "--output-format", "concise", *sys.argv[1:]]))
"""


def _expression(form: str) -> str:
    expression = "a0"
    before, after = re.split(r"(?<![\w.'])a(?!\w)", form, maxsplit=1)
    for _ in range(DEPTH):
        expression = f"{before}{expression}{after}"
    return expression


def _statements(form: str) -> str:
    text = "y = x * 2"
    for number in range(BLOCKS):
        lines = []
        for line in form.replace("N", str(number)).splitlines():
            indent = line[: len(line) - len(line.lstrip())]
            lines += [indent + each for each in text.splitlines()] if line.strip() == "BODY" else [line]
        text = "\n".join(lines)
    return text


def _function(body: str) -> str:
    indented = "".join(f"    {line}\n" for line in body.splitlines())
    return f"{HEAD}@torch.compile\ndef f(self, x, y, a0, n=3, flag=False):\n{indented}    return x.item()\n"


@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX")
def test_nesting(tmp_path: Path) -> None:
    programs = {name: _function(f"r = {_expression(form)}") for name, form in EXPRESSIONS.items()}
    programs |= {f"in-{name}": _function(_statements(form)) for name, form in STATEMENTS.items()}
    for name, program in programs.items():
        (tmp_path / f"{name.replace('-', '_')}.py").write_text(program)
    done = subprocess.run(
        [sys.executable, "-c", RUN, "."], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 1, done.stderr
    assert "internal error" not in done.stderr
    findings = [line for line in done.stdout.splitlines() if ".py:" in line and "analysed only in part" not in line]
    assert {line.partition(".py:")[0] for line in findings} <= {name.replace("-", "_") for name in programs}


def test_requested_entry_points_below_many_classes(tmp_path: Path) -> None:
    step = "    def forward(self, x):\n        return x.item()\n"
    chain = "".join(f"class C{n}(C{n - 1}):\n{step}" for n in range(1, 320))
    (tmp_path / "net.py").write_text(f"import torch\n\n\nclass C0:\n{step}{chain}")
    names = tuple(f"net:C{n}.forward" for n in range(0, 320, 8))
    outcome = lint(LintRequest((tmp_path,), entries=names), Config(root=tmp_path))
    found = {f"net:C{(each.span.line - 6) // 3}.forward" for each in outcome.report.findings}
    assert (found, outcome.report.errors) == (set(names), [])
