"""Exceptions that nothing in the region catches: Dynamo breaks the graph where they are raised, and the call fails.

Only what runs in every call is reported.  Where something is decided on the way, the decision may be wrong, since
nobody writes code that always fails; so a frame that has decided a condition reports nothing.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import Final

from gblint.diagnostics.break_event import Category
from gblint.interp.state.call_args import Args
from gblint.interp.state.events import Emission
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.interp.state.trace_ir import Site
from gblint.runtime import ast_walk
from gblint.values import folding
from gblint.values.base import Const, Scalar, Tensor, Value, members
from gblint.values.containers import Mapping, Seq
from gblint.values.objects import BuiltinMethod, Class, ExternalName, ExternalObject, Function, Instance, ModuleRef

KIND = "uncaught"
BROKEN = "__broken__"
"""An exception has an attribute of this name if the graph broke while it was made."""
_PLAIN = ("__call__", "__init__", "__post_init__", "__bool__", "__len__")
_ABSTRACT = "builtins.NotImplementedError"


def leaves(frame: Frame, *, caught: bool = True) -> bool:
    """Return whether an exception raised here leaves the frame, and what raises it runs in every call of the frame.

    caught: false for an error of Dynamo itself, which no handler in the region catches.
    """
    return not (
        frame.conditions.decided
        or frame.conditions.path
        or frame.guarded
        or frame.is_generator
        or frame.function is None
        or (caught and ("try" in frame.context or "with" in frame.context))
        or _is_hook(frame.function.name)
    )


def _is_hook(name: str) -> bool:
    """Return whether Python calls a function of this name itself, and may expect an exception of it."""
    last = name.rpartition(".")[2]
    return last[:2] == "__" and last not in _PLAIN


def report(
    interp: Interpreter, frame: Frame, node: ast.AST, subject: str, cause: str = "", *, caught: bool = True
) -> None:
    """Report an exception that is raised at ``node`` in every call; see ``leaves``."""
    mode = frame.mode
    if not mode.tracing or mode.unlikely_branch or mode.non_default_branch or mode.in_higher_order_op:
        return
    if interp.branch_id == interp.entry_branch and leaves(frame, caught=caught):
        causes = (cause,) if cause else ()
        event = Emission(KIND, subject, causes, likely=True, category=Category.COMPILE_ERROR)
        interp.emit_event(frame, node, event)


def raised(interp: Interpreter, error: Value, frame: Frame, node: ast.Raise) -> None:
    """Report ``raise``, but for a method that stands for those of subclasses."""
    if isinstance(node.exc, ast.Call) and isinstance(error, Instance) and BROKEN in error.attrs:
        return  # the frame has ended there
    if frame.function is not None and not _is_stub(frame.function) and not _is_abstract(error):
        report(interp, frame, node, "raise", "observed-exception")


def _is_stub(function: Function) -> bool:
    """Return whether a method does nothing but raise."""
    body = [] if isinstance(function.node, ast.Lambda) else function.node.body
    others = [s for s in body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    return function.owner is not None and len(others) == 1


def _is_abstract(error: Value) -> bool:
    if isinstance(error, Instance):
        return isinstance(error.cls, Class) and error.cls.inherits(_ABSTRACT)
    return (isinstance(error, ExternalName) and error.name == _ABSTRACT) or (
        isinstance(error, ExternalObject) and error.cls == _ABSTRACT
    )


def failed_assert(interp: Interpreter, frame: Frame, node: ast.Assert) -> None:
    """Report an ``assert`` that fails for every value that the names in its condition may have."""
    names = [n for n in ast_walk.walk(node.test) if isinstance(n, ast.Name)]
    if all(_is_proven(member) for name in names for member in members(interp.eval(name, frame))):
        # Python turns ``assert False`` into a ``raise``.
        constant = not isinstance(node.test, ast.Constant) and isinstance(node.msg, (ast.Constant, type(None)))
        report(interp, frame, node, "assert", "data-dependent-branching" if constant else "observed-exception")


def _is_proven(value: Value) -> bool:
    return value.proven if isinstance(value, Tensor) else isinstance(value, (Class, ExternalName, ModuleRef))


def check_unpacking(interp: Interpreter, value: Value, count: int, frame: Frame, node: ast.AST) -> None:
    """Report the unpacking of a sequence of another length than ``count``, a number, or a tensor without dimensions."""
    if isinstance(value, Const) and type(value.value) in (int, float, bool):
        report(interp, frame, node, "unpack", "observed-exception")
        return
    if isinstance(value, Tensor):
        if value.proven and value.rank == 0 and not value.ndarray:
            report(interp, frame, node, "unpack")
        return
    found = interp.items_of(value, frame, node)
    if found is not None and len(found) != count and getattr(value, "cls", "") in ("tuple", "list"):
        report(interp, frame, node, "unpack", "observed-exception")


def check_division(interp: Interpreter, op: ast.operator, a: Value, b: Value, frame: Frame, node: ast.AST) -> None:
    """Report the division of a number by a literal zero."""
    if isinstance(op, (ast.Div, ast.FloorDiv, ast.Mod)) and isinstance(b, Const) and type(b.value) in (int, float):
        is_number = isinstance(a, Scalar) and a.kind in ("int", "float")
        is_number = is_number or (isinstance(a, Const) and type(a.value) in (int, float))
        if is_number and b.value == 0 and isinstance(node, ast.BinOp) and isinstance(node.right, ast.Constant):
            report(interp, frame, node, "division", "observed-exception")


def check_item(interp: Interpreter, base: Seq | Mapping, index: Value, frame: Frame, node: ast.AST) -> None:
    """Report ``d["key"]`` or ``items[9]`` that is not there, in a container that only this function has."""
    if not frame.mode.tracing or not isinstance(index, Const) or not leaves(frame):
        return
    if not isinstance(node, ast.Subscript) or not isinstance(node.ctx, ast.Load):
        return
    if isinstance(base, Mapping):
        missing = base.rest is None and base.cls in ("dict", "OrderedDict") and _lacks(base, index.value)
    else:
        number = index.value if type(index.value) is int else None
        known = base.cls in ("list", "tuple") and base.items is not None and number is not None
        missing = known and not -len(base.items or ()) <= (number or 0) < len(base.items or ())
    if missing and _is_unshared(frame, node.value):
        report(interp, frame, node, "item", "observed-exception")


def check_next(interp: Interpreter, items: tuple[Value, ...] | None, frame: Frame, node: ast.AST) -> None:
    """Report ``next`` of an iterator that has no items left."""
    if items == ():
        report(interp, frame, node, "next", "observed-exception")


# Functions of Python that Dynamo calls for constants.
_FOLDED: Final[dict[str, Callable[..., object]]] = {
    "builtins.int": int,
    "builtins.float": float,
    "builtins.ord": ord,
    "builtins.chr": chr,
    "math.sqrt": math.sqrt,
    "math.log": math.log,
}
# Words for what stores attributes whose names are not seen.
_STORING = ("__dict__", "setattr", "vars(", "__getattr__", "__slots__")
_OF_TEXT = frozenset(("index", "rindex"))


def check_call(interp: Interpreter, function: Value, args: Args, frame: Frame, node: ast.AST) -> None:
    """Report a call that Python refuses for these constants, such as ``int("a")`` and ``[1, 2].index(3)``."""
    if not frame.mode.tracing:
        return
    if isinstance(function, Const) and type(function.value) in (int, float, str):
        report(interp, frame, node, "call", "unsupported-function-call")
    if frame.flow.loops or args.kw or args.star is not None or args.kwstar is not None:
        return
    given = [value.value for value in args.pos if isinstance(value, Const)]
    if len(given) < len(args.pos) or any(map(folding.is_large, given)):
        return
    if isinstance(function, ExternalName) and function.name in _FOLDED:
        refused = bool(given) and _raises(_FOLDED[function.name], given)
    elif isinstance(function, BuiltinMethod):
        refused = _refuses(function.receiver, function.name, given)
    else:
        return
    if refused:
        report(interp, frame, node, "call", "observed-exception")


def _refuses(receiver: Value, name: str, given: list[object]) -> bool:
    """Return whether a method of a constant or of a container with known items raises for these arguments."""
    if isinstance(receiver, Const) and isinstance(receiver.value, str):
        return (
            name in _OF_TEXT and not folding.is_large(receiver.value) and _raises(getattr(receiver.value, name), given)
        )
    if isinstance(receiver, Seq) and receiver.items is not None:
        if name == "pop" and not given:
            return not receiver.items
        known = [item.value for item in receiver.items if isinstance(item, Const)]
        return (
            name in ("index", "remove")
            and len(given) == 1
            and len(known) == len(receiver.items)
            and given[0] not in known
        )
    if isinstance(receiver, Mapping) and name == "pop" and len(given) == 1:
        return receiver.rest is None and receiver.cls in ("dict", "OrderedDict") and _lacks(receiver, given[0])
    return False


def _lacks(mapping: Mapping, key: object) -> bool:
    """Return whether all keys of a mapping are known, and ``key`` is none of them."""
    keys = [each.value for each, _ in mapping.entries if isinstance(each, Const)]
    return len(keys) == len(mapping.entries) and key not in keys


def _raises(function: Callable[..., object], given: list[object]) -> bool:
    try:
        function(*given)
    except (TypeError, ValueError, OverflowError):
        return True
    return False


def check_operands(interp: Interpreter, op: ast.AST, a: Value, b: Value, frame: Frame, node: ast.AST) -> None:
    """Report an operation of a number and a string, such as ``3 + "a"`` and ``3 < "a"``."""
    if isinstance(op, (ast.Add, ast.Sub, ast.Lt, ast.LtE, ast.Gt, ast.GtE)) and not frame.flow.loops:
        kinds = [v.value for v in (a, b) if isinstance(v, Const) and isinstance(v.value, (int, float, str))]
        if len(kinds) == 2 and isinstance(kinds[0], str) is not isinstance(kinds[1], str):
            report(interp, frame, node, "operands", "observed-exception")


def check_attribute(interp: Interpreter, base: Instance, name: str, frame: Frame, node: ast.AST) -> None:
    """Report an attribute that an object lacks which every call of the entry point makes.

    An object that only one branch makes may stand for several values, of which the others are not known.
    """
    if base.pre_existing or base.partial or name[:2] == "__" or base.branch_id != interp.entry_branch:
        return
    if not isinstance(base.cls, Class) or base.cls.externals:
        return
    modules = {frame.module, *(owner.module for owner in base.cls.mro)}
    if any(each.sets_attribute(name) or any(map(each.contains, _STORING)) for each in modules):
        return
    if interp.has_attribute(base, name) is False:
        report(interp, frame, node, "attribute", "observed-exception")


_READERS = ("get", "items", "keys", "values")


def _is_unshared(frame: Frame, node: ast.expr) -> bool:
    """Return whether a container is a display, or a variable to which its function binds one and that it only reads."""
    if frame.function is None or not isinstance(node, ast.Name):
        return _is_display(node)
    name, uses, kept, displays = node.id, 0, 0, 0
    for each in ast_walk.walk(frame.function.node):
        if isinstance(each, ast.Name) and each.id == name:
            uses += 1
        elif isinstance(each, ast.Assign) and _is_display(each.value):
            bound = sum(isinstance(t, ast.Name) and t.id == name for t in each.targets)
            displays, kept = displays + bound, kept + bound
        elif isinstance(each, (ast.Subscript, ast.Attribute)):
            reads = isinstance(each, ast.Subscript) or each.attr in _READERS
            kept += reads and isinstance(each.value, ast.Name) and each.value.id == name
        elif isinstance(each, ast.Compare):
            kept += sum(isinstance(c, ast.Name) and c.id == name for c in each.comparators)
    return displays == 1 and kept == uses


def _is_display(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "dict" and not node.args
    return isinstance(node, (ast.Dict, ast.List, ast.Tuple))


def note_call(frame: Frame, site: Site) -> None:
    """Note whether an exception of the function that is called at ``site`` leaves ``frame``, too."""
    if frame.mode.tracing and leaves(frame):
        frame.summary.unguarded.add(site)
