"""Post-import hooks: an action that runs when a module has been imported."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any


def after_import(name: str, action: Callable[[], None], stack: contextlib.ExitStack) -> None:
    """Call ``action`` after the module ``name`` has been imported, if that happens before ``stack`` is closed."""
    finder = _Finder(name, action)
    sys.meta_path.insert(0, finder)
    stack.callback(_remove, finder)


def _remove(finder: _Finder) -> None:
    with contextlib.suppress(ValueError):
        sys.meta_path.remove(finder)


class _Finder(MetaPathFinder):
    """Finder for one module."""

    def __init__(self, name: str, action: Callable[[], None]) -> None:
        self._name, self._action = name, action

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the usual spec of the module, with a loader that also runs the action."""
        if fullname != self._name:
            return None
        _remove(self)
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, self._action)
        return spec


class _Loader(Loader):
    """Loader that runs an action after the module's own loader."""

    def __init__(self, real: Loader, action: Callable[[], None]) -> None:
        self._real, self._action = real, action

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Create the module with its own loader."""
        return self._real.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Execute the module with its own loader, then run the action."""
        self._real.exec_module(module)
        self._action()
