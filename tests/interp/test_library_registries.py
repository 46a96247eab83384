"""Tables of a library that its modules fill while they are imported, and wrappers of a library around a module."""

from __future__ import annotations

from pathlib import Path

import pytest

from gblint.entrypoints.search import EntrySearch, find_entries
from gblint.interp import Interpreter, new_interpreter, trace
from gblint.knowledge.catalog import load
from gblint.project.environment import Environment
from gblint.project.project import Project

LIBRARY = {
    "tuning/__init__.py": "from .model import Wrapper, wrap\nfrom .tuners import low_rank, prefix\n",
    "tuning/mapping.py": "TUNERS: dict = {}\nHEADS = {}\n",
    "tuning/register.py": """
def register_tuner(*, name, model_cls, settings_cls=None):
    from tuning.mapping import TUNERS
    key = name.upper()
    TUNERS[key] = model_cls

def register_head(name):
    from tuning.mapping import HEADS
    def note(cls):
        HEADS[name] = cls
        return cls
    return note
""",
    "tuning/model.py": """
from torch import nn
from .mapping import HEADS, TUNERS

class Wrapper(nn.Module):
    def __init__(self, model, kind, head):
        super().__init__()
        self.base_model = TUNERS[kind](model)
        self.head = HEADS[head]()
    def forward(self, *args):
        return self.head(self.base_model(*args))

def wrap(model, kind, head="plain"):
    return Wrapper(model, kind, head)
""",
    "tuning/tuners/__init__.py": "",
    "tuning/tuners/low_rank.py": """
from torch import nn
from tuning.register import register_head, register_tuner

class Settings:
    pass

class LowRank(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
    def forward(self, *args):
        return self.model(*args)

@register_head("plain")
class Plain(nn.Module):
    def forward(self, x):
        return x

register_tuner(name="low_rank", model_cls=LowRank, settings_cls=Settings)
""",
    "tuning/tuners/prefix.py": """
from torch import nn
from tuning.register import register_head, register_tuner

class Prefix(nn.Module):
    def __init__(self, model):
        super().__init__()
    def forward(self, x):
        return x

@register_head("loud")
class Loud(nn.Module):
    def forward(self, x):
        print(x)
        return x

register_tuner(name="prefix", model_cls=Prefix)
""",
}
PROGRAM = """
import torch
from torch import nn
from tuning import wrap

class Net(nn.Module):
    def forward(self, x):
        print(x)
        return x

compiled = torch.compile(wrap(Net(), {arguments}))
"""


def search(folder: Path, arguments: str) -> tuple[Interpreter, EntrySearch]:
    """Search the program with these arguments, where the library is installed."""
    site, root = folder / "site", folder / "project"
    for name, text in LIBRARY.items():
        path = site / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    root.mkdir()
    (root / "main.py").write_text(PROGRAM.format(arguments=arguments))
    environment = Environment(None, (3, 11), (site,))
    interp = new_interpreter(Project([root], root=root, environment=environment), load("2.13"), {})
    return interp, find_entries(interp, [], assume="never")


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ("'LOW_RANK'", ["main.py:8"]),
        ("'PREFIX'", []),
        ("'PREFIX', 'loud'", ["prefix.py:14"]),
        ("'LOW_RANK', head='loud'", ["main.py:8", "prefix.py:14"]),
    ],
)
def test_the_entry_of_a_table_that_other_modules_fill(tmp_path: Path, arguments: str, found: list[str]) -> None:
    interp, searched = search(tmp_path, arguments)
    assert not searched.unresolved
    chains = [each.chain for each in trace(interp, searched.entries)]
    assert sorted(f"{Path(chain[-1].path).name}:{chain[-1].line}" for chain in chains) == found


def test_an_unknown_part_of_a_compiled_object_of_a_library(tmp_path: Path) -> None:
    _, searched = search(tmp_path, "'UNHEARD'")
    (told,) = searched.unresolved
    assert told.partly
    assert "nothing is known of `self.base_model` of `Wrapper`" in told.message
