"""Settings of Dynamo that functions change which the code around a compilation calls."""

from __future__ import annotations

import pytest

from tests.interp.snippets import breaks
from tests.oracle import dynamo

HEAD = """
    import torch
    try:
        import torch._dynamo as dynamo
    except ImportError:
        dynamo = None

    def configure(on=True, strict=False):
        if dynamo is None:
            return
        if strict:
            raise ValueError
        if on:
            if hasattr(dynamo.config, "capture_scalar_outputs"):
                dynamo.config.capture_scalar_outputs = True
        else:
            dynamo.config.capture_scalar_outputs = False

    def prepare(function):
        configure()
        return function

    def outer():
        return prepare(f)

    def again():
        return again()

    def read():
        return dynamo.config.capture_scalar_outputs

    def f(x: torch.Tensor):
        return x + x.sum().item()
    """


@pytest.mark.parametrize(
    "main",
    [
        "configure()\ntorch.compile(f)(torch.ones(3))",
        "torch.compile(prepare(f))(torch.ones(3))",
        "def test():\n    g = outer()\n    torch.compile(g)(torch.ones(3))",
        "configure(on=True)\ntorch.compile(f)(torch.ones(3))",
        "configure(False)\nconfigure(True)\ntorch.compile(f)(torch.ones(3))",
    ],
)
def test_on(main: str) -> None:
    assert breaks(source(main)) == []


@pytest.mark.parametrize(
    "main",
    [
        "torch.compile(f)(torch.ones(3))",
        "configure(on=False)\ntorch.compile(f)(torch.ones(3))",
        "configure()\nconfigure(False)\ntorch.compile(f)(torch.ones(3))",
        "read()\ntorch.compile(f)(torch.ones(3))",
        "again()\ntorch.compile(f)(torch.ones(3))",
        "def test():\n    torch.compile(f)(torch.ones(3))\n    prepare(f)",
    ],
)
def test_off(main: str) -> None:
    assert len(breaks(source(main))) == 1


def source(main: str) -> str:
    return HEAD + "\n" + "\n".join(f"    {line}" for line in main.splitlines())


JUDGED = """\
import torch
import torch._dynamo as dynamo


def configure():
    if hasattr(dynamo.config, "capture_scalar_outputs"):
        dynamo.config.capture_scalar_outputs = True


{line}


def f(x: torch.Tensor):
    return x + x.sum().item()
"""


def test_dynamo_agrees() -> None:
    """Dynamo reads a setting when it compiles, wherever it was made."""
    pytest.importorskip("torch")
    found = dynamo.verdicts([(JUDGED.format(line=line), "(torch.ones(3),)") for line in ("pass", "configure()")])
    assert [len(each.breaks) for each in found] == [1, 0]
    assert [len(breaks(JUDGED.format(line=line), "f")) for line in ("pass", "configure()")] == [1, 0]
