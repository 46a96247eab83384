"""Build step of the compiled gblint: copy the source, rewrite the listed modules, translate them with mypyc."""

from __future__ import annotations

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from setuptools import Extension
from setuptools.command.build_ext import build_ext

from compiled import lookups, training
from compiled.records import Records, rewrite

ROOT = Path(__file__).parents[1]
# Packages, with their subpackages, and modules that are compiled: a scan spends most of its time in them.  A module
# that is only imported when it is needed may be among them, a module with a ``__getattr__`` of its own may not.
COMPILED = (
    "diagnostics",
    "entrypoints",
    "interp",
    "knowledge",
    "project",
    "values",
    "runtime/ast_walk.py",
)
# Exceptions: modules that mypyc refuses or that few runs need, and the modules of the fast path of the
# command line, which must not load the compiled library.
INTERPRETED = (
    "entrypoints/__init__.py",
    "entrypoints/keywords.py",
    "knowledge/__init__.py",
    "knowledge/compiling_libraries.py",
    "knowledge/pasted_errors.py",
    "project/lazy_nodes.py",
    "project/notebook.py",
)
# Stub that replaces ``gblint.runtime.lazy_dataclasses`` for the compiler: rewritten records use ``replace`` only.
_LAZY_DATACLASSES = """
from __future__ import annotations
from dataclasses import dataclass as dataclass, field as field
from typing import Any, TypeVar
_R = TypeVar("_R")
def replace(record: _R, /, **changes: Any) -> _R: ...
"""
# Only its own modules use the functions of the library.  If exported, each would be looked up by name on loading.
_HIDDEN = "-fvisibility=hidden"
_OPTIONS = ("--config-file=", "--ignore-missing-imports", "--follow-imports=silent")


def modules() -> list[str]:
    """Return the paths of the modules to compile, relative to the package ``gblint``, sorted within each package."""
    package = ROOT / "gblint"
    listed = [package / name for name in COMPILED]
    paths = [path for each in listed for path in (sorted(each.rglob("*.py")) if each.is_dir() else [each])]
    names = [path.relative_to(package).as_posix() for path in paths]
    return [name for name in names if name not in INTERPRETED]


def copy(place: Path) -> list[str]:
    """Copy gblint below ``place`` with the compiled modules rewritten; return the paths of those, relative to it."""
    shutil.rmtree(place, ignore_errors=True)
    unwanted = shutil.ignore_patterns("__pycache__", "*.so", "*.pyd")
    shutil.copytree(ROOT / "gblint", place / "gblint", ignore=unwanted)
    shutil.copytree(ROOT / "rules", place / "gblint" / "rules", ignore=unwanted)
    paths = [place / "gblint" / name for name in modules()]
    sources = {path: path.read_text(encoding="utf-8") for path in paths}
    records = _records(list(sources.values()))
    names = {".".join(path.relative_to(place).with_suffix("").parts) for path in paths}
    for path, source in sources.items():
        path.write_text(lookups.rewrite(rewrite(source, records), names), encoding="utf-8")
    return [path.relative_to(place).as_posix() for path in paths]


def _records(sources: list[str]) -> Records:
    """Return the fields of all records.  A record may inherit from one in a later module, hence the repetition."""
    records: Records = {}
    while True:
        before = dict(records)
        for source in sources:
            rewrite(source, records)
        if records == before:
            return records


def extensions() -> list[Extension]:
    """Return the extension modules; their C source is written below ``build``."""
    from mypyc.build import mypycify

    place = Path("build/compiled")
    paths = copy(place)
    print(f"gblint: {len(paths)} modules are compiled with mypyc", flush=True)
    (place / "gblint" / "runtime" / "lazy_dataclasses.py").write_text(_LAZY_DATACLASSES, encoding="utf-8")
    here = Path.cwd()
    os.chdir(place)
    try:
        made = mypycify(
            [*_OPTIONS, *paths],
            opt_level=os.environ.get("GBLINT_MYPYC_OPT", "3"),
            debug_level="0",
            multi_file=True,
            group_name="gblint",
        )
    finally:
        os.chdir(here)
    for extension in made:
        extension.sources = [os.path.relpath(place / source) for source in extension.sources]
        extension.include_dirs = [os.path.abspath(place / folder) for folder in extension.include_dirs]
    return list(made)


class Build(build_ext):
    """Build command that runs one C compiler per processor."""

    def build_extensions(self) -> None:
        self._compile_in_parallel()
        if self.compiler.compiler_type == "unix":
            self._add_flags(_HIDDEN)
            if training.wanted() and training.is_gcc(self.compiler.compiler):
                self._train()
        super().build_extensions()

    def _compile_in_parallel(self) -> None:
        compile_sources = self.compiler.compile

        def compile_in_parallel(sources: list[str], **options: Any) -> list[str]:
            # The first call alone: setuptools probes the compiler then.
            objects = compile_sources(sources[:1], **options)
            with ThreadPoolExecutor(os.cpu_count()) as pool:
                for made in pool.map(lambda source: compile_sources([source], **options), sources[1:]):
                    objects += made
            return objects

        self.compiler.compile = compile_in_parallel

    def _add_flags(self, *flags: str) -> None:
        for extension in self.extensions:  # mypyc gives all of them the same list
            extension.extra_compile_args = [*extension.extra_compile_args, *flags]

    def _train(self) -> None:
        """Build with counters, lint sample code with that build, and set the flags for a second build by the counts."""
        place = Path("build/training").resolve()
        shutil.rmtree(place, ignore_errors=True)
        own = [(extension.extra_compile_args, extension.extra_link_args) for extension in self.extensions]
        folder, inplace = self.build_lib, self.inplace
        self._add_flags(*training.counting_flags(place / "counts"))
        for extension in self.extensions:
            extension.extra_link_args = [*extension.extra_link_args, *training.counting_flags(place / "counts")]
        self.build_lib, self.inplace = str(place / "package"), False
        super().build_extensions()
        training.train(ROOT, place / "package")
        self.build_lib, self.inplace, self.force = folder, inplace, True
        for extension, (compiling, linking) in zip(self.extensions, own):
            extension.extra_compile_args = [*compiling, *training.optimizing_flags(place / "counts")]
            extension.extra_link_args = linking
