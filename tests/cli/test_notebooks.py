from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

nbformat = pytest.importorskip("nbformat")
exporters = pytest.importorskip("nbconvert.exporters")
v4 = pytest.importorskip("nbformat.v4")

Write = Callable[..., Path]
Run = Callable[..., Any]

HELPER = "def scale(x):\n    return x * x.max().item()\n"
MODEL = """%%time
@torch.compile
def f(x: torch.Tensor):
    print("shape", x.shape)
    return scale(x)"""


def notebook(model: str = MODEL) -> str:
    cells = [
        v4.new_markdown_cell("# A model"),
        v4.new_code_cell("%matplotlib inline\nimport torch\nfrom helper import scale\n"),
        v4.new_code_cell(model, outputs=[v4.new_output("stream", text="1\n2\n")], execution_count=3),
        v4.new_code_cell("!ls\nf(torch.ones(3))"),
    ]
    made = v4.new_notebook(cells=cells, metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}})
    text, _ = exporters.NotebookExporter().from_notebook_node(made)
    return str(text)


def test_findings_in_cells(project: Write, gblint: Run) -> None:
    project({"helper.py": HELPER, "nb.ipynb": notebook()})
    result = gblint("check", "--output-format=concise")
    assert result.out.splitlines() == [
        "helper.py:2:16: GBL101 [certain] `x.max().item()` takes a number out of a tensor",
        "nb.ipynb:cell 3:4:5: GBL401 [certain] `print` writes to the terminal",
        "Default run: graph breaks on 2 lines (all certain), in every call.",
        "Found 2 graph breaks in 2 files, reached from 1 entry point (nb:f).",
        "The compiled object was analysed.",
    ]
    shown = gblint("check").out
    assert '4 |     print("shape", x.shape)' in shown
    assert "nb.ipynb:cell 3:5 in f" in shown
    assert "cell 2" not in shown
    assert gblint("entries").out.startswith("nb.ipynb:cell 3:3: nb:f")


@pytest.mark.parametrize("form", ["junit", "github", "rdjson", "html"])
def test_chains_name_the_cell_in_all_formats(project: Write, gblint: Run, form: str) -> None:
    project({"helper.py": HELPER, "nb.ipynb": notebook()})
    shown = gblint("check", f"--output-format={form}").out
    assert "nb.ipynb:cell 3:5" in shown


def test_json_has_the_cell(project: Write, gblint: Run) -> None:
    project({"helper.py": HELPER, "nb.ipynb": notebook()})
    document = json.loads(gblint("check", "--output-format=json").out)
    places = [(found["path"], found.get("cell"), found["line"], found["end_line"]) for found in document["findings"]]
    assert places == [("helper.py", None, 2, 2), ("nb.ipynb", 3, 4, 4)]
    assert document["findings"][0]["chain"][0] == {"path": "nb.ipynb", "cell": 3, "line": 5, "function": "f"}


@pytest.mark.parametrize("form", ["github", "sarif", "gitlab", "junit"])
def test_formats_for_other_programs_speak_of_the_file(project: Write, gblint: Run, form: str) -> None:
    root = project({"helper.py": HELPER, "nb.ipynb": notebook()})
    out = gblint("check", f"--output-format={form}").out
    lines = (root / "nb.ipynb").read_text().splitlines()
    line = next(number for number, text in enumerate(lines, 1) if "print(" in text)
    assert str(line) in out
    assert "cell 3, line 4: " in out


def test_fixes_leave_everything_else_alone(project: Write, gblint: Run) -> None:
    root = project({"helper.py": HELPER, "nb.ipynb": notebook()})
    before = (root / "nb.ipynb").read_text()
    diff = gblint("check", "--diff", "--unsafe-fixes").out
    assert "+    if not torch.compiler.is_compiling():" in diff
    assert "IPython" not in diff
    assert " %%time" in diff
    gblint("check", "--fix", "--unsafe-fixes")
    after = (root / "nb.ipynb").read_text()
    old, new = before.splitlines(), after.splitlines()
    gone = [line for line in old if line not in new]
    assert [line.strip() for line in gone] == [r""""    print(\"shape\", x.shape)\n","""]
    assert len(new) == len(old) + 1
    nbformat.validate(nbformat.reads(after, as_version=4))
    assert "nb.ipynb" not in gblint("check", "--output-format=concise").out


def test_noqa_and_excludes(project: Write, gblint: Run) -> None:
    silenced = MODEL.replace("x.shape)", "x.shape)  # noqa: GBL401")
    root = project({"helper.py": HELPER, "a.ipynb": notebook(silenced), ".ipynb_checkpoints/a.ipynb": notebook()})
    assert "a.ipynb" not in gblint("check", "--output-format=concise").out
    (root / "a.ipynb").write_text(notebook())
    assert "a.ipynb" in gblint("check", "--output-format=concise").out
    (root / "gblint.toml").write_text('extend-exclude = ["*.ipynb"]\n')
    assert "a.ipynb" not in gblint("check", "--output-format=concise").out


def test_add_noqa(project: Write, gblint: Run) -> None:
    root = project({"helper.py": HELPER, "nb.ipynb": notebook()})
    gblint("check", "--add-noqa")
    assert "x.shape)  # noqa: GBL401" in nbformat.reads((root / "nb.ipynb").read_text(), as_version=4).cells[2].source
    assert gblint("check").status == 0


def test_broken_notebooks_are_passed_over(project: Write, gblint: Run) -> None:
    project({"a.ipynb": '{"cells": [\n', "b.ipynb": notebook(MODEL.replace("def f(", "def f((")), "c.py": HELPER})
    result = gblint("check")
    assert result.status == 2
    assert any(line.startswith("error: a.ipynb:2: not a notebook: ") for line in result.err.splitlines())
    assert "warning: b.ipynb:cell 3:3: this cell was not analysed: it is not valid Python (" in result.err


def test_names_of_a_cell_that_is_not_valid_may_be_bound(project: Write, gblint: Run) -> None:
    used = "import torch\n@torch.compile\ndef f(x):\n    return helper(x) + 1"
    cells = [nbformat.v4.new_code_cell(source) for source in ("def helper(x:\n    return x", used)]
    project({"a.ipynb": nbformat.writes(nbformat.v4.new_notebook(cells=cells))})
    assert "GBL427" not in gblint("check").out


def test_a_cell_that_is_not_valid_leaves_the_others(project: Write, gblint: Run) -> None:
    cells = [nbformat.v4.new_code_cell(source) for source in ("import torch", "def broken(:", MODEL)]
    project({"helper.py": HELPER, "a.ipynb": nbformat.writes(nbformat.v4.new_notebook(cells=cells))})
    result = gblint("check", "--output-format=concise")
    assert result.status == 1
    assert "a.ipynb:cell 3" in result.out
    assert "a.ipynb:cell 2:1: this cell was not analysed" in result.err
