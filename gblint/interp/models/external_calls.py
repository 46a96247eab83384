"""Calls of what has no source here: torch, numpy, the standard library, packages that Dynamo skips."""

from __future__ import annotations

import ast

from gblint.interp.domain import callables, dtypes, tensor_layouts, unbacked_symints
from gblint.interp.domain.builtin_names import canonical
from gblint.interp.models.numpy import numpy_functions
from gblint.interp.models.python import builtins, call_signatures, divergence, exceptions, stdlib
from gblint.interp.models.torch import (
    custom_ops,
    distributions,
    hard_errors,
    nn_modules,
    reorderable_logging,
    scalar_arguments,
    tensor_hooks,
    tensor_methods,
    tensor_subclasses,
    torch_functions,
)
from gblint.interp.state import trace_builder
from gblint.interp.state.call_args import Args
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.knowledge.facts import Fact
from gblint.values.base import FALSE, NUMBER, UNKNOWN, Tensor, Unknown, Value, members
from gblint.values.containers import Iterator, Mapping, Seq
from gblint.values.lattice import join_all
from gblint.values.objects import Class, ExternalName, ExternalObject, Instance, is_module_class

_WITH_PARAMETERS = frozenset(
    "Linear Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d Embedding EmbeddingBag LayerNorm "
    "BatchNorm1d BatchNorm2d BatchNorm3d GroupNorm MultiheadAttention LSTM GRU RNN LSTMCell GRUCell RNNCell Bilinear "
    "PReLU Transformer TransformerEncoderLayer TransformerDecoderLayer RMSNorm LazyLinear".split()
)


def call(m: Interpreter, name: str, args: Args, frame: Frame, node: ast.AST) -> Value:
    """Calls the function or class that is known as ``name``."""
    name = canonical(name)
    call_signatures.check_external(m, name, args, frame, node)
    tensor_layouts.touch_all(m, args, frame, node)
    reorderable_logging.check(m, name, args, frame, node)
    if name.startswith("builtins."):
        return _builtin(m, name, args, frame, node)
    if name.startswith("torch.Tensor.") and args.pos:
        receiver = args.pos[0]
        for tensor in (receiver,):
            if isinstance(tensor, Tensor):
                tensor_hooks.check_unbound(m, tensor, name.rpartition(".")[2], frame, node)
                if tensor_methods.is_unbound_view(m, tensor, name, frame, node):
                    return tensor
                return tensor_methods.call_method(m, tensor, name.rpartition(".")[2], args.drop(1), frame, node)
    if name.startswith("torch."):
        overridden = tensor_subclasses.dispatch(m, name, args, frame, node)
        if overridden is not None:
            return overridden
        scalar_arguments.check(m, name, args, frame, node)
        scalar_arguments.check_factory(m, name, args, frame, node)
        torch_functions.of_tensors(m, name, args, frame, node)
        torch_functions.operator_packet(m, name, args, frame, node)
        if name.startswith(custom_ops.PREFIX):
            custom_ops.check(m, name, frame, node)
        torch_functions.outputs(m, name, args, frame, node)
        if name == "torch.where":
            hard_errors.where(m, args, frame, node)
        numpy_functions.check_bridge(m, name, frame, node)
    elif name.startswith("math."):
        scalar_arguments.check_math(m, args, frame, node)
    elif name.startswith("numpy.") and numpy_functions.refused(m, name, args, frame, node):
        return UNKNOWN
    objects = numpy_functions.of_objects(m, name, args, frame, node)
    if objects is not None:
        return objects
    special = stdlib.HANDLERS.get(name)
    if special is not None:
        _refuse(m, name, frame, node)
        return special(m, args, frame, node)
    if (
        is_module_class(ExternalName(name)) and m.knowledge.module_class(name) is not None
    ) or name == "torch.nn.Module":
        return construct_module(m, name, args, frame, node)
    if m.knowledge.skipped_package(name) and name.partition(".")[0] in ("tqdm",):
        return _tqdm(m, name, args, frame, node)
    fact = fact_of(m, name)
    if fact is None:
        return _unheard(m, name, args, frame)
    manager = m.knowledge.context_manager(name)
    if manager is None or manager.breaks:
        _report(m, fact, name, args, frame, node)
    if name.startswith("numpy.random.") and not (fact.breaks and tensor_methods.holds(fact, None, args, name)):
        divergence.check_draw(m, name, frame, node)
    drawn = distributions.is_distribution(name)
    if drawn or (manager is not None and fact.returns == "unknown"):
        return ExternalObject(name, outside=not frame.mode.tracing)
    if fact.effect == "inline" and name.startswith("torch."):
        _call_callables(m, args, frame, node)
    value = _result(m, fact, name, args, frame)
    if fact.effect == "dynamic-shape" and tensor_methods.holds(fact, None, args, name):
        return unbacked_symints.marked(value, frame)
    return value


def _result(m: Interpreter, fact: Fact, name: str, args: Args, frame: Frame) -> Value:
    """What a call returns; where Dynamo breaks it is the real thing, which need not be what would be traced."""
    if fact.breaks and fact.returns == "object" and name.rpartition(".")[2][:1].isupper():
        return ExternalObject(name, outside=not frame.mode.tracing)
    if fact.breaks and name.startswith("datetime."):
        return ExternalObject(name, outside=not frame.mode.tracing)
    value = m.value_of_returns(fact.returns, None, args, frame)
    if name.startswith("torch.") and name.rpartition(".")[2] in tensor_methods.UNIQUE and args.pos:
        if isinstance(value, Tensor) and isinstance(args.pos[0], Tensor):
            return tensor_methods.unique(value, args.pos[0], args)
    broken = fact.breaks and tensor_methods.holds(fact, None, args, name)
    if broken and isinstance(value, Tensor) and value.ndarray and args.pos and not args.star:
        if all(dtypes.is_number(v) for v in members(args.pos[0])):
            return NUMBER
    if not fact.breaks and isinstance(value, Tensor) and value.ndarray and name.count(".") == 1:
        return _folded_array(value, args)
    if isinstance(value, Unknown) and fact.effect == "fold" and _is_object_class(name):
        return ExternalObject(name, outside=not frame.mode.tracing)
    return value


def _is_object_class(name: str) -> bool:
    """Whether ``name`` is a class of the standard library whose instances are plain objects."""
    root, _, last = name.rpartition(".")
    return last[:1].isupper() and root in ("pathlib", "random", "fractions", "argparse")


def _folded_array(value: Tensor, args: Args) -> Tensor:
    """What NumPy makes of Python numbers, or of a shape, is a number that Dynamo knows while it traces."""
    kinds = [dtypes.number_kind(v) for a in args.pos for v in members(a)]
    if not kinds or args.star is not None or args.kw:
        return value
    if all(kind is not None for kind in kinds):
        whole = "int" if value.rank == 1 and set(kinds) <= {"int", "bool"} else value.dtype
        dtype = "float" if value.dtype == "float" or "float" in kinds else whole
        return Tensor(value.rank or 0, dtype, value.sure, ndarray=True, constant=True)
    if all(isinstance(v, Seq) and v.cls == "Size" for a in args.pos for v in members(a)):
        return Tensor(value.rank, value.dtype, value.sure, ndarray=True, constant=True)
    return value


def fact_of(m: Interpreter, name: str) -> Fact | None:
    """What is known of calling ``name``: as a function or as a class."""
    if name in m.caches.facts:
        return m.caches.facts[name]
    fact = m.knowledge.class_(name) or m.knowledge.function(name)
    m.caches.facts[name] = fact
    return fact


def _report(m: Interpreter, fact: Fact, name: str, args: Args, frame: Frame, node: ast.AST) -> None:
    if fact.breaks and name.rpartition(".")[2][:1].isupper() and name.startswith(("torch.", "decimal.", "datetime.")):
        if tensor_methods.holds(fact, None, args):
            subject = name if name == "torch.Generator" else "object"
            m.emit(frame, node, "construct", subject, fact.gb_ids)
        return
    tensor_methods.report(m, fact, name, None, args, frame, node)


def _call_callables(m: Interpreter, args: Args, frame: Frame, node: ast.AST) -> None:
    """Functions that are handed to an inlined function of torch are called by it, on what else it is given."""
    others = tuple(v for v in args.pos if not isinstance(v, (ExternalName, Class)))
    for value in args.pos:
        if callables.is_user_callable(value):
            m.call(value, Args(tuple(v for v in others if v is not value)), frame, node)


def _refuse(m: Interpreter, name: str, frame: Frame, node: ast.AST) -> None:
    """Reports a function that is known here by more than a fact, if the torch that is linted for refuses it."""
    fact = m.knowledge.refused(name)
    if fact is not None:
        m.emit(frame, node, "call", name, fact.gb_ids)


def _builtin(m: Interpreter, name: str, args: Args, frame: Frame, node: ast.AST) -> Value:
    exceptions.called(m, name, bool(args.kw), frame, node)
    if name == "builtins.AssertionError":
        exceptions.assertion(m, args.pos, frame, node)
    short = name[9:]
    fact = m.knowledge.function(name)
    handler = builtins.HANDLERS.get(short)
    if handler is not None:
        _refuse(m, name, frame, node)
        return handler(m, args, frame, node)
    if fact is None:
        return ExternalObject(name) if short.endswith(("Error", "Exception", "Warning")) else UNKNOWN
    if fact.breaks:
        if short in ("exec", "eval", "compile", "globals"):
            m.emit(frame, node, "construct", short, fact.gb_ids)
        else:
            m.emit(frame, node, "call", name, fact.gb_ids)
    return m.value_of_returns(fact.returns, None, args, frame)


def _unheard(m: Interpreter, name: str, args: Args, frame: Frame) -> Value:
    """The result of a call that nothing is known of."""
    if m.knowledge.context_manager(name) is not None:
        return ExternalObject(name, outside=not frame.mode.tracing)
    last = name.rpartition(".")[2]
    if last[:1].isupper():
        return ExternalObject(name, outside=not frame.mode.tracing)
    if name.startswith(("torch.", "numpy.")) and any(isinstance(v, Tensor) for v in args.all()):
        return Tensor(sure=False, ndarray=name.startswith("numpy."))
    return Unknown("")


def _tqdm(m: Interpreter, name: str, args: Args, frame: Frame, node: ast.AST) -> Value:
    """A progress bar goes through what it is given; Dynamo skips the package."""
    m.emit(frame, node, "call", name, ("GB0007",))
    source = args.get(0, "iterable")
    item = UNKNOWN if source is None else m.item_of(source, frame, node)
    return Iterator(name, item)


def construct_module(m: Interpreter, name: str, args: Args, frame: Frame, node: ast.AST) -> Value:
    """Makes an instance of an ``nn.Module`` class of torch."""
    plain = FALSE in (args.kw.get("elementwise_affine"), args.kw.get("affine"))
    if frame.mode.tracing and name.rpartition(".")[2] in _WITH_PARAMETERS and not plain:
        m.emit(frame, node, "construct", "module", ("GB0264",))
    instance = Instance(ExternalName(name), token=m.branch_id, outside=not frame.mode.tracing)
    nn_modules.fill(m, instance, args, frame, node)
    return instance


def call_module(m: Interpreter, instance: Instance, args: Args, frame: Frame, node: ast.AST) -> Value:
    """Calls a module whose ``forward`` comes from torch."""
    names = instance.cls.externals if isinstance(instance.cls, Class) else (instance.cls.name,)
    for name in names:
        if name == "torch.nn.Identity" and args.pos:
            return args.pos[0]
        if name == "torch.nn.Sequential":
            return _run_sequential(m, instance, args, frame, node)
        fact = m.knowledge.module_class(name)
        if fact is None or name == "torch.nn.Module":
            continue
        nn_modules.take_recurrent(m, instance, frame, node)
        if fact.breaks and tensor_methods.holds(fact, None, args) and not nn_modules.is_recurrent(name):
            m.emit(frame, node, "module-call", name, fact.gb_ids)
        result = m.value_of_returns(fact.returns, None, args, frame)
        trace_builder.operator(frame, node, result)
        return result
    return UNKNOWN


def _run_sequential(m: Interpreter, instance: Instance, args: Args, frame: Frame, node: ast.AST) -> Value:
    """Each module gets what the one before it returned."""
    items = instance.attrs.get("__items__", UNKNOWN)
    value = args.pos[0] if args.pos else UNKNOWN
    if isinstance(items, Mapping):
        items = Seq("list", tuple(v for _, v in items.entries)) if items.rest is None else Seq("list", None, items.rest)
    known = m.items_of(items, frame, node)
    if known is not None:
        noted = trace_builder.loop(frame, node, len(known), unrolled=True)
        for module in known:
            with trace_builder.InBranch(frame, noted.bodies):
                value = m.call(module, Args((value,)), frame, node)
        return value
    item = m.item_of(items, frame, node)
    for _ in range(2):
        value = join_all((value, m.call(item, Args((value,)), frame, node)))
    return value
