"""Containers from outside the region that Dynamo does not support, or only while nothing changes."""

from __future__ import annotations

import ast
from typing import Final

from gblint.interp.domain import tensor_layouts, tensor_text
from gblint.interp.state.call_context import CallContext
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import UNKNOWN, Const, Tensor, Value, members
from gblint.values.containers import Mapping, Seq
from gblint.values.lattice import element
from gblint.values.objects import Class, EnumMember, Instance
from gblint.values.wrapped import GenericAlias

PROXY: Final = "mappingproxy"
KEYS: Final = "dict_keys"
_DICT_CAUSE: Final = "__dict_id__"


def check(interp: Interpreter, node: ast.Name, value: Value, frame: Frame) -> None:
    """Check a variable from outside: a global, an argument of the entry point, or a set from before a break."""
    if not frame.mode.tracing:
        return
    local = node.id in frame.scope.cells
    if local and frame.flow.sets.get(node.id) is value:
        tensor_layouts.check_set(interp, value, frame, node)
    if local and (frame.depth != 1 or node.id in frame.names.rebound):
        return
    if local and isinstance(value, Seq):
        tensor_layouts.check_set(interp, value, frame, node)
    if isinstance(value, (Seq, Mapping)) and _has_annotations(value):
        interp.emit(frame, node, "operation", "mapping-keys", ("untraceable-c-tp-hash",))
    elif isinstance(value, Seq) and value.cls == KEYS:
        interp.emit(frame, node, "operation", "mapping-keys", ("non-const-keys-in-dict-keys",))
    elif isinstance(value, Mapping) and value.cls == PROXY and _has_objects(value):
        interp.emit(frame, node, "operation", "mapping-keys", ("non-const-keys-in-mappingproxy",))


def _has_annotations(value: Seq | Mapping) -> bool:
    """Return whether ``list[int]`` and similar are members of a set or keys of a dict."""
    if isinstance(value, Seq):
        found = members(element(value)) if value.cls == "set" else ()
    else:
        found = (*(k for k, _ in value.entries), *members(value.keys))
    return any(isinstance(k, GenericAlias) for k in found)


def _has_objects(mapping: Mapping) -> bool:
    """Return whether some keys are not literals: enum members, classes."""

    found = [k for k, _ in mapping.entries] + list(members(mapping.keys))
    return any(isinstance(k, Class) or (isinstance(k, Const) and isinstance(k.value, EnumMember)) for k in found)


def proxy(ctx: CallContext) -> Value:
    """``types.MappingProxyType``: Dynamo does not know the dict of a proxy from outside."""
    source = ctx.args.first
    if not isinstance(source, Mapping):
        return UNKNOWN
    return Mapping(source.entries, source.rest, source.keys, source.cls if ctx.frame.mode.tracing else PROXY)


def keys_made(mapping: Mapping, keys: Seq, frame: Frame) -> Seq:
    """``mapping.keys()``."""
    return Seq(KEYS, keys.items, keys.rest) if not frame.mode.tracing and _has_objects(mapping) else keys


def read(interp: Interpreter, mapping: Mapping, frame: Frame, node: ast.AST) -> None:
    """Report a read of a proxy from outside, which may be a proxy of a dict that the region has changed."""
    if mapping.cls == PROXY and interp.effects.dict_changed and frame.mode.tracing:
        interp.emit(frame, node, "operation", "changed-proxy", ("mapping-proxy-of-mutated-dictionary",))


def changed(interp: Interpreter, target: ast.expr, value: Value, frame: Frame) -> None:
    """Note the change of a dict that existed before the region."""
    if not isinstance(value, Mapping) or not frame.mode.tracing:
        return
    if isinstance(target, ast.Name):
        given = target.id not in frame.scope.cells or frame.depth <= 1
        interp.effects.dict_changed = interp.effects.dict_changed or (given and target.id not in frame.names.rebound)
    elif isinstance(target, ast.Attribute):
        held = members(interp.eval(target.value, frame))
        interp.effects.dict_changed = interp.effects.dict_changed or any(
            isinstance(v, Instance) and v.pre_existing for v in held
        )


def replace_dict(instance: Instance, value: Value) -> None:
    """Run ``instance.__dict__ = value``; Dynamo checks the keys at the next attribute read."""
    if not isinstance(value, Mapping):
        return
    found = [k for k, _ in value.entries] + list(members(value.keys))
    if any(isinstance(k, Tensor) or tensor_text.shows_tensor(k) for k in found):
        instance.attrs[_DICT_CAUSE] = Const("non-constant-key-in-object-dict")
    elif any(isinstance(k, Const) and not isinstance(k.value, str) for k, _ in value.entries):
        instance.attrs[_DICT_CAUSE] = Const("non-string-key-in-object-dict")


def check_dict(interp: Interpreter, instance: Instance, frame: Frame, node: ast.AST) -> None:
    """Report an attribute read of an object whose ``__dict__`` was replaced."""
    found = instance.attrs.get(_DICT_CAUSE)
    if isinstance(found, Const):
        interp.emit(frame, node, "operation", "instance-dict", (str(found.value),))
