"""Purity: expressions, calls and functions of the file that can be evaluated once more without any effect."""

from __future__ import annotations

import re
from collections.abc import Sequence

import libcst as cst

from gblint.fix import matchers as match
from gblint.fix.context import FixContext
from gblint.fix.recipes._values import is_bool_tensor, is_number, is_tensor
from gblint.interp.models.fact_results import family_of
from gblint.values.base import Value, members
from gblint.values.objects import BoundMethod, BuiltinMethod, ExternalName, Function

# Calls that draw random numbers, make a Python value from a tensor, or change a container.
_IMPURE = re.compile(
    r"item|tolist|numpy|cpu|to|cuda|bernoulli|multinomial|normal|poisson|gumbel_softmax|rand.*|.*dropout.*|pop|append"
    r"|extend|update|insert|remove|clear|setdefault|popitem|popleft|appendleft|.*_"
)
_OTHER_TORCH = re.compile(r"torch\.(distributed|cuda|compiler|utils|jit|save|load|manual_seed|set_|_dynamo|_assert)")
_PURE_BUILTINS = ("abs", "float", "int", "len", "max", "min", "range")
# Methods that fill a tensor with numbers from the generator of torch.
_DRAWS = re.compile(r"(uniform|normal|log_normal|random|bernoulli|exponential|geometric|cauchy)_")
# Functions that return a new tensor, and methods that return a view.
_MAKES_NEW = re.compile(
    r"(zeros|ones|empty|full)(_like)?|new_.*|arange|abs|add|sub|mul|div|neg|pow|exp|log|sqrt|square|sign|sum|mean|norm"
    r"|cdist|matmul|mm|bmm|cat|stack|where|clone|clamp(_min|_max)?|lt|le|gt|ge|eq|ne|sin|cos|tanh|sigmoid"
    r"|a?min|a?max|argmin|argmax|prod|std|var|any|all"
)
VIEWS = ("diagonal", "narrow", "select", "squeeze", "t", "transpose", "unsqueeze", "view")
_NOT_REPEATABLE = match.NamedExpr() | match.Await() | match.Yield() | match.Lambda()
# The depth to which calls of functions of the file are followed.
_MAX_DEPTH = 2


def is_pure(ctx: FixContext, node: cst.CSTNode) -> bool:
    """Return whether evaluating ``node`` once more has no effect.

    It may call functions and methods of tensors, and functions of the file that only compute.
    """
    if match.findall(node, _NOT_REPEATABLE):
        return False
    return all(isinstance(call, cst.Call) and is_pure_call(ctx, call) for call in match.findall(node, match.Call()))


# Reductions that take an empty tensor.
_OF_NOTHING = ("sum", "mean", "prod", "any", "all", "numel", "size", "count_nonzero")
_SELECTS = ("nonzero", "argwhere", "masked_select", "unique", "unique_consecutive")


def may_lack_elements(ctx: FixContext, node: cst.CSTNode) -> bool:
    """Return whether ``node`` reads as many elements as its data decides, and does more than to add them up.

    It may raise where a condition makes sure that there are some.
    """
    for read in match.findall(node, match.Subscript() | match.Call()):
        if isinstance(read, cst.Subscript):
            if _has_tensor_bound(ctx, read):
                return True
            only = read.slice[0].slice if len(read.slice) == 1 else None
            selects = isinstance(only, cst.Index) and is_bool_tensor(ctx.value(only.value))
        else:
            func = cst.ensure_type(read, cst.Call).func
            selects = isinstance(func, cst.Attribute) and func.attr.value in _SELECTS
        method = ctx.tree.parent(read)
        if selects and not (isinstance(method, cst.Attribute) and method.attr.value in _OF_NOTHING):
            return True
    return False


def _has_tensor_bound(ctx: FixContext, read: cst.Subscript) -> bool:
    """Return whether ``x[:n]`` or another slice of ``read`` ends at a number of a tensor."""
    slices = [each.slice for each in read.slice if isinstance(each.slice, cst.Slice)]
    bounds = [bound for each in slices for bound in (each.lower, each.upper) if bound is not None]
    return any(is_tensor(ctx.value(bound)) for bound in bounds)


def is_pure_call(ctx: FixContext, call: cst.Call, depth: int = 0) -> bool:
    """Return whether one call, without its arguments, has no effect and makes no Python value from a tensor.

    ``depth`` is the number of functions of the file that have been entered.
    """
    function = ctx.value(call.func)
    own = _own_functions(ctx, function)
    if own:
        return all(_only_computes(ctx, each, depth) for each in own)
    if isinstance(call.func, cst.Name):
        return isinstance(function, ExternalName) and function.name.partition(".")[2] in _PURE_BUILTINS
    if not isinstance(call.func, cst.Attribute):
        return False
    name = call.func.attr.value
    if name.endswith("_") and not _DRAWS.fullmatch(name) and is_fresh_tensor(ctx, call.func.value, frozenset(), depth):
        return True
    if _IMPURE.fullmatch(name) and not (name == "to" and all(_is_dtype(ctx, arg) for arg in call.args)):
        return False
    if isinstance(function, ExternalName):
        return function.name.startswith(("torch.", "math.")) and not _OTHER_TORCH.match(function.name)
    if function is None or all(isinstance(each, BuiltinMethod) for each in members(function)):
        return not match.matches(call.func.value, match.Name("self"))
    return False


def _is_dtype(ctx: FixContext, arg: cst.Arg) -> bool:
    """Return whether an argument of ``to`` is a dtype, so that the tensor stays on its device."""
    value = ctx.value(arg.value)
    named = arg.keyword is not None and arg.keyword.value == "dtype"
    if (
        isinstance(arg.value, cst.Attribute)
        and arg.value.attr.value == "dtype"
        and is_tensor(ctx.value(arg.value.value))
    ):
        return True
    return named or (value is not None and family_of(value) is not None)


def only_assigns_and_returns(ctx: FixContext, lines: Sequence[cst.CSTNode]) -> bool:
    """Return whether the last ``lines`` of a function only assign variables and return a value."""
    function = ctx.tree.enclosing(lines[0], cst.FunctionDef)
    return function is not None and _Body(ctx, function, 0).only_computes(lines)


def _own_functions(ctx: FixContext, value: Value | None) -> list[cst.FunctionDef]:
    """Return the functions of the file that ``value`` may be; none if it may be anything else."""
    found: list[cst.FunctionDef] = []
    for each in () if value is None else members(value):
        function = each.function if isinstance(each, BoundMethod) else each
        if not isinstance(function, Function) or function.module.display != ctx.tree.path or function.marks:
            return []
        node = ctx.tree.functions.get(function.node.lineno)
        if node is None or node.name.value != function.name.rpartition(".")[2]:
            return []
        found.append(node)
    return found


def _only_computes(ctx: FixContext, function: cst.FunctionDef, depth: int) -> bool:
    """Return whether a call of ``function`` only computes a result; calls are followed to a limited depth."""
    static = all(match.matches(each.decorator, match.Name("staticmethod")) for each in function.decorators)
    if depth >= _MAX_DEPTH or not static or function.asynchronous is not None:
        return False
    return _Body(ctx, function, depth + 1).only_computes(function.body.body)


class _Body:
    """The body of a function, ``depth`` calls deep."""

    def __init__(self, ctx: FixContext, function: cst.FunctionDef, depth: int) -> None:
        self._ctx, self._depth = ctx, depth
        parameters = {n.value for n in match.findall(function.params, match.Name()) if isinstance(n, cst.Name)}
        made: dict[str, bool] = {}
        self._new = frozenset[str]()
        for node in match.findall(function.body, match.Assign()):
            assign = cst.ensure_type(node, cst.Assign)
            for name in (n for t in assign.targets for n in match.findall(t, match.Name()) if isinstance(n, cst.Name)):
                alone = any(name is target.target for target in assign.targets)
                made[name.value] = (
                    made.get(name.value, name.value not in parameters) and alone and self._is_new(assign.value)
                )
                self._new = frozenset(each for each, always in made.items() if always)

    def only_computes(self, lines: Sequence[cst.CSTNode]) -> bool:
        """Return whether the lines only assign variables and return a value."""
        return all(self._only_assigns(line) for line in lines)

    def returns_new(self, function: cst.FunctionDef) -> bool:
        """Return whether the function returns a tensor that it has created."""
        found = match.findall(function.body, match.Return())
        values = [cst.ensure_type(each, cst.Return).value for each in found]
        return bool(values) and all(value is not None and self._is_new(value) for value in values)

    def _only_assigns(self, line: cst.CSTNode) -> bool:
        if isinstance(line, cst.If):
            rest = line.orelse
            quiet = self._is_pure(line.test) and self.only_computes(line.body.body)
            if isinstance(rest, cst.Else):
                return quiet and self.only_computes(rest.body.body)
            return quiet and (rest is None or self._only_assigns(rest))
        if not isinstance(line, cst.SimpleStatementLine):
            return False
        return all(self._is_plain_statement(small) for small in line.body)

    def _is_plain_statement(self, small: cst.BaseSmallStatement) -> bool:
        if isinstance(small, (cst.Return, cst.Pass)):
            return self._is_pure(small)
        if isinstance(small, cst.Assign):
            names = match.Name() | match.Tuple([match.ZeroOrMore(match.Element(match.Name()))])
            return self._is_pure(small) and all(match.matches(each.target, names) for each in small.targets)
        if isinstance(small, cst.AugAssign):
            counts = is_number(self._ctx.value(small.target)) or self._is_new(small.target)
            return isinstance(small.target, cst.Name) and counts and self._is_pure(small.value)
        text = match.matches(small, match.Expr(match.SimpleString() | match.ConcatenatedString()))
        return text or (isinstance(small, cst.Expr) and self._is_new(small.value) and self._is_pure(small))

    def _is_pure(self, node: cst.CSTNode) -> bool:
        if match.findall(node, _NOT_REPEATABLE):
            return False
        calls = (call for call in match.findall(node, match.Call()) if isinstance(call, cst.Call))
        return all(is_pure_call(self._ctx, call, self._depth) or self._is_in_place(call) for call in calls)

    def _is_in_place(self, call: cst.Call) -> bool:
        """Return whether a call changes in place a tensor that the function has created."""
        method = call.func if isinstance(call.func, cst.Attribute) else None
        name = "" if method is None else method.attr.value
        return method is not None and name.endswith("_") and not _DRAWS.fullmatch(name) and self._is_new(method.value)

    def _is_new(self, node: cst.BaseExpression) -> bool:
        return is_fresh_tensor(self._ctx, node, self._new, self._depth)


def is_fresh_tensor(ctx: FixContext, node: cst.BaseExpression, new: frozenset[str], depth: int = 0) -> bool:
    """Return whether ``node`` creates a tensor, or is a view of a created one or of the variables ``new``."""
    if isinstance(node, cst.Name):
        return node.value in new
    if isinstance(node, (cst.BinaryOperation, cst.Comparison)):
        return is_tensor(ctx.value(node))
    if not isinstance(node, cst.Call):
        return False
    own = _own_functions(ctx, ctx.value(node.func))
    if own:
        return depth < _MAX_DEPTH and all(_Body(ctx, each, depth + 1).returns_new(each) for each in own)
    if not isinstance(node.func, cst.Attribute):
        return False
    name = node.func.attr.value
    if name.endswith("_") or name in VIEWS:
        return is_fresh_tensor(ctx, node.func.value, new, depth)
    return _MAKES_NEW.fullmatch(name) is not None and is_pure_call(ctx, node, depth)
