"""Write the picture of a report, what gblint prints about the demo, and put it on the first page."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from pathlib import Path

import mkdocs_gen_files
from rich.console import Console
from rich.text import Text

DEMO = Path(__file__).parents[1] / "examples" / "demo"
LINES = 24
WIDTH = 118


def picture() -> str:
    """Return the start of the report on the demo as an SVG that loads nothing."""
    command = [sys.executable, "-m", "gblint", "check", "--exit-zero", "--no-cache", "."]
    environment = {**os.environ, "FORCE_COLOR": "1", "COLUMNS": str(WIDTH)}
    run = subprocess.run(command, cwd=DEMO, env=environment, capture_output=True, text=True, check=True)
    shown = "\n".join(run.stdout.splitlines()[:LINES])
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    console.print(Text("$ gblint check", style="bold"))
    console.print(Text.from_ansi(shown))
    return re.sub(r"@font-face \{.*?\}", "", console.export_svg(title="gblint"), flags=re.DOTALL)


def with_picture(page: str) -> str:
    """Return the text of the first page with the picture in front of its first output."""
    before, output, after = page.partition("```text\n")
    shown = "![What gblint prints about a small training program](assets/report.svg){ .terminal }\n\n"
    return f"{before}{shown}With `--output-format concise`:\n\n{output}{after}"


with mkdocs_gen_files.open("assets/report.svg", "w") as file:
    file.write(picture())
with mkdocs_gen_files.open("index.md", "r") as file:
    first_page = file.read()
with mkdocs_gen_files.open("index.md", "w") as file:
    file.write(with_picture(first_page))
