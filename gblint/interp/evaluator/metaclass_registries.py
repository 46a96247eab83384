"""Tables that a metaclass fills with the classes that it makes.

    class Registered(type):
        def __new__(mcs, name, bases, namespace, key=None):
            cls = super().__new__(mcs, name, bases, namespace)
            TABLE[key] = cls
            return cls

The method is run once for each class of the project, when the table is looked up.
"""

from __future__ import annotations

import ast

from gblint.interp.domain import name_stores
from gblint.interp.evaluator import classes
from gblint.interp.evaluator.derived_classes import subclasses
from gblint.interp.models.python import metaclass_namespaces
from gblint.interp.state.call_args import Args
from gblint.interp.state.interpreter import Interpreter
from gblint.project.modules import Module
from gblint.values.base import UNKNOWN, Const
from gblint.values.containers import Seq
from gblint.values.objects import Class

_HOOKS = ("__new__", "__init__")
_KEYWORD = "metaclass"
# The text of the bases of a metaclass: ``(type)``, ``(type(nn.Module))``, ``(ABCMeta)``.
_BASES = ("(type", "Meta)", "Meta,")


def hooks(interp: Interpreter, module: Module, name: str) -> list[tuple[Class, str]]:
    """Return the metaclasses of a module that fill its global ``name``, with the methods that do."""
    if module.origin != "user" or not any(map(module.contains, _BASES)):
        return []
    found: list[tuple[Class, str]] = []
    for node in module.tree.body:
        for method in name_stores.methods(node):
            if method.name in _HOOKS and len(method.args.args) > 3 and name_stores.stores_within(method, name):
                cls = interp.module_attribute(module, getattr(node, "name", ""))
                if isinstance(cls, Class):
                    found.append((cls, method.name))
    return found


def run(interp: Interpreter, metaclass: Class, hook: str) -> None:
    """Run a method of a metaclass for each class of the project that it makes."""
    function = interp.class_attribute(metaclass, hook) or UNKNOWN
    for cls in _made_by(interp, metaclass):
        frame = interp.module_frame(cls.module)
        keywords = {k.arg: interp.eval(k.value, frame) for k in cls.node.keywords if k.arg and k.arg != _KEYWORD}
        first = cls if hook == "__init__" else metaclass
        bases = Seq("tuple", tuple(interp.eval(each, frame) for each in cls.node.bases))
        given = (first, Const(cls.name), bases, metaclass_namespaces.of(interp, cls))
        interp.call(function, Args(given, keywords), frame, cls.node)


def _made_by(interp: Interpreter, metaclass: Class) -> list[Class]:
    """Return the classes at the top of the project's modules that have a metaclass, or whose base has it."""
    found: list[Class] = []
    for module in interp.project.mentioning((f"{_KEYWORD}={metaclass.name}", f".{metaclass.name}")):
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef) and any(k.arg == _KEYWORD for k in node.keywords):
                frame = interp.module_frame(module)
                if any(k.arg == _KEYWORD and interp.eval(k.value, frame) is metaclass for k in node.keywords):
                    cls = classes.define(interp, node, frame)
                    found += [each for each in (cls, *subclasses(interp, cls)) if each not in found]
    return found
