from __future__ import annotations

import pytest

from gblint.cli import progress
from gblint.cli.progress import ProgressBar


def pretend_terminal(monkeypatch: pytest.MonkeyPatch, terminal: bool) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stderr.isatty", lambda: terminal, raising=False)


@pytest.mark.parametrize(
    ("terminal", "patience", "shown"), [(True, 0.0, True), (True, 60.0, False), (False, 0.0, False)]
)
def test_a_bar_only_on_a_terminal_and_for_slow_work(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], terminal: bool, patience: float, shown: bool
) -> None:
    pretend_terminal(monkeypatch, terminal)
    monkeypatch.setattr(progress, "PATIENCE", patience)
    with ProgressBar() as bar:
        bar(1, 3, "pkg.mod:[Net]\x1b")
        bar(3, 3, "")
    captured = capsys.readouterr()
    assert captured.out == ""
    assert bool(captured.err) is shown
