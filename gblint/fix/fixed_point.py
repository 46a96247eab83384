"""Fixing to the end: lint, fix, and lint again, until there is nothing left to fix."""

from __future__ import annotations

from collections.abc import Callable

from gblint.config.settings import Config
from gblint.diagnostics.finding import Finding
from gblint.diagnostics.fix import Fix
from gblint.diagnostics.report import FileError
from gblint.fix.edits import Offsets, Patch, fitting, put_in
from gblint.fix.line_map import Origins
from gblint.fix.lint_with_fixes import Attempt, Resources, State, attempt
from gblint.fix.writer import Original
from gblint.pipeline.lint import LintRequest, LintResult, Progress
from gblint.project.project import Project
from gblint.runtime.lazy_dataclasses import dataclass, field, replace

# A fix may uncover the next one; more rounds than this are two fixes that undo each other.
MAX_ROUNDS = 12


@dataclass(frozen=True, slots=True, order=True)
class FixKey:
    """What tells a fix from others, in whatever round it is made: ``line`` counts in the file as it was at first."""

    path: str
    line: int
    code: str
    title: str


Choose = Callable[[Finding, Fix, FixKey], bool]
# Files with the text that they have, where that is not the one that is saved.
Texts = frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Applied:
    """One fix that was made, and the finding that it is for, with the lines that the file had by then.

    ``number`` is that of the round, from 1 on: what comes later may be there only because of earlier fixes.
    """

    key: FixKey
    finding: Finding
    fix: Fix
    number: int = 1


@dataclass(slots=True)
class Fixed:
    """What fixing came to: the files before and after, where their lines come from, the fixes, and what is found in the
    files as they are now.

    The findings of ``outcome`` carry the fixes that were not chosen.  ``problems`` are files that could not be read.
    ``project`` and ``first`` are what was linted before anything was fixed, and what came of it.
    """

    outcome: LintResult
    originals: dict[str, Original] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    applied: list[Applied] = field(default_factory=list)
    problems: list[FileError] = field(default_factory=list)
    origins: dict[str, Origins] = field(default_factory=dict)
    project: Project | None = None
    first: LintResult | None = None

    @property
    def changed(self) -> list[str]:
        """The files whose text is another now, in order."""
        return sorted(path for path, text in self.texts.items() if text != self.originals[path].text)


def with_fixes(
    request: LintRequest,
    config: Config,
    progress: Progress | None = None,
    wanted: Callable[[Finding], bool] | None = None,
    effort: Resources | None = None,
) -> LintResult:
    """As ``lint``, and the findings, only those that are ``wanted`` if that is said, carry the fixes known for them.

    Fixes that are only to be read are among them.
    """
    return attempt(request, config, progress, wanted=wanted, hatches=True, effort=effort).outcome


def fix(
    request: LintRequest,
    config: Config,
    choose: Choose,
    progress: Progress | None = None,
    known: dict[Texts, Attempt] | None = None,
    effort: Resources | None = None,
) -> Fixed:
    """Make the fixes that ``choose`` takes, in memory, until there are no more.

    ``known`` keeps what was found in files with some text, for other calls with the same request and configuration.
    """
    known = {} if known is None else known
    first = known.get(frozenset()) or attempt(request, config, progress, effort=effort)
    known[frozenset()] = first
    fixed = Fixed(first.outcome, first.originals, project=first.project, first=first.outcome)
    current, seen = first, set[Texts]()
    for number in range(1, MAX_ROUNDS + 1):
        changed = _apply(current, fixed, choose, number)
        if not changed:
            break
        state = frozenset(fixed.texts.items())
        if state in seen:
            break
        seen.add(state)
        overlays = {**request.overlays, **{fixed.originals[path].path: text for path, text in fixed.texts.items()}}
        if state not in known:
            again = replace(request, overlays=overlays)
            now = State(fixed.originals, dict(fixed.texts))
            known[state] = attempt(again, config, progress, state=now, before=current, effort=effort)
            known[state].project = None
        current = known[state]
    fixed.outcome = current.outcome
    fixed.problems = list(current.problems.values())
    return fixed


def _apply(current: Attempt, fixed: Fixed, choose: Choose, number: int) -> bool:
    """Put the chosen fixes of one round into the texts; whether anything changed.

    Last resorts are taken in a round of their own: what the others change may make them needless.
    """
    return any(_put_in(current, fixed, choose, number, last_resort) for last_resort in (False, True))


def _put_in(current: Attempt, fixed: Fixed, choose: Choose, number: int, last_resort: bool) -> bool:
    by_file: dict[str, list[Applied]] = {}
    for finding in current.outcome.report.findings:
        path = finding.span.path
        if finding.fixes and path not in fixed.origins:
            fixed.origins[path] = Origins.of(fixed.originals[path].text)
        for each in finding.fixes:
            key = FixKey(path, fixed.origins[path].before(finding.span.line), finding.code, each.title)
            if each.edits and each.last_resort <= last_resort and choose(finding, each, key):
                by_file.setdefault(path, []).append(Applied(key, finding, each, number))
                break
    changed = False
    for path, wanted in by_file.items():
        text = current.text_of(path)
        assert text is not None
        offsets = Offsets(text)
        parts, used = fitting([Patch.of(each.fix.edits, offsets) for each in wanted])
        new = put_in(text, parts)
        if new == text:
            continue
        changed = True
        fixed.texts[path] = new
        fixed.origins[path] = fixed.origins[path].after_edits(text, parts, new)
        fixed.applied += [wanted[index] for index in used]
    return changed
