"""A valid file in ``__pycache__`` proves that a source has no syntax error; all others are ignored."""

from __future__ import annotations

import importlib.util
import os
import py_compile
from pathlib import Path

import pytest

from gblint.config.settings import Config
from gblint.pipeline.lint import LintRequest, lint
from gblint.project.pyc_check import has_bytecode

SOUND, BROKEN = "x = [1]\n", "x = [1(\n"


def compiled(file: Path, **options: object) -> Path:
    file.write_text(SOUND)
    path = py_compile.compile(str(file), doraise=True, **options)  # type: ignore[arg-type]
    return Path(path)


def is_known(file: Path) -> bool:
    status = file.stat()
    return has_bytecode(str(file), status.st_mtime_ns, status.st_size)


def test_file_compiled_by_python_is_recognised(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    assert not file.exists()
    compiled(file)
    assert is_known(file)


def test_file_changed_after_compilation_is_not_recognised(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    code = compiled(file)
    written = file.stat().st_mtime_ns
    file.write_text(BROKEN)
    assert len(BROKEN) == len(SOUND)
    os.utime(file, ns=(written, written + 1_000_000_000))
    assert not is_known(file)
    # Changed in the same second, with the same size: Python itself would not notice.
    os.utime(file, ns=(written, written))
    os.utime(code, ns=(written, written - 1))
    assert not is_known(file)


@pytest.mark.parametrize(
    "mode", [py_compile.PycInvalidationMode.UNCHECKED_HASH, py_compile.PycInvalidationMode.CHECKED_HASH]
)
def test_hash_based_bytecode_is_not_recognised(tmp_path: Path, mode: py_compile.PycInvalidationMode) -> None:
    file = tmp_path / "a.py"
    compiled(file, invalidation_mode=mode)
    assert not is_known(file)


def test_invalid_bytecode_is_ignored(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    code = compiled(file)
    data = code.read_bytes()
    for other in (b"", data[:15], b"\0" * 16, bytes([data[0] ^ 1]) + data[1:], data[:12] + b"\xff" + data[13:]):
        code.write_bytes(other)
        assert not is_known(file)
    code.unlink()
    assert not is_known(file)
    code.mkdir()
    assert not is_known(file)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_pipe_in_place_of_bytecode_does_not_block(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    code = compiled(file)
    code.unlink()
    os.mkfifo(code)
    assert not is_known(file)


@pytest.mark.parametrize("changed", [True, False])
def test_errors_are_found_despite_old_bytecode(tmp_path: Path, changed: bool) -> None:
    root = tmp_path / "project"
    root.mkdir()
    for name in ("a.py", "b.py"):
        compiled(root / name)
    if changed:
        (root / "b.py").write_text(BROKEN + "\n")
    overlays = {} if changed else {root / "b.py": BROKEN}
    outcome = lint(LintRequest((root,), overlays=overlays), Config(root=root))
    assert [Path(error.path).name for error in outcome.report.errors] == ["b.py"]


def test_pycache_prefix_is_respected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.pycache_prefix", str(tmp_path / "elsewhere"))
    file = tmp_path / "a.py"
    code = compiled(file)
    assert str(code) == importlib.util.cache_from_source(str(file)) and "elsewhere" in str(code)
    assert is_known(file)
