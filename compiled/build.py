"""Copies gblint, rewrites what is compiled, and makes an extension module of it."""

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
# What most of the time of a scan is spent in.  A module that others import only when it is needed may be among them,
# but one with a ``__getattr__`` of its own may not.
COMPILED = (
    "values",
    "interp",
    "project",
    "knowledge",
    "findings.py",
    "calltree.py",
    "nodes.py",
    "regions.py",
    "texts.py",
)
INTERPRETED = (
    "project/__init__.py",
    "project/notebook.py",
    "project/unparsed.py",
    "knowledge/__init__.py",
    "knowledge/pasted.py",
)
# Records are made by another function there; the rest of the module is no concern of the compiler's.
_RECORDS = """
from __future__ import annotations
from dataclasses import dataclass as dataclass, field as field
from typing import Any, TypeVar
_R = TypeVar("_R")
def replace(record: _R, /, **changes: Any) -> _R: ...
"""
# The functions of the modules are for each other alone: otherwise whoever loads them looks each up by its name.
_HIDDEN = "-fvisibility=hidden"
_OPTIONS = ("--config-file=", "--ignore-missing-imports", "--follow-imports=silent")


def modules() -> list[str]:
    """The paths of the modules that are compiled, from the package on."""
    package = ROOT / "gblint"
    found = [package / name for name in COMPILED]
    paths = [path for each in found for path in (sorted(each.glob("*.py")) if each.is_dir() else [each])]
    names = [path.relative_to(package).as_posix() for path in paths]
    return [name for name in names if name not in INTERPRETED]


def copy(place: Path) -> list[str]:
    """A copy of gblint below ``place`` as it is compiled; returns the paths of the compiled modules from there."""
    shutil.rmtree(place, ignore_errors=True)
    unwanted = shutil.ignore_patterns("__pycache__", "*.so", "*.pyd")
    shutil.copytree(ROOT / "gblint", place / "gblint", ignore=unwanted)
    shutil.copytree(ROOT / "rules", place / "gblint" / "rules", ignore=unwanted)
    known: Records = {}
    paths = [place / "gblint" / name for name in modules()]
    sources = {path: path.read_text(encoding="utf-8") for path in paths}
    for source in sources.values():
        rewrite(source, known)  # for the fields of records that are inherited by those in modules before theirs
    names = {".".join(path.relative_to(place).with_suffix("").parts) for path in paths}
    for path, source in sources.items():
        path.write_text(lookups.rewrite(rewrite(source, known), names), encoding="utf-8")
    return [path.relative_to(place).as_posix() for path in paths]


def extensions() -> list[Extension]:
    """The extension modules, with their C source written below ``build``."""
    from mypyc.build import mypycify

    place = Path("build/compiled")
    paths = copy(place)
    (place / "gblint" / "records.py").write_text(_RECORDS, encoding="utf-8")
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
    """Runs as many C compilers at a time as there are processors."""

    def build_extensions(self) -> None:
        self._share()
        if self.compiler.compiler_type == "unix":
            self._add(_HIDDEN)
            if training.wanted() and training.is_gcc(self.compiler.compiler):
                self._train()
        super().build_extensions()

    def _share(self) -> None:
        one_after_another = self.compiler.compile

        def together(sources: list[str], **options: Any) -> list[str]:
            # What a compiler finds out about itself it does with the first.
            objects = one_after_another(sources[:1], **options)
            with ThreadPoolExecutor(os.cpu_count()) as pool:
                for made in pool.map(lambda source: one_after_another([source], **options), sources[1:]):
                    objects += made
            return objects

        self.compiler.compile = together

    def _add(self, *flags: str) -> None:
        for extension in self.extensions:  # which mypyc gives one list
            extension.extra_compile_args = [*extension.extra_compile_args, *flags]

    def _train(self) -> None:
        """Build once with counters, have that lint something, and compile anew by what ran how often."""
        place = Path("build/training").resolve()
        shutil.rmtree(place, ignore_errors=True)
        own = [(extension.extra_compile_args, extension.extra_link_args) for extension in self.extensions]
        folder, inplace = self.build_lib, self.inplace
        self._add(*training.counting(place / "counts"))
        for extension in self.extensions:
            extension.extra_link_args = [*extension.extra_link_args, *training.counting(place / "counts")]
        self.build_lib, self.inplace = str(place / "package"), False
        super().build_extensions()
        training.train(ROOT, place / "package")
        self.build_lib, self.inplace, self.force = folder, inplace, True
        for extension, (compiling, linking) in zip(self.extensions, own):
            extension.extra_compile_args = [*compiling, *training.by(place / "counts")]
            extension.extra_link_args = linking
