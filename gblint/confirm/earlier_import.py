"""State of a worker process that had imported torch before its job began."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

COLD_START = 97  # the exit status of a job that needs a process without torch
# Beginnings of the names of variables that torch and its libraries read when they are imported.
_READ_AT_IMPORT = ("TORCH", "PYTORCH", "CUDA", "OMP_", "MKL_", "KMP_", "PYTHON")


class EarlierImport:
    """The modules and the variables that were there when the job began."""

    def __init__(self, files: frozenset[str], variables: Mapping[str, str]) -> None:
        self._files, self._variables = files, variables

    @classmethod
    def now(cls) -> EarlierImport:
        """Return the state of this process."""
        files = (getattr(module, "__file__", None) for module in [*sys.modules.values()])
        return cls(frozenset(each for each in files if each), _variables())

    def check(self, overlays: Mapping[str, str]) -> None:
        """End the process with ``COLD_START`` if a changed file was imported too early, or torch before a variable was
        set that it reads.
        """
        if not self._files.isdisjoint(overlays) or _variables() != self._variables:
            os._exit(COLD_START)


def _variables() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name.startswith(_READ_AT_IMPORT)}
