"""``gblint check --interactive``: show each fix, and ask whether to make it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import click

from gblint.cli.diffs import unified
from gblint.diagnostics.finding import Finding
from gblint.diagnostics.fix import Fix
from gblint.fix.edits import Offsets, Patch, apply_edits, compatible_edits
from gblint.project.source_text import Style, neutral
from gblint.report.concise import headline

if TYPE_CHECKING:
    from gblint.cli.progress import ProgressBar
    from gblint.fix.fixed_point import Choose, FixKey
    from gblint.fix.lint_with_fixes import FixRun

_HELP = """\
y  make {which}
n  leave it as it is
a  make the first fix of this and of all other findings of {code}
d  leave all findings of {code} as they are
q  leave all others as they are, and make the fixes chosen so far
Ctrl-C changes no file."""
_Place = tuple[str, int, str]  # a finding: its path, its line in the original file, its code


class InteractiveSelection:
    """A predicate on fixes that asks the user about each finding with fixes that ``base`` accepts.

    It asks once for each finding, however often the predicate is called.
    """

    def __init__(self, base: Choose, style: Style, progress: ProgressBar) -> None:
        self._base = base
        self._style = style
        self._progress = progress
        self._chosen: dict[_Place, str] = {}  # the title of the fix; "" for none
        self._all_of_rule: dict[str, bool] = {}
        self._has_quit = False
        self._text_of: Callable[[str], str | None] = lambda path: None

    @property
    def asked(self) -> bool:
        """Whether there was a fix to ask about."""
        return bool(self._chosen)

    def begin_round(self, run: FixRun) -> None:
        """Take the texts that the next fixes change."""
        self._text_of = run.text_of

    def __call__(self, finding: Finding, fix: Fix, key: FixKey) -> bool:
        place = (key.path, key.line, key.code)
        if place not in self._chosen:
            if self._has_quit or not self._base(finding, fix, key):
                return False
            fixes = [each for each in finding.fixes if each.edits and self._base(finding, each, key)]
            self._chosen[place] = self._choice(finding, fixes)
        return self._chosen[place] == fix.title

    def _choice(self, finding: Finding, fixes: list[Fix]) -> str:
        """Return the title of the fix that is to be made, "" for none."""
        wanted = self._all_of_rule.get(finding.code)
        if wanted is not None:
            return fixes[0].title if wanted else ""
        return self._ask(finding, fixes)

    def _ask(self, finding: Finding, fixes: list[Fix]) -> str:
        """Ask until there is an answer; raises click.Abort at the end of the input or on Ctrl-C."""
        self._progress.pause()
        for line in self._shown(finding, fixes):
            click.echo(line)
        first = "y" if len(fixes) == 1 else ",".join(map(str, range(1, len(fixes) + 1)))
        question = f"Make this fix? [{first},n,a,d,q,?]" if len(fixes) == 1 else f"Make which fix? [{first},n,a,d,q,?]"
        while True:
            reply = click.prompt(question, prompt_suffix=" ", default="?", show_default=False).strip().lower()
            if reply.isdecimal() and 1 <= int(reply) <= len(fixes):
                return fixes[int(reply) - 1].title
            if reply in ("a", "d"):
                self._all_of_rule[finding.code] = reply == "a"
            if reply in ("y", "a"):
                return fixes[0].title
            if reply in ("n", "d", "q"):
                self._has_quit = reply == "q"
                return ""
            which = "this fix" if len(fixes) == 1 else "the first fix; or its number for another one"
            click.echo(_HELP.format(code=finding.code, which=which))

    def _shown(self, finding: Finding, fixes: list[Fix]) -> Iterator[str]:
        yield ""
        yield headline(finding, self._style)
        text = self._text_of(finding.span.path)
        for number, fix in enumerate(fixes, 1):
            kept = "keeps the results" if fix.applicability == "safe" else "may change results"
            yield f"{'fix' if len(fixes) == 1 else number}: {neutral(fix.title)} ({kept})"
            if text is not None:
                edits, _ = compatible_edits([Patch.of(fix.edits, Offsets(text))])
                diff = list(unified(finding.span.path, text, apply_edits(text, edits), context=2))
                yield from (_colored(line, self._style) for line in diff[2:])


def _colored(line: str, style: Style) -> str:
    paint = {"+": style.green, "-": style.red, "@": style.cyan}.get(line[:1])
    return line if paint is None else paint(line)
