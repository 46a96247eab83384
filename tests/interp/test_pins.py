"""Pins: the configuration names the class of a component that is passed in."""

from __future__ import annotations

from pathlib import Path

import pytest

from gblint.entrypoints.search import EntrySearch, find_entries
from gblint.interp import new_interpreter, trace
from gblint.knowledge.catalog import load
from gblint.project.project import Project

SOURCE = """
import torch

class Euler:
    def step(self, x: torch.Tensor):
        return x.nonzero()

class Pipeline:
    def __init__(self, scheduler):
        self.part = scheduler

    def __call__(self, x: torch.Tensor):
        return self.part.step(x)
"""


def search(folder: Path, pins: dict[str, tuple[str, ...]]) -> tuple[EntrySearch, list[int]]:
    (folder / "m.py").write_text(SOURCE)
    m = new_interpreter(Project([folder], root=folder), load("2.13"), pins)
    found = find_entries(m, ["m:Pipeline.__call__"])
    return found, [item.event.span.line for item in trace(m, found.entries)]


@pytest.mark.parametrize("place", ["m:Pipeline.__init__.scheduler", "m:Pipeline.scheduler", "m:Pipeline.part"])
def test_a_pin_names_the_class(tmp_path: Path, place: str) -> None:
    assert search(tmp_path, {place: ("m:Euler",)})[1] == [6]


def test_class_is_unknown_without_a_pin(tmp_path: Path) -> None:
    assert search(tmp_path, {})[1] == []


def test_pin_to_a_missing_class_is_a_problem(tmp_path: Path) -> None:
    (problem,) = search(tmp_path, {"m:Pipeline.part": ("m:Eule",)})[0].problems
    assert problem.path == "pins.m:Pipeline.part" and "did you mean 'Euler'?" in problem.message
