"""Plan files: jobs that are run on another machine, and files with their results.

Paths in them are relative to the project's root or to the folder of installed packages, since both may lie elsewhere on
the other machine.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gblint import __version__
from gblint.confirm.jobs import Job, Result
from gblint.project.environment import Environment
from gblint.runtime.files import read_named, reason_of, write_whole
from gblint.runtime.json_files import parse_json

JobRun = tuple[Job, Result]

VERSION = 1
MAX_DOCUMENT = 1 << 28
"""Bytes of the largest plan or file of results that is read."""
_ROOT, _PACKAGES = "{root}", "{packages}"


class PlanError(Exception):
    """Raised if the file is not a plan or has no results."""


@dataclass(frozen=True, slots=True)
class MachinePaths:
    """Folders of the project and of installed packages on a machine; ``packages`` is empty if there is none."""

    root: str
    packages: str

    @classmethod
    def of_this_machine(cls, root: Path, environment: Environment) -> MachinePaths:
        """Return the paths of this machine, with the packages of an environment, whose interpreter is not started."""
        packages = environment.packages
        return cls(str(root.absolute()), "" if packages is None else str(packages))

    def to_portable(self, path: str) -> str:
        """Replace the folder at the start of ``path`` by its placeholder."""
        # The packages of an environment in the project's folder are packages, too.
        for place, name in ((self.packages, _PACKAGES), (self.root, _ROOT)):
            if not place:
                continue
            if path == place or path.startswith(place + os.sep):
                return name + path[len(place) :].replace(os.sep, "/")
        return path

    def to_local(self, path: str) -> str:
        """Replace the placeholder at the start of ``path`` by the folder on this machine."""
        for place, name in ((self.root, _ROOT), (self.packages, _PACKAGES)):
            if place and path.startswith(name):
                return place + path[len(name) :].replace("/", os.sep)
        return path


def write_plan(path: Path, jobs: Sequence[Job], places: MachinePaths) -> None:
    """Write a plan with these jobs; raises OSError."""
    data = [_with_paths(job, places.to_portable).as_json() for job in jobs]
    _write(path, {"version": VERSION, "gblint": __version__, "jobs": data})


def read_plan(path: Path, places: MachinePaths, python: str = "") -> list[Job]:
    """Return the jobs of a plan, with the paths and the interpreter of this machine; raises PlanError."""
    entries = _read(path, "jobs", "plan")
    try:
        return [replace(_with_paths(Job.from_json(each), places.to_local), python=python) for each in entries]
    except ValueError as error:
        raise PlanError(f"{path}: {error}") from None


def write_results(path: Path, runs: Iterable[JobRun], places: MachinePaths) -> None:
    """Write the jobs of a plan with their results; raises OSError."""
    data = [
        {
            "job": _with_paths(job, places.to_portable).as_json(),
            "result": _map_paths(result.as_json(), places.to_portable),
        }
        for job, result in runs
    ]
    _write(path, {"version": VERSION, "gblint": __version__, "results": data})


def read_results(path: Path, places: MachinePaths) -> list[JobRun]:
    """Return the jobs and results in a file, with the paths of this machine; raises PlanError."""
    entries = _read(path, "results", "file of results")
    try:
        return [
            (
                _with_paths(Job.from_json(each["job"]), places.to_local),
                Result.from_json(_map_paths(each["result"], places.to_local)),
            )
            for each in entries
        ]
    except (ValueError, TypeError, KeyError) as error:
        raise PlanError(f"{path}: {error}") from None


def _with_paths(job: Job, map_path: Any) -> Job:
    """Return the job with ``map_path`` applied to its paths."""
    return replace(
        job,
        root=map_path(job.root),
        paths=tuple(map(map_path, job.paths)),
        watch=tuple(map(map_path, job.watch)),
        python="",
    )


def _map_paths(data: Any, map_path: Any) -> Any:
    """Return plain data with ``map_path`` applied to every path in it."""
    if isinstance(data, dict):
        changed = {key: _map_paths(value, map_path) for key, value in data.items()}
        if "path" in changed and isinstance(changed["path"], str):
            changed["path"] = map_path(changed["path"])
        for key in ("ran", "compiled"):
            if isinstance(changed.get(key), dict):
                changed[key] = {map_path(path): lines for path, lines in changed[key].items()}
        return changed
    if isinstance(data, (list, tuple)):
        return [_map_paths(each, map_path) for each in data]
    return data


def _write(path: Path, document: dict[str, Any]) -> None:
    """Write a document, replacing the file atomically."""
    write_whole(path, (json.dumps(document, indent=1) + "\n").encode())


def _read(path: Path, key: str, kind: str) -> list[Any]:
    """Return the list under ``key`` in a document; raises PlanError."""
    try:
        document = parse_json(read_named(path, MAX_DOCUMENT))
    except OSError as error:
        raise PlanError(f"{path}: cannot be read: {reason_of(error)}") from None
    except ValueError as error:
        raise PlanError(f"{path}: not JSON: {error}") from None
    if not isinstance(document, dict) or not isinstance(document.get(key), list):
        raise PlanError(f"{path}: not a {kind} of gblint: it has no list {key!r}")
    if document.get("version") != VERSION:
        raise PlanError(f"{path}: version {document.get('version')!r} of a {kind}; this gblint reads version {VERSION}")
    entries: list[Any] = document[key]
    return entries
