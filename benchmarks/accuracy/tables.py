"""Output as plain tables, and lists of missed sites and wrong findings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from benchmarks.accuracy import figures
from benchmarks.accuracy.compare import Comparison
from benchmarks.accuracy.figures import Tally


def share(value: float | None) -> str:
    """Return a share in percent."""
    return "-" if value is None else f"{value:.1%}"


def table(heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> Iterator[str]:
    """Yield the lines of a table; the first column is aligned to the left, the others to the right."""
    cells = [list(heads), *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(heads))]
    for row in cells:
        first, *rest = (cell.rjust(width) for cell, width in zip(row, widths))
        yield "  ".join([first.strip().ljust(widths[0]), *rest]).rstrip()


def overview(results: Mapping[str, Comparison]) -> Iterator[str]:
    """Yield a table with one row for each file of records and one for all of them."""
    rows = []
    for name, comparison in results.items():
        tally = figures.total(comparison)
        sure = figures.by_confidence(comparison)
        flagged, clean = len(figures.flagged_clean(comparison)), len(comparison.clean)
        rows.append(
            (
                name,
                comparison.entries,
                f"{flagged}/{clean}",
                len(tally.found) + len(tally.missed),
                share(tally.recall),
                len(tally.right) + len(tally.wrong),
                share(tally.precision),
                share(sure["certain"].precision),
                share(sure["likely"].precision),
                f"{comparison.seconds / max(comparison.entries, 1):.2f} s",
            )
        )
    heads = ("records", "entries", "clean flagged", "sites", "recall", "judged", "precision", "certain", "likely")
    yield from table((*heads, "an entry"), rows)


def confidences(comparison: Comparison) -> Iterator[str]:
    """Yield a table with one row for each confidence."""
    rows = [
        (level, len(tally.right), len(tally.wrong), share(tally.precision), len(tally.found), share(tally.recall))
        for level, tally in figures.by_confidence(comparison).items()
    ]
    yield from table(("confidence", "right", "wrong", "precision", "sites found", "of all"), rows)


def rules(tallies: Mapping[str, Tally], name_of: Callable[[str], str]) -> Iterator[str]:
    """Yield a table with one row for each rule."""
    rows = [(f"{code} {name_of(code)}".strip(), *_both(tally)) for code, tally in tallies.items()]
    yield from table(("rule", "right", "wrong", "precision", "found", "missed", "recall"), rows)


def gb_ids(tallies: Mapping[str, Tally]) -> Iterator[str]:
    """Yield a table with one row for each id; ``named`` counts the sites with a finding that names the id."""
    rows = [(gb_id, *_both(tally), len(tally.agreed)) for gb_id, tally in tallies.items()]
    yield from table(("GB id", "right", "wrong", "precision", "found", "missed", "recall", "named"), rows)


def _both(tally: Tally) -> tuple[Any, ...]:
    made = (len(tally.right), len(tally.wrong), share(tally.precision))
    return (*made, len(tally.found), len(tally.missed), share(tally.recall))


def shown(comparison: Comparison, text: Callable[[str, int], str]) -> Iterator[str]:
    """Yield a line for each missed site and each wrong finding."""
    tally = figures.total(comparison)
    ids: dict[tuple[str, int], set[str]] = {}
    for site in comparison.sites:
        ids.setdefault(site.place, set()).update(site.gb_ids)
    for file, line in sorted(tally.missed):
        yield f"missed {file}:{line} {','.join(sorted(ids[file, line]))}  {text(file, line)[:100]}"
    level = {(v.claim.file, v.claim.line, v.claim.code): v.claim.confidence for v in comparison.verdicts}
    for wrong in sorted(tally.wrong):
        file, line, code = wrong
        yield f"wrong  {file}:{line} {code} {level[wrong]}  {text(file, line)[:100]}"
