"""The project model: files, modules, imports and installed packages.

It reads source text and folder listings only; nothing is imported or run, and nothing here knows of torch.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from gblint.project.discovery import DEFAULT_EXCLUDE
    from gblint.project.environment import Environment, EnvironmentProblem
    from gblint.project.modules import Binding, Module, Origin
    from gblint.project.project import Project
    from gblint.project.resolution import Definition

__all__ = [
    "DEFAULT_EXCLUDE",
    "Binding",
    "Definition",
    "Environment",
    "EnvironmentProblem",
    "Module",
    "Origin",
    "Project",
]
_HOMES = {
    "Binding": "modules",
    "DEFAULT_EXCLUDE": "discovery",
    "Definition": "resolution",
    "Environment": "environment",
    "EnvironmentProblem": "environment",
    "Module": "modules",
    "Origin": "modules",
    "Project": "project",
}


def __getattr__(name: str) -> object:
    """What is asked for is imported then: whoever needs little does not wait for the rest."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    found: object = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    return found
