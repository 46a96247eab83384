"""Near misses: code that resembles what a recipe rewrites, but must not be changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from gblint.config.settings import Config
from gblint.diagnostics.fix import Fix
from gblint.fix.fixed_point import fix_files
from gblint.pipeline.lint import LintRequest
from tests.oracle.linter import TORCH

HEAD = """\
import bisect
import copy
import itertools
import random
import statistics
import threading

import numpy as np
import torch

lock = threading.Lock()


def f(x: torch.Tensor, n: int = 2):
"""
# Bodies that must not change, by the name of the recipe.
REFUSED = {
    "copied-object": "    y = x + 1\n    return copy.deepcopy([y, y])",
    "copied-tensor-shallow": "    return copy.copy(x + 1)",
    "key_by_name-has-a-name": "    return x, [k for k, _ in itertools.groupby([x, x])]",
    "mean_by_hand-no-variable": "    return x * statistics.mean([1, n])",
    "drawn-behind-a-tensor": (
        "    y = x + 1\n    if y.sum() > 0 and random.random() < 0.5:\n        y = y * 2\n    return y"
    ),
    "taken_anyway-a-view-is-changed": (
        "    y = x[1:]\n    if random.random() < 0.5:\n        y.mul_(2)\n        y = y * x[0]\n    return y"
    ),
    "taken_anyway-refuses": (
        "    if x.sum() > 0:\n        if n > 2:\n            raise ValueError\n        x = x * 2\n"
        "        x = x + 1\n    return x"
    ),
    "taken_anyway-raises-by-chance": (
        "    if random.random() < 0.5:\n        if x.shape[0] % 2:\n            raise ValueError\n        y = x + 1\n"
        "        x = y * 2\n        x = x + y\n    return x"
    ),
    "taken_anyway-draws": (
        "    if random.random() < 0.5:\n        x = x * 2\n        x = x + torch.rand(4)\n    return x"
    ),
    "as_where-fills-at-random": (
        "    if random.random() < 0.5:\n        y = torch.empty(4).uniform_(0.5, 2.0)\n        x = x * y\n    return x"
    ),
    "as_where-draws": "    if random.random() < 0.5:\n        x = x + torch.rand(4)\n    return x",
    "as_where-swapped": (
        "    a, b = x, x + 1\n    if x.sum() > 0:\n        a = b + 1\n        b = x * 2\n    else:\n"
        "        b = x * 3\n        a = b * 2\n    return a + b"
    ),
    "math-of-one-of-two-arrays": (
        "    values = np.atleast_1d([1.0, 2.0])\n    if (values - np.log(n) > 0).all():\n        x.mul_(2)\n"
        "    return x"
    ),
    "math-behind-a-variable": (
        "    rows = np.arange(3.0)\n    rows = rows * np.sqrt(n)\n    if rows.any():\n        x.mul_(2)\n    return x"
    ),
    "shaped-size-to-be-found": "    mask = x > 0\n    return x[mask].view(-1, 2)",
    "shaped-two-indices": "    mask = x > 0\n    return x[mask, None].view(n, 1)",
    "counted-with-weights": "    k = x.long()\n    return torch.bincount(k, weights=x, minlength=4)",
    "counted-any-length": "    k = x.long()\n    return torch.bincount(k)",
    "counted-an-expression": "    return torch.bincount(x.long() + 1, minlength=4)",
    "masked-loss-returned": "    mask = x > 0\n    y = x.masked_select(mask)\n    return y.mean(), y",
    "masked-loss-not-zero-at-zero": "    mask = x > 0\n    y = x.masked_select(mask) + 1\n    return y.mean()",
    "masked-loss-a-variable-not-zero": (
        "    mask = x > 0\n    y = x.masked_select(mask)\n    y = y.exp()\n    return y.mean()"
    ),
    "masked-loss-infinite-slope": "    mask = x > 0\n    y = x.masked_select(mask)\n    return y.sqrt().mean()",
    "masked-loss-of-a-size": "    mask = x > 0\n    y = x.masked_select(mask)\n    return y.sum() / y.shape[0]",
    "masked-loss-several-masks": (
        "    mask, other = x > 0, x > 1\n    y = x.masked_select(mask)\n    z = x.masked_select(other)\n"
        "    return (y - z).mean()"
    ),
    "masked-loss-without-reduction": (
        "    mask = x > 0\n    y = x.masked_select(mask)\n    z = (x * 2).masked_select(mask)\n"
        "    return torch.nn.functional.mse_loss(y, z, reduction='none').max()"
    ),
    "masked-loss-not-neutral": (
        "    mask = x > 0\n    y = x.masked_select(mask)\n    z = (x * 2).masked_select(mask)\n"
        "    return torch.nn.functional.binary_cross_entropy_with_logits(y, z)"
    ),
    "masked-loss-another-mask-meanwhile": (
        "    mask = x > 0\n    y = x.masked_select(mask)\n    mask = x > 1\n    z = x.masked_select(mask)\n"
        "    return y.mean() + z.mean()"
    ),
    "stacked-returned": "    return x, any(t.sum() > 1 for t in [x, x + 1])",
    "stacked-perhaps-nothing": (
        "    y = x + 1\n    if any(t.sum() > 1 for t in [y] * n):\n        y = y * 2\n    return y"
    ),
    "stacked-several-truths": "    y = x + 1\n    if any(t > 1 for t in [y[:1]]):\n        y = y * 2\n    return y",
    "unasked-largest": (
        "    y = x.clone()\n    mask = x > 0\n    if mask.any():\n        top = x[mask].max()\n"
        "        y[mask] = top\n    return y"
    ),
    "unasked-read-later": (
        "    y = x.clone()\n    z = 0\n    mask = x > 0\n    if mask.any():\n        z = n\n"
        "        y[mask] = z\n    return y * z"
    ),
    "unasked-changes-more": (
        "    y = x.clone()\n    mask = x > 0\n    if mask.any():\n        h = y\n        h.mul_(2)\n"
        "        y[mask] = h[mask].flip(0)\n    return y"
    ),
    "place_among-a-range": "    return x * bisect.bisect([1, 4, 9], n, 1)",
    "place_among-its-own-name": "    each = n\n    return x * bisect.bisect([1, 4, 9], each)",
    "place_among-insort": "    places = [1, 4]\n    bisect.insort(places, n)\n    return x * places[0]",
    "compared-returned": "    same = torch.equal(x, x + n)\n    return x, same",
    "drawn-with-numbers": "    return x * (1 - random.random())",
    "drawn-no-numbers": "    return x, random.choice(['a', 'b'])",
    "drawn-shuffle": "    order = [0, 1]\n    random.shuffle(order)\n    return x[order[0]]",
    "gathered-another-dimension": "    return torch.stack([x[i] for i in x.argsort()], dim=1)",
    "gathered-some": "    return torch.stack([x[i] for i in x.argsort() if n])",
    "gathered-a-mask": "    return torch.stack([x[i] for i in x > 0])",
    "gathered-something-else": "    return torch.stack([x[i] + i for i in x.argsort()])",
    "updated-by-what-the-mask-may-shape": "    y = x * 2\n    z = y[1:]\n    y[x.sum(-1) > 0] += z\n    return y",
    "assigned-another-tensor": (
        "    z = torch.ones(x.shape)\n    mask = x > 0\n    y = torch.zeros_like(x)\n    y[mask] = x[mask] * z[mask]\n"
        "    return y"
    ),
    "assigned-another-shape-meanwhile": (
        "    mask = x > n * x\n    y = torch.zeros_like(x)\n    x = x.sum(0)\n    y[mask] = x[mask] * 2\n    return y"
    ),
    "assigned-a-sum": (
        "    mask = x.sum(-1, keepdim=True) > x.mean(-1, keepdim=True)\n    y = torch.zeros_like(x)\n"
        "    y[mask] = x[mask] * 2\n    return y"
    ),
    "reduced-a-mean-of-rows": "    mask = x.sum(-1) > 0\n    return x[mask].mean()",
    "assert_in_graph-another-shape": (
        "    if not torch.equal(x, x + torch.arange(n)):\n        raise ValueError\n    return x"
    ),
    "out_of_place-still-read": "    y = x.unsqueeze_(0)\n    return x * 2 + y",
    "set_in_eager_runs-an-input": "    x.requires_grad = True\n    return x * 2",
    "set_in_eager_runs-returned": (
        "    y = x.detach() * 2\n    y.requires_grad = True\n    z = y * n\n    return z, y if n else None"
    ),
    "set_in_eager_runs-kept": "    y = x + 1\n    y.requires_grad = True\n    f.last = [y]\n    return y * 2",
    "set_in_eager_runs-asked": "    y = x + 1\n    y.requires_grad = True\n    return y * 2, y.requires_grad",
    "require_grad_in_eager_runs-returned": "    return torch.zeros(4, requires_grad=True), x + 1",
    "require_grad_in_eager_runs-returned-later": (
        "    y = torch.zeros(4, requires_grad=True)\n    if n:\n        y = y + x\n    return {'loss': y}"
    ),
    "require_grad_in_eager_runs-differentiated": (
        "    v = [torch.zeros_like(t, requires_grad=True) for t in [x, x]]\n    return torch.autograd.grad(x.sum(), v)"
    ),
    "cond-of-code-that-breaks": (
        "    if x.sum() > 0:\n        x = halves(x)\n    return x\n\n\n"
        "def halves(x):\n    rows = [x[k:] for k in x.long().tolist()]\n    return torch.cat(rows)"
    ),
    "set_in_eager_runs-of-an-object-from-outside": (
        "    lock.v = x + 1\n    lock.v.requires_grad = True\n    return lock.v * 2"
    ),
    "set_in_eager_runs-of-a-new-object": (
        "    state = State(x + 1)\n    state.v.requires_grad = True\n    return state.v * 2\n\n\n"
        "class State:\n    def __init__(self, v):\n        self.v = v"
    ),
    "set_by_method-on": "    y = x.detach()\n    y.requires_grad = n > 1\n    return y",
    "in_eager_runs-that-matters": "    with torch.random.fork_rng():\n        y = x + torch.rand(4)\n    return y",
    "in_eager_runs-as": (
        "    with torch.utils.flop_counter.FlopCounterMode() as counter:\n        y = x + 1\n    return y, counter"
    ),
    "as_sdpa_kernel-unknown-flag": (
        "    with torch.backends.cuda.sdp_kernel(enable_math=n > 1):\n        y = x + 1\n    return y"
    ),
    "with_device-other-calls": "    with torch.device('cpu'):\n        y = helper(n)\n    return x + y",
    "with_device-nested": (
        "    with torch.device('cpu'):\n        y = torch.full(torch.ones(1).shape, 2.0)\n    return x + y"
    ),
    "left_out-of-a-tensor": "    y = x + 1\n    torch.nn.init.trunc_normal_(y)\n    return y * 2",
    "interp-a-number": "    return x * float(np.interp(0.5, [0, 1], [0, 1]))",
    "interp-a-period": "    return torch.from_numpy(np.interp(x.numpy(), [0, 1], [0, 1], period=2))",
    "nanmean-other-arguments": "    return torch.from_numpy(np.nanmean(x.numpy(), axis=0, keepdims=True))",
    "select-no-lists": (
        "    conditions = [x.numpy() > 0]\n    return torch.from_numpy(np.select(conditions, [x.numpy()]))"
    ),
    "ufunc-with-a-start": "    return torch.as_tensor(np.add.reduce(x.numpy(), initial=2))",
    "digitize-to-the-right": "    return torch.from_numpy(np.digitize(x.numpy(), np.arange(3), right=True))",
    "permutation-of-an-array": "    return torch.from_numpy(np.random.permutation(x.numpy()))",
    "numpy-drawn-many": "    return x * np.random.uniform(0.0, 1.0) ** 2",
    "by_math-of-arrays": "    y = np.sqrt(x.numpy()[0])\n    return x * 2 if y > n else x",
    "by_math-along-an-axis": "    y = np.prod([[n, n], [n, n]], axis=0)[0]\n    return x * 2 if y > x.shape[0] else x",
    "with_output_size-of-tensors": "    return x.repeat_interleave(torch.tensor([x.argmax(), n]))",
    "checked_in_graph-a-value": "    y = x + 1\n    return y, torch._check_tensor_all(y > 0)",
    "identity-changed-meanwhile": (
        "    same = torch.eye(n).bool()\n    same[0, 0] = False\n    return x[None][..., same].sum(), x[same]"
    ),
    "identity-not-square": "    same = torch.eye(n, 3).bool()\n    return x[same], x[~torch.eye(n, n + 1).bool()]",
    "identity-of-another-tensor": (
        "    same = torch.eye(n).bool()\n    if n > 2:\n        same = x > 0\n    return x[same].sum(0, keepdim=True)"
    ),
    "all_values-counted": (
        "    v = torch.unique(x)\n    y = torch.where((v > 1).any(), x, x + 1)\n    return y, v.numel()"
    ),
    "all_values-compared-with-others": (
        "    v = torch.unique(x)\n    ok = (v == torch.arange(3)).all()\n    return torch.where(ok, x, x + 1)"
    ),
    "all_values-summed": "    v = torch.unique(x)\n    return x * (v > 1).sum()",
    "all_values-and-their-counts": (
        "    v, counts = torch.unique(x, return_counts=True)\n    return torch.where((v > 1).any(), x, x + 1)"
    ),
    "size_of_operand-perhaps-a-scale": (
        "    m = helper(n)\n    return x * m.repeat_interleave(x.long(), dim=0), m.sum()"
    ),
    "size_of_operand-a-total": (
        "    k = helper(n).long()\n    total = torch.zeros(())\n    total = total + x.repeat_interleave(k, dim=0)\n"
        "    return total"
    ),
    "size_of_operand-perhaps-never": (
        "    k = helper(n).long()\n    y = torch.repeat_interleave(x, k, dim=0)\n    if n > 2:\n        x = x - y\n"
        "    return x, y"
    ),
    "size_of_operand-another-meanwhile": (
        "    k = helper(n).long()\n    y = torch.repeat_interleave(x, k, dim=0)\n    x = torch.cat([y, y])\n"
        "    x = x - y\n    return x"
    ),
    "moved_out-leaves-the-function": (
        "    for v in x:\n"
        "        if v.dim():\n"
        "            open('/dev/null').close()\n"
        "            return v\n"
        "    return x"
    ),
    "returned_early-helper-in-place": (
        "    if x.sum() > 0:\n        return doubled(x)\n    return x\n\n\ndef doubled(x):\n    x.mul_(2)\n    return x"
    ),
    "returned_early-helper-of-a-view": (
        "    if x.sum() > 0:\n        return doubled(x)\n    return x\n\n\n"
        "def doubled(x):\n    y = x.view(-1)\n    y.mul_(2)\n    return y"
    ),
    "returned_early-helper-in-a-circle": (
        "    if x.sum() > 0:\n        return again(x)\n    return x\n\n\n"
        "def again(x):\n    y = again(x).mul(2)\n    return y"
    ),
    "the_same_tensor-not-remembered": "    if f.last != x.sum():\n        f.last = x\n    return x",
    "returned_from_loop-helper-remembers": (
        "    for i in range(n):\n        noted(x)\n        if x.sum() > i:\n            x = x + 1\n"
        "            return x\n    return x\n\n\nseen = []\n\n\ndef noted(x):\n    seen.append(x)"
    ),
    "returned_from_loop-set-by-the-step": (
        "    for i in range(n):\n        x = x * 2\n        if x.sum() > i:\n            x = x + 1\n"
        "            return x\n    return x"
    ),
    "listed_by_product-read-as-an-array": (
        "    rows = np.array([g.ravel() for g in np.meshgrid(*[[0, 1], [2, n]], indexing='ij')]).T\n"
        "    return [x[slice(row[0], row[1])] for row in rows], rows.sum()"
    ),
    "moved_out-resumes": "    y = x + 1\n    names = open('/dev/null').read()\n    return y, names",
    "asked_if_different-another-default": "    y = 0.5 * n if x.sum() > 0 else 0.0\n    return x * y",
    "seeded_in_graph-a-fraction": "    y = x + 1\n    torch.manual_seed(0.5)\n    return y + torch.rand(4)",
    "seeded_in_graph-returned": "    y = x + 1\n    return y, torch.manual_seed(n)",
    "recorded-result": "    y = x + 1\n    text = str(open('/dev/null'))\n    return y * len(text)",
}


def _changes_code(fix: Fix) -> bool:
    return fix.applicability != "display" and not fix.last_resort


@pytest.mark.parametrize("name", REFUSED)
def test_near_miss_is_left_alone(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a safe nor an unsafe fix changes the code, except settings of torch."""
    monkeypatch.chdir(tmp_path)
    source = f"{HEAD}{REFUSED[name]}\n\n\ndef helper(n):\n    return torch.ones(n)\n"
    path = tmp_path / "example.py"
    path.write_text(source, encoding="utf-8")
    request = LintRequest((path,), entries=("example:f",))
    result = fix_files(
        request, Config(tmp_path).with_values(torch_version=TORCH), lambda _finding, each, _key: _changes_code(each)
    )
    assert result.outcome.report.findings
    assert next(iter(result.texts.values()), source) == source


def test_helper_is_added_once_and_replaces_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two calls share a helper; another function of the same name prevents it."""
    monkeypatch.chdir(tmp_path)
    call = "torch.from_numpy(np.interp(x.numpy(), [0, 1], [0, 1]))"
    source = f"{HEAD}    a = {call}\n    return a + {call}\n"
    path = tmp_path / "example.py"
    for before, count in ((source, 1), (f"{source}\n\ndef _interp(x):\n    return x\n", 0)):
        path.write_text(before, encoding="utf-8")
        result = fix_files(
            LintRequest((path,), entries=("example:f",)),
            Config(tmp_path).with_values(torch_version=TORCH),
            lambda *_: True,
        )
        text = next(iter(result.texts.values()), before)
        assert text.count("def _interp(x: np.ndarray") == count
        assert text.count("np.interp(x.numpy()") == (0 if count else 2)


STEPS = """\
import torch


class Steps(torch.nn.Module):
    def __init__(self, count: int) -> None:
        super().__init__()
        self.count = count
        self.levels = torch.linspace(-5.0, 5.0, count)
        {made}

    def reset(self) -> None:
        {changed}

    def forward(self, x: torch.Tensor, n: int = 2) -> list[torch.Tensor]:
        {before}
        last = ({computed}).item()
        return [x] * last


steps = torch.compile(Steps(12))
steps(torch.ones(4))
"""
KEPT = {"made": "pass", "changed": "pass", "before": "pass", "computed": "self.levels.argmax()"}
CHANGED = {
    "kept-set-later": {"changed": "self.levels = torch.ones(3)"},
    "kept-changed-in-place": {"changed": "self.levels.mul_(2)"},
    "kept-set-with-another": {"changed": "self.count, self.levels = 1, torch.ones(3)"},
    "kept-written-to": {"changed": "self.levels[0] = 7"},
    "kept-a-buffer": {"made": "self.levels = torch.nn.Buffer(self.levels)"},
    "kept-registered": {"made": "self.register_buffer('level', self.levels)", "computed": "self.level.argmax()"},
    "kept-of-an-argument": {"computed": "self.levels.argmax() * n"},
    "kept-of-a-tensor": {"computed": "x.argmax() * self.count"},
    "kept-drawn": {"computed": "torch.randint(self.count, ())"},
    "kept-of-a-variable": {"before": "m = x.argmax()", "computed": "self.levels.argmax() + m"},
    "kept-sometimes": {"before": "m = 1 if n else 2", "computed": "self.levels.argmax() + m"},
    "kept-in-a-loop": {"before": "for m in range(3): pass", "computed": "self.levels.argmax() + m"},
    "kept-returns": {"made": "return"},
}


@pytest.mark.parametrize("name", ["", *CHANGED])
def test_changing_value_is_not_moved_to_init(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A number moves to ``__init__`` only if nothing changes the values from which it is computed."""
    monkeypatch.chdir(tmp_path)
    source = STEPS.format(**{**KEPT, **CHANGED.get(name, {})})
    path = tmp_path / "example.py"
    path.write_text(source, encoding="utf-8")
    result = fix_files(
        LintRequest((path,)),
        Config(tmp_path).with_values(torch_version=TORCH),
        lambda _finding, each, _key: _changes_code(each),
    )
    assert result.originals
    assert ("self._last = " in next(iter(result.texts.values()), source)) is not bool(name)


CONV = """\
import torch
from torch import nn


class Conv(nn.Module):
    def __init__(self, stride: int) -> None:
        super().__init__()
        stride = torch.tensor({number}, dtype=torch.int64)
        self.stride = nn.Buffer(stride, persistent={saved})
        self.weights = nn.Buffer(torch.ones(3), persistent=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        missing = torch.ceil(x.shape[-1] / self.stride){whole} - 1
        if {asked} > 0:
            return [x]
        return [{other}]

    def length(self, n: torch.Tensor) -> torch.Tensor:
        return torch.ceil(n.to(self.stride.device) / self.stride).long()


conv = torch.compile(Conv(5))
conv(torch.randn(2, 9))
"""
HELD = {"number": "stride", "saved": "False", "whole": ".long()", "asked": "missing", "other": "x, x"}
NOT_HELD = {
    "as_number-saved": {"saved": "True"},
    "as_number-many": {"number": "[stride, 2]"},
    "as_number-a-fraction": {"number": "stride / 2"},
    "as_number-not-converted": {"whole": ""},
    "as_number-asks-for-something-else": {"asked": "x.sum()"},
    "as_number-asked-for-its-device": {"other": "x, missing.device"},
    "as_number-of-a-tensor": {"asked": "torch.ceil(x.sum() / self.stride).long()"},
    "as_number-a-name-that-is-taken": {"other": "x, self._stride"},
}


@pytest.mark.parametrize("name", ["", *NOT_HELD])
def test_buffer_that_is_needed_stays(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A number replaces a buffer only if the buffer holds one integer and no tensor is needed."""
    monkeypatch.chdir(tmp_path)
    source = CONV.format(**{**HELD, **NOT_HELD.get(name, {})})
    path = tmp_path / "example.py"
    path.write_text(source, encoding="utf-8")
    result = fix_files(
        LintRequest((path,)),
        Config(tmp_path).with_values(torch_version=TORCH),
        lambda _finding, each, _key: _changes_code(each),
    )
    assert ("self._stride = stride_number" in next(iter(result.texts.values()), source)) is not bool(name)


LOGARITHMS = """\
import math

import numpy as np
import torch


def subtracted(one: float, other: float) -> float:
    if one < other:
        raise ValueError("negative")
    return one + math.log(2) - other


def f(values: np.ndarray) -> float:
    total = -np.inf
    for each in values:
        total = subtracted(total, each)
    return total
"""


def test_check_of_numbers_is_not_asserted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A comparison of values that are numbers in the first call may be a bool, and `~True` is -2, which is true."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "example.py"
    path.write_text(LOGARITHMS, encoding="utf-8")
    result = fix_files(
        LintRequest((path,), entries=("example:f",)),
        Config(tmp_path).with_values(torch_version=TORCH),
        lambda _finding, each, _key: each.applicability in ("safe", "unsafe"),
    )
    assert all("_assert_async" not in text for text in result.texts.values())
