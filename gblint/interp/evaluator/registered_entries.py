"""Entries of global tables that other modules register, by decorators or by calls.

    MODELS = {}                                   @register("net")
    def register(name): ...                       class Net(nn.Module): ...

    ARCHS = {}                                    @register_arch(Names.NET)
    register_arch = make_register(ARCHS)          class Net(nn.Module): ...

They are looked up only while the project is searched for what it compiles.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from gblint.interp.domain import module_references, reach
from gblint.interp.domain.access_paths import last_name
from gblint.interp.evaluator import classes, imported_objects, written_functions
from gblint.interp.evaluator.imported_objects import MAX_CHOICES
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.project.modules import Module
from gblint.runtime import ast_walk
from gblint.runtime.ast_walk import is_name
from gblint.values.base import Const, Value, members
from gblint.values.containers import Mapping, Seq
from gblint.values.lattice import join_all
from gblint.values.objects import Class, Function, FunctionNode, ModuleRef


def entry(
    interp: Interpreter,
    table: Mapping,
    place: ast.expr,
    index: Value,
    node: ast.expr,
    names: list[str] | None,
    frame: Frame,
) -> Value | None:
    """Return an entry of a global table, also if another module registers it; None if it is unknown.

    place: the expression of the table. index, node: the key and its expression. names: the texts that the key may be.
    """
    home, name = global_table(interp, place, frame)
    if home is None:
        return None
    known = dict(table.entries)
    if names is not None and all(Const(each) in known for each in names):
        if isinstance(index, Const):
            return None
        usual = reach.usual(index)
        chosen = known.get(usual) if isinstance(usual, Const) else None
        return reach.expected(join_all(known[Const(each)] for each in names), chosen)
    registering = interp.caches.syntax.registering.get((home, name))
    if registering is None:
        registering = interp.caches.syntax.registering[home, name] = dict(_registering(interp, home, name))
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


def global_table(interp: Interpreter, place: ast.expr, frame: Frame) -> tuple[Module | None, str]:
    """Return the module and the name of a global that an expression reads; None and "" for another expression."""
    if isinstance(place, ast.Name):
        return home_of(interp, frame.module, place.id), place.id
    if isinstance(place, ast.Attribute) and isinstance(place.value, ast.Name):
        holder = interp.eval(place.value, frame)
        if isinstance(holder, ModuleRef):
            module = module_references.source_of(interp, holder)
            return (None, "") if module is None else (home_of(interp, module, place.attr), place.attr)
    return None, ""


def home_of(interp: Interpreter, module: Module, name: str) -> Module | None:
    """Return the module whose top level binds the global ``name`` to a value."""
    bindings = module.symbols.get(name)
    if not bindings:
        return None
    if bindings[-1].kind == "from" and bindings[-1].module:
        return interp.project.find_module(bindings[-1].module, module)
    return module if bindings[-1].kind in ("assign", "annotation") else None


# -- functions that register -----------------------------------------------------------------------------------------


def _registering(interp: Interpreter, home: Module, name: str) -> Iterator[tuple[str, FunctionNode]]:
    """Yield the functions of a module that store an argument in its table ``name``, by their names."""
    for node in home.tree.body:
        if isinstance(node, ast.FunctionDef) and _stores_argument(node, name):
            yield node.name, node
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        if isinstance(target, ast.Name) and isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            made = _made_for(interp, home, node.value, name)
            if made is not None:
                yield target.id, made


def _made_for(interp: Interpreter, home: Module, call: ast.Call, name: str) -> FunctionNode | None:
    """Return the function that ``make_register(TABLE)`` returns, if that stores an argument in the table."""
    given = [*enumerate(call.args), *((keyword.arg, keyword.value) for keyword in call.keywords)]
    place = next((place for place, value in given if is_name(value, name)), None)
    if place is None:
        return None
    frame = interp.module_frame(home)
    maker = interp.eval(call.func, frame)
    if not isinstance(maker, Function) or not isinstance(maker.node, ast.FunctionDef):
        return None
    names = [each.arg for each in (*maker.node.args.posonlyargs, *maker.node.args.args)]
    parameter = place if isinstance(place, str) else names[place] if place < len(names) else ""
    if not _stores_argument(maker.node, parameter):
        return None
    made = interp.eval(call, frame)
    return made.node if isinstance(made, Function) else None


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


# -- what they register ----------------------------------------------------------------------------------------------


def _registered(
    interp: Interpreter, home: Module, nodes: dict[str, FunctionNode], names: list[str] | None
) -> list[Value]:
    """Return the functions and classes that other modules register, by decorators or by calls.

    names: the keys to look for; None for all. A module may write a key as ``Names.NET``.
    """
    modules = [
        m for m in interp.project.user_modules() if nodes and m is not home and interp.project.mentions(m, nodes)
    ]
    naming = modules if names is None else [m for m in modules if interp.project.mentions(m, names)]
    found = _registered_in(interp, naming, nodes, names)
    return found if found or len(naming) == len(modules) else _registered_in(interp, modules, nodes, names)


def _registered_in(
    interp: Interpreter, modules: list[Module], nodes: dict[str, FunctionNode], names: list[str] | None
) -> list[Value]:
    found: list[Value] = []
    kinds: set[tuple[str, str]] = set()
    for module in modules:
        found += _registered_by_calls(interp, module, nodes, names)
        for symbol, bindings in module.symbols.items():
            node = bindings[-1].node
            if not isinstance(node, ast_walk.DEFINITIONS):
                continue
            decorator = next((d for d in node.decorator_list if last_name(_called(d)) in nodes), None)
            keys = None if decorator is None else _keys(interp, module, decorator)
            if decorator is None or keys is None or (names is not None and set(names).isdisjoint((symbol, *keys))):
                continue
            kind = (
                module.name,
                symbol if isinstance(node, ast.ClassDef) or not node.returns else ast.unparse(node.returns),
            )
            if kind not in kinds and is_one_of(interp, module, _called(decorator), nodes):
                kinds.add(kind)
                found.append(_undecorated(interp, module, node))
        if len(found) > MAX_CHOICES:
            break
    return found


def _registered_by_calls(
    interp: Interpreter, module: Module, nodes: dict[str, FunctionNode], names: list[str] | None
) -> Iterator[Value]:
    """Yield the functions and classes that ``register("name", cls)`` at the top of a module registers."""
    for statement in module.tree.body:
        call = statement.value if isinstance(statement, ast.Expr) else None
        if not isinstance(call, ast.Call) or last_name(call.func) not in nodes:
            continue
        if names is not None and not set(names) & set(texts(call)):
            continue
        if is_one_of(interp, module, call.func, nodes):
            given = [each for each in (*call.args, *(k.value for k in call.keywords)) if isinstance(each, ast.Name)]
            values = [interp.eval(each, interp.module_frame(module)) for each in given]
            found = tuple(value for value in values if isinstance(value, (Class, Function)))
            stored = [n.value for n in ast_walk.walk(nodes[last_name(call.func)]) if isinstance(n, ast.Assign)]
            if len(found) == len(given) and any(len(_items(each)) == len(found) > 1 for each in stored):
                yield Seq("tuple", found)
            else:
                yield from found


def _keys(interp: Interpreter, module: Module, decorator: ast.expr) -> list[str] | None:
    """Return the texts under which a decorator registers; None if the key is not a text but a class, for example."""
    keys = list(texts(decorator))
    for given in decorator.args[:1] if isinstance(decorator, ast.Call) else ():
        if isinstance(given, ast.Constant):
            continue
        key = interp.eval(given, interp.module_frame(module)) if isinstance(given, ast.Attribute) else None
        if not isinstance(key, Const) or not isinstance(key.value, str):
            return None
        keys.append(key.value)
    return keys


def is_one_of(interp: Interpreter, module: Module, called: ast.expr, nodes: dict[str, FunctionNode]) -> bool:
    """Return whether a module calls one of the functions ``nodes``, which are given by their names."""
    if last_name(called) not in nodes:
        return False
    value = interp.eval(called, interp.module_frame(module))
    return isinstance(value, Function) and value.node is nodes.get(last_name(called))


def _undecorated(
    interp: Interpreter, module: Module, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
) -> Value:
    frame = interp.module_frame(module)
    if isinstance(node, ast.ClassDef):
        return classes.define(interp, node, frame)
    return written_functions.as_written(interp, node, frame)


def _representatives(found: list[Value]) -> list[Value]:
    """Leave out functions that by annotation return the same as another one of their module."""
    kept: dict[object, Value] = {}
    for value in found:
        returns = value.node.returns if isinstance(value, Function) and not isinstance(value.node, ast.Lambda) else None
        module = value.module.name if isinstance(value, Function) else ""
        kept.setdefault(value if returns is None else (module, ast.unparse(returns)), value)
    return list(kept.values())


def _called(decorator: ast.expr) -> ast.expr:
    return decorator.func if isinstance(decorator, ast.Call) else decorator


def texts(decorator: ast.expr) -> Iterator[str]:
    """Yield the strings among the arguments of a decorator."""
    for each in (*decorator.args, *(k.value for k in decorator.keywords)) if isinstance(decorator, ast.Call) else ():
        if isinstance(each, ast.Constant) and isinstance(each.value, str):
            yield each.value


# -- objects with a method ``register`` ------------------------------------------------------------------------------


def from_registry(
    interp: Interpreter, node: ast.Call, holder: ast.expr | None, *, instance: bool, frame: Frame
) -> Value | None:
    """Return what is registered with ``@X.register(...)``, of which ``X.build(...)`` or ``build(..., X)`` chooses."""
    if not isinstance(holder, ast.Name) or holder.id in frame.variables:
        return None
    home = home_of(interp, frame.module, holder.id)
    found: list[Value] = []
    for module in interp.project.user_modules() if home is not None else ():
        if not interp.project.mentions(module, (f"{holder.id}.register",)):
            continue
        if home_of(interp, module, holder.id) not in (home, frame.module):
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
