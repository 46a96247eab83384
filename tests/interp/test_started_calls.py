"""Functions that are started in a thread, a process or a pool get what is passed to the call that starts them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interp.test_compiled_entries import found

CALLS = {
    "thread": "threading.Thread(target=work, args=(A(),)).start()",
    "thread-by-name": "threading.Thread(target=work, kwargs={'net': A()}).start()",
    "process": "multiprocessing.Process(target=work, args=(A(),)).start()",
    "process-of-a-context": "multiprocessing.get_context('spawn').Process(target=work, args=(A(),)).start()",
    "process-of-torch": "torch.multiprocessing.Process(target=work, args=[A()]).start()",
    "spawn": "torch.multiprocessing.spawn(ranked, args=(A(),), nprocs=2)",
    "pool": "concurrent.futures.ThreadPoolExecutor().submit(work, A())",
    "coroutine": "asyncio.to_thread(work, A())",
}
SOURCE = """
import asyncio
import concurrent.futures
import multiprocessing
import threading

def work(net):
    torch.compile(net)

def ranked(rank, net):
    torch.compile(net)

def main():
    {call}
"""


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_place(tmp_path: Path, call: str) -> None:
    assert found(tmp_path, SOURCE.format(call=call)) == {"A"}
