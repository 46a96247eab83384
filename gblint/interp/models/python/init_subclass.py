"""``__init_subclass__``: the attributes that a base class gives its subclasses, and the classes nested in them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gblint.interp.state.caches import HookStores
from gblint.interp.state.call_args import Args
from gblint.interp.state.frame import Frame, TracingMode
from gblint.interp.state.interpreter import Interpreter
from gblint.interp.state.trace_ir import FunctionSummary
from gblint.runtime import ast_walk
from gblint.values.base import Unknown, Value, members
from gblint.values.objects import Class, Function, Scope

_NAME = "__init_subclass__"


def sets(interp: Interpreter, cls: Class, name: str) -> bool:
    """Return whether a hook that ran for ``cls``, or for the class around it, may set its attribute ``name``.

    Hooks of libraries are left out: they adapt classes by looking at their annotations and signatures.
    """
    hook, _ = next(_runs(interp, cls, name), (None, None))
    return hook is not None and hook.module.origin == "user"


def changed(interp: Interpreter, cls: Class, name: str, value: Value | None) -> Value | None:
    """Return the attribute ``name`` of ``cls`` after the hooks; ``value`` is what its body stores, None for nothing.

    Where the body stores nothing and the hook something unknown, what is inherited is the better guess.
    """
    for hook, subclass in _runs(interp, cls, name):
        new = _run(interp, hook, subclass, cls, name, value)
        is_unknown = new is not None and any(isinstance(each, Unknown) for each in members(new))
        return None if value is None and is_unknown else new
    return value


def _runs(interp: Interpreter, cls: Class, name: str) -> Iterator[tuple[Function, Class]]:
    """Yield the hooks that may set the attribute ``name`` of ``cls``, with the subclass for which each was called.

    The subclass is ``cls``, or the class in whose body ``cls`` is defined, as in ``cls.Config.owner = cls``.
    """
    for hook, stores in _hooks(interp, cls):
        if name in stores.of_subclass:
            yield hook, cls
    if cls.outer is not None:
        for hook, stores in _hooks(interp, cls.outer):
            if name in stores.of_others:
                yield hook, cls.outer


def _hooks(interp: Interpreter, cls: Class) -> tuple[tuple[Function, HookStores], ...]:
    known = interp.caches.subclass_hooks.get(cls)
    if known is None:
        known = interp.caches.subclass_hooks[cls] = tuple(
            (Function(node, base.module, f"{base.name}.{_NAME}", None, base), _stores(node))
            for base in cls.mro[1:]
            for node in base.node.body
            if isinstance(node, ast.FunctionDef) and node.name == _NAME
        )
    return known


def _stores(hook: ast.FunctionDef) -> HookStores:
    own = hook.args.args[0].arg if hook.args.args else ""
    targets = [t for node in ast_walk.walk(hook) if isinstance(node, ast.Assign) for t in node.targets]
    stored = [t for t in targets if isinstance(t, ast.Attribute)]
    of_subclass = {t.attr for t in stored if ast_walk.is_name(t.value, own)}
    return HookStores(frozenset(of_subclass), frozenset({t.attr for t in stored} - of_subclass))


def _run(
    interp: Interpreter, hook: Function, subclass: Class, cls: Class, name: str, value: Value | None
) -> Value | None:
    # Only the attribute ``name`` of ``cls`` matters here; other effects of the hook are left out.
    kept = dict(cls.attrs)
    if value is not None:
        cls.attrs[name] = value
    frame = Frame(cls.module, Scope({}, None), FunctionSummary("<module>", cls.module), TracingMode(tracing=False))
    given = [(k.arg, k.value) for k in subclass.node.keywords if k.arg is not None and k.arg != "metaclass"]
    try:
        keywords = {key: interp.eval(value, interp.module_frame(subclass.module)) for key, value in given}
        interp.call(hook, Args((subclass,), keywords), frame, subclass.node)
        return cls.attrs.get(name, value)
    finally:
        cls.attrs.clear()
        cls.attrs.update(kept)
        interp.caches.class_attributes.clear()
