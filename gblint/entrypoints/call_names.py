"""The names under which the project calls what it compiles: the code with these names is evaluated, too.

The calls show what is passed.  A method of an object is called by other methods, and a function by functions that pass
their own parameters on; so their names count as well.
"""

from __future__ import annotations

import ast

from gblint.entrypoints.module_scan import may_compile
from gblint.interp.domain.access_paths import root_name
from gblint.interp.state.compilation import CompiledObject
from gblint.interp.state.interpreter import Interpreter
from gblint.project.modules import Module
from gblint.runtime import ast_walk
from gblint.runtime.ast_walk import is_name
from gblint.values.base import members
from gblint.values.objects import Class, Function, Instance

_CALLED_BY_OBJECT = ("forward", "__call__")


def names_of_compiled(interp: Interpreter) -> dict[Module, set[str]]:
    """Return the names under which the modules of the project use compiled objects, by module."""
    found: dict[Module, set[str]] = {}
    importable: dict[Module, set[str]] = {}
    for compiled in interp.compilation.objects:
        names = found.setdefault(compiled.module, set())
        top = importable.setdefault(compiled.module, set())
        if isinstance(compiled.node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(compiled.node.name)
            if compiled.owner is None:
                top.add(compiled.node.name)
            else:
                names |= _names_of_callers(compiled.owner, compiled.node.name)
                top.add(compiled.owner.name)
        holder, attribute = _holder(interp, compiled)
        if holder is not None:
            names |= _names_of_callers(holder, attribute)
            # A registry may make it, under the name of a base class.
            top |= {base.name for base in holder.mro if base.module is compiled.module}
        for method in _methods_set_by_helpers(compiled):
            found.setdefault(method.module, set()).update(_names_of_method(method))
            importable.setdefault(method.module, set()).update(_names_of_method(method))
        names |= top
        assigned = {name for name, value in _assigned_calls(compiled.module) if value is compiled.node}
        top |= assigned
        names |= assigned | _objects_with(interp, compiled)
        names |= _functions_passing(compiled.module, names)
    _add_imported(interp, found, importable)
    for module, names in found.items():
        names |= _objects_of_classes(interp, module, names)
    return found


def _add_imported(interp: Interpreter, found: dict[Module, set[str]], importable: dict[Module, set[str]]) -> None:
    """Add the names under which modules import the names that are ``importable`` from others."""
    for module in interp.project.user_modules():
        if not any(_may_import(interp, module, home, names) for home, names in importable.items()):
            continue
        for name, bindings in module.symbols.items():
            binding = bindings[-1]
            source = interp.project.find_module(binding.module or "", module) if binding.kind == "from" else None
            if source is not None and binding.attribute in importable.get(source, ()):
                found.setdefault(module, set()).add(name)
                importable.setdefault(module, set()).add(name)


def _assigned_calls(module: Module) -> list[tuple[str, ast.Call]]:
    """Return the variables to which statements at the top of a module assign the result of a call, with the call."""
    return [
        (target.id, node.value)
        for node in module.tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        for target in node.targets
        if isinstance(target, ast.Name)
    ]


def _objects_with(interp: Interpreter, compiled: CompiledObject) -> set[str]:
    """Return the variables of a module whose objects hold what is compiled.

    Examples are ``agent`` in ``agent.act = torch.compile(agent.act)`` and in ``agent.net.compile()``.  Only objects of
    the project's classes count: calls of a pipeline of a library tell little, and take long.
    """
    places: list[ast.expr] = []
    for node in compiled.module.tree.body:
        if isinstance(node, ast.Assign) and node.value is compiled.node:
            places += node.targets
        elif isinstance(node, ast.Expr) and node.value is compiled.node and isinstance(compiled.node, ast.Call):
            function = compiled.node.func
            places += [function.value] if isinstance(function, ast.Attribute) else []
    names = {root_name(each) for each in places if isinstance(each, ast.Attribute)} - {""}
    held = [(name, interp.module_attribute(compiled.module, name)) for name in names]
    objects = [(name, value.cls) for name, value in held if isinstance(value, Instance)]
    return {name for name, cls in objects if isinstance(cls, Class) and cls.module.origin == "user"}


def _objects_of_classes(interp: Interpreter, module: Module, names: set[str]) -> set[str]:
    """Return the variables of a module that hold objects of classes among ``names``, which have a compiled method."""
    made = [(name, call.func.id) for name, call in _assigned_calls(module) if isinstance(call.func, ast.Name)]
    classes = {each for _, each in made if each in names and isinstance(interp.module_attribute(module, each), Class)}
    return {name for name, made_by in made if made_by in classes}


def _functions_passing(module: Module, names: set[str]) -> set[str]:
    """Return the functions at the top of a module that pass one of their parameters to a function of ``names``."""
    functions = [each for each in module.tree.body if isinstance(each, ast.FunctionDef) and each.name not in names]
    called = list(names)
    for name in called:
        for function in functions:
            if function.name not in called and _passes_parameter(function, name):
                called.append(function.name)
    return set(called) - names


def _passes_parameter(function: ast.FunctionDef, name: str) -> bool:
    spec = function.args
    parameters = {each.arg for each in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)}
    return any(
        isinstance(node, ast.Call)
        and is_name(node.func, name)
        and any(isinstance(arg, ast.Name) and arg.id in parameters for arg in node.args)
        for node in (ast_walk.walk(function) if parameters else ())
    )


def _holder(interp: Interpreter, compiled: CompiledObject) -> tuple[Class | None, str]:
    """Return the class whose method stores a compiled object in an attribute of its own, and the attribute."""
    line = compiled.node.lineno if isinstance(compiled.node, ast.Call) else 0
    classes = [each for each in compiled.module.tree.body if isinstance(each, ast.ClassDef)]
    for node in [each for each in classes if each.lineno <= line <= (each.end_lineno or 0)]:
        for each in ast_walk.walk(node):
            if isinstance(each, ast.Assign) and each.value is compiled.node:
                target = each.targets[0]
                cls = interp.module_attribute(compiled.module, node.name)
                if isinstance(target, ast.Attribute) and is_name(target.value, "self") and isinstance(cls, Class):
                    return cls, target.attr
    return None, ""


def _methods_set_by_helpers(compiled: CompiledObject) -> list[Function]:
    """Return the methods that a helper compiles for a class: ``setattr(cls, name, torch.compile(method))``."""
    if not isinstance(compiled.node, ast.Call):
        return []
    return [v for v in members(compiled.value) if isinstance(v, Function) and v.owner is not None]


def _names_of_method(method: Function) -> set[str]:
    owner, name = method.owner, method.name.rpartition(".")[2]
    return {name, owner.name, *_names_of_callers(owner, name)} if owner is not None else {name}


def _names_of_callers(cls: Class, name: str) -> set[str]:
    """Return the names of the methods that call a method of a class; that of the class if its objects are called."""
    methods = [node for base in cls.mro for node in base.node.body if isinstance(node, ast.FunctionDef)]
    calling = [name]
    for called in calling:
        for method in methods:
            if method.name in calling or method.name == "__init__":
                continue
            if any(isinstance(node, ast.Attribute) and node.attr == called for node in ast_walk.walk(method)):
                calling.append(method.name)
    names = {cls.name if each in _CALLED_BY_OBJECT else each for each in calling[1:]}
    return names | {cls.name} if name in _CALLED_BY_OBJECT else names


def compiled_attributes(interp: Interpreter, module: Module) -> frozenset[str]:
    """Return the words for calls of attributes that hold compiled objects, as ``self.net`` may.

    Attributes that another module calls, too, are left out: the calls in one module do not tell all arguments.
    """
    helpers = frozenset(name.rpartition(".")[2] for _, name in interp.compilation.compiling_functions)
    names: set[str] = set()
    for node in ast_walk.walk(module.tree):
        held: list[ast.expr] = []
        if isinstance(node, ast.Assign) and isinstance(node.value, (ast.Call, ast.IfExp)):
            held = node.targets if may_compile(node.value, helpers) else []
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "compile":
            held = [node.func.value]
        names |= {each.attr for each in held if isinstance(each, ast.Attribute)}
    return frozenset(f"{name}(" for name in names - {"forward"} if not _is_called_elsewhere(interp, module, name))


def _is_called_elsewhere(interp: Interpreter, module: Module, name: str) -> bool:
    """Return whether the text of another module of the project calls an attribute of this name."""
    others = [each for each in interp.project.user_modules() if each is not module]
    return any(interp.project.mentions(each, (f".{name}(",)) for each in others)


def _may_import(interp: Interpreter, module: Module, home: Module, names: set[str]) -> bool:
    """Return whether the text of a module has one of these names of ``home``, and the name of ``home``."""
    if module is home or not names or not interp.project.mentions(module, names):
        return False
    return home.is_package or interp.project.mentions(module, (home.name.rpartition(".")[2],))
