"""The command ``gblint logs``: formats, comparison with a check, and errors for invalid input."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.runtime_logs.reading import SAMPLES

Run = Callable[..., Any]

TRACE = (SAMPLES / "torch-2.10-trace.log").read_bytes()
LOG = SAMPLES / "torch-2.15.txt"
NET = """\
import torch

from helpers import scale


class Net(torch.nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            x = x + 1
        print("here", x.shape)
        x = scale(x)
        for _ in range(2):
            x.tolist()
        return x


def mode(x, kind):
    return x + 1 if kind == "a" else x - 1


@torch.compile(fullgraph=True, backend="eager")
def strict(x):
    print(x.shape)
    return x


net = torch.compile(Net(), backend="eager")


@torch.compile
def never_called(x):
    return x.item()
"""
HELPERS = "def scale(x):\n    return x * x.sum().item()\n"


class Standard(io.TextIOWrapper):
    """Standard input with these bytes."""

    def __init__(self, data: bytes) -> None:
        super().__init__(io.BytesIO(data))


def test_concise(gblint: Run, project: Callable[..., Path]) -> None:
    project({"run.log": LOG.read_bytes()})
    result = gblint("logs", "run.log", "--output-format", "concise")
    assert result.status == 1
    assert (
        "/home/me/project/helpers.py:2:1: GBL101 [seen 2 times] `return x * x.sum().item()`: Unsupported Tensor.item()"
        in result.out
    )
    assert "Found 5 graph breaks (6 reports) and 1 function compiled again" in result.out
    assert "gblint check" not in result.out


def test_full(gblint: Run, project: Callable[..., Path]) -> None:
    project({"run.log": LOG.read_bytes(), "net.py": NET, "helpers.py": HELPERS})
    result = gblint("logs", "run.log")
    assert result.status == 1
    for line in (
        "net.py:8:12: GBL201 [seen 1 time] `if x.sum() > 0:`: Data-dependent branching",
        "8 |         if x.sum() > 0:",
        "  = chain: net.py:32 in <module>",
        "  = then: `forward` runs eagerly from line 13: Dynamo cannot resume in a loop",
        "  = torch: GB0170 https://meta-pytorch.github.io/compile-graph-break-site/gb/gb0170.html",
        "  = guard: kind == 'b' (2 times)",
        "  = check: predicted (GBL201)",
    ):
        assert line in result.out
    assert "Predicted, but not in this log" in result.out
    assert "net.py:32:12: GBL101 [likely] `x.item()`" in result.out
    assert "`gblint check` predicts 5 of 5 breaks; 1 more was predicted and not seen." in result.out


def test_no_comparison(gblint: Run, project: Callable[..., Path]) -> None:
    project({"run.log": LOG.read_bytes(), "net.py": NET, "helpers.py": HELPERS})
    result = gblint("logs", "--no-compare", "run.log", "--output-format", "concise")
    assert "predict" not in result.out


def test_a_break_that_is_not_predicted(gblint: Run, project: Callable[..., Path]) -> None:
    project(
        {"run.log": LOG.read_bytes(), "net.py": NET.replace("x.tolist()", "x.frob()  # noqa"), "helpers.py": HELPERS}
    )
    result = gblint("logs", "run.log", ".", "--output-format", "json")
    findings = {(each["path"], each["line"]): each for each in json.loads(result.out)["findings"]}
    assert findings["net.py", 13]["predicted"] == []
    assert findings["net.py", 13]["source_changed"] is True


def test_a_line_that_has_moved(gblint: Run, project: Callable[..., Path]) -> None:
    project({"run.log": LOG.read_bytes(), "net.py": "# first\n\n" + NET, "helpers.py": HELPERS})
    result = gblint("logs", "run.log", "--output-format", "json")
    document = json.loads(result.out)
    assert {each["line"] for each in document["findings"] if each["path"] == "net.py"} == {10, 12, 15, 19, 25}
    assert document["comparison"]["not_predicted"] == 0


def test_json(gblint: Run, project: Callable[..., Path]) -> None:
    project({"run.log": b"".join(b"[rank1]:" + line for line in LOG.read_bytes().splitlines(keepends=True))})
    document = json.loads(gblint("logs", "run.log", "--output-format", "json").out)
    assert document["version"] == 1
    assert document["comparison"] is None
    assert document["log"] == {"sources": 1, "records": 10, "ranks": [1], "torch_versions": []}
    found = next(each for each in document["findings"] if each["gb_ids"] == ["GB0124"])
    assert (found["count"], found["ranks"], found["compile_s"], found["predicted"]) == (2, [1], None, None)
    assert found["logged"] == {"path": "/home/me/project/helpers.py", "line": 2, "function": "scale"}
    assert found["torch_message"][1].startswith("Unsupported Tensor.item()")
    assert found["advice"]
    limit = next(each for each in document["findings"] if each["recompile_limit"])
    assert (limit["category"], limit["guards"]) == ("recompile", [{"guard": "kind == 'b'", "count": 2}])


def test_times_of_a_trace(gblint: Run) -> None:
    result = gblint("logs", "--no-compare", SAMPLES / "torch-2.10-trace.log")
    assert "Compile time, " in result.out
    assert "by torch 2.10.0" in result.out
    document = json.loads(gblint("logs", SAMPLES / "torch-2.10-trace.log", "--output-format", "json").out)
    assert document["torch_version"].startswith("2.10.0")
    assert document["frames"][0]["compile_s"] > 0


@pytest.mark.parametrize("packed", [False, True])
def test_standard_input(gblint: Run, monkeypatch: pytest.MonkeyPatch, packed: bool) -> None:
    data = LOG.read_bytes()
    monkeypatch.setattr(sys, "stdin", Standard(gzip.compress(data) if packed else data))
    result = gblint("logs", "-", "--no-compare", "--output-format", "concise")
    assert (result.status, result.out.count("seen")) == (1, 6)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe(gblint: Run, project: Callable[..., Path]) -> None:
    pipe = project({}) / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(LOG.read_bytes(),))
    writer.start()
    result = gblint("logs", pipe, "--no-compare", "--output-format", "concise")
    writer.join()
    assert (result.status, result.out.count("seen")) == (1, 6)


def test_standard_input_cannot_be_both(gblint: Run) -> None:
    result = gblint("logs", "-", "-")
    assert (result.status, result.err.count("\n")) == (2, 1)


def test_exit_zero(gblint: Run) -> None:
    assert gblint("logs", LOG, "--no-compare", "--exit-zero").status == 0


def test_a_log_without_records_of_torch(gblint: Run, project: Callable[..., Path]) -> None:
    project({"run.log": "loss 0.1\n"})
    result = gblint("logs", "run.log")
    assert result.status == 0
    assert "it has no records of Dynamo" in result.err
    assert result.out == "No graph breaks and no recompiles in 1 log.\n"


@pytest.mark.parametrize(
    ("files", "log", "message"),
    [
        ({}, "nope.log", "nope.log: no such file or directory"),
        ({"run.log": ""}, "run.log", "run.log: the file is empty"),
        ({"run.log": " \n\n"}, "run.log", "run.log: the file is empty"),
        ({"model.pt": b"PK\x03\x04\x00\x00data"}, "model.pt", "model.pt: a binary file, not a log"),
        ({"run.gz": b"\x1f\x8bnot packed"}, "run.gz", "run.gz: a binary file, not a log"),
        ({"sub/readme.md": "x"}, "sub", "sub: no trace or log of torch in this folder"),
    ],
)
def test_bad_input(
    gblint: Run, project: Callable[..., Path], files: dict[str, str | bytes], log: str, message: str
) -> None:
    project(files)
    result = gblint("logs", log)
    assert result.status == 2
    assert result.err.startswith(f"error: {message}")
    assert result.err.count("\n") == 1
    assert result.out == ""


def test_a_truncated_compressed_log(gblint: Run, project: Callable[..., Path]) -> None:
    data = gzip.compress(LOG.read_bytes())
    project({"run.log.gz": data[: len(data) - 300]})
    result = gblint("logs", "run.log.gz", "--output-format", "concise")
    assert result.status == 1
    assert "warning: run.log.gz: the compressed file is truncated or damaged" in result.err


def test_an_output_file(gblint: Run, project: Callable[..., Path]) -> None:
    root = project({"run.log": LOG.read_bytes()})
    assert gblint("logs", "run.log", "--output-file", "out.txt").out == ""
    assert "GBL101" in (root / "out.txt").read_text(encoding="utf-8")


def test_control_characters_are_neutralized(gblint: Run, project: Callable[..., Path]) -> None:
    project({"run.log": "Graph break in user code at /p/\x07net.py:3\nGraph Break Reason: \x9b31mred\u202e\n"})
    result = gblint("logs", "run.log")
    assert result.status == 1
    assert not {"\x07", "\x9b", "\u202e"} & set(result.out)


def test_only_files_of_python_are_quoted(gblint: Run, project: Callable[..., Path]) -> None:
    reason = "Graph Break Reason: Unsupported Tensor.item() call"
    folder = project({"key.pem": "secret\n", "net.py": "x.item()\n"})
    places = "".join(f"Graph break in user code at {folder / name}:1\n{reason}\n" for name in ("key.pem", "net.py"))
    project({"run.log": places})
    result = gblint("logs", "run.log")
    assert "key.pem:1" in result.out and "secret" not in result.out
    assert "1 | x.item()" in result.out


def test_the_documentation_shows_the_output(gblint: Run, project: Callable[..., Path]) -> None:
    page = (Path(__file__).parents[2] / "docs" / "logs.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```console\n(.*?)```", page, re.DOTALL)
    project({"run.log": LOG.read_bytes(), "run.log.gz": gzip.compress(LOG.read_bytes())})
    project({"src/net.py": NET, "src/helpers.py": HELPERS, "traces/x.log": TRACE, "tl_out/raw.log": TRACE})
    for line in blocks[0].splitlines():
        command = line.partition("#")[0].split("gblint logs ")[1].split()
        if command != ["-"]:
            assert gblint("logs", *command).status == 1, line
    project({"net.py": NET, "helpers.py": HELPERS})
    command, _, output = blocks[1].partition("\n")
    assert gblint("logs", *command.split()[3:], "net.py", "helpers.py").out == output
