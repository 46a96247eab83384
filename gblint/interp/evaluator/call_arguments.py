"""The arguments of calls."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from gblint.interp.domain import reach
from gblint.interp.models.python import uncaught
from gblint.interp.state.call_args import Args
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime import ast_walk
from gblint.runtime.lazy_dataclasses import replace
from gblint.values.base import NONE, UNKNOWN, Const, Tensor, Value, members
from gblint.values.containers import Iterator, Mapping, Seq
from gblint.values.folding import PARTS_FOR_STEP, measured
from gblint.values.lattice import join, join_all
from gblint.values.objects import BuiltinMethod, Class, ExternalName, Function, Instance

MAX_KEYS = 64
"""Keys of an object that is unpacked with ``**``; with more of them its items are unknown."""


def arguments(
    interp: Interpreter, node: ast.Call, frame: Frame, *, external: bool = False
) -> tuple[Args, list[tuple[ast.expr, Value]]]:
    """Return the arguments of a call, and the expressions of the containers among them.

    external: the function has no source; an option that may be missing is None there.
    """
    pos: list[Value] = []
    star: Value | None = None
    sources: list[tuple[ast.expr, Value]] = []
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            value = _sequence_of(interp.eval(argument.value, frame))
            items = interp.items_of(value, frame, argument)
            if items is not None and star is None:
                interp.budget.steps += len(items) // PARTS_FOR_STEP
                pos.extend(items)
            elif isinstance(value, Seq) and star is None and value.first:
                interp.budget.steps += len(value.first) // PARTS_FOR_STEP
                pos.extend(value.first)
                star = value.later
            else:
                item = interp.item_of(value, frame, argument)
                star = item if star is None else join(star, item)
        else:
            value = interp.eval(argument, frame)
            if isinstance(value, (Seq, Mapping, Iterator)):
                sources.append((argument, value))
            if star is None:
                pos.append(value)
            else:
                star = join(star, value)
    kw: dict[str, Value] = {}
    kwstar: Value | None = None
    optional: dict[str, bool] = {}
    for keyword in node.keywords:
        value = interp.eval(keyword.value, frame)
        if keyword.arg is not None:
            kw[keyword.arg] = value
            if isinstance(value, (Seq, Mapping)):
                sources.append((keyword.value, value))
            continue
        for member in members(value):
            if external and isinstance(member, Mapping) and member.optional:
                member = _with_none(member)
            if isinstance(member, Instance):
                member = _items_of(interp, member, frame, keyword.value)
            if isinstance(member, Mapping) and not external:
                optional.update(_missing_names(member))
            kwstar = _spread(member, kw, kwstar, single=len(members(value)) == 1)
    return Args(tuple(pos), kw, star, kwstar, optional), sources


def _missing_names(options: Mapping) -> Iterable[tuple[str, bool]]:
    """Yield the names of options that may be missing, and whether they usually are."""
    return ((str(key.value), key in options.added) for key in options.optional if isinstance(key, Const))


def _with_none(options: Mapping) -> Mapping:
    """Return options with None for those that may be missing, as in most signatures of torch."""
    entries = [
        (key, value if key not in options.optional else _or_none(value, usual=key in options.added))
        for key, value in options.entries
    ]
    return replace(options, entries=tuple(entries))


def _or_none(value: Value, *, usual: bool) -> Value:
    joined = join(value, NONE)
    return reach.expected(joined, NONE) if usual else joined


def _items_of(interp: Interpreter, instance: Instance, frame: Frame, node: ast.AST) -> Value:
    """Return the items of an object that is unpacked with ``**``: of ``obj[key]`` for each key in ``obj.keys()``."""
    own = instance.attrs.get("__items__")
    if own is not None:
        return own
    keys = interp.class_attribute(instance.cls, "keys") if isinstance(instance.cls, Class) else None
    getter = interp.class_attribute(instance.cls, "__getitem__") if isinstance(instance.cls, Class) else None
    if instance.partial or not isinstance(keys, Function) or not isinstance(getter, Function):
        return Mapping((), UNKNOWN)
    names = interp.call(keys, Args((instance,)), frame, node)
    if not isinstance(names, Seq) or not names.items or len(names.items) > MAX_KEYS:
        return Mapping((), UNKNOWN)
    items = tuple((name, interp.call(getter, Args((instance, name)), frame, node)) for name in names.items)
    value, parts = measured(Mapping(items))
    interp.budget.steps += parts // PARTS_FOR_STEP
    return value


def _spread(value: Value, kw: dict[str, Value], kwstar: Value | None, single: bool) -> Value | None:
    """Add ``**value`` to the keyword arguments; return the values under unknown names."""
    if isinstance(value, Mapping):
        for key, item in value.entries:
            if isinstance(key, Const) and isinstance(key.value, str):
                kw[key.value] = item if single or key.value not in kw else join(kw[key.value], item)
        rest = value.rest
        return kwstar if rest is None else rest if kwstar is None else join(kwstar, rest)
    return kwstar if value == NONE else UNKNOWN


def of_call(
    interp: Interpreter, function: Value, node: ast.Call, frame: Frame
) -> tuple[Args, list[tuple[ast.expr, Value]]]:
    """Return ``arguments``; report ``x.method(f(...))`` if ``f`` breaks the graph, and a call that Python refuses.

    The bound method is then on the stack.  The resume function gets it as an object of Python, and cannot trace its
    call.
    """
    if not isinstance(function, BuiltinMethod) or not isinstance(function.receiver, Tensor) or not frame.mode.tracing:
        external = isinstance(function, (BuiltinMethod, ExternalName))
        args, sources = arguments(interp, node, frame, external=external)
        uncaught.check_call(interp, function, args, frame, node)
        return args, sources
    broke, frame.flow.pending_resume = frame.flow.pending_resume, False
    args, sources = arguments(interp, node, frame, external=True)
    if frame.flow.pending_resume and any(isinstance(v, Tensor) for v in args.all()):
        interp.emit(frame, node, "operation", "tensor-method-on-stack", ("call-of-skipped-function",))
    frame.flow.pending_resume = frame.flow.pending_resume or broke
    return args, sources


def _sequence_of(value: Value) -> Value:
    """Return the alternatives of an unpacked argument that are sequences, if others are dicts: these have no items."""
    found = [each for each in members(value) if isinstance(each, Seq)]
    others = [each for each in members(value) if not isinstance(each, Seq)]
    return join_all(found) if found and others and all(isinstance(each, Mapping) for each in others) else value


def call_lambdas(interp: Interpreter, args: Args, frame: Frame, node: ast.Call) -> None:
    """Call the lambdas that are passed to a function without source, as to ``self.assertRaises``: they may compile."""
    for value in args.pos:
        if isinstance(value, Function) and isinstance(value.node, ast.Lambda):
            if any(isinstance(each, ast.Attribute) and "compile" in each.attr for each in ast_walk.walk(value.node)):
                unknown = len(value.node.args.args) - len(value.defaults)
                interp.call(value, Args((UNKNOWN,) * unknown), frame, node)
