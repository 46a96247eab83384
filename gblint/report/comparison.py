"""The comparison of two JSON reports: new findings, findings that are gone, and changed numbers of graphs."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from gblint.project.source_text import Style, neutral
from gblint.report.no_entry_points import VERSION, counted
from gblint.runtime.lazy_dataclasses import dataclass

Item = Mapping[str, Any]
_FINDING_KEYS = ("path", "line", "column", "code", "confidence", "severity", "message")
_ROWS = 20  # lines of a table in Markdown; a comment on a pull request is read, not searched


class NoReportError(ValueError):
    """The text is not a JSON report of ``gblint check``; the message is one line for the user."""


@dataclass(frozen=True, slots=True)
class ChangedGraphs:
    """An entry point whose number of graphs for each call has changed; each is a range as text, such as ``2 to 4``."""

    entry: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class ReportDifferences:
    """The differences between two reports.

    ``new`` and ``gone``: findings, as objects of the JSON contract.  ``unchanged``: the number of findings in both.
    ``unresolved``: compiled objects that were not analysed in the new report only.
    """

    new: tuple[Item, ...]
    gone: tuple[Item, ...]
    unchanged: int
    graphs: tuple[ChangedGraphs, ...]
    unresolved: tuple[Item, ...]


def parse(text: str) -> Item:
    """Read a JSON report; raise NoReportError."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise NoReportError("not JSON") from None
    if not isinstance(document, dict) or not isinstance(document.get("findings"), list):
        raise NoReportError("not a report of `gblint check --output-format json`")
    if document.get("version") != VERSION:
        raise NoReportError(f"a report of version {document.get('version')}, not {VERSION}")
    if not all(map(_is_finding, document["findings"])):
        raise NoReportError("a report with damaged findings")
    return document


def compare(before: Item, after: Item) -> ReportDifferences:
    """Compare two reports.

    Findings are the same if file and fingerprint agree, so that other changes in the file do not matter.  What is left
    is then matched by fingerprint alone, since a file may have another name.
    """
    old, new = list(before["findings"]), list(after["findings"])
    total = len(new)
    for key in (lambda item: (item["path"], _mark(item)), _mark):
        old, new = _unmatched(old, new, key)
    known = Counter(map(_target, before.get("unresolved", ())))
    unresolved = []
    for item in after.get("unresolved", ()):
        known[_target(item)] -= 1
        if known[_target(item)] < 0:
            unresolved.append(item)
    return ReportDifferences(tuple(new), tuple(old), total - len(new), tuple(_graphs(before, after)), tuple(unresolved))


def as_text(found: ReportDifferences, style: Style) -> Iterator[str]:
    """Yield the lines for a terminal."""
    for title, items in (("New", found.new), ("Gone", found.gone)):
        if items:
            yield style.bold(f"{title}:")
            yield from (f"  {_line(item, style)}" for item in items)
    if found.unresolved:
        yield style.bold("No longer analysed:")
        yield from (f"  {_place(item)}: {neutral(item['message'])}" for item in found.unresolved)
    if found.graphs:
        yield style.bold("Graphs per call (estimated):")
        yield from (f"  {neutral(each.entry)}: {each.before} -> {each.after}" for each in found.graphs)
    yield style.bold(f"{sentence(found)}.")


def as_markdown(found: ReportDifferences) -> Iterator[str]:
    """Yield the lines of a comment for a pull request."""
    yield f"**gblint**: {sentence(found)}"
    for title, items in (("New", found.new), ("Gone", found.gone)):
        if items:
            yield from ("", f"| {title} | | |", "| --- | --- | --- |")
            for item in items[:_ROWS]:
                yield f"| `{_cell(_place(item))}` | {item['code']} | {_cell(item['message'])} |"
            if len(items) > _ROWS:
                yield f"| ... and {len(items) - _ROWS:,} more | | |"
    if found.unresolved:
        yield from ("", "No longer analysed:")
        yield from (f"- `{_cell(_place(item))}`: {_cell(item['message'])}" for item in found.unresolved[:_ROWS])
    if found.graphs:
        yield from ("", "| Graphs per call (estimated) | before | after |", "| --- | --- | --- |")
        yield from (f"| `{_cell(each.entry)}` | {each.before} | {each.after} |" for each in found.graphs[:_ROWS])


def as_json(found: ReportDifferences) -> str:
    """Return the comparison as a document."""
    graphs = [{"entry": each.entry, "before": each.before, "after": each.after} for each in found.graphs]
    document = {
        "version": VERSION,
        "new": list(found.new),
        "gone": list(found.gone),
        "unchanged": found.unchanged,
        "graphs": graphs,
        "unresolved": list(found.unresolved),
    }
    return json.dumps(document, indent=2)


def sentence(found: ReportDifferences) -> str:
    """Return the numbers in one line."""
    parts = [f"{counted(len(found.new), 'new finding')}", f"{len(found.gone):,} gone", f"{found.unchanged:,} unchanged"]
    if found.unresolved:
        parts.append(f"{counted(len(found.unresolved), 'compiled object')} no longer analysed")
    return ", ".join(parts)


def _unmatched(
    old: Sequence[Item], new: Sequence[Item], key: Callable[[Item], object]
) -> tuple[list[Item], list[Item]]:
    """Return the old and the new items that have no partner with the same key."""
    waiting: defaultdict[object, list[Item]] = defaultdict(list)
    for item in old:
        waiting[key(item)].append(item)
    left = []
    for item in new:
        partners = waiting[key(item)]
        if partners:
            partners.pop(0)
        else:
            left.append(item)
    rest = {id(item) for items in waiting.values() for item in items}
    return [item for item in old if id(item) in rest], left


def _mark(item: Item) -> object:
    """Return the fingerprint of a finding; a report of an older gblint has none."""
    return item.get("fingerprint") or (item["code"], item["message"])


def _target(item: Item) -> tuple[object, object]:
    return item.get("path"), item.get("expression")


def _graphs(before: Item, after: Item) -> Iterator[ChangedGraphs]:
    old = dict(_counts(before.get("entries", ())))
    for name, count in _counts(after.get("entries", ())):
        if name in old and old[name] != count:
            yield ChangedGraphs(name, old[name], count)


def _counts(entries: Iterable[Any]) -> Iterator[tuple[str, str]]:
    for entry in entries:
        graphs = entry.get("graphs") if isinstance(entry, dict) else None
        if isinstance(graphs, dict) and isinstance(graphs.get("low"), int):
            low, high = graphs["low"], graphs.get("high")
            yield str(entry.get("name")), str(low) if low == high else f"{low} to {'many' if high is None else high}"


def _is_finding(item: Any) -> bool:
    return isinstance(item, dict) and all(key in item for key in _FINDING_KEYS)


def _place(item: Item) -> str:
    return neutral(f"{item['path']}:{item['line']}")


def _line(item: Item, style: Style) -> str:
    raises = " (raises)" if item.get("raised_by") else ""
    place = f"{_place(item)}:{item['column']}"
    return (
        f"{style.bold(place)}: {style.red(str(item['code']))} [{item['confidence']}] {neutral(item['message'])}{raises}"
    )


def _cell(text: str) -> str:
    return " ".join(neutral(text).replace("|", "\\|").replace("<", "&lt;").split())
