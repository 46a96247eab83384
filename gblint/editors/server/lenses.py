"""Code lenses: the number of graph breaks and graphs of the entry points of each line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from lsprotocol import types

from gblint.diagnostics.break_event import Category
from gblint.diagnostics.entry_point import EntryPoint
from gblint.diagnostics.finding import Finding
from gblint.editors.server.diagnostics import DiagnosticFactory
from gblint.editors.server.documents import Document
from gblint.editors.server.jobs import Answer
from gblint.editors.server.merge_results import absolute
from gblint.editors.server.nearby import seen_from
from gblint.editors.server.positions import Encoding
from gblint.report.graph_counts import number
from gblint.report.summary import counted

LIST = "gblint.listBreaks"
LOCATE = "gblint.locateBreaks"
MAX_LISTED = 12


def lenses(answer: Answer, document: Document, uri: str, encoding: Encoding) -> Iterator[types.CodeLens]:
    """Yield a lens for each line of a document, or of its cell ``uri``, that has entry points."""
    by_line: dict[int, list[EntryPoint]] = {}
    for point in answer.entries:
        if absolute(point.path) == str(document.path) and point.line <= len(document.lines):
            by_line.setdefault(point.line, []).append(point)
    for line, points in by_line.items():
        names = list(dict.fromkeys(point.name for point in points))
        command = types.Command(title_of_line(answer, points), LIST, arguments=[str(document.path), *names])
        where, place = document.home(encoding.line(line, document.lines))
        if where == uri:
            yield types.CodeLens(place, command)


def title_of_line(answer: Answer, points: Sequence[EntryPoint]) -> str:
    """Return the title of the lens for all entry points of a line."""
    if len(points) == 1:
        return title(points[0], breaks(answer, points[0]))
    found = {(each.span, each.code) for point in points for each in breaks(answer, point)}
    text = counted(len(found), "graph break") if found else "no graph breaks"
    return f"{text} in {len(points)} entry points"


def breaks(answer: Answer, point: EntryPoint) -> list[Finding]:
    """Return the graph breaks that an entry point reaches."""
    kinds = (Category.GRAPH_BREAK, Category.COMPILE_ERROR)
    return [found for found in answer.findings if point.name in found.entries and found.category in kinds]


def title(point: EntryPoint, found: list[Finding]) -> str:
    """Return the title of a lens: the numbers of breaks and of graphs."""
    text = counted(len(found), "graph break") if found else "no graph breaks"
    if found and point.region.raises:
        text += f" ({point.region.name}: raises)"
    graphs = point.graphs
    if graphs is None or (not found and graphs.high == 1):
        return text
    one = graphs.low == graphs.high == 1
    return f"{text}, {number(graphs)} {'graph' if one else 'graphs'}"


def listed(answer: Answer, path: str, names: Sequence[str]) -> str:
    """Return the breaks that each of the named entry points reaches, one per line."""
    return "\n".join(_listed(answer, path, name) for name in names)


def located(answer: Answer, path: str, names: Sequence[str], maker: DiagnosticFactory) -> Iterator[dict[str, Any]]:
    """Yield the breaks that the named entry points reach, for a client that shows a list to choose from."""
    points = [each for each in answer.entries if each.name in names and absolute(each.path) == path]
    found = {(each.span, each.code): each for point in points for each in breaks(answer, point)}
    at, lines = seen_from(path), maker.reader()
    for each in found.values():
        span = each.span
        key, place = maker.documents.home(absolute(span.path), maker.encoding.range(span, lines(span.path)))
        uri, _ = maker.documents.address(key)
        start = {"line": place.start.line, "character": place.start.character}
        yield {
            "code": each.code,
            "message": each.message,
            "place": at(span.path, span.line),
            "uri": uri,
            "start": start,
        }


def _listed(answer: Answer, path: str, name: str) -> str:
    point = next((each for each in answer.entries if each.name == name and absolute(each.path) == path), None)
    if point is None:
        return f"{name} is no longer an entry point"
    found, at = breaks(answer, point), seen_from(path)
    lines = [f"{point.name}: {title(point, found)}"]
    lines += [f"{at(f.span.path, f.span.line)}: {f.code} {f.message}" for f in found[:MAX_LISTED]]
    if len(found) > MAX_LISTED:
        lines.append(f"... and {len(found) - MAX_LISTED} more")
    return "\n".join(lines)
