"""Objects of classes written in C: typed arrays, dates, decimals, `SimpleNamespace`, ctypes structures.

Dynamo can pass such an object on and read its attributes. It cannot trace its operators, `a[i]` or `1 in a`: it traces
Python, and supports only some C types (`list`, `dict`, `str`, ...). The same holds for attributes of a `weakref.proxy`,
and for an `operator.attrgetter` that was made outside of the region. Attributes of torch's own functions, such as
`torch.add.__name__`, can only be compared with `==`. Dynamo cannot resume after most of these breaks: the rest of the
function runs eagerly.

**Instead** use a list, a tensor, a dataclass or plain numbers; compute with dates and decimals before the region and
pass in the number (`pause.total_seconds()`).
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import UNSEEN, On, Rule


class ObjectInC(Rule):
    """GBL511."""

    code = "GBL511"
    name = "object-in-c"
    summary = "an operator or an item of an object implemented in C"
    gb_ids = (
        "GB0808",
        "GB0156",
        "GB4880",
        "GB7786",
        "GB4411",
        "GB9458",
        "GB9561",
        "GB1220",
        "GB3697",
        "GB3241",
        "GB0005",
        "GB2852",
        "GB4608",
        "GB0252",
    )
    on = (On("operation", ("buffer", "number", "structure", "namespace", "weakref", "function-attribute", "getter")),)
    message_template = "Dynamo does not know what `{expression}` does: the object is implemented in C"
    help_template = "use a list, a tensor, a dataclass or a plain number, computed before the region"
    recipes = ("hoist_to_import.evaluate_on_import",)
    escape_hatches = UNSEEN
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    if torch.meshgrid.__kwdefaults__ is not None and "indexing" in torch.meshgrid.__kwdefaults__:  # breaks: GB4411
        return x + 1
    return x + 2
""",
        ),
        Example(
            """\
import operator
import weakref

import torch


class Options:
    scale = 3.0


options = Options()
proxy = weakref.proxy(options)
scale_of = operator.attrgetter("scale")


def f(x: torch.Tensor) -> torch.Tensor:
    x = x + scale_of(options)  # breaks: GB0156
    return x * proxy.scale  # breaks: GB0252
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import operator
import weakref

import torch


class Options:
    scale = 3.0


options = Options()
reference = weakref.ref(options)


def f(x: torch.Tensor) -> torch.Tensor:
    return x * reference().scale + operator.attrgetter("scale")(options)
""",
        ),
        Example(
            """\
import torch

name = torch.softmax.__name__


def f(x: torch.Tensor) -> torch.Tensor:
    if torch.softmax.__name__ == "softmax" and "soft" in name and "Lin" in torch.nn.Linear.__name__:
        return x + 1
    return x + 2
""",
        ),
    )
    FIXES = (
        FixExample(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    if torch.meshgrid.__kwdefaults__ is not None and "indexing" in torch.meshgrid.__kwdefaults__:
        return torch.meshgrid(x, x, indexing="ij")[0]
    return torch.meshgrid(x, x)[0]
""",
            """\
import torch

_MESHGRID_ASKED_ONCE = (
    torch.meshgrid.__kwdefaults__ is not None and "indexing" in torch.meshgrid.__kwdefaults__
)


def f(x: torch.Tensor) -> torch.Tensor:
    if _MESHGRID_ASKED_ONCE:
        return torch.meshgrid(x, x, indexing="ij")[0]
    return torch.meshgrid(x, x)[0]
""",
            calls=("(torch.ones(4),)", "(torch.randn(3, requires_grad=True),)"),
            safe=False,
        ),
    )
