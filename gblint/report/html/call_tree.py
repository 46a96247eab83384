"""A call tree as nested lists, which the style sheet lays out as boxes from left to right, in order of execution.

Without the style sheet, or on demand, the lists are shown as text.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from markupsafe import Markup

from gblint.diagnostics.call_tree import CallTreeNode
from gblint.project.source_text import place as place_of
from gblint.report.consequences import why_eager
from gblint.report.graph_counts import number
from gblint.report.html.phrases import plain
from gblint.report.summary import counted
from gblint.runtime.lazy_dataclasses import dataclass, replace

WIDEST = 40  # steps of width in the style sheet
HUES = 8  # colours of graphs
MOST_IN_ROW = 40


@dataclass(frozen=True, slots=True)
class BreakFinding:
    """The finding of a break in the tree."""

    target: str
    code: str
    message: str


Lookup = Callable[[CallTreeNode, tuple[tuple[str, int], ...]], BreakFinding | None]
Place = Callable[[str, int], str]


def pruned(tree: CallTreeNode, most: int) -> CallTreeNode:
    """Return the tree without its deepest functions, so that it has at most ``most`` nodes."""
    depth = 24
    while tree.size > most and depth > 1:
        depth -= 1
        tree = _cut(tree, depth)
    return tree


def _cut(part: CallTreeNode, depth: int) -> CallTreeNode:
    if part.kind == "call" and part.parts and depth <= 0:
        return replace(part, parts=(), breaks=part.leads())
    inner = tuple(_cut(each, depth - (part.kind == "call")) for each in part.parts)
    if len(inner) > MOST_IN_ROW:
        rest = inner[MOST_IN_ROW:]
        left = CallTreeNode("more", line=rest[0].line, times=len(rest), breaks=sum(each.leads() for each in rest))
        inner = (*inner[:MOST_IN_ROW], left)
    return replace(part, parts=inner)


def raising(tree: CallTreeNode) -> CallTreeNode:
    """Return the tree of an entry point whose first break raises: at most one graph, with later breaks hidden."""
    raised = False

    def seen(part: CallTreeNode) -> CallTreeNode:
        nonlocal raised
        if part.kind == "break":
            made = replace(part, hidden=raised, outcome=None)
            raised = raised or part.always
            return made
        if part.kind in ("graph", "eager"):
            return replace(part, kind="graph", graph=0, last=0, name="")
        made = replace(part, outcome=None, graphs=None, parts=tuple(map(seen, part.parts)))
        raised = raised or (part.always and part.breaks > 0)
        return made

    return seen(tree)


class CallTreeView:
    """Renders one call tree.

    ``lookup`` returns the finding of a break, ``place`` the id of a line of source, ``at`` the text of a place.
    ``raises``: the tree is one of :func:`raising`.
    """

    def __init__(
        self, lookup: Lookup, place: Place, at: Callable[[str, int], str] = place_of, raises: bool = False
    ) -> None:
        self._lookup = lookup
        self._place = place
        self._at = at
        self._hidden = (
            "hidden: Dynamo reaches this break after the break before it is removed"
            if raises
            else "hidden: this code runs eagerly because of another break"
        )

    def render(self, tree: CallTreeNode) -> Markup:
        """Return the list."""
        return Markup('<ol class="tree" data-tree>') + Markup().join(self._item(tree, ())) + Markup("</ol>")

    def _item(self, part: CallTreeNode, calls: tuple[tuple[str, int], ...]) -> Iterator[Markup]:
        if part.kind == "break":
            yield self._break(part, calls)
        elif part.kind in ("graph", "eager"):
            yield self._code(part)
        elif part.kind == "more":
            text = f"{part.times:,} more, with {counted(part.breaks, 'break')}"
            yield Markup('<li class="m w6"><b>…</b><span class=n>{}</span></li>').format(text)
        else:
            yield from self._box(part, calls)

    def _box(self, part: CallTreeNode, calls: tuple[tuple[str, int], ...]) -> Iterator[Markup]:
        kind = {"call": "c", "loop": "o", "branch": "y"}[part.kind]
        classes = f"{kind} w{min(max(round(_weight(part)), 1), WIDEST)}"
        classes += "" if part.always else " q"
        classes += f" {part.outcome}" if part.outcome else ""
        head, text = _titled(part), "; ".join(_notes(part, self._at))
        target = self._place(part.path, part.line)
        yield Markup('<li class="{}">').format(classes)
        name = Markup("<b>{}</b><span class=n>{}</span>").format(plain(head), plain(text))
        if target:
            yield Markup('<a class=h href="#{}">{}</a>').format(target, name)
        else:
            yield Markup("<span class=h tabindex=0>{}</span>").format(name)
        if part.parts:
            inner = (*calls, (part.path, part.line)) if part.kind == "call" else calls
            yield Markup("<ol>")
            for each in part.parts:
                yield from self._item(each, inner)
            yield Markup("</ol>")
        yield Markup("</li>")

    def _code(self, part: CallTreeNode) -> Markup:
        where = f"line {part.line}" if part.line else ""
        operators = counted(part.operators, "operator")
        width = f"w{min(max(round(_weight(part)), 1), WIDEST)}"
        if part.kind == "eager":
            text = f"runs eagerly: {operators}, from {where}"
            return Markup('<li class="e {}"><span class=n>{}</span></li>').format(width, plain(text))
        if not part.graph:
            text = f"traced: {operators}, from {where}"
            return Markup('<li class="g t {}"><span class=n>{}</span></li>').format(width, plain(text))
        several = part.last > part.graph
        label = f"{part.graph}–{part.last}" if several else str(part.graph)
        text = f"{'graphs' if several else 'graph'} {label}: {operators}, from {where}"
        if part.name:
            text += f", in {part.name}, which Python calls and Dynamo compiles by itself"
        hue = part.graph % HUES
        return Markup('<li class="g g{} {}"><b>{}</b><span class=n>{}</span></li>').format(
            hue, width, label, plain(text)
        )

    def _break(self, part: CallTreeNode, calls: tuple[tuple[str, int], ...]) -> Markup:
        found = self._lookup(part, calls)
        place = self._at(part.path, part.line)
        words = [f"{found.code}: {found.message.replace('`', '')}, at {place}" if found else f"a break at {place}"]
        words += [_becomes(part)] if part.outcome and not part.hidden else []
        words += [self._hidden] if part.hidden else []
        words += ["on some paths only"] if not part.always else []
        words += [] if found else ["not a finding of this report"]
        text = plain("; ".join(words))
        classes = f"x{' hid' if part.hidden else ''}{'' if part.always else ' q'}{'' if found else ' un'}"
        inner = Markup("<b>{}</b><span class=n>{}</span>").format("×", text)
        if found is None:
            return Markup('<li class="{}"><span class=h tabindex=0>{}</span></li>').format(classes, inner)
        return Markup('<li class="{}"><a class=h href="#{}">{}</a></li>').format(classes, found.target, inner)


def _titled(part: CallTreeNode) -> str:
    if part.kind == "call":
        return part.name
    if part.kind == "branch":
        return "or"
    if part.name:
        return part.name
    return "loop" if part.times is None else f"{part.times}×"


def _notes(part: CallTreeNode, at: Callable[[str, int], str]) -> Iterator[str]:
    place = f"line {part.line}"
    if part.kind == "branch":
        yield f"one branch of a condition at {place}"
        return
    if part.kind == "loop":
        times = "of unknown length" if part.times is None else f"of {part.times:,} rounds"
        layers = f" through {part.layers} layers" if part.layers else ""
        yield f"a loop {times}{layers} at {place}" if not part.name else f"a {part.name} at {place}"
        return
    yield f"called at {at(part.path, part.line)}"
    if part.graphs is not None:
        yield f"{number(part.graphs)} {'graph' if part.graphs.high == 1 else 'graphs'} in one call"
    if part.outcome:
        yield f"{_becomes(part)} after the call" if part.outcome == "resumes" else _becomes(part)
    if not part.parts and part.breaks:
        yield f"{counted(part.breaks, 'break')} in it, not shown"
    if not part.always:
        yield "breaks on some paths only"


def _becomes(part: CallTreeNode) -> str:
    if part.outcome == "resumes":
        return "a new graph begins"
    why = why_eager(part.reason).replace("`", "")
    if part.outcome == "rest-eager":
        return f"the function around it runs eagerly from line {part.resume_line}: {why}"
    return f"the whole function around it runs eagerly: {why}"


def _weight(part: CallTreeNode) -> float:
    if part.kind in ("graph", "eager"):
        return 1 + 1.6 * math.log2(1 + part.operators)
    if part.kind in ("break", "more"):
        return 1.0
    return max(sum(map(_weight, part.parts)), 4.0)
