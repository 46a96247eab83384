"""Models of pydantic that compiled code makes: the extension module ``pydantic_core`` checks and sets their fields.

Dynamo traces ``BaseModel.__init__`` up to the call of that module, which is a graph break.  The validators of the
class are Python functions that the module calls; each of them is compiled as a function of its own.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from gblint.interp.domain import class_fields
from gblint.interp.domain.access_paths import last_name
from gblint.interp.evaluator import written_functions
from gblint.interp.state.call_args import Args
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import Unknown
from gblint.values.objects import Class, Instance

_OF_FIELDS: Final = frozenset(("field_validator", "validator"))
_OF_MODELS: Final = "model_validator"
_VALIDATORS: Final = _OF_FIELDS | {_OF_MODELS}


def made(interp: Interpreter, instance: Instance, cls: Class, frame: Frame, node: ast.AST) -> None:
    """Report that a region makes a model, and run the validators of the fields that are given."""
    if not frame.mode.tracing or not isinstance(node, ast.Call):
        return
    interp.emit(frame, node, "construct", "object", ("unsupported-method-call",))
    given = [each.arg for each in node.keywords if each.arg is not None and each.arg in instance.attrs]
    for owner, method, decorator in _validators(cls):
        function = written_functions.as_written(interp, method, class_fields.body_frame(owner))
        kind = last_name(decorator.func)
        if kind in _OF_FIELDS:
            names = {each.value for each in decorator.args if isinstance(each, ast.Constant)}
            for name in given:
                if name in names or "*" in names:
                    result = interp.call(function, Args((cls, instance.attrs[name])), frame, node)
                    if not isinstance(result, Unknown):
                        instance.attrs[name] = result
        elif kind == _OF_MODELS and _is_after(decorator):
            interp.call(function, Args((instance,)), frame, node)


def _validators(cls: Class) -> Iterator[tuple[Class, ast.FunctionDef, ast.Call]]:
    """Yield the validators of a class and of its bases: the class with the method, and the decorator."""
    seen: set[str] = set()
    for owner in cls.mro:
        if owner.module.name.startswith("pydantic."):
            continue
        for method in owner.node.body:
            if isinstance(method, ast.FunctionDef) and method.name not in seen:
                seen.add(method.name)
                for decorator in method.decorator_list:
                    if isinstance(decorator, ast.Call) and last_name(decorator.func) in _VALIDATORS:
                        yield owner, method, decorator


def _is_after(decorator: ast.Call) -> bool:
    """Return whether a validator of a model runs after the fields are set."""
    modes = [each.value for each in decorator.keywords if each.arg == "mode"]
    return bool(modes) and isinstance(modes[0], ast.Constant) and modes[0].value == "after"
