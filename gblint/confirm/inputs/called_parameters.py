"""Parameters of a constructor that the object calls later: functions and modules, alone or in lists.

Example: ``self.blocks = nn.ModuleList([Residual(f, g) for f, g in blocks])`` calls both parts of each item of
``blocks`` if ``Residual`` calls its parameters.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from gblint.confirm.inputs.by_parameter_name import ID_BOUND, WIDTH
from gblint.confirm.inputs.flow import function_definition
from gblint.confirm.inputs.values import GroupInput, Input, TextInput

# The way to a part of a parameter: its name, ``EACH`` for the items of a list, and numbers for the parts of a tuple.
CalledPart = tuple["str | int", ...]
EACH = "*"
MAX_DEPTH = 4  # of classes that pass a parameter on to each other
_CONTAINERS = frozenset(("list", "tuple", "ModuleList", "reversed", "deepcopy"))
_STANDS_IN = ("torch.nn.Identity()", f"torch.nn.Linear({WIDTH}, {WIDTH})", f"torch.nn.Embedding({ID_BOUND}, {WIDTH})")


def called_arguments(cls: type) -> dict[str, list[Input]]:
    """Return values for the parameters of a class that its objects call, the most likely first."""
    parts = called_parts(cls)
    names = dict.fromkeys(str(part[0]) for part in sorted(parts, key=str))
    return {name: [_value(parts, (name,), text) for text in _STANDS_IN] for name in names}


def called_parts(cls: type, depth: int = 0) -> frozenset[CalledPart]:
    """Return the parts of the parameters of a class that its objects call."""
    if depth > MAX_DEPTH or cls.__module__.partition(".")[0] == "torch":
        return frozenset()
    methods = [each for each in (_definition(cls, name) for name in _methods(cls)) if each is not None]
    constructor = _definition(cls, "__init__")
    if constructor is None:
        return frozenset()
    search = _CalledPartSearch(vars(sys.modules.get(cls.__module__, sys.modules["builtins"])), depth)
    arguments = constructor.args
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        search.parts[argument.arg] = (argument.arg,)
    search.read(constructor)
    search.parts = {name: part for name, part in search.parts.items() if name.startswith("self.")}
    for method in methods:
        search.read(method)
    return frozenset(search.called)


def _value(parts: frozenset[CalledPart], part: CalledPart, text: str) -> Input:
    """Return a value for a part: a module if it is called, or a list or tuple of such values."""
    deeper = sorted({each[len(part)] for each in parts if len(each) > len(part) and each[: len(part)] == part}, key=str)
    if part in parts or not deeper:
        return TextInput(text)
    if deeper[0] == EACH:
        item = _value(parts, (*part, EACH), text)
        return GroupInput("list", (item, item))
    count = max(int(each) for each in deeper) + 1
    return GroupInput("tuple", tuple(_value(parts, (*part, index), text) for index in range(count)))


def _methods(cls: type) -> Iterator[str]:
    """Yield the names of the methods that the class and its bases outside of torch define."""
    for base in cls.__mro__:
        if base.__module__.partition(".")[0] not in ("torch", "builtins"):
            yield from (name for name, each in vars(base).items() if inspect.isfunction(each) and name != "__init__")


def _definition(cls: type, name: str) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    """Return the syntax tree of a method; None if it has no source, or torch defines it."""
    function = getattr(cls, name, None)
    if not inspect.isfunction(function) or function.__module__.partition(".")[0] == "torch":
        return None
    found = function_definition(function)
    return None if found is None else found[0]


class _CalledPartSearch:
    """The search in the methods of one class.

    ``parts`` maps names, and attributes as ``self.name``, to the parts of parameters that they hold; ``called`` are the
    parts that are called.
    """

    def __init__(self, names: Mapping[str, Any], depth: int) -> None:
        self.names, self.depth = names, depth
        self.parts: dict[str, CalledPart] = {}
        self.called: set[CalledPart] = set()

    def read(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """Read a method: first what its names hold, then what it calls."""
        nodes = list(ast.walk(function))
        for _ in range(2):  # a name may be bound by a loop over a name that is bound further down in the tree
            for node in nodes:
                if isinstance(node, ast.Assign):
                    for target in node.targets:
                        self.assign(target, node.value)
                elif isinstance(node, (ast.For, ast.comprehension)):
                    self.bind_items(node.target, node.iter)
        for node in nodes:
            if isinstance(node, ast.Call):
                self.read_call(node)

    def assign(self, target: ast.expr, value: ast.expr) -> None:
        """Note what the target of an assignment holds."""
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            for each, item in zip(target.elts, value.elts):
                self.assign(each, item)
        else:
            self.bind(target, self.part_of(value))

    def bind(self, target: ast.expr, part: CalledPart | None) -> None:
        """Note that a target holds a part."""
        if part is None:
            return
        if isinstance(target, (ast.Tuple, ast.List)):
            for index, each in enumerate(target.elts):
                self.bind(each, (*part, index))
        else:
            name = _name(target)
            if name:
                self.parts.setdefault(name, part)

    def bind_items(self, target: ast.expr, iterated: ast.expr) -> None:
        """Note what the target of a loop holds."""
        if isinstance(iterated, ast.Call) and isinstance(target, (ast.Tuple, ast.List)):
            function = _name(iterated.func)
            if function == "zip":
                for each, source in zip(target.elts, iterated.args):
                    self.bind_items(each, source)
            elif function == "enumerate" and len(target.elts) == 2 and iterated.args:
                self.bind_items(target.elts[1], iterated.args[0])
        part = self.part_of(iterated)
        self.bind(target, None if part is None else (*part, EACH))

    def part_of(self, value: ast.expr) -> CalledPart | None:
        """Return the part that an expression evaluates to, a list of the same items included."""
        if isinstance(value, ast.Call):
            function = _name(value.func).rpartition(".")[2]
            return self.part_of(value.args[0]) if function in _CONTAINERS and len(value.args) == 1 else None
        if isinstance(value, ast.IfExp):
            return self.part_of(value.body) or self.part_of(value.orelse)
        return self.parts.get(_name(value))

    def read_call(self, call: ast.Call) -> None:
        """Note the parts that a call calls, or that the object which it makes will call."""
        part = self.part_of(call.func)
        if part is not None:
            self.called.add(part)
            return
        made = self.class_of(call.func)
        if made is None:
            return
        if made.__name__ == "Sequential":
            for argument in call.args:
                inner = self.part_of(argument.value if isinstance(argument, ast.Starred) else argument)
                if inner is not None:
                    self.called.add((*inner, EACH) if isinstance(argument, ast.Starred) else inner)
            return
        passed = self.passed(made, call)
        for first, *rest in called_parts(made, self.depth + 1):
            argument_part = self.part_of(passed[str(first)]) if first in passed else None
            if argument_part is not None:
                self.called.add((*argument_part, *rest))

    def class_of(self, function: ast.expr) -> type | None:
        """Return the class that an expression names, or None."""
        first, *rest = _name(function).split(".")
        found = self.names.get(first)
        for each in rest:
            found = getattr(found, each, None)
        return found if inspect.isclass(found) else None

    @staticmethod
    def passed(cls: type, call: ast.Call) -> dict[str, ast.expr]:
        """Return the arguments of a constructor's call by the names of its parameters."""
        constructor = _definition(cls, "__init__")
        names = [] if constructor is None else [each.arg for each in constructor.args.args[1:]]
        given = dict(zip(names, call.args))
        return given | {each.arg: each.value for each in call.keywords if each.arg is not None}


def _name(value: ast.expr) -> str:
    """Return a dotted name as text, "" for other expressions."""
    return ast.unparse(value) if isinstance(value, (ast.Name, ast.Attribute)) else ""
