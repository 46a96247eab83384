"""A `with` breaks the graph unless Dynamo knows the context manager or can trace its Python.

A break at a `with` cannot be resumed from, so the rest of the function runs eagerly.

**Instead** enter it around the compiled call. For `with torch.device(d):` pass `device=d` to the factory functions.
"""

from __future__ import annotations

from gblint.rules.base import Example, On, Rule


class ContextManager(Rule):
    """GBL503."""

    code = "GBL503"
    name = "context-manager"
    summary = "entering a context manager that Dynamo does not support"
    gb_ids = ("GB0142", "GB0008", "GB0208", "GB0262", "GB0007", "GB0156")
    on = (On("context-manager"),)
    said = "Dynamo does not support the context manager `{expression}`"
    advice = "enter it outside the region"
    wording = (
        (
            "functools.cached_property",
            "`{expression}` takes the lock of a cached property",
            "read it before the region, make it a property, or run Python 3.12, where there is no lock",
        ),
    )
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    with torch.device("cpu"):  # breaks: GB0142
        y = y + torch.ones(4)
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
    )
    CLEAN = (
        Example(
            """\
import torch


@torch.no_grad()
def double(x: torch.Tensor) -> torch.Tensor:
    return x * 2


def f(x: torch.Tensor) -> torch.Tensor:
    return double(x) + 1
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
    )
