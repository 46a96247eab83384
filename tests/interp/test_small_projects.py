"""Small projects of several files: gblint finds the marked lines, and Dynamo breaks there and nowhere else."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gblint.confirm.capture import capture
from gblint.diagnostics.break_event import Confidence
from gblint.entrypoints.search import find_entries
from gblint.interp import new_interpreter, trace
from gblint.knowledge.catalog import load
from gblint.project.project import Project

PLUGINS = """
import torch
from plugins import {register}

@{register}("shift", "plain")
def plain(x):
    return x + 1

@{register}("shift", "by-mean")
class ByMean:
    def __call__(self, x):
        return x + x.mean().item()  # breaks

@{register}("scale", "checked")
def checked(x):
    if x.sum() > 0:  # breaks
        x = x * 2
    return x
"""
NESTED_TABLE = """
TABLE = {"shift": {}, "scale": {}}

def register(kind, name):
    def add(made):
        TABLE[kind][name] = made
        return made
    return add

def find(kind, name):
    made = TABLE[kind][name]
    return made() if isinstance(made, type) else made
"""
TABLE_BY_DEFAULT = """
from collections import namedtuple

TABLE = {}
Entry = namedtuple("Entry", "made, kind")

def register(kind, name):
    def add(made):
        TABLE.setdefault(kind, {})[name] = Entry(made, kind)
        return made
    return add

def find(kind, name):
    made = TABLE[kind][name].made
    return made() if isinstance(made, type) else made
"""
USES_OF_PLUGINS = """
import torch
import shifts
from plugins import find

class Step(torch.nn.Module):
    def __init__(self, shift="plain", scale="checked"):
        super().__init__()
        self.shift, self.scale = find("shift", shift), find("scale", scale)
    def forward(self, x):
        return self.scale(self.shift(x))

for shift in ("plain", "by-mean"):
    step = torch.compile(Step(shift))
    step(torch.ones(3))
"""
MODELS = """
import torch
from torch import nn

class Encoder(nn.Module):
    def forward(self, x):
        return x * 2

class Head(nn.Module):
    def forward(self, x):
        return x / x.norm().item()  # breaks

class Decoder(nn.Module):
    def forward(self, x):
        print("decoder")
        return x

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.head, self.decoder = Encoder(), Head(), Decoder()
    def forward(self, x):
        return self.head(self.encoder(x))
"""
CONFIGURED_ENGINE = """
import functools, json, torch
from models import Model

class Engine:
    def __init__(self, config):
        self.model = Model()
        compiler = functools.partial(torch.compile, **config.get("options", {}))
        for name in config.get("compile", []):
            setattr(self.model, name, compiler(getattr(self.model, name)))
"""
COMMAND_LINE = """
import argparse, json
from pathlib import Path
import torch
from engine import Engine

HERE = Path(__file__).parent

def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", default=HERE / "base.json", type=Path)
    return parser.parse_args([])

def main():
    args = options()
    engine = Engine(json.loads(args.config.read_text()))
    engine.model(torch.ones(3))

if __name__ == "__main__":
    main()
"""
PIPELINES = """
import torch
from models import Model

class Pipeline:
    parts = ()
    def __init__(self):
        self.model = Model()
        for path in self.parts:
            parent, _, name = path.rpartition(".")
            owner = self.model.get_submodule(parent) if parent else self.model
            setattr(owner, name, torch.compile(getattr(owner, name)))

class OfEncoder(Pipeline):
    parts = ("encoder",)

class OfHead(Pipeline):
    parts = ("head",)

TASKS = {"encoder": OfEncoder, "head": OfHead}

def pipeline(task):
    return TASKS[task]()
"""
SHOWS_PIPELINES = """
import torch
from pipelines import pipeline

def main():
    for task in ("encoder", "head"):
        pipeline(task).model(torch.ones(3))

main()
"""
CONFIGURATION = """
from dataclasses import dataclass

@dataclass(frozen=True)
class Config:
    kind: str = "encoder"
    scale: float = 1.0
"""
REPLACED_CONFIGURATION = """
from dataclasses import replace
import torch
from config import Config
from models import Encoder, Head

KINDS = {"encoder": Encoder, "head": Head}

class Runner:
    def __init__(self, config=None, **changes):
        self.config = replace(config or Config(), **changes)
        self.run = torch.compile(KINDS[self.config.kind]())

Runner().run(torch.ones(3))
Runner(kind="head").run(torch.ones(3))
"""
REGISTRY_OF_CONFIGURED = """
import json
from pathlib import Path

class Registry(dict):
    def __init__(self, kind):
        super().__init__()
        self.kind = kind

    def __call__(self, name=None):
        def add(made):
            self[name or made.__name__] = made
            return made
        return add

    def build(self, spec, **more):
        spec = dict(spec)
        kind = spec.pop("type")
        try:
            made = self[kind]
        except KeyError:
            raise KeyError(f"no {self.kind} is called {kind}") from None
        return made(**spec, **more)

NETS = Registry("network")

def load(path=None):
    path = Path(path) if path else Path(__file__).with_name("nets.json")
    return json.loads(path.read_text())
"""
REGISTERED_NETS = """
from torch import nn
from registry import NETS

@NETS("small")
class Small(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)

    def forward(self, x):
        x = self.linear(x)
        return x * x.mean().item()  # breaks
"""
RUNS_CONFIGURED = """
import torch
import nets
from registry import NETS, load
from solvers.find import solver

class Experiment:
    def __init__(self, options):
        self.net = NETS.build(options["net"]).eval()
        self.solve = solver(options["solver"])
        for name in ("net", "solve"):
            setattr(self, name, torch.compile(getattr(self, name)))

experiment = Experiment(load())
experiment.net(torch.ones(2, 3))
experiment.solve(torch.ones(3))
"""
FINDS_SOLVER = """
from importlib import import_module

def solver(name):
    return import_module(f".{name}", __package__).solve
"""
SOLVER = """
def solve(x):
    if x.sum() > 0:  # breaks
        x = x / 2
    return x
"""
PROJECTS = {
    "nested-table": {
        "plugins.py": NESTED_TABLE,
        "shifts.py": PLUGINS.format(register="register"),
        "main.py": USES_OF_PLUGINS,
    },
    "table-by-default": {
        "plugins.py": TABLE_BY_DEFAULT,
        "shifts.py": PLUGINS.format(register="register"),
        "main.py": USES_OF_PLUGINS,
    },
    "configuration-of-the-command-line": {
        "base.json": '{"compile": ["encoder", "head"], "options": {"dynamic": false}}',
        "models.py": MODELS,
        "engine.py": CONFIGURED_ENGINE,
        "main.py": COMMAND_LINE,
    },
    "class-attributes": {"models.py": MODELS, "pipelines.py": PIPELINES, "main.py": SHOWS_PIPELINES},
    "registry-derived-from-dict": {
        "nets.json": '{"net": {"type": "small", "width": 3}, "solver": "stepper"}',
        "registry.py": REGISTRY_OF_CONFIGURED,
        "nets.py": REGISTERED_NETS,
        "solvers/__init__.py": "",
        "solvers/find.py": FINDS_SOLVER,
        "solvers/stepper.py": SOLVER,
        "main.py": RUNS_CONFIGURED,
    },
    "replaced-configuration": {"models.py": MODELS, "config.py": CONFIGURATION, "main.py": REPLACED_CONFIGURATION},
}


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def marked(files: dict[str, str]) -> set[tuple[str, int]]:
    """Return the lines that are marked with ``# breaks``, with the names of their files."""
    lines = [
        (Path(name).name, number, line)
        for name, text in files.items()
        for number, line in enumerate(text.split("\n"), 1)
    ]
    return {(name, number) for name, number, line in lines if line.endswith("# breaks")}


@pytest.mark.parametrize("name", PROJECTS)
def test_the_marked_lines_are_found(tmp_path: Path, name: str) -> None:
    write(tmp_path, PROJECTS[name])
    interp = new_interpreter(Project([tmp_path], root=tmp_path), load("2.13"), {})
    search = find_entries(interp, assume="never")
    assert not search.unresolved
    reached = [each.event for each in trace(interp, search.entries)]
    found = {(Path(e.span.path).name, e.span.line) for e in reached if e.confidence is not Confidence.POSSIBLE}
    assert found == marked(PROJECTS[name])


@pytest.fixture
def imported_anew() -> Iterator[None]:
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name.partition(".")[0] in (
            "plugins",
            "shifts",
            "models",
            "engine",
            "pipelines",
            "config",
            "registry",
            "nets",
            "solvers",
        ):
            del sys.modules[name]


@pytest.mark.usefixtures("imported_anew")
@pytest.mark.parametrize("name", PROJECTS)
def test_dynamo_breaks_at_the_marked_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    torch = pytest.importorskip("torch")
    write(tmp_path, PROJECTS[name])
    compile_ = torch.compile

    def on_eager(model: object, **options: object) -> object:
        return compile_(model, **{**options, "backend": "eager"})

    monkeypatch.setattr(torch, "compile", on_eager)
    monkeypatch.syspath_prepend(tmp_path)
    torch._dynamo.reset()
    with capture() as captured:
        runpy.run_path(str(tmp_path / "main.py"), run_name="__main__")
    stacks = [
        [(Path(e.path).name, e.line) for e in b.stack if tmp_path in Path(e.path).parents] for b in captured.breaks
    ]
    assert {stack[-1] for stack in stacks if stack} == marked(PROJECTS[name])
