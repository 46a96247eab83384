"""Parts and parameters of compiled objects that compiled code calls and whose values are not known.

``self.criterion = criterion`` in a constructor, and a call of ``self.criterion`` in ``forward``: if nothing is known of
the argument, the code of the criterion is not analysed.  The same holds for a function that calls a parameter.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gblint.entrypoints.called_values import called_methods, called_values
from gblint.interp.domain import parameter_usage
from gblint.interp.domain.access_paths import last_name
from gblint.interp.evaluator import input_values
from gblint.interp.state.entry import Entry
from gblint.interp.state.interpreter import Interpreter
from gblint.interp.tracer import is_static, underlying
from gblint.project.source_text import place
from gblint.runtime import ast_walk
from gblint.runtime.lazy_dataclasses import dataclass
from gblint.values.base import STR, UNKNOWN, Tensor, Value, members
from gblint.values.containers import Mapping, Seq
from gblint.values.lattice import element
from gblint.values.objects import BoundMethod, Class, ExternalName, Function, Instance, is_nn_module
from gblint.values.wrapped import Wrapped

_OF_CONTAINERS = frozenset(name for kind in (dict, list, set, str) for name in dir(kind))
MAX_INNER_MODULES = 200
"""Modules in a compiled object whose parts are looked at."""


@dataclass(frozen=True, slots=True)
class UnknownPart:
    """An attribute of unknown value that a method of its class calls, as in ``self.name(x)``.

    of_items: the method calls its items; ``call`` is the place that reads them.
    """

    cls: Class
    name: str
    call: ast.expr
    of_items: bool = False

    @property
    def explanation(self) -> str:
        """The sentence about the part."""
        where = place(self.cls.module.display, self.call.lineno)
        what = f"some items of `self.{self.name}`" if self.of_items else f"`self.{self.name}`"
        return f"nothing is known of {what} of `{self.cls.name}`, which it calls ({where})"

    @property
    def hint(self) -> str:
        """The way to tell gblint what the part is."""
        if self.of_items:
            return "annotate the parameter from which it is made, as in `layers: list[TheClass]`"
        return f'pin it: pins = {{"{self.cls.module.name}:{self.cls.name}.{self.name}" = "package.module:Class"}}'


@dataclass(frozen=True, slots=True)
class UnknownItems:
    """Modules of unknown class in a compiled container, as in ``nn.Sequential(*blocks)``."""

    explanation: str = "nothing is known of some of the modules in it"
    hint: str = "annotate the parameter that they come from, as in `blocks: list[TheClass]`"


@dataclass(frozen=True, slots=True)
class UnknownName:
    """A parameter of a compiled function, or a variable around it, of unknown value, that the function calls.

    of_items: the function calls items of it.
    method: the attribute of it that the function calls, as in ``state.model``; empty if it calls the value itself.
    """

    function: Function
    name: str
    call: ast.Call
    is_parameter: bool
    of_items: bool = False
    method: str = ""

    @property
    def explanation(self) -> str:
        """The sentence about the name."""
        where = place(self.function.module.display, self.call.lineno)
        role = f"parameter `{self.name}` of" if self.is_parameter else f"variable `{self.name}` around"
        items = "some items of " if self.of_items else ""
        calls = f"and it calls `{self.method}`" if self.method else "which it calls"
        return f"nothing is known of {items}the {role} `{self.function.name}`, {calls} ({where})"

    @property
    def hint(self) -> str:
        """The way to tell gblint what the name stands for."""
        if self.of_items:
            return f"annotate it, as in `{self.name}: list[TheClass]`"
        if not self.is_parameter:
            return f"annotate it where it is set: `{self.name}: TheClass = ...`"
        where = f"{self.function.module.name}:{self.function.name}.{self.name}"
        return f'pin it: pins = {{"{where}" = "package.module:Class"}}'


def unknown_variables(entry: Entry) -> Iterator[UnknownName]:
    """Yield the variables of enclosing functions that a compiled function calls, if their values are unknown."""
    function = entry.target
    while isinstance(function, Wrapped):
        function = function.function
    if not isinstance(function, Function) or function.scope is None:
        return
    unknown = {name for name, value in function.scope.cells.items() if value == UNKNOWN}
    for name, (call, of_items) in _called_names(function).items() if unknown else ():
        if name in unknown:
            yield UnknownName(function, name, call, is_parameter=False, of_items=of_items)


def _called_names(function: Function) -> dict[str, tuple[ast.Call, bool]]:
    """Return the names that a function calls, each with its first call and whether that calls an item."""
    found = called_values(function.node, lambda node: node.id if isinstance(node, ast.Name) else "")
    return {name: (call, of_items) for name, call, of_items in reversed(list(found))}


def unknown_parameters(interp: Interpreter, entry: Entry) -> Iterator[UnknownName]:
    """Yield the parameters of unknown value that a compiled function calls, or of which it calls a method."""
    function, receiver, cls = underlying(interp, entry.target)
    if function is None or isinstance(entry.target, Instance) or isinstance(function.node, ast.Lambda):
        return
    spec = function.node.args
    names = [each.arg for each in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)]
    called = _called_names(function)
    methods = _called_methods(interp, function, names)
    if called.keys().isdisjoint(names) and not methods:
        return
    bound = receiver is not None or (entry.cls is not None and not is_static(entry.target))
    args = entry.args
    if args is None:
        try:
            args = input_values.unknown_arguments(interp, function, cls, soft=False, bound=bound)
        except RecursionError:
            interp.recover()
            return
    given = {**dict(zip(names[int(bound) :], args.pos)), **args.kw}
    for name, (call, of_items) in called.items():
        value = given.get(name)
        if value is not None and (value == UNKNOWN or (of_items and _is_guess(value))):
            yield UnknownName(function, name, call, is_parameter=True, of_items=of_items)
    for name, (method, call) in methods.items():
        if name not in called and given.get(name) == UNKNOWN:
            yield UnknownName(function, name, call, is_parameter=True, method=method)


def _called_methods(interp: Interpreter, function: Function, names: list[str]) -> dict[str, tuple[str, ast.Call]]:
    """Return the variables of which a function calls an attribute that tensors and containers lack, with a call."""
    found: dict[str, tuple[str, ast.Call]] = {}
    for name, call in called_methods(function.node, names):
        method = last_name(call.func)
        if method not in _OF_CONTAINERS and not parameter_usage.is_tensor_attribute(interp, method):
            found.setdefault(name, (ast.unparse(call.func), call))
    return found


def _is_guess(value: Value) -> bool:
    """Return whether a value is a tensor only by a guess: the items of a tensor are not called."""
    return isinstance(value, Tensor) and not value.proven


def unknown_parts(interp: Interpreter, target: Value) -> Iterator[UnknownPart]:
    """Yield the unknown parts of a compiled object, and of the modules in it, each once."""
    start = "forward" if is_nn_module(target) else "__call__"
    while isinstance(target, (BoundMethod, Wrapped)):
        if isinstance(target, BoundMethod):
            function = target.function
            while isinstance(function, Wrapped):
                function = function.function
            start = function.name.rpartition(".")[2] if isinstance(function, Function) else start
        target = target.receiver if isinstance(target, BoundMethod) else target.function
    waiting = [(target, start)]
    done: set[int] = set()
    known: set[tuple[Class, str]] = set()
    for each, method in waiting:  # grows while it is read
        if not isinstance(each, Instance) or each.uid in done or len(done) > MAX_INNER_MODULES:
            continue
        done.add(each.uid)
        waiting += [(v, "forward") for value in each.attrs.values() for v in _in(value) if is_nn_module(v)]
        for part in _of(interp, each, method, is_compiled=each is target):
            if (part.cls, part.name) not in known:
                known.add((part.cls, part.name))
                yield part


def _in(value: Value) -> list[Value]:
    """Return the alternatives of a value, or those of the items of a container."""
    if isinstance(value, Seq):
        return [v for each in (value.items or ()) for v in members(each)]
    if isinstance(value, Mapping):
        return [v for _, each in value.entries for v in members(each)]
    return list(members(value))


def _of(interp: Interpreter, instance: Instance, start: str, *, is_compiled: bool) -> Iterator[UnknownPart]:
    """Yield the unknown parts that the method ``start`` calls, by way of other methods as well.

    Only the compiled object itself may be of a class of a library, such as a wrapper around the user's module.
    """
    if not isinstance(instance.cls, Class):
        return
    classes = [cls for cls in instance.cls.mro if is_compiled or cls.module.origin == "user"]
    methods = [(cls, each) for cls in classes for each in _methods(cls)]
    given = {name for _, each in methods if each.name == "__init__" for name in _given(each)}
    unknown = {name for name in given if name in instance.attrs and is_unknown(instance.attrs[name])}
    holding = {name for name in unknown if instance.attrs[name] != UNKNOWN}
    unknown -= {name for name in unknown if input_values.pinned_attribute(interp, instance.cls, name) is not None}
    reached = [start] if unknown else []
    for name in reached:  # grows while it is read
        for cls, method in methods:
            if method.name == name:
                for part, node, of_items in _called(method, holding):
                    if part in unknown:
                        yield UnknownPart(cls, part, node, of_items or part in holding)
                read = {_attribute(each, method.args.args[0].arg) for each in ast_walk.walk(method)}
                reached += sorted(read.intersection(each.name for _, each in methods).difference(reached))


def is_unknown(value: Value) -> bool:
    """Return whether nothing is known of a value, or of some of the modules in a container such as ``ModuleList``."""
    if isinstance(value, Instance) and isinstance(value.cls, ExternalName) and is_nn_module(value):
        items = value.attrs.get("__items__")
        if isinstance(items, Seq):
            return any(UNKNOWN in members(each) for each in items.items or [element(items)])
        return items == Mapping((), UNKNOWN, STR)
    return value == UNKNOWN


def _methods(cls: Class) -> list[ast.FunctionDef]:
    return [each for each in cls.node.body if isinstance(each, ast.FunctionDef) and each.args.args]


def _given(init: ast.FunctionDef) -> Iterator[str]:
    """Yield the attributes that a constructor sets to one of its parameters, or to the result of a call."""
    own, *others = [each.arg for each in (*init.args.args, *init.args.kwonlyargs)]
    for node in ast_walk.walk(init):
        if isinstance(node, ast.Assign) and (
            isinstance(node.value, ast.Call) or (isinstance(node.value, ast.Name) and node.value.id in others)
        ):
            yield from (name for target in node.targets if (name := _attribute(target, own)))


def _called(method: ast.FunctionDef, holding: set[str]) -> Iterator[tuple[str, ast.expr, bool]]:
    """Yield the attributes of the receiver that a method calls, or of which it calls a method or items.

    ``holding`` has the names of containers of modules: reading one of them counts.
    """
    own = method.args.args[0].arg
    yield from called_values(method, lambda node: _attribute(node, own))
    for node in ast_walk.walk(method):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and _attribute(node, own) in holding:
            yield node.attr, node, True
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            name = _attribute(node.func.value, own)
            if name:
                yield name, node, False


def _attribute(node: ast.AST, own: str) -> str:
    """Return the name in ``self.name``; an empty text for another expression."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == own:
        return node.attr
    return ""
