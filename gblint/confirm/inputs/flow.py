"""Which argument goes into which layer: a light look at a function's source with the real instance at hand.

Nothing is called.  Names stand for parts of arguments (:class:`ArgumentPart`), for real objects (the instance, its
layers, the module's globals) or for nothing that is known.
"""

from __future__ import annotations

import ast
import contextlib
import inspect
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import FunctionType, MethodType
from typing import Any, Literal, Union

from gblint.confirm.inputs.layers import KEEPS_SHAPE, TensorRequirement, layer_requirements

PartStep = tuple[Literal["key", "attr", "item"], str | int]
PartPath = tuple[str | PartStep, ...]
_MOST_STEPS, _MOST_DEPTH, _MOST_ROUNDS = 6000, 10, 6
_SAME = frozenset(
    "relu gelu silu elu selu leaky_relu sigmoid tanh softmax log_softmax dropout normalize exp log sqrt abs clamp "
    "float contiguous to clone detach cuda cpu type half requires_grad_ relu_ sin cos square neg log1p nan_to_num "
    "hardswish mish softplus div mul add sub checkpoint".split()
)
_INDEXING = {
    "index_add_": 1,
    "index_add": 1,
    "gather": 1,
    "scatter_add": 1,
    "scatter_add_": 1,
    "scatter": 1,
    "index_select": 1,
}
_RESHAPING = frozenset(
    "view reshape flatten repeat expand squeeze unsqueeze repeat_interleave roll flip narrow t".split()
)
_IDS = TensorRequirement((), "int64", 2, open=True)
_BOOL = TensorRequirement((), "bool", open=True)


@dataclass(frozen=True, slots=True)
class ArgumentPart:
    """An argument, or a part of one, after ``steps`` that moved its dimensions; ``lost`` once they are not known."""

    place: PartPath
    steps: tuple[tuple[Any, ...], ...] = ()
    lost: bool = False

    def then(self, *step: Any) -> ArgumentPart:
        """The same after one more step."""
        return ArgumentPart(self.place, (*self.steps, step), self.lost)

    def child(self, kind: Literal["key", "attr", "item"], what: str | int) -> ArgumentPart:
        """A part of this part."""
        return ArgumentPart((*self.place, (kind, what)))


@dataclass(frozen=True, slots=True)
class ConcreteObject:
    """An object that exists already."""

    value: Any


@dataclass(frozen=True, slots=True)
class ValueSequence:
    """A row of values."""

    values: tuple[FlowValue, ...]


FlowValue = Union[ArgumentPart, ConcreteObject, ValueSequence, None]  # noqa: UP007 (it is evaluated on Python 3.10)


@dataclass(slots=True)
class ArgumentFlow:
    """What was learnt: needs by place, in the order met, and the parts that are taken of each place."""

    needs: dict[PartPath, list[TensorRequirement]] = field(default_factory=dict)
    parts: dict[PartPath, dict[PartStep, None]] = field(default_factory=dict)

    def note(self, place: PartPath, need: TensorRequirement) -> None:
        """One more need of a place."""
        self.needs.setdefault(place, []).append(need)
        self.touch(place)

    def touch(self, place: PartPath) -> None:
        """Note that a part of something is used at all."""
        for length in range(1, len(place)):
            step = place[length]
            assert not isinstance(step, str)
            self.parts.setdefault(place[:length], {})[step] = None


def trace_arguments(function: Callable[..., Any], given: Sequence[str], instance: Any = None) -> ArgumentFlow:
    """Where the arguments ``given`` (by name) go in ``function``; the others keep their defaults."""
    flow = ArgumentFlow()
    walk = _Walk(flow)
    arguments: dict[str, FlowValue] = {name: ArgumentPart((name,)) for name in given}
    with contextlib.suppress(RecursionError, _Enough):
        walk.function(function, instance, (), arguments, 0)
    return flow


class _Enough(Exception):
    """The look has taken long enough."""


class _Return(Exception):
    def __init__(self, value: FlowValue) -> None:
        self.value = value


def function_definition(function: Callable[..., Any]) -> tuple[ast.FunctionDef | ast.AsyncFunctionDef, str] | None:
    """The syntax tree of a function, and the text it was made from."""
    try:
        text = textwrap.dedent(inspect.getsource(inspect.unwrap(function)))
        tree = ast.parse(text)
    except (OSError, TypeError, SyntaxError, ValueError):
        return None
    found = next((node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))), None)
    return None if found is None else (found, text)


class _Walk:
    def __init__(self, flow: ArgumentFlow) -> None:
        self.flow = flow
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
        """Go through a function; the instance is its ``self``, if it has one."""
        plain = inspect.unwrap(getattr(function, "__func__", function))
        if not isinstance(plain, FunctionType) or depth > _MOST_DEPTH:
            return None
        if plain not in self.trees:
            found = function_definition(plain)
            self.trees[plain] = None if found is None else found[0]
        tree = self.trees[plain]
        if tree is None:
            return None
        env = self.bind(tree, plain, instance, args, kwargs)
        return _Body(self, env, plain.__globals__, depth).run(tree.body)

    def bind(
        self,
        tree: ast.FunctionDef | ast.AsyncFunctionDef,
        function: FunctionType,
        instance: Any,
        args: Sequence[FlowValue],
        kwargs: Mapping[str, FlowValue],
    ) -> dict[str, FlowValue]:
        names = [each.arg for each in (*tree.args.posonlyargs, *tree.args.args)]
        env: dict[str, FlowValue] = {}
        for name, value in zip(reversed(names), reversed(function.__defaults__ or ())):
            env[name] = ConcreteObject(value)
        env.update({name: ConcreteObject(value) for name, value in (function.__kwdefaults__ or {}).items()})
        given: list[FlowValue] = list(args)
        if names and names[0] in ("self", "cls") and instance is not None:
            given.insert(0, ConcreteObject(instance))
        env.update(zip(names, given))
        env.update(kwargs)
        return env

    def module(self, layer: Any, args: Sequence[FlowValue], kwargs: Mapping[str, FlowValue], depth: int) -> FlowValue:
        """What a call of a module tells of its arguments, and what comes out."""
        import torch.nn as nn

        first = args[0] if args else next(iter(kwargs.values()), None)
        if isinstance(layer, nn.Sequential):
            for inner in layer:
                first = self.module(inner, [first], {}, depth + 1)
            return first
        if type(layer).__name__ in KEEPS_SHAPE and type(layer).__module__.startswith("torch."):
            return first
        wanted = layer_requirements(layer)
        if wanted is None:
            forward = type(layer).forward
            if forward.__module__.startswith("torch.nn"):
                return None
            return self.function(forward, layer, args, kwargs, depth + 1)
        names = list(inspect.signature(layer.forward).parameters)
        for name, value in [*zip(names, args), *kwargs.items()]:
            if isinstance(value, ArgumentPart) and name in wanted:
                self.need(value, wanted[name])
        return first if "Norm" in type(layer).__name__ else None

    def need(self, part: ArgumentPart, need: TensorRequirement) -> None:
        """Undo what was done to the dimensions on the way, and note what is needed of the argument itself."""
        if part.lost:
            if need.dtype != "float32" and need.high:
                # Whatever its shape was, its elements are what they are.
                self.flow.note(part.place, TensorRequirement((), need.dtype, need.high, open=True))
            return
        for step in reversed(part.steps):
            undone = _undone(need, step)
            if undone is None:
                return
            need = undone
        self.flow.note(part.place, need)

    def tick(self) -> None:
        self.steps += 1
        if self.steps > _MOST_STEPS:
            raise _Enough


def _undone(need: TensorRequirement, step: tuple[Any, ...]) -> TensorRequirement | None:
    kind, *rest = step
    dims = need.shape
    if not dims and need.open:
        return need
    if kind == "transpose":
        if need.open and max(-rest[0] if rest[0] < 0 else 9, -rest[1] if rest[1] < 0 else 9) > len(dims):
            # Swapped dimensions in front of the known ones: three are what most such tensors have.
            return (
                TensorRequirement(("B", "T", *dims)[-3:], need.dtype, need.high).transposed(*rest)
                if len(dims) == 1
                else None
            )
        return need.transposed(*rest)
    if kind == "permute":
        if need.open and len(dims) < len(rest):
            front = {2: ("B",), 3: ("B", "T"), 4: ("B", "H", "W"), 5: ("B", "D", "H", "W")}.get(len(rest), ())
            need = TensorRequirement((*front, *dims)[-len(rest) :], need.dtype, need.high)
        return need.permuted(tuple(rest))
    if kind == "unsqueeze" and not need.open:
        place = rest[0] % len(dims)
        return TensorRequirement(dims[:place] + dims[place + 1 :], need.dtype, need.high)
    if kind == "squeeze" and not need.open:
        place = rest[0] % (len(dims) + 1)
        return TensorRequirement((*dims[:place], 1, *dims[place:]), need.dtype, need.high)
    if kind == "flatten" and need.open and len(dims) == 1:
        return TensorRequirement(("B", dims[0]), need.dtype, need.high)
    return None


class _Body:
    """One function's body, statement by statement."""

    def __init__(self, walk: _Walk, env: dict[str, FlowValue], scope: Mapping[str, Any], depth: int) -> None:
        self.walk, self.env, self.scope, self.depth = walk, env, scope, depth

    def run(self, body: Sequence[ast.stmt]) -> FlowValue:
        """What the body returns."""
        try:
            self.body(body)
        except _Return as result:
            return result.value
        return None

    def body(self, statements: Iterable[ast.stmt]) -> None:
        for statement in statements:
            self.walk.tick()
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
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
        if isinstance(target, ast.Name):
            self.env[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            for index, each in enumerate(target.elts):
                inner: FlowValue = None
                if isinstance(value, ValueSequence) and index < len(value.values):
                    inner = value.values[index]
                elif isinstance(value, ArgumentPart) and not value.steps:
                    inner = ArgumentPart(value.place, (), lost=True)
                self.bind(each, inner)

    def items(self, node: ast.expr) -> list[FlowValue]:
        """What a loop goes through, the first few rounds."""
        value = self.value(node)
        if isinstance(value, ValueSequence):
            return list(value.values[:_MOST_ROUNDS])
        if isinstance(value, ConcreteObject):
            try:
                return [ConcreteObject(each) for each in list(value.value)[:_MOST_ROUNDS]]
            except Exception:
                return [None]
        if isinstance(value, ArgumentPart):
            return [value.child("item", 0)]
        return [None]

    def value(self, node: ast.expr) -> FlowValue:
        self.walk.tick()
        method = getattr(self, "on_" + type(node).__name__.lower(), None)
        if method is not None:
            result: FlowValue = method(node)
            return result
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.value(child)
        return None

    def on_name(self, node: ast.Name) -> FlowValue:
        if node.id in self.env:
            return self.env[node.id]
        if node.id in self.scope:
            return ConcreteObject(self.scope[node.id])
        builtins = self.scope.get("__builtins__")
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
            and not owner.lost
            and node.attr not in _TENSOR_ATTRIBUTES
        ):
            child = owner.child("attr", node.attr)
            self.walk.flow.touch(child.place)
            return child
        return None

    def on_subscript(self, node: ast.Subscript) -> FlowValue:
        owner, index = self.value(node.value), self.value(node.slice)
        if isinstance(index, ArgumentPart):
            self.walk.need(index, _IDS)
        if isinstance(node.slice, (ast.Tuple, ast.Slice)):
            for each in node.slice.elts if isinstance(node.slice, ast.Tuple) else ():
                inner = self.value(each)
                if isinstance(inner, ArgumentPart):
                    self.walk.need(inner, _IDS)
            return ArgumentPart(owner.place, lost=True) if isinstance(owner, ArgumentPart) else None
        if (
            isinstance(index, ConcreteObject)
            and isinstance(index.value, (str, int))
            and not isinstance(index.value, bool)
        ):
            if isinstance(owner, ArgumentPart) and not owner.steps and not owner.lost:
                child = owner.child("key" if isinstance(index.value, str) else "item", index.value)
                self.walk.flow.touch(child.place)
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
        left, right = self.value(node.left), self.value(node.right)
        if isinstance(node.op, ast.MatMult):
            self.weighted(left, right, transposed=False)
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
            self.walk.need(value, _BOOL)
        return value if isinstance(value, ArgumentPart) else None

    def on_compare(self, node: ast.Compare) -> FlowValue:
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
        args = [self.value(each.value if isinstance(each, ast.Starred) else each) for each in node.args]
        kwargs = {each.arg: self.value(each.value) for each in node.keywords if each.arg}
        if isinstance(node.func, ast.Attribute):
            owner = self.value(node.func.value)
            if isinstance(owner, ArgumentPart):
                return self.method(owner, node.func.attr, args)
            if isinstance(owner, (ValueSequence, type(None))) and node.func.attr in _INDEXING:
                self.indexed(node.func.attr, args)
                return None
        function = self.value(node.func)
        if not isinstance(function, ConcreteObject):
            return None
        return self.called(function.value, args, kwargs)

    def called(self, function: Any, args: list[FlowValue], kwargs: dict[str, FlowValue]) -> FlowValue:
        import torch

        if isinstance(function, torch.nn.Module):
            return self.walk.module(function, args, kwargs, self.depth)
        if function in (zip, enumerate, range, reversed, len, list, tuple):
            return self.built_in(function, args)
        if isinstance(function, MethodType):
            return self.walk.function(function.__func__, function.__self__, args, kwargs, self.depth + 1)
        module = getattr(function, "__module__", None) or ""
        name = getattr(function, "__name__", "")
        if (
            module.startswith("torch")
            or isinstance(function, type(len))
            or type(function).__name__ == "builtin_function_or_method"
        ):
            return self.torch_function(name, args, kwargs)
        if isinstance(function, FunctionType):
            return self.walk.function(function, None, args, kwargs, self.depth + 1)
        return None

    def built_in(self, function: Any, args: list[FlowValue]) -> FlowValue:
        rows = [self.row(each) for each in args]
        if function is zip and rows:
            lengths = [len(row) for row, value in zip(rows, args) if not isinstance(value, ArgumentPart)]
            count = min(lengths) if lengths else 1
            for value in args:
                if isinstance(value, ArgumentPart) and lengths:
                    for index in range(count):
                        self.walk.flow.touch(value.child("item", index).place)
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

    def method(self, owner: ArgumentPart, name: str, args: list[FlowValue]) -> FlowValue:
        numbers = [each.value for each in args if isinstance(each, ConcreteObject) and isinstance(each.value, int)]
        if name in _SAME:
            return owner
        if name in ("transpose", "swapaxes") and len(numbers) == 2:
            return owner.then("transpose", *numbers)
        if name == "permute":
            inner = args[0] if args else None
            if isinstance(inner, ValueSequence):
                numbers = [each.value for each in inner.values if isinstance(each, ConcreteObject)]
            return owner.then("permute", *numbers) if numbers else None
        if name in ("unsqueeze", "squeeze") and len(numbers) == 1:
            return owner.then(name, numbers[0])
        if name == "t":
            return owner.then("transpose", 0, 1)
        if name == "flatten" and numbers[:1] == [1] and len(numbers) == 1:
            return owner.then("flatten")
        if (
            name in ("view", "reshape")
            and len(args) == 2
            and isinstance(args[1], ConcreteObject)
            and args[1].value == -1
        ):
            return owner.then("flatten")
        if name in ("get", "pop") and args and isinstance(args[0], ConcreteObject) and isinstance(args[0].value, str):
            return None
        if name in _INDEXING:
            self.indexed(name, args)
        if name in _RESHAPING:
            return ArgumentPart(owner.place, lost=True)
        if name.startswith("masked_") and args and isinstance(args[0], ArgumentPart):
            self.walk.need(args[0], _BOOL)
        return None

    def indexed(self, name: str, args: list[FlowValue]) -> None:
        index = args[1] if len(args) > 1 else None
        if isinstance(index, ArgumentPart):
            self.walk.need(index, _IDS)

    def torch_function(self, name: str, args: list[FlowValue], kwargs: dict[str, FlowValue]) -> FlowValue:
        first = args[0] if args else kwargs.get("input")
        second = args[1] if len(args) > 1 else kwargs.get("weight", kwargs.get("target"))
        if name in ("linear", "matmul", "mm", "bmm"):
            self.weighted(first, second, transposed=name == "linear")
        elif name.startswith("conv") and isinstance(first, ArgumentPart) and isinstance(second, ConcreteObject):
            shape = tuple(getattr(second.value, "shape", ()))
            if len(shape) > 2:
                spatial = ("D", "H", "W")[-(len(shape) - 2) :]
                self.walk.need(first, TensorRequirement(("B", shape[0 if "transpose" in name else 1], *spatial)))
        elif name == "embedding" and isinstance(first, ArgumentPart) and isinstance(second, ConcreteObject):
            self.walk.need(first, TensorRequirement((), "int64", int(second.value.shape[0]), open=True))
        elif name in ("cross_entropy", "nll_loss", "one_hot"):
            index = first if name == "one_hot" else second
            if isinstance(index, ArgumentPart):
                self.walk.need(index, _IDS)
        elif name == "flatten" and isinstance(first, ArgumentPart):
            return first.then("flatten")
        elif name in ("transpose", "permute", "unsqueeze", "squeeze") and isinstance(first, ArgumentPart):
            return self.method(first, name, args[1:])
        elif name in ("where", "masked_fill") and isinstance(first if name == "where" else second, ArgumentPart):
            mask = first if name == "where" else second
            assert isinstance(mask, ArgumentPart)
            self.walk.need(mask, _BOOL)
        elif name in _SAME or name in ("interpolate", "pad"):
            return first if isinstance(first, ArgumentPart) else None
        return None

    def weighted(self, given: FlowValue, weight: FlowValue, transposed: bool) -> None:
        shape = tuple(getattr(weight.value, "shape", ())) if isinstance(weight, ConcreteObject) else ()
        if isinstance(given, ArgumentPart) and len(shape) == 2:
            self.walk.need(given, TensorRequirement((int(shape[1 if transposed else 0]),), open=True))


_TENSOR_ATTRIBUTES = frozenset("shape dtype device ndim T mT H data grad real imag is_cuda requires_grad".split())
