"""Conditions: their truth, the breaks that they cause, and the narrowing of variables on each branch."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, Final

from gblint.interp.domain import (
    condition_flags,
    default_flags,
    environment_flags,
    memos,
    reach,
    symbolic_numbers,
    unbacked_symints,
)
from gblint.interp.domain.access_paths import access_path
from gblint.interp.evaluator import class_tests, narrowing
from gblint.interp.models.python import random_numbers, truth_hooks, type_slots, type_tests
from gblint.interp.models.python.attribute_builtins import attribute_or
from gblint.interp.models.torch import tensor_subclasses
from gblint.interp.state import trace_builder
from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext
from gblint.interp.state.frame import Frame, join_variables
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import (
    NONE,
    Bottom,
    Const,
    Scalar,
    Tensor,
    Union,
    Unknown,
    Value,
    members,
)
from gblint.values.containers import Iterator, Mapping, Range, Seq, Slice
from gblint.values.dispatch import HandlersByClass
from gblint.values.lattice import join_all
from gblint.values.objects import (
    BoundMethod,
    BuiltinMethod,
    Class,
    ExternalName,
    ExternalObject,
    Function,
    Instance,
    ModuleRef,
    Partial,
)
from gblint.values.wrapped import Wrapped

State = narrowing.State
Outcome = tuple["bool | None", State, State]

_TruthHandler = Callable[[Interpreter, Any], "bool | None"]


def truth(interp: Interpreter, value: Value) -> bool | None:
    """Return ``bool(value)``; None if it is unknown (Dynamo: ``VariableTracker.bool_impl``)."""
    if type(value) is Const:
        return bool(value.value)
    return _TRUTH[type(value)](interp, value)


def _unknown_truth(interp: Interpreter, value: Value) -> bool | None:
    return None


def _always_true(interp: Interpreter, value: Value) -> bool | None:
    return True


def _constant_truth(interp: Interpreter, value: Const) -> bool | None:
    return bool(value.value)


def _union_truth(interp: Interpreter, value: Union) -> bool | None:
    answers = {interp.truth(member) for member in value.members}
    return answers.pop() if len(answers) == 1 else None


def _sequence_truth(interp: Interpreter, value: Seq) -> bool | None:
    return bool(value.items) if value.items is not None else None


def _mapping_truth(interp: Interpreter, value: Mapping) -> bool | None:
    if len(value.entries) > len(value.optional):
        return True
    return False if value.rest is None and not value.entries else None


def _range_truth(interp: Interpreter, value: Range) -> bool | None:
    return None if value.count is None else value.count > 0


_BASES_WITH_TRUTH = ("builtins.dict", "collections.OrderedDict", "builtins.list", "builtins.int", "torch.Tensor")


def _instance_truth(interp: Interpreter, value: Instance) -> bool | None:
    items = value.attrs.get("__items__")
    if items is not None:
        return interp.truth(items)
    if isinstance(value.cls, Class):
        for name in ("__bool__", "__len__"):
            if interp.class_attribute(value.cls, name) is not None:
                return None
        if value.cls.inherits(*_BASES_WITH_TRUTH):
            return None
    return True


def _external_name_truth(interp: Interpreter, value: ExternalName) -> bool | None:
    name = value.name
    if name == "typing.TYPE_CHECKING":
        return False
    if interp.knowledge.function(name) is not None or interp.knowledge.class_(name) is not None:
        return True
    return True if name.rpartition(".")[2][:1].isupper() else None


def _external_object_truth(interp: Interpreter, value: ExternalObject) -> bool | None:
    return True if value.cls.partition(":")[0] in ("torch.dtype", "torch.device", "logging.Logger") else None


_TRUTH: Final[HandlersByClass[_TruthHandler]] = HandlersByClass(
    {
        Const: _constant_truth,
        Union: _union_truth,
        Seq: _sequence_truth,
        Mapping: _mapping_truth,
        Range: _range_truth,
        Instance: _instance_truth,
        **dict.fromkeys(
            (Function, BoundMethod, BuiltinMethod, Class, ModuleRef, Partial, Wrapped, Iterator, Slice), _always_true
        ),
        ExternalName: _external_name_truth,
        ExternalObject: _external_object_truth,
        Value: _unknown_truth,
    }
)


def condition(interp: Interpreter, node: ast.expr, frame: Frame, subject: str, extra: tuple[str, ...] = ()) -> Outcome:
    """Evaluate a condition; return whether it is decided, and the states in which it is true and false.

    subject: the construct ("if", "while", ...), for the event if a tensor decides.
    """
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        random_numbers.check_not(interp, node.operand, frame)
        decided, yes, no = condition(interp, node.operand, frame, subject, extra)
        return (None if decided is None else not decided), no, yes
    if isinstance(node, ast.BoolOp):
        return _bool_op(interp, node, frame, subject, extra)
    filled = memos.outcome(interp, node, frame)
    if filled is not None:
        state = _narrow(interp, node, frame, filled, _test_of(interp, node, frame))
        return filled, state, state
    value = interp.eval(node, frame)
    known = symbolic_numbers.decide(node, frame) if unbacked_symints.is_symbol(value) else None
    if known is not None:
        return known, frame.variables, frame.variables
    if unbacked_symints.is_symbol(value) and (subject == "assert" or unbacked_symints.is_known(node, frame)):
        unbacked_symints.learn(node, frame)
        return True, frame.variables, frame.variables
    demand(interp, value, node, frame, subject, extra)
    decided = interp.truth(value)
    if decided is None:
        decided = narrowing.known_flag(node, value, frame)
    reach.note(node, value, decided, frame)
    # A branch that is not taken needs no narrowing.
    test = _test_of(interp, node, frame)
    yes = frame.variables if decided is False else _narrow(interp, node, frame, True, test)
    return decided, yes, frame.variables if decided else _narrow(interp, node, frame, False, test)


def _bool_op(interp: Interpreter, node: ast.BoolOp, frame: Frame, subject: str, extra: tuple[str, ...]) -> Outcome:
    """Evaluate ``and`` and ``or``, which stop at the first operand that decides them."""
    stop = isinstance(node.op, ast.Or)
    settled: list[State] = []
    start = frame.variables
    answer: bool | None = not stop
    mode, body, guarded, path = frame.mode, frame.body, frame.guarded, frame.conditions.path
    for operand in node.values:
        decided, yes, no = condition(interp, operand, frame, subject, extra)
        if decided is None and operand is not node.values[-1]:
            trace_builder.record_optional_end(frame, operand)
        if not stop:
            frame.mode = frame.mode.with_unlikely(is_rare(interp, operand, frame))
        if decided is None:
            frame.mode = frame.mode.with_non_default(default_flags.answer(operand, frame) is stop)
        ends, goes_on = (yes, no) if stop else (no, yes)
        if decided is not (not stop):
            settled.append(ends)
        if decided is stop:
            answer = stop
            break
        if decided is None:
            answer, frame.guarded = None, True
            reach.under(frame, operand, not stop)
        frame.variables = dict(goes_on)
    frame.mode, frame.body, frame.guarded, frame.conditions.path = mode, body, guarded, path
    early = join_variables(settled) if settled else frame.variables
    if len(settled) > 1:
        reach.keep(start, early)
    late = early if answer is stop else frame.variables
    return (answer, early, late) if stop else (answer, late, early)


_HALVES = frozenset(f"torch.{name}" for name in ("float16", "half", "bfloat16"))


def is_rare(interp: Interpreter, node: ast.expr, frame: Frame) -> bool:
    """Return whether a condition holds in unusual runs only.

    Half precision is chosen by callers, ``float32`` is torch's default.  Most environment variables are not set.  An
    attribute that no class of an object sets exists only if other code sets it, such as a library that distributes a
    model over devices.  A function that also takes a subclass of tensors is mostly called with plain ones.  ``not n``
    of a size asks whether it was given: hardly any tensor is empty.
    """
    if class_tests.asks_for_tensor_class(interp, node, frame):
        return True
    if environment_flags.asks_environment(interp, node, frame) or _tests_unset_attribute(interp, node, frame):
        return True
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.Not) and _is_size(interp, node.operand, frame)
    if isinstance(node, ast.BoolOp):
        return isinstance(node.op, ast.And) and any(is_rare(interp, operand, frame) for operand in node.values)
    if not isinstance(node, ast.Compare) or not isinstance(node.ops[0], (ast.Eq, ast.Is, ast.In)) or len(node.ops) > 1:
        return False
    sides = [s for s in (node.left, *node.comparators) if isinstance(s, (ast.Name, ast.Attribute, ast.Tuple, ast.List))]
    values = [interp.eval(side, frame) for side in sides]
    parts = [p for v in values for p in (v.items or () if isinstance(v, Seq) else (v,))]
    halves = [p for p in parts if isinstance(p, ExternalName)]
    kinds = [p for p in parts if isinstance(p, ExternalObject) and p.cls in ("torch.dtype", "torch.dtype:float")]
    return bool(halves and kinds) and all(h.name in _HALVES for h in halves)


def _is_size(interp: Interpreter, node: ast.expr, frame: Frame) -> bool:
    if access_path(node) is None:
        return False
    return all(isinstance(each, Scalar) and each.origin == "size" for each in members(interp.eval(node, frame)))


def _tests_unset_attribute(interp: Interpreter, node: ast.expr, frame: Frame) -> bool:
    """Return whether a condition is ``hasattr(x, name)`` and no module of ``x``'s classes stores that name."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id != "hasattr":
        return False
    if len(node.args) != 2 or not isinstance(node.args[1], ast.Constant) or not isinstance(node.args[1].value, str):
        return False
    asked = node.args[1].value
    objects = members(interp.eval(node.args[0], frame))
    return bool(objects) and all(
        isinstance(v, Instance)
        and isinstance(v.cls, Class)
        and v.cls.complete
        and type_tests.has_attribute(interp, v, asked) is None
        and not any(owner.module.sets_attribute(asked) for owner in v.cls.mro)
        for v in objects
    )


def demand(
    interp: Interpreter, value: Value, node: ast.AST, frame: Frame, subject: str, extra: tuple[str, ...] = ()
) -> None:
    """Report a break where the truth of a tensor is needed (torch/_dynamo/symbolic_convert.py, ``generic_jump``)."""
    if not frame.mode.tracing:
        return
    truth_hooks.run(interp, value, frame, node)
    type_slots.refused(interp, "truth", value, frame, node)
    for member in members(value):
        member = tensor_subclasses.plain(interp, member)
        if isinstance(member, Scalar) and member.origin == "random":
            if subject == "assert" or "assert" in extra:
                return
            causes = (
                ("builtin-operator-on-tensors",)
                if subject == "not" and member.kind != "bool"
                else ("data-dependent-branching",)
            )
            random_numbers.report(interp, "branch", causes, frame, node)
            return
        if (
            isinstance(member, Tensor)
            or (isinstance(member, Scalar) and member.origin == "data" and member.kind != "str")
            or (isinstance(member, Unknown) and member.hint == "tensor")
        ):
            frame.context.extend(extra)
            # What is None or a flag by default is a tensor only if an option is set.
            mode, optional = frame.mode, isinstance(value, Union) and isinstance(value.usual, Const)
            frame.mode = mode.with_non_default(optional)
            causes = ("data-dependent-branching",)
            interp.emit(frame, node, "data-dependent-branch", subject, causes, about=value, likely=optional)
            frame.mode = mode
            del frame.context[len(frame.context) - len(extra) :]
            return


# -- narrowing of variables ------------------------------------------------------------------------------------------

Test = Callable[[Value], "bool | None"]


def narrow(interp: Interpreter, node: ast.expr, value: Value, frame: Frame, answer: bool) -> State:
    """Return the state of ``frame`` after the condition ``node``, of the given value, had the outcome ``answer``."""
    return _narrow(interp, node, frame, answer, _test_of(interp, node, frame))


def _test_of(interp: Interpreter, node: ast.expr, frame: Frame) -> tuple[ast.expr | None, Test | None]:
    """Return the subject of the condition ``node``, and the function from its value to the outcome."""
    if isinstance(node, ast.Compare):
        return _comparison_test(interp, node, frame) if len(node.ops) == 1 else (None, None)
    if isinstance(node, ast.Call):
        return _call_test(interp, node, frame)
    return (None, None) if access_path(node) is None else (node, lambda v: interp.truth(v))


def _narrow(
    interp: Interpreter, node: ast.expr, frame: Frame, answer: bool, about: tuple[ast.expr | None, Test | None]
) -> State:
    exact = class_tests.as_isinstance(interp, node)
    if exact is not None:
        node, positive = exact
        if answer is not positive:
            return frame.variables  # it may be of a subclass
        answer, about = True, _test_of(interp, node, frame)
    before = frame.variables
    for test, outcome in condition_flags.tests_behind(node, frame, answer):
        frame.variables = _narrow(interp, test, frame, outcome, _test_of(interp, test, frame))
    state = _narrow_subject(interp, node, frame, answer, about)
    frame.variables = before
    return state


def _narrow_subject(
    interp: Interpreter, node: ast.expr, frame: Frame, answer: bool, about: tuple[ast.expr | None, Test | None]
) -> State:
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        told = narrowing.with_rank(interp, node, frame, answer) or narrowing.with_dtype(interp, node, frame, answer)
        if told is not None:
            return told
    if isinstance(node, ast.Attribute) and node.attr == "requires_grad":
        told = narrowing.with_requires_grad(interp, node, frame, answer)
        if told is not None:
            return told
    subject, test = about
    if subject is None or test is None:
        return frame.variables
    place = access_path(subject)
    if place is None:
        return frame.variables
    old = frame.variables.get(place)
    if old is None:
        if not place.startswith("@"):
            return frame.variables
        old = interp.eval(subject, frame)
    new = keep(old, test, answer)
    if subject is node and isinstance(new, Scalar) and new.kind == "bool" and new.origin == "python":
        return narrowing.with_flag(interp, frame, place, answer)
    if _says_none(node, answer) and not isinstance(new, Bottom):
        new = NONE
    if isinstance(node, ast.Call) and class_tests.asks_for_text(interp, node, frame):
        new = class_tests.without_inputs(interp, node, frame, new, answer)
    open_value = isinstance(new, Unknown) or type_tests.is_any_module(new)
    open_value = open_value or (type_tests.is_guess(new) and test(new) is None)
    if isinstance(node, ast.Call) and answer and open_value:
        new = class_tests.assume(interp, node, frame, new)
    if new is old or isinstance(new, Bottom):
        return frame.variables
    return narrowing.with_value(interp, frame, place, new)


def _says_none(node: ast.expr, answer: bool) -> bool:
    """Return whether the condition ``node`` with the outcome ``answer`` implies that its subject is None."""
    if not isinstance(node, ast.Compare) or not isinstance(node.ops[0], (ast.Is, ast.IsNot)):
        return False
    other = node.comparators[0]
    return isinstance(other, ast.Constant) and other.value is None and answer == isinstance(node.ops[0], ast.Is)


def keep(value: Value, test: Test, answer: bool) -> Value:
    """Return the alternatives of ``value`` for which ``test`` may have the outcome ``answer``."""
    kept = [member for member in members(value) if test(member) is not (not answer)]
    return value if len(kept) == len(members(value)) else join_all(kept)


def _comparison_test(interp: Interpreter, node: ast.Compare, frame: Frame) -> tuple[ast.expr | None, Test | None]:
    op, other = node.ops[0], node.comparators[0]
    if isinstance(other, ast.Constant) and isinstance(op, (ast.Is, ast.IsNot, ast.Eq, ast.NotEq)):
        constant = Const(other.value)
        positive = isinstance(op, (ast.Is, ast.Eq))

        def equals(value: Value) -> bool | None:
            same = is_same(value, constant)
            return same if same is None or positive else not same

        return node.left, equals
    if isinstance(op, (ast.In, ast.NotIn)) and isinstance(other, (ast.Tuple, ast.List, ast.Set)):
        constants = [Const(e.value) for e in other.elts if isinstance(e, ast.Constant)]
        if len(constants) == len(other.elts):
            inside = isinstance(op, ast.In)

            def among(value: Value) -> bool | None:
                if not isinstance(value, Const):
                    return None
                return (value in constants) == inside

            return node.left, among
    return None, None


def is_same(value: Value, constant: Const) -> bool | None:
    """Return whether ``value`` is ``constant``, in the sense of ``is`` or ``==``."""
    if isinstance(value, Const):
        return value == constant
    if constant == NONE:
        return None if isinstance(value, Unknown) else False
    if isinstance(value, (Scalar, Unknown, Tensor)):
        return None
    return False if isinstance(value, (Seq, Mapping, Instance, Function, Class)) else None


def _call_test(interp: Interpreter, node: ast.Call, frame: Frame) -> tuple[ast.expr | None, Test | None]:
    if not isinstance(node.func, ast.Name) or not node.args:
        if isinstance(node.func, ast.Attribute) and node.func.attr == "is_tensor" and node.args:
            return node.args[0], lambda v: type_tests.is_instance(interp, v, ExternalName("torch.Tensor"))
        return None, None
    if node.func.id == "isinstance" and len(node.args) == 2:
        cls = class_tests.classes_of(interp, node, frame)
        return node.args[0], lambda v: type_tests.is_instance(interp, v, cls)
    if node.func.id == "issubclass" and not frame.mode.tracing:
        return node.args[0], lambda v: None
    if node.func.id == "callable":
        return node.args[0], lambda v: type_tests.is_callable(interp, v)
    if node.func.id == "hasattr" and len(node.args) == 2:
        name = interp.eval(node.args[1], frame)
        if isinstance(name, Const) and isinstance(name.value, str):
            text = name.value
            return node.args[0], lambda v: type_tests.has_attribute(interp, v, text)
    if node.func.id == "getattr" and len(node.args) == 3:
        wanted, default = interp.eval(node.args[1], frame), interp.eval(node.args[2], frame)
        if isinstance(wanted, Const) and isinstance(wanted.value, str):
            attribute, ctx = wanted.value, CallContext(interp, Args(), frame, node)
            return node.args[0], lambda v: interp.truth(attribute_or(ctx, v, attribute, default))
    return None, None
