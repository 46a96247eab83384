"""What is said where nothing is compiled, and what every document begins with."""

from __future__ import annotations

from gblint import __version__

VERSION = 1
HINT = "an entry point is what torch.compile is applied to; --entry MODULE:NAME names one"


def counted(number: int, singular: str, plural: str = "") -> str:
    """``number`` with its noun."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def summary(files: int) -> str:
    """The last line of a report on so many files."""
    return f"Nothing is compiled: no entry point in {counted(files, 'file')}."


def head(torch_version: str) -> dict[str, object]:
    """What every document in JSON starts with."""
    return {"version": VERSION, "tool": {"name": "gblint", "version": __version__}, "torch_version": torch_version}


def document(torch_version: str, entries: object = (), findings: object = (), errors: object = ()) -> dict[str, object]:
    """The document for a run of ``gblint check``."""
    return {**head(torch_version), "entries": entries, "findings": findings, "errors": errors}
