"""Branches outside of the region that change parts of the same object: one does not see what the other has stored."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from gblint.config.settings import Config
from gblint.pipeline.lint import LintRequest, lint
from tests.interp.snippets import confidences

CLASSES = """
import torch
from torch import nn

class A(nn.Module):
    def forward(self, x):
        print("line 7")
        return x

class B(nn.Module):
    def forward(self, x):
        print("line 12")
        return x

class C(nn.Module):
    def forward(self, x):
        print("line 17")
        return x

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.part = B()
    def forward(self, x):
        return self.part(x)

class Pipe:
    def __init__(self):
        self.net = Net()

def replace_net(pipe):
    pipe.net = A()

def replace_part(pipe):
    pipe.net.part = A()

def main(kind):
    pipe = Pipe()
"""
MAINS = {
    "one side replaces, the other one compiles": (
        """
        if kind == "a":
            replace_net(pipe)
        else:
            pipe.net = torch.compile(pipe.net)
        pipe.net(torch.ones(3))
        """,
        {12},
    ),
    "one side replaces a part of what the other one compiles": (
        """
        if kind == "a":
            replace_part(pipe)
        else:
            pipe.net = torch.compile(pipe.net)
        pipe.net(torch.ones(3))
        """,
        {12},
    ),
    "the side that compiles comes first": (
        """
        if kind == "a":
            pipe.net = torch.compile(pipe.net)
        else:
            replace_part(pipe)
        pipe.net(torch.ones(3))
        """,
        {12},
    ),
    "elif": (
        """
        if kind == "a":
            replace_part(pipe)
        elif kind == "c":
            pipe.net.part = C()
        elif kind == "compile":
            pipe.net = torch.compile(pipe.net)
        pipe.net(torch.ones(3))
        """,
        {12},
    ),
    "cases of a match": (
        """
        match kind:
            case "a":
                replace_part(pipe)
            case "c":
                pipe.net.part = C()
            case "compile":
                pipe.net = torch.compile(pipe.net)
        pipe.net(torch.ones(3))
        """,
        {12},
    ),
    "a case before those that replace": (
        """
        match kind:
            case "compile":
                pipe.net = torch.compile(pipe.net)
            case "a":
                replace_part(pipe)
            case _:
                pipe.net.part = C()
        pipe.net(torch.ones(3))
        """,
        {12},
    ),
    "compiled after all cases": (
        """
        match kind:
            case "a":
                replace_part(pipe)
            case "c":
                pipe.net.part = C()
            case _:
                print("as it is")
        torch.compile(pipe.net)(torch.ones(3))
        """,
        {7, 12, 17},
    ),
    "both sides compile": (
        """
        if kind == "a":
            replace_part(pipe)
            pipe.net = torch.compile(pipe.net)
        else:
            pipe.net = torch.compile(pipe.net)
        pipe.net(torch.ones(3))
        """,
        {7, 12},
    ),
    "compiled after both": (
        """
        if kind == "a":
            replace_part(pipe)
        elif kind == "c":
            pipe.net.part = C()
        else:
            print("as it is")
        torch.compile(pipe.net)(torch.ones(3))
        """,
        {7, 12, 17},
    ),
    "replaced on the way to the compilation": (
        """
        if kind == "a":
            replace_part(pipe)
        else:
            pipe.net.part = C()
            pipe.net = torch.compile(pipe.net)
        pipe.net(torch.ones(3))
        """,
        {12, 17},  # the store in a branch is a weak update
    ),
    "replaced again afterwards": (
        """
        if kind == "a":
            replace_part(pipe)
        else:
            net = torch.compile(pipe.net)
            pipe.net.part = C()
            net(torch.ones(3))
        """,
        {12, 17},  # the store in a branch is a weak update
    ),
}


@pytest.mark.parametrize(("body", "lines"), MAINS.values(), ids=MAINS)
def test_sides_of_an_if(body: str, lines: set[int]) -> None:
    main = textwrap.indent(textwrap.dedent(body).strip(), "    ")
    assert set(confidences(CLASSES.lstrip() + main + "\n")) == {line - 1 for line in lines}


SCRIPT = """
import torch
from library import Pipe, Wrapped

def load() -> Pipe: ...

def main(pipe: Pipe):
    {body}

if __name__ == "__main__":
    main(load())
"""
LIBRARY = """
import torch
from torch import nn

class Net(nn.Module):
    def forward(self, x):
        return x + 1

class Wrapped(nn.Module):
    def forward(self, x):
        print("wrapped")
        return x

class Pipe:
    def __init__(self, net: Net):
        self.net = net
"""


@pytest.mark.parametrize("names", [("a.py", "b.py"), ("b.py", "a.py")], ids=["wraps first", "compiles first"])
def test_scripts_do_not_see_what_others_store(tmp_path: Path, names: tuple[str, str]) -> None:
    (tmp_path / "library.py").write_text(LIBRARY)
    wraps, compiles = "pipe.net = Wrapped()\n    torch.compile(print)", "torch.compile(pipe.net)(torch.ones(3))"
    for name, body in zip(names, (wraps, compiles)):
        (tmp_path / name).write_text(SCRIPT.format(body=body))
    report = lint(LintRequest(paths=[tmp_path]), Config(root=tmp_path)).report
    assert [each.span.line for each in report.findings if each.span.path.endswith("library.py")] == []
    assert "library:Net" in {each.name for each in report.entries}
