"""Patterns of ``.gitignore``, as git reads them, and in linear time."""

from __future__ import annotations

import random
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from gblint.project.globs import PathPatterns

CASES = [
    ("*.py", "a/b.py", False, True),
    ("/*.py", "a/b.py", False, None),
    ("build/", "build", False, None),
    ("build/", "build", True, True),
    ("build/", "build/a.py", False, True),
    ("a/b", "x/a/b", False, None),
    ("**/a/b", "x/a/b", False, True),
    ("a/**", "a", True, None),
    ("a/**", "a/b/c.py", False, True),
    ("a/**/z", "a/z", False, True),
    ("a/**/z", "a/b/c/z", False, True),
    ("a**z", "a/z", False, None),
    ("**", "a", False, True),
    ("!a.py", "a.py", False, False),
    ("\\!a.py", "!a.py", False, True),
    ("\\#a", "#a", False, True),
    ("# a", "# a", False, None),
    ("a?c", "abc", False, True),
    ("[a-c]x", "bx", False, True),
    ("[!a-c]x", "bx", False, None),
    ("[z-a]", "z", False, True),
    ("[[:digit:]]*", "1a", False, True),
    ("[[:other:]]*", "1a", False, None),
    ("[]-]x", "]x", False, True),
    ("[a", "[a", False, None),
    ("a\\", "a\\", False, None),
    ("a\\*", "a*", False, True),
    ("a  ", "a", False, True),
    ("a\\ ", "a ", False, True),
    ("*a*b*", "xxaxxbxx", False, True),
    ("*ab*ba*", "aba", False, None),
]


@pytest.mark.parametrize(("line", "path", "is_dir", "expected"), CASES)
def test_one_line(line: str, path: str, is_dir: bool, expected: bool | None) -> None:
    assert PathPatterns([line]).decide(path, is_dir=is_dir) is expected


def test_the_last_line_decides_but_not_below_an_ignored_folder() -> None:
    patterns = PathPatterns(["*.log", "!keep.log", "out/", "!out/keep.py"])
    assert patterns.decide("a/x.log", is_dir=False) is True
    assert patterns.decide("a/keep.log", is_dir=False) is False
    assert patterns.decide("out/keep.py", is_dir=False) is True


@pytest.mark.parametrize("line", ["*a" * 40 + "*b", "**/a/" * 30 + "**/b", "[ab]*" * 40 + "c", "?*" * 60 + "b"])
def test_patterns_do_not_backtrack(line: str) -> None:
    path = "/".join(["a"] * 60) + "/" + "a" * 250
    start = time.perf_counter()
    assert PathPatterns([line]).decide(path, is_dir=False) is None
    assert time.perf_counter() - start < 1


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_patterns_mean_what_they_mean_to_git(tmp_path: Path) -> None:
    chance = random.Random(7)
    names = "a b ab aab c x.py * bx acb cx ] z".split()
    parts = r"** * a b a* *b ? [ab] [!a] *a*b a**b \* ab *.py [a-c]x b?* []] [[:alpha:]] [z-a] x.p[xy] [!]a]b".split()
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    compared = 0
    for _ in range(40):
        lines = []
        for _ in range(chance.randint(1, 3)):
            line = "/".join(chance.choice(parts) for _ in range(chance.randint(1, 3)))
            line = chance.choice(["", "", "/", "!"]) + line + chance.choice(["", "", "/", " "])
            lines.append(line)
        shutil.rmtree(tmp_path / "tree", ignore_errors=True)
        tree = tmp_path / "tree"
        tree.mkdir()
        (tree / ".gitignore").write_text("\n".join(lines) + "\n")
        for _ in range(12):
            path = tree.joinpath(*(chance.choice(names) for _ in range(chance.randint(1, 4))))
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.mkdir() if chance.random() < 0.4 else path.touch()
            except OSError:
                continue
        paths = {
            path.relative_to(tree).as_posix(): path.is_dir() for path in tree.rglob("*") if path.name != ".gitignore"
        }
        command = ["git", "check-ignore", "--no-index", "-z", "-v", "-n", "--stdin"]
        answer = subprocess.run(command, cwd=tree, input="\0".join(paths), capture_output=True, text=True, check=False)
        fields = answer.stdout.split("\0")
        patterns = PathPatterns(lines)
        for pattern, path_there in zip(fields[2::4], fields[3::4]):
            ignored = pattern != "" and not pattern.startswith("!")
            assert bool(patterns.decide(path_there, is_dir=paths[path_there])) is ignored, (lines, path_there)
            compared += 1
    assert compared > 300
