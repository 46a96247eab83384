"""A `with` breaks the graph unless Dynamo supports the context manager or can trace its Python code.

Dynamo cannot resume after a break at a `with`, so the rest of the function runs eagerly.

**Instead**

- enter it around the compiled call;
- in place of a decorator such as `@config.patch(...)` or `@Timer()`, a `with` statement;
- `device=x.device` for the factory functions, in place of `with torch.device(d):`;
- a context manager written in Python and created in the `with` statement is traced.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import UNSEEN, On, Rule


class ContextManager(Rule):
    """GBL503."""

    code = "GBL503"
    name = "context-manager"
    summary = "entering a context manager that Dynamo does not support"
    gb_ids = ("GB0142", "GB0008", "GB0208", "GB0262", "GB0007", "GB0156", "GB0263", "GB0221", "GB2533", "GB0060")
    on = (On("context-manager"),)
    message_template = "Dynamo does not support the context manager `{expression}`"
    help_template = "enter it outside the region"
    wording = (
        (
            "decorator",
            "`{expression}` calls a function that is decorated with a context manager",
            "use the manager in a `with` statement: in the function, or around the compiled call if Dynamo refuses it",
        ),
        (
            "functools.cached_property",
            "`{expression}` reads a cached property, which takes a lock",
            "read it before the region, make it a plain property, or use Python 3.12 or later, which takes no lock",
        ),
    )
    escape_hatches = UNSEEN
    recipes = ("contexts.enter_in_eager_runs", "contexts.use_sdpa_kernel", "contexts.pass_device")
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
        # A decorator of its own leaves the function as it is.
        Example(
            """\
import contextlib
from collections.abc import Callable

import torch


class Region(contextlib.ContextDecorator):
    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        pass

    def __call__(self, function: Callable) -> Callable:
        return function


@Region()
def double(x: torch.Tensor) -> torch.Tensor:
    return x * 2


def f(x: torch.Tensor) -> torch.Tensor:
    return double(x) + 1
""",
        ),
    )
    FIXES = (
        FixExample(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x * 2
    with torch.autograd.set_detect_anomaly(True):
        y = y + 1
    return y
""",
            """\
import contextlib

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x * 2
    with contextlib.nullcontext() if torch.compiler.is_compiling() else torch.autograd.set_detect_anomaly(True):
        y = y + 1
    return y
""",
            calls=(
                "(torch.randn(4),)",
                "(torch.randn(4, requires_grad=True),)",
            ),
            safe=False,
        ),
    )
