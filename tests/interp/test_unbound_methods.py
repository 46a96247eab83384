"""Methods that are compiled without their object: the first parameter is an object of the class."""

from __future__ import annotations

import pytest

from tests.interp.snippets import breaks

HEAD = """
import functools
import torch
from torch import nn

def lazy(function):
    compiled = None
    @functools.wraps(function)
    def wrapped(*args, **kwargs):
        nonlocal compiled
        if compiled is None:
            compiled = torch.compile(function)
        return compiled(*args, **kwargs)
    return wrapped

class Net(nn.Module):
    def helper(self, x):
        print("helper")
        return x
"""
CASES = {
    "replaced-in-the-class": """
    def forward(self, x):
        return self.helper(x)
Net.forward = torch.compile(Net.forward)
""",
    "compiled-at-the-first-call": """
    @lazy
    def forward(self, x):
        return self.helper(x)
""",
    "called-with-an-object": """
    def forward(self, x):
        return self.helper(x)
compiled = torch.compile(Net.forward)
compiled(Net(), torch.ones(3))
""",
    "parameter-of-another-name": """
    def forward(this, x):
        return this.helper(x)
compiled = torch.compile(Net.forward)
""",
}


@pytest.mark.parametrize("code", CASES.values(), ids=CASES)
def test_helper_is_followed(code: str) -> None:
    assert breaks(HEAD + code) == [(18, "call")]


def test_function_of_a_class_without_an_object() -> None:
    source = """
    import torch

    class Tools:
        @staticmethod
        def scale(x):
            return x.sum().item() if x.is_floating_point() else 0

    compiled = torch.compile(Tools.scale)
    """
    assert breaks(source) == [(7, "tensor-to-python")]


def test_static_method_below_its_decorator() -> None:
    source = (
        HEAD
        + """
class Tools:
    @staticmethod
    @torch.compile
    def step(net: Net, x):
        return net.helper(x)
"""
    )
    assert breaks(source) == [(18, "call")]
