"""Write what the playground page runs, and the script with which the search works in pages opened as files."""

from __future__ import annotations

import sys
from pathlib import Path

import mkdocs_gen_files

sys.path.insert(0, str(Path(__file__).parent / "playground"))
import bundle

written = {f"playground/{name}": text for name, text in bundle.scripts()}
for name, text in {**written, "iframe-worker.js": bundle.search_shim()}.items():
    with mkdocs_gen_files.open(f"assets/{name}", "w") as file:
        file.write(text)
if not written:
    print("note: Pyodide is not installed in build/npm: the page says that there is no playground")
