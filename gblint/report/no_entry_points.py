"""The report of a run without entry points, and the head of every JSON document.

The fast path of the command line uses it, so that it imports nothing.
"""

from __future__ import annotations

from gblint import __version__

VERSION = 1
HINT = "an entry point is an object that torch.compile is applied to; --entry MODULE:NAME adds one"


def counted(number: int, singular: str, plural: str = "") -> str:
    """Return a number with its noun."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def summary(files: int) -> str:
    """Return the last line of the report."""
    return f"Nothing was analysed: no entry point in {counted(files, 'file')}."


def head(torch_version: str) -> dict[str, object]:
    """Return the first fields of every JSON document."""
    return {"version": VERSION, "tool": {"name": "gblint", "version": __version__}, "torch_version": torch_version}


def document(
    torch_version: str,
    entries: object = (),
    findings: object = (),
    errors: object = (),
    unresolved: object = (),
    missing_packages: object = (),
) -> dict[str, object]:
    """Return the JSON document of a run of ``gblint check``."""
    lists = {"entries": entries, "findings": findings, "errors": errors, "unresolved": unresolved}
    return {**head(torch_version), **lists, "missing_packages": missing_packages}
