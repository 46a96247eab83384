"""The benchmark on whole repositories: scores of small reports, and clones."""

from __future__ import annotations

import io
import json
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest

from benchmarks.wild import clones, records
from benchmarks.wild.__main__ import main
from benchmarks.wild.records import CompilePlace, JudgedFinding
from benchmarks.wild.score import relative, score


def judged(path: str, line: int, *, holds: bool) -> JudgedFinding:
    return JudgedFinding("owner/name", "c0ffee", path, line, "GBL101", holds, "run", "")


def finding(path: str, line: int, confidence: str) -> dict[str, Any]:
    return {"path": path, "line": line, "confidence": confidence}


def test_findings() -> None:
    report = {
        "findings": [
            finding("a.py", 1, "certain"),
            finding("a.py", 2, "possible"),
            finding("a.py", 3, "likely"),
            finding("a.py", 9, "likely"),
        ],
        "entries": [],
    }
    known = [judged("a.py", 1, holds=True), judged("a.py", 2, holds=True), judged("a.py", 3, holds=False)]
    result = score(report, known, [])
    assert (result.kept, result.true, result.false, result.refuted, result.unjudged) == (1, 2, 1, 1, 1)
    assert (result.certain_true, result.certain) == (1, 1)
    assert result.precision == 0.5
    assert [note.split()[0] for note in result.notes] == ["lost", "false"]


def test_one_true_finding_makes_a_true_place() -> None:
    known = [judged("a.py", 1, holds=False), judged("a.py", 1, holds=True)]
    assert score({"findings": [], "entries": []}, known, []).true == 1


def test_places_that_compile() -> None:
    places = [
        CompilePlace("owner/name", "c0ffee", "a.py", line, target)
        for line, target in [(1, "pkg.Net"), (5, "step"), (8, "pkg.Other"), (20, "given by the user")]
    ]
    report = {
        "findings": [],
        "entries": [
            {"path": "a.py", "line": 1, "name": "pkg.nets:Net"},
            {"path": "a.py", "line": 7, "name": "pkg:step"},
            {"path": "a.py", "line": 8, "name": "pkg:Wrong"},
        ],
        "unresolved": [{"path": "a.py", "line": 20}],
    }
    result = score(report, [], places)
    assert (result.compiled, result.resolved, result.told) == (4, 2, 1)
    assert [note.split()[0] for note in result.notes] == ["silent"]


def test_path_in_a_package() -> None:
    assert relative("/env/lib/python3.11/site-packages/diffusers/a.py") == "diffusers/a.py"
    assert relative("src/a.py") == "src/a.py"


def test_the_records_can_be_read() -> None:
    assert len(records.findings()) > 300
    assert len(records.places()) > 300
    assert not [each.path for each in records.findings() if each.path.startswith("/")]


@pytest.fixture
def repository(tmp_path: Path) -> tuple[Path, str]:
    """Return a repository with one finding, and its commit."""
    folder = tmp_path / "origin"
    folder.mkdir()
    (folder / "a.py").write_text(
        "import torch\n\n@torch.compile\ndef f(x: torch.Tensor):\n    print(x)\n    return x\n"
    )
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    for step in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run([*git, *step], cwd=folder, check=True)
    return folder, clones.commit_of(folder)


def test_a_run(tmp_path: Path, repository: tuple[Path, str], capsys: pytest.CaptureFixture[str]) -> None:
    folder, commit = repository
    line = {"repository": "owner/name", "commit": commit, "path": "a.py", "line": 5, "code": "GBL401"}
    findings, places = tmp_path / "findings.jsonl", tmp_path / "places.jsonl"
    findings.write_text(json.dumps({**line, "verdict": "true", "how": "run"}) + "\n")
    places.write_text(json.dumps({**line, "line": 3, "target": "f"}).replace(', "code": "GBL401"', "") + "\n")
    arguments = ["--clones", str(tmp_path / "clones"), "--findings", str(findings), "--places", str(places)]
    assert main([*arguments]) == 2
    assert "no clone of" in capsys.readouterr().err
    assert main([*arguments, "--fetch", "--source", folder.as_uri(), "--check", "0.9"]) == 0
    out = capsys.readouterr().out
    assert "1/1" in out
    assert "precision 1.000" in out
    assert main([*arguments, "--fetch", "--source", str(tmp_path / "nowhere"), "--findings", str(findings)]) == 0


def test_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The sources of a package are unpacked without their outer folder, and linted."""
    archive, content = io.BytesIO(), b"import torch\n@torch.compile\ndef f(x):\n    print(x)\n    return x\n"
    with tarfile.open(fileobj=archive, mode="w:gz") as made:
        for name, data in (("net-1.0/PKG-INFO", b"Name: net\nVersion: 1.0\n"), ("net-1.0/net.py", content)):
            member = tarfile.TarInfo(name)
            member.size = len(data)
            made.addfile(member, io.BytesIO(data))
    answers = {
        clones.PYPI.format(name="net", version="1.0"): json.dumps(
            {"urls": [{"packagetype": "bdist_wheel", "url": "w"}, {"packagetype": "sdist", "url": "s"}]}
        ).encode(),
        clones.PYPI.format(name="other", version="2.0"): b'{"urls": []}',
        "s": archive.getvalue(),
    }
    monkeypatch.setattr(clones.urllib.request, "urlopen", lambda url, timeout: io.BytesIO(answers[url]))  # type: ignore[attr-defined]
    known = [
        {"repository": "pypi/net", "commit": "1.0", "path": "net.py", "line": 4, "code": "GBL401"},
        {"repository": "pypi/other", "commit": "2.0", "path": "net.py", "line": 4, "code": "GBL401"},
    ]
    records_file = tmp_path / "packages.jsonl"
    records_file.write_text("".join(json.dumps({**each, "verdict": "true", "how": "run"}) + "\n" for each in known))
    monkeypatch.setattr(records, "PACKAGES", records_file)
    assert main(["--packages", "--clones", str(tmp_path / "clones"), "--fetch"]) == 0
    shown = capsys.readouterr()
    assert "pypi/net" in shown.out
    assert "precision 1.000" in shown.out
    assert shown.err == "pypi/other: other 2.0 has no archive of its sources\n"
