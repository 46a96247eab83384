"""The context of a run: the request, the project, the facts about its torch, and the interpreter."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from gblint.config.errors import ConfigError, Problem
from gblint.config.settings import Config
from gblint.diagnostics.entry_point import EntryPoint
from gblint.entrypoints.search import EntrySearch
from gblint.interp import Interpreter, Observer, new_interpreter
from gblint.knowledge.catalog import Knowledge
from gblint.knowledge.catalog import load as load_knowledge
from gblint.knowledge.version_choice import choose
from gblint.knowledge.versions import UnknownTorchVersion
from gblint.project.discovery import DEFAULT_EXCLUDE, FileSelection
from gblint.project.environment import Environment, EnvironmentProblem
from gblint.project.project import Project
from gblint.runtime.lazy_dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Session:
    """The interpreter of a run and its entry points, for further runs on the same project."""

    interpreter: Interpreter
    search: EntrySearch


@dataclass(frozen=True, slots=True)
class LintRequest:
    """The paths to lint, and how.

    ``entries``: names of entry points that the user requests.
    ``overlays``: texts that replace the contents of files.
    ``paths_given``: whether the user passed the paths.  If not, they are only searched to resolve names.
    ``project``: an up-to-date project of an earlier run.
    ``entry_filter``: a condition for the entry points to trace.
    ``call_trees``: whether to build the call tree of each entry point.
    ``keep_session``: whether the result gets a session; ``session``: the session of an earlier run, which replaces the
    search for entry points.
    """

    paths: tuple[Path, ...]
    entries: tuple[str, ...] = ()
    overlays: Mapping[Path, str] = field(default_factory=dict)
    paths_given: bool = True
    project: Project | None = None
    entry_filter: Callable[[EntryPoint], bool] | None = None
    call_trees: bool = False
    keep_session: bool = False
    session: Session | None = None

    @property
    def is_transferable(self) -> bool:
        """Whether another process can carry out the request."""
        return self.project is None and self.entry_filter is None and not self.keep_session and self.session is None

    def requested(self, config: Config) -> tuple[str, ...]:
        """Return the names of entry points in the request and in the configuration."""
        return tuple(dict.fromkeys((*config.entry_points.entries, *self.entries)))

    def checks_all_files(self, config: Config) -> bool:
        """Return whether all files are checked, and not only those that the requested entry points reach."""
        return self.paths_given or not (self.entries or config.entry_points.entries)


@dataclass(frozen=True, slots=True)
class RunContext:
    """The project, the knowledge and the interpreter of a run.

    ``note`` is set if there are no data for the wanted version of torch.
    """

    project: Project
    knowledge: Knowledge
    interpreter: Interpreter
    note: str | None


def open_project(request: LintRequest, config: Config, observer: Observer | None = None) -> RunContext:
    """Find the files and create the interpreter; no file is read yet.  Raises ConfigError."""
    project = request.project or project_of(request, config)
    project.set_overlays(request.overlays)
    try:
        choice = choose(config.project.torch_version, project.environment.distribution_version("torch"))
    except UnknownTorchVersion as error:
        raise ConfigError([Problem(*config.location("torch-version"), str(error))]) from None
    knowledge = load_knowledge(choice.version)
    if request.session is None:
        interpreter = new_interpreter(project, knowledge, config.entry_points.pins, observer)
    else:
        interpreter = request.session.interpreter
    interpreter.builds_call_tree = request.call_trees
    return RunContext(project, knowledge, interpreter, choice.note)


def project_of(request: LintRequest, config: Config) -> Project:
    """Return the files and modules of a request; raises ConfigError for a Python environment that does not exist."""
    # A configuration file found above the paths marks the root of the project; one passed by the user does not.
    root = config.root if config.source.file is not None and config.source.file.parent == config.root else None
    settings = config.project
    return Project(
        request.paths,
        root=root,
        environment=_environment(config),
        # An object in a package, in the notation of entry points, stands for its package.
        follow=tuple(dict.fromkeys(name.partition(":")[0] for name in settings.follow)),
        selection=FileSelection(
            DEFAULT_EXCLUDE if settings.exclude is None else settings.exclude, settings.extend_exclude
        ),
        src=[config.root / folder for folder in settings.src],
        overlays=request.overlays,
    )


def _environment(config: Config) -> Environment | None:
    python, is_option = config.project.python, "--python" in config.source.options
    if python is None:
        return None
    relative_to_root = os.path.join(config.root, python)
    # In a file the path is relative to the file, on the command line to the working directory.
    if not is_option and os.path.exists(relative_to_root):
        python = relative_to_root
    try:
        return Environment.discover(python, config.root, starts=config.source.trusted and is_option)
    except EnvironmentProblem as problem:
        raise ConfigError([Problem(*config.location("python"), str(problem))]) from None
