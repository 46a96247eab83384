"""Verdicts of runs on findings, as text."""

from __future__ import annotations

from collections.abc import Iterator

from gblint.diagnostics.finding import Confirmation, Finding
from gblint.project.source_text import Style, neutral, place

_NAMES = {
    "confirmed": "confirmed",
    "refuted": "refuted",
    "masked": "masked",
    "not-reached": "not reached",
    "missed": "not predicted, seen",
}


def mark(finding: Finding) -> str:
    """Return the words for a headline, such as ``confirmed on NVIDIA H200, torch 2.13``; "" without a run."""
    confirmation = finding.confirmation
    if confirmation is None:
        return ""
    return (
        f"{_NAMES[confirmation.verdict]} on {neutral(confirmation.device)}, torch {_short(confirmation.torch_version)}"
    )


def sentence(confirmation: Confirmation) -> str:
    """Return a sentence on the verdict of a run."""
    if confirmation.verdict in ("confirmed", "missed"):
        ids = f"{', '.join(confirmation.gb_ids)} " if confirmation.gb_ids else ""
        times = f", reported {confirmation.count} times" if confirmation.count > 1 else ""
        also = f" ({confirmation.reason})" if confirmation.reason and confirmation.verdict == "confirmed" else ""
        return f"Dynamo says: {ids}{confirmation.message}{times}{also}"
    at = (
        f"by {place(confirmation.by.path, confirmation.by.line)} in {confirmation.by.function}: "
        if confirmation.by is not None
        else ""
    )
    return f"{_NAMES[confirmation.verdict]}: {at}{confirmation.reason}"


def note(finding: Finding, style: Style) -> Iterator[str]:
    """Yield the line under the code frame."""
    if finding.confirmation is not None:
        text = neutral(sentence(finding.confirmation))
        again = style.dim(" (an earlier run)") if finding.confirmation.remembered else ""
        yield f"  {style.blue('=')} {style.bold('run:')} {text}{again}"


def _short(version: str) -> str:
    """Return ``2.13`` for ``2.13.0+cu130``."""
    return ".".join(version.split(".")[:2])
