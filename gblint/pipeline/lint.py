"""The main job in one page: project -> entry points -> trace -> rules -> filters -> report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from gblint.cache.store import Cache
from gblint.checks.configuration import advise_on
from gblint.config.settings import Config
from gblint.diagnostics.break_event import Category, ReachedBreak
from gblint.diagnostics.call_tree import CallTreeNode
from gblint.diagnostics.entry_point import EntryPoint
from gblint.diagnostics.finding import Finding, Severity
from gblint.diagnostics.report import FileError, Report
from gblint.entrypoints.search import assumed_entries
from gblint.filters.baseline import Baseline, BaselineEntry
from gblint.filters.noqa import Comment, PerFileIgnores, can_silence, comments, no_such_code
from gblint.interp import Observer, Progress, merge
from gblint.knowledge.catalog import Knowledge
from gblint.pipeline.context import LintRequest, RunContext, Session, prepare, project_of
from gblint.pipeline.incremental import ExecutionOptions, PreviousRun, RunState, find
from gblint.pipeline.scan import UnitHook, chosen, look_for_entries
from gblint.project.project import Project
from gblint.project.source_text import Source
from gblint.rules import all_rules, rule_for
from gblint.runtime.lazy_dataclasses import dataclass, field, replace
from gblint.runtime.stack_chunk import deep

__all__ = [
    "LintRequest",
    "LintResult",
    "Progress",
    "Selection",
    "Session",
    "entries",
    "is_known",
    "lint",
    "project_of",
]


@dataclass(slots=True)
class LintResult:
    """A report, and what only people are told: warnings, how many less certain findings were left out, the sources.

    ``unfiltered`` has every finding, also those that were not asked for or are silenced; ``silenced`` those that only
    a noqa comment keeps out of the report, ``known`` those that the baseline has; ``expired`` are its entries that are
    found no more.  ``note`` says that there are no data for the torch that was wanted.
    ``reach`` has the files whose functions each entry point runs; ``files`` are those of the project.  ``kept`` is what
    a run after some of them were changed need not do again.  ``context`` has the project and the interpreter; a caller
    that keeps many results clears it.
    """

    report: Report
    warnings: list[FileError]
    hidden: int
    source: Source
    unfiltered: list[Finding]
    note: str | None
    silenced: list[Finding] = field(default_factory=list)
    known: list[Finding] = field(default_factory=list)
    expired: list[BaselineEntry] = field(default_factory=list)
    reach: Mapping[EntryPoint, frozenset[str]] = field(default_factory=dict)
    trees: dict[EntryPoint, CallTreeNode] = field(default_factory=dict)
    session: Session | None = None
    files: Sequence[Path] = ()
    kept: RunState | None = None
    context: RunContext | None = None

    @property
    def project(self) -> Project:
        """The project that was analysed, unless ``context`` has been cleared."""
        assert self.context is not None
        return self.context.project

    @property
    def heard(self) -> list[Finding]:
        """Every finding that no comment silences."""
        silenced = set(map(id, self.silenced))
        return [finding for finding in self.unfiltered if id(finding) not in silenced]


@deep
def lint(
    request: LintRequest,
    config: Config,
    progress: Progress | None = None,
    *,
    observer: Observer | None = None,
    jobs: int = 1,
    cache: Cache | None = None,
    after: UnitHook | None = None,
    since: PreviousRun | None = None,
) -> LintResult:
    """Find the graph breaks that the entry points of the project reach.

    ``observer`` follows the interpreter: the run then takes place in this process, without the cache.  ``after`` is
    called after each unit of work, in the process of the unit, and brings an observer of its own.  ``jobs`` is the
    number of processes that may share the work; the findings depend neither on it nor on the cache.  With ``cache``
    (``Cache.default()`` is the user's own) a run on files and settings that are the same as in an earlier one reads
    the findings from there; texts in ``request.overlays`` count as contents.  ``since`` is the same run before some
    files were changed.  Raises ConfigError.
    """
    setting = prepare(request, config, after.new_observer() if after is not None else observer)
    project = setting.project
    in_process = observer is not None or not request.is_plain
    manner = ExecutionOptions(jobs, cache, _wants_hints(config), in_process, after, since)
    found, search = find(setting, request, config, manner, progress)
    # The rules come last: the processes that look for breaks do without.
    wanted, bad_codes = Selection.of(config, [rule.code for rule in all_rules()])
    reached = merge(found.traces)
    beside = [*found.beside, *advise_on(project, found.traces, reached)]
    source = Source({str(path.absolute()): text for path, text in request.overlays.items()})
    said = [*judged(reached, setting.knowledge)]
    # What was traced has its columns in characters already.
    said += [_in_characters(finding, source) for finding in judged(beside, setting.knowledge)]
    findings = merged(said)
    kept, silenced, hidden = _filter(findings, wanted, config, source)
    errors = {*found.errors, *bad_codes}
    if request.wants_everything(config):
        errors |= project.discovery_errors
    report = Report(
        torch_version=setting.knowledge.version,
        entries=[traced.point for traced in found.traces],
        findings=kept,
        errors=sorted(errors, key=lambda error: (error.path, error.line, error.message)),
        files=len(project.files),
    )
    outcome = LintResult(report, [*found.unknown, *found.warnings], hidden, source, findings, setting.note, silenced)
    outcome.context = setting
    outcome.files = project.files
    outcome.kept = found.kept
    outcome.reach = {traced.point: traced.files for traced in found.traces}
    outcome.trees = {traced.point: traced.tree for traced in found.traces if traced.tree is not None}
    if request.keep and search is not None:
        outcome.session = Session(setting.interpreter, search)
    if config.baseline_file is not None:
        _hold_against(Baseline.read(config.baseline_file), outcome, project, wanted, partial=bool(request.entries))
    return outcome


def _wants_hints(config: Config) -> bool:
    """Whether any rule on recompiles is wanted; none is without being selected."""
    if config.select is None and not config.extend_select:
        return False
    wanted, _ = Selection.of(config, [rule.code for rule in all_rules()])
    return any(wanted.wants(rule.code) for rule in all_rules() if rule.category is Category.RECOMPILE)


def _hold_against(
    baseline: Baseline, outcome: LintResult, project: Project, wanted: Selection, *, partial: bool
) -> None:
    """Take out of the report what the baseline has; where all was looked at, see what is found no more."""
    report = outcome.report
    report.findings, outcome.known, missing = baseline.split(report.findings, outcome.heard, outcome.source)
    if not partial:
        unread = {error.path for error in report.errors}
        linted = {str(module.path) for module in project.user_modules() if module.display not in unread}
        outcome.expired = [
            entry for entry in baseline.expired(missing, linted.__contains__) if wanted.wants(entry.code)
        ]


def entries(request: LintRequest, config: Config) -> Report:
    """Only the entry points, and the region that each opens."""
    setting = prepare(request, config)
    search = look_for_entries(setting, request, config)
    if search.assumes:
        for module in setting.project.user_modules():
            search.entries += chosen(assumed_entries(setting.interpreter, module, search), request.only)
    points = sorted((entry.point for entry in search.entries), key=lambda point: (point.path, point.line, point.name))
    errors = sorted({*search.problems, *setting.project.errors}, key=lambda e: (e.path, e.line, e.message))
    return Report(setting.knowledge.version, entries=points, errors=errors, files=len(setting.project.files))


def judged(reached: Iterable[ReachedBreak], knowledge: Knowledge) -> Iterator[Finding]:
    """What the rules say of breaks."""
    for each in reached:
        rule = rule_for(each.event)
        if rule is not None and rule.is_valid_for(knowledge.version):
            finding = rule.finding(each)
            yield replace(finding, gb_ids=tuple(filter(knowledge.gives, finding.gb_ids)))


def _in_characters(finding: Finding, source: Source) -> Finding:
    """The finding with columns that count characters; those of ``ast`` count bytes of UTF-8."""
    span = finding.span
    last = span.end_line or span.line
    if source.text(span.path).isascii():
        return finding
    lines = source.lines(span.path)
    column, end_column = (
        len(lines[line - 1].encode("utf-8", "surrogatepass")[: col - 1].decode("utf-8", "ignore")) + 1
        if 1 <= line <= len(lines)
        else col
        for line, col in ((span.line, span.column), (last, span.end_column))
    )
    return replace(finding, span=replace(span, column=column, end_column=end_column))


_WORST = (Severity.ERROR, Severity.WARNING, Severity.INFO)


def merged(findings: Iterable[Finding]) -> list[Finding]:
    """One finding for what is said once about one place, with every entry point that reaches it."""
    said: dict[object, Finding] = {}
    for finding in findings:
        key = (finding.code, finding.span, finding.message)
        other = said.get(key)
        if other is None:
            said[key] = finding
            continue
        worse = max(other, finding, key=lambda each: each.cost)
        said[key] = replace(
            other,
            entries=tuple(dict.fromkeys((*other.entries, *finding.entries))),
            severity=min(other.severity, finding.severity, key=_WORST.index),
            confidence=max(other.confidence, finding.confidence, key=lambda level: level.rank),
            consequence=worse.consequence,
            cost=worse.cost,
            raised_by=other.raised_by or finding.raised_by,
            allowed_by=other.allowed_by or finding.allowed_by,
        )
    return list(said.values())


_CODES = ("select", "extend-select", "ignore", "extend-ignore")


@dataclass(frozen=True, slots=True)
class Selection:
    """The codes that are wanted; of a selected and an ignored prefix the longer decides, as in ruff and flake8.

    ``default`` has the codes that are wanted without being selected by name: none where ``select`` is given.
    """

    selected: tuple[str, ...]
    ignored: tuple[str, ...]
    default: frozenset[str] = frozenset()

    @classmethod
    def of(cls, config: Config, known: Sequence[str]) -> tuple[Selection, list[FileError]]:
        """The selection that ``config`` asks for, and an error for every code in it that no rule has."""
        errors = []
        for key in (*_CODES, "fixable", "extend-fixable", "unfixable"):
            bad = (code for code in getattr(config, key.replace("-", "_")) or () if not is_known(code, known))
            errors += [_unknown_code(config, key, code, known) for code in bad]
        for key in ("per-file-ignores", "extend-per-file-ignores"):
            for pattern, codes in getattr(config, key.replace("-", "_")):
                bad = (code for code in codes if not is_known(code, known))
                errors += [_unknown_code(config, key, code, known, pattern) for code in bad]
        usual = () if config.select is not None else (rule.code for rule in all_rules() if not rule.opt_in)
        lists = ([c for c in getattr(config, k.replace("-", "_")) or () if is_known(c, known)] for k in _CODES)
        select, more, ignore, less = (tuple(map(_prefix, codes)) for codes in lists)
        return cls((*select, *more), (*ignore, *less), frozenset(usual)), errors

    @classmethod
    def of_codes(cls, chosen: Sequence[str] | None, more: Sequence[str], refused: Sequence[str]) -> Selection:
        """A selection of these codes and beginnings; all are ``chosen`` where it is None."""
        first = ("",) if chosen is None else tuple(map(_prefix, chosen))
        return cls((*first, *map(_prefix, more)), tuple(map(_prefix, refused)))

    def wants(self, code: str) -> bool:
        """Whether findings with this code are shown."""
        chosen = max((len(prefix) for prefix in self.selected if code.startswith(prefix)), default=-1)
        if code in self.default:
            chosen = max(chosen, 0)
        refused = max((len(prefix) for prefix in self.ignored if code.startswith(prefix)), default=-1)
        return chosen > refused


def _prefix(code: str) -> str:
    return "" if code.upper() == "ALL" else code.upper()


def is_known(code: str, known: Sequence[str]) -> bool:
    """Whether ``code`` is a rule's code, the beginning of one, or ALL."""
    return bool(code) and (code.upper() == "ALL" or any(rule.startswith(code.upper()) for rule in known))


def _unknown_code(config: Config, key: str, code: str, known: Sequence[str], part: str = "") -> FileError:
    where, line = config.where(f"{key}.{part}" if part else key)
    named = "" if where == f"--{key}" else f"{key}: "
    return FileError(where, line, named + no_such_code(code, known))


def _filter(
    findings: Iterable[Finding], wanted: Selection, config: Config, source: Source
) -> tuple[list[Finding], list[Finding], int]:
    """The findings to show, those that a comment silences, and how many are less certain than asked for."""
    ignores = PerFileIgnores((*config.per_file_ignores, *config.extend_per_file_ignores), config.root)
    noqa: dict[str, list[Comment]] = {}
    kept: list[Finding] = []
    silenced: list[Finding] = []
    hidden = 0
    for finding in sorted(findings, key=_in_order):
        path = finding.span.path
        if not wanted.wants(finding.code) or ignores.silences(finding.code, path):
            continue
        if path not in noqa:
            text = source.text(path)
            noqa[path] = comments(text) if can_silence(text) else []
        first, last = finding.span.line, max(finding.span.line, finding.span.end_line)
        is_silenced = any(comment.silences(finding.code, first, last) for comment in noqa[path])
        if finding.confidence.rank < config.min_confidence.rank:
            hidden += not is_silenced
        else:
            (silenced if is_silenced else kept).append(finding)
    return kept, silenced, hidden


def _in_order(finding: Finding) -> tuple[str, int, int, str, str]:
    return finding.span.path, finding.span.line, finding.span.column, finding.code, finding.message
