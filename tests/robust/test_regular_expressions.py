"""No regular expression of gblint takes exponential time: most are applied to text that somebody else has written."""

from __future__ import annotations

import ast
import builtins
import importlib
import json
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import gblint
from gblint.config.settings import Config
from gblint.pipeline.lint import LintRequest, lint
from gblint.runtime.mypyc import is_compiled
from tests.robust.ambiguity import is_exponential

ROOT = Path(gblint.__file__).parent.parent
# Functions of ``re`` and those of gblint that compile an argument, with the positions of the expression and the flags.
_FUNCTIONS = {
    **dict.fromkeys(("match", "fullmatch", "search", "findall", "finditer"), (0, 2)),
    "compile": (0, 1),
    "split": (0, 3),
    "sub": (0, 4),
    "subn": (0, 4),
    "reader_for": (1, None),
}
# Expressions in a table, by the module that has it.
_TABLES = {"gblint.project.source": lambda module: [pattern for _, pattern in module._NEWER_LINES]}


@pytest.mark.parametrize(
    "pattern", [r"(a+)+b", r"(a*)*", r"(a|a)*b", r"(?:\s*\.\s*)*=", r"(\w+\s?)*$", r"(a|ab|b)+c", r"(?:[\w-]+|x)+?="]
)
def test_ambiguous_expressions_are_recognised(pattern: str) -> None:
    assert is_exponential(pattern)


@pytest.mark.parametrize(
    "pattern",
    [r"a*b", r"(?:\.\w+)*", r"(?:a+b)*", r"\s*\[([^\]]+)\]\s*", r"(?:[^'\\]|\\.)*", r"(ab|cd)+", r"(?:a{2,3},)+"],
)
def test_other_expressions_are_not(pattern: str) -> None:
    assert not is_exponential(pattern)


def _sources() -> list[Path]:
    return sorted(path for folder in ("gblint", "rules") for path in (ROOT / folder).rglob("*.py"))


def _written(tree: ast.AST) -> Iterator[tuple[int, list[ast.expr], ast.expr | None]]:
    """Yield the line, the possible expressions and the flags of each call that compiles an expression."""
    for function in ast.walk(tree):
        if not isinstance(function, (ast.FunctionDef, ast.Module)):
            continue
        for node in _own_nodes(function):
            if not isinstance(node, ast.Call):
                continue
            called = node.func
            is_re = isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) and called.value.id == "re"
            name = called.attr if isinstance(called, ast.Attribute) and is_re else getattr(called, "id", "")
            if name in _FUNCTIONS and (is_re or name == "reader_for"):
                position, flags_position = _FUNCTIONS[name]
                named = [keyword.value for keyword in node.keywords if keyword.arg == "flags"]
                if not named and flags_position is not None and len(node.args) > flags_position:
                    named = [node.args[flags_position]]
                yield node.lineno, _choices(node.args[position], function), named[0] if named else None


def _own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a function or module without those of the functions in it."""
    pending = list(ast.iter_child_nodes(function))
    while pending:
        node = pending.pop()
        yield node
        if isinstance(node, ast.FunctionDef):
            pending += [*node.decorator_list, *node.args.defaults]
        else:
            pending += ast.iter_child_nodes(node)


def _choices(node: ast.expr, function: ast.AST) -> list[ast.expr]:
    """Return the expressions that a local variable may hold; any other node as it is."""
    if not isinstance(node, ast.Name) or isinstance(function, ast.Module):
        return [node]
    found: list[ast.expr] = []
    for each in _own_nodes(function):
        if isinstance(each, ast.Assign) and any(isinstance(t, ast.Name) and t.id == node.id for t in each.targets):
            found.append(each.value)
        elif isinstance(each, ast.For) and isinstance(each.target, ast.Name) and each.target.id == node.id:
            found += each.iter.elts if isinstance(each.iter, ast.Tuple) else []
    return found or [node]


class _Word(str):
    """A stand-in for a value that is unknown before the code runs; its attributes are such values too."""

    def __getattr__(self, name: str) -> _Word:
        return self


class _Names(dict[str, object]):
    """The names of a module; any other name has the value ``_Word``."""

    def __missing__(self, key: str) -> object:
        if hasattr(builtins, key):
            raise KeyError(key)
        return _Word("name")


def _value(node: ast.expr, module: ModuleType) -> Any:
    value = eval(compile(ast.Expression(node), "<expression>", "eval"), {}, _Names(vars(module)))
    return value.decode("latin-1") if isinstance(value, bytes) else value


@pytest.mark.skipif(is_compiled(), reason="the source has the expressions")
def test_no_expression_is_exponential() -> None:
    slow, checked, unknown = [], 0, []
    for path in _sources():
        written = list(_written(ast.parse(path.read_text(encoding="utf-8"))))
        if not written:
            continue
        relative = path.relative_to(ROOT).with_suffix("")
        name = ".".join(relative.parts).removesuffix(".__init__")
        module = importlib.import_module(f"gblint.{name}" if name.startswith("rules") else name)
        for line, nodes, flags in written:
            where = f"{relative}.py:{line}"
            patterns = [_value(node, module) for node in nodes]
            if any(type(pattern) is _Word for pattern in patterns):
                patterns = _TABLES[name](module) if name in _TABLES else []
            if not patterns:
                unknown.append(where)
            for pattern in patterns:
                checked += 1
                if is_exponential(pattern, 0 if flags is None else int(_value(flags, module))):
                    slow.append(f"{where}: {pattern}")
    assert slow == []
    # This function compiles its argument; the calls of it are checked instead.
    assert unknown == ["gblint/confirm/inputs/messages/_reader.py:18"]
    assert checked > 250


LONG = 200_000
LINES = {
    "except.py": "except a" + "," * LONG,
    "f_string.py": "x = = 1 " + 'f"' * LONG,
    "type.py": "type a[" + "=" * LONG,
    "print.py": "print " + " " * LONG + "x",
    "assigned.ipynb": "a" + " " * LONG + "b",
    "indented.ipynb": " " * LONG + "b",
    "magic.ipynb": "a = " + " " * LONG + "!b",
}


@pytest.mark.parametrize("name", LINES)
def test_long_lines(name: str, tmp_path: Path) -> None:
    """A file with one long line that cannot be parsed takes no longer than it takes to read it."""
    text = f"import torch\ntorch.compile(f)\n{LINES[name]}\n"
    if name.endswith(".ipynb"):
        cell = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": text}
        text = json.dumps({"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": [cell]})
    (tmp_path / name).write_text(text)
    start = time.process_time()
    outcome = lint(LintRequest((tmp_path,)), Config(root=tmp_path))
    assert time.process_time() - start < 5
    # A cell that is not valid is left out.
    assert bool(outcome.report.errors) is (not name.endswith(".ipynb"))
