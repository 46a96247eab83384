"""Effects of calls that a fix would make more or less often: writes to what the caller sees, output, random draws."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence

import libcst as cst

from gblint.fix import matchers as match
from gblint.fix.context import FixContext
from gblint.runtime.lazy_dataclasses import dataclass
from gblint.values.base import NONE, Value, members
from gblint.values.containers import Mapping, Seq
from gblint.values.objects import BoundMethod, Class, ExternalName, Function, Instance

_MAX_DEPTH = 12  # functions that call each other
_CHANGING = frozenset(
    "append appendleft extend insert remove clear update setdefault popitem popleft add discard put write "
    "register_buffer".split()
)
_OUTPUT = frozenset(("warn", "warning", "info", "debug", "error", "log"))
_LOGGER = re.compile(r"^\w*(log|warn)\w*\.")
_RANDOM = re.compile(r"rand(n|int|perm|om)?(_like)?|bernoulli_?|multinomial|normal_?|uniform_?|dropout\w*|exponential_")
_DECIDES = re.compile(r"rand(n|int|om)?|bernoulli|uniform")  # random numbers that conditions read
# Modules that change their buffers when they are called.
_COUNTS = re.compile(r"torch\.nn\.(modules\.\w+\.)?(\w*BatchNorm\w*|InstanceNorm\w*)")
_DROPS = re.compile(r"torch\.nn\.(modules\.\w+\.)?(\w*Dropout\w*|RReLU)")


@dataclass(frozen=True, slots=True)
class _Given:
    """The arguments of a call: how many by position, and the names of those by keyword that are not None."""

    positional: int
    named: frozenset[str]

    def lacks(self, node: ast.FunctionDef | ast.AsyncFunctionDef, is_method: bool) -> frozenset[str]:
        """Return the parameters of a function that keep None, their default."""
        places = [*node.args.posonlyargs, *node.args.args]
        defaults = dict(zip((each.arg for each in reversed(places)), reversed(node.args.defaults)))
        defaults |= {each.arg: value for each, value in zip(node.args.kwonlyargs, node.args.kw_defaults) if value}
        filled = {each.arg for each in places[: self.positional + is_method]} | self.named
        return frozenset(
            name for name, value in defaults.items() if name not in filled and getattr(value, "value", 0) is None
        )


def has_effect(ctx: FixContext, lines: Sequence[cst.CSTNode], *, by_chance: bool) -> bool:
    """Return whether calls in ``lines`` change something besides their results, as far as the source tells.

    They write to an argument, an attribute or a variable of the module, print, or update statistics; random numbers are
    an effect unless the lines run ``by_chance``. A call that gets an object that it may change has an effect, too.
    """
    calls = [call for line in lines for call in match.findall(line, match.Call()) if isinstance(call, cst.Call)]
    if any(_passes_object(ctx, call) for call in calls):
        return True
    if not by_chance and any(_draws(call) for call in calls):
        return True
    if any(isinstance(call.func, cst.Attribute) and call.func.attr.value in _CHANGING for call in calls):
        return True
    reader = _Reader(by_chance)
    return any(
        reader.has_effect(each, _given(ctx, call), _MAX_DEPTH)
        for call in calls
        for each in members(ctx.value(call.func) or NONE)
    )


def is_by_chance(ctx: FixContext, test: cst.CSTNode) -> bool:
    """Return whether a test reads a random number, or a variable that is computed from one."""
    function = ctx.tree.enclosing(test, cst.FunctionDef)
    left, seen = [test], set[str]()
    while left:
        node = left.pop()
        names = {n.value for n in match.findall(node, match.Name()) if isinstance(n, cst.Name)}
        if any(_DECIDES.fullmatch(name) for name in names):
            return True
        for name in names - seen:
            target = match.Assign(targets=[match.AssignTarget(match.Name(name))])
            for each in () if function is None else match.findall(function, target):
                left.append(cst.ensure_type(each, cst.Assign).value)
                left += [outer.test for outer in ctx.tree.ancestors(each) if isinstance(outer, cst.If)]
        seen |= names
    return False


def _given(ctx: FixContext, call: cst.Call) -> _Given:
    """Return the arguments of a call that are not None."""
    plain = [arg for arg in call.args if not arg.star and ctx.value(arg.value) != NONE]
    return _Given(
        sum(arg.keyword is None and not arg.star for arg in call.args),
        frozenset(arg.keyword.value for arg in plain if arg.keyword is not None),
    )


def _passes_object(ctx: FixContext, call: cst.Call) -> bool:
    """Return whether a call gets an object that it may change, such as a cache, a list or a dict."""
    for arg in call.args:
        value = None if arg.star else ctx.value(arg.value)
        for each in () if value is None else members(value):
            changes = isinstance(each, Mapping) or (isinstance(each, Instance) and not _is_enum(each))
            if changes or (isinstance(each, Seq) and each.cls in ("list", "set")):
                return True
    return False


def _is_enum(value: Instance) -> bool:
    return isinstance(value.cls, Class) and any(name.startswith("enum.") for name in value.cls.externals)


def _draws(call: cst.Call) -> bool:
    name = call.func.attr.value if isinstance(call.func, cst.Attribute) else getattr(call.func, "value", "")
    return isinstance(name, str) and _RANDOM.fullmatch(name) is not None


class _Reader:
    """Reads the source of functions and of the functions that they call; each one once."""

    def __init__(self, by_chance: bool) -> None:
        self._by_chance = by_chance
        self._seen: set[tuple[int, int, frozenset[str]]] = set()

    def has_effect(self, value: Value, given: _Given, depth: int) -> bool:
        """Return whether calling ``value`` has an effect; a callable without source has none."""
        if isinstance(value, BoundMethod):
            receiver = value.receiver if isinstance(value.receiver, Instance) else None
            function = value.function
            return isinstance(function, Function) and self._of_function(function, receiver, given, depth, True)
        if isinstance(value, Function):
            return self._of_function(value, None, given, depth, False)
        if not isinstance(value, Instance):
            return False
        if isinstance(value.cls, ExternalName):
            drops = not self._by_chance and _DROPS.fullmatch(value.cls.name) is not None
            inner = (each for name, each in value.attrs.items() if not name.startswith("_")) if depth else ()
            return drops or _COUNTS.fullmatch(value.cls.name) is not None or self._any(inner, depth - 1)
        method = _method(value.cls, "forward") or _method(value.cls, "__call__")
        if any(_COUNTS.fullmatch(name) for name in value.cls.externals):
            return True
        return method is not None and self._of_function(method, value, given, depth, True)

    def _any(self, values: Iterable[Value], depth: int) -> bool:
        nothing = _Given(0, frozenset())
        parts = (each for value in values for each in members(value) if isinstance(each, Instance))
        return any(self.has_effect(each, nothing, depth) for each in parts)

    def _of_function(
        self, function: Function, receiver: Instance | None, given: _Given, depth: int, is_method: bool
    ) -> bool:
        node = function.node
        if isinstance(node, ast.Lambda) or depth <= 0:
            return False
        absent = given.lacks(node, is_method)
        key = (id(node), id(receiver), absent)
        if key in self._seen:
            return False
        self._seen.add(key)
        body = _Body(node)
        if body.writes(absent) or body.prints() or (not self._by_chance and body.draws()):
            return True
        return any(
            self.has_effect(each, _given_there(call, absent), depth - 1)
            for call in body.calls
            for each in self._callees(call.func, function, receiver)
        )

    def _callees(self, func: ast.expr, function: Function, receiver: Instance | None) -> Iterator[Value]:
        """Yield what a call in ``function`` may call: a function of its file, a method or a part of ``self``."""
        if isinstance(func, ast.Name):
            for node in function.module.tree.body:
                if isinstance(node, ast.FunctionDef) and node.name == func.id:
                    yield Function(node, function.module, node.name)
        if isinstance(func, ast.Subscript):
            func = func.value
        if receiver is None or not isinstance(func, ast.Attribute) or not isinstance(func.value, ast.Name):
            return
        if func.value.id != "self":
            return
        found = receiver.attrs.get(func.attr)
        if found is not None:
            yield from members(found)
        elif isinstance(receiver.cls, Class):
            method = _method(receiver.cls, func.attr)
            if method is not None:
                yield BoundMethod(method, receiver)


def _given_there(call: ast.Call, absent: frozenset[str]) -> _Given:
    """Return the arguments of a call in a function whose parameters ``absent`` are None."""
    given = [
        each.arg
        for each in call.keywords
        if each.arg is not None
        and not (isinstance(each.value, ast.Name) and each.value.id in absent)
        and not (isinstance(each.value, ast.Constant) and each.value.value is None)
    ]
    return _Given(sum(not isinstance(each, ast.Starred) for each in call.args), frozenset(given))


def _method(cls: Class, name: str) -> Function | None:
    """Return a method as a class defines it, without what decorators and metaclasses make of it."""
    for each in cls.mro:
        for node in each.node.body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == name:
                return Function(node, each.module, f"{each.name}.{name}")
    return None


class _Body:
    """The body of one function."""

    def __init__(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._nodes = [each for line in node.body for each in ast.walk(line)]
        self._packed = {each.arg for each in (node.args.vararg, node.args.kwarg) if each is not None}
        self.calls = [each for each in self._nodes if isinstance(each, ast.Call)]
        self._assigned: dict[str, int] = {}
        for each in self._nodes:
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
                self._assigned[each.id] = min(each.lineno, self._assigned.get(each.id, each.lineno))
        # ``x += 1`` assigns ``x``, but changes the tensor of a parameter.
        for each in self._nodes:
            if isinstance(each, ast.AugAssign) and isinstance(each.target, ast.Name):
                if self._assigned.get(each.target.id) == each.lineno:
                    del self._assigned[each.target.id]

    def writes(self, absent: frozenset[str]) -> bool:
        """Return whether the function changes an argument, an attribute, or a variable from outside.

        The parameters ``absent`` are None, so that nothing changes them.
        """
        self._packed |= absent
        for node in self._nodes:
            if isinstance(node, (ast.Global, ast.Nonlocal)):
                return True
            targets = node.targets if isinstance(node, (ast.Assign, ast.Delete)) else ()
            if isinstance(node, (ast.AugAssign, ast.AnnAssign)):
                targets = [node.target]
            for target in targets:
                if isinstance(target, (ast.Attribute, ast.Subscript)) and not self._is_own(target):
                    return True
                if isinstance(node, ast.AugAssign) and isinstance(target, ast.Name) and not self._is_own(target):
                    return True
            if isinstance(node, ast.Call) and self._changes(node):
                return True
        return False

    def _changes(self, call: ast.Call) -> bool:
        if any(each.arg == "out" for each in call.keywords):
            return True
        if not isinstance(call.func, ast.Attribute):
            return False
        name = call.func.attr
        in_place = name.endswith("_") and not name.endswith("__")
        return (in_place or name in _CHANGING) and not self._is_own(call.func.value)

    def _is_own(self, node: ast.expr) -> bool:
        """Return whether the root of ``node`` is a variable that the function assigned before, or a new value."""
        while isinstance(node, (ast.Attribute, ast.Subscript)):
            node = node.value
        if isinstance(node, ast.Call):
            views = isinstance(node.func, ast.Attribute) and node.func.attr in (
                "view",
                "squeeze",
                "unsqueeze",
                "detach",
            )
            return not (views and isinstance(node.func, ast.Attribute)) or self._is_own(node.func.value)
        if isinstance(node, ast.Name) and node.id in self._packed:
            return True  # a new dict or tuple for each call
        return not isinstance(node, ast.Name) or self._assigned.get(node.id, node.lineno) < node.lineno

    def prints(self) -> bool:
        """Return whether the function writes output."""
        return any(
            _name(call.func) == "print" or (_name(call.func) in _OUTPUT and _LOGGER.search(ast.unparse(call.func)))
            for call in self.calls
        )

    def draws(self) -> bool:
        """Return whether the function draws random numbers."""
        return any(_RANDOM.fullmatch(_name(call.func)) for call in self.calls)


def _name(func: ast.expr) -> str:
    return func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
