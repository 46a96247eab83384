"""The pages describe options, keys and fields as the code does."""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import jsonschema
import pytest

DOCS = Path(__file__).parents[2] / "docs"
NET = """\
import torch
from torch import nn

class Net(nn.Module):
    def forward(self, x):
        for _ in range(3):
            x = x * x.sum().item()
        if x.sum() > 0:
            raise ValueError("positive")
        return x

torch.compile(Net(), fullgraph=True)
broken = torch.compile(Net())
"""


@pytest.fixture(scope="module")
def reference() -> ModuleType:
    """The script that writes the generated parts of the pages."""
    spec = importlib.util.spec_from_file_location("reference", DOCS / "reference.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_pages_are_up_to_date(reference: ModuleType) -> None:
    old = [path.name for path, text in reference.written().items() if path.read_text(encoding="utf-8") != text]
    assert not old, "run `python docs/reference.py`"


def test_every_page_is_in_the_navigation() -> None:
    listed = set(re.findall(r"([\w/.-]+\.md)", (DOCS.parent / "mkdocs.yml").read_text(encoding="utf-8")))
    assert {page.name for page in DOCS.glob("*.md")} <= listed


@pytest.mark.parametrize(
    "arguments",
    [
        ("check",),
        ("check", "--show-fixes", "--extend-select", "GBL7"),
        ("check", "--statistics", "nowhere"),
        ("check", "--entry", "net:Net", "--min-confidence", "possible"),
        ("entries",),
    ],
)
def test_documents_keep_to_the_schema(
    gblint: Callable[..., Any], project: Callable[..., Path], arguments: tuple[str, ...]
) -> None:
    project({"net.py": NET, "bad.py": "def"})
    schema = json.loads((DOCS / "gblint.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(gblint(*arguments, "--output-format", "json").out), schema)


def test_the_example_keeps_to_the_schema() -> None:
    schema = json.loads((DOCS / "gblint.schema.json").read_text(encoding="utf-8"))
    text = (DOCS / "json.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```json\n(.*?)```", text, re.DOTALL)
    jsonschema.validate(json.loads(example), schema)
