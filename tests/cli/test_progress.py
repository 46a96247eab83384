from __future__ import annotations

import click
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


def test_without_a_terminal_there_is_a_line_every_ten_seconds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = [100.0]
    monkeypatch.setattr("gblint.cli.progress.time.monotonic", lambda: now[0])
    with ProgressBar() as progress:
        for second in range(25):
            now[0] = 100.0 + second
            progress(second, 1234, "net.py")
    assert capsys.readouterr().err.splitlines() == [
        "note: still running, 10 of 1,234 done after 10 s, now at net.py",
        "note: still running, 20 of 1,234 done after 20 s, now at net.py",
    ]


def test_quiet_shows_no_progress(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    now = [100.0]
    monkeypatch.setattr("gblint.cli.progress.time.monotonic", lambda: now[0])
    context = click.Context(click.Command("check"))
    context.params["quiet"] = True
    with context, ProgressBar() as progress:
        now[0] = 200.0
        progress(1, 2, "net.py")
    assert capsys.readouterr().err == ""
