"""The folders of an interpreter's installed packages, found in the file system without running the interpreter."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from gblint.runtime.files import MAX_SETTINGS, read_start, read_text

_LIB_FOLDER = re.compile(r"(?:python|pypy)(\d+)\.(\d+)t?")
_PROBE = (
    "import json,site,sys,sysconfig;"
    "print(json.dumps([list(sys.version_info[:2]), [p for p in sys.path if p], sysconfig.get_path('stdlib')]))"
)
_PROBE_SECONDS = 20
_SITE_NAMES = frozenset({"site-packages", "dist-packages"})


class EnvironmentProblem(Exception):
    """Raised if the requested interpreter cannot be used; the message is one line for the user."""


class Environment:
    """An interpreter and the folders in which its packages are looked up.

    ``search_path`` has the site-packages folders, the folders that their ``.pth`` files add, and the standard library.
    ``editable`` maps the dotted names of packages in editable installs to their paths.  ``prefix`` is the folder of the
    environment; None if an interpreter was given, or gblint's own is used.
    """

    __slots__ = ("_versions", "editable", "prefix", "python", "search_path", "version")

    # Not a dataclass: this module is imported before all others, and importing dataclasses is slow.
    def __init__(
        self,
        python: str | None,
        version: tuple[int, int] | None,
        search_path: tuple[Path, ...],
        editable: tuple[tuple[str, Path], ...] = (),
        prefix: Path | None = None,
    ) -> None:
        self.prefix = prefix
        self.python = python
        self.version = version
        self.search_path = search_path
        self.editable = editable
        self._versions: dict[str, str] = {}

    @classmethod
    def discover(cls, python: str | None, project_root: Path, *, starts: bool = True) -> Environment:
        """Return the environment of ``python`` (an interpreter or the folder of a virtual environment).

        If the folders around an interpreter do not show where its packages are, the interpreter is run to find out,
        but only if ``starts`` is true: an interpreter named in a project's files is never started.

        If ``python`` is None: ``$VIRTUAL_ENV``, else ``.venv`` or ``venv`` in the project, else ``$CONDA_PREFIX``, else
        the running interpreter.  Raises :class:`EnvironmentProblem` if ``python`` is not an interpreter or environment.
        """
        if python is not None:
            return _build(_requested(python, starts))
        for folder in _implied(project_root):
            found = _from_prefix(folder, None)
            if found is not None and found.site_folders:
                return _build(found)
        return _build(_own())

    @property
    def packages(self) -> Path | None:
        """The folder of the installed packages; None if the interpreter has none."""
        return next((folder for folder in self.search_path if folder.name in _SITE_NAMES), None)

    def distribution_version(self, name: str) -> str | None:
        """Return the installed version of a distribution such as ``torch``, from the names of metadata folders."""
        if not self._versions:
            self._versions.update(_distributions(self.search_path))
            self._versions.setdefault("", "")
        return self._versions.get(_normalise(name)) or None


class _Layout:
    __slots__ = ("prefix", "python", "site_folders", "stdlib", "version")

    def __init__(
        self,
        python: str | None,
        version: tuple[int, int] | None,
        sites: tuple[Path, ...],
        stdlib: Path | None,
        prefix: Path | None = None,
    ) -> None:
        self.prefix = prefix
        self.python = python
        self.version = version
        self.site_folders = sites
        self.stdlib = stdlib


def _requested(python: str, starts: bool) -> _Layout:
    place = Path(os.path.abspath(os.path.expanduser(python)))
    # A bare name is that of a command, as in a shell: a program in the working directory is not meant.
    is_command = Path(python).name == python and not os.path.isdir(place)
    path = _command(python) if is_command else place
    if path is None or not os.path.exists(path):
        raise EnvironmentProblem(f"no interpreter or virtual environment at {python!r}")
    if os.path.isdir(path):
        layout = _from_prefix(path, None)
        if layout is None or not (layout.site_folders or layout.stdlib):
            raise EnvironmentProblem(f"{python!r} is a folder, but not a Python environment")
        return layout
    layout = _from_interpreter(path)
    if layout is None and not starts:
        raise EnvironmentProblem(
            f"only {python!r} itself can tell where its packages are, but gblint starts no program that a "
            "configuration names: put the folder of the environment here, or pass the interpreter with --python"
        )
    layout = layout or _probe(path)
    if layout is None:
        raise EnvironmentProblem(f"{python!r} is not a Python interpreter that gblint can use")
    return layout


def _command(name: str) -> Path | None:
    import shutil

    found = shutil.which(name)
    return None if found is None else Path(found)


def _implied(project_root: Path) -> Iterator[Path]:
    active = os.environ.get("VIRTUAL_ENV")
    if active and "PRE_COMMIT" in os.environ and _same(active, sys.prefix):
        # pre-commit creates an environment for the hook and activates it; the user's own comes later on the PATH.
        yield from _on_path()
    elif active:
        yield Path(active)
    for name in (".venv", "venv"):
        if os.path.isfile(project_root / name / "pyvenv.cfg"):
            yield project_root / name
    conda = os.environ.get("CONDA_PREFIX")
    if conda:
        yield Path(conda)


def _on_path() -> Iterator[Path]:
    """Yield the virtual environments whose commands are on the PATH, except gblint's own."""
    for folder in filter(None, os.environ.get("PATH", "").split(os.pathsep)):
        prefix = Path(folder).parent
        if os.path.isfile(prefix / "pyvenv.cfg") and not _same(prefix, sys.prefix):
            yield prefix


def _same(first: str | Path, second: str | Path) -> bool:
    return os.path.realpath(first) == os.path.realpath(second)


def _own() -> _Layout:
    version = (sys.version_info[0], sys.version_info[1])
    folders = _site_entries(sys.path)
    prefix = _from_prefix(Path(sys.prefix), version)
    sites = folders + list(prefix.site_folders if prefix else ())
    return _Layout(sys.executable or None, version, tuple(sites), Path(os.__file__).parent)


def _from_interpreter(path: Path) -> _Layout | None:
    """Return the layout around an interpreter's file; None if it is unclear which folders belong to it."""
    if not path.name.lower().startswith(("python", "pypy")) or _is_script(path):
        return None
    prefix = path.parent if os.path.isdir(path.parent / "Lib") else path.parent.parent
    for candidate in (path, Path(os.path.realpath(path))):
        match = re.search(r"(\d+)\.(\d+)t?(?:\.exe)?$", candidate.name)
        version = (int(match[1]), int(match[2])) if match else None
        for folder in (prefix, candidate.parent.parent):
            layout = _from_prefix(folder, version)
            if layout is not None and layout.version is not None and layout.stdlib is not None:
                return _Layout(str(path), layout.version, layout.site_folders, layout.stdlib)
    return None


def _is_script(path: Path) -> bool:
    """Return whether the file is a wrapper script, such as a pyenv shim, that may start any interpreter."""
    try:
        return read_start(path, 2) == b"#!"
    except OSError:
        return False


def _from_prefix(prefix: Path, version: tuple[int, int] | None) -> _Layout | None:
    """Return the layout of a folder that holds ``lib/pythonX.Y`` or ``Lib``; None if it holds two Python versions."""
    config = _read_config(prefix / "pyvenv.cfg")
    version = _config_version(config) or version
    folders = dict(_lib_folders(prefix))
    if version is None:
        candidates = {found for folder, found in folders.items() if _is_stdlib(folder) or _has_site(folder)}
        if len(candidates) > 1:
            return None
        version = next(iter(candidates), None)
    sites = [site for folder, found in folders.items() if found == version for site in _sites_in(folder)]
    sites += _shared_sites(prefix, version)
    windows = prefix / "Lib"
    if os.path.isdir(windows) and not folders:
        sites += _sites_in(windows)
    stdlib = next((folder for folder, found in folders.items() if found == version and _is_stdlib(folder)), None)
    if stdlib is None and _is_stdlib(windows):
        stdlib = windows
    if config:
        base = _base_layout(config, version, prefix)
        stdlib = base.stdlib if base else stdlib
        if base and config.get("include-system-site-packages", "").lower() == "true":
            sites += base.site_folders
    if not sites and stdlib is None:
        return None
    return _Layout(_interpreter_in(prefix), version, _distinct(sites), stdlib, prefix)


def _base_layout(config: dict[str, str], version: tuple[int, int] | None, *above: Path) -> _Layout | None:
    """Return the layout of the installation behind an environment; ``above`` are environments in between."""
    home = config.get("home")
    if not home:
        return None
    folder = Path(home)
    prefix = folder if os.path.isdir(folder / "Lib") else folder.parent
    if os.path.isfile(prefix / "pyvenv.cfg"):  # a virtual environment made from another one
        if any(_same(prefix, each) for each in above):
            return None
        return _base_layout(_read_config(prefix / "pyvenv.cfg"), version, *above, prefix)
    return _from_prefix(prefix, version)


def _read_config(path: Path) -> dict[str, str]:
    try:
        text = read_text(path, errors="replace", limit=MAX_SETTINGS)
    except OSError:
        return {}
    pairs = (line.partition("=") for line in text.splitlines() if "=" in line)
    return {key.strip().lower(): value.strip() for key, _, value in pairs}


def _config_version(config: dict[str, str]) -> tuple[int, int] | None:
    match = re.match(r"(\d+)\.(\d+)", config.get("version") or config.get("version_info") or "")
    return (int(match[1]), int(match[2])) if match else None


def _lib_folders(prefix: Path) -> Iterator[tuple[Path, tuple[int, int]]]:
    """Yield each ``lib/pythonX.Y`` below a prefix with its version; Debian keeps some packages in ``local``."""
    for lib in (prefix / "lib", prefix / "lib64", prefix / "local" / "lib"):
        for name in _names(lib):
            match = _LIB_FOLDER.fullmatch(name)
            if match:
                yield lib / name, (int(match[1]), int(match[2]))


def _shared_sites(prefix: Path, version: tuple[int, int] | None) -> list[Path]:
    """Return Debian's ``lib/python3/dist-packages``, which all Python 3 versions share."""
    shared = prefix / "lib" / "python3" / "dist-packages"
    return [shared] if version and version[0] == 3 and os.path.isdir(shared) else []


def _sites_in(folder: Path) -> list[Path]:
    return [folder / name for name in sorted(_SITE_NAMES, reverse=True) if os.path.isdir(folder / name)]


def _has_site(folder: Path) -> bool:
    return bool(_sites_in(folder))


def _is_stdlib(folder: Path) -> bool:
    return os.path.isfile(folder / "os.py")


def _interpreter_in(prefix: Path) -> str | None:
    names = ("bin/python", "bin/python3", "Scripts/python.exe", "python.exe")
    return next((str(prefix / name) for name in names if os.path.exists(prefix / name)), None)


def _probe(path: Path) -> _Layout | None:
    """Run the interpreter to find its packages; used only if the folders do not show where they are."""
    import json
    import subprocess

    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    try:
        done = subprocess.run(
            [str(path), "-I", "-c", _PROBE],
            capture_output=True,
            timeout=_PROBE_SECONDS,
            env=environment,
            stdin=subprocess.DEVNULL,
            check=True,
        )
        version, entries, stdlib = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    return _Layout(str(path), (int(version[0]), int(version[1])), _distinct(_site_entries(entries)), Path(stdlib))


def _site_entries(entries: Iterable[str]) -> list[Path]:
    """Return the entries of a ``sys.path`` that are site-packages folders."""
    folders = [Path(entry) for entry in entries]
    return [folder for folder in folders if folder.name in _SITE_NAMES and os.path.isdir(folder)]


def _build(layout: _Layout) -> Environment:
    """Create the environment of a layout, including the folders added by ``.pth`` files and editable installs."""
    folders: list[Path] = []
    editable: dict[str, Path] = {}
    for site in layout.site_folders:
        folders.append(site)
        names = _names(site)
        for name in names:
            if name.endswith(".pth"):
                folders.extend(_pth_folders(site, name))
            elif name.startswith("__editable__") and name.endswith("_finder.py"):
                editable.update(_editable_mapping(site / name))
    if layout.stdlib is not None:
        folders += [layout.stdlib, layout.stdlib / "lib-dynload", layout.stdlib.parent / "DLLs"]
    kept = _distinct(folder for folder in folders if os.path.isdir(folder))
    return Environment(layout.python, layout.version, kept, tuple(editable.items()), layout.prefix)


def _pth_folders(site: Path, name: str) -> Iterator[Path]:
    try:
        text = read_text(site / name, "utf-8-sig", "ignore", MAX_SETTINGS)
    except OSError:
        return
    for line in text.splitlines():
        entry = line.strip()
        if entry and not entry.startswith(("#", "import ", "import\t")) and "\0" not in entry:
            yield Path(os.path.abspath(site / entry))


def _editable_mapping(path: Path) -> dict[str, Path]:
    """Return the ``MAPPING`` literal of the finder module that setuptools writes for an editable install."""
    import ast

    try:
        tree = ast.parse(read_text(path, limit=MAX_SETTINGS))
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):  # the parser's answer to deep nesting
        return {}
    for node in tree.body:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        if isinstance(target, ast.Name) and target.id == "MAPPING":
            try:
                mapping = ast.literal_eval(node.value)  # type: ignore[attr-defined]
                return {str(key): Path(value) for key, value in mapping.items()}
            except (ValueError, TypeError, AttributeError, RecursionError, MemoryError):
                return {}
    return {}


def _distributions(folders: Iterable[Path]) -> dict[str, str]:
    """Return the versions by normalised distribution name; the first folder on the path wins."""
    versions: dict[str, str] = {}
    for folder in folders:
        for entry in _names(folder):
            if not entry.endswith((".dist-info", ".egg-info")):
                continue
            name, _, version = entry.rpartition(".")[0].partition("-")
            version = re.sub(r"-py\d.*$", "", version)
            if version:
                versions.setdefault(_normalise(name), version)
    return versions


def _normalise(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _names(folder: Path) -> list[str]:
    try:
        return sorted(entry.name for entry in folder.iterdir())
    except OSError:
        return []


def _distinct(folders: Iterable[Path]) -> tuple[Path, ...]:
    """Drop repeated folders, by whatever path (``lib64`` is often a link to ``lib``)."""
    return tuple({os.path.realpath(folder): folder for folder in reversed(list(folders))}.values())[::-1]
