"""Checks of tensor values that only raise: as assertions that are part of the graph."""

from __future__ import annotations

import libcst as cst

from gblint.fix.recipes.building import (
    is_inside_try,
    is_tensor,
    line_of,
    literal_text,
    may_be_tensor,
    negated,
    operands,
    statement,
)
from gblint.fix.site import Rewrite, Site


def assert_in_graph(site: Site) -> Rewrite | None:
    """``if bad(x): raise E(...)``: unchanged in eager mode, ``torch._assert_async`` in a compiled region."""
    check = site.around(cst.If)
    if not isinstance(check, cst.If) or check.orelse is not None or is_inside_try(site):
        return None
    if isinstance(site.tree.parent(check), cst.If) or not _contains(site, check.test):
        return None
    message = _message(check.body)
    torch, imports = site.named("torch")
    lines = None if message is None else _assertions(site, check.test, message, torch)
    if lines is None:
        return None
    body = "".join(f"    {line}\n" for line in lines)
    compiled = statement(site.tree, f"if {torch}.compiler.is_compiling():\n{body}")
    assert isinstance(compiled, cst.If)
    eager = check.with_changes(leading_lines=[])
    new = compiled.with_changes(leading_lines=check.leading_lines, orelse=eager)
    return Rewrite("check it in the graph with `torch._assert_async`", "safe", {check: new}, imports)


def _contains(site: Site, test: cst.BaseExpression) -> bool:
    return site.node is test or any(outer is test for outer in site.tree.ancestors(site.node))


def _message(body: cst.BaseSuite) -> str | None:
    """The source of the text that the only statement of ``body`` raises with; None if it does anything else."""
    inner = body.body
    small = inner[0].body if len(inner) == 1 and isinstance(inner[0], cst.SimpleStatementLine) else inner
    if len(small) != 1 or not isinstance(small[0], cst.Raise):
        return None
    raised = small[0].exc
    if isinstance(raised, cst.Call):
        texts = [literal_text(arg.value) for arg in raised.args[:1] if not arg.star]
        if texts and texts[0] is not None:
            return texts[0]
        raised = raised.func
    name = raised.attr.value if isinstance(raised, cst.Attribute) else getattr(raised, "value", None)
    return f'"{name}"' if isinstance(name, str) else None


def _assertions(site: Site, test: cst.BaseExpression, message: str, torch: str) -> list[str] | None:
    """The lines that assert in the graph what ``test`` denies; None where some part is no single tensor."""
    *before, last = operands(test, cst.And)
    if any(may_be_tensor(site, part) for part in before):
        return None
    parts = operands(last, cst.Or)
    if len(parts) > 1 and before and not last.lpar:
        return None
    if not all(_is_check(site, part) for part in parts):
        return None
    lines = [f"{torch}._assert_async({negated(site, part, torch)}, {message})" for part in parts]
    if before:
        return [f"if {' and '.join(_operand(site, part) for part in before)}:", *(f"    {line}" for line in lines)]
    return lines


def _operand(site: Site, node: cst.BaseExpression) -> str:
    text = site.code(node)
    return f"({text})" if isinstance(node, (cst.BooleanOperation, cst.IfExp, cst.Lambda, cst.NamedExpr)) else text


def _is_check(site: Site, node: cst.BaseExpression) -> bool:
    """Whether ``node`` is a tensor whose truth is asked, or ``not`` of one."""
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not):
        return is_tensor(site.value(node.expression))
    if isinstance(node, cst.Comparison) and len(node.comparisons) > 1:
        return False
    return is_tensor(site.value(node))


def split_assert(site: Site) -> Rewrite | None:
    """``assert not t``, ``assert a and t``, ``assert t, f"..."``: each in the form that goes into the graph."""
    check = site.statement
    line = line_of(site)
    if not isinstance(check, cst.Assert) or line is None or is_inside_try(site):
        return None
    message = None if check.msg is None else literal_text(check.msg)
    if check.msg is not None and message is None:
        return None
    torch, imports = site.named("torch")
    tail = "" if message is None else f", {message}"
    lines = []
    for part in operands(check.test, cst.And):
        if isinstance(part, cst.UnaryOperation) and isinstance(part.operator, cst.Not):
            if is_tensor(site.value(part.expression)):
                lines.append(f"assert {negated(site, part.expression, torch)}{tail}\n")
                continue
        lines.append(f"assert {_operand(site, part)}{tail}\n")
    new = [statement(site.tree, text) for text in lines]
    first = new[0].with_changes(leading_lines=line.leading_lines)
    last = new[-1] if len(new) > 1 else first
    last = last.with_changes(trailing_whitespace=line.trailing_whitespace)
    replaced = [last] if len(new) == 1 else [first, *new[1:-1], last]
    if all("logical_not" not in text for text in lines):
        imports = ()
    return Rewrite(
        "write it as assertions that go into the graph", "safe", {line: cst.FlattenSentinel(replaced)}, imports
    )
