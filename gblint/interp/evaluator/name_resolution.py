"""Name resolution: variables of enclosing scopes, module globals, imports and builtins."""

from __future__ import annotations

import ast
import sys

from gblint.interp.domain.builtin_names import _BACKPORTS, BUILTIN_VALUES, BUILTINS, canonical
from gblint.interp.evaluator import assignment, classes, functions, module_registries
from gblint.interp.evaluator.classes import own_attribute
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.project.modules import Binding, Module
from gblint.project.star_imports import is_lazy
from gblint.runtime import ast_walk
from gblint.values.base import BOTTOM, UNKNOWN, Const, Unknown, Value
from gblint.values.lattice import join_all
from gblint.values.objects import Class, ExternalName, Instance, ModuleRef

OPAQUE_ROOTS = frozenset(
    {*sys.stdlib_module_names, "torch", "numpy", "PIL", "einops", "einx", "cv2", "scipy", "jaxtyping"}
)
# Packages that are known by name, whether they are installed or not.
MODELLED = frozenset(("packaging.version.Version", "packaging.version.parse"))
# A longer file (in characters) of a library without torch is not parsed for one name.
LARGEST_OPENED = 300_000
_USES_TORCH = ("\nimport torch", "\nfrom torch", " import torch", " from torch")


def lookup(m: Interpreter, name: str, frame: Frame) -> Value:
    """Return the value of a name in ``frame``."""
    if frame.names.outer_names and name in frame.names.outer_names:
        scope = frame.names.outer_names[name]
        value = None if scope is None else scope.lookup(name)
        return value if value is not None else global_value(m, frame.module, name)
    value = frame.scope.cells.get(name)
    if value is not None:
        return value
    if frame.class_body is not None:
        value = own_attribute(m, frame.class_body, name)
        if value is not None:
            return value
    if frame.scope.parent is not None:
        value = frame.scope.parent.lookup(name)
        if value is not None:
            return value
    return global_value(m, frame.module, name)


def global_value(m: Interpreter, module: Module, name: str) -> Value:
    """Return the value of a global name in ``module``; a builtin if the module does not bind it."""
    value = m.module_attribute(module, name)
    if value is not None:
        return value
    builtin = BUILTIN_VALUES.get(name)
    if builtin is not None:
        return builtin
    if name == "__name__":
        return Const(module.name)
    if name == "__file__":
        return Const(str(module.path))
    return UNKNOWN


def module_attribute(m: Interpreter, module: Module, name: str) -> Value | None:
    """Return the value that ``module`` binds to ``name``; None if it does not bind it."""
    known = m.caches.module_names.get(module)
    if known is None:
        if not m.budget.may_open(module):
            return UNKNOWN
        known = module.name if m.project.find_module(module.name) is module else str(module.path)
        m.caches.module_names[module] = known
    place = (known, name)
    cached = m.caches.globals.get(place)
    if cached is not None:
        return None if cached is BOTTOM else cached
    if place in m.calls.in_progress:
        # `from package import name` in the package itself names a submodule.
        return _submodule(m, module, name) or UNKNOWN
    m.calls.in_progress.add(place)
    try:
        value = _find_attribute(m, module, name)
    finally:
        m.calls.in_progress.discard(place)
    if m.budget.cut_short:
        return value
    m.caches.globals[place] = BOTTOM if value is None else value

    if value is not None and module_registries.is_fillable(value) and name in module.symbols:
        value = m.caches.globals[place] = module_registries.fill(m, module, name, place, value)
    return value


def _find_attribute(m: Interpreter, module: Module, name: str) -> Value | None:
    if m.compilation.compilers and f"{module.name}.{name}" in m.compilation.compilers:
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
        return m.value_of_bindings(bindings, m.module_frame(module), name)
    # A package with lazy imports has its modules under their names, whatever its TYPE_CHECKING block says.
    value = (_submodule(m, module, name) if is_lazy(module) else None) or _from_stars(m, module, name)
    if value is not None:
        return value
    return _submodule(m, module, name) or (_lazy_attribute(m, module, name) if module.is_package else None)


def _submodule(m: Interpreter, module: Module, name: str) -> Value | None:
    full = f"{module.name}.{name}"
    return ModuleRef(full) if module.is_package and m.project.find_module(full) is not None else None


def _from_stars(m: Interpreter, module: Module, name: str) -> Value | None:
    """Return the value that a ``from X import *`` in ``module`` binds to ``name``."""
    # The source of lazily imported names is available.
    for star in () if is_lazy(module) else module.star_imports:
        target = m.module_value(star, module)
        if isinstance(target, ExternalName):
            if name in BUILTINS and target.name.partition(".")[0] in sys.stdlib_module_names:
                continue
            full = f"{target.name}.{name}"
            if (m.knowledge.function(full) or m.knowledge.class_(full)) is not None:
                return ExternalName(canonical(full))
    for origin in m.project.star_origins(module, name):
        if isinstance(m.module_value(origin.name), ModuleRef):
            value = m.module_attribute(origin, name)
            if value is not None:
                return value
    return None


def _lazy_attribute(m: Interpreter, module: Module, name: str) -> Value | None:
    """Look in the tables of a lazy ``__init__``, such as ``_import_structure["sub.module"] = ["Name", ...]``."""
    for place, names in _lazy_table(m, module).items():
        if name in names:
            target = module.resolve_relative(1, place)
            source = m.project.find_module(target) if target else None
            if source is not None:
                return m.module_attribute(source, name)
    return None


def _lazy_table(m: Interpreter, module: Module) -> dict[str, set[str]]:
    cached = m.caches.lazy_imports.get(module.name)
    if cached is not None:
        return cached
    table: dict[str, set[str]] = {}
    if "_import_structure" in module.symbols or "__getattr__" in module.symbols:
        for node in ast_walk.walk(module.tree):
            for place, value in _lazy_rows(node):
                if isinstance(value, (ast.List, ast.Tuple, ast.Set)):
                    names = {e.value for e in value.elts if isinstance(e, ast.Constant) and isinstance(e.value, str)}
                    table.setdefault(place, set()).update(names)
    m.caches.lazy_imports[module.name] = table
    return table


def _lazy_rows(node: ast.AST) -> list[tuple[str, ast.expr]]:
    """Yield pairs of a submodule and a list of its names, as a lazy ``__init__`` writes them."""
    if isinstance(node, ast.Dict):
        return [
            (k.value, v)
            for k, v in zip(node.keys, node.values)
            if isinstance(k, ast.Constant) and isinstance(k.value, str)
        ]
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


def module_value(m: Interpreter, dotted: str, importer: Module | None = None) -> Value:
    """Return the value of the module ``dotted``: a reference if its source is traced, else its name.

    importer: the importing module; a script finds its neighbours first.
    """
    root = dotted.partition(".")[0]
    if root == "torch":
        return ExternalName(dotted)
    source = m.project.find_module(dotted, importer)
    if source is not None and source.origin != "library":
        return ModuleRef(source.name)
    if root in OPAQUE_ROOTS or m.knowledge.skipped_package(dotted):
        return ExternalName(dotted)
    if source is not None:
        return ModuleRef(source.name)
    if m.project.module_exists(dotted, importer) == "namespace":
        return ModuleRef(dotted)
    return ExternalName(dotted)


def imported(m: Interpreter, module: str, attribute: str, importer: Module | None = None) -> Value:
    """Return the value of ``from module import attribute``."""
    if m.compilation.compilers and f"{module}.{attribute}" in m.compilation.compilers:
        return ExternalName("torch.compile")
    target = m.module_value(module, importer)
    if isinstance(target, ExternalName):
        return ExternalName(canonical(f"{target.name}.{attribute}"))
    source = m.project.find_module(module, importer)
    if source is not None:
        value = m.module_attribute(source, attribute)
        if value is not None:
            return value
    below = m.module_value(f"{module}.{attribute}", importer)
    return below if isinstance(below, ModuleRef) else UNKNOWN


def value_of_import(m: Interpreter, binding: Binding, importer: Module) -> Value:
    """Return the value that an import statement binds."""
    if binding.module is None:
        return UNKNOWN
    if binding.attribute is not None:
        return imported(m, binding.module, binding.attribute, importer)
    return m.module_value(binding.module, importer)


def import_exists(m: Interpreter, module: str) -> bool:
    """Return whether ``import module`` works in the environment."""
    root = module.partition(".")[0]
    if root in sys.stdlib_module_names or root in ("torch", "numpy"):
        return True
    return m.project.module_exists(module) != "missing"


def value_of_bindings(m: Interpreter, bindings: tuple[Binding, ...], frame: Frame, name: str) -> Value:
    """Return the value of a name that is bound once or more at the top of a module or class."""
    chosen: list[Binding] = []
    for binding in bindings:
        _choose(m, chosen, binding, frame)
    values = [_after_the_others(m, b, bindings, frame, name) for b in (chosen or bindings[-1:])]
    known = [v for v in values if not isinstance(v, Unknown)]
    return join_all(known or values)


def _after_the_others(
    m: Interpreter, binding: Binding, bindings: tuple[Binding, ...], frame: Frame, name: str
) -> Value:
    """Return the value of a binding such as ``f = wrap(f)``, in which the name has its earlier value."""
    before = bindings[: bindings.index(binding)]
    if not before or not isinstance(binding.value, ast.Call) or not _reads(binding.value, name):
        return value_of_binding(m, binding, frame, name, bindings)
    cells = frame.scope.cells
    outer = cells.get(name)
    cells[name] = m.value_of_bindings(before, frame, name)
    try:
        return value_of_binding(m, binding, frame, name, bindings)
    finally:
        del cells[name]
        if outer is not None:
            cells[name] = outer


def _reads(node: ast.AST, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name for n in ast_walk.walk(node))


def _choose(m: Interpreter, chosen: list[Binding], binding: Binding, frame: Frame) -> None:
    """Add ``binding`` to the possible ones, and drop those that it replaces."""
    if binding.kind in ("delete", "aug", "except"):
        return
    if binding.kind == "annotation" and binding.value is None:
        return
    guard = binding.guard
    if guard == "type_checking":
        if not chosen:
            chosen.append(binding)
        return
    if guard == "not_type_checking":
        if chosen and all(b.guard == "type_checking" for b in chosen):
            return
    elif guard == "try":
        if binding.module is not None and not m.import_exists(binding.module):
            return
    elif guard == "handler":
        if chosen:
            return
    elif guard in ("if", "else") and binding.test is not None:
        decided = m.truth(m.eval(binding.test, frame))
        if decided is None:
            chosen.append(binding)
            return
        if decided != (guard == "if"):
            return
    if _is_setter(binding):
        return
    chosen[:] = [binding]


def _is_setter(binding: Binding) -> bool:
    node = binding.node
    return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and any(
        isinstance(d, ast.Attribute) and d.attr in ("setter", "deleter") for d in node.decorator_list
    )


def value_of_binding(
    m: Interpreter, binding: Binding, frame: Frame, name: str, siblings: tuple[Binding, ...] = ()
) -> Value:
    """Return the value that one statement binds to ``name``."""

    node = binding.node
    if binding.kind in ("import", "from"):
        return value_of_import(m, binding, frame.module)
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        value = functions.define(m, node, frame)
        setters = [b.node for b in siblings if _is_setter(b)]
        if setters and isinstance(setters[0], ast.FunctionDef):
            return functions.with_setter(m, value, setters[0], frame)
        return value
    if isinstance(node, ast.ClassDef):
        return classes.define(m, node, frame)
    if binding.value is not None:
        return m.eval(binding.value, frame)
    if isinstance(node, ast.Assign) and binding.target is not None:
        return assignment.destructure(m, binding.target, m.eval(node.value, frame), frame).get(name, UNKNOWN)
    if isinstance(node, (ast.For, ast.AsyncFor)):
        item = m.item_of(m.eval(node.iter, frame), frame, node.iter)
        return assignment.destructure(m, node.target, item, frame).get(name, UNKNOWN)
    return UNKNOWN


def submodule_or_attribute(m: Interpreter, module: str, name: str) -> Value:
    """Return ``module.name`` for a module with source."""
    source = m.project.find_module(module)
    if source is not None:
        value = m.module_attribute(source, name)
        if value is not None:
            return value
    below = m.module_value(f"{module}.{name}")
    return below if isinstance(below, ModuleRef) else UNKNOWN


def is_object_in_place(m: Interpreter, name: str, module: Module) -> bool:
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
            frame = m.module_frame(module)
            if target.slice.value == name and m.eval(target.value, frame) == ExternalName("sys.modules"):
                made = m.eval(node.value, frame)
                cls = made.cls if isinstance(made, Instance) else None
                return isinstance(cls, Class) and cls.complete and not cls.inherits("types.ModuleType")
    return False
