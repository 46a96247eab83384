"""Closing of expressions: local names are replaced by their values, until only imports and builtins are left."""

from __future__ import annotations

import ast
import builtins
import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from gblint.confirm.inputs.target_facts import Imported
from gblint.project.modules import Module

Function = ast.FunctionDef | ast.AsyncFunctionDef
_MAX_DEPTH, _MAX_LENGTH = 12, 2000
_REFUSED_CALLS = (
    "from_pretrained",
    "load",
    "open",
    "input",
    "download",
    "load_state_dict",
    "hf_hub_download",
    "urlopen",
    "exit",
    "system",
)


class CannotClose(Exception):
    """A name in the expression has no value that can be written as an expression."""


@dataclass(slots=True)
class ExpressionScope:
    """Scope of an expression: statements of a function, a module or an example."""

    module: Module | None
    body: Sequence[ast.stmt]
    function: Function | None = None
    owner: ast.ClassDef | None = None
    outer: ExpressionScope | None = None


@dataclass(slots=True)
class ExpressionCloser:
    """Closes expressions.

    ``is_target``: whether a name in a scope is the target; the closed expressions call it ``name``. ``imports``
    collects the imports that the closed expressions need.
    """

    is_target: Callable[[ExpressionScope, str], bool]
    name: str
    imports: dict[str, Imported] = field(default_factory=dict)

    def close(self, node: ast.expr, scope: ExpressionScope, line: int, depth: int = 0) -> ast.expr:
        """Return the closed expression; raises :class:`CannotClose`."""
        if depth > _MAX_DEPTH:
            raise CannotClose
        closed = _NameReplacer(self, scope, line, depth).visit(copy.deepcopy(node))
        assert isinstance(closed, ast.expr)
        return closed

    def text(self, node: ast.expr, scope: ExpressionScope, line: int) -> str:
        """Return the source of the closed expression; raises :class:`CannotClose`."""
        return source_of(self.close(node, scope, line))

    def lookup(self, name: str, scope: ExpressionScope, line: int, depth: int) -> ast.expr:
        """Return the expression that a name stands for at a line."""
        if self.is_target(scope, name):
            return ast.Name(self.name, ast.Load())
        found = _assigned(scope.body, lambda target: isinstance(target, ast.Name) and target.id == name, line)
        if found is not None:
            return self.close(found[0], scope, found[1], depth + 1)
        imported = _imported(scope, name)
        if imported is not None:
            self.imports[name] = imported
            return ast.Name(name, ast.Load())
        if scope.function is not None:
            value = _parameter_value(scope.function, name)
            if value is not None:
                return self.close(value, scope.outer or scope, 1 << 30, depth + 1)
            if name in _parameter_names(scope.function):
                return self.fixture(name, scope, depth)
        if scope.outer is not None:
            return self.lookup(name, scope.outer, 1 << 30, depth + 1)
        if scope.module is not None and name in scope.module.symbols:
            self.imports[name] = Imported(name, scope.module.name, name)
            return ast.Name(name, ast.Load())
        if hasattr(builtins, name):
            return ast.Name(name, ast.Load())
        raise CannotClose

    def fixture(self, name: str, scope: ExpressionScope, depth: int) -> ast.expr:
        """Return the value of the pytest fixture with this name."""
        outer = scope.outer
        for statement in outer.body if outer is not None else ():
            if isinstance(statement, ast.FunctionDef) and statement.name == name:
                inner = ExpressionScope(scope.module, statement.body, statement, None, outer)
                for node in ast.walk(statement):
                    if isinstance(node, (ast.Return, ast.Yield)) and node.value is not None:
                        return self.close(node.value, inner, node.lineno, depth + 1)
        raise CannotClose

    def self_attribute(self, name: str, scope: ExpressionScope, depth: int) -> ast.expr:
        """Return the expression assigned to ``self.name`` in the class."""
        for method in scope.owner.body if scope.owner is not None else ():
            if isinstance(method, (ast.FunctionDef, ast.AsyncFunctionDef)):
                found = _assigned(method.body, lambda target: _self_attribute(target) == name, 1 << 30)
                if found is not None:
                    return self.close(
                        found[0],
                        ExpressionScope(scope.module, method.body, method, scope.owner, scope.outer),
                        found[1],
                        depth + 1,
                    )
            elif isinstance(method, ast.Assign) and any(
                isinstance(each, ast.Name) and each.id == name for each in method.targets
            ):
                return self.close(method.value, scope.outer or scope, 1 << 30, depth + 1)
        raise CannotClose


class _NameReplacer(ast.NodeTransformer):
    """Replaces the free names of an expression."""

    def __init__(self, closer: ExpressionCloser, scope: ExpressionScope, line: int, depth: int) -> None:
        self.closer, self.scope, self.line, self.depth = closer, scope, line, depth
        self.bound: set[str] = set()

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Replace a name, unless the expression binds it itself."""
        if node.id in self.bound or not isinstance(node.ctx, ast.Load):
            return node
        return self.closer.lookup(node.id, self.scope, self.line, self.depth)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Replace ``self.x`` of a test case."""
        if _self_attribute(node):
            return self.closer.self_attribute(node.attr, self.scope, self.depth)
        return self.generic_visit(node)

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        """Add the lambda's parameters to the bound names."""
        self.bound |= {each.arg for each in node.args.args}
        return self.generic_visit(node)

    def comprehension(self, node: ast.expr) -> ast.AST:
        """Add the comprehension's targets to the bound names."""
        for each in ast.walk(node):
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
                self.bound.add(each.id)
        return self.generic_visit(node)

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = comprehension  # noqa: N815

    def visit(self, node: ast.AST) -> Any:
        """Refuse await, yield and assignment expressions, which cannot be evaluated here."""
        if isinstance(node, (ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)):
            raise CannotClose
        return super().visit(node)


def source_of(node: ast.expr) -> str:
    """Return the source of a closed expression; raises :class:`CannotClose` if it is too long or calls something like
    ``load``."""
    for each in ast.walk(node):
        if isinstance(each, ast.Call):
            function = each.func
            name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
            if name in _REFUSED_CALLS:
                raise CannotClose
    text = ast.unparse(ast.fix_missing_locations(node))
    if len(text) > _MAX_LENGTH:
        raise CannotClose
    return text


def _self_attribute(node: ast.expr) -> str:
    """Return the name of an attribute of ``self`` or ``cls``, or ""."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"):
        return node.attr
    return ""


def _assigned(
    body: Sequence[ast.stmt], matches: Callable[[ast.expr], bool], before: int
) -> tuple[ast.expr, int] | None:
    """Return the value last assigned above a line, and the line of that assignment."""
    found: tuple[ast.expr, int] | None = None
    for statement in statements(body):
        if statement.lineno >= before:
            continue
        match statement:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    part = _matched(target, value, matches)
                    if part is not None:
                        found = (part, statement.lineno)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                if matches(target):
                    found = (value, statement.lineno)
            case ast.For(target=target, iter=iterated):
                if matches(target):
                    if not isinstance(iterated, (ast.Tuple, ast.List)) or not iterated.elts:
                        raise CannotClose
                    found = (iterated.elts[0], statement.lineno)
            case ast.With(items=items):
                for item in items:
                    if item.optional_vars is not None and matches(item.optional_vars):
                        raise CannotClose
            case _:
                continue
    return found


def _matched(target: ast.expr, value: ast.expr, matches: Callable[[ast.expr], bool]) -> ast.expr | None:
    """Return the part of ``value`` that is assigned to the matching part of ``target``."""
    if matches(target):
        return value
    if isinstance(target, (ast.Tuple, ast.List)):
        for index, each in enumerate(target.elts):
            if not matches(each):
                continue
            if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts):
                return value.elts[index]
            return ast.Subscript(value, ast.Constant(index), ast.Load())
    return None


def statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a body in order, including nested blocks, but not the bodies of functions and classes."""
    for statement in body:
        yield statement
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        for block in ("body", "orelse", "finalbody"):
            yield from statements(getattr(statement, block, []))


def _imported(scope: ExpressionScope, name: str) -> Imported | None:
    """Return an import of the name in this scope."""
    for statement in statements(scope.body):
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                if (alias.asname or alias.name.partition(".")[0]) == name:
                    return Imported(name, alias.name if alias.asname else name)
        elif isinstance(statement, ast.ImportFrom):
            for alias in statement.names:
                if (alias.asname or alias.name) == name:
                    module = statement.module
                    if statement.level:
                        module = (
                            scope.module.resolve_relative(statement.level, module) if scope.module is not None else None
                        )
                    return Imported(name, module, alias.name) if module else None
    return None


def _parameter_names(function: Function) -> list[str]:
    """Return the names of a function's parameters."""
    return [each.arg for each in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)]


def _parameter_value(function: Function, name: str) -> ast.expr | None:
    """Return a parameter's default, or the first value that ``pytest.mark.parametrize`` gives it."""
    for decorator in function.decorator_list:
        if (
            isinstance(decorator, ast.Call)
            and ast.unparse(decorator.func).endswith("parametrize")
            and len(decorator.args) > 1
        ):
            names, values = decorator.args[0], decorator.args[1]
            listed = _names_in(names)
            if name not in listed or not isinstance(values, (ast.List, ast.Tuple)) or not values.elts:
                continue
            first = values.elts[0]
            if isinstance(first, ast.Call) and first.args:  # pytest.param(...)
                first = ast.Tuple(first.args, ast.Load()) if len(listed) > 1 else first.args[0]
            if len(listed) == 1:
                return first
            if isinstance(first, (ast.Tuple, ast.List)) and len(first.elts) == len(listed):
                return first.elts[listed.index(name)]
    arguments = [*function.args.posonlyargs, *function.args.args]
    for argument, default in zip(reversed(arguments), reversed(function.args.defaults)):
        if argument.arg == name:
            return default
    for argument, given in zip(function.args.kwonlyargs, function.args.kw_defaults):
        if argument.arg == name and given is not None:
            return given
    return None


def _names_in(node: ast.expr) -> list[str]:
    """Return the parameter names in the first argument of ``parametrize``."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [each.strip() for each in node.value.split(",")]
    if isinstance(node, (ast.Tuple, ast.List)):
        return [each.value for each in node.elts if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    return []
