"""The project model: files, modules, imports and installed packages.

It reads source text and folder listings only; nothing is imported or run, and nothing here knows of torch.
"""

from __future__ import annotations

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
