"""Agreement of work units on fixes.

A fix for code that several entry points run must be right for the values that each of them passes.  A single
interpreter that runs all of them joins these values.  If the work is divided into units, each unit votes: it names the
fixes that it would make for a finding.  A fix is offered if all units that run the breaking lines, or the lines to
change, vote for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from gblint.config.settings import Config
from gblint.diagnostics.finding import Finding
from gblint.diagnostics.fix import Applicability, Fix
from gblint.diagnostics.span import Span
from gblint.filters.merge import merge_findings
from gblint.filters.selection import Selection
from gblint.fix.file_texts import FileTexts, text_digest
from gblint.fix.propose import FixCache, FixOptions, FixProposer, breaking_library
from gblint.interp import Interpreter, merge
from gblint.interp.observers.value_recorder import Place, ValueRecorder
from gblint.pipeline.judge import judge
from gblint.pipeline.work_units import ExecutedLines, FixVote, FixWork, UnitResult, internal_error
from gblint.runtime.lazy_dataclasses import dataclass, field, replace

_BEST_FIRST: tuple[Applicability, ...] = ("safe", "unsafe", "display")


@dataclass(slots=True)
class FixVoter:
    """A hook that runs after each work unit and adds the unit's votes to its result.

    A unit votes on its own findings, or, with ``unanswered``, on the findings listed there under its name.
    ``overlays`` are unsaved texts of files by full path, ``spent`` the work on fixes of the rounds before.  Values are
    recorded in user files and in the library files ``libraries``.
    """

    config: Config
    options: FixOptions
    overlays: Mapping[str, str]
    spent: Mapping[str, int] = field(default_factory=dict)
    unanswered: Mapping[str, tuple[Finding, ...]] | None = None
    libraries: tuple[str, ...] = ()
    _texts: FileTexts | None = None
    _cache: FixCache = field(default_factory=FixCache)

    @property
    def key(self) -> str:
        """A text for the cache of results: everything in the configuration on which the votes depend."""
        config, options = self.config, self.options
        settings = sorted(options.settings.items())
        spent = sorted(self.spent.items())
        return repr((settings, options.escape_hatches, config.min_confidence, self._selection(), spent))

    def new_observer(self) -> ValueRecorder:
        """Return a recorder of values in user files and in ``libraries``."""
        return ValueRecorder(self.libraries)

    def __call__(self, interp: Interpreter, part: UnitResult) -> None:
        """Add the executed lines and the votes to the result of a unit."""
        recorder = interp.observer
        assert isinstance(recorder, ValueRecorder)
        values = dict(recorder.values)
        recorder.values.clear()
        if self._texts is None:
            self._texts = FileTexts(interp.project, self.overlays)
        part.executed += _executed_lines(values)
        options = replace(self.options, torch_version=interp.knowledge.version)
        proposer = FixProposer(self._texts.of, values, options, recorder.libraries, self._cache, self.spent)
        for finding in self._findings(interp, part):
            try:
                self._vote(finding, proposer, part)
            except Exception as error:
                span = finding.span
                part.problems.append(internal_error(span.path, span.line, f"a fix for {finding.code}", error))
        part.fix_work += (FixWork(path, work) for path, work in proposer.budget.spent.items())

    def _findings(self, interp: Interpreter, part: UnitResult) -> Iterable[Finding]:
        """Return the findings that the unit has to vote on."""
        if self.unanswered is not None:
            return self.unanswered.get(part.name, ())
        selection = self._selection()
        found = merge_findings(judge(merge(part.traces), interp.knowledge))
        least = self.config.min_confidence.rank
        return [
            each
            for each in found
            if selection.wants(each.code)
            and each.confidence.rank >= least
            and may_have_fix(each, self.options, in_library=False)
        ]

    def _selection(self) -> Selection:
        return Selection.of(self.config)[0]

    def _vote(self, finding: Finding, proposer: FixProposer, part: UnitResult) -> None:
        assert self._texts is not None
        text = self._texts.of(finding.span.path)
        if text is not None:
            known = len(proposer.budget.left_out)
            fixes = proposer.fixes(finding)
            left_out = len(proposer.budget.left_out) > known
            part.votes.append(FixVote(*finding_key(finding), fixes, text_digest(text), left_out))


def _executed_lines(values: Iterable[Place]) -> Iterator[ExecutedLines]:
    """Yield by file the ranges of lines in which values were recorded."""
    lines: dict[str, set[int]] = {}
    for path, line, _, end_line, _ in values:
        lines.setdefault(path, set()).update(range(line, end_line + 1))
    for path, those in sorted(lines.items()):
        ends = sorted(line for line in those if line + 1 not in those)
        starts = sorted(line for line in those if line - 1 not in those)
        yield ExecutedLines(path, tuple(line for pair in zip(starts, ends) for line in pair))


def may_have_fix(finding: Finding, options: FixOptions, *, in_library: bool = True) -> bool:
    """Return whether there may be a fix for ``finding``; ``in_library`` includes breaks in the code of a library."""
    if options.may_fix(finding):
        return True
    return options.escape_hatches and in_library and breaking_library(finding) is not None


def finding_key(finding: Finding | FixVote) -> tuple[str, Span, str]:
    """Return the identity of a finding, or of the finding that a vote is about."""
    return finding.code, finding.span, finding.message


def agreed_fixes(votes: Sequence[FixVote]) -> tuple[Fix, ...]:
    """Return the fixes that all votes contain, each with its worst applicability."""
    first, *others = votes
    return tuple(filter(None, (_agreed(fix, others) for fix in first.fixes)))


def _agreed(fix: Fix, others: Iterable[FixVote]) -> Fix | None:
    same = [fix]
    for vote in others:
        found = next((each for each in vote.fixes if (each.title, each.edits) == (fix.title, fix.edits)), None)
        if found is None:
            return None
        same.append(found)
    worst = max((each.applicability for each in same), key=_BEST_FIRST.index)
    return replace(fix, applicability=worst, last_resort=any(each.last_resort for each in same))
