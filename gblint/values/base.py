"""Abstract values without parts: constants, Python scalars, tensors, unknown values.

They correspond to Dynamo's ``VariableTracker`` classes.  Values are immutable and compare by content, except for
instances (``objects.py``), which have an identity.
"""

from __future__ import annotations

from typing import Final, Literal

from gblint.runtime.lazy_dataclasses import dataclass, field

ScalarKind = Literal["int", "float", "bool", "complex", "str", "bytes", "number"]
Origin = Literal["python", "size", "data", "random", "object"]


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
    """A member of an enum whose members are strings: it equals its string value, but has its own class."""

    cls: Value
    member: str

    @staticmethod
    def of(cls: Value, name: str, value: str) -> TextMember:
        """Return the member ``name`` of the enum ``cls``."""
        result = TextMember(value)
        result.cls, result.member = cls, name
        return result


class Unread(str):
    """The text of an attribute of a torch function, such as ``torch.add.__name__``, which Dynamo has not read."""


def _type_of(value: object) -> type:
    return str if isinstance(value, str) else type(value)


@dataclass(frozen=True, slots=True)
class Scalar(Value):
    """A Python scalar of known type and unknown value.

    ``origin`` is the source of the number. Dynamo guards on "python" and "size", which are harmless. "data" depends
    on the contents of a tensor (an unbacked SymInt or SymFloat) and occurs only where scalars are captured.
    "random" is a random number, which Dynamo holds as a tensor until a break turns it into a Python number.
    "object" is the text of an object, which Dynamo does not know while it traces. ``likely`` is the value by
    default of an option that an object holds; a break that needs another value is less certain. ``usual`` is the
    value that any default declares; it only serves to say how far an event is reached.
    """

    kind: ScalarKind
    origin: Origin = "python"
    likely: Const | None = None
    usual: Const | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Tensor(Value):
    """A tensor, or a NumPy array, which Dynamo traces as a tensor.

    ``dtype`` is a family: "bool", "int", "uint8", "float" or "complex". ``proven`` is false if only a heuristic says
    that the value is a tensor. ``is_input`` is true if Dynamo has a source for it: inputs, parameters, attributes.
    ``constant`` is true for a tensor made from Python numbers in the region. Dynamo knows its contents
    (``FakeTensor.constant``), so that it can replace a number in the arguments of an operator. ``length`` is the size
    of the first dimension, if known. ``transposed`` is true if the strides are known to differ from those of a
    contiguous tensor. ``operand_id`` numbers the operands of functions passed to ``torch.cond`` and other higher-order
    operators; tensors that share memory with an operand have its number, all others have 0. ``layout`` is set for
    inputs that Dynamo does not support: sparse, strided nested and quantized tensors, arrays of Python objects.
    ``grad_provenance`` is the reason why the tensor requires a gradient: it is a ``parameter`` or another leaf, or it
    was computed from a tensor ``outside`` of the region; a ``frozen`` one requires none because the program says so.
    A ``buffer`` is an ``nn.Buffer`` that the region makes.
    ``unbacked`` is true if the size of the first dimension depends on data and is captured. ``unguarded`` is true for
    an integer that comes in, but whose value Dynamo does not guard on when it is needed: a parameter, or one narrower
    than int64; for a NumPy scalar that comes in and is narrower than int64 or float64, too.
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
    grad_provenance: Literal["", "leaf", "parameter", "frozen", "outside", "buffer"] = ""
    unbacked: bool = False
    unguarded: bool = False


@dataclass(frozen=True, slots=True)
class Unknown(Value):
    """An unknown value.

    ``hint`` is "tensor" if the value may well be a tensor. It is "unpassed" for the contents of ``**kwargs`` of an
    entry point: keyword arguments that no known call passes. It is "many" for one of so many functions or objects that
    they are no longer told apart: what is called is not followed.
    """

    hint: str = ""


@dataclass(frozen=True, slots=True)
class Union(Value):
    """One of several values. Only ``join`` creates unions, so they are never nested and never have a single member.

    ``usual`` is the value that a default declares, as for ``Scalar``.
    """

    members: tuple[Value, ...]
    usual: Value | None = field(default=None, compare=False)


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
MANY: Final = Unknown("many")
BOTTOM: Final = Bottom()
TENSOR: Final = Tensor()
GUESSED_INPUT: Final = Tensor(proven=False, is_input=True)
"""An argument that no known call shows and that is taken for a tensor."""


def is_text_member(value: Value) -> bool:
    """Return whether a value is a member of an enum whose members are strings."""
    return isinstance(value, Const) and isinstance(value.value, TextMember)


def members(value: Value) -> tuple[Value, ...]:
    """Return the members of a union, or a tuple of only ``value`` if it is not a union."""
    if type(value) is Union:
        return value.members
    return (value,)


def scalar_of(value: object) -> Value:
    """Return the abstract value that keeps only the type of a Python constant."""
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
