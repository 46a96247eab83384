"""Entries of global tables that the modules of a library register while they are imported.

They are read from the calls and the decorators at the top of its modules:

    TUNERS = {}                                   register("lora", model=LoraModel)
    def register(name, model):
        TUNERS[name.upper()] = model              @register_tuner("lora")
                                                  class LoraModel(nn.Module): ...
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterator

from gblint.interp.domain.access_paths import last_name
from gblint.interp.evaluator import registered_entries
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.project.modules import Module
from gblint.runtime import ast_walk
from gblint.runtime.ast_walk import is_name
from gblint.values.base import UNKNOWN, Const, Value
from gblint.values.containers import Mapping
from gblint.values.lattice import join
from gblint.values.objects import Class, FunctionNode

# The modules of a larger package are not searched for what registers an entry.
MAX_PACKAGE_MODULES = 600
_NOWHERE = sys.maxsize


def entry(interp: Interpreter, table: Value, place: ast.expr, index: Value, frame: Frame) -> Value | None:
    """Return the entry of an empty global table of a library; None if none is registered under this text.

    If the key is unknown, as in a configuration that is loaded, this is the class that most entries derive from.
    place: the expression of the table.
    """
    if frame.mode.tracing or table != Mapping():
        return None
    home, name = registered_entries.global_table(interp, place, frame)
    if home is None or home.origin == "user":
        return None
    known = interp.caches.syntax.library_registries.get((home, name))
    if known is None:
        known = interp.caches.syntax.library_registries[home, name] = dict(_entries(interp, home, name))
    if isinstance(index, Const) and isinstance(index.value, str):
        chosen = known.get(index.value.casefold())
        return None if chosen is None else _value(interp, chosen)
    return _common_base([_value(interp, each) for each in dict.fromkeys(known.values())])


def _value(interp: Interpreter, chosen: tuple[Module, ast.expr]) -> Value:
    module, node = chosen
    return interp.eval(node, interp.module_frame(module))


def _common_base(entries: list[Value]) -> Value | None:
    """Return the class that most of the classes among ``entries`` derive from, or something else; None without one."""
    counted = Counter(base for each in entries if isinstance(each, Class) for base in each.mro[1:])
    shared = [base for base, count in counted.items() if count > 1 and 2 * count > len(entries)]
    most = max((counted[base] for base in shared), default=0)
    nearest = next((base for base in shared if counted[base] == most), None)
    return None if nearest is None else join(nearest, UNKNOWN)


def _entries(interp: Interpreter, home: Module, name: str) -> Iterator[tuple[str, tuple[Module, ast.expr]]]:
    """Yield the texts under which something is registered in lower case, each with the expression of the entry.

    A key is often made from the text that is passed, as in ``TABLE[name.upper()]``.
    """
    modules = list(_modules_of_package(interp, home))
    registering: dict[str, FunctionNode] = {
        function.name: function
        for module in modules
        if module.contains(f"{name}[")
        for function in module.tree.body
        if isinstance(function, ast.FunctionDef) and _stored_parameters(function, name)
    }
    for module in modules if registering else ():
        if any(module.contains(f"\n{each}(") or module.contains(f"\n@{each}(") for each in registering):
            for call, registered in _registered_in(interp, module, registering, name):
                yield from ((text.casefold(), (module, registered)) for text in registered_entries.texts(call))


def _modules_of_package(interp: Interpreter, home: Module) -> Iterator[Module]:
    """Yield the modules of the package that a module is in; none if there are too many."""
    found: list[Module] = []
    waiting = [home.name.partition(".")[0]]
    for each in waiting:  # grows while it is read
        module = interp.project.find_module(each)
        if module is not None:
            found.append(module)
            waiting += [f"{each}.{part}" for part in interp.project.submodules(module)]
        if len(waiting) > MAX_PACKAGE_MODULES:
            return
    yield from found


def _stored_parameters(function: FunctionNode, name: str) -> list[tuple[int, str]]:
    """Return the parameters of a function that it stores in the table ``name``: their positions and names."""
    stored = {
        node.value.id
        for node in ast_walk.walk(function)
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Name)
        and any(isinstance(t, ast.Subscript) and is_name(t.value, name) for t in node.targets)
    }
    spec = function.args
    positional = [(number, each.arg) for number, each in enumerate((*spec.posonlyargs, *spec.args))]
    of_decorators = [
        (0, each.args.args[0].arg)
        for each in ast_walk.children(function)
        if isinstance(each, ast.FunctionDef) and len(each.args.args) == 1
    ]
    by_keyword = [(_NOWHERE, each.arg) for each in spec.kwonlyargs]
    return [each for each in (*positional, *by_keyword, *of_decorators) if each[1] in stored]


def _registered_in(
    interp: Interpreter, module: Module, registering: dict[str, FunctionNode], name: str
) -> Iterator[tuple[ast.Call, ast.expr]]:
    """Yield the calls at the top of a module that register something in the table ``name``, with what they register."""
    for node in module.tree.body:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            calls = [node.value]
        else:
            decorators = node.decorator_list if isinstance(node, ast_walk.DEFINITIONS) else []
            calls = [each for each in decorators if isinstance(each, ast.Call)]
        for call in calls:
            if not registered_entries.is_one_of(interp, module, call.func, registering):
                continue
            if isinstance(node, ast_walk.DEFINITIONS):
                yield call, ast.copy_location(ast.Name(node.name, ast.Load()), node)
                continue
            stored = _argument(call, _stored_parameters(registering[last_name(call.func)], name))
            if stored is not None:
                yield call, stored


def _argument(call: ast.Call, parameters: list[tuple[int, str]]) -> ast.expr | None:
    """Return the argument of a call for one of the parameters."""
    for position, name in parameters:
        given = next((keyword.value for keyword in call.keywords if keyword.arg == name), None)
        if given is None and position < len(call.args):
            given = call.args[position]
        if given is not None:
            return given
    return None
