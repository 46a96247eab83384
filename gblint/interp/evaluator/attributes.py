"""Attributes: of tensors, instances, classes, modules and everything else."""

from __future__ import annotations

import ast

from gblint.interp.domain import builtin_names, tensor_layouts, unbacked_symints
from gblint.interp.domain.access_paths import place_of
from gblint.interp.evaluator import classes, input_values, name_resolution
from gblint.interp.evaluator.input_values import soft_default
from gblint.interp.models.python import input_containers, super_and_descriptors, versions
from gblint.interp.models.python.builtins import type_of
from gblint.interp.models.torch import (
    autograd_function,
    distributions,
    nn_modules,
    opaque_types,
    tensor_hooks,
    tensor_subclasses,
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
    INT,
    NONE,
    STR,
    UNKNOWN,
    Const,
    Scalar,
    Tensor,
    TextMember,
    Unknown,
    Unread,
    Value,
    members,
)
from gblint.values.containers import Iterator, Mapping, Range, Seq, Slice
from gblint.values.lattice import join_all
from gblint.values.objects import (
    METHODLESS,
    BoundMethod,
    BuiltinMethod,
    Class,
    ExternalName,
    ExternalObject,
    Function,
    Instance,
    ModuleRef,
    Partial,
    Super,
    Wrapped,
    is_module,
)

_UNTRACED_CHECKS = ("assertWarns", "assertNotWarns", "assertWarnsRegex")
_TRANSPOSED = {"T", "mT", "H", "mH", "data", "real"}


def attribute(m: Interpreter, node: ast.expr, frame: Frame) -> Value:
    """``base.name``."""
    assert isinstance(node, ast.Attribute)
    if isinstance(node.value, (ast.Name, ast.Attribute)):
        place = place_of(node)
        if place is not None:
            refined = frame.scope.cells.get(place)
            if refined is not None:
                return refined
    base = m.eval(node.value, frame)
    return m.get_attribute(base, node.attr, frame, node)


def get(m: Interpreter, base: Value, name: str, frame: Frame, node: ast.AST) -> Value:
    """The attribute ``name`` of every alternative of ``base``; None has hardly any."""
    found = members(base)
    if len(found) == 1:
        return _get(m, base, name, frame, node)
    values = [_get(m, v, name, frame, node) for v in found if v != NONE]
    known = [v for v in values if not isinstance(v, Unknown)]
    return join_all(known or values) if values else UNKNOWN


def _get(m: Interpreter, base: Value, name: str, frame: Frame, node: ast.AST) -> Value:
    if name == "__class__" and isinstance(base, (Tensor, Scalar, Seq, Mapping)):
        return type_of(base)
    if isinstance(base, Tensor):
        return _of_tensor(m, base, name, frame, node)
    if isinstance(base, Instance):
        nn_modules.take_recurrent(m, base, frame, node)
        value = m.instance_attribute(base, name, frame, node)
        nn_modules.take_recurrent(m, value, frame, node)
        return value
    if isinstance(base, ModuleRef):
        return name_resolution.submodule_or_attribute(m, base.name, name)
    if isinstance(base, ExternalName):
        return of_external(m, base, name, traced=frame.mode.tracing)
    if isinstance(base, Class):
        return _of_class(m, base, name, frame, node)
    if isinstance(base, Super):
        return _of_super(m, base, name, frame, node)
    if isinstance(base, (Seq, Mapping, Iterator, Range, Slice)):
        if isinstance(base, Slice):
            return {"start": base.lower, "stop": base.upper, "step": base.step}.get(name, UNKNOWN)
        field = versions.field_of_python(base, name) if isinstance(base, Seq) else None
        return BuiltinMethod(base, name) if field is None else field
    if isinstance(base, ExternalObject):
        return _of_object(m, base, name, frame, node)
    if isinstance(base, Const):
        return _of_constant(m, base, name, frame, node)
    if isinstance(base, Scalar):
        if name in ("real", "imag", "numerator", "denominator"):
            return base
        return BuiltinMethod(base, name)
    return _of_callable(m, base, name, frame, node)


def _of_constant(m: Interpreter, base: Const, name: str, frame: Frame, node: ast.AST) -> Value:
    if isinstance(base.value, objects.EnumMember):
        if name in ("value", "_value_"):
            return base.value.value
        return Const(base.value.name) if name == "name" else UNKNOWN
    if isinstance(base.value, TextMember):
        if name in ("value", "_value_"):
            return Const(str(base.value))
        if name == "name":
            return Const(base.value.member)
        found = m.class_attribute(base.value.cls, name) if isinstance(base.value.cls, Class) else None
        if found is not None and isinstance(base.value.cls, Class):
            return _bind(m, found, base, base.value.cls, name, frame, node)
    if name == "value":
        return base
    field = versions.attribute(base.value, name)
    if field is not None:
        return field
    return BuiltinMethod(base, name) if base.value is not None else UNKNOWN


def _of_callable(m: Interpreter, base: Value, name: str, frame: Frame, node: ast.AST) -> Value:
    if isinstance(base, BoundMethod):
        if name == "__self__":
            return base.receiver
        return base.function if name == "__func__" else _of_callable(m, base.function, name, frame, node)
    if isinstance(base, Partial):
        return {"func": base.function, "args": Seq("tuple", base.args)}.get(name, UNKNOWN)
    if isinstance(base, Function):
        if name in ("__name__", "__qualname__"):
            return Const(base.name.rpartition(".")[2])
        if name == "__wrapped__":
            return UNKNOWN
        if name == "__code__":
            return _code(m, base)
        return STR if name in ("__module__", "__doc__") else UNKNOWN
    if isinstance(base, Wrapped):
        if name in ("__wrapped__", "__func__", "fget"):
            return base.function
        if base.kind == "compiled":
            return m.get_attribute(base.function, name, frame, node)
        return _of_callable(m, base.function, name, frame, node)
    if isinstance(base, BuiltinMethod):
        return UNKNOWN
    return Unknown(base.hint) if isinstance(base, Unknown) and name in ("data", "T") else UNKNOWN


def _code(m: Interpreter, function: Function) -> Value:
    """The code object of a function: its names, with the parameters first, and how many of those there are."""
    place = ("code", id(function.node))
    if place in m.caches.instances:
        return m.caches.instances[place]
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
    m.caches.instances[place] = Instance(ExternalName("types.CodeType"), attrs)
    return m.caches.instances[place]


# -- tensors ---------------------------------------------------------------------------------------------------------


def _of_tensor(m: Interpreter, base: Tensor, name: str, frame: Frame, node: ast.AST) -> Value:
    tensor_layouts.touch(m, base, frame, node)
    tensor_hooks.check_read(m, base, name, frame, node)
    if name in ("shape",):
        return unbacked_symints.shape(base)
    if name == "dtype" and not base.ndarray:
        return ExternalObject(f"torch.dtype:{base.dtype}" if base.dtype else "torch.dtype")
    if name in ("ndim",):
        return INT if base.rank is None else Const(base.rank)
    if name in _TRANSPOSED:
        turned = name in ("T", "mT", "H", "mH") and (base.rank or 0) > 1 and not base.transposed
        result = Tensor(base.rank, base.dtype, base.sure, base.source, base.ndarray, transposed=turned)
        if name != "data":
            trace_builder.operator(frame, node, result)
        return result
    if name == "device":
        return ExternalObject("torch.device")
    if name == "grad":
        return join_all((NONE, Tensor(base.rank, base.dtype, base.sure, base.source)))
    lookup = m.knowledge.ndarray_attribute if base.ndarray else m.knowledge.tensor_attribute
    fact = lookup(name)
    if fact is not None:
        holds = {"input": base.source, "intermediate": not base.source}.get(fact.when, True)
        if fact.breaks and holds and base.ndarray:
            m.emit(frame, node, "call", f"numpy.ndarray.{name}", fact.gb_ids, about=base)
        elif fact.breaks and holds:
            m.emit(frame, node, "tensor-attribute", name, fact.gb_ids, about=base)
        return m.value_of_returns(fact.returns, base, Args(), frame)
    return BuiltinMethod(base, name)


# -- instances -------------------------------------------------------------------------------------------------------


def of_instance(m: Interpreter, base: Instance, name: str, frame: Frame, node: ast.AST) -> Value:
    """``instance.name`` as Python looks it up."""
    tensor_subclasses.check_read(m, base, name, frame, node)
    opaque_types.read(m, base, name, frame, node)
    value = base.attrs.get(name)
    if value is not None and base.outside:
        tensor_layouts.check_set(m, value, frame, node, parameters=True)
    input_containers.check_dict(m, base, frame, node)
    if isinstance(base.cls, Class):
        pinned = input_values.pinned_attribute(m, base.cls, name)
        if pinned is not None:
            return pinned
        found = m.class_attribute(base.cls, name)
        if found is not None and (value is None or (isinstance(found, Wrapped) and found.kind == "property")):
            return _bind(m, found, base, base.cls, name, frame, node)
        if value is not None:
            return value
        if name == "__class__":
            return base.cls
        if name == "__dict__":
            return Mapping(tuple((Const(k), v) for k, v in base.attrs.items() if not k.startswith("__")), UNKNOWN)
        declared = _declared(m, base, name)
        if declared is not None:
            return declared
    elif value is not None:
        return value
    elif base.cls.name == autograd_function.CONTEXT:
        return autograd_function.context_attribute(base, name) or UNKNOWN
    if is_module(base):
        known = nn_modules.attribute(m, base, name)
        if known is not None:
            return known
    if isinstance(base.cls, Class):
        if base.cls.inherits("builtins.dict", "collections.OrderedDict", "collections.UserDict", "builtins.list"):
            if "__items__" in base.attrs and hasattr({}, name):
                return BuiltinMethod(base, name)
            if is_dict_method(name):
                return BuiltinMethod(base, name)
        fallback = _fallback(m, base, name, frame, node)
        if fallback is not None:
            return fallback
        return _inherited(m, base, name, frame, node)
    if m.knowledge.function(f"{base.cls.name}.{name}") is not None:
        return BuiltinMethod(base, name)
    return BuiltinMethod(base, name) if name.startswith("register_") else UNKNOWN


def is_dict_method(name: str) -> bool:
    """Whether ``dict`` has a method of this name."""
    return name in ("keys", "values", "items", "get", "pop", "update", "setdefault", "copy", "clear")


def _declared(m: Interpreter, base: Instance, name: str) -> Value | None:
    """An attribute that is only annotated in the class body."""
    if not isinstance(base.cls, Class):
        return None
    for owner in base.cls.mro:
        bindings = owner.module.binding_table(owner.node).get(name)
        if bindings and bindings[-1].kind == "annotation" and isinstance(bindings[-1].node, ast.AnnAssign):
            return input_values.value_of(m, bindings[-1].node.annotation, classes.body_frame(m, owner))
    return None


def _fallback(m: Interpreter, base: Instance, name: str, frame: Frame, node: ast.AST) -> Value | None:
    """What a ``__getattr__`` or ``__getattribute__`` of the class gives."""
    assert isinstance(base.cls, Class)
    if name.startswith("__") and name.endswith("__"):
        return None
    for hook in ("__getattr__", "__getattribute__"):
        method = m.class_attribute(base.cls, hook)
        super_and_descriptors.hook(m, hook, method, frame, node)
        if isinstance(method, Function):
            place = ("getattr", base.uid, name)
            if place in m.calls.in_progress:
                return None
            if (hook, *place) in m.caches.missing_attributes and not frame.mode.tracing:
                continue
            m.calls.in_progress.add(place)
            try:
                value = m.call(method, Args((base, Const(name))), frame, node)
            finally:
                m.calls.in_progress.discard(place)
            if not isinstance(value, Unknown):
                return value
            if not frame.mode.tracing and not m.budget.cut_short:
                m.caches.missing_attributes.add((hook, *place))
    return None


def _inherited(m: Interpreter, base: Instance, name: str, frame: Frame, node: ast.AST) -> Value:
    """An attribute that comes from an external base class, if anything is known of it."""
    assert isinstance(base.cls, Class)
    for external in base.cls.externals:
        if external in METHODLESS:
            continue
        if external == "unittest.TestCase" and frame.mode.config.trace_unittest:
            if name in _UNTRACED_CHECKS:
                m.emit(frame, node, "context-manager", f"unittest.TestCase.{name}", ("GB0060",))
            return UNKNOWN
        if distributions.is_distribution(external):
            known = distributions.attribute(base, name)
            if known is not None:
                return known
        if m.knowledge.function(f"{external}.{name}") is not None:
            return BuiltinMethod(base, name)
        if external == "torch.autograd.Function" and name == "apply":
            return BuiltinMethod(base, name)
    return UNKNOWN


def _bind(m: Interpreter, found: Value, receiver: Value, cls: Class, name: str, frame: Frame, node: ast.AST) -> Value:
    """A class attribute as seen through an instance."""
    if isinstance(found, Function):
        return BoundMethod(found, receiver)
    if isinstance(found, Wrapped):
        if found.kind == "class":
            super_and_descriptors.class_method(m, found.function, frame, node)
        if found.kind in ("property", "cached_property"):
            super_and_descriptors.getter(m, found.function, frame, node)
        if found.kind == "property":
            return m.call(found.function, Args((receiver,)), frame, node)
        if found.kind == "cached_property":
            return _compute(m, found, receiver, name, frame, node)
        if found.kind == "static":
            return found.function
        if found.kind == "class":
            return BoundMethod(found.function, cls)
        if found.kind == "partialmethod":
            m.emit(frame, node, "call", "functools.partialmethod", ("GB0088",))
            return BoundMethod(found.function, receiver)
        return BoundMethod(found, receiver)
    if isinstance(receiver, Instance) and receiver.soft and isinstance(found, Const):
        declared = _annotation(cls, name)
        if declared is not None:
            return soft_default(m, declared, found, classes.body_frame(m, cls))
    return found


def _compute(m: Interpreter, found: Wrapped, receiver: Value, name: str, frame: Frame, node: ast.AST) -> Value:
    """A ``functools.cached_property``: before Python 3.12 it takes a lock until its value is there."""
    version = m.project.environment.version
    if version is None or version >= (3, 12):
        return m.call(found.function, Args((receiver,)), frame, node)
    there = isinstance(receiver, Instance) and receiver.soft
    m.emit(frame, node, "context-manager", "functools.cached_property", ("GB0142",), likely=there)
    mode = frame.mode
    frame.mode = mode.eager()
    try:
        value = m.call(found.function, Args((receiver,)), frame, node)
    finally:
        frame.mode = mode
    if isinstance(receiver, Instance):
        m.store_attribute(receiver, name, value)
    return value


def _annotation(cls: Class, name: str) -> ast.expr | None:
    for owner in cls.mro:
        bindings = owner.module.binding_table(owner.node).get(name)
        if bindings and isinstance(bindings[-1].node, ast.AnnAssign):
            return bindings[-1].node.annotation
    return None


def _of_super(m: Interpreter, base: Super, name: str, frame: Frame, node: ast.AST) -> Value:
    receiver = base.receiver
    cls = receiver.cls if isinstance(receiver, Instance) else receiver
    if not isinstance(cls, Class):
        return UNKNOWN
    found = classes.find_after(m, cls, base.after, name)
    unread = super_and_descriptors.found_by_super(m, found, base, name, frame, node)
    if unread is not None:
        return unread
    if found is not None:
        if isinstance(receiver, Class) and isinstance(found, Function):
            return found if name == "__new__" else BoundMethod(found, receiver)
        return _bind(m, found, receiver, cls, name, frame, node)
    return BuiltinMethod(base, name)


def _of_class(m: Interpreter, base: Class, name: str, frame: Frame, node: ast.AST) -> Value:
    found = autograd_function.plain_method(m, base, name) or m.class_attribute(base, name)
    opaque_types.read_class(m, base, name, found, frame, node)
    if isinstance(found, Wrapped):
        if found.kind == "static":
            return found.function
        if found.kind == "class":
            super_and_descriptors.metaclass(m, base, frame, node)
            return BoundMethod(found.function, base)
    if found is not None:
        return found
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
        return Mapping((), join_all(classes.enum_members(m, base)) if base.inherits("enum.Enum") else UNKNOWN)
    if name == "apply" and base.inherits("torch.autograd.Function"):
        return BuiltinMethod(base, "apply")
    return UNKNOWN


_CONSTANTS: dict[str, Value] = {
    "math.pi": Const(3.141592653589793),
    "math.e": Const(2.718281828459045),
    "math.inf": Const(float("inf")),
    "torch.pi": Const(3.141592653589793),
    "torch.inf": Const(float("inf")),
    "numpy.pi": Const(3.141592653589793),
    "numpy.inf": Const(float("inf")),
    "numpy.newaxis": NONE,
    "torch.newaxis": NONE,
    "sys.platform": STR,
    "sys.version": STR,
    "sys.maxsize": Const(2**63 - 1),
    "typing.TYPE_CHECKING": Const(False),
    "numpy.__version__": STR,
}


def _is_torch_function(m: Interpreter, name: str) -> bool:
    last = name.rpartition(".")[2]
    return name.startswith("torch.") and not last[:1].isupper() and m.knowledge.function(name) is not None


def of_external(m: Interpreter, base: ExternalName, name: str, *, traced: bool) -> Value:
    """An attribute of something that is known by its name only."""
    full = builtin_names.canonical(f"{base.name}.{name}")
    if full in _CONSTANTS:
        return _CONSTANTS[full]
    if full == "torch.__version__":
        return versions.of_torch(m)
    if full == "sys.version_info":
        return versions.of_python(m)
    if base.name in ("torch.Tensor", "torch._tensor.Tensor"):
        return ExternalName(f"torch.Tensor.{name}")
    if name in ("__name__", "__qualname__"):
        text = base.name.rpartition(".")[2]
        return Const(Unread(text) if traced and _is_torch_function(m, base.name) else text)
    return ExternalName(full)


def _of_object(m: Interpreter, base: ExternalObject, name: str, frame: Frame, node: ast.AST) -> Value:
    cls = base.cls.partition(":")[0]
    if cls in ("torch.device",):
        return {"type": STR, "index": INT}.get(name, UNKNOWN)
    if cls == "torch.dtype":
        return BOOL if name.startswith("is_") else INT if name == "itemsize" else UNKNOWN
    if distributions.is_distribution(cls):
        return distributions.attribute(base, name) or BuiltinMethod(base, name)
    torch_functions.sdpa_attribute(m, base, name, frame, node)
    return BuiltinMethod(base, name)


def has(m: Interpreter, base: Instance, name: str) -> bool | None:
    """``hasattr`` of an instance."""
    if name in base.attrs:
        return True
    if isinstance(base.cls, Class):
        if m.class_attribute(base.cls, name) is not None or _declared(m, base, name) is not None:
            return True
        if not base.cls.complete or base.open or m.class_attribute(base.cls, "__getattr__") is not None:
            return None
        if is_module(base):
            return True if nn_modules.attribute(m, base, name) is not None else (None if base.soft else False)
        if base.soft:
            return None
        known = ("abc.ABC", "typing.Generic", "typing.Protocol", "builtins.object", "torch.nn.Module")
        return False if all(e in known for e in base.cls.externals) else None
    return True if nn_modules.attribute(m, base, name) is not None else None
