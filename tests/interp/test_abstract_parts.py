"""Abstract methods of assumed parts in a region, and paths that would need both training modes of one object."""

from __future__ import annotations

from pathlib import Path

import pytest

from gblint.config.settings import Config
from gblint.pipeline.lint import LintRequest, lint
from tests.interp.snippets import breaks, check_first_break, ways

BACKBONES = """
import torch
from abc import ABC, abstractmethod
from torch import nn


class Backbone(nn.Module, ABC):
    @abstractmethod
    def forward(self, x):
        pass


class Plain(Backbone):
    def forward(self, x):
        return {"features": x + 1}


class Loud(Backbone):
    def forward(self, x):
        print("loud")
        return {"features": x * 2}


class Net(nn.Module):
    def __init__(self, backbone: Backbone):
        super().__init__()
        self.backbone = backbone

    def forward(self, x):
        found = self.backbone(x)
        if found["features"].sum() > 0:
            return x
        return found["features"]
"""
MODES = """
import torch
from torch import nn


class Heads(nn.Module):
    def forward(self, x):
        if self.training:
            return self.box(x)
        return x

    def box(self, x):
        if self.training:
            return x + 1
        print("Heads are in evaluation here, which calls forward only")
        return x


class Teacher(nn.Module):
    def forward(self, x):
        if self.training:
            return x
        print("a part may be in evaluation while the whole is trained")  # breaks
        return x


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = Heads()
        self.teacher = Teacher()

    def forward(self, x):
        if self.training:
            x = x + self.teacher(x)
        return self.heads(x)


class Both(nn.Module):
    def forward(self, x):
        if self.training:
            x = self.part(x)
        return self.part(x)

    def part(self, x):
        if not self.training:
            print("evaluation")
        return x


def trained_with_a_frozen_teacher():
    net = Net()
    net.teacher.eval()
    return net


net = trained_with_a_frozen_teacher()
"""


def _line(source: str, text: str) -> int:
    return source[: source.index(text)].count("\n") + 1


def test_a_part_of_an_abstract_class_is_one_of_the_classes_that_implement_it() -> None:
    found = ways(BACKBONES, "Net")
    loud, branch = _line(BACKBONES, "print"), _line(BACKBONES, ".sum()")
    assert {line: each[0] for line, each in found.items()} == {loud: "default", branch: "always"}
    assert found[loud][1] == ["self.backbone is Loud holds"]


def test_each_object_is_in_one_training_mode() -> None:
    assert [line for line, _ in breaks(MODES, "Net")] == [_line(MODES, "a part may be")]


def test_a_function_is_entered_in_each_mode_that_leads_there() -> None:
    assert [line for line, _ in breaks(MODES, "Both")] == [_line(MODES, 'print("evaluation')]


SET_MODE = """
import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        if self.training:
            self.eval()
            return self.helper(x)
        return x

    def helper(self, x):
        if not self.training:
            print("evaluation")  # breaks
        return x + 1


net = Net()
"""


def test_the_region_may_set_the_mode(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [line for line, _ in breaks(SET_MODE, "Net")] == [_line(SET_MODE, "print(")]
    check_first_break(tmp_path, monkeypatch, SET_MODE, "net")


def test_dynamo_agrees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_first_break(tmp_path, monkeypatch, MODES, "net")


FIVE = "".join(
    f"""

class Other{number}(Backbone):
    def forward(self, x):
        print({number})
        return {{"features": x}}
"""
    for number in range(4)
)


def test_of_many_classes_none_is_called() -> None:
    source = BACKBONES.replace("class Net(", f"{FIVE}\n\nclass Net(")
    assert [line for line, _ in breaks(source, "Net")] == [_line(source, ".sum()")]


CHOICE = """
import torch


def loss(x, kind):
    if kind == "l1":
        print("l1")
    elif kind == "giou":
        x = x + 1
    elif kind == "ciou":
        print("ciou")
    else:
        raise ValueError(kind)
    return x


def one_kind(x, kind):
    if kind == "l1":
        print("the only kind")
    else:
        raise ValueError(kind)
    return x
"""


def test_the_last_of_several_texts_is_one_of_them() -> None:
    found = ways(CHOICE, "loss")
    assert {line: reach for line, (reach, _) in found.items()} == {
        _line(CHOICE, 'print("l1")'): "option",
        _line(CHOICE, 'print("ciou")'): "option",
    }
    assert found[_line(CHOICE, 'print("ciou")')][1][-1] == 'kind == "ciou" holds'
    assert ways(CHOICE, "one_kind") == {_line(CHOICE, 'print("the only'): ("always", [])}


NUMPY = """
import numpy as np
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, factor=4):
        super().__init__()
        self.is_odd = 1 < np.log2(factor)

    def forward(self, x):
        if self.is_odd:  # breaks
            return x + 1
        return x


net = Net()
"""


def test_a_value_of_numpy_is_named_and_dynamo_breaks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "net.py").write_text(NUMPY + "compiled = torch.compile(net)\n")
    outcome = lint(LintRequest((tmp_path,)), Config(root=tmp_path))
    assert [each.message for each in outcome.report.findings] == [
        "`if self.is_odd` depends on a NumPy value, which Dynamo traces as a tensor"
    ]
    pytest.importorskip("torch")
    check_first_break(tmp_path, monkeypatch, NUMPY, "net")
