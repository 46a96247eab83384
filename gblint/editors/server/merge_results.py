"""What is known of a project from several runs: an earlier one of everything, a later one of what an edit touched."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from gblint.diagnostics.entry_point import EntryPoint
from gblint.diagnostics.finding import Finding
from gblint.diagnostics.report import FileError
from gblint.editors.server.edits import Change
from gblint.editors.server.jobs import Answer, JobScope, entry_key
from gblint.runtime.lazy_dataclasses import replace

# An edit in what everybody uses touches everything: the rest of it waits for the run of everything.
MOST_ENTRIES = 24
Lines = Mapping[str, Sequence[str]]


def scope_of(whole: Answer, changed: Iterable[str]) -> JobScope:
    """What to look at again after an edit of the files ``changed``: the entry points that come through them."""
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
    """What to look at to learn more of ``findings``: all the entry points that reach them."""
    names = {name for finding in findings for name in finding.entries}
    points = [point for point in whole.entries if point.name in names]
    assumed = any(point.kind == "assumed" for point in whole.entries)
    files = frozenset(absolute(point.path) for point in points)
    return JobScope(files, frozenset(map(entry_key, points)), frozenset(), "always" if assumed else "never")


def _files_of(whole: Answer, point: EntryPoint) -> frozenset[str]:
    return whole.reach.get(entry_key(point), frozenset()) | {absolute(point.path)}


def merged(old: Answer, new: Answer, scope: JobScope, before: Lines, after: Lines) -> Answer:
    """``old`` with what ``new`` says of the part ``scope``; ``before`` and ``after`` are the texts of edited files."""
    looked_at = {entry_key(point) for point in new.entries} | scope.entries
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
    """An answer that has all of this."""
    reach = {**old.reach, **new.reach}
    ordered = sorted(findings, key=lambda f: (f.span.path, f.span.line, f.span.column, f.code, f.message))
    config = new.config or old.config
    return Answer(config, new.problems, ordered, errors, old.warnings, entries, reach, old.note, seconds=old.seconds)


def all_moved(answer: Answer, before: Lines, after: Lines, same: bool = False) -> Answer:
    """The findings and the entry points where they are after an edit; those in what was edited are left out."""
    places = (moved(found, before, after, same) for found in answer.findings)
    entries = (_moved_entry(point, before, after, same) for point in answer.entries)
    reach = {
        entry_key(new): answer.reach[entry_key(old)]
        for old in answer.entries
        if entry_key(old) in answer.reach and (new := _moved_entry(old, before, after, same)) is not None
    }
    return replace(
        answer,
        findings=[found for found in places if found is not None],
        entries=[point for point in entries if point is not None],
        reach=reach,
    )


def _moved_entry(point: EntryPoint, before: Lines, after: Lines, same: bool) -> EntryPoint | None:
    path = absolute(point.path)
    if path not in before or path not in after or before[path] == after[path]:
        return point
    change = Change.between(before[path], after[path])
    shift = change.moved(point.line, point.line)
    if shift is None:
        return point if same and not change.shift else None
    return replace(point, line=point.line + shift)


def moved(found: Finding, before: Lines, after: Lines, same: bool = False) -> Finding | None:
    """A finding at the place where its lines are after an edit; None if the edit was in them.

    With ``same`` the edit left the program as it was, and a line that differs is still that line.
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
    """The path as projects know it."""
    return str(Path(path).absolute())
