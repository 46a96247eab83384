"""A call of a method that breaks the graph, on an object that was made in the compiled region.

When the graph breaks inside a method, Dynamo ends the graph at the call and passes what the call needs to Python: the
bound method and its arguments. An object that has come in can be passed. A bound method of an object made since the
region began, or since the last break, cannot: Dynamo gives up, and the whole function around the call runs eagerly.
The methods that it calls are compiled on their own. The same happens at any break while a variable holds such a method.

A method under `@torch.no_grad()` or another context manager breaks at the call itself, if its object is new.

**Instead** mend the break inside the method. If it has to stay, make the object outside of the compiled function and
pass it, or write the method as a function that takes the object.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class MethodOfNewObject(Rule):
    """GBL530.

    torch/_dynamo/variables/functions.py: ``UserMethodVariable`` has no ``reconstruct``.
    """

    code = "GBL530"
    name = "method-of-new-object"
    summary = "a method that breaks the graph is called on an object made in the region"
    gb_ids = ("GB0092", "GB0116")
    on = (On("operation", ("method-on-stack", "method-in-variable", "decorated-method")),)
    message_template = (
        "`{expression}` breaks inside, and Dynamo cannot resume after a method of an object made in the region"
    )
    wording = (
        (
            "method-in-variable",
            "where `{expression}` breaks, a variable holds a method of an object made in the region, which Dynamo "
            "cannot pass to the resumed frame",
            "mend the break, or look the method up after it",
        ),
        (
            "decorated-method",
            "`{expression}` calls a method under a context manager, of an object made in the region: Dynamo has no "
            "source for the decorated function",
            "enter the context manager in a `with` statement inside the method, not as a decorator",
        ),
    )
    help_template = "mend the break inside, or make the object outside of the compiled function"
    BREAKS = (
        Example(
            """\
import torch


class Scaler:
    def __init__(self, factor: float) -> None:
        self.factor = factor

    def scale(self, x: torch.Tensor) -> torch.Tensor:
        torch._dynamo.graph_break()  # breaks: GB0025
        return x * self.factor


def f(x: torch.Tensor) -> torch.Tensor:
    scaler = Scaler(2.0)
    y = scaler.scale(x)  # breaks: GB0092
    return y.sin()
""",
            others=("GBL801",),
        ),
        Example(
            """\
import torch


class Matcher(torch.nn.Module):
    @torch.no_grad()
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.argsort()


def f(x: torch.Tensor) -> torch.Tensor:
    matcher = Matcher()
    return x[matcher(x)]  # breaks: GB0116
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


class Scaler:
    def __init__(self, factor: float) -> None:
        self.factor = factor

    def scale(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.factor


def f(x: torch.Tensor) -> torch.Tensor:
    scaler = Scaler(2.0)
    return scaler.scale(x).sin()
""",
        ),
        Example(
            """\
import torch


class Matcher(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            return x.argsort()


def f(x: torch.Tensor) -> torch.Tensor:
    matcher = Matcher()
    return x[matcher(x)]
""",
        ),
    )
