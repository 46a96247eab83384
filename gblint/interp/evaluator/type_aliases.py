"""Type aliases: names that stand for annotations, such as ``Mask = Union[Tensor, None]``."""

from __future__ import annotations

import ast
from typing import Final

from gblint.interp.domain import module_references
from gblint.interp.evaluator import type_variables
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.project.modules import Module
from gblint.values.objects import ModuleRef

# The type constructors of these modules are known by name.
_KNOWN_BY_NAME: Final = frozenset(("torch", "typing", "typing_extensions"))
MAX_ALIASES: Final = 4
"""Aliases of one another that are followed."""


def behind(interp: Interpreter, node: ast.expr, frame: Frame) -> tuple[ast.expr, Frame] | None:
    """Return the annotation behind ``Mask`` or ``kinds.Mask``, and the frame of its module; None for other names."""
    place = _place(interp, node, frame)
    for _ in range(MAX_ALIASES):
        bindings = None if place is None else place[0].symbols.get(place[1])
        if place is None or not bindings:
            return None
        module, binding = place[0], bindings[-1]
        if binding.kind == "from" and binding.module and binding.attribute:
            if binding.module.partition(".")[0] in _KNOWN_BY_NAME:
                return None
            source = interp.project.find_module(binding.module, module)
            place = None if source is None else (source, binding.attribute)
            continue
        bound = type_variables.bound_of(binding.value)
        if bound is not None:
            return bound, interp.module_frame(module)
        declared = type(binding.node).__name__ == "TypeAlias"
        if binding.value is not None and (declared or isinstance(binding.value, (ast.Subscript, ast.BinOp))):
            return binding.value, interp.module_frame(module)
        return None
    return None


def _place(interp: Interpreter, node: ast.expr, frame: Frame) -> tuple[Module, str] | None:
    """Return the module that binds a name or the attribute of a module, and the name; None for others."""
    if isinstance(node, ast.Name):
        return None if frame.scope.lookup(node.id) is not None else (frame.module, node.id)
    if isinstance(node, ast.Attribute):
        holder = interp.eval(node.value, frame)
        module = module_references.source_of(interp, holder) if isinstance(holder, ModuleRef) else None
        known = module is None or module.name.partition(".")[0] in _KNOWN_BY_NAME
        return None if known or module is None else (module, node.attr)
    return None
