"""Requested entry points that call a part of which nothing is known are not analysed completely."""

from __future__ import annotations

from pathlib import Path

import pytest

from gblint.config.settings import Config, EntryPointSettings
from gblint.pipeline.lint import LintRequest, lint

MODEL = """\
import torch
from elsewhere import build

class Model(torch.nn.Module):
    def __init__(self, inner=None, scale=2.0):
        super().__init__()
        self.inner = build()
        self.known = torch.nn.Linear(3, 3)
        self.debug = False

    def forward(self, x):
        {statement}
        return x
"""


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("x = self.inner(x)", True),
        ("x = self.known(x)", False),
        ("x = self.inner(x) if self.debug else x", False),
        ("assert x.dim() == 2, self.inner(x)", False),
    ],
)
def test_a_call_of_an_unknown_part_is_told(statement: str, told: bool, tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(MODEL.format(statement=statement))
    outcome = lint(LintRequest((tmp_path / "m.py",), entries=("m:Model",)), Config(root=tmp_path))
    place = "m.py:12)"
    text = (
        '`m:Model` was not analysed completely: `self.inner` is not known; a pin for "m:Model.inner" names its class '
    )
    messages = [each.message for each in outcome.warnings if "not analysed" in each.message]
    assert [each.startswith(text) and each.endswith(place) for each in messages] == [True] * told
    graphs = outcome.report.entries[0].graphs
    assert graphs is not None and (graphs.high is None) is told


def test_a_pin_names_the_class(tmp_path: Path) -> None:
    source = MODEL.format(statement="x = self.inner(x)") + "\n\nclass Inner(torch.nn.Module):\n"
    source += "    def forward(self, x):\n        return x.item()\n"
    (tmp_path / "m.py").write_text(source)
    config = Config(root=tmp_path, entry_points=EntryPointSettings(pins={"m:Model.inner": ("m:Inner",)}))
    outcome = lint(LintRequest((tmp_path / "m.py",), entries=("m:Model",)), config)
    assert not [each for each in outcome.warnings if "not analysed" in each.message]
    assert [each.span.line for each in outcome.report.findings] == [18]
