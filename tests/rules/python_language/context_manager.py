"""More examples of GBL503, context-manager."""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample

BREAKS = (
    Example(
        """\
import numpy as np
import torch


@torch.backends.cudnn.flags(enabled=False)
def doubled(x: torch.Tensor) -> torch.Tensor:
    return x * 2


@np.errstate(all="ignore")
def tripled(x: torch.Tensor) -> torch.Tensor:
    return x * 3


def f(x: torch.Tensor) -> torch.Tensor:
    y = doubled(x)  # breaks: GB0007
    return tripled(y)  # breaks: GB0007
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    manager = torch.no_grad()
    manager.__enter__()  # breaks: GB0156
    y = y * 2
    manager.__exit__(None, None, None)  # breaks: GB0156
    return y
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    with torch.backends.cudnn.flags(enabled=False):  # breaks: GB0142, GB0208
        y = y * 2
    return y
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    with torch.autograd.graph.save_on_cpu():  # breaks: GB0008, GB0142
        y = y * 2
    return y
""",
    ),
    Example(
        """\
import contextlib
import io

import torch

stream = io.StringIO()


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    with contextlib.redirect_stdout(stream):  # breaks: GB0142, GB0262
        y = y * 2
    return y
""",
    ),
    Example(
        """\
import contextlib

import torch
import torch._dynamo

torch._dynamo.config.enable_trace_contextlib = False


@contextlib.contextmanager
def scaled():
    yield 2


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    with scaled() as scale:  # breaks: GB0142, GB0263
        y = y * scale
    return y
""",
    ),
    Example(
        """\
import contextlib

import torch


@contextlib.contextmanager
def scaled():
    return [2]


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    try:
        with scaled() as scale:  # breaks: GB0221
            y = y * scale
    except TypeError:
        y = y * 3
    return y
""",
    ),
    Example(
        """\
import contextlib

import torch


@contextlib.contextmanager
def scaled():
    yield 2


def f(x: torch.Tensor) -> tuple[torch.Tensor, object]:
    y = x + 1
    return y * 2, scaled()  # breaks: GB2533
""",
    ),
    Example(
        """\
import unittest

import torch
import torch._dynamo

torch._dynamo.config.enable_trace_unittest = True


class Checks(unittest.TestCase):
    pass


checks = Checks()


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    try:
        with checks.assertWarns(UserWarning):  # breaks: GB0060
            y = y * 2
    except AssertionError:
        y = y * 3
    return y
""",
    ),
    Example(
        """\
import contextlib

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.nullcontext())  # breaks: GB0147
        x = x + 1
    return x
""",
    ),
    Example(
        """\
import torch
import torch._dynamo.config


@torch._dynamo.config.patch(capture_scalar_outputs=True)
def scaled(x: torch.Tensor) -> torch.Tensor:
    return x * x.sum().item()


def f(x: torch.Tensor) -> torch.Tensor:
    return scaled(x + 1) + 1  # breaks: GB0142
""",
    ),
    Example(
        """\
import contextlib

import torch


class Section(contextlib.ContextDecorator):
    def __enter__(self) -> "Section":
        return self

    def __exit__(self, *error: object) -> None:
        pass


@Section()
def double(x: torch.Tensor) -> torch.Tensor:
    return x * 2


@torch.set_grad_enabled(False)
def halve(x: torch.Tensor) -> torch.Tensor:
    return x / 2


def f(x: torch.Tensor) -> torch.Tensor:
    y = double(x + 1)  # breaks: GB0142
    return halve(y) + 1  # breaks: GB0007
""",
    ),
    Example(
        """\
import functools

import torch


class Table:
    @functools.cached_property
    def scale(self) -> int:
        return 2


table = Table()


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    return x * table.scale  # breaks: GB0142


f(torch.zeros(3))
""",
        until_python=(3, 12),  # cached_property takes no lock there
    ),
    Example(
        """\
import functools

import torch


class Net(torch.nn.Module):
    @functools.cached_property
    def scale(self) -> float:
        torch._dynamo.graph_break()  # breaks: GB0025
        return torch.ones(3).sum().item()  # breaks: GB0124

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.scale  # breaks: GB0142
""",
        until_python=(3, 12),  # cached_property takes no lock there
        others=("GBL101", "GBL801"),
    ),
    Example(
        """\
import functools

import torch


class Table:
    @functools.cached_property
    def scale(self) -> int:
        print("no tensors, and so not compiled")
        return 2


table = Table()


def f(x: torch.Tensor) -> torch.Tensor:
    return x * table.scale  # breaks: GB0142
""",
        until_python=(3, 12),  # cached_property takes no lock there
    ),
)
CLEAN = (
    Example(
        """\
import torch


@torch.profiler.record_function("doubled")
def doubled(x: torch.Tensor) -> torch.Tensor:
    return x * 2


def f(x: torch.Tensor) -> torch.Tensor:
    return doubled(x)
""",
    ),
    Example(
        """\
import torch


class Net(torch.nn.Module):
    @property
    def scale(self) -> torch.Tensor:
        return torch.ones(3).sum()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.scale
""",
    ),
    Example(
        """\
import torch


class Table:
    def __init__(self) -> None:
        self.scale = 2


table = Table()


def f(x: torch.Tensor) -> torch.Tensor:
    return x * table.scale
""",
    ),
    Example(
        """\
import contextlib
from collections.abc import Iterator

import torch


class Scope:
    def __enter__(self) -> "Scope":
        return self

    def __exit__(self, *error: object) -> None:
        pass


@contextlib.contextmanager
def numbered() -> Iterator[int]:
    yield 1


def f(x: torch.Tensor) -> torch.Tensor:
    with Scope(), numbered() as number, contextlib.nullcontext(), contextlib.suppress(ValueError):
        x = x * 2
    return x + number
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    with torch.no_grad(), torch.autocast("cpu", enabled=False), torch.enable_grad(), torch.inference_mode(False):
        x = x + 1
    with torch.profiler.record_function("here"), torch.set_grad_enabled(False):
        x = x + 1
    return x
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    device = torch.device("cpu")
    return x + torch.ones(4, device=device)
""",
    ),
    Example(
        """\
import contextlib

import torch


@contextlib.contextmanager
def scaled():
    yield 2


def f(x: torch.Tensor) -> torch.Tensor:
    manager = scaled()
    with manager as scale:
        x = x * scale
    return x
""",
    ),
    Example(
        """\
import contextlib

import torch


@contextlib.contextmanager
def scaled():
    yield 2


@contextlib.contextmanager
def twice():
    with scaled() as first, scaled() as second:
        yield first * second


def f(x: torch.Tensor) -> torch.Tensor:
    with twice() as scale:
        x = x * scale
    return x
""",
    ),
    Example(
        """\
import contextlib

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    with contextlib.suppress(KeyError), contextlib.nullcontext(2) as scale:
        x = x * scale
    return x
""",
    ),
    Example(
        """\
import unittest

import torch
import torch._dynamo

torch._dynamo.config.enable_trace_unittest = True


class Checks(unittest.TestCase):
    pass


checks = Checks()


def f(x: torch.Tensor) -> torch.Tensor:
    checks.assertEqual(x.dim(), 1)
    with checks.assertRaises(ValueError):
        raise ValueError("here")
    return x * 2
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x + torch.zeros(4, device=x.device)
""",
    ),
    Example(
        """\
import contextlib
from collections.abc import Iterator

import torch


@contextlib.contextmanager
def section(name: str) -> Iterator[None]:
    yield


@section("double")
def double(x: torch.Tensor) -> torch.Tensor:
    return x * 2


@torch.autocast("cpu", dtype=torch.bfloat16)
def outer(x: torch.Tensor) -> torch.Tensor:
    return torch.outer(x, x)


def f(x: torch.Tensor) -> torch.Tensor:
    return outer(double(x + 1))
""",
    ),
    Example(
        """\
import torch
from torch.utils._device import DeviceContext


def f(x: torch.Tensor) -> torch.Tensor:
    with DeviceContext("cpu"):
        y = torch.zeros(4)
    return x + y
""",
    ),
)
FIXES = (
    FixExample(
        """\
import torch
import torch.nn.functional as F


def f(x: torch.Tensor) -> torch.Tensor:
    with torch.backends.cuda.sdp_kernel(enable_flash=False, enable_mem_efficient=False, enable_cudnn=False):
        return F.scaled_dot_product_attention(x, x, x)
""",
        """\
import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel


def f(x: torch.Tensor) -> torch.Tensor:
    with sdpa_kernel([SDPBackend.MATH]):
        return F.scaled_dot_product_attention(x, x, x)
""",
        calls=("(torch.randn(1, 2, 4, 4),)",),
        safe=False,
        choice="use-sdpa-kernel",
    ),
    FixExample(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    with torch.device("cpu"):
        noise = torch.zeros(4)
        scale = torch.full((4,), 2.0)
    return x * scale + noise
""",
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    noise = torch.zeros(4, device="cpu")
    scale = torch.full((4,), 2.0, device="cpu")
    return x * scale + noise
""",
        safe=False,
        choice="pass-device",
    ),
)
