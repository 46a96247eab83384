"""Buffers that hold one integer, which ``__init__`` knows: the number beside them, and Python computes with it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import libcst as cst
from libcst import matchers as match

from gblint.fix.context import FixContext, Import, Replacement, Rewrite
from gblint.fix.recipes._build import is_unused_name, parse_statement
from gblint.fix.recipes._values import is_tensor

_WHOLE = ("torch.int64", "torch.long", "torch.int32", "torch.int")
_ROUNDED = {"torch.ceil": "ceil", "torch.floor": "floor"}
_OF_NUMBERS = ("max", "min", "int", "abs", "range", "len")
_COMPUTED = (cst.Add, cst.Subtract, cst.Multiply, cst.FloorDivide)


def as_number(ctx: FixContext) -> Rewrite | None:
    """``self._stride = stride`` beside ``self.stride = nn.Buffer(torch.tensor(stride), persistent=False)``, and read.

    The branch asks for what the class computes of such buffers and of sizes.  The buffers stay for who moves them, or
    fills them once more.
    """
    owner = ctx.tree.enclosing(ctx.node, cst.ClassDef)
    if owner is None:
        return None
    numbers = _Numbers(ctx, owner)
    if not numbers.buffers or not numbers.follow() or not numbers.decide(ctx.node):
        return None
    replace = numbers.replaced()
    if replace is None:
        return None
    imports = (Import("math"),) if numbers.rounded else ()
    return Rewrite("compute with the number, instead of a buffer that holds it", "unsafe", replace, imports)


class _Numbers:
    """The buffers of a class that hold one integer, and what its methods compute of them."""

    def __init__(self, ctx: FixContext, owner: cst.ClassDef) -> None:
        self._ctx = ctx
        found = [each for each in owner.body.body if isinstance(each, cst.FunctionDef)]
        self._methods = {each.name.value: each for each in found}
        init = self._methods.pop("__init__", None)
        # What is never compiled reads the buffers still: it may be given tensors.
        self._methods = {name: each for name, each in self._methods.items() if _is_seen(ctx, each)}
        self._init = init
        kept = {} if init is None else dict(_kept(init))
        self.buffers: Mapping[str, tuple[cst.CSTNode, cst.BaseExpression]]
        self.buffers = {name: each for name, each in kept.items() if self._number(each[1], {}) is not None}
        # The variables of each method, and the methods that return one.
        self._held: dict[str, set[str]] = {name: set() for name in self._methods}
        self._given: set[str] = set()
        self.rounded: list[cst.Call] = []

    def follow(self) -> bool:
        """Find what is computed of them; whether a method does."""
        before = -1
        while before != (before := len(self._given) + sum(map(len, self._held.values()))):
            for name, method in self._methods.items():
                self._follow(name, method)
        return before > 0

    def _follow(self, name: str, method: cst.FunctionDef) -> None:
        held = self._held[name]
        for each in match.findall(method, match.Assign()):
            if isinstance(each, cst.Assign):
                for target in each.targets:
                    held.update(self._set(name, target.target, each.value))
        for each in match.findall(method, match.Return()):
            if isinstance(each, cst.Return) and each.value is not None and self._is_of(name, each.value):
                self._given.add(name)
        for call in match.findall(method, match.Call(func=match.Attribute(value=match.Name("self")))):
            self._hand_over(name, cst.ensure_type(call, cst.Call))

    def _set(self, name: str, target: cst.BaseExpression, value: cst.BaseExpression) -> Iterator[str]:
        if isinstance(target, cst.Name):
            if self._is_of(name, value):
                yield target.value
        elif isinstance(target, cst.Tuple):
            several = value.elements if isinstance(value, cst.Tuple) else [cst.Element(value)] * len(target.elements)
            for one, other in zip(target.elements, several):
                yield from self._set(name, one.value, other.value)

    def _hand_over(self, name: str, call: cst.Call) -> None:
        """The parameters that take such a number in, or a tuple with one."""
        called_name = cst.ensure_type(call.func, cst.Attribute).attr.value
        method = self._methods.get(called_name)
        if method is None:
            return
        static = any(match.matches(each, match.Decorator(match.Name("staticmethod"))) for each in method.decorators)
        parameters = [each.name.value for each in method.params.params][0 if static else 1 :]
        for position, arg in enumerate(call.args):
            parameter = arg.keyword.value if arg.keyword else dict(enumerate(parameters)).get(position)
            if parameter is not None and not arg.star and self._is_of(name, arg.value):
                self._held[called_name].add(parameter)

    def _is_of(self, name: str, node: cst.BaseExpression) -> bool:
        """Whether ``node``, in the method ``name``, is computed of these numbers."""
        if isinstance(node, cst.Name):
            return node.value in self._held[name]
        if isinstance(node, cst.Attribute):
            return match.matches(node.value, match.Name("self")) and node.attr.value in self.buffers
        if isinstance(node, cst.BinaryOperation):
            sides = (node.left, node.right)
            others = [self._ctx.value(each) for each in sides if not self._is_of(name, each)]
            return len(others) < len(sides) and not any(map(is_tensor, others))
        if isinstance(node, cst.UnaryOperation):
            return self._is_of(name, node.expression)
        if isinstance(node, cst.Tuple):
            return any(self._is_of(name, each.value) for each in node.elements)
        if not isinstance(node, cst.Call):
            return False
        if match.matches(node.func, match.Attribute(value=match.Name("self"))):
            return cst.ensure_type(node.func, cst.Attribute).attr.value in self._given
        if isinstance(node.func, cst.Attribute) and self._is_of(name, node.func.value):
            return True
        plain = isinstance(node.func, cst.Name) and node.func.value in _OF_NUMBERS
        return (plain or self._function(node) in _ROUNDED) and any(self._is_of(name, arg.value) for arg in node.args)

    def _function(self, call: cst.Call) -> str:
        """The function of torch that is called, where it is called by its name."""
        torch = self._ctx.module_reference("torch")[0]
        code = self._ctx.code(call.func)
        return f"torch.{code.removeprefix(f'{torch}.')}" if code.startswith(f"{torch}.") else ""

    def decide(self, node: cst.BaseExpression) -> bool:
        """Whether ``node`` asks for such a number, and for nothing that is a tensor."""
        function = self._ctx.tree.enclosing(node, cst.FunctionDef)
        name = "" if function is None else function.name.value
        if self._methods.get(name) is not function:
            return False
        sides = [node]
        if isinstance(node, cst.Comparison):
            sides = [node.left, *(each.comparator for each in node.comparisons)]
        others = [self._ctx.value(each) for each in sides if not self._is_of(name, each)]
        return len(others) < len(sides) and not any(map(is_tensor, others))

    def replaced(self) -> dict[cst.CSTNode, Replacement] | None:
        """All that changes; None where something asks for a tensor."""
        ctx, before = self._ctx, dict[cst.CSTNode, cst.BaseStatement]()
        replace: dict[cst.CSTNode, Replacement] = {}
        for name, (small, value) in self.buffers.items():
            number = self._number(value, before)
            line = ctx.tree.parent(small)
            if (
                number is None
                or not is_unused_name(ctx.tree, f"_{name}")
                or not isinstance(line, cst.SimpleStatementLine)
            ):
                return None
            replace[line] = cst.FlattenSentinel([line, parse_statement(ctx.tree, f"self._{name} = {_bare(number)}")])
        for line, new in before.items():
            assert isinstance(line, cst.SimpleStatementLine) and isinstance(new, cst.SimpleStatementLine)
            new = new.with_changes(leading_lines=line.leading_lines)
            replace[line] = cst.FlattenSentinel([new, line.with_changes(leading_lines=[])])
        return replace if all(self._read_instead(name, replace) for name in self._methods) else None

    def _read_instead(self, name: str, replace: dict[cst.CSTNode, Replacement]) -> bool:
        """Put into ``replace`` what a method reads then, and rounds; False where something asks for a tensor."""
        ctx, method = self._ctx, self._methods[name]
        for call in match.findall(method, match.Call()):
            rounded = _rounded(cst.ensure_type(call, cst.Call))
            if rounded is not None and self._function(rounded) in _ROUNDED and self._takes(name, rounded):
                self.rounded.append(rounded)
                given = ctx.code(rounded.args[0].value)
                for buffer in self.buffers:
                    given = re.sub(rf"\bself\.{buffer}\b", f"self._{buffer}", given)
                replace[call] = cst.parse_expression(f"math.{_ROUNDED[self._function(rounded)]}({given})")
        own = match.Attribute(value=match.Name("self"), attr=match.Name(match.MatchIfTrue(self.buffers.__contains__)))
        for each in match.findall(method, own):
            read = cst.ensure_type(each, cst.Attribute)
            if isinstance(ctx.tree.parent(read), (cst.AssignTarget, cst.AugAssign, cst.Del)):
                return False
            if not any(outer in replace for outer in ctx.tree.ancestors(read)):
                replace[read] = read.with_changes(attr=cst.Name(f"_{read.attr.value}"))
        calls = [cst.ensure_type(each, cst.Call) for each in match.findall(method, match.Call())]
        left = [each for each in calls if each not in replace and each not in self.rounded]
        converted = [each.func for each in calls if each in replace]
        attributes = [cst.ensure_type(each, cst.Attribute) for each in match.findall(method, match.Attribute())]
        asked = any(self._is_of(name, each.value) for each in attributes if each not in converted)
        return not asked and not any(self._asks_for_tensor(name, each) for each in left)

    def _number(
        self, node: cst.BaseExpression, before: dict[cst.CSTNode, cst.BaseStatement], seen: frozenset[str] = frozenset()
    ) -> str | None:
        """The number that the tensor ``node`` holds, as text; ``before`` takes what has to be kept for that."""
        ctx = self._ctx
        if isinstance(node, cst.BinaryOperation):
            one, other = (self._number(each, before, seen) for each in (node.left, node.right))
            sign = cst.Module([]).code_for_node(node.operator)
            return f"({one}{sign}{other})" if one and other and isinstance(node.operator, _COMPUTED) else None
        if isinstance(node, cst.Name) and self._init is not None and node.value not in seen:
            sets = match.findall(self._init, match.Assign(targets=[match.AssignTarget(match.Name(node.value))]))
            last = sets[-1] if sets else None
            line = None if last is None else ctx.tree.parent(last)
            if not isinstance(last, cst.Assign) or not isinstance(line, cst.SimpleStatementLine):
                return None
            number = self._number(last.value, before, seen | {node.value})
            name = f"{node.value}_number"
            if number is None or ctx.tree.parent(line) is not self._init.body or not is_unused_name(ctx.tree, name):
                return None
            before[line] = parse_statement(ctx.tree, f"{name} = {_bare(number)}")
            return name
        return _held(ctx, node)

    def _takes(self, name: str, call: cst.Call) -> bool:
        return len(call.args) == 1 and self._is_of(name, call.args[0].value)

    def _asks_for_tensor(self, name: str, call: cst.Call) -> bool:
        """Whether it is a function of torch that takes such a number in by itself."""
        given = [arg.value for arg in call.args if not isinstance(arg.value, cst.Tuple)]
        return self._function(call).count(".") == 1 and any(self._is_of(name, each) for each in given)


def _is_seen(ctx: FixContext, method: cst.FunctionDef) -> bool:
    return any(ctx.value(each) is not None for each in match.findall(method.body, match.Name()))


def _rounded(call: cst.Call) -> cst.Call | None:
    """What ``torch.ceil(x).to(torch.int64)`` or ``.long()`` converts."""
    if not isinstance(call.func, cst.Attribute) or not isinstance(call.func.value, cst.Call):
        return None
    given = [cst.Module([]).code_for_node(arg.value) for arg in call.args]
    whole = (call.func.attr.value, given) in [("long", []), ("int", [])]
    return (
        call.func.value if whole or (call.func.attr.value == "to" and len(given) == 1 and given[0] in _WHOLE) else None
    )


def _kept(init: cst.FunctionDef) -> Iterator[tuple[str, tuple[cst.CSTNode, cst.BaseExpression]]]:
    """The buffers by name, which are not saved: what sets each, and its value."""
    persistent = match.Arg(keyword=match.Name("persistent"), value=match.Name("False"))
    made = match.Call(func=match.Attribute(attr=match.Name("Buffer")), args=[match.Arg(), persistent])
    registered = match.Call(
        func=match.Attribute(value=match.Name("self"), attr=match.Name("register_buffer")),
        args=[match.Arg(value=match.SimpleString()), match.Arg(), persistent],
    )
    own = match.AssignTarget(match.Attribute(value=match.Name("self")))
    for each in match.findall(init, match.Assign(targets=[own], value=made)):
        call = cst.ensure_type(cst.ensure_type(each, cst.Assign).value, cst.Call)
        target = cst.ensure_type(cst.ensure_type(each, cst.Assign).targets[0].target, cst.Attribute)
        yield target.attr.value, (each, call.args[0].value)
    for each in match.findall(init, match.Expr(value=registered)):
        call = cst.ensure_type(cst.ensure_type(each, cst.Expr).value, cst.Call)
        yield cst.ensure_type(call.args[0].value, cst.SimpleString).raw_value, (each, call.args[1].value)


def _held(ctx: FixContext, node: cst.BaseExpression) -> str | None:
    """The number that ``torch.tensor(n, dtype=torch.int64)`` holds, as text."""
    if not isinstance(node, cst.Call) or ctx.code(node.func) != f"{ctx.module_reference('torch')[0]}.tensor":
        return None
    dtype = [ctx.code(arg.value) for arg in node.args if arg.keyword]
    number = node.args[0].value if node.args else node
    other = match.List() | match.Tuple() | match.ListComp() | match.Call() | match.Divide() | match.Float()
    if match.findall(number, other) or len(node.args) != 2:
        return None
    return f"({ctx.code(number)})" if len(dtype) == 1 and dtype[0] in _WHOLE else None


def _bare(number: str) -> str:
    return number[1:-1] if number.startswith("(") else number
