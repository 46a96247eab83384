"""Arguments of compiled code that no call in the project shows, and that it passes on, unpacks or looks into."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.interp.snippets import check_program, check_program_by_dynamo, ways

# Name: the program, and the call of its compiled object, which only Dynamo is shown.
PROGRAMS = {
    "passed-on": (
        """
        class Inner(nn.Module):
            def forward(self, x, scale=None):
                if scale:
                    x = x * scale
                return x * x.sum().item()  # breaks

        class Outer(nn.Module):
            def __init__(self, inner):
                super().__init__()
                self.inner = inner
            def forward(self, *args, **kwargs):
                return self.inner(*args, **kwargs)

        compiled = torch.compile(Outer(Inner()))
        """,
        "compiled(torch.ones(3), scale=2.0)",
    ),
    "passed-on-by-position": (
        """
        def inner(x, mask, size, dims):
            if size > 3 and dims:
                x = x + 1
            return x[mask]  # breaks

        compiled = torch.compile(lambda *a: inner(*a))
        """,
        "compiled(torch.ones(3), torch.ones(3) > 0, 4, [1])",
    ),
    "passed-on-by-keyword": (
        """
        class Inner(nn.Module):
            def forward(self, x, mask):
                return x[mask]  # breaks

        class Outer(nn.Module):
            def __init__(self):
                super().__init__()
                self.inner = Inner()
            def forward(self, **batch):
                return self.inner(**batch)

        compiled = torch.compile(Outer())
        """,
        "compiled(x=torch.ones(3), mask=torch.ones(3) > 0)",
    ),
    "unpacked": (
        """
        @torch.compile
        def compiled(*inputs):
            x, y = inputs
            return x * y.max().item()  # breaks
        """,
        "compiled(torch.ones(3), torch.ones(3))",
    ),
    "items": (
        """
        @torch.compile
        def compiled(*args):
            if args[0].sum() > 0:  # breaks
                return args[0]
            return args[1]
        """,
        "compiled(torch.ones(3), torch.ones(3))",
    ),
    "keyword": (
        """
        @torch.compile
        def compiled(**kwargs):
            x = kwargs["x"]
            if kwargs["mode"] == "loud":
                x = x + 1
            return x * x.max().item()  # breaks
        """,
        "compiled(x=torch.ones(3), mode='loud')",
    ),
    "sizes": (
        """
        @torch.compile
        def compiled(x, *sizes):
            for size in sizes:
                if size > 2:
                    x = x + size
            return x.sum()
        """,
        "compiled(torch.ones(3), 1, 4)",
    ),
    "object": (
        """
        @torch.compile
        def compiled(data, n):
            if data.extra is not None and data.count > 3:
                n = n + 1
            return n * data.batch.max().item()  # breaks
        """,
        "import types; compiled(types.SimpleNamespace(batch=torch.ones(3), extra=1, count=4), torch.ones(3))",
    ),
    "functions-of-an-object": (
        """
        class Backend:
            def sum(self, x):
                return 3
            def rank_of(self, x):
                return 1

        @torch.compile
        def compiled(nx, x):
            n = nx.sum(x) + nx.rank_of(x)
            return x + 1 if n > 2 else x
        """,
        "compiled(Backend(), torch.ones(3))",
    ),
    "unpacked-keywords": (
        """
        class Inner(nn.Module):
            def forward(self, x, y):
                return x * y.max().item()  # breaks

        class Outer(nn.Module):
            def __init__(self):
                super().__init__()
                self.inner = Inner()
            def forward(self, batch):
                return self.inner(**batch)

        compiled = torch.compile(Outer())
        """,
        "compiled({'x': torch.ones(3), 'y': torch.ones(3)})",
    ),
}


def _source(name: str) -> str:
    return "import torch\nfrom torch import nn\n" + textwrap.dedent(PROGRAMS[name][0])


@pytest.mark.parametrize("name", PROGRAMS)
def test_gblint_finds_the_lines_that_break(name: str) -> None:
    check_program(_source(name))


@pytest.mark.parametrize("name", PROGRAMS)
def test_dynamo_breaks_at_these_lines(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_program_by_dynamo(tmp_path, monkeypatch, _source(name), PROGRAMS[name][1])


LISTS = """
import torch

@torch.compile
def total(x):
    if isinstance(x, list):
        print(len(x))  # breaks
        return torch.cat(x).sum()
    if isinstance(x, int):
        print(x)
    return x.sum()
"""


def test_an_argument_may_be_a_list_where_the_code_asks_for_one() -> None:
    assert ways(LISTS) == {7: ("option", ["isinstance(x, list) holds"])}


def test_dynamo_breaks_for_a_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_program_by_dynamo(tmp_path, monkeypatch, LISTS, "total([torch.ones(3)])")
