"""Write the first page with buttons, cards, and a picture of a report instead of its text."""

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
PARTS = 3  # the sentence on a default run, and two findings
WIDTH = 118
BUTTONS = (
    "[Start in five minutes](tutorial.md){ .md-button .md-button--primary } "
    "[Try it in the browser](playground.md){ .md-button } [Rules](rules/index.md){ .md-button }"
)
PICTURE = "![The output of gblint for a small training program](assets/report.svg){ .terminal }"


def picture() -> str:
    """Return the start of the report on the demo as an SVG that loads nothing."""
    command = [sys.executable, "-m", "gblint", "check", "--exit-zero", "--no-cache", "."]
    environment = {**os.environ, "FORCE_COLOR": "1", "COLUMNS": str(WIDTH)}
    run = subprocess.run(command, cwd=DEMO, env=environment, capture_output=True, text=True, check=True)
    shown = "\n\n".join(run.stdout.split("\n\n")[:PARTS])
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    console.print(Text("$ gblint check", style="bold"))
    console.print(Text.from_ansi(shown))
    return re.sub(r"@font-face \{.*?\}", "", console.export_svg(title="gblint"), flags=re.DOTALL)


def first_page(page: str) -> str:
    """Return the text of the first page with its buttons, its picture and its cards."""
    start, install, output = re.split(r"(?=```console\n|```text\n)", page, maxsplit=2)
    after = output.partition("\n```\n")[2]  # the picture shows more than the text
    text, heading, cards = after.partition("## Where to go\n")
    shown = f'<div class="wide" markdown>\n{PICTURE}\n</div>\n'
    return f'{start}{BUTTONS}\n\n{install}{shown}{text}{heading}\n<div class="grid cards" markdown>\n{cards}\n</div>\n'


with mkdocs_gen_files.open("assets/report.svg", "w") as file:
    file.write(picture())
with mkdocs_gen_files.open("index.md", "r") as file:
    page = file.read()
with mkdocs_gen_files.open("index.md", "w") as file:
    file.write(first_page(page))
