"""Merging the results of a run after an edit into those of an earlier run of the whole project."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from gblint.diagnostics.entry_point import EntryPoint
from gblint.diagnostics.finding import Finding
from gblint.diagnostics.report import FileError
from gblint.diagnostics.unresolved import UnresolvedTarget
from gblint.editors.server.jobs import Answer, JobScope, entry_key
from gblint.pipeline.edits import Change
from gblint.runtime.lazy_dataclasses import replace

# The limit for an edit in code that many entry points reach; the run of the whole project analyses the others.
MOST_ENTRIES = 24
Lines = Mapping[str, Sequence[str]]
Place = TypeVar("Place", EntryPoint, UnresolvedTarget)


def scope_of(whole: Answer, changed: Iterable[str]) -> JobScope:
    """Return the scope of a run after an edit: the entry points that reach the files ``changed``."""
    files = frozenset(changed)
    touched = [point for point in whole.entries if files & _files_of(whole, point)]
    touched.sort(key=lambda point: absolute(point.path) not in files)
    touched = touched[:MOST_ENTRIES]
    assumed = any(point.kind == "assumed" for point in whole.entries)
    return JobScope(
        files | {absolute(point.path) for point in touched},
        frozenset(map(entry_key, touched)),
        files,
        "always" if assumed else "never",
    )


def scope_around(whole: Answer, findings: Iterable[Finding]) -> JobScope:
    """Return the scope of all entry points that reach ``findings``."""
    names = {name for finding in findings for name in finding.entries}
    points = [point for point in whole.entries if point.name in names]
    assumed = any(point.kind == "assumed" for point in whole.entries)
    files = frozenset(absolute(point.path) for point in points)
    return JobScope(files, frozenset(map(entry_key, points)), frozenset(), "always" if assumed else "never")


def _files_of(whole: Answer, point: EntryPoint) -> frozenset[str]:
    return whole.reach.get(entry_key(point), frozenset()) | {absolute(point.path)}


def merged(old: Answer, new: Answer, scope: JobScope, before: Lines, after: Lines) -> Answer:
    """Return ``old`` with the results for ``scope`` from ``new``; ``before`` and ``after`` have the edited texts."""
    # A search in a few files may miss entry points that depend on other files.  Only one in an edited file may be gone.
    edited = {entry_key(point) for point in old.entries if absolute(point.path) in scope.changed}
    looked_at = {entry_key(point) for point in new.entries} | (scope.entries & edited)
    names = {name for name, _, _ in looked_at}
    findings = list(new.findings)
    known = {(found.code, found.span, found.message) for found in findings}
    for found in old.findings:
        others = set(found.entries) - names if found.entries else absolute(found.span.path) not in scope.files
        kept = moved(found, before, after) if others else None
        if kept is not None and (kept.code, kept.span, kept.message) not in known:
            findings.append(kept)
    entries = [e for e in old.entries if entry_key(e) not in looked_at and absolute(e.path) not in scope.changed]
    errors = [e for e in old.errors if absolute(e.path) not in scope.files]
    return replace_answer(old, new, findings, [*entries, *new.entries], [*errors, *new.errors])


def replace_answer(
    old: Answer, new: Answer, findings: list[Finding], entries: list[EntryPoint], errors: list[FileError]
) -> Answer:
    """Return an answer with these parts; the rest is from ``new`` or ``old``."""
    reach = {**old.reach, **new.reach}
    ordered = sorted(findings, key=lambda f: (f.span.path, f.span.line, f.span.column, f.code, f.message))
    config = new.config or old.config
    return Answer(
        config,
        new.problems,
        ordered,
        errors,
        old.warnings,
        entries,
        reach,
        old.note,
        unresolved=old.unresolved,
        seconds=old.seconds,
    )


def all_moved(answer: Answer, before: Lines, after: Lines, same: bool = False) -> Answer:
    """Return the findings and entry points at their new lines after an edit, without those in edited lines."""
    places = (moved(found, before, after, same) for found in answer.findings)
    entries = (_moved(point, before, after, same) for point in answer.entries)
    reach = {
        entry_key(new): answer.reach[entry_key(old)]
        for old in answer.entries
        if entry_key(old) in answer.reach and (new := _moved(old, before, after, same)) is not None
    }
    return replace(
        answer,
        findings=[found for found in places if found is not None],
        entries=[point for point in entries if point is not None],
        unresolved=[target for each in answer.unresolved if (target := _moved(each, before, after, same)) is not None],
        reach=reach,
    )


def _moved(point: Place, before: Lines, after: Lines, same: bool) -> Place | None:
    """Return an entry point or unresolved target at its line after an edit; None if this line was edited."""
    path = absolute(point.path)
    if path not in before or path not in after or before[path] == after[path]:
        return point
    change = Change.between(before[path], after[path])
    shift = change.moved(point.line, point.line)
    if shift is None:
        return point if same and not change.shift else None
    return replace(point, line=point.line + shift)


def moved(found: Finding, before: Lines, after: Lines, same: bool = False) -> Finding | None:
    """Return a finding at its new lines after an edit; None if these lines were edited.

    ``same`` is true if the edit did not change the program; findings in edited lines are then kept.
    """
    path = absolute(found.span.path)
    if path not in before or path not in after or before[path] == after[path]:
        return found
    span, change = found.span, Change.between(before[path], after[path])
    shift = change.moved(span.line, max(span.line, span.end_line))
    if shift is None:
        return found if same and not change.shift else None
    return replace(
        found, span=replace(span, line=span.line + shift, end_line=span.end_line and span.end_line + shift), fixes=()
    )


def absolute(path: str) -> str:
    """Return the absolute path, as projects use it."""
    return str(Path(path).absolute())
