"""Arguments of constructors that the project's configuration files declare, beside the name of the class."""

from __future__ import annotations

from gblint.interp.domain import configured_objects, reach
from gblint.interp.evaluator.imported_objects import distinct, dotted
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import NONE, UNKNOWN, Const, Unknown, Value, scalar_of
from gblint.values.containers import Mapping, Seq
from gblint.values.lattice import join_all
from gblint.values.objects import Class, Function


def of(interp: Interpreter, function: Function, cls: Class | None, name: str) -> Value | None:
    """Return the argument ``name`` with which configurations make objects of ``cls``; None if none gives it.

    function: the called one; None for any other than a constructor.
    """
    if cls is None or cls.module.origin != "user" or not function.name.endswith(".__init__"):
        return None
    place = ("configured", id(cls))
    known = interp.caches.annotated_values.get(place)
    if known is None:
        interp.caches.annotated_values[place] = Mapping()  # an object may be in the arguments of its own class
        known = interp.caches.annotated_values[place] = _arguments(interp, cls)
    return next((v for k, v in known.entries if k == Const(name)), None) if isinstance(known, Mapping) else None


def _arguments(interp: Interpreter, cls: Class) -> Mapping:
    """Return the arguments by name, each with its values in all configurations."""
    found: dict[str, list[Value]] = {}
    if configured_objects.makes_configured_objects(interp.project):
        for each in configured_objects.find(interp.project, cls.name):
            if dotted(interp, each.target) == cls:
                for name, data in each.arguments.items():
                    found.setdefault(name, []).append(_value_of(interp, data))
    told = {name: values for name, values in found.items() if UNKNOWN not in values and any(v != NONE for v in values)}
    return Mapping(tuple((Const(name), _joined(values)) for name, values in told.items()))


def _joined(values: list[Value]) -> Value:
    """Return what an argument may be: a constant that all configurations agree on is only its usual value."""
    if values.count(values[0]) == len(values):
        return _usual(values[0])
    if all(isinstance(v, Const) and v.value is not None for v in values):
        return join_all(scalar_of(v.value) for v in values if isinstance(v, Const))
    return join_all(distinct(values))


def _usual(value: Value) -> Value:
    """Return a value of the same type with this constant as the usual one."""
    return reach.expected(scalar_of(value.value), value) if isinstance(value, Const) else value


def _value_of(interp: Interpreter, data: object) -> Value:
    """Return the value of a part of a configuration; unknown for a reference to another part and for a mapping."""
    made = configured_objects.configured_object(data)
    if made is not None:
        cls = dotted(interp, made.target)
        return interp.any_instance(cls) if isinstance(cls, Class) else UNKNOWN
    if isinstance(data, list):
        items = tuple(_usual(_value_of(interp, each)) for each in data)
        return UNKNOWN if any(isinstance(each, Unknown) for each in items) else Seq("list", items)
    if data is None or isinstance(data, (bool, int, float)) or (isinstance(data, str) and "${" not in data):
        return Const(data)
    return UNKNOWN
