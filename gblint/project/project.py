"""The project: the files of a run, and every module that can be found from them."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from gblint.diagnostics.report import FileError
from gblint.project.dependencies import DependencyRecorder
from gblint.project.discovery import DEFAULT_EXCLUDE, discover, display_path
from gblint.project.environment import Environment
from gblint.project.module_names import ModuleName, Namer
from gblint.project.modules import Module, Origin, Stamp
from gblint.project.path_finder import MISSING, Finder, Listings, ModuleKind, ModuleSpec, is_builtin, submodule_names
from gblint.project.resolution import Definition, resolve_name
from gblint.project.root import find_root
from gblint.project.star_imports import StarIndex

# So many characters of source may be in memory, as syntax trees that are fifty times as large.
MOST_SOURCE = 8_000_000


def are_many(modules: Iterable[Module]) -> bool:
    """Whether the syntax trees of all these modules are more than there should be in memory."""
    return sum(len(module.source) for module in modules) > MOST_SOURCE


class Project:
    """The files under PATHS, and the modules that they and the environment's packages make.

    ``src`` adds import roots (``.`` and ``src`` below the root always are); ``follow`` names packages to treat as the
    user's own; ``overlays`` has the text of unsaved editor buffers by path.  The exclude options are those of
    :func:`gblint.project.discovery.discover`.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        *,
        root: Path | None = None,
        environment: Environment | None = None,
        follow: Sequence[str] = (),
        exclude: Sequence[str] = DEFAULT_EXCLUDE,
        extend_exclude: Sequence[str] = (),
        respect_gitignore: bool = True,
        force_exclude: bool = False,
        src: Sequence[Path] = (),
        overlays: Mapping[Path, str] | None = None,
    ) -> None:
        self.here = Path.cwd()
        self.root = Path(os.path.abspath(root)) if root is not None else find_root(paths)
        self.environment = environment or Environment.discover(None, self.root)
        self.follow = tuple(follow)
        self._overlays = {os.path.abspath(path): text for path, text in (overlays or {}).items()}
        on_disk = [path for path in paths if os.path.lexists(path) or os.path.abspath(path) not in self._overlays]
        self.files, problems = discover(
            on_disk,
            root=self.root,
            exclude=exclude,
            extend_exclude=extend_exclude,
            respect_gitignore=respect_gitignore,
            force_exclude=force_exclude,
        )
        unsaved = {Path(os.path.abspath(path)) for path in paths if not os.path.lexists(path)}
        self.files = sorted({*self.files, *(path for path in unsaved if str(path) in self._overlays)})
        self._user_files = frozenset(str(path) for path in self.files)
        self._looked_at = self._user_files
        self.discovery_errors = frozenset(problems)
        self._errors: set[FileError] = set(problems)
        self._modules: dict[str, Module] = {}
        self._found: dict[tuple[str, str | None], Module | None] = {}
        self._resolved: dict[tuple[str, str], tuple[Definition, set[Module]]] = {}
        self._reading = DependencyRecorder()
        self._read_before: list[tuple[str, Stamp | None]] = []
        self._specs: dict[tuple[str, str | None], ModuleSpec] = {}
        self._star_index = StarIndex(self)
        self._listings = Listings()
        self._set_up_import_path(src)
        self._check_follow()

    @property
    def errors(self) -> list[FileError]:
        """What could not be read or parsed so far, in order: a file is read when its module's text is asked for."""
        return sorted(self._errors, key=lambda error: (error.path, error.line, error.message))

    def files_read(self) -> dict[str, Stamp | None]:
        """The files that were read so far, but for overlays; None for one that was not the same throughout."""
        found = {path: module.stamp for path, module in self._modules.items() if module.was_read}
        for path, stamp in self._read_before:
            known = found.setdefault(path, stamp)
            if known is None or stamp is None or known.digest != stamp.digest:
                found[path] = None
        return found

    def begin(self, *, afresh: bool = True) -> DependencyRecorder:
        """Begin a piece of work: what it comes by from now on is noted in the answer.

        With ``afresh``, what is wrong with files is to be found anew, so that it is known for each piece.
        """
        if afresh:
            wrong = [path for path, module in self._modules.items() if module.error is not None]
            self._read_before = [
                *self._read_before,
                *((path, self._modules[path].stamp) for path in wrong if self._modules[path].was_read),
            ]
            self.reread(wrong)
        self._reading = DependencyRecorder()
        return self._reading

    def go_on(self, reading: DependencyRecorder) -> None:
        """Go on with a piece of work that was begun before another one."""
        self._reading = reading

    def came_by(self, module: Module) -> None:
        """Note a module that nothing was asked for here."""
        self._reading.modules.add(module)

    def mentions(self, module: Module, words: Iterable[str]) -> bool:
        """Whether the text of one of :meth:`user_modules` has one of the words."""
        return self._reading.mentions(module, words)

    def folders_listed(self) -> dict[str, frozenset[str]]:
        """The folders that modules were looked up in so far, with their entries."""
        return self._listings.read()

    def user_modules(self) -> Iterator[Module]:
        """The modules of :attr:`files`, in order, unread; after :meth:`look_at` only those."""
        for path in self.files:
            if str(path) in self._looked_at:
                yield self._module(str(path))

    def modules(self) -> Iterator[Module]:
        """Every module that was looked up so far, of libraries too."""
        yield from self._modules.values()

    def is_full(self) -> bool:
        """Whether there are more syntax trees in memory than there should be."""
        return are_many(module for module in self._modules.values() if module.is_parsed)

    def put_away(self, used: Mapping[Module, int]) -> None:
        """Forget the trees of half of what may be in memory, from those with the lowest number in ``used`` on.

        They are read again on demand; nothing may refer to what is in them.
        """
        parsed = [module for module in self._modules.values() if module.is_parsed]
        size = sum(len(module.source) for module in parsed)
        for module in sorted(parsed, key=lambda each: used.get(each, 0)):
            if size < MOST_SOURCE // 2:
                break
            size -= len(module.source)
            module.release()

    def look_at(self, files: Collection[str] | None) -> None:
        """Look for what the project does in some of its files only (by absolute path); None for all again."""
        self._looked_at = self._user_files if files is None else self._user_files & frozenset(files)

    def lay_over(self, overlays: Mapping[Path, str]) -> None:
        """Let ``overlays`` be the texts that stand in for files, in the place of those from before."""
        new = {os.path.abspath(path): text for path, text in overlays.items()}
        old, self._overlays = self._overlays, new
        self.reread(path for path in {*old, *new} if old.get(path) != new.get(path))

    def amended(self, path: Path, text: str) -> None:
        """Take ``text`` for what lies over a file whose module has it already."""
        self._overlays[str(path)] = text

    def reread(self, paths: Iterable[str]) -> None:
        """Forget what was read in these files: they have changed.  Which files there are has not."""
        changed = set(paths) & set(self._modules)
        if not changed:
            return
        displays = {self._modules.pop(path).display for path in changed}
        self._errors = {error for error in self._errors if error.path not in displays}
        self._found = {
            key: module for key, module in self._found.items() if module is None or str(module.path) not in changed
        }
        self._resolved.clear()
        self._star_index = StarIndex(self)

    def find_module(self, name: str, importer: Module | None = None) -> Module | None:
        """The module that ``import name`` finds, or ``None`` if it has no Python source or does not exist.

        The project comes first, then installed packages, then the standard library.  With an ``importer``, the folder
        that it is imported from (for a script, its own) comes before all of them.
        """
        key = (name, None if importer is None else importer.folder)
        if key not in self._found:
            spec = self._find_spec(name, importer)
            self._found[key] = self._module(spec.file) if spec.file is not None else None
        found = self._found[key]
        if found is not None:
            self._reading.modules.add(found)
        return found

    def module_exists(self, name: str, importer: Module | None = None) -> ModuleKind:
        """What ``import name`` would find."""
        spec = self._find_spec(name, importer)
        return "extension" if spec.kind == "missing" and is_builtin(name) else spec.kind

    def module_at(self, path: Path) -> Module | None:
        """The module in the file at ``path``: always the same object for the same file."""
        found = self._at(os.path.abspath(path))
        if found is not None:
            self._reading.modules.add(found)
        return found

    def _at(self, full: str) -> Module | None:
        if full in self._modules or full in self._user_files or full in self._overlays:
            return self._module(full)
        real = os.path.realpath(full)
        if real in self._modules or real in self._user_files:
            return self._module(real)
        return self._module(full) if full.endswith(".py") and Path(full).is_file() else None

    def resolve(self, module: Module, name: str) -> Definition:
        """Where the attribute ``name`` of ``module`` comes from in the end, through re-exports and star imports."""
        key = (str(module.path), name)
        reading = self._reading
        known = self._resolved.get(key)
        if known is None:
            # The way is kept with the answer: whoever gets it later has come by the same modules.
            reading.modules, before = set(), reading.modules
            try:
                known = self._resolved[key] = (resolve_name(self, self._star_index, module, name), reading.modules)
            finally:
                reading.modules = before | reading.modules
            reading.resolved.add(key)
        elif key not in reading.resolved:
            reading.resolved.add(key)
            reading.modules |= known[1]
        return known[0]

    def star_origins(self, module: Module, name: str) -> Iterator[Module]:
        """The modules that a ``from X import *`` in ``module`` brings ``name`` from, the one that wins first."""
        return self._star_index.origins(module, name)

    def submodules(self, module: Module) -> Iterator[str]:
        """The last names of the source modules directly in a package, from its folder's listing."""
        if module.is_package:
            yield from submodule_names(self._listings, str(module.path.parent))

    def origin_of(self, what: str | Path) -> Origin:
        """Whose code a module (by its dotted name) or a file is."""
        if isinstance(what, Path):
            full = os.path.abspath(what)
            return self._origin(full, self._namer.name(Path(full)).name)
        module = self.find_module(what)
        if module is not None:
            return module.origin
        return "follow" if self._is_followed(what) else "library"

    def _set_up_import_path(self, src: Sequence[Path]) -> None:
        environment = self.environment
        own = [Path(os.path.abspath(self.root / folder)) for folder in src]
        if not self._listings.has(str(self.root / "src"), "__init__.py"):
            own.append(self.root / "src")
        packages = {path: name for name, path in environment.editable}
        self._namer = Namer(self._listings, self.root, [*own, *environment.search_path], packages)
        installed = list(environment.search_path)
        roots: dict[Path, None] = dict.fromkeys([self.root, *own])
        scripts: dict[Path, None] = {}
        firsts: dict[str, Path] = {}
        for path in self.files:
            firsts.setdefault(os.path.dirname(path), path)
        for folder, path in firsts.items():  # the names of neighbours begin in the same folder
            named = self._namer.name(path)
            if named.name_root in installed:
                continue
            in_package = self._listings.has(folder, "__init__.py")
            (roots if in_package else scripts).setdefault(named.name_root)
            scripts.setdefault(path.parent)
        editable = dict(environment.editable)
        self._project_finder = Finder(self._listings, [*roots, *installed], editable)
        self._installed_finder = Finder(self._listings, [*installed, *roots], editable)
        self._script_finder = Finder(self._listings, list(scripts))
        self._local_finders: dict[Path, Finder] = {}

    def _check_follow(self) -> None:
        for name in self.follow:
            if self.module_exists(name) in ("missing", "extension"):
                where = self.environment.python or "this environment"
                self._errors.add(FileError(name, 0, f"--follow: no package {name!r} with Python source in {where}"))

    def _find_spec(self, name: str, importer: Module | None) -> ModuleSpec:
        key = (name, None if importer is None else importer.folder)
        spec = self._specs.get(key)
        if spec is None:
            spec = self._specs[key] = self._look_up(name, importer)
        return spec

    def _look_up(self, name: str, importer: Module | None) -> ModuleSpec:
        """The first finder that knows a real module; a namespace package only when none does."""
        fallback = MISSING
        for finder in self._finders(importer):
            spec = finder.find(name)
            if spec.kind in ("source", "extension"):
                return spec
            if fallback.kind == "missing":
                fallback = spec
        return fallback

    def _finders(self, importer: Module | None) -> Iterator[Finder]:
        if importer is not None and importer.import_root in self.environment.search_path:
            # An installed package does not import the project that uses it.
            yield self._installed_finder
            yield self._script_finder
            return
        if importer is not None:
            yield self._local_finder(importer.import_root)
        yield self._project_finder
        if importer is not None:
            # A script inside a package may import its neighbours, too.
            yield self._local_finder(importer.path.parent)
        yield self._script_finder

    def _local_finder(self, folder: Path) -> Finder:
        finder = self._local_finders.get(folder)
        if finder is None:
            finder = self._local_finders[folder] = Finder(self._listings, [folder])
        return finder

    def _module(self, path: str) -> Module:
        module = self._modules.get(path)
        if module is None:
            file = Path(path)
            named = self._namer.name(file)
            module = self._modules[path] = self._make(file, named)
        return module

    def _make(self, path: Path, named: ModuleName) -> Module:
        origin = self._origin(str(path), named.name)
        return Module(
            named.name,
            path,
            display_path(path, self.here),
            is_package=named.is_package,
            origin=origin,
            import_root=named.import_root,
            namespace=named.namespace,
            overlay=self._overlays.get(str(path)),
            # What is wrong with a library's file is no error of the user's.
            report=self._note if origin != "library" else None,
        )

    def _note(self, error: FileError) -> None:
        self._errors.add(error)

    def _origin(self, path: str, name: str) -> Origin:
        if path in self._user_files:
            return "user"
        return "follow" if self._is_followed(name) else "library"

    def _is_followed(self, name: str) -> bool:
        return any(name == followed or name.startswith(followed + ".") for followed in self.follow)
