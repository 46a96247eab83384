"""Argument flow analysis: which part of which argument reaches which layer.

A function's source is interpreted abstractly with the real instance; nothing of the user's is called. A name stands for
a part of an argument (:class:`ArgumentPart`), an object that exists (:class:`ConcreteObject`) or an unknown value
(None).
"""

from __future__ import annotations

import ast
import contextlib
import inspect
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import FunctionType, MethodType
from typing import Any

from gblint.confirm.inputs.flow_values import ArgumentFlow, ArgumentPart, ConcreteObject, FlowValue, ValueSequence
from gblint.confirm.inputs.layers import KEEPS_SHAPE, layer_requirements
from gblint.confirm.inputs.tensor_transfer import IDS, INDEXING_METHODS, MASK, TensorTransfer

_MAX_STEPS, _MAX_DEPTH, _MAX_ITERATIONS = 6000, 10, 6


def trace_arguments(function: Callable[..., Any], parameters: Sequence[str], instance: Any = None) -> ArgumentFlow:
    """Return where the arguments with the names ``parameters`` flow in ``function``; other parameters keep their
    defaults."""
    flow = ArgumentFlow()
    analyzer = _FlowAnalyzer(flow)
    arguments: dict[str, FlowValue] = {name: ArgumentPart((name,)) for name in parameters}
    with contextlib.suppress(RecursionError, _StepLimitReached):
        analyzer.function(function, instance, (), arguments, 0)
    return flow


class _StepLimitReached(Exception):
    """The analysis has taken its maximal number of steps."""


class _Return(Exception):
    """A return statement was reached."""

    def __init__(self, value: FlowValue) -> None:
        self.value = value


def function_definition(function: Callable[..., Any]) -> tuple[ast.FunctionDef | ast.AsyncFunctionDef, str] | None:
    """Return the syntax tree of a function and the text it was parsed from, or None."""
    try:
        text = textwrap.dedent(inspect.getsource(inspect.unwrap(function)))
        tree = ast.parse(text)
    except (OSError, TypeError, SyntaxError, ValueError):
        return None
    found = next((node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))), None)
    return None if found is None else (found, text)


class _FlowAnalyzer:
    """Analyzer of one call; ``trees`` are the syntax trees of functions by function."""

    def __init__(self, flow: ArgumentFlow) -> None:
        self.flow = flow
        self.transfer = TensorTransfer(flow)
        self.steps = 0
        self.trees: dict[Any, ast.FunctionDef | ast.AsyncFunctionDef | None] = {}

    def function(
        self,
        function: Callable[..., Any],
        instance: Any,
        args: Sequence[FlowValue],
        kwargs: Mapping[str, FlowValue],
        depth: int,
    ) -> FlowValue:
        """Analyze a call of a function and return its result; ``instance`` is its ``self``, if any."""
        plain = inspect.unwrap(getattr(function, "__func__", function))
        if not isinstance(plain, FunctionType) or depth > _MAX_DEPTH:
            return None
        if plain not in self.trees:
            found = function_definition(plain)
            self.trees[plain] = None if found is None else found[0]
        tree = self.trees[plain]
        if tree is None:
            return None
        bindings = self.bind(tree, plain, instance, args, kwargs)
        return _BodyEvaluator(self, bindings, plain.__globals__, depth).run(tree.body)

    def bind(
        self,
        tree: ast.FunctionDef | ast.AsyncFunctionDef,
        function: FunctionType,
        instance: Any,
        args: Sequence[FlowValue],
        kwargs: Mapping[str, FlowValue],
    ) -> dict[str, FlowValue]:
        """Return the initial bindings of a function's parameters."""
        names = [each.arg for each in (*tree.args.posonlyargs, *tree.args.args)]
        bindings: dict[str, FlowValue] = {}
        for name, value in zip(reversed(names), reversed(function.__defaults__ or ())):
            bindings[name] = ConcreteObject(value)
        bindings.update({name: ConcreteObject(value) for name, value in (function.__kwdefaults__ or {}).items()})
        positional: list[FlowValue] = list(args)
        if names and names[0] in ("self", "cls") and instance is not None:
            positional.insert(0, ConcreteObject(instance))
        bindings.update(zip(names, positional))
        bindings.update(kwargs)
        return bindings

    def module(self, layer: Any, args: Sequence[FlowValue], kwargs: Mapping[str, FlowValue], depth: int) -> FlowValue:
        """Analyze a call of a module: add its requirements, or analyze its forward method; return the result."""
        import torch.nn as nn

        first = args[0] if args else next(iter(kwargs.values()), None)
        if isinstance(layer, nn.Sequential):
            for inner in layer:
                first = self.module(inner, [first], {}, depth + 1)
            return first
        if type(layer).__name__ in KEEPS_SHAPE and type(layer).__module__.startswith("torch."):
            return first
        requirements = layer_requirements(layer)
        if requirements is None:
            forward = type(layer).forward
            if forward.__module__.startswith("torch.nn"):
                return None
            return self.function(forward, layer, args, kwargs, depth + 1)
        names = list(inspect.signature(layer.forward).parameters)
        for name, value in [*zip(names, args), *kwargs.items()]:
            if isinstance(value, ArgumentPart) and name in requirements:
                self.transfer.require(value, requirements[name])
        return first if "Norm" in type(layer).__name__ else None

    def count_step(self) -> None:
        """Count a step; raises _StepLimitReached."""
        self.steps += 1
        if self.steps > _MAX_STEPS:
            raise _StepLimitReached


class _BodyEvaluator:
    """Evaluator of a function's body, statement by statement."""

    def __init__(
        self, analyzer: _FlowAnalyzer, bindings: dict[str, FlowValue], module_globals: Mapping[str, Any], depth: int
    ) -> None:
        self.analyzer, self.bindings, self.module_globals, self.depth = analyzer, bindings, module_globals, depth

    def run(self, body: Sequence[ast.stmt]) -> FlowValue:
        """Evaluate the body and return its return value."""
        try:
            self.body(body)
        except _Return as result:
            return result.value
        return None

    def body(self, statements: Iterable[ast.stmt]) -> None:
        """Evaluate statements in order."""
        for statement in statements:
            self.analyzer.count_step()
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        """Evaluate one statement."""
        match node:
            case ast.Assign(targets=targets, value=value):
                result = self.value(value)
                for target in targets:
                    self.bind(target, result)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self.bind(target, self.value(value))
            case ast.AugAssign(value=value):
                self.value(value)
            case ast.Expr(value=value):
                self.value(value)
            case ast.Return(value=value):
                raise _Return(None if value is None else self.value(value))
            case ast.If():
                self.branch(node)
            case ast.For(target=target, iter=iterated, body=body):
                for item in self.items(iterated):
                    self.bind(target, item)
                    self.body(body)
            case ast.While(body=body) | ast.With(body=body) | ast.Try(body=body):
                self.body(body)
            case ast.Assert(test=test):
                self.value(test)
            case _:
                pass

    def branch(self, node: ast.If) -> None:
        """Evaluate the chosen branch of an if statement, or both if the condition is unknown."""
        test = self.value(node.test)
        if isinstance(test, ConcreteObject):
            try:
                chosen = node.body if test.value else node.orelse
            except Exception:
                return
            self.body(chosen)
            return
        for body in (node.body, node.orelse):
            if not any(isinstance(each, ast.Raise) for each in body):
                try:
                    self.body(body)
                except _Return:
                    continue

    def bind(self, target: ast.expr, value: FlowValue) -> None:
        """Bind a target to a value."""
        if isinstance(target, ast.Name):
            self.bindings[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            for index, each in enumerate(target.elts):
                inner: FlowValue = None
                if isinstance(value, ValueSequence) and index < len(value.values):
                    inner = value.values[index]
                elif isinstance(value, ArgumentPart) and not value.steps:
                    inner = ArgumentPart(value.place, (), shape_unknown=True)
                self.bind(each, inner)

    def items(self, node: ast.expr) -> list[FlowValue]:
        """Return the values of the first iterations of a loop."""
        value = self.value(node)
        if isinstance(value, ValueSequence):
            return list(value.values[:_MAX_ITERATIONS])
        if isinstance(value, ConcreteObject):
            try:
                return [ConcreteObject(each) for each in list(value.value)[:_MAX_ITERATIONS]]
            except Exception:
                return [None]
        if isinstance(value, ArgumentPart):
            return [value.child("item", 0)]
        return [None]

    def value(self, node: ast.expr) -> FlowValue:
        """Evaluate an expression."""
        self.analyzer.count_step()
        method = getattr(self, "on_" + type(node).__name__.lower(), None)
        if method is not None:
            result: FlowValue = method(node)
            return result
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.value(child)
        return None

    def on_name(self, node: ast.Name) -> FlowValue:
        if node.id in self.bindings:
            return self.bindings[node.id]
        if node.id in self.module_globals:
            return ConcreteObject(self.module_globals[node.id])
        builtins = self.module_globals.get("__builtins__")
        found = builtins.get(node.id) if isinstance(builtins, dict) else getattr(builtins, node.id, None)
        return None if found is None else ConcreteObject(found)

    def on_constant(self, node: ast.Constant) -> FlowValue:
        return ConcreteObject(node.value)

    def on_attribute(self, node: ast.Attribute) -> FlowValue:
        owner = self.value(node.value)
        if isinstance(owner, ConcreteObject):
            try:
                return ConcreteObject(getattr(owner.value, node.attr))
            except Exception:
                return None
        if (
            isinstance(owner, ArgumentPart)
            and not owner.steps
            and not owner.shape_unknown
            and node.attr not in _TENSOR_ATTRIBUTES
        ):
            child = owner.child("attr", node.attr)
            self.analyzer.flow.mark_used(child.place)
            return child
        return None

    def on_subscript(self, node: ast.Subscript) -> FlowValue:
        """Evaluate a subscript: an index must hold ids; a constant key or index gives a part."""
        owner, index = self.value(node.value), self.value(node.slice)
        if isinstance(index, ArgumentPart):
            self.analyzer.transfer.require(index, IDS)
        if isinstance(node.slice, (ast.Tuple, ast.Slice)):
            for each in node.slice.elts if isinstance(node.slice, ast.Tuple) else ():
                inner = self.value(each)
                if isinstance(inner, ArgumentPart):
                    self.analyzer.transfer.require(inner, IDS)
            return ArgumentPart(owner.place, shape_unknown=True) if isinstance(owner, ArgumentPart) else None
        if (
            isinstance(index, ConcreteObject)
            and isinstance(index.value, (str, int))
            and not isinstance(index.value, bool)
        ):
            if isinstance(owner, ArgumentPart) and not owner.steps and not owner.shape_unknown:
                child = owner.child("key" if isinstance(index.value, str) else "item", index.value)
                self.analyzer.flow.mark_used(child.place)
                return child
            if isinstance(owner, ValueSequence) and isinstance(index.value, int) and index.value < len(owner.values):
                return owner.values[index.value]
            if isinstance(owner, ConcreteObject):
                try:
                    return ConcreteObject(owner.value[index.value])
                except Exception:
                    return None
        return None

    def on_binop(self, node: ast.BinOp) -> FlowValue:
        """Evaluate an operator; the result has the shape of the argument part."""
        left, right = self.value(node.left), self.value(node.right)
        if isinstance(node.op, ast.MatMult):
            self.analyzer.transfer.matrix_product(left, right, transposed=False)
            return None
        if isinstance(left, ConcreteObject) and isinstance(right, ConcreteObject):
            return None
        return left if isinstance(left, ArgumentPart) else right if isinstance(right, ArgumentPart) else None

    def on_unaryop(self, node: ast.UnaryOp) -> FlowValue:
        value = self.value(node.operand)
        if isinstance(value, ConcreteObject) and isinstance(node.op, ast.Not):
            return ConcreteObject(not value.value) if isinstance(value.value, (bool, int, type(None), str)) else None
        if (
            isinstance(value, ConcreteObject)
            and isinstance(node.op, ast.USub)
            and isinstance(value.value, (int, float))
        ):
            return ConcreteObject(-value.value)
        if isinstance(value, ArgumentPart) and isinstance(node.op, ast.Invert):
            self.analyzer.transfer.require(value, MASK)
        return value if isinstance(value, ArgumentPart) else None

    def on_compare(self, node: ast.Compare) -> FlowValue:
        """Evaluate a comparison with None or of constants; an argument is not None."""
        left, right = self.value(node.left), self.value(node.comparators[0])
        if isinstance(right, ConcreteObject) and right.value is None and isinstance(node.ops[0], (ast.Is, ast.IsNot)):
            if isinstance(left, ConcreteObject):
                return ConcreteObject((left.value is None) == isinstance(node.ops[0], ast.Is))
            if isinstance(left, ArgumentPart):
                return ConcreteObject(isinstance(node.ops[0], ast.IsNot))
        if (
            isinstance(left, ConcreteObject)
            and isinstance(right, ConcreteObject)
            and isinstance(node.ops[0], (ast.Eq, ast.NotEq))
        ):
            if isinstance(left.value, (str, int)) and isinstance(right.value, (str, int)):
                return ConcreteObject((left.value == right.value) == isinstance(node.ops[0], ast.Eq))
        return None

    def on_boolop(self, node: ast.BoolOp) -> FlowValue:
        values = [self.value(each) for each in node.values]
        known = [
            bool(each.value)
            for each in values
            if isinstance(each, ConcreteObject) and isinstance(each.value, (bool, int))
        ]
        if isinstance(node.op, ast.And) and False in known:
            return ConcreteObject(False)
        if isinstance(node.op, ast.Or) and True in known:
            return ConcreteObject(True)
        return ConcreteObject(known[0]) if known and len(known) == len(values) else None

    def on_ifexp(self, node: ast.IfExp) -> FlowValue:
        test = self.value(node.test)
        if isinstance(test, ConcreteObject) and isinstance(test.value, (bool, int, type(None), str)):
            return self.value(node.body if test.value else node.orelse)
        left, right = self.value(node.body), self.value(node.orelse)
        return left if left is not None else right

    def on_tuple(self, node: ast.Tuple | ast.List) -> FlowValue:
        return ValueSequence(tuple(self.value(each) for each in node.elts))

    on_list = on_tuple

    def on_listcomp(self, node: ast.ListComp | ast.GeneratorExp) -> FlowValue:
        found: list[FlowValue] = []
        generator = node.generators[0]
        for item in self.items(generator.iter):
            self.bind(generator.target, item)
            found.append(self.value(node.elt))
        return ValueSequence(tuple(found))

    on_generatorexp = on_listcomp

    def on_call(self, node: ast.Call) -> FlowValue:
        """Evaluate a call."""
        args = [self.value(each.value if isinstance(each, ast.Starred) else each) for each in node.args]
        kwargs = {each.arg: self.value(each.value) for each in node.keywords if each.arg}
        if isinstance(node.func, ast.Attribute):
            owner = self.value(node.func.value)
            if isinstance(owner, ArgumentPart):
                return self.analyzer.transfer.tensor_method(owner, node.func.attr, args)
            if isinstance(owner, (ValueSequence, type(None))) and node.func.attr in INDEXING_METHODS:
                self.analyzer.transfer.index_argument(node.func.attr, args)
                return None
        function = self.value(node.func)
        if not isinstance(function, ConcreteObject):
            return None
        return self.called(function.value, args, kwargs)

    def called(self, function: Any, args: list[FlowValue], kwargs: dict[str, FlowValue]) -> FlowValue:
        """Evaluate a call of an object."""
        import torch

        if isinstance(function, torch.nn.Module):
            return self.analyzer.module(function, args, kwargs, self.depth)
        if function in (zip, enumerate, range, reversed, len, list, tuple):
            return self.built_in(function, args)
        if isinstance(function, MethodType):
            return self.analyzer.function(function.__func__, function.__self__, args, kwargs, self.depth + 1)
        module = getattr(function, "__module__", None) or ""
        name = getattr(function, "__name__", "")
        if (
            module.startswith("torch")
            or isinstance(function, type(len))
            or type(function).__name__ == "builtin_function_or_method"
        ):
            return self.analyzer.transfer.torch_function(name, args, kwargs)
        if isinstance(function, FunctionType):
            return self.analyzer.function(function, None, args, kwargs, self.depth + 1)
        return None

    def built_in(self, function: Any, args: list[FlowValue]) -> FlowValue:
        """Evaluate a call of zip, enumerate, range, reversed, list or tuple."""
        rows = [self.row(each) for each in args]
        if function is zip and rows:
            lengths = [len(row) for row, value in zip(rows, args) if not isinstance(value, ArgumentPart)]
            count = min(lengths) if lengths else 1
            for value in args:
                if isinstance(value, ArgumentPart) and lengths:
                    for index in range(count):
                        self.analyzer.flow.mark_used(value.child("item", index).place)
            rows = [
                [value.child("item", index) for index in range(count)] if isinstance(value, ArgumentPart) else row
                for row, value in zip(rows, args)
            ]
            return ValueSequence(tuple(ValueSequence(tuple(each)) for each in zip(*rows)))
        if function is enumerate and rows:
            return ValueSequence(
                tuple(ValueSequence((ConcreteObject(index), each)) for index, each in enumerate(rows[0]))
            )
        if function is range and all(isinstance(each, ConcreteObject) for each in args):
            try:
                return ValueSequence(
                    tuple(
                        ConcreteObject(each)
                        for each in range(*(each.value for each in args if isinstance(each, ConcreteObject)))
                    )
                )
            except Exception:
                return None
        if function in (list, tuple) and args:
            return args[0]
        if function is reversed and rows:
            return ValueSequence(tuple(reversed(rows[0])))
        return None

    def row(self, value: FlowValue) -> list[FlowValue]:
        """Return the items of a sequence value."""
        if isinstance(value, ValueSequence):
            return list(value.values)
        if isinstance(value, ArgumentPart):
            return [value.child("item", 0)]
        if isinstance(value, ConcreteObject):
            try:
                return [ConcreteObject(each) for each in list(value.value)[:64]]
            except Exception:
                return []
        return []


_TENSOR_ATTRIBUTES = frozenset("shape dtype device ndim T mT H data grad real imag is_cuda requires_grad".split())
