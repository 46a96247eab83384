"""Abstract values without parts: constants, Python scalars, tensors, unknown values.

Dynamo calls its own the ``VariableTracker``s.  Values are immutable and compare by content, except for instances
(``objects.py``), which have an identity.
"""

from __future__ import annotations

from typing import Final, Literal

from gblint.runtime.lazy_dataclasses import dataclass

ScalarKind = Literal["int", "float", "bool", "complex", "str", "bytes", "number"]
Origin = Literal["python", "size", "data", "random"]


class Value:
    """An abstract value: the result of an expression."""

    __slots__ = ()


class Const(Value):
    """A Python constant whose value is known: None, a bool, a number, a string, bytes, Ellipsis."""

    __slots__ = ("_hash", "value")

    def __init__(self, value: object) -> None:
        self.value = value
        self._hash = hash((_type_of(value), value))

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(other) is not Const or self._hash != other._hash:
            return False
        return _type_of(self.value) is _type_of(other.value) and self.value == other.value

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"Const({self.value!r})"


class TextMember(str):
    """A member of an enum whose members are strings: equal to its value, yet an object of its own class."""

    cls: Value
    member: str

    @staticmethod
    def of(cls: Value, name: str, value: str) -> TextMember:
        """Return the member ``name`` of the enum ``cls``."""
        made = TextMember(value)
        made.cls, made.member = cls, name
        return made


class Unread(str):
    """The text of an attribute of one of torch's functions, such as ``torch.add.__name__``: Dynamo has not read it."""


def _type_of(value: object) -> type:
    return str if isinstance(value, str) else type(value)


@dataclass(frozen=True, slots=True)
class Scalar(Value):
    """A Python scalar of known type and unknown value.

    ``origin`` tells where it comes from: "python" and "size" are guarded by Dynamo and harmless; "data" depends on what
    is in a tensor (an unbacked SymInt or SymFloat), which happens only where scalars are captured; "random" is a random
    number, which Dynamo holds as a tensor until a break makes a Python number of it. ``default`` is the value that it
    has unless somebody changed a default.
    """

    kind: ScalarKind
    origin: Origin = "python"
    default: Const | None = None


@dataclass(frozen=True, slots=True)
class Tensor(Value):
    """A tensor, or a NumPy array, which Dynamo traces as one.

    ``dtype`` is a family: "bool", "int", "uint8", "float" or "complex". ``proven`` is false where a heuristic says
    that this is a tensor. ``is_input`` is true for what Dynamo has a source for: inputs, parameters, attributes.
    ``constant`` is true for one that was made of Python numbers in the region: Dynamo knows what is in it
    (``FakeTensor.constant``), so that it may stand for a number in the arguments of an operator. ``length`` is the
    size of the first dimension where it is known; ``transposed`` is true where the strides are known not to be
    those of a contiguous tensor. ``operand_id`` numbers the arguments of functions that are given to ``torch.cond``
    and its kin, and marks what shares memory with one; it is 0 for all else. ``layout`` is set for what Dynamo
    cannot take in: sparse, strided nested and quantized tensors, arrays of Python objects. ``grad_provenance`` says
    why it requires a gradient: it is a leaf, or it was computed from one ``outside`` of the region. ``unbacked`` is
    true where the size of the first dimension depends on data, and is captured.
    """

    rank: int | None = None
    dtype: str | None = None
    proven: bool = True
    is_input: bool = False
    ndarray: bool = False
    requires_grad: bool | None = None
    constant: bool = False
    length: int | None = None
    transposed: bool = False
    operand_id: int = 0
    layout: Literal["", "sparse", "nested", "quantized", "object"] = ""
    grad_provenance: Literal["", "leaf", "outside"] = ""
    unbacked: bool = False


@dataclass(frozen=True, slots=True)
class Unknown(Value):
    """An unknown value.

    ``hint`` is "tensor" where one would be no surprise, "unpassed" for what ``**kwargs`` of an entry point may hold:
    keyword arguments that nothing shows anybody to pass.
    """

    hint: str = ""


@dataclass(frozen=True, slots=True)
class Union(Value):
    """One of a few values; made by ``join`` only, so never nested and never with a single member."""

    members: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Bottom(Value):
    """No value: the result of code that never returns."""


NONE: Final = Const(None)
TRUE: Final = Const(True)
FALSE: Final = Const(False)
INT: Final = Scalar("int")
FLOAT: Final = Scalar("float")
BOOL: Final = Scalar("bool")
STR: Final = Scalar("str")
NUMBER: Final = Scalar("number")
SIZE: Final = Scalar("int", "size")
UNKNOWN: Final = Unknown()
UNPASSED: Final = Unknown("unpassed")
BOTTOM: Final = Bottom()
TENSOR: Final = Tensor()


def members(value: Value) -> tuple[Value, ...]:
    """Return the alternatives of ``value``: itself, unless it is a union."""
    if type(value) is Union:
        return value.members
    return (value,)


def scalar_of(value: object) -> Value:
    """Return the value that keeps only the type of a constant."""
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, int):
        return INT
    if isinstance(value, float):
        return FLOAT
    if isinstance(value, str):
        return STR
    if isinstance(value, complex):
        return Scalar("complex")
    if isinstance(value, bytes):
        return Scalar("bytes")
    return Const(value)
