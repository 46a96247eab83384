"""The page: its contents and its template."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import resources
from typing import Any

import jinja2
from markupsafe import Markup

from gblint import __version__
from gblint.diagnostics.break_event import Category, Confidence
from gblint.diagnostics.call_tree import CallTreeNode
from gblint.diagnostics.entry_point import EntryPoint
from gblint.diagnostics.finding import Finding, Severity
from gblint.diagnostics.reach import REACHES
from gblint.diagnostics.report import FileError, Report
from gblint.project.source_text import Source, Style, display_path, neutral
from gblint.report import fix_first, folding, removing_settings, summary, unresolved
from gblint.report.cost_groups import UNIT, cost_text, in_groups, places
from gblint.report.default_run import sentence as default_run
from gblint.report.explain_answers import url
from gblint.report.finding_notes import FindingNotes
from gblint.report.fingerprints import fingerprints
from gblint.report.graph_counts import number, reaching, worst_first
from gblint.report.html import code, finding_cards, phrases
from gblint.report.html.call_tree import BreakFinding, CallTreeView, pruned, raising
from gblint.report.html.code import Colours, Mark, Row
from gblint.report.html.finding_cards import Card
from gblint.report.listing import Listing, by_importance, listing
from gblint.report.summary import counted
from gblint.report.verification import render as tried
from gblint.rules import Rule, rule_by_code
from gblint.runtime.lazy_dataclasses import dataclass

WHOLE = 300_000  # characters of source up to which whole files are shown; above it, excerpts around findings
NEAR_BREAK, NEAR_LINK = 10, 3  # lines of context in excerpts
ALL_PARTS, MOST_PARTS, FEWEST_PARTS = 6_000, 300, 30  # nodes of all call trees together, of one, of the smallest
FIRST = 8  # the number of lines in the summary
MOST_ENTRIES = 25  # the number of entry points that are listed at first

_SEVERITIES = tuple(each.value for each in Severity)
_CONFIDENCES = tuple(each.value for each in Confidence)


@dataclass(frozen=True, slots=True)
class FileSection:
    """A file and the lines that the page shows."""

    id: str
    path: str
    rows: tuple[Row, ...]
    count: int
    whole: bool


@dataclass(frozen=True, slots=True)
class EntryCard:
    """An entry point: the number of findings that it reaches, and its call tree."""

    id: str
    number: int
    point: EntryPoint
    place: str
    findings: int
    graphs: str
    picture: Markup
    facts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CostRow:
    """Lines with one cost: their cards, the number of other findings there, the cost, and where it is highest.

    entry: the short name of the entry point; "" if there is only one. costliest: the card with the highest cost.
    """

    cards: tuple[Card, ...]
    more: int
    cost: str
    entry: str
    costliest: Card
    places: Markup


@dataclass(frozen=True, slots=True)
class Facet:
    """A choice of a filter, and its number of findings."""

    value: str
    label: str
    count: int


def render(
    report: Report,
    source: Source,
    trees: Mapping[EntryPoint, CallTreeNode],
    *,
    hidden: int = 0,
    beyond: int = 0,
    left_out: str = "",
    partial: Sequence[FileError] = (),
    settings: Sequence[tuple[str, str]] = (),
) -> str:
    """Return the whole document; ``partial`` are the warnings about entry points that were analysed only in part."""
    style, script = _data("page.css"), _data("page.js")
    environment = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True, finalize=_shown)
    content = _Content(report, source, trees, listing(report.findings, left_out=left_out), partial)
    paths = content.paths
    environment.filters.update(inline=phrases.inline, code=finding_cards.joined, path=paths.shown, counted=counted)
    template = environment.from_string(_data("page.html"))
    return template.render(
        style=Markup(style),
        script=Markup(script),
        policy=_policy(style, script),
        version=__version__,
        settings=settings,
        hidden=hidden,
        beyond=beyond,
        url=url,
        most=MOST_ENTRIES,
        place=paths.place,
        split=paths.split,
        folder=paths.folder,
        line=paths.line,
        **content.everything(),
    )


def _shown(value: object) -> object:
    return value if isinstance(value, Markup) else neutral(str(value))


def _data(name: str) -> str:
    return resources.files(__package__).joinpath("data").joinpath(name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """Return the content security policy: only the style and the script of the page."""

    def digest(text: str) -> str:
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    return (
        f"default-src 'none'; style-src {digest(style)}; script-src {digest(script)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


class _Content:
    """The contents of the page."""

    def __init__(
        self,
        report: Report,
        source: Source,
        trees: Mapping[EntryPoint, CallTreeNode],
        lines: Listing,
        partial: Sequence[FileError],
    ) -> None:
        self.lines = lines
        self.partial = partial
        self.report = report
        self.source = source
        self.trees = trees
        self.colours = Colours(source)
        self.notes = FindingNotes(report.findings)
        named = [link.path for finding in report.findings for link in finding.chain]
        self.paths = phrases.Paths(
            [
                *named,
                *(f.span.path for f in report.findings),
                *(e.path for e in report.entries),
                *(e.path for e in report.unresolved),
            ]
        )
        self.ids = finding_cards.ids(fingerprints(report.findings, source))
        self.files = self._files()
        self.names = {point.name: number for number, point in reversed(list(enumerate(report.entries)))}
        self.by_end: dict[tuple[str, int], list[tuple[Finding, str]]] = defaultdict(list)
        for finding, target in zip(report.findings, self.ids):
            if finding.chain:
                self.by_end[finding.chain[-1].path, finding.chain[-1].line].append((finding, target))

    def everything(self) -> dict[str, Any]:
        """Return the contents by the names of the template."""
        report = self.report
        found = self.cards()
        entries = self.entries()
        is_complete = unresolved.is_complete(report, len(self.partial))
        return {
            "report": report,
            "cards": found,
            "places": {target: index for index, target in enumerate(self.ids)},
            "first": self._first(found),
            "all_first": len(in_groups(self.lines.shown)) <= FIRST,
            "files": list(self.files.values()),
            "entries": entries,
            "others": [point for point in report.entries if not any(point is each.point for each in entries)],
            "rules": self.rules(),
            "names": self.names,
            "facets": self.facets(),
            "headline": next(summary.summary(report, 0, Style(), folded=self.lines.folded)),
            "default_run": _labelled(default_run(self.lines, Style(), complete=is_complete)),
            "fix_first": _labelled(fix_first.sentence(self.lines, Style())),
            "unit": UNIT,
            "settings_heading": removing_settings.HEADING,
            "removing_settings": list(removing_settings.settings(self.lines)),
            "coverage": unresolved.coverage(report, len(self.partial), "listed below"),
            "partial": self.partial,
            "not_analysed": ": ".join(unresolved.heading(report)) if report.unresolved else "",
            "assumed": summary.assumed(report),
            "skipped": summary.skipped(report),
            "entry_hint": summary.entry_hint(report),
            "counts": Counter(finding.severity.value for finding in report.findings),
            "trial": [] if report.verification is None else list(tried(report.verification, Style())),
        }

    # -- findings and files ------------------------------------------------------------------------------------------

    def cards(self) -> list[Card]:
        """Return the cards of the findings, those that matter most first."""
        highest = max((f.cost for f in self.report.findings), default=1)
        numbers = {path: index for index, path in enumerate(self.files)}
        ordered = by_importance(folding.fold(self.report.findings, show_all=True))
        ranks = {id(entry.finding): rank for rank, entry in enumerate(ordered)}
        cards = [
            finding_cards.card(
                finding,
                target,
                self.colours,
                self.notes.of(finding, self.paths.text),
                file=numbers[finding.span.path],
                entries=tuple(self.names[name] for name in finding.entries if name in self.names),
                links=tuple((link, self.place(link.path, link.line)) for link in folding.calls(finding)),
                highest=highest,
            )
            for finding, target in zip(self.report.findings, self.ids)
        ]
        return sorted(cards, key=lambda each: ranks[id(each.finding)])

    def _first(self, cards: Sequence[Card]) -> list[CostRow]:
        """Return what matters most: lines, and functions that run eagerly because of several lines."""
        by_finding = {id(card.finding): card for card in cards}
        rows = []
        for group in in_groups(self.lines.shown)[:FIRST]:
            placed = [by_finding[id(entry.finding)] for entry in group.lines]
            more = len(group.findings) - len(placed)
            name = group.entry.rpartition(":")[2] if len(self.report.entries) > 1 else ""
            costliest = by_finding[id(group.costliest)]
            rows.append(
                CostRow(
                    tuple(placed),
                    more,
                    cost_text(group),
                    name,
                    costliest,
                    self.paths.wrappable(places(group.lines, self.paths.text)),
                )
            )
        return rows

    def _files(self) -> dict[str, FileSection]:
        near: dict[str, set[int]] = defaultdict(set)
        marks: dict[str, dict[int, list[Mark]]] = defaultdict(lambda: defaultdict(list))
        counts = Counter(finding.span.path for finding in self.report.findings)
        for finding, target in zip(self.report.findings, self.ids):
            path = finding.span.path
            near[path].update(code.around(finding.span.line, max(finding.span.end_line, finding.span.line), NEAR_BREAK))
            for line, mark in finding_cards.marks(finding, target, self.source.lines(path)).items():
                marks[path][line].append(mark)
            for link in finding.chain:
                near[link.path].update(code.around(link.line, link.line, NEAR_LINK))
        whole = sum(len(self.source.text(path)) for path in near) <= WHOLE
        files = {}
        for index, path in enumerate(sorted(near, key=display_path)):
            every = range(1, len(self.source.lines(path)) + 1) if whole else near[path]
            rows = code.excerpt(self.colours, path, every, marks[path])
            files[path] = FileSection(f"s{index}", path, tuple(rows), counts[path], whole)
        self.shown = {path: {row.number for row in file.rows} for path, file in files.items()}
        return files

    def place(self, path: str, line: int) -> str:
        """Return the id of a line of source; "" if it is not shown."""
        return f"{self.files[path].id}-{line}" if line in self.shown.get(path, ()) else ""

    # -- entry points ------------------------------------------------------------------------------------------------

    def entries(self) -> list[EntryCard]:
        """Return the entry points that reach findings, the worst first."""
        counts = Counter(name for finding in self.report.findings for name in set(finding.entries))
        # An object may be compiled twice in different ways: each has its own call tree and findings.
        twice = {name for name, number in Counter(point.name for point in self.report.entries).items() if number > 1}
        leads = {point: tree.leads() for point, tree in self.trees.items() if point.name in twice}
        listed = {id(point) for point in reaching(self.report)}
        cards = [(index, point) for index, point in enumerate(self.report.entries) if id(point) in listed]
        cards.sort(
            key=lambda pair: (
                *worst_first(pair[1].graphs),
                -counts[pair[1].name],
                pair[1].name,
                pair[0],
            )
        )
        left = ALL_PARTS
        made = []
        for index, point in cards:
            tree = self.trees.get(point)
            picture = Markup()
            if tree is not None:
                tree = pruned(tree, max(min(MOST_PARTS, left // 4), FEWEST_PARTS))
                left -= tree.size
                raises = point.region.raises
                view = CallTreeView(self._lookup, self.place, self.paths.text, raises)
                picture = view.render(raising(tree) if raises else tree)
            graphs = "" if point.graphs is None else number(point.graphs)
            place = self.paths.text(point.path, point.line)
            number_of = counts[point.name]
            if leads.get(point):
                number_of = min(leads[point], number_of)
            facts = tuple(_facts(point, self.paths.text))
            made.append(EntryCard(f"e{index}", index, point, place, number_of, graphs, picture, facts))
        return made

    def _lookup(self, part: CallTreeNode, calls: tuple[tuple[str, int], ...]) -> BreakFinding | None:
        """Return the finding of a break; if there are several, the one whose chain shares most calls with ``calls``."""
        best: tuple[Finding, str] | None = None
        score = -1
        steps = set(calls)
        for finding, target in self.by_end.get((part.path, part.line), ()):
            exact = finding.span.path == part.path and finding.span.column == part.column
            common = sum((link.path, link.line) in steps for link in finding.chain)
            rank = 4 * common + 2 * exact + (finding.category is Category.GRAPH_BREAK)
            if rank > score:
                best, score = (finding, target), rank
        return None if best is None else BreakFinding(best[1], best[0].code, best[0].message)

    # -- rules and filters -------------------------------------------------------------------------------------------

    def rules(self) -> list[tuple[Rule, Markup, int]]:
        """Return the rules with findings, each with its page and the number of findings."""
        counts = Counter(finding.code for finding in self.report.findings)
        found = [rule for rule in map(rule_by_code, sorted(counts)) if rule is not None]
        return [(rule, phrases.page(rule.documentation), counts[rule.code]) for rule in found]

    def facets(self) -> dict[str, list[Facet]]:
        """Return the choices of the filters that have more than one."""
        findings = self.report.findings
        return {
            "severity": _facets(_SEVERITIES, (f.severity.value for f in findings)),
            "confidence": _facets(_CONFIDENCES, (f.confidence.value for f in findings)),
            "reach": _facets(REACHES, (f.reach for f in findings)),
            "category": _facets([c.value for c in Category], (f.category.value for f in findings)),
            "run": _facets(
                ("confirmed", "refuted", "masked", "not-reached", "missed", "not run"),
                ("not run" if f.confirmation is None else f.confirmation.verdict for f in findings),
            ),
            "rule": [
                Facet(code, name, count)
                for (code, name), count in sorted(
                    Counter((f.code, f.rule) for f in findings).items(), key=lambda item: (-item[1], item[0])
                )
            ],
        }


def _labelled(text: str) -> str:
    """Return a sentence that begins with a label and a colon, with the label in bold."""
    label, colon, rest = text.partition(":")
    return f"**{label}:**{rest}" if colon else text


def _facets(values: Iterable[str], seen: Iterable[str]) -> list[Facet]:
    counts = Counter(seen)
    return [Facet(value, value.replace("-", " "), counts[value]) for value in values if counts[value]]


def _facts(point: EntryPoint, at: Callable[[str, int], str]) -> Iterable[str]:
    """Yield notes on the region of an entry point."""
    region = point.region
    if region.dynamic is not None:
        yield f"dynamic={region.dynamic}"
    if region.backend:
        yield f"backend={region.backend}"
    if region.export:
        yield "torch.export"
    if region.raises:
        source = region.option_source
        where = "" if source is None else f" ({source.option} at {at(source.path, source.line)})"
        yield f"the first break on the path raises an error{where}"
