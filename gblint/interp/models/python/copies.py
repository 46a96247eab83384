"""``copy.copy`` and ``copy.deepcopy``."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from gblint.interp.domain import container_aliases
from gblint.interp.models.python import divergence
from gblint.interp.models.torch import nn_modules
from gblint.interp.models.torch.tensor_methods import tensor_in
from gblint.interp.state.call_context import CallContext
from gblint.runtime.lazy_dataclasses import replace
from gblint.values.base import TENSOR, Tensor, Value, members
from gblint.values.containers import Mapping, Seq
from gblint.values.objects import Class, ExternalName, Instance, is_nn_module

MAX_COPIED_DEPTH = 6

_CONTAINERS = ("builtins.dict", "builtins.list", "builtins.set", "collections.OrderedDict", "collections.Counter")


def copied(ctx: CallContext) -> Value:
    """Dynamo traces the copy of objects, but not of tensors and of containers of tensors."""
    value = ctx.args.first
    shallow = isinstance(ctx.node, ast.Call) and "deepcopy" not in ast.dump(ctx.node.func)
    breaks = _check_copy(ctx, value) if shallow else _check_deep_copy(ctx, value)
    if not breaks:
        inside = members(value) if shallow else _all_within(ctx, value)
        emptied = [v for v in inside if _is_emptied(ctx, v, shallow)]
        if emptied:
            likely = not any(ctx.interp.truth(v) for v in emptied)
            divergence.differs(ctx.interp, ctx.frame, ctx.node, "copied-container", likely=likely)
    if isinstance(value, Instance):
        return Instance(value.cls, dict(value.attrs), value.from_defaults, ctx.interp.branch_id, partial=value.partial)
    if isinstance(value, (Seq, Mapping)):
        return replace(value) if shallow else container_aliases.copied(value)
    return value


def _check_copy(ctx: CallContext, value: Value) -> bool:
    """Report a break at ``copy.copy``; return whether there is one."""
    found = tensor_in(value)
    if found is not None and isinstance(value, Tensor):
        cause = "torch-op-returned-non-tensor"
    elif _is_copied_in_c(value) and not _is_emptied(ctx, value, shallow=True):
        found, cause = None, "call-of-skipped-function"
    elif all(map(is_nn_module, members(value))):
        found, cause = None, "inlining-of-skipped-function"
    elif any(map(_is_named_tuple, members(value))):
        found, cause = None, "observed-exception"
    else:
        return False
    ctx.emit("call", "copy.copy", (cause,), about=found)
    return True


def _check_deep_copy(ctx: CallContext, value: Value) -> bool:
    """Report a break at ``copy.deepcopy``; return whether there is one."""
    modules = all(map(is_nn_module, members(value)))
    inside = [_tensor_within(ctx, v, 0) for v in members(value)]
    found = tensor_in(value) or (next(filter(None, inside), None) if modules or len(inside) == 1 else None)
    if found is not None:
        cause = "deepcopy-of-tensor"
    elif modules:
        cause = "inlining-of-skipped-function"
    elif any(_is_named_tuple(v) or _is_default_dict(v) for v in _all_within(ctx, value)):
        cause = "observed-exception"
    else:
        return False
    ctx.emit("call", "copy.deepcopy", (cause,), about=found)
    return True


def _is_copied_in_c(value: Value) -> bool:
    """Return whether ``copy.copy`` calls a C function for a container; the copy of a tuple is the tuple itself."""
    return isinstance(value, Mapping) or (isinstance(value, Seq) and value.cls in ("list", "set"))


def _tensor_within(ctx: CallContext, value: Value, depth: int) -> Tensor | None:
    """Return a tensor that is copied with an object or a container, however deep."""
    if isinstance(value, Tensor):
        return value
    external = value.cls if isinstance(value, Instance) else None
    if isinstance(external, ExternalName) and nn_modules.has_parameters(external.name):
        return TENSOR
    if depth >= MAX_COPIED_DEPTH:
        return None
    found = (_tensor_within(ctx, part, depth + 1) for part in _parts(ctx, value))
    return next((tensor for tensor in found if tensor is not None), None)


def _parts(ctx: CallContext, value: Value) -> Iterable[Value]:
    """Return the items of a container, unless they are lost, or the attributes of an object."""
    emptied = _is_emptied(ctx, value, shallow=False)
    if isinstance(value, Instance):
        return [v for n, v in value.attrs.items() if not n.startswith("__") or (n == "__items__" and not emptied)]
    if isinstance(value, Seq):
        return value.items if value.items is not None else (value.rest,)
    return [v for _, v in value.entries] if isinstance(value, Mapping) and not emptied else ()


def _all_within(ctx: CallContext, value: Value) -> list[Value]:
    """Return the alternatives of a value, and what they hold; each object once."""
    found: list[Value] = []
    seen: set[int] = set()
    waiting = [(each, 0) for each in members(value)]
    while waiting:
        member, depth = waiting.pop()
        if isinstance(member, Instance):
            if member.uid in seen:
                continue
            seen.add(member.uid)
        found.append(member)
        if depth < MAX_COPIED_DEPTH:
            waiting += [(each, depth + 1) for part in _parts(ctx, member) for each in members(part)]
    return found


def _is_named_tuple(value: Value) -> bool:
    return isinstance(value, Instance) and isinstance(value.cls, Class) and value.cls.inherits("typing.NamedTuple")


def _is_default_dict(value: Value) -> bool:
    return isinstance(value, Mapping) and value.cls == "defaultdict"


def _is_emptied(ctx: CallContext, value: Value, shallow: bool) -> bool:
    """Return whether the copy of a container is empty: one of a subclass of dict, list or set, or an OrderedDict.

    Dynamo's ``object.__reduce_ex__`` returns the attributes of an object, but not its items
    (torch/_dynamo/polyfills/copy.py).
    """
    if isinstance(value, Mapping):
        return value.cls in ("OrderedDict", "Counter") and ctx.interp.truth(value) is not False
    if not isinstance(value, Instance) or not isinstance(value.cls, Class) or not value.cls.inherits(*_CONTAINERS):
        return False
    own = ("__copy__" if shallow else "__deepcopy__", "__reduce_ex__")
    if any(ctx.interp.class_attribute(value.cls, name) is not None for name in own):
        return False
    return ctx.interp.truth(value) is not False
