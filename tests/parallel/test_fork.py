"""Forked processes: the messages between them, and how they end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be forked here")

if hasattr(os, "fork"):
    from gblint.parallel import fork


def test_messages_of_any_size_arrive() -> None:
    ours, theirs = fork.pipe_pair()
    messages = [None, (3, "é"), {"large": "x" * 5_000_000}]

    def answer() -> None:
        ours.close()
        for _ in messages:
            theirs.send(theirs.recv())

    child = fork.start(answer)
    theirs.close()
    for message in messages:
        ours.send(message)
        assert ours.recv() == message
    with pytest.raises(EOFError):
        ours.recv()
    child.join()
    assert child.exitcode == 0
    ours.close()


def test_half_a_message_is_an_end_of_file() -> None:
    ours, theirs = fork.pipe_pair()

    def halve() -> None:
        os.write(theirs._writes, b"\0" * 7 + b"\x09" + b"half")

    child = fork.start(halve)
    theirs.close()
    with pytest.raises(EOFError):
        ours.recv()
    child.join()
    ours.close()


def test_sending_to_a_closed_end_fails() -> None:
    ours, theirs = fork.pipe_pair()
    theirs.close()
    with pytest.raises(OSError, match="pipe"):
        ours.send(1)
    ours.close()


def test_ready_channels() -> None:
    first, of_first = fork.pipe_pair()
    second, of_second = fork.pipe_pair()
    assert fork.ready([first, second], 0) == []
    of_second.send(1)
    assert fork.ready([first, second]) == [second]
    of_first.close()
    assert fork.ready([first, second]) == [first, second]
    for channel in (first, second, of_second):
        channel.close()


def test_exit_codes() -> None:
    def fail() -> None:
        raise ValueError

    failed = fork.start(fail)
    failed.join()
    sleeping = fork.start(lambda: time.sleep(60))
    assert sleeping.exitcode is None
    sleeping.terminate()
    sleeping.join()
    sleeping.terminate()
    assert (failed.exitcode, sleeping.exitcode) == (1, -signal.SIGTERM)


def test_buffered_output_is_written_once() -> None:
    program = """
import sys
from gblint.parallel import fork
sys.stdout.write("once")
child = fork.start(lambda: None)
child.join()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("once", "")
