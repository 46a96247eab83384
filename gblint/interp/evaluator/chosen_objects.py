"""Objects that a program chooses by a name: items of modules, entries of registries, classes named in configurations.

They are looked up only while the project is searched for what it compiles, where any of them may be the one.  At most
MAX_CHOICES are followed.
"""

from __future__ import annotations

import ast
import keyword
from collections.abc import Iterable, Iterator

from gblint.interp.domain import configured_names, module_references, reach
from gblint.interp.domain.access_paths import last_name
from gblint.interp.domain.builtin_names import MODULE_KEEPERS
from gblint.interp.evaluator import classes, imported_objects, input_values
from gblint.interp.evaluator.imported_objects import MAX_CHOICES
from gblint.interp.state.call_args import Args
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.project.modules import Module
from gblint.runtime import ast_walk
from gblint.runtime.ast_walk import is_name
from gblint.runtime.quiet_parse import parse_expression
from gblint.values.base import NONE, UNKNOWN, Const, Scalar, Unknown, Value, members
from gblint.values.containers import Mapping, Seq
from gblint.values.lattice import join, join_all
from gblint.values.objects import (
    BoundMethod,
    Class,
    ExternalObject,
    Function,
    Instance,
    ModuleRef,
    Super,
    is_nn_module,
    is_nn_module_class,
)
from gblint.values.wrapped import Wrapped

_DATA = (Unknown, Const, Scalar, Mapping, Seq)
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
    if _is_namespace(table):
        holder = _holder(interp, table, frame)
        return None if holder is None else of_module(interp, holder, index, node.slice, frame)
    if isinstance(base, Mapping) and isinstance(table, ast.Name):
        return entry(interp, base, table.id, index, node.slice, frame)
    return None


def got(interp: Interpreter, base: Value, node: ast.Call, index: Value, frame: Frame) -> Value | None:
    """Return what ``REGISTRY.get(name)`` may be; None for others."""
    table = node.func.value if isinstance(node.func, ast.Attribute) else None
    if isinstance(base, Mapping) and isinstance(table, ast.Name) and node.args:
        return entry(interp, base, table.id, index, node.args[0], frame)
    return None


def by_known_name(
    interp: Interpreter, table: ast.expr, index: Value, frame: Frame, default: Value = UNKNOWN
) -> Value | None:
    """Return what eager code reads from the names of a module by known names: ``globals()[name]``; None for others.

    ``default`` is the result for names that the module does not have.
    """
    if frame.mode.tracing or not _is_namespace(table):
        return None
    names = _constants(index)
    holder = _holder(interp, table, frame) if names else None
    module = None if holder is None else module_references.source_of(interp, holder)
    if names is None or module is None:
        return None
    return join_all(interp.module_attribute(module, name) or default for name in names)


def _is_namespace(table: ast.expr) -> bool:
    """Return whether an expression is ``globals()``, ``vars(x)`` or ``x.__dict__``."""
    if isinstance(table, ast.Call):
        return isinstance(table.func, ast.Name) and table.func.id in ("globals", "vars")
    return isinstance(table, ast.Attribute) and table.attr == "__dict__"


def _holder(interp: Interpreter, table: ast.expr, frame: Frame) -> ModuleRef | None:
    """Return the module whose names the expression is; None for another object."""
    if isinstance(table, ast.Call):
        holder = interp.eval(table.args[0], frame) if table.args else module_references.reference(frame.module)
    else:
        holder = interp.eval(table.value, frame) if isinstance(table, ast.Attribute) else UNKNOWN
    return holder if isinstance(holder, ModuleRef) else None


def of_module(interp: Interpreter, holder: ModuleRef, index: Value, node: ast.expr, frame: Frame) -> Value:
    """Return the function or class of a module with a name, or all of them if the name is not known."""
    module = module_references.source_of(interp, holder)
    if module is None:
        return UNKNOWN
    names = _names_or_usual(index, node, frame)
    if names is not None:
        return join_all(interp.module_attribute(module, name) or UNKNOWN for name in names)
    if module.origin == "library":
        return UNKNOWN
    found: list[Value] = []
    for name in _public(module):
        value = interp.module_attribute(module, name)
        if isinstance(value, Function) or (isinstance(value, Class) and is_nn_module_class(value)):
            found.append(value)
    return imported_objects.limited(interp, frame, node, found)


def _public(module: Module) -> Iterator[str]:
    """Yield the names of what a module defines; those that it imports as well if it is a package."""
    for name, bindings in module.symbols.items():
        defined = isinstance(bindings[-1].node, ast_walk.DEFINITIONS)
        if not name.startswith("_") and (defined or (module.is_package and bindings[-1].kind == "from")):
            yield name


def entry(interp: Interpreter, table: Mapping, name: str, index: Value, node: ast.expr, frame: Frame) -> Value | None:
    """Return an entry of the global table ``name``, also if another module registers it; None if it is unknown."""
    home = _home(interp, frame.module, name)
    if home is None:
        return None
    names = _names(index, node, frame)
    known = dict(table.entries)
    if names is not None and all(Const(each) in known for each in names):
        if isinstance(index, Const):
            return None
        usual = reach.usual(index)
        chosen = known.get(usual) if isinstance(usual, Const) else None
        return reach.expected(join_all(known[Const(each)] for each in names), chosen)
    registering = interp.caches.syntax.registering.get((home, name))
    if registering is None:
        registering = [f for f in home.tree.body if isinstance(f, ast.FunctionDef) and _stores_argument(f, name)]
        interp.caches.syntax.registering[home, name] = registering
    usual = reach.usual(index)
    if not registering and len(known) <= MAX_CHOICES:
        return reach.expected(join_all(known.values()), known[usual]) if names is None and usual in known else None
    found = [known[Const(each)] for each in names if Const(each) in known] if names else list(known.values())
    found += _registered(interp, home, registering, names)
    if not found:
        return None
    value = imported_objects.limited(interp, frame, node, _representatives(found))
    if names is not None or not isinstance(usual, Const) or not isinstance(usual.value, str):
        return value
    registered = [] if usual in known else _registered(interp, home, registering, [usual.value])
    chosen = known.get(usual) or next(iter(registered), None)
    return reach.expected(value, chosen) if chosen in members(value) else value


def _home(interp: Interpreter, module: Module, name: str) -> Module | None:
    """Return the module whose top level binds the global ``name`` to a value."""
    bindings = module.symbols.get(name)
    if not bindings:
        return None
    if bindings[-1].kind == "from" and bindings[-1].module:
        return interp.project.find_module(bindings[-1].module, module)
    return module if bindings[-1].kind in ("assign", "annotation") else None


def _stores_argument(function: ast.FunctionDef, name: str) -> bool:
    """Return whether a function stores one of its arguments, or a tuple of them, in the table ``name``."""
    parameters = {a.arg for a in ast_walk.walk(function) if isinstance(a, ast.arg)}
    return any(
        isinstance(n, ast.Assign)
        and {each.id if isinstance(each, ast.Name) else "" for each in _items(n.value)} <= parameters
        and any(isinstance(t, ast.Subscript) and is_name(t.value, name) for t in n.targets)
        for n in ast_walk.walk(function)
    )


def _items(stored: ast.expr) -> list[ast.expr]:
    return stored.elts if isinstance(stored, ast.Tuple) else [stored]


def _registered(
    interp: Interpreter, home: Module, registering: list[ast.FunctionDef], names: list[str] | None
) -> list[Value]:
    """Return the functions and classes that other modules register, by decorators or by calls."""
    nodes = {each.name: each for each in registering}
    found: list[Value] = []
    kinds: set[tuple[str, str]] = set()
    for module in interp.project.user_modules() if nodes else ():
        if module is home or not interp.project.mentions(module, nodes):
            continue
        if names is not None and not interp.project.mentions(module, names):
            continue
        found += _registered_by_calls(interp, module, nodes, names)
        for symbol, bindings in module.symbols.items():
            node = bindings[-1].node
            if not isinstance(node, ast_walk.DEFINITIONS):
                continue
            decorator = next((d for d in node.decorator_list if last_name(_called(d)) in nodes), None)
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


def _registered_by_calls(
    interp: Interpreter, module: Module, nodes: dict[str, ast.FunctionDef], names: list[str] | None
) -> Iterator[Value]:
    """Yield the functions and classes that ``register("name", cls)`` at the top of a module registers."""
    for statement in module.tree.body:
        call = statement.value if isinstance(statement, ast.Expr) else None
        if not isinstance(call, ast.Call) or last_name(call.func) not in nodes:
            continue
        if names is not None and not set(names) & set(_texts(call)):
            continue
        if _is_function(interp, module, call.func, nodes):
            given = [each for each in (*call.args, *(k.value for k in call.keywords)) if isinstance(each, ast.Name)]
            values = [interp.eval(each, interp.module_frame(module)) for each in given]
            found = tuple(value for value in values if isinstance(value, (Class, Function)))
            stored = [n.value for n in ast_walk.walk(nodes[last_name(call.func)]) if isinstance(n, ast.Assign)]
            if len(found) == len(given) and any(len(_items(each)) == len(found) > 1 for each in stored):
                yield Seq("tuple", found)
            else:
                yield from found


def _has_other_key(decorator: ast.expr) -> bool:
    """Return whether a decorator registers under a key that is not a string, such as a class."""
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


# -- names -----------------------------------------------------------------------------------------------------------


def _names(index: Value, node: ast.expr, frame: Frame) -> list[str] | None:
    """Return the names that a string may be: its values, or those that options of the command line admit."""
    found = _constants(index)
    if found is not None:
        return found
    if isinstance(node, ast.Attribute) and frame.module.contains("add_argument"):
        return configured_names.of_option(frame.module.tree, node.attr) or None
    return None


def _names_or_usual(index: Value, node: ast.expr, frame: Frame) -> list[str] | None:
    """Return the names that a string may be, else the one that it usually is; None if neither is known."""
    names, usual = _names(index, node, frame), reach.usual(index)
    if names is None and isinstance(usual, Const) and isinstance(usual.value, str):
        return [usual.value]
    return names


def _constants(index: Value) -> list[str] | None:
    """Return the strings that a value may be; None if it may be anything else."""
    found = [v.value for v in members(index) if isinstance(v, Const) and isinstance(v.value, str)]
    return found if found and len(found) == len(members(index)) else None


def _called(decorator: ast.expr) -> ast.expr:
    return decorator.func if isinstance(decorator, ast.Call) else decorator


def _texts(decorator: ast.expr) -> Iterator[str]:
    """Yield the strings among the arguments of a decorator."""
    for each in (*decorator.args, *(k.value for k in decorator.keywords)) if isinstance(decorator, ast.Call) else ():
        if isinstance(each, ast.Constant) and isinstance(each.value, str):
            yield each.value


# -- objects that factories make -------------------------------------------------------------------------------------


def known_result(
    interp: Interpreter, node: ast.Call, function: Value, args: Args, frame: Frame, result: Value
) -> Value:
    """Return the result of an eager call; an unknown one is guessed from the form of the call."""
    found = members(result)
    if not any(isinstance(each, Unknown) for each in found) or not all(isinstance(each, _DATA) for each in found):
        return result
    made = _by_form(interp, node, function, args, frame)
    return result if isinstance(made, Unknown) else join(NONE, made) if NONE in found else made


def _by_form(interp: Interpreter, node: ast.Call, function: Value, args: Args, frame: Frame) -> Value:
    """Guess the result of an eager call from its form, such as ``Model.from_pretrained(...)``."""
    if isinstance(node.func, ast.Attribute) and classes.makes_instances(node.func.attr):
        # ``super().from_pretrained(...)`` in a class method makes an object of the class that is called.
        owners = members(interp.eval(node.func.value, frame))
        owners = tuple(each.receiver if isinstance(each, Super) else each for each in owners)
        found = [each for each in owners if isinstance(each, Class)]
        if found:
            return join_all(classes.later_instance(interp, cls) for cls in found)
    if is_searched(interp, frame):
        made = _made(interp, node, args, frame) or _declared(interp, function)
        return _of_method(interp, node, function, args, frame) if isinstance(made, Unknown) else made
    return UNKNOWN


def _of_method(interp: Interpreter, node: ast.Call, function: Value, args: Args, frame: Frame) -> Value:
    """Return the result of a method of an object without source, or of the only class that has a method of its name.

    A method such as ``x.to(device)`` returns its object.  ``x.build_network()`` of an unknown ``x`` is that of the
    project's class that has a method of this name, if all others that have one inherit from it.
    """
    if not isinstance(node.func, ast.Attribute):
        return UNKNOWN
    name = node.func.attr
    if name in MODULE_KEEPERS:
        receiver = members(interp.eval(node.func.value, frame))
        found = [each for each in receiver if isinstance(each, ExternalObject) or is_nn_module(each)]
        return join_all(found) if found else UNKNOWN
    if not isinstance(function, Unknown) or not _is_maker(name):
        return UNKNOWN
    owner = _only_owner(interp, name)
    if owner is None:
        return UNKNOWN
    method = interp.get_attribute(interp.any_instance(owner), name, frame, node.func)
    return interp.call(method, args, frame, node)


def _is_maker(name: str) -> bool:
    first, _, rest = name.lstrip("_").partition("_")
    return bool(rest) and first in _BUILDERS


def _only_owner(interp: Interpreter, name: str) -> Class | None:
    """Return the class of the project from which all classes inherit that define a method ``name``."""
    found: list[Class] = []
    for module in interp.project.user_modules():
        if not interp.project.mentions(module, (f"def {name}(",)):
            continue
        for symbol, bindings in module.symbols.items():
            node = bindings[-1].node
            if isinstance(node, ast.ClassDef) and any(getattr(each, "name", "") == name for each in node.body):
                value = interp.module_attribute(module, symbol)
                if isinstance(value, Class):
                    found.append(value)
    roots = [cls for cls in found if not any(other in cls.mro[1:] for other in found)]
    return roots[0] if len(roots) == 1 else None


def _declared(interp: Interpreter, function: Value) -> Value:
    """Return the annotated result of a function, if it is a module or a class of modules."""
    while isinstance(function, (BoundMethod, Wrapped)):
        function = function.function
    if not isinstance(function, Function) or isinstance(function.node, ast.Lambda) or function.node.returns is None:
        return UNKNOWN
    returns, frame = function.node.returns, input_values.annotation_frame(function, interp)
    if isinstance(returns, ast.Subscript) and last_name(returns.value) in ("type", "Type"):
        cls = interp.eval(returns.slice, frame)
        return cls if isinstance(cls, Class) else UNKNOWN
    found = input_values.value_of(interp, returns, frame)
    return (
        found if all(isinstance(each, Instance) and isinstance(each.cls, Class) for each in members(found)) else UNKNOWN
    )


def _made(interp: Interpreter, node: ast.Call, args: Args, frame: Frame) -> Value | None:
    """Return what a call of unknown result may return: an object imported by name, registered or configured."""
    name = last_name(node.func)
    first = args.pos[0] if args.pos else None
    keywords = [each.value for each in node.keywords]
    if name == "getattr" and isinstance(first, ModuleRef) and len(args.pos) == len(node.args) > 1:
        return of_module(interp, first, args.pos[1], node.args[1], frame)
    if name in _IMPORTERS and first is not None and node.args:
        return imported_objects.imported(interp, first, node.args[0], frame)
    if "instantiate" in name and node.args:
        return imported_objects.configured(interp, node, node.args[0], frame)
    if is_name(node.func, "eval") and first is not None and node.args:
        return _evaluated(interp, first, node.args[0], frame)
    if name in _BUILDERS or name in _GETTERS:
        holder = node.func.value if isinstance(node.func, ast.Attribute) else None
        return _from_registry(interp, node, holder, instance=name in _BUILDERS, frame=frame)
    if name.startswith("build"):
        for each in (*node.args, *keywords):
            found = _from_registry(interp, node, each, instance=True, frame=frame)
            if found is not None:
                return found
    return None


def _evaluated(interp: Interpreter, text: Value, node: ast.expr, frame: Frame) -> Value | None:
    """Return the objects whose names ``eval`` may be given, as in ``eval(args.model)``."""
    names = _names_or_usual(text, node, frame)
    found = [interp.eval(parse_expression(name), frame) for name in names or () if _is_dotted(name)]
    return join_all(found) if found else None


def _is_dotted(name: str) -> bool:
    """Return whether a text is a dotted name of Python."""
    return all(part.isidentifier() and not keyword.iskeyword(part) for part in name.split("."))


def _from_registry(
    interp: Interpreter, node: ast.Call, holder: ast.expr | None, *, instance: bool, frame: Frame
) -> Value | None:
    """Return what is registered with ``@X.register(...)``, of which ``X.build(...)`` or ``build(..., X)`` chooses."""
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
        found = imported_objects.distinct(
            imported_objects.instance_of(interp, each, frame, node) for each in found[:MAX_CHOICES]
        )
    return imported_objects.limited(interp, frame, node, found) if found else None


def _decorated(interp: Interpreter, module: Module, registry: str) -> Iterable[Value]:
    for bindings in module.symbols.values():
        node = bindings[-1].node
        for decorator in node.decorator_list if isinstance(node, ast_walk.DEFINITIONS) else ():
            called = _called(decorator)
            if (
                isinstance(called, ast.Attribute)
                and called.attr.startswith("register")
                and isinstance(called.value, ast.Name)
                and called.value.id == registry
                and isinstance(node, ast_walk.DEFINITIONS)
            ):
                yield _undecorated(interp, module, node)
