"""Verdicts of runs on findings, as text."""

from __future__ import annotations

from collections.abc import Callable

from gblint.diagnostics.finding import Confirmation, Finding
from gblint.project.source_text import neutral, place

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


def sentence(finding: Finding, at: Callable[[str, int], str] = place) -> str:
    """Return a sentence on the verdict of a run, and whether it was an earlier one; "" without a run.

    ``at`` formats a file and a line.
    """
    confirmation = finding.confirmation
    if confirmation is None:
        return ""
    return f"{_verdict(confirmation, at)}{' (an earlier run)' if confirmation.remembered else ''}"


def _verdict(confirmation: Confirmation, at: Callable[[str, int], str]) -> str:
    if confirmation.verdict in ("confirmed", "missed"):
        ids = f"{', '.join(confirmation.gb_ids)} " if confirmation.gb_ids else ""
        times = f", reported {confirmation.count} times" if confirmation.count > 1 else ""
        also = f" ({confirmation.reason})" if confirmation.reason and confirmation.verdict == "confirmed" else ""
        return f"Dynamo says: {ids}{confirmation.message}{times}{also}"
    by = confirmation.by
    where = "" if by is None else f"by {at(by.path, by.line)} in {by.function}: "
    return f"{_NAMES[confirmation.verdict]}: {where}{confirmation.reason}"


def _short(version: str) -> str:
    """Return ``2.13`` for ``2.13.0+cu130``."""
    return ".".join(version.split(".")[:2])
