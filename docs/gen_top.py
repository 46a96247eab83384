"""Write the pages that are files at the top of the repository, and make links into the repository links of the site."""

from __future__ import annotations

import re
from pathlib import Path

import mkdocs_gen_files

from gblint.rules import all_rules

HERE = Path(__file__).parent
ROOT = HERE.parent
PAGES = {
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "rules/README.md": "rules/index.md",
    "gblint/knowledge/data": "ids/index.md",
    **{
        f"{rule.__class__.__module__.partition('.')[2].replace('.', '/')}.py": f"rules/{rule.code}.md"
        for rule in all_rules()
    },
}


def for_site(text: str) -> str:
    """Return a page of ``docs/`` with its links to files of the repository as links to their pages."""
    return re.sub(r"\]\(\.\./([^)#]+)", lambda link: f"]({PAGES[link[1]]}", text)


for name in ("CONTRIBUTING.md", "CHANGELOG.md"):
    with mkdocs_gen_files.open(PAGES[name], "w") as file:
        file.write((ROOT / name).read_text(encoding="utf-8").replace("](docs/", "]("))
for path in sorted(HERE.glob("*.md")):
    page = path.read_text(encoding="utf-8")
    if for_site(page) != page:
        with mkdocs_gen_files.open(path.name, "w") as file:
            file.write(for_site(page))
