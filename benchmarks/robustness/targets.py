"""Targets of the fuzzer: each takes any bytes and returns descriptions of the failures."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import time
from pathlib import Path

from benchmarks.robustness.files import go_through
from gblint.cli.main import run

FORMATS = ("full", "concise", "json", "sarif", "github", "gitlab", "html")
# Seconds of processor time; a larger input would only test the machine.
LONGEST = 10.0


def source(data: bytes, folder: Path, form: str = "json", *, fixes: bool = True) -> list[str]:
    """Lint a file with these bytes from every function in it, fix it in memory, and report it in one format."""
    path = folder / "m.py"
    path.write_bytes(data)
    outcome = go_through(str(path), functions=True, fixes=fixes)
    if outcome.seconds > LONGEST:
        outcome.faults.append(f"took {outcome.seconds:.1f} s")
    return outcome.faults + _command("check", str(path), "--isolated", "--no-cache", "--output-format", form)


def log(data: bytes, folder: Path, name: str = "log.txt", *, compare: bool = False) -> list[str]:
    """Read a log with these bytes."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    given = path if path.parent == folder else path.parent
    options = ["--compare" if compare else "--no-compare", "--isolated", str(folder)]
    return _command("logs", str(given), *options, "--output-format", "json")


def _command(*arguments: str) -> list[str]:
    out, err = io.StringIO(), io.StringIO()
    start = time.process_time()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = run(list(arguments))
    faults = [line for line in err.getvalue().splitlines() if "internal error" in line]
    if status not in (0, 1, 2):
        faults.append(f"exit status {status}")
    if status == 2 and not err.getvalue():
        faults.append("exit status 2 without a message")
    if "Traceback" in err.getvalue():
        faults.append("a traceback")
    if arguments[-1] in ("json", "sarif", "gitlab") and out.getvalue():
        try:
            json.loads(out.getvalue())
        except ValueError as error:
            faults.append(f"invalid JSON: {error}")
    if arguments[-1] in ("full", "concise", "github") and re.search(
        "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u202a-\u202e]", out.getvalue()
    ):
        faults.append("control characters in the report")
    if (seconds := time.process_time() - start) > LONGEST:
        faults.append(f"{arguments[0]} took {seconds:.1f} s")
    return faults


def keep_nothing() -> None:
    """Store nothing between runs: the folder for the cache is not a folder."""
    os.environ["GBLINT_CACHE_DIR"] = os.devnull
