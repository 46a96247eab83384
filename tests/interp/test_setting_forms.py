"""Options of ``torch._dynamo.config``, set in all possible ways: gblint and Dynamo break on the marked lines."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from gblint.diagnostics.break_event import Category
from tests.oracle.dynamo import verdicts
from tests.oracle.linter import findings
from tests.oracle.marks import marked

BODY = """
def g(x: torch.Tensor) -> torch.Tensor:
    return x * x.sum().item()  # breaks: GB0124
"""
WITH_PATCH = "with torch._dynamo.config.patch(capture_scalar_outputs=True):"

BREAKS = {
    "patch-around-compile-only": f"{BODY}\n{WITH_PATCH}\n    h = torch.compile(g)\n\ndef f(x):\n    return h(x)\n",
    "set-in-the-region": """
@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    torch._dynamo.config.capture_scalar_outputs = True
    return x * x.sum().item()  # breaks: GB0124
""",
    "late-environment": """
import os

import torch._dynamo

os.environ["TORCHDYNAMO_CAPTURE_SCALAR_OUTPUTS"] = "1"

def f(x: torch.Tensor) -> torch.Tensor:
    return x * x.sum().item()  # breaks: GB0124
""",
    "trace-numpy": """
torch._dynamo.config.trace_numpy = False

def f(x: torch.Tensor) -> object:
    return x.numpy()  # breaks: GB0105
""",
    "assertions-as-written": """
torch._dynamo.config.rewrite_assert_with_torch_assert = False

def f(x: torch.Tensor) -> torch.Tensor:
    assert x.abs().sum() > 0  # breaks: GB0170
    return x + 1
""",
    "bound-logger-methods-are-not-moved": """
import logging

logger = logging.getLogger(__name__)
torch._dynamo.config.reorderable_logging_functions.add(logger.info)

def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    logger.info("here")  # breaks: GB0291
    return y + 1
""",
}

WHOLE = {
    "patch-around-the-call": f"{BODY}\nh = torch.compile(g)\n\ndef f(x):\n    {WITH_PATCH}\n        return h(x)\n",
    "patch-over-compile": """
@torch._dynamo.config.patch(capture_scalar_outputs=True)
@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    return x * x.sum().item()
""",
    "set-after-compile": f"""{BODY}
h = torch.compile(g)
torch._dynamo.config.capture_scalar_outputs = True

def f(x):
    return h(x)
""",
    "set-by-the-caller": f"""{BODY}
h = torch.compile(g)

def f(x):
    torch._dynamo.config.capture_scalar_outputs = True
    return h(x)
""",
    "truth-as-a-number": """
torch._dynamo.config.capture_scalar_outputs = True

def f(x: torch.Tensor) -> torch.Tensor:
    return x * bool(x.sum())
""",
    "setattr": """
setattr(torch._dynamo.config, "capture_scalar_outputs", True)

def f(x: torch.Tensor) -> torch.Tensor:
    return x * x.sum().item()
""",
    "load-config": """
torch._dynamo.config.load_config({"capture_scalar_outputs": True})

def f(x: torch.Tensor) -> torch.Tensor:
    return x * x.sum().item()
""",
    "older-name": """
import logging

logger = logging.getLogger(__name__)
torch._dynamo.config.ignore_logger_methods.add(logging.Logger.info)

def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    logger.info("here")
    return y + 1
""",
    "class-statements": """
torch._dynamo.config.enable_trace_load_build_class = True

def f(x: torch.Tensor) -> torch.Tensor:
    class Scale:
        factor = 2

    return x * Scale.factor
""",
    "reordered-print": """
torch._dynamo.config.reorderable_logging_functions.add(print)

def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    print("here", y)
    return y + 1
""",
}
PROGRAMS = {
    **{name: "import torch\n" + text for name, text in BREAKS.items()},
    **{name: "import torch\n" + text.replace("  # breaks: GB0124", "") for name, text in WHOLE.items()},
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_gblint_agrees(name: str, tmp_path: Path) -> None:
    found = [f for f in findings(PROGRAMS[name], tmp_path) if f.category is Category.GRAPH_BREAK]
    assert {finding.span.line: finding.gb_ids for finding in found} == marked(PROGRAMS[name])


@pytest.fixture(scope="module")
def dynamo() -> dict[str, Any]:
    answers = verdicts([(text, "(torch.ones(3),)") for text in PROGRAMS.values()])
    return dict(zip(PROGRAMS, answers, strict=True))


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed")
@pytest.mark.parametrize("name", PROGRAMS)
def test_dynamo_agrees(name: str, dynamo: dict[str, Any]) -> None:
    assert dynamo[name].breaks == marked(PROGRAMS[name])
    assert dynamo[name].exception is None
