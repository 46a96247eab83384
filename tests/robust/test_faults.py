"""Faults from outside: each gives one clear line and the right exit status, and nothing is lost."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gblint.config.settings import Config
from gblint.pipeline.lint import LintRequest, lint
from gblint.project import modules
from gblint.runtime.mypyc import is_compiled
from gblint.values.lattice import MAX_FUNCTIONS, MAX_OBJECTS

Gblint = Callable[..., Any]
Write = Callable[..., Path]
NET = """\
import torch


@torch.compile
def f(x):
    print("a")
    return x.item()
"""
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="signals and limits of POSIX")


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "gblint", "check", "--no-cache", *arguments]


@POSIX
def test_killed_at_any_moment_while_fixing(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    for number in range(30):
        (project / f"m{number}.py").write_text(NET + f"# {number}\n" * 200)
    old = {path.name: path.read_text() for path in project.iterdir()}
    whole = tmp_path / "whole"
    shutil.copytree(project, whole)
    arguments = command("--fix", "--unsafe-fixes", "--exit-zero", "--isolated", ".")
    start = time.monotonic()
    subprocess.run(arguments, cwd=whole, capture_output=True, check=False)
    seconds = time.monotonic() - start
    new = {path.name: path.read_text() for path in whole.iterdir()}
    assert all(new[name] != text for name, text in old.items())
    chance = random.Random(0)
    for _ in range(4):
        process = subprocess.Popen(arguments, cwd=project, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # Kill it shortly after it begins to write, or at the latest when it should have finished.
        end = time.monotonic() + 2 * seconds
        while time.monotonic() < end and process.poll() is None:
            if any((project / name).read_text() != text for name, text in old.items()):
                break
            time.sleep(0.001)
        time.sleep(chance.random() * 0.005)
        process.send_signal(signal.SIGKILL)
        process.wait()
        for name, text in old.items():
            assert (project / name).read_text() in (text, new[name])
    # Files that are left over are not Python files, and do not disturb the next run, which completes the fixes.
    subprocess.run(arguments, cwd=project, capture_output=True, check=False)
    assert {path.name: path.read_text() for path in project.glob("*.py")} == new
    assert all(path.name.endswith(".gblint") for path in project.iterdir() if path.name not in old)


INTERRUPTED_IMPORT = """
import sys

class Finder:
    def find_spec(self, name, path, target=None):
        if name == "{}":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Finder())
from gblint.cli.start import main
sys.argv = ["gblint", "check", "--isolated", "--no-cache", "."]
main()
"""


@pytest.mark.parametrize("module", ["gblint.cli.fast_path", "gblint.cli.main", "gblint.pipeline.lint"])
def test_interrupted_while_it_starts(tmp_path: Path, module: str) -> None:
    (tmp_path / "net.py").write_text(NET)
    code = INTERRUPTED_IMPORT.format(module)
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr.strip()) == (130, "", "")


@POSIX
@pytest.mark.parametrize("option", ["--fix --unsafe-fixes", "--add-noqa"])
def test_a_full_disk(tmp_path: Path, option: str) -> None:
    import resource

    (tmp_path / "net.py").write_text(NET + "# more\n" * 2000)
    before = (tmp_path / "net.py").read_bytes()

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    done = subprocess.run(
        command(*option.split(), "--isolated", "."),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=limit,
    )
    assert done.returncode == 2
    assert "net.py: not" in done.stderr
    assert "Traceback" not in done.stderr
    assert (tmp_path / "net.py").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["net.py"]


@POSIX
@pytest.mark.parametrize("others", [[], ["small.py"]])
def test_the_report_is_about_the_files_as_they_are_on_a_full_disk(tmp_path: Path, others: list[str]) -> None:
    import resource

    (tmp_path / "large.py").write_text(NET + "# more\n" * 2000)
    for name in others:
        (tmp_path / name).write_text(NET)

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    shown = []
    for options, preexec in ((["--fix", "--unsafe-fixes"], limit), ([], None)):
        done = subprocess.run(
            command(*options, "--isolated", "--no-cache", "--output-format", "concise", "."),
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=preexec,
        )
        shown.append(done.stdout)
    assert shown[0] == shown[1]
    assert "large.py:" in shown[0] and "small.py:" not in shown[0]


def test_a_report_for_which_there_is_no_room(gblint: Gblint, project: Write) -> None:
    project({"net.py": NET})
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full")
    done = gblint("check", "--output-file", "/dev/full")
    assert done.status == 2
    assert "/dev/full: cannot be written" in done.err


@pytest.mark.skipif(sys.platform == "win32", reason="/dev/full")
@pytest.mark.parametrize(
    "arguments",
    [
        "check .",
        "check --diff --unsafe-fixes .",
        "check --output-format json .",
        "--version",
        "explain GBL101",
        "--help",
    ],
)
def test_standard_output_without_room(tmp_path: Path, arguments: str) -> None:
    (tmp_path / "net.py").write_text(NET)
    program = [sys.executable, "-m", "gblint", *arguments.split()]
    with open("/dev/full", "w") as full:
        done = subprocess.run(program, cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "internal error" not in done.stderr
    assert len([line for line in done.stderr.splitlines() if line.startswith("error:")]) == 1


@pytest.mark.skipif(is_compiled(), reason="the function that it puts in place of another is compiled")
@pytest.mark.parametrize("change", ["deleted", "changed", "folder"])
def test_a_file_that_changes_during_the_scan(
    gblint: Gblint, project: Write, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    root = project({"net.py": NET, "other.py": NET})
    whole = modules.read_bytes

    def read(path: Path) -> bytes:
        data = whole(path) if path.name != "other.py" else b""
        if path.name == "net.py":
            (root / "other.py").unlink(missing_ok=True)
            if change == "folder":
                (root / "other.py").mkdir(exist_ok=True)
            elif change == "changed":
                (root / "other.py").write_text("def f(:\n")
        return data or whole(path)

    monkeypatch.setattr(modules, "read_bytes", read)
    done = gblint("check", "--output-format", "json")
    assert done.status == 2
    document = json.loads(done.out)
    assert {Path(each["path"]).name for each in document["findings"]} == {"net.py"}
    assert [Path(error["path"]).name for error in document["errors"]] == ["other.py"]
    assert len([line for line in done.err.splitlines() if line.startswith("error:")]) == 1


def test_a_file_that_is_changed_before_it_is_fixed(
    gblint: Gblint, project: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gblint.fix import writer

    root = project({"net.py": NET})
    whole = writer.os.fsync

    def somebody(number: int) -> None:
        (root / "net.py").write_text("mine = 1\n")
        whole(number)

    monkeypatch.setattr(writer.os, "fsync", somebody)
    done = gblint("check", "--fix", "--unsafe-fixes")
    assert done.status == 2
    assert "net.py: not fixed: another program has changed it meanwhile" in done.err
    assert "note: fixed 0 findings" in done.err
    assert (root / "net.py").read_text() == "mine = 1\n"


@pytest.mark.parametrize("years", [-40, 40])
def test_a_clock_that_goes_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, years: int) -> None:
    from gblint.cache.store import Cache

    project = tmp_path / "project"
    project.mkdir()
    net = project / "net.py"
    cache = Cache(tmp_path / "cache")

    def lines(text: str) -> list[int]:
        net.write_text(text)
        then = time.time() + years * 31_000_000
        os.utime(net, (then, then))
        report = lint(LintRequest((project,)), Config(root=project), cache=cache).report
        return [finding.span.line for finding in report.findings]

    assert lines(NET) == [6, 7]
    # A text of the same length, with the same modification time.
    assert lines(NET.replace("x.item()", "x.relu()")) == [6]
    assert lines(NET) == [6, 7]


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="everybody may read here")
def test_what_must_not_be_read(gblint: Gblint, project: Write) -> None:
    root = project({"net.py": NET, "secret.py": NET, "closed/net.py": NET})
    (root / "secret.py").chmod(0)
    (root / "closed").chmod(0)
    try:
        done = gblint("check")
    finally:
        (root / "closed").chmod(0o755)
    assert done.status == 2
    assert "secret.py: cannot be read: permission denied" in done.err


@POSIX
def test_a_cache_that_is_read_only_or_half_written(tmp_path: Path) -> None:
    project, cache = tmp_path / "project", tmp_path / "cache"
    project.mkdir()
    (project / "net.py").write_text(NET)
    arguments = [sys.executable, "-m", "gblint", "check", "--output-format", "json", "--isolated", "."]

    def run(**environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            arguments, cwd=project, capture_output=True, text=True, check=False, env={**os.environ, **environment}
        )

    right = run(GBLINT_CACHE_DIR=str(cache))
    assert right.returncode == 1
    assert any(path.is_file() for path in cache.rglob("*"))
    for path in [path for path in cache.rglob("*") if path.is_file()]:
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    assert run(GBLINT_CACHE_DIR=str(cache)).stdout == right.stdout
    for place in ("/dev/null", "/proc/nothing", str(project / "net.py"), "/sys"):
        done = run(GBLINT_CACHE_DIR=place)
        assert (done.stdout, done.returncode, done.stderr) == (right.stdout, 1, right.stderr)


def test_a_trace_that_is_cut_short_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tests = "".join(f"    {'el' * (n > 0)}if x.shape[0] == {n}:\n        y = {n}\n" for n in range(900))
    deep = f"import torch\n\n\n@torch.compile\ndef f(x):\n{tests}    print(x)\n    return x\n"
    (tmp_path / "deep.py").write_text(deep)
    (tmp_path / "net.py").write_text(NET)
    request = LintRequest((tmp_path,))
    outcome = lint(request, Config(root=tmp_path))
    shown = [(Path(each.path).name, each.line, each.message) for each in outcome.warnings]
    if not is_compiled():  # the compiled build follows deeper nesting
        assert shown == [("deep.py", 5, "`deep:f` was not analysed completely: it is nested too deeply")]
    (tmp_path / "chain.py").write_text(
        "import torch\n\n\n@torch.compile\ndef f(x: torch.Tensor):\n    return x" + ".sum()" * 100 + ".item()\n\n\n"
        "@torch.compile\ndef g(x: torch.Tensor):\n    return x" + ".sum()" * 200 + ".item()\n\n\n"
        "def h(x: torch.Tensor, path):\n    return h(x, path + [1])\n\n\ntorch.compile(h)(torch.ones(3), [])\n"
    )
    outcome = lint(LintRequest((tmp_path / "chain.py",)), Config(root=tmp_path))
    assert [each.span.line for each in outcome.report.findings] == [6, 11]  # ``.item()`` of something unknown, too
    assert [each.message.partition(" was not analysed completely: ")[::2] for each in outcome.warnings] == [
        ("`chain:g`", f"an expression has more than 260 levels ({tmp_path}/chain.py:11)"),
        ("`chain:h`", f"`h` calls itself more than 3 times ({tmp_path}/chain.py:15)"),
    ]
    monkeypatch.setattr("gblint.interp.state.budget.MAX_STEPS", 4)
    if not is_compiled():
        outcome = lint(LintRequest((tmp_path / "net.py",)), Config(root=tmp_path))
        assert [each.message for each in outcome.warnings] == [
            "`net:f` was not analysed completely: it takes more than 4 steps"
        ]


@pytest.mark.parametrize(
    ("table", "call"),
    [
        ("[{functions}, lambda y: y.item()]", "[g(x) for g in TABLE]"),
        ("[{functions}, lambda y: y.item()]", "TABLE[len(x)](x)"),
        ("{{name: g for name, g in enumerate([{functions}, lambda y: y.item()])}}", "TABLE[len(x)](x)"),
    ],
)
def test_more_functions_than_are_followed_are_told_of(table: str, call: str, tmp_path: Path) -> None:
    made = table.format(functions=", ".join(f"lambda y: y + {n}" for n in range(70)))
    (tmp_path / "net.py").write_text(
        f"import torch\n\nTABLE = {made}\n\n\n@torch.compile\ndef f(x: torch.Tensor):\n    return {call}\n"
    )
    outcome = lint(LintRequest((tmp_path,)), Config(root=tmp_path))
    assert [each.message.partition(" was not analysed completely: ")[2] for each in outcome.warnings] == [
        f"more than {MAX_OBJECTS} objects or {MAX_FUNCTIONS} functions may be called there ({tmp_path}/net.py:8)"
    ]


def test_kinds_of_arguments(tmp_path: Path) -> None:
    """A long function is evaluated with a limited number of kinds of arguments, a short one with more."""
    calls = "".join(f"    if small('{n}') and large('{n}'):\n        x = x + 1\n" for n in range(200))
    lines = "".join(f"    n = n + '{n}'\n" for n in range(40))
    (tmp_path / "many.py").write_text(
        "import torch\n\n\ndef small(n):\n    return n is not None\n\n\n"
        f"def large(n):\n{lines}    return n\n\n\n@torch.compile\ndef f(x):\n{calls}    return x\n"
    )
    outcome = lint(LintRequest((tmp_path,)), Config(root=tmp_path))
    assert [each.message.partition(" is called ")[0].rpartition(": ")[2] for each in outcome.warnings] == ["`large`"]
