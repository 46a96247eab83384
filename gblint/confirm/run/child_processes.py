"""The Python processes that a run starts: the ranks of ``torchrun``, data loaders, the workers of ``pytest -n``.

A new interpreter is listened to through a ``sitecustomize`` module that its environment leads to, a forked process
through what it inherits.  Each writes what it finds into the folder of the run, where it is put together afterwards.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import gblint
from gblint.confirm.jobs import Job, ObservedBreak, Result, from_ranges, to_ranges, with_outcome_at_least
from gblint.confirm.result_recorder import ResultRecorder, child_result_path, recording, writing_on_exit

# The one that this one hides is run as well.  Whatever goes wrong here is no fault of the user's program.
_SITE = """\
import importlib, importlib.machinery, importlib.util, os, sys
hidden = [path for path in sys.path if os.path.abspath(path or ".") != os.path.dirname(os.path.abspath(__file__))]
spec = importlib.machinery.PathFinder.find_spec("sitecustomize", hidden)
if spec is not None and spec.loader is not None:
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
if sys.version_info >= (3, 10):
    try:
        if "gblint" not in sys.modules:
            home = {home!r}
            spec = importlib.util.spec_from_file_location(
                "gblint", os.path.join(home, "__init__.py"), submodule_search_locations=[home]
            )
            sys.modules["gblint"] = package = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(package)
        importlib.import_module("gblint.confirm.run.child_processes").listen({folder!r})
    except Exception:
        sys.modules.pop("gblint", None)
"""
# The processes in which the compiler compiles.
_COMPILER = "torch._inductor.compile_worker"


def capture_children(folder: Path) -> None:
    """Every Python process that is started from now on writes into ``folder``."""
    site = folder / "site"
    site.mkdir(exist_ok=True)
    text = _SITE.format(home=str(Path(gblint.__file__).parent), folder=str(folder))
    (site / "sitecustomize.py").write_text(text, encoding="utf-8")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(site), os.environ.get("PYTHONPATH"))))


def capture_this_process(folder: str) -> None:
    """In such a process: listen until it ends."""
    if any(_COMPILER in argument for argument in sys.orig_argv):
        return
    from gblint.confirm import devices
    from gblint.confirm.import_hooks import after_import

    job = Job.from_json(json.loads((Path(folder) / "job.json").read_text(encoding="utf-8")))
    report = ResultRecorder(job, child_result_path(Path(folder)))
    stack = contextlib.ExitStack()
    stack.enter_context(writing_on_exit(report))
    stack.enter_context(recording(report))
    if job.backend is not None:
        backend = job.backend
        after_import("torch", lambda: devices.replace_backend(backend), stack)

    def end() -> None:
        stack.close()
        report.device = devices.accelerator_in_use()
        report.write(final=True)

    atexit.register(end)


def with_children(result: Result, folder: Path) -> Result:
    """The result of a run with what its children in ``folder`` found."""
    for path in sorted(folder.glob("child-*.json")):
        try:
            result = _with(result, Result.from_json(json.loads(path.read_text(encoding="utf-8"))))
        except (OSError, ValueError):
            continue  # it was killed while it wrote
    return result


def _with(result: Result, child: Result) -> Result:
    breaks: dict[object, ObservedBreak] = {each.key: each for each in result.breaks}
    for each in child.breaks:
        known = breaks.get(each.key)
        breaks[each.key] = (
            replace(with_outcome_at_least(known, each.outcome), count=known.count + each.count) if known else each
        )
    ours, theirs = result.platform, child.platform
    return replace(
        result,
        breaks=tuple(breaks.values()),
        graphs=result.graphs + child.graphs,
        recompiles=result.recompiles + child.recompiles,
        skipped=tuple(dict.fromkeys(result.skipped + child.skipped)),
        compiled=_lines(result.compiled, child.compiled),
        ran=_lines(result.ran, child.ran),
        compile_s=round(result.compile_s + child.compile_s, 4),
        frames=result.frames + child.frames,
        platform=replace(
            ours,
            torch=ours.torch or theirs.torch,
            device=theirs.device if ours.device in ("", "CPU") and theirs.device else ours.device,
        ),
    )


def _lines(*several: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    found: dict[str, set[int]] = {}
    for lines in several:
        for path, spans in lines.items():
            found.setdefault(path, set()).update(from_ranges(spans))
    return {path: to_ranges(lines) for path, lines in found.items()}
