"""Overlays: files that are imported with other text than they contain."""

from __future__ import annotations

import functools
import linecache
import os
from collections.abc import Mapping
from importlib.machinery import SourceFileLoader
from types import CodeType
from typing import Any


def install(texts: Mapping[str, str]) -> None:
    """Make imports of these files run the given text instead, and show it in tracebacks and ``inspect``.

    No byte code is read or written for these files.
    """
    if not texts:
        return
    overlay_texts = {os.path.realpath(path): text for path, text in texts.items()}
    get_code: Any = SourceFileLoader.get_code
    get_data: Any = SourceFileLoader.get_data

    @functools.wraps(get_code)
    def code_of(self: SourceFileLoader, fullname: str) -> CodeType | None:
        path = self.get_filename(fullname)
        text = overlay_texts.get(os.path.realpath(path))
        if text is None:
            return get_code(self, fullname)  # type: ignore[no-any-return]
        lines = text.splitlines(keepends=True)
        # Without a modification time linecache never compares the entry with the file.
        linecache.cache[path] = (len(text), None, lines, path)
        # compile() ignores an encoding declaration in a string, unlike in bytes.
        return compile(text, path, "exec", dont_inherit=True)

    @functools.wraps(get_data)
    def data_of(self: SourceFileLoader, path: str) -> bytes:
        text = overlay_texts.get(os.path.realpath(path))
        return get_data(self, path) if text is None else text.encode("utf-8", "surrogatepass")

    loader: Any = SourceFileLoader
    loader.get_code, loader.get_data = code_of, data_of
