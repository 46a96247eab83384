"""Forker: a process that has imported Dynamo and forks for each job of ``--verify``, since the import takes three
seconds.

It imports torch in the folder and with the environment of the jobs. Where an entry point would not have found torch as
it is here, its job ends with the status ``COLD_START``, and is run by a new process.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import sys
import tempfile
from collections.abc import Mapping
from typing import Any

from gblint.confirm import worker
from gblint.confirm.earlier_import import EarlierImport


def main() -> None:
    """Print a line when Dynamo is imported; then fork for each line of standard input, and print its wait status.

    A line of standard input is ``{"folder": ..., "env": ...}``.
    """
    jobs, statuses = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    with contextlib.suppress(Exception):  # the job reports it
        import torch._dynamo

        torch._dynamo.list_backends()  # imports AOTAutograd, as each first call of torch.compile does
    gc.freeze()  # the forks share the memory of what is never collected
    print("ready", file=statuses, flush=True)
    for line in jobs:
        pid = os.fork()
        if pid == 0:
            jobs.close()
            statuses.close()
            _run(json.loads(line))
            return
        _, status = os.waitpid(pid, 0)
        print(status, file=statuses, flush=True)


def _run(given: Mapping[str, Any]) -> None:
    """Run the worker in this process, as if it had been started for the job."""
    os.setsid()
    output = os.open(os.path.join(given["folder"], "output"), os.O_WRONLY | os.O_APPEND)
    for descriptor in (1, 2):
        os.dup2(output, descriptor)
    os.close(output)
    os.environ.update(given["env"])
    tempfile.tempdir = None
    sys.argv[1:] = [given["folder"]]
    worker.main(EarlierImport.now())
