"""Fixtures shared by all tests."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# The time of a property test depends on the load of the machine.
settings.register_profile("gblint", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("gblint")

# No test may store anything for another test or for the user: this is not a folder, so nothing can be stored in it.
os.environ["GBLINT_CACHE_DIR"] = os.devnull
# Without COLUMNS, texts have the width for output without a terminal.
os.environ.pop("COLUMNS", None)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: `make test` leaves it out, `make test-slow` runs it")


@dataclass(frozen=True)
class Result:
    """The result of a run of the command."""

    status: int
    out: str
    err: str


@pytest.fixture
def interrupts() -> Iterator[None]:
    """Let the processes of the test react to SIGINT, which they would ignore if the tests run in the background."""
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
