"""Versioned facts about torch, numpy, the standard library and some packages: what Dynamo does with each.

``load()`` gives the ``Knowledge`` of one torch version.  It is data, built by ``gblint.knowledge.extract`` and checked
by running Dynamo; neither torch nor anything else is imported to answer a question.

A ``Fact`` may hold only under a condition, named in ``Fact.when``; where the condition does not hold, the effect is
``graph``:

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

TYPE_CHECKING = False

if TYPE_CHECKING:
    from gblint.knowledge.catalog import Knowledge, load
    from gblint.knowledge.facts import Effect, Fact
    from gblint.knowledge.numbers import NumberParameter
    from gblint.knowledge.registry import GbEntry
    from gblint.knowledge.returns import (
        ConstSpec,
        EitherSpec,
        NameSpec,
        ReturnsError,
        ReturnSpec,
        ScalarSpec,
        SequenceSpec,
        TensorSpec,
        TupleSpec,
        parse_returns,
    )
    from gblint.knowledge.version_choice import JUDGED, Choice, choose
    from gblint.knowledge.versions import UnknownTorchVersion, available_versions, release

__all__ = [
    "JUDGED",
    "Choice",
    "ConstSpec",
    "Effect",
    "EitherSpec",
    "Fact",
    "GbEntry",
    "Knowledge",
    "NameSpec",
    "NumberParameter",
    "ReturnSpec",
    "ReturnsError",
    "ScalarSpec",
    "SequenceSpec",
    "TensorSpec",
    "TupleSpec",
    "UnknownTorchVersion",
    "available_versions",
    "choose",
    "load",
    "parse_returns",
    "release",
]
_HOMES = {
    "Choice": "version_choice",
    "ConstSpec": "returns",
    "Effect": "facts",
    "EitherSpec": "returns",
    "Fact": "facts",
    "GbEntry": "registry",
    "JUDGED": "version_choice",
    "Knowledge": "catalog",
    "NameSpec": "returns",
    "NumberParameter": "numbers",
    "ReturnSpec": "returns",
    "ReturnsError": "returns",
    "ScalarSpec": "returns",
    "SequenceSpec": "returns",
    "TensorSpec": "returns",
    "TupleSpec": "returns",
    "UnknownTorchVersion": "versions",
    "available_versions": "versions",
    "choose": "version_choice",
    "load": "catalog",
    "parse_returns": "returns",
    "release": "versions",
}


def __getattr__(name: str) -> object:
    """What is asked for is imported then: whoever needs little does not wait for the rest."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    found: object = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    return found
