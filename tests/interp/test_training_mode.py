"""``eval()`` and ``train()`` in the region: what follows runs in that mode.  Dynamo is run on each program."""

from __future__ import annotations

import pytest

from tests.interp.snippets import breaks
from tests.oracle import dynamo

SOURCE = """
import torch
from torch import nn

class Crop(nn.Module):
    def forward(self, x):
        if self.training:
            return x * x.sum().item()
        return x

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.crop = Crop()

    def forward(self, x, flag):
        {body}

NET = Model()

@torch.compile
def f(x, flag: bool):
    return NET(x, flag)
"""
# The body of the method, and whether it breaks.
BODIES = {
    "return self.crop(x)": True,
    "self.eval(); return self.crop(x)": False,
    "self.train(False); return self.crop(x)": False,
    "self.crop.eval(); return self.crop(x)": False,
    "self.eval(); y = self.crop(x); self.train(); return y": False,
    "self.eval(); self.train(); return self.crop(x)": True,
    "self.eval(); self.train(flag); return self.crop(x)": True,
    "self.eval() if flag else None; return self.crop(x)": True,
    "flag and self.eval(); return self.crop(x)": True,
}
# Dynamo sees the mode of the first call, and in the last three ``flag`` decides.
FLAGS = {body: str("train(flag)" in body) for body in BODIES}


@pytest.fixture(scope="module")
def verdicts() -> dict[str, dynamo.Verdict]:
    """The verdict of Dynamo on each program."""
    pytest.importorskip("torch")
    examples = [(SOURCE.format(body=body), f"(torch.ones(3), {FLAGS[body]})") for body in BODIES]
    return dict(zip(BODIES, dynamo.verdicts(examples)))


@pytest.mark.parametrize("body", BODIES)
def test_findings(body: str) -> None:
    assert [line for line, _ in breaks(SOURCE.format(body=body))] == [8] * BODIES[body]


@pytest.mark.parametrize("body", BODIES)
def test_dynamo_agrees(body: str, verdicts: dict[str, dynamo.Verdict]) -> None:
    assert list(verdicts[body].breaks) == [8] * BODIES[body], verdicts[body]


def test_mode_ends_with_the_region() -> None:
    """Another entry point finds the module in either mode."""
    source = SOURCE.format(body="self.eval(); return self.crop(x)")
    assert breaks(f"{source}\n@torch.compile\ndef g(x):\n    return NET.crop(x)\n") == [(8, "tensor-to-python")]
