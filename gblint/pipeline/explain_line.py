"""The analysis of one line: ``gblint check --why FILE:LINE``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gblint.config.errors import ConfigError, Problem
from gblint.config.settings import Config
from gblint.diagnostics.line_explanation import LineExplanation, PathCondition
from gblint.diagnostics.span import FileLine
from gblint.interp import Interpreter
from gblint.interp.observers.line_watcher import LineWatcher
from gblint.pipeline.lint import LintRequest, Progress, lint, project_of
from gblint.project.modules import Module
from gblint.project.project import Project
from gblint.runtime import ast_text, ast_walk
from gblint.runtime.lazy_dataclasses import replace
from gblint.values.describe import in_words

_FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def explain_line(
    place: FileLine, request: LintRequest, config: Config, progress: Progress | None = None
) -> LineExplanation:
    """Run ``lint`` with an observer of the line ``place``; raises ConfigError if there is no such line."""
    project = request.project or project_of(request, config)
    project.set_overlays(request.overlays)
    module = _module_at(project, place)
    watcher = LineWatcher(module, place.line)
    outcome = lint(replace(request, project=project), config, progress, observer=watcher)
    assert outcome.context is not None
    text = module.lines[place.line - 1].strip() if module.lines else ""
    answer = LineExplanation(module.display, place.line, text, _name(watcher.function), False)
    answer.errors = outcome.report.errors
    answer.findings = [
        f for f in outcome.unfiltered if f.span.path == module.display and f.span.line <= place.line <= f.span.end_line
    ]
    _explain(answer, watcher, outcome.context.interpreter, outcome.report.entries == [])
    return answer


def _module_at(project: Project, place: FileLine) -> Module:
    asked = f"--why {place.path}:{place.line}"
    module = project.module_at(place.path.absolute())
    if module is None:
        raise ConfigError([Problem(asked, 0, "there is no such Python file")])
    lines = len(module.lines)
    if module.tree and module.error is not None:
        raise ConfigError([Problem(asked, 0, f"cannot be parsed: {module.error.message}")])
    if place.line > max(lines, 1):
        raise ConfigError([Problem(asked, 0, f"the file has {lines} lines")])
    return module


def _name(function: ast.AST | None) -> str:
    return "<module>" if function is None else getattr(function, "name", "<lambda>")


def _explain(answer: LineExplanation, watcher: LineWatcher, interp: Interpreter, no_entries: bool) -> None:
    notes = watcher.notes
    path = _enclosing_statements(watcher.function or watcher.module.tree, answer.line)
    statement = path[-1] if path else None
    answer.conditions = list(_conditions(watcher, interp, path))
    if watcher.function is not None and notes.chains:
        answer.function, answer.chain = next(iter(notes.chains.items()))
    answer.reached = statement in notes.reached or bool(
        isinstance(watcher.function, ast.Lambda) and any(True for _ in _values(watcher, answer.line))
    )
    if answer.reached:
        answer.values = list(_values(watcher, answer.line))
    else:
        answer.reason = _reason(watcher, path, answer, no_entries)


def _enclosing_statements(function: ast.AST, line: int) -> list[ast.stmt]:
    """Return the statements around ``line``, outermost first, down to the innermost one."""
    path: list[ast.stmt] = []
    body: list[ast.stmt] = list(ast_walk.statements_in(function))
    while True:
        inner = next((s for s in body if s.lineno <= line <= (s.end_lineno or s.lineno)), None)
        if inner is None:
            return path
        path.append(inner)
        body = [] if isinstance(inner, (*_FUNCTION, ast.ClassDef)) else list(ast_walk.statements_in(inner))


def _conditions(watcher: LineWatcher, interp: Interpreter, path: list[ast.stmt]) -> Iterator[PathCondition]:
    """Yield the evaluated conditions that control passes on its way to the line."""
    for node in path:
        if isinstance(node, (ast.If, ast.While)) and node in watcher.notes.reached:
            yield PathCondition(node.test.lineno, ast_text.unparse(node.test), watcher.outcome(interp, node.test))


def _values(watcher: LineWatcher, line: int) -> Iterator[tuple[str, str]]:
    """Yield the expressions of the line with their values, in the order of the source, each once."""
    seen: set[str] = set()
    on_line = [
        (node, value)
        for node, value in watcher.notes.values.items()
        if isinstance(node, ast.expr) and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    for node, value in sorted(on_line, key=lambda item: (item[0].lineno, item[0].col_offset, item[0].end_col_offset)):
        text = ast_text.unparse(node)
        if not isinstance(node, ast.Constant) and text not in seen:
            seen.add(text)
            yield text, in_words(value)


def _reason(watcher: LineWatcher, path: list[ast.stmt], answer: LineExplanation, no_entries: bool) -> str:
    """Return why compiled code does not run the line."""
    notes = watcher.notes
    if no_entries:
        return "nothing is compiled: there is no entry point"
    if not path:
        return "there is no statement on this line"
    if watcher.function is None:
        return "this is the top level of a module, which runs when it is imported, outside of every compiled region"
    if not notes.reached:
        return (
            f"`{answer.function}` is only called by code that runs eagerly"
            if notes.eager
            else f"no entry point reaches `{answer.function}`"
        )
    outer: ast.AST = watcher.function
    for node in path:
        if node not in notes.reached:
            return _why_not_entered(watcher, outer, node)
        outer = node
    return "this line is never reached"


def _why_not_entered(watcher: LineWatcher, outer: ast.AST, node: ast.stmt) -> str:
    """Return why control reaches ``outer`` but not ``node`` in its body."""
    before: ast.stmt | None = None
    for child in ast_walk.statements_in(outer):
        if child is node:
            break
        before = child if child in watcher.notes.reached else before
    if before is not None and before not in watcher.notes.passed and _same_block(outer, before, node):
        return f"no path continues after line {before.end_lineno} (`{_first_line(before)}`)"
    if isinstance(outer, (ast.If, ast.While)):
        value = watcher.notes.values.get(outer.test)
        always = "false" if node in outer.body else "true"
        what = "" if value is None else f" ({in_words(value)})"
        return f"the condition on line {outer.lineno}, `{ast_text.unparse(outer.test)}`{what}, is always {always} here"
    if isinstance(outer, (ast.For, ast.AsyncFor)):
        return f"the loop on line {outer.lineno} has nothing to iterate over"
    if isinstance(outer, ast.Try):
        return f"gblint knows nothing in the `try` on line {outer.lineno} that raises an exception for this handler"
    return f"line {getattr(outer, 'lineno', 1)} does not lead to this line"


def _same_block(outer: ast.AST, one: ast.stmt, other: ast.stmt) -> bool:
    blocks = (getattr(outer, name, []) for name in ("body", "orelse", "finalbody"))
    return any(isinstance(block, list) and one in block and other in block for block in blocks)


def _first_line(node: ast.stmt) -> str:
    return ast_text.unparse(node).splitlines()[0]
