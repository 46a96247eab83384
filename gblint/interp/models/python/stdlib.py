"""Library functions whose effect a fact cannot describe: functools, itertools, copy, dataclasses, torch's wrappers."""

from __future__ import annotations

import ast
import importlib.util
from typing import Literal

from gblint.interp.domain import dtypes, tensor_layouts
from gblint.interp.models.fact_results import family_of
from gblint.interp.models.python import (
    builtins,
    conversions,
    divergence,
    function_objects,
    namedtuple,
    random_numbers,
    regular_expressions,
    type_tests,
    versions,
)
from gblint.interp.models.torch import (
    autograd_calls,
    compiler_decorators,
    error_on_graph_break,
    hard_errors,
    higher_order_ops,
    operand_checks,
    parameters,
    torch_functions,
)
from gblint.interp.models.torch.tensor_methods import has_tensor
from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext, Handler
from gblint.interp.state.compilation import CompiledRef
from gblint.values.base import (
    BOOL,
    FALSE,
    NONE,
    STR,
    TRUE,
    UNKNOWN,
    Bottom,
    Const,
    Tensor,
    Unknown,
    Value,
    members,
)
from gblint.values.containers import Iterator, Mapping, Seq
from gblint.values.lattice import join, join_all
from gblint.values.objects import BoundMethod, ExternalName, ExternalObject, Function, Instance, Partial, Wrapped


def same(ctx: CallContext) -> Value:
    """Return the first argument."""
    return ctx.args.first


def second(ctx: CallContext) -> Value:
    """Return the second argument, as ``typing.cast`` does."""
    return ctx.args.pos[1] if len(ctx.args.pos) > 1 else UNKNOWN


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
    item = ctx.item_of(ctx.args.pos[1])
    start = ctx.args.pos[2] if len(ctx.args.pos) > 2 else item
    if isinstance(item, Bottom):
        return start
    return join(start, ctx.call(ctx.args.pos[0], Args((start, item))))


def wraps(ctx: CallContext) -> Value:
    """``functools.wraps(f)``: a decorator without effect here."""
    return ExternalName("functools.update_wrapper")


def update_wrapper(ctx: CallContext) -> Value:
    """``functools.update_wrapper(g, f)``: if ``g`` was made from the code of a function, like a copy, the result is
    ``f``.
    """
    if isinstance(ctx.args.first, ExternalObject) and ctx.args.first.cls == "types.FunctionType":
        copied = ctx.args.get(1, "wrapped") or UNKNOWN
        return copied.function if isinstance(copied, BoundMethod) else copied
    return same(ctx)


def wrap(kind: str) -> Handler:
    """Return the model of a call such as ``torch.compile(f)``, whose result is ``f`` under an option."""

    def handler(ctx: CallContext) -> Value:
        function = ctx.args.get(0, "model" if kind == "compiled" else "fn")
        if kind == "compiled" and _is_any(function):
            _note_unknown(ctx)
        if kind == "compiled" and ctx.frame.mode.tracing and len(ctx.args.pos) > 1:
            torch_functions.wrong(
                ctx.interp,
                ctx.frame,
                ctx.node,
                "operator-arguments",
                "torch.compile",
                "torch-compile-with-extra-arguments",
            )
        if function is None or isinstance(function, (Const, Unknown)):
            return ExternalName("torch.compile" if kind == "compiled" else "functools.update_wrapper")
        if kind != "compiled":
            return Wrapped(kind, function)
        function, ignored = compiler_decorators.stripped(function)
        if ctx.frame.mode.tracing:
            compiler_decorators.compiled_inside(ctx)
        compiled = (
            None if _is_any(function) else ctx.interp.note_compiled(ctx.frame, ctx.node, function, ctx.args.kw, "call")
        )
        if compiled is not None:
            compiled.ignored = compiled.ignored or ignored
        return Wrapped(kind, function, None if compiled is None else CompiledRef(compiled))

    return handler


def nested_region(ctx: CallContext) -> Value:
    """``torch.compiler.nested_compile_region(f)``: must be applied outside of any region."""
    if ctx.frame.mode.tracing:
        ctx.emit("call", "torch.compiler.nested_compile_region", ("call-of-skipped-function",))
    return (
        Wrapped("nested_region", ctx.args.pos[0])
        if ctx.args.pos
        else ExternalName("torch.compiler.nested_compile_region")
    )


def _is_any(function: Value | None) -> bool:
    """Return whether the compiled value is unknown, or known only to be a module."""
    if isinstance(function, Instance):
        return function.cls == ExternalName("torch.nn.Module") and not function.attrs
    return isinstance(function, Unknown)


def _note_unknown(ctx: CallContext) -> None:
    """Note that a function compiles its parameter, known from its callers, or that an unknown value is compiled."""
    if ctx.frame.mode.tracing:
        return
    given = (
        [*ctx.node.args[:1], *(k.value for k in ctx.node.keywords if k.arg == "model")]
        if isinstance(ctx.node, ast.Call)
        else []
    )
    target = given[0] if given else None
    root = target
    while isinstance(root, (ast.Attribute, ast.Subscript)):
        root = root.value
    if ctx.frame.function is not None and (
        target is None or (isinstance(root, ast.Name) and root.id in ctx.frame.parameters)
    ):
        ctx.interp.compilation.compiling_functions.update(
            (ctx.frame.module.name, part) for part in ctx.frame.function.name.split(".")
        )
    elif target is not None and ctx.frame.module.origin != "library":
        ctx.interp.compilation.unknown_targets[(ctx.frame.module.display, target.lineno)] = ast.unparse(target)[:60]


def exported(by_dynamo: bool) -> Handler:
    """``torch.export.export(mod, args, strict=True)``: traces one graph or fails.

    Without ``strict`` it runs the module without Dynamo; ``torch._dynamo.export`` always traces.
    """

    def handler(ctx: CallContext) -> Value:
        function = ctx.args.get(0, "f" if by_dynamo else "mod")
        if function is None or not (by_dynamo or ctx.args.kw.get("strict") == TRUE):
            return UNKNOWN
        options: dict[str, Value] = {"fullgraph": TRUE, "export": TRUE, "strict": Const(not by_dynamo)}
        compiled = ctx.interp.note_compiled(ctx.frame, ctx.node, function, options, "call")
        inputs = ctx.args.get(1, "args")
        if compiled is not None and inputs is not None and not by_dynamo:
            items = ctx.items_of(inputs)
            if items is not None:
                compiled.sites.append(Args(items))
        return UNKNOWN

    return handler


def optimizer(ctx: CallContext) -> Value:
    """``torch._dynamo.optimize(backend, nopython=True)``: like ``torch.compile`` with these options."""
    named = {"nopython": "fullgraph", "error_on_graph_break": "error_on_graph_break", "disable": "disable"}
    options = {named[key]: value for key, value in ctx.args.kw.items() if key in named}
    return Partial(ExternalName("torch.compile"), (), tuple(options.items()))


def strict_optimizer(ctx: CallContext) -> Value:
    """``torch._dynamo.optimize_assert(backend)``: compiles whole graphs only."""
    return Partial(ExternalName("torch.compile"), (), (("fullgraph", TRUE),))


def transform(ctx: CallContext) -> Value:
    """``torch.func.vmap(f)`` and similar: a function of the same arguments as ``f``."""
    return ctx.args.first


def replace_(ctx: CallContext) -> Value:
    """``dataclasses.replace``."""
    source = ctx.args.first
    if not isinstance(source, Instance):
        return source
    copy = Instance(source.cls, dict(source.attrs), source.soft, ctx.interp.branch_id)
    copy.attrs.update(ctx.args.kw)
    return copy


def copied(ctx: CallContext) -> Value:
    """``copy.copy`` and ``copy.deepcopy``: Dynamo traces objects, but not tensors and containers of tensors."""

    value = ctx.args.first
    shallow = isinstance(ctx.node, ast.Call) and "deepcopy" not in ast.dump(ctx.node.func)
    found = has_tensor(value)
    if shallow:
        if found is not None and isinstance(value, Tensor):
            ctx.emit("call", "copy.copy", ("torch-op-returned-non-tensor",), about=found)
        elif isinstance(value, (Seq, Mapping)):
            ctx.emit("call", "copy.copy", ("call-of-skipped-function",))
    elif found is not None:
        ctx.emit("call", "copy.deepcopy", ("deepcopy-of-tensor",), about=found)
    if isinstance(value, Instance):
        return Instance(value.cls, dict(value.attrs), value.soft, ctx.interp.branch_id, open=value.open)
    return value


def mapping(cls: str) -> Handler:
    """``collections.OrderedDict`` and similar."""

    def handler(ctx: CallContext) -> Value:
        if cls == "defaultdict":
            factory = ctx.args.get(0, "default_factory")
            made = None if factory is None or factory == NONE else ctx.call(factory, Args())
            rest = builtins.dict_(ctx.with_args(ctx.args.drop(1)))
            return Mapping(rest.entries if isinstance(rest, Mapping) else (), made, cls="dict")
        return builtins.dict_(ctx)

    return handler


def chain(ctx: CallContext) -> Value:
    """``itertools.chain``."""
    parts = [ctx.items_of(a) for a in ctx.args.pos]
    if ctx.args.star is None and all(p is not None for p in parts):
        items = tuple(v for p in parts if p is not None for v in p)
        return Iterator("iterator", join_all(items), not ctx.frame.mode.tracing, items)
    values = [ctx.item_of(a) for a in ctx.args.pos]
    if ctx.args.star is not None:
        values.append(ctx.item_of(ctx.args.star))
    return Iterator("iterator", join_all(values), not ctx.frame.mode.tracing)


def chain_nested(ctx: CallContext) -> Value:
    """``itertools.chain.from_iterable``."""
    outer = ctx.item_of(ctx.args.first)
    return Iterator("iterator", ctx.item_of(outer), not ctx.frame.mode.tracing)


def tuples(ctx: CallContext) -> Value:
    """``itertools.product``, ``combinations``, ``permutations``: tuples of items."""
    columns = [ctx.item_of(a) for a in ctx.args.pos]
    items = [c for c in columns if not isinstance(c, Bottom)]
    return Iterator(
        "iterator",
        Seq("tuple", tuple(items)) if len(items) > 1 else Seq("tuple", None, join_all(items)),
        not ctx.frame.mode.tracing,
    )


def items_again(ctx: CallContext) -> Value:
    """``itertools.islice``, ``cycle`` and others that yield items of their argument."""
    values = [ctx.item_of(a) for a in ctx.args.pos[-2:] if not isinstance(a, (Const, Function, ExternalName))]
    return Iterator("iterator", join_all(values) if values else UNKNOWN, not ctx.frame.mode.tracing)


def accumulate(ctx: CallContext) -> Value:
    """``itertools.accumulate``."""
    item = ctx.item_of(ctx.args.first)
    return Iterator("iterator", item, not ctx.frame.mode.tracing)


def grouped(ctx: CallContext) -> Value:
    """``itertools.groupby``: Dynamo takes the key by keyword only, and compares keys as Python does."""
    item = ctx.item_of(ctx.args.first)
    if len(ctx.args.pos) > 1:
        ctx.emit("call", "itertools.groupby", ("unsupported-arguments-for-itertools-groupby",))
    key = ctx.args.get(1, "key")
    group = item if key is None or key == NONE else ctx.call(key, Args((item,)))
    if any(isinstance(v, Tensor) for v in members(group)):
        ctx.emit(
            "call",
            "itertools.groupby",
            ("unsupported-key-type-for-itertools-groupby", "itertools-groupby-iteration-failure"),
        )
    return Iterator("iterator", Seq("tuple", (group, Iterator("iterator", item))), not ctx.frame.mode.tracing)


def find_spec(ctx: CallContext) -> Value:
    """``importlib.util.find_spec``: evaluated in the linted environment."""

    name = ctx.args.first
    if isinstance(name, Const) and isinstance(name.value, str):
        if not ctx.interp.import_exists(name.value):
            return NONE
        return ExternalObject("importlib.machinery.ModuleSpec", outside=True)
    return join(NONE, ExternalObject("importlib.machinery.ModuleSpec", outside=True))


def import_module(ctx: CallContext) -> Value:
    """``importlib.import_module``."""

    ctx.emit("call", "importlib.import_module", ("call-of-skipped-function",))
    name = ctx.args.first
    package = ctx.args.get(1, "package")
    if isinstance(name, Const) and isinstance(name.value, str):
        if not name.value.startswith("."):
            return ctx.interp.module_value(name.value)
        if isinstance(package, Const) and isinstance(package.value, str):
            return ctx.interp.module_value(importlib.util.resolve_name(name.value, package.value))
    return UNKNOWN


def is_tensor(ctx: CallContext) -> Value:
    """``torch.is_tensor``."""
    answer = type_tests.is_instance(ctx.interp, ctx.args.first, ExternalName("torch.Tensor"))
    return BOOL if answer is None else Const(answer)


def is_compiling(ctx: CallContext) -> Value:
    """``torch.compiler.is_compiling``: true while tracing."""
    return Const(ctx.frame.mode.tracing)


def is_exporting(ctx: CallContext) -> Value:
    """``torch.compiler.is_exporting``: true while tracing for an export."""
    return Const(ctx.frame.mode.tracing and ctx.frame.mode.export)


def format_exception(ctx: CallContext) -> Value:
    """``traceback.format_exc()``: Dynamo does not know which exception is being handled."""
    ctx.emit("exception", "traceback.format_exc", ("traceback-tb-lasti-not-supported",))
    return STR


def check_all(ctx: CallContext) -> Value:
    """``torch._check_tensor_all(t)`` reads ``t.all()``."""
    if any(isinstance(v, Tensor) for v in members(ctx.args.first)):
        ctx.emit(
            "data-dependent-branch", "check", ("tensor-item-without-capture-scalar-outputs",), about=ctx.args.first
        )
    return NONE


def namespace(ctx: CallContext) -> Value:
    """``types.SimpleNamespace``: Dynamo supports using one; making one only from torch 2.15 on."""
    fact = ctx.interp.knowledge.class_("types.SimpleNamespace")
    if fact is not None and fact.breaks:
        ctx.emit("construct", "object", fact.gb_ids)
    return Instance(ExternalName("types.SimpleNamespace"), dict(ctx.args.kw), token=ctx.interp.branch_id)


def enter_context(ctx: CallContext) -> Value:
    """``ExitStack.enter_context``: Dynamo traces managers with source, but not torch's."""
    manager = ctx.args.first
    if isinstance(manager, ExternalObject) and manager.cls.startswith("torch."):
        ctx.emit("context-manager", "contextlib.ExitStack", ("call-of-skipped-function",))
    return UNKNOWN


def as_dict(name: str) -> Handler:
    """``dataclasses.asdict`` and ``astuple``: they deep-copy the values; tensors are not supported."""

    def handler(ctx: CallContext) -> Value:

        value = ctx.args.first
        attributes = value.attrs if isinstance(value, Instance) else {}
        found = next((v for v in attributes.values() if has_tensor(v) is not None), None)
        if found is not None:
            ctx.emit("call", name, ("deepcopy-of-tensor",), about=found)
        if name.endswith("astuple"):
            return Seq("tuple", tuple(attributes.values())) if attributes else UNKNOWN
        entries = tuple((Const(k), v) for k, v in attributes.items() if not k.startswith("__"))
        return Mapping(entries, None if attributes else UNKNOWN)

    return handler


def exit_stack(ctx: CallContext) -> Value:
    """``contextlib.ExitStack``."""
    return ExternalObject("contextlib.ExitStack", outside=not ctx.frame.mode.tracing)


def binary(op: ast.operator) -> Handler:
    """``operator.add`` and similar."""

    def handler(ctx: CallContext) -> Value:
        if len(ctx.args.pos) < 2:
            return UNKNOWN
        return ctx.interp.binary(op, ctx.args.pos[0], ctx.args.pos[1], ctx.frame, ctx.node)

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


def call_method_by_name(ctx: CallContext) -> Value:
    """``object.__setattr__(x, "name", value)``."""
    return builtins.setattr_(ctx)


def numpy_array(ctx: CallContext) -> Value:
    """``numpy.array`` and ``asarray``: the rank of the data."""
    value = ctx.args.first
    rank: int | None = None
    dtype: str | None = None
    if isinstance(value, Tensor):
        rank, dtype = value.rank, value.dtype
    elif isinstance(value, Seq) and value.items is not None:
        rank = 1 if all(isinstance(v, Const) for v in value.items) else None
    elif isinstance(value, Seq):
        inner = value.rest
        rank = inner.rank + 1 if isinstance(inner, Tensor) and inner.rank is not None else None
    objects = _holds_objects(value) or ctx.args.get(1, "dtype") == ExternalName("builtins.object")
    layout: Literal["", "object"] = "object" if objects else ""
    number = dtypes.is_number(value) and ctx.frame.mode.tracing
    return Tensor(rank, dtype, True, False, True, constant=number, layout=layout)


def _holds_objects(value: Value) -> bool:
    """Return whether a list contains strings or None, which an array can hold only as objects or strings."""
    items = value.items if isinstance(value, Seq) and value.items is not None else ()
    return any(isinstance(v, Const) and (v.value is None or isinstance(v.value, str)) for v in items)


def tensor_from(ctx: CallContext) -> Value:
    """``torch.tensor``, ``as_tensor``, ``from_numpy``: rank and dtype of the data."""

    value = ctx.args.first
    dtype, rank = _shape_of(value, 0)
    given = ctx.args.get(1, "dtype")
    if given is not None and given != NONE:
        dtype = family_of(given)
    return Tensor(rank, dtype, True, constant=dtypes.is_number(value) and ctx.frame.mode.tracing)


def tensor_read(name: str) -> Handler:
    """``torch.as_tensor`` and ``torch.asarray``, which read their argument."""

    def handler(ctx: CallContext) -> Value:
        hard_errors.check_data(ctx, name, ctx.args.get(0, "data") or UNKNOWN)
        return tensor_from(ctx)

    return handler


def _shape_of(value: Value, depth: int) -> tuple[str | None, int | None]:
    found = [v for v in members(value) if v != NONE]
    if len(found) != 1 or depth > 4:
        return None, None
    value = found[0]
    if isinstance(value, Tensor):
        return value.dtype, value.rank
    kind = dtypes.number_kind(value)
    if kind is not None:
        return (None if kind == "number" else kind), 0
    if isinstance(value, Seq):
        parts = [_shape_of(v, depth + 1) for v in (value.items if value.items is not None else (value.rest,))]
        if not parts:
            return None, 1
        families, ranks = {d for d, _ in parts}, {r for _, r in parts}
        rank = ranks.pop() if len(ranks) == 1 else None
        return families.pop() if len(families) == 1 else None, None if rank is None else rank + 1
    return None, None


HANDLERS: dict[str, Handler] = {
    **function_objects.HANDLERS,
    **regular_expressions.HANDLERS,
    **hard_errors.HANDLERS,
    **divergence.HANDLERS,
    **tensor_layouts.HANDLERS,
    **operand_checks.HANDLERS,
    **autograd_calls.HANDLERS,
    **parameters.HANDLERS,
    **random_numbers.HANDLERS,
    **versions.HANDLERS,
    "typing.cast": second,
    "functools.partial": partial,
    "functools.partialmethod": lambda ctx: Wrapped("partialmethod", partial(ctx)),
    "functools.reduce": reduce_,
    "functools.wraps": wraps,
    "functools.update_wrapper": update_wrapper,
    "functools.lru_cache": same,
    "functools.cache": same,
    "torch.compile": wrap("compiled"),
    "torch.compiler.nested_compile_region": nested_region,
    "torch.export.export": exported(by_dynamo=False),
    "torch.export.export_for_training": exported(by_dynamo=False),
    "torch._dynamo.export": exported(by_dynamo=True),
    "torch._dynamo.optimize": optimizer,
    "torch._dynamo.optimize_assert": strict_optimizer,
    error_on_graph_break.NAME: error_on_graph_break.make,
    "torch.jit.script": wrap("scripted"),
    "torch.jit.trace": wrap("jit_traced"),
    **higher_order_ops.HANDLERS,
    **torch_functions.HANDLERS,
    **compiler_decorators.HANDLERS,
    "torch.vmap": transform,
    "torch.func.vmap": transform,
    "torch.func.grad": transform,
    "torch.func.jacrev": transform,
    "torch.func.jacfwd": transform,
    "dataclasses.replace": replace_,
    "copy.copy": copied,
    "copy.deepcopy": copied,
    "collections.OrderedDict": mapping("OrderedDict"),
    "collections.defaultdict": mapping("defaultdict"),
    "collections.namedtuple": namedtuple.namedtuple,
    "typing.NamedTuple": namedtuple.namedtuple,
    "collections.deque": builtins.sequence("list"),
    "types.SimpleNamespace": namespace,
    "traceback.format_exc": format_exception,
    "torch._check_tensor_all": check_all,
    "torch._check_tensor_all_with": lambda ctx: check_all(ctx.with_args(ctx.args.drop(1))),
    "operator.index": conversions.number("int", ("tensor-item-without-capture-scalar-outputs",), "index"),
    "itertools.chain": chain,
    "itertools.chain.from_iterable": chain_nested,
    "itertools.product": tuples,
    "itertools.combinations": tuples,
    "itertools.permutations": tuples,
    "itertools.pairwise": tuples,
    "itertools.zip_longest": builtins.zip_,
    "itertools.islice": items_again,
    "itertools.cycle": items_again,
    "itertools.takewhile": items_again,
    "itertools.dropwhile": items_again,
    "itertools.accumulate": accumulate,
    "itertools.groupby": grouped,
    "itertools.starmap": lambda ctx: Iterator("iterator", UNKNOWN),
    "importlib.util.find_spec": find_spec,
    "importlib.import_module": import_module,
    "torch.is_tensor": is_tensor,
    "torch.compiler.is_compiling": is_compiling,
    "torch.compiler.is_dynamo_compiling": is_compiling,
    "torch.compiler.is_exporting": is_exporting,
    "contextlib.ExitStack": exit_stack,
    "contextlib.ExitStack.enter_context": enter_context,
    "dataclasses.asdict": as_dict("dataclasses.asdict"),
    "dataclasses.astuple": as_dict("dataclasses.astuple"),
    "operator.add": binary(ast.Add()),
    "operator.mul": binary(ast.Mult()),
    "operator.sub": binary(ast.Sub()),
    "operator.truediv": binary(ast.Div()),
    "operator.matmul": binary(ast.MatMult()),
    "torch.utils._pytree.tree_map": with_function,
    "torch.utils._pytree.tree_map_only": with_function,
    "builtins.object.__setattr__": call_method_by_name,
    "numpy.array": numpy_array,
    "numpy.asarray": numpy_array,
    "numpy.ascontiguousarray": numpy_array,
    "torch.tensor": tensor_from,
    "torch.as_tensor": tensor_read("torch.as_tensor"),
    "torch.asarray": tensor_read("torch.asarray"),
    "torch.from_numpy": tensor_from,
    "inspect.isfunction": lambda ctx: BOOL,
    "inspect.unwrap": same,
    "warnings.catch_warnings": lambda ctx: ExternalObject("warnings.catch_warnings"),
    "sys.intern": same,
    "os.path.join": lambda ctx: STR,
    "torch.jit.is_scripting": lambda ctx: FALSE,
    "torch.jit.is_tracing": lambda ctx: FALSE,
    "torch.overrides.is_tensor_like": is_tensor,
}
