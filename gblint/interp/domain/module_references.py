"""Values that stand for modules with source, and the modules that they stand for."""

from __future__ import annotations

from pathlib import Path

from gblint.interp.state.interpreter import Interpreter
from gblint.project.modules import Module
from gblint.values.objects import ModuleRef


def reference(module: Module) -> ModuleRef:
    """Return the value of a module that has source."""
    return ModuleRef(module.name, str(module.path))


def source_of(interp: Interpreter, module: ModuleRef) -> Module | None:
    """Return the source of a module; None for a namespace package."""
    return interp.project.module_at(Path(module.path)) if module.path else interp.project.find_module(module.name)
