"""Runs of scripts in forks of a process that has imported Dynamo: the import takes longer than many of the runs."""

from __future__ import annotations

import gc
import multiprocessing
import os
import runpy
import sys
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["torch._dynamo"])


@dataclass(frozen=True)
class Printed:
    """The standard output and the standard error of a script."""

    out: str
    err: str


def run_script(script: Path, given: str) -> Printed:
    """Run a script with the standard input ``given``; it sees no arguments, and its warnings are ignored."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.joinpath("in").write_text(given, encoding="utf-8")
        process = _CONTEXT.Process(target=_run, args=(str(script), name))
        process.start()
        process.join()
        return Printed(*(folder.joinpath(each).read_text(encoding="utf-8") for each in ("out", "err")))


def _run(script: str, folder: str) -> None:
    for descriptor, name in enumerate(("in", "out", "err")):
        flags = os.O_WRONLY | os.O_CREAT if descriptor else os.O_RDONLY
        os.dup2(os.open(os.path.join(folder, name), flags), descriptor)
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)
    sys.argv = [script]
    warnings.simplefilter("ignore")
    gc.freeze()  # each collection would look at what the imports have made
    try:
        runpy.run_path(script, run_name="__main__")
    finally:
        sys.stdout.flush()
