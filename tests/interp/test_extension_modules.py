"""Calls into extension modules of installed packages."""

from __future__ import annotations

from pathlib import Path

import pytest

from gblint.entrypoints.search import find_entries
from gblint.interp import new_interpreter, trace
from gblint.knowledge.catalog import load
from gblint.project.environment import Environment
from gblint.project.project import Project


@pytest.mark.parametrize(
    ("made", "called", "breaks"),
    [
        ("Tokenizer()", "encode(text)", True),
        ('Tokenizer.from_file("vocabulary.json")', "encode(text)", True),
        ("Tokenizer.from_file(path).model", "encode(text)", False),
        ("find(path)", "encode(text)", False),
    ],
    ids=["constructor", "alternative-constructor", "attribute", "function"],
)
def test_methods_of_an_object_of_an_extension_class(tmp_path: Path, made: str, called: str, breaks: bool) -> None:
    package = tmp_path / "site" / "fast"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("from .core import Tokenizer, find\n")
    (package / "core.abi3.so").write_text("")
    main = tmp_path / "project" / "main.py"
    main.parent.mkdir()
    main.write_text(
        "import torch\nfrom fast import Tokenizer, find\n\npath = 'vocabulary.json'\n"
        f"tokenizer = {made}\n\n@torch.compile\ndef f(x, text: str):\n    ids = tokenizer.{called}\n    return x + 1\n"
    )
    environment = Environment(None, (3, 12), (tmp_path / "site",))
    m = new_interpreter(Project([main.parent], root=main.parent, environment=environment), load("2.13"), {})
    found = trace(m, find_entries(m, []).entries)
    assert [reached.event.subject for reached in found] == (["fast.core.Tokenizer.encode"] if breaks else [])


def test_compiled_packages_that_are_not_installed(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(
        "import torch\nimport pywt\nfrom tokenizers import Tokenizer\n\ntokenizer = Tokenizer.from_file('v.json')\n\n"
        "@torch.compile\ndef f(x, text: str):\n    ids = tokenizer.encode(text)\n"
        "    return x + pywt.Wavelet(text).dec_len\n"
    )
    m = new_interpreter(
        Project([tmp_path], root=tmp_path, environment=Environment(None, (3, 12), ())), load("2.13"), {}
    )
    found = [(each.event.subject, each.event.confidence.value) for each in trace(m, find_entries(m, []).entries)]
    assert found == [("tokenizers.Tokenizer.encode", "likely"), ("pywt.Wavelet", "likely")]
