"""Recording of the messages of a call: warnings, log records, and what it writes to the standard error output."""

from __future__ import annotations

import contextlib
import io
import logging
import os
import re
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

WARNINGS, LOG, ERROR_OUTPUT = "the warnings", "the log", "the error output"
# Addresses differ from run to run.
_ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}\b")
# Starts and parts of the texts of torch's warnings that do not name a file of torch as their origin.
_OF_TORCH = re.compile(r"^`torch\.|Triggered internally", re.MULTILINE)


@dataclass
class Messages:
    """The messages of a call, in their order; those of torch itself are left out."""

    warned: list[str] = field(default_factory=list)
    logged: list[str] = field(default_factory=list)
    written: io.StringIO = field(default_factory=io.StringIO)

    def texts(self) -> dict[str, str]:
        """Return the text of each kind of message; a progress bar, which overwrites its line, is left out."""
        lines = [line for line in self.written.getvalue().splitlines(keepends=True) if "\r" not in line]
        found = {WARNINGS: "\n".join(self.warned), LOG: "\n".join(self.logged), ERROR_OUTPUT: "".join(lines)}
        return {name: _ADDRESS.sub("0x...", text) for name, text in found.items()}


@contextlib.contextmanager
def recording_messages() -> Iterator[Messages]:
    """Record the messages; each warning is issued as often as the code warns, and is not shown.

    A warning that the user turns into an error stays an error.
    """
    found = Messages()
    make_record = logging.getLogRecordFactory()

    def record(*args: Any, **kwargs: Any) -> logging.LogRecord:
        made = make_record(*args, **kwargs)
        if made.name.partition(".")[0] != "torch":
            found.logged.append(f"{made.name} {made.levelname}: {_text(made)}")
        return made

    def show(message: Any, category: type[Warning], *place: Any, **stream: Any) -> None:
        if not _is_of_torch(str(message)):
            found.warned.append(f"{category.__name__}: {message}")

    with contextlib.redirect_stderr(found.written), warnings.catch_warnings():
        warnings.filters[:] = [each for each in warnings.filters if each[0] == "error"]  # type: ignore[index]
        warnings.simplefilter("always", append=True)
        warnings.showwarning = show
        logging.setLogRecordFactory(record)
        try:
            yield found
        finally:
            logging.setLogRecordFactory(make_record)


def _text(record: logging.LogRecord) -> str:
    try:
        return record.getMessage()
    except Exception:  # the handlers report it
        return str(record.msg)


def _is_of_torch(text: str) -> bool:
    """Return whether the warning that is shown comes from torch: its text says so, or a function of torch warns.

    ``stacklevel`` may name another file.
    """
    if _OF_TORCH.search(text):
        return True
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_globals.get("__name__") in ("warnings", "_py_warnings"):
        frame = frame.f_back
    home = os.path.dirname(os.path.abspath(sys.modules["torch"].__file__ or ""))
    return frame.f_code.co_filename.startswith(home + os.sep)
