"""Unbacked SymInts and SymFloats: data-dependent sizes and numbers that Dynamo captures as symbols.

``x[mask].shape[0]`` and ``t.item()`` then enter the graph and can be computed with.  An operation that needs their
value still breaks, unless a ``torch._check`` or ``assert`` before it states the value.
"""

from __future__ import annotations

import ast

from gblint.interp.state.frame import Frame, TracingMode
from gblint.runtime.lazy_dataclasses import replace
from gblint.values.base import SIZE, Scalar, Tensor, Value, members
from gblint.values.containers import Seq
from gblint.values.lattice import changed_items

LENGTH = Scalar("int", "data")


def captures_shapes(mode: TracingMode) -> bool:
    """Return whether an output with a data-dependent shape stays in the graph."""
    return mode.tracing and (mode.captures or mode.config.capture_shapes)


def marked(value: Value, frame: Frame) -> Value:
    """Return the outputs of an operator with data-dependent shapes, marked as unbacked."""
    if not captures_shapes(frame.mode):
        return value
    if isinstance(value, Tensor):
        return replace(value, unbacked=True)
    if isinstance(value, Seq):
        return changed_items(value, lambda item: marked(item, frame))
    return value


def shape(tensor: Tensor) -> Seq:
    """``tensor.shape``."""
    if tensor.rank is None:
        return Seq("Size", None, SIZE)
    first = LENGTH if tensor.unbacked else SIZE
    return Seq("Size", (first, SIZE, SIZE, SIZE, SIZE, SIZE, SIZE, SIZE, SIZE)[: tensor.rank])


def is_guarded(value: Value) -> bool:
    """Return whether Dynamo guards on the value of a tensor where it captures scalars: an integer that comes in."""
    if not isinstance(value, Tensor) or value.ndarray or value.unguarded:
        return False
    return value.is_input and value.rank == 0 and value.dtype == "int"


def is_symbol(value: Value) -> bool:
    """Return whether ``value`` may be a data-dependent number."""
    return any(isinstance(v, Scalar) and v.origin == "data" and v.kind != "str" for v in members(value))


def learn(test: ast.expr, frame: Frame) -> None:
    """Note that ``test`` holds from here on, as after ``torch._check(n > 0)``."""
    if isinstance(test, ast.Compare):
        frame.known_true[ast.dump(test)] = test


def is_known(test: ast.expr, frame: Frame) -> bool:
    """Return whether ``test`` was stated to hold before."""
    return isinstance(test, ast.Compare) and bool(frame.known_true) and ast.dump(test) in frame.known_true
