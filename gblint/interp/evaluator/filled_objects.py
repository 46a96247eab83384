"""Objects and classes at the top of a module that other statements at the top of a module fill.

Examples are a registry, ``@MODELS.register("vit")``, and a scheduler, ``scheduler.set_timesteps(50)``.  The compiled
code sees them filled.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from weakref import WeakKeyDictionary

from gblint.interp.domain import builtin_names
from gblint.interp.domain.access_paths import last_name, root_name
from gblint.interp.evaluator import classes, derived_classes
from gblint.interp.state.call_args import Args
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.project.modules import Module
from gblint.project.text_names import NamePlace
from gblint.runtime import ast_walk
from gblint.runtime.ast_walk import is_name
from gblint.values.base import UNKNOWN, Value
from gblint.values.containers import Mapping
from gblint.values.objects import Class, Instance, is_nn_module

_SUBCLASS_HOOK = "__init_subclass__"
# Characters before an attribute that are looked at for the name of its object.
_BEFORE = 100
# The pattern begins with a dot, and not with the name before it, so that it takes a twentieth of the time.
_FILLED_ATTRIBUTE = re.compile(rf"\.\w+(?:\[|\.(?:{'|'.join(sorted(builtin_names.MUTATORS))})\()")
_NO_NAME = re.compile(r"\W")
# What ``_stores`` yields, by function: every interpreter of a run asks for it.
_STORES: WeakKeyDictionary[ast.FunctionDef, list[tuple[str, str]]] = WeakKeyDictionary()


def is_object(value: Value) -> bool:
    """Return whether ``value`` is a class, or an object of a class, whose methods may fill it; modules are not."""
    if isinstance(value, Instance):
        return isinstance(value.cls, Class) and not is_nn_module(value) and "__items__" not in value.attrs
    return isinstance(value, Class)


def changes(interp: Interpreter, module: Module, name: str, value: Value) -> Iterator[tuple[Module, ast.stmt]]:
    """Yield the top-level statements that fill the global ``name``, with their modules.

    They call a method that fills it, or store an attribute of an object.
    """
    is_own = module.origin == "user"
    if is_own and isinstance(value, Instance) and module.contains(f"\n{name}."):
        yield from ((module, node) for node in module.tree.body if _stores_attribute(node, name))
    functions = _filling_functions(interp, module, name) if is_own else ()
    if functions:
        for node in module.tree.body:
            if any(isinstance(call, ast.Name) and call.id in functions for call in _calls(node, name, False)):
                yield module, node
    # In a package the subclasses of a base class are many, and what they register is rarely asked for.  The module that
    # defines a class finds all of them, whatever modules import its name.
    home = value if is_own and isinstance(value, Class) and value.module is module else None
    of_subclass = home is not None and _fills_for_subclass(interp, home)
    calls = [
        (source, node, call.attr if isinstance(call, ast.Attribute) else "__call__")
        for source in _modules(interp, module, name, of_subclass)
        for node in source.tree.body
        for call in _calls(node, name, of_subclass)
        if is_name(call.value if isinstance(call, ast.Attribute) else call, name)
    ]
    # Most objects are not called at the top of a module: their methods are not looked through.
    methods = _filling_methods(interp, value) if calls else {}
    done: set[ast.stmt] = set()
    for source, node, called in calls:
        if called in methods and node not in done:
            done.add(node)
            yield source, node
    for cls in derived_classes.subclasses(interp, home) if home is not None and of_subclass else ():
        if cls.node not in done and _SUBCLASS_HOOK in methods:
            yield cls.module, cls.node  # a class that is derived from a subclass


def registered_elsewhere(interp: Interpreter, module: Module, name: str) -> list[tuple[Module, ast.stmt]]:
    """Return the statements of other modules that call the global ``name`` of ``module`` or a method of it.

    The global is an object of a class derived from dict, whose methods mostly register what they are given.
    """
    return [
        (source, node)
        for source in _modules(interp, module, name, False)
        for node in (source.tree.body if source is not module else ())
        if any(root_name(call) == name for call in _calls(node, name, False))
    ]


def _fills_for_subclass(interp: Interpreter, cls: Class) -> bool:
    """Return whether the ``__init_subclass__`` of a class fills something."""
    defined = (node for owner in cls.mro for node in owner.node.body if isinstance(node, ast.FunctionDef))
    is_hooked = any(node.name == _SUBCLASS_HOOK for node in defined)
    return is_hooked and _SUBCLASS_HOOK in _filling_methods(interp, cls)


def classes_whose_subclasses_fill(interp: Interpreter, module: Module, name: str) -> list[Class]:
    """Return the classes of a module whose ``__init_subclass__`` adds items to the global ``name`` of the module."""
    if module.origin != "user" or not module.contains(f"def {_SUBCLASS_HOOK}"):
        return []
    nodes = [each for each in module.tree.body if isinstance(each, ast.ClassDef)]
    named = [each.name for each in nodes if any(name in _filled_globals(hook) for hook in _subclass_hooks(each))]
    found = [interp.module_attribute(module, each) for each in named]
    return [each for each in found if isinstance(each, Class)]


def _subclass_hooks(node: ast.ClassDef) -> list[ast.FunctionDef]:
    return [each for each in node.body if isinstance(each, ast.FunctionDef) and each.name == _SUBCLASS_HOOK]


def _stores_attribute(node: ast.stmt, name: str) -> bool:
    """Return whether a statement is ``name.attribute = value``."""
    targets = node.targets if isinstance(node, ast.Assign) else ()
    return any(isinstance(each, ast.Attribute) and is_name(each.value, name) for each in targets)


def run_subclass_hook(interp: Interpreter, node: ast.stmt, frame: Frame, base: Value) -> None:
    """Call the ``__init_subclass__`` of ``base`` for the class that a statement defines, if it is a subclass."""
    if not isinstance(node, ast.ClassDef) or not isinstance(base, Class):
        return
    cls, hook = classes.define(interp, node, frame), interp.class_attribute(base, _SUBCLASS_HOOK)
    if hook is not None and cls is not base and base in cls.mro:
        keywords = {k.arg: interp.eval(k.value, frame) for k in node.keywords if k.arg and k.arg != "metaclass"}
        interp.call(hook, Args((cls,), keywords), frame, node)


def open_tables(interp: Interpreter, value: Value) -> None:
    """Let the tables of an object that are empty, but that a method fills, have any entries."""
    attributes = value.attrs if isinstance(value, (Class, Instance)) else {}
    empty = [name for name, held in attributes.items() if held == Mapping()]
    if empty:
        names = _names(value)
        filled = {attribute for node in _filling_methods(interp, value).values() for attribute in _filled(node, names)}
        attributes.update((name, Mapping((), UNKNOWN)) for name in empty if name in filled)


def _modules(interp: Interpreter, module: Module, name: str, of_subclass: bool) -> Iterator[Module]:
    """Yield the modules whose top level may fill a global of ``module``: itself, and the user's that mention it.

    A statement at the top begins a line, so that the name stands there, or after the ``@`` of a decorator.
    """
    words = [f"\n{name}.", f"\n{name}(", f"\n@{name}", *([f"({name})"] if of_subclass else [])]
    places: tuple[NamePlace, ...] = ("start", "base") if of_subclass else ("start",)
    if of_subclass or any(map(module.contains, words)):
        yield module
    if module.origin != "library":
        yield from (other for other in interp.project.mentioning(words, name, places) if other is not module)


def _calls(node: ast.stmt, name: str, of_subclass: bool) -> Iterable[ast.expr]:
    """Return the callables that a statement calls: its decorators, or the function of its only call."""
    if isinstance(node, ast_walk.DEFINITIONS):
        called = [d.func if isinstance(d, ast.Call) else d for d in node.decorator_list]
        if of_subclass and isinstance(node, ast.ClassDef) and any(last_name(base) == name for base in node.bases):
            called.append(ast.Attribute(ast.Name(name, ast.Load()), _SUBCLASS_HOOK, ast.Load()))
        return called
    return [node.value.func] if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) else []


def _filling_functions(interp: Interpreter, module: Module, name: str) -> tuple[str, ...]:
    """Return the functions of a module that add to an attribute of its global ``name``, as a decorator does."""
    if name not in _names_with_filled_attributes(interp, module):
        return ()
    functions = [node for node in module.tree.body if isinstance(node, ast.FunctionDef)]
    return tuple(node.name for node in functions if any(_stored_in(node, {name})))


def _names_with_filled_attributes(interp: Interpreter, module: Module) -> frozenset[str]:
    """Return the names in the text of a module that stand before an attribute to which something is added."""
    known = interp.caches.syntax.searches.names_with_filled_attributes
    if module not in known:
        text = module.source
        before = (text[max(0, place.start() - _BEFORE) : place.start()] for place in _FILLED_ATTRIBUTE.finditer(text))
        known[module] = frozenset(_NO_NAME.split(each)[-1] for each in before)
    return known[module]


def _filling_methods(interp: Interpreter, value: Value) -> dict[str, ast.FunctionDef]:
    """Return the methods by name that add to an attribute of a class, or that store one of an object."""
    cls = value.cls if isinstance(value, Instance) else value
    if not isinstance(cls, Class):
        return {}
    known, place = interp.caches.syntax.filling_methods, (cls, cls is value)
    if place not in known:
        known[place] = _methods_that_fill(cls, value)
    return known[place]


def _methods_that_fill(cls: Class, value: Value) -> dict[str, ast.FunctionDef]:
    found: dict[str, ast.FunctionDef] = {}
    names = _names(value)
    for owner in cls.mro:
        for node in owner.node.body:
            if isinstance(node, ast.FunctionDef) and node.name != "__init__" and any(_filled(node, names)):
                found.setdefault(node.name, node)
    return found


def _names(value: Value) -> set[str] | None:
    """Return the names of a class and its bases; None for an object."""
    return {value.name, *(base.name for base in value.mro)} if isinstance(value, Class) else None


def _filled(function: ast.FunctionDef, names: set[str] | None) -> Iterator[str]:
    """Yield the attributes that a method stores, or to which it adds items: of the class with these ``names``, or of
    the object.
    """
    first = {parameter.arg for parameter in function.args.args[:1]}
    if names is None:
        yield from _stored_in(function, first)
        return
    yield from _stored_in(function, names)
    if _takes_class(function):
        yield from _stored_in(function, first - names)


def _stored_in(function: ast.FunctionDef, roots: set[str]) -> Iterator[str]:
    """Yield the attributes of variables that a function stores, or to which it adds items."""
    known = _STORES.get(function)
    if known is None:
        known = _STORES[function] = [*_stores(function)]
    return (attribute for root, attribute in known if root in roots)


def _stores(function: ast.FunctionDef) -> Iterator[tuple[str, str]]:
    """Yield the variables and attributes that a function stores, or to which it adds items."""
    for place in _places(function):
        while isinstance(place, ast.Subscript):
            place = place.value
        if isinstance(place, ast.Attribute) and isinstance(place.value, ast.Name):
            yield place.value.id, place.attr


def _filled_globals(function: ast.FunctionDef) -> set[str]:
    """Return the variables to which, or to whose attributes, a function adds items."""
    # A variable that is assigned as a whole is one of the function.
    items = [each for each in _places(function) if not (isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store))]
    return set(map(root_name, items))


def _places(function: ast.FunctionDef) -> Iterator[ast.expr]:
    """Yield what a function stores, and the containers to which it adds items."""
    for node in ast_walk.walk(function):
        places: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            places = list(node.targets)
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in builtin_names.MUTATORS
        ):
            places = [node.func.value]
        yield from places


def _takes_class(function: ast.FunctionDef) -> bool:
    return function.name == _SUBCLASS_HOOK or any(last_name(d) == "classmethod" for d in function.decorator_list)
