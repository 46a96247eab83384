"""Calls of the standard library that Dynamo traces although calls like them break the graph, and the reverse."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interp.snippets import breaks, check_first_break

# Statements, of which those with a mark break the graph.
CASES = [
    "RANDOM.seed(3)",
    "RANDOM.setstate(random.Random(1).getstate())",
    "x = x + random.Random(3).random()",
    "RANDOM.shuffle([1, 2])  # breaks",
    "x = x + RANDOM.choice([1, 2])  # breaks",
    "x = x + math.prod(x)",
    "x = x + math.prod([x.sum(), x.mean()])",
    "y = np.indices((2, 3))",
    'y = fnmatch.fnmatch("a", "a*")  # breaks',
    'y = os.path.islink("a")  # breaks',
    "y = torch.autograd._profiler_enabled()  # breaks",
    "y = torch.get_autocast_cpu_dtype()  # breaks",
    "y = torch.get_autocast_gpu_dtype()",
    "y = all(isinstance(x, t) if isinstance(t, type) else t(x) for t in (torch.Tensor, object))",
]
SOURCE = """\
import fnmatch
import math
import os
import random

import numpy as np
import torch

RANDOM = random.Random(0)


def f(x: torch.Tensor) -> torch.Tensor:
    x = x + 1
    {statement}
    return x * 2
"""


@pytest.mark.parametrize("statement", CASES)
def test_call(statement: str) -> None:
    found = breaks(SOURCE.format(statement=statement), "f")
    assert bool(found) == ("# breaks" in statement), found


@pytest.mark.parametrize("statement", CASES)
def test_dynamo_with_call(statement: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = SOURCE.format(statement=statement)
    if "fnmatch(" in statement:
        with pytest.raises(Exception, match="Failed to trace builtin operator"):  # in ``fnmatch`` itself
            check_first_break(tmp_path, monkeypatch, source.replace("# breaks", ""), "f")
    else:
        check_first_break(tmp_path, monkeypatch, source, "f")
