"""Every call to a logger breaks the graph, even one below the level of the logger.

Dynamo does not trace into `logging`: `logger.debug(...)`, `logger.isEnabledFor(...)`, `logging.info(...)` and
`logging.getLogger(...)` all end the graph. Helpers around them (`logger.warning_once` of transformers) are traced into
and break at the call inside. An operation on what a logger holds breaks too: `logger.level <= logging.INFO`,
`if logger.disabled:`, `len(logger.handlers)`.

**Instead**

- log outside the region, or once in `__init__`;
- for debugging only: `if not torch.compiler.is_compiling():` around it;
- omit the calls: `torch._dynamo.config.ignore_logging_functions.add(logging.Logger.info)`, one for each method;
- move calls of the functions of the module: `...reorderable_logging_functions.add(logging.info)`;
- `torch._higher_order_ops.print`, to print a value at run time.

**Does not help**

- a higher level: a call below it breaks too, and so does `isEnabledFor`;
- `ignore_logging_functions.add(logging.Logger)`: it takes functions, not classes;
- `reorderable_logging_functions.add(logger.info)`: methods of a logger are not moved.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import On, Rule


class LoggingCall(Rule):
    """GBL402."""

    code = "GBL402"
    name = "logging-call"
    summary = "a logger's method or a function of `logging`"
    gb_ids = ("GB0291", "GB4841", "GB6215", "GB0296")
    on = (
        On("call", ("logging.*", "loguru.*", "structlog.*", "absl.logging.*")),
        On("reordered-call", ("logging.*",)),
        On("operation", ("logger-attribute",)),
    )
    message_template = "`{expression}` calls a logger"
    help_template = (
        "guard it with `if not torch.compiler.is_compiling()`, or add the function to "
        "`torch._dynamo.config.ignore_logging_functions`"
    )
    wording = (
        (
            "logger-attribute",
            "`{expression}` needs the value of a logger's attribute, which Dynamo does not read",
            "read it outside of the region, or guard it with `if not torch.compiler.is_compiling()`",
        ),
    )
    recipes = ("printing.guard_with_is_compiling", "printing.remove_statement", "printing.register_with_dynamo")
    BREAKS = (
        Example(
            """\
import logging

import torch

logger = logging.getLogger(__name__)


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    logger.debug("shape %s", y.shape)  # breaks: GB0291
    y = y + 1
    if logger.isEnabledFor(logging.INFO):  # breaks: GB0291
        y = y + 1
    return y * 2
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import logging

import torch

logger = logging.getLogger(__name__)


def double(x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
    if mask is not None:
        logger.warning("a mask is ignored")
    return x * 2


def f(x: torch.Tensor) -> torch.Tensor:
    return double(x)
""",
        ),
    )
    FIXES = (
        FixExample(
            """\
import logging

import torch

logger = logging.getLogger(__name__)


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    logger.warning(
        "mean %s",
        y.mean(),
    )
    return y * 2
""",
            """\
import logging

import torch

logger = logging.getLogger(__name__)


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if not torch.compiler.is_compiling():
        logger.warning(
            "mean %s",
            y.mean(),
        )
    return y * 2
""",
            safe=False,
        ),
    )
