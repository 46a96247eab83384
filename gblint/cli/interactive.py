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
y  make this fix
n  do not make it
a  make it, and all other fixes of {code}
d  do not make it, nor any other fix of {code}
q  do not make it, nor any other; make those chosen so far
Ctrl-C leaves all files as they are."""


class InteractiveSelection:
    """A predicate on fixes that asks the user about those that ``base`` accepts.

    Each fix is asked about once, however often the predicate is called.
    """

    def __init__(self, base: Choose, style: Style, progress: ProgressBar) -> None:
        self._base = base
        self._style = style
        self._progress = progress
        self._answers: dict[FixKey, bool] = {}
        self._by_rule: dict[str, bool] = {}
        self._has_quit = False
        self._text_of: Callable[[str], str | None] = lambda path: None

    @property
    def asked(self) -> int:
        """The number of fixes that were asked about."""
        return len(self._answers)

    def begin_round(self, run: FixRun) -> None:
        """Take the texts that the next fixes change."""
        self._text_of = run.text_of

    def __call__(self, finding: Finding, fix: Fix, key: FixKey) -> bool:
        if key in self._answers:
            return self._answers[key]
        if self._has_quit or not self._base(finding, fix, key):
            return False
        answer = self._by_rule.get(key.code)
        if answer is None:
            answer = self._ask(finding, fix, key)
        self._answers[key] = answer
        return answer

    def _ask(self, finding: Finding, fix: Fix, key: FixKey) -> bool:
        """Show a fix until there is an answer; raises click.Abort at the end of the input or on Ctrl-C."""
        self._progress.pause()
        for line in self._shown(finding, fix):
            click.echo(line)
        while True:
            reply = click.prompt("Make this fix? [y,n,a,d,q,?]", prompt_suffix=" ", default="?", show_default=False)
            match reply.strip().lower():
                case "y" | "n" as word:
                    return bool(word == "y")
                case "a" | "d" as word:
                    self._by_rule[key.code] = word == "a"
                    return bool(word == "a")
                case "q":
                    self._has_quit = True
                    return False
            click.echo(_HELP.format(code=key.code))

    def _shown(self, finding: Finding, fix: Fix) -> Iterator[str]:
        style, path = self._style, finding.span.path
        yield ""
        yield headline(finding, style)
        kept = "keeps the results" if fix.applicability == "safe" else "may change results"
        yield f"fix: {neutral(fix.title)} ({kept})"
        text = self._text_of(path)
        if text is None:
            return
        edits, _ = compatible_edits([Patch.of(fix.edits, Offsets(text))])
        for line in list(unified(path, text, apply_edits(text, edits), context=2))[2:]:
            yield _colored(line, style)


def _colored(line: str, style: Style) -> str:
    paint = {"+": style.green, "-": style.red, "@": style.cyan}.get(line[:1])
    return line if paint is None else paint(line)
