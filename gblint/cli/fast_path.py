"""``gblint check FILE ..`` where nothing in the files can be compiled: said before anything is loaded that could look.

What is asked in any other way, or is not as simple as that, is left to the command.
"""

from __future__ import annotations

import _ast
import os
import re
import sys

from gblint.config.discovery import config_files, nearest_pyproject_without_section
from gblint.entrypoints import keywords
from gblint.knowledge.compiling_libraries import COMPILE_OPTIONS
from gblint.report import no_entry_points

# The options that are understood here, as in ``gblint.cli.check``: switches, and those that take one of some values.
QUIET = ("-q", "--quiet")
SWITCHES = (*QUIET, "--no-cache", "--exit-zero", "--isolated")
CHOICES = {"--output-format": ("full", "concise", "json")}
_LIMIT = 2_000_000  # bytes; a larger file is no simple one
_ONLY_A_TREE = _ast.PyCF_ONLY_AST
# What is surely looked into, by the text alone.
_NAMED = (*COMPILE_OPTIONS, *keywords.SETTINGS, "torch.export", f"def {keywords.FORWARD}(")
_PATTERN = re.compile(r"(?<![\w.])re\.compile\b")


def attempt(arguments: list[str]) -> int | None:
    """The exit status, if all is said; None if nothing is."""
    options, paths = _options(arguments)
    if not paths or sys.stdout.isatty() or sys.stderr.isatty() or os.environ.get("FORCE_COLOR"):
        return None
    if not all(path.endswith(".py") and os.path.isfile(path) for path in paths):
        return None
    texts = []
    for path in paths:
        text = _text(path)
        if text is None:
            return None  # before any of them is parsed, which takes longer
        texts.append(text)
    if not all(map(_is_plain, texts)):
        return None
    folder = os.path.commonpath([os.path.dirname(os.path.abspath(path)) for path in paths])
    if "--isolated" not in options and (
        any(config_files(folder)) or _is_odd(nearest_pyproject_without_section(folder))
    ):
        return None
    from pathlib import Path

    from gblint.knowledge.version_choice import choose
    from gblint.project.environment import Environment
    from gblint.project.root import find_root

    environment = Environment.discover(None, find_root([Path(path) for path in paths]))
    choice = choose(None, environment.distribution_version("torch"))
    if choice.note:
        return None
    files = len({os.path.realpath(path) for path in paths})
    _say(files, choice.version, options.get("--output-format", "full"), quiet=not options.keys().isdisjoint(QUIET))
    return 0


def _options(arguments: list[str]) -> tuple[dict[str, str], list[str]]:
    """The options and the paths; no paths for what is not understood."""
    options: dict[str, str] = {}
    paths: list[str] = []
    waiting = iter(arguments)
    for argument in waiting:
        if argument in CHOICES:
            options[argument] = next(waiting, "")
            if options[argument] not in CHOICES[argument]:
                return {}, []
        elif argument in SWITCHES:
            options[argument] = ""
        elif argument.startswith("-"):
            return {}, []
        else:
            paths.append(argument)
    return options, paths


def _text(path: str) -> str | None:
    """What is in a file that is read without a word to be said, and does not plainly have what could be compiled."""
    try:
        with open(path, "rb") as file:
            data = file.read(_LIMIT + 1)
        if len(data) > _LIMIT or b"\0" in data or (b"GBL" in data and b"noqa" in data) or b"coding" in data[:1000]:
            return None
        text = data.decode("ascii" if data.startswith(b"\xef\xbb\xbf") else "utf-8")
    except (OSError, ValueError):
        return None
    return None if any(word in text for word in _NAMED) else text


def _is_plain(text: str) -> bool:
    """Whether a text is parsed without a word to be said, and has nothing that could be compiled."""
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = compile(text, "<file>", "exec", _ONLY_A_TREE, dont_inherit=True)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return False
    return not _is_doubtful(text) or not any(map(_counts, _nodes(tree)))


def _is_odd(path: str | None) -> bool:
    """Whether something may be wrong with a pyproject.toml that has no settings of ours."""
    if path is None:
        return False
    from gblint.config import toml

    try:
        with open(path, "rb") as file:
            toml.loads(file.read().decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return True
    return False


def _is_doubtful(text: str) -> bool:
    """Whether the names in a text have to be looked at one by one."""
    if "compile" in text:
        if "compile" in _PATTERN.sub("", text) or any(f".{name}" in text for name in keywords.ATTRIBUTES):
            return True
    return keywords.FORWARD in text or all(word in text for word in keywords.VARIABLES)


def _nodes(tree: _ast.AST) -> list[_ast.AST]:
    """The nodes of a syntax tree."""
    found = [tree]
    for node in found:
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, list):
                found += [each for each in value if isinstance(each, _ast.AST)]
            elif isinstance(value, _ast.AST):
                found.append(value)
    return found


def _counts(node: _ast.AST) -> bool:
    """Whether a node has a name that the search for entry points would look into."""
    if isinstance(node, _ast.Attribute):
        owner = node.value.id if isinstance(node.value, _ast.Name) else None
        return node.attr in keywords.ATTRIBUTES or (
            not keywords.is_pattern(node.attr, owner) and _is_telling(node.attr)
        )
    if isinstance(node, _ast.alias):
        return _is_telling(node.name.rpartition(".")[2]) or _is_telling(node.asname or "")
    if isinstance(node, _ast.Name):
        return _is_telling(node.id)
    return isinstance(node, (_ast.FunctionDef, _ast.AsyncFunctionDef, _ast.ClassDef)) and _is_telling(node.name)


def _is_telling(name: str) -> bool:
    return "compile" in name or name in (keywords.FORWARD, *keywords.VARIABLES)


def _say(files: int, torch_version: str, form: str, *, quiet: bool) -> None:
    if not quiet:
        sys.stderr.write(f"note: {no_entry_points.HINT}\n")
    if form == "json":
        import json

        sys.stdout.write(json.dumps(no_entry_points.document(torch_version), indent=2) + "\n")
    elif not quiet:
        sys.stdout.write(no_entry_points.summary(files) + "\n")
    sys.stdout.flush()
