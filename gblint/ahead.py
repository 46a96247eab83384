"""The syntax of files, checked by other processes while this one looks for entry points.

That is done by one process, since what it finds in one file changes what it looks for in others; all files have to be
checked later anyway, but for those that a trace comes by.  How far the others come changes no result: what they have
not checked is checked then.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gblint.project.bytecode import has_bytecode
from gblint.project.source import SourceProblem, decode_source, digest_of, is_well_formed, read_bytes
from gblint.texts import has_forward

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

# A process for fewer files is not worth its while.
FILES_FOR_PROCESS = 100
# So many files are told of together.
BATCH = 16


@contextlib.contextmanager
def checked(files: Sequence[Path], jobs: int) -> Iterator[dict[str, str]]:
    """Checks some of ``files`` beside what is done within, in all but one of ``jobs`` processes.

    What is yielded has in the end those that have no syntax error, with the digests of what was in them.
    """
    sound: dict[str, str] = {}
    running = list(_started([str(path) for path in files if path.suffix == ".py"], jobs - 1))
    try:
        yield sound
    finally:
        for process, connection in running:
            with contextlib.suppress(EOFError, OSError):
                while connection.poll():
                    sound.update(connection.recv())
            process.terminate()
            connection.close()
            process.join()


def _started(files: list[str], most: int) -> Iterator[tuple[BaseProcess, Connection]]:
    count = min(most, len(files) // FILES_FOR_PROCESS)
    if not count:
        return
    import multiprocessing

    from gblint import processes

    for number in range(count if processes.may_fork() else 0):
        context = multiprocessing.get_context("fork")
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=_check, args=(files[number::count], theirs), daemon=True)
        process.start()
        theirs.close()
        yield process, ours


def _check(files: list[str], told: Connection) -> None:
    """Checks files, but for those that are likely to need a syntax tree, until nobody listens any more."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    with contextlib.suppress(OSError):
        for start in range(0, len(files), BATCH):
            told.send({path: digest for path in files[start : start + BATCH] if (digest := _digest_if_sound(path))})


def _digest_if_sound(path: str) -> str | None:
    try:
        status = os.stat(path)
        if has_bytecode(path, status.st_mtime_ns, status.st_size):
            return None  # that is told as quickly where it is wanted
        data = read_bytes(Path(path))
        text = decode_source(data)
    except (OSError, SourceProblem):
        return None
    return digest_of(data) if not has_forward(text) and is_well_formed(text) else None
