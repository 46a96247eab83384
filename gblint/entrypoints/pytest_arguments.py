"""The arguments that pytest passes to a test: the values of ``parametrize``, and the results of fixtures."""

from __future__ import annotations

import ast
import collections.abc

from gblint.interp.evaluator import input_values
from gblint.interp.evaluator.imported_objects import distinct
from gblint.interp.state.call_args import Args
from gblint.interp.state.frame import Frame, TracingMode
from gblint.interp.state.interpreter import Interpreter
from gblint.interp.state.trace_ir import FunctionSummary
from gblint.project.modules import Module
from gblint.runtime.lazy_dataclasses import replace
from gblint.values.base import Const, Value, members, scalar_of
from gblint.values.containers import Iterator, Seq
from gblint.values.lattice import join_all
from gblint.values.objects import BoundMethod, Class, Function, Instance, Partial, Scope

# Of numbers and texts only the kind is passed: they decide branches, and another test may pass other ones.
_OBJECTS = (Function, Class, Instance, BoundMethod, Partial)


def with_tests(interp: Interpreter, function: Function, args: Args) -> Args:
    """Return arguments for a function with what pytest passes to it, if it is a test or a fixture."""
    if not function.name.rpartition(".")[2].startswith("test") and not _is_fixture(function.node):
        return args
    spec = function.node.args
    names = [each.arg for each in (*spec.posonlyargs, *spec.args)][-len(args.pos) :] if args.pos else []
    known = dict(_parametrized(interp, function))
    pos = tuple(_passed(interp, function, name, value, known) for name, value in zip(names, args.pos))
    kw = {name: _passed(interp, function, name, value, known) for name, value in args.kw.items()}
    return replace(args, pos=pos, kw=kw)


def _passed(interp: Interpreter, function: Function, name: str, value: Value, known: dict[str, Value]) -> Value:
    if name in known:
        return known[name]
    if any(isinstance(each, _OBJECTS) for each in members(value)):
        return value
    found = _of_fixture(interp, function, name)
    return value if found is None else found


def _parametrized(interp: Interpreter, function: Function) -> collections.abc.Iterator[tuple[str, Value]]:
    """Yield the names and the values of ``@pytest.mark.parametrize(names, values)`` on a test and on its class."""
    frame = interp.module_frame(function.module)
    classes = function.owner.mro if function.owner is not None else ()
    for node in (function.node, *(cls.node for cls in classes)):
        for decorator in getattr(node, "decorator_list", ()):
            if not isinstance(decorator, ast.Call) or len(decorator.args) < 2 or _name(decorator) != "parametrize":
                continue
            names = _names(decorator.args[0])
            cases = _cases(interp, decorator.args[1], frame, len(names))
            for index, name in enumerate(names):
                values = [case[index] for case in cases if index < len(case)]
                objects = distinct(v for each in values for v in members(each) if isinstance(v, _OBJECTS))
                if objects:
                    yield name, join_all(objects)
                elif values and all(isinstance(each, Const) for each in values):
                    yield name, join_all(scalar_of(each.value) for each in values if isinstance(each, Const))


def _name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _names(node: ast.expr) -> list[str]:
    """Return the names in ``"a, b"`` or ``("a", "b")``."""
    texts = node.elts if isinstance(node, (ast.Tuple, ast.List)) else [node]
    found = [each.value for each in texts if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    return [name.strip() for text in found for name in text.split(",") if name.strip()]


def _cases(interp: Interpreter, node: ast.expr, frame: Frame, count: int, *, at_top: bool = True) -> list[list[Value]]:
    """Return the values of each case: of a list that is written out, or of one that the expression computes.

    at_top: the expression is the argument of ``parametrize``, or the value of the variable that is the argument.
    """
    if isinstance(node, ast.Name) and at_top and (bindings := frame.module.symbols.get(node.id)):
        node = bindings[-1].value or node
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return [_case(interp, each, frame, count) for each in node.elts]
    parts: tuple[ast.expr, ...] = ()
    if isinstance(node, ast.IfExp):
        parts = (node.body, node.orelse)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        parts = (node.left, node.right)
    if parts:
        return [case for part in parts for case in _cases(interp, part, frame, count, at_top=False)]
    lists = [each for each in members(interp.eval(node, frame)) if isinstance(each, Seq)]
    cases = [item for each in lists for item in (each.items if each.items is not None else (each.rest,))]
    return [_values(case, count) for case in cases]


def _case(interp: Interpreter, node: ast.expr, frame: Frame, count: int) -> list[Value]:
    """Return the values of one case: of an expression, of a tuple, or of ``pytest.param(...)``."""
    parts = [node]
    if isinstance(node, ast.Call) and _name(node) == "param":
        parts = node.args
    elif count > 1 and isinstance(node, (ast.Tuple, ast.List)):
        parts = node.elts
    return [interp.eval(part, frame) for part in parts if not isinstance(part, ast.Starred)]


def _values(case: Value, count: int) -> list[Value]:
    """Return the values of a case that was computed."""
    return list(case.items) if count > 1 and isinstance(case, Seq) and case.items is not None else [case]


def _of_fixture(interp: Interpreter, function: Function, name: str) -> Value | None:
    """Return the object that the fixture ``name`` returns; None if there is none."""
    found = _fixture(interp, function, name)
    if found is None:
        return None
    bound = found.owner is not None
    args = with_tests(interp, found, input_values.unknown_arguments(interp, found, found.owner, soft=True, bound=bound))
    args = args if found.owner is None else args.prepend(interp.any_instance(found.owner))
    frame = Frame(found.module, Scope({}, None), FunctionSummary("<module>", found.module), TracingMode(tracing=False))
    result = interp.call(found, args, frame, found.node)
    made = [each.item if isinstance(each, Iterator) else each for each in members(result)]
    objects = [v for each in made for v in members(each) if isinstance(v, _OBJECTS)]
    return join_all(objects) if objects else None


def _fixture(interp: Interpreter, function: Function, name: str) -> Function | None:
    """Return the fixture that a test sees under a name: of its class, its module, or a ``conftest.py`` above."""
    for owner in function.owner.mro if function.owner is not None else ():
        for node in owner.node.body:
            if isinstance(node, ast.FunctionDef) and node.name == name and _is_fixture(node):
                return Function(node, owner.module, f"{owner.name}.{name}", None, owner)
    for module in _modules(interp, function.module):
        bound = [binding.node for binding in module.symbols.get(name, ())]
        if (
            bound
            and isinstance(bound[-1], ast.FunctionDef)
            and _is_fixture(bound[-1])
            and bound[-1] is not function.node
        ):
            return Function(bound[-1], module, name)
    return None


def _modules(interp: Interpreter, module: Module) -> collections.abc.Iterator[Module]:
    yield module
    for folder in module.path.parents:
        if not folder.is_relative_to(interp.project.root):
            return
        found = interp.project.module_at(folder / "conftest.py")
        if found is not None:
            yield found


def _is_fixture(node: ast.AST) -> bool:
    """Return whether a function is decorated with ``@pytest.fixture``."""
    for decorator in getattr(node, "decorator_list", ()):
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        if getattr(called, "attr", getattr(called, "id", "")) == "fixture":
            return True
    return False
