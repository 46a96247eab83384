"""Keys under which a project stores something other than a tensor, whatever the annotation of the dictionary says.

``Dict[str, Tensor]`` is what people write for a batch that has ``"natoms": (natoms, ghosts)`` among its tensors.
"""

from __future__ import annotations

import ast

from gblint.interp.state.interpreter import Interpreter
from gblint.runtime import ast_walk

_DISPLAYS = (ast.Tuple, ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.JoinedStr)


def holds_no_tensor(interp: Interpreter, key: str) -> bool:
    """Return whether all that the project's code stores under a key is a constant, a container or a length."""
    known = interp.caches.syntax.keys_without_tensors.get(key)
    if known is None:
        spellings = (f'"{key}"', f"'{key}'")
        users = [each for each in interp.project.user_modules() if interp.project.mentions(each, spellings)]
        stored = [value for module in users for node in ast_walk.walk(module.tree) for value in _stored(node, key)]
        known = interp.caches.syntax.keys_without_tensors[key] = bool(stored) and all(map(_is_no_tensor, stored))
    return known


def _stored(node: ast.AST, key: str) -> list[ast.expr]:
    """Return the expressions that a dictionary display or an assignment stores under a key."""
    if isinstance(node, ast.Dict):
        return [value for k, value in zip(node.keys, node.values) if k is not None and _is_key(k, key)]
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
        return [node.value] if _is_key(node.targets[0].slice, key) else []
    return []


def _is_key(node: ast.expr, key: str) -> bool:
    return isinstance(node, ast.Constant) and node.value == key


def _is_no_tensor(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in ("len", "int", "float", "str", "bool", "range")
    return isinstance(node, _DISPLAYS) or (isinstance(node, ast.Constant) and node.value is not None)
