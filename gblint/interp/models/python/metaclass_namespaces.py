"""The namespace that a metaclass is given: what the body of a class binds, and where the class is."""

from __future__ import annotations

from gblint.interp.state.call_args import Args
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import Const
from gblint.values.containers import Mapping
from gblint.values.objects import Class


def of(interp: Interpreter, cls: Class) -> Mapping:
    """Return what the body of a class binds, with its module and qualified name."""
    names = [name for name in cls.module.binding_table(cls.node) if not name.startswith("__")]
    bound = [(Const(name), interp.class_attribute(cls, name)) for name in names]
    told = [("__module__", cls.module.name), ("__qualname__", cls.name)]
    return Mapping((*((Const(k), Const(v)) for k, v in told), *((k, v) for k, v in bound if v is not None)))


def made(interp: Interpreter, args: Args) -> Class | None:
    """Return the class that ``type.__new__(mcs, name, bases, namespace)`` makes; None for one without a statement."""
    namespace = args.pos[-1] if args.pos else None
    home = namespace.get_str("__module__") if isinstance(namespace, Mapping) else None
    name = namespace.get_str("__qualname__") if isinstance(namespace, Mapping) else None
    if not isinstance(home, Const) or not isinstance(name, Const):
        return None
    module = interp.project.find_module(str(home.value))
    cls = interp.module_attribute(module, str(name.value)) if module is not None else None
    return cls if isinstance(cls, Class) else None
