"""More examples of GBL402, logging-call."""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample

BREAKS = (
    Example(
        """\
import logging

import torch

logger = logging.getLogger(__name__)


def is_verbose(level: int) -> bool:
    return level <= logging.INFO  # breaks: GB6215


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    y = y + len(logger.handlers)  # breaks: GB4841
    y = y + is_verbose(logger.level)
    if not logger.handlers:  # breaks: GB4841
        y = y + 1
    return y * 2
""",
    ),
    Example(
        """\
import logging

import torch


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.logger = logging.getLogger(__name__)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x + 1
        if self.logger.disabled:  # breaks: GB4841
            y = y + 1
        return y * 2
""",
    ),
    Example(
        """\
import logging

import torch

logger = logging.getLogger(__name__)


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    for _ in logger.handlers:  # breaks: GB4841
        y = y + 1
    return y * 2
""",
    ),
    Example(
        """\
import logging

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    logging.debug("here")  # breaks: GB4841
    y = y + 1
    logger = logging.getLogger("here")  # breaks: GB6215
    y = y + 1
    logger.info("here")  # breaks: GB0291
    return y * 2
""",
    ),
    Example(
        """\
import functools
import logging
from typing import Any

import torch

logger = logging.getLogger(__name__)


@functools.lru_cache(None)
def warning_once(self: logging.Logger, *args: Any, **kwargs: Any) -> None:
    self.warning(*args, **kwargs)


logging.Logger.warning_once = warning_once


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    logger.warning_once("here")  # breaks: GB0291
    return y * 2
""",
    ),
    Example(
        """\
import logging

import torch

logger = logging.getLogger(__name__)
torch._dynamo.config.reorderable_logging_functions.add(logger.info)
torch._dynamo.config.ignore_logging_functions.add(logging.Logger)


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    logger.info("here")  # breaks: GB0291
    return y * 2
""",
    ),
    Example(
        """\
import logging

import torch

torch._dynamo.config.reorderable_logging_functions.add(logging.info)


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    logging.info("shape %s", y.shape)  # breaks: GB0296
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


def scaled(x: torch.Tensor, out: logging.Logger | None) -> torch.Tensor:
    return x * 2 if out is None else x * 3


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return scaled(y, logger)
""",
    ),
    Example(
        """\
import logging

import torch

logger = logging.getLogger(__name__)
VERBOSE = logger.level <= logging.INFO


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if VERBOSE:
        y = y + 1
    return y
""",
    ),
    Example(
        """\
import logging

import torch

logger = logging.getLogger(__name__)


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    level = logger.level
    if logger is not None and level is not None and logger.parent is not None:
        y = y + 1
    return y * 2
""",
    ),
    Example(
        """\
import logging

import torch

logger = logging.getLogger(__name__)


def f(x: torch.Tensor) -> torch.Tensor:
    if not torch.compiler.is_compiling():
        logger.warning("eager")
    return x * logging.INFO
""",
    ),
    Example(
        """\
import logging

import torch

logger = logging.getLogger(__name__)
torch._dynamo.config.ignore_logging_functions.add(logging.Logger.info)


def f(x: torch.Tensor) -> torch.Tensor:
    logger.info("here")
    return x * 2
""",
    ),
    Example(
        """\
import logging

import torch

logger = logging.getLogger(__name__)
torch._dynamo.config.ignore_logging_functions.add(logging.Logger.info)


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    logger.info("here")
    return y * 2
""",
    ),
    Example(
        """\
import logging

import torch

torch._dynamo.config.reorderable_logging_functions.add(logging.info)


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    logging.info("here")
    return y * 2
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
    logger.warning("here")
    return x * 2
""",
        """\
import logging

import torch

logger = logging.getLogger(__name__)


def f(x: torch.Tensor) -> torch.Tensor:
    return x * 2
""",
        safe=False,
        choice="remove-statement",
    ),
    FixExample(
        """\
import logging

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    logging.warning("half way")
    return y * 2
""",
        """\
import logging

import torch

torch._dynamo.config.reorderable_logging_functions.add(logging.warning)


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    logging.warning("half way")
    return y * 2
""",
        choice="register-with-dynamo",
        safe=False,
    ),
)
