"""Errors of a run as one sentence."""

from __future__ import annotations

import os
import sys
import traceback

from gblint.confirm.jobs import Status

MAX_ERROR_CHARACTERS = 300  # characters of an error's message


class RunFailure(Exception):
    """Raised if the run cannot continue; the text is the reason."""

    def __init__(self, status: Status, reason: str) -> None:
        super().__init__(reason)
        self.status = status


def status_and_reason(error: BaseException, root: str) -> tuple[Status, str]:
    """Return the status of a run that ``error`` ended, and a sentence with the error and its place."""
    name = type(error).__name__
    text = " ".join(str(error).split())
    text = text if len(text) <= MAX_ERROR_CHARACTERS else text[:MAX_ERROR_CHARACTERS] + "..."
    at = _place(error, root)
    if isinstance(error, SystemExit):
        return "error", f"it called sys.exit({error.code!r}){at}"
    if isinstance(error, ModuleNotFoundError) and error.name:
        return "missing", f"the package `{error.name.partition('.')[0]}` is not installed{at}"
    if isinstance(error, (MemoryError, _out_of_memory())):
        return "memory", f"it ran out of memory{at}: {name}{f': {text}' if text else ''}"
    if isinstance(error, (RuntimeError, AssertionError)) and _no_device(text):
        return "missing", f"it needs a device that is not available{at}: {text}"
    return "error", f"it raised {name}{f': {text}' if text else ''}{at}"


def print_traceback(error: BaseException) -> None:
    """Print the traceback as Python does, without the frames of this package."""
    own = os.path.dirname(__file__)
    frame = error.__traceback__
    while frame is not None and (frame.tb_frame.f_code.co_filename.startswith((own, "<frozen", "<string"))):
        frame = frame.tb_next
    sys.stdout.flush()
    traceback.print_exception(type(error), error, frame)
    sys.stderr.flush()


def _place(error: BaseException, root: str) -> str:
    """Return where below ``root`` the error was raised."""
    start = root.rstrip(os.sep) + os.sep
    found = ""
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.filename.startswith(start) and "site-packages" not in frame.filename:
            found = f" at {frame.filename[len(start) :]}:{frame.lineno}"
    return found


def _no_device(text: str) -> bool:
    """Return whether an error message is about a missing device."""
    lowered = text.lower()
    return any(
        phrase in lowered
        for phrase in (
            "no nvidia driver",
            "not compiled with cuda",
            "no cuda gpus",
            "cuda is not available",
            "xpu device",
        )
    )


def _out_of_memory() -> type[BaseException]:
    torch = sys.modules.get("torch")
    error = getattr(torch, "OutOfMemoryError", None) or getattr(getattr(torch, "cuda", None), "OutOfMemoryError", None)
    return error if isinstance(error, type) else MemoryError
