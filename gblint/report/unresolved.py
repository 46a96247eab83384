"""Text about compiled objects that were not analysed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from gblint.diagnostics.missing_package import MissingPackage
from gblint.diagnostics.report import FileError, Report
from gblint.diagnostics.unresolved import UnresolvedTarget
from gblint.project.source_text import neutral, place
from gblint.report.no_entry_points import counted

NAMED = 3  # compiled objects that are named in one line
CODE = "not-analysed"  # in formats that want a code
_PLACE = r" \([^()]*:\d+\)$"  # at the end of a reason
IN_PART = "was not analysed completely"  # in the warning about an entry point that reached a bound


def folded(report: Report, warnings: Sequence[FileError]) -> Iterator[FileError | str]:
    """Yield the warnings about compiled objects and about the run, without most of those of a kind with many."""
    shown, left = _first([*map(as_message, report.unresolved)])
    yield from shown
    if left:
        rest = report.unresolved[len(shown) :]
        yield f"{counted(left, 'more compiled object')} were {_how(rest)}; `gblint entries` lists each"
    yield from folded_packages(report)
    in_part = partial(warnings)
    shown, left = _first(in_part)
    yield from (each for each in warnings if each not in in_part or each in shown)
    if left:
        yield f"{counted(left, 'more entry point')} {IN_PART.replace('was', 'were')}; --show-all lists each"


def folded_packages(report: Report) -> Iterator[FileError | str]:
    """Yield the warnings about packages that are not installed, without most of them if there are many."""
    shown, left = _first([*map(package_message, report.missing_packages)])
    yield from shown
    if left:
        yield f"{counted(left, 'more package')} are called and not installed; --show-all lists each"


def package_message(package: MissingPackage) -> FileError:
    """Return the message about a package that is not installed, with the place of the first call."""
    return FileError(package.path, package.line, package.message)


def _first(messages: list[FileError]) -> tuple[list[FileError], int]:
    """Return the first messages, and the number of the others; a single one is not left out."""
    return (messages[:NAMED], len(messages) - NAMED) if len(messages) > NAMED + 1 else (messages, 0)


def as_message(target: UnresolvedTarget) -> FileError:
    """Return the message about a compiled object, with its place."""
    return FileError(target.path, target.line, target.message)


def messages(report: Report) -> list[FileError]:
    """Return the messages about compiled objects and entry points that were not analysed, or only in part."""
    return [*map(as_message, report.unresolved), *report.partial]


def others(report: Report) -> str:
    """Return the clause about the objects beside the entry points: how many were not analysed, or only in part."""
    number = len(report.unresolved)
    return f"{counted(number, 'more compiled object')} {'was' if number == 1 else 'were'} {_how(report.unresolved)}"


def named(report: Report) -> str:
    """Return the first compiled objects that were not analysed with their places, and the number of the others."""
    first = [
        f"`{neutral(each.expression)}` ({place(each.path, each.line)}{missed(report, each)})"
        for each in report.unresolved[:NAMED]
    ]
    left = len(report.unresolved) - len(first)
    return ", ".join(first) + (f", and {left} more" if left else "")


def missed(report: Report, target: UnresolvedTarget) -> str:
    """Return the note about an object that was not analysed at all, if others were analysed in part."""
    return ", not at all" if not target.partly and any(each.partly for each in report.unresolved) else ""


def heading(report: Report) -> tuple[str, str]:
    """Return the heading of a list of the compiled objects that were not analysed, and how many there are."""
    how = _how(report.unresolved)
    return f"{how[0].upper()}{how[1:]}", share(report)


def not_analysed(report: Report) -> str:
    """Return the clause for the end of a sentence: how many compiled objects were not analysed, and which."""
    verb = "was" if len(report.unresolved) == 1 else "were"
    return f"{share(report)} {verb} {_how(report.unresolved)}: {named(report)}"


def coverage(report: Report, cut: int = 0, where: str = "see the warnings") -> str:
    """Return a sentence on how many of the compiled objects were analysed; "" if that is not known.

    ``cut``: the number of entry points that were analysed only in part. ``where`` leads to them.
    """
    partly = " and ".join(filter(None, (_cut(cut, where), _missing(report))))
    if report.unresolved:
        clause = not_analysed(report)
        return f"{clause[0].upper()}{clause[1:]}{f'; {partly}' if partly else ''}."
    if not report.compiled or report.errors:
        return f"Analysed {partly}." if partly else ""
    number = len(report.compiled)
    every = "The compiled object was analysed" if number == 1 else f"All {number:,} compiled objects were analysed"
    return f"{every}{f', {partly}' if partly else ''}."


def _cut(cut: int, where: str) -> str:
    """Return the clause about ``cut`` entry points that were analysed only in part; ``where`` leads to them."""
    return f"{counted(cut, 'entry point')} only in part ({where})" if cut else ""


def _missing(report: Report) -> str:
    """Return the clause about the packages that are not installed."""
    packages = report.missing_packages
    if not packages:
        return ""
    names = ", ".join(f"`{each.package}`" for each in packages[:NAMED])
    left = f" and {len(packages) - NAMED} more" if len(packages) > NAMED else ""
    return f"without the code of {names}{left}, which {'is' if len(packages) == 1 else 'are'} not installed"


def is_complete(report: Report, cut: int) -> bool:
    """Return whether all that is compiled was analysed; ``cut`` entry points were analysed only in part."""
    return not (report.unresolved or report.missing_packages or report.errors or cut)


def partial(warnings: Iterable[FileError]) -> list[FileError]:
    """Return the warnings about entry points that were analysed only in part."""
    return [warning for warning in warnings if IN_PART in warning.message]


def reasons(report: Report) -> str:
    """Return the most frequent reasons why entry points were analysed only in part, with their numbers."""
    texts = (each.message.partition(f"{IN_PART}: ")[2] for each in report.partial)
    counts = Counter(neutral(re.sub(_PLACE, "", text)) for text in texts)
    shown = [f"{text}: {count:,}" for text, count in counts.most_common(NAMED)]
    left = len(counts) - len(shown)
    return "; ".join([*shown, *([counted(left, "other reason")] if left else [])])


def cut(warnings: Iterable[FileError]) -> int:
    """Return the number of entry points that were analysed only in part."""
    return len(partial(warnings))


def _how(targets: Sequence[UnresolvedTarget]) -> str:
    """Return how far compiled objects were analysed that were not analysed completely."""
    partly = sum(each.partly for each in targets)
    if partly == len(targets):
        return "analysed only in part"
    missing = len(targets) - partly
    return f"not analysed completely ({missing:,} not at all)" if partly else "not analysed"


def share(report: Report) -> str:
    """Return how many of the compiled objects were not analysed, or only in part."""
    number = len(report.unresolved)
    # What was analysed in part is among the entry points.
    total = len(report.compiled) + sum(not each.partly for each in report.unresolved)
    if not report.compiled:
        return counted(number, "compiled object")
    return "the compiled object" if total == 1 else f"{number} of {total:,} compiled objects"
