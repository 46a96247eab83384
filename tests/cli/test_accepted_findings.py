"""Accepted findings: the baseline, ``--max-graph-breaks``, ``--add-noqa``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Gblint = Callable[..., Any]
Write = Callable[..., Path]
HEAD = "import torch\n\n\n@torch.compile\ndef f(x):\n"
CODE = HEAD + "    a = x.item()\n    b = x.item() + 1\n    return a + b\n"

pytestmark = pytest.mark.usefixtures("engine")


@pytest.fixture
def check(gblint: Gblint) -> Gblint:
    def run(*arguments: object) -> Any:
        return gblint("check", "--no-cache", "--extend-ignore", "GBL9", "--output-format", "concise", *arguments)

    return run


def entries(root: Path) -> list[dict[str, str]]:
    return json.loads((root / "base.json").read_text())["findings"]  # type: ignore[no-any-return]


def test_what_is_in_the_baseline_is_not_reported(check: Gblint, project: Write) -> None:
    root = project({"a.py": CODE, "sub/b.py": CODE})
    result = check("--baseline", "base.json", "--write-baseline")
    assert (result.status, result.out, result.err) == (0, "", "note: base.json has 4 findings\n")
    assert {entry["path"] for entry in entries(root)} == {"a.py", "sub/b.py"}
    result = check("--baseline", "base.json")
    assert result.status == 0
    assert "note: 4 findings not shown, because they are in the baseline base.json" in result.err
    # Lines are added above, and one break: only this break is new.
    (root / "a.py").write_text("# more\n" + CODE.replace("return", "c = x.item() - 1\n    return"))
    result = check("--baseline", "base.json")
    assert result.status == 1
    assert [line.split(" ")[0] for line in result.out.splitlines()] == ["a.py:9:9:", "Default", "Found", "All"]
    assert "; not counted: 4 in the baseline and findings that are not selected." in result.out


def test_paths_count_from_the_baseline(check: Gblint, project: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    root = project({"a.py": CODE, "sub/b.py": CODE})
    check("--baseline", "base.json", "--write-baseline")
    monkeypatch.chdir(root / "sub")
    assert check("--baseline", "../base.json", "b.py").status == 0


def test_the_configuration_may_name_it(check: Gblint, project: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    root = project({"sub/b.py": CODE, "gblint.toml": 'baseline = "base.json"\n'})
    assert "base.json: there is no such baseline" in check().err
    assert check("--write-baseline").status == 0
    monkeypatch.chdir(root / "sub")
    assert check().status == 0
    assert check("--write-baseline").status == 0
    assert len(entries(root)) == 2


def test_entries_expire(check: Gblint, project: Write) -> None:
    root = project({"a.py": CODE, "b.py": CODE, "c.py": CODE})
    check("--baseline", "base.json", "--write-baseline")
    (root / "a.py").write_text(HEAD + "    a = x.item()\n    return a\n")
    (root / "b.py").unlink()
    # The entries of files that were not linted have not expired.
    (root / "c.py").write_text(HEAD + "    return x\n")
    result = check("--baseline", "base.json", "a.py")
    assert result.status == 0
    assert [line.split(": ")[2:4] for line in result.err.splitlines() if "no longer found" in line] == [
        ["a.py", "GBL101 `x.item()` takes a number out of a tensor"],
        ["b.py", "GBL101 `x.item()` takes a number out of a tensor"],
        ["b.py", "GBL101 `x.item()` takes a number out of a tensor"],
    ]
    assert check("--baseline", "base.json", "--strict-baseline", "a.py").status == 1
    assert check("--baseline", "base.json", "--update-baseline", "--strict-baseline", "a.py").status == 0
    assert [entry["path"] for entry in entries(root)] == ["a.py", "c.py", "c.py"]
    assert check("--baseline", "base.json", "--update-baseline").status == 0
    assert [entry["path"] for entry in entries(root)] == ["a.py"]


def test_updating_adds_nothing(check: Gblint, project: Write) -> None:
    root = project({"a.py": CODE})
    check("--baseline", "base.json", "--write-baseline")
    (root / "a.py").write_text(CODE + "\n\n@torch.compile\ndef g(x):\n    return x.item()\n")
    assert check("--baseline", "base.json", "--update-baseline").status == 1
    assert len(entries(root)) == 2


def test_what_is_not_asked_for_does_not_expire(check: Gblint, project: Write) -> None:
    root = project({"a.py": CODE})
    check("--baseline", "base.json", "--write-baseline")
    assert "no more" not in check("--baseline", "base.json", "--ignore", "GBL1", "--strict-baseline").err
    assert check("--baseline", "base.json", "--entry", "a:f", "--strict-baseline").status == 0
    # If a file cannot be parsed, its entries are kept.
    (root / "a.py").write_text("def f(:\n")
    result = check("--baseline", "base.json", "--update-baseline")
    assert result.status == 2
    assert len(entries(root)) == 2


def test_a_comment_makes_an_entry_expire(check: Gblint, project: Write) -> None:
    root = project({"a.py": CODE})
    check("--baseline", "base.json", "--write-baseline")
    (root / "a.py").write_text(CODE.replace("+ 1", "+ 1  # noqa: GBL101"))
    result = check("--baseline", "base.json", "--update-baseline")
    assert (result.status, len(entries(root))) == (0, 1)


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("{", "base.json:1: not a baseline: "),
        ("[]", "base.json: not a usable baseline: no version in it"),
        ('{"version": 9}', "base.json: not a usable baseline: of version 9, which this gblint does not know"),
        ('{"version": 1, "findings": [{"path": 3}]}', "`findings` is not a list of findings"),
        ("\xff", "not a baseline"),
    ],
)
def test_a_baseline_that_cannot_be_used(check: Gblint, project: Write, text: str, printed: str) -> None:
    root = project({"a.py": CODE})
    (root / "base.json").write_bytes(text.encode("latin-1"))
    result = check("--baseline", "base.json")
    assert result.status == 2
    assert printed in result.err
    assert "Traceback" not in result.err


@pytest.mark.parametrize(
    ("arguments", "printed"),
    [
        (["--write-baseline"], "--write-baseline needs a file"),
        (["--strict-baseline"], "--strict-baseline needs a file"),
        (["--baseline", "base.json"], "base.json: there is no such baseline; --write-baseline creates it"),
        (["--baseline", "b", "--write-baseline", "--fix"], "cannot be combined with options that change"),
        (["--baseline", "b", "--write-baseline", "--confirmed-only"], "cannot be combined with options that change"),
        (["--baseline", "no/b", "--write-baseline"], "no/b: cannot be written: No such file or directory"),
        (["--add-noqa", "--fix"], "--add-noqa cannot be combined with"),
        (["--max-graph-breaks", "many"], "a number is expected, or ENTRY=NUMBER, not 'many'"),
        (["--max-graph-breaks", "a:g=1"], "there is no entry point 'a:g'; did you mean 'a:f'?"),
    ],
)
def test_what_is_refused(check: Gblint, project: Write, arguments: list[str], printed: str) -> None:
    root = project({"a.py": CODE})
    result = check(*arguments)
    assert result.status == 2
    assert printed in result.err
    assert sorted(path.name for path in root.iterdir()) == ["a.py"]


def test_so_many_graph_breaks_may_be(check: Gblint, project: Write) -> None:
    project({"a.py": CODE})
    assert check("--max-graph-breaks", "2").status == 0
    result = check("--max-graph-breaks", "1")
    assert result.status == 1
    assert "warning: 2 graph breaks, but the limit is 1" in result.err
    assert check("--max-graph-breaks", "a:f=2").status == 0
    result = check("--max-graph-breaks", "5", "--max-graph-breaks", "a:f=1")
    assert result.status == 1
    assert "warning: 2 graph breaks from a:f, but the limit is 1" in result.err
    assert check("--max-graph-breaks", "1", "--exit-zero").status == 0


def test_comments_are_written(check: Gblint, project: Write) -> None:
    root = project({"a.py": CODE.replace("+ 1", "+ 1  # noqa: E501")})
    result = check("--add-noqa")
    assert (result.status, result.out) == (0, "")
    assert result.err == "note: silenced 2 findings in 1 file\n"
    assert "a = x.item()  # noqa: GBL101\n    b = x.item() + 1  # noqa: E501, GBL101\n" in (root / "a.py").read_text()
    assert check().status == 0


def test_comments_are_written_only_for_what_is_asked(check: Gblint, project: Write) -> None:
    root = project({"a.py": CODE})
    assert "silenced 0 findings in 0 files" in check("--add-noqa", "--ignore", "GBL1").err
    assert (root / "a.py").read_text() == CODE


def test_a_file_that_cannot_be_written(check: Gblint, project: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    root = project({"a.py": CODE})
    monkeypatch.setattr("gblint.fix.writer.os.access", lambda *_: False)
    result = check("--add-noqa")
    assert result.status == 2
    assert "error: a.py: not changed: no permission to write" in result.err
    assert (root / "a.py").read_text() == CODE
