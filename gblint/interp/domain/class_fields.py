"""Fields of dataclasses, named tuples and models of pydantic, from which their ``__init__`` is generated."""

from __future__ import annotations

import ast
from typing import Final

from gblint.interp.state.call_args import Args
from gblint.interp.state.frame import Frame, TracingMode
from gblint.interp.state.interpreter import Interpreter
from gblint.interp.state.trace_ir import FunctionSummary
from gblint.values.base import BOTTOM, UNKNOWN, Value
from gblint.values.objects import Class, ExternalName, Function, Instance, Scope

_ATTRS: Final = ("attr.s", "attr.attrs", "attr._make.attrs")
_PYDANTIC_MODELS: Final = ("pydantic.BaseModel", "pydantic_settings.BaseSettings", "sqlmodel.SQLModel")


def body_frame(cls: Class) -> Frame:
    """Return the frame in which the body of a class is evaluated."""
    summary = FunctionSummary("<class>", cls.module)
    return Frame(cls.module, Scope({}, cls.scope), summary, TracingMode(tracing=False), class_body=cls)


def fields(cls: Class) -> list[tuple[str, ast.expr, ast.expr | None, Class]]:
    """Return the fields of a class that ``has_fields``: name, annotation, default, and defining class."""
    out: dict[str, tuple[str, ast.expr, ast.expr | None, Class]] = {}
    for owner in reversed(cls.mro):
        for statement in owner.node.body:
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                name = statement.target.id
                private = owner.module.name == "pydantic.main"
                if not private and "ClassVar" not in ast.dump(statement.annotation):
                    out[name] = (name, statement.annotation, statement.value, owner)
            elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                value = statement.value
                called = value.func if isinstance(value, ast.Call) else None
                if isinstance(called, ast.Attribute) and called.attr in ("ib", "attrib"):  # attrs, without annotations
                    out[statement.targets[0].id] = (statement.targets[0].id, ast.Constant(...), value, owner)
    return list(out.values())


def is_dataclass(cls: Class) -> bool:
    """Return whether a dataclass decorator generates the ``__init__`` of ``cls``."""
    return any(
        d.rpartition(".")[2] in ("dataclass", "define", "frozen", "strict", "mutable") or d in _ATTRS
        for c in cls.mro
        for d in c.decorators
    )


def has_fields(cls: Class) -> bool:
    """Return whether the ``__init__`` of ``cls``, if it has none of its own, is generated from its fields."""
    return is_dataclass(cls) or cls.inherits("typing.NamedTuple") or is_pydantic_model(cls)


def is_pydantic_model(cls: Class) -> bool:
    """Return whether ``cls`` inherits from ``pydantic.BaseModel``, whose ``__init__`` takes the fields by name."""
    return cls.inherits(*_PYDANTIC_MODELS) or any(owner.module.name == "pydantic.main" for owner in cls.mro)


def written_init(interp: Interpreter, cls: Class) -> Value | None:
    """Return the ``__init__`` that sets the attributes of ``cls``; None if it is generated.

    The one of ``pydantic.BaseModel`` hands its arguments to an extension module, which sets the fields.
    """
    init = interp.class_attribute(cls, "__init__")
    return None if isinstance(init, Function) and init.module.name == "pydantic.main" else init


def tuple_fields(interp: Interpreter, instance: Instance) -> tuple[Value, ...] | None:
    """Return the items of an instance of a ``NamedTuple`` class; None for other instances."""
    if not isinstance(instance.cls, Class) or not instance.cls.inherits("typing.NamedTuple"):
        return None
    return tuple(instance.attrs.get(name, UNKNOWN) for name, *_ in fields(instance.cls))


def made_default(owner: Class, name: str) -> Value | None:
    """Return the default passed to ``collections.namedtuple``, which has no expression in a class body."""
    value = owner.attrs.get(name)
    return None if value is BOTTOM else value


def default_of(interp: Interpreter, default: ast.expr | None, frame: Frame) -> Value | None:
    """Return the default value of a field from the expression in the class body; None if the field is required."""
    if default is None:
        return None
    if isinstance(default, ast.Call):
        function = interp.eval(default.func, frame)
        if _makes_field(function):
            if default.args:  # pydantic
                given = default.args[0]
                required = isinstance(given, ast.Constant) and given.value is ...
                return None if required else interp.eval(given, frame)
            for keyword in default.keywords:
                if keyword.arg == "default":
                    return interp.eval(keyword.value, frame)
                if keyword.arg in ("default_factory", "factory"):
                    return interp.call(interp.eval(keyword.value, frame), Args(), frame, default)
            return None
        if default.args and _is_attrs(function, "Factory"):
            return interp.call(interp.eval(default.args[0], frame), Args(), frame, default)
    return interp.eval(default, frame)


def _makes_field(function: Value) -> bool:
    """Return whether a function describes a field in a class body: its default, its limits."""
    if _is_attrs(function, "ib", "attrib", "field"):
        return True
    if isinstance(function, Function):
        return function.name == "Field" and function.module.name == "pydantic.fields"
    return isinstance(function, ExternalName) and function.name.rpartition(".")[2] in ("field", "Field")


def _is_attrs(value: Value, *names: str) -> bool:
    """Return whether a value is a function or class of ``attrs`` with one of these names."""
    full = f"{value.module.name}.{value.name}" if isinstance(value, (Function, Class)) else getattr(value, "name", "")
    return full.partition(".")[0] in ("attr", "attrs") and full.rpartition(".")[2] in names


def post_init(interp: Interpreter, cls: Class) -> Function | None:
    """Return the method that the generated ``__init__`` calls at its end."""
    name = "model_post_init" if is_pydantic_model(cls) else "__post_init__"
    method = interp.class_attribute(cls, name) or interp.class_attribute(cls, "__attrs_post_init__")
    return method if isinstance(method, Function) and not cls.inherits("collections.OrderedDict") else None
