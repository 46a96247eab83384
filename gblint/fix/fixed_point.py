"""Fixing to a fixed point: lint, apply fixes in memory, and repeat until there is nothing left to fix."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from itertools import count

from gblint.config.settings import Config
from gblint.diagnostics.break_event import Category
from gblint.diagnostics.finding import Finding
from gblint.diagnostics.fix import Fix
from gblint.diagnostics.report import FileError
from gblint.fix.edits import Offsets, Patch, TextEdit, apply_edits, compatible_edits
from gblint.fix.line_map import LineMap
from gblint.fix.lint_with_fixes import FileState, FixRun, Resources, lint_with_fixes
from gblint.fix.text_checks import problem_of
from gblint.fix.writer import Original
from gblint.pipeline.lint import LintRequest, LintResult, Progress
from gblint.project.project import Project
from gblint.runtime.lazy_dataclasses import dataclass, field, replace

# A fix may uncover the next one.  If it takes more rounds than this, two fixes undo each other.
MAX_ROUNDS = 12
# After so many runs whose fixes cause findings, all fixes of the files with such findings are given up.
MAX_ATTEMPTS = 8
# So many texts are checked to find the fixes in a file that break it.
MAX_CHECKS = 64


@dataclass(frozen=True, slots=True, order=True)
class FixKey:
    """The identity of a fix across rounds; ``line`` counts in the original file."""

    path: str
    line: int
    code: str
    title: str


Choose = Callable[[Finding, Fix, FixKey], bool]
# The changed files: pairs of path and text.
ChangedTexts = frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class AppliedFix:
    """A fix that was applied, and its finding with the lines that the file had in that round.

    ``number`` is the round, from 1 on.  Breaks of later rounds may exist only because of earlier fixes.
    """

    key: FixKey
    finding: Finding
    fix: Fix
    number: int = 1


@dataclass(slots=True)
class FixResult:
    """The files before and after fixing, and the last lint result.

    * ``outcome``: the result of linting the fixed files; its findings carry the fixes that were not chosen.
    * ``originals``, ``texts``: the files as read, and the new texts of the changed ones, by path.
    * ``applied``: the applied fixes in order.
    * ``problems``: the files that could not be read.
    * ``line_maps``: for each file where its current lines come from.
    * ``dropped``: the fixes that would have broken the code, with the reason.
    * ``project``, ``first``: the project and the lint result before any fix.
    """

    outcome: LintResult
    originals: dict[str, Original] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    applied: list[AppliedFix] = field(default_factory=list)
    problems: list[FileError] = field(default_factory=list)
    line_maps: dict[str, LineMap] = field(default_factory=dict)
    dropped: dict[FixKey, str] = field(default_factory=dict)
    project: Project | None = None
    first: LintResult | None = None

    @property
    def changed(self) -> list[str]:
        """The files whose text differs from the original, sorted."""
        return sorted(path for path, text in self.texts.items() if text != self.originals[path].text)


def fix_files(
    request: LintRequest,
    config: Config,
    choose: Choose,
    progress: Progress | None = None,
    known: dict[ChangedTexts, FixRun] | None = None,
    resources: Resources | None = None,
    on_round: Callable[[FixRun], None] | None = None,
) -> FixResult:
    """Apply in memory the fixes that ``choose`` selects, until there are no more.

    A fix whose lines have a finding in the end that they did not have before is dropped. ``known`` caches lint runs by
    the changed texts, for other calls with the same request and configuration. ``on_round`` is called with each lint
    run before its fixes are chosen.
    """
    known = {} if known is None else known
    dropped: dict[FixKey, str] = {}

    def wanted(finding: Finding, fix: Fix, key: FixKey) -> bool:
        return key not in dropped and choose(finding, fix, key)

    rounds = _Rounds(request, config, progress, resources, known)
    for attempt in count(1):
        result = _fix_files(rounds, wanted, on_round)
        result.dropped.update(dropped)
        harmful = _harmful(result)
        if not harmful:
            return result
        if attempt >= MAX_ATTEMPTS:
            files = {key.path for key in harmful}
            reason = "fixes of the file cause findings"
            harmful |= {
                each.key: reason for each in result.applied if each.key.path in files and each.key not in harmful
            }
        dropped.update(harmful)
    raise AssertionError("not reached")


def _harmful(result: FixResult) -> dict[FixKey, str]:
    """Return the fixes on whose lines there is a finding that was not there before, with that finding.

    A finding that moved with its code, such as into a block that a fix dissolves, was there before. A fix is also
    harmful if code that its lines call cannot be compiled any more, as in a side of ``torch.cond``.
    """
    assert result.first is not None
    before = {(each.span.path, each.span.line, each.code) for each in result.first.report.findings}
    changed: list[tuple[Finding, int]] = []
    moved = Counter(map(_said, result.first.report.findings))
    for finding in result.outcome.report.findings:
        lines = result.line_maps.get(finding.span.path)
        if lines is not None and finding.span.line in lines.changed:
            changed.append((finding, lines.before(finding.span.line)))
        else:
            moved[_said(finding)] -= 1
    found: dict[FixKey, str] = {}
    for finding, line in changed:
        place = (finding.span.path, line)
        if (*place, finding.code) in before:
            continue
        if moved[_said(finding)] > 0:
            moved[_said(finding)] -= 1
            continue
        found |= {
            each.key: f"{finding.code} is found" for each in result.applied if (each.key.path, each.key.line) == place
        }
    return found | _not_compiled(result, before)


def _not_compiled(result: FixResult, before: Collection[tuple[str, int, str]]) -> dict[FixKey, str]:
    """Return the fixes whose lines call code that is a compile error only since then, with the finding."""
    found: dict[FixKey, str] = {}
    for finding in result.outcome.report.findings:
        lines = result.line_maps.get(finding.span.path)
        line = finding.span.line if lines is None else lines.before(finding.span.line)
        if finding.category is not Category.COMPILE_ERROR or (finding.span.path, line, finding.code) in before:
            continue
        for link in finding.chain:
            lines = result.line_maps.get(link.path)
            if lines is not None and link.line in lines.changed:
                place = (link.path, lines.before(link.line))
                found |= {
                    each.key: f"{finding.code} is found at {finding.span.path}:{finding.span.line}"
                    for each in result.applied
                    if (each.key.path, each.key.line) == place
                }
    return found


def _said(finding: Finding) -> tuple[str, str, str]:
    """Return what a finding says, wherever it is in its file."""
    return finding.span.path, finding.code, finding.message


class _Rounds:
    """The lint runs of all rounds; their work on the fixes of a file is bounded together."""

    def __init__(
        self,
        request: LintRequest,
        config: Config,
        progress: Progress | None,
        resources: Resources | None,
        known: dict[ChangedTexts, FixRun],
    ) -> None:
        self._request, self._config, self._progress, self._resources = request, config, progress, resources
        self._known = known
        self._spent: Counter[str] = Counter()
        none = frozenset[tuple[str, str]]()
        self.first = known.get(none) or lint_with_fixes(request, config, progress, resources=resources)
        known[none] = self.first
        self._spent.update(self.first.spent)

    def after(self, current: FixRun, result: FixResult) -> FixRun:
        """Return the run on the present texts of ``result``; ``current`` is the run before."""
        changed = frozenset(result.texts.items())
        if changed not in self._known:
            fixed = {result.originals[path].path: text for path, text in result.texts.items()}
            run = lint_with_fixes(
                replace(self._request, overlays={**self._request.overlays, **fixed}),
                self._config,
                self._progress,
                state=FileState(result.originals, dict(result.texts), dict(self._spent)),
                previous=current,
                resources=self._resources,
            )
            run.project = None
            self._spent.update(run.spent)
            self._known[changed] = run
        return self._known[changed]


def _fix_files(rounds: _Rounds, choose: Choose, on_round: Callable[[FixRun], None] | None) -> FixResult:
    """Apply the fixes that ``choose`` selects, until there are no more."""
    first = rounds.first
    result = FixResult(first.outcome, first.originals, project=first.project, first=first.outcome)
    current, seen = first, set[ChangedTexts]()
    for number in range(1, MAX_ROUNDS + 1):
        if on_round is not None:
            on_round(current)
        if not _apply_round(current, result, choose, number):
            break
        changed = frozenset(result.texts.items())
        if changed in seen:
            break
        seen.add(changed)
        is_last = bool(current.left_out)  # each further round would take as long
        current = rounds.after(current, result)
        if is_last:
            break
    result.outcome = current.outcome
    result.problems = list(current.problems.values())
    return result


def _apply_round(current: FixRun, result: FixResult, choose: Choose, number: int) -> bool:
    """Apply the chosen fixes of one round to the texts, and return whether anything changed.

    Last resorts are applied in a round of their own, since other fixes may make them unnecessary.
    """
    return any(_apply_chosen(current, result, choose, number, last_resort) for last_resort in (False, True))


def _apply_chosen(current: FixRun, result: FixResult, choose: Choose, number: int, last_resort: bool) -> bool:
    """Apply the first chosen fix of each finding, where fixes do not overlap; return whether anything changed."""
    by_file: dict[str, list[AppliedFix]] = {}
    for finding in current.outcome.report.findings:
        path = finding.span.path
        if finding.fixes and path not in result.line_maps:
            result.line_maps[path] = LineMap.of(result.originals[path].text)
        for each in finding.fixes:
            key = FixKey(path, result.line_maps[path].before(finding.span.line), finding.code, each.title)
            if key in result.dropped or not each.edits or each.last_resort > last_resort:
                continue
            if choose(finding, each, key):
                by_file.setdefault(path, []).append(AppliedFix(key, finding, each, number))
                break
    changed = False
    for path, chosen in by_file.items():
        text = current.text_of(path)
        assert text is not None
        edits, used = _sound_edits(text, chosen, result)
        new = apply_edits(text, edits)
        if new == text:
            continue
        changed = True
        result.texts[path] = new
        result.line_maps[path] = result.line_maps[path].after_edits(text, edits, new)
        result.applied += used
    return changed


def _sound_edits(text: str, chosen: list[AppliedFix], result: FixResult) -> tuple[list[TextEdit], list[AppliedFix]]:
    """Return the edits of the fixes that can be made together, and these fixes.

    If the new text does not compile or leaves a name unbound, the fixes that cause it are dropped.
    """
    offsets = Offsets(text)
    patches = [Patch.of(each.fix.edits, offsets) for each in chosen]
    edits, used = compatible_edits(patches)
    if problem_of(text, apply_edits(text, edits)) is None:
        return edits, [chosen[index] for index in used]
    search = _SoundPart(text, patches)
    kept = search.extended([], used)
    result.dropped.update({chosen[index].key: problem for index, problem in search.problems.items()})
    edits, _ = compatible_edits([patches[each] for each in kept])
    return edits, [chosen[index] for index in kept]


class _SoundPart:
    """A search for the patches with which the new text is sound; ``problems`` are those of the others."""

    def __init__(self, text: str, patches: list[Patch]) -> None:
        self._text = text
        self._patches = patches
        self._checks = 0
        self.problems: dict[int, str] = {}

    def extended(self, kept: list[int], more: list[int]) -> list[int]:
        """Return ``kept`` with those patches of ``more``, halved until each part is sound or a single patch.

        After ``MAX_CHECKS`` texts the patches of an unsound part are given up together.
        """
        edits, _ = compatible_edits([self._patches[each] for each in (*kept, *more)])
        problem = problem_of(self._text, apply_edits(self._text, edits))
        self._checks += 1
        if problem is None:
            return [*kept, *more]
        if len(more) == 1 or self._checks >= MAX_CHECKS:
            self.problems.update(dict.fromkeys(more, problem))
            return kept
        middle = len(more) // 2
        return self.extended(self.extended(kept, more[:middle]), more[middle:])
