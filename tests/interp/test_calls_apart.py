"""Calls of a compiled object whose arguments differ are traced one by one, too."""

from __future__ import annotations

from pathlib import Path

import pytest

from gblint.entrypoints.calls_apart import MAX_CALLS_APART
from gblint.entrypoints.search import find_entries
from gblint.interp import new_interpreter, tracer
from gblint.knowledge.catalog import load
from gblint.project.project import Project
from gblint.runtime.mypyc import is_compiled
from tests.interp.snippets import breaks, ways

HEAD = """
import torch
def add(pair):
    first, second = pair
    return first + second
compiled = torch.compile(add)
x = torch.ones(3)
compiled([x, x])
"""


def test_the_finding_names_the_call() -> None:
    assert ways(f"{HEAD}compiled([x, x, x])\n") == {4: ("input", ["call compiled([x, x, x]) holds"])}


def test_a_break_in_every_call_is_reached_always() -> None:
    source = HEAD.replace("first + second", "(first + second).item()")
    assert ways(f"{source}compiled((x, x))\n")[5] == ("always", [])


def test_calls_with_arguments_of_one_kind_are_one() -> None:
    assert breaks(f"{HEAD}compiled([x + 1, x])\ncompiled([x, x - 1])\n") == []


def test_methods_get_their_receiver_first() -> None:
    source = """
        import torch
        class Net(torch.nn.Module):
            @torch.compile
            def forward(self, pair):
                first, second = pair
                return first + second
        x = torch.ones(3)
        Net()([x, x])
        Net()([x, x, x])
    """
    assert breaks(source) == [(6, "uncaught")]


def test_unpacked_arguments_are_joined_only() -> None:
    assert breaks(f"{HEAD}compiled(*[[x, x, x]])\ncompiled(*x)\n") in ([], [(4, "uncaught")])


@pytest.mark.skipif(is_compiled(), reason="replaces constants")
def test_not_after_a_long_first_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracer, "MAX_STEPS_TO_CALL_AGAIN", 1)
    assert breaks(f"{HEAD}compiled([x, x, x])\n") == []


CALLBACKS = """
import torch
def one(t):
    return t + 1
def two(t):
    return t.item()
def minimize(fn, x):
    @torch.compile
    def step(x):
        return x - fn(x)
    return step(x)
"""


def test_functions_that_callers_pass_to_a_helper() -> None:
    assert breaks(CALLBACKS) == []
    calls = "minimize(one, torch.ones(1))\nminimize(two, torch.ones(1))\n"
    assert breaks(CALLBACKS + calls) == [(6, "tensor-to-python")]


def test_a_lambda_is_compiled_in_a_helper() -> None:
    source = """
        import torch
        def minimize(fn, x, verbose=False):
            step = torch.compile(lambda x: x - (fn(x).item() if not verbose else 0))
            return step(x)
        minimize(lambda t: t.sum(), torch.ones(1))
    """
    assert breaks(source) == [(4, "tensor-to-python")]


def test_the_report_names_a_helper_with_more_functions_than_are_followed(tmp_path: Path) -> None:
    functions = "".join(f"def f{n}(t):\n    return t.item()\nminimize(f{n}, torch.ones(1))\n" for n in range(6))
    (tmp_path / "m.py").write_text(CALLBACKS + functions)
    search = find_entries(new_interpreter(Project([tmp_path], root=tmp_path), load("2.13"), {}), assume="never")
    assert len(search.entries) == MAX_CALLS_APART
    assert [(each.reason, each.partly) for each in search.unresolved] == [("factory", True)]


METHODS = """
import torch
class Solver:
    def __init__(self, fn):
        self.fn = fn
    @torch.compile
    def step(self, x):
        return x - self.fn(x)
def one(t):
    return t + 1
def two(t):
    return t.nonzero()
"""


def test_functions_that_callers_pass_to_an_object() -> None:
    calls = "Solver(one).step(torch.ones(1))\nSolver(two).step(torch.ones(1))\n"
    assert breaks(METHODS + calls) == [(12, "dynamic-shape")]


def test_functions_that_are_added_to_an_object() -> None:
    source = """
        import torch
        class Loop:
            def __init__(self):
                self.hooks = []
            def add(self, hook):
                self.hooks.append(hook)
                return self
            @torch.compile
            def run(self, x):
                for hook in self.hooks:
                    x = hook(x)
                return x
        def two(t):
            return t.nonzero()
        Loop().add(two).run(torch.ones(1))
    """
    assert breaks(source) == [(15, "dynamic-shape")]


def test_the_report_names_a_method_with_more_functions_than_are_followed(tmp_path: Path) -> None:
    functions = "".join(f"def f{n}(t):\n    return t + 1\nSolver(f{n}).step(torch.ones(1))\n" for n in range(6))
    (tmp_path / "m.py").write_text(METHODS + functions)
    search = find_entries(new_interpreter(Project([tmp_path], root=tmp_path), load("2.13"), {}), assume="never")
    assert [len(entry.apart) for entry in search.entries] == [MAX_CALLS_APART]
    assert [(each.reason, each.partly) for each in search.unresolved] == [("factory", True)]


@pytest.mark.parametrize("helper", ["def make(*fns):", "def make(**fns):"])
def test_functions_in_a_container_of_a_helper(helper: str) -> None:
    read, call = ("fns[0]", "make(two)") if "**" not in helper else ("fns['two']", "make(two=two)")
    source = f"""
import torch
def two(t):
    return t.nonzero()
{helper}
    @torch.compile
    def step(x):
        return {read}(x)
    return step
{call}(torch.ones(1))
"""
    assert breaks(source) == [(4, "dynamic-shape")]


def test_objects_compiled_at_one_place_get_the_arguments_of_their_own_calls() -> None:
    source = """
        import torch
        class Pairs(torch.nn.Module):
            def forward(self, xs):
                return torch.cat(xs)
        class Single(torch.nn.Module):
            def forward(self, x):
                return x.sum().item()
        def run(net, inputs):
            torch.compile(net)(*inputs)
        x = torch.ones(3)
        run(Pairs(), ([x, x],))
        run(Single(), (x,))
        run(Single(), (torch.ones(3, 3),))
    """
    assert breaks(source) == [(8, "tensor-to-python")]


MODES = (
    """
import torch
def shift(x): return x - 1
def cut(x): return x[x > 0]
TABLE = {"shift": shift, "cut": cut}
def apply(name, x): return TABLE[name](x)
class Net(torch.nn.Module):
    def __init__(self, first, second=None):
        super().__init__()
        self.first = first
        self.second = second
    def forward(self, x):
        """
    + "{body}"
    + """
for each in {values}:
    torch.compile(Net(each))(torch.ones(3))
"""
)


@pytest.mark.parametrize(
    ("values", "body", "line"),
    [
        ('("a", "b")', "return x if self.first == 'a' else x[x > 0]", 13),
        ('("shift", "cut")', "return apply(self.first, x)", 4),
        ('("shift", "cut")', "return TABLE[self.first](x)", 4),
        ("(None, 0.5)", "return x if self.first is None else x[x > 0]", 13),
        ("(0, 3)", "return x[x > 0] if self.first > 0 else x", 13),
        ("(shift, cut)", "return self.first(x)", 4),
        ('("a", "b")', "return x if f'{self.first}' else x[x > 0]", 0),
        ("(1, 3)", "return x if self.first else x[x > 0]", 0),
    ],
)
def test_modules_with_other_modes_are_traced_apart(values: str, body: str, line: int) -> None:
    found = breaks(MODES.replace("{body}", body).replace("{values}", values))
    assert found == ([(line, "dynamic-shape")] if line else [])


CALLED = """
import torch
class Stop:
    def check(self, x):
        return x[x > 0]
class Sampler:
    def __init__(self, stopping):
        self.stopping = stopping
    @torch.compile
    def step(self, x):
        return self.stopping.check(x)
    def {name}(self, x):
        return self.again(x)
    def again(self, x):
        return self.step(x)
def main():
    Sampler(Stop()){call}(torch.ones(3))
if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(("name", "call"), [("run", ".run"), ("__call__", "")])
def test_a_compiled_method_that_other_methods_call(name: str, call: str) -> None:
    assert breaks(CALLED.replace("{name}", name).replace("{call}", call)) == [(5, "dynamic-shape")]


def test_a_compiled_method_of_objects_with_other_modes() -> None:
    source = """
        import torch
        class Head:
            def __init__(self, kind):
                self.kind = kind
            @torch.compile
            def step(self, x):
                return x if self.kind == "a" else x[x > 0]
        class Body:
            def __init__(self, head):
                self.head = head
            @torch.compile
            def step(self, x):
                return x if self.head.kind == "a" else x[x > 0]
        for kind in ("a", "b"):
            Head(kind).step(torch.ones(3))
            Body(Head(kind)).step(torch.ones(3))
    """
    assert breaks(source) == [(8, "dynamic-shape"), (14, "dynamic-shape")]
