"""More examples of GBL532, name-of-partial."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import functools
from functools import partial

import torch


def scaled(factor: float, x: torch.Tensor) -> torch.Tensor:
    return factor * x.tanh()


def f(x: torch.Tensor) -> torch.Tensor:
    doubled = partial(scaled, 2.0)
    return functools.update_wrapper(lambda z: z, doubled)(x)  # breaks: GB0088
""",
    ),
    Example(
        """\
from functools import partial

import torch
from torch.func import hessian


def scaled(factor: float, x: torch.Tensor) -> torch.Tensor:
    return factor * x.tanh()


def f(x: torch.Tensor) -> torch.Tensor:
    doubled = partial(scaled, 2.0)
    return hessian(doubled)(x.sum())  # breaks: GB0088
""",
    ),
    Example(
        """\
from functools import partial

import torch
from torch.func import jacfwd


def scaled(factor: float, x: torch.Tensor) -> torch.Tensor:
    return factor * x.tanh()


def f(x: torch.Tensor) -> torch.Tensor:
    doubled = partial(scaled, 2.0)
    return jacfwd(doubled)(x)  # breaks: GB0088
""",
    ),
    Example(
        """\
from functools import partial

import torch
from torch.func import jacrev, vmap


def scaled(factor: float, x: torch.Tensor) -> torch.Tensor:
    return factor * x.tanh()


named = partial(scaled, 2.0)
named.__name__ = "named"


def f(x: torch.Tensor) -> torch.Tensor:
    return vmap(jacrev(named))(x.reshape(-1, 1))  # breaks: GB0088
""",
    ),
)
CLEAN = (
    Example(
        """\
from functools import partial

import torch
from torch.func import vjp


def scaled(factor: float, x: torch.Tensor) -> torch.Tensor:
    return factor * x.tanh()


def f(x: torch.Tensor) -> torch.Tensor:
    return vjp(partial(scaled, 2.0), x)[0]
""",
    ),
    Example(
        """\
from functools import partial

import torch
from torch.func import jvp


def scaled(factor: float, x: torch.Tensor) -> torch.Tensor:
    return factor * x.tanh()


def f(x: torch.Tensor) -> torch.Tensor:
    return jvp(partial(scaled, 2.0), (x,), (x,))[0]
""",
    ),
    Example(
        """\
from functools import partial

import torch
from torch.func import grad_and_value


def scaled(factor: float, x: torch.Tensor) -> torch.Tensor:
    return (factor * x.tanh()).sum()


def f(x: torch.Tensor) -> torch.Tensor:
    return grad_and_value(partial(scaled, 2.0))(x)[0]
""",
    ),
    Example(
        """\
import functools

import torch


class Scaled:
    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2


def f(x: torch.Tensor) -> torch.Tensor:
    scaled = Scaled()

    @functools.wraps(scaled)
    def wrapper(y):
        return scaled(y)

    return wrapper(x)
""",
    ),
)
