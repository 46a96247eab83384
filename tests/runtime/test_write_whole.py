"""Files that are written as a whole: the old one or the new one, on a full disk too."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from gblint.runtime import files
from gblint.runtime.files import write_whole

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="limits, modes, links and pipes of POSIX")
NET = "import torch\n\n\n@torch.compile\ndef f(x):\n    return x.item()\n"


def test_a_new_file_and_its_replacement(tmp_path: Path) -> None:
    for data in (b"one\r\n", b"", b"three"):
        write_whole(tmp_path / "file", data)
        assert (tmp_path / "file").read_bytes() == data
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@POSIX
def test_permissions_and_links_stay(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"old")
    (tmp_path / "file").chmod(0o640)
    (tmp_path / "link").symlink_to("file")
    write_whole(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert ((tmp_path / "file").read_bytes(), (tmp_path / "file").stat().st_mode & 0o777) == (b"new", 0o640)
    write_whole(tmp_path / "private", b"", 0o600)
    assert (tmp_path / "private").stat().st_mode & 0o777 == 0o600


@POSIX
@pytest.mark.skipif(sys.platform != "win32" and os.geteuid() == 0, reason="root may write every file")
def test_a_file_that_is_read_only_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"old")
    (tmp_path / "file").chmod(0o444)
    with pytest.raises(PermissionError):
        write_whole(tmp_path / "file", b"new")
    assert (tmp_path / "file").read_bytes() == b"old"


@POSIX
def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    write_whole(tmp_path / "pipe", b"data")
    reader.join()
    assert read == [b"data"]


@pytest.mark.parametrize("function", ["open", "replace"])
def test_a_folder_in_which_nothing_can_be_created(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, function: str
) -> None:
    (tmp_path / "file").write_bytes(b"a longer old text")
    original: Callable[..., object] = getattr(os, function)

    def refused(*arguments: object) -> object:
        if str(arguments[0]).endswith(".new"):
            raise PermissionError(13, "no")
        return original(*arguments)

    monkeypatch.setattr(files.os, function, refused)
    write_whole(tmp_path / "file", b"new")
    assert (tmp_path / "file").read_bytes() == b"new"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    with pytest.raises(PermissionError):
        write_whole(tmp_path / "another", b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@POSIX
@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ("check --output-format html --output-file", "report"),
        ("check --output-format json --output-file", "report"),
        ("check --write-baseline --baseline", "baseline.json"),
        ("confirm --plan", "plan.json"),
        ("entries --output-format json --output-file", "entries.json"),
    ],
)
def test_without_room_the_earlier_file_stays(tmp_path: Path, arguments: str, name: str) -> None:
    import resource
    import signal

    (tmp_path / "net.py").write_text("".join(NET.replace("f(", f"f{number}(") for number in range(30)))
    (tmp_path / name).write_text('{"version": 1, "findings": []}')

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))

    command = [sys.executable, "-m", "gblint", *arguments.split(), name, "."]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, preexec_fn=limit)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{name}: cannot be written: " in done.stderr
    assert (tmp_path / name).read_text() == '{"version": 1, "findings": []}'
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["net.py", name])
