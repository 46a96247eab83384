"""Helpers that build replacements: texts and nodes in the style of the file, and the places where they go."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

import libcst as cst

from gblint.fix import matchers as match
from gblint.fix.context import FixContext, Replacement
from gblint.fix.cst_file import SyntaxTree
from gblint.fix.recipes._values import is_bool_tensor
from gblint.runtime.quiet_parse import parse_module
from gblint.values.base import Const
from gblint.values.objects import ExternalName

_FOR_TOOLS = re.compile(r"#\s*(type:|noqa|pragma|pylint|fmt:|pyright|mypy)", re.IGNORECASE)
_TRIES = (ast.Try, getattr(ast, "TryStar", ast.Try))
_LONG_MESSAGE = 80  # characters; a longer message ends with its first sentence
EXITS = match.Continue() | match.Break() | match.Return() | match.Yield() | match.Await()
# Primaries: expressions that need no parentheses before an attribute or a subscript.
_PRIMARIES = (cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.BaseNumber, cst.List, cst.Dict, cst.Set)


def parse_statement(tree: SyntaxTree, text: str) -> cst.BaseStatement:
    """Parse ``text`` as a statement in the style of the file."""
    parsed = cst.parse_statement(text, config=tree.module.config_for_parsing)
    assert isinstance(parsed, cst.BaseStatement)
    return parsed


def replace_branch(ctx: FixContext, branch: cst.If, lines: Sequence[str]) -> dict[cst.CSTNode, Replacement]:
    """Return the replacement of ``branch`` by the statements ``lines``; those of an ``elif`` go under ``else``.

    Comments in the branch go above the statements.
    """
    module = cst.parse_module("".join(f"{line}\n" for line in lines), config=ctx.tree.module.config_for_parsing)
    block = ctx.tree.parent(branch)
    if not module.body and isinstance(block, cst.IndentedBlock) and len(block.body) > 1 and not branch.leading_lines:
        return {branch: cst.RemoveFromParent()}
    new = list(module.body) or [cst.SimpleStatementLine([cst.Pass()])]
    comments = _comments_inside(branch)
    if _is_elif(ctx, branch):
        new[0] = new[0].with_changes(leading_lines=comments)
        return {branch: cst.Else(cst.IndentedBlock(new), leading_lines=branch.leading_lines)}
    new[0] = new[0].with_changes(leading_lines=[*branch.leading_lines, *comments])
    return {branch: cst.FlattenSentinel(new)}


def _comments_inside(branch: cst.If) -> list[cst.EmptyLine]:
    """Return the comments in a branch as lines of their own, without those that speak to tools about a line."""
    found = []
    for node in match.findall(branch, match.EmptyLine() | match.TrailingWhitespace()):
        comment = node.comment if isinstance(node, (cst.EmptyLine, cst.TrailingWhitespace)) else None
        if comment is not None and node not in branch.leading_lines and not _FOR_TOOLS.match(comment.value):
            found.append(cst.EmptyLine(comment=comment))
    return found


def in_compiled_code(
    ctx: FixContext, branch: cst.If | cst.While, lines: Sequence[cst.BaseStatement], torch: str
) -> dict[cst.CSTNode, Replacement]:
    """Return the replacement of ``branch`` by the statements ``lines`` in compiled code; eager code keeps it.

    Without compilation an operator such as ``torch.cond`` is compiled whenever it is called.
    """
    head = parse_statement(ctx.tree, f"if {torch}.compiler.is_compiling():\n    pass\n")
    assert isinstance(head, cst.If)
    head = head.with_changes(body=cst.IndentedBlock(lines), leading_lines=branch.leading_lines)
    eager = branch.with_changes(leading_lines=[])
    orelse = eager if isinstance(eager, cst.If) else cst.Else(cst.IndentedBlock([eager]))
    return {branch: head.with_changes(orelse=orelse)}


def _is_elif(ctx: FixContext, branch: cst.If) -> bool:
    """Return whether the branch is an ``elif``."""
    parent = ctx.tree.parent(branch)
    return isinstance(parent, cst.If) and parent.orelse is branch


def free_name(ctx: FixContext, node: cst.CSTNode, name: str) -> str:
    """Return ``name``, with a number appended if the function around ``node`` (or the file) uses it."""
    around = ctx.tree.enclosing(node, cst.FunctionDef) or ctx.tree.module
    used = {each.value for each in match.findall(around, match.Name()) if isinstance(each, cst.Name)}
    return next(each for each in (name, *(f"{name}_{n}" for n in range(2, len(used) + 3))) if each not in used)


def as_primary(text: str) -> str:
    """Return an expression as an operand, in parentheses unless it binds more tightly than every operator."""
    node = cst.parse_expression(text)
    return text if node.lpar or isinstance(node, _PRIMARIES) else f"({text})"


def primary_text(tree: SyntaxTree, node: cst.BaseExpression) -> str:
    """Return the text of ``node``, in parentheses unless it binds more tightly than every operator."""
    text = tree.code(node)
    return text if isinstance(node, _PRIMARIES) else f"({text})"


def text_with_renamed(ctx: FixContext, node: cst.BaseExpression, names: Mapping[str, str]) -> str | None:
    """Return the text of ``node`` with variables replaced by ``names``; None if it binds variables itself."""
    start, end = ctx.tree.bounds(node)
    if names and match.findall(node, match.CompFor() | match.Lambda() | match.NamedExpr()):
        return None
    text, rest = "", start
    for name in sorted(match.findall(node, match.Name()), key=ctx.tree.bounds):
        parent = ctx.tree.parent(name)
        is_label = isinstance(parent, (cst.Attribute, cst.Arg)) and name in (
            getattr(parent, "attr", None),
            getattr(parent, "keyword", None),
        )
        if isinstance(name, cst.Name) and name.value in names and not is_label:
            place, stop = ctx.tree.bounds(name)
            text, rest = f"{text}{ctx.tree.text[rest:place]}{names[name.value]}", stop
    return text + ctx.tree.text[rest:end]


def own_line(ctx: FixContext, node: cst.CSTNode | None = None) -> cst.SimpleStatementLine | None:
    """Return the line of ``node``, by default of the finding's statement; None if other statements share the line."""
    small = node or ctx.statement
    line = ctx.tree.parent(small) if isinstance(small, cst.BaseSmallStatement) else small
    if not isinstance(line, cst.SimpleStatementLine) or len(line.body) != 1:
        return None
    return line if isinstance(ctx.tree.parent(line), (cst.IndentedBlock, cst.Module)) else None


def lines_after(ctx: FixContext, branch: cst.CSTNode) -> list[cst.BaseStatement] | None:
    """Return the statements after ``branch`` in its block; None if there are none."""
    block = ctx.tree.parent(branch)
    if not isinstance(block, cst.IndentedBlock):
        return None
    position = next((i for i, line in enumerate(block.body) if line is branch), None)
    return list(block.body[position + 1 :]) or None if position is not None else None


def negated_text(ctx: FixContext, node: cst.BaseExpression, torch: str) -> str:
    """Return the text of a tensor that is true where ``node`` is false."""
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not):
        return ctx.code(node.expression)
    if is_bool_tensor(ctx.value(node)):
        return f"~{primary_text(ctx.tree, node)}"
    return f"{torch}.logical_not({ctx.code(node)})"


def operands(node: cst.BaseExpression, operator: type[cst.BaseBooleanOp]) -> list[cst.BaseExpression]:
    """Return the operands of a chain of ``and`` (``cst.And``) or ``or``; for any other expression itself."""
    if isinstance(node, cst.BooleanOperation) and isinstance(node.operator, operator):
        return [*operands(node.left, operator), *operands(node.right, operator)]
    return [node]


def literal_text(node: cst.BaseExpression) -> str | None:
    """Return the source of ``node`` if it is a constant string."""
    if isinstance(node, cst.SimpleString):
        return None if "b" in node.prefix.lower() else node.value
    if isinstance(node, cst.ConcatenatedString):
        left, right = literal_text(node.left), literal_text(node.right)
        return None if left is None or right is None else f"{left} {right}"
    return None


def message_text(ctx: FixContext, node: cst.BaseExpression) -> str | None:
    """Return the source of a string like ``node`` that compiled code can make; None if there is none.

    Numbers of tensors and sizes have no text in compiled code: ``...`` stands for each value that is not a constant.
    """
    text = _message(ctx, node)
    if text is None:
        return None
    if len(text) > _LONG_MESSAGE and ". " in text:
        text = text[: text.index(". ") + 1]
    text = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{text}"' if text.isprintable() else None


def _message(ctx: FixContext, node: cst.BaseExpression) -> str | None:
    """Return the text of a string like ``node``."""
    value = ctx.value(node)
    if isinstance(value, Const) and isinstance(value.value, str):
        return value.value
    if isinstance(node, cst.Call) and match.matches(node.func, match.Attribute(attr=match.Name("format"))):
        form = _message(ctx, cst.ensure_type(node.func, cst.Attribute).value)
        return None if form is None else re.sub(r"\{[^{}]*\}", "...", form)
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Modulo):
        form = _message(ctx, node.left)
        return None if form is None else re.sub(r"%(\(\w+\))?[-+ #0]*[\d.*]*[a-zA-Z]", "...", form).replace("%%", "%")
    if isinstance(node, cst.SimpleString) and "b" not in node.prefix.lower():
        text = node.evaluated_value
        return text if isinstance(text, str) else None
    if isinstance(node, cst.ConcatenatedString):
        left, right = _message(ctx, node.left), _message(ctx, node.right)
        return None if left is None or right is None else left + right
    if not isinstance(node, cst.FormattedString) or "r" in node.prefix.lower():
        return None
    parts = []
    for part in node.parts:
        if isinstance(part, cst.FormattedStringText):
            plain = cst.parse_expression(f"{node.start.lower().replace('f', '')}{part.value}{node.end}")
            found = cst.ensure_type(plain, cst.SimpleString).evaluated_value
            parts.append(str(found).replace("{{", "{").replace("}}", "}"))
        else:
            assert isinstance(part, cst.FormattedStringExpression)
            parts.append(_formatted_constant(ctx, part))
    return "".join(parts)


def _formatted_constant(ctx: FixContext, part: cst.FormattedStringExpression) -> str:
    """Return the text of one value in an f-string if it is a string or an integer that is known, else ``...``."""
    value = ctx.value(part.expression)
    plain = part.equal is None and part.conversion is None and part.format_spec is None
    if plain and isinstance(value, Const) and type(value.value) in (str, int):
        return str(value.value)
    return "..."


def is_inside_try(ctx: FixContext) -> bool:
    """Return whether the file may catch an exception that is raised at the finding.

    The function itself may do so, or another one that calls it by its name.
    """
    function = ctx.tree.enclosing(ctx.node, cst.FunctionDef)
    if _is_in_try_body(ctx.tree, ctx.node):
        return True
    if not isinstance(function, cst.FunctionDef):
        return False
    calls = _calls_of(ctx.tree.text)
    names, left = {function.name.value}, [function.name.value]
    while left:
        for caller, is_caught in calls.get(left.pop(), ()):
            if is_caught:
                return True
            if caller and caller not in names:
                names.add(caller)
                left.append(caller)
    return False


@lru_cache(maxsize=8)
def _calls_of(text: str) -> dict[str, list[tuple[str, bool]]]:
    """Return the places where a file calls each name: the function, and whether a ``try`` in it catches errors."""
    found: dict[str, list[tuple[str, bool]]] = {}
    left: list[tuple[ast.AST, str, bool]] = [(parse_module(text), "", False)]
    while left:
        node, function, is_caught = left.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            function, is_caught = getattr(node, "name", ""), False
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            found.setdefault(name, []).append((function, is_caught))
        guarded = node.body if isinstance(node, _TRIES) and node.handlers else ()
        left += [(each, function, is_caught or each in guarded) for each in ast.iter_child_nodes(node)]
    return found


def _is_in_try_body(tree: SyntaxTree, node: cst.CSTNode) -> bool:
    """Return whether a ``try`` of the function around ``node`` catches exceptions that are raised there."""
    inner = node
    for outer in tree.ancestors(node):
        if isinstance(outer, (cst.FunctionDef, cst.Lambda)):
            return False
        if isinstance(outer, (cst.Try, cst.TryStar)) and outer.body is inner and outer.handlers:
            return True
        inner = outer
    return False


def after_imports(tree: SyntaxTree, text: str) -> dict[cst.CSTNode, cst.FlattenSentinel[cst.CSTNode]]:
    """Return the insertion of the statement ``text`` after the imports at the top; empty if there are none."""
    last: cst.BaseStatement | None = None
    for line in tree.module.body:
        small = line.body if isinstance(line, cst.SimpleStatementLine) else ()
        if (small and all(isinstance(each, (cst.Import, cst.ImportFrom)) for each in small)) or (
            last is not None and _imports_if_possible(line)
        ):
            last = line
        elif not (small and isinstance(small[0], cst.Expr) and isinstance(small[0].value, cst.SimpleString)):
            break
    if last is None:
        return {}
    new = parse_statement(tree, text)
    empty = cst.EmptyLine(indent=False)
    if isinstance(new, cst.SimpleStatementLine):
        new = new.with_changes(leading_lines=[empty])
    elif isinstance(new, cst.FunctionDef):
        # Two empty lines before a function and after it.
        following = tree.module.body[tree.module.body.index(last) + 1 :]
        free = sum(line.comment is None for line in getattr(following[0], "leading_lines", ())) if following else 2
        body = new.body.with_changes(footer=[empty] * (2 - free))
        new = new.with_changes(leading_lines=[empty, empty], body=body)
    return {last: cst.FlattenSentinel([last, new])}


def _imports_if_possible(line: cst.CSTNode) -> bool:
    """Return whether a statement imports something under a condition or in a ``try``, and defines nothing."""
    defines = match.FunctionDef() | match.ClassDef()
    return (
        isinstance(line, (cst.If, cst.Try))
        and bool(match.findall(line, match.Import() | match.ImportFrom()))
        and not match.findall(line, defines)
    )


@lru_cache(maxsize=8)
def compiles(text: str, torch: str) -> bool:
    """Return whether the text of a file applies ``torch.compile``."""
    if f"{torch}.compile" not in text:
        return False
    attributes = (node for node in ast.walk(parse_module(text)) if isinstance(node, ast.Attribute))
    return any(node.attr == "compile" and ast.unparse(node.value) == torch for node in attributes)


def called_name(ctx: FixContext, node: cst.BaseExpression | None = None) -> str | None:
    """Return the full name of the library function that ``node`` calls, by default the finding's expression."""
    node = ctx.node if node is None else node
    value = ctx.value(node.func) if isinstance(node, cst.Call) else None
    return value.name if isinstance(value, ExternalName) else None


def bind_arguments(call: cst.Call, names: Sequence[str]) -> dict[str, cst.BaseExpression] | None:
    """Return the arguments of ``call`` by parameter name.

    Returns None if there are other arguments than ``names``, or a ``*``.
    """
    found: dict[str, cst.BaseExpression] = {}
    for position, arg in enumerate(call.args):
        if arg.star or (arg.keyword is None and position >= len(names)):
            return None
        name = names[position] if arg.keyword is None else arg.keyword.value
        if name not in names or name in found:
            return None
        found[name] = arg.value
    return found


def with_keyword(call: cst.Call, name: str, value: cst.BaseExpression) -> cst.Call:
    """Return ``call`` with the argument ``name=value`` after the others, laid out like them."""
    equal = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
    extra = cst.Arg(value, keyword=cst.Name(name), equal=equal)
    if not call.args:
        return call.with_changes(args=[extra])
    *others, last = call.args
    before = others[-1].comma if others else cst.MaybeSentinel.DEFAULT
    if not isinstance(before, cst.Comma):
        before = cst.Comma(whitespace_after=call.whitespace_before_args)
        if before.whitespace_after.empty:
            before = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    extra = extra.with_changes(comma=last.comma, whitespace_after_arg=last.whitespace_after_arg)
    last = last.with_changes(comma=before, whitespace_after_arg=cst.SimpleWhitespace(""))
    return call.with_changes(args=[*others, last, extra])


def is_unused_name(tree: SyntaxTree, name: str) -> bool:
    """Return whether the name does not occur in the file."""
    return name not in tree.names


def parse_like(node: cst.BaseExpression, text: str) -> cst.BaseExpression:
    """Parse the expression ``text``, and keep the parentheses of ``node``."""
    new = cst.parse_expression(text)
    return new if new.lpar or not node.lpar else new.with_changes(lpar=node.lpar, rpar=node.rpar)


def operand_text(ctx: FixContext, node: cst.BaseExpression) -> str:
    """Return the text of ``node`` as an operand of ``and``."""
    text = ctx.code(node)
    return f"({text})" if isinstance(node, (cst.BooleanOperation, cst.IfExp, cst.Lambda, cst.NamedExpr)) else text


def is_place(node: cst.BaseExpression) -> bool:
    """Return whether ``node`` is a variable, or an attribute or an entry with a constant name of one."""
    while isinstance(node, cst.Attribute) or is_entry(node):
        node = node.value  # type: ignore[attr-defined]
    return isinstance(node, cst.Name)


def is_entry(node: cst.CSTNode) -> bool:
    """Return whether ``node`` is an entry of a dict by a constant string, such as ``state["step"]``."""
    return match.matches(node, match.Subscript(slice=[match.SubscriptElement(match.Index(match.SimpleString()))]))


def sole_statement(lines: Sequence[cst.CSTNode]) -> cst.CSTNode | None:
    """Return the statement of a block that has one statement, without the line around it; None for other blocks."""
    line = lines[0] if len(lines) == 1 else None
    return line.body[0] if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1 else line


def returned_value(lines: Sequence[cst.CSTNode]) -> cst.BaseExpression | None:
    """Return the expression that ``lines`` return if they are a single ``return``."""
    only = sole_statement(lines)
    return only.value if isinstance(only, cst.Return) else None


def all_parameters(parameters: cst.Parameters) -> list[cst.Param]:
    """Return the parameters of a function, without ``*args`` and ``**kwargs``."""
    return [*parameters.posonly_params, *parameters.params, *parameters.kwonly_params]


def init_method(owner: cst.ClassDef) -> cst.FunctionDef | None:
    """Return the method ``__init__`` that the class defines."""
    return next((f for f in owner.body.body if isinstance(f, cst.FunctionDef) and f.name.value == "__init__"), None)


def operator_namespace(tree: SyntaxTree) -> str:
    """Return the namespace for custom operators of the file: its name as an identifier."""
    stem = tree.path.rpartition("/")[2].removesuffix(".py")
    return "".join(c if c.isalnum() else "_" for c in stem)


def as_operand(text: str) -> str:
    """Return ``text`` as an operand of ``&`` and ``|``: in parentheses unless it is a name, attribute or call."""
    node = cst.parse_expression(text)
    return text if isinstance(node, (cst.Name, cst.Attribute, cst.Call)) or node.lpar else f"({text})"
