"""What runs say of findings, in words."""

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
    """The few words for a headline: ``confirmed on NVIDIA H200, torch 2.13``; nothing where nothing was run."""
    said = finding.confirmation
    if said is None:
        return ""
    return f"{_NAMES[said.verdict]} on {neutral(said.device)}, torch {_short(said.torch_version)}"


def sentence(said: Confirmation) -> str:
    """What the run showed, for a line of its own."""
    if said.verdict in ("confirmed", "missed"):
        ids = f"{', '.join(said.gb_ids)} " if said.gb_ids else ""
        times = f", reported {said.count} times" if said.count > 1 else ""
        also = f" ({said.reason})" if said.reason and said.verdict == "confirmed" else ""
        return f"Dynamo says: {ids}{said.message}{times}{also}"
    at = f"by {place(said.by.path, said.by.line)} in {said.by.function}: " if said.by is not None else ""
    return f"{_NAMES[said.verdict]}: {at}{said.reason}"


def note(finding: Finding, style: Style) -> Iterator[str]:
    """The line under the code frame."""
    if finding.confirmation is not None:
        said = neutral(sentence(finding.confirmation))
        again = style.dim(" (an earlier run)") if finding.confirmation.remembered else ""
        yield f"  {style.blue('=')} {style.bold('run:')} {said}{again}"


def _short(version: str) -> str:
    """``2.13`` of ``2.13.0+cu130``."""
    return ".".join(version.split(".")[:2])
