"""The cache never changes the findings, and a damaged cache is not an error."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from gblint.cache.store import MAX_ENTRIES, Cache
from gblint.config.settings import Config
from gblint.interp import Observer
from gblint.pipeline import incremental
from gblint.pipeline.lint import LintRequest, LintResult, lint
from gblint.report import json as as_json

NET = "import torch\nfrom part import f\nclass N(torch.nn.Module):\n    def forward(self, x):\n        return f(x)\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A module that breaks in a function of another one; the times of its files are old enough to be reliable."""
    folder = tmp_path / "project"
    folder.mkdir()
    write(folder / "net.py", NET)
    write(folder / "part.py", "def f(x):\n    return x.item()\n")
    return folder


@pytest.fixture
def analyses(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A list with one item for each analysis that the cache did not answer."""
    seen: list[int] = []
    whole = incremental._Analysis.run

    def look(*args: object) -> object:
        seen.append(1)
        return whole(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(incremental._Analysis, "run", look)
    return seen


def write(path: Path, text: str, *, age: int = 100) -> None:
    path.write_text(text)
    old = path.stat().st_mtime_ns - age * 1_000_000_000
    os.utime(path, ns=(old, old))


def run(project: Path, tmp_path: Path, **options: object) -> LintResult:
    config = Config(project).with_values(**options)
    return lint(LintRequest((project,)), config, cache=Cache(tmp_path / "cache"))


def lines(outcome: LintResult) -> list[tuple[str, int]]:
    return [(Path(finding.span.path).name, finding.span.line) for finding in outcome.report.findings]


def test_a_second_run_analyses_nothing(project: Path, tmp_path: Path, analyses: list[int]) -> None:
    first = run(project, tmp_path)
    second = run(project, tmp_path)
    assert len(analyses) == 1
    assert lines(first) == [("part.py", 2)]
    assert as_json.render(second.report, second.source) == as_json.render(first.report, first.source)
    assert (second.warnings, second.hidden, second.reach) == (first.warnings, first.hidden, first.reach)
    assert second.unfiltered == first.unfiltered


def test_the_selection_applies_to_cached_findings(project: Path, tmp_path: Path, analyses: list[int]) -> None:
    run(project, tmp_path)
    assert lines(run(project, tmp_path, ignore=("GBL1",))) == []
    assert len(analyses) == 1


@pytest.mark.parametrize("age", [0, 100], ids=["recent", "old"])
def test_a_change_of_the_same_length_is_noticed(project: Path, tmp_path: Path, age: int) -> None:
    write(project / "part.py", "def f(x):\n    return x.item()\n", age=age)
    assert lines(run(project, tmp_path)) == [("part.py", 2)]
    write(project / "part.py", "def f(x):\n    return x.relu()\n", age=age)
    assert lines(run(project, tmp_path)) == []


def test_a_touched_file_is_unchanged(project: Path, tmp_path: Path, analyses: list[int]) -> None:
    run(project, tmp_path)
    os.utime(project / "part.py")
    run(project, tmp_path)
    assert len(analyses) == 1


def test_a_new_file_that_shadows_another_is_noticed(project: Path, tmp_path: Path) -> None:
    write(project / "net.py", NET.replace("from part", "from inner.part"))
    (project / "inner").mkdir()
    write(project / "inner" / "part.py", "def f(x):\n    return x.item()\n")
    assert lines(run(project, tmp_path)) == [("part.py", 2)]
    (project / "inner" / "part").mkdir()
    write(project / "inner" / "part" / "__init__.py", "def f(x):\n    return x\n")
    assert lines(run(project, tmp_path)) == []


def test_a_file_that_was_missing_is_noticed(project: Path, tmp_path: Path) -> None:
    (project / "part.py").unlink()
    assert lines(run(project, tmp_path)) == []
    write(project / "part.py", "def f(x):\n    return x.item()\n")
    assert lines(run(project, tmp_path)) == [("part.py", 2)]


def test_a_new_configuration_is_noticed(project: Path, tmp_path: Path, analyses: list[int]) -> None:
    write(
        project / "train.py",
        "import torch\nfrom hydra.utils import instantiate\n"
        "def main(cfg):\n    return torch.compile(instantiate(cfg.model))\n",
    )
    (project / "conf").mkdir()

    def compiled() -> list[str]:
        return [entry.name for entry in run(project, tmp_path).report.entries if entry.kind == "call"]

    assert compiled() == []
    write(project / "conf" / "net.yaml", "model:\n  _target_: net.N\n")
    assert compiled() == ["net:N"]
    assert compiled() == ["net:N"]
    assert len(analyses) == 2
    write(project / "conf" / "net.yaml", "model:\n  _target_: torch.nn.Linear\n")
    assert compiled() == ["torch.nn.Linear"]


def test_a_changed_configuration_that_the_program_reads_is_noticed(project: Path, tmp_path: Path) -> None:
    nets = "import torch\nclass A(torch.nn.Module):\n    def forward(self, x):\n        return x.item()\n"
    write(project / "nets.py", nets + nets.replace("class A", "class B"))
    source = (
        'import json, torch, nets\nname = json.load(open("net.json"))["name"]\ntorch.compile(getattr(nets, name)())\n'
    )
    write(project / "net.py", source)
    settings = project / "net.json"

    def broken() -> list[int]:
        return [line for name, line in lines(run(project, tmp_path)) if name == "nets.py"]

    write(settings, '{"name": "A"}')
    assert broken() == [4]
    write(settings, '{"name": "B"}')
    assert broken() == [8]
    settings.unlink()
    assert broken() == [4, 8]
    write(settings, '{"name": "A"}')
    assert broken() == [4]


def test_settings_and_overlays_have_entries_of_their_own(project: Path, tmp_path: Path, analyses: list[int]) -> None:
    run(project, tmp_path)
    run(project, tmp_path, assume_entries="never")
    overlays = {project / "part.py": "def f(x):\n    return x\n"}
    outcome = lint(LintRequest((project,), overlays=overlays), Config(root=project), cache=Cache(tmp_path / "cache"))
    assert lines(outcome) == []
    assert len(analyses) == 3


def test_errors_are_cached(project: Path, tmp_path: Path, analyses: list[int]) -> None:
    write(project / "bad.py", "def\n")
    assert run(project, tmp_path).report.errors == run(project, tmp_path).report.errors != []
    assert len(analyses) == 1


def _flip(data: bytes) -> bytes:
    return data[: len(data) // 2] + bytes([data[len(data) // 2] ^ 1]) + data[len(data) // 2 + 1 :]


@pytest.mark.parametrize(
    "damage",
    [_flip, lambda data: b"", lambda data: data[:-20], lambda data: b"\xff" * 100, lambda data: b"{}\n{}"],
    ids=["flipped", "empty", "cut", "noise", "other"],
)
def test_a_damaged_entry_is_ignored(
    project: Path, tmp_path: Path, analyses: list[int], damage: Callable[[bytes], bytes]
) -> None:
    run(project, tmp_path)
    (entry,) = (tmp_path / "cache").glob("*/*")
    entry.write_bytes(damage(entry.read_bytes()))
    assert lines(run(project, tmp_path)) == [("part.py", 2)]
    assert len(analyses) == 2


def test_an_entry_of_another_form_is_ignored(project: Path, tmp_path: Path, analyses: list[int]) -> None:
    from hashlib import blake2b

    run(project, tmp_path)
    (entry,) = (tmp_path / "cache").glob("*/*")
    content = json.loads(entry.read_bytes().partition(b"\n")[2])
    content["result"] = [[[1, 2]], "x"]
    body = json.dumps(content).encode()
    entry.write_bytes(blake2b(body, digest_size=16).hexdigest().encode() + b"\n" + body)
    assert lines(run(project, tmp_path)) == [("part.py", 2)]
    assert len(analyses) == 2


def test_a_folder_that_cannot_be_created_is_no_error(project: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file")
    assert lines(run(project, tmp_path)) == [("part.py", 2)]
    assert (tmp_path / "cache").read_text() == "a file"


def test_a_full_disk_is_no_error(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def replace(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("gblint.cache.store.os.replace", replace)
    assert lines(run(project, tmp_path)) == [("part.py", 2)]
    assert list((tmp_path / "cache").glob("*/*")) == [], "nothing half written is left"


def test_concurrent_runs(project: Path, tmp_path: Path) -> None:
    found: list[object] = []
    threads = [threading.Thread(target=lambda: found.append(lines(run(project, tmp_path)))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [[("part.py", 2)]] * 4


def test_old_entries_are_removed(project: Path, tmp_path: Path) -> None:
    run(project, tmp_path)
    (entry,) = (tmp_path / "cache").glob("*/*")
    for number in range(MAX_ENTRIES + 10):
        write(entry.with_name(f"old{number}"), "", age=1000)
    run(project, tmp_path, assume_entries="never")
    left = [*entry.parent.iterdir()]
    assert len(left) == MAX_ENTRIES
    assert entry in left


def test_a_run_with_an_observer_does_not_use_it(project: Path, tmp_path: Path, analyses: list[int]) -> None:
    run(project, tmp_path)
    lint(
        LintRequest((project,)),
        Config(root=project),
        observer=Observer(),
        cache=Cache(tmp_path / "cache"),
    )
    assert len(analyses) == 2
