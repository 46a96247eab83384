"""NumPy on Python numbers, and other objects of the standard library in a region."""

from __future__ import annotations

import pytest

from tests.interp.snippets import breaks

PROGRAM = """
import contextlib, dataclasses, pathlib, random
import numpy as np
import torch
from torch import nn

generator = np.random.default_rng(0)
dice = random.Random(0)
optimizer = torch.optim.SGD([torch.ones(3, requires_grad=True)], lr=0.1)

@dataclasses.dataclass
class Pair:
    first: torch.Tensor

@torch.compile
def f(x: torch.Tensor):
    a = x.numpy()
    return x, {expression}
"""


def kinds(expression: str) -> list[str]:
    return [kind for _, kind in breaks(PROGRAM.format(expression=expression))]


@pytest.mark.parametrize(
    "expression",
    [
        "float(np.sqrt(2))",
        "int(np.ceil(x.shape[0] / 2))",
        "int(np.log(8) / np.log(2))",
        "float(np.float32(3) * 2)",
        "np.sqrt(2).item()",
        "x.view(np.int64(2), 2)",
        "x.view(-1, np.prod(x.shape[-1:]))",
        "x.view(-1, np.prod((x.shape[0],)))",
        "np.random.uniform(0, 1, (4,))",
        "np.random.rand(4)",
        "a.shape",
        "str(pathlib.Path('a'))",
        "dice.random()",
        "dataclasses.asdict(Pair(3))",
        "dataclasses.replace(Pair(x), first=3)",
        "nn.LayerNorm(3, elementwise_affine=False)(x)",
        "divmod(x.shape[0], 2)",
        "x in {{x}}",
    ],
)
def test_traced(expression: str) -> None:
    assert kinds(expression) == []


@pytest.mark.parametrize(
    ("expression", "kind"),
    [
        ("int(np.prod(x.shape))", "tensor-to-python"),
        ("x.view(-1, np.prod(x.shape))", "tensor-to-python"),
        ("float(np.arange(3.0)[1])", "tensor-to-python"),
        ("float(a[0])", "tensor-to-python"),
        ("np.random.uniform(0, 1)", "data-dependent-op"),
        ("np.random.rand()", "data-dependent-op"),
        ("generator.random()", "call"),
        ("dice.choice([1, 2])", "call"),
        ("pathlib.Path('a').exists()", "call"),
        ("dataclasses.asdict(Pair(x))", "call"),
        ("optimizer.zero_grad()", "call"),
        ("nn.LayerNorm(3)(x)", "construct"),
        ("divmod(x, 2)", "call"),
        ("x[torch.tensor([True, False])]", "dynamic-shape"),
        ("(x * 2).register_hook(lambda g: print(g))", "call"),
        ("x.is_shared()", "tensor-method"),
        ("a.dtype", "call"),
    ],
)
def test_refused(expression: str, kind: str) -> None:
    assert kinds(expression) == [kind]


def test_exit_stack() -> None:
    program = """
    import contextlib
    import torch

    @torch.compile
    def f(x: torch.Tensor):
        with contextlib.ExitStack() as stack:
            stack.enter_context(torch.no_grad())
            return x + 1
    """
    assert breaks(program) == [(8, "context-manager")]
