"""What a project compiles and sets around its regions to no effect, or not to the effect that it seems to have."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path

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
from gblint.values.objects import ExternalName, Wrapped

_TOGGLES = {"allows-nothing": KIND, "fullgraph": "raises-under-fullgraph", "twice": "raises-twice"}
_IGNORED = {"disabled": "disable-below", "run": "disable-below", "options": "compile-below"}
_COMPILE = ExternalName("torch.compile")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
# A setting is worth a word if it keeps this many breaks in the graph.
WORTH_SETTING = 3


def check_configuration(m: Interpreter) -> Iterator[ReachedBreak]:
    """Check the settings and the calls of ``torch.compile`` in the project's own modules."""
    for module in m.project.user_modules():
        if m.project.mentions(module, ("set_stance",)):
            yield from _stances(m, module)
        if m.project.mentions(module, ("_dynamo", "environ")) and "torch" in module.source and sets(module.source):
            yield from _settings(m, module)
    for compiled in m.compilation.objects:
        if compiled.module.origin == "library":
            continue
        if _is_dropped(m, compiled):
            yield _said(compiled.module, compiled.node, "result-unused")
        if compiled.kind == "decorator" and isinstance(compiled.value, Wrapped) and compiled.value.kind == "class":
            yield _said(compiled.module, compiled.node, "classmethod", compiled.value.kind)
        if compiled.ignored in _IGNORED:
            yield _said(compiled.module, compiled.node, _IGNORED[compiled.ignored])
        if compiled.undone is not None:
            place = ast.Pass(lineno=compiled.undone.line, col_offset=0)
            yield _said(compiled.module, place, "compile-undone", compiled.undone.option)


def check_regions(
    project: Project, traces: Sequence[TraceResult], reached: Sequence[ReachedBreak]
) -> Iterator[ReachedBreak]:
    """Check the traced regions: options without effect, and settings that would avoid breaks."""
    for note in dict.fromkeys(note for traced in traces for note in traced.notes):
        if note.subject != "toggle":
            yield _at(note.span, note.subject, note.word)
    yield from _toggles(project, traces)
    yield from _missing(reached)


def _stances(m: Interpreter, module: Module) -> Iterator[ReachedBreak]:
    """A stance that is set once for the whole program, and compiles nothing."""
    frame = m.module_frame(module)
    for statement in module.tree.body:
        call = statement.value if isinstance(statement, ast.Expr) else None
        if isinstance(call, ast.Call) and m.eval(call.func, frame) == ExternalName(STANCE):
            given = [*call.args, *(k.value for k in call.keywords if k.arg == "stance")]
            if given and m.eval(given[0], frame) == Const("force_eager"):
                yield _said(module, call, "force-eager")


def _toggles(project: Project, traces: Sequence[TraceResult]) -> Iterator[ReachedBreak]:
    """The calls of ``error_on_graph_break`` that change nothing in any region that they are in."""
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
        found = _said(module, ast.Pass(lineno=span.line, col_offset=0), _TOGGLES[subjects[0]], KIND)
        yield replace(found, entries=(point,), region=point.region)


def _said(module: Module, node: ast.AST, subject: str, expression: str = "") -> ReachedBreak:
    return _at(span_of(module, node), subject, expression)


def _at(span: Span, subject: str, expression: str = "") -> ReachedBreak:
    event = BreakEvent("config", subject, span, "<module>", operand="", expression=expression, category=Category.CONFIG)
    return ReachedBreak(event, span, (ChainLink(span.path, span.line, "<module>"),), (), Region())


# -- settings ----------------------------------------------------------------------------------------------------------


def _settings(m: Interpreter, module: Module) -> Iterator[ReachedBreak]:
    frame = m.module_frame(module)
    loaded = first_use(m, module, frame)
    for node in ast_walk.walk(module.tree):
        for name, value in _set(m, node, frame):
            subject = _fault(m, name, m.eval(value, frame))
            if subject:
                yield _said(module, node, subject, name)
        variable = environment_variable(m, node, frame)
        if (
            _read_once(variable)
            and loaded is not None
            and node in module.tree.body
            and getattr(node, "lineno", 0) > loaded
        ):
            yield _said(module, node, "late-environment", variable)


def _set(m: Interpreter, node: ast.AST, frame: Frame) -> Iterator[tuple[str, ast.expr]]:
    """The settings of ``torch._dynamo.config`` that ``node`` sets."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Attribute) and m.eval(target.value, frame) == CONFIG:
                yield target.attr, node.value
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "patch":
        if m.eval(node.func, frame) == PATCH:
            yield from patched(node)


def _fault(m: Interpreter, name: str, value: Value) -> str:
    if not m.knowledge.has_setting(name):
        return "unknown-setting"
    if name in ("suppress_errors", "disable") and value == TRUE:
        return name
    return ""


def _read_once(variable: str) -> bool:
    """Whether Dynamo looks at an environment variable when it is imported, and not again."""
    if variable == "TORCH_COMPILE_DISABLE":
        return True
    return variable.startswith("TORCHDYNAMO_") and variable != "TORCHDYNAMO_DISABLE"


# -- torch.compile -----------------------------------------------------------------------------------------------------


def _is_dropped(m: Interpreter, compiled: CompiledObject) -> bool:
    """Whether nobody keeps what ``torch.compile(f)`` returns, or the function that keeps it never looks at it."""
    call = compiled.node
    if not isinstance(call, ast.Call) or compiled.options.get("disable", FALSE) == TRUE:
        return False
    if m.eval(call.func, m.module_frame(compiled.module)) != _COMPILE:
        return False
    for node in ast_walk.walk(compiled.module.tree):
        if isinstance(node, ast.Expr) and node.value is call:
            return True
        if isinstance(node, _FUNCTIONS):
            names = [t for s in ast_walk.walk(node) if isinstance(s, ast.Assign) and s.value is call for t in s.targets]
            if names and all(isinstance(t, ast.Name) and not _is_used(node, t.id) for t in names):
                return True
    return False


def _is_used(function: ast.AST, name: str) -> bool:
    for child in ast_walk.walk(function):
        if isinstance(child, ast.Name) and child.id == name and not isinstance(child.ctx, ast.Store):
            return True
        if isinstance(child, (ast.Global, ast.Nonlocal)) and name in child.names:
            return True
        if isinstance(child, ast.Name) and child.id in ("locals", "vars"):
            return True
    return False


# -- settings that would help ------------------------------------------------------------------------------------------

_SCALARS = frozenset("item int float index tolist slice-bound size-arg scalar-arg".split())
_NOT_CAPTURED = ("lstsq", "ctc_loss")


def _missing(reached: Sequence[ReachedBreak]) -> Iterator[ReachedBreak]:
    for setting in ("capture_scalar_outputs", "capture_dynamic_output_shape_ops"):
        helped = [each for each in reached if _helps(setting, each)]
        places = {(each.event.span.path, each.event.span.line) for each in helped}
        points = sorted({point for each in helped for point in each.entries if _is_written(point)}, key=_place)
        if len(places) >= WORTH_SETTING and points:
            yield _at_entry(points[0], setting, len(places))


def _helps(setting: str, reached: ReachedBreak) -> bool:
    event = reached.event
    if event.category is not Category.GRAPH_BREAK or reached.region.fullgraph or event.confidence.rank < 2:
        return False
    if setting == "capture_scalar_outputs":
        return event.kind == "tensor-to-python" and event.subject in _SCALARS
    return event.kind == "dynamic-shape" and not event.subject.endswith(_NOT_CAPTURED)


def _is_written(point: EntryPoint) -> bool:
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
