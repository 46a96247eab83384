"""Packages that are not installed, whose functions compiled code calls."""

from __future__ import annotations

from gblint.runtime.lazy_dataclasses import dataclass

NAMED = 3  # functions and entry points that a message names


@dataclass(frozen=True, slots=True)
class MissingPackage:
    """A package that is not installed, and whose functions compiled code calls: they were not analysed.

    ``path`` and ``line``: the first call. ``functions``: the qualified names of what is called. ``entries``: the names
    of the entry points that call them.
    """

    package: str
    path: str
    line: int
    functions: tuple[str, ...]
    entries: tuple[str, ...]

    @property
    def message(self) -> str:
        """The message about the package, without the place."""
        verb = "was" if len(self.functions) == 1 else "were"
        return (
            f"`{self.package}` is not installed in the environment that gblint searched, so {_listed(self.functions)},"
            f" called from {_listed(self.entries)}, {verb} not analysed; --python names another environment"
        )


def _listed(names: tuple[str, ...]) -> str:
    """Return the first names, and the number of the others."""
    shown = [f"`{name}`" for name in names[:NAMED]]
    left = len(names) - len(shown)
    if left:
        return f"{', '.join(shown)} and {left} more"
    return " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))
