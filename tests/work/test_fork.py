"""Copies of a process: what goes over the line between them, and how they end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be copied here")

if hasattr(os, "fork"):
    from gblint.parallel import fork


def test_what_is_sent_arrives_however_large_it_is() -> None:
    ours, theirs = fork.pipe_pair()
    messages = [None, (3, "é"), {"large": "x" * 5_000_000}]

    def answer() -> None:
        ours.close()
        for _ in messages:
            theirs.send(theirs.recv())

    copy = fork.start(answer)
    theirs.close()
    for message in messages:
        ours.send(message)
        assert ours.recv() == message
    with pytest.raises(EOFError):
        ours.recv()
    copy.join()
    assert copy.exitcode == 0
    ours.close()


def test_half_a_message_is_none() -> None:
    ours, theirs = fork.pipe_pair()

    def halve() -> None:
        os.write(theirs._writes, b"\0" * 7 + b"\x09" + b"half")

    copy = fork.start(halve)
    theirs.close()
    with pytest.raises(EOFError):
        ours.recv()
    copy.join()
    ours.close()


def test_nobody_listens() -> None:
    ours, theirs = fork.pipe_pair()
    theirs.close()
    with pytest.raises(OSError, match="pipe"):
        ours.send(1)
    ours.close()


def test_those_that_have_something_to_say() -> None:
    first, of_first = fork.pipe_pair()
    second, of_second = fork.pipe_pair()
    assert fork.ready([first, second], 0) == []
    of_second.send(1)
    assert fork.ready([first, second]) == [second]
    of_first.close()
    assert fork.ready([first, second]) == [first, second]
    for channel in (first, second, of_second):
        channel.close()


def test_how_a_copy_ends_is_known() -> None:
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


def test_what_was_not_written_yet_is_written_once() -> None:
    program = """
import sys
from gblint.parallel import fork
sys.stdout.write("once")
copy = fork.start(lambda: None)
copy.join()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("once", "")
