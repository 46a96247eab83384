"""Library functions whose effect a fact cannot describe: functools, copy, dataclasses, torch's wrappers."""

from __future__ import annotations

import importlib.util

from gblint.interp.domain import reach
from gblint.interp.models.python import (
    builtins,
    conversions,
    copies,
    exit_stacks,
    function_objects,
    inspect_functions,
    namedtuple,
    type_tests,
)
from gblint.interp.models.torch.tensor_methods import tensor_in
from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext, Handler
from gblint.runtime.lazy_dataclasses import replace
from gblint.values.base import (
    FALSE,
    INT,
    NONE,
    STR,
    UNKNOWN,
    Bottom,
    Const,
    Scalar,
    Union,
    Value,
)
from gblint.values.containers import Mapping, Seq
from gblint.values.lattice import join, join_all
from gblint.values.objects import (
    BoundMethod,
    Class,
    ExternalName,
    ExternalObject,
    Instance,
    Partial,
)
from gblint.values.wrapped import PartialMethod

_CALLED_ONE_BY_ONE = 12


def same(ctx: CallContext) -> Value:
    """Return the first argument."""
    return ctx.args.first


def cast(ctx: CallContext) -> Value:
    """``typing.cast``: the second argument, of which those alternatives are kept that may be of the class."""
    if len(ctx.args.pos) < 2:
        return UNKNOWN
    cls, value = ctx.args.pos[:2]
    if not isinstance(value, Union) or not isinstance(cls, (Class, ExternalName)):
        return value
    kept = [each for each in value.members if type_tests.is_instance(ctx.interp, each, cls) is not False]
    return join_all(kept) if kept else value


def partial(ctx: CallContext) -> Value:
    """``functools.partial``."""
    if not ctx.args.pos:
        return UNKNOWN
    # A partial made while tracing has plain strings as names, even if enum members were passed.
    names = (str(name) if ctx.frame.mode.tracing else name for name in ctx.args.kw)
    return Partial(ctx.args.pos[0], ctx.args.pos[1:], tuple(zip(names, ctx.args.kw.values())))


def reduce_(ctx: CallContext) -> Value:
    """``functools.reduce``."""
    if len(ctx.args.pos) < 2:
        return UNKNOWN
    items = ctx.items_of(ctx.args.pos[1])
    if items is not None and len(items) <= _CALLED_ONE_BY_ONE and (items or len(ctx.args.pos) > 2):
        found, left = (ctx.args.pos[2], items) if len(ctx.args.pos) > 2 else (items[0], items[1:])
        for each in left:
            found = ctx.call(ctx.args.pos[0], Args((found, each)))
        return found
    item = ctx.item_of(ctx.args.pos[1])
    start = ctx.args.pos[2] if len(ctx.args.pos) > 2 else item
    if isinstance(item, Bottom):
        return start
    return join(start, ctx.call(ctx.args.pos[0], Args((start, item))))


def wraps(ctx: CallContext) -> Value:
    """``functools.wraps(f)``: a decorator without effect here, unless ``f`` is a partial."""
    function_objects.copy_name(ctx.interp, ctx.args.first, ctx.frame, ctx.node)
    return ExternalName("functools.update_wrapper")


def update_wrapper(ctx: CallContext) -> Value:
    """``functools.update_wrapper(g, f)``: if ``g`` was made from the code of a function, like a copy, the result is
    ``f``.
    """
    function_objects.copy_name(ctx.interp, ctx.args.get(1, "wrapped"), ctx.frame, ctx.node)
    if isinstance(ctx.args.first, ExternalObject) and ctx.args.first.cls == "types.FunctionType":
        copied = ctx.args.get(1, "wrapped") or UNKNOWN
        return copied.function if isinstance(copied, BoundMethod) else copied
    return same(ctx)


def transform(ctx: CallContext) -> Value:
    """``torch.func.vmap(f)`` and similar: a function of the same arguments as ``f``."""
    return ctx.args.first


def wrapping_transform(ctx: CallContext) -> Value:
    """``torch.func.jacrev(f)`` and similar, which copy the name of ``f`` (torch/_functorch/eager_transforms.py)."""
    function_objects.copy_name(ctx.interp, ctx.args.first, ctx.frame, ctx.node)
    return transform(ctx)


def mapping(cls: str) -> Handler:
    """``collections.OrderedDict`` and similar."""

    def handler(ctx: CallContext) -> Value:
        if cls == "defaultdict":
            factory = ctx.args.get(0, "default_factory")
            made = None if factory is None or factory == NONE else ctx.call(factory, Args())
            rest = builtins.dict_(ctx.with_args(ctx.args.drop(1)))
            return Mapping(rest.entries if isinstance(rest, Mapping) else (), made, cls=cls)
        made = builtins.dict_(ctx)
        return replace(made, cls=cls) if isinstance(made, Mapping) else made

    return handler


def find_spec(ctx: CallContext) -> Value:
    """``importlib.util.find_spec``: evaluated in the linted environment."""

    name = ctx.args.first
    if isinstance(name, Const) and isinstance(name.value, str):
        if not ctx.interp.import_exists(name.value):
            return NONE
        return ExternalObject("importlib.machinery.ModuleSpec", pre_existing=True)
    return join(NONE, ExternalObject("importlib.machinery.ModuleSpec", pre_existing=True))


def environment_variable(ctx: CallContext) -> Value:
    """``os.environ.get(name)``, ``os.getenv(name)``: None if the variable is not set and there is no default."""
    default = ctx.args.get(1, "default") or NONE
    value = join(NONE, STR) if default == NONE else STR
    return reach.expected(value, default) if isinstance(default, Const) else value


def import_module(ctx: CallContext) -> Value:
    """``importlib.import_module``."""

    ctx.emit("call", "importlib.import_module", ("call-of-skipped-function",))
    name = ctx.args.first
    package = ctx.args.get(1, "package")
    if isinstance(name, Const) and isinstance(name.value, str):
        if not name.value.startswith("."):
            return ctx.interp.module_value(name.value, ctx.frame.module)
        if isinstance(package, Const) and isinstance(package.value, str):
            return ctx.interp.module_value(importlib.util.resolve_name(name.value, package.value), ctx.frame.module)
    return UNKNOWN


def format_exception(ctx: CallContext) -> Value:
    """``traceback.format_exc()``: Dynamo does not know which exception is being handled."""
    ctx.emit("exception", "traceback.format_exc", ("traceback-tb-lasti-not-supported",))
    return STR


def namespace(ctx: CallContext) -> Value:
    """``types.SimpleNamespace``: Dynamo supports using one; making one only from torch 2.15 on."""
    fact = ctx.interp.knowledge.class_("types.SimpleNamespace")
    if fact is not None and fact.breaks:
        ctx.emit("construct", "object", fact.gb_ids)
    return Instance(ExternalName("types.SimpleNamespace"), dict(ctx.args.kw), branch_id=ctx.interp.branch_id)


def thread_local(ctx: CallContext) -> Value:
    """``threading.local``: Dynamo supports using one from outside; its attributes are those of the compiling thread."""
    fact = ctx.interp.knowledge.class_("threading.local")
    if fact is not None and fact.breaks:
        ctx.emit("call", "threading.local", fact.gb_ids)
    made = not ctx.frame.mode.tracing
    return Instance(ExternalName("threading.local"), branch_id=ctx.interp.branch_id, pre_existing=made)


def as_dict(name: str) -> Handler:
    """``dataclasses.asdict`` and ``astuple``: they deep-copy the values; tensors are not supported."""

    def handler(ctx: CallContext) -> Value:

        value = ctx.args.first
        attributes = value.attrs if isinstance(value, Instance) else {}
        found = next((v for v in attributes.values() if tensor_in(v) is not None), None)
        if found is not None:
            ctx.emit("call", name, ("deepcopy-of-tensor",), about=found)
        if name.endswith("astuple"):
            return Seq("tuple", tuple(attributes.values())) if attributes else UNKNOWN
        entries = tuple((Const(k), v) for k, v in attributes.items() if not k.startswith("__"))
        return Mapping(entries, None if attributes else UNKNOWN)

    return handler


def with_function(ctx: CallContext) -> Value:
    """``torch.utils._pytree.tree_map(f, tree)`` and other calls that apply a function to their arguments."""
    if len(ctx.args.pos) < 2:
        return UNKNOWN
    return _map_tree(ctx, ctx.args.pos[0], ctx.args.pos[1], 0)


def _map_tree(ctx: CallContext, function: Value, tree: Value, depth: int) -> Value:
    if depth > 3:
        return UNKNOWN
    if isinstance(tree, Seq):
        if tree.items is not None:
            return Seq(tree.cls, tuple(_map_tree(ctx, function, v, depth + 1) for v in tree.items))
        return Seq(tree.cls, None, _map_tree(ctx, function, tree.rest, depth + 1))
    if isinstance(tree, Mapping):
        entries = tuple((k, _map_tree(ctx, function, v, depth + 1)) for k, v in tree.entries)
        rest = None if tree.rest is None else _map_tree(ctx, function, tree.rest, depth + 1)
        return Mapping(entries, rest, tree.keys, tree.cls)
    return ctx.call(function, Args((tree,)))


HANDLERS: dict[str, Handler] = {
    "typing.cast": cast,
    "os.environ.get": environment_variable,
    "os.getenv": environment_variable,
    "platform.system": lambda ctx: Scalar("str", usual=Const("Linux")),
    "functools.partial": partial,
    "functools.partialmethod": lambda ctx: PartialMethod(partial(ctx)),
    "functools.reduce": reduce_,
    "functools.wraps": wraps,
    "functools.update_wrapper": update_wrapper,
    "torch.vmap": transform,
    "torch.func.vmap": transform,
    "torch.func.grad": transform,
    "torch.func.jacrev": wrapping_transform,
    "torch.func.jacfwd": wrapping_transform,
    "torch.func.hessian": wrapping_transform,
    "copy.copy": copies.copied,
    "copy.deepcopy": copies.copied,
    "collections.OrderedDict": mapping("OrderedDict"),
    "collections.defaultdict": mapping("defaultdict"),
    "collections.Counter": lambda _: Mapping((), INT, UNKNOWN, cls="Counter"),
    "collections.namedtuple": namedtuple.namedtuple,
    "typing.NamedTuple": namedtuple.namedtuple,
    "collections.deque": builtins.sequence("list"),
    "types.SimpleNamespace": namespace,
    "threading.local": thread_local,
    "traceback.format_exc": format_exception,
    "operator.index": conversions.number("int", ("tensor-item-without-capture-scalar-outputs",), "index"),
    "importlib.util.find_spec": find_spec,
    "importlib.import_module": import_module,
    **exit_stacks.HANDLERS,
    "dataclasses.asdict": as_dict("dataclasses.asdict"),
    "dataclasses.astuple": as_dict("dataclasses.astuple"),
    "torch.utils._pytree.tree_map": with_function,
    "torch.utils._pytree.tree_map_only": with_function,
    **inspect_functions.HANDLERS,
    "inspect.unwrap": same,
    "warnings.catch_warnings": lambda ctx: ExternalObject("warnings.catch_warnings"),
    "sys.intern": same,
    "os.path.join": lambda ctx: STR,
    "torch.jit.is_scripting": lambda ctx: FALSE,
    "torch.jit.is_tracing": lambda ctx: FALSE,
    "torchvision._is_tracing": lambda ctx: FALSE,
}
