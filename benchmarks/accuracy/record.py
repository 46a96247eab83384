"""Records where ``torch.compile`` breaks the graph in functions and models of installed packages.

    python benchmarks/accuracy/record.py TARGETS.py --out TRUTH.jsonl [--preload transformers] [--modes eval,train]

``TARGETS.py`` has pairs in a list ``TARGETS`` or as the result of a function ``targets()``: the name of an entry point,
as for ``gblint check --entry``, and a function that returns ``(callable, args, kwargs)``.  Each runs in a process of
its own with a time limit, once eagerly under line coverage and once compiled.  Records that TRUTH.jsonl already has are
kept.

Run it with the interpreter of an environment that has torch and the packages.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import importlib
import importlib.metadata
import importlib.util
import json
import logging
import os
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import torch
from capture import Breaks, Package, compiled, lines_of

Build = Callable[[], tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]]
MODES = ("eval", "train")


def record(entry: str, mode: str, build: Build) -> dict[str, Any]:
    """Run a target eagerly and compiled, in this process; return its record."""
    package = Package(entry.partition(":")[0].partition(".")[0])
    result: dict[str, Any] = {"entry": entry, "mode": mode, "status": "build-error", "versions": versions_of(entry)}
    breaks = Breaks(package)
    try:
        call, args, kwargs = _made(build, mode)
        result["status"] = "eager-error"
        lines = lines_of(package, lambda: call(*args, **kwargs))
        result["status"] = "compile-error"
        call, args, kwargs = _made(build, mode)
        torch.manual_seed(1)
        graphs = compiled(call, args, kwargs, breaks)
        result |= {"status": "ok", "graphs": graphs, "breaks": breaks.as_records(), "lines": lines}
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        result["error"] = f"{type(error).__name__}: {str(error)[:300]} ({Path(place.filename).name}:{place.lineno})"
        result["breaks"] = breaks.as_records()
    return result


def _made(build: Build, mode: str) -> tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]:
    torch.manual_seed(0)
    call, args, kwargs = build()
    owner = getattr(call, "__self__", call)
    if isinstance(owner, torch.nn.Module):
        owner.train(mode == "train")
    return call, args, kwargs


def versions_of(entry: str) -> str:
    names = ["torch", entry.partition(":")[0].partition(".")[0]]
    versions = []
    for name in names:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            versions.append(f"{name} {importlib.metadata.version(name).partition('+')[0]}")
    return ", ".join(versions)


def in_child(entry: str, mode: str, make: Callable[[], dict[str, Any]], seconds: float) -> dict[str, Any]:
    """Return the record that ``make`` makes in a child process, or one that says why there is none."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _quiet()
        text = json.dumps(make())
        with os.fdopen(writer, "w") as stream:
            stream.write(text)
        os._exit(0)
    os.close(writer)
    text = _read(reader, time.monotonic() + seconds)
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    if text:
        with contextlib.suppress(json.JSONDecodeError):
            return json.loads(text)  # type: ignore[no-any-return]
    return {"entry": entry, "mode": mode, "status": "time-limit" if text is None else "died"}


def _read(reader: int, until: float) -> str | None:
    """Return all that the child writes; None if it has not finished at the time ``until``."""
    parts: list[bytes] = []
    with os.fdopen(reader, "rb", buffering=0) as stream:
        while (left := until - time.monotonic()) > 0:
            if not select.select([stream], [], [], left)[0]:
                break
            part = stream.read(1 << 20)
            if not part:
                return b"".join(parts).decode()
            parts.append(part)
    return None


def _quiet() -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    logging.getLogger("torch").setLevel(logging.ERROR)


def targets_of(path: Path) -> list[tuple[str, Build]]:
    """Return the targets that a Python file defines."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    sys.path.insert(0, str(path.parent))
    spec.loader.exec_module(module)
    return list(module.targets() if hasattr(module, "targets") else module.TARGETS)


def _known(path: Path) -> set[tuple[str, str]]:
    if not path.exists():
        return set()
    records = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    return {(each["entry"], each["mode"]) for each in records}


def records(targets: Iterable[tuple[str, Build]], modes: list[str], seconds: float) -> Iterator[dict[str, Any]]:
    """Yield the records of all targets."""
    for entry, build in targets:
        for mode in modes:
            yield in_child(entry, mode, functools.partial(record, entry, mode, build), seconds)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--preload", default="", help="modules to import once, before the processes fork")
    parser.add_argument("--modes", default=",".join(MODES))
    parser.add_argument("--only", default="", help="record only entry points whose name contains this text")
    parser.add_argument("--seconds", type=float, default=120.0, help="the time limit of a record")
    parser.add_argument("--share", default="0/1", metavar="I/N", help="record every Nth target, beginning with I")
    parser.add_argument("--all", action="store_true", help="also write the records of failed runs")
    given = parser.parse_args()
    torch.set_num_threads(1)
    for name in filter(None, given.preload.split(",")):
        importlib.import_module(name)
    first, step = map(int, given.share.split("/"))
    wanted = [each for each in targets_of(given.targets) if given.only in each[0]][first::step]
    done = _known(given.out)
    counts: dict[str, int] = {}
    for mode in given.modes.split(","):
        left = [each for each in wanted if (each[0], mode) not in done]
        for made in records(left, [mode], given.seconds):
            counts[made["status"]] = counts.get(made["status"], 0) + 1
            note = made.get("error") or f"{made.get('graphs', 0)} graphs, {len(made.get('breaks', []))} breaks"
            print(f"{made['status']:14} {mode:5} {made['entry']}  {note}", flush=True)
            if given.all or made["status"] == "ok":
                with given.out.open("a", encoding="utf-8") as stream:
                    stream.write(json.dumps(made) + "\n")
    print(counts)


if __name__ == "__main__":
    main()
