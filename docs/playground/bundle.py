"""Pyodide and gblint as scripts for the playground: a page that was opened as a file can load nothing else."""

from __future__ import annotations

import base64
import gzip
import importlib.util
import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PACKAGES = ROOT / "build" / "npm" / "node_modules"  # `make docs` installs package.json there
PYODIDE = ("pyodide.js", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
DEPENDENCIES = ("click", "packaging", "platformdirs")  # the packages that a check imports; all are plain Python


def scripts() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each script; nothing if Pyodide is not installed."""
    folder = PACKAGES / "pyodide"
    if folder.is_dir():
        yield "pyodide.js", _script({name: (folder / name).read_bytes() for name in PYODIDE})
        yield "gblint.js", _script({"gblint.zip": _archive()})


def search_shim() -> str:
    """Return a script for pages opened as files: their search runs in a frame, since browsers refuse them workers."""
    shim = PACKAGES / "iframe-worker" / "shim" / "index.js"
    return "window.BrowserWorker = window.Worker;\n" + (shim.read_text(encoding="utf-8") if shim.is_file() else "")


def _sources() -> Iterator[tuple[Path, str]]:
    """Yield the files of gblint and of its dependencies, each with its path in the archive."""
    folders = [(ROOT / "gblint", "gblint"), (ROOT / "rules", "gblint/rules")]
    for name in DEPENDENCIES:
        spec = importlib.util.find_spec(name)
        assert spec is not None and spec.origin is not None, name
        folders.append((Path(spec.origin).parent, name))
    for folder, name in folders:
        for path in sorted(folder.rglob("*")):
            if path.suffix in (".py", ".json") and "__pycache__" not in path.parts:
                yield path, f"{name}/{path.relative_to(folder).as_posix()}"
    yield HERE / "check.py", "playground_check.py"


def _archive() -> bytes:
    """Return the sources as a zip archive; the times in it are fixed, so that equal sources make equal bytes."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as made:
        for path, name in _sources():
            made.writestr(zipfile.ZipInfo(name), path.read_bytes(), zipfile.ZIP_DEFLATED)
    return written.getvalue()


def _script(files: dict[str, bytes]) -> str:
    """Return a script that gives files to the page, each compressed by gzip and in base64."""
    packed = {name: base64.b64encode(gzip.compress(data, mtime=0)).decode() for name, data in files.items()}
    return f"gblintPlayground.receive({json.dumps(packed)});\n"
