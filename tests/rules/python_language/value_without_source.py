"""More examples of GBL531, value-without-source."""

from __future__ import annotations

from gblint.rules.examples import Example

_START = """\
import enum
import functools
import pathlib

import numpy as np
import torch


def same(x):
    return x


class Kind(enum.Enum):
    A = 1


class Settings:
    def __init__(self):
        self.run = same

    def go(self, x):
        return x


SETTINGS = Settings()
"""


def _with_default(default: str, used: str = "Box(x + 1).x") -> Example:
    """Return an example with a class ``Box`` whose constructor has a default."""
    break_mark = "" if default.startswith("=") else "  # breaks: GB0116"
    return Example(
        f"{_START}\n\nclass Box:\n    def __init__(self, x, held={default.lstrip('=')}):\n        self.x = x\n"
        f"        self.held = held\n\n\ndef f(x: torch.Tensor):\n    return {used}{break_mark}\n"
    )


def _returned(returned: str, breaks: bool = True) -> Example:
    """Return an example that returns a value."""
    mark = "  # breaks: GB0092" if breaks else ""
    return Example(
        f"{_START}\n\nclass Box:\n    def __init__(self, x, *, held=same):\n        self.x = x\n"
        f"        self.held = held\n\n    def run(self):\n        return self.x\n\n\n"
        f"class Runner:\n    def __init__(self, x):\n        self.x = x\n        self.run = self.go\n\n"
        f"    def go(self):\n        return self.x\n\n\ndef f(x: torch.Tensor):\n    return {returned}{mark}\n"
    )


BREAKS = (
    *map(
        _with_default,
        (
            "SETTINGS",
            "[SETTINGS]",
            "torch.ones(2)",
            "torch.nn.Parameter(torch.ones(2))",
            "range(3)",
            'pathlib.Path("a")',
            "np.ones(2)",
            "functools.partial(same)",
            "SETTINGS.go",
            "torch.distributions.Normal(0.0, 1.0)",
        ),
    ),
    _returned("Box(x + 1)"),
    _returned('{"a": [Box(x + 1)]}'),
    _returned("Runner(x + 1)"),
    _returned("x + 1, Settings().go"),
)

CLEAN = (
    *map(
        _with_default,
        (
            "=None",
            "=(1, 2)",
            "=Settings",
            "=Kind.A",
            '=torch.device("cpu")',
            "=torch.float32",
            "=torch.relu",
            "=same",
            '={"a": 1}',
        ),
    ),
    _with_default("=SETTINGS", "Box(x + 1, None).x"),
    _returned("Box(x + 1, held=same)", breaks=False),
    _returned("Box(x + 1).held(x)", breaks=False),
    _returned("Runner(x + 1).run()", breaks=False),
    _returned("x + 1, SETTINGS.go", breaks=False),
    _returned("x + 1, SETTINGS.run", breaks=False),
)
