"""Objects of a library that are made with modules of the project: ``Pipeline.from_pretrained(path, unet=unet)``."""

from __future__ import annotations

from pathlib import Path

import pytest

from gblint.entrypoints.search import find_entries
from gblint.interp import new_interpreter
from gblint.knowledge.catalog import load
from gblint.project.environment import Environment
from gblint.project.project import Project

LIBRARY = """
from torch import nn

class Net(nn.Module):
    def forward(self, x):
        return x

class Loader:
    @classmethod
    def from_pretrained(cls, path, **options):
        return read(path, cls, options)

class Pipeline(Loader):
    def __init__(self, net: Net, size: int = 3, vae: Net = None):
        self.net = net
        self.vae = vae
"""
SOURCE = """
import torch
from nets_of import Net, Pipeline

class Own(Net):
    def forward(self, x):
        return x * 2

def main(path):
    {line}
    torch.compile(pipeline.net)
"""


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("pipeline = Pipeline.from_pretrained(path, net=Own())", "m:Own"),
        ("pipeline = Pipeline.from_pretrained(path, size=4, net=Own())", "m:Own"),
        ("pipeline = Pipeline.from_pretrained(path, vae=Own())", "nets_of:Net"),
        ("pipeline = Pipeline.from_pretrained(path)", "nets_of:Net"),
    ],
)
def test_what_is_passed_by_name_is_a_part(tmp_path: Path, line: str, expected: str) -> None:
    assert compiled_names(tmp_path, SOURCE.format(line=line)) == [expected]


HEAD = """
import torch
from nets_of import Net, Pipeline

class Own(Net):
    def forward(self, x):
        return x * 2

def replace(pipeline):
    pipeline.net = Own()
"""


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param(
            """
def load(kind):
    pipeline = Pipeline.from_pretrained("a")
    if kind == "own":
        replace(pipeline)
    elif kind == "compiled":
        pipeline.net = torch.compile(pipeline.net)
    return pipeline

def main(kinds: list):
    for kind in (*kinds, "none"):
        load(kind).net(torch.ones(3))
""",
            ["nets_of:Net"],
            id="another run of the function has replaced it",
        ),
        pytest.param(
            """
def first():
    replace(Pipeline.from_pretrained("a"))
    torch.compile(print)

def second():
    torch.compile(Pipeline.from_pretrained("a").net)
""",
            ["nets_of:Net"],
            id="another function has replaced that of its own object",
        ),
        pytest.param(
            """
def load():
    pipeline = Pipeline.from_pretrained("a")
    replace(pipeline)
    return pipeline

def main():
    torch.compile(load().net)
""",
            ["m:Own"],
            id="a function returns an object with a part that it has replaced",
        ),
        pytest.param(
            """
class Runner:
    def __init__(self):
        self.pipeline = Pipeline.from_pretrained("a")
        replace(self.pipeline)

    def compiled(self):
        return torch.compile(self.pipeline.net)
""",
            ["m:Own"],
            id="the constructor has replaced it",
        ),
    ],
)
def test_objects_of_two_calls_are_apart(tmp_path: Path, source: str, expected: list[str]) -> None:
    names = compiled_names(tmp_path, HEAD + source)
    assert [name for name in names if name != "builtins.print"] == expected


def compiled_names(folder: Path, source: str) -> list[str]:
    """Return the names of what a module that uses the library compiles."""
    site, project = folder / "site", folder / "project"
    for place, name, text in ((site, "nets_of.py", LIBRARY), (project, "m.py", source)):
        place.mkdir()
        (place / name).write_text(text)
    found = Project([project], root=project, environment=Environment(None, (3, 12), (site,)))
    entries = find_entries(new_interpreter(found, load("2.13"), {}), assume="never").entries
    return [entry.point.name for entry in entries]
