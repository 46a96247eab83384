"""A fix that is called safe changes nothing that a program can observe, compiled or not.

Each case is a small program in which a naive fix changes the meaning.  What plain ``--fix`` makes of it is run beside
the original: values, dtypes, shapes, gradients, exceptions, output, warnings, arguments and aliases must be the same.
"""

from __future__ import annotations

import re
from typing import Any

import pytest

from gblint.rules import all_rules
from tests.fix.program import EMPTY, NAN, SMALL, USUAL, ZERO, Case, X
from tests.fix.traps import TRAPS
from tests.oracle.dynamo import observed_meanings
from tests.oracle.examples import fixes_of
from tests.oracle.linter import compiles_itself, fixed

CAUGHT = """
def caught(x):
    try:
        return f(x)
    except ValueError as error:
        return str(error)
    except AssertionError as error:
        return "asserted"
"""
TOLD = """
def told(value, text):
    print(text)
    return value
"""
ARRAYS = {"x": "np.array([1.0, np.nan, 3.0])", "y": "np.array([1.0, 3.0])"}
CASES = {
    # Gradients of a branch that is not taken, and NaN in it.
    "where-norm": Case("n = x.norm()\nif n > 1:\n    x = x / n\nreturn x"),
    "where-log": Case("y = x\nif x.min() > 0:\n    y = x.log()\nreturn y"),
    "where-sqrt": Case("return x.sqrt() if x.sum() > 1 else x * 2"),
    "where-of-ranks": Case("if x.sum() > 0:\n    y = x.sum()\nelse:\n    y = x\nreturn y"),
    "where-of-dtypes": Case("y = x.long() if x.sum() > 0 else x\nreturn y"),
    "where-of-number": Case("scale = 2\nif x.sum() > 0:\n    scale = 0.5\nreturn x.long() * scale", (X, SMALL)),
    "early-return": Case("if x.sum() > 1:\n    return x * 2\nreturn x"),
    "while-halves": Case("while x.abs().sum() > 1:\n    x = x / 2\nreturn x", (X, SMALL, ZERO)),
    # Numbers from tensors: promotion and overflow.
    "item-uint8": Case("return torch.zeros(2) + (x.item() + 1)", ({"x": "torch.tensor(255, dtype=torch.uint8)"},)),
    "item-half": Case("return torch.zeros(2) + x.item() * 10", ({"x": "torch.tensor(10000.0, dtype=torch.float16)"},)),
    "item-half-sum": Case("return x * x.sum().item()", ({"x": "torch.full((4,), 30000.0, dtype=torch.float16)"},)),
    "item-bool": Case("return torch.ones(2) * (x.item() + x.item())", ({"x": "torch.tensor(True)"},)),
    "item-int-into-int": Case(
        "return torch.zeros(2, dtype=torch.uint8) + x.item()", ({"x": "torch.tensor(3)"}, {"x": "torch.tensor(2.5)"})
    ),
    "item-shape": Case("return torch.zeros(2) + x.item()", ({"x": "torch.ones(1, 1, 1)"}, {"x": "torch.ones(())"})),
    "item-of-many": Case("return torch.zeros(2) + x.item()", (X,)),
    "item-gradient": Case("return x * x.sum().item()"),
    "item-returned": Case("return x.sum().item()", (X,)),
    "int-truncates": Case("return x * int(x.sum())", (X, SMALL)),
    "float-of-long": Case("return torch.zeros(2, dtype=torch.float64) + float(x)", ({"x": "torch.tensor(2**53 + 1)"},)),
    "round-of-number": Case("return x * round(x.sum().item())", (X,)),
    "pow-of-class": Case(
        "return pow(x, P()) + pow(P(), x)",
        (X,),
        extra="class P:\n    def __rpow__(self, other):\n        return other + 1\n"
        "    def __pow__(self, other, modulo=None):\n        return other * 2",
    ),
    "pow-order": Case("return pow(told(x, 'base'), told(2, 'exponent'))", (X, NAN), extra=TOLD),
    "pow-of-integers": Case(
        "return pow(x, -1), pow(2, x)",
        ({"x": "torch.tensor([1, 2])"}, {"x": "torch.tensor([True])"}, {"x": "torch.tensor(3, dtype=torch.uint8)"}),
    ),
    "pow-hidden": Case("pow = lambda a, b: a * b\nreturn pow(x, 2)", (X,)),
    "pow-modulo": Case("return pow(3, x, 5) if False else pow(x, 2, None)", (X,)),
    "max-of-numbers": Case("return x * max(x.max().item(), 1)", (X, SMALL, NAN)),
    "division-of-integers": Case("return torch.ones(2) * (x.item() // 2)", ({"x": "torch.tensor(-3)"},)),
    "tolist-loop": Case("total = x * 0\nfor each in x.tolist():\n    total = total + each\nreturn total", (X, EMPTY)),
    "loop-over-sizes": Case("return x + sum(n for n in (x > 0).tolist())", (X,)),
    # Exceptions that somebody may catch.
    "raise-caught": Case(
        "if x.max() > 2:\n    raise ValueError(f'too large: {x.shape}')\nreturn x + 1", USUAL, "caught(x)", extra=CAUGHT
    ),
    "raise-after-and": Case(
        "if x.numel() > 2 and x.max() > 2:\n    raise ValueError('too large')\nreturn x + 1",
        USUAL,
        "caught(x)",
        extra=CAUGHT,
    ),
    "raise-own-class": Case(
        "if (x < 0).any():\n    raise Bad(3)\nreturn x + 1", (X, SMALL), extra="class Bad(ValueError):\n    pass"
    ),
    "assert-caught": Case("assert x.max() > 2 and x.min() < 0, 'bad'\nreturn x + 1", USUAL, "caught(x)", extra=CAUGHT),
    "assert-with-numbers": Case(
        "assert not (x > 2).any(), f'bad {count}'\nreturn x + count",
        ({**X, "count": "3"}, {**SMALL, "count": "3"}),
        "f(x, count)",
        "x: torch.Tensor, count: int",
    ),
    "assert-in-parts": Case(
        "assert x.max() < 2 and x.min() > count, f'bad {count}'\nreturn x + count",
        ({**X, "count": "3"}, {**SMALL, "count": "-1"}),
        "f(x, count)",
        "x: torch.Tensor, count: int",
    ),
    "check-tensor": Case("torch._check_tensor_all(x < 2, lambda: 'bad')\nreturn x + 1", (X, SMALL)),
    # Output and warnings.
    "print-plain": Case("print('sum', x.sum().detach(), 3)\nreturn x + 1", (X, NAN)),
    "print-format": Case("print(f'{x.sum():.3f} {{}}')\nreturn x + 1", (X, NAN)),
    "print-end": Case("print('a', end='')\nprint('b', 'c', sep='-')\nreturn x + 1", (X,)),
    "print-file": Case("print('a', file=sys.stderr)\nreturn x + 1", (X,), imports=("sys",)),
    "print-nothing": Case("print()\nprint('')\nreturn x + 1", (X,)),
    "print-in-branch": Case("if x.sum() > 1:\n    print('large')\nreturn x + 1", (X, SMALL)),
    "print-braces": Case("print('{}', '{0}', x.shape)\nreturn x + 1", (X,)),
    "print-order": Case("print('one')\nx = x + 1\nprint(x.sum().detach())\nprint('two')\nreturn x", (X,)),
    "warnings-counted": Case("warnings.warn('careful')\nreturn x + 1", (X,), imports=("warnings",)),
    "warnings-category": Case(
        "warnings.warn('old', DeprecationWarning, stacklevel=2)\nreturn x + 1", (X,), imports=("warnings",)
    ),
    "warnings-filter": Case(
        "warnings.simplefilter('ignore')\nreturn x + 1",
        (X,),
        "outer(x)",
        imports=("warnings",),
        extra="def outer(x):\n    x = f(x)\n    warnings.warn('seen')\n    return x",
    ),
    "logged": Case(
        "log.warning('careful %s', 3)\nreturn x + 1", (X,), extra="import logging\nlog = logging.getLogger('corpus')"
    ),
    "logged-in-branch": Case(
        "if x.sum() > 1:\n    log.warning('large')\nreturn x + 1",
        (X, SMALL),
        extra="import logging\nlog = logging.getLogger('corpus')",
    ),
    # Arguments, aliases, order.
    "in-place-mask": Case(
        "x[x > 0] = 0\nreturn x", ({"x": "torch.tensor([1.0, -2.0, float('nan')])"}, {"x": "torch.zeros(0)"})
    ),
    "in-place-mask-of-tensor": Case(
        "x[x > 0] = y\nreturn x",
        ({"x": "torch.ones(3)", "y": "torch.ones(3) * 2"}, {"x": "torch.zeros(3)", "y": "torch.tensor(4.0)"}),
        "f(x, y)",
        "x: torch.Tensor, y: torch.Tensor",
    ),
    "in-place-branch": Case(
        "if x.sum() > 0:\n    x.mul_(2)\nreturn x", ({"x": "torch.ones(3)"}, {"x": "-torch.ones(3)"})
    ),
    "alias-kept": Case(
        "y = x\nif x.sum() > 0:\n    y = x + 1\nreturn y", ({"x": "torch.ones(3)"}, {"x": "-torch.ones(3)"})
    ),
    "alias-of-round-trip": Case("y = torch.from_numpy(x.numpy())\ny.add_(1)\nreturn y", ({"x": "torch.ones(3)"}, X)),
    "deepcopy": Case("y = copy.deepcopy(x)\nreturn y + 1", ({"x": "torch.ones(3)"}, X), imports=("copy",)),
    "masked-select": Case("return x[x > 0].sum()", (X, SMALL, ZERO, NAN, EMPTY)),
    "masked-mean": Case("return x[x > 0].mean()", (X, ZERO, NAN)),
    "masked-max": Case("return x[x > 0].max()", (X, ZERO)),
    "count-of-mask": Case("return x / len(x[x > 0])", (X, SMALL)),
    "nonzero-count": Case("return x / x.nonzero().shape[0]", (X, SMALL)),
    "empty-mask": Case("mask = x > 0\nif mask.any():\n    x = x[mask].mean() + x\nreturn x", (X, ZERO)),
    "short-circuit": Case(
        "if y is not None and y.sum() > 0:\n    x = x + y\nreturn x",
        ({**X, "y": "None"}, {**X, "y": "torch.ones(3)"}),
        "f(x, y)",
        "x: torch.Tensor, y=None",
    ),
    "hooks": Case(
        "y = x * 2\ny.register_hook(lambda g: print('hook', g.sum().item()))\nprint('forward')\nreturn y * 3", (X,)
    ),
    "byte-mask": Case(
        "return x[m]",
        ({"x": "torch.ones(3)", "m": "torch.tensor([1, 0, 2], dtype=torch.uint8)"},),
        "f(x, m)",
        "x: torch.Tensor, m: torch.Tensor",
    ),
    "repeats": Case(
        "return torch.repeat_interleave(x, n)",
        ({"x": "torch.ones(3)", "n": "torch.tensor([1, 0, 2])"},),
        "f(x, n)",
        "x: torch.Tensor, n: torch.Tensor",
    ),
    "random-number": Case("return x * random.random()", (X,), imports=("random",)),
    "random-branch": Case("if random.random() < 0.5:\n    x = x + 1\nreturn x", (X,), imports=("random",)),
    "counter": Case("count = 0\nwhile x.abs().sum() > 1:\n    x = x / 2\n    count += 1\nreturn x * count", (X, SMALL)),
    "requires-grad": Case("x.requires_grad = True\nreturn x * 2", ({"x": "torch.ones(3)"},)),
    "formatted": Case("name = f'{x.sum():.2f}'\nreturn x + len(name)", (X, NAN)),
    # The number is read before the tensor changes, or is an element of the tensor that changes.
    "item-then-written": Case(
        "x = torch.zeros(3)\ns = x.sum()\nn = s.item()\ns.add_(1)\nreturn torch.ones(3) + n", (X,)
    ),
    "item-of-own-element": Case("y = x * torch.ones(3)\ny *= y[0].item()\nreturn y", (X, SMALL)),
    "item-of-norm": Case("y = torch.ones(3) * 2\nn = y.norm().item()\ny /= n\nreturn y", (X,)),
    "item-of-double": Case(
        "s = torch.tensor(0.1, dtype=torch.float64)\nreturn torch.ones(3) * s.item() + x",
        (X, {"x": "torch.ones(3, dtype=torch.float16)"}),
    ),
    "item-of-large-long": Case(
        "s = torch.tensor(2**40)\nreturn torch.ones(3, dtype=torch.float16) * s.item() * x",
        (X, {"x": "torch.full((3,), 1e-4, dtype=torch.float16)"}),
    ),
    "item-compared": Case("return x > torch.tensor(0.1, dtype=torch.float64).item()", (X, SMALL)),
    "item-modulo": Case("n = x.sum().item()\nreturn torch.ones(2) * (n % 3) + n // 2", (X, SMALL)),
    "item-power": Case("return torch.ones(2, dtype=torch.int64) ** int(x.abs().max())", (X, SMALL)),
    "item-as-size": Case("return torch.zeros(int(x.max())) + 1", (X, SMALL)),
    "item-as-index": Case("return x[int(x.argmax())] * 2", (X, SMALL, NAN)),
    "element-is-view": Case(
        "i = x.argmax()\ny = x[i]\ny.mul_(2)\nreturn x", ({"x": "torch.ones(3)"}, {"x": "torch.arange(3.0)"})
    ),
    "format-in-key": Case("found = {f'{x.sum():.1f}': 1}\nreturn x + len(next(iter(found)))", (X, NAN)),
    "bool-of-half": Case("return x * bool(x.sum())", ({"x": "torch.tensor([1e-7, 1.0], dtype=torch.float16)"}, X)),
    "range-of-number": Case(
        "return x + sum(torch.arange(n).tolist())",
        ({**X, "n": "3"}, {**X, "n": "-2"}),
        "f(x, n)",
        "x: torch.Tensor, n: int",
    ),
    "range-of-two": Case(
        "return x + sum(torch.arange(n, 4).tolist())",
        ({**X, "n": "3"}, {**X, "n": "6"}),
        "f(x, n)",
        "x: torch.Tensor, n: int",
    ),
    "list-of-arange": Case("steps = torch.arange(3).tolist()\nsteps.append(1)\nreturn x + sum(steps)", (X,)),
    "list-of-linspace": Case("return x + torch.linspace(0, 1, 3).tolist()[1]", (X,)),
    # Conditions and their branches.
    "branch-of-nothing": Case("if x.max() > 1:\n    pass\nreturn x", (X, SMALL, EMPTY)),
    "branch-raises-if-empty": Case("y = x * 2\nif x.max() > 1:\n    y = y + 1\nreturn y", (X, EMPTY)),
    "branch-of-many": Case("if x > 1:\n    x = x * 2\nreturn x", (X, {"x": "torch.tensor([2.0])"})),
    "branch-of-nan": Case("y = x.abs()\nif not x.sum() > 0:\n    y = -y\nreturn y", (X, NAN)),
    "branch-of-shapes": Case("y = x[:1]\nif x.sum() > 1:\n    y = x\nreturn y", (X, SMALL)),
    "branch-of-views": Case(
        "y = x[0]\nif x.sum() > 3:\n    y = x[1]\ny.add_(1)\nreturn x",
        ({"x": "torch.ones(3)"}, {"x": "torch.ones(3) * 2"}),
    ),
    "branch-writes-then-reads": Case(
        "y = x.clone()\nif x.sum() > 1:\n    y.zero_()\n    x = x + y\nreturn x, y", (X, SMALL, NAN)
    ),
    "branch-sets-self": Case(
        "return net(x)",
        (X, SMALL),
        extra="class Counting:\n    seen = 0\n\n    def __call__(self, x):\n        if x.sum() > 1:\n"
        "            self.seen += 1\n        return x + self.seen\n\nnet = Counting()",
    ),
    "branch-draws": Case("y = x\nif x.sum() > 1:\n    y = x + torch.rand(3)\nreturn y + torch.rand(3)", (X, SMALL)),
    "ternary-draws": Case("return x + torch.rand(3) if x.sum() > 1 else torch.rand(3)", (X, SMALL)),
    "ternary-divides": Case("n = x.sum()\nreturn 1 / n if n != 0 else n", (X, ZERO)),
    "boolean-or": Case("return (x.sum() > 1) or x", (X, SMALL)),
    "chained-comparison": Case("y = x\nif 0 < x.sum() < 1:\n    y = y * 2\nreturn y", (X, SMALL)),
    "any-of-tensors": Case("return x + 1 if any(t.sum() > 1 for t in [x, x / 0]) else x", (X, SMALL)),
    "first-use": Case(
        "if 'a' not in kept:\n    kept['a'] = x.detach().sum().item()\nreturn x + kept['a']",
        (X, SMALL),
        extra="kept = {}",
    ),
    "loop-until-true": Case(
        "for step in range(5):\n    x = x / 2\n    if x.abs().max() < 0.5:\n        break\nreturn x, step",
        (X, SMALL, NAN),
    ),
    "loop-never": Case("for step in range(int(x.sum() * 0)):\n    x = x / 2\nreturn x", (X, SMALL)),
    "loop-returns": Case("for row in x:\n    if row > 2:\n        return row * 2\nreturn x.sum()", (X, SMALL, EMPTY)),
    "loop-else": Case(
        "for step in range(3):\n    if x.sum() > 2:\n        break\n    x = x + 1\nelse:\n    x = -x\nreturn x",
        (X, SMALL),
    ),
    # Exceptions, their order, and the effects before them.
    "raise-after-write": Case(
        "x.add_(1)\nif (x > 3).any():\n    raise ValueError('too large')\nreturn x",
        ({"x": "torch.ones(3)"}, {"x": "torch.ones(3) * 3"}),
        "caught(x)",
        extra=CAUGHT,
    ),
    "raise-in-order": Case(
        "assert x.numel() > 0, 'empty'\nassert x.min() > 0, 'negative'\nassert x.max() < 1, 'large'\nreturn x",
        (X, SMALL, EMPTY),
        "caught(x)",
        extra=CAUGHT,
    ),
    "raise-then-print": Case(
        "print('before')\nif x.max() > 2:\n    raise ValueError('too large')\nprint('after')\nreturn x",
        (X, SMALL),
        "caught(x)",
        extra=CAUGHT,
    ),
    "raise-from": Case(
        "try:\n    return x.view(7)\nexcept RuntimeError as error:\n    raise ValueError('no') from error",
        (X,),
        "caught(x)",
        extra=CAUGHT,
    ),
    "assert-on-nan": Case("assert not torch.isnan(x).any()\nreturn x", (X, NAN), "caught(x)", extra=CAUGHT),
    "assert-all-close": Case("torch.testing.assert_close(x, x + 0)\nreturn x", (X, NAN)),
    "handled-item": Case(
        "try:\n    n = x.item()\nexcept RuntimeError:\n    n = 2.0\nreturn x * n", (X, {"x": "torch.ones(1)"})
    ),
    # Output that shows the call that prints it.
    "print-number": Case("print(x.sum().item())\nprint(int(x.numel()), True, None, 1e-20)\nreturn x + 1", (X, NAN)),
    "print-repr": Case("print(f'{x.shape!r} {1.5!s:>8} {x.numel():05d}')\nreturn x + 1", (X,)),
    "print-dtype": Case("print(x.dtype, x.device)\nreturn x + 1", (X,)),
    "print-then-written": Case(
        "y = x.detach().clone()\nprint(y)\ny.add_(1)\nprint(y)\nreturn y",
        (X, {"x": "torch.ones(2, dtype=torch.int32)"}),
    ),
    "print-view": Case("y = x.detach()[1:]\nprint(y.t(), y[0])\nreturn x + 1", (X,)),
    "print-percent": Case("print('%.2f' % x.sum().detach())\nreturn x + 1", (X, NAN)),
    "print-escapes": Case("print('a\\tb\\n{', x.numel())\nreturn x + 1", (X,)),
    "print-option": Case(
        "with np.printoptions(precision=1):\n    print(x.detach().numpy() / 3)\nreturn x + 1",
        (X,),
        extra="import numpy as np",
    ),
    "print-in-loop": Case("for step in range(2):\n    print(step, x.sum().detach() + step)\nreturn x + 1", (X,)),
    "print-of-property": Case(
        "print(named.text)\nreturn x + 1",
        (X,),
        extra="class Named:\n    count = 0\n\n    @property\n    def text(self):\n        self.count += 1\n"
        "        return f'{self.count}'\n\nnamed = Named()",
    ),
    "warnings-in-context": Case(
        "with warnings.catch_warnings():\n    warnings.simplefilter('ignore')\n    warnings.warn('a')\n"
        "warnings.warn('b')\nreturn x + 1",
        (X,),
        imports=("warnings",),
    ),
    "errors-of-numpy": Case(
        "with np.errstate(all='raise'):\n    y = np.divide(x, 0)\nreturn y",
        ({"x": "np.ones(3)"},),
        "outer(x)",
        "x: np.ndarray",
        extra="import numpy as np\n\ndef outer(x):\n    try:\n"
        "        return f(x)\n    except FloatingPointError:\n        return 'caught'",
    ),
    "anomaly": Case(
        "with torch.autograd.detect_anomaly(check_nan=True):\n    y = x.sqrt() * 0\n    y.sum().backward()\nreturn x",
        (ZERO, X),
        "outer(x)",
        extra="def outer(x):\n    try:\n        return f(x)\n    except RuntimeError:\n        return 'caught'",
    ),
    # Writes: aliases, signs of zeros, empty masks, values that do not fit.
    "mask-added": Case(
        "x[x > 0] += 1\nreturn x",
        ({"x": "torch.tensor([-0.0, 2.0])"}, {"x": "torch.zeros(0)"}, {"x": "torch.tensor([True, False])"}),
    ),
    "mask-added-integers": Case("x[x > 0] += 1\nreturn x", ({"x": "torch.tensor([255, 0], dtype=torch.uint8)"},)),
    "mask-added-half": Case(
        "x[x > 0] += 0.5\nreturn x",
        ({"x": "torch.tensor([3, 0])"}, {"x": "torch.tensor([2048.0, 1.0], dtype=torch.float16)"}),
    ),
    "mask-multiplied": Case(
        "x[x > 0] *= 2\nreturn x",
        ({"x": "torch.tensor([-0.0, float('nan'), 2.0])"}, {"x": "torch.tensor([True, False])"}),
    ),
    "mask-of-other": Case(
        "x[m] += 1\nreturn x",
        (
            {"x": "torch.zeros(2, 2)", "m": "torch.tensor([True, False])"},
            {"x": "torch.zeros(2)", "m": "torch.tensor([True])"},
        ),
        "f(x, m)",
        "x: torch.Tensor, m: torch.Tensor",
    ),
    "mask-through-where": Case(
        "x[torch.where(x > 0)] = 0\nreturn x", ({"x": "torch.tensor(2.0)"}, {"x": "torch.ones(2, 2)"})
    ),
    "mask-of-value-too-large": Case(
        "if (x > 200).any():\n    x[x > 200] = 300\nreturn x",
        ({"x": "torch.tensor([1, 250], dtype=torch.uint8)"}, {"x": "torch.ones(2, dtype=torch.uint8)"}),
    ),
    "mask-under-condition": Case(
        "if x.sum() > 3:\n    x[x == 1] = 0\nreturn x", ({"x": "torch.tensor([1, 5])"}, {"x": "torch.tensor([1, 0])"})
    ),
    "copied-list": Case(
        "rows = copy.copy(kept)\nrows.append(1)\nreturn x + len(rows) + len(kept)",
        (X,),
        extra="import copy\nkept = [1, 2]",
    ),
    "copied-view": Case(
        "y = x * 1\nz = copy.deepcopy(y.detach()[:1])\nz.add_(1)\nreturn y, z",
        ({"x": "torch.ones(3)"}, X),
        imports=("copy",),
    ),
    "copied-twice": Case(
        "a, b = copy.deepcopy([x.detach(), x.detach()])\na.add_(1)\nreturn a, b", (X,), imports=("copy",)
    ),
    "view-reshaped": Case("x.unsqueeze_(0)\nreturn x * 2", ({"x": "torch.ones(3)"},)),
    "leaf-is-made": Case(
        "w = torch.zeros(3)\nw.requires_grad = True\n(w * x).sum().backward()\nreturn w.grad", ({"x": "torch.ones(3)"},)
    ),
    "leaf-is-unmade": Case("x.requires_grad = False\nreturn x * 2", ({"x": "torch.ones(3)"}, X)),
    "computed-is-unmade": Case(
        "y = x * 2\ny.requires_grad = False\nreturn y",
        ({"x": "torch.ones(3)"}, X),
        "outer(x)",
        extra="def outer(x):\n    try:\n        return f(x)\n    except RuntimeError:\n        return None",
    ),
    "new-tensor": Case(
        "y = torch.as_tensor([x.sum(), x.max()])\nreturn y * 2", (X, NAN, {"x": "torch.ones(2, dtype=torch.int64)"})
    ),
    "new-array": Case("return torch.asarray([x.sum(), x.max()], copy=True) * 2", ({"x": "torch.ones(2)"},)),
    "repeated": Case(
        "return x.repeat_interleave(torch.tensor(n))",
        ({**X, "n": "[1, 0, 2]"}, {**X, "n": "[1, -1, 2]"}, {**X, "n": "[1]"}),
        "f(x, n)",
        "x: torch.Tensor, n: list[int]",
    ),
    "repeated-drawn": Case(
        "return x.repeat_interleave(torch.tensor([random.randint(0, 3), 1, 2]))", (X,), imports=("random",)
    ),
    "sorted-place": Case(
        "return x * bisect.bisect([1, 2, 2, 3], n)",
        ({**X, "n": "2"}, {**X, "n": "float('nan')"}),
        "f(x, n)",
        "x: torch.Tensor, n: float",
        imports=("bisect",),
    ),
    "grouped": Case(
        "return x + sum(len(list(g)) for _, g in itertools.groupby([1, 1, 2], lambda n: n % 2))",
        (X,),
        imports=("itertools",),
    ),
    "loaded-by-name": Case(
        "m = importlib.import_module('os.path')\nreturn x + len(m.sep)", (X,), imports=("importlib",)
    ),
    "number-of-size": Case("return x * (1 if len(x.nonzero()) > 1 else 0)", (X, ZERO, EMPTY)),
    "product-of-sizes": Case(
        "return x.reshape(int(np.prod(x.shape)))", (X, EMPTY, {"x": "torch.tensor(2.0)"}), extra="import numpy as np"
    ),
    "random-of-sum": Case("return x.sum() * random.random()", (X,), imports=("random",)),
    "random-of-integers": Case("return x * random.random()", ({"x": "torch.arange(3)"},), imports=("random",)),
    "random-order": Case(
        "a = random.random()\ny = x * random.random()\nreturn y + random.random() + a", (X,), imports=("random",)
    ),
    "hooks-order": Case(
        "y = x * 2\ny.register_hook(lambda g: seen.append('a'))\ny.register_hook(lambda g: seen.append('b'))\n"
        "y.sum().backward()\nprint(seen)\nreturn y.detach()",
        (X,),
        extra="seen = []",
    ),
    # NumPy, on arrays.
    **{
        f"numpy-{name}": Case(
            f"return np.{text}",
            inputs,
            "f(x, y)",
            "x: np.ndarray, y: np.ndarray",
            extra="import numpy as np",
        )
        for name, text, inputs in (
            ("isin", "isin(x, y)", (ARRAYS, {"x": "np.zeros(3)", "y": "np.zeros(0)"})),
            (
                "interp",
                "interp(x, y, y)",
                (
                    {"x": "np.array([0.0, 2.0, np.nan])", "y": "np.array([1.0, 3.0])"},
                    {"x": "np.array([1.0, 2.0, np.inf])", "y": "np.array([1.0, np.inf])"},
                ),
            ),
            ("interp-complex", "interp(x, x, y)", ({"x": "np.arange(3.0)", "y": "np.arange(3) * 1j"},)),
            (
                "nanmean",
                "nanmean(x)",
                (ARRAYS, {"x": "np.full(5000, 100.0, dtype=np.float16)", "y": "np.zeros(1)"}),
            ),
            ("nanmean-of-nan", "nanmean(x)", ({"x": "np.full(2, np.nan)", "y": "np.zeros(1)"},)),
            (
                "nansum",
                "nansum(x)",
                (
                    ARRAYS,
                    {"x": "np.full(3, 100.0, dtype=np.float16)", "y": "np.zeros(1)"},
                    {"x": "np.arange(3)", "y": "np.zeros(1)"},
                ),
            ),
            ("nanprod", "nanprod(x)", (ARRAYS, {"x": "np.arange(3, dtype=np.int32)", "y": "np.zeros(1)"})),
            ("nanmax", "nanmax(x)", (ARRAYS, {"x": "np.full(2, np.nan)", "y": "np.zeros(1)"})),
            (
                "trapezoid",
                "trapezoid(x, x)",
                ({"x": "np.arange(3.0)", "y": "np.zeros(1)"}, {"x": "np.arange(3)", "y": "np.zeros(1)"}),
            ),
            (
                "ediff1d",
                "ediff1d(x)",
                ({"x": "np.arange(3.0)", "y": "np.zeros(1)"}, {"x": "np.array([True, False])", "y": "np.zeros(1)"}),
            ),
            ("digitize", "digitize(x, y)", ({"x": "np.arange(3.0)", "y": "np.array([3.0, 1.0])"},)),
            (
                "select",
                "select([x > 1, x > 0], [x, x * 2])",
                ({"x": "np.arange(3.0)", "y": "np.zeros(1)"}, {"x": "np.arange(3, dtype=np.int8)", "y": "np.zeros(1)"}),
            ),
            (
                "add-reduce",
                "add.reduce(x)",
                ({"x": "np.arange(3.0)", "y": "np.zeros(1)"}, {"x": "np.arange(3, dtype=np.int8)", "y": "np.zeros(1)"}),
            ),
            ("add-accumulate", "add.accumulate(x)", ({"x": "np.arange(3, dtype=np.int8)", "y": "np.zeros(1)"},)),
            ("nancumsum", "nancumsum(x)", (ARRAYS, {"x": "np.arange(3, dtype=np.int8)", "y": "np.zeros(1)"})),
            ("pow", "pow(x, 2)", ({"x": "np.arange(3.0)", "y": "np.zeros(1)"},)),
        )
    },
    **TRAPS,
}
# Cases that a safe fix changes now; without them nothing would be compared.
FIXED = {"grouped", "list-of-arange", "new-tensor", "product-of-sizes", "copy-param-none"}


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The text of each program after plain ``--fix``."""
    found = {name: fixed(case.source, tmp_path_factory.mktemp("case")) for name, case in CASES.items()}
    return {name: next(iter(result.texts.values()), CASES[name].source) for name, result in found.items()}


@pytest.fixture(scope="module")
def differences(texts: dict[str, str]) -> dict[str, str | None]:
    """The first difference between each program that a fix changes and the fixed one."""
    pytest.importorskip("torch")
    changed = [name for name, case in CASES.items() if texts[name] != case.source]
    jobs: list[dict[str, Any]] = [
        {"before": CASES[n].source, "after": texts[n], "inputs": list(CASES[n].inputs), "call": CASES[n].call}
        for n in changed
    ]
    return {name: answer["differs"] for name, answer in zip(changed, observed_meanings(jobs), strict=True)}


@pytest.mark.parametrize("name", CASES)
def test_a_safe_fix_changes_nothing(name: str, texts: dict[str, str], differences: dict[str, str | None]) -> None:
    assert differences.get(name) is None, texts[name]


EXAMPLES = {
    f"{rule.code}-{number}": example
    for rule in all_rules()
    for number, example in enumerate(fixes_of(rule))
    if example.safe and not compiles_itself(example.before)
}


@pytest.fixture(scope="module")
def of_examples() -> dict[str, str | None]:
    """The first difference between the two texts of each example of a safe fix."""
    pytest.importorskip("torch")
    jobs: list[dict[str, Any]] = [
        {
            "before": example.before,
            "after": example.after,
            "inputs": [{"arguments": each} for each in example.calls],
            "call": "f(*arguments)",
        }
        for example in EXAMPLES.values()
    ]
    return {name: answer["differs"] for name, answer in zip(EXAMPLES, observed_meanings(jobs), strict=True)}


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_of_safe_fixes_change_nothing(name: str, of_examples: dict[str, str | None]) -> None:
    assert of_examples[name] is None


def test_some_programs_are_fixed(texts: dict[str, str]) -> None:
    assert {name for name in FIXED if texts[name] != CASES[name].source} == FIXED


def test_differences_are_seen() -> None:
    pytest.importorskip("torch")
    source = "import torch\n\n\ndef f(x):\n    {}\n    return x\n"
    changes = {
        "print('a')": "print('b')",
        "x = x * 2": "x = x * 3",
        "x = x.double()": "x = x.half()",
        "x = x + 0": "x = x",
        "x = x * x.sum()": "x = x * x.sum().detach()",
        "raise ValueError": "raise KeyError",
        "import warnings; warnings.warn('a')": "pass",
        "x.data.add_(1)": "x = x + 1",
    }
    jobs: list[dict[str, Any]] = [
        {"before": source.format(one), "after": source.format(two), "inputs": [X], "call": "f(x)"}
        for one, two in changes.items()
    ]
    found = [re.sub(r"^eager, .*?\}: ", "", str(answer["differs"])) for answer in observed_meanings(jobs)]
    starts = ["output", "result", "result", "aliases", "gradients", "ValueError", "warned", "aliases"]
    assert [text.partition(":")[0] for text in found] == starts
