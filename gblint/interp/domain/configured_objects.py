"""Objects that a project's configuration files describe: a class by its dotted name, and its arguments beside it.

Hydra, torchtune, Lightning and latent diffusion each have a key for the name and a place for the arguments.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import NamedTuple

from gblint.project.configurations import MAX_FILES
from gblint.project.project import Project
from gblint.project.setting_formats import parse

# The key of the name of the class, and the key of its arguments; None if they stand beside the name.
_FORMS = (("_target_", None), ("_component_", None), ("target", "params"), ("class_path", "init_args"))
_OPTIONS = frozenset(("_recursive_", "_convert_", "_args_", "_partial_"))
TARGET_KEYS = tuple(key for key, _ in _FORMS)
_NAMED = re.compile(rf"""(?:{"|".join(TARGET_KEYS)})["']?\s*:\s*["']?[A-Za-z_][\w.]*\.(\w+)""")
# Words of the code that makes such objects.
_READERS = ("hydra", "instantiate_from_config", "_target_", "_component_", "class_path", "LightningCLI")
MAX_FILES_PER_CLASS = 16
"""Configuration files that are read for the arguments of one class."""


class ConfiguredObject(NamedTuple):
    """An object in a configuration file: the dotted name of its class or function, and its arguments by name."""

    target: str
    arguments: dict[str, object]


def configured_object(data: object) -> ConfiguredObject | None:
    """Return the object that a mapping of a configuration describes; None if it describes none."""
    if not isinstance(data, dict):
        return None
    for key, inner in _FORMS:
        target = data.get(key)
        if isinstance(target, str) and "." in target and not data.get("_partial_"):
            given = data if inner is None else data.get(inner)
            names = given if isinstance(given, dict) else {}
            skipped = {key, *_OPTIONS}
            return ConfiguredObject(target, {k: v for k, v in names.items() if isinstance(k, str) and k not in skipped})
    return None


def makes_configured_objects(project: Project) -> bool:
    """Return whether the project's code mentions a function that makes objects from configurations."""
    return bool(project.mentioning(_READERS))


def find(project: Project, name: str) -> Iterator[ConfiguredObject]:
    """Yield the objects in the project's YAML files whose class or function has this name, without its module."""
    read = 0
    for _, text in project.configurations():
        if name in _names_in(text):
            yield from (each for each in _inside(parse(text, "yaml")) if each.target.rpartition(".")[2] == name)
            read += 1
            if read == MAX_FILES_PER_CLASS:
                return


@functools.lru_cache(maxsize=MAX_FILES)
def _names_in(text: str) -> frozenset[str]:
    """Return the names of the classes and functions in the text of a configuration, without their modules."""
    return frozenset(_NAMED.findall(text))


def _inside(data: object) -> Iterator[ConfiguredObject]:
    """Yield the objects in a configuration, outer ones first; ``parse`` limits how deep it is nested."""
    found = configured_object(data)
    if found is not None:
        yield found
    if isinstance(data, (dict, list)):
        for item in data.values() if isinstance(data, dict) else data:
            yield from _inside(item)
