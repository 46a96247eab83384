"""Recording in the Python processes that a run starts: ranks of ``torchrun``, data loaders, workers of ``pytest -n``.

A new interpreter loads a ``sitecustomize`` module from a folder on its PYTHONPATH; a forked process inherits the hooks.
Each writes its result into the folder of the run, where the results are merged afterwards.
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
from gblint.confirm.jobs import Job, ObservedBreak, Result, with_outcome_at_least
from gblint.confirm.line_ranges import from_ranges, to_ranges
from gblint.confirm.result_recorder import ResultRecorder, child_result_path, recording, writing_on_exit
from gblint.runtime.json_files import read_json

# It also runs the sitecustomize module that it hides. Errors of gblint must not stop the user's program.
_SITECUSTOMIZE = """\
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
        importlib.import_module("gblint.confirm.run.child_processes").capture_this_process({folder!r})
    except Exception:
        sys.modules.pop("gblint", None)
"""
# Inductor's compile workers, which are not recorded.
_COMPILE_WORKER = "torch._inductor.compile_worker"


def capture_children(folder: Path) -> None:
    """Make every Python process that is started from now on record into ``folder``."""
    site = folder / "site"
    site.mkdir(exist_ok=True)
    text = _SITECUSTOMIZE.format(home=str(Path(gblint.__file__).parent), folder=str(folder))
    (site / "sitecustomize.py").write_text(text, encoding="utf-8")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(site), os.environ.get("PYTHONPATH"))))


def capture_this_process(folder: str) -> None:
    """Record this process, a child of a run, until it ends."""
    if any(_COMPILE_WORKER in argument for argument in sys.orig_argv):
        return
    from gblint.confirm import devices
    from gblint.confirm.import_hooks import after_import

    job = Job.from_json(json.loads((Path(folder) / "job.json").read_text(encoding="utf-8")))
    recorder = ResultRecorder(job, child_result_path(Path(folder)))
    stack = contextlib.ExitStack()
    stack.enter_context(writing_on_exit(recorder))
    stack.enter_context(recording(recorder))
    if job.backend is not None:
        backend = job.backend
        after_import("torch", lambda: devices.replace_backend(backend), stack)

    def write_result() -> None:
        stack.close()
        recorder.device = devices.accelerator_in_use()
        recorder.write(final=True)

    atexit.register(write_result)


def with_children(result: Result, folder: Path) -> Result:
    """Return the result of a run, merged with the results of its child processes in ``folder``."""
    for path in sorted(folder.glob("child-*.json")):
        try:
            result = _merged(result, Result.from_json(read_json(path)))
        except (OSError, ValueError):
            continue  # killed while it wrote
    return result


def _merged(result: Result, child: Result) -> Result:
    """Merge the result of a child process into a result."""
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
        compiled=_merged_lines(result.compiled, child.compiled),
        ran=_merged_lines(result.ran, child.ran),
        compile_s=round(result.compile_s + child.compile_s, 4),
        frames=result.frames + child.frames,
        platform=replace(
            ours,
            torch=ours.torch or theirs.torch,
            device=theirs.device if ours.device in ("", "CPU") and theirs.device else ours.device,
        ),
    )


def _merged_lines(*line_maps: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Merge line ranges by path."""
    found: dict[str, set[int]] = {}
    for lines in line_maps:
        for path, spans in lines.items():
            found.setdefault(path, set()).update(from_ranges(spans))
    return {path: to_ranges(lines) for path, lines in found.items()}
