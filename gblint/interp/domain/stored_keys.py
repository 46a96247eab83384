"""Keys under which a project stores something other than a tensor, whatever the annotation of the dictionary says.

``Dict[str, Tensor]`` is what people write for a batch that has ``"natoms": (natoms, ghosts)`` among its tensors.
"""

from __future__ import annotations

import ast

from gblint.interp.state.interpreter import Interpreter
from gblint.runtime import ast_walk

_DISPLAYS = (ast.Tuple, ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.JoinedStr)


def holds_no_tensor(interp: Interpreter, key: str) -> bool:
    """Return whether the project's code stores a constant, a container or a length under a key."""
    known = interp.caches.syntax.keys_without_tensors.get(key)
    if known is None:
        spellings = (f'"{key}"', f"'{key}'")
        users = [each for each in interp.project.user_modules() if interp.project.mentions(each, spellings)]
        known = any(_is_stored(node, key) for module in users for node in ast_walk.walk(module.tree))
        interp.caches.syntax.keys_without_tensors[key] = known
    return known


def _is_stored(node: ast.AST, key: str) -> bool:
    if isinstance(node, ast.Dict):
        return any(k is not None and _is_key(k, key) and _is_no_tensor(v) for k, v in zip(node.keys, node.values))
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
        return _is_key(node.targets[0].slice, key) and _is_no_tensor(node.value)
    return False


def _is_key(node: ast.expr, key: str) -> bool:
    return isinstance(node, ast.Constant) and node.value == key


def _is_no_tensor(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in ("len", "int", "float", "str", "bool", "range")
    return isinstance(node, _DISPLAYS) or (isinstance(node, ast.Constant) and node.value is not None)
