"""Calls of packages that are not installed are told, since nothing is known of what they do."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.interp.snippets import breaks

MODEL = """
import torch
from torch import nn
{imports}

class M(nn.Module):
    def __init__(self, strict=False):
        super().__init__()
        self.norm = nn.LayerNorm(3)
        self.strict = strict

    def forward(self, x):
        {body}

torch.compile(M())(torch.ones(2, 3))
"""


@pytest.fixture
def missing(gblint: Callable[..., Any], project: Callable[..., Path]) -> Callable[[str, str], dict[str, list[str]]]:
    """Return the functions of packages that are not installed, by package, in a module with these lines."""

    def found(imports: str, body: str) -> dict[str, list[str]]:
        project({"m.py": MODEL.format(imports=imports, body=body)})
        report = json.loads(gblint("check", "--output-format", "json").out)
        return {each["package"]: each["functions"] for each in report["missing_packages"]}

    return found


CALLS = {
    "function": ("from flashy.ops import attend", "return attend(self.norm(x))", ["flashy.ops.attend"]),
    "module": ("import flashy", "return flashy.ops.attend(x) + flashy.one(x)", ["flashy.ops.attend", "flashy.one"]),
    "object": ("import flashy\nA = flashy.Attention(3)", "return A(x) + A.pool(x)", ["flashy.Attention"]),
    "base": (
        "from flashy import Base\nclass B(Base):\n    def run(self, x): return super().run(x)\nb = B()",
        "return b.run(x)",
        ["flashy.Base.run"],
    ),
    "import in a function": ("", "import flashy; return flashy.one(x)", ["flashy.one"]),
}


@pytest.mark.parametrize(("imports", "body", "functions"), CALLS.values(), ids=CALLS)
def test_calls(
    missing: Callable[[str, str], dict[str, list[str]]], imports: str, body: str, functions: list[str]
) -> None:
    found = missing(imports, body)
    assert list(found) == ["flashy"]
    assert set(functions) <= set(found["flashy"])


OTHERS = {
    "expected to be missing": (
        "try:\n    import flashy\nexcept ImportError:\n    flashy = None",
        "return x if flashy is None else flashy.one(x)",
    ),
    "before an error": ("import flashy", "raise ValueError(flashy.one(x)) if x is None else ValueError()"),
    "not called": ("import flashy", "return self.norm(x)"),
    "not traced": ("import flashy\nNUMBER = flashy.one(3)", "return x + NUMBER"),
    "modelled": ("import numpy as np\nimport math", "return x + math.sqrt(2) + np.float32(2).item()"),
}


@pytest.mark.parametrize(("imports", "body"), OTHERS.values(), ids=OTHERS)
def test_what_is_not_told(missing: Callable[[str, str], dict[str, list[str]]], imports: str, body: str) -> None:
    assert missing(imports, body) == {}


def test_report(gblint: Callable[..., Any], project: Callable[..., Path]) -> None:
    project({"m.py": MODEL.format(imports="import flashy", body="return flashy.one(self.norm(x))")})
    done = gblint("check")
    assert done.status == 0
    assert "The compiled object was analysed, without the code of `flashy`, which is not installed." in done.out
    assert "m.py:13: `flashy` is not installed in the environment that gblint searched, so `flashy.one`" in done.err
    (entry,) = json.loads(gblint("check", "--output-format", "json").out)["entries"]
    assert entry["graphs"]["high"] is None


STAND_IN = """
from unittest.mock import MagicMock
import torch

try:
    import flashy
    installed = True
except ImportError:
    installed = False
if not installed:
    flashy = MagicMock()

@torch.compile
def f(x):
    return x * flashy.power_of_2(x.shape[0])
"""


@pytest.mark.parametrize(("path", "codes"), [("m.py", []), ("test_m.py", ["GBL499"])])
def test_a_mock_in_place_of_a_package(
    gblint: Callable[..., Any], project: Callable[..., Path], path: str, codes: list[str]
) -> None:
    project({path: STAND_IN})
    report = json.loads(gblint("check", "--output-format", "json").out)
    assert [each["code"] for each in report["findings"]] == codes


def test_torchvision_does_not_trace_under_dynamo() -> None:
    """``torchvision._is_tracing`` asks ``torch._C._get_tracing_state``, which Dynamo takes for a constant."""
    source = """
        import torch
        import torchvision
        def f(x: torch.Tensor):
            if torchvision._is_tracing():
                print("tracing")
            return x
    """
    assert breaks(source, "f") == []
