"""Objects that a program chooses by a name: items of modules, entries of registries, classes named in configurations.

They are looked up only while the project is searched for what it compiles, where any of them may be the one.  At most
MAX_CHOICES are followed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from gblint.interp.domain import configured_names, origins
from gblint.interp.evaluator import classes
from gblint.interp.state.call_args import Args
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.project.modules import Module
from gblint.runtime import ast_walk
from gblint.values.base import UNKNOWN, Const, Unknown, Value, members
from gblint.values.containers import Mapping
from gblint.values.lattice import join_all
from gblint.values.objects import (
    Class,
    ExternalName,
    Function,
    Instance,
    ModuleRef,
    is_nn_module_class,
)

MAX_CHOICES = 16
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
# Methods of a registry that make an object from a configuration, and functions that do so.
_BUILDERS = frozenset(("build", "create", "make", "instantiate", "build_model", "get_instance"))
_GETTERS = frozenset(("get", "get_class", "lookup"))
# Functions that import an object by its dotted name.
_IMPORTERS = frozenset(
    "locate import_string get_class get_method get_object import_from_string import_object import_class load_class "
    "get_obj_from_str resolve_name".split()
)


def is_searched(interp: Interpreter, frame: Frame) -> bool:
    """Return whether objects are looked up: in eager code, while the project is searched."""
    return not frame.mode.tracing and interp.compilation.scanned_module is not None


# -- items of modules and of registries ------------------------------------------------------------------------------


def item(interp: Interpreter, base: Value, node: ast.Subscript, index: Value, frame: Frame) -> Value | None:
    """Return what ``module.__dict__[name]``, ``globals()[name]`` or ``REGISTRY[name]`` may be; None for others."""
    table = node.value
    if isinstance(table, ast.Attribute) and table.attr == "__dict__":
        holder = interp.eval(table.value, frame)
        return of_module(interp, holder, index, node.slice, frame) if isinstance(holder, ModuleRef) else None
    if isinstance(table, ast.Call) and isinstance(table.func, ast.Name) and table.func.id in ("globals", "vars"):
        holder = interp.eval(table.args[0], frame) if table.args else ModuleRef(frame.module.name)
        return of_module(interp, holder, index, node.slice, frame) if isinstance(holder, ModuleRef) else None
    if isinstance(base, Mapping) and isinstance(table, ast.Name):
        return entry(interp, base, table.id, index, node.slice, frame)
    return None


def got(interp: Interpreter, base: Value, node: ast.Call, index: Value, frame: Frame) -> Value | None:
    """Return what ``REGISTRY.get(name)`` may be; None for others."""
    table = node.func.value if isinstance(node.func, ast.Attribute) else None
    if isinstance(base, Mapping) and isinstance(table, ast.Name) and node.args:
        return entry(interp, base, table.id, index, node.args[0], frame)
    return None


def of_module(interp: Interpreter, holder: ModuleRef, index: Value, node: ast.expr, frame: Frame) -> Value:
    """Return the function or class of a module with a name, or all of them if the name is not known."""
    module = interp.project.find_module(holder.name)
    if module is None:
        return UNKNOWN
    names = _names(index, node, frame)
    if names is not None:
        return join_all(interp.module_attribute(module, name) or UNKNOWN for name in names)
    if module.origin == "library":
        return UNKNOWN
    found: list[Value] = []
    for name in _public(module):
        value = interp.module_attribute(module, name)
        if isinstance(value, Function) or (isinstance(value, Class) and is_nn_module_class(value)):
            found.append(value)
    return _limited(interp, frame, node, found)


def _public(module: Module) -> Iterator[str]:
    """Yield the names of what a module defines; those that it imports as well if it is a package."""
    for name, bindings in module.symbols.items():
        defined = isinstance(bindings[-1].node, _DEFINITIONS)
        if not name.startswith("_") and (defined or (module.is_package and bindings[-1].kind == "from")):
            yield name


def entry(interp: Interpreter, table: Mapping, name: str, index: Value, node: ast.expr, frame: Frame) -> Value | None:
    """Return an entry of the global table ``name``, also one that another module registers; None if that is no use."""
    home = _home(interp, frame.module, name)
    if home is None:
        return None
    names = _names(index, node, frame)
    known = dict(table.entries)
    if names is not None and all(Const(each) in known for each in names):
        return join_all(known[Const(each)] for each in names) if not isinstance(index, Const) else None
    registering = [f for f in home.tree.body if isinstance(f, ast.FunctionDef) and _stores_argument(f, name)]
    if not registering and len(known) <= MAX_CHOICES:
        return None
    found = [known[Const(each)] for each in names if Const(each) in known] if names else list(known.values())
    found += _registered(interp, home, registering, names)
    return _limited(interp, frame, node, _representatives(found)) if found else None


def _home(interp: Interpreter, module: Module, name: str) -> Module | None:
    """Return the module whose top level binds the global ``name`` to a value."""
    bindings = module.symbols.get(name)
    if not bindings:
        return None
    if bindings[-1].kind == "from" and bindings[-1].module:
        return interp.project.find_module(bindings[-1].module, module)
    return module if bindings[-1].kind in ("assign", "annotation") else None


def _stores_argument(function: ast.FunctionDef, name: str) -> bool:
    """Return whether a function stores one of its arguments in the table ``name``."""
    parameters = {a.arg for a in ast_walk.walk(function) if isinstance(a, ast.arg)}
    return any(
        isinstance(n, ast.Assign)
        and isinstance(n.value, ast.Name)
        and n.value.id in parameters
        and any(
            isinstance(t, ast.Subscript) and isinstance(t.value, ast.Name) and t.value.id == name for t in n.targets
        )
        for n in ast_walk.walk(function)
    )


def _registered(
    interp: Interpreter, home: Module, registering: list[ast.FunctionDef], names: list[str] | None
) -> list[Value]:
    """Return the functions and classes that other modules register by decorators."""
    nodes = {each.name: each for each in registering}
    found: list[Value] = []
    kinds: set[tuple[str, str]] = set()
    for module in interp.project.user_modules() if nodes else ():
        if module is home or not interp.project.mentions(module, nodes):
            continue
        if names is not None and not interp.project.mentions(module, names):
            continue
        for symbol, bindings in module.symbols.items():
            node = bindings[-1].node
            if not isinstance(node, _DEFINITIONS):
                continue
            decorator = next((d for d in node.decorator_list if _last_name(_called(d)) in nodes), None)
            if (
                decorator is None
                or _has_other_key(decorator)
                or (names is not None and not set(names) & {symbol, *_texts(decorator)})
            ):
                continue
            kind = (
                module.name,
                symbol if isinstance(node, ast.ClassDef) or not node.returns else ast.unparse(node.returns),
            )
            if kind not in kinds and _is_function(interp, module, _called(decorator), nodes):
                kinds.add(kind)
                found.append(_undecorated(interp, module, node))
        if len(found) > MAX_CHOICES:
            break
    return found


def _has_other_key(decorator: ast.expr) -> bool:
    """Return whether a decorator registers under a key that is no string, such as a class."""
    return isinstance(decorator, ast.Call) and any(not isinstance(arg, ast.Constant) for arg in decorator.args[:1])


def _is_function(interp: Interpreter, module: Module, called: ast.expr, nodes: dict[str, ast.FunctionDef]) -> bool:
    value = interp.eval(called, interp.module_frame(module))
    return isinstance(value, Function) and value.node in nodes.values()


def _undecorated(
    interp: Interpreter, module: Module, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
) -> Value:
    frame = interp.module_frame(module)
    if isinstance(node, ast.ClassDef):
        return classes.define(interp, node, frame)
    defaults = tuple(interp.eval(d, frame) for d in node.args.defaults)
    kw_defaults = tuple(None if d is None else interp.eval(d, frame) for d in node.args.kw_defaults)
    return Function(node, module, node.name, None, None, defaults, kw_defaults)


def _representatives(found: list[Value]) -> list[Value]:
    """Leave out functions that by annotation return the same as another one of their module."""
    kept: dict[object, Value] = {}
    for value in found:
        returns = value.node.returns if isinstance(value, Function) and not isinstance(value.node, ast.Lambda) else None
        module = value.module.name if isinstance(value, Function) else ""
        kept.setdefault(value if returns is None else (module, ast.unparse(returns)), value)
    return list(kept.values())


def distinct(values: Iterable[Value]) -> list[Value]:
    """Return the alternatives of values, of a class only the first instance, and MAX_CHOICES at most."""
    kept: dict[object, Value] = {}
    for value in values:
        for member in members(value):
            kept.setdefault(member.cls if isinstance(member, Instance) else member, member)
    return list(kept.values())[:MAX_CHOICES]


def _limited(interp: Interpreter, frame: Frame, node: ast.expr, found: list[Value]) -> Value:
    if len(found) > MAX_CHOICES:
        interp.compilation.limited[(frame.module.display, node.lineno)] = ast.unparse(node)[:60]
    return join_all(found[:MAX_CHOICES]) if found else UNKNOWN


# -- names -----------------------------------------------------------------------------------------------------------


def _names(index: Value, node: ast.expr, frame: Frame) -> list[str] | None:
    """Return the names that a string may be: its values, or those that options of the command line admit."""
    found = [v.value for v in members(index) if isinstance(v, Const) and isinstance(v.value, str)]
    if found and len(found) == len(members(index)):
        return found
    if isinstance(node, ast.Attribute):
        return configured_names.of_option(frame.module.tree, node.attr) or None
    return None


def _called(decorator: ast.expr) -> ast.expr:
    return decorator.func if isinstance(decorator, ast.Call) else decorator


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _texts(decorator: ast.expr) -> Iterator[str]:
    """Yield the strings among the arguments of a decorator."""
    for each in (*decorator.args, *(k.value for k in decorator.keywords)) if isinstance(decorator, ast.Call) else ():
        if isinstance(each, ast.Constant) and isinstance(each.value, str):
            yield each.value


# -- objects that factories make -------------------------------------------------------------------------------------


def of_unknown_result(interp: Interpreter, node: ast.Call, args: Args, frame: Frame) -> Value:
    """Return the result of an eager call that evaluating it does not show, if its form says what it makes."""
    if isinstance(node.func, ast.Attribute) and classes.makes_instances(node.func.attr):
        found = [cls for cls in members(interp.eval(node.func.value, frame)) if isinstance(cls, Class)]
        if found:
            return join_all(classes.later_instance(interp, cls) for cls in found)
    if is_searched(interp, frame):
        return _made(interp, node, args, frame) or UNKNOWN
    return UNKNOWN


def _made(interp: Interpreter, node: ast.Call, args: Args, frame: Frame) -> Value | None:
    """Return what a call of unknown result may return: an object imported by name, registered or configured."""
    name = _last_name(node.func)
    first = args.pos[0] if args.pos else None
    if name == "getattr" and isinstance(first, ModuleRef) and len(args.pos) == len(node.args) > 1:
        return of_module(interp, first, args.pos[1], node.args[1], frame)
    if name in _IMPORTERS and isinstance(first, Const) and isinstance(first.value, str):
        return _dotted(interp, first.value)
    if "instantiate" in name and node.args:
        return _configured(interp, node, node.args[0], frame)
    if name in _BUILDERS or name in _GETTERS:
        return _from_registry(interp, node, instance=name in _BUILDERS, frame=frame)
    return None


def _dotted(interp: Interpreter, dotted: str) -> Value | None:
    """Return the object with a dotted name."""
    parts = dotted.replace(":", ".").split(".")
    if parts[0] == "torch":
        return ExternalName(".".join(parts))
    for number in range(len(parts) - 1, 0, -1):
        module = interp.project.find_module(".".join(parts[:number]))
        if module is None:
            continue
        value = interp.module_attribute(module, parts[number])
        for part in parts[number + 1 :]:
            value = interp.class_attribute(value, part) if isinstance(value, Class) else None
        return value
    return None


def _configured(interp: Interpreter, node: ast.Call, given: ast.expr, frame: Frame) -> Value | None:
    """Return the objects of the classes that the project's configurations name under the key of ``given``."""
    key = _key(given, frame)
    targets = configured_names.targets(interp.project).get(key, ()) if key else ()
    objects = [_dotted(interp, target) for target in list(targets)[: 2 * MAX_CHOICES]]
    found = [v for each in objects for v in members(_instance_of(interp, each, frame, node))]
    found = [v for v in distinct(found) if not isinstance(v, (Unknown, Const))]
    return _limited(interp, frame, node, found) if found else None


def _instance_of(interp: Interpreter, value: Value | None, frame: Frame, node: ast.Call) -> Value:
    if isinstance(value, Class):
        return interp.any_instance(value)
    return UNKNOWN if value is None else interp.call(value, Args(kwstar=UNKNOWN), frame, node)


def _key(given: ast.expr, frame: Frame) -> str:
    """Return the last key in ``cfg.model``, ``cfg["model"]`` or in the expression that a variable was set to."""
    if isinstance(given, ast.Name) and frame.function is not None:
        assigned = [e for e in origins.origins(frame.function.node, [given]) if not isinstance(e, ast.Name)]
        given = assigned[0] if assigned else given
    if isinstance(given, ast.Subscript) and isinstance(given.slice, ast.Constant):
        return str(given.slice.value)
    name = _last_name(given)
    for affix in ("_config", "_cfg", "_conf"):
        name = name.removesuffix(affix)
    return name


def _from_registry(interp: Interpreter, node: ast.Call, *, instance: bool, frame: Frame) -> Value | None:
    """Return what is registered with ``@X.register(...)`` for ``X.build(...)`` and ``X.get(...)``."""
    holder = node.func.value if isinstance(node.func, ast.Attribute) else None
    if not isinstance(holder, ast.Name) or holder.id in frame.variables:
        return None
    home = _home(interp, frame.module, holder.id)
    found: list[Value] = []
    for module in interp.project.user_modules() if home is not None else ():
        if not interp.project.mentions(module, (f"{holder.id}.register",)):
            continue
        if _home(interp, module, holder.id) not in (home, frame.module):
            continue
        found += list(_decorated(interp, module, holder.id))
        if len(found) > MAX_CHOICES:
            break
    if instance:
        found = distinct(_instance_of(interp, each, frame, node) for each in found[:MAX_CHOICES])
    return _limited(interp, frame, node, found) if found else None


def _decorated(interp: Interpreter, module: Module, registry: str) -> Iterable[Value]:
    for bindings in module.symbols.values():
        node = bindings[-1].node
        for decorator in node.decorator_list if isinstance(node, _DEFINITIONS) else ():
            called = _called(decorator)
            if (
                isinstance(called, ast.Attribute)
                and called.attr.startswith("register")
                and isinstance(called.value, ast.Name)
                and called.value.id == registry
                and isinstance(node, _DEFINITIONS)
            ):
                yield _undecorated(interp, module, node)
