"""Programs in which a naive unsafe fix goes wrong on ordinary inputs: effects, writes in place, guards, loops."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.fix.masked_cases import MASKED_CASES
from tests.fix.program import NAN, Case, X
from tests.fix.test_safe_fixes import CASES as OTHERS
from tests.fix.test_safe_fixes import CAUGHT
from tests.oracle.dynamo import observed_meanings
from tests.oracle.linter import fixed

pytestmark = pytest.mark.slow

ROW = {"x": "torch.tensor([1.0, -2.0, 3.0])"}
ZEROS = {"x": "torch.zeros(3)"}
CASES = {
    "elem-zero": Case("i = x.argmax()\nx[i].zero_()\nreturn x", (ROW,)),
    "elem-aug": Case("i = x.argmax()\nx[i] += 1\nreturn x", (ROW,)),
    "elem-view-method": Case("y = x.clone().reshape(3, 1)\ni = x.argmax()\ny[i].view(-1).mul_(3)\nreturn y", (ROW,)),
    "elem-out": Case("y = x.clone()\ni = x.argmax()\nz = y[i]\ntorch.add(z, 1, out=z)\nreturn y", (ROW,)),
    "loop-ret-i": Case(
        ("for i in range(5):\n    x = x / 2\n    if x.sum() < 1:\n        x = x + 1\n        return x, i\nreturn x, i"),
        (
            ROW,
            ZEROS,
        ),
    ),
    "loop-break-list": Case(
        (
            "seen = []\nfor i in range(5):\n    x = x / 2\n    seen.append(i)\n"
            "    if x.abs().max() < 0.5:\n        break\nreturn x, len(seen)"
        ),
        (
            ROW,
            ZEROS,
        ),
    ),
    "loop-break-inf": Case(
        ("y = x\nfor i in range(5):\n    if y.abs().max() > 1e30:\n        break\n    y = y * 1e20\nreturn y"),
        (
            ROW,
            {"x": "torch.ones(3,requires_grad=True)"},
        ),
    ),
    "loop-break-int": Case(
        (
            "n = 0\nfor i in range(5):\n    if x.abs().max() < 0.5:\n        break\n"
            "    x = x / 2\n    n = n + 1\nreturn x * n"
        ),
        (
            ROW,
            ZEROS,
        ),
    ),
    "while-count-after": Case(
        "i = 0\nwhile i < 5 and x.abs().sum() > 1:\n    x = x / 2\n    i += 1\nreturn x, i",
        (
            ROW,
            ZEROS,
        ),
    ),
    "cont-counter": Case(
        ("n = 0\nfor i in range(4):\n    if x.sum() > i:\n        continue\n    n += 1\n    x = x * 2\nreturn x * n"),
        (
            ROW,
            ZEROS,
        ),
    ),
    "if-neg": Case(
        "y = x * 1\nif not x.sum() > 0:\n    y = y + 1\nreturn y",
        (
            ROW,
            ZEROS,
            NAN,
        ),
    ),
    "if-or": Case(
        "y = x * 1\nif x.sum() > 0 or x.max() > 1:\n    y = y + 1\nreturn y",
        (
            ROW,
            ZEROS,
            NAN,
        ),
    ),
    "if-or-flag": Case(
        "y = x * 1\nif flag or x.max() > 1:\n    y = y + 1\nreturn y",
        (
            {**ROW, "flag": "True"},
            {**ROW, "flag": "False"},
            {**ZEROS, "flag": "False"},
        ),
        call="f(x, flag)",
        parameters="x: torch.Tensor, flag: bool = False",
    ),
    "if-none-or": Case(
        "y = x * 1\nif w is None or w.sum() > 1:\n    y = y + 1\nreturn y",
        (
            {**ROW, "w": "None"},
            {**ROW, "w": "torch.ones(3)"},
            {**ZEROS, "w": "torch.zeros(3)"},
        ),
        call="f(x, w)",
        parameters="x: torch.Tensor, w=None",
    ),
    "if-elif": Case(
        ("y = x * 1\nif x.sum() > 3:\n    y = y + 1\nelif x.sum() > 1:\n    y = y + 2\nelse:\n    y = y + 3\nreturn y"),
        (
            ROW,
            ZEROS,
            NAN,
        ),
    ),
    "if-elif-chain": Case(
        (
            "y = x * 1\nz = x * 2\nif x.sum() > 3:\n    y = y + 1\nelif x.sum() > 1:\n"
            "    y = y + z\n    z = z * 2\nelse:\n    z = z + y\nreturn y, z"
        ),
        (
            ROW,
            ZEROS,
            NAN,
        ),
    ),
    "if-swap": Case(
        "a = x * 1\nb = x * 2\nif x.sum() > 1:\n    a, b = b, a\nreturn a, b",
        (
            ROW,
            ZEROS,
        ),
    ),
    "if-swap2": Case(
        "a = x * 1\nb = x * 2\nif x.sum() > 1:\n    t = a\n    a = b\n    b = t\nreturn a, b",
        (
            ROW,
            ZEROS,
        ),
    ),
    "if-aug-alias": Case(
        "y = x\nif x.sum() > 1:\n    y += 1\nreturn x, y",
        (
            ROW,
            ZEROS,
        ),
    ),
    "if-aug-cond": Case(
        "y = x * 1\nif y.sum() > 1:\n    y += 1\n    y *= 2\nreturn y",
        (
            ROW,
            ZEROS,
        ),
    ),
    "if-aug-int": Case(
        "y = x.long()\nif x.sum() > 1:\n    y += 1\nreturn y",
        (
            ROW,
            ZEROS,
            {"x": "torch.ones(3,dtype=torch.int64)"},
        ),
    ),
    "if-self": Case(
        "return net(x), net.s",
        (
            ROW,
            ZEROS,
        ),
        extra=(
            "class N(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            "        self.s = torch.zeros(3)\n    def forward(self, x):\n"
            "        if x.sum() > 1:\n            self.s = x * 2\n        return x + self.s\n"
            "net = N()"
        ),
    ),
    "if-buffer": Case(
        "return net(x), net.s",
        (
            ROW,
            ZEROS,
        ),
        extra=(
            "class N(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            "        self.register_buffer('s', torch.zeros(3))\n    def forward(self, x):\n"
            "        if x.sum() > 1:\n            self.s.copy_(x * 2)\n"
            "        return x + self.s\nnet = N()"
        ),
    ),
    "if-buffer-add": Case(
        "return net(x), net.s",
        (
            ROW,
            ZEROS,
            {"x": "torch.tensor([1.,float('nan'),2.])"},
        ),
        extra=(
            "class N(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            "        self.register_buffer('s', torch.zeros(3))\n    def forward(self, x):\n"
            "        if x.sum() > 1:\n            self.s.mul_(0.5).add_(x, alpha=2)\n"
            "        return x + self.s\nnet = N()"
        ),
    ),
    "tern-none": Case(
        "y = x + 1 if x.sum() > 1 else None\nreturn x if y is None else y",
        (
            ROW,
            ZEROS,
        ),
    ),
    "tern-num": Case(
        "s = 2.0 if x.sum() > 1 else 0.5\nreturn x * s",
        (
            ROW,
            ZEROS,
            {"x": "torch.ones(3,dtype=torch.float16)"},
            {"x": "torch.ones(3,dtype=torch.int64)"},
        ),
    ),
    "tern-int": Case(
        "s = 2 if x.sum() > 1 else 3\nreturn x * s",
        (
            ROW,
            ZEROS,
            {"x": "torch.ones(3,dtype=torch.uint8)"},
            {"x": "torch.ones(3,dtype=torch.int64)"},
        ),
    ),
    "tern-int-big": Case(
        "s = 2 if x.sum() > 1 else 300\nreturn x * s",
        (
            ROW,
            ZEROS,
            {"x": "torch.zeros(3,dtype=torch.uint8)"},
        ),
    ),
    "tern-str": Case(
        "m = 'a' if x.sum() > 1 else 'bb'\nreturn x * len(m)",
        (
            ROW,
            ZEROS,
        ),
    ),
    "tern-draw": Case(
        "return x * torch.rand(3) if x.sum() > 1 else x",
        (
            ROW,
            ZEROS,
        ),
    ),
    "ret-early": Case(
        "if x.sum() > 1:\n    return x * 2\ny = x - 1\nreturn y * 3",
        (
            ROW,
            ZEROS,
            NAN,
        ),
    ),
    "ret-early-write": Case(
        "if x.sum() > 1:\n    return x * 2\ny = x.clone()\ny[0] = 5\nreturn y",
        (
            ROW,
            ZEROS,
        ),
    ),
    "ret-early-raise": Case(
        ("if x.sum() > 1:\n    return x * 2\nif x.numel() > 2:\n    raise ValueError('no')\nreturn x * 3"),
        (
            ROW,
            ZEROS,
        ),
    ),
    "ret-early-assert": Case(
        "if x.sum() > 1:\n    return x * 2\nassert x.numel() < 2\nreturn x * 3",
        (
            ROW,
            ZEROS,
        ),
    ),
    "ret-none": Case(
        "if x.sum() > 1:\n    return None\nreturn x * 2",
        (
            ROW,
            ZEROS,
        ),
    ),
    "mask-sum": Case(
        "m = x > 0\nreturn x[m].sum(), x[m].mean(), x[m].max(), x[m].min()",
        (
            ROW,
            {"x": "torch.tensor([1.,2.,float('inf')])"},
            {"x": "torch.tensor([-1.,float('nan'),2.])"},
        ),
    ),
    "mask-prod": Case(
        "m = x > 0\nreturn x[m].prod()",
        (
            ROW,
            {"x": "torch.tensor([1.,2.,float('inf')],requires_grad=True)"},
            {"x": "torch.tensor([0.,0.,2.],requires_grad=True)"},
        ),
    ),
    "mask-any": Case(
        "m = x > 0\nreturn (x[m] > 2).any(), (x[m] > 2).all()",
        (
            ROW,
            ZEROS,
        ),
    ),
    "mask-mean-2d": Case("m = x > 0\nreturn x[m].mean()", ({"x": "torch.randn(3,4)"},)),
    "mask-rows": Case(
        "m = x.sum(-1) > 0\nreturn x[m].sum()",
        (
            {"x": "torch.randn(3,4)"},
            {"x": "torch.full((3,4),float('nan'))"},
            {"x": "torch.ones(3,4).mul(float('inf'))"},
        ),
    ),
    "mask-loss": Case(
        "m = y > 0\nreturn F.mse_loss(x[m], y[m]), F.l1_loss(x[m], y[m])",
        (
            {"x": "torch.randn(3,requires_grad=True)", "y": "torch.randn(3)"},
            {"x": "torch.tensor([float('nan'),1.,2.],requires_grad=True)", "y": "torch.tensor([-1.,1.,2.])"},
        ),
        call="f(x, y)",
        parameters="x: torch.Tensor, y: torch.Tensor",
        extra="import torch.nn.functional as F",
    ),
    "mask-assign": Case(
        "m = x > 0\ny = x * 2\nx[m] = y[m] * 3\nreturn x",
        (
            ROW,
            ZEROS,
            {"x": "torch.tensor([1.,float('nan'),float('inf')])"},
        ),
    ),
    "mask-empty2": Case(
        "m = x > 0\nif m.any():\n    x[m] = 7\nreturn x",
        (
            ROW,
            ZEROS,
        ),
    ),
    "mask-view-size": Case(
        "m = x > 0\nreturn x[m].view(n, 1)", ({**ROW, "n": "2"},), call="f(x, n)", parameters="x: torch.Tensor, n: int"
    ),
    "count": Case(
        "return x / len(x.nonzero())",
        (
            ROW,
            ZEROS,
        ),
    ),
    "count-where": Case(
        "return x / torch.where(x > 0)[0].shape[0]",
        (
            ROW,
            ZEROS,
        ),
    ),
    "unique": Case(
        "return x / len(x.unique())",
        (
            ROW,
            ZEROS,
            {"x": "torch.tensor([1.,float('nan'),float('nan')])"},
            {"x": "torch.tensor([0.,-0.])"},
            {"x": "torch.zeros(0)"},
            {"x": "torch.zeros(2,2)"},
        ),
    ),
    "bincount": Case(
        "return torch.bincount(k, minlength=4) + 0",
        (
            {"k": "torch.tensor([1,1,3])"},
            {"k": "torch.tensor([0,1],dtype=torch.uint8)"},
            {"k": "torch.zeros(0,dtype=torch.int64)"},
        ),
        call="f(k)",
        parameters="k: torch.Tensor",
    ),
    "stack-any": Case(
        "y = x + 1\nif any(t.sum() > 1 for t in [x, y]):\n    y = y * 2\nreturn y",
        (
            ROW,
            ZEROS,
            NAN,
        ),
    ),
    "stack-all-none": Case(
        ("y = x + 1\nif all(t.sum() > 1 for t in [x, y] if t.numel() > 10):\n    y = y * 2\nreturn y"),
        (
            ROW,
            ZEROS,
        ),
    ),
    "gather-neg": Case("return torch.stack([x[i] for i in x.argsort() - 1])", (ROW,)),
    "searchsorted": Case(
        "return x * bisect.bisect_left(x.tolist(), 2.0)",
        (
            {"x": "torch.tensor([1.,2.,3.])"},
            {"x": "torch.tensor([1.,2.,2.1])"},
        ),
        imports=("bisect",),
    ),
    "keep": Case(
        ("return torch.tensor(x.sum().item()), torch.tensor([x.max().item(), x.min().item()])"),
        (
            ROW,
            ZEROS,
            {"x": "torch.ones(3,dtype=torch.float64)"},
        ),
    ),
    "keep-alias": Case("s = x.sum()\nt = torch.tensor(s.item())\ns.add_(1)\nreturn t", (ROW,)),
    "keep-dtype": Case(
        "return torch.tensor(x.sum().item(), dtype=torch.float64)",
        (
            ROW,
            ZEROS,
        ),
    ),
    "keep-grad": Case("return torch.tensor(x.sum().item(), requires_grad=True) * 2", (X,)),
    "max-number": Case(
        ("return x * max(x.max().item(), 1.0), x * min(x.min().item(), 0), x * abs(x.min().item())"),
        (
            ROW,
            ZEROS,
            NAN,
        ),
    ),
    "fill": Case(
        "return torch.full((3,), x.sum().item()), x.masked_fill(x > 0, x.mean().item())",
        (
            ROW,
            ZEROS,
        ),
    ),
    "compare-number": Case(
        "if x.sum().item() > 1:\n    x = x * 2\nreturn x * 1",
        (
            ROW,
            ZEROS,
            NAN,
            {"x": "torch.tensor([16777217],dtype=torch.int32)"},
        ),
    ),
    "compare-chain": Case(
        "y = x * 1\nif 0 < x.sum().item() < 3:\n    y = y * 2\nreturn y",
        (
            ROW,
            ZEROS,
            NAN,
        ),
    ),
    "raise-in-caller": Case(
        "return g(x)",
        (
            ROW,
            ZEROS,
        ),
        call="caught(x)",
        extra="def g(x):\n    if (x > 2).any():\n        raise ValueError('big')\n    return x\n" + CAUGHT,
    ),
    "mask-empty": Case(
        "m = x > 0\nif m.any():\n    x = x + x[m].max()\nreturn x",
        (
            ROW,
            ZEROS,
        ),
    ),
    "cont-append": Case(
        (
            "seen = []\nfor i in range(4):\n    if x.sum() > i:\n        continue\n"
            "    seen.append(i)\n    x = x * 2\nreturn x, len(seen)"
        ),
        (
            ROW,
            ZEROS,
        ),
    ),
    "cont-cache": Case(
        (
            "kept = {}\nfor i in range(4):\n    if x.sum() > i:\n        continue\n"
            "    x = step(x, kept)\nreturn x, len(kept)"
        ),
        (
            ROW,
            ZEROS,
        ),
        extra="def step(x, kept):\n    kept[len(kept)] = x\n    return x * 2",
    ),
    "cont-list": Case(
        ("for i in range(4):\n    if x.sum() > i:\n        continue\n    x = step(x, kept)\nreturn x, len(kept)"),
        (
            ROW,
            ZEROS,
        ),
        call="(kept.clear(), f(x))",
        extra="kept = []\ndef step(x, kept):\n    kept.append(x)\n    return x * 2",
    ),
    "cont-closure": Case(
        ("for i in range(4):\n    if x.sum() > i:\n        continue\n    x = step(x)\nreturn x, len(kept)"),
        (
            ROW,
            ZEROS,
        ),
        call="(kept.clear(), f(x))",
        extra="kept = []\ndef step(x):\n    kept.append(x)\n    return x * 2",
    ),
    "cont-raise": Case(
        ("for i in range(4):\n    if x.sum() > i:\n        continue\n    x = step(x, i)\nreturn x"),
        (
            ROW,
            ZEROS,
        ),
        extra="def step(x, i):\n    if i < 2:\n        raise ValueError('no')\n    return x * 2",
    ),
    "cont-batchnorm": Case(
        "return net(x[None].repeat(4, 1)), net.b.running_mean",
        (
            ROW,
            ZEROS,
        ),
        extra=(
            "class N(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            "        self.b = torch.nn.BatchNorm1d(3)\n    def forward(self, x):\n"
            "        for i in range(3):\n            if x.sum() > i:\n                continue\n"
            "            x = self.b(x)\n        return x\nnet = N()"
        ),
    ),
    "cont-module-counter": Case(
        "return net(x), net.s.n",
        (
            ROW,
            ZEROS,
        ),
        extra=(
            "class S(torch.nn.Module):\n    n = 0\n    def forward(self, x):\n"
            "        self.n += 1\n        return x * 2\nclass N(torch.nn.Module):\n"
            "    def __init__(self):\n        super().__init__()\n        self.s = S()\n"
            "    def forward(self, x):\n        for i in range(3):\n"
            "            if x.sum() > i:\n                continue\n            x = self.s(x)\n"
            "        return x\nnet = N()"
        ),
    ),
    "cont-inplace": Case(
        (
            "y = x.clone()\nfor i in range(3):\n    if y.sum() > i:\n        continue\n"
            "    y.mul_(2)\n    y = y + 1\nreturn y"
        ),
        (
            ROW,
            ZEROS,
        ),
    ),
    "cont-inplace-call": Case(
        ("y = x.clone()\nfor i in range(3):\n    if y.sum() > i:\n        continue\n    y = step(y)\nreturn y"),
        (
            ROW,
            ZEROS,
        ),
        extra="def step(y):\n    y.add_(1)\n    return y",
    ),
    "flag-cache": Case(
        (
            "kept = {}\nfor i in range(4):\n    skip = x.sum() > i\n    if not skip:\n"
            "        x = step(x, kept)\nreturn x, len(kept)"
        ),
        (
            ROW,
            ZEROS,
        ),
        extra="def step(x, kept):\n    kept[len(kept)] = x\n    return x * 2",
    ),
    "flag-global": Case(
        ("for i in range(4):\n    skip = x.sum() > i\n    if not skip:\n        x = step(x)\nreturn x, len(kept)"),
        (
            ROW,
            ZEROS,
        ),
        call="(kept.clear(), f(x))",
        extra="kept = []\ndef step(x):\n    kept.append(x)\n    return x * 2",
    ),
    "flag-print": Case(
        ("for i in range(4):\n    skip = x.sum() > i\n    if not skip:\n        x = step(x)\nreturn x"),
        (
            ROW,
            ZEROS,
        ),
        extra="def step(x):\n    print('step')\n    return x * 2",
    ),
    "flag-inplace": Case(
        ("y = x.clone()\nfor i in range(4):\n    skip = y.sum() > i\n    if not skip:\n        y += 1\nreturn y"),
        (
            ROW,
            ZEROS,
        ),
    ),
    "flag-inplace-call": Case(
        ("y = x.clone()\nfor i in range(4):\n    skip = y.sum() > i\n    if not skip:\n        y = step(y)\nreturn y"),
        (
            ROW,
            ZEROS,
        ),
        extra="def step(y):\n    y.add_(1)\n    return y",
    ),
    "always-inplace-call": Case(
        "y = x.clone()\nif y.sum() > 0:\n    y = step(y)\n    y = y * 2\nreturn y",
        (
            ROW,
            ZEROS,
        ),
        extra="def step(y):\n    y.add_(1)\n    return y",
    ),
    "cond-global": Case(
        "if x.sum() > 0:\n    y = g(x)\nelse:\n    y = h(x)\nreturn y, len(kept)",
        (
            ROW,
            ZEROS,
        ),
        call="(kept.clear(), f(x))",
        extra=("kept = []\ndef g(x):\n    kept.append(1)\n    return x * 2\ndef h(x):\n    return x * 3"),
    ),
    "cond-dropout": Case(
        (
            "if x.sum() > 0:\n    y = torch.nn.functional.dropout(x, 0.5)\nelse:\n    y = x * 1\n"
            "return y + torch.rand(3)"
        ),
        (
            ROW,
            ZEROS,
        ),
    ),
    "cond-module": Case(
        "return net(x)",
        (
            ROW,
            ZEROS,
            NAN,
        ),
        extra=(
            "class N(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            "        torch.manual_seed(0)\n        self.a = torch.nn.Linear(3, 3)\n"
            "        self.b = torch.nn.Linear(3, 3)\n    def forward(self, x):\n"
            "        if x.sum() > 0:\n            y = self.a(x)\n        else:\n"
            "            y = self.b(x)\n        return y\nnet = N()"
        ),
    ),
    "cond-bn": Case(
        "return net(x[None].repeat(4, 1)), net.a.running_mean",
        (
            ROW,
            ZEROS,
        ),
        extra=(
            "class N(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            "        self.a = torch.nn.BatchNorm1d(3)\n    def forward(self, x):\n"
            "        y = x\n        if x.sum() > 0:\n            y = self.a(x)\n"
            "        return y\nnet = N()"
        ),
    ),
    "both": Case(
        (
            "if x.sum() > 0:\n    mode = 'nearest'\nelse:\n    mode = 'linear'\n"
            "y = torch.nn.functional.interpolate(x[None, None], scale_factor=2, mode=mode)\n"
            "return y"
        ),
        (
            ROW,
            ZEROS,
        ),
    ),
    "both-effect": Case(
        ("if x.sum() > 0:\n    mode = 'a'\nelse:\n    mode = 'b'\ny = g(x, mode)\nreturn y, len(kept)"),
        (
            ROW,
            ZEROS,
        ),
        call="(kept.clear(), f(x))",
        extra=("kept = []\ndef g(x, mode):\n    kept.append(mode)\n    return x * (2 if mode == 'a' else 3)"),
    ),
    "both-random": Case(
        "if x.sum() > 0:\n    mode = 'a'\nelse:\n    mode = 'b'\ny = g(x, mode)\nreturn y",
        (
            ROW,
            ZEROS,
        ),
        extra="def g(x, mode):\n    return x * torch.rand(3) * (2 if mode == 'a' else 3)",
    ),
    "both-inplace": Case(
        ("y = x.clone()\nif x.sum() > 0:\n    mode = 'a'\nelse:\n    mode = 'b'\ny = g(y, mode)\nreturn y"),
        (
            ROW,
            ZEROS,
        ),
        extra="def g(x, mode):\n    return x.add_(2 if mode == 'a' else 3)",
    ),
    "where-prop": Case(
        "if x.sum() > 0:\n    h.v = x * 2\nreturn x + h.n",
        (
            ROW,
            ZEROS,
        ),
        call="(setattr(h, 'n', 0), f(x))",
        extra=(
            "class H:\n    n = 0\n    _v = torch.ones(3)\n    @property\n    def v(self):\n"
            "        return self._v\n    @v.setter\n    def v(self, new):\n        self.n += 1\n"
            "        self._v = new\nh = H()"
        ),
    ),
    "where-dict-new": Case(
        "d = {'a': x}\nif x.sum() > 0:\n    d['a'] = x * 2\nreturn d['a'], list(d)",
        (
            ROW,
            ZEROS,
        ),
    ),
    "where-closure": Case(
        "y = x * 1\ng = lambda: y\nif x.sum() > 0:\n    y = y * 2\nreturn g()",
        (
            ROW,
            ZEROS,
        ),
    ),
    "where-nonlocal": Case(
        ("y = x * 1\ndef g():\n    nonlocal y\n    if x.sum() > 0:\n        y = y * 2\ng()\nreturn y"),
        (
            ROW,
            ZEROS,
        ),
    ),
    "where-global": Case(
        "global Y\nif x.sum() > 0:\n    Y = x * 2\nreturn Y",
        (
            ROW,
            ZEROS,
        ),
        call="(f(x), Y)",
        extra="Y = torch.zeros(3)",
    ),
    "where-walrus": Case(
        "y = x * 1\nif (s := x.sum()) > 0:\n    y = y * s\nreturn y, s",
        (
            ROW,
            ZEROS,
        ),
    ),
    "where-async": Case(
        "y = x * 1\nif x.sum() > 0:\n    y = y * 2\nreturn y",
        (
            ROW,
            ZEROS,
        ),
        call="asyncio.run(k(x))",
        extra="import asyncio\nasync def k(x):\n    return f(x)",
    ),
    "where-match": Case(
        ("y = x * 1\nmatch 3:\n    case 3:\n        if x.sum() > 0:\n            y = y * 2\nreturn y"),
        (
            ROW,
            ZEROS,
        ),
    ),
    "where-with": Case(
        "y = x * 1\nwith torch.no_grad():\n    if x.sum() > 0:\n        y = y * 2\nreturn y",
        (
            X,
            ZEROS,
        ),
    ),
    "where-oneline": Case(
        "y = x * 1\nif x.sum() > 0: y = y * 2; y = y + 1\nreturn y",
        (
            ROW,
            ZEROS,
        ),
    ),
    "where-semi": Case(
        "y = x * 1; z = y\nif x.sum() > 0: y = y * 2\nelse: y = y * 3; z = y\nreturn y, z",
        (
            ROW,
            ZEROS,
        ),
    ),
    "where-comment": Case(
        ("y = x * 1\nif x.sum() > 0:  # type: ignore\n    # inner\n    y = y * 2  # why\n    # end\nreturn y"),
        (
            ROW,
            ZEROS,
        ),
    ),
    "where-nested-f": Case(
        "y = x * 1\nif x.sum() > 0:\n    y = y * len(f\"{'a' + f'{1}'}\")\nreturn y",
        (
            ROW,
            ZEROS,
        ),
    ),
    "where-genexp": Case(
        "return sum(t * 2 if t.sum() > 0 else t for t in [x, -x])",
        (
            ROW,
            ZEROS,
        ),
    ),
    "where-inplace-arg": Case(
        "if x.sum() > 0:\n    x = x.add_(1)\nreturn x",
        (
            ROW,
            ZEROS,
        ),
    ),
    "where-copy_": Case(
        "if x.sum() > 0:\n    x.copy_(x * 2)\nreturn x",
        (
            ROW,
            ZEROS,
            X,
        ),
    ),
    "where-zero_": Case(
        "y = x.clone()\nif not torch.isfinite(y).all():\n    y.zero_()\nreturn y",
        (
            ROW,
            {"x": "torch.tensor([1.,float('inf')])"},
            {"x": "torch.tensor([1,2])"},
        ),
    ),
    "nan-to-num": Case(
        "if torch.isnan(x).any():\n    x = torch.nan_to_num(x)\nreturn x * 1",
        (
            ROW,
            NAN,
        ),
    ),
    "half-clamp": Case(
        (
            "if x.dtype == torch.float16 and (torch.isinf(x).any() or torch.isnan(x).any()):\n"
            "    v = torch.finfo(x.dtype).max - 1000\n    x = torch.clamp(x, min=-v, max=v)\n"
            "return x * 1"
        ),
        (
            ROW,
            NAN,
            {"x": "torch.tensor([1.,float('inf')],dtype=torch.float16)"},
        ),
    ),
    "loop-break-alias": Case(
        ("y = x\nfor i in range(5):\n    if y.abs().max() < 5:\n        break\n    y = y * 2\ny.add_(1)\nreturn x, y"),
        (
            ROW,
            ZEROS,
        ),
    ),
    "branch-of-views": Case(
        "y = x[0]\nif x.sum() > 3:\n    y = x[1]\ny.add_(1)\nreturn x",
        (
            {"x": "torch.ones(3)"},
            {"x": "torch.ones(3) * 2"},
        ),
    ),
    "empty-ret": Case(
        ("y = x[x > 0]\nif len(y) == 0:\n    return torch.empty(0, 2)\nreturn torch.stack([y, y], 1)"),
        (
            ROW,
            ZEROS,
        ),
    ),
    "empty-ret-max": Case(
        "y = x[x > 0]\nif len(y) == 0:\n    return torch.empty(0)\nreturn y - y.max()",
        (
            ROW,
            ZEROS,
        ),
    ),
    "empty-ret-shape": Case(
        "y = x[x > 0]\nif y.shape[0] == 0:\n    return torch.zeros(0, 4)\nreturn y * 2",
        (
            ROW,
            ZEROS,
        ),
    ),
    "empty-ret-dtype": Case(
        ("y = x[x > 0]\nif y.numel() == 0:\n    return torch.zeros(0, dtype=torch.long)\nreturn y * 2"),
        (
            ROW,
            ZEROS,
        ),
    ),
    "empty-skip-call": Case(
        ("m = x > 0\nout = torch.zeros_like(x)\nif m.any():\n    out[m] = g(x[m])\nreturn out, len(kept)"),
        (
            ROW,
            ZEROS,
        ),
        call="(kept.clear(), f(x))",
        extra="kept = []\ndef g(v):\n    kept.append(1)\n    return v * 2",
    ),
    "empty-skip-first": Case(
        "m = x > 0\nout = torch.zeros_like(x)\nif m.any():\n    out[m] = x[m][0]\nreturn out",
        (
            ROW,
            ZEROS,
        ),
    ),
    "empty-skip-norm": Case(
        ("m = x > 0\nout = torch.zeros_like(x)\nif m.any():\n    out[m] = x[m] / x[m].sum()\nreturn out"),
        (
            ROW,
            ZEROS,
        ),
    ),
    "empty-skip-cat": Case(
        (
            "m = x > 0\nout = torch.zeros_like(x)\nif m.any():\n    v = x[m]\n"
            "    out[m] = torch.nn.functional.softmax(v, 0)\nreturn out"
        ),
        (
            ROW,
            ZEROS,
        ),
    ),
    "empty-skip-view": Case(
        (
            "m = x > 0\nout = torch.zeros_like(x)\nif m.any():\n    v = x[m].view(2, -1).sum(1)\n"
            "    out[m] = v\nreturn out"
        ),
        (
            ROW,
            ZEROS,
        ),
    ),
    "empty-skip-other": Case(
        ("m = x > 0\nk = x > 1\nout = torch.zeros_like(x)\nif m.any():\n    out[k] = 3\nreturn out"),
        (
            ROW,
            ZEROS,
            {"x": "torch.tensor([0.5])"},
        ),
    ),
    "empty-skip-two": Case(
        ("m = x > 0\nout = torch.zeros_like(x)\nif m.any():\n    out[m] = 3\n    out = out + 1\nreturn out"),
        (
            ROW,
            ZEROS,
        ),
    ),
    "empty-skip-draw": Case(
        (
            "m = x > 0\nout = torch.zeros_like(x)\nif m.any():\n"
            "    out[m] = x[m] * torch.rand(1)\nreturn out + torch.rand(3)"
        ),
        (
            ROW,
            ZEROS,
        ),
    ),
    "default-arg": Case(
        "y = n if x.sum() > 0 else 0\nreturn x * y",
        (
            {**ROW, "n": "0"},
            {**ROW, "n": "2"},
            {**ZEROS, "n": "2"},
        ),
        call="f(x, n)",
        parameters="x: torch.Tensor, n: int = 0",
    ),
    "default-nan": Case(
        "y = n * 2 if x.sum() > 0 else 0.0\nreturn x * y",
        (
            {**ROW, "n": "0.0"},
            {**ROW, "n": "float('nan')"},
            {**ZEROS, "n": "float('nan')"},
        ),
        call="f(x, n)",
        parameters="x: torch.Tensor, n: float = 0.0",
    ),
    "init-moved": Case(
        "return net(x)",
        (
            ROW,
            ZEROS,
        ),
        extra=(
            "class N(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            "        self.levels = torch.linspace(-1, 1, 3)\n    def forward(self, x):\n"
            "        n = self.levels.max().item()\n        return x * n\n    def scale(self):\n"
            "        self.levels = self.levels * 2\nnet = N()"
        ),
    ),
    "init-outside": Case(
        "net.levels = net.levels * 3\nreturn net(x)",
        (ROW,),
        extra=(
            "class N(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            "        self.levels = torch.linspace(-1, 1, 3)\n    def forward(self, x):\n"
            "        n = self.levels.max().item()\n        return x * n\nnet = N()"
        ),
    ),
    "init-setattr": Case(
        "return net(x)",
        (ROW,),
        extra=(
            "class N(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            "        self.levels = torch.linspace(-1, 1, 3)\n    def forward(self, x):\n"
            "        n = self.levels.max().item()\n        return x * n\n    def scale(self):\n"
            "        setattr(self, 'levels', self.levels * 2)\nnet = N()\nnet.scale()"
        ),
    ),
    "init-subclass": Case(
        "return net(x)",
        (ROW,),
        extra=(
            "class N(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            "        self.levels = torch.linspace(-1, 1, 3)\n    def forward(self, x):\n"
            "        n = self.levels.max().item()\n        return x * n\nnet = N()\nclass M(N):\n"
            "    def __init__(self):\n        super().__init__()\n"
            "        self.levels = self.levels * 5\nnet = M()"
        ),
    ),
    "init-loaded": Case(
        "net.load_state_dict({'levels': torch.ones(3) * 7})\nreturn net(x)",
        (ROW,),
        extra=(
            "class N(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            "        self.register_buffer('levels', torch.linspace(-1, 1, 3))\n"
            "    def forward(self, x):\n        n = self.levels.max().item()\n"
            "        return x * n\nnet = N()"
        ),
    ),
    "init-copy": Case(
        "m = copy.deepcopy(net)\nm.levels = m.levels * 4\nreturn m(x)",
        (ROW,),
        extra=(
            "import copy\nclass N(torch.nn.Module):\n    def __init__(self):\n"
            "        super().__init__()\n        self.levels = torch.linspace(-1, 1, 3)\n"
            "    def forward(self, x):\n        n = self.levels.max().item()\n"
            "        return x * n\nnet = N()"
        ),
    ),
    "hook-init": Case(
        "return net(x), net.n",
        (ROW,),
        extra=(
            "class N(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            "        self.lin = torch.nn.Identity()\n        self.ready = False\n"
            "        self.n = 0\n    def forward(self, x):\n        if not self.ready:\n"
            "            self.lin.register_forward_hook(self.seen)\n"
            "            self.ready = True\n        return self.lin(x) * 2\n"
            "    def seen(self, *a):\n        self.n += 1\nnet = N()"
        ),
    ),
    "hook-twice": Case(
        "return net(x), net.n",
        (ROW,),
        extra=(
            "class N(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            "        self.lin = torch.nn.Identity()\n        self.n = 0\n"
            "    def forward(self, x):\n        self.lin.register_forward_hook(self.seen)\n"
            "        return self.lin(x) * 2\n    def seen(self, *a):\n        self.n += 1\n"
            "net = N()"
        ),
    ),
    "identity": Case(
        "return net(x), net(x + 0), net.n",
        (ROW,),
        extra=(
            "class N(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            "        self.last = None\n        self.n = 0\n    def forward(self, x):\n"
            "        if self.last is None or (self.last != x).any():\n"
            "            self.n = self.n + 1\n            self.last = x\n"
            "        return x * self.n\nnet = N()"
        ),
    ),
    "identity-write": Case(
        "a = net(x)\nx.add_(1)\nreturn a, net(x)",
        (ROW,),
        extra=(
            "class N(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            "        self.last = None\n        self.v = None\n    def forward(self, x):\n"
            "        if self.last is None or self.last != x.sum():\n"
            "            self.last = x.sum()\n            self.v = x * 2\n"
            "        return self.v\nnet = N()"
        ),
    ),
    "buffer-int": Case(
        "return net(x)",
        (ROW,),
        extra=(
            "class N(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            "        self.register_buffer('k', torch.tensor(2), persistent=False)\n"
            "    def forward(self, x):\n        if self.k > 1:\n            x = x * 2\n"
            "        return x[: int(self.k)]\nnet = N()"
        ),
    ),
    "seed-result": Case("g = torch.manual_seed(3)\nreturn x + torch.rand(3, generator=g)", (ROW,)),
    "grids": Case(
        (
            "out = []\nfor i, j in itertools.product(range(2), range(2)):\n"
            "    out.append(x[i] * j)\nreturn torch.stack(out)"
        ),
        (ROW,),
        imports=("itertools",),
    ),
    "split": Case(
        "return [p.sum() for p in torch.split(x, n.tolist())]",
        (
            {**ROW, "n": "torch.tensor([1,2])"},
            {**ROW, "n": "torch.tensor([3,0])"},
            {**ROW, "n": "torch.tensor([1,1])"},
        ),
        call="f(x, n)",
        parameters="x: torch.Tensor, n: torch.Tensor",
    ),
    "split-cat": Case(
        "return torch.cat([p * 2 for p in torch.split(x, n.tolist())])",
        (
            {**ROW, "n": "torch.tensor([1,2])"},
            {**ROW, "n": "torch.tensor([1,1])"},
        ),
        call="f(x, n)",
        parameters="x: torch.Tensor, n: torch.Tensor",
    ),
    "print-effect": Case(
        "print(kept.append(1))\nreturn x * 2, len(kept)",
        (
            ROW,
            ZEROS,
        ),
        call="(kept.clear(), f(x))",
        extra="kept = []",
    ),
    "print-try": Case("try:\n    print('a')\nexcept OSError:\n    pass\nreturn x * 2", (ROW,)),
    "print-result": Case("y = print('a')\nreturn x * 2, y", (ROW,)),
    "tqdm": Case(
        "for i in tqdm(range(3)):\n    x = x + i\nreturn x",
        (ROW,),
        extra=(
            "class tqdm:\n    def __init__(self, it):\n        self.it = it\n"
            "    def __iter__(self):\n        for v in self.it:\n            yield v * 10"
        ),
    ),
    "time": Case(
        "t = time.time()\nx = x * 2\nif time.time() - t > 100:\n    x = x * 0\nreturn x", (ROW,), imports=("time",)
    ),
    "open": Case("with open('/dev/null') as file:\n    text = file.read()\nreturn x + len(text)", (ROW,)),
    "deepcopy-list": Case(
        "rows = copy.deepcopy([x * 1, x * 2])\nrows[0].add_(1)\nreturn rows", (ROW,), imports=("copy",)
    ),
    "unsq": Case("y = x.clone()\ny.unsqueeze_(0)\nreturn y, y.shape", (ROW,)),
    "unsq-alias": Case("y = x.clone()\nz = y\ny.unsqueeze_(0)\nreturn z.shape, y.shape", (ROW,)),
    "unsq-loop": Case("y = x.clone()\nfor i in range(2):\n    y.unsqueeze_(0)\nreturn y", (ROW,)),
    "unsq-closure": Case("y = x.clone()\ndef g():\n    return y.shape\ny.unsqueeze_(0)\nreturn g()", (ROW,)),
    "unsq-branch": Case("y = x.clone()\nif y.dim() == 1: y.unsqueeze_(0)\nreturn y", (ROW,)),
    "flag-of-other-kinds": Case(
        "return shifted(x, (x > 0).all()), shifted(x, flag)",
        tuple({**ROW, "flag": flag} for flag in ("True", "False", "1", "numpy.bool_(True)")),
        call="f(x, flag)",
        parameters="x: torch.Tensor, flag: bool",
        extra=(
            "import numpy\ndef shifted(x, same: bool):\n    y = x * 2\n"
            "    if same and not x.requires_grad:\n        y = y + 1\n    return y"
        ),
    ),
    "grad-fn": Case(
        "y = x * 2\nreturn y if y.grad_fn is not None else x + 1",
        (
            ROW,
            X,
        ),
    ),
    **{
        name: OTHERS[name]
        for name in (
            "where-of-dtypes",
            "loop-until-true",
            "item-then-written",
            "item-of-own-element",
            "element-is-view",
            "item-var-write",
            "item-var-view",
            "item-inplace-self",
            "item-other-var",
            "item-locals",
            "unbind-write",
            "copy-default",
            "copy-ordered",
            "copy-counter",
            "raise-caught",
            "raise-after-and",
            "assert-caught",
        )
    },
    **MASKED_CASES,
    "numpy-number-method": Case(
        'n = np.ceil(np.log(x.shape[0])).astype("int").item()\nreturn x * n', (ROW,), extra="import numpy as np"
    ),
    "where-missing-entry": Case(
        'd = {}\nif flag:\n    d["p"] = x\n    y = d["p"]\nif x.sum() > 0:\n    d["p"] = x + 1\nreturn d.get("p", x)',
        (
            {**ROW, "flag": "True"},
            {**ROW, "flag": "False"},
        ),
        call="f(x, flag)",
        parameters="x: torch.Tensor, flag: bool",
    ),
    "where-empty-slice": Case(
        "y = x.sum()\nif n > 0:\n    y = x[:n].max()\nreturn y",
        (
            {**ROW, "n": "torch.tensor(0)"},
            {**ROW, "n": "torch.tensor(2)"},
        ),
        call="f(x, n)",
        parameters="x: torch.Tensor, n: torch.Tensor",
    ),
    "where-none-if-empty": Case(
        "m = x < 0\nif not m.any():\n    m = None\nif m is not None:\n    x = x.masked_fill(m, 0)\nreturn x * 2",
        (ROW, ZEROS),
    ),
    "where-sizes-held": Case(
        "return m(x)",
        (ROW,),
        extra=(
            "class M(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            '        self.register_buffer("a", torch.tensor([3]))\n'
            '        self.register_buffer("b", torch.tensor([2]))\n'
            "    def forward(self, x):\n        if self.a == self.b:\n            y = x + x[:2]\n        else:\n"
            "            y = x * 2\n        return y\n\nm = M()"
        ),
    ),
}


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The text of each program after ``--fix --unsafe-fixes``."""
    found = {
        name: fixed(case.source, tmp_path_factory.mktemp("case"), ("safe", "unsafe")) for name, case in CASES.items()
    }
    return {name: next(iter(result.texts.values()), CASES[name].source) for name, result in found.items()}


@pytest.fixture(scope="module")
def differences(texts: dict[str, str]) -> dict[str, str | None]:
    """The first difference between each program that a fix changes and the fixed one."""
    pytest.importorskip("torch")
    changed = [name for name, case in CASES.items() if texts[name] != case.source]
    assert len(changed) > 30
    jobs: list[dict[str, Any]] = [
        {"before": CASES[n].source, "after": texts[n], "inputs": list(CASES[n].inputs), "call": CASES[n].call}
        for n in changed
    ]
    return {name: answer["differs"] for name, answer in zip(changed, observed_meanings(jobs), strict=True)}


@pytest.mark.parametrize("name", CASES)
def test_an_unsafe_fix_keeps_what_these_inputs_give(
    name: str, texts: dict[str, str], differences: dict[str, str | None]
) -> None:
    assert differences.get(name) is None, texts[name]


def test_comments_of_a_branch_are_kept(tmp_path: Path) -> None:
    source = (
        "import torch\n\n\ndef f(x: torch.Tensor):\n    y = x * 1\n    # before\n    if x.sum() > 0:  # noqa: X1\n"
        "        # inside\n        y = y * 2  # behind\n    return y\n"
    )
    text = next(iter(fixed(source, tmp_path, ("safe", "unsafe")).texts.values()))
    kept = "    # before\n    # inside\n    # behind\n    y = torch.where(x.sum() > 0, y * 2, y)\n"
    assert text == source[: source.index("    # before")] + kept + "    return y\n"
