"""Run the interpreter on a few lines of source."""

from __future__ import annotations

import functools
import importlib
import sys
import tempfile
import textwrap
from collections.abc import Sequence
from pathlib import Path

import pytest

from gblint.confirm.capture import capture
from gblint.diagnostics.break_event import Category, Confidence, ReachedBreak
from gblint.diagnostics.reach import rank
from gblint.entrypoints.search import find_entries
from gblint.interp import new_interpreter, trace
from gblint.knowledge.catalog import load
from gblint.project.project import Project

_BREAKS = (Category.GRAPH_BREAK, Category.COMPILE_ERROR)


def breaks(source: str, entry: str | Sequence[str] | None = None) -> list[tuple[int, str]]:
    """Return the lines of ``source`` that break with the kind of each break, except breaks that are only possible.

    ``entry`` is the name of the compiled class or function; by default the entry points in the source are used.
    """
    found = {
        (item.event.span.line, item.event.kind)
        for item in _reached(source, entry)
        if item.event.confidence is not Confidence.POSSIBLE
    }
    return sorted(found)


def confidences(source: str, entry: str | Sequence[str] | None = None) -> dict[int, str]:
    """Return the lines of ``source`` that may break, with the confidence of each break."""
    levels: dict[int, Confidence] = {}
    for item in _reached(source, entry):
        line, level = item.event.span.line, item.event.confidence
        levels[line] = max(level, levels.get(line, level), key=lambda each: each.rank)
    return {line: levels[line].value for line in sorted(levels)}


def _reached(source: str, entry: str | Sequence[str] | None) -> list[ReachedBreak]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "snippet.py"
        path.write_text(textwrap.dedent(source))
        m = new_interpreter(Project([path], root=Path(folder)), load("2.13"), {})
        names = [entry] if isinstance(entry, str) else list(entry or ())
        search = find_entries(m, [f"snippet:{name}" for name in names])
        assert not search.problems, search.problems
        return [item for item in trace(m, search.entries) if item.event.category in _BREAKS]


def hidden(source: str, entry: str | Sequence[str] | None = None) -> dict[int, int]:
    """Return the lines of ``source`` to which Dynamo does not come, with the line of the break before each."""
    found = {}
    for item in _reached(source, entry):
        earlier = item.consequence.behind if item.consequence is not None else None
        if earlier is not None:
            assert earlier.path == item.event.span.path
            found[item.event.span.line] = earlier.line
    return found


def ways(source: str, entry: str | Sequence[str] | None = None) -> dict[int, tuple[str, list[str]]]:
    """Return the lines of ``source`` that may break, with the reach and the conditions of each."""
    found: dict[int, tuple[str, list[str]]] = {}
    for item in sorted(_reached(source, entry), key=lambda each: -rank(each.reach)):
        conditions = [f"{each.text} {'holds' if each.holds else 'fails'}" for each in item.when]
        found[item.event.span.line] = (item.reach, conditions)
    return dict(sorted(found.items()))


def run_whole(folder: Path, monkeypatch: pytest.MonkeyPatch, source: str, name: str) -> None:
    """Compile the object ``name`` of a program as one graph and call it; raises what Dynamo raises at a break."""
    torch = pytest.importorskip("torch")
    (folder / "gblint_snippet.py").write_text(source)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "gblint_snippet", raising=False)
    module = importlib.import_module("gblint_snippet")
    torch._dynamo.reset()
    torch.compile(getattr(module, name), backend="eager", fullgraph=True)(torch.ones(3, requires_grad=True))


def check_first_break(folder: Path, monkeypatch: pytest.MonkeyPatch, source: str, name: str) -> None:
    """Check that Dynamo first breaks at the line marked with ``# breaks`` when it traces the object ``name``.

    Without a mark nothing may break.
    """
    torch = pytest.importorskip("torch")
    marked = next((number for number, line in enumerate(source.split("\n"), 1) if "# breaks" in line), None)
    if marked is None:
        run_whole(folder, monkeypatch, source, name)
        return
    with pytest.raises(torch._dynamo.exc.Unsupported, match=rf"gblint_snippet\.py\", line {marked}, in (?s:.)*"):
        run_whole(folder, monkeypatch, source, name)


def lines_where_dynamo_breaks(folder: Path, monkeypatch: pytest.MonkeyPatch, source: str) -> list[int]:
    """Run a program that compiles something and calls it; return the innermost line of it in each break."""
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch, "compile", functools.partial(torch.compile, backend="eager"))
    path = folder / "gblint_snippet.py"
    path.write_text(source)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "gblint_snippet", raising=False)
    torch._dynamo.reset()
    with capture() as captured:
        importlib.import_module("gblint_snippet")
    stacks = [[each.line for each in found.stack if each.path == str(path)] for found in captured.breaks]
    return sorted({lines[-1] for lines in stacks if lines})


def check_program(source: str) -> None:
    """Check that gblint finds the marked lines of a program, and no others."""
    assert sorted({line for line, _ in breaks(source)}) == marked_lines(source)


def check_program_by_dynamo(folder: Path, monkeypatch: pytest.MonkeyPatch, source: str, call: str = "") -> None:
    """Check that Dynamo breaks at the marked lines of a program, and nowhere else; gblint is not shown ``call``."""
    assert lines_where_dynamo_breaks(folder, monkeypatch, source + call) == marked_lines(source)


def marked_lines(source: str) -> list[int]:
    """Return the lines of a program that are marked with ``# breaks``."""
    return [number for number, line in enumerate(source.split("\n"), 1) if line.endswith("# breaks")]
