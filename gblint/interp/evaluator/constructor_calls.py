"""The arguments that calls of a class in the project pass for open constructor parameters: of unknown value.

``def compile_parts(model: Model)`` compiles ``model.encoder``, and ``Model.__init__`` stores what it is given.  A call
``Model(encoder=Encoder())`` in another function tells what that is.  The functions with such calls are evaluated while
the project is searched for what it compiles.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gblint.interp.domain import class_fields
from gblint.interp.domain.access_paths import last_name
from gblint.interp.domain.reach import expected
from gblint.interp.evaluator import input_values
from gblint.interp.state.call_args import Args
from gblint.interp.state.frame import Frame, TracingMode
from gblint.interp.state.interpreter import Interpreter
from gblint.interp.state.trace_ir import FunctionSummary
from gblint.project.modules import Module
from gblint.project.test_files import is_test_file
from gblint.runtime import ast_walk
from gblint.values.base import UNKNOWN, Union, Unknown, Value, members
from gblint.values.containers import Mapping, Seq
from gblint.values.lattice import join_all
from gblint.values.objects import Class, ExternalName, Function, Instance, Scope
from gblint.values.shapes import of_different_shapes
from gblint.values.wrapped import Wrapped

# Bounds of what is evaluated: functions for each class, steps for each of them, and steps for the whole search.
MAX_CALLING_FUNCTIONS = 6
MAX_STEPS_OF_CALLER = 20_000
MAX_STEPS_OF_CALLERS = 300_000
MAX_PASSED = 4
"""Different values that are kept of those that calls pass for one parameter."""


def with_passed(interp: Interpreter, cls: Class, init: Function, args: Args) -> Args:
    """Return the assumed arguments of a constructor, with what calls pass for those that are open."""
    names = [each.arg for each in (*init.node.args.posonlyargs, *init.node.args.args)][1:]
    pos = tuple(or_passed(interp, cls, name, value) for name, value in zip(names, args.pos))
    kw = {name: or_passed(interp, cls, name, value) for name, value in args.kw.items()}
    if init.node.args.kwarg is not None:
        kw = {**_of_any_name(interp, cls), **kw}
    return Args((*pos, *args.pos[len(pos) :]), kw, args.star, args.kwstar)


def _of_any_name(interp: Interpreter, cls: Class) -> dict[str, Value]:
    """Return what calls of ``cls`` pass for the ``**kwargs`` of its constructor, which may be for a base class."""
    if not _is_wanted(interp, cls):
        return {}
    names = dict.fromkeys(name for args, _ in _all_calls(interp, cls) for name in args.kw)
    passed = {name: or_passed(interp, cls, name, UNKNOWN) for name in names if name not in _parameters(interp, cls)}
    return {name: value for name, value in passed.items() if value != UNKNOWN}


def _is_wanted(interp: Interpreter, cls: Class) -> bool:
    """Return whether the calls of a class are looked for."""
    is_searching = interp.compilation.constructor_calls.wanted and interp.compilation.scanned_module is not None
    return is_searching and cls.module.origin == "user"


def or_passed(interp: Interpreter, cls: Class, name: str, value: Value) -> Value:
    """Return what calls of ``cls`` pass for its parameter or field ``name``, if ``value`` is open; else ``value``."""
    if not _is_wanted(interp, cls) or not any(map(_is_open, members(value))):
        return value
    given = [(args.get(index, name), module) for index, args, module in _calls(interp, cls, name)]
    told = [(each, module) for each, module in given if each is not None and not _is_open(each)]
    if not told:
        return value
    root = interp.project.root
    if all(module is not None and is_test_file(module.path, root) for _, module in told):
        interp.compilation.constructor_calls.rests_on_tests = True
    passed = [each for each, _ in told]
    known = [each for each in members(value) if not _is_open(each)]
    joined = join_all([*known, *of_different_shapes(map(_any_of_objects, passed), MAX_PASSED)])
    return expected(joined, value.usual) if isinstance(value, Union) else joined


def _any_of_objects(value: Value) -> Value:
    """Return a sequence of objects, such as the settings of 32 layers, as one of unknown length with what differs."""
    if isinstance(value, Seq) and value.items and all(isinstance(each, Instance) for each in value.items):
        return Seq(value.cls, None, join_all(of_different_shapes(value.items, MAX_PASSED)))
    return value


def _is_open(value: Value) -> bool:
    """Return whether nothing is known of an object or of the items of a container, or the container is empty."""
    if isinstance(value, Seq):
        return not value.items and (value.items is not None or _is_open(value.rest))
    if isinstance(value, Mapping):
        return not value.entries and value.rest is not None and _is_open(value.rest)
    if isinstance(value, Instance):
        return value.partial and value.cls == ExternalName("torch.nn.Module")
    return isinstance(value, Unknown)


def _calls(interp: Interpreter, cls: Class, name: str) -> list[tuple[int, Args, Module | None]]:
    """Return the calls of a class in the project, each with the position of the parameter ``name`` and its module.

    The position is past all arguments if only ``**kwargs`` takes the parameter.
    """
    names = _parameters(interp, cls)
    if name in names:
        return [(names.index(name), args, module) for args, module in _all_calls(interp, cls)]
    if not _takes_any_name(interp, cls):
        return []
    return [(len(args.pos), args, module) for args, module in _all_calls(interp, cls)]


def _takes_any_name(interp: Interpreter, cls: Class) -> bool:
    init = class_fields.written_init(interp, cls)
    return isinstance(init, Function) and init.node.args.kwarg is not None


def _all_calls(interp: Interpreter, cls: Class) -> list[tuple[Args, Module | None]]:
    """Return the arguments of the calls of a class in the project, each with the module of the call."""
    state = interp.compilation.constructor_calls
    if cls not in state.searched:
        # Added before the callers are evaluated: they may ask for the same class.
        state.searched.add(cls)
        for module, node in _callers(interp, cls):
            if state.steps < MAX_STEPS_OF_CALLERS:
                _evaluate(interp, module, node)
    return state.by_class.get(cls, [])


def _parameters(interp: Interpreter, cls: Class) -> list[str]:
    init = class_fields.written_init(interp, cls)
    if isinstance(init, Function):
        spec = init.node.args
        return [each.arg for each in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)][1:]
    return [name for name, *_ in class_fields.fields(cls)] if class_fields.has_fields(cls) else []


def _callers(interp: Interpreter, cls: Class) -> Iterator[tuple[Module, Function | ast.Call]]:
    """Yield the functions that call a class by its name, and such calls outside of functions, each with its module.

    A class method of the class itself calls it by the name of its first parameter.
    """
    left = MAX_CALLING_FUNCTIONS
    for module in dict.fromkeys([cls.module, *interp.project.mentioning((f"{cls.name}(",))]):
        for statement in module.tree.body:
            for name, node in _parts(statement):
                calls = [each for each in ast_walk.walk(node) if isinstance(each, ast.Call)]
                calls = [each for each in calls if _is_named(each, cls) or _is_own(each, node, statement, cls)]
                if not calls:
                    continue
                caller = _function(interp, module, name) if name else calls[0]
                if caller is not None:
                    yield module, caller
                    left -= 1
                if not left:
                    return


def _parts(statement: ast.stmt) -> Iterator[tuple[str, ast.AST]]:
    """Yield the functions of a statement at the top of a module with their names, or the statement without a name."""
    if isinstance(statement, ast.ClassDef):
        for each in statement.body:
            if isinstance(each, ast.FunctionDef):
                yield f"{statement.name}.{each.name}", each
    elif isinstance(statement, ast.FunctionDef):
        yield statement.name, statement
    else:
        yield "", statement


def _is_own(call: ast.Call, method: ast.AST, statement: ast.stmt, cls: Class) -> bool:
    """Return whether a class method calls its class."""
    if statement is not cls.node or not isinstance(method, ast.FunctionDef) or not method.args.args:
        return False
    return ast_walk.has_decorator(method, "classmethod") and ast_walk.is_name(call.func, method.args.args[0].arg)


def _is_named(call: ast.Call, cls: Class) -> bool:
    """Return whether a call names a class, or a class inside another one with the name of the outer one."""
    outer, _, name = cls.name.rpartition(".")
    if last_name(call.func) != name:
        return False
    return not outer or (isinstance(call.func, ast.Attribute) and last_name(call.func.value) == outer)


def _function(interp: Interpreter, module: Module, name: str) -> Function | None:
    """Return a function at the top of a module, or a method of a class there."""
    first, _, method = name.partition(".")
    value = interp.module_attribute(module, first)
    if method:
        value = interp.class_attribute(value, method) if isinstance(value, Class) else None
    while isinstance(value, Wrapped):
        value = value.function
    return value if isinstance(value, Function) else None


def _evaluate(interp: Interpreter, module: Module, node: Function | ast.Call) -> None:
    """Evaluate a call, or a function with assumed arguments."""
    budget, contexts = interp.budget, interp.calls.contexts
    steps, limit, call = budget.steps, budget.limit, budget.call
    state, caller = interp.compilation.constructor_calls, interp.compilation.constructor_calls.caller
    state.caller = module
    budget.limit, budget.call, interp.calls.contexts = steps + MAX_STEPS_OF_CALLER, None, {}
    try:
        if isinstance(node, ast.Call):
            interp.eval(node, interp.module_frame(module))
            return
        args = _assumed_arguments(interp, node)
        frame = Frame(module, Scope({}, None), FunctionSummary("<module>", module), TracingMode(tracing=False))
        with interp.compilation.assumed.during(args.all()), interp.effects.outside_of_branches():
            interp.call(node, args, frame, node.node)
    finally:
        state.caller = caller
        state.steps += budget.steps - steps
        budget.steps, budget.limit, budget.call, interp.calls.contexts = steps, limit, call, contexts


def _assumed_arguments(interp: Interpreter, function: Function) -> Args:
    is_bound = isinstance(function.node, ast.FunctionDef) and ast_walk.has_decorator(function.node, "classmethod")
    args = input_values.unknown_arguments(interp, function, function.owner, soft=True, bound=is_bound)
    return args.prepend(function.owner) if is_bound and function.owner is not None else args
