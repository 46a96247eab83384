"""Fixtures shared by all tests."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# How long a property takes depends on what else the machine does.
settings.register_profile("gblint", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("gblint")

# No test keeps anything for another one, or for the user: this is not a folder, so that nothing can be kept in it.
os.environ["GBLINT_CACHE_DIR"] = os.devnull
# Texts are as wide as where there is no terminal.
os.environ.pop("COLUMNS", None)


@dataclass(frozen=True)
class Result:
    """The result of a run of the command."""

    status: int
    out: str
    err: str


@pytest.fixture
def interrupts() -> Iterator[None]:
    """Processes that the test starts heed an interrupt; those of tests that run in the background would not."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def gblint(capsys: pytest.CaptureFixture[str]) -> Callable[..., Result]:
    """Run the command in this process."""
    from gblint.cli.main import run

    def call(*arguments: object) -> Result:
        capsys.readouterr()
        status = run([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Result(status, captured.out, captured.err)

    return call


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Write files (by path) into a folder of their own, and work there."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FORCE_COLOR", raising=False)

    def write(files: dict[str, str | bytes]) -> Path:
        for name, content in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        return tmp_path

    return write
