"""Decorators that return the decorated function are run only a few times, unless they have other relevant effects."""

from __future__ import annotations

from pathlib import Path

import pytest

from gblint.entrypoints.search import find_entries
from gblint.interp import new_interpreter, trace
from gblint.interp.state.interpreter import Interpreter
from gblint.knowledge.catalog import load
from gblint.project.environment import Environment
from gblint.project.project import Project

COUNT = 8


def traced(tmp_path: Path, decorator: str, use: str, body: str) -> tuple[Interpreter, list[int]]:
    """Return the interpreter and the lines that break, for functions under ``use`` and an entry point with ``body``."""
    functions = "".join(f"@{use}\ndef part_{n}(x):\n    return x + {n}\n" for n in range(COUNT))
    calls = "".join(f"    x = part_{n}(x)\n" for n in range(COUNT))
    text = f"import torch\n{decorator}\n{functions}\n@torch.compile\ndef f(x):\n{calls}{body}    return x\n"
    path = tmp_path / "main.py"
    path.write_text(text)
    m = new_interpreter(
        Project([tmp_path], root=tmp_path, environment=Environment(None, (3, 12), ())), load("2.13"), {}
    )
    found = [reached.event.span.line for reached in trace(m, find_entries(m, []).entries)]
    return m, [line for line in found if "item" in text.splitlines()[line - 1]]


def steps_of(m: Interpreter, name: str) -> int:
    """Return the number of functions for which a decorator was run."""
    return sum(summary.function == name for summary in m.caches.summaries.values())


DOCUMENT = """
def text_of(function):
    lines = []
    for word in function.__name__.split("_"):
        lines.append(word)
    return " ".join(lines)
def document(function):
    function.__doc__ = text_of(function)
    return function
"""
OPTIONAL = """
def document(function=None, *, intro=""):
    def decorate(function):
        return put(function, intro)
    if function:
        return decorate(function)
    return decorate
def put(function, intro):
    function.__doc__ = intro
    return function
"""


@pytest.mark.parametrize("use", ["document", "document(intro='x')"])
@pytest.mark.parametrize("decorator", [DOCUMENT, OPTIONAL])
def test_decorators_for_docstrings_run_a_few_times(tmp_path: Path, decorator: str, use: str) -> None:
    if decorator is DOCUMENT and use != "document":
        pytest.skip("takes no options")
    m, lines = traced(tmp_path, decorator, use, "    x.item()\n")
    assert len(lines) == 1
    assert steps_of(m, "text_of" if decorator is DOCUMENT else "put") == 3


REGISTER = """
TABLE = {}
def note(function):
    TABLE[function.__name__] = function
def register(function):
    note(function)
    return function
"""


def test_decorators_that_fill_a_table_always_run(tmp_path: Path) -> None:
    m, _ = traced(tmp_path, REGISTER, "register", "")
    assert steps_of(m, "note") == COUNT


WRAP = """
def wrap(function):
    def inner(x):
        x.item()
        return function(x)
    if function.__name__.endswith("0"):
        return function
    return inner
"""


def test_decorators_that_wrap_always_run(tmp_path: Path) -> None:
    m, lines = traced(tmp_path, WRAP, "wrap", "")
    assert len(lines) == 1
    assert steps_of(m, "wrap") == COUNT


LONG = f"""
def spelled(word):
    return [word + 1, word + 2, word + 3, word + 4]
def document(function):
    for line in function.__doc__:
{"".join(f"        spelled({n})" + chr(10) for n in range(200))}    function.__doc__ = "done"
    return function
"""


def test_slow_decorators_run_once(tmp_path: Path) -> None:
    m, lines = traced(tmp_path, LONG, "document", "    x.item()\n")
    assert len(lines) == 1
    assert list(m.caches.identity_decorators.values()) == [3]


CONSTANT = """
def constant(function):
    setattr(function, "_dynamo_marked_constant", True)
    return function
"""


def test_decorators_that_mark_constants_always_run(tmp_path: Path) -> None:
    m, _ = traced(tmp_path, CONSTANT, "constant", "")
    assert len(m.caches.constant_functions) == COUNT
