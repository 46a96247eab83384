"""Calls that Python refuses with a ``TypeError``.

Dynamo breaks the graph at them.  Where nothing catches the error, the program fails without Dynamo as well.
"""

from __future__ import annotations

import ast
from typing import Final

from gblint.interp.models.python import exceptions, uncaught
from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime.lazy_dataclasses import dataclass
from gblint.values.base import Const, Tensor, Value
from gblint.values.containers import Mapping, Seq
from gblint.values.objects import Class, ExternalName, Function


@dataclass(frozen=True, slots=True)
class _Taken:
    """The signature of a C function: how many positional arguments and which keywords it takes; the cause for other
    calls.
    """

    least: int
    most: int
    keywords: frozenset[str] | None
    cause: str


_TAKEN: Final = {
    "itertools.groupby": _Taken(0, 99, frozenset(("iterable", "key")), "unsupported-kwargs-for-itertools-groupby"),
    "itertools.product": _Taken(0, 99, frozenset(("repeat",)), "unsupported-kwargs-for-itertools-product"),
    "collections.deque": _Taken(0, 2, frozenset(("iterable", "maxlen")), "deque-with-bad-arguments"),
    "functools.partial": _Taken(1, 99, None, "missing-args-to-functools-partial"),
    "builtins.abs": _Taken(0, 1, frozenset(), "invalid-call-to-builtin-op-handler"),
    "builtins.hasattr": _Taken(2, 2, frozenset(), "observed-exception"),
    "builtins.isinstance": _Taken(2, 2, frozenset(), "invalid-call-to-builtin-op-handler"),
}
_ROOTS: Final = ("builtins.", "itertools.", "collections.", "functools.", "torch.")


def refuse(interp: Interpreter, cause: str, frame: Frame, node: ast.AST) -> None:
    """Report a call that fails with a ``TypeError``, if it is caught or runs in every call."""
    if frame.mode.tracing and exceptions.is_caught(frame, node, "TypeError"):
        if cause != "observed-exception":  # which the handler catches
            interp.emit(frame, node, "operation", "refused-call", (cause,))
    elif is_spelled_out(node):
        uncaught.report(interp, frame, node, "call", cause)


def is_spelled_out(node: ast.AST) -> bool:
    """Return whether a call shows all of its arguments: what ``*args`` holds is less certain."""
    if not isinstance(node, ast.Call):
        return False
    return all(k.arg for k in node.keywords) and not any(isinstance(a, ast.Starred) for a in node.args)


def check(ctx: CallContext, function: Function) -> None:
    """Report a call of a function with source that does not match its parameters, or is that of an item hook."""
    if (
        ctx.frame.mode.tracing
        and ctx.args.star is None
        and ctx.args.kwstar is None
        and ("try" in ctx.frame.context or uncaught.leaves(ctx.frame))
        and not fits(function, ctx.args)
        and (is_spelled_out(ctx.node) if "try" in ctx.frame.context else _is_plain(function, ctx))
    ):
        refuse(ctx.interp, "inline-argument-binding-failure", ctx.frame, ctx.node)
    _check_item_hook(ctx, function)


def _is_plain(function: Function, ctx: CallContext) -> bool:
    """Return whether a call is written down and is one of the function as it is written, without decorators."""
    return (
        isinstance(ctx.node, ast.Call)
        and isinstance(ctx.node.func, ast.Name)
        and function.owner is None
        and not getattr(function.node, "decorator_list", ())
        and ctx.interp.eval(ctx.node.func, ctx.frame) == function
    )


def fits(function: Function, args: Args) -> bool:
    """Return whether the parameters of a function take the arguments; those behind ``*`` and ``**`` must be known."""
    spec = function.node.args
    positional = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    by_keyword = {a.arg for a in (*spec.args, *spec.kwonlyargs)}
    if spec.vararg is None and len(args.pos) > len(positional):
        return False
    if spec.kwarg is None and any(name not in by_keyword for name in args.kw):
        return False
    required = positional[len(args.pos) : len(positional) - len(spec.defaults)]
    required += [a.arg for a, default in zip(spec.kwonlyargs, spec.kw_defaults) if default is None]
    return all(name in args.kw for name in required)


def _check_item_hook(ctx: CallContext, function: Function) -> None:
    """Report a function called ``__setitem__`` with a plain list or dict, which Dynamo inlines for objects only."""
    name = function.name.rpartition(".")[2]
    if name in ("__setitem__", "__delitem__", "__setattr__", "__delattr__") and isinstance(
        ctx.args.first, (Seq, Mapping)
    ):
        ctx.emit("operation", "attribute-hook", ("unsupported-setattr-or-setitem-inline-attempt",))


def check_external(ctx: CallContext, name: str) -> None:
    """Report a call of a C function with arguments that it does not take."""
    if not name.startswith(_ROOTS):
        return
    taken = _TAKEN.get(name)
    if taken is not None and ctx.args.star is None and ctx.args.kwstar is None:
        known = taken.keywords is None or not ctx.args.kw.keys() - taken.keywords
        if not (taken.least <= len(ctx.args.pos) <= taken.most and known):
            refuse(ctx.interp, taken.cause, ctx.frame, ctx.node)
    elif ctx.interp.knowledge.is_torch_module(name):
        refuse(ctx.interp, "unsupported-function-call", ctx.frame, ctx.node)
    elif "try" not in ctx.frame.context:
        return  # what is given is less certain than how many
    elif name == "builtins.dict.fromkeys" and any(_is_unhashable(v) for v in _items(ctx.args.first)):
        refuse(ctx.interp, "failed-to-call-dict-fromkeys", ctx.frame, ctx.node)
    elif name == "builtins.issubclass" and isinstance(ctx.args.first, Tensor):
        refuse(ctx.interp, "issubclass-with-unsupported-arguments", ctx.frame, ctx.node)


def _items(value: Value) -> tuple[Value, ...]:
    return value.items or () if isinstance(value, Seq) else ()


def _is_unhashable(value: Value) -> bool:
    return isinstance(value, Mapping) or (isinstance(value, Seq) and value.cls in ("list", "set"))


def check_abstract(interp: Interpreter, cls: Class, frame: Frame, node: ast.AST) -> None:
    """Report an instance of a class with an abstract method."""
    if "try" not in frame.context or not cls.complete:
        return
    metaclass = any("ABCMeta" in ast.dump(k.value) for c in cls.mro for k in c.node.keywords)
    if (metaclass or cls.inherits("abc.ABC")) and any(_is_abstract(interp, cls, name) for name in _method_names(cls)):
        refuse(interp, "object-new-construction", frame, node)


def _method_names(cls: Class) -> set[str]:
    return {s.name for c in cls.mro for s in c.node.body if isinstance(s, ast.FunctionDef)}


def _is_abstract(interp: Interpreter, cls: Class, name: str) -> bool:
    for owner in cls.mro:
        own = [s for s in owner.node.body if isinstance(s, ast.FunctionDef) and s.name == name]
        if own:
            frame = interp.module_frame(owner.module)
            return any(interp.eval(d, frame) == ExternalName("abc.abstractmethod") for d in own[-1].decorator_list)
        if name in owner.attrs and not isinstance(owner.attrs[name], Const):
            return False
    return False
