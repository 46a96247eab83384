from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy of the files that git tracks or would add."""
    pytest.importorskip("setuptools", minversion="77")
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    for name in listed.stdout.splitlines():
        if (ROOT / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_bytes((ROOT / name).read_bytes())
    build = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--no-deps",
        "--no-build-isolation",
        "-q",
        "-w",
        str(target),
        str(source),
    ]
    subprocess.run(build, check=True, capture_output=True)
    (built,) = target.glob("*.whl")
    return built


def test_the_wheel_has_every_module_and_all_data(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    modules = {path.relative_to(ROOT).as_posix() for path in (ROOT / "gblint").rglob("*.py")}
    modules |= {f"gblint/{path.relative_to(ROOT).as_posix()}" for path in (ROOT / "rules").rglob("*.py")}
    data = {path.relative_to(ROOT).as_posix() for path in (ROOT / "gblint" / "knowledge" / "data").rglob("*.*")}
    data |= {path.relative_to(ROOT).as_posix() for path in (ROOT / "gblint/report/html/data").iterdir()}
    data.add("gblint/rules/index.json")
    assert data
    assert {*modules, *data, "gblint/py.typed"} <= names
    assert {name.partition("/")[0] for name in names} <= {"gblint", wheel.name.split("-py3")[0] + ".dist-info"}


def test_the_wheel_works_without_the_checkout(wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    project = tmp_path / "project"
    project.mkdir()
    (project / "a.py").write_text("import torch\n\n\n@torch.compile\ndef f(x: torch.Tensor):\n    return x.item()\n")
    code = f"import sys; sys.path.insert(0, {str(tmp_path / 'site')!r}); from gblint.cli.main import main; main()"
    run = subprocess.run(
        [sys.executable, "-I", "-c", code, "check", "--output-format", "concise"],
        cwd=project,
        capture_output=True,
        text=True,
    )
    assert run.stderr == ""
    assert run.stdout.startswith("a.py:6:12: GBL101 ")
    assert run.returncode == 1


def test_linting_does_not_import_torch() -> None:
    code = """if True:
        import sys
        import gblint.pipeline.lint, gblint.cli.check, gblint.cli.entries, gblint.cli.explain, gblint.editors.flake8
        from gblint.rules import all_rules
        all_rules()
        print(sorted({"torch", "numpy", "libcst", "astroid"} & set(sys.modules)))
    """
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"
