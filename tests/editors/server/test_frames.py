"""Damaged frames of the protocol: each loses at most its own message."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.editors.server.conftest import LIMIT


def frame(number: int, method: str, length: str = "Content-Length: {}\r\n", **params: object) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()
    return length.format(len(body)).encode() + b"\r\n" + body


def answers(stream: bytes) -> dict[int, object]:
    """The results of the requests by their number."""
    found = {}
    while stream:
        header, _, rest = stream.partition(b"\r\n\r\n")
        match = re.search(rb"Content-Length: (\d+)", header)
        assert match is not None
        said, stream = json.loads(rest[: int(match[1])]), rest[int(match[1]) :]
        if "id" in said and "method" not in said:
            found[said["id"]] = said.get("result", said.get("error"))
    return found


DAMAGED = {
    "no number": "Content-Length: much\r\n",
    "negative": "Content-Length: -{}\r\n",
    "larger than memory": "Content-Length: " + "9" * 30 + "\r\n",
    "no integer of Python": "Content-Length: " + "9" * 5000 + "\r\n",
    "nothing": "Content-Length:\r\n",
    "missing": "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n",
    "no header": "\r\n",
    "zero": "Content-Length: 0\r\n",
    "too small": "Content-Length: 2\r\n",
}
SPELLED = ("content-length: {}\r\n", "Content-Length:{}\r\n", "Content-Length: {} \r\n", "CONTENT-LENGTH:\t{}\r\n")


@pytest.mark.parametrize("damaged", DAMAGED.values(), ids=[*DAMAGED])
def test_a_frame_that_is_damaged(tmp_path: Path, damaged: str) -> None:
    place = {"textDocument": {"uri": "file:///nowhere.py"}, "position": {"line": 0, "character": 0}}
    sent = frame(1, "initialize", capabilities={}) + frame(2, "textDocument/hover", damaged, **place)
    for number, spelled in enumerate(SPELLED, 3):
        sent += frame(number, "textDocument/hover", spelled, **place)
    sent += frame(7, "shutdown") + frame(8, "exit")
    server = [sys.executable, "-m", "gblint", "server"]
    done = subprocess.run(server, input=sent, cwd=tmp_path, capture_output=True, timeout=LIMIT, check=False)
    assert [*answers(done.stdout)] == [1, 3, 4, 5, 6, 7], done.stderr
    assert done.returncode == 0
