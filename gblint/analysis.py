"""What is found in a project before anybody chooses among it: by looking, or from an earlier run."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from gblint.advice import advise
from gblint.cache import Cache, Evidence, key_of
from gblint.config import Config
from gblint.findings import FileError, ReachedBreak
from gblint.interp import Progress, Traced
from gblint.recompiles import recompiles
from gblint.records import dataclass
from gblint.regions import EntrySearch
from gblint.setting import Request, Setting
from gblint.work import Opening, Scan, look_for_entries


@dataclass(frozen=True, slots=True)
class Found:
    """The traces of the entry points; what is ``beside`` them in the project's own code; what is to be told.

    ``unknown`` are places where something is compiled that is not known.
    """

    traces: tuple[Traced, ...]
    beside: tuple[ReachedBreak, ...]
    errors: tuple[FileError, ...]
    warnings: tuple[FileError, ...]
    unknown: tuple[FileError, ...]


@dataclass(frozen=True, slots=True)
class Manner:
    """How to look: in how many processes, with which cache, whether for recompilations, too.

    ``apart`` is false where everything has to be done with the interpreter at hand: in this process, and now.
    """

    jobs: int = 1
    cache: Cache | None = None
    recompiles: bool = True
    apart: bool = True


def find(
    setting: Setting, request: Request, config: Config, manner: Manner, progress: Progress | None
) -> tuple[Found, EntrySearch | None]:
    """What is found, from the cache if it has it, else with the search that was made for it."""
    # Call trees are large, and wanted for reports that are made once.
    cache = manner.cache if manner.apart and not request.trees else None
    if cache is None:
        return _look(setting, request, config, manner, progress)[:2]
    key = _key(setting, request, config, manner)
    known = cache.recall(key, Found)
    if isinstance(known, Found):
        return known, None
    found, search, evidence = _look(setting, request, config, manner, progress)
    if evidence is not None:
        cache.keep(key, found, evidence)
    return found, search


def _look(
    setting: Setting, request: Request, config: Config, manner: Manner, progress: Progress | None
) -> tuple[Found, EntrySearch, Evidence | None]:
    search = look_for_entries(setting, request, config, progress)
    beside = [*recompiles(setting.machine)] if manner.recompiles else []
    beside += advise(setting.machine)
    scan = Scan(setting, search, Opening(request, config), afresh=manner.apart)
    scan.run(manner.jobs if manner.apart else 1, progress)
    # What is wrong with the paths is seen anew each time.
    errors = {*search.problems, *setting.project.errors, *scan.errors} - setting.project.discovery_errors
    found = Found(
        tuple(scan.traces), tuple(beside), tuple(_sorted(errors)), tuple(scan.warnings), tuple(search.unknown)
    )
    return found, search, scan.evidence


def _sorted(errors: Iterable[FileError]) -> list[FileError]:
    return sorted(errors, key=lambda error: (error.path, error.line, error.message))


def _key(setting: Setting, request: Request, config: Config, manner: Manner) -> str:
    """All that a run is asked, and the files and packages that it is about."""
    project, environment = setting.project, setting.project.environment
    overlays = sorted(
        (str(path), hashlib.blake2b(text.encode("utf-8", "surrogatepass")).hexdigest())
        for path, text in request.overlays.items()
    )
    asked = (request.requested(config), request.wants_everything(config), overlays, manner.recompiles)
    settings = (
        config.assume_entries,
        config.entry_decorators,
        sorted((place, tuple(targets)) for place, targets in config.pins.items()),
        config.follow,
        config.src,
        str(config.root),
    )
    place = (str(project.here), str(project.root), [str(path) for path in project.files])
    packages = (
        environment.version,
        [str(path) for path in environment.search_path],
        sorted((name, str(path)) for name, path in environment.editable),
        setting.knowledge.version,
    )
    return key_of([asked, settings, place, packages])
