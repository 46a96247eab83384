"""Sizes and numbers that depend on data, where Dynamo captures them: symbols without a value.

``x[mask].shape[0]`` and ``t.item()`` go into the graph then, and can be computed with.  What has to know their value
still breaks, unless ``torch._check`` or an ``assert`` before it said what it is.
"""

from __future__ import annotations

import ast

from gblint.interp.state.frame import Frame, TracingMode
from gblint.runtime.lazy_dataclasses import replace
from gblint.values.base import SIZE, Scalar, Tensor, Value, members
from gblint.values.containers import Seq

LENGTH = Scalar("int", "data")


def captures_shapes(mode: TracingMode) -> bool:
    """Whether an output whose shape depends on data stays in the graph."""
    return mode.tracing and (mode.captures or mode.config.capture_shapes)


def marked(value: Value, frame: Frame) -> Value:
    """The outputs of an operator whose shapes depend on data."""
    if not captures_shapes(frame.mode):
        return value
    if isinstance(value, Tensor):
        return replace(value, unbacked=True)
    if isinstance(value, Seq):
        items = None if value.items is None else tuple(marked(item, frame) for item in value.items)
        return replace(value, items=items, rest=marked(value.rest, frame))
    return value


def shape(tensor: Tensor) -> Seq:
    """``tensor.shape``."""
    if tensor.rank is None:
        return Seq("Size", None, SIZE)
    first = LENGTH if tensor.unbacked else SIZE
    return Seq("Size", (first, SIZE, SIZE, SIZE, SIZE, SIZE, SIZE, SIZE, SIZE)[: tensor.rank])


def is_symbol(value: Value) -> bool:
    """Whether ``value`` may be a number that depends on data."""
    return any(isinstance(v, Scalar) and v.origin == "data" and v.kind != "str" for v in members(value))


def learn(test: ast.expr, frame: Frame) -> None:
    """``torch._check(n > 0)``: from here on Dynamo knows that it holds."""
    if isinstance(test, ast.Compare):
        frame.known_true.add(ast.dump(test))


def is_known(test: ast.expr, frame: Frame) -> bool:
    """Whether what is asked was said to hold before."""
    return isinstance(test, ast.Compare) and bool(frame.known_true) and ast.dump(test) in frame.known_true
