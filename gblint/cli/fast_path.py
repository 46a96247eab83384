"""The fast path of ``gblint check FILE ..`` for files that compile nothing: the analysis is not imported.

It saves about 110 ms of processor time.  The full command handles everything else: other options, output to a terminal,
a configuration file, and code that may compile something.
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
from gblint.runtime.files import MAX_SETTINGS, read_bytes, read_start

# The supported options of ``gblint.cli.check``: flags, and options with a choice of values.
QUIET = ("-q", "--quiet")
SWITCHES = (*QUIET, "--no-cache", "--exit-zero", "--isolated")
CHOICES = {"--output-format": ("full", "concise", "json")}
_LIMIT = 2_000_000  # bytes; the full command handles larger files
_ONLY_A_TREE = _ast.PyCF_ONLY_AST
# The full command handles files that contain one of these texts.
_NAMED = (*COMPILE_OPTIONS, *keywords.SETTINGS, "torch.export", f"def {keywords.FORWARD}(")
_PATTERN = re.compile(r"(?<![\w.])re\.compile\b")


def attempt(arguments: list[str]) -> int | None:
    """Return the exit status, or None without any output if the full command has to run."""
    options, paths = _options(arguments)
    if not paths or sys.stdout.isatty() or sys.stderr.isatty() or os.environ.get("FORCE_COLOR"):
        return None
    if not all(path.endswith(".py") and os.path.isfile(path) for path in paths):
        return None
    texts = []
    for path in paths:
        text = _text(path)
        if text is None:
            return None  # all files are read before any is parsed, because parsing is slower
        texts.append(text)
    if not all(map(_is_plain, texts)):
        return None
    folder = os.path.commonpath([os.path.dirname(os.path.abspath(path)) for path in paths])
    if "--isolated" not in options and (
        any(config_files(folder)) or _may_be_invalid(nearest_pyproject_without_section(folder))
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
    _report(files, choice.version, options.get("--output-format", "full"), quiet=not options.keys().isdisjoint(QUIET))
    return 0


def _options(arguments: list[str]) -> tuple[dict[str, str], list[str]]:
    """Return the options and the paths; no paths if an argument is not supported."""
    options: dict[str, str] = {}
    paths: list[str] = []
    remaining = iter(arguments)
    for argument in remaining:
        if argument in CHOICES:
            options[argument] = next(remaining, "")
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
    """Return the text of a file; None if reading it needs a message or it contains one of the excluded texts."""
    try:
        data = read_start(path, _LIMIT + 1)
        if len(data) > _LIMIT or b"\0" in data or (b"GBL" in data and b"noqa" in data) or b"coding" in data[:1000]:
            return None
        text = data.decode("ascii" if data.startswith(b"\xef\xbb\xbf") else "utf-8")
    except (OSError, ValueError):
        return None
    return None if any(word in text for word in _NAMED) else text


def _is_plain(text: str) -> bool:
    """Return whether a text can be parsed without a message and compiles nothing."""
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = compile(text, "<file>", "exec", _ONLY_A_TREE, dont_inherit=True)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return False
    return not _is_doubtful(text) or not any(map(_is_relevant, _nodes(tree)))


def _may_be_invalid(path: str | None) -> bool:
    """Return whether a pyproject.toml without settings of gblint may be invalid."""
    if path is None:
        return False
    from gblint.config import toml

    try:
        toml.loads(read_bytes(path, MAX_SETTINGS).decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return True
    return False


def _is_doubtful(text: str) -> bool:
    """Return whether the names in a text have to be checked one by one."""
    if "compile" in text:
        if "compile" in _PATTERN.sub("", text) or any(f".{name}" in text for name in keywords.ATTRIBUTES):
            return True
    return keywords.FORWARD in text or all(word in text for word in keywords.VARIABLES)


def _nodes(tree: _ast.AST) -> list[_ast.AST]:
    """Return the nodes of a syntax tree."""
    found = [tree]
    for node in found:
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, list):
                found += [each for each in value if isinstance(each, _ast.AST)]
            elif isinstance(value, _ast.AST):
                found.append(value)
    return found


def _is_relevant(node: _ast.AST) -> bool:
    """Return whether a node has a name that the search for entry points would examine."""
    if isinstance(node, _ast.Attribute):
        owner = node.value.id if isinstance(node.value, _ast.Name) else None
        return node.attr in keywords.ATTRIBUTES or (
            not keywords.is_pattern(node.attr, owner) and _is_keyword(node.attr)
        )
    if isinstance(node, _ast.alias):
        return _is_keyword(node.name.rpartition(".")[2]) or _is_keyword(node.asname or "")
    if isinstance(node, _ast.Name):
        return _is_keyword(node.id)
    return isinstance(node, (_ast.FunctionDef, _ast.AsyncFunctionDef, _ast.ClassDef)) and _is_keyword(node.name)


def _is_keyword(name: str) -> bool:
    return "compile" in name or name in (keywords.FORWARD, *keywords.VARIABLES)


def _report(files: int, torch_version: str, form: str, *, quiet: bool) -> None:
    if not quiet:
        sys.stderr.write(f"note: {no_entry_points.HINT}\n")
    if form == "json":
        import json

        sys.stdout.write(json.dumps(no_entry_points.document(torch_version), indent=2) + "\n")
    elif not quiet:
        sys.stdout.write(no_entry_points.summary(files) + "\n")
    sys.stdout.flush()
