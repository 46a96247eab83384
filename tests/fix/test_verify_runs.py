"""``gblint check --fix --verify`` with real runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import libcst as cst
import pytest

from gblint.fix import propose
from gblint.fix.context import FixContext, Rewrite

pytestmark = pytest.mark.slow

Write = Callable[..., Path]
Gblint = Callable[..., Any]

NET = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor):
        y = self.linear(x)
        if torch.isnan(y).any():
            raise ValueError("not a number")
        print("sum", y.sum())
        return y * y.max().item()

    def never(self, y):
        return y


@torch.compile
def stuck(x: int):
    print("x", torch.ones(x))
    raise RuntimeError("never")


net = torch.compile(Net())
"""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / ".cache"))


def _smallest(site: FixContext) -> Rewrite | None:
    """A fix that removes the break and changes the result."""
    return Rewrite("take the smallest", "unsafe", {site.node: cst.parse_expression("y.min()")})


DIFFERENT = """\
import torch


@torch.compile
def norm(x: torch.Tensor):
    n = x.norm()
    if n > 1:
        x = x / n
    return x * 2


@torch.compile
def halve(x: torch.Tensor):
    while x.sum() > 1:
        x = x / 2
    return x * 2


@torch.compile
def add(x: torch.Tensor):
    return torch.zeros(2) + (x.item() + 1)


@torch.compile
def scale(x: torch.Tensor):
    return torch.zeros(2) + x.sum().item() * 10
"""


@pytest.mark.parametrize(
    ("entry", "inputs", "reason"),
    [
        ("norm", "(torch.randn(4),)", "zeros that require gradients"),
        ("halve", "(torch.rand(4),)", "small values that require gradients"),
        ("scale", "(torch.randn(4),)", "float16"),
        ("add", "(torch.tensor(3, dtype=torch.uint8),)", "the largest values of small types"),
        ("add", "(torch.tensor(3.0, dtype=torch.float16),)", "the largest values of small types"),
    ],
)
def test_fixes_that_differ_for_unusual_values(
    project: Write, gblint: Gblint, entry: str, inputs: str, reason: str
) -> None:
    pytest.importorskip("torch")
    root = project({"m.py": DIFFERENT, "gblint.toml": '[fixes]\nGBL101 = "tensor-instead-of-number"\n'})
    done = gblint("check", "--fix", "--unsafe-fixes", "--verify", "--entry", f"m:{entry}", "--inputs", inputs)
    assert f", {reason})" in done.out
    assert "with the arguments as given, " in done.out
    # A fix that does not compute both branches may hold.
    assert ("1 fix held" if entry == "norm" else "0 fixes held") in done.out
    text = (root / "m.py").read_text()
    assert "torch.cond(" in text and "torch.where(" not in text if entry == "norm" else text == DIFFERENT


MODULE = """\
import torch
from torch import nn


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 2)

    def forward(self, x: torch.Tensor):
        return torch.zeros(2) + self.linear(x).sum().item() * 10
"""


def test_module_is_tried_with_other_types_and_shapes(project: Write, gblint: Gblint) -> None:
    """The parameters of the module get the dtypes of the arguments."""
    pytest.importorskip("torch")
    root = project({"m.py": MODULE, "gblint.toml": '[fixes]\nGBL101 = "tensor-instead-of-number"\n'})
    options = ("--unsafe-fixes", "--verify", "--entry", "m:Scaled", "--inputs", "(torch.randn(3, 4),)")
    done = gblint("check", "--fix", *options)
    assert ", eval mode, float16)" in done.out
    for tried in ("empty tensors", "float16", "bfloat16", "float64", "one row"):
        assert f", {tried}" in done.out
    assert (root / "m.py").read_text() == MODULE


EFFECTS = """\
import logging
import warnings

import torch

log = logging.getLogger(__name__)


def returned(x: torch.Tensor):
    if x.sum() > 1:
        x = x * 2
    return x


def copied(x: torch.Tensor):
    y = x * 1
    if x.sum() > 1:
        y = y * 2
    return y


def warned(x: torch.Tensor):
    warnings.warn("once more")
    return x * 2


def logged(x: torch.Tensor):
    log.warning("size %s", len(x))
    return x * 2
"""


@pytest.mark.parametrize(
    ("entry", "fixes", "reason"),
    [
        ("returned", "", "the memory of the result: shared with the arguments[0][0], now of its own"),
        ("copied", "", ""),
        # The title of this fix says that compiled runs skip the statement, of that one it does not.
        ("warned", 'GBL403 = "guard-with-is-compiling"', ""),
        ("warned", 'GBL403 = "remove-statement"', "the warnings: 'UserWarning: once more', now ''"),
        ("logged", 'GBL402 = "guard-with-is-compiling"', ""),
        ("logged", 'GBL402 = "remove-statement"', "the log: 'm WARNING: size 4', now ''"),
    ],
)
def test_memory_and_messages_are_compared(project: Write, gblint: Gblint, entry: str, fixes: str, reason: str) -> None:
    pytest.importorskip("torch")
    root = project({"m.py": EFFECTS, "gblint.toml": f"[fixes]\n{fixes}\n"})
    inputs = ("--entry", f"m:{entry}", "--inputs", "(torch.rand(4),)")
    done = gblint("check", "--fix", "--unsafe-fixes", "--verify", *inputs)
    assert f"    {reason} (eager, " in done.out if reason else "1 fix held in 1 run." in done.out
    assert ((root / "m.py").read_text() == EFFECTS) == bool(reason)


def test_dynamo_agrees_with_the_fixes_that_hold(
    project: Write, gblint: Gblint, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = project({"net.py": NET, "gblint.toml": ""})
    known = propose._load_recipe
    changed = {"numbers": _smallest, "branches.capture_config": lambda ctx: None}
    monkeypatch.setattr(propose, "_load_recipe", lambda name: changed.get(name.rpartition(".")[0]) or known(name))
    ran = gblint("check", "--fix", "--unsafe-fixes", "--verify", "--output-format", "json")
    text = (root / "net.py").read_text(encoding="utf-8")
    assert "_assert_async" in text
    assert 'torch._higher_order_ops.print("sum' in text
    assert "y.max().item()" in text
    assert ran.status == 1
    verification = json.loads(ran.out)["verification"]
    verdicts = {each["line"]: each["verified"]["verdict"] for each in verification["fixes"]}
    assert verdicts == {12: "holds", 14: "holds", 15: "differs", 23: "not-run"}
    (reason,) = (e["verified"]["reason"] for e in verification["fixes"] if e["line"] == 15)
    assert "values differ, by up to" in reason
    entries = {each["name"]: each for each in verification["entries"]}
    assert entries["net:Net"]["breaks"]["before"] >= 3
    assert entries["net:Net"]["breaks"]["after"] == 1
    assert entries["net:Net"]["graphs"] == {"before": 4, "after": 2}
    assert "RuntimeError" in entries["net:stuck"]["reason"]


def test_dynamo_agrees_with_the_diff(project: Write, gblint: Gblint) -> None:
    root = project({"net.py": NET, "gblint.toml": ""})
    ran = gblint("check", "--diff", "--verify", "--unsafe-fixes", "--entry", "net:Net", "--inputs", "torch.ones(2, 4)")
    assert (root / "net.py").read_text(encoding="utf-8") == NET
    assert ran.status == 1
    assert "+            torch._assert_async(" in ran.out
    assert "net:Net" in ran.err
    assert "3 fixes held in 1 run." in ran.err


def test_options_of_verify(project: Write, gblint: Gblint) -> None:
    project({"net.py": NET})
    for options, shown in (
        (("--verify",), "--verify needs --fix or --diff"),
        (("--fix", "--timeout", "3"), "--timeout needs --verify"),
        (("--fix", "--inputs", "1"), "--inputs needs --verify"),
        (("--fix", "--verify", "--inputs", "1"), "select it with --entry"),
        (("--fix", "--verify", "--device", "abacus"), "'abacus' is not one of"),
        (("--fix", "--verify", "--memory", "much"), "a size such as 8G"),
    ):
        ran = gblint("check", *options)
        assert ran.status == 2
        assert shown in ran.err


def test_dynamo_agrees_with_break_timings(project: Write, gblint: Gblint) -> None:
    root = project({"net.py": NET, "gblint.toml": ""})
    options = ("--entry", "net:Net", "--measure", "--backend", "eager", "--eval", "--output-format", "json")
    ran = gblint("confirm", *options)
    assert ran.status == 1, ran.err
    assert (root / "net.py").read_text(encoding="utf-8") == NET
    fixes = {each["line"]: each["fixes"] for each in json.loads(ran.out)["findings"]}
    measured = {line: [m for fix in there for m in fix["measured"]] for line, there in fixes.items()}
    assert sorted(measured) == [12, 14, 15]
    for line, there in measured.items():
        (one,) = there
        assert one["graphs"] == {"before": 4, "after": 3}, line
        assert one["seconds"]["before"] > 0
        assert one["seconds"]["after"] > 0
        assert (one["entry"], one["mode"], one["backend"], one["error"]) == ("net:Net", "eval", "eager", None)


UNSTEADY = """\
import os
import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x: torch.Tensor):
        if self.training:
            x = x + int.from_bytes(os.urandom(4), "big")
        print("sum", x.sum())
        return x


class Odd(nn.Module):
    def forward(self, x: torch.Tensor):
        print("sum", x.sum())
        return x + int.from_bytes(os.urandom(4), "big")


net, odd = torch.compile(Net()), torch.compile(Odd())
"""


def test_dynamo_agrees_that_one_mode_is_enough(project: Write, gblint: Gblint) -> None:
    project({"net.py": UNSTEADY, "gblint.toml": ""})
    ran = gblint("check", "--diff", "--verify", "--unsafe-fixes", "--select", "GBL401")
    assert "2 fixes held" not in ran.err
    assert "1 fix held in 1 run; 1 other not made." in ran.err
    assert "net:Odd: its results differ between two runs" in ran.err
