"""Lookup of objects by the names that users write: ``pkg.mod:Net``, ``pkg.mod:Net.method``."""

from __future__ import annotations

from gblint.config.errors import suggestion
from gblint.interp.domain import builtin_names
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import Value
from gblint.values.objects import Class, ExternalName


class NotFound(LookupError):
    """There is no object of that name; the message is one line and may suggest another name."""


def find_object(interp: Interpreter, target: str) -> Value | None:
    """Return the object named ``pkg.mod:Qual.name``; None if there is none."""
    try:
        return require(interp, target)
    except NotFound:
        return None


def require(interp: Interpreter, target: str) -> Value:
    """Return the object named ``pkg.mod:Qual.name``; raises NotFound."""
    module_name, colon, qualname = target.partition(":")
    if not colon or not qualname:
        raise NotFound(f"'{target}' is not of the form package.module:name")
    module = interp.project.find_module(module_name)
    if module is None:
        if interp.module_value(module_name) == ExternalName(module_name) and module_name.startswith("torch"):
            return ExternalName(builtin_names.canonical(f"{module_name}.{qualname}"))
        known = [each.name for each in interp.project.user_modules()]
        raise NotFound(f"there is no module '{module_name}'{suggestion(module_name, known)}")
    parts = qualname.split(".")
    value = interp.module_attribute(module, parts[0])
    if value is None:
        raise NotFound(f"'{module_name}' has no '{parts[0]}'{suggestion(parts[0], list(module.symbols))}")
    for part in parts[1:]:
        found = interp.class_attribute(value, part) if isinstance(value, Class) else None
        if found is None:
            known = list(value.module.binding_table(value.node)) if isinstance(value, Class) else []
            raise NotFound(f"'{qualname}' does not exist in '{module_name}'{suggestion(part, known)}")
        value = found
    return value
