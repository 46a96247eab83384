"""Checks of calls and settings around compiled regions that have no effect, or another one than it seems."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path

from gblint.checks.removing_settings import CAPTURES, removing_setting
from gblint.diagnostics.break_event import BreakEvent, Category, Confidence, ReachedBreak
from gblint.diagnostics.entry_point import EntryPoint, Region
from gblint.diagnostics.span import ChainLink, Span
from gblint.entrypoints.prefilter import sets
from gblint.interp import TraceResult
from gblint.interp.models.torch.compiler_decorators import STANCE
from gblint.interp.models.torch.dynamo_config import CONFIG, PATCH, environment_variable, first_use, patched
from gblint.interp.models.torch.error_on_graph_break import KIND
from gblint.interp.state.compilation import CompiledObject
from gblint.interp.state.events import span_of
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.project.modules import Module
from gblint.project.project import Project
from gblint.runtime import ast_walk
from gblint.runtime.lazy_dataclasses import replace
from gblint.values.base import FALSE, TRUE, Const, Value
from gblint.values.objects import ExternalName
from gblint.values.wrapped import ClassMethod

_TOGGLES = {"allows-nothing": KIND, "fullgraph": "raises-under-fullgraph", "twice": "raises-twice"}
_IGNORED = {"disabled": "disable-below", "run": "disable-below", "options": "compile-below"}
_COMPILE = ExternalName("torch.compile")
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
# A setting is recommended if it avoids so many breaks.
MIN_BREAKS_AVOIDED = 3


def check_configuration(interp: Interpreter) -> Iterator[ReachedBreak]:
    """Check the settings and the calls of ``torch.compile`` in the project's own modules."""
    for module in interp.project.user_modules():
        if interp.project.mentions(module, ("set_stance",)):
            yield from _stances(interp, module)
        if interp.project.mentions(module, ("_dynamo", "environ")) and "torch" in module.source and sets(module.source):
            yield from _settings(interp, module)
    results: dict[Module, _Results] = {}
    for compiled in interp.compilation.objects:
        if compiled.module.origin == "library":
            continue
        if _is_unused(interp, compiled, results):
            yield _at_node(compiled.module, compiled.node, "result-unused")
        if compiled.kind == "decorator" and isinstance(compiled.value, ClassMethod):
            yield _at_node(compiled.module, compiled.node, "classmethod", compiled.value.description)
        if compiled.ignored in _IGNORED:
            yield _at_node(compiled.module, compiled.node, _IGNORED[compiled.ignored])
        if compiled.undone is not None:
            place = ast.Pass(lineno=compiled.undone.line, col_offset=0)
            yield _at_node(compiled.module, place, "compile-undone", compiled.undone.option)


def check_regions(
    project: Project, traces: Sequence[TraceResult], reached: Sequence[ReachedBreak]
) -> Iterator[ReachedBreak]:
    """Check the traced regions: options without effect, and settings that would avoid breaks."""
    for note in dict.fromkeys(note for traced in traces for note in traced.notes):
        if note.subject != "toggle":
            yield _at(note.span, note.subject, note.word)
    yield from _toggles(project, traces)
    yield from _recommended_settings(reached)


def _stances(interp: Interpreter, module: Module) -> Iterator[ReachedBreak]:
    """Find a stance, set at the top level of a module, that compiles nothing."""
    frame = interp.module_frame(module)
    for statement in module.tree.body:
        call = statement.value if isinstance(statement, ast.Expr) else None
        if isinstance(call, ast.Call) and interp.eval(call.func, frame) == ExternalName(STANCE):
            given = [*call.args, *(k.value for k in call.keywords if k.arg == "stance")]
            if given and interp.eval(given[0], frame) == Const("force_eager"):
                yield _at_node(module, call, "force-eager")


def _toggles(project: Project, traces: Sequence[TraceResult]) -> Iterator[ReachedBreak]:
    """Find calls of ``error_on_graph_break`` that change nothing in any region."""
    toggled: dict[Span, dict[str, EntryPoint]] = {}
    for traced in traces:
        for note in traced.notes:
            if note.subject == "toggle":
                toggled.setdefault(note.span, {}).setdefault(note.word, traced.point)
    for span, effects in toggled.items():
        module = project.module_at(Path(span.path).absolute())
        subjects = [e for e in effects if e == "allows-nothing"] or ([] if "" in effects else list(effects))
        if module is None or module.origin == "library" or not subjects:
            continue
        point = effects[subjects[0]]
        found = _at_node(module, ast.Pass(lineno=span.line, col_offset=0), _TOGGLES[subjects[0]], KIND)
        yield replace(found, entries=(point,), region=point.region)


def _at_node(module: Module, node: ast.AST, subject: str, expression: str = "") -> ReachedBreak:
    span = span_of(module, node)
    return _at(span, subject, expression, _function_at(module, span.line))


def _at(span: Span, subject: str, expression: str = "", function: str = "<module>") -> ReachedBreak:
    event = BreakEvent("config", subject, span, function, operand="", expression=expression, category=Category.CONFIG)
    return ReachedBreak(event, span, (ChainLink(span.path, span.line, function),), (), Region())


def _function_at(module: Module, line: int) -> str:
    """Return the name of the function or class around a line; "<module>" at the top level."""
    names: list[str] = []
    scope: ast.AST | None = module.tree
    while scope is not None:
        outer = scope
        scope = next((each for each in ast_walk.walk(outer) if each is not outer and _is_scope_of(each, line)), None)
        if isinstance(scope, _SCOPES):
            names.append(scope.name)
    return ".".join(names) or "<module>"


def _is_scope_of(node: ast.AST, line: int) -> bool:
    return isinstance(node, _SCOPES) and node.lineno <= line <= (node.end_lineno or node.lineno)


# -- settings ----------------------------------------------------------------------------------------------------------


def _settings(interp: Interpreter, module: Module) -> Iterator[ReachedBreak]:
    frame = interp.module_frame(module)
    first_line = first_use(interp, module, frame)
    left_out = _tried_or_shadowed(module)
    guarded: set[ast.AST] | None = None
    for node in ast_walk.walk(module.tree):
        if node in left_out:
            continue
        for name, value in _assignments(interp, node, frame):
            subject = _problem_of(interp, name, interp.eval(value, frame))
            if subject == "unknown-setting":
                guarded = _guarded(interp, module, frame) if guarded is None else guarded
                if node not in guarded:
                    yield _unknown_setting(module, node, name)
            elif subject:
                yield _at_node(module, node, subject, name)
        variable = environment_variable(interp, node, frame)
        if (
            _read_once(variable)
            and first_line is not None
            and node in module.tree.body
            and getattr(node, "lineno", 0) > first_line
        ):
            yield _at_node(module, node, "late-environment", variable)


def _tried_or_shadowed(module: Module) -> set[ast.AST]:
    """Return the nodes whose errors are caught, and those of functions that import something else as ``config``."""
    found: set[ast.AST] = set()
    for node in ast_walk.walk(module.tree):
        if isinstance(node, ast.Try) and node.handlers:
            found.update(inner for statement in node.body for inner in ast_walk.walk(statement))
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            bound = {a.asname or a.name for s in ast_walk.walk(node) if isinstance(s, ast.ImportFrom) for a in s.names}
            if "config" in bound:
                found.update(ast_walk.walk(node))
    return found


def _guarded(interp: Interpreter, module: Module, frame: Frame) -> set[ast.AST]:
    """Return the nodes in branches that this version of torch may not run, or that ask whether a name exists."""
    found: set[ast.AST] = set()
    for node in ast_walk.walk(module.tree):
        if isinstance(node, ast.If):
            found.update(inner for statement in _skipped(interp, node, frame) for inner in ast_walk.walk(statement))
    return found


def _skipped(interp: Interpreter, node: ast.If, frame: Frame) -> list[ast.stmt]:
    """Return the statements of the branches that may not run.

    Without torch in the environment its exact version is not known.
    """
    parts = ast_walk.walk(node.test)
    if any(isinstance(part, ast.Name) and part.id == "hasattr" for part in parts):
        return [*node.body, *node.orelse]
    value = interp.eval(node.test, frame)
    if value in (TRUE, FALSE):
        return node.orelse if value == TRUE else node.body
    asks = any(isinstance(part, ast.Attribute) and part.attr == "__version__" for part in parts)
    return [*node.body, *node.orelse] if asks else []


def _unknown_setting(module: Module, node: ast.AST, name: str) -> ReachedBreak:
    """Return the problem of a setting that does not exist: certain if each import of the module runs the line."""
    found = _at_node(module, node, "unknown-setting", name)
    if node in module.tree.body:
        return found
    return replace(found, event=replace(found.event, confidence=Confidence.LIKELY))


def _assignments(interp: Interpreter, node: ast.AST, frame: Frame) -> Iterator[tuple[str, ast.expr]]:
    """Yield the options of ``torch._dynamo.config`` that ``node`` sets, with the value expressions."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Attribute) and interp.eval(target.value, frame) == CONFIG:
                yield target.attr, node.value
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "patch":
        if interp.eval(node.func, frame) == PATCH:
            yield from patched(node)


def _problem_of(interp: Interpreter, name: str, value: Value) -> str:
    if not interp.knowledge.has_setting(name):
        return "unknown-setting"
    if name in ("suppress_errors", "disable") and value == TRUE:
        return name
    return ""


def _read_once(variable: str) -> bool:
    """Return whether Dynamo reads an environment variable only once, when it is imported."""
    if variable == "TORCH_COMPILE_DISABLE":
        return True
    return variable.startswith("TORCHDYNAMO_") and variable != "TORCHDYNAMO_DISABLE"


# -- torch.compile -----------------------------------------------------------------------------------------------------


# By call: the functions that assign its result, with the targets; None if the result is discarded.
_Results = dict[ast.AST, "list[tuple[ast.AST, list[ast.expr]]] | None"]


def _is_unused(interp: Interpreter, compiled: CompiledObject, results: dict[Module, _Results]) -> bool:
    """Return whether the result of ``torch.compile(f)`` is discarded, or only assigned to a local name never read."""
    call = compiled.node
    if not isinstance(call, ast.Call) or compiled.options.get("disable", FALSE) == TRUE:
        return False
    if interp.eval(call.func, interp.module_frame(compiled.module)) != _COMPILE:
        return False
    if compiled.module not in results:
        results[compiled.module] = _results_in(compiled.module.tree)
    assigned = results[compiled.module].get(call, [])
    if assigned is None:
        return True
    return any(all(isinstance(t, ast.Name) and not _is_used(f, t.id) for t in targets) for f, targets in assigned)


def _results_in(tree: ast.Module) -> _Results:
    """Return what becomes of the results of the calls in a module."""
    found: _Results = {}
    for node in ast_walk.walk(tree):
        if isinstance(node, ast.Expr):
            found[node.value] = None
        elif isinstance(node, _FUNCTIONS):
            for inner in ast_walk.walk(node):
                if isinstance(inner, ast.Assign) and isinstance(inner.value, ast.Call):
                    assigned = found.setdefault(inner.value, [])
                    if assigned is not None:
                        assigned.append((node, inner.targets))
    return found


def _is_used(function: ast.AST, name: str) -> bool:
    for child in ast_walk.walk(function):
        if isinstance(child, ast.Name) and child.id == name and not isinstance(child.ctx, ast.Store):
            return True
        if isinstance(child, (ast.Global, ast.Nonlocal)) and name in child.names:
            return True
        if isinstance(child, ast.Name) and child.id in ("locals", "vars"):
            return True
    return False


# -- recommended settings ----------------------------------------------------------------------------------------------


def _recommended_settings(reached: Sequence[ReachedBreak]) -> Iterator[ReachedBreak]:
    """Find capture settings that would avoid several breaks."""
    for setting in CAPTURES:
        helped = [each for each in reached if each.event.confidence.rank >= 2 and _helps(setting, each)]
        places = {(each.event.span.path, each.event.span.line) for each in helped}
        points = sorted({point for each in helped for point in each.entries if _is_explicit(point)}, key=_place)
        if len(places) >= MIN_BREAKS_AVOIDED and points:
            yield _at_entry(points[0], setting, len(places))


def _helps(setting: str, reached: ReachedBreak) -> bool:
    return removing_setting(reached) == f"{setting} = True"


def _is_explicit(point: EntryPoint) -> bool:
    return point.kind in ("decorator", "call", "method")


def _place(point: EntryPoint) -> tuple[str, int, str]:
    return point.path, point.line, point.name


def _at_entry(point: EntryPoint, setting: str, count: int) -> ReachedBreak:
    span = Span(point.path, point.line, 1, point.line, 1)
    event = BreakEvent(
        "config",
        setting,
        span,
        point.name,
        confidence=Confidence.LIKELY,
        operand=str(count),
        category=Category.CONFIG,
    )
    return ReachedBreak(event, span, (ChainLink(span.path, span.line, point.name),), (point,), point.region)
