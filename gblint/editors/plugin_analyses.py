"""The analyses of a run of flake8 or pylint, shared by its processes.

Forked processes inherit the results of the first process.  Other processes read them from a temporary file of the first
process, whose name is in an environment variable.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import json
import multiprocessing
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gblint.config.errors import ConfigError, Problem, suggestion
from gblint.config.keys import ASSUME, torch_version
from gblint.config.loading import load as load_config
from gblint.config.settings import Config
from gblint.diagnostics.break_event import Confidence
from gblint.diagnostics.finding import Finding
from gblint.runtime.lazy_dataclasses import dataclass, field

if TYPE_CHECKING:
    from gblint.pipeline.lint import LintResult

VARIABLE = "GBLINT_PLUGIN"
TROUBLE = "GBL000"
_MARKS = ("gblint.toml", "pyproject.toml", ".git", "setup.cfg", "setup.py", "tox.ini", ".flake8")


@dataclass(frozen=True, slots=True)
class PluginOptions:
    """The options of the linter that runs the plugin.

    ``given`` are the options of gblint by name, and ``selected`` the codes of gblint that the linter selects.
    ``everything`` is true if findings with a noqa comment are reported as well.
    """

    given: Mapping[str, Any] = field(default_factory=dict)
    selected: tuple[str, ...] = ()
    everything: bool = False


@dataclass(frozen=True, slots=True)
class Analysis:
    """The result for a project: the line, the column from 0, and the text of each finding, by file.

    ``errors`` are the reasons for a failed analysis.  The process that can remove the file ``claim`` reports them.
    """

    messages: Mapping[str, Sequence[tuple[int, int, str]]] = field(default_factory=dict)
    errors: tuple[str, ...] = ()
    claim: str = ""

    def unreported_errors(self) -> Iterator[str]:
        """Yield the errors at the first call and nothing later, so that they are reported once."""
        if self.errors:
            with contextlib.suppress(OSError):
                os.unlink(self.claim)
                yield from self.errors


class Analyses:
    """The analysed projects, by their root folder."""

    def __init__(self, settings: PluginOptions) -> None:
        self._settings = settings
        self._known = _read_shared()

    def of(self, root: Path) -> Analysis:
        """Return the analysis of the project as it is on disk."""
        if root not in self._known:
            self._known[root] = self._analyse(root)
        return self._known[root]

    def with_text(self, root: Path, path: Path, text: str) -> Analysis:
        """Return the analysis of the project with ``text`` in place of the file ``path``."""
        return self._analyse(root, path, text)

    def share_with_workers(self, roots: Iterable[Path]) -> None:
        """Analyse the projects now, for the worker processes that the linter starts later."""
        for root in roots:
            self.of(root)
        if multiprocessing.get_start_method() == "fork":
            return
        data = {
            str(root): {"messages": dict(each.messages), "errors": each.errors, "claim": each.claim}
            for root, each in self._known.items()
        }
        os.environ[VARIABLE] = _temporary(json.dumps(data))

    def _analyse(self, root: Path, path: Path | None = None, text: str = "") -> Analysis:
        from gblint.cache.store import Cache
        from gblint.pipeline.lint import LintRequest, lint

        paths = (root,) if path is None or path.exists() else (root, path)
        entries = tuple(self._settings.given.get("entries", ()))
        try:
            unsaved = {path: text} if path is not None and not _is_saved(path, text) else {}
            request = LintRequest(paths, entries, unsaved)
            # No cache for text from an editor: every keystroke would be an entry of its own.
            cache = None if unsaved else Cache.default()
            with _no_garbage():
                outcome = lint(request, self._config(root), cache=cache)
        except ConfigError as error:
            return _failed(_message(problem) for problem in error.problems)
        except Exception as error:
            # An exception in a plugin ends the whole run of the linter, and the findings of other plugins are lost.
            return _failed([f"{type(error).__name__}: {' '.join(str(error).split())}"])
        return Analysis(_by_path(outcome, self._settings.everything))

    def _config(self, root: Path) -> Config:
        """Return the configuration of the project with the options of the plugin."""
        given = dict(self._settings.given)
        given.pop("entries", None)
        file = given.pop("config", None)
        config = load_config([root], None if file is None else Path(file))
        values: dict[str, Any] = {}
        problems = []
        for name, value in given.items():
            try:
                values[name.replace("-", "_")] = _checked(name, value)
            except ValueError as error:
                problems.append(Problem(f"--gblint-{name}", 0, str(error)))
        if problems:
            raise ConfigError(problems)
        if self._settings.selected:
            # Rules that are off by default must be on if the linter selects them; it drops the others itself.
            values["extend_select"] = (*config.selection.extend_select, *self._settings.selected)
        return config.with_options(**values).with_values(trusted=False)


def _is_saved(path: Path, text: str) -> bool:
    """Return whether ``text`` is the content of the file."""
    from gblint.project.source import SourceProblem, read_source
    from gblint.runtime.files import normalise_newlines

    try:
        return read_source(path) == normalise_newlines(text)
    except SourceProblem:
        return False


@contextlib.contextmanager
def _no_garbage() -> Iterator[None]:
    """Disable garbage collection, which takes a third of the time, and exclude the remaining objects from later ones.

    This also keeps the memory that forked processes share from being copied.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_on:
            gc.enable()


def project_root(path: Path) -> Path:
    """Return the nearest folder at or above ``path`` that has a file such as pyproject.toml.

    Without one it is the working directory, or the folder of a file outside of that.
    """
    own = path if path.is_dir() else path.parent
    here = Path.cwd()
    for folder in (own, *own.parents):
        if any((folder / mark).exists() for mark in _MARKS):
            return folder
    return here if here in own.parents else own


def _checked(name: str, value: Any) -> Any:
    if name == "min-confidence":
        return Confidence(_one_of(value, [level.value for level in Confidence]))
    if name == "assume-entries":
        return _one_of(value, ASSUME)
    if name == "torch-version":
        return torch_version(value)
    return tuple(value) if isinstance(value, list) else value


def _one_of(value: str, known: Sequence[str]) -> str:
    if value not in known:
        hint = suggestion(value, known)
        raise ValueError(f"{value!r} is not one of {', '.join(known)}{hint}")
    return value


def _message(problem: Problem) -> str:
    line = f":{problem.line}" if problem.line else ""
    return f"{problem.where}{line}: {problem.message}"


def _failed(reasons: Iterable[str]) -> Analysis:
    return Analysis(errors=tuple(f"{TROUBLE} gblint cannot run: {reason}" for reason in reasons), claim=_temporary(""))


def _by_path(outcome: LintResult, everything: bool) -> dict[str, list[tuple[int, int, str]]]:
    table: dict[str, list[tuple[int, int, str]]] = {}
    findings: list[Finding] = [*outcome.report.findings, *(outcome.silenced if everything else ())]
    for finding in findings:
        span = finding.span
        message = (span.line, span.column - 1, f"{finding.code} {finding.message}")
        table.setdefault(str(Path(span.path).absolute()), []).append(message)
    return table


def _temporary(text: str) -> str:
    """Return a temporary file that is removed at the end of this process."""
    number, name = tempfile.mkstemp(prefix="gblint-plugin-")
    with os.fdopen(number, "w", encoding="utf-8") as file:
        file.write(text)
    atexit.register(_remove, name, os.getpid())
    return name


def _remove(name: str, owner: int) -> None:
    if os.getpid() == owner:  # not in a forked process
        Path(name).unlink(missing_ok=True)


def _read_shared() -> dict[Path, Analysis]:
    """Return the analyses that the parent process has stored for its workers."""
    name = os.environ.get(VARIABLE)
    if not name or multiprocessing.parent_process() is None:
        return {}
    try:
        data = json.loads(Path(name).read_text(encoding="utf-8"))
        return {
            Path(root): Analysis(
                {path: [tuple(each) for each in messages] for path, messages in item["messages"].items()},
                tuple(item["errors"]),
                item["claim"],
            )
            for root, item in data.items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}
