"""What the pieces of a large run know of fixes, each on its own, and what they agree on.

A fix for code that several entry points run has to be right for what each of them gives that code.  Where one
interpreter sees all of them it joins what it sees; where the work is divided, every piece says which fixes it knows
for a finding, and a fix is offered if all say the same that run the lines in which it breaks, or that are to change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b

from gblint.config.settings import Config
from gblint.diagnostics.finding import Finding
from gblint.diagnostics.fix import Applicability, Fix
from gblint.diagnostics.span import Span
from gblint.fix.file_texts import Texts
from gblint.fix.propose import FixCache, FixOptions, Proposer, library_of
from gblint.interp import Interpreter, merge
from gblint.interp.observers.value_recorder import Place, ValueRecorder
from gblint.pipeline.lint import Selection, judged, merged
from gblint.pipeline.scan import ExecutedLines, FixVote, UnitResult, internal_error
from gblint.rules import all_rules
from gblint.runtime.lazy_dataclasses import dataclass, field, replace

_SURE: tuple[Applicability, ...] = ("safe", "unsafe", "display")


@dataclass(slots=True)
class Voter:
    """Says after each piece which fixes it knows, for what it was ``asked`` under its name, or else for what it found.

    ``overlays`` are texts in the place of files, by their full paths.  ``libraries`` are the files of libraries whose
    values are recorded besides those of the user.
    """

    config: Config
    terms: FixOptions
    overlays: Mapping[str, str]
    asked: Mapping[str, tuple[Finding, ...]] | None = None
    libraries: tuple[str, ...] = ()
    _texts: Texts | None = None
    _shelf: FixCache = field(default_factory=FixCache)

    @property
    def key(self) -> str:
        """As in ``UnitHook``."""
        config, terms = self.config, self.terms
        return repr((sorted(terms.settings.items()), terms.hatches, config.min_confidence, self._selection()))

    def new_observer(self) -> ValueRecorder:
        """Return a recorder of the user's files and of ``libraries``."""
        return ValueRecorder(self.libraries)

    def __call__(self, m: Interpreter, part: UnitResult) -> None:
        """As in ``UnitHook``."""
        recorder = m.observer
        assert isinstance(recorder, ValueRecorder)
        values = dict(recorder.values)
        recorder.values.clear()
        if self._texts is None:
            self._texts = Texts(m.project, self.overlays)
        part.ran += _ran(values)
        terms = replace(self.terms, torch_version=m.knowledge.version)
        proposer = Proposer(self._texts.of, values, terms, recorder.libraries, self._shelf)
        for finding in self._findings(m, part):
            try:
                self._vote(finding, proposer, part)
            except Exception as error:
                span = finding.span
                part.problems.append(internal_error(span.path, span.line, f"a fix for {finding.code}", error))

    def _findings(self, m: Interpreter, part: UnitResult) -> Iterable[Finding]:
        if self.asked is not None:
            return self.asked.get(part.name, ())
        wanted = self._selection()
        found = merged(judged(merge(part.traces), m.knowledge))
        least = self.config.min_confidence.rank
        return [
            each
            for each in found
            if wanted.wants(each.code) and each.confidence.rank >= least and votable(each, self.terms, own=True)
        ]

    def _selection(self) -> Selection:
        return Selection.of(self.config, [rule.code for rule in all_rules()])[0]

    def _vote(self, finding: Finding, proposer: Proposer, part: UnitResult) -> None:
        assert self._texts is not None
        text = self._texts.of(finding.span.path)
        if text is not None:
            digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
            part.votes.append(FixVote(*key_of(finding), proposer.fixes(finding), digest))


def _ran(values: Iterable[Place]) -> Iterator[ExecutedLines]:
    lines: dict[str, set[int]] = {}
    for path, line, _, end_line, _ in values:
        lines.setdefault(path, set()).update(range(line, end_line + 1))
    for path, those in sorted(lines.items()):
        ends = sorted(line for line in those if line + 1 not in those)
        starts = sorted(line for line in those if line - 1 not in those)
        yield ExecutedLines(path, tuple(line for pair in zip(starts, ends) for line in pair))


def votable(finding: Finding, terms: FixOptions, *, own: bool = False) -> bool:
    """Whether there may be a fix for ``finding``; with ``own``, one that does not hang on the code of a library."""
    return terms.concern(finding) or (terms.hatches and not own and library_of(finding) is not None)


def key_of(finding: Finding) -> tuple[str, Span, str]:
    """What tells a finding from others."""
    return finding.code, finding.span, finding.message


def agreed(votes: Sequence[FixVote]) -> tuple[Fix, ...]:
    """The fixes that all votes have in common, each as good as it is for the worst."""
    first, *others = votes
    return tuple(filter(None, (_common(fix, others) for fix in first.fixes)))


def _common(fix: Fix, others: Iterable[FixVote]) -> Fix | None:
    same = [fix]
    for vote in others:
        found = next((each for each in vote.fixes if (each.title, each.edits) == (fix.title, fix.edits)), None)
        if found is None:
            return None
        same.append(found)
    worst = max((each.applicability for each in same), key=_SURE.index)
    return replace(fix, applicability=worst, last_resort=any(each.last_resort for each in same))
