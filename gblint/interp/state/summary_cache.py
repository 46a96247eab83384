"""Calls that come to the same: of objects of one class with the same in them, such as the blocks of a model.

A summary is made for each object anew, since what is on it decides what a function does.  Many objects are alike
though.  So calls are told apart by what is in their arguments, modules all the way down, with messages left out.  If
the first of them changed nothing that was there before, and hands nothing of that back, the others take its summary.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

from gblint.runtime.lazy_dataclasses import dataclass
from gblint.values.base import Const, Scalar, Tensor, Union, Unknown, Value
from gblint.values.containers import Mapping, Range, Seq
from gblint.values.lattice import key
from gblint.values.objects import BoundMethod, Class, ExternalObject, Function, Instance, Partial, Wrapped, is_module

if TYPE_CHECKING:
    from gblint.interp.state.frame import FunctionSummary, TracingMode
    from gblint.interp.state.interpreter import Interpreter

MAX_DEPTH = 8
# What is that long and has spaces in it is said to people, unless it is a pattern of axes.
MESSAGE = 40


@dataclass(slots=True)
class SummaryCache:
    """What is known of calls that are alike, and of the contents of objects.

    ``changes`` counts those of any object, and ``oldest`` is the least number of an object that was changed since the
    function at hand began, 0 for anything that is no object.
    """

    summaries: dict[Hashable, FunctionSummary]
    contents: dict[int, tuple[int, Hashable]]
    numbers: dict[Hashable, int]
    changes: int = 0
    oldest: float = float("inf")

    @classmethod
    def nothing(cls) -> SummaryCache:
        """At the start."""
        return cls({}, {}, {})

    def changed(self, uid: int) -> None:
        """An object was changed, or something else, whose number is 0."""
        self.changes += 1
        self.oldest = min(self.oldest, uid)

    def number(self, content: Hashable) -> int:
        """A number for a content."""
        return self.numbers.setdefault(content, len(self.numbers))


def kind(m: Interpreter, function: Function, variables: dict[str, Value], mode: TracingMode) -> Hashable:
    """What calls have in common that are alike; None for those that are not compared."""
    if mode.body or mode.hop or mode.strict or m.body is not None:
        return None
    if not mode.tracing and not all(_is_plain(value, 0) for value in variables.values()):
        return None
    inside = tuple([_content(m, value, 0) for value in variables.values()])
    return (id(function.node), id(function.scope), id(function.owner), mode, inside)


def learn(m: Interpreter, place: Hashable, summary: FunctionSummary, fence: int, changed_dict: bool) -> None:
    """Keeps the summary of a call for those that are alike; objects from ``fence`` on were made in it."""
    apart = m.alike.oldest >= fence and not summary.updates and changed_dict == m.changed_dict
    if apart and not m.exhausted and _is_own(summary.result, fence, 0):
        m.alike.summaries[place] = summary


def _is_own(value: Value, fence: int, depth: int) -> bool:
    """Whether no object in a result is older than the call."""
    cls = type(value)
    if cls is Const or cls is Tensor or cls is Scalar or cls is Unknown or cls is Class:
        return True
    if depth > MAX_DEPTH:
        return False
    if cls is Instance:
        return value.uid >= fence and all(_is_own(v, fence, depth + 1) for v in value.attrs.values())  # type: ignore[attr-defined]
    if cls is Union:
        return all(_is_own(v, fence, depth + 1) for v in value.members)  # type: ignore[attr-defined]
    if cls is Seq:
        items = value.items if value.items is not None else (value.rest,)  # type: ignore[attr-defined]
        return all(_is_own(v, fence, depth + 1) for v in items)
    if cls is Mapping:
        inner = [v for _, v in value.entries] + ([] if value.rest is None else [value.rest])  # type: ignore[attr-defined]
        return all(_is_own(v, fence, depth + 1) for v in inner)
    if cls is Function:
        return value.scope is None  # type: ignore[attr-defined]
    return cls is Range or cls is ExternalObject


def _is_plain(value: Value, depth: int) -> bool:
    """Whether no object is in a value, the content of which changes all the time outside of the region."""
    cls = type(value)
    if cls is Union:
        return all(_is_plain(v, depth) for v in value.members)  # type: ignore[attr-defined]
    if cls is Seq and depth < MAX_DEPTH:
        items = value.items if value.items is not None else (value.rest,)  # type: ignore[attr-defined]
        return all(_is_plain(v, depth + 1) for v in items)
    return cls is Const or cls is Scalar or cls is Tensor or cls is Unknown


def _content(m: Interpreter, value: Value, depth: int) -> Hashable:
    """A stand-in for what is in a value, without messages."""
    cls = type(value)
    if cls is Const:
        text = value.value  # type: ignore[attr-defined]
        is_message = type(text) is str and len(text) > MESSAGE and " " in text and "->" not in text
        return "message" if is_message else value
    if cls is Tensor or cls is Unknown or cls is Scalar:
        return value
    if cls is Instance:
        return _object(m, value, depth)  # type: ignore[arg-type]
    if depth > MAX_DEPTH:
        return key(value)
    deeper = depth + 1
    if cls is Union:
        return ("u", *[_content(m, v, deeper) for v in value.members])  # type: ignore[attr-defined]
    if cls is Seq:
        if value.items is None:  # type: ignore[attr-defined]
            return ("s", value.cls, _content(m, value.rest, deeper), value.count)  # type: ignore[attr-defined]
        return ("q", value.cls, *[_content(m, v, deeper) for v in value.items])  # type: ignore[attr-defined]
    if cls is Mapping:
        rest = None if value.rest is None else _content(m, value.rest, deeper)  # type: ignore[attr-defined]
        inside = [(k, _content(m, v, deeper)) for k, v in value.entries]  # type: ignore[attr-defined]
        return ("m", value.cls, rest, _content(m, value.keys, deeper), *inside)  # type: ignore[attr-defined]
    if cls is BoundMethod:
        return ("b", _content(m, value.function, deeper), _content(m, value.receiver, deeper))  # type: ignore[attr-defined]
    if cls is Wrapped:
        return ("w", value.kind, _content(m, value.function, deeper))  # type: ignore[attr-defined]
    if cls is Partial:
        given = [_content(m, v, deeper) for v in value.args]  # type: ignore[attr-defined]
        named = [(k, _content(m, v, deeper)) for k, v in value.kwargs]  # type: ignore[attr-defined]
        return ("p", _content(m, value.function, deeper), *given, *named)  # type: ignore[attr-defined]
    return key(value)


def _object(m: Interpreter, instance: Instance, depth: int) -> Hashable:
    """The same for a module: a number, kept until any object is changed; other objects count for themselves."""
    if not is_module(instance):
        return key(instance)
    alike = m.alike
    kept = alike.contents.get(instance.uid)
    if kept is not None and kept[0] == alike.changes:
        return kept[1]
    cls = instance.cls
    name: Hashable = id(cls) if isinstance(cls, Class) else cls
    # Until it is known: an object that leads back to itself is told by its class there.
    alike.contents[instance.uid] = (alike.changes, ("within", name))
    inside = [(attribute, _content(m, value, 1)) for attribute, value in instance.attrs.items()]
    said = alike.number(("i", name, instance.soft, instance.open, instance.outside, *inside))
    alike.contents[instance.uid] = (alike.changes, said)
    return said
