"""Programs whose values double with each line: folding them takes neither the memory nor the time that Python takes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

LINES = 40
STEPS = {
    "f-string": ("'ab'", "a = f'{a}{a}'"),
    "format": ("'ab'", "a = '{0}{0}'.format(a)"),
    "wide-format": ("'ab'", "a = '{0:>999}{0:>999}'.format(a)"),
    "replace": ("'ab'", "a = a.replace('a', a)"),
    "replace-nothing": ("'ab'", "a = a.replace('', a)"),
    "replace-in-literal": (repr("a" * 200_000), "b = a.replace('a', a)"),
    "plus": ("'ab'", "a = a + a"),
    "plus-in-place": ("'ab'", "a += a"),
    "bytes": ("b'ab'", "a = a + a"),
    "number": ("3", "a = a * a"),
    "power": ("9999", "a = a ** 31"),
    "number-from-literal": ("0x" + "f" * 200_000, "b = a * a; c = str(a); d = f'{a}'; e = int(c)"),
    "list": ("[1, 2]", "a = [*a, *a]"),
    "tuple": ("(1, 2)", "a = (*a, *a)"),
    "set": ("{1, 2}", "a = {(*a,), (*a, 1)}"),
    "chain": ("(1, 2)", "a = tuple(itertools.chain(a, a))"),
    "list-plus": ("[1, 2]", "a = a + a"),
    "list-times": ("[1, 2]", "a = a * 2"),
    "extend": ("[1, 2]", "a.extend(a)"),
    "extend-in-place": ("[1, 2]", "a += a"),
    "comprehension": ("[1, 2]", "a = [x for x in (*a, *a)]"),
    "dict": ("{1: 2}", "a = {**a, **{(k, 1): v for k, v in a.items()}}"),
    "pairs": ("(1, 2)", "a = (a, a)"),
    "nested-lists": ("[1, 2]", "a = [a, a]"),
    "nested-append": ("[1, 2]", "b = [a]; b.append(a); a = b"),
    "nested-item": ("{1: 2}", "b = {1: a}; b[2] = a; a = b"),
    "nested-dicts": ("{1: 2}", "a = dict(x=a, y=a)"),
    "nested-zip": ("(1, 2)", "a = tuple(zip(a, a))"),
    "nested-in-place": ("[1, 2]", "a += [a]; a = [a, a]"),
    "partial": ("max", "a = functools.partial(a, a, a)"),
    "arguments": ("(1, 2)", "a = together(a, a)"),
    "slices": ("1", "a = slice(a, a)"),
    "star": ("(1, 2)", "*b, c = a, a; a = b, c"),
    "attribute": ("(1, 2)", "box.a = (a, a); a = (box.a, box.a)"),
}
HEAD = """\
import functools
import itertools

import torch


def together(*values):
    return values


class Box:
    a = ()


"""
RUN = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
from gblint.cli.main import run
sys.exit(run(["check", "--isolated", "--no-cache", "--jobs", "1", *sys.argv[1:]]))
"""


def _program(start: str, step: str, top: bool) -> str:
    lines = ["box = Box()", f"a = {start}", *[step] * LINES]
    if top:
        return HEAD + "\n".join(lines) + "\n\n\n@torch.compile\ndef f(x):\n    b = a == a\n    return x.item()\n"
    body = "".join(f"    {line}\n" for line in lines)
    return f"{HEAD}@torch.compile\ndef f(x):\n{body}    b = together(a) == together(a)\n    return x.item()\n"


@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX")
@pytest.mark.parametrize("top", [False, True], ids=["in-the-region", "at-the-top"])
def test_growing_values(tmp_path: Path, top: bool) -> None:
    for name, (start, step) in STEPS.items():
        (tmp_path / f"{name.replace('-', '_')}.py").write_text(_program(start, step, top))
    done = subprocess.run(
        [sys.executable, "-c", RUN, "--output-format", "concise", "."],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    found = {line.partition(".py:")[0] for line in done.stdout.splitlines() if ".py:" in line and "GBL101" in line}
    assert found == {name.replace("-", "_") for name in STEPS}
