"""A copy of an `OrderedDict`, a `Counter` or an object of a subclass of `dict`, `list` or `set` is empty under Dynamo.

`copy.copy` and `copy.deepcopy` ask an object for its class, its attributes and its items. Dynamo replaces this by a
function that returns no items, so the copy has the attributes of the original, but none of its items. Nothing breaks,
and there is no warning. `copy.deepcopy` of a dict or of an object does the same to such containers inside. Plain
dicts and lists, and `UserDict`, keep their items.

**Instead** call the class (`Batch(batch)`, `OrderedDict(options)`), or define `__copy__` and `__deepcopy__`.
"""

from __future__ import annotations

from gblint.diagnostics.break_event import Category
from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class CopiedContainer(Rule):
    """GBL828."""

    code = "GBL828"
    name = "copied-container"
    summary = "`copy` of an `OrderedDict`, or of a subclass of `dict`, `list` or `set`"
    category = Category.DIVERGENCE
    on = (On("divergence", ("copied-container",)),)
    message_template = "`{expression}` loses the items of a container under Dynamo: its copy is empty"
    help_template = "call the class of the container instead of `copy`, or give it `__copy__` and `__deepcopy__`"
    DIVERGES = (
        Example(
            """\
import copy

import torch


class Batch(dict):
    pass


batch = Batch(scale=2.0)


def f(x: torch.Tensor) -> torch.Tensor:
    kept = copy.copy(batch)  # diverges
    return x + len(kept)
""",
        ),
        Example(
            """\
import copy
from collections import OrderedDict

import torch


class Options:
    def __init__(self) -> None:
        self.scales = OrderedDict(a=2.0)


options = Options()


def f(x: torch.Tensor) -> torch.Tensor:
    own = copy.deepcopy(options)  # diverges
    return x + sum(own.scales.values())
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import copy
from collections import OrderedDict

import torch


class Batch(dict):
    pass


class Copied(dict):
    def __copy__(self):
        return Copied(self)

    def __deepcopy__(self, memo):
        return Copied(self)


batch = Batch(scale=2.0)
copied = Copied(scale=2.0)
options = OrderedDict(a=1)


def f(x: torch.Tensor) -> torch.Tensor:
    own = Batch(batch)
    also = copy.copy(copied)
    deep = copy.deepcopy(copied)
    listed = OrderedDict(options)
    plain = copy.deepcopy({"a": [1]})
    return x + len(own) + len(also) + len(deep) + len(listed) + len(plain)
""",
        ),
    )
