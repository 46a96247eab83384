"""The states of a frame in which the value under an access path is refined by a test."""

from __future__ import annotations

import ast
from collections.abc import Callable
from weakref import WeakKeyDictionary

from gblint.interp.domain.access_paths import access_path
from gblint.interp.models.fact_results import family_of
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime import ast_walk
from gblint.runtime.lazy_dataclasses import replace
from gblint.values.base import Const, Scalar, Tensor, Union, Value, members
from gblint.values.lattice import join_all

State = dict[str, Value]

# The variables that functions inside of a function declare as nonlocal, by its node.
_NONLOCAL: WeakKeyDictionary[ast.AST, frozenset[str]] = WeakKeyDictionary()


def with_value(interp: Interpreter, frame: Frame, place: str, value: Value) -> State:
    """Return the state of ``frame`` with ``value`` under the access path ``place``."""
    if place[0] == "@":
        frame.refined.add(place[1:].partition(".")[0])
    state = {**frame.variables, place: value}
    for alias in _aliases(interp, frame, place):
        if frame.variables.get(alias) is frame.variables.get(place):
            state[alias] = value
    return state


def _aliases(interp: Interpreter, frame: Frame, name: str) -> list[str]:
    """Return the names that the function binds to the variable ``name`` as it is, and the reverse: ``a = name``."""
    if frame.function is None or not isinstance(frame.variables.get(name), Union):
        return []
    return [a if b == name else b for a, b in _name_pairs(interp, frame.function.node) if name in (a, b)]


def _name_pairs(interp: Interpreter, function: ast.AST) -> list[tuple[str, str]]:
    """Return ``(a, b)`` for each assignment ``a = b`` of two names in a function."""
    known = interp.caches.syntax.aliases.get(function)
    if known is None:
        known = interp.caches.syntax.aliases[function] = [
            (node.targets[0].id, node.value.id)
            for node in ast_walk.walk(function)
            if isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)
            and isinstance(node.value, ast.Name)
        ]
    return known


def _rank_of(node: ast.expr) -> ast.expr | None:
    """Return ``x`` in ``x.ndim``, ``x.dim()``, ``len(x.shape)`` and ``len(x.size())``."""
    if isinstance(node, ast.Attribute):
        return node.value if node.attr == "ndim" else None
    if not isinstance(node, ast.Call):
        return None
    if isinstance(node.func, ast.Attribute) and not node.args:
        return node.func.value if node.func.attr in ("dim", "ndimension") else None
    if isinstance(node.func, ast.Name) and node.func.id == "len" and len(node.args) == 1:
        sizes = node.args[0]
        if isinstance(sizes, ast.Attribute) and sizes.attr == "shape":
            return sizes.value
        if isinstance(sizes, ast.Call) and isinstance(sizes.func, ast.Attribute) and not sizes.args:
            return sizes.func.value if sizes.func.attr == "size" else None
    return None


def with_flag(interp: Interpreter, frame: Frame, place: str, answer: bool) -> State:
    """Return the state of ``frame`` after a test of the flag under an access path.

    The outcome is kept beside the flag.  If the flag had another value, the functions that it is passed to would be
    analysed once more.
    """
    if frame.module.contains("nonlocal ") and _is_nonlocal(frame, place):
        return frame.variables
    return with_value(interp, frame, _flag_place(place), Const(answer))


def _is_nonlocal(frame: Frame, name: str) -> bool:
    """Return whether a function inside of the running one may store a variable."""
    if frame.function is None:
        return False
    function = frame.function.node
    known = _NONLOCAL.get(function)
    if known is None:
        nodes = [each for each in ast_walk.walk(function) if isinstance(each, ast.Nonlocal)]
        known = _NONLOCAL[function] = frozenset(stored for each in nodes for stored in each.names)
    return name in known


def known_flag(node: ast.expr, value: Value, frame: Frame) -> bool | None:
    """Return the outcome of the test of a flag that an earlier test has told; None if none has."""
    place = access_path(node) if isinstance(value, Scalar) and frame.refined else None
    known = None if place is None else frame.variables.get(_flag_place(place))
    return bool(known.value) if isinstance(known, Const) else None


def _flag_place(place: str) -> str:
    """Return the name under which a frame keeps what a flag is; it is forgotten with the attributes of the flag."""
    return f"@{place.lstrip('@')}.?"


def with_rank(interp: Interpreter, node: ast.Compare, frame: Frame, answer: bool) -> State | None:
    """Return the state after a comparison showed that the rank of a tensor equals a number."""
    subject = _rank_of(node.left)
    if subject is None or not isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
        return None
    rank = interp.eval(node.comparators[0], frame)
    if isinstance(node.ops[0], ast.Eq) != answer or not isinstance(rank, Const) or not isinstance(rank.value, int):
        return None
    number = rank.value
    return _refined(interp, frame, subject, lambda v: replace(v, rank=number) if v.rank is None else None)


def with_dtype(interp: Interpreter, node: ast.Compare, frame: Frame, answer: bool) -> State | None:
    """Return the state after a comparison showed that the dtype of a tensor equals one of torch's."""
    if not isinstance(node.left, ast.Attribute) or node.left.attr != "dtype":
        return None
    if not isinstance(node.ops[0], (ast.Eq, ast.NotEq)) or isinstance(node.ops[0], ast.Eq) != answer:
        return None
    family = family_of(interp.eval(node.comparators[0], frame))
    if family is None:
        return None
    return _refined(interp, frame, node.left.value, lambda v: replace(v, dtype=family) if v.dtype is None else None)


def with_requires_grad(interp: Interpreter, node: ast.Attribute, frame: Frame, answer: bool) -> State | None:
    """Return the state after a test of ``tensor.requires_grad``; Dynamo knows it while it traces."""
    return _refined(
        interp,
        frame,
        node.value,
        lambda v: replace(v, requires_grad=answer) if v.requires_grad is None else None,
    )


def _refined(
    interp: Interpreter, frame: Frame, subject: ast.expr, refine: Callable[[Tensor], Tensor | None]
) -> State | None:
    """Return the state in which ``refine`` has told more of the tensors that ``subject`` may be; None if of none."""
    place = access_path(subject)
    if place is None:
        return None
    old = frame.variables.get(place) if not place.startswith("@") else interp.eval(subject, frame)
    if old is None:
        return None
    found = [(refine(v) if isinstance(v, Tensor) else None, v) for v in members(old)]
    if all(new is None for new, _ in found):
        return None
    return with_value(interp, frame, place, join_all(new or v for new, v in found))
