"""``inspect.isfunction``, ``inspect.ismethod`` and ``inspect.isclass`` of values that are known."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from tests.interp.snippets import breaks

SOURCE = """
import inspect
import torch

class Net(torch.nn.Module):
    def method(self):
        pass

def function():
    pass

net = Net()

@torch.compile
def f(x):
    if inspect.{test}({value}):
        print("found")
    return x
"""


class Net:
    def method(self) -> None:
        pass


def function() -> None:
    pass


VALUES: dict[str, Any] = {
    "net.method": Net().method,
    "Net.method": Net.method,
    "net": Net(),
    "Net": Net,
    "function": function,
    "3": 3,
    "None": None,
    "lambda: 0": lambda: 0,
}


@pytest.mark.parametrize("test", ["isfunction", "ismethod", "isclass"])
@pytest.mark.parametrize("value", VALUES)
def test_the_outcome_is_that_of_python(test: str, value: str) -> None:
    expected = getattr(inspect, test)(VALUES[value])
    assert bool(breaks(SOURCE.format(test=test, value=value))) == expected
