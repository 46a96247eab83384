"""Compiled modules that a library wraps, that only an annotation names, or whose class a configuration names."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from gblint.entrypoints.search import find_entries
from gblint.interp import new_interpreter
from gblint.knowledge.catalog import load
from gblint.project.project import Project

MODULES = """
import library
import torch
from torch import nn

class Net(nn.Module):
    def forward(self, x):
        return x

class Other(nn.Module):
    def __init__(self, size=1):
        super().__init__()
    def forward(self, x):
        return x
"""


def compiled(folder: Path, source: str, files: dict[str, str] | None = None) -> list[str]:
    """Return the names of the entry points in ``source``; with ``?``, if an object is not known."""
    for path, text in {**(files or {}), "m.py": MODULES + textwrap.dedent(source)}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    search = find_entries(new_interpreter(Project([folder], root=folder), load("2.13"), {}), assume="never")
    return [each.point.name for each in search.entries] + ["?" for _ in search.unresolved]


@pytest.mark.parametrize(
    "made",
    [
        "net = Net()\nnet = library.wrap(net)",
        "net = Net()\nnet = library.wrap(model=net, bits=8)",
        "net = Net()\nnet, optimizer, _ = library.initialize(net, optimizer)",
        "net, optimizer = trainer.prepare(Net(), optimizer)",
        "net, optimizer = trainer.setup(Net(), optimizer)",
        "net = trainer.setup_module(Net())",
        "net = trainer.unwrap_model(trainer.prepare(Net()))",
        "trainer.net = Net()\ntrainer.net = library.wrap(trainer.net)\nnet = trainer.net",
    ],
)
def test_an_unknown_call_keeps_the_module_that_it_is_given(made: str, tmp_path: Path) -> None:
    lines = textwrap.indent(made, "    ")
    assert compiled(tmp_path, f"def main(trainer, optimizer):\n{lines}\n    torch.compile(net)\n") == ["m:Net"]


@pytest.mark.parametrize(
    "made",
    [
        "net = trainer.setup(optimizer)",  # no module is passed
        "net = library.wrap(Net())",  # the result may be anything
        "net = Net()\nother = library.wrap(net)\nnet = other",
        "net, optimizer = library.initialize(optimizer, Net())",  # nothing shows which is which
    ],
)
def test_other_results_stay_unknown(made: str, tmp_path: Path) -> None:
    lines = textwrap.indent(made, "    ")
    assert compiled(tmp_path, f"def main(trainer, optimizer):\n{lines}\n    torch.compile(net)\n") == ["?"]


@pytest.mark.parametrize(
    "made",
    [
        "engine, *_ = deepspeed.initialize(model=Net(), config=config)",
        "engine, optimizer, _, _ = deepspeed.initialize(None, Net())",
        "engine = deepspeed.init_inference(Net(), mp_size=2)",
        "engine = get_peft_model(Net(), config)",
    ],
)
def test_functions_of_libraries_that_wrap_a_module(made: str, tmp_path: Path) -> None:
    source = f"import deepspeed\nfrom peft import get_peft_model\ndef main(config):\n    {made}\n    engine.compile()\n"
    assert compiled(tmp_path, source) == ["m:Net"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ('"Net"', ["m:Net"]),
        ("args.model", ["m:Other"]),
        ("args.kind", ["?"]),
        ('"Net" + args.kind', ["?"]),
        ('"class"', ["?"]),
        ('"Net."', ["?"]),
    ],
)
def test_class_named_in_eval(name: str, expected: list[str], tmp_path: Path) -> None:
    source = f"""
        import argparse
        def main():
            parser = argparse.ArgumentParser()
            parser.add_argument("--model", default="Other")
            parser.add_argument("--kind")
            args = parser.parse_args()
            torch.compile(eval({name})())
    """
    assert compiled(tmp_path, source) == expected


@pytest.mark.parametrize("declared", ["Net", "Optional[Net]", "'Net'", "Net | Other", "nn.Module", "torch.Tensor"])
def test_annotation_of_an_unknown_value(declared: str, tmp_path: Path) -> None:
    source = f"""
        from typing import Optional
        def main(config):
            net: {declared} = library.load(config.name)
            torch.compile(net)
    """
    expected = {"Net | Other": ["m:Net", "m:Other"], "nn.Module": ["?"], "torch.Tensor": ["?"]}.get(declared, ["m:Net"])
    assert compiled(tmp_path, source) == expected


def test_an_annotation_does_not_replace_what_is_known(tmp_path: Path) -> None:
    assert compiled(tmp_path, "def main():\n    net: Net = Other()\n    torch.compile(net)\n") == ["m:Other"]


@pytest.mark.parametrize(
    ("read", "expected"),
    [
        ("config.training.actor.cls", ["m:Other"]),
        ("config['actor']['cls']", ["m:Other"]),
        ("config.actor.get('cls')", ["m:Other"]),
        ("config.critic.cls", ["m:Net"]),
        ("config.network_class", ["m:Net"]),
        ("config.cls", ["?"]),
        ("config.judge.cls", ["?"]),
    ],
)
def test_class_named_in_a_configuration(read: str, expected: list[str], tmp_path: Path) -> None:
    text = """
        network_class: m.Net
        training:
          actor:
            size: 3
            cls: "m.Other"  # the class
          critic_config: {size: 3}
          critic:
            cls: m.Net
        judge:
          cls: 3.5
    """
    source = f"""
        import hydra
        def main(config):
            torch.compile(hydra.utils.get_class({read})())
    """
    assert compiled(tmp_path, source, {"conf/config.yaml": textwrap.dedent(text)}) == expected
