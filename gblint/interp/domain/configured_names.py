"""Names of objects in options of the command line and in configuration files."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from gblint.project.project import Project
from gblint.runtime import ast_walk

# Keys whose value is the dotted name of a class or function: of hydra, torchtune, Lightning and latent diffusion.
_KEY = re.compile(r"""^(?P<indent>\s*)(?:-\s+)?["']?(?P<key>[\w.-]+)["']?\s*:\s*(?P<value>[^#]*)""")
_TARGETS = frozenset(("_target_", "_component_", "target", "class_path"))
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")


def of_option(tree: ast.AST, name: str) -> list[str]:
    """Return the choices, else the default, of the option ``--name`` that the module adds to a parser of arguments."""
    for node in ast_walk.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr != "add_argument" or name not in _destinations(node):
            continue
        given = {k.arg: k.value for k in node.keywords}
        choices = given.get("choices")
        if isinstance(choices, (ast.List, ast.Tuple, ast.Set)):
            return [e.value for e in choices.elts if isinstance(e, ast.Constant) and isinstance(e.value, str)]
        default = given.get("default")
        if isinstance(default, ast.Constant) and isinstance(default.value, str):
            return [default.value]
    return []


def _destinations(call: ast.Call) -> Iterator[str]:
    for each in call.args:
        if isinstance(each, ast.Constant) and isinstance(each.value, str):
            yield each.value.lstrip("-").replace("-", "_")
    for keyword in call.keywords:
        if keyword.arg == "dest" and isinstance(keyword.value, ast.Constant):
            yield str(keyword.value.value)


def targets(project: Project) -> Mapping[str, tuple[str, ...]]:
    """Return the dotted names in the project's YAML files, by the key of the mapping that holds them.

    For a mapping at the top of a file the keys are the names of the file and of its folder, as in groups of hydra.
    """
    found: dict[str, dict[str, None]] = {}
    for path, text in project.configurations():
        if not any(word in text for word in _TARGETS):
            continue
        for key, target in _targets_in(text):
            for each in (key,) if key else (path.parent.name, path.stem):
                found.setdefault(each, {})[target] = None
    return {key: tuple(each) for key, each in found.items()}


def _targets_in(text: str) -> Iterator[tuple[str, str]]:
    """Yield pairs of the enclosing key and a dotted name."""
    above: list[tuple[int, str]] = []
    for line in text.splitlines():
        match = _KEY.match(line)
        if match is None:
            continue
        indent, key = len(match["indent"]), match["key"]
        if line.lstrip().startswith("- "):
            indent += 2
        while above and above[-1][0] >= indent:
            above.pop()
        value = match["value"].strip().strip("\"'")
        if key in _TARGETS and _DOTTED.fullmatch(value):
            # Parameters of an object stand between it and the key that names it.
            outer = [each for _, each in above if each not in ("params", "init_args")]
            yield outer[-1] if outer else "", value
        above.append((indent, key))
