"""An entry point that is to be traced."""

from __future__ import annotations

from gblint.diagnostics.entry_point import EntryPoint
from gblint.interp.state.call_args import Args
from gblint.project.modules import Module
from gblint.runtime.lazy_dataclasses import dataclass
from gblint.values.base import Value
from gblint.values.objects import Class


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry point, with the callable that is compiled, the module in which that was said, and its first call.

    ``seen_in`` are the files of the project that may say what is compiled, and with what it is called.
    """

    point: EntryPoint
    target: Value
    module: Module
    args: Args | None = None
    cls: Class | None = None
    called: tuple[Module, int] | None = None
    seen_in: frozenset[str] = frozenset()
