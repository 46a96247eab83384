"""Families of dtypes and kinds of Python numbers."""

from __future__ import annotations

from gblint.values.base import (
    Const,
    Scalar,
    Tensor,
    Value,
    scalar_of,
)
from gblint.values.objects import ExternalName

# ``torch.dtype`` and ``torch.layout`` objects of torch 2.8 and later; torch/__init__.py does not name them all.
NAMES = frozenset(
    (
        "bfloat16 bit bits16 bits1x8 bits2x4 bits4x2 bits8 bool cdouble cfloat chalf complex128 complex32 "
        "complex64 double float float16 float32 float4_e2m1fn_x2 float64 float8_e4m3fn float8_e4m3fnuz "
        "float8_e5m2 float8_e5m2fnuz float8_e8m0fnu half int int16 int32 int64 int8 long qint32 qint8 "
        "quint2x4 quint4x2 quint8 short uint16 uint32 uint64 uint8 channels_last channels_last_3d "
        "contiguous_format jagged preserve_format sparse_bsc sparse_bsr sparse_coo sparse_csc sparse_csr "
        "strided"
    ).split()
)
_RANKS = {"bool": 0, "uint8": 1, "int": 1, "float": 2, "complex": 3}
_FAMILIES = {
    "float": "float",
    "bfloat": "float",
    "half": "float",
    "double": "float",
    "int": "int",
    "long": "int",
    "short": "int",
}
_NARROW_IN_NUMPY = frozenset(
    "float32 float16 single half int32 int16 int8 intc short byte uint64 uint32 uint16 uint8 uintc ushort ubyte f4 f2 "
    "i4 i2 i1 u8 u4 u2 u1".split()
)


def number_kind(value: Value) -> str | None:
    """Return the kind of a Python number: "int", "float", ...; None for any other value."""
    scalar = scalar_of(value.value) if isinstance(value, Const) else value
    if isinstance(scalar, Scalar) and scalar.kind in ("int", "float", "bool", "complex", "number"):
        return scalar.kind
    return None


def is_number(value: Value) -> bool:
    """Return whether ``value`` is a Python number."""
    return number_kind(value) is not None


def promote(a: str, b: str) -> str:
    """Return the wider of two dtype families."""
    return a if _RANKS.get(a, 2) >= _RANKS.get(b, 2) else b


def dtype_family(name: str) -> str | None:
    """Return the family of a dtype such as ``torch.float16``: "float", "int", "bool", "uint8", "complex"."""
    last = name.rpartition(".")[2]
    if last in ("bool", "bool_", "uint8"):
        return last.rstrip("_")
    if last.startswith("complex") or last in ("cfloat", "cdouble"):
        return "complex"
    if last.startswith("float"):
        return "float"  # also "float8_e4m3fn"
    return _FAMILIES.get(last.rstrip("0123456789_"))


def is_narrow(name: str) -> bool:
    """Return whether a dtype is an integer narrower than int64."""
    return name.rpartition(".")[2] in ("int", "int8", "int16", "int32", "short")


def is_numpy_scalar(value: Value) -> bool:
    """Return whether ``value`` is a scalar of NumPy from outside, whose value Dynamo guards on when it is asked for."""
    return isinstance(value, Tensor) and value.ndarray and value.is_input and value.rank == 0


def is_narrow_in_numpy(value: Value | None) -> bool:
    """Return whether a dtype of NumPy, by its object or its name, is neither int64 nor float64.

    Dynamo has the number of a scalar that comes in only for these two (``item_memo`` of ``FakeTensor``).
    """
    if isinstance(value, ExternalName):
        return value.name.rpartition(".")[2] in _NARROW_IN_NUMPY
    return isinstance(value, Const) and value.value in _NARROW_IN_NUMPY


def is_known_number(value: Value) -> bool:
    """Return whether Dynamo has the number of a NumPy scalar: one from outside that is an int64 or a float64."""
    return isinstance(value, Tensor) and is_numpy_scalar(value) and not value.unguarded
