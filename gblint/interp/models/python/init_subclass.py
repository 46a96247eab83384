"""``__init_subclass__``: the changes that a base class makes to the attributes of its subclasses."""

from __future__ import annotations

import ast

from gblint.interp.state.call_args import Args
from gblint.interp.state.frame import Frame, TracingMode
from gblint.interp.state.interpreter import Interpreter
from gblint.interp.state.trace_ir import FunctionSummary
from gblint.runtime import ast_walk
from gblint.values.base import Value
from gblint.values.objects import Class, Function, Scope


def changed(interp: Interpreter, cls: Class, name: str, value: Value) -> Value:
    """Return the attribute ``name`` of ``cls``, written as ``value``, after the hooks of its bases."""
    for base in cls.mro[1:]:
        for node in base.node.body:
            if isinstance(node, ast.FunctionDef) and node.name == "__init_subclass__" and name in _stored(interp, node):
                return _run(
                    interp, Function(node, base.module, f"{base.name}.{node.name}", None, base), cls, name, value
                )
    return value


def _stored(interp: Interpreter, function: ast.FunctionDef) -> frozenset[str]:
    """Return the attributes that the hook stores on the class."""
    known = interp.caches.hook_attributes.get(function)
    if known is None:
        own = function.args.args[0].arg if function.args.args else ""
        targets = [t for node in ast_walk.walk(function) if isinstance(node, ast.Assign) for t in node.targets]
        known = interp.caches.hook_attributes[function] = frozenset(
            t.attr
            for t in targets
            if isinstance(t, ast.Attribute) and isinstance(t.value, ast.Name) and t.value.id == own
        )
    return known


def _run(interp: Interpreter, hook: Function, cls: Class, name: str, value: Value) -> Value:
    # Only this attribute matters here; other effects of the hook are left out.
    kept = dict(cls.attrs)
    cls.attrs[name] = value
    frame = Frame(cls.module, Scope({}, None), FunctionSummary("<module>", cls.module), TracingMode(tracing=False))
    given = [(k.arg, k.value) for k in cls.node.keywords if k.arg is not None and k.arg != "metaclass"]
    try:
        keywords = {key: interp.eval(value, interp.module_frame(cls.module)) for key, value in given}
        interp.call(hook, Args((cls,), keywords), frame, cls.node)
        return cls.attrs.get(name, value)
    finally:
        cls.attrs.clear()
        cls.attrs.update(kept)
        interp.caches.class_attributes.clear()
