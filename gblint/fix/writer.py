"""Reading of files that are to be changed, and their atomic replacement."""

from __future__ import annotations

import codecs
import contextlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterable
from pathlib import Path

from gblint.project.notebook import SUFFIX, NotebookProblem
from gblint.project.source import SourceProblem, declared_encoding, explain_os_error, notebook_of
from gblint.runtime.files import read_bytes, reason_of
from gblint.runtime.lazy_dataclasses import dataclass


class WriteProblem(Exception):
    """The reason why a file was left unchanged."""


@dataclass(frozen=True, slots=True)
class Original:
    """A file as it was read: its bytes, and its text with the original newlines."""

    path: Path
    data: bytes
    encoding: str
    text: str

    @classmethod
    def read(cls, path: Path) -> Original:
        """Read ``path``; raises SourceProblem if Python cannot read it."""
        try:
            data = read_bytes(path)
            if path.suffix == SUFFIX:
                return cls(
                    path, data, "utf-8-sig" if data.startswith(codecs.BOM_UTF8) else "utf-8", notebook_of(data).text
                )
            encoding = declared_encoding(data)
            return cls(path, data, encoding, data.decode(encoding))
        except OSError as error:
            raise SourceProblem(explain_os_error(error)) from None
        except (UnicodeError, LookupError) as error:
            raise SourceProblem(f"cannot be decoded: {error}") from None

    def encoded(self, text: str) -> bytes:
        """Return ``text`` in the encoding of the file; raises WriteProblem for characters that it lacks."""
        try:
            if self.path.suffix == SUFFIX:
                text = notebook_of(self.data).with_text(text)
            data = text.encode(self.encoding)
        except (NotebookProblem, SourceProblem) as problem:
            raise WriteProblem(problem.message) from None
        except UnicodeError:
            raise WriteProblem(f"the fixed text cannot be written as {self.encoding}") from None
        # ``utf-8-sig`` removes the byte order mark on decoding and writes it again on encoding.
        assert not (self.encoding == "utf-8-sig" and not data.startswith(codecs.BOM_UTF8))
        return data


def replace_file(original: Original, text: str, within: Iterable[Path]) -> None:
    """Replace the file by ``text``, with its encoding and mode.

    A symbolic link is followed if its target lies below ``within``. At every moment the file is the old or the new
    one. Raises WriteProblem, and then nothing was changed.
    """
    data = original.encoded(text)
    target = Path(os.path.realpath(original.path))
    if not any(target.is_relative_to(os.path.realpath(path)) for path in within):
        raise WriteProblem(f"it is a symbolic link to a file outside of the linted paths: {target}")
    try:
        if not os.access(target, os.W_OK):
            raise WriteProblem("no permission to write")
        mode = stat.S_IMODE(target.stat().st_mode)
        number, name = tempfile.mkstemp(prefix=f".{target.name[:40]}.", suffix=".gblint", dir=target.parent)
    except OSError as error:
        raise WriteProblem(f"cannot be written: {reason_of(error)}") from None
    try:
        with open(number, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, mode)
        with contextlib.suppress(OSError):
            shutil.copystat(target, name)
            os.utime(name)
        if read_bytes(target) != original.data:
            raise WriteProblem("another program has changed it meanwhile")
        os.replace(name, target)
    except OSError as error:
        raise WriteProblem(f"cannot be written: {reason_of(error)}") from None
    finally:
        with contextlib.suppress(OSError):
            os.unlink(name)
