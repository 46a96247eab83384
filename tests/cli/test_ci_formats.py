"""``--output-format`` for CI, through the command."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

Gblint = Callable[..., Any]
Write = Callable[..., Path]
CODE = "import torch\n\n@torch.compile\ndef f(x):\n    return x.item() + 1\n"

pytestmark = pytest.mark.usefixtures("engine")


@pytest.fixture(autouse=True)
def nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    monkeypatch.delenv("CI_PROJECT_DIR", raising=False)
    monkeypatch.delenv("BUILD_SOURCESDIRECTORY", raising=False)


def test_documents_have_nothing_besides(gblint: Gblint, project: Write) -> None:
    project({"a.py": CODE})
    readers = {
        **dict.fromkeys(("sarif", "gitlab", "rdjson", "json-lines"), json.loads),
        "junit": ElementTree.fromstring,
        "pylint": re.compile(r"a\.py:5: \[GBL101\] .*\n").fullmatch,
    }
    for form, read in readers.items():
        result = gblint("check", "--no-cache", "--output-format", form)
        assert (result.status, result.err) == (1, "")
        assert read(result.out) is not None


def test_what_a_comment_silences_is_in_sarif(gblint: Gblint, project: Write) -> None:
    project({"a.py": CODE.replace("+ 1", "+ 1  # noqa: GBL")})
    result = gblint("check", "--no-cache", "--output-format", "sarif")
    assert result.status == 0
    (item,) = json.loads(result.out)["runs"][0]["results"]
    assert item["suppressions"] == [{"kind": "inSource", "justification": "a noqa comment"}]


def test_annotations_come_with_a_summary(gblint: Gblint, project: Write) -> None:
    project({"a.py": CODE})
    result = gblint("check", "--no-cache", "--output-format", "github")
    first, found, last = result.out.splitlines()
    assert first.startswith("::warning file=a.py,line=5,col=12,")
    assert found.startswith("Found 1 graph break in 1 file") and last == "The compiled object was analysed."
    result = gblint("check", "--no-cache", "--output-format", "azure")
    assert result.out.startswith("##vso[task.logissue type=warning;sourcepath=a.py;linenumber=5;columnnumber=12;")
    assert result.out.splitlines()[-2].startswith("Found 1 graph break in 1 file")


def test_nothing_found_is_nothing_said_line_by_line(gblint: Gblint, project: Write) -> None:
    project({"a.py": CODE.replace(".item()", "")})
    for form in ("json-lines", "pylint"):
        assert gblint("check", "--no-cache", "--output-format", form).out == ""


def test_a_report_in_a_file_is_summed_up(gblint: Gblint, project: Write) -> None:
    root = project({"a.py": CODE})
    result = gblint("check", "--no-cache", "--output-format", "sarif", "--output-file", "out.sarif")
    assert (result.status, result.out) == (1, "")
    assert result.err.startswith("note: Found 1 graph break in 1 file")
    assert json.loads((root / "out.sarif").read_text())["version"] == "2.1.0"


def test_the_configuration_may_ask_for_one(gblint: Gblint, project: Write) -> None:
    project({"a.py": CODE, "gblint.toml": 'output-format = "gitlab"\n'})
    (item,) = json.loads(gblint("check", "--no-cache").out)
    assert item["check_name"] == "GBL101"
