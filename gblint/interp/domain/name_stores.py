"""Statements that change the object of a name, by their syntax: ``table[key] = f``, ``net.part.register_buffer()``."""

from __future__ import annotations

import ast

from gblint.interp.domain import builtin_names
from gblint.interp.domain.access_paths import root_name, root_of_table
from gblint.project.modules import Module
from gblint.runtime import ast_origins, ast_walk
from gblint.runtime.ast_walk import is_name

# Methods that change a module.
_CHANGING = frozenset(f"register_{kind}_hook" for kind in ("forward", "forward_pre", "backward")) | frozenset(
    ("register_full_backward_hook", "register_full_backward_pre_hook", "register_buffer", "requires_grad_", "apply")
)
_COMPOUND = (ast.For, ast.If, ast.Try, ast.With, ast.While)


def changes(module: Module, node: ast.stmt, name: str) -> bool:
    """Return whether a statement of a module changes ``name``, or calls or is decorated with something that does."""
    if _stores(node, name) or _registers(module, node, name):
        return True
    inside = ast_walk.walk(node) if isinstance(node, _COMPOUND) else [node]
    calls = (each.value for each in inside if isinstance(each, ast.Expr) and isinstance(each.value, ast.Call))
    return any(isinstance(call.func, ast.Name) and function_stores(module, call.func.id, name) for call in calls)


def function_stores(module: Module, function: str, name: str) -> bool:
    """Return whether a function of the module, which may be a lambda, changes ``name``."""
    for binding in module.symbols.get(function, ()):
        node = binding.node if isinstance(binding.node, (ast.FunctionDef, ast.AsyncFunctionDef)) else binding.value
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            return stores_within(node, name)
    return False


def stores_within(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, name: str) -> bool:
    """Return whether a function changes ``name``."""
    return any(_stores(each, name) or _calls_mutator(each, name) for each in ast_walk.walk(function))


def fills_table(function: ast.FunctionDef, name: str) -> bool:
    """Return whether a function stores something in a table inside of ``name``, or what it makes of its arguments."""
    for node in ast_walk.walk(function):
        if isinstance(node, ast.Assign):
            for target in filter(lambda each: _is_item(each, name), node.targets):
                assert isinstance(target, ast.Subscript)
                if not isinstance(target.value, ast.Name) or isinstance(node.value, (ast.Call, ast.Dict)):
                    return True
    return False


def methods(node: ast.stmt) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Return the methods in the body of a class, if ``node`` defines one."""
    body = node.body if isinstance(node, ast.ClassDef) else []
    return [each for each in body if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef))]


def _stores(node: ast.AST, name: str) -> bool:
    """Return whether a statement stores into ``name``, or calls one of its methods that does."""
    if isinstance(node, (ast.Assign, ast.AugAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return any(_is_attribute(each, name) or _is_item(each, name) for each in targets)
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        function = node.value.func
        if isinstance(function, ast.Attribute) and function.attr in _CHANGING:
            # ``net.part``, ``net.get_submodule("part")``, ``dict(net.named_modules())["part"]``
            return name in ast_origins.names([function.value])
        return _calls_mutator(node.value, name)
    if isinstance(node, ast.For) and name in ast_origins.names([node.iter]) and _changes_items(node):
        return True
    if isinstance(node, _COMPOUND):
        return any(_stores(child, name) for child in ast_walk.walk(node) if isinstance(child, (ast.Assign, ast.Expr)))
    return False


def _is_attribute(target: ast.expr, name: str) -> bool:
    return isinstance(target, ast.Attribute) and root_name(target) == name


def _is_item(target: ast.expr, name: str) -> bool:
    return isinstance(target, ast.Subscript) and root_of_table(target) == name


def _calls_mutator(node: ast.AST, name: str) -> bool:
    """Return whether an expression calls a method of ``name`` that stores into it: ``TABLE.setdefault(key, value)``."""
    function = node.func if isinstance(node, ast.Call) else None
    if not isinstance(function, ast.Attribute) or function.attr not in builtin_names.MUTATORS:
        return False
    return is_name(function.value, name)


def _changes_items(loop: ast.For) -> bool:
    """Return whether a loop stores attributes of its items, or calls methods of them."""
    items = ast_origins.names([loop.target])
    for node in ast_walk.walk(loop):
        if isinstance(node, ast.Attribute) and (node.attr in _CHANGING or isinstance(node.ctx, ast.Store)):
            if node.attr in _CHANGING or root_name(node) in items:
                return True
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and root_name(node.value.func) in items:
            return True
    return False


def _registers(module: Module, node: ast.stmt, name: str) -> bool:
    """Return whether a definition is decorated with something that stores it in ``name``."""
    if not isinstance(node, ast_walk.DEFINITIONS):
        return False
    for decorator in node.decorator_list:
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        if is_name(target.value if isinstance(target, ast.Attribute) else target, name):
            return True
        if isinstance(target, ast.Name) and function_stores(module, target.id, name):
            return True
    return any(_registers(module, method, name) for method in methods(node))
