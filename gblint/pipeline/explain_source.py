"""Lint a line or an expression that stands alone: ``gblint explain 'x.item()'``.  Nothing of it is run."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from gblint.config.settings import Config
from gblint.diagnostics.break_event import Confidence
from gblint.diagnostics.finding import Finding
from gblint.interp.observers.line_watcher import LineWatcher
from gblint.knowledge.catalog import load
from gblint.pipeline.lint import LintRequest, lint, project_of
from gblint.pipeline.source_fragments import fragment_of
from gblint.pipeline.synthetic_module import Assumed, SyntheticModule, synthetic_module
from gblint.report.explain_answers import Assumption, SourceAnswer
from gblint.runtime import ast_text
from gblint.runtime.lazy_dataclasses import replace
from gblint.values.base import UNKNOWN, Tensor, Unknown
from gblint.values.describe import in_words
from gblint.values.objects import ExternalObject

_FILE = "gblint_explained_source.py"  # the name of a file that is never written


# Assumptions about the names in a text, tried in this order until something breaks.
_ASSUMED = (Assumed(), Assumed(tensors=True), Assumed(computed=True))


def explain_source(text: str, torch_version: str) -> SourceAnswer | None:
    """Return the breaks in ``text``, read as code in a compiled function; None if it is not source code."""
    fragment = fragment_of(text)
    if fragment is None:
        return None
    knowledge = load(torch_version)
    first: SourceAnswer | None = None
    try:
        for assumed in _ASSUMED:
            made = synthetic_module(fragment, knowledge, assumed)
            answer = None if made is None else _answer(text, made, assumed, torch_version)
            if answer is not None and answer.findings:
                return answer if first is None else replace(answer, only_if_assumed=True)
            first = first or answer
    except RecursionError:  # an expression nested too deeply
        return None
    return first


def _answer(text: str, made: SyntheticModule, assumed: Assumed, torch_version: str) -> SourceAnswer | None:
    """Lint the module in memory; None if it could not be analysed."""
    path = Path(_FILE).absolute()
    config = Config(path.parent).with_values(min_confidence=Confidence.POSSIBLE)
    config = config.with_values(torch_version=torch_version, select=("ALL",))
    request = LintRequest((path,), overlays={path: made.text})
    project = project_of(request, config)
    module = project.module_at(path)
    if module is None:
        return None
    watcher = LineWatcher(module, made.watched or made.first)
    outcome = lint(replace(request, project=project), config, observer=watcher)
    if outcome.report.errors:
        return None
    inside = [finding for finding in outcome.unfiltered if made.first <= finding.span.line <= made.last]
    taken = tuple(_assumptions(watcher, made, assumed))
    return SourceAnswer(text.strip(), outcome.report.torch_version, tuple(_in_order(inside)), taken)


def _in_order(findings: list[Finding]) -> list[Finding]:
    """Return the first finding of each rule by confidence and place; possible ones only if there are no others."""
    sure = [each for each in findings if each.confidence is not Confidence.POSSIBLE] or findings
    ordered = sorted(sure, key=lambda each: (-each.confidence.rank, each.span.line, each.span.column))
    by_rule: dict[str, Finding] = {}
    for finding in ordered:
        by_rule.setdefault(finding.code, finding)
    return list(by_rule.values())


_IN_WORDS: Final = {
    "torch.optim.Optimizer": "an optimizer",
    "torch.optim.lr_scheduler.LRScheduler": "a learning-rate scheduler",
}


def _assumptions(watcher: LineWatcher, made: SyntheticModule, assumed: Assumed) -> Iterator[Assumption]:
    """Yield the kind of value that the interpreter takes each name for."""
    read = (ast.Name, ast.Attribute)
    values = {ast_text.unparse(node): value for node, value in watcher.notes.values.items() if isinstance(node, read)}
    for name in made.assumed:
        value = values.get(name, UNKNOWN)
        if isinstance(value, Unknown):
            yield Assumption(name, "something unknown", False)
        elif isinstance(value, Tensor):
            kind = "an array" if value.ndarray else "a mask" if value.dtype == "bool" else "a tensor"
            yield Assumption(name, f"{kind} computed there" if assumed.computed and not value.is_input else kind)
        elif isinstance(value, ExternalObject):
            yield Assumption(name, _IN_WORDS.get(value.cls, "a context manager created outside"))
        else:
            words = in_words(value)
            yield Assumption(name, f"{'an' if words[0] in 'aeiou' else 'a'} {words}" if words[0].islower() else words)
