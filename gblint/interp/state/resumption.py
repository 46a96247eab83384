"""The variables of a frame after a graph break.

The code after a break is a function of its own, the resume function, whose arguments are the values from before the
break.  What the region made is an input there: Dynamo no longer knows how it was made.
"""

from __future__ import annotations

import ast
from typing import Final

from gblint.interp.state import trace_builder
from gblint.interp.state.frame import Frame
from gblint.runtime.lazy_dataclasses import replace
from gblint.values.base import Scalar, Tensor, Union, Value
from gblint.values.containers import Iterator, Seq
from gblint.values.lattice import changed_items
from gblint.values.objects import ExternalObject, Instance, next_uid

# Iterators that Dynamo builds again after a break as objects of Python, whose items it cannot take.
_REBUILT: Final = frozenset(("map", "filter", "zip"))


def note_break(frame: Frame, node: ast.AST, kind: str = "", subject: str = "", causes: tuple[str, ...] = ()) -> None:
    """Note a certain break at ``node``, if Dynamo resumes after it."""
    if trace_builder.resumes_after(node, kind, subject, causes) and not frame.context:
        frame.flow.pending_resume = True
        frame.flow.broken_node = node
    if not frame.conditions.path:
        frame.summary.breaks = True


def note_guess(frame: Frame, node: ast.AST, kind: str, subject: str, causes: tuple[str, ...]) -> None:
    """Note a break after which Dynamo resumes, and that happens if what is guessed to be a tensor is one."""
    if trace_builder.resumes_after(node, kind, subject, causes) and not frame.context:
        frame.flow.pending_guess = True


def convert_guessed(frame: Frame, *states: dict[str, Value]) -> None:
    """Turn the guessed tensors in variables into inputs of the resume function.

    If these are other values, there is neither a break here nor one at their next uses.
    """
    frame.flow.pending_guess = False
    for variables in states or (frame.variables,):
        for name, value in list(variables.items()):
            if isinstance(value, Tensor) and not value.proven:
                variables[name] = _as_input(value)


def convert_to_inputs(frame: Frame, *states: dict[str, Value], statement: ast.stmt | None = None) -> None:
    """Turn the variables of a frame that has broken into inputs of its resume function.

    states: the variables where it resumes, if there are several such places, as after a condition.
    statement: the statement that broke; a variable that it assigns after the break is not an input.
    """
    frame.flow.pending_resume = frame.flow.pending_guess = False
    frame.flow.objects_from = frame.flow.region_from = next_uid()
    frame.flow.class_stores.clear()
    computed = _computed_after(frame.flow.broken_node, statement)
    for variables in states or (frame.variables,):
        convert_random_numbers(variables)
        for name, value in list(variables.items()):
            if name == computed:
                continue
            new = _as_input(value if frame.mode.fullgraph else _read(value, {}))
            if new is not value:
                variables[name] = new
            elif isinstance(value, Seq) and value.cls == "set":
                frame.flow.sets[name] = value
            elif isinstance(value, (Instance, ExternalObject, Union)):
                frame.flow.objects[name] = value


def _computed_after(broken: ast.AST | None, statement: ast.stmt | None) -> str:
    """Return the variable of an assignment whose value is an operation on the result of the broken one."""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, (ast.BinOp, ast.UnaryOp)):
        return ""
    target = statement.targets[0]
    inside = broken is not None and broken is not statement.value
    return target.id if inside and len(statement.targets) == 1 and isinstance(target, ast.Name) else ""


def convert_random_numbers(variables: dict[str, Value]) -> None:
    """Turn the numbers drawn before a break into ordinary numbers; the frame may run eagerly from there."""
    for name, value in list(variables.items()):
        if isinstance(value, Scalar) and value.origin == "random":
            variables[name] = Scalar(value.kind)


def _read(value: Value, known: dict[int, Value]) -> Value:
    """Return a value after a break, when the numbers that Dynamo had captured as symbols are numbers of Python.

    Under ``fullgraph=True`` the break raises, so that what follows is reported as if the break were mended.
    known: the results for the sequences in the value, by identity; one may contain another many times.
    """
    if isinstance(value, Scalar) and value.origin in ("data", "object"):
        return Scalar(value.kind)
    if isinstance(value, Tensor) and value.unbacked:
        return replace(value, unbacked=False)
    if isinstance(value, Seq) and value.cls != "set":
        new = known.get(id(value))
        if new is None:
            new = known[id(value)] = changed_items(value, lambda item: _read(item, known))
        return new
    return value


def _as_input(value: Value) -> Value:
    if isinstance(value, Iterator) and value.cls in _REBUILT and not value.pre_existing:
        return replace(value, pre_existing=True)
    if isinstance(value, Tensor) and (value.constant or not value.is_input):
        return replace(value, is_input=True, constant=False)
    return value
