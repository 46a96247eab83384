from __future__ import annotations

import json

import pytest

from gblint.project import notebook as notebook_module
from gblint.project.notebook import Notebook, NotebookProblem, invalid_cells
from gblint.project.source import SourceProblem, notebook_of, parse_source

nbformat = pytest.importorskip("nbformat")
v4 = pytest.importorskip("nbformat.v4")


def made(*sources: str, indent: int = 1, **metadata: object) -> str:
    cells = [v4.new_markdown_cell("# Title"), *(v4.new_code_cell(source) for source in sources)]
    notebook = v4.new_notebook(cells=cells, metadata=metadata)
    return str(nbformat.writes(notebook, indent=indent)) + "\n"


def test_cells_are_one_module_with_places() -> None:
    notebook = Notebook(made("import torch\nx = 1", "y = x"))
    assert notebook.text.split("\n") == [
        "# -------- cell 2 --------",
        "import torch",
        "x = 1",
        "# -------- cell 3 --------",
        "y = x",
        "",
    ]
    places = [notebook.place(line) for line in (2, 3, 5)]
    assert [(cell.number, line) for cell, line in filter(None, places)] == [(2, 1), (2, 2), (3, 1)]
    lines = notebook.raw.split("\n")
    assert ["x = 1" in lines[notebook.line_in_file(3) - 1], "y = x" in lines[notebook.line_in_file(5) - 1]] == [
        True
    ] * 2


@pytest.mark.parametrize(
    "source",
    [
        "%matplotlib inline",
        "!pip install 'torch' \\\n    --quiet\nx = 1",
        '!tts --model_name my \\\n--speaker_wav LJ001-0001.wav \\\n--text "Are we?"',
        "pip install --quiet torch",
        "cd ../..\nx = 1",
        "files = !ls *.py\nprint(files)",
        "t = %timeit -o f(1)",
        "for x in y:\n    !echo $x\n    %time f(x)",
        "f?\n?f\nf??",
        "%%bash\necho (\nif [",
        "%%time\nx = (1\n     % 2)",
        "x = 5 \\\n  % 3",
        "s = '''\n%time\n!ls\n'''",
        "await thing()",
        "",
        "\n\n",
        "x = 1;",
        "# only a comment",
        "x = 'pass  # IPython: '",
    ],
)
def test_ipython_syntax_is_commented_out_and_restored(source: str) -> None:
    raw = made(source, "z = 3")
    notebook = Notebook(raw)
    parse_source(notebook.text)
    assert notebook.text.count("\n") == source.count("\n") + 4
    assert notebook.with_text(notebook.text) == raw
    changed = notebook.with_text(notebook.text.replace("z = 3", "z = 4\nw = 'é'"))
    after = nbformat.reads(changed, as_version=4)
    nbformat.validate(after)
    assert [cell.source for cell in after.cells[1:]] == [source, "z = 4\nw = 'é'"]


def test_python_that_looks_like_magics_is_kept() -> None:
    text = Notebook(made("x = 5 \\\n  % 3", "s = '''\n%time\n'''", "cd = 5\nprint(cd - 1)")).text
    assert "IPython" not in text


def test_cell_that_is_not_valid_is_left_out_and_named() -> None:
    notebook = Notebook(made("%time x\nf(", "y = 1", "%time x\n"))
    assert "y = 1" in notebook.text
    parse_source(notebook.text)
    ((line, message),) = invalid_cells(notebook.text)
    assert (line, message) == (3, "'(' was never closed")
    assert notebook.sources(notebook.text)[0] == "%time x\nf("


def test_cells_without_lines_can_be_filled() -> None:
    raw = made("", "x = 1")
    notebook = Notebook(raw)
    new = notebook.with_text(notebook.text.replace("cell 2 --------\n", "cell 2 --------\nimport torch\n"))
    assert [cell.source for cell in nbformat.reads(new, as_version=4).cells][1].strip() == "import torch"


def test_change_across_a_cell_border_is_rejected() -> None:
    notebook = Notebook(made("x = 1", "y = 2"))
    with pytest.raises(NotebookProblem, match="border"):
        notebook.with_text(notebook.text.replace("# -------- cell 3 --------\n", ""))
    with pytest.raises(NotebookProblem, match="outside"):
        notebook.with_text("import torch\n" + notebook.text)


def test_notebooks_in_other_languages_are_skipped() -> None:
    kernel = {"name": "ir", "language": "R", "display_name": "R"}
    assert Notebook(made("x <- 1", kernelspec=kernel)).text == ""
    assert Notebook(made("x = 1", language_info={"name": "python"})).text != ""


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not a notebook: expecting value"),
        (b'{\n "cells": [\n', "not a notebook: expecting value"),
        (b"[]", "it has no nbformat"),
        (b'{"nbformat": 4}', "it has no cells"),
        (b'{"nbformat": 3, "worksheets": []}', "notebook format 3 is not supported"),
        (b'{"nbformat": 4, "cells": [{"cell_type": "code", "source": 5}]}', "the source of cell 1 is not text"),
        (b"\xff\xfe{", "not valid UTF-8"),
        (b"[" * 100_000, "nested too deep"),
        (b'{"nbformat": 4, "x": ' + b"9" * 5_000 + b"}", "a number of too many digits"),
    ],
)
def test_invalid_notebooks_have_a_message_of_one_line(data: bytes, message: str) -> None:
    with pytest.raises(SourceProblem, match=message):
        notebook_of(data)


def test_many_magics(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cell is parsed once for each of its magics; those of a notebook are bounded together."""
    parsed: list[str] = []
    original = notebook_module._error_in

    def counted(text: str) -> SyntaxError | None:
        parsed.append(text)
        return original(text)

    monkeypatch.setattr(notebook_module, "_error_in", counted)
    monkeypatch.setattr(notebook_module, "MOST_PARSED", 20_000)
    notebook = Notebook(made(*["%magic x\n" * 50] * 40))
    assert 20_000 < sum(map(len, parsed)) < 20_000 + 40 * 1_000
    hidden = notebook.text.count("# IPython")
    assert 40 <= hidden < 200 and notebook.text.count("%magic") == 2_000


def test_unusual_cells_are_skipped() -> None:
    unusual = [None, 5, "", '"', ["a"], ["a", 1], ['"a": 1'], [[]], {"cell_type": "raw"}, {"cell_type": "code"}]
    cells = [*unusual, {"cell_type": "code", "source": ["x = ", "1"]}]
    notebook = Notebook(json.dumps({"nbformat": 4, "cells": cells}))
    assert notebook.text.splitlines()[1] == "x = 1"


class Counted(str):
    """A text that counts the characters in which something is counted."""

    seen = 0

    def count(self, part: str, start: int = 0, end: int | None = None) -> int:  # type: ignore[override]
        end = len(self) if end is None else end
        self.seen += end - start
        return super().count(part, start, end)


def test_lines_of_many_cells_are_counted_once() -> None:
    text = made(*["x = 1\ny = 2"] * 500)
    raw = Counted(text)
    notebook = Notebook(raw)
    assert raw.seen < len(text) * 1.5
    assert [text.split("\n")[line - 1].strip() for line in notebook.cells[-1].lines] == ['"x = 1\\n",', '"y = 2"']
