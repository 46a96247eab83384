"""A default value, a function or a method that Dynamo cannot make again, because it has no source for it.

Dynamo calls constructors, and methods of objects that it has made, without a source for the function. A default that
such a call uses has no source either: Dynamo makes constants, classes and containers of these again, but no object,
module, tensor or `functools.partial`, so that the call breaks. A default that is a function can be called, but not be
returned, and neither can a method of an object that the region has made. Python then makes the object that holds it,
after the graph, and `fullgraph=True` raises.

**Instead** use `None` as the default and choose the object in the function, or pass it; look a method up where it is
called (`self.run()` in place of an attribute that holds `self.run`).
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class ValueWithoutSource(Rule):
    """GBL531.

    torch/_dynamo/variables/builder.py: ``SourcelessBuilder``; torch/_dynamo/variables/functions.py:
    ``UserFunctionVariable`` and ``UserMethodVariable`` have no ``reconstruct``.
    """

    code = "GBL531"
    name = "value-without-source"
    summary = "a default object in a constructor, or a function or method in what the region returns"
    gb_ids = ("GB0092", "GB0116")
    on = (On("operation", ("default-object", "function-returned")),)
    message_template = "`{expression}` uses a default that is an object, which Dynamo cannot make again"
    help_template = "use None as the default, and choose the object in the function; or pass the object"
    wording = (
        (
            "function-returned",
            "`{expression}` returns a default function or a method of an object made in the region, which Dynamo "
            "cannot pass on",
            "pass the function instead of using the default; look the method up where it is called",
        ),
    )
    BREAKS = (
        Example(
            """\
import torch


class Scores:
    def __init__(self, values: torch.Tensor, show=lambda values: values) -> None:
        self.values = values
        self.show = show


def f(x: torch.Tensor) -> Scores:
    return Scores(x + 1)  # breaks: GB0092
""",
        ),
        Example(
            """\
import torch


class Block:
    def __init__(self, size: int, activation=torch.nn.ReLU()) -> None:
        self.size = size
        self.activation = activation


def f(x: torch.Tensor) -> torch.Tensor:
    block = Block(4)  # breaks: GB0116
    return x + block.size
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def show(values: torch.Tensor) -> torch.Tensor:
    return values


class Scores:
    def __init__(self, values: torch.Tensor, show=show, size: tuple[int, int] = (2, 2)) -> None:
        self.values = values
        self.show = show
        self.size = size


def f(x: torch.Tensor) -> Scores:
    return Scores(x + 1, show)
""",
        ),
    )
