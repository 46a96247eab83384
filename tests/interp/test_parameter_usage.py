"""Parameters without annotation: the use of a parameter decides what it is, before its name does."""

from __future__ import annotations

import pytest

from tests.interp.snippets import breaks

# Each function would break if the parameter ``number`` were a tensor.
NO_TENSOR = {
    "one size among several": "return x.view(number, -1, 3)",
    "a size in arithmetic": "return x.reshape(2, number * 2)",
    "a size by way of a variable": "half = number // 2\n    return x.view(half, -1)",
    "a count": "for i in range(number + 1):\n        x = x + i\n    return x",
    "compared with a number": "if number > 1:\n        x = x + 1\n    return x",
    "compared with a length": "assert 0 < number <= len(layers)\n    return x",
    "compared with a number of dimensions": "return x.sum(0) if x.dim() == number - 1 else x",
    "an index that is compared": "index = number - 1\n    return x + 1 if index > 0 else x",
    "part of the name of an attribute": "return x + getattr(config, f'scale{number}') + (1 if number else 0)",
    "passed on to a size": "if number:\n        pass\n    return resized(x, number)",
    "passed on to an annotated parameter": "return annotated(x, number) if number >= limit else x",
    "passed on twice": "return twice(x, number)",
    "a probability": "return torch.nn.functional.dropout(x, p=number)",
    "an argument of math": "return x * math.log(number / 2)",
    "the exponent of a number": "return x + (int(2.0**number) - 1)",
    "a share of a size": "return x[: int((1 - number) * x.shape[0])]",
    "a share of a length": "return x[round(x.size(0) * number) :]",
    "joined to text": "return x * scales['scale' + str(number)]",
    "a number instead of None": "if number is None:\n        number = 0\n    return x if number % 10 != 0 else x + 1",
    "a number instead of None in an expression": (
        "number = 1 if number is None else number\n    return x if number % 10 != 0 else x + 1"
    ),
    "passed on to an inner function": "return inner(x, number)",
    "searched": "return x + 1 if 3 in number else x",
    "searched for what is not there": "if x.dim() not in number:\n        x = x + 1\n    return x",
    "each n-th step": "for i in range(9):\n        if i % number == 0:\n            x = x + i\n    return x",
    "each n-th step, in a function": "return x + 1 if divides(number, 9) else x",
}
HELPERS = """
import math
import torch
def divides(n, whole):
    return whole % n == 0
limit = 4
scales = {}
layers = [1, 2]
class config:
    scale1 = 1
def resized(x, n):
    return x.view(n, -1)
def annotated(x, n: int):
    for i in range(n):
        x = x + i
    return x
def twice(x, count):
    return resized(x, count) if count > 2 else x
def inner(x, high):
    def scale(low):
        return 2 * math.log(low / 3)
    def both(a, b):
        return x * scale(a) + b
    return both(high, 1)
"""


@pytest.mark.parametrize("body", NO_TENSOR.values(), ids=NO_TENSOR)
def test_number(body: str) -> None:
    assert breaks(f"{HELPERS}\ndef f(x, number):\n    {body}\n", "f") == []


@pytest.mark.parametrize(
    "body",
    [
        "if mask.sum() > 1:\n        x = x + 1\n    return x",
        "return x * math.log(mask) + mask.detach()",
        "n = mask.max().item()\n    return x + n",
        "mask = mask.detach()\n    return x + 1 if 3 in mask else x",
        "if (x - mask).norm() > 1:\n        x = x + 1\n    return x",
    ],
)
def test_tensor(body: str) -> None:
    assert len(breaks(f"{HELPERS}\ndef f(x, mask):\n    {body}\n", "f")) == 1


def test_method_of_the_same_class() -> None:
    source = """
        import torch
        class Net(torch.nn.Module):
            def pick(self, number):
                assert 0 < number <= 3
                return number
            def forward(self, x, number):
                index = self.pick(number)
                if number:
                    x = x + index
                return x
    """
    assert breaks(source, "Net") == []


def test_a_number_that_comes_with_tensors_through_a_wrapper() -> None:
    source = """
        import torch
        def on_cpu(function):
            def inner(*args, **kwargs):
                items = (*args, *kwargs.values())
                items = tuple(map(lambda t: t.cpu() if isinstance(t, torch.Tensor) else t, items))
                count = len(items) - len(kwargs)
                return function(*items[:count], **dict(zip(kwargs.keys(), items[count:])))
            return inner
        @on_cpu
        def f(x, number=None, mask=None):
            number = 1 if number is None else number
            assert 0 < number <= 3
            if number == x.shape[0]:
                x = x + 1
            return x if mask is None or mask.sum() > 0 else x - 1
    """
    assert breaks(source, "f") == [(16, "data-dependent-branch")]
