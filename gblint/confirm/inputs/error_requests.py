"""Requests of error messages, as plain data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Size:
    """A dimension of size ``have`` (-1: any) should be ``want``; ``dim`` is its index, if known."""

    have: int
    want: int
    dim: int | None = None


@dataclass(frozen=True, slots=True)
class Rank:
    """A tensor with ``have`` dimensions (0: unknown) should have ``want``."""

    have: int
    want: int


@dataclass(frozen=True, slots=True)
class Dtype:
    """A tensor should have the dtype ``want``; ``have`` is its dtype, if known."""

    want: str
    have: str = ""


@dataclass(frozen=True, slots=True)
class UpperBound:
    """Integers should be below ``bound`` (0: unknown)."""

    bound: int = 0


@dataclass(frozen=True, slots=True)
class MissingArguments:
    """Parameters that were not passed."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UnexpectedArgument:
    """A keyword that the function does not accept."""

    name: str


@dataclass(frozen=True, slots=True)
class MultipleOf:
    """A size should be a multiple of ``of``; ``have`` is the size and ``name`` the parameter, if known."""

    of: int
    have: int = 0
    name: str = ""


@dataclass(frozen=True, slots=True)
class LargerSize:
    """The batch or the spatial sizes are too small; ``what`` is "batch" or "space"."""

    what: str


@dataclass(frozen=True, slots=True)
class ValueKind:
    """A value should be of the kind "tensor", "tensors", "number", "int", "sequence", "mapping", "object", "callable"
    or "given".

    ``have`` is its Python type, ``part`` the key or attribute that is missing.
    """

    want: str
    have: str = ""
    part: str = ""


@dataclass(frozen=True, slots=True)
class OneOf:
    """A string should be one of these words."""

    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ItemCount:
    """A list or tuple should have ``want`` items (0: more than now)."""

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
