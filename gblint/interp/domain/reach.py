"""Reach: the conditions on the path to the code that runs, and the values that things have by default.

A *usual* value is the one that a signature, a constructor or a configuration declares as default.  It only says how far
an event is reached.  ``default_flags`` says which of these defaults also make a break behind them less likely.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any, Final, TypeGuard

from gblint.interp.domain import default_flags
from gblint.interp.domain.containers import constants_in
from gblint.interp.state.call_args import Args
from gblint.interp.state.frame import Frame
from gblint.interp.state.path_conditions import ALWAYS, DEFAULT, ERROR, INPUT, OPTION, Condition, PathCondition
from gblint.runtime.lazy_dataclasses import replace
from gblint.values.base import BOOL, FALSE, NONE, TRUE, Const, Scalar, Tensor, Union, Unknown, Value, members
from gblint.values.containers import Mapping, Seq
from gblint.values.lattice import join
from gblint.values.objects import BoundMethod, Class, ExternalName, Function, Instance, is_nn_module
from gblint.values.wrapped import Wrapped

_OBJECTS = (Instance, Function, BoundMethod, Class)
_DEFINITE = (Const, Tensor, Seq, Mapping, *_OBJECTS)
_ORDERED: Final[dict[type[ast.cmpop], Callable[[Any, Any], Any]]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_MIRRORED = {ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE}
_EQUAL = (ast.Is, ast.Eq)
_MEMBERSHIP = (ast.In, ast.NotIn)


def usual(value: Value) -> Value | None:
    """Return the value that ``value`` has with all defaults; None if it is not known."""
    if isinstance(value, _DEFINITE):
        return value
    if isinstance(value, (Scalar, Union)) and value.usual is not None:
        return value.usual
    return default_flags.of(value)


def truth(known: Value | None) -> bool | None:
    """Return ``bool(known)`` for a usual value; None if it is unknown."""
    if isinstance(known, Const):
        return bool(known.value)
    if isinstance(known, Mapping) and known.optional and known.rest is None:
        return False if len(known.added) == len(known.entries) else None
    return True if isinstance(known, _OBJECTS) else None


def expected(value: Value, known: Value | None) -> Value:
    """Return ``value`` with the usual value ``known``."""
    if isinstance(value, Union):
        return value if value.usual is known else replace(value, usual=known)
    if isinstance(value, Scalar) and (known is None or (isinstance(known, Const) and known.value is not None)):
        return value if value.usual == known else replace(value, usual=known)
    if isinstance(value, Mapping) and isinstance(known, Mapping) and value is not known:
        return _expected_items(value, known)
    return value


def given_or_default(args: Args, name: str, given: Value, default: Value | None) -> Value:
    """Return the value of a parameter with an argument, which may be missing in ``**options``."""
    if default is None or name not in args.optional:
        return given
    return expected_flag(join(default, given), default if args.optional[name] else usual(given))


def expected_flag(value: Value, known: Value | None) -> Value:
    """Return ``value`` with the usual value ``known``; what needs the other value of a bool is less likely then."""
    if known in (TRUE, FALSE) and all(each in (TRUE, FALSE) for each in members(value)):
        flag = TRUE if known == TRUE else FALSE
        return replace(BOOL, likely=flag, usual=flag)
    return expected(value, known)


def _expected_items(joined: Mapping, chosen: Mapping) -> Mapping:
    """Return a mapping of two branches with the items that are usual, and missing, in the ``chosen`` one."""
    lacks = [key for key in joined.optional if chosen.get(key) is None or key in chosen.added]
    entries: list[tuple[Value, Value]] = []
    for key, value in joined.entries:
        there = chosen.get(key)
        if there is not None and there is not value and isinstance(value, (Scalar, Union)):
            value = expected(value, usual(there))
        entries.append((key, value))
    return replace(joined, entries=tuple(entries), added=frozenset(lacks))


def opposite(value: Value) -> Value:
    """Return ``not value`` for an undecided value."""
    result, known = default_flags.opposite(value), truth(usual(value))
    return result if known is None else expected(result, Const(not known))


def first(values: list[Value | None], stop: bool) -> Value | None:
    """Return the usual result of ``and`` or ``or``: the first operand that decides it, else the last one."""
    for value in values:
        answer = truth(value)
        if answer is None or answer is stop:
            return value if answer is stop or value is values[-1] else None
    return values[-1] if values else None


def compared(op: ast.cmpop, left: Value, right: Value, result: Value, node: ast.expr) -> Value:
    """Return the undecided ``result`` of a comparison with its usual value. ``node`` is the left operand."""
    result = default_flags.compared(op, left, right, result)
    if result != BOOL or not isinstance(result, Scalar):
        return result
    a, b = usual(left), right if _is_layout(right) else usual(right)
    if isinstance(op, _MEMBERSHIP) and isinstance(b, Mapping) and a in b.added:
        return replace(result, usual=Const(isinstance(op, ast.NotIn)))
    if a is not None and b is not None:
        answer = _compare(op, a, b)
    elif b is not None:
        # The remainder of a size is 0 for every n-th size: neither outcome is an exception.
        answer = None if _is_remainder(node) else _compare_unknown(op, left, b)
    elif a is not None:
        answer = _compare_unknown(_MIRRORED.get(type(op), type(op))(), right, a)
    else:
        answer = None
    return result if answer is None else replace(result, usual=Const(answer))


def _compare_unknown(op: ast.cmpop, value: Value, known: Value) -> bool | None:
    """Return the usual result of the comparison of a value that no default declares with a known one."""
    if known == NONE and isinstance(op, (ast.Is, ast.IsNot)):
        # What is passed or stored is mostly not None.
        return isinstance(op, ast.IsNot) if isinstance(value, Unknown) else None
    if _is_text(known) and isinstance(op, (ast.Eq, ast.NotEq, *_MEMBERSHIP)):
        return isinstance(op, (ast.NotEq, ast.NotIn))
    if isinstance(value, Scalar) and value.origin == "size" and known in (Const(0), Const(1)):
        # What is empty, or has one item, is an exception.
        return _compare(op, Const(2), known)
    return None


def _is_remainder(node: ast.expr) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod)


def _is_text(value: Value) -> bool:
    """Return whether a value is a string or a sequence of strings: one of them is chosen by an option."""
    if isinstance(value, Seq):
        return bool(value.items) and all(_is_text(item) for item in value.items or ())
    return isinstance(value, Const) and isinstance(value.value, str)


def _compare(op: ast.cmpop, a: Value, b: Value) -> bool | None:
    if _is_layout(a):
        return _compare_layouts(op, a, b)
    if isinstance(op, _MEMBERSHIP) and isinstance(a, Const) and isinstance(b, (Seq, Mapping)):
        known = constants_in(b)
        return None if known is None else (a.value in known) == isinstance(op, ast.In)
    if not isinstance(a, Const) or not isinstance(b, Const):
        none = NONE in (a, b) and isinstance(op, (*_EQUAL, ast.IsNot, ast.NotEq))
        return not isinstance(op, _EQUAL) if none else None
    left, right = a.value, b.value
    if isinstance(op, (*_EQUAL, ast.IsNot, ast.NotEq)):
        return (left == right) == isinstance(op, _EQUAL)
    if isinstance(op, _MEMBERSHIP) and isinstance(left, str) and isinstance(right, str):
        return (left in right) == isinstance(op, ast.In)
    if type(op) in _ORDERED and _are_ordered(left, right):
        return bool(_ORDERED[type(op)](left, right))
    return None


def _are_ordered(left: object, right: object) -> bool:
    """Return whether two constants are numbers, or both strings or versions of packages."""
    if isinstance(left, (int, float)):
        return isinstance(right, (int, float))
    return type(left) is type(right) and (isinstance(left, str) or type(left).__module__ == "packaging.version")


_LAYOUTS: Final = frozenset(
    ExternalName(f"torch.{name}")
    for name in ("strided", "jagged", "sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc")
)


def _is_layout(value: Value) -> bool:
    return isinstance(value, ExternalName) and value in _LAYOUTS


def _compare_layouts(op: ast.cmpop, a: Value, b: Value) -> bool | None:
    if _is_layout(b) and isinstance(op, (*_EQUAL, ast.IsNot, ast.NotEq)):
        return (a == b) == isinstance(op, _EQUAL)
    if isinstance(b, Seq) and b.items is not None and isinstance(op, _MEMBERSHIP) and all(map(_is_layout, b.items)):
        return (a in b.items) == isinstance(op, ast.In)
    return None


# -- conditions ------------------------------------------------------------------------------------------------------


def note(node: ast.expr, value: Value, decided: bool | None, frame: Frame) -> None:
    """Store the levels of the two outcomes of the condition ``node`` of the given value, if it is undecided."""
    default_flags.note(node, value, frame)
    if decided is not None:
        frame.conditions.levels.pop(node, None)
        return
    known = truth(usual(value))
    if known is not None:
        levels = (DEFAULT, OPTION) if known else (OPTION, DEFAULT)
    else:
        levels = (ALWAYS, ALWAYS) if _is_training(node) else (INPUT, INPUT)
    frame.conditions.levels[node] = levels


def _is_training(node: ast.expr) -> bool:
    """Return whether a condition is ``self.training``, ``self.training is True`` or the like."""
    if isinstance(node, ast.Compare) and isinstance(node.comparators[0], ast.Constant):
        return node.comparators[0].value in (True, False) and _is_training(node.left)
    return (isinstance(node, ast.Attribute) and node.attr == "training") or (
        isinstance(node, ast.Name) and node.id in ("training", "is_training")
    )


def _owner_of_mode(node: ast.expr, frame: Frame) -> Value | None:
    """Return the object whose mode ``self.training`` is; None for other conditions, and if the region sets the mode."""
    if isinstance(node, ast.Attribute) and node.attr == "training" and isinstance(node.value, ast.Name):
        owner = frame.variables.get(node.value.id)
        return owner if isinstance(owner, Instance) and "training" not in owner.attrs else None
    return None


def answer(node: ast.expr, frame: Frame) -> bool | None:
    """Return the usual outcome of the undecided condition ``node``; None if there is none."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = answer(node.operand, frame)
        return None if inner is None else not inner
    if isinstance(node, ast.BoolOp):
        stop = isinstance(node.op, ast.Or)
        asked = [operand for operand in node.values if _is_open(operand, frame)]
        answers = [answer(operand, frame) for operand in asked]
        return stop if stop in answers else None if None in answers or not answers else not stop
    levels = frame.conditions.levels.get(node)
    return None if levels is None or levels[0] == levels[1] else levels[0] < levels[1]


def _is_open(node: ast.expr, frame: Frame) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return _is_open(node.operand, frame)
    if isinstance(node, ast.BoolOp):
        return any(_is_open(operand, frame) for operand in node.values)
    return node in frame.conditions.levels


def outcome(node: ast.expr, holds: bool, frame: Frame, *, rare: bool | None = None) -> PathCondition:
    """Return the conditions that make up one outcome of the undecided condition ``node``.

    rare: the outcome that the whole condition has in unusual runs only, if there is one.
    """
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return outcome(node.operand, not holds, frame, rare=None if rare is None else not rare)
    if not isinstance(node, ast.BoolOp):
        levels = frame.conditions.levels.get(node, (INPUT, INPUT))
        level = OPTION if rare is holds else levels[0 if holds else 1]
        return (Condition(node, frame.module, holds, level, owner=_owner_of_mode(node, frame)),)
    asked = [operand for operand in node.values if _is_open(operand, frame)]
    if len(asked) == 1:
        return outcome(asked[0], holds, frame, rare=rare)
    parts = [outcome(operand, holds, frame, rare=rare) for operand in asked]
    if holds is isinstance(node.op, ast.And):
        return tuple([condition for part in parts for condition in part])
    levels_of_parts = [max([condition.level for condition in part], default=INPUT) for part in parts]
    return (Condition(node, frame.module, holds, min(levels_of_parts, default=INPUT)),)


def under(frame: Frame, node: ast.expr, holds: bool) -> None:
    """Add an outcome of the undecided condition ``node`` to the path conditions; the caller restores them."""
    if frame.mode.tracing:
        frame.conditions.path += outcome(node, holds, frame)


def into_loop(frame: Frame, node: ast.While) -> None:
    """Add the test of a loop, which mostly holds once, to the path conditions; the caller restores them."""
    if frame.mode.tracing:
        conditions = outcome(node.test, True, frame)
        frame.conditions.path += tuple([_with_level(c, DEFAULT) if c.level == INPUT else c for c in conditions])


def on_error(frame: Frame, node: ast.AST, *, holds: bool = True) -> None:
    """Add an error to the conditions: a handler, or a failed assertion; the caller restores them."""
    if frame.mode.tracing:
        frame.conditions.path += (Condition(node, frame.module, holds, ERROR),)


def into(frame: Frame, node: ast.If, holds: bool, *, rare: bool | None) -> None:
    """Add the outcome of an undecided ``if`` to the conditions of its branch; the caller restores them.

    ``holds`` says which branch it is.  A branch that raises is reached on an error only.  If the other branch raises,
    nothing is added: the program runs as intended, unless this is one of several texts that a value is compared with.
    """
    if not frame.mode.tracing:
        return
    body, other = (node.body, node.orelse) if holds else (node.orelse, node.body)
    if _raises(body):
        frame.conditions.path += _at_least(ERROR, outcome(node.test, holds, frame))
    elif not _raises(other) or _is_one_of_several(node.test, frame.conditions.path):
        conditions = outcome(node.test, holds, frame, rare=rare)
        if any(_warns(statement) for statement in body):
            conditions = _at_least(OPTION, conditions)
        frame.conditions.path += conditions


def _is_one_of_several(test: ast.expr, path: PathCondition) -> bool:
    """Return whether a comparison with a text follows one of the same value that did not hold: ``elif mode == "b"``."""
    last = path[-1] if path else None
    if last is None or last.holds or not _is_equality(test) or not _is_equality(last.node):
        return False
    return ast.dump(test.left) == ast.dump(last.node.left)


def _is_equality(node: ast.AST) -> TypeGuard[ast.Compare]:
    """Return whether a condition is ``value == "text"``."""
    if not isinstance(node, ast.Compare) or not isinstance(node.ops[0], ast.Eq):
        return False
    other = node.comparators[0]
    return isinstance(other, ast.Constant) and isinstance(other.value, str)


def _at_least(level: int, path: PathCondition) -> PathCondition:
    return tuple([_with_level(condition, max(level, condition.level)) for condition in path])


def _with_level(condition: Condition, level: int) -> Condition:
    return Condition(condition.node, condition.module, condition.holds, level, condition.chosen, condition.owner)


def _warns(statement: ast.stmt) -> bool:
    """Return whether a statement warns of an unusual use: ``logger.warning_once(...)``, ``warnings.warn(...)``."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr.startswith("warn")


def into_receiver(frame: Frame, node: ast.AST, receivers: Union, one: Value) -> None:
    """Add the choice of ``one`` of several callables to the path conditions; the caller restores them.

    One of several functions is chosen, often by an argument. Modules in a loop are mostly all used in turn. Of the
    modules of several classes that an attribute may be, and of other objects, such as schedulers, one is passed.
    """
    if not frame.mode.tracing or not isinstance(node, ast.Call):
        return
    if receivers.usual is None:
        owners = [each.receiver for each in receivers.members if isinstance(each, BoundMethod)]
        has_replaced = len(owners) > 1 and owners.count(owners[0]) == len(owners)
        if sum(isinstance(each, Function) for each in receivers.members) > 1 or has_replaced:
            level = INPUT  # one of several functions, or of the methods that one object has in turn
        else:
            own = _module if isinstance(node.func, ast.Attribute) else _owner
            objects = [own(each) or _owner(each) for each in receivers.members]
            level = DEFAULT if len({each.class_name for each in objects if each is not None}) > 1 else ALWAYS
    else:
        level = DEFAULT if one is receivers.usual or one == receivers.usual else OPTION
    if level != ALWAYS:
        frame.conditions.path += (Condition(node.func, frame.module, True, level, name_of(one)),)


def into_object(frame: Frame, node: ast.AST, one: Value) -> None:
    """Add the choice of the object that is passed to the path conditions of a call; the caller restores them."""
    if isinstance(node, ast.Call):
        frame.conditions.path += (Condition(node.func, frame.module, True, DEFAULT, name_of(one)),)


def _module(value: Value) -> Instance | None:
    """Return a module that is called itself; None for other values."""
    return value if isinstance(value, Instance) and is_nn_module(value) else None


def _owner(value: Value) -> Instance | None:
    """Return the receiver of a bound method, unless it is a module; None for other values."""
    owner = value.receiver if isinstance(value, BoundMethod) else None
    return owner if isinstance(owner, Instance) and not is_nn_module(owner) else None


def name_of(value: Value) -> str:
    """Return the name of a callable, or of the class of an object or of the object whose method it is."""
    value = _owner(value) or value
    if isinstance(value, Instance):
        return value.class_name.rpartition(".")[2]
    while isinstance(value, (BoundMethod, Wrapped)):
        value = value.function
    return getattr(value, "name", "").rpartition(".")[2] if not isinstance(value, Const) else ""


def _raises(body: list[ast.stmt]) -> bool:
    return bool(body) and isinstance(body[-1], ast.Raise)


def both(outer: bool | None, inner: bool | None) -> bool | None:
    """Return whether a branch inside another one runs with all defaults; None if it is not known."""
    return False if False in (outer, inner) else None if None in (outer, inner) else True


def restore_usual(chosen: dict[str, Value], joined: dict[str, Value]) -> None:
    """Give the joined variables of two branches the usual values that they have at the end of the ``chosen`` one."""
    for name, value in joined.items():
        if type(value) is Union or type(value) is Scalar:
            there = chosen.get(name)
            if there is not None and there is not value:
                joined[name] = expected(value, usual(there))
        elif type(value) is Mapping:
            there = chosen.get(name)
            joined[name] = value if there is None else expected(value, there)


def keep(before: dict[str, Value], after: dict[str, Value]) -> None:
    """Give variables that are the same after a condition, which narrowed them in between, their usual values again."""
    for name, value in after.items():
        if (type(value) is Union or type(value) is Scalar) and value.usual is None:
            old = before.get(name)
            if old is None or old is value or type(old) is not type(value) or old.usual is None:
                continue
            if old == value or (isinstance(old, Union) and set(old.members) == set(members(value))):
                after[name] = expected(value, old.usual)


def stored(instance: Instance, name: str, old: Value | None, value: Value, is_usual: bool | None) -> None:
    """Set the usual value of an attribute, in which ``value`` was joined with an ``old`` value.

    is_usual: whether the branch that stores it runs with all defaults.
    """
    new = instance.attrs.get(name)
    if old is not None and is_usual is not None and new is not value and isinstance(new, (Scalar, Union)):
        instance.attrs[name] = expected(new, usual(value if is_usual else old))
