"""Strings as defaults of constructors: an option, whose other values are looked at too."""

from __future__ import annotations

import pytest

from tests.interp.snippets import ways

MODES = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, mode="first", kind: str = "plain"):
        super().__init__()
        self.mode = mode
        self.kind = kind

    def forward(self, x):
        if self.mode == "first":
            print("usual")
        elif self.mode in ("second", "third"):
            print("second")
        elif "checker" in self.mode:
            x = x[x > 0]
        if self.kind == "other":
            print("other")
        return x
"""

CONFIGURATION = """
import torch
from dataclasses import dataclass
from torch import nn

@dataclass
class Config:
    mode: str = "first"

class Net(nn.Module):
    def __init__(self, config: Config):
        super().__init__()
        self.config = config

    def forward(self, x):
        if self.config.mode == "second":
            print("second")
        return x

class Table(nn.Module):
    def __init__(self, name="relu"):
        super().__init__()
        self.name = name

    def forward(self, x):
        return {"relu": torch.relu, "strange": print}[self.name](x)
"""


def test_other_values_of_a_text_option_are_followed() -> None:
    assert {line: reach for line, (reach, _) in ways(MODES, "Net").items()} == {
        13: "default",
        15: "option",
        17: "option",
        19: "option",
    }


def test_text_of_a_configuration_keeps_its_default() -> None:
    assert ways(CONFIGURATION, "Net") == {}


def test_text_that_is_asked_for_a_size_is_unknown() -> None:
    source = """
    import torch
    from torch import nn

    class Net(nn.Module):
        def __init__(self, shape="auto"):
            super().__init__()
            self.shape = shape

        def forward(self, x):
            return x.expand(self.shape.size(), 4)
    """
    assert ways(source, "Net") == {}


NAMED = """
import torch
from torch import nn

class Gate(nn.Module):
    def forward(self, x):
        return x if x.sum() > 0 else -x

def by_name(name):
    found = globals().get(name)
    if found is None:
        raise ValueError("unknown: " + name)
    return found

class Net(nn.Module):
    def __init__(self, kind="gate", layer="Gate"):
        super().__init__()
        self.kind = kind
        self.layer = {layer}()

    def _apply_gate(self, x):
        return x * self.layer(x)

    def _apply_none(self, x):
        return x

    def forward(self, x):
        return getattr(self, {method})(x)
"""
METHODS = ('"_apply_" + self.kind', 'f"_apply_{self.kind}"', '"_apply_{}".format(self.kind)', '"_apply_%s" % self.kind')


@pytest.mark.parametrize("layer", ["by_name(layer)", "globals()[layer]", "eval(layer)", "by_name(layer.strip())"])
def test_a_text_option_names_a_class(layer: str) -> None:
    assert set(ways(NAMED.format(layer=layer, method='"_apply_gate"'), "Net")) == {7}


@pytest.mark.parametrize("method", METHODS)
def test_a_text_option_is_a_part_of_the_name_of_a_method(method: str) -> None:
    source = NAMED.replace("{layer}", "Gate").replace("{method}", method)
    assert set(ways(source, "Net")) == {7}
