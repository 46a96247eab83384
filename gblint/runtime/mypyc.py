"""Support for the compiled gblint at run time; the folder ``compiled`` of the source has the build."""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from mypy_extensions import mypyc_attr as mypyc_attr

    def is_compiled() -> bool:
        """Return whether this is a compiled build."""
        return False

    def compiled_modules() -> list[str]:
        """Return the paths of the modules that were compiled, relative to the package and ending in ``.py``, sorted."""
        return []

    def describe(cls: type, /, **fields: str) -> None:
        """Register the fields of a dataclass with the module ``dataclasses``; the build has written out its methods."""
else:

    def mypyc_attr(**_):
        """Stand-in for the decorator of mypyc, which has no effect at run time."""
        return lambda cls: cls

    def is_compiled():
        from importlib.util import find_spec

        return find_spec("gblint__mypyc") is not None

    def compiled_modules():
        from importlib.machinery import EXTENSION_SUFFIXES
        from pathlib import Path

        package = Path(__file__).parents[1]
        suffix = EXTENSION_SUFFIXES[0]
        found = (path.relative_to(package).as_posix() for path in package.rglob(f"*{suffix}"))
        return sorted(f"{name.removesuffix(suffix)}.py" for name in found)

    def describe(cls, /, **fields):
        cls.__annotations__ = fields
        cls.__dataclass_fields__ = _Fields(cls.__name__, fields)

    class _Fields:
        """Descriptor that makes ``__dataclass_fields__`` from the names and types of the fields on first use."""

        __slots__ = ("fields", "made", "name")

        def __init__(self, name, fields):
            self.name, self.fields, self.made = name, fields, None

        def __get__(self, instance, owner=None):
            if self.made is None:
                import dataclasses

                self.made = dataclasses.make_dataclass(self.name, self.fields.items()).__dataclass_fields__
            return self.made
