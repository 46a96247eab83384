from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gblint.knowledge.versions import available_versions

Write = Callable[..., Path]
Run = Callable[..., Any]

OLDEST, *_, NEWEST = available_versions()
BREAKS = "import torch\n\n\n@torch.compile\ndef f(x):\n    return x.item()\n"
CLEAN = "import torch\n\n\n@torch.compile\ndef f(x):\n    return x + 1\n"

pytestmark = pytest.mark.usefixtures("engine")


def test_findings(project: Write, gblint: Run) -> None:
    project({"a.py": BREAKS})
    result = gblint("check")
    assert result.status == 1
    assert result.out.splitlines()[0] == "a.py:6:12: GBL101 [certain] `x.item()` takes a number out of a tensor"
    assert result.out.splitlines()[-3:] == [
        "Default run: a graph break on 1 line (certain), in every call.",
        "Found 1 graph break in 1 file, reached from 1 entry point (a:f).",
        "The compiled object was analysed.",
    ]
    assert result.err == ""


def test_nothing_found(project: Write, gblint: Run) -> None:
    project({"a.py": CLEAN})
    result = gblint("check", ".")
    found = "No graph breaks found from 1 entry point (a:f) in 1 file.\nThe compiled object was analysed.\n"
    assert (result.status, result.out) == (0, found)


def test_concise(project: Write, gblint: Run) -> None:
    project({"a.py": BREAKS})
    assert len(gblint("check", "--output-format", "concise").out.splitlines()) == 4


def test_the_sentence_on_a_default_run_names_what_it_leaves_out(project: Write, gblint: Run) -> None:
    project(
        {"a.py": BREAKS.replace("return", "x.item()\n    return").replace("n x.item()", "n x.item()  # noqa: GBL101")}
    )
    first = "Default run: a graph break on 1 line (certain), in every call; not counted: 1 silenced"
    assert f"{first}.\n" in gblint("check").out
    assert f"{first} and findings that are not selected.\n" in gblint("check", "--select", "GBL1").out
    assert "Default run" not in gblint("check", "--output-format", "github").out
    assert "Default run" not in gblint("check", "--statistics").out
    assert "Default run" not in gblint("check", "--select", "GBL7").out


def test_json(project: Write, gblint: Run) -> None:
    project({"a.py": BREAKS, "bad.py": "x = (\n"})
    result = gblint("check", "--output-format", "json", "--statistics")
    document = json.loads(result.out)
    assert result.status == 2
    assert [item["code"] for item in document["findings"]] == ["GBL101"]
    assert [item["path"] for item in document["errors"]] == ["bad.py"]
    assert document["statistics"] == [{"code": "GBL101", "rule": "tensor-item", "count": 1}]


def test_exit_zero(project: Write, gblint: Run) -> None:
    project({"a.py": BREAKS})
    assert gblint("check", "--exit-zero").status == 0


def test_statistics(project: Write, gblint: Run) -> None:
    project({"a.py": BREAKS + "    x.item()\n"})
    assert gblint("check", "--statistics").out.splitlines()[0] == "2  GBL101  tensor-item"


@pytest.mark.parametrize(
    ("options", "count"),
    [
        ([], 1),
        (["--select", "GBL1"], 1),
        (["--select", "GBL2"], 0),
        (["--select", "GBL2", "--extend-select", "GBL101"], 1),
        (["--ignore", "GBL1"], 0),
        (["--ignore", "GBL1", "--select", "GBL101"], 1),
        (["--extend-ignore", "GBL2,GBL101"], 0),
        (["--select", "ALL"], 1),
        (["--select", "gbl101"], 1),
    ],
)
def test_selection(project: Write, gblint: Run, options: list[str], count: int) -> None:
    project({"a.py": BREAKS})
    result = gblint("check", "--output-format", "json", *options)
    assert len(json.loads(result.out)["findings"]) == count
    assert result.status == (1 if count else 0)


def test_an_unknown_code_is_one_line_and_the_rest_goes_on(project: Write, gblint: Run) -> None:
    project({"a.py": BREAKS})
    result = gblint("check", "--select", "GBL101,GBL10Z")
    assert result.status == 2
    assert result.err.startswith("error: --select: no rule has the code 'GBL10Z'; did you mean 'GBL10")
    assert result.err.count("\n") == 1
    assert "GBL101 [certain]" in result.out


def test_an_unknown_code_in_the_configuration_has_its_line(project: Write, gblint: Run) -> None:
    project(
        {
            "a.py": BREAKS,
            "gblint.toml": 'src = ["."]\nignore = ["E501"]\n[per-file-ignores]\n"b.py" = ["GBLX"]\n',
        }
    )
    result = gblint("check")
    assert result.status == 2
    assert result.err.splitlines() == [
        "error: gblint.toml:2: ignore: no rule has the code 'E501'",
        "error: gblint.toml:4: per-file-ignores: no rule has the code 'GBLX'",
    ]


def test_noqa(project: Write, gblint: Run) -> None:
    text = BREAKS.rstrip("\n")
    project({"a.py": text + "  # noqa: GBL101\n", "b.py": text + "  # noqa: GBL999\n"})
    result = gblint("check", "--output-format", "concise")
    assert result.status == 1
    assert result.out.startswith("b.py:6:12: GBL101")
    assert result.err.startswith("warning: b.py:6: noqa: no rule has the code 'GBL999'")


def test_per_file_ignores(project: Write, gblint: Run) -> None:
    project({"a.py": BREAKS, "tests/b.py": BREAKS, "gblint.toml": '[per-file-ignores]\n"tests/*" = ["GBL1"]\n'})
    result = gblint("check", "--output-format", "concise")
    assert [line.split(":")[0] for line in result.out.splitlines()[:-3]] == ["a.py"]


def test_less_certain_findings_are_hidden_and_counted(project: Write, gblint: Run) -> None:
    project({"a.py": BREAKS + "    maybe = x.item()\n"})
    assert "1 less certain finding hidden" in gblint("check").out
    shown = gblint("check", "--min-confidence", "possible")
    assert "GBL101 [possible]" in shown.out
    assert "hidden" not in shown.out


def test_fullgraph_raises(project: Write, gblint: Run) -> None:
    project({"a.py": BREAKS.replace("torch.compile", "torch.compile(fullgraph=True)")})
    finding = json.loads(gblint("check", "--output-format", "json").out)["findings"][0]
    assert finding["severity"] == "error"


def test_entries_come_from_options_a_file_and_the_configuration(project: Write, gblint: Run, engine: Any) -> None:
    project(
        {
            "a.py": CLEAN,
            "entries.txt": "# models\nm:B\n\nm:C  # the big one\nm:A\n",
            "gblint.toml": 'entries = ["m:D"]\nassume-entries = "never"\n[pins]\n"m:P.x" = "m:X"\n',
        }
    )
    assert gblint("check", "--entry", "m:A", "--entries-file", "entries.txt").status == 0
    assert engine.requested == ("m:D", "m:A", "m:B", "m:C")
    assert engine.pins == {"m:P.x": ("m:X",)}
    assert engine.assume == "never"


def test_an_entry_that_does_not_exist(project: Write, gblint: Run) -> None:
    project({"a.py": BREAKS})
    result = gblint("check", "--entry", "nope:Net")
    assert result.status == 2
    assert result.err == "error: nope:Net: no entry point 'nope:Net'\n"
    assert "GBL101" in result.out


def test_a_file_named_with_config(project: Write, gblint: Run) -> None:
    project({"a.py": BREAKS, "conf/x.toml": 'ignore = ["GBL1"]\n', "gblint.toml": "nonsense = 1\n"})
    assert gblint("check", "--config", "conf/x.toml").status == 0


def test_a_refused_configuration_ends_the_run(project: Write, gblint: Run) -> None:
    project({"a.py": BREAKS, "gblint.toml": "folow = []\nselect = 1\n"})
    result = gblint("check")
    assert (result.status, result.out) == (2, "")
    assert result.err.splitlines() == [
        "error: gblint.toml:1: unknown key 'folow'; did you mean 'follow'?",
        "error: gblint.toml:2: select: a list of strings is expected, not a number",
    ]


def test_a_broken_file_that_was_found_is_passed_over(project: Write, gblint: Run) -> None:
    project({"a.py": BREAKS, "pyproject.toml": "[tool.gblint\n"})
    result = gblint("check")
    assert result.status == 2
    assert result.err.startswith("error: pyproject.toml:1: not valid TOML: ")
    assert result.err.endswith("; its settings are not used\n")
    assert result.err.count("\n") == 1
    assert "GBL101" in result.out


@pytest.mark.parametrize("content", ["[tool.gblint\n", None])
def test_a_broken_file_that_was_named_ends_the_run(project: Write, gblint: Run, content: str | None) -> None:
    project({"a.py": BREAKS, **({"c.toml": content} if content else {})})
    result = gblint("check", "--config", "c.toml")
    assert (result.status, result.out, result.err.count("\n")) == (2, "", 1)
    assert result.err.startswith("error: c.toml")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--min-confidence", "sure"], "Invalid value for '--min-confidence'"),
        (["--torch-version", "new"], 'a torch version such as "2.13" is expected'),
        (["--selct", "GBL1"], "No such option"),
        (["--select", ","], "a comma-separated list is expected"),
        (["--python", "/no/such/python"], "--python: "),
        (["--entries-file", "no.txt"], "no.txt: cannot be read"),
    ],
)
def test_bad_usage(project: Write, gblint: Run, arguments: list[str], message: str) -> None:
    project({"a.py": BREAKS})
    result = gblint("check", *arguments)
    assert (result.status, result.out) == (2, "")
    assert message in result.err
    assert result.err.count("\n") == 1


@pytest.mark.parametrize(
    ("asked", "used"),
    [("2.13", "2.13"), ("2.13.0", "2.13"), ("2.13.1+cu126", "2.13"), ("2.10.0", "2.10"), ("2.15.0a0+git12", "2.15")],
)
def test_versions_of_torch(project: Write, gblint: Run, asked: str, used: str) -> None:
    project({"a.py": BREAKS})
    result = gblint("check", "--torch-version", asked, "--output-format", "json")
    assert (result.status, result.err) == (1, "")
    assert json.loads(result.out)["torch_version"] == used


def test_the_configured_torch(project: Write, gblint: Run) -> None:
    project({"a.py": BREAKS, "gblint.toml": 'torch-version = "2.10"\n'})
    result = gblint("check", "--output-format", "json")
    assert json.loads(result.out)["torch_version"] == "2.10"


def test_a_torch_without_data_is_noted_and_the_nearest_is_used(project: Write, gblint: Run) -> None:
    project({"a.py": BREAKS})
    result = gblint("check", "--torch-version", "2.99", "--output-format", "json")
    assert result.status == 1
    assert result.err.startswith("note: torch 2.99 is asked for")
    assert result.err.count("\n") == 1
    assert json.loads(result.out)["torch_version"] == NEWEST


def test_a_torch_older_than_all_data_is_refused(project: Write, gblint: Run) -> None:
    project({"a.py": BREAKS})
    result = gblint("check", "--torch-version", "1.13")
    assert (result.status, result.out) == (2, "")
    assert result.err == f"error: --torch-version: torch 1.13 is not known: there is torch {OLDEST} and later\n"


@pytest.mark.parametrize(("installed", "used"), [("2.10.1", "2.10"), ("2.99.0", NEWEST), ("1.4.0", OLDEST)])
def test_the_torch_of_the_environment(project: Write, gblint: Run, installed: str, used: str) -> None:
    site = "venv/lib/python3.11/site-packages"
    project({"a.py": BREAKS, "venv/pyvenv.cfg": "", f"{site}/torch-{installed}.dist-info/METADATA": ""})
    result = gblint("check", "a.py", "--python", "venv", "--output-format", "json")
    assert json.loads(result.out)["torch_version"] == used
    assert ("is installed" in result.err) == (not installed.startswith(used))


def test_missing_paths_are_named(project: Write, gblint: Run) -> None:
    project({"a.py": BREAKS})
    result = gblint("check", "a.py", "nope.py")
    assert result.status == 2
    assert result.err.count("nope.py") == result.err.count("\n") == 1
    assert "GBL101" in result.out


def test_a_fault_of_ours_costs_one_entry_point(project: Write, gblint: Run, engine: Any) -> None:
    project({"a.py": BREAKS, "b.py": BREAKS})
    engine.fails_on = "b:f"
    result = gblint("check")
    assert result.status == 2
    assert result.err == "error: b.py:4: internal error while tracing b:f: RecursionError: too deep\n"
    assert "a.py:6:12: GBL101" in result.out


def test_output_file(project: Write, gblint: Run) -> None:
    root = project({"a.py": BREAKS})
    result = gblint("check", "--output-file", "out.txt")
    assert (result.status, result.out) == (1, "")
    assert "GBL101" in (root / "out.txt").read_text()
    assert "cannot be written" in gblint("check", "--output-file", "no/out.txt").err


def test_standard_input(project: Write, gblint: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    project({"pkg/a.py": CLEAN})
    for name in ("pkg/a.py", "pkg/new.py"):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(BREAKS.encode())))
        result = gblint("check", "-", "--stdin-filename", name)
        assert result.status == 1
        assert result.out.startswith(f"{Path(name)}:6:12: GBL101")
        assert "    return x.item()" in result.out


def test_standard_input_that_is_no_text(project: Write, gblint: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    project({})
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff\xfe")))
    result = gblint("check", "-")
    assert (result.status, result.out, result.err.count("\n")) == (2, "", 1)


@pytest.mark.skipif(os.name == "nt", reason="such names cannot be made there")
def test_names_cannot_play_with_the_terminal(project: Write, gblint: Run) -> None:
    project({"a\x1b[31m.py": BREAKS})
    result = gblint("check")
    assert "\x1b" not in result.out + result.err
    assert result.out.startswith("a\\x1b[31m.py:6:12")


def test_colours(project: Write, gblint: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    project({"a.py": BREAKS})
    assert "\x1b" not in gblint("check").out
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[1;31mGBL101" in gblint("check").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in gblint("check").out


def test_the_same_twice(project: Write, gblint: Run) -> None:
    project({f"{name}.py": BREAKS for name in "dbca"})
    first, second = gblint("check"), gblint("check")
    assert first == second
    paths = [line.split(":")[0] for line in first.out.splitlines() if ": GBL101" in line]
    assert paths == ["a.py", "b.py", "c.py", "d.py"]
