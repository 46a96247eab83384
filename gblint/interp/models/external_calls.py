"""Calls of external callables, by qualified name: torch, numpy, the standard library, packages that Dynamo skips."""

from __future__ import annotations

from typing import Final

from gblint.interp.domain import callables, constant_math, dtypes, tensor_layouts, unbacked_symints
from gblint.interp.domain.builtin_names import canonical
from gblint.interp.models.numpy import numpy_functions, opaque_functions
from gblint.interp.models.python import (
    builtins,
    call_signatures,
    context_variables,
    dataclass_functions,
    divergence,
    dynamic_code,
    exceptions,
    extension_modules,
    function_objects,
    itertools_functions,
    missing_packages,
    object_getters,
    operator_functions,
    ordering,
    random_numbers,
    regular_expressions,
    stdlib,
    symbolic_sizes,
    usual_results,
    versions,
)
from gblint.interp.models.torch import (
    autograd_calls,
    batch_norms,
    compile_functions,
    compiler_decorators,
    custom_ops,
    distributions,
    dynamo_config,
    hard_errors,
    higher_order_ops,
    module_wrappers,
    nn_modules,
    operand_checks,
    optimizers,
    parameters,
    reorderable_logging,
    scalar_arguments,
    tensor_constructors,
    tensor_hooks,
    tensor_methods,
    tensor_subclasses,
    torch_functions,
    transformer_modules,
    triton_kernels,
)
from gblint.interp.state import trace_builder
from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext, Handler
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.knowledge.catalog import EXCEPTIONS
from gblint.knowledge.facts import Fact
from gblint.runtime.lazy_dataclasses import replace
from gblint.values.base import BOOL, FALSE, NONE, NUMBER, UNKNOWN, Tensor, Unknown, Value, members
from gblint.values.containers import Iterator, Mapping, Seq
from gblint.values.lattice import join_all
from gblint.values.objects import Class, ExternalName, ExternalObject, Instance, is_nn_module_class

# Namespaces in which every function is a graph operator, even a private one.
_OPERATORS = ("torch._C.", "torch.ops.", "torch.nn.functional.")


HANDLERS: Final[dict[str, Handler]] = {
    **autograd_calls.HANDLERS,
    **compile_functions.HANDLERS,
    **compiler_decorators.HANDLERS,
    **distributions.HANDLERS,
    **divergence.HANDLERS,
    **dataclass_functions.HANDLERS,
    **function_objects.HANDLERS,
    **itertools_functions.HANDLERS,
    **hard_errors.HANDLERS,
    **higher_order_ops.HANDLERS,
    **module_wrappers.HANDLERS,
    **opaque_functions.HANDLERS,
    **triton_kernels.HANDLERS,
    **numpy_functions.HANDLERS,
    **object_getters.HANDLERS,
    **operand_checks.HANDLERS,
    **operator_functions.HANDLERS,
    **optimizers.HANDLERS,
    **parameters.HANDLERS,
    **random_numbers.HANDLERS,
    **regular_expressions.HANDLERS,
    **stdlib.HANDLERS,
    **tensor_constructors.HANDLERS,
    **tensor_layouts.HANDLERS,
    **tensor_subclasses.HANDLERS,
    **torch_functions.HANDLERS,
    **versions.HANDLERS,
}
"""The models of external callables other than builtins, by qualified name."""
_EAGER_HANDLERS: Final[dict[str, Handler]] = {
    **dynamo_config.EAGER_HANDLERS,
    **missing_packages.EAGER_HANDLERS,
    **module_wrappers.EAGER_HANDLERS,
}
"""The models of those that count outside of regions only."""


# Frameworks with tensors of their own; libraries with several backends import one of them.
_FRAMEWORKS: Final = frozenset(("tensorflow", "jax", "paddle", "mxnet", "mindspore", "cupy"))


def call(ctx: CallContext, name: str) -> Value:
    """Call the function or class with a qualified name: by its model, else as its fact says."""
    name = canonical(name)
    call_signatures.check_external(ctx, name)
    if ctx.frame.mode.dynamic is not False:
        symbolic_sizes.check(ctx, name)
    tensor_layouts.touch_all(ctx, name)
    reorderable_logging.check(ctx, name)
    if name.startswith("builtins."):
        return _builtin(ctx, name)
    if name.startswith("torch."):
        result = _torch_method(ctx, name) if name.startswith("torch.Tensor.") else None
        if result is None:
            result = tensor_subclasses.dispatch(ctx, name)
        if result is not None:
            return result
        if name not in parameters.HANDLERS and tensor_subclasses.is_among(ctx):
            ctx, operands = tensor_subclasses.without(ctx)
            if operands:
                return tensor_subclasses.wrapped(ctx.interp, call(ctx, name), *operands)
        _check_torch(ctx, name)
    elif name.startswith("math."):
        scalar_arguments.check_math(ctx, name)
        ordering.check_math(ctx, name)
    elif name.startswith("inspect."):
        function_objects.check_inspected(ctx, name)
    elif name.startswith("numpy.") and numpy_functions.refused(ctx, name):
        return UNKNOWN
    objects = numpy_functions.of_objects(ctx, name)
    if objects is not None:
        return objects
    handler = HANDLERS.get(name) or (None if ctx.frame.mode.tracing else _EAGER_HANDLERS.get(name))
    if handler is not None:
        _refuse(ctx, name)
        return handler(ctx)
    knowledge = ctx.interp.knowledge
    is_nn_module = is_nn_module_class(ExternalName(name)) and knowledge.module_class(name) is not None
    if is_nn_module or name == "torch.nn.Module":
        return construct_module(ctx, name)
    if name.partition(".")[0] == "tqdm" and knowledge.skipped_package(name):
        return _tqdm(ctx, name)
    fact = fact_of(ctx.interp, name)
    if fact is not None:
        return _call_by_fact(ctx, name, fact)
    extension_modules.check_call(ctx, name)
    missing_packages.note_call(ctx, name)
    return _call_without_fact(ctx, name)


def _torch_method(ctx: CallContext, name: str) -> Value | None:
    """Call an unbound method of ``torch.Tensor`` on a tensor; None for other receivers."""
    tensor = ctx.args.pos[0] if ctx.args.pos else None
    method = name.rpartition(".")[2]
    if isinstance(tensor, Instance) and tensor_subclasses.is_subclass(tensor):
        return method_of_subclass(ctx.with_args(ctx.args.drop(1)), tensor, method)
    if not isinstance(tensor, Tensor):
        return None
    tensor_hooks.check_unbound(ctx, tensor, method)
    if tensor_methods.is_unbound_view(ctx, tensor, name):
        return tensor
    return tensor_methods.call_method(ctx.with_args(ctx.args.drop(1)), tensor, method)


def method_of_subclass(ctx: CallContext, receiver: Instance, name: str) -> Value:
    """Call a method that an instance of a subclass of ``torch.Tensor`` inherits."""
    if name == "as_subclass":
        tensor_subclasses.check_conversion(ctx, receiver)
    full = ctx.with_args(ctx.args.prepend(receiver))
    answer = tensor_subclasses.dispatch(full, f"torch.Tensor.{name}")
    if answer is not None:
        return answer
    plain, operands = tensor_subclasses.without(full)
    tensor = plain.args.pos[0]
    if not isinstance(tensor, Tensor):
        return UNKNOWN
    result = tensor_methods.call_method(plain.with_args(plain.args.drop(1)), tensor, name)
    return result if name == "as_subclass" else tensor_subclasses.wrapped(ctx.interp, result, *operands)


def _check_torch(ctx: CallContext, name: str) -> None:
    """Report arguments that a function of torch does not support under Dynamo."""
    scalar_arguments.check(ctx, name)
    scalar_arguments.check_factory(ctx, name)
    torch_functions.of_tensors(ctx, name)
    torch_functions.operator_packet(ctx, name)
    if name.startswith(custom_ops.PREFIX):
        custom_ops.check(ctx, name)
    operand_checks.check_arguments(ctx)
    torch_functions.outputs(ctx)
    if name == "torch.where":
        hard_errors.where(ctx)
    numpy_functions.check_bridge(ctx, name)


def _call_by_fact(ctx: CallContext, name: str, fact: Fact) -> Value:
    """Report the break of a fact, and return its result."""
    mode = ctx.frame.mode
    if not fact.breaks or name.partition(".")[0] not in _FRAMEWORKS or ctx.interp.import_exists(name):
        return _by_fact(ctx, name, fact)
    ctx.frame.mode = mode.with_unlikely(True)  # the code of a backend that is not installed does not run
    try:
        return _by_fact(ctx, name, fact)
    finally:
        ctx.frame.mode = mode


def _by_fact(ctx: CallContext, name: str, fact: Fact) -> Value:
    manager = ctx.interp.knowledge.context_manager(name)
    if manager is None or manager.breaks:
        _report(ctx, fact, name)
    if name.startswith("numpy.random.") and not (fact.breaks and tensor_methods.holds(fact, None, ctx.args, name)):
        divergence.check_draw(ctx, name)
    if distributions.is_distribution(name) or (manager is not None and fact.returns == "unknown"):
        return ExternalObject(name, pre_existing=not ctx.frame.mode.tracing)
    if fact.effect == "inline" and name.startswith("torch."):
        _call_callables(ctx)
    number = constant_math.result(name, ctx.args)
    if number is not None:
        return number
    value = usual_results.usually(name, ctx.args, _result(ctx.interp, fact, name, ctx.args, ctx.frame))
    torch_functions.output_ranks(ctx, value)
    if fact.effect == "dynamic-shape" and tensor_methods.holds(fact, None, ctx.args, name):
        return unbacked_symints.marked(value, ctx.frame)
    return value


def _result(interp: Interpreter, fact: Fact, name: str, args: Args, frame: Frame) -> Value:
    """Return the result of a call; a breaking call runs eagerly, so that its result may differ from a traced one."""
    if name == context_variables.CLASS:
        return context_variables.made(args, pre_existing=not frame.mode.tracing)
    if fact.breaks and fact.returns == "object" and name.rpartition(".")[2][:1].isupper():
        return ExternalObject(name, pre_existing=not frame.mode.tracing)
    if fact.breaks and name.startswith("datetime."):
        return ExternalObject(name, pre_existing=not frame.mode.tracing)
    value = interp.value_of_returns(fact.returns, None, args, frame)
    if name.startswith("torch.") and name.rpartition(".")[2] in tensor_methods.UNIQUE and args.pos:
        if isinstance(value, Tensor) and isinstance(args.pos[0], Tensor):
            return tensor_methods.unique(value, args.pos[0], args)
    broken = fact.breaks and tensor_methods.holds(fact, None, args, name)
    if broken and fact.when == "scalar-size":
        return NUMBER  # ``numpy.random.uniform()`` makes a number of Python
    if broken and isinstance(value, Tensor) and value.ndarray and args.pos and not args.star:
        if all(dtypes.is_number(v) for v in members(args.pos[0])):
            # A scalar of NumPy, which Dynamo wraps as an array; ``numpy.random.choice(3)`` is a number of Python.
            return NUMBER if name.startswith("numpy.random.") else replace(value, rank=0, is_input=True)
    if name in _OF_NUMBERS and all(isinstance(each, Unknown) for each in args.pos):
        return UNKNOWN
    if not fact.breaks and isinstance(value, Tensor) and value.ndarray and name.count(".") == 1:
        folded = _folded_array(value, args)
        # Outside of the region it is an object of NumPy, which Dynamo takes as an input.
        narrow = dtypes.is_narrow_in_numpy(ExternalName(name)) or dtypes.is_narrow_in_numpy(args.kw.get("dtype"))
        return folded if frame.mode.tracing else replace(folded, constant=False, is_input=True, unguarded=narrow)
    if isinstance(value, Unknown) and fact.effect == "fold" and _is_object_class(name):
        return ExternalObject(name, pre_existing=not frame.mode.tracing)
    return value


# Functions of NumPy that are mostly applied to Python numbers, of which Dynamo makes a number: ``int(np.ceil(a / b))``.
_OF_NUMBERS: Final = frozenset(f"numpy.{name}" for name in "ceil floor rint round trunc sqrt log log2 log10".split())


def _is_object_class(name: str) -> bool:
    """Return whether ``name`` is a class of the standard library whose instances are plain objects."""
    root, _, last = name.rpartition(".")
    return last[:1].isupper() and root in ("pathlib", "random", "fractions", "argparse", "string")


def _folded_array(value: Tensor, args: Args) -> Tensor:
    """Return the result of NumPy for Python numbers or for a sequence of one, which Dynamo knows while it traces.

    Dynamo knows the contents of tensors with one element only (``CONSTANT_NUMEL_LIMIT`` of ``FakeTensor``).
    """
    kinds = [dtypes.number_kind(v) for a in args.pos for v in members(a)]
    if not kinds or args.star is not None or args.kw:
        return value
    if all(kind is not None for kind in kinds):
        whole = "int" if value.rank == 1 and set(kinds) <= {"int", "bool"} else value.dtype
        dtype = "float" if value.dtype == "float" or "float" in kinds else whole
        return Tensor(value.rank or 0, dtype, value.proven, ndarray=True, constant=True)
    if all(_is_one_number(v) for a in args.pos for v in members(a)):
        return Tensor(value.rank, value.dtype, value.proven, ndarray=True, constant=True)
    return value


def _is_one_number(value: Value) -> bool:
    """Return whether ``value`` is a sequence of one number."""
    return (
        isinstance(value, Seq)
        and value.items is not None
        and len(value.items) == 1
        and dtypes.is_number(value.items[0])
    )


def fact_of(interp: Interpreter, name: str) -> Fact | None:
    """Return the fact about calling ``name``, as a function or as a class."""
    if name in interp.caches.facts:
        return interp.caches.facts[name]
    fact = interp.knowledge.class_(name) or interp.knowledge.function(name)
    interp.caches.facts[name] = fact
    return fact


def _report(ctx: CallContext, fact: Fact, name: str) -> None:
    if fact.breaks and name.rpartition(".")[2][:1].isupper() and name.startswith(("torch.", "decimal.", "datetime.")):
        if tensor_methods.holds(fact, None, ctx.args):
            subject = name if name.startswith(_NAMED_OBJECTS) else "object"
            ctx.emit("construct", subject, fact.gb_ids)
        return
    tensor_methods.report(ctx, fact, name, None)


def _call_callables(ctx: CallContext) -> None:
    """Call the functions that are passed to an inlined function of torch, with its other arguments."""
    others = tuple(v for v in ctx.args.pos if not isinstance(v, (ExternalName, Class)))
    for value in ctx.args.pos:
        if callables.is_user_callable(value):
            ctx.call(value, Args(callables.first_taken(value, tuple(v for v in others if v is not value))))


def _refuse(ctx: CallContext, name: str) -> None:
    """Report a function with a model of its own, if the linted torch refuses it."""
    fact = ctx.interp.knowledge.refused(name)
    if fact is not None:
        ctx.emit("call", name, fact.gb_ids)


# Objects with rules of their own.
_NAMED_OBJECTS = ("torch.Generator", "torch.optim.")
_CONVERSIONS = frozenset(("bool", "int", "float", "complex"))


def _builtin(ctx: CallContext, name: str) -> Value:
    if exceptions.base_init(ctx, name):
        return NONE
    exceptions.called(ctx, name, bool(ctx.args.kw))
    if name == "builtins.AssertionError":
        exceptions.assertion(ctx, ctx.args.pos)
    short = name[9:]
    if short in _CONVERSIONS and tensor_subclasses.is_among(ctx):
        ctx = tensor_subclasses.without(ctx)[0]
    if short == "eval" and not dynamic_code.is_constant(ctx.args):
        ctx.emit("construct", "eval", ("failed-to-trace-builtin-operator",))
        return UNKNOWN
    fact = ctx.interp.knowledge.function(name)
    handler = builtins.HANDLERS.get(short)
    if handler is not None:
        _refuse(ctx, name)
        return handler(ctx)
    if fact is None:
        return ExternalObject(name) if short.endswith(EXCEPTIONS) else UNKNOWN
    if fact.breaks:
        if short in ("exec", "eval", "compile", "globals"):
            ctx.emit("construct", short, fact.gb_ids)
        else:
            ctx.emit("call", name, fact.gb_ids)
    if short == "__import__":
        return dynamic_code.imported(ctx)
    return ctx.interp.value_of_returns(fact.returns, None, ctx.args, ctx.frame)


def _call_without_fact(ctx: CallContext, name: str) -> Value:
    """Return the result of a call without a fact."""
    frame = ctx.frame
    if ctx.interp.knowledge.context_manager(name) is not None:
        return ExternalObject(name, pre_existing=not frame.mode.tracing)
    owner, _, last = name.rpartition(".")
    if last.startswith("from_") and owner.rpartition(".")[2][:1].isupper():
        name, last = owner, owner.rpartition(".")[2]  # an alternative constructor: ``Tokenizer.from_file(path)``
    if last[:1].isupper():
        return ExternalObject(name, pre_existing=not frame.mode.tracing)
    if last[:1] == "_" and name.startswith("torch.") and name.count(".") > 1 and not name.startswith(_OPERATORS):
        _call_callables(ctx)
        return UNKNOWN  # a helper of one of torch's packages, rather than an operator
    if name.startswith("torch.") and last.startswith(("is_", "has_")):
        return BOOL
    if name.startswith(("torch.", "numpy.")) and any(isinstance(v, Tensor) for v in ctx.args.all()):
        return Tensor(proven=False, ndarray=name.startswith("numpy."))
    return Unknown("")


def _tqdm(ctx: CallContext, name: str) -> Value:
    """A progress bar iterates over its argument; Dynamo skips the package."""
    ctx.emit("call", name, ("call-of-skipped-function",))
    source = ctx.args.get(0, "iterable")
    item = UNKNOWN if source is None else ctx.item_of(source)
    return Iterator(name, item)


def construct_module(ctx: CallContext, name: str) -> Value:
    """Return an instance of an ``nn.Module`` class of torch."""
    plain = FALSE in (ctx.args.kw.get("elementwise_affine"), ctx.args.kw.get("affine"))
    if ctx.frame.mode.tracing and nn_modules.has_parameters(name) and not plain:
        ctx.emit("construct", "module", ("nn-parameter-constructor-with-dynamo",))
    instance = Instance(ExternalName(name), branch_id=ctx.interp.branch_id, pre_existing=not ctx.frame.mode.tracing)
    nn_modules.fill(ctx, instance)
    return instance


def call_module(ctx: CallContext, instance: Instance) -> Value:
    """Call a module whose ``forward`` is torch's."""
    names = instance.cls.externals if isinstance(instance.cls, Class) else (instance.cls.name,)
    for name in names:
        if name == "torch.nn.Identity" and ctx.args.pos:
            return ctx.args.pos[0]
        if name == "torch.nn.Sequential":
            return _run_sequential(ctx, instance)
        fact = ctx.interp.knowledge.module_class(name)
        if fact is None or name == "torch.nn.Module":
            continue
        nn_modules.take_recurrent(ctx.interp, instance, ctx.frame, ctx.node)
        if fact.breaks and tensor_methods.holds(fact, None, ctx.args) and not nn_modules.is_recurrent(name):
            ctx.emit("module-call", name, fact.gb_ids)
        transformer_modules.call(ctx, instance, name)
        batch_norms.check_call(ctx, instance, name)
        reduction = instance.attrs.get("reduction")
        args = ctx.args if reduction is None else replace(ctx.args, kw={**ctx.args.kw, "reduction": reduction})
        result = ctx.interp.value_of_returns(fact.returns, None, args, ctx.frame)
        trace_builder.record_operator(ctx.frame, ctx.node, result)
        return result
    if isinstance(instance.cls, Class):
        missing_packages.note_method(ctx, instance.cls, "forward")
    return UNKNOWN


def _run_sequential(ctx: CallContext, instance: Instance) -> Value:
    """Call each module with the result of the one before it."""
    items = instance.attrs.get("__items__", UNKNOWN)
    value = ctx.args.pos[0] if ctx.args.pos else UNKNOWN
    if isinstance(items, Mapping):
        items = Seq("list", tuple(v for _, v in items.entries)) if items.rest is None else Seq("list", None, items.rest)
    known = ctx.items_of(items)
    if known is not None:
        noted = trace_builder.record_loop(ctx.frame, ctx.node, len(known), unrolled=True)
        for module in known:
            with trace_builder.InBranch(ctx.frame, noted.bodies):
                value = ctx.call(module, Args((value,)))
        return value
    item = ctx.item_of(items)
    for _ in range(2):
        value = join_all((value, ctx.call(item, Args((value,)))))
    return value
