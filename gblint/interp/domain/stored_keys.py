"""Keys under which a project stores something other than a tensor, whatever the annotation of the dictionary says.

``Dict[str, Tensor]`` is what people write for a batch that has ``"natoms": (natoms, ghosts)`` among its tensors.
"""

from __future__ import annotations

import ast
from weakref import WeakKeyDictionary

from gblint.interp.state.interpreter import Interpreter
from gblint.runtime import ast_walk

_DISPLAYS = (ast.Tuple, ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.JoinedStr)

# What ``_stored`` returns, by syntax tree: every interpreter of a run asks for it.
_STORED: WeakKeyDictionary[ast.Module, dict[str, list[bool]]] = WeakKeyDictionary()


def holds_no_tensor(interp: Interpreter, key: str) -> bool:
    """Return whether all that the project's code stores under a key is a constant, a container or a length."""
    known = interp.caches.syntax.searches.keys_without_tensors.get(key)
    if known is None:
        users = interp.project.mentioning((f'"{key}"', f"'{key}'"))
        stored = [each for module in users for each in _stored(module.tree).get(key, ())]
        known = interp.caches.syntax.searches.keys_without_tensors[key] = bool(stored) and all(stored)
    return known


def _stored(tree: ast.Module) -> dict[str, list[bool]]:
    """Return for each key of a module whether the displays and assignments with it store something but tensors."""
    known = _STORED.get(tree)
    if known is None:
        known = _STORED[tree] = {}
        for node in ast_walk.walk(tree):
            for key, value in _stores(node):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    known.setdefault(key.value, []).append(_is_no_tensor(value))
    return known


def _stores(node: ast.AST) -> list[tuple[ast.expr | None, ast.expr]]:
    """Return the keys and values that a dictionary display or an assignment stores."""
    if isinstance(node, ast.Dict):
        return list(zip(node.keys, node.values))
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
        return [(node.targets[0].slice, node.value)]
    return []


def _is_no_tensor(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in ("len", "int", "float", "str", "bool", "range")
    return isinstance(node, _DISPLAYS) or (isinstance(node, ast.Constant) and node.value is not None)
