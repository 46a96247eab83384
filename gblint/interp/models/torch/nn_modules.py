"""``nn.Module``: the attributes that external classes set, and the methods of all modules."""

from __future__ import annotations

import ast

from gblint.interp.domain import call_state, containers, reach
from gblint.interp.models.python import container_methods
from gblint.interp.models.torch import (
    autograd_calls,
    batch_norms,
    module_apply,
    module_wrappers,
    nn_module_hooks,
    nn_module_mutation,
    submodules,
    training_mode,
    transformer_modules,
)
from gblint.interp.state.caches import is_unbuilt
from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext
from gblint.interp.state.frame import IS_GIVEN_UP, Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime import ast_walk
from gblint.runtime.lazy_dataclasses import replace
from gblint.values.base import BOOL, BOTTOM, INT, NONE, STR, TRUE, UNKNOWN, Const, Tensor, Value, members
from gblint.values.containers import Iterator, Mapping, Seq
from gblint.values.lattice import as_input, element, join, join_all
from gblint.values.objects import BuiltinMethod, Class, ExternalName, ExternalObject, Instance, is_nn_module

_PARAMETER = Tensor(is_input=True)
_TRAINED = replace(_PARAMETER, requires_grad=True)
# The argument of the last ``requires_grad_`` of a module.
_GRADIENTS = "__requires_grad__"
_LISTS = ("torch.nn.ModuleList", "torch.nn.ParameterList", "torch.nn.Sequential")
_DICTS = ("torch.nn.ModuleDict", "torch.nn.ParameterDict")
_METHODS = frozenset(
    "parameters named_parameters buffers named_buffers children named_children modules named_modules register_buffer "
    "register_parameter add_module register_module to cuda cpu float half double bfloat16 type train eval "
    "requires_grad_ zero_grad state_dict load_state_dict apply get_submodule get_parameter get_buffer extra_repr "
    "share_memory to_empty compile register_forward_hook register_forward_pre_hook register_full_backward_hook "
    "register_full_backward_pre_hook register_backward_hook register_state_dict_pre_hook "
    "register_load_state_dict_post_hook register_load_state_dict_pre_hook _get_name __call__ forward "
    "register_parametrization set_submodule xpu ipu __setattr__ __getattr__ __delattr__ __dir__ __repr__".split()
)
# Methods that go through all submodules.
_VISITING = frozenset(
    "parameters named_parameters buffers named_buffers modules named_modules to cuda cpu float half double bfloat16 "
    "train eval zero_grad state_dict apply".split()
)
_CONTAINER_METHODS = frozenset(
    "append extend insert keys values items pop update get clear __getitem__ __len__".split()
)
_INTS = frozenset(
    "in_features out_features in_channels out_channels num_embeddings embedding_dim embed_dim num_heads head_dim "
    "groups num_features num_groups hidden_size input_size num_layers num_channels upscale_factor padding_idx".split()
)
_STATISTICS = frozenset("running_mean running_var num_batches_tracked".split())
_TENSORS = frozenset("weight bias in_proj_weight in_proj_bias".split()) | _STATISTICS


def fill(ctx: CallContext, instance: Instance) -> None:
    """Set the attributes that the ``__init__`` of an external module class sets."""
    cls = instance.cls
    names = cls.externals if isinstance(cls, Class) else (cls.name,)
    if any(n in _DICTS for n in names):
        given = ctx.args.pos[0] if ctx.args.pos else Mapping()
        instance.attrs.setdefault("__items__", given if isinstance(given, Mapping) else Mapping((), UNKNOWN))
    elif any(n in _LISTS for n in names):
        instance.attrs.setdefault("__items__", _list_items(ctx, names))
    else:
        for key, value in ctx.args.kw.items():
            if key in _INTS or key == "reduction":
                instance.attrs.setdefault(key, value)
        order = _POSITIONS.get(names[0] if isinstance(cls, ExternalName) else "", ())
        for key, value in zip(order, ctx.args.pos):
            instance.attrs.setdefault(key, value)
        if ctx.args.kw.get("bias") == Const(False):
            instance.attrs.setdefault("bias", NONE)
        transformer_modules.fill(instance, names, ctx.args)
        batch_norms.fill(instance, names, ctx.args)


_POSITIONS = {
    "torch.nn.Linear": ("in_features", "out_features"),
    "torch.nn.Embedding": ("num_embeddings", "embedding_dim", "padding_idx"),
    "torch.nn.Conv1d": ("in_channels", "out_channels"),
    "torch.nn.Conv2d": ("in_channels", "out_channels"),
    "torch.nn.Conv3d": ("in_channels", "out_channels"),
}


def _list_items(ctx: CallContext, names: tuple[str, ...]) -> Value:
    if "torch.nn.Sequential" in names:
        if len(ctx.args.pos) == 1 and isinstance(ctx.args.pos[0], Mapping):
            entries = ctx.args.pos[0]
            values = tuple(v for _, v in entries.entries)
            if entries.rest is None:
                return Seq("list", values)
            return Seq("list", None, join_all((*values, entries.rest)))
        if ctx.args.star is not None:
            return Seq("list", None, join_all((*ctx.args.pos, ctx.args.star)))
        return Seq("list", ctx.args.pos)
    if not ctx.args.pos:
        return Seq("list")
    items = ctx.items_of(ctx.args.pos[0])
    if items is not None:
        return Seq("list", items)
    return Seq("list", None, ctx.item_of(ctx.args.pos[0]), containers.length_of(ctx.args.pos[0]))


def attribute(interp: Interpreter, base: Instance, name: str) -> Value | None:
    """Return an attribute that every module has, or that the external class of this one sets."""
    if name == "training":
        return BOOL
    if name in _METHODS:
        return BuiltinMethod(base, name)
    if name == "__class__":
        return base.cls
    if "__items__" in base.attrs:
        if name in _CONTAINER_METHODS:
            return BuiltinMethod(base, name)
        items = base.attrs["__items__"]
        if isinstance(items, Mapping):
            found = items.get_str(name)
            return found if found is not None else items.rest
        if name.isdigit() and isinstance(items, Seq):
            return element(items)
    if name in ("_modules", "_parameters", "_buffers", "_non_persistent_buffers_set"):
        return _table(base, name)
    if name in ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks"):
        return Mapping()
    owned = [
        n for n in (base.cls.externals if isinstance(base.cls, Class) else (base.cls.name,)) if n != "torch.nn.Module"
    ]
    if not any(n.startswith("torch.nn.") for n in owned):
        return None
    if name in _TENSORS:
        # Of a recurrent module ``bias`` says whether it has any; its parameters have other names.
        if name == "bias" and any(_has_flag_for_bias(n) for n in owned):
            return BOOL
        return _PARAMETER if name in _STATISTICS else _own_parameter(base)
    if name in _INTS:
        return INT
    if name in ("kernel_size", "stride", "padding", "dilation", "normalized_shape", "output_padding"):
        return Seq("tuple", None, INT)
    if name in ("inplace", "elementwise_affine", "affine", "batch_first", "bidirectional", "track_running_stats"):
        return BOOL
    if name in ("padding_mode", "mode", "approximate"):
        return STR
    return UNKNOWN if name in ("eps", "p", "momentum", "scale_factor", "size", "negative_slope") else None


def set_gradients(interp: Interpreter, module: Instance, wanted: Value) -> None:
    """Run ``module.requires_grad_(wanted)`` outside of any region: it sets all parameters, also those of submodules."""
    for each in (module, *submodules.below(module, {module.uid})):
        if not isinstance(each, Instance):
            continue
        for name, value in list(each.attrs.items()):
            if isinstance(value, Tensor) and (value.requires_grad or value.grad_provenance == "frozen"):
                call_state.note_eager(interp, each, name, value)
                interp.store_attribute(each, name, autograd_calls.with_gradient(value, wanted))
        call_state.note_eager(interp, each, _GRADIENTS, each.attrs.get(_GRADIENTS))
        interp.store_attribute(each, _GRADIENTS, wanted)


def _own_parameter(base: Instance) -> Tensor:
    """Return a parameter that a module of torch makes."""
    wanted = base.attrs.get(_GRADIENTS)
    return _TRAINED if wanted is None else autograd_calls.with_gradient(_TRAINED, wanted)


def _one_of_parameters(base: Instance) -> Tensor:
    """Return what is known of each of the parameters of a module."""
    found = {
        each.attrs.get(_GRADIENTS) for each in (base, *submodules.below(base, {base.uid})) if isinstance(each, Instance)
    }
    return _own_parameter(base) if len(found) == 1 else autograd_calls.with_gradient(_TRAINED, UNKNOWN)


def _has_flag_for_bias(name: str) -> bool:
    """Return whether ``bias`` of a module is a bool (torch/nn/modules/rnn.py)."""
    last = name.rpartition(".")[2]
    return is_recurrent(name) or last in ("RNNBase", "RNNCellBase") or last.endswith("Cell")


def _table(base: Instance, name: str) -> Value:
    entries = [
        (Const(k), v)
        for k, v in base.attrs.items()
        if not k.startswith("__")
        and k != submodules.UNNAMED
        and (is_nn_module(v) if name == "_modules" else isinstance(v, Tensor))
    ]
    items = base.attrs.get("__items__") if name == "_modules" else None
    if items is not None:
        return _table_of_container(base)
    if base.partial:
        return Mapping(tuple(entries), UNKNOWN)
    # In any object of a class each of them may be missing: a branch of the constructor may leave it out.
    optional = [key for key, _ in entries] if base.from_defaults else []
    return Mapping(tuple(entries), None, optional=frozenset(optional))


def _table_of_container(base: Instance) -> Mapping:
    """Return ``_modules`` of an ``nn.Sequential``, a list or a dict of modules."""
    named = submodules.children(base)
    known = base.attrs["__items__"]
    is_known = not base.partial and (known.items is not None if isinstance(known, Seq) else isinstance(known, Mapping))
    if is_known and all(name != submodules.UNNAMED for name, _ in named):
        return Mapping(tuple((Const(name), value) for name, value in named))
    return Mapping((), join_all(value for _, value in named) if named else UNKNOWN, STR)


COMPILE_ARGUMENTS = frozenset(
    (
        "fullgraph",
        "dynamic",
        "backend",
        "mode",
        "options",
        "name",
        "disable",
        "recompile_limit",
        "isolate_recompiles",
        "shapes_spec",
    )
)


def compiles(args: Args) -> bool:
    """Return whether ``nn.Module.compile`` takes these arguments: those of ``torch.compile``, by keyword."""
    return not args.pos and args.star is None and args.kw.keys() <= COMPILE_ARGUMENTS


HOOKS = {
    "register_forward_hook": ("setattr-on-unsupported-type", "unregistered-removable-handle"),
    "register_forward_pre_hook": ("setattr-on-unsupported-type", "unregistered-removable-handle"),
    "register_full_backward_hook": ("setattr-on-unsupported-type", "unregistered-removable-handle"),
    "register_full_backward_pre_hook": ("setattr-on-unsupported-type", "unregistered-removable-handle"),
    "register_backward_hook": ("setattr-on-unsupported-type", "unregistered-removable-handle"),
}


def call_method(ctx: CallContext, base: Instance, name: str) -> Value:
    """Call a method that every ``nn.Module`` has."""
    nn_module_mutation.check_method(ctx, base, name)
    _visit(ctx, base, name)
    if name in ("register_buffer", "register_parameter", "add_module", "register_module"):
        return _register(ctx, base, name)
    if name in HOOKS:
        nn_module_hooks.register(ctx.interp, base, name, ctx.args, ctx.frame)
        ctx.emit("hook", name, HOOKS[name])
        # The break passes the handle to the next graph, which cannot reconstruct it.
        return ExternalObject("torch.utils.hooks.RemovableHandle:module") if ctx.frame.mode.tracing else UNKNOWN
    if name == "compile":
        if not compiles(ctx.args):
            return UNKNOWN  # a method of a base class that is not known: ``compile(loss=..., optimizer=...)``
        ctx.interp.note_compiled(ctx.frame, ctx.node, module_wrappers.unwrapped(base), ctx.args.kw, "method")
        function = ctx.node.func if isinstance(ctx.node, ast.Call) else None
        ctx.frame.note_compiled_parameter(function.value if isinstance(function, ast.Attribute) else None)
        return NONE
    if name == "requires_grad_":
        ctx.emit("tensor-method", "requires_grad_", ("tensor-requires-grad-call",))
        if not ctx.frame.mode.tracing:
            set_gradients(ctx.interp, base, ctx.args.get(0, "requires_grad") or TRUE)
        return base
    if name in ("parameters", "buffers", "named_parameters", "named_buffers"):
        # A parameter requires a gradient by default.
        one = _one_of_parameters(base) if name.endswith("parameters") else _PARAMETER
        return Iterator("generator", Seq("tuple", (STR, one)) if name.startswith("named") else one)
    if name in ("children", "modules", "named_children", "named_modules"):
        if isinstance(base.cls, Class) and is_unbuilt(base):
            ctx.interp.any_instance(base.cls)
        in_library = ctx.frame.module.origin == "library"
        return submodules.iterated(base, name, tracing=ctx.frame.mode.tracing, in_library=in_library)
    if name == "state_dict":
        return Mapping((), _PARAMETER)
    if name == "get_submodule":
        return submodules.at(base, ctx.args.get(0, "target"))
    if name in ("get_parameter", "get_buffer"):
        return _PARAMETER
    if name in ("_get_name", "extra_repr"):
        return STR
    if name == "__setattr__" and len(ctx.args.pos) == 2 and isinstance(ctx.args.pos[0], Const):
        ctx.interp.store_attribute(base, str(ctx.args.pos[0].value), ctx.args.pos[1])
        return NONE
    if name == "apply" and not ctx.frame.mode.tracing:
        module_apply.apply_to_each(ctx, [*submodules.below(base, {base.uid}), base])
    if name in ("eval", "train") and ctx.frame.mode.tracing:
        training_mode.set_in_region(ctx, [base, *submodules.below(base, {base.uid})], name)
    return base if name in _RETURNING_SELF else UNKNOWN


def _visit(ctx: CallContext, base: Instance, name: str) -> None:
    """Report a recurrent module among those that a method goes through."""
    if not ctx.frame.mode.tracing:
        return
    visited: list[Value] = []
    if name in _VISITING:
        visited = _values_below(base, {base.uid}, certain=True)
    elif name in ("children", "named_children"):
        visited = [value for _, value in submodules.children(base)]
    if len(visited) > 1 and _is_given_to_next(ctx):
        visited = visited[:1]
    for each in visited:
        take_recurrent(ctx.interp, each, ctx.frame, ctx.node)


def _is_given_to_next(ctx: CallContext) -> bool:
    """Return whether a call is in the argument of ``next``, which goes no further than to the first module."""
    function = ctx.frame.function
    return function is not None and any(
        isinstance(node, ast.Call)
        and ast_walk.is_name(node.func, "next")
        and any(inner is ctx.node for arg in node.args[:1] for inner in ast_walk.walk(arg))
        for node in ast_walk.walk(function.node)
    )


def _values_below(base: Instance, seen: set[int], *, certain: bool) -> list[Value]:
    """Return the values of all submodules; one that may not be there, or below such a one, has another alternative."""
    found: list[Value] = []
    for _, value in submodules.children(base):
        found.append(value if certain else join(value, UNKNOWN))
        for each in members(value):
            if isinstance(each, Instance) and each.uid not in seen:
                seen.add(each.uid)
                found += _values_below(each, seen, certain=certain and each is value)
    return found


_RETURNING_SELF = frozenset(
    "to cuda cpu float half double bfloat16 type train eval apply to_empty share_memory xpu ipu".split()
)


def _register(ctx: CallContext, base: Instance, name: str) -> Value:
    """``register_buffer(name, tensor)`` and the similar methods for parameters and submodules."""
    key, value = ctx.args.get(0, "name"), ctx.args.get(1, "tensor" if name == "register_buffer" else "module")
    if isinstance(key, Const) and isinstance(key.value, str) and value is not None:
        stored, old = as_input(value), base.attrs.get(key.value)
        ctx.interp.store_attribute(base, key.value, stored)
        reach.stored(base, key.value, old, stored, ctx.interp.is_usual_branch)
        if isinstance(base.attrs.get("__items__"), Mapping):
            _put(ctx.interp, base, key, stored)
    elif value is not None and name in ("add_module", "register_module"):
        add_unnamed(ctx, base, as_input(value))
    elif value is not None and "__items__" not in base.attrs:
        _store_unnamed(ctx, base, as_input(value))
    return NONE


def add_unnamed(ctx: CallContext, base: Instance, value: Value) -> None:
    """Add a submodule whose name is not known, as in ``add_module(f"layer{i}", Layer())``."""
    items = base.attrs.get("__items__")
    if isinstance(items, Mapping):
        rest = value if items.rest is None else join(items.rest, value)
        ctx.interp.store_attribute(base, "__items__", Mapping(items.entries, rest, STR, items.cls))
    elif isinstance(items, Seq):
        call_container(ctx.with_args(Args((value,))), base, "append")
    else:
        _store_unnamed(ctx, base, value)


def _store_unnamed(ctx: CallContext, base: Instance, value: Value) -> None:
    """Store a submodule, parameter or buffer of a module under a name that is not known."""
    ctx.interp.store_attribute(base, submodules.UNNAMED, join(base.attrs.get(submodules.UNNAMED, BOTTOM), value))
    base.partial = True


_WITH_PARAMETERS = frozenset(
    "Linear Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d Embedding EmbeddingBag LayerNorm "
    "BatchNorm1d BatchNorm2d BatchNorm3d GroupNorm MultiheadAttention LSTM GRU RNN LSTMCell GRUCell RNNCell Bilinear "
    "PReLU Transformer TransformerEncoderLayer TransformerDecoderLayer RMSNorm LazyLinear".split()
)


def has_parameters(name: str) -> bool:
    """Return whether a module class of torch has parameters."""
    return name.rpartition(".")[2] in _WITH_PARAMETERS


def _put(interp: Interpreter, base: Instance, key: Value, value: Value) -> None:
    items = base.attrs["__items__"]
    assert isinstance(items, Mapping)
    old = dict(items.entries)
    old[key] = join(old[key], value) if key in old else value
    interp.store_attribute(base, "__items__", Mapping(tuple(old.items()), items.rest, items.keys, items.cls))


def call_container(ctx: CallContext, base: Instance, name: str) -> Value:
    """Call a method of ``ModuleList``, ``ModuleDict`` and similar, or of a class that inherits from ``dict`` or
    ``list``.
    """

    items = base.attrs["__items__"]
    result, changed = container_methods.call_method(ctx, items, name)
    if changed is not None:
        ctx.interp.store_attribute(base, "__items__", changed)
        if base.branch_id == ctx.interp.branch_id:
            base.attrs["__items__"] = changed
            ctx.interp.summary_cache.on_change(base.uid)
    return result


_RECURRENT = frozenset(("torch.nn.RNN", "torch.nn.LSTM", "torch.nn.GRU"))


def is_recurrent(name: str) -> bool:
    """Return whether an external class is a recurrent module, which loops over time."""
    return name in _RECURRENT


def take_recurrent(interp: Interpreter, value: Value, frame: Frame, node: ast.AST) -> None:
    """Report a recurrent module at its first use (``VariableBuilder.wrap_module``); a call is not needed.

    The rest of the frame runs eagerly.
    """
    if not frame.mode.tracing or frame.mode.config.allow_rnn or IS_GIVEN_UP in frame.variables:
        return
    found = members(value)
    for member in found:
        if not isinstance(member, Instance) or not member.pre_existing:
            continue
        names = member.cls.externals if isinstance(member.cls, Class) else (member.cls.name,)
        name = next((name for name in names if name in _RECURRENT), None)
        fact = None if name is None else interp.knowledge.module_class(name)
        if name is not None and fact is not None and fact.breaks:
            interp.emit(frame, node, "module-call", name, fact.gb_ids, likely=len(found) > 1)
            # Stored among the variables, so that it holds on this path only.
            frame.variables[IS_GIVEN_UP] = TRUE if len(found) == 1 else BOOL
            return
