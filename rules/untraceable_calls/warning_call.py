"""`warnings.warn` keeps its state in C, which Dynamo cannot trace, so the graph ends at it.

The same goes for `warnings.simplefilter` and `warnings.filterwarnings`; `with warnings.catch_warnings():` alone is
traced.

**Instead**

- warn in `__init__`, or outside the region;
- for debugging only: `if not torch.compiler.is_compiling():` around it;
- `torch._dynamo.config.reorderable_logging_functions.add(warnings.warn)`: it warns after the graph; it accepts a text,
  but no category;
- `torch._dynamo.config.ignore_logging_functions.add(warnings.warn)`: it does not warn at all.

**Does not help**

- `warnings.catch_warnings()` or a filter: the call breaks before a filter applies, and Dynamo cannot resume inside the
  `with`.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import On, Rule


class WarningCall(Rule):
    """GBL403."""

    code = "GBL403"
    name = "warning-call"
    summary = "`warnings.warn` and its filters"
    gb_ids = ("GB0007", "GB0296")
    on = (On("call", ("warnings.*", "_warnings.*")), On("reordered-call", ("warnings.*",)))
    message_template = "`{expression}` calls the module `warnings`"
    help_template = "guard it with `if not torch.compiler.is_compiling()`, or warn outside of the region"
    recipes = ("printing.register_with_dynamo", "printing.guard_with_is_compiling", "printing.remove_statement")
    BREAKS = (
        Example(
            """\
import warnings

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    warnings.warn("here")  # breaks: GB0007
    return y * 2
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import warnings

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    with warnings.catch_warnings():
        y = x + 1
    if not isinstance(y, torch.Tensor):
        warnings.warn("no tensor")
    return y
""",
        ),
    )
    FIXES = (
        FixExample(
            """\
import warnings

import torch


def f(x: torch.Tensor, name: str) -> torch.Tensor:
    y = x + 1
    warnings.warn(f"{name} is old")
    warnings.warn("and will go")
    return y * 2


compiled = torch.compile(f)
""",
            """\
import warnings

import torch

torch._dynamo.config.reorderable_logging_functions.add(warnings.warn)


def f(x: torch.Tensor, name: str) -> torch.Tensor:
    y = x + 1
    warnings.warn(f"{name} is old")
    warnings.warn("and will go")
    return y * 2


compiled = torch.compile(f)
""",
            calls=("(torch.randn(4), 'a')",),
            safe=False,
        ),
    )
