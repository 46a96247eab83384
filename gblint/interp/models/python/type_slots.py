"""Operations that Dynamo has not implemented for a kind of value.

Each variable class implements slots of a Python type (``torch/_dynamo/variables/base.py``).  Some kinds implement only
a few: the text of a tensor, which stays unread; identities; typed arrays, dates and decimals; bound methods of tensors;
iterators; the attributes of a logger, which stay unread too.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, Final

from gblint.interp.domain import tensor_text
from gblint.interp.models.python import exceptions, opaque_objects
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import INT, NONE, STR, UNKNOWN, Const, Scalar, Tensor, Union, Unknown, Unread, Value, members
from gblint.values.containers import Iterator, Seq, Slice
from gblint.values.dispatch import HandlersByClass
from gblint.values.objects import BuiltinMethod, ExternalName, ExternalObject, Instance, Super
from gblint.values.wrapped import GenericAlias, SuperProperty

_EXTERNAL: Final = {
    **dict.fromkeys((opaque_objects.ARRAY, "builtins.bytearray"), "buffer"),
    **dict.fromkeys((*opaque_objects.DATES, "decimal.Decimal"), "number"),
    **dict.fromkeys(("re.Pattern", "re.Match"), "pattern"),
    "logging.Logger": "logger",
    "weakref.ref": "weakref",
}

_USES_OF_TEXT: Final = {
    "getitem": "missing-mp-subscript",
    "contains": "missing-sq-contains",
    "add": "missing-sq-concat",
    "repeat": "sq-repeat-impl-not-implemented",
    "repr": "repr-impl-not-implemented",
    "str": "failed-to-trace-builtin-operator",
    "compare": "missing-richcompare-impl-override",
    "hasattr": "unsupported-hasattr-call",
    "len": "observed-exception",
}
# What Dynamo says of an operation on a kind of value.  Where it first breaks and then resumes with an identity on the
# stack, it finds that it cannot hand that over (GB4501).
_MISSING: Final[dict[tuple[str, str], tuple[str, ...]]] = {
    **{(kind, operation): (cause,) for kind in ("text", "object text") for operation, cause in _USES_OF_TEXT.items()},
    ("identity", "int"): ("nb-int-impl-not-implemented", "reconstruction-of-fake-id"),
    ("identity", "float"): ("nb-float-impl-not-implemented", "reconstruction-of-fake-id"),
    ("identity", "abs"): ("nb-absolute-impl-not-implemented", "reconstruction-of-fake-id"),
    ("identity", "repr"): ("repr-impl-not-implemented", "reconstruction-of-fake-id"),
    ("identity", "str"): ("failed-to-trace-builtin-operator", "reconstruction-of-fake-id"),
    ("identity", "compare"): ("comparison-of-compile-time-id", "reconstruction-of-fake-id"),
    ("identity", "negative"): ("nb-negative-impl-not-implemented",),
    ("identity", "positive"): ("nb-positive-impl-not-implemented",),
    ("identity", "repeat"): ("tp-as-number-slot-not-implemented",),
    ("identity", "arithmetic"): ("observed-exception",),
    ("namespace", "compare"): ("untraceable-c-tp-richcompare",),
    ("buffer", "getitem"): ("missing-mp-subscript",),
    ("buffer", "setitem"): ("missing-mp-ass-subscript",),
    ("buffer", "contains"): ("missing-sq-contains",),
    ("buffer", "compare"): ("untraceable-c-tp-richcompare",),
    ("buffer", "repeat"): ("sq-repeat-impl-not-implemented",),
    ("buffer", "repeat in place"): ("sq-inplace-repeat-impl-not-implemented",),
    ("number", "arithmetic"): ("c-method-descriptor-call",),
    ("number", "negative"): ("unsupported-method-call",),
    ("number", "positive"): ("unsupported-method-call",),
    ("number", "abs"): ("unsupported-method-call",),
    ("method", "hash"): ("getattr-variable-hash",),
    ("method", "isinstance"): ("isinstance-cannot-determine-type",),
    ("method", "hasattr"): ("unsupported-hasattr-call",),
    ("method", "compare"): ("getattr-variable-comparison",),
    ("method", "callable"): ("failed-to-trace-builtin-operator",),
    ("method", "str"): ("failed-to-trace-builtin-operator",),
    **{
        (kind, "hasattr"): ("unsupported-hasattr-call",)
        for kind in ("exception", "slice", "super", "pattern", "logger", "alias")
    },
    ("setting", "compare"): ("getattr-variable-comparison",),
    **{
        ("setting", operation): ("unsupported-python-type-call",)
        for operation in ("truth", "arithmetic", "len", "contains")
    },
    ("property", "compare"): ("getattr-variable-comparison",),
    **{("property", operation): ("observed-exception",) for operation in ("len", "getitem", "str", "repr")},
    ("property", "hash"): ("getattr-variable-hash",),
    ("weakref", "compare"): ("richcompare-identity-fallback-undetermined",),
    ("random", "chr"): ("constant-fold-exception",),
    ("random", "hex"): ("constant-fold-exception",),
    ("random", "str"): ("constant-fold-exception",),
    ("random", "round"): ("constant-fold-exception",),
    ("attribute", "contains"): ("missing-sq-contains",),
    ("iterator", "repr"): ("repr-impl-not-implemented",),
    ("iterator", "str"): ("failed-to-trace-builtin-operator",),
}
_EVENTS: Final = {
    "text": ("tensor-to-python", "format"),
    "object text": ("call", "builtins.format"),
    "identity": ("call", "builtins.id"),
    "buffer": ("operation", "buffer"),
    "namespace": ("operation", "namespace"),
    "number": ("operation", "number"),
    "method": ("operation", "tensor-method"),
    "iterator": ("operation", "iterator"),
    "weakref": ("operation", "weakref"),
    "setting": ("operation", "logger-attribute"),
    "attribute": ("operation", "function-attribute"),
    "property": ("operation", "super()"),
    "random": ("random-number", "int"),
    **dict.fromkeys(("exception", "slice", "super", "pattern", "logger", "alias"), ("operation", "hasattr")),
}
# Compared with other kinds, these are compared by identity.
_COMPARED_WITH_THEIR_LIKE: Final = frozenset(("buffer", "namespace", "method", "weakref"))


def kind_of(value: Value) -> str | None:
    """Return the kind of a value with few implemented slots; None for any other value."""
    return _KINDS[type(value)](value)


def _kind_of_scalar(value: Scalar) -> str | None:
    if value.kind == "str":
        return {"data": "text", "object": "object text"}.get(value.origin)
    return "random" if value.origin == "random" and value.kind in ("int", "float") else None


def _kind_of_union(value: Union) -> str | None:
    if tensor_text.shows_tensor(value):
        return "text"
    return "object text" if tensor_text.shows_object(value) else None


def _kind_of_object(value: ExternalObject) -> str | None:
    if value == opaque_objects.IDENTITY:
        return "identity"
    if value.cls.startswith(opaque_objects.OF_LOGGER):
        return "setting"
    return _EXTERNAL.get(value.cls) or ("exception" if exceptions.is_exception(value.cls) else None)


def _kind_of_instance(value: Instance) -> str | None:
    return "namespace" if value.cls == ExternalName("types.SimpleNamespace") else None


def _kind_of_constant(value: Const) -> str | None:
    return "attribute" if isinstance(value.value, Unread) else None


def _kind_of_external_name(value: ExternalName) -> str | None:
    owner, _, last = value.name.rpartition(".")
    return "attribute" if last[:2] == "__" and owner.startswith("torch.") else None


def _kind_of_method(value: BuiltinMethod) -> str | None:
    return "method" if isinstance(value.receiver, Tensor) else None


def _kind_of_iterator(value: Iterator) -> str | None:
    return None if value.cls.startswith("tqdm") else "iterator"


_KINDS: Final[HandlersByClass[Callable[[Any], str | None]]] = HandlersByClass(
    {
        Scalar: _kind_of_scalar,
        Union: _kind_of_union,
        ExternalObject: _kind_of_object,
        Instance: _kind_of_instance,
        Const: _kind_of_constant,
        ExternalName: _kind_of_external_name,
        BuiltinMethod: _kind_of_method,
        Iterator: _kind_of_iterator,
        Slice: lambda _: "slice",
        Super: lambda _: "super",
        SuperProperty: lambda _: "property",
        GenericAlias: lambda _: "alias",
        Value: lambda _: None,
    }
)


def _is_no_method(interp: Interpreter, value: Value) -> bool:
    """Return whether a "method of a tensor" has a name that tensors lack; then the value is something else."""
    of_tensor = isinstance(value, BuiltinMethod) and isinstance(value.receiver, Tensor)
    return of_tensor and interp.knowledge.tensor_method(getattr(value, "name", "")) is None


def _is_of_input(method: BuiltinMethod) -> bool:
    """Return whether a method belongs to an input: Dynamo knows its type then (``GetAttrVariable.py_type``)."""
    return isinstance(method.receiver, Tensor) and method.receiver.is_input


def refused(interp: Interpreter, operation: str, value: Value, frame: Frame, node: ast.AST) -> bool:
    """Return whether Dynamo has no handler for ``operation`` on one alternative of ``value``, which is reported."""
    if not frame.mode.tracing:
        return False
    found = members(value)
    if any(isinstance(member, Unknown) for member in found):
        return False
    for member in found:
        if _is_no_method(interp, member):
            continue
        kind = kind_of(member)
        if kind == "random" and frame.mode.keeps_scalars:
            continue  # it may also be a number read from a tensor, which is symbolic
        if operation == "isinstance" and isinstance(member, BuiltinMethod) and _is_of_input(member):
            continue
        causes = _MISSING.get((kind, operation)) if kind is not None else None
        if kind is not None and causes is not None:
            event, subject = _EVENTS[kind]
            subject = f"super().{member.name}" if isinstance(member, SuperProperty) else subject
            interp.emit(frame, node, event, subject, causes, likely=len(found) > 1)
            return True
    return False


def binary(
    interp: Interpreter, op: ast.operator, a: Value, b: Value, frame: Frame, node: ast.AST, in_place: bool
) -> Value | None:
    """Return the result of ``a op b`` if Dynamo has no handler for it, which is reported; else None."""
    kinds = (kind_of(a), kind_of(b))
    if kinds == (None, None):
        return None
    if "text" in kinds or "object text" in kinds:
        return _of_text(interp, op, a, b, frame, node)
    if "identity" in kinds:
        which = "repeat" if isinstance(op, ast.Mult) else "arithmetic"
        refused(interp, which, opaque_objects.IDENTITY, frame, node)
        return INT
    if "number" in kinds:
        number = a if kinds[0] == "number" else b
        refused(interp, "arithmetic", number, frame, node)
        return number if isinstance(op, (ast.Add, ast.Sub, ast.Mult)) else UNKNOWN
    if "setting" in kinds:
        refused(interp, "arithmetic", a if kinds[0] == "setting" else b, frame, node)
        return next((v for v in (a, b) if isinstance(v, Tensor)), UNKNOWN)
    unread = next((v for v in (a, b) if isinstance(v, SuperProperty)), None)
    if unread is not None:
        tensor = next((v for v in (a, b) if isinstance(v, Tensor)), None)
        cause = "observed-exception" if tensor is None else "args-not-convertible-to-proxy"
        interp.emit(frame, node, "operation", f"super().{unread.name}", (cause,))
        return UNKNOWN if tensor is None else Tensor(proven=tensor.proven)
    if kinds[0] == "buffer" and isinstance(op, ast.Mult):
        refused(interp, "repeat in place" if in_place else "repeat", a, frame, node)
        return a
    return None


def _of_text(interp: Interpreter, op: ast.operator, a: Value, b: Value, frame: Frame, node: ast.AST) -> Value | None:
    shown = a if tensor_text.shows_tensor(a) or tensor_text.shows_object(a) else b
    if isinstance(op, (ast.Add, ast.Mult)):
        refused(interp, "add" if isinstance(op, ast.Add) else "repeat", shown, frame, node)
        return STR
    return None


def compared(interp: Interpreter, a: Value, b: Value, frame: Frame, node: ast.AST) -> bool:
    """Return whether Dynamo cannot compare two values, which is reported."""
    if NONE in (a, b):
        return False
    kinds = (kind_of(a), kind_of(b))
    for value, kind, other in ((a, kinds[0], kinds[1]), (b, kinds[1], kinds[0])):
        if kind is None or (kind in _COMPARED_WITH_THEIR_LIKE and other != kind):
            continue
        if refused(interp, "compare", value, frame, node):
            return True
    return False


def sought(interp: Interpreter, value: Value, container: Value, frame: Frame, node: ast.AST) -> None:
    """Report ``super().name in container``: the items of a list are compared with the value, in a set it is hashed."""
    if any(isinstance(each, SuperProperty) for each in members(value)):
        in_order = isinstance(container, Seq) and container.cls in ("list", "tuple")
        refused(interp, "compare" if in_order else "hash", value, frame, node)


def hashed(interp: Interpreter, value: Value, frame: Frame, node: ast.AST) -> None:
    """Report a ``value`` without a hash in Dynamo as a key, a set member, or an argument of ``hash``."""
    refused(interp, "hash", value, frame, node)
