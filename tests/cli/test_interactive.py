"""``gblint check --interactive`` asks about each fix at a terminal, and makes those that are chosen."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

pty = pytest.importorskip("pty", reason="terminals are simulated on POSIX systems only")

SOURCE = """\
import torch


@torch.compile
def f(x):
    scale = x.sum().item()
    print("scale")
    return x * scale


@torch.compile
def g(x):
    print("g")
    return x + x.mean().item()
"""
QUESTION = "n,a,d,q,?]"
_CONTROLLED = "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY); os.execv(sys.argv[1], sys.argv[1:])"


def answered(folder: Path, replies: str, *arguments: str) -> tuple[str, int, str]:
    """Run the command at a terminal, with one reply a question; return the output, the status and the new text."""
    path = folder / "net.py"
    path.write_text(SOURCE)
    leader, follower = pty.openpty()
    environment = {**os.environ, "TERM": "dumb", "XDG_CACHE_HOME": str(folder / ".cache"), "NO_COLOR": "1"}
    command = [sys.executable, "-m", "gblint", "check", "--isolated", "--interactive", *arguments, "net.py"]
    # The terminal controls the command: only then is ^C an interrupt for it.
    command[:0] = [sys.executable, "-c", _CONTROLLED]
    with subprocess.Popen(
        command, stdin=follower, stdout=follower, stderr=follower, cwd=folder, env=environment, start_new_session=True
    ) as run:
        os.close(follower)
        shown, asked, until = "", 0, time.monotonic() + 120
        while time.monotonic() < until:
            if not select.select([leader], [], [], 1)[0]:
                # input() of Python misses an interrupt that comes just before it reads: press ^C again.
                if asked and replies[asked - 1 : asked] == "^":
                    os.write(leader, b"\x03")
                continue
            try:
                part = os.read(leader, 65536)
            except OSError:
                break
            if not part:
                break
            shown += part.decode()
            while shown.count(QUESTION) > asked:
                os.write(leader, (replies[asked] if asked < len(replies) else "q").replace("^", "\x03").encode())
                os.write(leader, b"" if replies[asked : asked + 1] == "^" else b"\n")
                asked += 1
        # A terminal that closes while the command ends sends it SIGHUP.
        with contextlib.suppress(subprocess.TimeoutExpired):
            run.wait(30)
        os.close(leader)
    assert asked == len(replies), shown
    return shown.replace("\r\n", "\n"), run.returncode, path.read_text()


def test_each_fix_is_shown_and_made_if_chosen(tmp_path: Path) -> None:
    shown, status, text = answered(tmp_path, "ynnn")
    assert "net.py:6:13: GBL101" in shown
    assert "(may change results)" in shown
    assert "-    scale = x.sum().item()\n" in shown
    assert "fixed 1 finding in 1 file" in shown
    assert ".item()" not in text.split("print")[0]
    assert text.count(".item()") == 1
    assert 'print("scale")' in text
    assert status == 1


def test_one_of_several_fixes_is_chosen_by_its_number(tmp_path: Path) -> None:
    shown, _, text = answered(tmp_path, "n3q")
    assert "Make which fix? [1,2,3,n,a,d,q,?]" in shown
    assert "3: remove the statement (may change results)" in shown
    assert 'print("scale")' not in text
    assert 'print("g")' in text


def test_one_answer_for_a_rule(tmp_path: Path) -> None:
    shown, _, text = answered(tmp_path, "ad")
    assert ".item()" not in text
    assert text.count("print(") == 2
    assert "fixed 2 findings in 1 file" in shown


def test_quitting_keeps_what_was_chosen(tmp_path: Path) -> None:
    _, _, text = answered(tmp_path, "yq")
    assert text.count(".item()") == 1


def test_help_and_other_replies_ask_again(tmp_path: Path) -> None:
    shown, _, text = answered(tmp_path, "?xq")
    assert shown.count("leave all findings of GBL101 as they are") == 2
    assert text == SOURCE


def test_an_interrupt_changes_nothing(tmp_path: Path, interrupts: None) -> None:
    _, status, text = answered(tmp_path, "y^")
    assert text == SOURCE
    assert status == 130


def test_diff_writes_nothing(tmp_path: Path) -> None:
    shown, status, text = answered(tmp_path, "yq", "--diff")
    assert text == SOURCE
    assert "would fix 1 finding" in shown
    assert status == 1


@pytest.mark.parametrize("other", [(), ("--verify",)])
def test_without_a_terminal_it_is_an_error(tmp_path: Path, other: tuple[str, ...]) -> None:
    (tmp_path / "net.py").write_text(SOURCE)
    command = [sys.executable, "-m", "gblint", "check", "--interactive", *other, "net.py"]
    done = subprocess.run(command, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("error: --interactive ")
    assert done.stdout == ""
