"""A call is interpreted once for all objects with equal contents, and again for an object that differs."""

from __future__ import annotations

from pathlib import Path

import pytest

from gblint.entrypoints.search import find_entries
from gblint.interp import new_interpreter, trace
from gblint.interp.state.interpreter import Interpreter
from gblint.knowledge.catalog import load
from gblint.project.environment import Environment
from gblint.project.project import Project
from tests.interp.snippets import breaks

NET = """\
import torch

class Part(torch.nn.Module):
    def __init__(self, size, flag=False, name="a"):
        super().__init__()
        self.flag = flag
        self.name = name
        self.inner = torch.nn.Linear(size, size)

    def forward(self, x):
        {body}
        return self.inner(x)

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        {made}

    def forward(self, x):
        return self.first(x) + self.second(x)

net = torch.compile(Net())
"""


def traced(tmp_path: Path, body: str, made: str) -> tuple[Interpreter, list[int], int]:
    """Return the interpreter, the lines that break, and how often the forward of a part was interpreted."""
    (tmp_path / "main.py").write_text(NET.format(body=body, made=made))
    m = new_interpreter(
        Project([tmp_path], root=tmp_path, environment=Environment(None, (3, 12), ())), load("2.13"), {}
    )
    lines = sorted(reached.event.span.line for reached in trace(m, find_entries(m, []).entries))
    summaries = {id(summary) for summary in m.caches.summaries.values() if summary.function == "Part.forward"}
    return m, lines, len(summaries)


# Made by two different calls, so that the objects are distinct.
TWO = "self.first = Part(8, False); self.second = Part(8, flag=False)"


def test_equal_objects_are_interpreted_once(tmp_path: Path) -> None:
    assert traced(tmp_path, "x.item()", TWO)[1:] == ([11], 1)


@pytest.mark.parametrize(
    ("body", "made"),
    [
        ("x.item() if self.flag else None", "self.first = Part(8, False); self.second = Part(8, flag=True)"),
        ("x.item() if self.name == 'b' else None", "self.first = Part(8); self.second = Part(8, name='b')"),
        ("x.item() if self.inner.in_features == 9 else None", "self.first = Part(8); self.second = Part(9)"),
    ],
)
def test_different_objects_are_interpreted_again(tmp_path: Path, body: str, made: str) -> None:
    assert traced(tmp_path, body, made)[1:] == ([11], 2)


def test_methods_that_change_their_object_are_interpreted_again(tmp_path: Path) -> None:
    m, lines, count = traced(tmp_path, "self.seen = x", TWO)
    assert (lines, count) == ([], 2)
    parts = [each for each in m.caches.instances.values() if each.class_name.endswith("Part")]
    assert len(parts) == 2 and all("seen" in each.attrs for each in parts)


def test_methods_that_return_their_object_are_interpreted_again(tmp_path: Path) -> None:
    text = NET.format(body="return self", made=TWO.replace("flag=False", "flag=True").replace("8, False", "8"))
    text = text.replace("self.first(x) + self.second(x)", "x.item() if self.second(x).flag else self.first(x).flag")
    (tmp_path / "main.py").write_text(text)
    m = new_interpreter(
        Project([tmp_path], root=tmp_path, environment=Environment(None, (3, 12), ())), load("2.13"), {}
    )
    assert [reached.event.span.line for reached in trace(m, find_entries(m, []).entries)] == [20]


MESSAGES = """\
import torch

def tell(message, pattern="a"):
    {body}
    return None

@torch.compile
def f(x):
    tell("the first of the messages, of more than forty characters")
    tell("the second of the messages, of more than forty characters")
    tell("", "b c height width  channels and some more  -> b c")
    tell("", "b c height width  channels and some more  -> b d")
    return x
"""


def test_message_strings_are_equal_and_patterns_are_not(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(MESSAGES.format(body="print(message)"))
    m = new_interpreter(
        Project([tmp_path], root=tmp_path, environment=Environment(None, (3, 12), ())), load("2.13"), {}
    )
    found = [reached.event.span.line for reached in trace(m, find_entries(m, []).entries)]
    assert found == [4]
    assert len({id(summary) for summary in m.caches.summaries.values() if summary.function == "tell"}) == 3


def test_object_does_not_depend_on_earlier_calls() -> None:
    """An object is complete although its constructor calls a function that had many other objects before."""
    calls = "\n".join(f"    prepared(torch.nn.Linear({size}, 1), 1)" for size in range(70))
    source = f"""\
import torch

def prepared(module, size):
    module.train()
    return module

class Part(torch.nn.Module):
    def forward(self, x):
        return x * x.sum().item()

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.part = prepared(Part(), 1)

    def forward(self, x):
        return self.part(x)

def main(path):
{calls}
    net = torch.load(path)
    assert isinstance(net, Net)
    return torch.compile(net)
"""
    assert breaks(source) == [(9, "tensor-to-python")]


MADE = """\
import torch
from torch.utils.checkpoint import checkpoint

class Mask:
    def __init__(self, causal):
        self.causal = causal

def attend(x, mask):
    {body}
    return x * 2

def layer(x):
    return attend(x, Mask(True)) + attend(x, Mask({second}))

@torch.compile
def f(x):
    return {call}
"""
PLAIN, CHECKPOINTED = "layer(x)", "checkpoint(layer, x, use_reentrant=False)"
IF_CAUSAL = "print('causal') if mask.causal else None"


@pytest.mark.parametrize("call", [PLAIN, CHECKPOINTED])
@pytest.mark.parametrize(
    ("second", "body", "calls"),
    [
        ("True", IF_CAUSAL, 1),
        ("False", IF_CAUSAL, 2),
        ("True", "mask.seen = True", 2),
    ],
)
def test_equal_objects_made_in_the_region_share_a_summary(
    tmp_path: Path, call: str, second: str, body: str, calls: int
) -> None:
    (tmp_path / "main.py").write_text(MADE.format(call=call, second=second, body=body))
    m = new_interpreter(
        Project([tmp_path], root=tmp_path, environment=Environment(None, (3, 12), ())), load("2.13"), {}
    )
    found = {reached.event.span.line for reached in trace(m, find_entries(m, []).entries)}
    assert found == ({9} if "print" in body else set())
    assert len({id(each) for each in m.caches.summaries.values() if each.function == "attend"}) == calls


OUTSIDE = """\
import torch
from torch.utils.checkpoint import checkpoint

COUNTS = []

class State:
    def __init__(self):
        self.steps = 0

def count(x):
    {change}
    return x + 1

STATE = State()

def first(x):
    return count(x)

def second(x):
    return count(x).sin()

@torch.compile
def f(x):
    return checkpoint(first, x, use_reentrant=False) + checkpoint(second, x, use_reentrant=False)
"""


@pytest.mark.parametrize("change", ["STATE.steps = x.sum()", "COUNTS.append(1)"])
def test_changes_around_captured_functions_are_found_in_each(change: str) -> None:
    assert breaks(OUTSIDE.format(change=change)) == breaks(
        OUTSIDE.format(change=change).replace("second, x", "first, x")
    )
    assert {line for line, _ in breaks(OUTSIDE.format(change=change))} == {11}


SAME = """\
import torch

class Mask:
    def __init__(self, causal):
        self.causal = causal

def attend(x, a, b):
    if a is not b:
        print("two masks")
    return x * 2

@torch.compile
def f(x):
    mask = Mask(True)
    return {calls}
"""
ONE, TWO_MASKS = "attend(x, mask, mask)", "attend(x, Mask(True), Mask(True))"


@pytest.mark.parametrize(("calls", "lines"), [((ONE, ONE), []), ((ONE, TWO_MASKS), [9]), ((TWO_MASKS, ONE), [9])])
def test_functions_that_compare_objects_are_interpreted_again(calls: tuple[str, str], lines: list[int]) -> None:
    assert [line for line, _ in breaks(SAME.format(calls=" + ".join(calls)))] == lines
