"""Objects that a program imports by a dotted name: from a string in its code, or from its configuration files.

Like those of ``chosen_objects`` they are looked up only while the project is searched for what it compiles.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from gblint.interp.domain import configured_names
from gblint.interp.state.call_args import Args
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime import ast_origins
from gblint.values.base import UNKNOWN, Const, Unknown, Value, members
from gblint.values.lattice import join_all
from gblint.values.objects import Class, ExternalName, Instance

MAX_CHOICES = 16
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")


def distinct(values: Iterable[Value]) -> list[Value]:
    """Return the alternatives of values, of a class only the first instance, and MAX_CHOICES at most."""
    kept: dict[object, Value] = {}
    for value in values:
        for member in members(value):
            kept.setdefault(member.cls if isinstance(member, Instance) else member, member)
    return list(kept.values())[:MAX_CHOICES]


def fewer(values: list[Value]) -> list[Value]:
    """Return the values if they have MAX_CHOICES alternatives at most, else the distinct ones."""
    return distinct(values) if sum(len(members(value)) for value in values) > MAX_CHOICES else values


def limited(interp: Interpreter, frame: Frame, node: ast.expr, found: list[Value]) -> Value:
    """Return the first MAX_CHOICES of ``found`` as alternatives; note the place if there are more."""
    if len(found) > MAX_CHOICES:
        interp.compilation.limited[(frame.module.display, node.lineno)] = ast.unparse(node)[:60]
    return join_all(found[:MAX_CHOICES]) if found else UNKNOWN


def imported(interp: Interpreter, name: Value, node: ast.expr, frame: Frame) -> Value | None:
    """Return the objects whose dotted name the expression ``node`` may have; None if no name is known.

    If the value does not tell it, these are the strings among which the expression chooses, such as the default in
    ``get(path or DEFAULT)``, else those that the configurations have for ``cfg.actor.cls``, and else those that the
    project stores under the same name, such as ``network_class``.
    """
    names = _texts(name) or _alternatives(interp, node, frame) or _named(interp, node, frame)
    if not names:
        parts = _parts(node, frame)
        names = configured_names.strings_named(interp.project, ast_origins.identifiers(parts))
    found = [value for each in names if (value := dotted(interp, each)) is not None]
    return limited(interp, frame, node, distinct(found)) if found else None


def _texts(value: Value) -> list[str]:
    found = [v.value for v in members(value) if isinstance(v, Const) and isinstance(v.value, str)]
    return [each for each in found if _DOTTED.fullmatch(each.replace(":", "."))]


def _parts(node: ast.expr, frame: Frame) -> list[ast.expr]:
    """Return the expression and those from which the function around it makes the value."""
    return [node] if frame.function is None else ast_origins.origins(frame.function.node, [node])


def _alternatives(interp: Interpreter, node: ast.expr, frame: Frame) -> list[str]:
    """Return the dotted names among the constants and variables of an expression."""
    found: dict[str, None] = {}
    for part in _parts(node, frame):
        for each in ast_origins.leaves(part):
            found.update(dict.fromkeys(_texts(interp.eval(each, frame))))
    return list(found)


def dotted(interp: Interpreter, name: str) -> Value | None:
    """Return the object with a dotted name; of a package that is not installed only the name is known."""
    parts = name.replace(":", ".").split(".")
    if len(parts) == 1:
        return None
    if parts[0] == "torch" or interp.project.module_exists(parts[0]) == "missing":
        return ExternalName(".".join(parts))
    for number in range(len(parts) - 1, 0, -1):
        module = interp.project.find_module(".".join(parts[:number]))
        if module is None:
            continue
        value = interp.module_attribute(module, parts[number])
        for part in parts[number + 1 :]:
            value = interp.class_attribute(value, part) if isinstance(value, Class) else None
        return value
    return None


def configured(interp: Interpreter, node: ast.Call, given: ast.expr, frame: Frame) -> Value | None:
    """Return the objects of the classes that the project's configurations name under the key of ``given``."""
    key = _key(given, frame)
    home, tables = frame.module.path.parent, interp.caches.syntax.searches.configured_targets
    targets = configured_names.targets(interp.project, tables, key, home) if key else []
    objects = [dotted(interp, target) for target in list(targets)[: 2 * MAX_CHOICES]]
    found = [v for each in objects for v in members(instance_of(interp, each, frame, node))]
    found = [v for v in distinct(found) if not isinstance(v, (Unknown, Const))]
    return limited(interp, frame, node, found) if found else None


def _named(interp: Interpreter, node: ast.expr, frame: Frame) -> list[str]:
    """Return the dotted names in the configurations for ``cfg.actor.cls`` or ``cfg["actor"]["cls"]``."""
    given = _keyed(node, frame)
    holder = given.value if isinstance(given, (ast.Attribute, ast.Subscript)) else None
    key = _name_of_key(given)
    if holder is None or not key:
        return []
    home, tables = frame.module.path.parent, interp.caches.syntax.searches.configured_targets
    parent = "" if isinstance(holder, ast.Name) else configured_names.key_of(_name_of_key(holder))
    return configured_names.named(interp.project, tables, parent, key, home)[: 2 * MAX_CHOICES]


def instance_of(interp: Interpreter, value: Value | None, frame: Frame, node: ast.Call) -> Value:
    """Return an instance of a class, or what a function returns for unknown arguments."""
    if isinstance(value, Class):
        return interp.any_instance(value)
    return UNKNOWN if value is None else interp.call(value, Args(kwstar=UNKNOWN), frame, node)


def _key(given: ast.expr, frame: Frame) -> str:
    """Return the last key in ``cfg.model``, ``cfg["model"]`` or in the expression that a variable was set to."""
    return configured_names.key_of(_name_of_key(_keyed(given, frame)))


def _keyed(given: ast.expr, frame: Frame) -> ast.expr:
    """Return the expression that reads a key: of a variable the one that it was set to, of ``cfg.get(key)`` an item."""
    if isinstance(given, ast.Name) and frame.function is not None:
        assigned = [e for e in ast_origins.origins(frame.function.node, [given]) if not isinstance(e, ast.Name)]
        given = assigned[0] if assigned else given
    if isinstance(given, ast.Call) and isinstance(given.func, ast.Attribute) and given.func.attr in ("get", "pop"):
        given = ast.Subscript(given.func.value, given.args[0], ast.Load()) if given.args else given
    return given


def _name_of_key(given: ast.expr) -> str:
    if isinstance(given, ast.Subscript) and isinstance(given.slice, ast.Constant):
        return str(given.slice.value)
    return given.attr if isinstance(given, ast.Attribute) else given.id if isinstance(given, ast.Name) else ""
