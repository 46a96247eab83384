"""Files that are imported with another text than they have, while they stay as they are."""

from __future__ import annotations

import functools
import linecache
import os
from collections.abc import Mapping
from importlib.machinery import SourceFileLoader
from types import CodeType
from typing import Any


def install(texts: Mapping[str, str]) -> None:
    """From now on, importing one of these files runs the text given for it, and tracebacks and ``inspect`` show that.

    No byte code is read or written for them.
    """
    if not texts:
        return
    real = {os.path.realpath(path): text for path, text in texts.items()}
    get_code: Any = SourceFileLoader.get_code
    get_data: Any = SourceFileLoader.get_data

    @functools.wraps(get_code)
    def code_of(self: SourceFileLoader, fullname: str) -> CodeType | None:
        path = self.get_filename(fullname)
        text = real.get(os.path.realpath(path))
        if text is None:
            return get_code(self, fullname)  # type: ignore[no-any-return]
        lines = text.splitlines(keepends=True)
        # Without a time of change the cache of lines is never compared with the file.
        linecache.cache[path] = (len(text), None, lines, path)
        # A text, unlike bytes, is taken without the encoding that it declares.
        return compile(text, path, "exec", dont_inherit=True)

    @functools.wraps(get_data)
    def data_of(self: SourceFileLoader, path: str) -> bytes:
        text = real.get(os.path.realpath(path))
        return get_data(self, path) if text is None else text.encode("utf-8", "surrogatepass")

    loader: Any = SourceFileLoader
    loader.get_code, loader.get_data = code_of, data_of
