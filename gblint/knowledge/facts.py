"""One fact about Dynamo, and its short text in the data files.

``effect [GB ids] [-> returns] [if when]``, for example ``break GB0036 -> tensor[int;2]`` or
``dynamic-shape GB0036 -> (tensor[int]...) if one-arg``.

A fact may apply only under a condition, named in ``Fact.when``; otherwise the effect is ``graph``:

===================  =============================================================================================
``one-arg``          called with one argument (``torch.where(mask)``)
``no-num-classes``   ``num_classes`` is not given, or is negative
``tensor-repeats``   ``repeats`` is a tensor and ``output_size`` is not given
``tensor-sections``  the sections or indices are given as a tensor
``tensor-arg``       an argument that need not be one is a tensor, or a container of tensors
``container``        the argument is a list, a dict or a set
``input``            the receiver is an input of the graph (an argument, a parameter, an attribute), not computed
``intermediate``     the receiver was computed in the region
``scalar-size``      no size is given, so that a Python scalar is returned (``numpy.random.rand()``)
``no-endpoint``      ``endpoint`` is false (``numpy.linspace(0, 1, 4, endpoint=False)``)
===================  =============================================================================================

For methods the receiver counts as the first positional argument.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Literal, cast, get_args

from gblint.runtime.lazy_dataclasses import dataclass

Effect = Literal["graph", "fold", "inline", "break", "dynamic-shape", "data-dependent", "error"]
EFFECTS: frozenset[str] = frozenset(get_args(Effect))

# The conditions of ``Fact.when``.
CONDITIONS = frozenset(
    {"one-arg", "no-num-classes", "tensor-repeats", "tensor-sections", "tensor-arg", "container", "input"}
    | {"intermediate", "scalar-size", "no-endpoint"}
)


@dataclass(frozen=True, slots=True)
class Fact:
    """The behaviour of Dynamo at one callable, attribute, class or context manager.

    ``effect``: ``graph`` it goes into the graph, or is handled without a break; ``fold`` it is evaluated while tracing;
    ``inline`` Dynamo traces into its Python source; ``break`` it always breaks; ``dynamic-shape`` it breaks unless
    dynamic output shapes are captured (fullgraph does); ``data-dependent`` it breaks unless scalar outputs are captured
    (fullgraph does); ``error`` an exception escapes the compiled function. ``when`` is a condition for the effect; if
    it is false, the effect is ``graph``. ``returns`` is in the language of ``gblint.knowledge.returns``.
    """

    effect: Effect
    gb_ids: tuple[str, ...] = ()
    returns: str = "unknown"
    when: str = ""

    @property
    def breaks(self) -> bool:
        """Whether the graph breaks here in the default mode (if ``when`` holds)."""
        return self.effect not in ("graph", "fold", "inline")


class FactError(ValueError):
    """A text that is not a fact."""


_FACT = re.compile(
    r"(?P<effect>[a-z-]+)(?: (?P<ids>GB\d{4}(?:,GB\d{4})*))?(?: -> (?P<returns>\S+))?(?: if (?P<when>[a-z-]+))?"
)


@cache
def parse_fact(text: str) -> Fact:
    """Parse a fact; raise FactError if the text is not one."""
    match = _FACT.fullmatch(text)
    if match is None or match["effect"] not in EFFECTS:
        raise FactError(f"not a fact: {text!r}")
    if match["when"] and match["when"] not in CONDITIONS:
        raise FactError(f"unknown condition {match['when']!r} in {text!r}")
    ids = tuple(match["ids"].split(",")) if match["ids"] else ()
    return Fact(cast(Effect, match["effect"]), ids, match["returns"] or "unknown", match["when"] or "")


def format_fact(fact: Fact) -> str:
    """Return the text that ``parse_fact`` parses to ``fact``."""
    parts: list[str] = [fact.effect]
    if fact.gb_ids:
        parts.append(",".join(fact.gb_ids))
    if fact.returns != "unknown":
        parts.append(f"-> {fact.returns}")
    if fact.when:
        parts.append(f"if {fact.when}")
    return " ".join(parts)
