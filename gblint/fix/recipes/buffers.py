"""Buffers that hold one integer known to ``__init__``: the number is also stored as an attribute, and used instead."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import libcst as cst

from gblint.fix import matchers as match
from gblint.fix.context import FixContext, Replacement, Rewrite
from gblint.fix.imports import Import
from gblint.fix.recipes._build import is_unused_name, parse_statement
from gblint.fix.recipes._values import is_tensor

_INTEGER_DTYPES = ("torch.int64", "torch.long", "torch.int32", "torch.int")
_ROUNDED = {"torch.ceil": "ceil", "torch.floor": "floor"}
_NUMBER_FUNCTIONS = ("max", "min", "int", "abs", "range", "len")
_INTEGER_OPERATORS = (cst.Add, cst.Subtract, cst.Multiply, cst.FloorDivide)


def number_instead_of_buffer(ctx: FixContext) -> Rewrite | None:
    """Store the number of an integer buffer in an additional attribute, and compute with the number.

    For ``self.stride = nn.Buffer(torch.tensor(stride), persistent=False)`` the attribute is ``self._stride``.
    Preconditions: the branch tests a value that the class computes from such buffers and from sizes only, and no
    function of torch takes the value. The buffers stay for code that moves or fills them. Unsafe: the number does not
    follow a buffer that is changed later.
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
    return Rewrite("use a Python number instead of the buffer", "unsafe", replace, imports)


class _Numbers:
    """The buffers of a class that hold one integer, and the values that its compiled methods compute from them."""

    def __init__(self, ctx: FixContext, owner: cst.ClassDef) -> None:
        self._ctx = ctx
        found = [each for each in owner.body.body if isinstance(each, cst.FunctionDef)]
        self._methods = {each.name.value: each for each in found}
        init = self._methods.pop("__init__", None)
        # Methods that are never compiled go on reading the buffers.
        self._methods = {name: each for name, each in self._methods.items() if _is_compiled(ctx, each)}
        self._init = init
        candidates = {} if init is None else dict(_buffers_of(init))
        self.buffers: Mapping[str, tuple[cst.CSTNode, cst.BaseExpression]]
        self.buffers = {name: each for name, each in candidates.items() if self._number(each[1], {}) is not None}
        # The variables with such numbers by method, and the methods that return one.
        self._variables: dict[str, set[str]] = {name: set() for name in self._methods}
        self._returning: set[str] = set()
        self.rounded: list[cst.Call] = []

    def follow(self) -> bool:
        """Propagate the numbers through variables, parameters and results; return whether there are any."""
        before = -1
        while before != (before := len(self._returning) + sum(map(len, self._variables.values()))):
            for name, method in self._methods.items():
                self._follow(name, method)
        return before > 0

    def _follow(self, name: str, method: cst.FunctionDef) -> None:
        variables = self._variables[name]
        for each in match.findall(method, match.Assign()):
            if isinstance(each, cst.Assign):
                for target in each.targets:
                    variables.update(self._assigned(name, target.target, each.value))
        for each in match.findall(method, match.Return()):
            if isinstance(each, cst.Return) and each.value is not None and self._is_computed_from(name, each.value):
                self._returning.add(name)
        for call in match.findall(method, match.Call(func=match.Attribute(value=match.Name("self")))):
            self._pass_to_method(name, cst.ensure_type(call, cst.Call))

    def _assigned(self, name: str, target: cst.BaseExpression, value: cst.BaseExpression) -> Iterator[str]:
        """Yield the variables of an assignment that receive such a number."""
        if isinstance(target, cst.Name):
            if self._is_computed_from(name, value):
                yield target.value
        elif isinstance(target, cst.Tuple):
            several = value.elements if isinstance(value, cst.Tuple) else [cst.Element(value)] * len(target.elements)
            for one, other in zip(target.elements, several):
                yield from self._assigned(name, one.value, other.value)

    def _pass_to_method(self, name: str, call: cst.Call) -> None:
        """Record the parameters of a method that receive such a number, or a tuple with one."""
        called_name = cst.ensure_type(call.func, cst.Attribute).attr.value
        method = self._methods.get(called_name)
        if method is None:
            return
        static = any(match.matches(each, match.Decorator(match.Name("staticmethod"))) for each in method.decorators)
        parameters = [each.name.value for each in method.params.params][0 if static else 1 :]
        for position, arg in enumerate(call.args):
            parameter = arg.keyword.value if arg.keyword else dict(enumerate(parameters)).get(position)
            if parameter is not None and not arg.star and self._is_computed_from(name, arg.value):
                self._variables[called_name].add(parameter)

    def _is_computed_from(self, name: str, node: cst.BaseExpression) -> bool:
        """Return whether ``node``, in the method ``name``, is computed from these numbers."""
        if isinstance(node, cst.Name):
            return node.value in self._variables[name]
        if isinstance(node, cst.Attribute):
            return match.matches(node.value, match.Name("self")) and node.attr.value in self.buffers
        if isinstance(node, cst.BinaryOperation):
            sides = (node.left, node.right)
            others = [self._ctx.value(each) for each in sides if not self._is_computed_from(name, each)]
            return len(others) < len(sides) and not any(map(is_tensor, others))
        if isinstance(node, cst.UnaryOperation):
            return self._is_computed_from(name, node.expression)
        if isinstance(node, cst.Tuple):
            return any(self._is_computed_from(name, each.value) for each in node.elements)
        if not isinstance(node, cst.Call):
            return False
        if match.matches(node.func, match.Attribute(value=match.Name("self"))):
            return cst.ensure_type(node.func, cst.Attribute).attr.value in self._returning
        if isinstance(node.func, cst.Attribute) and self._is_computed_from(name, node.func.value):
            return True
        plain = isinstance(node.func, cst.Name) and node.func.value in _NUMBER_FUNCTIONS
        return (plain or self._function(node) in _ROUNDED) and any(
            self._is_computed_from(name, arg.value) for arg in node.args
        )

    def _function(self, call: cst.Call) -> str:
        """Return the full name of the torch function that is called by name, else an empty string."""
        torch = self._ctx.module_reference("torch")[0]
        code = self._ctx.code(call.func)
        return f"torch.{code.removeprefix(f'{torch}.')}" if code.startswith(f"{torch}.") else ""

    def decide(self, node: cst.BaseExpression) -> bool:
        """Return whether ``node`` compares such a number with something that is not a tensor."""
        function = self._ctx.tree.enclosing(node, cst.FunctionDef)
        name = "" if function is None else function.name.value
        if self._methods.get(name) is not function:
            return False
        sides = [node]
        if isinstance(node, cst.Comparison):
            sides = [node.left, *(each.comparator for each in node.comparisons)]
        others = [self._ctx.value(each) for each in sides if not self._is_computed_from(name, each)]
        return len(others) < len(sides) and not any(map(is_tensor, others))

    def replaced(self) -> dict[cst.CSTNode, Replacement] | None:
        """Return all replacements; None if a tensor is needed somewhere."""
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
        return replace if all(self._replace_reads(name, replace) for name in self._methods) else None

    def _replace_reads(self, name: str, replace: dict[cst.CSTNode, Replacement]) -> bool:
        """Add the replacements of reads and roundings in a method; return False if a tensor is needed there."""
        ctx, method = self._ctx, self._methods[name]
        for call in match.findall(method, match.Call()):
            rounded = _rounded(cst.ensure_type(call, cst.Call))
            if rounded is not None and self._function(rounded) in _ROUNDED and self._takes(name, rounded):
                self.rounded.append(rounded)
                argument_text = ctx.code(rounded.args[0].value)
                for buffer in self.buffers:
                    argument_text = re.sub(rf"\bself\.{buffer}\b", f"self._{buffer}", argument_text)
                replace[call] = cst.parse_expression(f"math.{_ROUNDED[self._function(rounded)]}({argument_text})")
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
        reads_attribute = any(self._is_computed_from(name, each.value) for each in attributes if each not in converted)
        return not reads_attribute and not any(self._is_torch_argument(name, each) for each in left)

    def _number(
        self, node: cst.BaseExpression, before: dict[cst.CSTNode, cst.BaseStatement], seen: frozenset[str] = frozenset()
    ) -> str | None:
        """Return the number that the tensor ``node`` holds, as text; ``before`` receives statements that it needs."""
        ctx = self._ctx
        if isinstance(node, cst.BinaryOperation):
            one, other = (self._number(each, before, seen) for each in (node.left, node.right))
            sign = cst.Module([]).code_for_node(node.operator)
            return f"({one}{sign}{other})" if one and other and isinstance(node.operator, _INTEGER_OPERATORS) else None
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
        return _variables(ctx, node)

    def _takes(self, name: str, call: cst.Call) -> bool:
        return len(call.args) == 1 and self._is_computed_from(name, call.args[0].value)

    def _is_torch_argument(self, name: str, call: cst.Call) -> bool:
        """Return whether a call is a torch function that takes such a number as a direct argument."""
        arguments = [arg.value for arg in call.args if not isinstance(arg.value, cst.Tuple)]
        return self._function(call).count(".") == 1 and any(self._is_computed_from(name, each) for each in arguments)


def _is_compiled(ctx: FixContext, method: cst.FunctionDef) -> bool:
    """Return whether the method was compiled, so that it has recorded values."""
    return any(ctx.value(each) is not None for each in match.findall(method.body, match.Name()))


def _rounded(call: cst.Call) -> cst.Call | None:
    """Return the call that ``torch.ceil(x).to(torch.int64)`` or ``.long()`` converts."""
    if not isinstance(call.func, cst.Attribute) or not isinstance(call.func.value, cst.Call):
        return None
    argument_texts = [cst.Module([]).code_for_node(arg.value) for arg in call.args]
    to_integer = (call.func.attr.value, argument_texts) in [("long", []), ("int", [])]
    return (
        call.func.value
        if to_integer
        or (call.func.attr.value == "to" and len(argument_texts) == 1 and argument_texts[0] in _INTEGER_DTYPES)
        else None
    )


def _buffers_of(init: cst.FunctionDef) -> Iterator[tuple[str, tuple[cst.CSTNode, cst.BaseExpression]]]:
    """Yield the non-persistent buffers by name: the statement that sets each, and its value."""
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


def _variables(ctx: FixContext, node: cst.BaseExpression) -> str | None:
    """Return the number that ``torch.tensor(n, dtype=torch.int64)`` holds, as text."""
    if not isinstance(node, cst.Call) or ctx.code(node.func) != f"{ctx.module_reference('torch')[0]}.tensor":
        return None
    dtype = [ctx.code(arg.value) for arg in node.args if arg.keyword]
    number = node.args[0].value if node.args else node
    other = match.List() | match.Tuple() | match.ListComp() | match.Call() | match.Divide() | match.Float()
    if match.findall(number, other) or len(node.args) != 2:
        return None
    return f"({ctx.code(number)})" if len(dtype) == 1 and dtype[0] in _INTEGER_DTYPES else None


def _bare(number: str) -> str:
    return number[1:-1] if number.startswith("(") else number
