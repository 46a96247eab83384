"""Bad input: one clear line for each error, the right exit status, and the rest of the run goes on."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Write = Callable[..., Path]
Run = Callable[..., Any]

GOOD = "import torch\n\n\n@torch.compile\ndef f(x: torch.Tensor):\n    return x.item()\n"


def errors(result: Any) -> list[str]:
    assert "Traceback" not in result.err
    assert "internal error" not in result.err
    return [line.removeprefix("error: ") for line in result.err.splitlines()]


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        (b"x = '\xff'\n", "bad.py:1: "),
        (b"# coding: latin-1\nx = '\xff'\n", None),
        (b"# coding: klingon\nx = 1\n", "bad.py:1: "),
        (b"x = 1\n\0\n", "bad.py:2: "),
        (b"def f(:\n    pass\n", "bad.py:1: "),
        (b"x = 1\nprint 'hello'\n", "bad.py:2: "),
        (b"", None),
        (b"\xef\xbb\xbfx = 1\n", None),
        (b"import bad\nfrom bad import *\n\n\nclass A(A):\n    pass\n", None),
    ],
    ids=[
        "not UTF-8", "latin-1", "unknown coding", "null byte", "syntax error", "Python 2", "empty", "byte order mark",
        "circles",
    ],
)  # fmt: skip
def test_a_file(project: Write, gblint: Run, content: bytes, shown: str | None) -> None:
    project({"good.py": GOOD, "bad.py": content})
    result = gblint("check", "--output-format", "concise")
    if shown is None:
        assert errors(result) == []
        assert result.status == 1
    else:
        (line,) = errors(result)
        assert line.startswith(shown)
        assert result.status == 2
    assert result.out.startswith("good.py:6:12: GBL101 ")


def test_a_broken_pyproject_that_has_no_settings_is_pointed_out(project: Write, gblint: Run) -> None:
    project({"pyproject.toml": "[project\n", "good.py": GOOD, "sub/gblint.toml": "", "sub/good.py": GOOD})
    for arguments in ([], ["good.py"]):
        result = gblint("check", "--output-format", "concise", *arguments)
        assert result.err.startswith("warning: pyproject.toml:1: not valid TOML: ")
        assert (result.status, "GBL101" in result.out) == (1, True)
    assert "warning" not in gblint("check", "sub").err
    assert "warning" not in gblint("check", "--isolated").err


@pytest.mark.parametrize("deep", ["(" * 5000 + "1" + ")" * 5000, "-" * 5000 + "1", "+".join(["1"] * 5000)])
def test_a_deep_expression(project: Write, gblint: Run, deep: str) -> None:
    project({"good.py": GOOD, "bad.py": f"x = {deep}\n", "deep.py": GOOD.replace("x.item()", f"x.item() + {deep}")})
    result = gblint("check", "--output-format", "concise")
    # It depends on the version of Python which of them can be parsed.
    said = [line.removeprefix("warning: ") for line in errors(result)]
    assert {line.partition(":")[0] for line in said} <= {"bad.py", "deep.py"}
    assert len(said) <= 2
    assert "good.py:6:12: GBL101 " in result.out


def test_a_path_that_is_not_there(project: Write, gblint: Run) -> None:
    project({"good.py": GOOD})
    result = gblint("check", "good.py", "missing.py", "gone")
    assert len(errors(result)) == 2
    assert result.status == 2
    assert "GBL101" in result.out


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file(project: Write, gblint: Run) -> None:
    root = project({"good.py": GOOD, "bad.py": "x = 1\n"})
    (root / "bad.py").chmod(0)
    result = gblint("check")
    (line,) = errors(result)
    assert line.startswith("bad.py")
    assert result.status == 2
    assert "GBL101" in result.out


def test_a_circle_of_links(project: Write, gblint: Run) -> None:
    root = project({"good.py": GOOD})
    (root / "round.py").symlink_to("round.py")
    (root / "folder").symlink_to(".")
    result = gblint("check")
    assert all(line.startswith("round.py") for line in errors(result))
    assert result.out.count("GBL101") == 1


def test_a_circular_import(project: Write, gblint: Run) -> None:
    project({"a.py": "from b import *\nfrom b import y as x\n", "b.py": "from a import *\nfrom a import x as y\n",
             "good.py": "from a import x\n" + GOOD + "\n\n@torch.compile\ndef g(t):\n    return x(t)\n"})  # fmt: skip
    result = gblint("check")
    assert (errors(result), result.status) == ([], 1)


def test_a_class_that_inherits_from_itself(project: Write, gblint: Run) -> None:
    source = (
        "import torch\n\n\nclass A(B):\n    pass\n\n\nclass B(A):\n    def forward(self, x):\n        return x\n\n\n"
    )
    project({"a.py": source + "b = torch.compile(B())\n"})
    result = gblint("check")
    # As below any base class of which nothing is known, ``forward`` is traced.
    assert result.status == 0 and errors(result) == []


def test_an_entry_that_is_not_there_gets_a_suggestion(project: Write, gblint: Run) -> None:
    project({"good.py": GOOD, "net.py": "from torch import nn\n\n\nclass Network(nn.Module):\n    pass\n"})
    result = gblint("check", "--entry", "net:Netwrok", "--entry", "good:f")
    (line,) = errors(result)
    assert "net:Netwrok" in line
    assert "Network" in line
    assert result.status == 2
    assert "GBL101" in result.out


@pytest.mark.parametrize(
    "arguments",
    [("confirm", "--plan", "--entry", "a:f"), ("check", "-o", "--quiet"), ("check", "--confirmations", "--fix")],
)
def test_an_option_is_no_file(project: Write, gblint: Run, arguments: tuple[str, ...]) -> None:
    project({"good.py": GOOD})
    result = gblint(*arguments)
    assert result.status == 2
    assert f"'{arguments[2]}' is an option, not a file; a file of this name is './{arguments[2]}'" in result.err
    assert not Path(arguments[2]).exists()


def test_a_plan_without_runs_is_not_written(project: Write, gblint: Run) -> None:
    project({"good.py": GOOD})
    result = gblint("confirm", "--plan", "plan.json", "--entry", "good:missing")
    assert result.status == 2
    assert not Path("plan.json").exists()


def test_a_very_long_file(project: Write, gblint: Run) -> None:
    body = "".join(f"def f{number}(x):\n    return x + {number}\n\n\n" for number in range(12_500))
    project({"good.py": GOOD, "long.py": body})
    result = gblint("check")
    assert (errors(result), result.status) == ([], 1)


def test_errors_are_in_the_json_too(project: Write, gblint: Run) -> None:
    project({"good.py": GOOD, "bad.py": "x = (\n"})
    document = json.loads(gblint("check", "--output-format", "json").out)
    assert [(error["path"], error["line"]) for error in document["errors"]] == [("bad.py", 1)]
    assert len(document["findings"]) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="a shell that closes streams")
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_streams_that_are_closed_change_nothing_but_what_is_said(tmp_path: Path, closed: str) -> None:
    source = "import torch\n\n\n@torch.compile\ndef f(x):\n    return x.item()\n"
    (tmp_path / "one.py").write_text(source, encoding="utf-8")
    (tmp_path / "plain.py").write_text("x = 1\n", encoding="utf-8")
    for name, status in (("one.py", 1), ("plain.py", 0)):
        command = f"{shlex.quote(sys.executable)} -m gblint check --no-cache {name} {closed}"
        done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, cwd=tmp_path, check=False)
        assert done.returncode == status
        assert "Traceback" not in done.stderr and "error" not in done.stderr
        assert bool(done.stdout) == (closed == "2>&-")
