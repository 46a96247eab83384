"""Names that expressions are evaluated with, and expressions for objects."""

from __future__ import annotations

import importlib
import inspect
import sys
import typing
from collections.abc import Callable, Mapping
from typing import Any

from gblint.confirm.inputs.target_facts import Imported


def of(target: Any) -> dict[str, Any]:
    """Return the namespace for expressions about ``target``: its module's names, and ``torch``."""
    owner = target if inspect.isclass(target) or inspect.isfunction(target) else type(target)
    names = dict(vars(sys.modules.get(owner.__module__, sys.modules["builtins"])))
    names["torch"] = importlib.import_module("torch")
    return names


def reference(value: Any, names: Mapping[str, Any]) -> str:
    """Return an expression for a class or function, for evaluation with ``names``."""
    qualified = getattr(value, "__qualname__", "")
    module = getattr(value, "__module__", "") or ""
    found: Any = names.get(qualified.partition(".")[0])
    for part in qualified.split(".")[1:]:
        found = getattr(found, part, None)
    if found is value:
        return str(qualified)
    if module == "builtins":
        return str(qualified)
    if module.startswith("torch.nn.modules"):
        return f"torch.nn.{qualified}"
    return f"__import__('importlib').import_module({module!r}).{qualified}"


def import_expression(imported: Imported) -> str:
    """Return an expression for an imported name."""
    if imported.module == "torch" and not imported.attribute:
        return "torch"
    whole = f"__import__('importlib').import_module({imported.module!r})"
    return f"{whole}.{imported.attribute}" if imported.attribute else whole


def type_hints(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the evaluated annotations of a function; those that cannot be evaluated are left out."""
    constructor_or_function = function.__init__ if inspect.isclass(function) else function
    plain = inspect.unwrap(getattr(constructor_or_function, "__func__", constructor_or_function))
    raw = dict(getattr(plain, "__annotations__", {}) or {})
    return evaluated(raw, getattr(plain, "__globals__", {}))


def evaluated(raw: Mapping[str, Any], scope: Mapping[str, Any]) -> dict[str, Any]:
    """Evaluate annotations that are strings, one by one."""
    found: dict[str, Any] = {}
    for name, annotation in raw.items():
        if isinstance(annotation, typing.ForwardRef):
            annotation = annotation.__forward_arg__
        if isinstance(annotation, str):
            try:
                annotation = eval(annotation, {**vars(typing), **scope})
            except Exception:
                continue
        found[name] = annotation
    return found
