"""Subclasses of ``torch.Tensor`` with source, and classes with ``__torch_function__``: unsupported operations.

The models follow ``TensorWithTFOverrideVariable`` and ``TensorSubclassVariable`` (torch/_dynamo/variables).
"""

from __future__ import annotations

import ast
from typing import Final

from gblint.interp.domain import by_python
from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext, Handler
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime import ast_walk
from gblint.runtime.lazy_dataclasses import replace
from gblint.values.base import UNKNOWN, Const, Scalar, Tensor, Union, Value
from gblint.values.containers import Mapping, Seq
from gblint.values.lattice import join_all
from gblint.values.objects import BoundMethod, Class, ExternalName, Function, Instance, is_nn_module
from gblint.values.wrapped import ClassMethod, Property

_NOT_IMPLEMENTED = ExternalName("builtins.NotImplemented")
# The entry among the attributes of an instance with what is known of it as a tensor.
_TENSOR = "__tensor__"
# Methods that ``torch.Tensor`` has as slots written in C.
_ITEM_SLOTS = ("__getitem__", "__setitem__", "__delitem__")


def is_tensor_class(cls: Value) -> bool:
    """Return whether ``cls`` is a subclass of ``torch.Tensor`` with source."""
    return isinstance(cls, Class) and cls.inherits("torch.Tensor")


def is_subclass(value: Value) -> bool:
    """Return whether ``value`` is an instance of such a class."""
    return isinstance(value, Instance) and is_tensor_class(value.cls)


def overrides(interp: Interpreter, value: Instance) -> bool:
    """Return whether the class of a tensor has a ``__torch_function__`` of its own."""
    return isinstance(value.cls, Class) and interp.class_attribute(value.cls, "__torch_function__") is not None


def plain(interp: Interpreter, value: Value) -> Value:
    """Return an instance of a subclass as the tensor that it is; other values and those with an override stay."""
    if isinstance(value, Union) and any(map(is_subclass, value.members)):
        return join_all(plain(interp, each) for each in value.members)
    if not isinstance(value, Instance) or not is_subclass(value) or overrides(interp, value):
        return value
    return _tensor_of(value)


def _tensor_of(value: Instance) -> Tensor:
    """Return what is known of an instance of a subclass as a tensor."""
    tensor = value.attrs.get(_TENSOR)
    return tensor if isinstance(tensor, Tensor) else Tensor(is_input=value.pre_existing)


def wrapped(interp: Interpreter, result: Value, *operands: Value) -> Value:
    """Return the result of an operation: with the class of an operand, as ``Tensor.__torch_function__`` gives it."""
    if not isinstance(result, Tensor):
        return result
    found = next((v for v in operands if isinstance(v, Instance) and is_subclass(v)), None)
    if found is None or found.attrs.get(_TENSOR) == result:
        return result if found is None else found
    return Instance(found.cls, {_TENSOR: result}, branch_id=interp.branch_id, partial=True, pre_existing=False)


def is_among(ctx: CallContext) -> bool:
    """Return whether an instance of a subclass is an argument, or an item of a sequence among the arguments."""
    return any(
        is_subclass(v) or (isinstance(v, Seq) and any(is_subclass(item) for item in v.items or ()))
        for v in (*ctx.args.pos, *ctx.args.kw.values())
    )


def without(ctx: CallContext) -> tuple[CallContext, tuple[Value, ...]]:
    """Return the call with plain tensors for the instances of subclasses, and these instances."""
    found: list[Value] = []

    def convert(value: Value) -> Value:
        if isinstance(value, Seq) and value.items is not None:
            items = tuple([convert(item) for item in value.items])
            return value if items == value.items else replace(value, items=items)
        new = plain(ctx.interp, value)
        if new is not value:
            found.append(value)
        return new

    args = ctx.args
    pos, kw = tuple([convert(v) for v in args.pos]), {k: convert(v) for k, v in args.kw.items()}
    return ctx.with_args(Args(pos, kw, args.star, args.kwstar)), tuple(found)


def default_torch_function(ctx: CallContext) -> Value:
    """``torch.Tensor.__torch_function__(func, types, args, kwargs)``: call ``func`` on the tensors."""
    function, args = ctx.args.get(0, "func"), ctx.args.get(2, "args")
    if not isinstance(function, ExternalName) or not isinstance(args, Seq) or args.items is None:
        return UNKNOWN
    given = tuple([_tensor_of(v) if isinstance(v, Instance) and is_subclass(v) else v for v in args.items])
    options = ctx.args.get(3, "kwargs")
    kw = {str(k.value): v for k, v in options.entries if isinstance(k, Const)} if isinstance(options, Mapping) else {}
    result = ctx.call(function, Args(given, kw))
    return result if function.name == "torch.Tensor.as_subclass" else wrapped(ctx.interp, result, *args.items)


def as_subclass(ctx: CallContext, receiver: Tensor) -> Value:
    """``tensor.as_subclass(cls)``: only for a module-level class without ``__torch_dispatch__``."""
    cls = ctx.args.get(0, "cls")
    if isinstance(cls, Class):
        if cls.scope is not None or ctx.interp.class_attribute(cls, "__torch_dispatch__") is not None:
            ctx.emit("tensor-subclass", "as_subclass", ("as-subclass-of-dispatching-subclass",), about=receiver)
        attrs: dict[str, Value] = {_TENSOR: receiver}
        return Instance(cls, attrs, branch_id=ctx.interp.branch_id, pre_existing=not ctx.frame.mode.tracing)
    if isinstance(cls, ExternalName):
        ctx.emit("tensor-subclass", "as_subclass", ("as-subclass-of-dispatching-subclass",), about=receiver)
        return Tensor(receiver.rank, receiver.dtype, receiver.proven)
    return UNKNOWN


def check_conversion(ctx: CallContext, receiver: Instance) -> None:
    """Report ``as_subclass`` of a tensor of a subclass, unless its ``__torch_function__`` is disabled."""
    hook = ctx.interp.class_attribute(receiver.cls, "__torch_function__") if isinstance(receiver.cls, Class) else None
    if isinstance(ctx.args.get(0, "cls"), Class) and not isinstance(hook, ExternalName):
        ctx.emit("tensor-subclass", "as_subclass-again", ("unhandled-args-for-method",))


def check_made(ctx: CallContext, cls: Class) -> None:
    """Check ``Subclass(...)``: without a ``__new__`` it takes one tensor and nothing else.

    Dynamo calls the ``__init__`` of a subclass with the tensor that it made, and with no other argument.
    """
    if not ctx.frame.mode.tracing or not is_tensor_class(cls):
        return
    init = ctx.interp.class_attribute(cls, "__init__")
    wrapper = ctx.interp.class_attribute(cls, "__torch_dispatch__") is not None
    if isinstance(init, Function) and _requires_arguments(init) and not wrapper:
        ctx.emit("tensor-subclass", "__init__", ("inline-argument-binding-failure",))
        return
    if ctx.interp.class_attribute(cls, "__new__") is not None:
        return
    alone = len(ctx.args.pos) == 1 and not ctx.args.kw and ctx.args.star is None and ctx.args.kwstar is None
    if not alone or isinstance(ctx.args.pos[0], (Const, Scalar, Seq)):
        ctx.emit("tensor-subclass", "constructor", ("subclass-constructor-with-extra-arguments",))


def _requires_arguments(function: Function) -> bool:
    """Return whether a method needs another argument than the object."""
    given = function.node.args
    return len((*given.posonlyargs, *given.args)) - len(given.defaults) > 1 or None in given.kw_defaults


def is_made_in_graph(ctx: CallContext, cls: Class) -> bool:
    """Return whether one node of the graph makes ``cls(...)``, as for a traceable wrapper subclass of tensors.

    Its ``__new__`` and ``__init__`` are not traced then (torch/_dynamo/variables/user_defined.py). The node holds all
    arguments: an object that it cannot hold is reported.
    """
    if ctx.interp.class_attribute(cls, "__tensor_flatten__") is None:
        return False
    for value in (*ctx.args.pos, *ctx.args.kw.values()):
        if isinstance(value, Instance) and isinstance(value.cls, Class) and not _fits_in_node(value, value.cls):
            ctx.emit("tensor-subclass", "argument", ("args-not-convertible-to-proxy",))
            return False
    return True


def _fits_in_node(value: Instance, cls: Class) -> bool:
    """Return whether a node of a graph can hold an object (``as_proxy`` of Dynamo's variables)."""
    if (
        is_subclass(value)
        or is_nn_module(value)
        or cls.inherits("enum.Enum", "typing.NamedTuple", "builtins.tuple", "builtins.dict")
    ):
        return True
    decorators = [each for owner in cls.mro for each in owner.node.decorator_list if isinstance(each, ast.Call)]
    return any(keyword.arg == "frozen" for each in decorators for keyword in each.keywords)


def wrapper(ctx: CallContext) -> Value:
    """``torch.Tensor._make_wrapper_subclass(cls, size, ...)``, a function of C++ that Dynamo does not trace."""
    ctx.emit("tensor-subclass", "wrapper", ("call-of-skipped-function",))
    cls = ctx.args.first
    if not isinstance(cls, Class):
        return UNKNOWN
    return Instance(cls, {_TENSOR: Tensor()}, branch_id=ctx.interp.branch_id, pre_existing=not ctx.frame.mode.tracing)


def check_read(interp: Interpreter, base: Instance, name: str, frame: Frame, node: ast.AST) -> None:
    """Check ``tensor.name`` for an instance of a subclass."""
    if not frame.mode.tracing or not is_subclass(base):
        return
    if name == "_base":
        interp.emit(frame, node, "tensor-subclass", "_base", ("subclass-attribute-access",))
        return
    if interp.knowledge.tensor_attribute(name) is None and interp.knowledge.tensor_method(name) is None:
        return
    found = interp.class_attribute(base.cls, name) if isinstance(base.cls, Class) else None
    traced = isinstance(found, (Function, Property, ClassMethod))
    if found is not None and not traced:
        interp.emit(frame, node, "tensor-subclass", "override", ("subclass-overridden-attribute-access",))


def check_protocol(interp: Interpreter, base: Value, name: str, frame: Frame, node: ast.AST) -> None:
    """Report ``y[0] = 1`` or ``reversed(y)`` if the class of ``y`` overrides the method."""
    if isinstance(base, Instance) and is_subclass(base) and isinstance(base.cls, Class):
        if interp.class_attribute(base.cls, name) is not None:
            interp.emit(frame, node, "tensor-subclass", name, ("subclass-overridden-method-call",))


def dispatch(ctx: CallContext, name: str) -> Value | None:
    """Call a function of torch on an object with a ``__torch_function__``, which Dynamo inlines."""
    if not ctx.frame.mode.tracing:
        return None
    for value in (*ctx.args.pos, *ctx.args.kw.values()):
        if not isinstance(value, Instance) or not isinstance(value.cls, Class):
            continue
        override = ctx.interp.class_attribute(value.cls, "__torch_function__")
        if isinstance(override, ClassMethod):
            override = BoundMethod(override.function, value.cls)
        if not isinstance(override, (BoundMethod, Function)):
            continue
        options = Mapping(tuple((Const(k), v) for k, v in ctx.args.kw.items()), ctx.args.kwstar)
        given = (ExternalName(name), Seq("tuple", (value.cls,)), Seq("tuple", ctx.args.pos), options)
        answer = ctx.call(override, Args(given))
        if answer == _NOT_IMPLEMENTED:
            ctx.emit("tensor-subclass", "not-implemented", ("torch-function-overrides-not-implemented",))
            return UNKNOWN
        return answer
    return None


HANDLERS: Final[dict[str, Handler]] = {
    "torch.Tensor.__torch_function__": default_torch_function,
    "torch.Tensor._make_wrapper_subclass": wrapper,
}


def check_item_by_python(interp: Interpreter, function: Function, frame: Frame) -> None:
    """Note the break at ``super().__getitem__(...)`` in a method of a tensor subclass that Python calls.

    Dynamo does not call the method for ``x[i]`` in code that it traces.  ``super()`` finds a slot written in C.
    """
    mode, node, owner = frame.mode, function.node, function.owner
    if isinstance(node, ast.Lambda) or node.name not in _ITEM_SLOTS or owner is None:
        return
    if not mode.tracing or mode.fullgraph or mode.error_on_break or mode.in_higher_order_op:
        return
    if not owner.inherits("torch.Tensor"):
        return
    for call in (each for statement in node.body for each in ast_walk.walk(statement)):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == node.name:
            base = call.func.value
            if isinstance(base, ast.Call) and isinstance(base.func, ast.Name) and base.func.id == "super":
                by_python.note(interp, frame, call, "operation", ("super-attribute-not-a-function",))
                return
