"""The stack chunk: the frames of deep calls are allocated once."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable

import pytest

from gblint.runtime.stack_chunk import preallocate_stack_chunk

resource = pytest.importorskip("resource")
ROUNDS = 500


def _down(depth: int) -> int:
    return 0 if depth == 0 else 1 + _down(depth - 1)


def _up_and_down() -> int:
    return sum(_down(300) for _ in range(ROUNDS))


@preallocate_stack_chunk
def _with_room() -> int:
    return _up_and_down()


def _pages(function: Callable[[], int]) -> int:
    """Count the pages of memory that a function on a fresh stack requests from the system."""
    found: list[int] = []

    def work() -> None:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        assert function() == 300 * ROUNDS
        found.append(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    return found[0]


@pytest.mark.skipif(sys.version_info < (3, 11), reason="frames do not lie in blocks")
def test_memory_for_frames_is_requested_once() -> None:
    _pages(_with_room)
    assert _pages(_with_room) < ROUNDS


def test_the_function_is_unchanged_otherwise() -> None:
    assert _with_room.__name__ == "_with_room"
    assert _with_room() == 300 * ROUNDS
