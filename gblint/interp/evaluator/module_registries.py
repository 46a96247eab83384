"""Module-level objects that later statements of the module change: tables of functions, modules with hooks."""

from __future__ import annotations

import ast

from gblint.interp.domain import call_state, name_stores, script_calls
from gblint.interp.domain.access_paths import root_name
from gblint.interp.evaluator import classes, filled_objects, functions, metaclass_registries, registrations
from gblint.interp.evaluator.derived_classes import subclasses
from gblint.interp.models.torch import submodules
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.project.modules import Module
from gblint.runtime import ast_origins, ast_walk
from gblint.runtime.ast_walk import is_name
from gblint.values.base import UNKNOWN, Value, members
from gblint.values.containers import Mapping, Seq
from gblint.values.lattice import join
from gblint.values.objects import Class, Function, Instance, is_nn_module

_PARTS = frozenset(("modules", "named_modules"))
SMALL = 80
"""Nodes of the syntax tree of a method that a module calls for what it stores."""


def is_fillable(value: Value) -> bool:
    """Return whether a global with this value may be changed after it was bound."""
    if isinstance(value, Instance) and ("__items__" in value.attrs or is_nn_module(value)):
        return True
    if filled_objects.is_object(value):
        return True
    return isinstance(value, Mapping) or (isinstance(value, Seq) and value.cls in ("list", "set"))


def fill(interp: Interpreter, module: Module, name: str, place: tuple[str, str], value: Value) -> Value:
    """Return the value of the global ``name`` after the whole module has run."""
    if filled_objects.is_object(value):
        interp.caches.globals[place] = value
        calling, line = _callers(module, name), 0
        for source, node in list(filled_objects.changes(interp, module, name, value)):
            if source is module and script_calls.is_called_between(module, line, node.lineno, calling):
                call_state.note_used(interp, members(value))
            line = node.lineno
            _run(interp, node, interp.module_frame(source), {})
            filled_objects.run_subclass_hook(interp, node, interp.module_frame(source), value)
        filled_objects.open_tables(interp, value)
        return value
    names = (name, *(_views(module, name) if is_nn_module(value) else ()))
    changes = [
        node
        for node in module.tree.body
        if any(name_stores.changes(module, node, each) for each in names) or _sets(interp, module, node, name, value)
    ]
    hooked = filled_objects.classes_whose_subclasses_fill(interp, module, name) if not is_nn_module(value) else []
    metaclasses = metaclass_registries.hooks(interp, module, name) if isinstance(value, Mapping) else []
    elsewhere = registrations.of(interp, module, name, value)
    if not changes and not hooked and not elsewhere and not metaclasses:
        # A table that is empty here, and that a function fills, is filled by other modules.
        is_open = value == Mapping() and any(
            name_stores.function_stores(module, each, name) for each in _functions(module, name)
        )
        return Mapping((), UNKNOWN) if is_open else value
    interp.caches.globals[place] = value
    for cls in hooked:
        for each in subclasses(interp, cls):
            filled_objects.run_subclass_hook(interp, each.node, interp.module_frame(each.module), cls)
    for metaclass, hook in metaclasses:
        metaclass_registries.run(interp, metaclass, hook)
    frame = interp.module_frame(module)
    calling, line = _callers(module, name), 0
    for node in changes:
        before = interp.caches.globals[place]
        is_seen = script_calls.is_called_between(module, line, node.lineno, calling)
        if is_seen:
            call_state.note_used(interp, members(before))
        line = node.lineno
        # A statement is run once, in its place; its effect is the value.
        alone = {name: before} if isinstance(node, (ast.Expr, ast.Assign)) else {}
        after = _run(interp, node, frame, alone).get(name, before)
        if after is not before:  # otherwise a function that the statement calls may have changed the global
            interp.caches.globals[place] = join(before, after) if is_seen and isinstance(after, Mapping) else after
    for source, node in elsewhere:
        _run(interp, node, interp.module_frame(source), {})
    return interp.caches.globals[place]


def _sets(interp: Interpreter, module: Module, node: ast.stmt, name: str, value: Value) -> bool:
    """Return whether a statement calls a short method of a module or of a part of it, or passes it to a short function.

    Only what stores attributes counts.
    """
    call = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(value, Instance) or not is_nn_module(value):
        return False
    if isinstance(call.func, ast.Name):
        given = any(is_name(each, name) for each in (*call.args, *(k.value for k in call.keywords)))
        return given and _is_setter(interp.module_attribute(module, call.func.id))
    if not isinstance(call.func, ast.Attribute) or root_name(call.func) != name:
        return False
    holders = [value, *submodules.below(value, {value.uid})]
    classes_ = [each.cls for each in holders if isinstance(each, Instance) and isinstance(each.cls, Class)]
    return any(_is_setter(interp.class_attribute(cls, call.func.attr)) for cls in classes_)


def _is_setter(function: Value | None) -> bool:
    """Return whether a function of the project is short and stores attributes."""
    if not isinstance(function, Function) or function.module.origin != "user":
        return False
    nodes = list(ast_walk.walk(function.node))
    targets = [each for node in nodes if isinstance(node, ast.Assign) for each in node.targets]
    return len(nodes) <= SMALL and any(isinstance(each, ast.Attribute) for each in targets)


def _views(module: Module, name: str) -> list[str]:
    """Return the variables that hold parts of a module: ``modules`` in ``modules = dict(net.named_modules())``."""
    if not module.contains("modules()") or not module.contains("register_"):
        return []
    return [
        target.id
        for node in module.tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, (ast.Call, ast.DictComp, ast.ListComp))
        if any(isinstance(each, ast.Attribute) and each.attr in _PARTS for each in ast_walk.walk(node.value))
        if any(is_name(each, name) for each in ast_walk.walk(node.value))
        for target in node.targets
        if isinstance(target, ast.Name)
    ]


def _callers(module: Module, name: str) -> set[str]:
    """Return the global ``name``, those that a call makes of it, as ``step = wrap(net)`` does, and what is compiled.

    Nothing is returned for a module that stores no attribute or item of it at its top.
    """
    if not module.contains(f"\n{name}.") and not module.contains(f"\n{name}["):
        return set()
    made = [each for each in module.tree.body if isinstance(each, ast.Assign) and isinstance(each.value, ast.Call)]
    found = [each for each in made if name in ast_origins.names(getattr(each.value, "args", ()))]
    made_of_it = {t.id for each in found for t in each.targets if isinstance(t, ast.Name)}
    return {name} | made_of_it | script_calls.compiled_names(module)


def _functions(module: Module, name: str) -> list[str]:
    """Return the functions of a module that store something in a table, if the module does that anywhere."""
    if not module.contains(f"{name}["):
        return []
    return [node.name for node in module.tree.body if isinstance(node, ast.FunctionDef)]


def _run(interp: Interpreter, node: ast.stmt, frame: Frame, variables: dict[str, Value]) -> dict[str, Value]:
    """Run a statement of the module; return the values of the given variables after it."""
    kept = frame.scope.cells
    frame.variables = variables
    try:
        if isinstance(node, ast.ClassDef):
            made = classes.define(interp, node, frame)
            for method in name_stores.methods(node):
                interp.class_attribute(made, method.name)
            cls: Value = made
            for decorator in reversed(node.decorator_list):
                cls = functions.decorate(interp, decorator, cls, frame)
        else:
            interp.run([node], frame)
        return frame.variables
    finally:
        frame.variables = kept
