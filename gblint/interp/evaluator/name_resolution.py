"""Name resolution: variables of enclosing scopes, module globals, imports and builtins."""

from __future__ import annotations

import ast
import sys

from gblint.interp.domain import call_state, executed_settings
from gblint.interp.domain.builtin_names import _BACKPORTS, BUILTIN_VALUES, BUILTINS, canonical
from gblint.interp.domain.library_constants import LIBRARY_CONSTANTS
from gblint.interp.domain.module_references import reference, source_of
from gblint.interp.evaluator import (
    earlier_bindings,
    module_registries,
    rebound_globals,
)
from gblint.interp.evaluator.classes import own_attribute
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.project.modules import Binding, Module
from gblint.project.star_imports import is_lazy
from gblint.runtime import ast_walk
from gblint.values.base import BOTTOM, UNKNOWN, Const, Value
from gblint.values.objects import Class, ExternalName, Instance, ModuleRef, is_nn_module_class

OPAQUE_ROOTS = sys.stdlib_module_names | frozenset(
    "torch numpy numba PIL einops einx cv2 scipy jaxtyping beartype triton".split()
)
# Packages that are known by name, whether they are installed or not.
MODELLED = frozenset(("packaging.version.Version", "packaging.version.parse"))
# A longer file (in characters) of a library without torch is not parsed for one name.
LARGEST_OPENED = 300_000
_USES_TORCH = ("\nimport torch", "\nfrom torch", " import torch", " from torch")


def lookup(interp: Interpreter, name: str, frame: Frame) -> Value:
    """Return the value of a name in ``frame``."""
    if frame.names.outer_names and name in frame.names.outer_names:
        scope = frame.names.outer_names[name]
        value = None if scope is None else scope.lookup(name)
        return value if value is not None else global_value(interp, frame.module, name)
    value = frame.scope.cells.get(name)
    if value is not None:
        return value
    if frame.class_body is not None:
        value = own_attribute(interp, frame.class_body, name)
        if value is not None:
            return value
    if frame.scope.parent is not None:
        value = frame.scope.parent.lookup(name)
        if value is not None:
            return value
    value = earlier_bindings.lookup(interp, name, frame) if frame.names.position is not None else None
    return value if value is not None else global_value(interp, frame.module, name)


def global_value(interp: Interpreter, module: Module, name: str) -> Value:
    """Return the value of a global name in ``module``; a builtin if the module does not bind it."""
    value = interp.module_attribute(module, name)
    if value is not None:
        return value
    if name == "__name__":
        return Const(module.name)
    if name == "__package__":
        return Const(module.name if module.path.name == "__init__.py" else module.name.rpartition(".")[0])
    if name == "__file__":
        return Const(str(module.path))
    return BUILTIN_VALUES.get(name, UNKNOWN)


def module_attribute(interp: Interpreter, module: Module, name: str) -> Value | None:
    """Return the value that ``module`` binds to ``name``; None if it does not bind it."""
    known = interp.caches.module_names.get(module)
    if known is None:
        if not interp.budget.may_open(module):
            return UNKNOWN
        known = module.name if interp.project.find_module(module.name) is module else str(module.path)
        interp.caches.module_names[module] = known
    place = (known, name)
    cached = interp.caches.globals.get(place)
    if cached is not None:
        return None if cached is BOTTOM else cached
    if place in interp.calls.in_progress:
        # `from package import name` in the package itself names a submodule.
        return _submodule(interp, module, name) or _class_in_making(interp, module, name) or UNKNOWN
    interp.calls.in_progress.add(place)
    try:
        with call_state.outside_of_call(interp):
            value = _find_attribute(interp, module, name)
    finally:
        interp.calls.in_progress.discard(place)
    if interp.budget.is_truncated:
        return value
    interp.caches.globals[place] = BOTTOM if value is None else value
    if value is not None and value != UNKNOWN and module.contains("global ") and name in module.symbols:
        with call_state.outside_of_call(interp):
            value = interp.caches.globals[place] = rebound_globals.after_import(interp, module, name, place, value)
    if value is not None and module_registries.is_fillable(value) and name in module.symbols:
        with call_state.outside_of_call(interp):
            value = interp.caches.globals[place] = module_registries.fill(interp, module, name, place, value)
    return value


def _class_in_making(interp: Interpreter, module: Module, name: str) -> Value | None:
    """Return a class whose decorators are evaluated at the moment: a registry may look at its subclasses meanwhile."""
    bindings = module.symbols.get(name)
    return interp.caches.classes.get(id(bindings[-1].node)) if bindings else None


def _find_attribute(interp: Interpreter, module: Module, name: str) -> Value | None:
    if interp.compilation.compilers and f"{module.name}.{name}" in interp.compilation.compilers:
        return ExternalName("torch.compile")
    full = f"{module.name}.{name}"
    known = full in MODELLED or (full.startswith(_BACKPORTS) and name != "deprecated")
    if known and module.origin == "library":
        return ExternalName(canonical(full))  # no need to parse the module
    if (
        module.origin == "library"
        and len(module.source) > LARGEST_OPENED
        and not any(map(module.contains, _USES_TORCH))
    ):
        return UNKNOWN
    bindings = module.symbols.get(name)
    if bindings:
        bound = interp.value_of_bindings(bindings, interp.module_frame(module), name)
        return executed_settings.replaceable(module, name, bound)
    # A package with lazy imports has its modules under their names, whatever its TYPE_CHECKING block says.
    value = (_submodule(interp, module, name) if is_lazy(module) else None) or _from_stars(interp, module, name)
    if value is not None:
        return value
    return _submodule(interp, module, name) or (_lazy_attribute(interp, module, name) if module.is_package else None)


def _submodule(interp: Interpreter, module: Module, name: str) -> Value | None:
    if not module.is_package:
        return None
    full = f"{module.name}.{name}"
    found = interp.project.find_module(full, module)
    if found is not None:
        return reference(found)
    return ExternalName(full) if interp.project.module_exists(full, module) == "extension" else None


def _from_stars(interp: Interpreter, module: Module, name: str) -> Value | None:
    """Return the value that a ``from X import *`` in ``module`` binds to ``name``."""
    # The source of lazily imported names is available.
    for star in () if is_lazy(module) else module.star_imports:
        target = interp.module_value(star, module)
        if isinstance(target, ExternalName):
            if name in BUILTINS and target.name.partition(".")[0] in sys.stdlib_module_names:
                continue
            full = f"{target.name}.{name}"
            if (interp.knowledge.function(full) or interp.knowledge.class_(full)) is not None:
                return ExternalName(canonical(full))
    for origin in interp.project.star_origins(module, name):
        target = interp.module_value(origin.name, origin)
        if isinstance(target, ExternalName):
            return ExternalName(canonical(f"{target.name}.{name}"))
        value = interp.module_attribute(origin, name) if isinstance(target, ModuleRef) else None
        if value is not None:
            return value
    if name in BUILTINS or is_lazy(module):
        return None
    return _from_star_without_source(interp, module, name)


def _from_star_without_source(interp: Interpreter, module: Module, name: str) -> Value | None:
    """Attribute a name with no other definition to the star import of an extension module or a missing package.

    A capitalized name comes from ``torch.nn`` if that is one of several. The names of the standard library are known.
    """
    outside = [s for s in module.star_imports if interp.project.find_module(s, module) is None]
    outside = [s for s in outside if s.partition(".")[0] not in sys.stdlib_module_names]
    if "torch.nn" in outside and is_nn_module_class(ExternalName(f"torch.nn.{name}")):
        return ExternalName(f"torch.nn.{name}")
    return ExternalName(canonical(f"{outside[0]}.{name}")) if len(outside) == 1 else None


def _lazy_attribute(interp: Interpreter, module: Module, name: str) -> Value | None:
    """Look in the tables of a lazy ``__init__``, such as ``_import_structure["sub.module"] = ["Name", ...]``."""
    for place, names in _lazy_table(interp, module).items():
        if name in names:
            target = module.resolve_relative(1, place)
            source = interp.project.find_module(target, module) if target else None
            if source is not None:
                return interp.module_attribute(source, name)
    return None


def _lazy_table(interp: Interpreter, module: Module) -> dict[str, set[str]]:
    cached = interp.caches.lazy_imports.get(module)
    if cached is not None:
        return cached
    table: dict[str, set[str]] = {}
    if "_import_structure" in module.symbols or "__getattr__" in module.symbols:
        for node in ast_walk.walk(module.tree):
            for place, value in _lazy_rows(node):
                if isinstance(value, (ast.List, ast.Tuple, ast.Set)):
                    names = {e.value for e in value.elts if isinstance(e, ast.Constant) and isinstance(e.value, str)}
                    table.setdefault(place, set()).update(names)
    interp.caches.lazy_imports[module] = table
    return table


def _lazy_rows(node: ast.AST) -> list[tuple[str, ast.expr]]:
    """Yield pairs of a submodule and a list of its names, as a lazy ``__init__`` writes them."""
    if isinstance(node, ast.Dict):
        rows = [(k, v) for k, v in zip(node.keys, node.values) if isinstance(k, ast.Constant)]
        return [_lazy_row(k.value, v) for k, v in rows if isinstance(k.value, str)]
    if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module:
        return [(node.module, ast.List([ast.Constant(each.name) for each in node.names], ast.Load()))]
    subscript: ast.expr | None = None
    value: ast.expr | None = None
    if isinstance(node, ast.Assign):
        subscript, value = node.targets[0], node.value
    elif isinstance(node, ast.AugAssign):
        subscript, value = node.target, node.value
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("extend", "append"):
        subscript, value = node.func.value, node.args[0] if node.args else None
    if isinstance(subscript, ast.Subscript) and isinstance(subscript.slice, ast.Constant) and value is not None:
        place = subscript.slice.value
        if isinstance(place, str):
            if isinstance(value, ast.Constant):
                value = ast.List([value], ast.Load())
            return [(place, value)]
    return []


def _lazy_row(key: str, value: ast.expr) -> tuple[str, ast.expr]:
    """Return the row of ``"module": ["Name", ...]``, ``"Name": ".module"`` or ``"Name": (".module", "Name")``."""
    parts = value.elts if isinstance(value, ast.Tuple) else [value]
    place = parts[0].value if parts and isinstance(parts[0], ast.Constant) else None
    if isinstance(place, str) and (place.startswith(".") or parts[0] is value):
        return place.removeprefix("."), ast.List([ast.Constant(key)], ast.Load())
    return key, value


def module_value(interp: Interpreter, dotted: str, importer: Module | None = None) -> Value:
    """Return the value of the module ``dotted``: a reference if its source is traced, else its name.

    importer: the importing module; a script finds its neighbours first, and is ``__main__`` itself.
    """
    if dotted == "__main__" and importer is not None and importer.origin == "user":
        return reference(importer)
    root = dotted.partition(".")[0]
    if root == "torch":
        return ExternalName(dotted)
    source = interp.project.find_module(dotted, importer)
    opaque = root in OPAQUE_ROOTS
    if source is not None and source.origin != "library" and not (opaque and _only_named_so(source, dotted, importer)):
        return reference(source)
    if opaque or interp.knowledge.skipped_package(dotted):
        return ExternalName(dotted)
    if source is not None:
        return reference(source)
    if interp.project.module_exists(dotted, importer) == "namespace":
        return ModuleRef(dotted)
    return ExternalName(dotted)


def _only_named_so(source: Module, dotted: str, importer: Module | None) -> bool:
    """Return whether a module of the project merely has the last name of a package that is not installed.

    A folder of scripts may hide the package only from the scripts in it.
    """
    return source.name != dotted and (importer is None or importer.folder != source.folder)


def imported(interp: Interpreter, module: str, attribute: str, importer: Module | None = None) -> Value:
    """Return the value of ``from module import attribute``."""
    if interp.compilation.compilers and f"{module}.{attribute}" in interp.compilation.compilers:
        return ExternalName("torch.compile")
    target = interp.module_value(module, importer)
    if isinstance(target, ExternalName):
        full = canonical(f"{target.name}.{attribute}")
        return LIBRARY_CONSTANTS.get(full) or ExternalName(full)
    source = interp.project.find_module(module, importer)
    if source is not None:
        value = interp.module_attribute(source, attribute)
        if value is not None:
            return value
    below = interp.module_value(f"{module}.{attribute}", importer)
    if isinstance(below, ModuleRef):
        return below
    # A package with several backends sets the modules that it has imported on itself: `from .backend import torch`.
    return ExternalName("torch") if attribute == "torch" else UNKNOWN


def value_of_import(interp: Interpreter, binding: Binding, importer: Module) -> Value:
    """Return the value that an import statement binds."""
    if binding.module is None:
        return UNKNOWN
    if binding.attribute is not None:
        return imported(interp, binding.module, binding.attribute, importer)
    return interp.module_value(binding.module, importer)


def import_exists(interp: Interpreter, module: str) -> bool:
    """Return whether ``import module`` works in the environment."""
    root = module.partition(".")[0]
    if root in sys.stdlib_module_names or root in ("torch", "numpy"):
        return True
    return interp.project.module_exists(module) != "missing"


def submodule_or_attribute(interp: Interpreter, module: ModuleRef, name: str) -> Value:
    """Return ``module.name``."""
    source = source_of(interp, module)
    if source is not None:
        value = interp.module_attribute(source, name)
        if value is not None:
            return value
    below = interp.module_value(f"{module.name}.{name}", source)
    return below if isinstance(below, ModuleRef) else UNKNOWN


def is_object_in_place(interp: Interpreter, name: str, module: Module) -> bool:
    """Return whether ``module`` replaces itself in ``sys.modules`` by an object under ``name``."""
    if not module.contains("sys.modules"):
        return False
    for node in module.tree.body:
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        if (
            isinstance(node, ast.Assign)
            and isinstance(target, ast.Subscript)
            and isinstance(target.slice, ast.Constant)
        ):
            frame = interp.module_frame(module)
            if target.slice.value == name and interp.eval(target.value, frame) == ExternalName("sys.modules"):
                made = interp.eval(node.value, frame)
                cls = made.cls if isinstance(made, Instance) else None
                return isinstance(cls, Class) and cls.complete and not cls.inherits("types.ModuleType")
    return False
