"""Reading and parsing of source files: every problem with a file becomes a :class:`FileError`, never an exception."""

from __future__ import annotations

import ast
import errno
import io
import re
import symtable
import sys
import threading
import tokenize
import warnings
from pathlib import Path

from gblint.diagnostics.report import FileError
from gblint.project import lazy_nodes, lazy_parse, type_parameters
from gblint.project.newer_syntax import newer_version
from gblint.project.notebook import SUFFIX, Notebook, NotebookProblem
from gblint.runtime import files

_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_PYTHON2_MESSAGES = ("Missing parentheses in call to", "leading zeros in decimal", "multiple exception types must be")
# Patterns for explanations of errors, compiled only if there is an error.
_PYTHON2_LINE = r"""^\s*print\s+["'\w%(>]        # print "x", print >>f
    | ^\s*exec\s+["'\w]              # exec code
    | ^\s*raise\s+[\w.]+\s*,         # raise E, "x"
    | ^\s*except\s+[^:]+,\s*\w+\s*:  # except E, e:
    | <>                             # a <> b
    | `[^`]*`                        # `x`
    | \b0[xX]?[0-9a-fA-F]+[lL]?\b.*\b0\d+\b | \b\d+[lL]\b   # 0777, 10L
    | \b[uU][rR]["']                 # ur"x"
    """

# The start of a line that is compared with these patterns, whose time grows with the square of its length.
_HINT_CHARACTERS = 400


class SourceProblem(Exception):
    """The reason why a file has no syntax tree; it becomes a :class:`FileError` before it leaves this package."""

    def __init__(self, message: str, line: int = 1) -> None:
        super().__init__(message)
        self.message = message
        self.line = max(line, 1)

    def at(self, path: str) -> FileError:
        """Return the problem as a file error."""
        return FileError(path, self.line, self.message)


def explain_os_error(error: OSError) -> str:
    """Describe an operating system error in one line."""
    if error.errno == errno.ELOOP:
        return "symbolic link loop"
    if error.errno == errno.ENOENT:
        return "no such file or directory"
    reason = files.reason_of(error)
    return f"cannot be read: {reason}"


def read_source(path: Path) -> str:
    """Read a source file, decoded as Python decodes it (PEP 263, byte order mark, universal newlines)."""
    return text_of(path, read_bytes(path))


def read_bytes(path: Path) -> bytes:
    """Return the bytes of a regular file; raises :class:`SourceProblem`."""
    try:
        return files.read_bytes(path)
    except OSError as error:
        raise SourceProblem(explain_os_error(error)) from None
    except ValueError as error:  # the path contains a null byte
        raise SourceProblem(f"cannot be read: {error}") from None


def text_of(path: Path, data: bytes) -> str:
    """Return the text of a source file with these bytes; raises :class:`SourceProblem`."""
    return notebook_of(data).text if path.suffix == SUFFIX else decode_source(data)


def notebook_of(data: bytes) -> Notebook:
    """Return the notebook in the bytes of a file; raises :class:`SourceProblem`."""
    try:
        return Notebook(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise SourceProblem(f"not valid UTF-8: byte 0x{data[error.start]:02x}") from None
    except NotebookProblem as problem:
        raise SourceProblem(problem.message, problem.line) from None


def decode_source(data: bytes) -> str:
    """Decode the bytes of a source file; raises :class:`SourceProblem`."""
    if data.startswith(_UTF16_MARKS):
        raise SourceProblem("not valid UTF-8 (it looks like UTF-16)")
    null = data.find(b"\0")
    if null >= 0:
        raise SourceProblem("contains null bytes", data.count(b"\n", 0, null) + 1)
    encoding = declared_encoding(data)
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        if encoding.startswith("utf-8"):
            raise SourceProblem(f"not valid UTF-8: byte 0x{data[error.start]:02x}", line) from None
        raise SourceProblem(f"cannot be decoded as {encoding}, which its coding line declares", line) from None
    except (LookupError, UnicodeError, ValueError):
        raise SourceProblem(f"{encoding!r} in the coding line is not a text encoding") from None
    return files.normalise_newlines(text)


def declared_encoding(data: bytes) -> str:
    """Return the encoding that Python would use for ``data``; raises :class:`SourceProblem`."""
    head = data[:1024].split(b"\n", 2)[:2]
    if not data.startswith(b"\xef\xbb\xbf") and not any(b"coding" in line for line in head):
        return "utf-8"
    try:
        return tokenize.detect_encoding(io.BytesIO(data).readline)[0]
    except SyntaxError as error:
        reason = str(error.msg)
        if "invalid or missing encoding" in reason:
            reason = "not valid UTF-8, and no coding line names another encoding"
        raise SourceProblem(reason) from None


def parse_source(source: str) -> ast.Module:
    """Parse ``source`` to a syntax tree; raises :class:`SourceProblem`."""
    try:
        try:
            return _parse(source)
        except RecursionError:
            # The recursion may be the caller's: the limit counts all frames of the stack, so retry on an empty one.
            return _parse_on_a_fresh_stack(source)
    except SyntaxError as error:
        raise _explain_syntax_error(error, source) from None
    except MemoryError:
        raise SourceProblem("too deeply nested to parse") from None
    except ValueError as error:  # null bytes, lone surrogates (from an editor's buffer)
        raise SourceProblem(f"cannot be parsed: {error}") from None


def parse_library(source: str) -> ast.Module:
    """Parse a text known to have no syntax error; function bodies are parsed on demand."""
    return lazy_parse.outline(source, parse_source) or parse_source(source)


def parse_left_out(source: str, body: lazy_parse.UnparsedBody) -> list[ast.stmt]:
    """Parse the body of a function or a class that was left out; empty if it cannot be parsed after all."""
    try:
        return lazy_parse.parse_body(source, body, parse_source)
    except SourceProblem:
        return []


lazy_nodes.set_body_parser(parse_left_out)


def is_well_formed(source: str) -> bool:
    """Return whether a text has no syntax error, without building a syntax tree, which would take 1.5 times as long."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            symtable.symtable(source, "<unknown>", "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _parse(source: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(source)
        except SyntaxError:
            older = type_parameters.without(source) if sys.version_info < (3, 13) else None
            if older is None:
                raise
            return older.parse()


def _parse_on_a_fresh_stack(source: str) -> ast.Module:
    outcome: list[ast.Module | Exception] = []

    def work() -> None:
        try:
            outcome.append(_parse(source))
        except RecursionError:
            outcome.append(SourceProblem("too deeply nested to parse"))
        except Exception as error:
            outcome.append(error)

    thread = threading.Thread(target=work, name="parse")
    thread.start()
    thread.join()
    if isinstance(outcome[0], Exception):
        raise outcome[0]
    return outcome[0]


def _explain_syntax_error(error: SyntaxError, source: str) -> SourceProblem:
    line = error.lineno or 1
    message = error.msg.split("\n", 1)[0]
    if "too many nested parentheses" in message or "too many statically nested" in message:
        return SourceProblem("too deeply nested to parse", line)
    lines = source.split("\n", line)
    text = lines[line - 1][:_HINT_CHARACTERS] if line <= len(lines) else ""
    hint = _hint(message, text, newer_version(source, line, _parse))
    kind = "" if isinstance(error, IndentationError) else "syntax error: "
    return SourceProblem(f"{kind}{message}{hint}", line)


def _hint(message: str, text: str, newer: tuple[int, int] | None) -> str:
    """Return a hint that Python 2 or newer syntax may be the cause of a syntax error; empty if neither is likely."""
    python2 = message.startswith(_PYTHON2_MESSAGES) or re.search(_PYTHON2_LINE, text, re.VERBOSE)
    if newer is None:
        return " (Python 2 code?)" if python2 else ""
    written, here = (".".join(map(str, version)) for version in (newer, sys.version_info[:2]))
    kind = "Python 2 code, or syntax" if python2 else "syntax"
    return f" ({kind} of Python {written}? this gblint runs on {here})"
