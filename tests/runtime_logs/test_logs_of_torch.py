"""Logs written by the installed torch: one run, read as text, as a trace, and as parts of both."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.runtime_logs.reading import found, short, tally
from tests.runtime_logs.test_command import HELPERS, NET

pytestmark = pytest.mark.slow

MAIN = """

if __name__ == "__main__":
    torch._dynamo.config.recompile_limit = 2
    for _ in range(2):
        net(torch.ones(2, 4))
    compiled = torch.compile(mode, backend="eager")
    for kind in "abcd":
        compiled(torch.ones(2), kind)
    strict(torch.ones(3))
"""
EXPECTED = {
    ("net.py", 8, "GB0170", 1),
    ("net.py", 10, "GB0059", 1),
    ("helpers.py", 2, "GB0124", 2),
    ("net.py", 13, "GB0109", 1),
    ("net.py", 23, "GB0059", 1),
    ("net.py", 17, "GB0039", 2),
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the logs of one program: ``run.log`` and ``traces``."""
    folder = tmp_path_factory.mktemp("run")
    (folder / "net.py").write_text(NET + MAIN, encoding="utf-8")
    (folder / "helpers.py").write_text(HELPERS, encoding="utf-8")
    environment = {
        **os.environ,
        "TORCH_LOGS": "+dynamo,graph_breaks,recompiles",
        "TORCH_TRACE": str(folder / "traces"),
    }
    done = subprocess.run(
        [sys.executable, "net.py"], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    (folder / "run.log").write_bytes(done.stdout)
    return folder


def test_dynamo_agrees_on_its_text(run: Path) -> None:
    assert short(found(run / "run.log")) == EXPECTED


def test_dynamo_agrees_on_the_artifacts_alone(run: Path, tmp_path: Path) -> None:
    kept = [
        line
        for line in (run / "run.log").read_bytes().splitlines(keepends=True)
        if re.search(rb"\[__(?:graph_breaks|recompiles)\]", line) or not re.match(rb"[VI]\d{4} ", line)
    ]
    (tmp_path / "run.log").write_bytes(b"".join(kept))
    assert short(found(tmp_path / "run.log")) == EXPECTED


def test_dynamo_agrees_on_its_trace(run: Path) -> None:
    assert short(found(run / "traces")) == EXPECTED
    (version,) = tally(run / "traces").versions
    assert version.startswith("2.13.")
    items = found(run / "traces")
    assert sum(item.seconds or 0 for item in items) > 0


def test_dynamo_agrees_on_stacks(run: Path) -> None:
    for log in ("run.log", "traces"):
        (item,) = (each for each in found(run / log) if each.finding.gb_ids == ("GB0124",))
        assert [(Path(link.path).name, link.line, link.function) for link in item.finding.chain][-2:] == [
            ("net.py", 11, "forward"),
            ("helpers.py", 2, "scale"),
        ]


def test_dynamo_agrees_on_a_log_cut_off_anywhere(run: Path, tmp_path: Path) -> None:
    data = (run / "run.log").read_bytes()
    path = tmp_path / "run.log"
    places = {each[:2] for each in EXPECTED}
    for place in range(1, len(data.rstrip()), max(len(data) // 60, 1)):  # a blank file is refused
        path.write_bytes(data[place:])
        assert {each[0] for each in short(found(path))} <= {name for name, _ in places}
        path.write_bytes(data[:place])
        found(path)
