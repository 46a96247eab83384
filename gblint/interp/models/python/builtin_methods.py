"""Methods of values that have no source: tensors, containers, modules, external objects, ``super()``."""

from __future__ import annotations

import ast

from gblint.interp.models import external_calls
from gblint.interp.models.python import container_methods, exceptions, regular_expressions, super_and_descriptors
from gblint.interp.models.torch import autograd_function, distributions, nn_module_mutation, nn_modules, tensor_methods
from gblint.interp.state import trace_builder
from gblint.interp.state.call_args import Args
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import NONE, UNKNOWN, Const, Scalar, Tensor, TextMember, Unread, Value
from gblint.values.containers import Iterator, Mapping, Seq
from gblint.values.objects import (
    METHODLESS,
    BuiltinMethod,
    Class,
    ExternalName,
    ExternalObject,
    Function,
    Instance,
    Super,
    is_module,
)

_MAPPING_BASES = ("builtins.dict", "collections.OrderedDict", "collections.UserDict", "collections.defaultdict")


def call_method_of(m: Interpreter, method: BuiltinMethod, args: Args, frame: Frame, node: ast.AST) -> Value:
    """Calls a bound method of a value without source."""

    receiver, name = method.receiver, method.name
    if isinstance(receiver, Tensor):
        result = tensor_methods.call_method(m, receiver, name, args, frame, node)
        trace_builder.operator(frame, node, result)
        return result
    if isinstance(receiver, (Seq, Mapping, Iterator, Const, Scalar)):
        if isinstance(receiver, Const) and name == "item":
            return receiver
        if isinstance(receiver, Const) and isinstance(receiver.value, TextMember):
            m.emit(frame, node, "call", f"str.{name}", ("GB0156",))
        if isinstance(receiver, Const) and isinstance(receiver.value, Unread):
            m.emit(frame, node, "operation", "function-attribute", ("GB0156",))
        return container_methods.call_method(m, receiver, name, args, frame, node)[0]
    if isinstance(receiver, Instance):
        return _of_instance(m, receiver, name, args, frame, node)
    if isinstance(receiver, Super):
        return _of_super(m, receiver, name, args, frame, node)
    if isinstance(receiver, Class):
        return autograd_function.call_method(m, receiver, name, args, frame, node)
    if isinstance(receiver, ExternalObject):
        regular_expressions.check(m, receiver, name, args, frame, node)
        cls = receiver.cls.partition(":")[0]
        if receiver.cls == "torch.utils.hooks.RemovableHandle:module":
            m.emit(frame, node, "hook", f"RemovableHandle.{name}", ("GB0013",))
            return NONE
        if distributions.is_distribution(cls):
            drawn = distributions.call_method(receiver, name, args)
            if drawn is not None:
                return drawn
        result = external_calls.call(m, f"{cls}.{name}", args, frame, node)
        return receiver if (cls, name) == ("torch.Generator", "manual_seed") else result
    return UNKNOWN


def _of_instance(m: Interpreter, receiver: Instance, name: str, args: Args, frame: Frame, node: ast.AST) -> Value:

    if "__items__" in receiver.attrs and (hasattr(dict, name) or hasattr(list, name)):
        return nn_modules.call_container(m, receiver, name, args, frame, node)
    if is_module(receiver):
        if name in ("forward", "__call__"):
            if name == "__call__":
                return m.call_instance(receiver, args, frame, node)
            return external_calls.call_module(m, receiver, args, frame, node)
        return nn_modules.call_method(m, receiver, name, args, frame, node)
    if receiver.cls == ExternalName(autograd_function.CONTEXT):
        return autograd_function.call_context(m, receiver, name, args, frame, node)
    if isinstance(receiver.cls, Class):
        if receiver.cls.inherits(*_MAPPING_BASES):
            return _record_method(receiver, name, args)
        for external in receiver.cls.externals:
            if distributions.is_distribution(external):
                drawn = distributions.call_method(receiver, name, args)
                if drawn is not None:
                    return drawn
            if external not in METHODLESS and m.knowledge.function(f"{external}.{name}") is not None:
                return external_calls.call(m, f"{external}.{name}", args, frame, node)
        return UNKNOWN
    return external_calls.call(m, f"{receiver.cls.name}.{name}", args, frame, node)


def _record_method(receiver: Instance, name: str, args: Args) -> Value:
    """A dict method of a record such as ``ModelOutput``: its fields are its entries."""
    entries = tuple((Const(k), v) for k, v in receiver.attrs.items() if not k.startswith("__"))
    mapping = Mapping(entries, UNKNOWN if receiver.open else None)
    if name == "get" and args.pos:
        return container_methods.value_at(mapping, args.pos[0], args.get(1, "default") or NONE)
    if name == "values":
        return Seq("list", tuple(v for _, v in entries))
    if name == "keys":
        return Seq("list", tuple(k for k, _ in entries))
    if name == "items":
        return Seq("list", tuple(Seq("tuple", (k, v)) for k, v in entries))
    return UNKNOWN


def _of_super(m: Interpreter, receiver: Super, name: str, args: Args, frame: Frame, node: ast.AST) -> Value:
    """A method that only an external base class has."""

    instance = receiver.receiver
    if not isinstance(instance, Instance):
        if isinstance(instance, Class) and name == "__new__":
            return Instance(instance, token=m.branch_id)
        return UNKNOWN
    if name == "__init__":
        exceptions.super_init(m, instance, frame, node)
        nn_module_mutation.check_init(m, instance, frame, node)
        m.external_init(instance, args, frame, node)
        return NONE
    first = args.pos[0] if args.pos else None
    super_and_descriptors.super_method(m, instance.cls, name, first, frame, node)
    if name in ("__getattribute__", "__getattr__") and isinstance(first, Const) and isinstance(first.value, str):
        return m.instance_attribute(instance, first.value, frame, node)
    if name == "__setattr__" and len(args.pos) == 2 and isinstance(first, Const):
        m.store_attribute(instance, str(first.value), args.pos[1])
        return NONE
    if name in ("__setitem__",) and len(args.pos) == 2:
        if isinstance(first, Const) and isinstance(first.value, str) and "__items__" not in instance.attrs:
            m.store_attribute(instance, first.value, args.pos[1])
        return NONE
    if name == "__getitem__" and first is not None:
        items = instance.attrs.get("__items__")

        return UNKNOWN if items is None else m.get_item(items, first, frame, node)
    if is_module(instance):
        if name == "__call__" and isinstance(instance.cls, Class):
            forward = m.class_attribute(instance.cls, "forward")
            if isinstance(forward, Function):
                return m.call(forward, args.prepend(instance), frame, node)
        if name in ("forward", "__call__"):
            return external_calls.call_module(m, instance, args, frame, node)
    return _of_instance(m, instance, name, args, frame, node)
