"""Objects from outside of the region: context managers, iterators, hooks, scripted modules; exceptions in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interp.snippets import breaks, run_whole

MANAGER = """
import contextlib, threading, torch
manager = {made}

@torch.compile
def f(x: torch.Tensor):
    with manager:
        return x + 1
"""


@pytest.mark.parametrize(
    ("made", "broken"),
    [
        ("torch.no_grad()", True),
        ("torch.inference_mode()", True),
        ("threading.Lock()", True),
        ("contextlib.suppress(KeyError)", True),
        ("torch.autocast('cpu')", False),
        ("contextlib.nullcontext()", False),
    ],
)
def test_context_managers(made: str, broken: bool) -> None:
    assert breaks(MANAGER.format(made=made)) == ([(7, "context-manager")] if broken else [])


def test_context_manager_made_in_the_region() -> None:
    program = """
    import torch

    @torch.compile
    def f(x: torch.Tensor):
        manager = torch.no_grad()
        with manager:
            return x + 1
    """
    assert breaks(program) == []


@pytest.mark.parametrize(
    "made", ["(i for i in [1, 2])", "iter([1, 2])", "zip([1, 2])", "enumerate([1])", "map(abs, [1])"]
)
def test_iterators(made: str) -> None:
    program = f"""
    import torch
    steps = {made}

    @torch.compile
    def f(x: torch.Tensor):
        for step in steps:
            x = x + 1
        return x
    """
    assert breaks(program) == [(7, "iterator")]


def test_hooks() -> None:
    program = """
    import torch
    from torch import nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.refused = nn.Linear(4, 4)
            self.refused.register_full_backward_hook(lambda module, given, out: None)
            self.traced = nn.Linear(4, 4)
            self.traced.register_forward_hook(self.show)

        def show(self, module, args, out):
            print("here")

        def forward(self, x):
            x = self.refused(x)
            return self.traced(x)
    """
    assert breaks(program, "Net") == [(14, "call"), (17, "hook")]


SCRIPTED = """
import io

import torch
from torch import nn

def saved():
    file = io.BytesIO()
    torch.jit.save(torch.jit.script(nn.Linear(3, 3)), file)
    file.seek(0)
    return file

module = {module}

def f(x):
    return module(x + 1)
"""


@pytest.mark.parametrize(
    "module",
    [
        "torch.jit.script(nn.Linear(3, 3))",
        "torch.jit.script(nn.Linear(3, 3)).eval().to('cpu')",
        "torch.jit.trace(nn.Linear(3, 3), torch.ones(3)).float()",
        "torch.jit.load(saved()).eval()",
        "torch.jit.freeze(torch.jit.load(saved()).eval())",
        "torch.jit.optimize_for_inference(torch.jit.script(nn.Linear(3, 3).eval()))",
    ],
)
def test_dynamo_refuses_scripted_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    source = SCRIPTED.format(module=module)
    assert breaks(source, "f") == [(16, "module-call")]
    dynamo = pytest.importorskip("torch._dynamo")
    with pytest.raises(dynamo.exc.Unsupported):
        run_whole(tmp_path, monkeypatch, source, "f")


def test_exceptions() -> None:
    program = """
    import torch

    class Failure(Exception):
        def __init__(self, message):
            super().__init__(message)

    class Plain(Exception):
        pass

    @torch.compile
    def f(x: torch.Tensor):
        try:
            if x.dim() == 3:
                raise Failure("here")
            if x.dim() == 2:
                raise Plain("here")
            error = ValueError("here")
            error.reason = 1
            raise error
        except ValueError:
            return x
    """
    assert breaks(program) == [(6, "exception"), (19, "exception")]


def test_exceptions_with_keywords() -> None:
    program = """
    import torch

    @torch.compile
    def f(x: torch.Tensor):
        try:
            raise ImportError("here", name="there")
        except ImportError:
            return x
    """
    assert breaks(program) == [(7, "exception")]


def test_an_exception_that_ends_the_region() -> None:
    program = """
    import torch

    class Failure(Exception):
        def __init__(self, message):
            super().__init__(message)

    @torch.compile
    def f(x: torch.Tensor):
        if x.dim() == 3:
            raise Failure("here")
        return x
    """
    assert breaks(program) == []


def test_missing_imports() -> None:
    program = """
    import torch

    @torch.compile
    def f(x: torch.Tensor):
        try:
            import not_there_at_all
            x = x.item()
        except ImportError:
            x = x + 1
        return x
    """
    assert breaks(program) == [(7, "construct")]


def test_deleting_what_a_closure_uses() -> None:
    program = """
    import torch

    @torch.compile
    def f(x: torch.Tensor):
        a, b, c = 1, 2, 3
        y = sum(x * a for _ in range(2))
        z = (lambda b: b + 1)(b)
        del a
        del b
        del c
        return y + z
    """
    assert breaks(program) == [(9, "construct")]


def test_asserts() -> None:
    program = """
    import torch

    @torch.compile
    def f(x: torch.Tensor):
        assert (x > 0).all(), "positive"
        assert x.dim() == 1 and (x > 0).all()
        assert x is None or (x > 0).all()
        assert not x.isnan().any()
        assert (x > 0).all() and (x < 2).all()
        return x
    """
    assert breaks(program) == [(9, "data-dependent-branch"), (10, "data-dependent-branch")]


def test_generator_as_a_whole_region() -> None:
    program = """
    import torch

    @torch.compile{options}
    def f(x: torch.Tensor):
        yield x
    """
    assert breaks(program.format(options="(fullgraph=True)")) == [(4, "generator")]
    assert breaks(program.format(options="")) == []


def test_attributes_of_a_function_that_the_running_function_made_are_kept() -> None:
    source = """
        import torch
        def outer(y):
            return y * 2
        def f(x: torch.Tensor):
            def inner(y):
                return y * 2
            inner.scale = 3
            outer.scale = 3
            return inner(x) + outer(x)
    """
    assert breaks(source, "f") == [(9, "construct")]
