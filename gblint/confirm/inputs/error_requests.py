"""What an error message asks for, as plain data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Size:
    """A dimension of size ``have`` should be ``want``; ``dim`` is which, where the message says it."""

    have: int
    want: int
    dim: int | None = None


@dataclass(frozen=True, slots=True)
class Rank:
    """A tensor of ``have`` dimensions (0: not told) should have ``want``."""

    have: int
    want: int


@dataclass(frozen=True, slots=True)
class Dtype:
    """A tensor's elements should be of another type; ``have`` is what they are, where that is told."""

    want: str
    have: str = ""


@dataclass(frozen=True, slots=True)
class UpperBound:
    """Integers are too large: they should stay below ``bound`` (0: not told)."""

    bound: int = 0


@dataclass(frozen=True, slots=True)
class MissingArguments:
    """Parameters that were not passed."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UnexpectedArgument:
    """A keyword that is not taken."""

    name: str


@dataclass(frozen=True, slots=True)
class MultipleOf:
    """A size should be a multiple of ``of``; ``have`` is what it is, ``name`` which parameter, where told."""

    of: int
    have: int = 0
    name: str = ""


@dataclass(frozen=True, slots=True)
class LargerSize:
    """Something is too small: the batch, or the spatial sizes."""

    what: str


@dataclass(frozen=True, slots=True)
class ValueKind:
    """A value should be another kind: "tensor", "tensors", "number", "int", "sequence", "mapping", "object", "given".

    ``have`` is the Python type that it is, ``part`` the key or attribute that is wanted of it.
    """

    want: str
    have: str = ""
    part: str = ""


@dataclass(frozen=True, slots=True)
class OneOf:
    """A string should be one of these."""

    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ItemCount:
    """A list or a tuple should have so many items (0: more than it has)."""

    want: int = 0


@dataclass(frozen=True, slots=True)
class ValueRange:
    """Floating-point values should lie between 0 and 1."""


InputRequest = (
    Size
    | Rank
    | Dtype
    | UpperBound
    | MissingArguments
    | UnexpectedArgument
    | MultipleOf
    | LargerSize
    | ValueKind
    | OneOf
    | ItemCount
    | ValueRange
)
