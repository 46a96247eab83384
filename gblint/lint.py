"""The main job in one page: project -> entry points -> trace -> rules -> filters -> report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from gblint.advice import advise
from gblint.baseline import Baseline, Entry
from gblint.calltree import Part
from gblint.config import Config, ConfigError, Problem, suggestion
from gblint.findings import Category, EntryPoint, FileError, Finding, ReachedBreak, Report, Severity
from gblint.interp import Machine, machine, trace
from gblint.knowledge import Knowledge, UnknownTorchVersion, choose
from gblint.knowledge import load as load_knowledge
from gblint.project import DEFAULT_EXCLUDE, Environment, EnvironmentProblem, Project
from gblint.recompiles import recompiles
from gblint.regions import EntrySearch, find_entries
from gblint.report.text import Source
from gblint.rules import all_rules, rule_for
from gblint.suppressions import Comment, PerFileIgnores, comments, unknown_codes

Progress = Callable[[int, int, str], None]
MakeMachine = Callable[[Project, Knowledge, Mapping[str, tuple[str, ...]]], Machine]


@dataclass(frozen=True, slots=True)
class Session:
    """The interpreter of a run and the entry points that it found."""

    machine: Machine
    search: EntrySearch


@dataclass(frozen=True, slots=True)
class Request:
    """What to lint: the paths, the entry points asked for by name, and texts that stand in for files.

    ``named`` is false where nobody named the paths, so that they are only a place to look names up in.  ``project`` is
    one that was kept from an earlier run and is up to date; ``only`` chooses among the entry points.  With ``trees``
    the outcome has the call tree of each entry point.  With ``keep`` the run leaves its session behind; ``again`` is
    one to be used instead of looking for entry points once more.
    """

    paths: tuple[Path, ...]
    entries: tuple[str, ...] = ()
    overlays: Mapping[Path, str] = field(default_factory=dict)
    named: bool = True
    project: Project | None = None
    only: Callable[[EntryPoint], bool] | None = None
    trees: bool = False
    keep: bool = False
    again: Session | None = None


@dataclass(slots=True)
class Outcome:
    """A report, and what only people are told: warnings, how many less certain findings were left out, the sources.

    ``unfiltered`` has every finding, also those that were not asked for or are silenced; ``silenced`` those that only
    a noqa comment keeps out of the report, ``known`` those that the baseline has; ``expired`` are its entries that are
    found no more.  ``note`` says that there are no data for the torch that was wanted.
    ``reach`` has the files whose functions each entry point runs.
    """

    report: Report
    warnings: list[FileError]
    hidden: int
    source: Source
    unfiltered: list[Finding]
    note: str | None
    silenced: list[Finding] = field(default_factory=list)
    known: list[Finding] = field(default_factory=list)
    expired: list[Entry] = field(default_factory=list)
    reach: Mapping[EntryPoint, frozenset[str]] = field(default_factory=dict)
    trees: dict[EntryPoint, Part] = field(default_factory=dict)
    session: Session | None = None

    @property
    def heard(self) -> list[Finding]:
        """Every finding that no comment silences."""
        silenced = set(map(id, self.silenced))
        return [finding for finding in self.unfiltered if id(finding) not in silenced]


@dataclass(frozen=True, slots=True)
class _Setting:
    """The project, the knowledge and the interpreter that a run works with."""

    project: Project
    knowledge: Knowledge
    machine: Machine
    note: str | None


def lint(request: Request, config: Config, progress: Progress | None = None, make: MakeMachine = machine) -> Outcome:
    """Find the graph breaks that the entry points of the project reach; ``make`` makes the interpreter."""
    setting = _prepare(request, config, make)
    setting.machine.trees = {} if request.trees else None
    search = _search(setting, request, config, progress) if request.again is None else request.again.search
    reached, failures = _trace(setting, search, config, progress)
    project = setting.project
    source = Source({str(path.absolute()): text for path, text in request.overlays.items()})
    known = [rule.code for rule in all_rules()]
    wanted, bad_codes = Selection.of(config, known)
    besides = list(advise(setting.machine, reached))
    if any(wanted.wants(rule.code) for rule in all_rules() if rule.category is Category.RECOMPILE):
        besides = [*recompiles(setting.machine), *besides]
    said = [finding for item in reached for finding in _judge(item, setting.knowledge)]
    # What was traced has its columns in characters already.
    said += [_in_characters(finding, source) for item in besides for finding in _judge(item, setting.knowledge)]
    findings = _merge(said)
    kept, silenced, hidden = _filter(findings, wanted, config, source)
    # Where entry points are asked for and no paths, the working directory is a place to look names up in, no more.
    everything = request.named or not (request.entries or config.entries)
    warnings = search.unknown + _look_through(project, known, everything)
    errors = {*search.problems, *project.errors, *failures, *bad_codes}
    if not everything:
        errors -= project.discovery_errors
    report = Report(
        torch_version=setting.knowledge.version,
        entries=[replace(entry.point, graphs=setting.machine.graphs.get(entry.point)) for entry in search.entries],
        findings=kept,
        errors=sorted(errors, key=lambda error: (error.path, error.line, error.message)),
        files=len(project.files),
    )
    outcome = Outcome(report, warnings, hidden, source, findings, setting.note, silenced, reach=setting.machine.reach)
    outcome.trees = setting.machine.trees or {}
    if request.keep:
        outcome.session = Session(setting.machine, search)
    if config.baseline_file is not None:
        _hold_against(Baseline.read(config.baseline_file), outcome, project, wanted, partial=bool(request.entries))
    return outcome


def _hold_against(baseline: Baseline, outcome: Outcome, project: Project, wanted: Selection, *, partial: bool) -> None:
    """Take out of the report what the baseline has; where all was looked at, see what is found no more."""
    report = outcome.report
    report.findings, outcome.known, missing = baseline.split(report.findings, outcome.heard, outcome.source)
    if not partial:
        unread = {error.path for error in report.errors}
        linted = {str(module.path) for module in project.user_modules() if module.display not in unread}
        outcome.expired = [
            entry for entry in baseline.expired(missing, linted.__contains__) if wanted.wants(entry.code)
        ]


def entries(request: Request, config: Config) -> Report:
    """Only the entry points, and the region that each opens."""
    setting = _prepare(request, config)
    search = _search(setting, request, config)
    points = sorted((entry.point for entry in search.entries), key=lambda point: (point.path, point.line, point.name))
    errors = sorted({*search.problems, *setting.project.errors}, key=lambda e: (e.path, e.line, e.message))
    return Report(setting.knowledge.version, entries=points, errors=errors, files=len(setting.project.files))


def _prepare(request: Request, config: Config, make: MakeMachine = machine) -> _Setting:
    project = request.project or project_of(request, config)
    project.lay_over(request.overlays)
    try:
        choice = choose(config.torch_version, project.environment.distribution_version("torch"))
    except UnknownTorchVersion as error:
        raise ConfigError([Problem(*config.where("torch-version"), str(error))]) from None
    knowledge = load_knowledge(choice.version)
    interpreter = make(project, knowledge, config.pins) if request.again is None else request.again.machine
    return _Setting(project, knowledge, interpreter, choice.note)


def project_of(request: Request, config: Config) -> Project:
    """The files and modules that a request is about; raises ConfigError for an interpreter that is not there."""
    # A file that lies somewhere above the paths says where the project is; one that was named does not.
    root = config.root if config.file is not None and config.file.parent == config.root else None
    return Project(
        request.paths,
        root=root,
        environment=_environment(config),
        # An object in a package, named as an entry point is, stands for its package.
        follow=tuple(dict.fromkeys(name.partition(":")[0] for name in config.follow)),
        exclude=DEFAULT_EXCLUDE if config.exclude is None else config.exclude,
        extend_exclude=config.extend_exclude,
        src=[config.root / folder for folder in config.src],
        overlays=request.overlays,
    )


def _environment(config: Config) -> Environment | None:
    if config.python is None:
        return None
    beside = config.root / config.python
    # In a file the path counts from the file, on the command line from the working directory.
    python = str(beside) if "--python" not in config.given and beside.exists() else config.python
    try:
        return Environment.discover(python, config.root)
    except EnvironmentProblem as problem:
        raise ConfigError([Problem(*config.where("python"), str(problem))]) from None


def _search(setting: _Setting, request: Request, config: Config, progress: Progress | None = None) -> EntrySearch:
    requested = tuple(dict.fromkeys((*config.entries, *request.entries)))
    search = find_entries(
        setting.machine,
        requested,
        assume=config.assume_entries,
        compilers=config.entry_decorators,
        progress=progress,
    )
    if request.only is not None:
        search.entries = [entry for entry in search.entries if request.only(entry.point)]
    return search


def _trace(
    setting: _Setting, search: EntrySearch, config: Config, progress: Progress | None
) -> tuple[list[ReachedBreak], list[FileError]]:
    """Trace everything at once; if the interpreter fails, entry by entry, so that only the one that fails is lost."""
    try:
        return trace(setting.machine, search.entries, progress=progress), []
    except Exception:
        reached: list[ReachedBreak] = []
        failures = []
        for number, entry in enumerate(search.entries):
            if progress is not None:
                progress(number, len(search.entries), entry.point.name)
            try:
                # A machine that failed may be left in any state.
                alone = machine(setting.project, setting.knowledge, config.pins)
                alone.trees = None if setting.machine.trees is None else {}
                reached += trace(alone, [entry])
                setting.machine.graphs.update(alone.graphs)
                if setting.machine.trees is not None:
                    setting.machine.trees.update(alone.trees or {})
            except Exception as error:
                failures.append(internal_error(entry.point.path, entry.point.line, entry.point.name, error))
        return reached, failures


def internal_error(path: str, line: int, doing: str, error: Exception) -> FileError:
    """What is said of a fault of ours: it costs one entry point, not the run."""
    detail = " ".join(str(error).split())[:200]
    said = type(error).__name__ + (f": {detail}" if detail else "")
    return FileError(path, line, f"internal error while tracing {doing}: {said}")


def _judge(reached: ReachedBreak, knowledge: Knowledge) -> Iterable[Finding]:
    rule = rule_for(reached.event)
    if rule is not None and rule.holds(knowledge.version):
        finding = rule.finding(reached)
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


def _merge(findings: Iterable[Finding]) -> list[Finding]:
    """One finding for what is said once about one place, with every entry point that reaches it."""
    merged: dict[object, Finding] = {}
    for finding in findings:
        key = (finding.code, finding.span, finding.message)
        other = merged.get(key)
        if other is None:
            merged[key] = finding
            continue
        worse = max(other, finding, key=lambda each: each.cost)
        merged[key] = replace(
            other,
            entries=tuple(dict.fromkeys((*other.entries, *finding.entries))),
            severity=min(other.severity, finding.severity, key=_WORST.index),
            confidence=max(other.confidence, finding.confidence, key=lambda level: level.rank),
            consequence=worse.consequence,
            cost=worse.cost,
            raised_by=other.raised_by or finding.raised_by,
            allowed_by=other.allowed_by or finding.allowed_by,
        )
    return list(merged.values())


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
        keep: dict[str, list[str]] = {}
        for key in ("select", "extend-select", "ignore", "extend-ignore"):
            good = keep.setdefault(key.removeprefix("extend-"), [])
            for code in getattr(config, key.replace("-", "_")) or ():
                if is_known(code, known):
                    good.append("" if code.upper() == "ALL" else code.upper())
                else:
                    errors.append(_unknown_code(config, key, code, known))
        for pattern, codes in config.per_file_ignores:
            bad = (code for code in codes if not is_known(code, known))
            errors += [_unknown_code(config, "per-file-ignores", code, known, pattern) for code in bad]
        usual = () if config.select is not None else (rule.code for rule in all_rules() if not rule.opt_in)
        return cls(tuple(keep["select"]), tuple(keep["ignore"]), frozenset(usual)), errors

    def wants(self, code: str) -> bool:
        """Whether findings with this code are shown."""
        chosen = max((len(prefix) for prefix in self.selected if code.startswith(prefix)), default=-1)
        if code in self.default:
            chosen = max(chosen, 0)
        refused = max((len(prefix) for prefix in self.ignored if code.startswith(prefix)), default=-1)
        return chosen > refused


def is_known(code: str, known: Sequence[str]) -> bool:
    """Whether ``code`` is a rule's code, the beginning of one, or ALL."""
    return bool(code) and (code.upper() == "ALL" or any(rule.startswith(code.upper()) for rule in known))


def _unknown_code(config: Config, key: str, code: str, known: Sequence[str], part: str = "") -> FileError:
    where, line = config.where(f"{key}.{part}" if part else key)
    named = "" if where == f"--{key}" else f"{key}: "
    return FileError(where, line, named + _no_such_code(code, known))


def _no_such_code(code: str, known: Sequence[str]) -> str:
    # All codes look alike: only one that differs in a single character is worth mentioning.
    similar = [
        each
        for each in known
        if len(each) == len(code) and sum(a != b for a, b in zip(each, code.upper(), strict=True)) == 1
    ]
    return f"no rule has the code {code!r}{suggestion(code.upper(), similar)}"


def _filter(
    findings: Iterable[Finding], wanted: Selection, config: Config, source: Source
) -> tuple[list[Finding], list[Finding], int]:
    """The findings to show, those that a comment silences, and how many are less certain than asked for."""
    ignores = PerFileIgnores(config.per_file_ignores, config.root)
    noqa: dict[str, list[Comment]] = {}
    kept: list[Finding] = []
    silenced: list[Finding] = []
    hidden = 0
    for finding in sorted(findings, key=_in_order):
        path = finding.span.path
        if not wanted.wants(finding.code) or ignores.silences(finding.code, path):
            continue
        if path not in noqa:
            noqa[path] = comments(source.text(path))
        first, last = finding.span.line, max(finding.span.line, finding.span.end_line)
        is_silenced = any(comment.silences(finding.code, first, last) for comment in noqa[path])
        if finding.confidence.rank < config.min_confidence.rank:
            hidden += not is_silenced
        else:
            (silenced if is_silenced else kept).append(finding)
    return kept, silenced, hidden


def _in_order(finding: Finding) -> tuple[str, int, int, str, str]:
    return finding.span.path, finding.span.line, finding.span.column, finding.code, finding.message


def _look_through(project: Project, known: Sequence[str], everything: bool) -> list[FileError]:
    """Parse the files that the trace did not need, for their errors; and warn of noqa comments that silence nothing."""
    warnings = []
    for module in project.user_modules():
        if not (everything or module.is_parsed):
            continue
        text = module.source
        if "GBL" in text and "noqa" in text:
            for line, code in unknown_codes(comments(text), known):
                warnings.append(FileError(str(module.path), line, f"noqa: {_no_such_code(code, known)}"))
        if not module.is_parsed:
            _ = module.tree  # what is wrong with the file goes to the project's errors
            module.release()
    return sorted(warnings, key=lambda warning: (warning.path, warning.line, warning.message))
