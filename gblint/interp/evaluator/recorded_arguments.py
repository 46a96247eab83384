"""Arguments that a constructor records: ``self.config.size`` is the argument ``size`` of ``__init__``.

A decorator of ``__init__`` finds the arguments in its signature (``register_to_config`` of diffusers), and
``self.save_hyperparameters()`` of Lightning finds them in the frame of the caller; neither can be followed.
"""

from __future__ import annotations

import ast

from gblint.interp.domain import reach
from gblint.interp.domain.access_paths import access_path
from gblint.interp.evaluator import input_values
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime import ast_walk
from gblint.values.base import NONE, STR, Const, Value, members
from gblint.values.lattice import join_all
from gblint.values.objects import Class, Function, Instance
from gblint.values.wrapped import Wrapped

# The owner of a record is evaluated twice: without a bound, an unknown ``a.b.c...`` would take exponential time.
_MAX_DEPTH = 4


def of(interp: Interpreter, node: ast.Attribute, frame: Frame) -> Value | None:
    """Return the value of ``x.config.name`` if the constructor of ``x`` declares a default for ``name``.

    None if no argument of the constructor is recorded there.
    """
    record = node.value
    place = access_path(record)
    if not isinstance(record, ast.Attribute) or place is None or place.count(".") > _MAX_DEPTH:
        return None
    found: list[Value] = []
    for owner in members(interp.eval(record.value, frame)):
        if owner == NONE:
            continue
        if not isinstance(owner, Instance) or not isinstance(owner.cls, Class) or owner.partial:
            return None
        value = _declared(interp, owner.cls, record.attr, node.attr)
        if value is None:
            return None
        found.append(value)
    return join_all(found) if found else None


def _declared(interp: Interpreter, cls: Class, record: str, name: str) -> Value | None:
    place = ("recorded", id(cls), record, name)
    known = interp.caches.annotated_values.get(place)
    if known is None:
        known = interp.caches.annotated_values[place] = _find(interp, cls, record, name) or NONE
    return None if known == NONE else known


def _find(interp: Interpreter, cls: Class, record: str, name: str) -> Value | None:
    init = interp.class_attribute(cls, "__init__")
    while isinstance(init, Wrapped):
        init = init.function
    if not isinstance(init, Function):
        return None
    written = interp.caches.undecorated.get(init)
    if written is None and not (record == "hparams" and _saves_hyperparameters(init)):
        return None
    init = written or init
    spec = init.node.args
    parameters = [*spec.posonlyargs, *spec.args]
    defaults = [*[None] * (len(parameters) - len(init.defaults)), *init.defaults, *init.kw_defaults]
    for parameter, default in zip((*parameters, *spec.kwonlyargs), defaults):
        if parameter.arg == record:
            return None  # the record is an argument itself
        if parameter.arg == name and isinstance(default, Const):
            if isinstance(default.value, str):
                return reach.expected(STR, default)
            frame = input_values.annotation_frame(init, interp)
            return input_values.parameter_value(interp, init, parameter, default, frame, cls, soft=True)
    return None


def _saves_hyperparameters(init: Function) -> bool:
    return any(isinstance(n, ast.Attribute) and n.attr == "save_hyperparameters" for n in ast_walk.walk(init.node))
