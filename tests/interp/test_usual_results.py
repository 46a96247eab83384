"""Results of functions that return something else behind an option, and variables of ``contextvars``."""

from __future__ import annotations

import pytest

from tests.interp.snippets import breaks, confidences, ways

MODULE = """
    import contextvars, os, torch
    from torch import nn

    MODE = contextvars.ContextVar("MODE", default=False)
    UNSET = contextvars.ContextVar("UNSET")

    class Loud(nn.Module):
        def forward(self, x):
            print(x)
            return x

    {body}

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.part = choose()

        def forward(self, x):
            return self.part(x)

    torch.compile(Net())(torch.ones(3))
    """


def reach_of(*lines: str) -> str:
    """Return how far the line is reached that prints."""
    found = ways(MODULE.replace("{body}", "\n    ".join(["def choose():", *(f"    {line}" for line in lines)])))
    return found[10][0]


def test_return_behind_an_option() -> None:
    assert reach_of("if os.environ.get('LOUD'):", "    return Loud()", "return nn.Identity()") == "option"


def test_return_without_the_option() -> None:
    assert reach_of("if os.environ.get('QUIET'):", "    return nn.Identity()", "return Loud()") == "default"


def test_return_that_is_always_reached() -> None:
    assert reach_of("return Loud()") == "always"


def test_default_of_a_context_variable() -> None:
    assert reach_of("if MODE.get():", "    return Loud()", "return nn.Identity()") == "option"
    assert reach_of("if MODE.get(True):", "    return Loud()", "return nn.Identity()") == "default"


def test_context_variable_without_a_default() -> None:
    assert reach_of("if UNSET.get():", "    return Loud()", "return nn.Identity()") != "option"


def test_all_returns_behind_an_option() -> None:
    lines = ("if os.environ.get('LOUD'):", "    return inner(1)", "return nn.Identity()")
    body = MODULE.replace("    {body}", "    def inner(n):\n        return Loud() if n else nn.Identity()\n    {body}")
    found = ways(body.replace("{body}", "\n    ".join(["def choose():", *(f"    {line}" for line in lines)])))
    assert [reach for reach, _ in found.values()] == ["option"]


HANDLER = """
    import torch
    @torch.compile
    def f(x: torch.Tensor):
        try:
            {body}
        except RuntimeError:
            print("failed")
            return x
        return y
    f(torch.ones(3, 3))
    """


@pytest.mark.parametrize(
    ("body", "confidence"),
    [
        ("y = torch.linalg.inv(x)", "possible"),
        ("y = other(x)", "likely"),
    ],
)
def test_handler_of_an_error_of_an_operator(body: str, confidence: str) -> None:
    assert confidences(HANDLER.replace("{body}", body)).get(8) == confidence


def test_string_in_a_tensor_or_a_dictionary() -> None:
    source = """
        import torch
        from typing import Dict, Union
        @torch.compile
        def f(name: str, out: Union[torch.Tensor, Dict[str, torch.Tensor]], x: torch.Tensor):
            if name in out:
                x = x + 1
            return x if x in out else x + 2
        """
    assert [line for line, _ in breaks(source)] == [8]


def test_key_without_a_tensor() -> None:
    source = """
        import torch
        from typing import Dict
        def batch(n):
            kept = {"natoms": (n, 2), "edges": torch.ones(n)}
            kept["length"] = len("abc")
            kept["sizes"] = [1, 2]
            kept["sizes"] = torch.tensor(kept["sizes"])
            return kept
        @torch.compile
        def f(batch: Dict[str, torch.Tensor], x: torch.Tensor):
            x = x[: batch["natoms"][0]] + x[: batch["length"]]
            return x[: batch["edges"][0]] + x[: batch["sizes"][0]]
        """
    assert [line for line, _ in breaks(source)] == [13]


def test_graph_of_a_graph_module() -> None:
    source = """
        import torch
        from torch import fx, nn
        class Net(nn.Module):
            def __init__(self, whole=True):
                super().__init__()
                made = fx.GraphModule(nn.Module(), fx.Graph())
                self.part = made if whole else made.graph
            def forward(self, x):
                return self.part(x)
        torch.compile(Net())(torch.ones(3))
        """
    assert breaks(source) == []


METHODS = """
    import types
    import torch
    from torch import nn

    class Part(nn.Module):
        def change(self, x):
            return x
        def forward(self, x):
            return self.change(x)

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.part = Part()
        def export(self):
            def loud(part, x):
                print(x)
                return x
            self.part.change = types.MethodType(loud, self.part)
        def forward(self, x):
            return self.part(x)

    def main(net: Net, exports: bool):
        {body}
        torch.compile(net)(torch.ones(3))
    """


def test_method_that_is_replaced_under_a_condition() -> None:
    assert confidences(METHODS.replace("{body}", "if exports: net.export()")) == {18: "likely"}
    assert ways(METHODS.replace("{body}", "if exports: net.export()"))[18][0] == "input"


def test_method_that_nothing_replaces() -> None:
    assert confidences(METHODS.replace("{body}", "pass")) == {}


def test_decorator_that_compiles_at_the_first_call() -> None:
    source = """
    import os
    from functools import wraps
    import torch

    def compiled_lazily(function):
        if os.environ.get("NO_COMPILE"):
            return function
        compiled = None

        @wraps(function)
        def wrapped(*args, **kwargs):
            nonlocal compiled
            if compiled is None:
                compiled = torch.compile(function)
            return compiled(*args, **kwargs)

        return wrapped

    @compiled_lazily
    def norm(x, limit: float):
        print(x)
        return x / limit

    class Net(torch.nn.Module):
        def forward(self, x):
            print(x)
            return norm(x, 2.0)
    """
    assert [line for line, _ in breaks(source)] == [22]


@pytest.mark.parametrize("test", ['platform.system() == "Windows"', 'sys.platform == "win32"', 'os.name == "nt"'])
def test_helper_that_compiles_on_linux(test: str) -> None:
    source = f"""
    import os, platform, sys, torch

    def compiled(*args, **kwargs):
        if {test}:
            return args[0] if args else lambda x: x
        return torch.compile(*args, **kwargs)

    @compiled()
    def loud(x):
        print(x)
        return x

    class Net(torch.nn.Module):
        def forward(self, x):
            print(x)
            return loud(x)
    """
    assert [line for line, _ in breaks(source)] == [11]


def test_code_for_other_systems_is_an_option() -> None:
    source = """
    import platform, torch

    def f(x):
        if platform.system() == "Darwin":
            print(x)
        if platform.system() == "Linux":
            print(x)
        return x

    torch.compile(f)(torch.ones(3))
    """
    assert {line: reach for line, (reach, _) in ways(source).items()} == {6: "option", 8: "default"}
