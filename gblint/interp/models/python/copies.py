"""``copy.copy`` and ``copy.deepcopy``."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from gblint.interp.models.torch import nn_modules
from gblint.interp.models.torch.tensor_methods import tensor_in
from gblint.interp.state.call_context import CallContext
from gblint.values.base import TENSOR, Tensor, Value, members
from gblint.values.containers import Mapping, Seq
from gblint.values.objects import Class, ExternalName, Instance, is_nn_module

MAX_COPIED_DEPTH = 6

_CONTAINERS = ("builtins.dict", "builtins.list", "builtins.set", "collections.OrderedDict", "collections.Counter")


def copied(ctx: CallContext) -> Value:
    """Dynamo traces the copy of objects, but not of tensors and of containers of tensors."""
    value = ctx.args.first
    shallow = isinstance(ctx.node, ast.Call) and "deepcopy" not in ast.dump(ctx.node.func)
    name = "copy.copy" if shallow else "copy.deepcopy"
    found = tensor_in(value)
    modules = all(map(is_nn_module, members(value)))
    if shallow:
        if found is not None and isinstance(value, Tensor):
            ctx.emit("call", name, ("torch-op-returned-non-tensor",), about=found)
        elif _is_copied_in_c(value) and not _is_emptied(ctx, value, shallow):
            ctx.emit("call", name, ("call-of-skipped-function",))
    else:
        inside = [_tensor_within(ctx, v, 0) for v in members(value)]
        found = found or (next(filter(None, inside), None) if modules or len(inside) == 1 else None)
        if found is not None:
            ctx.emit("call", name, ("deepcopy-of-tensor",), about=found)
    if any(_is_refused(v, shallow) for v in (members(value) if shallow else _all_within(ctx, value, 0))):
        ctx.emit("call", name, ("observed-exception",))
    _check_items(ctx, value, shallow)
    if modules and found is None:
        ctx.emit("call", name, ("inlining-of-skipped-function",))
    if isinstance(value, Instance):
        return Instance(value.cls, dict(value.attrs), value.from_defaults, ctx.interp.branch_id, partial=value.partial)
    return value


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


def _check_items(ctx: CallContext, value: Value, shallow: bool) -> None:
    """Report that a copy is empty under Dynamo.

    Dynamo's ``object.__reduce_ex__`` returns the attributes of an object, but not its items
    (torch/_dynamo/polyfills/copy.py).
    """
    inside = members(value) if shallow else _all_within(ctx, value, 0)
    emptied = [v for v in inside if _is_emptied(ctx, v, shallow)]
    if emptied:
        likely = not any(ctx.interp.truth(v) for v in emptied)
        ctx.emit("divergence", "copied-container", likely=likely)


def _all_within(ctx: CallContext, value: Value, depth: int) -> Iterator[Value]:
    """Yield the alternatives of a value, and what they hold."""
    for member in members(value):
        yield member
        if depth < MAX_COPIED_DEPTH:
            for part in _parts(ctx, member):
                yield from _all_within(ctx, part, depth + 1)


def _is_refused(value: Value, shallow: bool) -> bool:
    """Return whether Dynamo breaks at the copy of a named tuple, or at the deep copy of a ``defaultdict``."""
    if isinstance(value, Mapping):
        return value.cls == "defaultdict" and not shallow
    return isinstance(value, Instance) and isinstance(value.cls, Class) and value.cls.inherits("typing.NamedTuple")


def _is_emptied(ctx: CallContext, value: Value, shallow: bool) -> bool:
    """Return whether the copy of a container is empty: one of a subclass of dict, list or set, or an OrderedDict."""
    if isinstance(value, Mapping):
        return value.cls in ("OrderedDict", "Counter") and ctx.interp.truth(value) is not False
    if not isinstance(value, Instance) or not isinstance(value.cls, Class) or not value.cls.inherits(*_CONTAINERS):
        return False
    own = ("__copy__" if shallow else "__deepcopy__", "__reduce_ex__")
    if any(ctx.interp.class_attribute(value.cls, name) is not None for name in own):
        return False
    return ctx.interp.truth(value) is not False
