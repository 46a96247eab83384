"""The project: the files of a run, and every module that can be found from them."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from gblint.diagnostics.report import FileError
from gblint.project.configurations import Configurations
from gblint.project.dependencies import DependencyRecorder
from gblint.project.discovery import DEFAULT_SELECTION, FileSelection, discover, display_path
from gblint.project.environment import Environment
from gblint.project.import_path import ImportPath
from gblint.project.modules import Module, Origin, Stamp
from gblint.project.path_finder import ModuleKind
from gblint.project.resolution import Definition, resolve_name
from gblint.project.root import find_root
from gblint.project.star_imports import StarIndex
from gblint.project.text_names import NamePlace

# The maximum number of source characters held in memory as syntax trees, which need 50 times as much.
MOST_SOURCE = 8_000_000


def exceed_memory(modules: Iterable[Module]) -> bool:
    """Return whether the syntax trees of these modules would exceed the memory limit."""
    return sum(len(module.source) for module in modules) > MOST_SOURCE


class Project:
    """The files under PATHS, and the modules of the project and of the environment's packages.

    ``src`` adds import roots (``.`` and ``src`` below the root are always import roots); ``follow`` has the names of
    packages to treat as the user's own; ``overlays`` maps paths to the text of unsaved editor buffers; ``selection``
    says which files below PATHS are left out.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        *,
        root: Path | None = None,
        environment: Environment | None = None,
        follow: Sequence[str] = (),
        selection: FileSelection = DEFAULT_SELECTION,
        src: Sequence[Path] = (),
        overlays: Mapping[Path, str] | None = None,
    ) -> None:
        self.here = Path.cwd()
        self.root = Path(os.path.abspath(root)) if root is not None else find_root(paths)
        self.environment = environment or Environment.discover(None, self.root)
        self.follow = tuple(follow)
        self._overlays = {os.path.abspath(path): text for path, text in (overlays or {}).items()}
        on_disk = [path for path in paths if os.path.lexists(path) or os.path.abspath(path) not in self._overlays]
        self.files, problems = discover(on_disk, root=self.root, selection=selection)
        unsaved = {Path(os.path.abspath(path)) for path in paths if not os.path.lexists(path)}
        self.files = sorted({*self.files, *(path for path in unsaved if str(path) in self._overlays)})
        self._user_files = frozenset(str(path) for path in self.files)
        self._searched_files = self._user_files
        self.discovery_errors = frozenset(problems)
        self._errors: set[FileError] = set(problems)
        self._modules: dict[str, Module] = {}
        self._found: dict[tuple[str, str | None], Module | None] = {}
        self._resolved: dict[tuple[str, str], tuple[Definition, set[Module]]] = {}
        self._mentioning: dict[tuple[tuple[str, ...], tuple[NamePlace, ...]], Sequence[Module]] = {}
        self._named: dict[NamePlace, dict[str, list[Module]]] = {}
        self._recorder = DependencyRecorder()
        self._read_before: list[tuple[str, Stamp | None]] = []
        self._configurations = Configurations(self.root)
        self._star_index = StarIndex(self)
        self._import_path = ImportPath(self.root, self.files, self.environment, src)
        self._check_follow()

    @property
    def errors(self) -> list[FileError]:
        """The files that could not be read or parsed so far, in order; files are read on demand."""
        return sorted(self._errors, key=lambda error: (error.path, error.line, error.message))

    def files_read(self) -> dict[str, Stamp | None]:
        """Return the files read so far, without overlays; the stamp is None for a file that changed in between."""
        found = {path: module.stamp for path, module in self._modules.items() if module.was_read}
        for path, stamp in self._read_before:
            known = found.setdefault(path, stamp)
            if known is None or stamp is None or known.digest != stamp.digest:
                found[path] = None
        return {**found, **self._configurations.stamps()}

    def configurations(self) -> list[tuple[Path, str]]:
        """Return the paths and texts of the YAML files below the root; they become dependencies of the work unit."""
        found = self._configurations.texts()
        self._recorder.files.update(self._configurations.stamps())
        return found

    def configuration(self, path: Path) -> str | None:
        """Return the text of one configuration file, which becomes a dependency; None if it cannot be read."""
        text = self._configurations.text(path)
        if text is not None:
            self._recorder.files.add(str(path))
        return text

    @property
    def has_more_configurations(self) -> bool:
        """Whether there are more YAML files than were read."""
        return self._configurations.is_cut

    def begin_unit(self, *, reread_errors: bool = True) -> DependencyRecorder:
        """Begin a work unit and return the recorder of its dependencies.

        With ``reread_errors``, files that could not be read or parsed are read again, so that each unit reports their
        errors.
        """
        if reread_errors:
            unreadable = [path for path, module in self._modules.items() if module.error is not None]
            self._read_before = [
                *self._read_before,
                *((path, self._modules[path].stamp) for path in unreadable if self._modules[path].was_read),
            ]
            self.reread(unreadable)
        self._recorder = DependencyRecorder()
        return self._recorder

    def resume_unit(self, recorder: DependencyRecorder) -> None:
        """Resume a work unit that another one interrupted."""
        self._recorder = recorder

    def record(self, module: Module) -> None:
        """Record a module that the work unit depends on but did not get from the project."""
        self._recorder.modules.add(module)

    def mentions(self, module: Module, words: Iterable[str]) -> bool:
        """Return whether the text of ``module``, one of :meth:`user_modules`, contains one of the words."""
        return self._recorder.mentions(module, words)

    def mentioning(self, words: Sequence[str], name: str = "", places: Sequence[NamePlace] = ()) -> Sequence[Module]:
        """Return those of :meth:`user_modules` whose text contains one of the words; results are cached.

        name: the name that stands at one of these ``places`` wherever one of the words does, if there are any.
        """
        key = (tuple(words), tuple(places))
        found = self._mentioning.get(key)
        if found is None:
            modules = self._having(name, places) if places else self.user_modules()
            found = self._mentioning[key] = [each for each in modules if any(map(each.contains, words))]
        self._recorder.mentioning(words, found)
        return found

    def _having(self, name: str, places: Sequence[NamePlace]) -> Iterable[Module]:
        """Return those of :meth:`user_modules` in which ``name`` stands at one of these places, in order."""
        for place in places:
            if place not in self._named:
                index: dict[str, list[Module]] = {}
                for module in self.user_modules():
                    for each in module.names_at(place):
                        index.setdefault(each, []).append(module)
                self._named[place] = index
        found = {module for place in places for module in self._named[place].get(name, ())}
        return sorted(found, key=lambda module: module.path)

    def folders_listed(self) -> dict[str, frozenset[str]]:
        """Return the folders in which files have been looked up so far, with their entries."""
        return {**self._configurations.folders(), **self._import_path.folders_listed()}

    def user_modules(self) -> Iterator[Module]:
        """Iterate over the modules of :attr:`files`, in order, unread; only over those set by :meth:`restrict_to`."""
        for path in self.files:
            if str(path) in self._searched_files:
                yield self._module(str(path))

    def modules(self) -> Iterator[Module]:
        """Iterate over all modules looked up so far, including those of libraries."""
        yield from self._modules.values()

    def is_full(self) -> bool:
        """Return whether the syntax trees in memory exceed the memory limit."""
        return exceed_memory(self._parsed())

    def evict(self, priority: Mapping[Module, int]) -> None:
        """Release syntax trees, those with the lowest ``priority`` first, until half of the memory limit is free.

        They are read again on demand; nobody may hold references to their nodes.
        """
        parsed = self._parsed()
        size = sum(len(module.source) for module in parsed)
        evicted: set[Module] = set()
        for module in sorted(parsed, key=lambda each: priority.get(each, 0)):
            if size < MOST_SOURCE // 2:
                break
            size -= len(module.source)
            evicted.add(module)
        self._release(evicted)

    def release_unless(self, is_used: Callable[[Module], bool]) -> None:
        """Release the syntax trees to whose nodes nobody holds references; they are read again on demand."""
        self._release({module for module in self._parsed() if not is_used(module)})

    def _release(self, modules: set[Module]) -> None:
        for module in modules:
            module.release()
        # A definition holds nodes of its module's tree.
        self._resolved = {key: known for key, known in self._resolved.items() if known[0].module not in modules}

    def _forget_searches(self) -> None:
        self._mentioning.clear()
        self._named.clear()

    def restrict_to(self, files: Collection[str] | None) -> None:
        """Restrict :meth:`user_modules` to some files (absolute paths); None removes the restriction."""
        self._searched_files = self._user_files if files is None else self._user_files & frozenset(files)
        self._forget_searches()

    def set_overlays(self, overlays: Mapping[Path, str]) -> None:
        """Replace all overlays; files whose text differs from before are read again."""
        new = {os.path.abspath(path): text for path, text in overlays.items()}
        old, self._overlays = self._overlays, new
        self.reread(path for path in {*old, *new} if old.get(path) != new.get(path))

    def set_overlay(self, path: Path, text: str) -> None:
        """Record the overlay of one file whose module already has this text."""
        self._overlays[str(path)] = text
        self._forget_searches()

    def reread(self, paths: Iterable[str]) -> None:
        """Forget the contents of files that have changed.  The set of files stays the same."""
        changed = set(paths) & set(self._modules)
        if not changed:
            return
        displays = {self._modules.pop(path).display for path in changed}
        self._errors = {error for error in self._errors if error.path not in displays}
        self._found = {
            key: module for key, module in self._found.items() if module is None or str(module.path) not in changed
        }
        self._resolved.clear()
        self._forget_searches()
        self._star_index = StarIndex(self)

    def find_module(self, name: str, importer: Module | None = None) -> Module | None:
        """Return the module that ``import name`` finds; None if it does not exist or has no Python source.

        See :class:`gblint.project.import_path.ImportPath` for the search order.
        """
        key = (name, None if importer is None else importer.folder)
        if key not in self._found:
            spec = self._import_path.find(name, importer)
            self._found[key] = self._module(spec.file) if spec.file is not None else None
        found = self._found[key]
        if found is not None:
            self._recorder.modules.add(found)
        return found

    def module_exists(self, name: str, importer: Module | None = None) -> ModuleKind:
        """Return the kind of module that ``import name`` finds."""
        return self._import_path.kind(name, importer)

    def module_at(self, path: Path) -> Module | None:
        """Return the module in the file at ``path``: the same object in each call."""
        found = self._at(os.path.abspath(path))
        if found is not None:
            self._recorder.modules.add(found)
        return found

    def resolve(self, module: Module, name: str) -> Definition:
        """Return the definition of the attribute ``name`` of ``module``, following re-exports and star imports."""
        key = (str(module.path), name)
        recorder = self._recorder
        known = self._resolved.get(key)
        if known is None:
            # The visited modules are stored with the result, since later callers depend on them as well.
            recorder.modules, before = set(), recorder.modules
            try:
                known = self._resolved[key] = (resolve_name(self, self._star_index, module, name), recorder.modules)
            finally:
                recorder.modules = before | recorder.modules
            recorder.resolved.add(key)
        elif key not in recorder.resolved:
            recorder.resolved.add(key)
            recorder.modules |= known[1]
        return known[0]

    def star_origins(self, module: Module, name: str) -> Iterator[Module]:
        """Iterate over the modules from which star imports in ``module`` take ``name``, the effective one first."""
        return self._star_index.origins(module, name)

    def submodules(self, module: Module) -> Iterator[str]:
        """Iterate over the last name components of the source modules directly in a package."""
        if module.is_package:
            yield from self._import_path.submodules(module.path.parent)

    def _check_follow(self) -> None:
        for name in self.follow:
            if self.module_exists(name) in ("missing", "extension"):
                where = self.environment.python or "this environment"
                self._errors.add(FileError(name, 0, f"--follow: no package {name!r} with Python source in {where}"))

    def _parsed(self) -> list[Module]:
        return [module for module in self._modules.values() if module.is_parsed]

    def _at(self, full: str) -> Module | None:
        if full in self._modules or full in self._user_files or full in self._overlays:
            return self._module(full)
        real = os.path.realpath(full)
        if real in self._modules or real in self._user_files:
            return self._module(real)
        return self._module(full) if full.endswith(".py") and Path(full).is_file() else None

    def _module(self, path: str) -> Module:
        module = self._modules.get(path)
        if module is None:
            file = Path(path)
            named = self._import_path.name(file)
            origin = self._origin(path, named.name)
            module = self._modules[path] = Module(
                named,
                file,
                display_path(file, self.here),
                origin=origin,
                overlay=self._overlays.get(path),
                # Errors in files of libraries are not reported.
                report=self._add_error if origin != "library" else None,
            )
        return module

    def _add_error(self, error: FileError) -> None:
        self._errors.add(error)

    def _origin(self, path: str, name: str) -> Origin:
        if path in self._user_files:
            return "user"
        return "follow" if self._is_followed(name) else "library"

    def _is_followed(self, name: str) -> bool:
        return any(name == followed or name.startswith(followed + ".") for followed in self.follow)
