"""Line numbers as ranges."""

from __future__ import annotations

from collections.abc import Iterable


def to_ranges(lines: Iterable[int]) -> tuple[str, ...]:
    """Return line numbers as ranges: ``3-5`` or ``7``."""
    spans: list[list[int]] = []
    for line in sorted(set(lines)):
        if spans and spans[-1][1] == line - 1:
            spans[-1][1] = line
        else:
            spans.append([line, line])
    return tuple(str(first) if first == last else f"{first}-{last}" for first, last in spans)


def from_ranges(spans: Iterable[str]) -> set[int]:
    """Return the line numbers in ranges."""
    found: set[int] = set()
    for span in spans:
        first, _, last = span.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return found
