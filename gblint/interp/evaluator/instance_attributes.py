"""Attributes of objects: the lookup along instance, class and hooks, and the binding of methods and descriptors."""

from __future__ import annotations

import ast
import collections

from gblint.interp.domain import call_state, class_fields, frame_tensors, parameter_usage, tensor_layouts
from gblint.interp.evaluator import classes, declared_attributes, input_values
from gblint.interp.evaluator.input_values import soft_default
from gblint.interp.models.python import divergence, input_containers, namedtuple, super_and_descriptors
from gblint.interp.models.torch import (
    autograd_function,
    distributions,
    nn_modules,
    opaque_types,
    submodules,
    tensor_subclasses,
)
from gblint.interp.state.caches import is_unbuilt
from gblint.interp.state.call_args import Args
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime import ast_walk
from gblint.values.base import (
    UNKNOWN,
    Const,
    Tensor,
    Unknown,
    Value,
    members,
)
from gblint.values.containers import Mapping
from gblint.values.lattice import join
from gblint.values.objects import (
    METHODLESS,
    BoundMethod,
    BuiltinMethod,
    Class,
    ExternalObject,
    Function,
    Instance,
    Super,
    is_nn_module,
)
from gblint.values.wrapped import CachedProperty, ClassMethod, PartialMethod, Property, StaticMethod, Wrapped

# Base classes all of whose methods are known.
_CLOSED = METHODLESS | {"builtins.dict", "collections.OrderedDict"}
_CONTAINER_METHODS = {
    "builtins.dict": frozenset(dir(dict)),
    "collections.OrderedDict": frozenset(dir(collections.OrderedDict)),
    "collections.defaultdict": frozenset(dir(collections.defaultdict)),
    "collections.UserDict": frozenset(dir(collections.UserDict)),
    "builtins.list": frozenset(dir(list)),
    "collections.UserList": frozenset(dir(collections.UserList)),
    "builtins.tuple": frozenset(dir(tuple)),
}
_UNTRACED_CHECKS = ("assertWarns", "assertNotWarns", "assertWarnsRegex")


def of_instance(interp: Interpreter, base: Instance, name: str, frame: Frame, node: ast.AST) -> Value:
    """Return ``instance.name``: a pin, else what Python finds, with properties and ``__getattr__`` of the class."""
    tensor_subclasses.check_read(interp, base, name, frame, node)
    opaque_types.read(interp, base, name, frame, node)
    value = base.attrs.get(name)
    if interp.effects.eager_since:
        interp.effects.used.add(base.uid)
    if value is not None and base.pre_existing:
        tensor_layouts.check_set(interp, value, frame, node, parameters=True)
    input_containers.check_dict(interp, base, frame, node)
    if isinstance(base.cls, Class):
        pinned = input_values.pinned_attribute(interp, base.cls, name)
        if pinned is not None:
            return pinned
        found = interp.class_attribute(base.cls, name)
        if found is None and value is None and is_unbuilt(base):
            interp.any_instance(base.cls)
            value = base.attrs.get(name)
        if found is not None and value is None and frame.flow.class_stores:
            divergence.check_class_read(interp, base.cls, name, frame, node)
        if found is not None and (value is None or isinstance(found, Property) or _is_data_descriptor(interp, found)):
            return bind(interp, found, base, base.cls, name, frame, node)
        if value is not None:
            told = declared_attributes.declared(interp, base.cls, name) if isinstance(value, Unknown) else None
            return value if told is None else told
        if name == "__class__":
            return base.cls
        if name == "__dict__":
            return _own_attributes(interp, base)
        declared = _declared(interp, base, name)
        if declared is not None:
            return declared
    elif value is not None:
        return value
    elif base.cls.name == autograd_function.CONTEXT:
        return autograd_function.context_attribute(base, name) or UNKNOWN
    if is_nn_module(base):
        known = nn_modules.attribute(interp, base, name)
        if known is not None:
            return known
        if submodules.UNNAMED in base.attrs:
            return join(base.attrs[submodules.UNNAMED], UNKNOWN)
    if isinstance(base.cls, Class):
        if _is_container_method(base.cls, name):
            return BuiltinMethod(base, name)
        fallback = _fallback(interp, base, name, frame, node)
        if fallback is not None:
            return fallback
        if tensor_subclasses.is_subclass(base) and interp.knowledge.tensor_attribute(name) is not None:
            tensor = tensor_subclasses.plain(interp, base)
            known = UNKNOWN if tensor is base else interp.get_attribute(tensor, name, frame, node)
            return tensor_subclasses.wrapped(interp, known, base)
        return _inherited(interp, base, name, frame, node)
    if interp.knowledge.function(f"{base.cls.name}.{name}") is not None:
        return BuiltinMethod(base, name)
    return BuiltinMethod(base, name) if name.startswith("register_") else UNKNOWN


def _own_attributes(interp: Interpreter, base: Instance) -> Mapping:
    """Return ``instance.__dict__``; a module keeps its parts in tables of their own."""
    entries = [(Const(k), v) for k, v in base.attrs.items() if not k.startswith("__")]
    if is_nn_module(base):
        names = ("_modules", "_parameters", "_buffers")
        tables = [(name, nn_modules.attribute(interp, base, name)) for name in names if name not in base.attrs]
        entries += [(Const(name), table) for name, table in tables if table is not None]
    known = isinstance(base.cls, Class) and base.cls.complete and METHODLESS.issuperset(base.cls.externals)
    return Mapping(tuple(entries), None if known and not (base.partial or base.from_defaults) else UNKNOWN)


def _is_container_method(cls: Class, name: str) -> bool:
    """Return whether ``cls`` inherits the method ``name`` from a container of Python."""
    return any(name in _CONTAINER_METHODS[base] for base in cls.externals if base in _CONTAINER_METHODS)


def _declared(interp: Interpreter, base: Instance, name: str) -> Value | None:
    """Return the value of an attribute that is only annotated in the class body."""
    if not isinstance(base.cls, Class):
        return None
    for owner in base.cls.mro:
        bindings = owner.module.binding_table(owner.node).get(name)
        if bindings and bindings[-1].kind == "annotation" and isinstance(bindings[-1].node, ast.AnnAssign):
            return input_values.value_of(interp, bindings[-1].node.annotation, class_fields.body_frame(owner))
    return None


def _fallback(interp: Interpreter, base: Instance, name: str, frame: Frame, node: ast.AST) -> Value | None:
    """Return the result of ``__getattr__`` or ``__getattribute__`` of the class."""
    assert isinstance(base.cls, Class)
    if name.startswith("__") and name.endswith("__"):
        return None
    if class_fields.is_pydantic_model(base.cls) and not name.startswith("_"):
        return None  # its ``__getattr__`` is for private attributes: the object is of another class, or has extra ones
    if name in _initialized(interp, base.cls):
        return UNKNOWN
    for hook in ("__getattr__", "__getattribute__"):
        method = interp.class_attribute(base.cls, hook)
        super_and_descriptors.hook(interp, hook, method, frame, node)
        if isinstance(method, Function):
            place = ("getattr", base.uid, name)
            if place in interp.calls.in_progress:
                return None
            if (hook, *place) in interp.caches.missing_attributes and not frame.mode.tracing:
                continue
            interp.calls.in_progress.add(place)
            try:
                value = interp.call(method, Args((base, Const(name))), frame, node)
            finally:
                interp.calls.in_progress.discard(place)
            if not isinstance(value, Unknown):
                return value
            if not frame.mode.tracing and not interp.budget.is_truncated:
                interp.caches.missing_attributes.add((hook, *place))
    return None


def _initialized(interp: Interpreter, cls: Class) -> frozenset[str]:
    """Return the attributes that ``__init__`` of a class or of one of its bases stores on ``self``, or a method that it
    calls.
    """
    known = interp.caches.syntax.initialized_attributes.get(cls)
    if known is None:
        names: set[str] = set()
        methods: dict[str, list[ast.FunctionDef]] = {}
        for owner in cls.mro:
            for function in owner.node.body:
                if isinstance(function, ast.FunctionDef) and function.args.args:
                    methods.setdefault(function.name, []).append(function)
        asked = ["__init__"]
        for name in asked:
            for function in methods.get(name, ()):
                stored, called = _stored_and_called(function, function.args.args[0].arg)
                names |= stored
                asked += [each for each in called if each not in asked]
        known = interp.caches.syntax.initialized_attributes[cls] = frozenset(names)
    return known


def _stored_and_called(method: ast.FunctionDef, own: str) -> tuple[set[str], list[str]]:
    """Return the attributes of ``own`` that a method stores, and the methods of ``own`` that it calls."""
    stored: set[str] = set()
    called: list[str] = []
    for node in ast_walk.walk(method):
        target = node.func if isinstance(node, ast.Call) else node
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store) and isinstance(node.slice, ast.Constant):
            if ast.unparse(node.value) == f"{own}.__dict__":
                stored.add(str(node.slice.value))
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == own:
            if isinstance(node, ast.Call):
                called.append(target.attr)
            elif isinstance(target.ctx, ast.Store):
                stored.add(target.attr)
    return stored, called


def _inherited(interp: Interpreter, base: Instance, name: str, frame: Frame, node: ast.AST) -> Value:
    """Return an attribute from an external base class, if it is known."""
    assert isinstance(base.cls, Class)
    if name in namedtuple.METHODS and base.cls.inherits("typing.NamedTuple"):
        return BuiltinMethod(base, name)
    for external in base.cls.externals:
        if external in METHODLESS:
            continue
        if external == "unittest.TestCase" and frame.mode.config.trace_unittest:
            if name in _UNTRACED_CHECKS:
                interp.emit(
                    frame, node, "context-manager", f"unittest.TestCase.{name}", ("failed-to-trace-unittest-method",)
                )
            return UNKNOWN
        if distributions.is_distribution(external):
            known = distributions.attribute(base, name)
            if known is not None:
                return known
        if external == "torch.Tensor" and interp.knowledge.tensor_method(name) is not None:
            return BuiltinMethod(base, name)
        if external == "torch.autograd.Function" and name == "apply":
            return BuiltinMethod(base.cls, name)
        if interp.knowledge.function(f"{external}.{name}") is not None and _may_define(interp, external, name):
            return BuiltinMethod(base, name)
    if frame.mode.tracing and name in parameter_usage.METHODS and all(e in _CLOSED for e in base.cls.externals):
        return BuiltinMethod(Tensor(proven=False), name)  # a wrong annotation: what is passed is a tensor
    return UNKNOWN


def _may_define(interp: Interpreter, external: str, name: str) -> bool:
    """Return whether a class has a method: in a package that Dynamo skips, if the module of the class defines one.

    If the package is not installed, a name with an underscore at its end is what an estimator has learned, no method.
    """
    home = external.rpartition(".")[0]
    if not interp.knowledge.skipped_package(home):
        return True
    module = interp.project.find_module(home)
    return not name.endswith("_") if module is None else f"def {name}(" in module.source


def bind(
    interp: Interpreter, found: Value, receiver: Value, cls: Class, name: str, frame: Frame, node: ast.AST
) -> Value:
    """Return a class attribute as accessed through an instance."""
    if isinstance(found, Function):
        return BoundMethod(found, receiver)
    if isinstance(found, Wrapped):
        return _bind_wrapped(interp, found, receiver, cls, name, frame, node)
    if isinstance(receiver, Instance) and receiver.from_defaults and isinstance(found, Const):
        declared = _annotation(cls, name)
        if declared is not None:
            return soft_default(interp, declared, found, class_fields.body_frame(cls))
    if isinstance(found, Instance):
        getter = interp.class_attribute(found.cls, "__get__") if isinstance(found.cls, Class) else None
        if isinstance(getter, Function):
            return interp.call(getter, Args((found, receiver, cls)), frame, node)
        return _replaced(interp, found, cls, name) or found
    return found


def _is_data_descriptor(interp: Interpreter, found: Value) -> bool:
    """Return whether a class attribute is an object with ``__set__``, which comes before what the instance stores."""
    if not isinstance(found, Instance) or not isinstance(found.cls, Class):
        return False
    return isinstance(interp.class_attribute(found.cls, "__set__"), Function)


def _replaced(interp: Interpreter, found: Instance, cls: Class, name: str) -> Value | None:
    """Return the declared value of a class attribute whose value in the class body is of another class.

    The metaclass replaces such a value when it creates a class, as pydantic does with the validator of a model.
    """
    for owner in cls.mro:
        for binding in owner.module.binding_table(owner.node).get(name, ()):
            if isinstance(binding.node, ast.AnnAssign):
                declared = input_values.value_of(interp, binding.node.annotation, class_fields.body_frame(owner))
                kinds = {each.cls for each in members(declared) if isinstance(each, (Instance, ExternalObject))}
                unknown = any(isinstance(each, Unknown) for each in members(declared))
                is_other = isinstance(found.cls, Class) and kinds.isdisjoint(found.cls.mro)
                return declared if is_other and not unknown else None
    return None


def _bind_wrapped(
    interp: Interpreter, found: Wrapped, receiver: Value, cls: Class, name: str, frame: Frame, node: ast.AST
) -> Value:
    """Return a descriptor of a class as accessed through an instance."""
    if isinstance(found, (Property, CachedProperty)):
        if super_and_descriptors.getter(interp, found.function, frame, node):
            return interp.call_eagerly(found.function, Args((receiver,)), frame, node)
        if isinstance(found, CachedProperty):
            return _compute(interp, found, receiver, name, frame, node)
        return interp.call(found.function, Args((receiver,)), frame, node)
    if isinstance(found, StaticMethod):
        return found.function
    if isinstance(found, ClassMethod):
        super_and_descriptors.class_method(interp, found.function, frame, node)
        return BoundMethod(found.function, cls)
    if isinstance(found, PartialMethod):
        interp.emit(frame, node, "call", "functools.partialmethod", ("observed-exception",))
        return BoundMethod(found.function, receiver)
    return BoundMethod(found, receiver)


def _compute(
    interp: Interpreter, found: CachedProperty, receiver: Value, name: str, frame: Frame, node: ast.AST
) -> Value:
    """Evaluate a ``functools.cached_property``, which takes a lock before Python 3.12.

    The frame around it runs eagerly then, and Dynamo compiles the method alone.
    """
    version = interp.project.environment.version
    if version is None or version >= (3, 12):
        return interp.call(found.function, Args((receiver,)), frame, node)
    there = isinstance(receiver, Instance) and receiver.from_defaults
    interp.emit(
        frame, node, "context-manager", "functools.cached_property", ("unsupported-context-manager",), likely=there
    )
    mode = frame.mode
    method = found.function
    alone = isinstance(method, Function) and frame_tensors.in_frame(method, {"self": receiver})
    frame.mode = mode.rest_of_frame() if alone else mode.skipping()
    try:
        value = interp.call(method, Args((receiver,)), frame, node)
    finally:
        frame.mode = mode
    if isinstance(receiver, Instance):
        call_state.note_eager(interp, receiver, name, receiver.attrs.get(name))
        interp.store_attribute(receiver, name, value)
    return value


def _annotation(cls: Class, name: str) -> ast.expr | None:
    for owner in cls.mro:
        bindings = owner.module.binding_table(owner.node).get(name)
        if bindings and isinstance(bindings[-1].node, ast.AnnAssign):
            return bindings[-1].node.annotation
    return None


def of_super(interp: Interpreter, base: Super, name: str, frame: Frame, node: ast.AST) -> Value:
    receiver = base.receiver
    cls = receiver.cls if isinstance(receiver, Instance) else receiver
    if not isinstance(cls, Class):
        return UNKNOWN
    found = classes.find_after(interp, cls, base.after, name)
    unread = super_and_descriptors.found_by_super(interp, found, base, name, frame, node)
    if unread is not None:
        return unread
    if found is not None:
        if isinstance(receiver, Class) and isinstance(found, Function):
            return found if name == "__new__" else BoundMethod(found, receiver)
        return bind(interp, found, receiver, cls, name, frame, node)
    return BuiltinMethod(base, name)


def has(interp: Interpreter, base: Instance, name: str) -> bool | None:
    """Return ``hasattr`` of an instance; None if it is unknown."""
    if name in base.attrs:
        return None if (base.uid, name) in interp.effects.added_later else True
    if isinstance(base.cls, Class):
        if interp.class_attribute(base.cls, name) is not None or _declared(interp, base, name) is not None:
            return True
        if not base.cls.complete or base.partial or interp.class_attribute(base.cls, "__getattr__") is not None:
            return None
        if is_nn_module(base):
            return (
                True
                if nn_modules.attribute(interp, base, name) is not None
                else (None if base.from_defaults else False)
            )
        if base.from_defaults:
            return None
        known = ("abc.ABC", "typing.Generic", "typing.Protocol", "builtins.object", "torch.nn.Module")
        return False if all(e in known for e in base.cls.externals) else None
    return True if nn_modules.attribute(interp, base, name) is not None else None
