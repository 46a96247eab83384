"""What a run works with: the project, the facts about its torch, and the interpreter."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from gblint.config.settings import Config, ConfigError, Problem
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
    """The interpreter of a run and the entry points that it found."""

    interpreter: Interpreter
    search: EntrySearch


@dataclass(frozen=True, slots=True)
class LintRequest:
    """What to lint: the paths, the entry points asked for by name, and texts that stand in for files.

    ``named`` is false where nobody named the paths, so that they are only a place to look names up in.  ``project`` is
    one that was kept from an earlier run and is up to date; ``only`` chooses among the entry points.  With ``trees``
    the outcome has the call tree of each entry point.  With ``keep`` the run leaves its session behind; ``again`` is
    one to be used instead of looking for entry points once more.
    """

    paths: tuple[Path, ...]
    entries: tuple[str, ...] = ()
    overlays: Mapping[Path, str] = field(default_factory=dict)
    named: bool = True
    project: Project | None = None
    only: Callable[[EntryPoint], bool] | None = None
    trees: bool = False
    keep: bool = False
    again: Session | None = None

    @property
    def is_plain(self) -> bool:
        """Whether all of it can be said to another process."""
        return self.project is None and self.only is None and not self.keep and self.again is None

    def requested(self, config: Config) -> tuple[str, ...]:
        """The entry points asked for, here or in the configuration."""
        return tuple(dict.fromkeys((*config.entries, *self.entries)))

    def wants_everything(self, config: Config) -> bool:
        """Whether all files are looked at, and not only those that the entry points asked for lead to."""
        return self.named or not (self.entries or config.entries)


@dataclass(frozen=True, slots=True)
class RunContext:
    """The project, the knowledge and the interpreter; ``note`` says that the torch that was wanted is not known."""

    project: Project
    knowledge: Knowledge
    interpreter: Interpreter
    note: str | None


def prepare(request: LintRequest, config: Config, observer: Observer | None = None) -> RunContext:
    """Find the files; nothing is read yet.  Raises ConfigError."""
    project = request.project or project_of(request, config)
    project.set_overlays(request.overlays)
    try:
        choice = choose(config.torch_version, project.environment.distribution_version("torch"))
    except UnknownTorchVersion as error:
        raise ConfigError([Problem(*config.where("torch-version"), str(error))]) from None
    knowledge = load_knowledge(choice.version)
    if request.again is None:
        m = new_interpreter(project, knowledge, config.pins, observer)
    else:
        m = request.again.interpreter
    m.builds_call_tree = request.trees
    return RunContext(project, knowledge, m, choice.note)


def project_of(request: LintRequest, config: Config) -> Project:
    """The files and modules that a request is about; raises ConfigError for an interpreter that is not there."""
    # A file that lies somewhere above the paths says where the project is; one that was named does not.
    root = config.root if config.file is not None and config.file.parent == config.root else None
    return Project(
        request.paths,
        root=root,
        environment=_environment(config),
        # An object in a package, named as an entry point is, stands for its package.
        follow=tuple(dict.fromkeys(name.partition(":")[0] for name in config.follow)),
        selection=FileSelection(DEFAULT_EXCLUDE if config.exclude is None else config.exclude, config.extend_exclude),
        src=[config.root / folder for folder in config.src],
        overlays=request.overlays,
    )


def _environment(config: Config) -> Environment | None:
    if config.python is None:
        return None
    beside = config.root / config.python
    # In a file the path counts from the file, on the command line from the working directory.
    python = str(beside) if "--python" not in config.given and beside.exists() else config.python
    try:
        return Environment.discover(python, config.root, starts=config.trusted and "--python" in config.given)
    except EnvironmentProblem as problem:
        raise ConfigError([Problem(*config.where("python"), str(problem))]) from None
