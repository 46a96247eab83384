"""Files are replaced completely or not at all, and keep encoding, newlines and mode."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from gblint.fix.writer import Original, WriteProblem, replace_file
from gblint.project.source import SourceProblem


@pytest.mark.parametrize(
    ("data", "fixed"),
    [
        (b"x = 1\r\ny = 2\r\n", b"x = 3\r\ny = 2\r\n"),
        (b"\xef\xbb\xbfx = 1\n", b"\xef\xbb\xbfx = 3\n"),
        (b"# coding: latin-1\nx = 1  # \xe9\n", b"# coding: latin-1\nx = 3  # \xe9\n"),
        (b"x = 1", b"x = 3"),
        (b"s = '\x0c'; x = 1\x0c\n", b"s = '\x0c'; x = 3\x0c\n"),
    ],
)
def test_encoding_and_newlines_are_kept(tmp_path: Path, data: bytes, fixed: bytes) -> None:
    path = tmp_path / "m.py"
    path.write_bytes(data)
    original = Original.read(path)
    replace_file(original, original.text.replace("x = 1", "x = 3"), [tmp_path])
    assert path.read_bytes() == fixed
    assert [entry.name for entry in tmp_path.iterdir()] == ["m.py"]


def test_mode_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "m.py"
    path.write_text("x = 1\n")
    path.chmod(0o751)
    replace_file(Original.read(path), "x = 2\n", [tmp_path])
    assert stat.S_IMODE(path.stat().st_mode) == 0o751


def test_symbolic_link_is_followed(tmp_path: Path) -> None:
    target, link = tmp_path / "target.py", tmp_path / "link.py"
    target.write_text("x = 1\n")
    link.symlink_to(target)
    replace_file(Original.read(link), "x = 2\n", [tmp_path])
    assert link.is_symlink()
    assert target.read_text() == "x = 2\n"


def test_file_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "m.py"
    path.write_text("x = 1\n")
    original = Original.read(path)
    path.write_text("x = 5\n")
    with pytest.raises(WriteProblem, match="another program has changed it"):
        replace_file(original, "x = 2\n", [tmp_path])
    assert path.read_text() == "x = 5\n"
    assert [entry.name for entry in tmp_path.iterdir()] == ["m.py"]


def test_unencodable_text_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "m.py"
    path.write_bytes(b"# coding: ascii\nx = 1\n")
    with pytest.raises(WriteProblem, match="ascii"):
        replace_file(Original.read(path), "x = 'é'\n", [tmp_path])


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="everybody may write here")
def test_read_only_file_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "m.py"
    path.write_text("x = 1\n")
    path.chmod(0o444)
    with pytest.raises(WriteProblem, match="permission"):
        replace_file(Original.read(path), "x = 2\n", [tmp_path])


def test_missing_file(tmp_path: Path) -> None:
    path = tmp_path / "m.py"
    with pytest.raises(SourceProblem):
        Original.read(path)
    path.write_text("x = 1\n")
    original = Original.read(path)
    path.unlink()
    with pytest.raises(WriteProblem, match=r"cannot be written|no permission"):
        replace_file(original, "x = 2\n", [tmp_path])


def test_link_out_of_the_linted_paths_is_refused(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    outside = tmp_path / "outside.py"
    outside.write_text("x = 1\n")
    link = tmp_path / "project" / "link.py"
    link.symlink_to(outside)
    with pytest.raises(WriteProblem, match="outside of the linted paths"):
        replace_file(Original.read(link), "x = 2\n", [tmp_path / "project"])
    replace_file(Original.read(link), "x = 2\n", [link])  # the user named the link itself
    assert outside.read_text() == "x = 2\n"
