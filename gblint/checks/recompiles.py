"""Check of the calls of compiled functions: arguments that differ in a guarded property cause a recompile."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gblint.diagnostics.break_event import BreakEvent, Category, Confidence, ReachedBreak
from gblint.diagnostics.entry_point import EntryPoint
from gblint.diagnostics.span import ChainLink
from gblint.entrypoints.compiled_entries import entries_of
from gblint.entrypoints.module_modes import ModuleModes
from gblint.interp.state.call_args import Args
from gblint.interp.state.compilation import CompiledCall, CompiledObject
from gblint.interp.state.events import span_of
from gblint.interp.state.interpreter import Interpreter
from gblint.interp.tracer import underlying
from gblint.runtime import ast_walk
from gblint.values.base import NONE, Const, Scalar, Tensor, TextMember, Value
from gblint.values.containers import Seq
from gblint.values.objects import ExternalName, Function


def find_recompiles(interp: Interpreter) -> Iterator[ReachedBreak]:
    """Find the visible calls of compiled callables that cause another compilation."""
    for compiled in interp.compilation.objects:
        if compiled.module.origin == "library":
            continue
        points = [entry.point for entry in entries_of(interp, compiled, ModuleModes())]
        function, receiver, _ = underlying(interp, compiled.value)
        if function is None or not points:
            continue
        for site, subject, name in _changes(compiled, function, receiver is not None or compiled.owner is not None):
            yield _reached(site, subject, name, points[0])


def _reached(site: CompiledCall, subject: str, name: str, point: EntryPoint) -> ReachedBreak:
    span = span_of(site.module, site.node)
    event = BreakEvent(
        "recompile",
        subject,
        span,
        site.function,
        confidence=Confidence.LIKELY,
        operand="",
        expression=name,
        category=Category.RECOMPILE,
    )
    return ReachedBreak(event, span, (ChainLink(span.path, span.line, site.function),), (point,), point.region)


def _changes(compiled: CompiledObject, function: Function, bound: bool) -> Iterator[tuple[CompiledCall, str, str]]:
    """Yield the calls that cause another compilation, with the kind of change and the name of the parameter."""
    dynamic = compiled.options.get("dynamic")
    for name, index in _parameters(function, bound):
        if not _is_read(function, name):
            continue
        passed = [(site, _argument(site.args, index, name, function)) for site in compiled.calls]
        known = [(site, value) for site, value in passed if value is not None]
        for number, (site, value) in enumerate(known):
            subject = next((s for _, other in known[:number] if (s := _difference(other, value))), "")
            if not subject and value in _MOVING and _follows_loop(site, index, name):
                subject = "number"
            if subject and not (subject == "number" and dynamic == Const(True)):
                yield site, subject, name
                break


_MOVING = (Scalar("int"), Scalar("float"))


def _parameters(function: Function, bound: bool) -> Iterator[tuple[str, int]]:
    spec = function.node.args
    names = [a.arg for a in (*spec.posonlyargs, *spec.args)][int(bound) :]
    yield from ((name, index) for index, name in enumerate(names))
    yield from ((a.arg, 1_000) for a in spec.kwonlyargs)


def _is_read(function: Function, name: str) -> bool:
    """Return whether the function reads a parameter: Dynamo only guards on arguments that are read."""
    return any(
        isinstance(child, ast.Name) and child.id == name and isinstance(child.ctx, ast.Load)
        for child in ast_walk.walk(function.node)
    )


def _argument(args: Args, index: int, name: str, function: Function) -> Value | None:
    given = args.get(index, name)
    if given is not None or args.star is not None or args.kwstar is not None:
        return given
    spec = function.node.args
    names = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    if name in names and len(names) - names.index(name) <= len(function.defaults):
        return function.defaults[names.index(name) - len(names)]
    return None


def _follows_loop(site: CompiledCall, index: int, name: str) -> bool:
    """Return whether the argument is the variable of a loop around the call."""
    if not isinstance(site.node, ast.Call):
        return False
    passed = [k.value for k in site.node.keywords if k.arg == name] or site.node.args[index : index + 1]
    variables = {
        child.id
        for loop in ast_walk.walk(site.module.tree)
        if isinstance(loop, ast.For) and loop.lineno < site.node.lineno <= (loop.end_lineno or 0)
        for child in ast_walk.walk(loop.target)
        if isinstance(child, ast.Name)
    }
    return any(isinstance(child, ast.Name) and child.id in variables for n in passed for child in ast_walk.walk(n))


def _difference(first: Value, second: Value) -> str:
    """Return the guarded property in which two arguments differ; empty for none, or if that is not known."""
    kinds = (_kind(first), _kind(second))
    if None in kinds:
        return ""
    if kinds[0] != kinds[1]:
        return "optional" if "none" in kinds else "type"
    if isinstance(first, Tensor) and isinstance(second, Tensor):
        pairs = ((first.rank, second.rank), (first.dtype, second.dtype))
        return "type" if any(None not in pair and pair[0] != pair[1] for pair in pairs) else ""
    if isinstance(first, Seq) and isinstance(second, Seq):
        if first.items is None or second.items is None or len(first.items) == len(second.items):
            return ""
        return "length"
    if kinds[0] in ("int", "float"):
        return "number" if first != second else ""
    return "mode" if first != second and not isinstance(first, Scalar) and not isinstance(second, Scalar) else ""


def _kind(value: Value) -> str | None:
    if value == NONE:
        return "none"
    if isinstance(value, Const):
        if isinstance(value.value, TextMember):
            return "member"
        return type(value.value).__name__ if isinstance(value.value, (bool, int, float, str)) else None
    if isinstance(value, Scalar):
        return value.kind if value.kind in ("bool", "int", "float", "str") else None
    if isinstance(value, Tensor):
        return "tensor" if value.proven else None
    if isinstance(value, Seq):
        return value.cls
    return "dtype" if isinstance(value, ExternalName) and value.name.startswith("torch.") else None
