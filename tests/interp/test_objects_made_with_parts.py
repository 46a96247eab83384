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
    site, project = tmp_path / "site", tmp_path / "project"
    for folder, name, text in ((site, "nets_of.py", LIBRARY), (project, "m.py", SOURCE.format(line=line))):
        folder.mkdir()
        (folder / name).write_text(text)
    found = Project([project], root=project, environment=Environment(None, (3, 12), (site,)))
    entries = find_entries(new_interpreter(found, load("2.13"), {}), assume="never").entries
    assert [entry.point.name for entry in entries] == [expected]
