"""Preconditions of recipes: code that resembles what they rewrite and must be left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from gblint.config.settings import Config
from gblint.fix.fixed_point import FixResult, fix_files
from gblint.pipeline.lint import LintRequest
from tests.oracle.linter import compiles_itself, entry

# Bodies that must not change, of a function ``f`` with tensors ``x`` and ``t`` and an int ``n``.
REFUSED = {
    "a side that changes something else": """\
    if x.sum() > 0:
        seen.append(n)
        x = x + 1
""",
    "a reduction of the other side": """\
    if x.sum() > 0:
        y = x.sum()
    else:
        y = x
    x = y
""",
    "a reduction in place of what it reduces": """\
    y = x.sum() if x.sum() > 0 else x
    if y.sum() > 0:
        x = x.mean()
""",
    "an entry that is new": """\
    state: dict[str, torch.Tensor] = {}
    if x.sum() > 0:
        state["y"] = x + 1
    x = x + len(state)
""",
    "nothing before the first step": """\
    y = None
    for k in range(n):
        skip = t.sum() > 1
        if not skip:
            x, y = x + 1, x * 2
    x = x if y is None else x * y
""",
    "a side that raises": """\
    if x.sum() > 0:
        x = x + 1
    else:
        raise ValueError(x)
""",
    "a number on both sides": """\
    if x.sum() > 0:
        k = 2
    else:
        k = 3
    x = x.repeat(k)
""",
    "a variable that is new": """\
    if x.sum() > 0:
        y = x + 1
        y = y * y
        x = x - 1
    if n > 2:
        x = x * y
""",
    "a value that the other variable is made of": """\
    if x.sum() > 0:
        x = t + 1
        t = x * 2
    else:
        t = x - 1
        x = t * 3
    x = x * t
""",
    "something drawn": """\
    x = torch.rand_like(x) if x.sum() > 0 else x
""",
    "a side that writes in place": """\
    if x.sum() > 0:
        x = g(x).add_(t)
""",
    "a number that is returned": """\
    return x.sum().item()
""",
    "a number that is a size": """\
    x = x.repeat(int(t.long().sum()))
""",
    "a number that is kept in a list": """\
    seen.append(t.sum().item())
""",
    "an element that is set": """\
    x[x.argmax().item()] = 2
""",
    "a list of floats that is read": """\
    x = x * len(t.tolist())
""",
    "rows of a mask": """\
    y = x.reshape(2, 2).float()
    x = y[y.sum(1) > 0].mean()
""",
    "a loss over two masks": """\
    y, z = x.reshape(-1).float(), t.reshape(-1).float()
    x = torch.nn.functional.mse_loss(y[y > 0], z[z > 0])
""",
    "what is written through two masks": """\
    y = x.reshape(-1).float()
    y[y > 0] = y[y > 1]
    x = y
""",
    "indices that are used otherwise": """\
    found = torch.where(x > 0)
    x[found] = 1
    x = x + found[0].sum()
""",
    "a loop that changes something in place": """\
    for k in range(n):
        x += t
        if x.sum() > 9:
            break
""",
    "a loop whose count is read": """\
    k = 0
    while k < n and x.sum() < 9:
        x = x + t
        k += 1
    x = x * k
""",
    "a list of numbers that are not integers": """\
    x = x * sum(torch.arange(0.5, n, device=x.device).tolist())
""",
    "a mask of integers": """\
    if x.sum() > 0:
        x[t.long()] = 1
""",
    "a mask that is filled by as many values": """\
    if x.sum() > 0:
        x[x > 0] = t
""",
    "an integer that is an index": """\
    k = n
    if x.sum() > 0:
        k = k + 1
    x = x[k] * k
""",
    "an integer that a loop changes": """\
    k = n
    for row in t:
        if row.sum() > 0:
            k = k + 1
    x = x * k
""",
    "a number that is not an integer": """\
    k = 0.1
    if x.sum() > 0:
        k = k * 3
    x = x * k
""",
    "what is read in a comprehension": """\
    y = x
    if x.sum() > 0:
        y = x * 2
        y = y + sum(y for y in (y, x))
    x = x + y
""",
    "results of two kinds": """\
    if x.sum() > 0:
        return x.sum()
    return None
""",
    "a loop that is left": """\
    for k in range(n):
        if x.sum() > k:
            return x + k
        x = x + 1
    return x
""",
    "something done before the end": """\
    if x.sum() > 0:
        return x * 2
    t.add_(1)
    return x * t
""",
    "a flag that is read": """\
    skip = False
    for k in range(n):
        if t.sum() > k:
            skip = True
        if not skip:
            x = x + k
    return x, skip
""",
    "a flag that is true at first": """\
    skip = True
    for k in range(n):
        if k > 1:
            skip = t.sum() < k
        if not skip:
            x = g(x)
""",
}


def proposed(body: str, folder: Path) -> list[str]:
    """The titles of the fixes that are made in the function with this body, except changes of torch's settings."""
    source = (
        "import torch\n\nseen: list[int] = []\n\n\ndef g(x: torch.Tensor) -> torch.Tensor:\n    seen.append(1)\n"
        f"    return x + 1\n\n\ndef f(x: torch.Tensor, t: torch.Tensor, n: int) -> object:\n{body}    return x\n"
    )
    path = folder / "example.py"
    path.write_text(source, encoding="utf-8")
    entries = () if compiles_itself(source) else (f"example:{entry(source)}",)
    result = fix_files(
        LintRequest((path,), entries=entries),
        Config(root=folder),
        lambda _, each, key: each.applicability != "display" and not each.title.startswith("set `capture_"),
    )
    return [applied.fix.title for applied in result.applied]


@pytest.mark.parametrize("name", REFUSED)
def test_inexact_rewrite_is_refused(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert proposed(REFUSED[name], tmp_path) == []


PARTS = """\
import torch


def f(x: torch.Tensor, n: torch.Tensor, way: object) -> object:
{}
"""
# Work on parts for which a fake with a single part would be wrong.
IN_ONE_PIECE = {
    "the parts themselves": "    return torch.split(x, n.tolist())\n",
    "a list of results": "    parts = torch.split(x, n.tolist())\n    return [p + 1 for p in parts], len(parts)\n",
    "something that cannot be handed over": (
        "    parts = torch.split(x, n.tolist())\n    y = torch.cat([way(p) for p in parts])\n    return y\n"
    ),
    "what is changed in place": (
        "    parts = torch.split(x, n.tolist())\n    y = torch.cat([p.mul_(2) for p in parts])\n    return x + y\n"
    ),
    "numbers that are read besides": (
        "    parts = torch.split(x, n.tolist())\n    y = torch.cat([p * n[0].item() for p in parts])\n    return y\n"
    ),
}


def fixed_with(source: str, code: str, choice: str, folder: Path) -> FixResult:
    """``source`` after all fixes of one rule by the recipe ``choice``."""
    path = folder / "example.py"
    path.write_text(source, encoding="utf-8")
    config = Config(folder).with_values(fixes={code: choice})
    return fix_files(
        LintRequest((path,), entries=("example:f",)), config, lambda finding, each, key: finding.code == code
    )


@pytest.mark.parametrize("name", IN_ONE_PIECE)
def test_split_as_leaf_refuses_a_wrong_fake(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert (
        fixed_with(PARTS.format(IN_ONE_PIECE[name].rstrip()), "GBL102", "split-in-leaf-function", tmp_path).applied
        == []
    )


HOST = """\
import numpy as np
import torch

{}


def f(x: torch.Tensor) -> object:
    {}
"""
MAKES = "def make(n: int) -> np.ndarray:\n    a = np.zeros(n, dtype=bool)\n    a[np.random.choice(n)] = True\n"
# Functions on the host for which no fake can be written, and calls that need an array.
ON_THE_HOST = {
    "an array that is used": (f"{MAKES}    return a", "return x + make(4).sum()"),
    "an array of another size": (f"{MAKES}    a = a[a]\n    return a", "return torch.as_tensor(make(4))"),
    "two results": (f"{MAKES}    return a, n", "return torch.as_tensor(make(4)[0])"),
    "a size that is drawn": (
        "def make(n: int) -> np.ndarray:\n    k = np.random.choice(n)\n    a = np.zeros(k, dtype=bool)\n    return a",
        "return torch.as_tensor(make(4))",
    ),
    "a function that is handed on": (f"{MAKES}    return a", "return torch.as_tensor(make(4)), make"),
    "a type that is not known": (
        f"{MAKES.replace('dtype=bool', 'dtype=object')}    return a",
        "return torch.as_tensor(make(4))",
    ),
}


@pytest.mark.parametrize("name", ON_THE_HOST)
def test_called_as_operator_needs_a_known_result(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert fixed_with(HOST.format(*ON_THE_HOST[name]), "GBL210", "call-as-operator", tmp_path).applied == []


SELECTED = """\
import torch
import torch.nn.functional as F


def f(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    mask = y < 0
{}
"""
# Two selections, and the number of size checks that are added.
CHECKED = {
    "one mask": ("    x = x[mask]\n    y = y[mask]\n    return F.mse_loss(x, y)", 1),
    "computed with": (
        "    x = x[mask]\n    y = y[mask]\n    y = 2 * torch.log(y) + 1\n    return F.l1_loss(x, y)", 1
    ),
    "two masks": ("    x = x[mask]\n    y = y[y > 0]\n    return F.mse_loss(x, y)", 0),
    "cut afterwards": ("    x = x[mask]\n    y = y[mask]\n    y = y[:2]\n    return F.mse_loss(x, y)", 0),
    "selected once": ("    x = x[mask]\n    return F.mse_loss(x, y)", 0),
    "nothing that asks": ("    x = x[mask]\n    y = y[mask]\n    return torch.dot(x, y)", 0),
}  # fmt: skip


@pytest.mark.parametrize("name", CHECKED)
def test_sizes_of_selections_by_one_mask_are_checked(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    body, checks = CHECKED[name]
    (text,) = fixed_with(SELECTED.format(body), "GBL302", "capture-dynamic-shapes", tmp_path).texts.values()
    assert "capture_dynamic_output_shape_ops = True" in text
    assert text.count("torch._check(x.size(0) == y.size(0))") == checks


@pytest.mark.parametrize(
    ("version", "choice", "applicability"),
    [("2.10", {}, None), ("2.11", {}, "display"), ("2.11", {"GBL407": "call-leaf-function"}, "unsafe")],
)
def test_leaf_function_has_to_be_chosen(
    version: str,
    choice: dict[str, str],
    applicability: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Torch has leaf functions since 2.11, and inductor does not compile them."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "example.py"
    path.write_text("import torch\n\n\ndef f(x: torch.Tensor) -> torch.Tensor:\n    torch.save(x, 'x')\n    return x\n")
    config = Config(tmp_path).with_values(torch_version=version, fixes=choice)
    result = fix_files(LintRequest((path,), entries=("example:f",)), config, lambda *_: False)
    made = [
        each for finding in result.outcome.report.findings for each in finding.fixes if "leaf_function" in each.title
    ]
    assert {each.applicability for each in made} == (set() if applicability is None else {applicability})
