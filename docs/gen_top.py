"""Write the pages that are files at the top of the repository."""

from __future__ import annotations

from pathlib import Path

import mkdocs_gen_files

ROOT = Path(__file__).parents[1]

for name in ("CONTRIBUTING.md", "CHANGELOG.md"):
    with mkdocs_gen_files.open(name.lower(), "w") as file:
        file.write((ROOT / name).read_text(encoding="utf-8").replace("](docs/", "]("))
