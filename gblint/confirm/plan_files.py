"""Plans: jobs that are written down here and run where the hardware is; and the results that come back from there.

Paths in a plan count from the root of the project, or from the folder that packages are installed in, so that both may
lie elsewhere on the other machine.
"""

from __future__ import annotations

import json
import os
import subprocess
import sysconfig
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gblint import __version__
from gblint.confirm.jobs import Job, Result

JobRun = tuple[Job, Result]

VERSION = 1
_ROOT, _PACKAGES = "{root}", "{packages}"
_ASK = "import sysconfig; print(sysconfig.get_paths()['purelib'])"


class PlanError(Exception):
    """A file that is no plan, or holds no results."""


@dataclass(frozen=True, slots=True)
class MachinePaths:
    """Where the project and the packages lie on a machine."""

    root: str
    packages: str

    @classmethod
    def here(cls, root: Path, python: str = "") -> MachinePaths:
        """Those of this machine, with the packages of the interpreter ``python``, or of this one."""
        packages = sysconfig.get_paths()["purelib"]
        if python:
            asked = subprocess.run([python, "-c", _ASK], capture_output=True, text=True, check=False)
            packages = asked.stdout.strip() or packages
        return cls(str(root.absolute()), packages)

    def without(self, path: str) -> str:
        """``path`` with a name for the place that it lies in."""
        for place, name in ((self.root, _ROOT), (self.packages, _PACKAGES)):
            if path == place or path.startswith(place + os.sep):
                return name + path[len(place) :].replace(os.sep, "/")
        return path

    def within(self, path: str) -> str:
        """The reverse of ``without``, with the places of this machine."""
        for place, name in ((self.root, _ROOT), (self.packages, _PACKAGES)):
            if path.startswith(name):
                return place + path[len(name) :].replace("/", os.sep)
        return path


def write_plan(path: Path, jobs: Sequence[Job], places: MachinePaths) -> None:
    """Write ``jobs`` down; raises OSError."""
    data = [_placed(job, places.without).as_json() for job in jobs]
    _write(path, {"version": VERSION, "gblint": __version__, "jobs": data})


def read_plan(path: Path, places: MachinePaths, python: str = "") -> list[Job]:
    """The jobs of a plan, as they are run on this machine; raises PlanError."""
    entries = _read(path, "jobs", "plan")
    try:
        return [replace(_placed(Job.from_json(each), places.within), python=python) for each in entries]
    except ValueError as error:
        raise PlanError(f"{path}: {error}") from None


def write_results(path: Path, runs: Iterable[JobRun], places: MachinePaths) -> None:
    """Write down what came of the jobs of a plan; raises OSError."""
    data = [
        {"job": _placed(job, places.without).as_json(), "result": _located(result.as_json(), places.without)}
        for job, result in runs
    ]
    _write(path, {"version": VERSION, "gblint": __version__, "results": data})


def read_results(path: Path, places: MachinePaths) -> list[JobRun]:
    """The jobs and results in a file, with the paths of this machine; raises PlanError."""
    entries = _read(path, "results", "file of results")
    try:
        return [
            (
                _placed(Job.from_json(each["job"]), places.within),
                Result.from_json(_located(each["result"], places.within)),
            )
            for each in entries
        ]
    except (ValueError, TypeError, KeyError) as error:
        raise PlanError(f"{path}: {error}") from None


def _placed(job: Job, change: Any) -> Job:
    return replace(
        job,
        root=change(job.root),
        paths=tuple(map(change, job.paths)),
        watch=tuple(map(change, job.watch)),
        python="",
    )


def _located(data: Any, change: Any) -> Any:
    """The same data with another place for every path in it."""
    if isinstance(data, dict):
        changed = {key: _located(value, change) for key, value in data.items()}
        if "path" in changed and isinstance(changed["path"], str):
            changed["path"] = change(changed["path"])
        for key in ("ran", "compiled"):
            if isinstance(changed.get(key), dict):
                changed[key] = {change(path): lines for path, lines in changed[key].items()}
        return changed
    if isinstance(data, (list, tuple)):
        return [_located(each, change) for each in data]
    return data


def _write(path: Path, document: dict[str, Any]) -> None:
    unfinished = path.with_name(f".{path.name}.new")
    unfinished.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    unfinished.replace(path)


def _read(path: Path, key: str, what: str) -> list[Any]:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise PlanError(f"{path}: cannot be read: {(error.strerror or str(error)).lower()}") from None
    except ValueError as error:
        raise PlanError(f"{path}: not JSON: {error}") from None
    if not isinstance(document, dict) or not isinstance(document.get(key), list):
        raise PlanError(f"{path}: this is no {what} of gblint's: it has no list {key!r}")
    if document.get("version") != VERSION:
        raise PlanError(f"{path}: version {document.get('version')!r} of a {what}; this gblint reads version {VERSION}")
    entries: list[Any] = document[key]
    return entries
