"""Modules that are found by name: ``sys.modules[__name__]`` and ``__import__``."""

from __future__ import annotations

import pytest

from tests.interp.snippets import breaks

HERE = {
    "sys.modules": "sys.modules[__name__]",
    "__import__ with names": "__import__(__name__, fromlist=['helper'])",
    "__import__ without a package": "__import__(__name__)",
}


@pytest.mark.parametrize("expression", HERE.values(), ids=HERE)
def test_own_module(expression: str) -> None:
    source = f"""
        import sys
        def helper(x):
            return x.sum().item()
        here = {expression}
        def f(x):
            return x + getattr(here, "helper")(x)
    """
    assert breaks(source, "f") == [(4, "tensor-to-python")]


def test_package_of_import() -> None:
    source = """
        package = __import__("torch.nn.functional")
        module = __import__("torch.nn.functional", fromlist=["relu"])
        def f(x):
            return package.nn.functional.relu(x) + module.relu(x)
        def g(x):
            return package.nonzero(module.relu(x))
    """
    assert breaks(source, "f") == []
    assert [line for line, _ in breaks(source, "g")] == [7]


def test_main_guard_is_open() -> None:
    source = """
        import torch
        def f(x):
            return x.sum().item()
        if __name__ == "__main__":
            for _ in range(3):
                torch.compile(f)(torch.ones(3))
        def g(x):
            if __name__ != "__main__":
                return x.sum().item()
            return x
    """
    assert breaks(source) == [(4, "tensor-to-python")]
    assert breaks(source, "g") == [(10, "tensor-to-python")]
