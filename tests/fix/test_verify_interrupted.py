"""``gblint check --fix --verify`` that a signal ends while the code runs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("torch")
SOURCE = """\
import time

import torch


@torch.compile
def f(x: torch.Tensor):
    open("started", "w").close()
    time.sleep(1000)
    return x * x.sum().item()
"""


@pytest.mark.skipif(os.name == "nt", reason="there is no signal for one process")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.usefixtures("interrupts")
def test_nothing_is_left_and_the_verdicts_are_told(
    number: signal.Signals, project: Callable[..., Path], tmp_path: Path
) -> None:
    if signal.getsignal(number) is signal.SIG_IGN:
        pytest.skip("whoever runs the tests has the processes ignore it, as nohup does")
    folder = project({"net.py": SOURCE})
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    command = [sys.executable, "-m", "gblint", "check", "--isolated", "--fix", "--unsafe-fixes", "--verify", "net.py"]
    environment = {**os.environ, "TMPDIR": str(temporary), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    with subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True) as process:
        until = time.monotonic() + 120
        while not (folder / "started").exists():
            assert process.poll() is None and time.monotonic() < until
            time.sleep(0.05)
        process.send_signal(number)
        assert process.stderr is not None
        told = process.stderr.read()
        assert process.wait(60) == (130 if number == signal.SIGINT else -number)
    assert "interrupted; nothing is written" in told
    assert "Traceback" not in told
    assert not list(temporary.glob("gblint-*"))
    assert (folder / "net.py").read_text() == SOURCE
