"""Operations that Dynamo has not implemented for a kind of value.

Each of its variables answers for the slots of a Python type (``torch/_dynamo/variables/base.py``).  Some kinds answer
for a few only: the text of a tensor, which is kept unread; an identity; typed arrays, dates and decimals; a bound
method of a tensor; iterators.
"""

from __future__ import annotations

import ast
from typing import Final

from gblint.interp.domain import tensor_text
from gblint.interp.models.python import exceptions, opaque_objects, super_and_descriptors
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import INT, NONE, STR, UNKNOWN, Const, Scalar, Tensor, Unknown, Unread, Value, members
from gblint.values.containers import Iterator, Slice
from gblint.values.objects import BuiltinMethod, ExternalName, ExternalObject, Instance, Super, Wrapped

ALIAS: Final = "alias"
"""The kind of ``Wrapped`` that ``list[int]`` is, evaluated in the region."""
_EXTERNAL: Final = {
    **dict.fromkeys((opaque_objects.ARRAY, "builtins.bytearray"), "buffer"),
    **dict.fromkeys((*opaque_objects.DATES, "decimal.Decimal"), "number"),
    **dict.fromkeys(("re.Pattern", "re.Match"), "pattern"),
    "logging.Logger": "logger",
    "weakref.ref": "weakref",
}

# What Dynamo says of an operation on a kind of value.  Where it first breaks and then resumes with an identity on the
# stack, it finds that it cannot hand that over (GB4501).
_MISSING: Final[dict[tuple[str, str], tuple[str, ...]]] = {
    ("text", "getitem"): ("GB4880",),
    ("text", "contains"): ("GB4411",),
    ("text", "add"): ("GB3934",),
    ("text", "repeat"): ("GB9458",),
    ("text", "repr"): ("GB6053",),
    ("text", "str"): ("GB0059",),
    ("text", "compare"): ("GB9648",),
    ("text", "hasattr"): ("GB0150",),
    ("text", "len"): ("GB0088",),
    ("identity", "int"): ("GB3775", "GB4501"),
    ("identity", "float"): ("GB7286", "GB4501"),
    ("identity", "abs"): ("GB9548", "GB4501"),
    ("identity", "repr"): ("GB6053", "GB4501"),
    ("identity", "str"): ("GB0059", "GB4501"),
    ("identity", "compare"): ("GB9316", "GB4501"),
    ("identity", "negative"): ("GB0755",),
    ("identity", "positive"): ("GB7510",),
    ("identity", "repeat"): ("GB3006",),
    ("identity", "arithmetic"): ("GB0088",),
    ("namespace", "compare"): ("GB1220",),
    ("buffer", "getitem"): ("GB4880",),
    ("buffer", "setitem"): ("GB7786",),
    ("buffer", "contains"): ("GB4411",),
    ("buffer", "compare"): ("GB1220",),
    ("buffer", "repeat"): ("GB9458",),
    ("buffer", "repeat in place"): ("GB9561",),
    ("number", "arithmetic"): ("GB0808",),
    ("number", "negative"): ("GB0156",),
    ("number", "positive"): ("GB0156",),
    ("number", "abs"): ("GB0156",),
    ("method", "hash"): ("GB0682",),
    ("method", "isinstance"): ("GB0175",),
    ("method", "hasattr"): ("GB0150",),
    ("method", "compare"): ("GB6215",),
    ("method", "callable"): ("GB0059",),
    ("method", "str"): ("GB0059",),
    **{(kind, "hasattr"): ("GB0150",) for kind in ("exception", "slice", "super", "pattern", "logger", "alias")},
    ("weakref", "compare"): ("GB4608",),
    ("drawn", "chr"): ("GB0178",),
    ("drawn", "hex"): ("GB0178",),
    ("drawn", "str"): ("GB0178",),
    ("drawn", "round"): ("GB0178",),
    ("attribute", "contains"): ("GB4411",),
    ("iterator", "repr"): ("GB6053",),
    ("iterator", "str"): ("GB0059",),
}
_EVENTS: Final = {
    "text": ("tensor-to-python", "format"),
    "identity": ("call", "builtins.id"),
    "buffer": ("operation", "buffer"),
    "namespace": ("operation", "namespace"),
    "number": ("operation", "number"),
    "method": ("operation", "tensor-method"),
    "iterator": ("operation", "iterator"),
    "weakref": ("operation", "weakref"),
    "attribute": ("operation", "function-attribute"),
    "drawn": ("random-number", "int"),
    **dict.fromkeys(("exception", "slice", "super", "pattern", "logger", "alias"), ("operation", "hasattr")),
}
# Compared with anything else, these are told apart by their identity.
_COMPARED_WITH_THEIR_LIKE: Final = frozenset(("buffer", "namespace", "method", "weakref"))


def kind_of(value: Value) -> str | None:
    """The kind of a value that answers for a few operations only, None for any other."""
    if tensor_text.shows_tensor(value):
        return "text"
    if value == opaque_objects.IDENTITY:
        return "identity"
    if isinstance(value, ExternalObject):
        return _EXTERNAL.get(value.cls) or ("exception" if exceptions.is_exception(value.cls) else None)
    if isinstance(value, Instance) and value.cls == ExternalName("types.SimpleNamespace"):
        return "namespace"
    if isinstance(value, Const):
        return "attribute" if isinstance(value.value, Unread) else None
    if isinstance(value, ExternalName):
        owner, _, last = value.name.rpartition(".")
        return "attribute" if last[:2] == "__" and owner.startswith("torch.") else None
    if isinstance(value, (Slice, Super)):
        return "slice" if isinstance(value, Slice) else "super"
    if isinstance(value, Wrapped):
        return {super_and_descriptors.SUPER_PROPERTY: "property", ALIAS: "alias"}.get(value.kind)
    if isinstance(value, BuiltinMethod) and isinstance(value.receiver, Tensor):
        return "method"
    if isinstance(value, Scalar) and value.kind in ("int", "float") and value.origin == "drawn":
        return "drawn"
    return "iterator" if isinstance(value, Iterator) and not value.cls.startswith("tqdm") else None


def _is_no_method(m: Interpreter, value: Value) -> bool:
    """Whether a "method of a tensor" has a name that tensors do not have: it is something else, then."""
    of_tensor = isinstance(value, BuiltinMethod) and isinstance(value.receiver, Tensor)
    return of_tensor and m.knowledge.tensor_method(getattr(value, "name", "")) is None


def refused(m: Interpreter, operation: str, value: Value, frame: Frame, node: ast.AST) -> bool:
    """Whether Dynamo has no handler for ``operation`` on one of the alternatives of ``value``, which is reported."""
    if not frame.mode.tracing:
        return False
    found = members(value)
    if any(isinstance(member, Unknown) for member in found):
        return False
    for member in found:
        if _is_no_method(m, member):
            continue
        kind = kind_of(member)
        if kind == "drawn" and frame.mode.keeps_scalars:
            continue  # it may as well be a number read out of a tensor, which is symbolic then
        ids = _MISSING.get((kind, operation)) if kind is not None else None
        if kind is not None and ids is not None:
            m.emit(frame, node, *_EVENTS[kind], ids, likely=len(found) > 1)
            return True
    return False


def binary(
    m: Interpreter, op: ast.operator, a: Value, b: Value, frame: Frame, node: ast.AST, in_place: bool
) -> Value | None:
    """The result of ``a op b`` if Dynamo has no handler for it, which is reported."""
    kinds = (kind_of(a), kind_of(b))
    if kinds == (None, None):
        return None
    if "text" in kinds:
        return _of_text(m, op, a, b, frame, node)
    if "identity" in kinds:
        which = "repeat" if isinstance(op, ast.Mult) else "arithmetic"
        refused(m, which, opaque_objects.IDENTITY, frame, node)
        return INT
    if "number" in kinds:
        number = a if kinds[0] == "number" else b
        refused(m, "arithmetic", number, frame, node)
        return number if isinstance(op, (ast.Add, ast.Sub, ast.Mult)) else UNKNOWN
    if "property" in kinds:
        tensor = next((v for v in (a, b) if isinstance(v, Tensor)), None)
        m.emit(frame, node, "operation", "super", ("GB0088",) if tensor is None else ("GB0055",))
        return UNKNOWN if tensor is None else Tensor(sure=tensor.sure)
    if kinds[0] == "buffer" and isinstance(op, ast.Mult):
        refused(m, "repeat in place" if in_place else "repeat", a, frame, node)
        return a
    return None


def _of_text(m: Interpreter, op: ast.operator, a: Value, b: Value, frame: Frame, node: ast.AST) -> Value | None:
    shown = a if tensor_text.shows_tensor(a) else b
    if isinstance(op, (ast.Add, ast.Mult)):
        refused(m, "add" if isinstance(op, ast.Add) else "repeat", shown, frame, node)
        return STR
    return None


def compared(m: Interpreter, a: Value, b: Value, frame: Frame, node: ast.AST) -> bool:
    """Whether Dynamo cannot compare two values, which is reported."""
    if NONE in (a, b):
        return False
    kinds = (kind_of(a), kind_of(b))
    for value, kind, other in ((a, kinds[0], kinds[1]), (b, kinds[1], kinds[0])):
        if kind is None or (kind in _COMPARED_WITH_THEIR_LIKE and other != kind):
            continue
        if refused(m, "compare", value, frame, node):
            return True
    return False


def hashed(m: Interpreter, value: Value, frame: Frame, node: ast.AST) -> None:
    """``value`` becomes a key, a member of a set, or the argument of ``hash``."""
    refused(m, "hash", value, frame, node)
