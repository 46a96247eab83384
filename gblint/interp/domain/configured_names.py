"""Names of objects in options of the command line and in configuration files."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from gblint.interp.domain.configured_objects import TARGET_KEYS
from gblint.project.project import Project
from gblint.runtime import ast_walk

# Keys whose value is the dotted name of a class or function: of hydra, torchtune, Lightning and latent diffusion.
_KEY = re.compile(r"""^(?P<indent>\s*)(?:-\s+)?["']?(?P<key>[\w.-]+)["']?\s*:\s*(?P<value>[^#]*)""")
_TARGETS = frozenset(TARGET_KEYS)
# Dotted names with the files that have them.
Targets = tuple[tuple[Path, str], ...]
# Tables of dotted names by the key of the mapping that holds them.  The table "" has those under the keys of targets,
# the others those under the key that is their name.
Tables = dict[str, dict[str, Targets]]
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
# Parts of the name of a configuration that say that it is one.
_PREFIXES = ("cfg_", "config_")
_SUFFIXES = ("_config", "_cfg", "_conf", "_configs")


def of_option(tree: ast.AST, name: str) -> list[str]:
    """Return the choices, else the default, of the option ``--name`` that the module adds to a parser of arguments.

    The list is empty if the choices are computed, as ``choices=list(MODELS)``.
    """
    for node in ast_walk.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr != "add_argument" or name not in _destinations(node):
            continue
        if (found := choices(node)) is not None:
            return found
        given = {k.arg: k.value for k in node.keywords}
        if "choices" in given:
            return []
        default = given.get("default")
        if isinstance(default, ast.Constant) and isinstance(default.value, str):
            return [default.value]
    return []


def options(tree: ast.AST) -> dict[str, ast.Call]:
    """Return the calls that add options to a parser of arguments, by the attributes that hold their values."""
    nodes = ast_walk.walk(tree)
    calls = [n for n in nodes if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)]
    return {name: n for n in calls if n.func.attr == "add_argument" for name in _destinations(n)}  # type: ignore[attr-defined]


def choices(option: ast.Call) -> list[str] | None:
    """Return the strings that an option admits; None if they are not written in the call."""
    given = next((k.value for k in option.keywords if k.arg == "choices"), None)
    if not isinstance(given, (ast.List, ast.Tuple, ast.Set)):
        return None
    return [e.value for e in given.elts if isinstance(e, ast.Constant) and isinstance(e.value, str)]


def _destinations(call: ast.Call) -> list[str]:
    names = [each.value for each in call.args if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    found = [name.lstrip("-").replace("-", "_") for name in names]
    for keyword in call.keywords:
        if keyword.arg == "dest" and isinstance(keyword.value, ast.Constant):
            found.append(str(keyword.value.value))
    return found


def targets(project: Project, tables: Tables, key: str, home: Path) -> list[str]:
    """Return the dotted names that the project's YAML files give for ``key``, as read by the code in a folder.

    ``tables`` is filled on first use: the names of all files, by key.
    """
    files = project.configurations()  # which makes them dependencies
    if "" not in tables:
        tables[""] = _table(files, _TARGETS)
    return _near(tables[""].get(key, ()), home)


def named(project: Project, tables: Tables, parent: str, key: str, home: Path) -> list[str]:
    """Return the dotted names that the project's YAML files give for ``key`` in the mapping ``parent``.

    An example is ``actor: {cls: package.agent.Actor}``.  If ``parent`` is "", any mapping counts, but only for keys
    such as ``network_class``, which say of what they are the class.
    """
    if key in _TARGETS or not (parent or _is_specific(_stem(key))):
        return []
    files = project.configurations()
    if key not in tables:
        tables[key] = _table(files, frozenset((key,)))
    table = tables[key]
    return _near(table.get(parent, ()) if parent else [each for found in table.values() for each in found], home)


def _near(found: Iterable[tuple[Path, str]], home: Path) -> list[str]:
    """Return the names in the configurations that a program reads: those below ``home``, else below the nearest folder
    above it.
    """
    for folder in (home, *home.parents):
        near = [target for path, target in found if folder in path.parents]
        if near:
            return list(dict.fromkeys(near))
    return []


def _table(files: Iterable[tuple[Path, str]], keys: frozenset[str]) -> dict[str, Targets]:
    """Return the dotted names under ``keys`` by the key of the mapping that holds them, each with its file.

    For a mapping at the top of a file the keys are the names of the file and of its folder, as in groups of hydra.
    """
    found: dict[str, list[tuple[Path, str]]] = {}
    for path, text in files:
        if not any(word in text for word in keys):
            continue
        for key, target in _targets_in(text, keys):
            for each in (key,) if key else (path.parent.name, path.stem):
                found.setdefault(key_of(each), []).append((path, target))
    return {key: tuple(each) for key, each in found.items()}


def key_of(name: str) -> str:
    """Return the key of a configuration without the parts that only say that it is one: ``model_config``."""
    for affix in _PREFIXES:
        name = name.removeprefix(affix)
    for affix in _SUFFIXES:
        name = name.removesuffix(affix)
    return name


def strings_named(project: Project, names: Iterable[str]) -> list[str]:
    """Return the dotted names that the project's code stores under one of ``names``, by variable, key or keyword.

    Only names such as ``network_class`` count, which say of what they are the class.
    """
    wanted = {stem for name in names if _is_specific(stem := _stem(name))}
    found: dict[str, None] = {}
    for module in project.user_modules() if wanted else ():
        if project.mentions(module, wanted):
            found.update(dict.fromkeys(each for name, each in _stored(module.tree) if _stem(name) in wanted))
    return [each for each in found if _DOTTED.fullmatch(each)]


def _stem(name: str) -> str:
    for suffix in ("_name", "_path", "_str"):
        name = name.removesuffix(suffix)
    return name


def _is_specific(stem: str) -> bool:
    words = stem.split("_")
    return len(words) > 1 and words[-1] in ("class", "cls")


def _stored(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield the strings in a module with the names of the variables, keys and keywords that they are stored under."""
    for node in ast_walk.walk(tree):
        pairs: list[tuple[ast.expr | None, ast.expr | None]] = []
        if isinstance(node, ast.Assign):
            pairs = [(target, node.value) for target in node.targets]
        elif isinstance(node, ast.AnnAssign):
            pairs = [(node.target, node.value)]
        elif isinstance(node, ast.Dict):
            pairs = list(zip(node.keys, node.values))
        elif isinstance(node, ast.keyword) and node.arg is not None:
            pairs = [(ast.Name(node.arg, ast.Load()), node.value)]
        for target, value in pairs:
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                yield _name_of(target), value.value


def _name_of(target: ast.expr | None) -> str:
    if isinstance(target, ast.Subscript):
        target = target.slice
    if isinstance(target, ast.Constant):
        return str(target.value)
    return target.attr if isinstance(target, ast.Attribute) else target.id if isinstance(target, ast.Name) else ""


def _targets_in(text: str, keys: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Yield pairs of the enclosing key and a dotted name under one of ``keys``."""
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
        if key in keys and _DOTTED.fullmatch(value):
            # Parameters of an object stand between it and the key that names it.
            outer = [each for _, each in above if each not in ("params", "init_args")]
            yield outer[-1] if outer else "", value
        above.append((indent, key))
