"""An attribute of a class is stored in the region and read through an object: Dynamo reads the value from before.

`Counter.calls += 1` is kept until the graph ends, but `self.calls`, `getattr(self, "calls")` and a method that was
replaced are looked up in the class as it was when the region began. Nothing breaks, and there is no warning. After a
graph break the new value is read.

**Instead** read the attribute through the class as well (`Counter.calls`, `type(self).calls`), use the local variable
that was stored, or store the value before the compiled function runs.
"""

from __future__ import annotations

from gblint.diagnostics.break_event import Category
from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class StaleClassAttribute(Rule):
    """GBL830.

    torch/_dynamo/variables/user_defined.py: ``UserDefinedObjectVariable`` looks up attributes of a class without the
    side effects of the frame.
    """

    code = "GBL830"
    name = "stale-class-attribute"
    summary = "an attribute of a class that the region has stored is read through an object"
    category = Category.DIVERGENCE
    on = (On("divergence", ("class-attribute",)),)
    message_template = "`{expression}` has the value from before the region: the class got another one here"
    help_template = "read it through the class, or use the value that was stored"
    DIVERGES = (
        Example(
            """\
import torch


class Layer:
    calls = 0

    def scale(self, x: torch.Tensor) -> torch.Tensor:
        type(self).calls += 1
        return x * self.calls  # diverges


layer = Layer()


def f(x: torch.Tensor) -> torch.Tensor:
    return layer.scale(x)
""",
        ),
        Example(
            """\
import torch


class Layer(torch.nn.Module):
    width = 1

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.ndim == 1:
            Layer.width = x.shape[0]
        return x * self.width  # diverges


layer = Layer()


def f(x: torch.Tensor) -> torch.Tensor:
    return layer(x)
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


class Layer:
    calls = 0
    width = 2

    def scale(self, x: torch.Tensor) -> torch.Tensor:
        before = self.calls
        type(self).calls += 1
        return x * type(self).calls * self.width + before


layer = Layer()


def f(x: torch.Tensor) -> torch.Tensor:
    return layer.scale(x)
""",
        ),
        Example(
            """\
import torch


class Layer:
    calls = 0

    def scale(self, x: torch.Tensor) -> torch.Tensor:
        if x.ndim > 1:
            Layer.calls = 3
            x = x + Layer.calls
        else:
            x = x + self.calls
        return x


layer = Layer()


def f(x: torch.Tensor) -> torch.Tensor:
    return layer.scale(x)
""",
        ),
    )
