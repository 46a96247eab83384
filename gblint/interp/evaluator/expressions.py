"""Expressions, except calls, attributes, subscripts and operators, which have modules of their own."""

from __future__ import annotations

import ast
from collections.abc import Callable

from gblint.interp.domain import (
    constant_tables,
    containers,
    reach,
    switches,
    tensor_layouts,
    tensor_text,
    unusual_stores,
)
from gblint.interp.domain.containers import with_item
from gblint.interp.evaluator import (
    assignment,
    attributes,
    chosen_objects,
    comparisons,
    functions,
    name_resolution,
    operators,
    subscripts,
    unbound_locals,
    undefined_names,
)
from gblint.interp.evaluator.calls import call_expression
from gblint.interp.evaluator.conditions import condition, demand, is_rare, narrow
from gblint.interp.models.python import (
    context_managers,
    divergence,
    function_objects,
    generic_aliases,
    input_containers,
    object_texts,
    opaque_objects,
    type_slots,
)
from gblint.interp.models.torch.submodules import MAX_KEPT_MODULES
from gblint.interp.state import trace_builder, trace_ir
from gblint.interp.state.frame import Frame, join_variables
from gblint.interp.state.interpreter import ExpressionHandler, Interpreter
from gblint.interp.state.path_conditions import OPTION, level_of
from gblint.runtime import ast_walk
from gblint.values.base import BOTTOM, NONE, STR, UNKNOWN, Const, Scalar, Tensor, Unknown, Value, members
from gblint.values.containers import Iterator, Mapping, Seq, Slice
from gblint.values.lattice import join, join_all
from gblint.values.objects import is_nn_module

MAX_COMPREHENSION = 12


def constant(interp: Interpreter, node: ast.expr, frame: Frame) -> Value:
    """A literal."""
    # getattr() would first build an exception for a missing attribute.
    known: Value | None = node.__dict__.get("known")
    if known is None:
        assert isinstance(node, ast.Constant)
        known = Const(node.value)
        node.known = known  # type: ignore[attr-defined]
    return known


def name(interp: Interpreter, node: ast.expr, frame: Frame) -> Value:
    """A variable."""
    assert isinstance(node, ast.Name)
    value = frame.scope.cells.get(node.id)
    if value is not None and not frame.names.outer_names:
        if isinstance(value, Seq):
            input_containers.check(interp, node, value, frame)
        return value
    if frame.names.outer_names:
        undefined_names.check_stored(interp, node, frame)
    found = name_resolution.lookup(interp, node.id, frame)
    if isinstance(found, Seq) and frame.scope.lookup(node.id) is None:
        tensor_layouts.check_set(interp, found, frame, node)
    if isinstance(found, (Seq, Mapping)):
        input_containers.check(interp, node, found, frame)
    elif type(found) is Unknown and not found.hint:
        unbound_locals.check(interp, node, frame)
        undefined_names.check(interp, node, frame)
    return found


def sequence(interp: Interpreter, node: ast.expr, frame: Frame) -> Value:
    """A list, tuple or set display."""
    assert isinstance(node, (ast.List, ast.Tuple, ast.Set))
    cls = {ast.List: "list", ast.Tuple: "tuple", ast.Set: "set"}[type(node)]
    items: list[Value] = []
    known = len(node.elts) <= constant_tables.MAX_TABLE
    for elt in node.elts:
        value = interp.eval(elt.value if isinstance(elt, ast.Starred) else elt, frame)
        if isinstance(elt, ast.Starred):
            parts = interp.items_of(value, frame, elt)
            known = known and parts is not None
            items.extend(parts if parts is not None else (interp.item_of(value, frame, elt),))
        else:
            items.append(value)
        if cls == "set":
            items[-1:] = [generic_aliases.as_key(items[-1], elt, frame)] if items else []
            type_slots.hashed(interp, value, frame, elt)
    return Seq(cls, tuple(items)) if known else Seq(cls, None, join_all(items))


def mapping(interp: Interpreter, node: ast.expr, frame: Frame) -> Value:
    """A dict display."""
    assert isinstance(node, ast.Dict)
    out: Value = Mapping()
    for key, value_node in zip(node.keys, node.values):
        value = interp.eval(value_node, frame)
        if key is None:
            out = containers.merge_mappings(out, value)
        elif isinstance(out, Mapping):
            known = generic_aliases.as_key(interp.eval(key, frame), key, frame)
            type_slots.hashed(interp, known, frame, key)
            out = with_item(out, known, value)
    return out


def conditional(interp: Interpreter, node: ast.expr, frame: Frame) -> Value:
    """``a if test else b``."""
    assert isinstance(node, ast.IfExp)
    start = frame.variables
    decided, yes, no = condition(interp, node.test, frame, "ternary")
    if decided is not None and chosen_objects.is_searched(interp, frame):
        decided = None if switches.may_compile(interp, node, decided, frame) else decided
    ends: list[dict[str, Value]] = []
    values: list[Value] = []
    bodies = trace_builder.record_branch(frame, node).bodies if decided is None else None
    guarded, path, mode, token = frame.guarded, frame.conditions.path, frame.mode, interp.branch_id
    branch_path = interp.effects.branch_path
    frame.guarded = guarded or decided is None
    rare = decided is None and is_rare(interp, node.test, frame)
    usual: Value | None = None
    chosen = reach.answer(node.test, frame) if decided is None else None
    for answer, state, branch in ((True, yes, node.body), (False, no, node.orelse)):
        if decided is None or decided is answer:
            frame.variables = dict(state)
            frame.mode = mode.with_unlikely(rare and answer)
            if decided is None:
                interp.enter_branch()
                reach.under(frame, node.test, answer)
                unusual_stores.into_branch(interp, node.test, answer, frame)
            if bodies is None:
                values.append(interp.eval(branch, frame))
            else:
                with trace_builder.InBranch(frame, bodies):
                    values.append(interp.eval(branch, frame))
            ends.append(frame.variables)
            frame.conditions.path, interp.effects.branch_path = path, branch_path
            if answer is chosen:
                usual = reach.usual(values[-1])
    frame.guarded, frame.mode, interp.branch_id = guarded, mode, token
    frame.variables = dict(join_variables(ends))
    reach.keep(start, frame.variables)
    return reach.expected(join_all(values), usual) if chosen is not None else join_all(values)


def boolean(interp: Interpreter, node: ast.expr, frame: Frame) -> Value:
    """``a and b``, ``a or b``: the value of the operand that decides it."""
    assert isinstance(node, ast.BoolOp)
    stop = isinstance(node.op, ast.Or)
    start = frame.variables
    values: list[Value] = []
    ends: list[dict[str, Value]] = []
    guarded, path, token = frame.guarded, frame.conditions.path, interp.branch_id
    branch_path = interp.effects.branch_path
    usual: list[Value | None] = []
    for index, operand in enumerate(node.values):
        value = interp.eval(operand, frame)
        usual.append(reach.usual(value))
        if index == len(node.values) - 1:
            values.append(value)
            break
        if not (
            stop and _is_text(node.values[-1]) and all(v.is_input for v in members(value) if isinstance(v, Tensor))
        ):
            demand(interp, value, operand, frame, "or" if stop else "and")
        decided: bool | None = interp.truth(value)
        if decided is not (not stop):
            values.append(_that_stops(interp, value, stop))
            ends.append(narrow(interp, operand, value, frame, stop))
        if decided is stop:
            break
        if decided is None:
            frame.guarded = True
            interp.enter_branch()
            reach.note(operand, value, None, frame)
            reach.under(frame, operand, not stop)
            unusual_stores.into_branch(interp, operand, not stop, frame)
        frame.variables = dict(narrow(interp, operand, value, frame, not stop))
    frame.guarded, frame.conditions.path, interp.branch_id = guarded, path, token
    interp.effects.branch_path = branch_path
    frame.variables = dict(join_variables([*ends, frame.variables]))
    reach.keep(start, frame.variables)
    return reach.expected(join_all(values), reach.first(usual, stop)) if len(values) > 1 else join_all(values)


def _that_stops(interp: Interpreter, value: Value, stop: bool) -> Value:
    """Return what an operand is if it ends the evaluation of ``and`` or, with ``stop``, of ``or``."""
    alternatives = (each for each in members(value) if interp.truth(each) is not (not stop))
    return join_all(Const(stop) if isinstance(each, Scalar) and each.kind == "bool" else each for each in alternatives)


def _is_text(node: ast.expr) -> bool:
    """Return whether an operand is a string: in ``x or ""`` the other one is text, whatever its annotation says."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def joined(interp: Interpreter, node: ast.expr, frame: Frame) -> Value:
    """An f-string."""
    assert isinstance(node, ast.JoinedStr)
    parts: list[Value] | None = []
    tensors = objects = False
    for part in node.values:
        value = interp.eval(part.value, frame) if isinstance(part, ast.FormattedValue) else interp.eval(part, frame)
        plain = isinstance(part, ast.Constant) or (
            isinstance(part, ast.FormattedValue) and part.format_spec is None and part.conversion in (-1, 115)
        )
        tensors = tensors or tensor_text.has_tensor(value)
        if isinstance(part, ast.FormattedValue) and part.conversion == -1:
            objects = objects or opaque_objects.is_formatted_later(value)
            object_texts.check_formatted(interp, value, frame, part.value)
        elif isinstance(part, ast.FormattedValue):
            _converted(interp, part, value, frame)
        if parts is not None and plain:
            parts.append(value)
        else:
            parts = None
    if tensors:
        return tensor_text.TENSOR_TEXT
    if objects and frame.mode.tracing:
        return tensor_text.OBJECT_TEXT
    if parts is None:
        return STR
    return tensor_text.combined(parts, lambda chosen: "".join(map(str, chosen))) or STR


def _converted(interp: Interpreter, part: ast.FormattedValue, value: Value, frame: Frame) -> None:
    """``!r``, ``!s`` and ``!a`` in an f-string, which call ``repr`` or ``str``."""
    name = "str" if part.conversion == ord("s") else "repr"
    if name == "repr" and any(isinstance(v, Tensor) for v in members(value)):
        interp.emit(frame, part.value, "tensor-to-python", "repr", ("repr-on-tensor",), about=value)
    type_slots.refused(interp, name, value, frame, part.value)
    function_objects.shown(interp, name, value, frame, part.value)
    opaque_objects.shown(interp, name, value, frame, part.value)


def named(interp: Interpreter, node: ast.expr, frame: Frame) -> Value:
    """``name := value``."""
    assert isinstance(node, ast.NamedExpr)
    value = interp.eval(node.value, frame)
    assignment.assign(interp, node.target, value, frame)
    return value


def lambda_(interp: Interpreter, node: ast.expr, frame: Frame) -> Value:
    """``lambda``."""
    assert isinstance(node, ast.Lambda)
    return functions.define(interp, node, frame)


def slice_(interp: Interpreter, node: ast.expr, frame: Frame) -> Value:
    """``a:b:c`` in a subscript."""
    assert isinstance(node, ast.Slice)
    lower, upper, step = (
        NONE if part is None else interp.eval(part, frame) for part in (node.lower, node.upper, node.step)
    )
    return Slice(lower, upper, step)


def starred(interp: Interpreter, node: ast.expr, frame: Frame) -> Value:
    """``*value`` on its own."""
    assert isinstance(node, ast.Starred)
    return interp.eval(node.value, frame)


def _comprehend(
    interp: Interpreter,
    generators: list[ast.comprehension],
    frame: Frame,
    take: Callable[[], None],
    taken: tuple[ast.expr, ...],
) -> bool:
    """Run ``take`` for each combination of items that passes the ``if`` parts; return whether each ran exactly once."""
    if not generators:
        take()
        return True
    generator = generators[0]
    iterable = interp.eval(generator.iter, frame)
    items = interp.items_of(iterable, frame, generator.iter)
    most = constant_tables.most_items(generator, taken, frame, MAX_COMPREHENSION)
    if items and not frame.mode.tracing and frame.module.origin == "user" and all(map(_is_module, items)):
        most = max(most, MAX_KEPT_MODULES)  # some of them are selected by class or by name
    exact = items is not None and len(items) <= most and frame.flow.may_unroll(len(items))
    exact = exact and not interp.budget.exhausted
    times = containers.length_of(iterable) if items is None else len(items)
    if items is None or not exact:
        item = interp.item_of(iterable, frame, generator.iter)
        items = () if item is BOTTOM else (item,)
    token = None if exact else interp.enter_branch()
    noted = trace_builder.record_loop(frame, generator, times, unrolled=exact)
    outer, rounds = frame.body, frame.flow.rounds
    frame.flow.rounds *= max(len(items), 1)
    for item in items:
        state = frame.variables
        frame.body = {}
        noted.bodies.append(frame.body)
        frame.variables = dict(state)
        assignment.assign(interp, generator.target, item, frame)
        passed: bool | None = True
        guarded, path = frame.guarded, frame.conditions.path
        for test in generator.ifs:
            decided, yes, _ = condition(interp, test, frame, "comprehension-if")
            frame.variables = dict(yes)
            passed = False if decided is False else None if decided is None or passed is None else True
            if passed is False:
                break
            frame.guarded = guarded or passed is None
            if decided is None:
                reach.under(frame, test, True)
        if passed is not False:
            inner = _comprehend(interp, generators[1:], frame, take, taken)
            exact = exact and inner and passed is True
        frame.guarded, frame.conditions.path = guarded, path
        targets = _targets(generator.target)
        kept = {n: v for n, v in frame.variables.items() if n in state and n not in targets}
        frame.variables = {**state, **kept}
    frame.body, frame.flow.rounds = outer, rounds
    if token is not None:
        interp.branch_id = token
    return exact


def _is_module(item: Value) -> bool:
    """Return whether an item is a module, or a module with its name."""
    return is_nn_module(item.items[-1] if isinstance(item, Seq) and item.items else item)


def _targets(target: ast.expr) -> set[str]:
    return {n.id for n in ast_walk.walk(target) if isinstance(n, ast.Name)}


def comprehension(interp: Interpreter, node: ast.expr, frame: Frame) -> Value:
    """A list or set comprehension, or a generator expression."""
    assert isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp))
    out: list[Value] = []
    frame.context.append("comprehension")
    kind: trace_ir.BlockKind = "generator" if isinstance(node, ast.GeneratorExp) else "comprehension"
    with trace_builder.InBlock(frame, kind, node) as block:
        exact = _comprehend(
            interp, node.generators, frame, lambda: out.append(interp.eval(node.elt, frame)), (node.elt,)
        )
    frame.context.pop()
    count = None if exact or isinstance(node, ast.SetComp) else _count(node.generators, block)
    if isinstance(node, ast.GeneratorExp):
        items = tuple(out) if exact else None
        return Iterator("generator", join_all(out), not frame.mode.tracing, items, count=count)
    cls = "list" if isinstance(node, ast.ListComp) else "set"
    return Seq(cls, tuple(out)) if exact else Seq(cls, None, join_all(out), count)


def _count(generators: list[ast.comprehension], block: trace_ir.BlockStep) -> int | None:
    """Return the number of items of a comprehension that only iterates; None if it is unknown."""
    loop = block.body.get(("loop", generators[0]))
    simple = len(generators) == 1 and not generators[0].ifs
    return loop.times if simple and isinstance(loop, trace_ir.LoopStep) else None


def dict_comprehension(interp: Interpreter, node: ast.expr, frame: Frame) -> Value:
    """A dict comprehension."""
    assert isinstance(node, ast.DictComp)
    out: list[tuple[Value, Value]] = []
    levels: list[int] = []
    before = len(frame.conditions.path)

    def take() -> None:
        levels.append(level_of(frame.conditions.path[before:]))
        out.append((interp.eval(node.key, frame), interp.eval(node.value, frame)))

    frame.context.append("comprehension")
    with trace_builder.InBlock(frame, "comprehension", node):
        exact = _comprehend(interp, node.generators, frame, take, (node.key, node.value))
    frame.context.pop()
    table = constant_tables.of_pairs(out) if exact else None
    if table is not None:
        return table
    result: Value = Mapping()
    for key, value in out:
        result = with_item(result, key, value)
    if exact or not isinstance(result, Mapping) or not result.entries:
        return result
    # Not each item passes: the keys may be missing, and are where the declared defaults leave their items out.
    added = {key for (key, _), level in zip(out, levels) if level == OPTION}
    added -= {key for (key, _), level in zip(out, levels) if level != OPTION}
    known = frozenset(key for key, _ in result.entries)
    return Mapping(result.entries, result.rest, result.keys, result.cls, known, known & added)


def yields(interp: Interpreter, node: ast.expr, frame: Frame) -> Value:
    """``yield``."""
    assert isinstance(node, ast.Yield)
    value = NONE if node.value is None else interp.eval(node.value, frame)
    frame.is_generator = True
    frame.yields = join(frame.yields, value)
    context_managers.suspended(interp, frame)
    return UNKNOWN


def yields_from(interp: Interpreter, node: ast.expr, frame: Frame) -> Value:
    """``yield from``."""
    assert isinstance(node, ast.YieldFrom)
    frame.is_generator = True
    used = interp.discarded_expression is not node
    source = interp.eval(node.value, frame)
    frame.yields = join(frame.yields, interp.item_of(source, frame, node))
    return divergence.delegated(interp, source, used, frame, node)


def awaits(interp: Interpreter, node: ast.expr, frame: Frame) -> Value:
    """``await``: Dynamo has no handler for the opcode (``GET_AWAITABLE``)."""
    assert isinstance(node, ast.Await)
    interp.awaited = node.value
    value = interp.eval(node.value, frame)
    interp.emit(frame, node, "construct", "async", ("missing-bytecode-handler",))
    return value


HANDLERS: dict[type, ExpressionHandler] = {
    ast.Constant: constant,
    ast.Name: name,
    ast.List: sequence,
    ast.Tuple: sequence,
    ast.Set: sequence,
    ast.Dict: mapping,
    ast.IfExp: conditional,
    ast.BoolOp: boolean,
    ast.JoinedStr: joined,
    ast.NamedExpr: named,
    ast.Lambda: lambda_,
    ast.Slice: slice_,
    ast.Starred: starred,
    ast.ListComp: comprehension,
    ast.SetComp: comprehension,
    ast.GeneratorExp: comprehension,
    ast.DictComp: dict_comprehension,
    ast.Yield: yields,
    ast.YieldFrom: yields_from,
    ast.Await: awaits,
    ast.Attribute: attributes.attribute,
    ast.Subscript: subscripts.subscript,
    ast.Call: call_expression,
    ast.BinOp: operators.binary_expression,
    ast.UnaryOp: operators.unary_expression,
    ast.Compare: comparisons.comparison,
}
