"""Lookup of objects by the names that users write: ``pkg.mod:Net``, ``pkg.mod:Net.method``."""

from __future__ import annotations

import difflib  # imported only for an unknown name

from gblint.interp.domain import builtin_names
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import Value
from gblint.values.objects import Class, ExternalName


class NotFound(LookupError):
    """There is no object of that name; the message is one line and may suggest another name."""


def find_object(m: Interpreter, target: str) -> Value | None:
    """Return the object named ``pkg.mod:Qual.name``; None if there is none."""
    try:
        return require(m, target)
    except NotFound:
        return None


def require(m: Interpreter, target: str) -> Value:
    """Return the object named ``pkg.mod:Qual.name``; raises NotFound."""
    module_name, colon, qualname = target.partition(":")
    if not colon or not qualname:
        raise NotFound(f"'{target}' is not of the form package.module:name")
    module = m.project.find_module(module_name)
    if module is None:
        if m.module_value(module_name) == ExternalName(module_name) and module_name.startswith("torch"):
            return ExternalName(builtin_names.canonical(f"{module_name}.{qualname}"))
        raise NotFound(
            f"there is no module '{module_name}'{_suggest(module_name, [x.name for x in m.project.user_modules()])}"
        )
    parts = qualname.split(".")
    value = m.module_attribute(module, parts[0])
    if value is None:
        raise NotFound(f"'{module_name}' has no '{parts[0]}'{_suggest(parts[0], list(module.symbols))}")
    for part in parts[1:]:
        found = m.class_attribute(value, part) if isinstance(value, Class) else None
        if found is None:
            known = list(value.module.binding_table(value.node)) if isinstance(value, Class) else []
            raise NotFound(f"'{qualname}' does not exist in '{module_name}'{_suggest(part, known)}")
        value = found
    return value


def _suggest(name: str, known: list[str]) -> str:

    close = difflib.get_close_matches(name, known, 1)
    return f"; did you mean '{close[0]}'?" if close else ""
