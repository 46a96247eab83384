"""Attributes: of tensors, instances, classes, modules and everything else."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from typing import Any, Final

from gblint.interp.domain import builtin_names, reach, tensor_layouts, torch_records, unbacked_symints
from gblint.interp.domain.access_paths import access_path, last_name
from gblint.interp.domain.builtin_names import MODULE_KEEPERS
from gblint.interp.domain.library_constants import LIBRARY_CONSTANTS
from gblint.interp.domain.parameter_usage import FUNCTIONAL
from gblint.interp.domain.tensor_method_names import OF_TENSORS
from gblint.interp.evaluator import (
    class_singletons,
    classes,
    command_line,
    function_attributes,
    name_resolution,
    recorded_arguments,
    undefined_names,
)
from gblint.interp.evaluator.derived_classes import SUBCLASSES
from gblint.interp.evaluator.instance_attributes import bind, of_instance, of_super
from gblint.interp.models.python import (
    configuration_files,
    object_getters,
    opaque_objects,
    super_and_descriptors,
    uncaught,
    versions,
)
from gblint.interp.models.python.builtins import type_of
from gblint.interp.models.torch import (
    autograd_calls,
    autograd_function,
    distributions,
    nn_modules,
    opaque_types,
    tensor_hooks,
    torch_functions,
)
from gblint.interp.state import trace_builder
from gblint.interp.state.call_args import Args
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime import ast_walk
from gblint.values import objects
from gblint.values.base import (
    BOOL,
    BOTTOM,
    FALSE,
    INT,
    MANY,
    NONE,
    STR,
    UNKNOWN,
    Const,
    Scalar,
    Tensor,
    TextMember,
    Union,
    Unknown,
    Unread,
    Value,
    members,
)
from gblint.values.containers import Iterator, Mapping, Range, Seq, Slice
from gblint.values.dispatch import HandlersByClass
from gblint.values.lattice import join, join_all
from gblint.values.objects import (
    BoundMethod,
    BuiltinMethod,
    Class,
    ExternalName,
    ExternalObject,
    FileObject,
    Function,
    Instance,
    ModuleRef,
    Partial,
    Super,
    WeakReference,
    is_nn_module,
)
from gblint.values.wrapped import (
    ClassMethod,
    CompiledFunction,
    JitTracedFunction,
    ScriptedFunction,
    StaticMethod,
    SuperProperty,
    Wrapped,
)

_Handler = Callable[[Interpreter, Any, str, Frame, ast.AST], Value]
_NAMESPACES: Final = frozenset(("argparse.Namespace", "types.SimpleNamespace"))
"""Classes of the standard library whose instances have whatever attributes the program gives them."""
# Classes whose ``__new__`` is not that of ``object``.
_MADE_IN_C: Final = ("builtins.tuple", "builtins.str", "builtins.int", "builtins.float", "torch.Tensor")

_PARAMETER_CLASSES: Final = frozenset(
    f"torch.nn.{place}{name}" for place in ("", "parameter.") for name in ("Parameter", "Buffer")
)
"""Classes whose ``__name__``, ``__qualname__`` and ``__module__`` Dynamo does not read as constants."""
_TRANSPOSED = {"T", "mT", "H", "mH", "data", "real"}


def attribute(interp: Interpreter, node: ast.expr, frame: Frame) -> Value:
    """``base.name``."""
    assert isinstance(node, ast.Attribute)
    if isinstance(node.value, (ast.Name, ast.Attribute)):
        place = access_path(node)
        if place is not None:
            refined = frame.scope.cells.get(place)
            if refined is not None:
                return refined
    is_called = interp.calls.callee is node
    base = interp.eval(node.value, frame)
    interp.calls.callee = node if is_called else None
    value = interp.get_attribute(base, node.attr, frame, node)
    if value != UNKNOWN:
        return value
    told = recorded_arguments.of(interp, node, frame) or command_line.of(interp, node, frame)
    return value if told is None else told


def get(interp: Interpreter, base: Value, name: str, frame: Frame, node: ast.AST) -> Value:
    """Return the attribute ``name`` of ``base``, joined over its alternatives; of these None is left out.

    Dynamo: ``VariableTracker.var_getattr`` (torch/_dynamo/variables/base.py) and its overrides.
    """
    found = members(base)
    if len(found) == 1:
        return _HANDLERS[type(base)](interp, base, name, frame, node)
    values = [_HANDLERS[type(v)](interp, v, name, frame, node) for v in found if v != NONE]
    known = [v for v in values if not isinstance(v, Unknown)]
    if known and MANY in values:
        interp.compilation.note_left_out(frame, node)
    if all(_is_method_of_empty(v) for v in known):
        known = values
    joined = join_all(known) if values else UNKNOWN
    if not isinstance(base, Union) or not isinstance(base.usual, Instance):
        return joined
    return reach.expected(joined, _HANDLERS[Instance](interp, base.usual, name, frame, node))


def _is_method_of_empty(value: Value) -> bool:
    """Return whether a value is a method of ``{}`` or ``[]``, as in ``(options or {}).get``: options may be more."""
    receiver = value.receiver if isinstance(value, BuiltinMethod) else None
    if isinstance(receiver, Mapping):
        return not receiver.entries and receiver.rest is None
    return isinstance(receiver, Seq) and receiver.items == ()


def _of_object_instance(interp: Interpreter, base: Instance, name: str, frame: Frame, node: ast.AST) -> Value:
    nn_modules.take_recurrent(interp, base, frame, node)
    value = of_instance(interp, base, name, frame, node)
    if frame.mode.tracing and isinstance(value, Unknown):
        uncaught.check_attribute(interp, base, name, frame, node)
    nn_modules.take_recurrent(interp, value, frame, node)
    return value


def _of_module(interp: Interpreter, base: ModuleRef, name: str, frame: Frame, node: ast.AST) -> Value:
    return name_resolution.submodule_or_attribute(interp, base, name)


def _of_external_name(interp: Interpreter, base: ExternalName, name: str, frame: Frame, node: ast.AST) -> Value:
    undefined_names.check_module_attribute(interp, base.name, name, frame, node)
    return of_external(interp, base, name, traced=frame.mode.tracing)


def _of_sequence(interp: Interpreter, base: Seq, name: str, frame: Frame, node: ast.AST) -> Value:
    if name == "__class__":
        return type_of(base)
    field = versions.field_of_python(base, name) or torch_records.field_of_result(base, name)
    return BuiltinMethod(base, name) if field is None else field


def _of_mapping(interp: Interpreter, base: Mapping, name: str, frame: Frame, node: ast.AST) -> Value:
    return type_of(base) if name == "__class__" else BuiltinMethod(base, name)


def _of_iterable(interp: Interpreter, base: Value, name: str, frame: Frame, node: ast.AST) -> Value:
    return BuiltinMethod(base, name)


def _of_slice(interp: Interpreter, base: Slice, name: str, frame: Frame, node: ast.AST) -> Value:
    return {"start": base.lower, "stop": base.upper, "step": base.step}.get(name, UNKNOWN)


def _of_scalar(interp: Interpreter, base: Scalar, name: str, frame: Frame, node: ast.AST) -> Value:
    if name == "__class__":
        return type_of(base)
    return base if name in ("real", "imag", "numerator", "denominator") else BuiltinMethod(base, name)


def _of_constant(interp: Interpreter, base: Const, name: str, frame: Frame, node: ast.AST) -> Value:
    if isinstance(base.value, objects.EnumMember):
        if name in ("value", "_value_"):
            return base.value.value
        if name == "name":
            return Const(base.value.name)
        owner = base.value.owner
        found = interp.class_attribute(owner, name) if isinstance(owner, Class) else None
        if found is None or not isinstance(owner, Class):
            return UNKNOWN
        return bind(interp, found, base, owner, name, frame, node)
    if isinstance(base.value, TextMember):
        if name in ("value", "_value_"):
            return Const(str(base.value))
        if name == "name":
            return Const(base.value.member)
        found = interp.class_attribute(base.value.cls, name) if isinstance(base.value.cls, Class) else None
        if found is not None and isinstance(base.value.cls, Class):
            return bind(interp, found, base, base.value.cls, name, frame, node)
    if name == "value":  # a member of ``IntEnum`` is represented by its number
        return base
    field = versions.attribute(base.value, name)
    if field is not None:
        return field
    return BuiltinMethod(base, name) if base.value is not None else UNKNOWN


def _of_bound_method(interp: Interpreter, base: BoundMethod, name: str, frame: Frame, node: ast.AST) -> Value:
    if name == "__self__":
        return base.receiver
    return base.function if name == "__func__" else _of_callable(interp, base.function, name, frame, node)


def _of_partial(interp: Interpreter, base: Partial, name: str, frame: Frame, node: ast.AST) -> Value:
    return {"func": base.function, "args": Seq("tuple", base.args)}.get(name, UNKNOWN)


def _of_function(interp: Interpreter, base: Function, name: str, frame: Frame, node: ast.AST) -> Value:
    if name in ("__name__", "__qualname__"):
        return Const(base.name.rpartition(".")[2])
    if name == "__wrapped__":
        return UNKNOWN
    if name == "__code__":
        return _code(interp, base)
    if name in ("__module__", "__doc__"):
        return STR
    if name == "__get__":
        return BuiltinMethod(base, name)
    return function_attributes.find(interp, base, name) or UNKNOWN


# What ``OptimizedModule`` sets itself: its ``forward`` is compiled (torch/_dynamo/eval_frame.py).
_OF_COMPILED: Final = frozenset(("forward", "_orig_mod"))


def _of_wrapped(interp: Interpreter, base: Wrapped, name: str, frame: Frame, node: ast.AST) -> Value:
    if name in ("__wrapped__", "__func__", "fget", "py_func"):
        return base.function
    if name == "__get__":
        return BuiltinMethod(base, name)
    if isinstance(base, SuperProperty):
        return base  # it stays unread, like the property itself
    if isinstance(base, CompiledFunction):
        if name in _OF_COMPILED and any(map(is_nn_module, members(base.function))):
            return base if name == "forward" else base.function
        return interp.get_attribute(base.function, name, frame, node)
    if isinstance(base, (ScriptedFunction, JitTracedFunction)) and name in MODULE_KEEPERS:
        return BuiltinMethod(base, name)
    return _of_callable(interp, base.function, name, frame, node)


def _of_unknown(interp: Interpreter, base: Unknown, name: str, frame: Frame, node: ast.AST) -> Value:
    if name in OF_TENSORS and not (isinstance(node, ast.Attribute) and last_name(node.value) in FUNCTIONAL):
        return BuiltinMethod(Tensor(proven=False), name)
    return Unknown(base.hint) if base.hint == "many" or name in ("data", "T") else UNKNOWN


def _unknown(interp: Interpreter, base: Value, name: str, frame: Frame, node: ast.AST) -> Value:
    return UNKNOWN


def _of_callable(interp: Interpreter, base: Value, name: str, frame: Frame, node: ast.AST) -> Value:
    """Return an attribute of a callable; other values behind a wrapper have none that is known."""
    return _CALLABLES[type(base)](interp, base, name, frame, node)


def _code(interp: Interpreter, function: Function) -> Value:
    """Return the code object of a function: its variable names, parameters first, and the numbers of parameters."""
    place = ("code", id(function.node))
    if place in interp.caches.instances:
        return interp.caches.instances[place]
    spec = function.node.args
    parameters = [a.arg for a in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)]
    parameters += [a.arg for a in (spec.vararg, spec.kwarg) if a is not None]
    stored = {
        n.id: None for n in ast_walk.walk(function.node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    names_ = dict.fromkeys(parameters) | stored
    attrs: dict[str, Value] = {
        "co_varnames": Seq("tuple", tuple(Const(n) for n in names_)),
        "co_argcount": Const(len(spec.posonlyargs) + len(spec.args)),
        "co_kwonlyargcount": Const(len(spec.kwonlyargs)),
        "co_name": Const(function.name.rpartition(".")[2]),
    }
    interp.caches.instances[place] = Instance(ExternalName("types.CodeType"), attrs)
    return interp.caches.instances[place]


# -- tensors ---------------------------------------------------------------------------------------------------------


_STRIDED: Final = ExternalName("torch.strided")
_OF_OTHER_LAYOUTS: Final = frozenset(("is_mkldnn", "is_nested", "is_quantized", "is_sparse", "is_sparse_csr"))


def _of_tensor(interp: Interpreter, base: Tensor, name: str, frame: Frame, node: ast.AST) -> Value:
    if name == "__class__":
        return type_of(base)
    tensor_layouts.touch(interp, base, frame, node, name)
    tensor_hooks.check_read(interp, base, name, frame, node)
    if name in ("shape",):
        return unbacked_symints.shape(base)
    if name == "dtype" and not base.ndarray:
        return ExternalObject(f"torch.dtype:{base.dtype}" if base.dtype else "torch.dtype")
    if name in ("ndim",):
        return INT if base.rank is None else Const(base.rank)
    if name in _TRANSPOSED:
        turned = name in ("T", "mT", "H", "mH") and (base.rank or 0) > 1 and not base.transposed
        # Tensors of other ranks warn of ``.T``, arrays do not.
        rank = 2 if base.rank is None and name in ("T", "H") and not base.ndarray else base.rank
        result = Tensor(rank, base.dtype, base.proven, base.is_input, base.ndarray, transposed=turned)
        if name != "data":
            trace_builder.record_operator(frame, node, result)
        return result
    if name == "device":
        return ExternalObject("torch.device")
    if name == "layout":
        return reach.expected(join(_STRIDED, ExternalObject("torch.layout")), None if base.layout else _STRIDED)
    if name == "grad":
        gradient = Tensor(base.rank, base.dtype, base.proven, base.is_input)
        return reach.expected(join_all((NONE, gradient)), gradient)
    if name == "requires_grad" and not base.ndarray:
        return autograd_calls.required(base)
    if name == "grad_fn" and base.requires_grad is False:
        return NONE  # torch/_dynamo/variables/tensor.py, ``method_attr_grad_fn``
    lookup = interp.knowledge.ndarray_attribute if base.ndarray else interp.knowledge.tensor_attribute
    fact = lookup(name)
    if fact is not None:
        holds = {"input": base.is_input, "intermediate": not base.is_input}.get(fact.when, True)
        if fact.breaks and holds and base.ndarray:
            interp.emit(frame, node, "call", f"numpy.ndarray.{name}", fact.gb_ids, about=base)
        elif fact.breaks and holds:
            interp.emit(frame, node, "tensor-attribute", name, fact.gb_ids, about=base)
        value = interp.value_of_returns(fact.returns, base, Args(), frame)
        return reach.expected(value, FALSE) if name in _OF_OTHER_LAYOUTS and not base.layout else value
    return BuiltinMethod(base, name)


# -- instances -------------------------------------------------------------------------------------------------------


def _of_class(interp: Interpreter, base: Class, name: str, frame: Frame, node: ast.AST) -> Value:
    found = autograd_function.plain_method(interp, base, name) or interp.class_attribute(base, name)
    opaque_types.read_class(interp, base, name, found, frame, node)
    if isinstance(found, StaticMethod):
        return found.function
    if isinstance(found, ClassMethod):
        super_and_descriptors.metaclass(interp, base, frame, node)
        return BoundMethod(found.function, base)
    if found is not None:
        may_be_filled = frame.mode.tracing and NONE in members(found)
        return class_singletons.filled(interp, base, name, found) if may_be_filled else found
    if name in ("__name__", "__qualname__"):
        return Const(base.name.rpartition(".")[2])
    if name == "__dict__":
        own = ((Const(k), v) for k, v in base.attrs.items() if v is not BOTTOM)
        return Mapping(tuple(own), UNKNOWN)
    if name == "__module__":
        return Const(base.module.name)
    if name == "__mro__":
        return Seq("tuple", base.mro)
    if name == "__members__":
        return Mapping((), join_all(classes.enum_members(interp, base)) if base.inherits("enum.Enum") else UNKNOWN)
    if name == "__new__" and not base.inherits(*_MADE_IN_C):
        return ExternalName("builtins.object.__new__")
    if name == "apply" and base.inherits("torch.autograd.Function"):
        return BuiltinMethod(base, "apply")
    return BuiltinMethod(base, name) if name == SUBCLASSES and not frame.mode.tracing else UNKNOWN


def _is_torch_function(interp: Interpreter, name: str) -> bool:
    last = name.rpartition(".")[2]
    return name.startswith("torch.") and not last[:1].isupper() and interp.knowledge.function(name) is not None


def of_external(interp: Interpreter, base: ExternalName, name: str, *, traced: bool) -> Value:
    """Return an attribute of an object that is known by its name only."""
    full = builtin_names.canonical(f"{base.name}.{name}")
    if full in LIBRARY_CONSTANTS:
        return LIBRARY_CONSTANTS[full]
    if full == "torch.__version__":
        return versions.of_torch(interp)
    if full == "sys.version_info":
        return versions.of_python(interp)
    if base.name in ("torch.Tensor", "torch._tensor.Tensor"):
        return Const("torch") if name == "__module__" else ExternalName(f"torch.Tensor.{name}")
    if base.name in _PARAMETER_CLASSES and name in ("__name__", "__qualname__", "__module__") and traced:
        return Const(Unread("torch.nn.parameter" if name == "__module__" else base.name.rpartition(".")[2]))
    if name in ("__name__", "__qualname__"):
        text = base.name.rpartition(".")[2]
        return Const(Unread(text) if traced and _is_torch_function(interp, base.name) else text)
    if name == "__module__":
        return Const(Unread("builtins") if traced else "builtins") if base.name.startswith("builtins.") else STR
    return ExternalName(full)


def _of_object(interp: Interpreter, base: ExternalObject, name: str, frame: Frame, node: ast.AST) -> Value:
    if isinstance(base, WeakReference):
        found = object_getters.attribute_of_reference(interp, base, name, frame, node)
        if found is not None:
            return found
    if isinstance(base, FileObject):
        return configuration_files.attribute(base, name) or BuiltinMethod(base, name)
    cls = base.cls.partition(":")[0]
    if cls in ("torch.device",):
        return {"type": STR, "index": INT}.get(name, UNKNOWN)
    if cls == "torch.dtype":
        return BOOL if name.startswith("is_") else INT if name == "itemsize" else UNKNOWN
    if distributions.is_distribution(cls):
        return distributions.attribute(base, name) or BuiltinMethod(base, name)
    torch_functions.sdpa_attribute(interp, base, name, frame, node)
    unread = opaque_objects.of_logger(name) if cls == opaque_objects.LOGGER and frame.mode.tracing else None
    if unread is not None:
        return unread
    field = torch_records.field(base, name)
    if field is not None:
        return field
    return BuiltinMethod(base, name) if interp.calls.callee is node or _has_only_methods(cls) else UNKNOWN


def _has_only_methods(cls: str) -> bool:
    """Return whether attributes of instances of a class are taken for methods even where they are not called.

    Of classes of packages that are not installed nothing is known; their attributes may be None or false.
    """
    root = cls.partition(".")[0]
    return (root == "torch" or root in sys.stdlib_module_names) and cls not in _NAMESPACES


_CALLABLES: Final[HandlersByClass[_Handler]] = HandlersByClass(
    {
        BoundMethod: _of_bound_method,
        Partial: _of_partial,
        Function: _of_function,
        Wrapped: _of_wrapped,
        Unknown: _of_unknown,
        Value: _unknown,
    }
)
_HANDLERS: Final[HandlersByClass[_Handler]] = HandlersByClass(
    {
        **_CALLABLES,
        Tensor: _of_tensor,
        Instance: _of_object_instance,
        ModuleRef: _of_module,
        ExternalName: _of_external_name,
        Class: _of_class,
        Super: of_super,
        Seq: _of_sequence,
        Mapping: _of_mapping,
        Iterator: _of_iterable,
        Range: _of_iterable,
        Slice: _of_slice,
        ExternalObject: _of_object,
        Const: _of_constant,
        Scalar: _of_scalar,
    }
)
