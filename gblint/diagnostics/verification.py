"""The results of ``--verify``: runs of the code with the fixes applied."""

from __future__ import annotations

from gblint.diagnostics.fix import Fix
from gblint.runtime.lazy_dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TriedFix:
    """A fix that was run; ``line`` counts in the file as it was before all fixes."""

    path: str
    line: int
    code: str
    fix: Fix


@dataclass(frozen=True, slots=True)
class Latency:
    """The median seconds of a compiled call with one backend, without the fixes and with them."""

    mode: str
    backend: str
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class TriedEntry:
    """An entry point that was run with the fixes; ``reason`` says why one could not be run.

    ``breaks`` and ``graphs`` count the places that break and the graphs of a first call, without the fixes and with
    them. ``inputs`` names the arguments that were tried.
    """

    name: str
    reason: str = ""
    breaks: tuple[int, int] | None = None
    graphs: tuple[int, int] | None = None
    latencies: tuple[Latency, ...] = ()
    inputs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Verification:
    """The results of all runs with fixes; ``runs`` is their number."""

    device: str
    torch_version: str
    entries: tuple[TriedEntry, ...] = ()
    fixes: tuple[TriedFix, ...] = ()
    runs: int = 0
