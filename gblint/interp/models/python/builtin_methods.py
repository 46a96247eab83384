"""Methods of values without source: tensors, containers, modules, external objects, ``super()``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from gblint.interp.domain import container_aliases
from gblint.interp.domain.builtin_names import MODULE_KEEPERS
from gblint.interp.domain.containers import store_own_item
from gblint.interp.models import external_calls
from gblint.interp.models.python import (
    configuration_files,
    container_methods,
    context_managers,
    context_variables,
    exceptions,
    function_objects,
    metaclass_namespaces,
    missing_packages,
    namedtuple,
    regular_expressions,
    super_and_descriptors,
)
from gblint.interp.models.torch import (
    autograd_function,
    distributions,
    nn_module_mutation,
    nn_modules,
    tensor_methods,
    tensor_subclasses,
)
from gblint.interp.state import trace_builder
from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext
from gblint.values.base import NONE, STR, UNKNOWN, Const, Scalar, Tensor, TextMember, Unread, Value
from gblint.values.containers import Iterator, Mapping, Seq
from gblint.values.dispatch import HandlersByClass
from gblint.values.objects import (
    METHODLESS,
    BuiltinMethod,
    Class,
    ContextVariable,
    ExternalName,
    ExternalObject,
    FileObject,
    Function,
    Instance,
    Super,
    is_nn_module,
)
from gblint.values.wrapped import JitTracedFunction, ScriptedFunction, StaticMethod, Wrapped

_MAPPING_BASES = ("builtins.dict", "collections.OrderedDict", "collections.UserDict", "collections.defaultdict")


def call_method_of(ctx: CallContext, method: BuiltinMethod) -> Value:
    """Call a bound method of a value without source."""
    return _HANDLERS[type(method.receiver)](ctx, method.receiver, method.name)


def _of_tensor(ctx: CallContext, receiver: Tensor, name: str) -> Value:
    result = tensor_methods.call_method(ctx, receiver, name)
    trace_builder.record_operator(ctx.frame, ctx.node, result)
    return result


def _of_container(ctx: CallContext, receiver: Value, name: str) -> Value:
    result, changed = container_methods.call_method(ctx, receiver, name)
    if changed is not None and changed != receiver:
        container_aliases.update(ctx.interp, ctx.frame, receiver, changed)
    return result


def _of_constant(ctx: CallContext, receiver: Const, name: str) -> Value:
    if name == "item":
        return receiver
    if isinstance(receiver.value, TextMember):
        if not hasattr(str, name):
            return UNKNOWN  # an annotation is wrong: this is no enum's member
        ctx.emit("call", f"str.{name}", ("unsupported-method-call",))
    if isinstance(receiver.value, Unread):
        ctx.emit("operation", "function-attribute", ("unsupported-method-call",))
        return _of_container(ctx, STR, name)  # Python calls the method, perhaps on the text of a subclass
    return _of_container(ctx, receiver, name)


def _is_of_tensors(ctx: CallContext, cls: str, name: str) -> bool:
    """Return whether a method of an "image" is one that tensors have and images lack; then the value is a tensor."""
    of_images = name in ("histogram", "resize", "split", "transpose")
    return cls == "PIL.Image.Image" and not of_images and ctx.interp.knowledge.tensor_method(name) is not None


def _of_object(ctx: CallContext, receiver: ExternalObject, name: str) -> Value:
    if _is_of_tensors(ctx, receiver.cls, name):
        return _of_tensor(ctx, Tensor(proven=False), name)
    regular_expressions.check(ctx, receiver, name)
    exceptions.call_method(ctx, receiver, name)
    context_managers.called(ctx, receiver, name)
    made = configuration_files.call_method(ctx, receiver, name) if isinstance(receiver, FileObject) else None
    if made is not None:
        return made
    cls = receiver.cls.partition(":")[0]
    if receiver.cls == "torch.utils.hooks.RemovableHandle:module":
        ctx.emit("hook", f"RemovableHandle.{name}", ("unregistered-removable-handle",))
        return NONE
    if distributions.is_distribution(cls):
        drawn = distributions.call_method(ctx, receiver, name)
        if drawn is not None:
            return drawn
    result = external_calls.call(ctx, f"{cls}.{name}")
    if isinstance(receiver, ContextVariable) and name == "get":
        return context_variables.value(receiver, ctx.args)
    return receiver if (cls, name) == ("torch.Generator", "manual_seed") else result


def _of_other(ctx: CallContext, receiver: Value, name: str) -> Value:
    return UNKNOWN


def _of_instance(ctx: CallContext, receiver: Instance, name: str) -> Value:

    if "__items__" in receiver.attrs and (hasattr(dict, name) or hasattr(list, name)):
        return nn_modules.call_container(ctx, receiver, name)
    if is_nn_module(receiver):
        if name in ("forward", "__call__"):
            if name == "__call__":
                return ctx.interp.call_instance(receiver, ctx.args, ctx.frame, ctx.node)
            return external_calls.call_module(ctx, receiver)
        own = f"{receiver.class_name}.{name}"
        if not own.startswith("torch.nn.Module.") and ctx.interp.knowledge.function(own) is not None:
            return external_calls.call(ctx, own)
        return nn_modules.call_method(ctx, receiver, name)
    if receiver.cls == ExternalName(autograd_function.CONTEXT):
        return autograd_function.call_context(ctx, receiver, name)
    if isinstance(receiver.cls, Class):
        if tensor_subclasses.is_subclass(receiver):
            return external_calls.method_of_subclass(ctx, receiver, name)
        if receiver.cls.inherits(*_MAPPING_BASES):
            return _record_method(receiver, name, ctx.args)
        for external in receiver.cls.externals:
            if distributions.is_distribution(external):
                drawn = distributions.call_method(ctx, receiver, name)
                if drawn is not None:
                    return drawn
            if external not in METHODLESS and ctx.interp.knowledge.function(f"{external}.{name}") is not None:
                return external_calls.call(ctx, f"{external}.{name}")
        if receiver.cls.inherits("typing.NamedTuple"):
            return namedtuple.call_method(ctx, receiver, name)
        missing_packages.note_method(ctx, receiver.cls, name)
        return UNKNOWN
    return external_calls.call(ctx, f"{receiver.cls.name}.{name}")


def _record_method(receiver: Instance, name: str, args: Args) -> Value:
    """Call a dict method of a record such as ``ModelOutput``, whose fields are its entries."""
    entries = tuple((Const(k), v) for k, v in receiver.attrs.items() if not k.startswith("__"))
    mapping = Mapping(entries, UNKNOWN if receiver.partial else None)
    if name == "get" and args.pos:
        return container_methods.value_at(mapping, args.pos[0], args.get(1, "default") or NONE)
    if name == "values":
        return Seq("list", tuple(v for _, v in entries))
    if name == "keys":
        return Seq("list", tuple(k for k, _ in entries))
    if name == "items":
        return Seq("list", tuple(Seq("tuple", (k, v)) for k, v in entries))
    return UNKNOWN


def _of_function(ctx: CallContext, receiver: Function, name: str) -> Value:
    if name != "__get__" or not ctx.args.pos:
        return UNKNOWN
    if ctx.args.pos[0] == NONE:
        return receiver
    return function_objects.bind(ctx, receiver, ctx.args.pos[0], "observed-exception")


def _of_static_method(ctx: CallContext, receiver: StaticMethod, name: str) -> Value:
    return receiver.function if name == "__get__" else UNKNOWN


def _of_scripted(ctx: CallContext, receiver: Wrapped, name: str) -> Value:
    return receiver if name in MODULE_KEEPERS else UNKNOWN


def _of_super(ctx: CallContext, receiver: Super, name: str) -> Value:
    """Call a method that only an external base class has."""

    instance = receiver.receiver
    if not isinstance(instance, Instance):
        if name == "__torch_function__" and tensor_subclasses.is_tensor_class(instance):
            return tensor_subclasses.default_torch_function(ctx)
        if isinstance(instance, Class) and name == "__new__":
            made = metaclass_namespaces.made(ctx.interp, ctx.args)
            if made is not None:
                return made
            return Instance(instance, branch_id=ctx.interp.branch_id)
        if isinstance(instance, Class) and name == "__call__":
            return ctx.call(instance, ctx.args)  # in the ``__call__`` of a metaclass
        return UNKNOWN
    if name == "__init__":
        exceptions.super_init(ctx, instance)
        nn_module_mutation.check_init(ctx, instance)
        ctx.interp.external_init(instance, ctx.args, ctx.frame, ctx.node)
        return NONE
    first = ctx.args.pos[0] if ctx.args.pos else None
    super_and_descriptors.super_method(ctx, instance.cls, name, first)
    if name in ("__getattribute__", "__getattr__") and isinstance(first, Const) and isinstance(first.value, str):
        return ctx.interp.instance_attribute(instance, first.value, ctx.frame, ctx.node)
    if name == "__setattr__" and len(ctx.args.pos) == 2 and isinstance(first, Const):
        ctx.interp.store_attribute(instance, str(first.value), ctx.args.pos[1])
        return NONE
    if name == "__setitem__" and first is not None and len(ctx.args.pos) == 2:
        if isinstance(first, Const) and isinstance(first.value, str) and "__items__" not in instance.attrs:
            ctx.interp.store_attribute(instance, first.value, ctx.args.pos[1])
        else:
            store_own_item(ctx.interp, instance, first, ctx.args.pos[1])
        return NONE
    if name == "__getitem__" and first is not None:
        items = instance.attrs.get("__items__")

        return UNKNOWN if items is None else ctx.interp.get_item(items, first, ctx.frame, ctx.node)
    if is_nn_module(instance):
        if name == "__call__" and isinstance(instance.cls, Class):
            forward = ctx.interp.class_attribute(instance.cls, "forward")
            if isinstance(forward, Function):
                return ctx.call(forward, ctx.args.prepend(instance))
        if name in ("forward", "__call__"):
            return external_calls.call_module(ctx, instance)
    return _of_instance(ctx, instance, name)


_HANDLERS: Final[HandlersByClass[Callable[[CallContext, Any, str], Value]]] = HandlersByClass(
    {
        Tensor: _of_tensor,
        **dict.fromkeys((Seq, Mapping, Iterator, Scalar), _of_container),
        Const: _of_constant,
        Instance: _of_instance,
        Super: _of_super,
        Function: _of_function,
        StaticMethod: _of_static_method,
        ScriptedFunction: _of_scripted,
        JitTracedFunction: _of_scripted,
        Class: autograd_function.call_method,
        ExternalObject: _of_object,
        Value: _of_other,
    }
)
