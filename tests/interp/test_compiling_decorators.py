"""Decorators that compile: those of the project, and those that a condition chooses."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interp.test_compiled_entries import found, places

# Each case: its name, the entry points that it has, and its code.
CASES = """
# -- chosen-by-an-expression: h
import os
fast = torch.compile if os.environ.get("FAST") == "1" else (lambda f: f)
@fast
def h(x):
    return x

# -- chosen-by-a-statement: h
import os
if os.environ.get("FAST") == "1":
    fast = torch.compile
else:
    def fast(f):
        return f
@fast
def h(x):
    return x

# -- with-options: h K.h
try:
    import triton
    fast = torch.compile(dynamic=True)
except ImportError:
    fast = lambda f: f
@fast
def h(x):
    return x
class K:
    @fast
    def h(self, x):
        return x

# -- partial-if: h
import os
def keep(f):
    return f
fast = torch.compile(dynamic=True) if os.environ.get("FAST") == "1" else keep
@fast
def h(x):
    return x

# -- made-by-a-function: h
def fast(flag):
    return torch.compile if flag else (lambda f: f)
@fast(True)
def h(x):
    return x

# -- partial-made-by-a-function: h
def fast():
    return torch.compile(dynamic=True)
@fast()
def h(x):
    return x

# -- made-by-a-closure: h
def fast(**options):
    def inner(f):
        return torch.compile(f, **options)
    return inner
@fast(fullgraph=True)
def h(x):
    return x

# -- class-that-compiles: h K.h
class fast:
    def __init__(self, fn):
        self.fn = torch.compile(fn)
    def __call__(self, *args):
        return self.fn(*args)
    def __get__(self, receiver, cls=None):
        return functools.partial(self, receiver)
@fast
def h(x):
    return x
class K:
    @fast
    def h(self, x):
        return x

# -- class-that-compiles-at-the-first-call: f h
class lazy:
    def __init__(self, fn, **options):
        self.fn, self.options, self.compiled = fn, options, None
    def __call__(self, *args):
        if self.compiled is None:
            self.compiled = torch.compile(self.fn, **self.options)
        return self.compiled(*args)
@lazy
def h(x):
    return x
later = lazy(f, dynamic=True)

# -- of-a-class: C.forward D.forward
def fast(cls):
    cls.forward = torch.compile(cls.forward)
    return cls
def faster(**options):
    def inner(cls):
        cls.forward = torch.compile(cls.forward, **options)
        return cls
    return inner
@fast
class C(nn.Module):
    def forward(self, x):
        return x
@faster(dynamic=True)
class D(nn.Module):
    def forward(self, x):
        return x
"""
PLACES = places(CASES)


@pytest.mark.parametrize("name", PLACES)
def test_place(name: str, tmp_path: Path) -> None:
    source, expected = PLACES[name]
    assert found(tmp_path, source) == expected


def test_helper_under_another_name(tmp_path: Path) -> None:
    """A package hands on a helper that compiles, under another name."""
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "compiling.py").write_text(
        "import torch\ndef compile_model(model):\n    return torch.compile(model)\n"
    )
    (tmp_path / "tools" / "__init__.py").write_text("from .compiling import compile_model as fast\n")
    assert found(tmp_path, "from tools import fast\nfast(A())\n") == {"A"}
