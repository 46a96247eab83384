"""A run of the linter with the fixes for what it finds: in one interpreter, or in pieces where the project is large."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b

from gblint.cache.store import Cache
from gblint.config.settings import Config
from gblint.diagnostics.entry_point import EntryPoint
from gblint.diagnostics.finding import Finding
from gblint.diagnostics.report import FileError
from gblint.diagnostics.span import Span
from gblint.fix.consensus import Voter, agreed, key_of, votable
from gblint.fix.file_texts import Texts
from gblint.fix.propose import FixOptions, Proposer, library_of, propose, with_fixes
from gblint.fix.writer import Original
from gblint.interp.observers.value_recorder import ValueRecorder
from gblint.pipeline.context import prepare
from gblint.pipeline.incremental import PreviousRun, RunState, resumed
from gblint.pipeline.lint import LintRequest, LintResult, Progress, Selection, lint, project_of
from gblint.pipeline.scan import ENTRIES, FixVote, Scan, UnitResult, UnitRunnerFactory, look_for_entries
from gblint.project.project import Project
from gblint.rules import all_rules
from gblint.runtime.lazy_dataclasses import dataclass, field, replace

# More files than these are linted and fixed in pieces, whatever the number of processes.
MOST_AT_ONCE = 64


@dataclass(frozen=True, slots=True)
class Resources:
    """In how many processes to work, and where to keep what was found; neither makes a difference to what is found."""

    jobs: int = 1
    cache: Cache | None = None


@dataclass(frozen=True, slots=True)
class State:
    """The files as they were at first, as far as they were read, and the ``texts`` of those that are another now."""

    originals: dict[str, Original] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)


class Attempt:
    """What a run found, with fixes, in ``outcome``."""

    outcome: LintResult

    def __init__(self, project: Project, request: LintRequest, state: State) -> None:
        self.project: Project | None = project
        self.state = state
        overlays = {str(path.absolute()): text for path, text in request.overlays.items()}
        self._texts = Texts(project, overlays, state.originals, state.texts)

    @property
    def originals(self) -> dict[str, Original]:
        """The files whose texts were asked for."""
        return self.state.originals

    @property
    def problems(self) -> Mapping[str, FileError]:
        """The files that could not be read."""
        return self._texts.problems

    def text_of(self, path: str) -> str | None:
        """The text of a file of the user's, newlines kept; None for any other."""
        return self._texts.of(path)


def attempt(
    request: LintRequest,
    config: Config,
    progress: Progress | None = None,
    *,
    state: State | None = None,
    before: Attempt | None = None,
    wanted: Callable[[Finding], bool] | None = None,
    hatches: bool = False,
    effort: Resources | None = None,
) -> Attempt:
    """Lint, and find the fixes for what is found, or for what of it is ``wanted``.

    With ``hatches`` fixes that are only to be read are among them.  ``before`` is an attempt for the same request on
    the files as they were in another ``state``.
    """
    state = state or State()
    terms = FixOptions(choices(config), hatches)
    if request.is_plain and request.wants_everything(config) and not request.requested(config):
        project = project_of(request, config)
        if len(project.files) > MOST_AT_ONCE:
            since = before if isinstance(before, _Divided) else None
            return _Divided(project, request, config, progress, state, since, wanted, terms, effort or Resources())
    return _Whole(request, config, progress, state, wanted, terms)


def choices(config: Config) -> dict[str, str]:
    """The way to fix that is chosen for each rule, or ``off``."""
    fixable = Selection.of_codes(config.fixable, config.extend_fixable, config.unfixable)
    left = (rule.code for rule in all_rules() if not fixable.wants(rule.code))
    return {**config.fixes, **dict.fromkeys(left, "off")}


class _Whole(Attempt):
    """One interpreter for everything."""

    def __init__(
        self,
        request: LintRequest,
        config: Config,
        progress: Progress | None,
        state: State,
        wanted: Callable[[Finding], bool] | None,
        terms: FixOptions,
    ) -> None:
        recorder = ValueRecorder()
        self.outcome = lint(request, config, progress, observer=recorder)
        libraries = _libraries(self.outcome, wanted) if terms.hatches else ()
        if libraries:
            # Once more, with a look at what is in the files of these libraries.
            recorder = ValueRecorder(libraries)
            self.outcome = lint(request, config, progress, observer=recorder)
        super().__init__(self.outcome.project, request, state)
        self.outcome.context = None
        report = self.outcome.report
        findings = report.findings if wanted is None else list(filter(wanted, report.findings))
        terms = replace(terms, torch_version=report.torch_version)
        report.findings = propose(findings, Proposer(self.text_of, recorder.values, terms, recorder.libraries))


def _libraries(outcome: LintResult, wanted: Callable[[Finding], bool] | None) -> tuple[str, ...]:
    """The files of libraries in which what is wanted breaks."""
    asked = filter(wanted, outcome.report.findings)
    return tuple(sorted(set(filter(None, map(library_of, asked)))))


class _Divided(Attempt):
    """An interpreter for each piece of the work; what they say of the fixes is put together.

    A piece says at once what it knows for its own findings.  For what others found in the code that it runs, and it did
    not, it is done once more.  What none of the changes since the last attempt concerns is taken from there.
    """

    def __init__(
        self,
        project: Project,
        request: LintRequest,
        config: Config,
        progress: Progress | None,
        state: State,
        before: _Divided | None,
        wanted: Callable[[Finding], bool] | None,
        terms: FixOptions,
        effort: Resources,
    ) -> None:
        super().__init__(project, request, state)
        if before is not None:
            gc.collect()  # the syntax trees of the last round; whoever runs this may have turned this off
        self._request, self._config, self._progress = request, config, progress
        self._effort = effort
        self._digests: dict[str, str] = {}
        overlays = {str(path.absolute()): text for path, text in request.overlays.items()}
        self._voter = Voter(config, terms, overlays)
        self.outcome = lint(
            request,
            config,
            progress,
            jobs=effort.jobs,
            cache=effort.cache,
            after=self._voter,
            since=None if before is None else PreviousRun(before.kept, self._changed_since(before)),
        )
        self.outcome.context = None
        report = self.outcome.report
        report.findings = report.findings if wanted is None else list(filter(wanted, report.findings))
        findings = [each for each in report.findings if votable(each, terms)]
        asked = self._unanswered(findings)
        if asked:
            self._ask(asked, _libraries(self.outcome, wanted) if terms.hatches else ())
        report.findings = [*self._with_fixes(report.findings, replace(terms, torch_version=report.torch_version))]

    @property
    def kept(self) -> RunState:
        """What the next attempt need not do again."""
        assert self.outcome.kept is not None
        return self.outcome.kept

    def _changed_since(self, before: Attempt) -> frozenset[str]:
        """The full paths of the files that have other texts than in another attempt."""
        paths = {*self.state.texts, *before.state.texts}
        full = (self._texts.full_path(path) for path in paths if self.text_of(path) != before.text_of(path))
        return frozenset(filter(None, full))

    def _unanswered(self, findings: Iterable[Finding]) -> dict[str, tuple[Finding, ...]]:
        """What the pieces were not asked for yet of the lines that they run, by the names of the pieces."""
        votes = self._votes()
        by_file: dict[str, list[tuple[Finding, list[Span]]]] = {}
        for finding in findings:
            path = finding.span.path
            edits = (edit.span for vote in votes.get(key_of(finding), ()) for fix in vote.fixes for edit in fix.edits)
            by_file.setdefault(path, []).append(
                (finding, [finding.span, *(each for each in edits if each.path == path)])
            )
        asked = {}
        for part in self.kept.parts:
            told = {_key(vote) for vote in self._valid(part)}
            missing = [
                finding
                for ran in part.ran
                for finding, spans in by_file.get(ran.path, ())
                if key_of(finding) not in told
                and any(ran.is_in(each.line, each.end_line or each.line) for each in spans)
            ]
            if missing:
                asked[part.name] = tuple(missing)
        return asked

    def _valid(self, part: UnitResult) -> Iterator[FixVote]:
        """The votes of a piece that are about the files as they are now."""
        for vote in part.votes:
            path = vote.span.path
            if path not in self._digests:
                text = self.text_of(path)
                self._digests[path] = "" if text is None else _digest(text)
            if vote.text == self._digests[path]:
                yield vote

    def _ask(self, asked: Mapping[str, tuple[Finding, ...]], libraries: Sequence[str]) -> None:
        """Have the pieces say what they know for these findings."""
        parts = {part.name: part for part in self.kept.parts}
        request = replace(self._request, only=self._running(asked))
        voter = replace(self._voter, asked=asked, libraries=tuple(libraries))
        opening = UnitRunnerFactory(request, self._config, voter)
        setting = prepare(request, self._config, voter.new_observer())
        if any(name.startswith(ENTRIES) for name in asked):
            search = look_for_entries(setting, request, self._config)
        else:
            search = resumed(setting, self._config, self.kept.looked)
        done = {name: UnitResult(name) for name in parts if name not in asked}
        scan = Scan(setting, search, opening, afresh=True, known=done)
        scan.run(self._effort.jobs, self._progress)
        for part in scan.parts:
            parts[part.name].votes += part.votes
        report = self.outcome.report
        report.errors += sorted(scan.errors - set(report.errors), key=lambda each: (each.path, each.line, each.message))

    def _running(self, asked: Mapping[str, tuple[Finding, ...]]) -> Chosen:
        """The entry points that run code in which there is something to be asked for."""
        points: set[EntryPoint] = set()
        for part in self.kept.parts:
            files = {self._texts.full_path(each.span.path) for each in asked.get(part.name, ())}
            points.update(traced.point for traced in part.traces if not files.isdisjoint(traced.files))
        return Chosen(frozenset(points))

    def _votes(self) -> Mapping[tuple[str, Span, str], Sequence[FixVote]]:
        """What was said of each finding, in the order of the pieces."""
        votes: dict[tuple[str, Span, str], list[FixVote]] = {}
        for part in self.kept.parts:
            for vote in self._valid(part):
                votes.setdefault(_key(vote), []).append(vote)
        return votes

    def _with_fixes(self, findings: Iterable[Finding], terms: FixOptions) -> Iterator[Finding]:
        votes = self._votes()
        unseen = Proposer(self.text_of, {}, terms)
        for finding in findings:
            said = votes.get(key_of(finding))
            yield with_fixes(finding, unseen.fixes(finding) if said is None else agreed(said))


@dataclass(frozen=True, slots=True)
class Chosen:
    """Chooses some entry points."""

    points: frozenset[EntryPoint]

    def __call__(self, point: EntryPoint) -> bool:
        """Whether it is one of them."""
        return point in self.points


def _key(vote: FixVote) -> tuple[str, Span, str]:
    return vote.code, vote.span, vote.message


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
