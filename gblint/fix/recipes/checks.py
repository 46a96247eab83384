"""Checks of tensor values that only raise: as assertions in the graph."""

from __future__ import annotations

import libcst as cst

from gblint.fix.context import FixContext, Rewrite
from gblint.fix.recipes._build import (
    bind_arguments,
    called_name,
    is_inside_try,
    literal_text,
    message_text,
    negated_text,
    operand_text,
    operands,
    own_line,
    parse_statement,
    primary_text,
)
from gblint.fix.recipes._predicates import parenthesized, reads_tensor, truth_tensor
from gblint.fix.recipes._purity import is_pure
from gblint.fix.recipes._values import computes_tensor, is_number, is_tensor, may_be_tensor
from gblint.values.objects import ExternalName


def assert_in_graph(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``if bad(x): raise E(...)`` to ``torch._assert_async`` in compiled code; eager code stays as it is.

    Preconditions: the branch only raises, no ``try`` of the function can catch it, and the condition is one truth
    value. Unsafe: compiled code raises another exception, which a caller may not catch.
    """
    check = ctx.enclosing(cst.If)
    if not isinstance(check, cst.If) or check.orelse is not None or is_inside_try(ctx):
        return None
    if isinstance(ctx.tree.parent(check), cst.If) or not ctx.is_in(check.test):
        return None
    message = _message(ctx, check.body)
    torch, imports = ctx.module_reference("torch")
    lines = None if message is None else _assertions(ctx, check.test, message, torch)
    if lines is None:
        return None
    body = "".join(f"    {line}\n" for line in lines)
    compiled = parse_statement(ctx.tree, f"if {torch}.compiler.is_compiling():\n{body}")
    assert isinstance(compiled, cst.If)
    eager = check.with_changes(leading_lines=[])
    new = compiled.with_changes(leading_lines=check.leading_lines, orelse=eager)
    return Rewrite("check the condition in the graph with `torch._assert_async`", "unsafe", {check: new}, imports)


def _message(ctx: FixContext, body: cst.BaseSuite) -> str | None:
    """Return the source of the message if the only statement of ``body`` is a ``raise``."""
    inner = body.body
    small = inner[0].body if len(inner) == 1 and isinstance(inner[0], cst.SimpleStatementLine) else inner
    if len(small) != 1 or not isinstance(small[0], cst.Raise):
        return None
    raised = small[0].exc
    if isinstance(raised, cst.Call):
        texts = [message_text(ctx, arg.value) for arg in raised.args[:1] if not arg.star]
        if texts and texts[0] is not None:
            return texts[0]
        raised = raised.func
    name = raised.attr.value if isinstance(raised, cst.Attribute) else getattr(raised, "value", None)
    return f'"{name}"' if isinstance(name, str) else None


def _assertions(ctx: FixContext, test: cst.BaseExpression, message: str, torch: str) -> list[str] | None:
    """Return the lines that assert the opposite of ``test``; None if a part is not a single truth value."""
    *before, last = operands(test, cst.And)
    if any(may_be_tensor(ctx, part) or reads_tensor(ctx, part) for part in before):
        return None
    parts = operands(last, cst.Or)
    if len(parts) > 1 and before and not last.lpar:
        return None
    denied = [_opposite(ctx, part, torch) for part in parts]
    if any(text is None for text in denied):
        return None
    lines = [f"{torch}._assert_async({text}, {message})" for text in denied]
    if before:
        return [f"if {' and '.join(operand_text(ctx, part) for part in before)}:", *(f"    {line}" for line in lines)]
    return lines


def _opposite(ctx: FixContext, part: cst.BaseExpression, torch: str) -> str | None:
    """Return the text of a tensor that is true where ``part`` is false; None if there is none."""
    if _is_check(ctx, part):
        return negated_text(ctx, part, torch)
    equal = _opposite_of_equality(ctx, part, torch)
    if equal is not None:
        return equal
    if isinstance(part, cst.UnaryOperation) and isinstance(part.operator, cst.Not):
        inner = truth_tensor(ctx, part.expression, torch)
        return None if inner is None else inner.text
    found = truth_tensor(ctx, part, torch)
    return None if found is None else f"~{parenthesized(found.text)}"


def _opposite_of_equality(ctx: FixContext, part: cst.BaseExpression, torch: str) -> str | None:
    """Return the opposite of what ``_equality`` returns, also for ``not`` before the call."""
    if isinstance(part, cst.UnaryOperation) and isinstance(part.operator, cst.Not):
        return _equality(ctx, part.expression, torch)
    text = _equality(ctx, part, torch)
    return None if text is None else f"~{text}"


def _equality(ctx: FixContext, call: cst.BaseExpression, torch: str) -> str | None:
    """Return the tensor for ``torch.equal(a, a)``, also for ``a`` and ``a**2``, and for ``torch.allclose(a, b)``."""
    function = ctx.value(call.func) if isinstance(call, cst.Call) else None
    if not isinstance(call, cst.Call) or not isinstance(function, ExternalName) or not is_pure(ctx, call):
        return None
    texts = [ctx.code(arg) for arg in call.args]
    values = [ctx.value(arg.value) for arg in call.args[:2]]
    if len(values) < 2 or not all(is_tensor(value) for value in values):
        return None
    if function.name == "torch.equal" and len(texts) == 2 and _has_shape_of(ctx, call.args[1].value, texts[0]):
        return f"({texts[0]} == {texts[1]}).all()"
    return f"{torch}.isclose({', '.join(texts)}).all()" if function.name == "torch.allclose" else None


def _has_shape_of(ctx: FixContext, node: cst.BaseExpression, tensor: str) -> bool:
    """Return whether ``node`` is the tensor of this text, or is computed from it and numbers by operators."""
    if ctx.code(node) == tensor:
        return True
    if not isinstance(node, cst.BinaryOperation) or isinstance(node.operator, cst.MatrixMultiply):
        return False
    return _has_shape_of(ctx, node.left, tensor) and is_number(ctx.value(node.right))


def _is_check(ctx: FixContext, node: cst.BaseExpression) -> bool:
    """Return whether ``node`` is a tensor that is tested, or ``not`` of one."""
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not):
        return computes_tensor(ctx, node.expression)
    if isinstance(node, cst.Comparison) and len(node.comparisons) > 1:
        return False
    return computes_tensor(ctx, node)


def check_in_graph(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``torch._check_tensor_all(c)`` to ``torch._assert_async`` in compiled code; eager code stays as it is.

    Preconditions: the condition is a tensor, and no ``try`` of the function can catch the error. Unsafe: on a device
    the error ends the process.
    """
    call, line = ctx.node, own_line(ctx)
    if not isinstance(call, cst.Call) or called_name(ctx) != "torch._check_tensor_all" or line is None:
        return None
    if not isinstance(ctx.statement, cst.Expr) or ctx.statement.value is not call:
        return None
    arguments = bind_arguments(call, ["cond", "message"])
    if not arguments or "cond" not in arguments or not is_tensor(ctx.value(arguments["cond"])) or is_inside_try(ctx):
        return None
    message = arguments.get("message")
    text = message_text(ctx, message.body) if isinstance(message, cst.Lambda) else None
    torch, imports = ctx.module_reference("torch")
    # An assertion without a message is removed from the graph.
    text = text or '"Expected the condition to be true"'
    asserted = f"{torch}._assert_async({primary_text(ctx.tree, arguments['cond'])}.all(), {text})"
    compiled = parse_statement(ctx.tree, f"if {torch}.compiler.is_compiling():\n    {asserted}\nelse:\n    pass\n")
    assert isinstance(compiled, cst.If) and compiled.orelse is not None
    eager = compiled.orelse.with_changes(body=cst.IndentedBlock([line.with_changes(leading_lines=[])]))
    new = compiled.with_changes(leading_lines=line.leading_lines, orelse=eager)
    return Rewrite("check the condition in the graph with `torch._assert_async`", "unsafe", {line: new}, imports)


def split_assert(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``assert not t``, ``assert a and t`` and ``assert torch.allclose(t, u)`` to assertions in the graph.

    A message that is not a constant string keeps eager code as it is: only compiled code asserts, with
    ``torch._assert_async``. Precondition: no ``try`` of the function can catch the error. Unsafe: compiled code
    raises a RuntimeError.
    """
    check = ctx.statement
    line = own_line(ctx)
    if not isinstance(check, cst.Assert) or line is None or is_inside_try(ctx):
        return None
    torch, imports = ctx.module_reference("torch")
    message = None if check.msg is None else literal_text(check.msg)
    if check.msg is not None and message is None:
        return _formatted_assert(ctx, check, line, torch)
    tail = "" if message is None else f", {message}"
    lines = []
    for part in operands(check.test, cst.And):
        if isinstance(part, cst.UnaryOperation) and isinstance(part.operator, cst.Not):
            if is_tensor(ctx.value(part.expression)):
                lines.append(f"assert {negated_text(ctx, part.expression, torch)}{tail}\n")
                continue
        joined = None if _is_check(ctx, part) else _truth_text(ctx, part, torch)
        lines.append(f"assert {operand_text(ctx, part) if joined is None else joined}{tail}\n")
    title = "rewrite as assertions in the graph"
    if all(f"{torch}." not in text for text in lines):
        imports = ()
    new = [parse_statement(ctx.tree, text) for text in lines]
    if len(new) == 1 and isinstance(new[0], cst.SimpleStatementLine):
        # The message stays as it is formatted.
        made = cst.ensure_type(new[0].body[0], cst.Assert)
        return Rewrite(title, "unsafe", {check.test: made.test}, imports)
    first = new[0].with_changes(leading_lines=line.leading_lines)
    last = new[-1].with_changes(trailing_whitespace=line.trailing_whitespace)
    return Rewrite(title, "unsafe", {line: cst.FlattenSentinel([first, *new[1:-1], last])}, imports)


def _truth_text(ctx: FixContext, part: cst.BaseExpression, torch: str) -> str | None:
    """Return the text of a tensor that is true where ``part`` is; None if there is none."""
    inner = part.expression if isinstance(part, cst.UnaryOperation) and isinstance(part.operator, cst.Not) else part
    equal = _equality(ctx, inner, torch)
    if equal is not None and inner is not part:
        equal = f"~{equal}"
    truth = None if equal is not None else truth_tensor(ctx, part, torch)
    return equal if truth is None else truth.text


def _formatted_assert(ctx: FixContext, check: cst.Assert, line: cst.SimpleStatementLine, torch: str) -> Rewrite | None:
    """Return the rewrite of an assertion whose message is made when it fails."""
    message = None if check.msg is None else message_text(ctx, check.msg)
    *before, last = operands(check.test, cst.And)
    if message is None or any(may_be_tensor(ctx, part) or reads_tensor(ctx, part) for part in before):
        return None
    truth = _truth_text(ctx, last, torch)
    if truth is None:
        return None
    body = [f"    assert {operand_text(ctx, part)}, {message}" for part in before]
    body.append(f"    {torch}._assert_async({truth}, {message})")
    text = "\n".join([f"if {torch}.compiler.is_compiling():", *body, "else:", "    pass\n"])
    compiled = parse_statement(ctx.tree, text)
    assert isinstance(compiled, cst.If) and compiled.orelse is not None
    eager = compiled.orelse.with_changes(body=cst.IndentedBlock([line.with_changes(leading_lines=[])]))
    new = compiled.with_changes(leading_lines=line.leading_lines, orelse=eager)
    title = "check the condition in the graph with `torch._assert_async`"
    return Rewrite(title, "unsafe", {line: new}, ctx.module_reference("torch")[1])
