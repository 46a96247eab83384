"""Methods that a compiled method of a base class calls on its object, and that subclasses override."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from gblint.entrypoints.search import find_entries
from gblint.entrypoints.subclasses import MAX_OVERRIDING
from gblint.interp import new_interpreter
from gblint.knowledge.catalog import load
from gblint.project.project import Project
from tests.interp.snippets import breaks

FORMS = {
    "a decorated method": """
        class Task:
            def loss(self, x):
                raise NotImplementedError
            @torch.compile
            def run(self, x):
                return self.loss(x) * 2
    """,
    "by way of another method": """
        class Task:
            def loss(self, x):
                raise NotImplementedError
            def twice(self, x):
                return self.loss(x) * 2
            @torch.compile
            def run(self, x):
                return self.twice(x)
    """,
    "a bound method": """
        class Task:
            def __init__(self):
                self.compiled = torch.compile(self.run)
            def loss(self, x):
                raise NotImplementedError
            def run(self, x):
                return self.loss(x) * 2
    """,
    "a module": """
        class Task(torch.nn.Module):
            def loss(self, x):
                raise NotImplementedError
            def forward(self, x):
                return self.loss(x) * 2
        def main(task: Task):
            return torch.compile(task)
    """,
    "not abstract": """
        class Task:
            def loss(self, x):
                return x
            @torch.compile
            def run(self, x):
                return self.loss(x) * 2
    """,
}
SUBCLASS = """
        class Mean(Task):
            def loss(self, x):
                return x.mean().item()
"""


@pytest.mark.parametrize("source", FORMS.values(), ids=FORMS)
def test_the_method_of_a_subclass_is_called(source: str) -> None:
    whole = f"        import torch{source}{SUBCLASS}"
    line = next(number for number, text in enumerate(whole.splitlines(), 1) if "item()" in text)
    assert breaks(whole) == [(line, "tensor-to-python")]


def test_an_object_that_the_source_makes_has_no_subclass() -> None:
    source = f"        import torch{FORMS['not abstract'].replace('@torch.compile', '')}{SUBCLASS}"
    assert breaks(f"{source}\n        step = torch.compile(Task().run)\n") == []


def test_subclasses_with_the_same_methods_are_one(tmp_path: Path) -> None:
    b = "class B(Task):\n    def loss(self, x):\n        return x + 1\n"
    more = f"class A(Task):\n    pass\n{b}class C(B):\n    pass\n"
    assert _entries(tmp_path, f"{_source('not abstract')}\n{more}") == (["m:B.run", "m:Task.run"], [])


def test_the_report_names_a_class_with_more_subclasses_than_are_followed(tmp_path: Path) -> None:
    more = "".join(f"class N{n}(Task):\n    def loss(self, x):\n        return x + {n}\n" for n in range(6))
    entries, unresolved = _entries(tmp_path, f"{_source('a decorated method')}\n{more}")
    assert len(entries) == MAX_OVERRIDING
    assert unresolved == [("base-class", True)]


PARTS = """
import torch
class Task:
    closed = False
    def loss(self, x):
        raise NotImplementedError
    def gradients(self, x):
        raise NotImplementedError
    @torch.compile
    def run(self, x):
        return self.gradients(x) if self.closed else self.loss(x)

class Sum(Task):
    def loss(self, x):
        return self.near(x) + self.far(x)
    def gradients(self, x):
        return self.near_gradients(x)
    def near(self, x):
        raise NotImplementedError
    def far(self, x):
        raise NotImplementedError
    def near_gradients(self, x):
        raise NotImplementedError

class Pairs(Sum):
    def near(self, x):
        return x
    def far(self, x):
        return x.mean().item()

class Closed(Sum):
    closed = True
    def near_gradients(self, x):
        return x.mean().item()
"""


def test_methods_that_an_option_needs_may_be_missing(tmp_path: Path) -> None:
    entries, unresolved = _entries(tmp_path, PARTS)
    assert (entries, unresolved) == (["m:Closed.run", "m:Pairs.run"], [])


def _source(form: str) -> str:
    return textwrap.dedent(f"        import torch{FORMS[form]}")


def _entries(folder: Path, source: str) -> tuple[list[str], list[tuple[str, bool]]]:
    (folder / "m.py").write_text(source)
    search = find_entries(new_interpreter(Project([folder], root=folder), load("2.13"), {}), assume="never")
    return sorted(e.point.name for e in search.entries), [(u.reason, u.partly) for u in search.unresolved]
