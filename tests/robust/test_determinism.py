"""The report does not depend on processes, the order of paths, the cache, the hash seed or the working directory."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROJECT = ROOT / "tests" / "confirm" / "modules"


def check(*paths: str, cwd: Path, cache: Path | None = None, seed: str = "0", jobs: int = 1) -> Any:
    command = [sys.executable, "-m", "gblint", "check", "--isolated", "--exit-zero", "--output-format", "json"]
    command += ["--assume-entries", "always", "--min-confidence", "possible", f"--jobs={jobs}", *paths]
    environment = {**os.environ, "PYTHONHASHSEED": seed, "GBLINT_CACHE_DIR": str(cache or os.devnull)}
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=True, env=environment)
    return _absolute(json.loads(done.stdout), cwd)


def _absolute(value: Any, cwd: Path) -> Any:
    """Return a document with absolute paths."""
    if isinstance(value, dict):
        return {
            key: os.path.normpath(cwd / each) if key == "path" and isinstance(each, str) else _absolute(each, cwd)
            for key, each in value.items()
        }
    return [_absolute(each, cwd) for each in value] if isinstance(value, list) else value


@pytest.fixture(scope="module")
def answer() -> Any:
    found = check(str(PROJECT), cwd=ROOT)
    assert found["findings"]
    return found


@pytest.mark.parametrize("seed", ["1", "31337"])
def test_hash_seed(answer: Any, seed: str) -> None:
    assert check(str(PROJECT), cwd=ROOT, seed=seed, jobs=2) == answer


def test_working_directory(answer: Any, tmp_path: Path) -> None:
    assert check(str(PROJECT), cwd=tmp_path) == answer
    assert check(".", cwd=PROJECT) == answer
    assert check("tests/../tests/confirm/modules", cwd=ROOT) == answer


def test_order_of_paths(answer: Any) -> None:
    files = sorted(str(path) for path in PROJECT.glob("*.py"))
    random.Random(3).shuffle(files)
    assert check(*files, cwd=ROOT, jobs=3) == check(*sorted(files), cwd=ROOT)
    assert check(*files, cwd=ROOT)["findings"] == answer["findings"]
    assert check(str(PROJECT), files[0], str(PROJECT), cwd=ROOT) == answer


def test_cache(answer: Any, tmp_path: Path) -> None:
    for jobs in (2, 1, 2):
        assert check(str(PROJECT), cwd=ROOT, cache=tmp_path / "cache", jobs=jobs) == answer
