"""A Jupyter notebook as one module: its code cells in order, each after a comment line with the number of the cell.

Code that is valid in IPython but not in Python (magics, shell commands, help queries) is turned into comments, so that
all lines keep their numbers; so is a cell that is not valid at all, which :func:`invalid_cells` names.
:meth:`Notebook.with_text` writes a changed text back into the cells and leaves the rest of the file unchanged.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from gblint.runtime.lazy_dataclasses import dataclass

SUFFIX = ".ipynb"
_DECODER = json.JSONDecoder()
# These patterns are compiled only if there is a notebook.
_SPACE = r"[ \t\r\n]*"
_HEAD = r"^# -{8} cell \d+ -{8}$"
_MARK = "  # IPython: "
INVALID = "  # not valid: "
"""The comment that holds a line of a cell that is not valid Python."""
_MAGIC = r"\s*[%!?/,;]|.*\?\s*$"
# Magics that IPython takes without "%" if no variable has their name.
_AUTOMAGIC = r"\s*(?:autoreload|cat|cd|conda|cp|load_ext|ls|matplotlib|mkdir|mv|pip|rm|run|time|timeit)[ \t]+[^=\s]"
_ASSIGNED = r"(\s*)([\w.\[\],][\w.\[\], \t]*)=\s*[%!]"
_HIDDEN = rf"^[ \t]*(?:pass|[^\n]+ = get_ipython\(\))(?:{_MARK}|{INVALID})"
# Cell magics after which the rest of the cell is Python.
_PYTHON_CELLS = frozenset(("capture", "debug", "memit", "mprun", "prun", "time", "timeit"))
# The characters that are parsed to find the magics of a notebook: a cell is parsed once for each of its magics.
MOST_PARSED = 5_000_000


class NotebookProblem(Exception):
    """Raised if a file cannot be read as a notebook or cannot be changed; ``line`` is a line of the file."""

    def __init__(self, message: str, line: int = 1) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


@dataclass(frozen=True, slots=True)
class Cell:
    """A code cell: its ``number`` among all cells (from 1), its source, and the offsets and lines of the source."""

    number: int
    source: str
    start: int
    end: int
    lines: tuple[int, ...]


class Notebook:
    """A notebook.  ``raw`` is the text of its file; raises :class:`NotebookProblem` if it is not a notebook.

    Cells that are not valid Python are left out.
    """

    def __init__(self, raw: str) -> None:
        self.raw = raw
        self._lay_out(_cells(raw), leaves_out=True)

    @classmethod
    def of_cells(cls, sources: Iterable[tuple[int, str]]) -> Notebook:
        """Create a notebook from the numbers and sources of code cells, without a file.

        In an editor a cell is often not valid while it is typed: it is kept, and the text cannot be parsed.
        """
        notebook = cls.__new__(cls)
        notebook.raw = ""
        notebook._lay_out([Cell(number, source, 0, 0, ()) for number, source in sources], leaves_out=False)
        return notebook

    def _lay_out(self, cells: list[Cell], *, leaves_out: bool) -> None:
        self.cells = cells
        pieces: list[str] = []
        self._heads: list[int] = []
        line, left = 1, MOST_PARSED
        for cell in self.cells:
            self._heads.append(line)
            source, left = _as_python(cell.source, left, leaves_out=leaves_out)
            pieces += [_head(cell.number), source]
            line += 2 + cell.source.count("\n")
        self.text = "".join(f"{piece}\n" for piece in pieces)

    def place(self, line: int) -> tuple[Cell, int] | None:
        """Return the cell that contains a line of :attr:`text` and the line in the cell; None before the first cell."""
        index = bisect_right(self._heads, line) - 1
        return (self.cells[index], max(line - self._heads[index], 1)) if index >= 0 else None

    def first_line(self, cell: Cell) -> int:
        """Return the line of :attr:`text` on which the source of ``cell`` begins."""
        return self._heads[self.cells.index(cell)] + 1

    def line_in_file(self, line: int) -> int:
        """Return the line of the file that corresponds to a line of :attr:`text`."""
        found = self.place(line)
        if found is None:
            return 1
        cell, inner = found
        return cell.lines[min(inner, len(cell.lines)) - 1] if cell.lines else 1

    def with_text(self, text: str) -> str:
        """Return the file after changing :attr:`text` to ``text``; raises :class:`NotebookProblem` like `sources`."""
        pieces, behind = [], 0
        for cell, source in zip(self.cells, self.sources(text)):
            if source != cell.source:
                pieces += [self.raw[behind : cell.start], self._literal(cell, source)]
                behind = cell.end
        return "".join((*pieces, self.raw[behind:]))

    def sources(self, text: str) -> list[str]:
        """Return the sources of the cells after changing :attr:`text` to ``text``.

        Raises :class:`NotebookProblem` if the change crosses the border of a cell.
        """
        found = list(re.finditer(_HEAD, text, re.MULTILINE))
        heads = [head.group() for head in found]
        if heads != [_head(cell.number) for cell in self.cells]:
            raise NotebookProblem("the change crosses the border of a cell")
        starts = [head.end() + 1 for head in found]
        ends = [*[head.start() for head in found][1:], len(text)]
        if starts and text[: starts[0]].strip() != heads[0]:
            raise NotebookProblem("the change lies outside of the cells")
        return [_as_written(text[start:end].removesuffix("\n")) for start, end in zip(starts, ends)]

    def _literal(self, cell: Cell, source: str) -> str:
        """Return ``source`` as JSON, formatted like the existing source of the cell."""
        old = self.raw[cell.start : cell.end]
        ascii_only = "\\u" in old and old.isascii()
        if not old.startswith("["):
            return json.dumps(source, ensure_ascii=ascii_only)
        parts = [json.dumps(line, ensure_ascii=ascii_only) for line in re.findall(r"[^\n]*\n|[^\n]+\Z", source)]
        if not parts:
            return "[]"
        found = re.match(r"\[(\s*)", old)
        before = found.group(1) if found and len(old.strip("[] \t\r\n")) else self._indent()
        last = re.search(r"(\s*)\]\Z", old)
        after = last.group(1) if last and len(old.strip("[] \t\r\n")) else before[:-1] if "\n" in before else ""
        between = "," + (before or " ")
        return "[" + before + between.join(parts) + after + "]"

    def _indent(self) -> str:
        """Return the indentation that this file uses for the lines of cells."""
        for cell in self.cells:
            if found := re.match(r'\[(\s+)"', self.raw[cell.start : cell.end]):
                return found.group(1)
        return ""


def _head(number: int) -> str:
    return f"# {'-' * 8} cell {number} {'-' * 8}"


def _cells(raw: str) -> list[Cell]:
    try:
        data = json.loads(raw)
    except json.JSONDecodeError as error:
        raise NotebookProblem(f"not a notebook: {error.msg[:1].lower()}{error.msg[1:]}", error.lineno) from None
    except RecursionError:
        raise NotebookProblem("not a notebook: nested too deep") from None
    except ValueError:
        raise NotebookProblem("not a notebook: it has a number of too many digits") from None
    if not isinstance(data, dict) or not isinstance(data.get("nbformat"), int):
        raise NotebookProblem("not a notebook: it has no nbformat")
    if data["nbformat"] < 4:
        message = f"notebook format {data['nbformat']} is not supported (run jupyter nbconvert --to notebook)"
        raise NotebookProblem(message)
    if not isinstance(data.get("cells"), list):
        raise NotebookProblem("not a notebook: it has no cells")
    return list(_code(raw, data["cells"])) if _is_python(data) else []


def _is_python(data: dict[str, Any]) -> bool:
    metadata = data.get("metadata")
    if not isinstance(metadata, dict):
        return True
    named = [(metadata.get(key), name) for key, name in (("kernelspec", "language"), ("language_info", "name"))]
    languages = [part[name] for part, name in named if isinstance(part, dict) and isinstance(part.get(name), str)]
    return all(language.lower() in ("python", "ipython") for language in languages)


def _code(raw: str, cells: Sequence[Any]) -> Iterator[Cell]:
    """Yield the code cells with the positions of their sources in the file."""
    line, behind = 1, 0
    starts = _elements(raw, _members(raw, _after_space(raw, 0))["cells"][0])
    for number, (cell, at) in enumerate(zip(cells, starts), 1):
        if not isinstance(cell, dict) or cell.get("cell_type") != "code" or "source" not in cell:
            continue
        source = cell["source"]
        start, end = _members(raw, at)["source"]
        line, behind = line + raw.count("\n", behind, start), start
        if isinstance(source, list) and all(isinstance(part, str) for part in source):
            yield Cell(number, "".join(source), start, end, _lines_of(raw, start, line, source))
        elif isinstance(source, str):
            yield Cell(number, source, start, end, (line,) * (source.count("\n") + 1))
        else:
            raise NotebookProblem(f"not a notebook: the source of cell {number} is not text")


def _after_space(raw: str, at: int) -> int:
    found = re.compile(_SPACE).match(raw, at)
    assert found is not None
    return found.end()


def _members(raw: str, at: int) -> dict[str, tuple[int, int]]:
    """Return the start and end offsets of the values of the object at offset ``at``."""
    found: dict[str, tuple[int, int]] = {}
    at = _after_space(raw, at + 1)
    while raw[at] == '"':
        key, at = _DECODER.raw_decode(raw, at)
        start = _after_space(raw, _after_space(raw, at) + 1)
        end = _DECODER.raw_decode(raw, start)[1]
        found[key] = (start, end)
        at = _after_space(raw, end)
        at = _after_space(raw, at + 1) if raw[at] == "," else at
    return found


def _elements(raw: str, at: int) -> Iterator[int]:
    """Yield the start offsets of the elements of the array at offset ``at``."""
    at = _after_space(raw, at + 1)
    while raw[at] != "]":
        yield at
        at = _after_space(raw, _DECODER.raw_decode(raw, at)[1])
        at = _after_space(raw, at + 1) if raw[at] == "," else at


def _lines_of(raw: str, at: int, line: int, source: list[str]) -> tuple[int, ...]:
    """Return the lines of the file that the lines of a source stand on; it begins at offset ``at`` on ``line``."""
    lines: list[int] = []
    behind = at
    for start, part in zip(_elements(raw, at), source):
        line, behind = line + raw.count("\n", behind, start), start
        lines += [line] * max(len(part.splitlines()), 1)
    return tuple(lines) or (line,)


def _as_python(source: str, left: int, *, leaves_out: bool) -> tuple[str, int]:
    """Return a cell as Python with the same number of lines, with what is not Python turned into comments.

    leaves_out: a cell that is not valid is turned into comments, too.
    At most ``left`` characters are parsed for this, and at least those of the cell; also return what is left of them.
    """
    lines, error, left = _without_magics(source, left)
    if error is not None and leaves_out:
        lines = [f"pass{INVALID}{line}" if line.strip() else line for line in source.split("\n")]
    return "\n".join(lines), left


def _without_magics(source: str, left: int) -> tuple[list[str], SyntaxError | None, int]:
    """Return the lines of a cell with IPython syntax turned into comments, and the error in what remains, if any."""
    lines = source.split("\n")
    first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    if lines[first].startswith("%%"):
        magic = re.match(r"%%(\w*)", lines[first])
        if magic is None or magic.group(1) not in _PYTHON_CELLS:
            return [_hidden(line) if line.strip() else line for line in lines], None, left
        lines[first] = _hidden(lines[first])
    while True:
        text = "\n".join(lines)
        left -= len(text)
        error = _error_in(text)
        line = None if error is None else error.lineno
        if line is None or not 1 <= line <= len(lines):
            return lines, error, left
        first = line - 1
        while first > 0 and lines[first - 1].endswith("\\"):
            first -= 1
        if not (
            re.match(_MAGIC, lines[first]) or re.match(_AUTOMAGIC, lines[first]) or re.match(_ASSIGNED, lines[first])
        ):
            return lines, error, left
        number, indent = first, _indent_of(lines[first])
        while True:
            continued = lines[number].endswith("\\")
            lines[number] = _hidden(lines[number], None if number == first else indent)
            number += 1
            if not continued or number >= len(lines):
                break
        if left < 0:
            return lines, None, left


def _error_in(text: str) -> SyntaxError | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except SyntaxError as error:
        return error
    except (ValueError, RecursionError, MemoryError):
        return None
    return None


def _hidden(line: str, indent: str | None = None) -> str:
    """Turn a line of IPython syntax into Python; a variable that it assigns to gets an unknown value."""
    assigned = re.match(_ASSIGNED, line) if indent is None else None
    statement = (
        f"{assigned.group(2).rstrip()} = get_ipython()" if assigned and not line.lstrip().startswith("%%") else "pass"
    )
    return f"{_indent_of(line) if indent is None else indent}{statement}{_MARK}{line}"


def _indent_of(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def invalid_cells(text: str) -> Iterator[tuple[int, str]]:
    """Yield the first wrong line of each cell in a notebook's text that is not valid Python, with the message."""
    if INVALID not in text:
        return
    heads = list(re.finditer(_HEAD, text, re.MULTILINE))
    ends = [*[head.start() for head in heads[1:]], len(text)]
    for head, end in zip(heads, ends):
        if INVALID in text[head.end() : end]:
            _, error, _ = _without_magics(_as_written(text[head.end() + 1 : end]), MOST_PARSED)
            line = text.count("\n", 0, head.end()) + 2
            if error is not None:
                yield line + (error.lineno or 1) - 1, error.msg


def _as_written(source: str) -> str:
    """Restore the original IPython syntax in a cell of the text."""
    return re.sub(_HIDDEN, "", source, flags=re.MULTILINE) if _MARK in source or INVALID in source else source


def as_written(text: str) -> list[str]:
    """Return the lines of a notebook's text with the original IPython syntax, to show them."""
    return _as_written(text).split("\n")
