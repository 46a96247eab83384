"""Breaks in code that an earlier break leaves to Python: Dynamo does not come to them."""

from __future__ import annotations

import functools
import textwrap

import pytest

from tests.interp.snippets import breaks, confidences, hidden
from tests.oracle import record

PROGRAMS = {
    "cache_as_a_decorator": """
        import functools
        def f(x):
            y = x * 2
            @functools.lru_cache
            def scale(value):
                return value * 3
            y = scale(y)
            return y[y > 0]
    """,
    "loop": """
        def f(x):
            for n in [2, 3]:
                x = x * n
                if x.sum() > 0:
                    x = x + 1
                x = x + x[x > 0].sum()
            return x
    """,
    "loop_left_after_one_round": """
        def f(x):
            for n in [2, 3]:
                x = x * n
                print(x)
                break
            return x[x > 0]
    """,
    "loop_that_one_branch_leaves": """
        def f(x):
            for n in [2, 3]:
                if n != 3:
                    x = x * n
                else:
                    print(x)
                    break
            return x[x > 0]
    """,
    "loop_that_goes_on_after_the_branch_that_leaves": """
        def f(x):
            for n in [2, 3]:
                if n == 2:
                    print(x)
                    break
                x = x * n
            return x[x > 0]
    """,
    "two_loops_left_after_one_round": """
        def f(x):
            for n in [2, 3]:
                for m in [2, 3]:
                    if n > m:
                        continue
                    print(x)
                    break
                break
            return x[x > 0]
    """,
    "inner_loop_left_after_one_round": """
        def f(x):
            for n in [2, 3]:
                for m in [2, 3]:
                    print(x)
                    break
            return x[x > 0]
    """,
    "generator_after_a_loop": """
        def parts(x):
            for n in [2, 3]:
                print(x)
                yield x * n
        def f(x):
            for n in [2, 3]:
                y = x.sum().item()
            return sum(parts(x))
    """,
    "try_block": """
        def f(x):
            try:
                x = x + 1
                n = x.sum().item()
            except ValueError:
                n = 1
            return x[x > n]
    """,
    "with_block": """
        class Manager:
            def __enter__(self):
                return self
            def __exit__(self, *args):
                return None
        def f(x):
            with Manager():
                x = x + x[x > 0].sum()
                return x + x.nonzero().sum()
    """,
    "while_loop": """
        def f(x):
            while x.sum() < 10:
                x = x + x[x > 0].sum() + 1
            return x[x > 1]
    """,
    "break_only_if_an_option_is_set": """
        def f(x, on=False):
            for n in [2, 3]:
                x = x * n
                if on and x.sum() > 0:
                    x = x + 1
                x = x + x[x > 0].sum()
            return x
    """,
    "loop_that_may_be_empty": """
        def f(x, rows=()):
            for row in rows:
                if x.sum() > 0:
                    x = x + row
            return x[x > 0]
    """,
    "function_called_behind_the_break": """
        def g(x):
            return x[x > 0].sum()
        def f(x):
            for n in [2, 3]:
                x = x * n
                if x.sum() > 0:
                    x = x + 1
                x = x + g(x)
            return x
    """,
    "comprehension": """
        def f(x):
            y = [x[x > n].sum() for n in range(2)]
            return x[x > 1] + y[0]
    """,
    "function_without_tensors": """
        def g(n):
            print(n)
            print(n + 1)
            return n
        def f(x):
            return x + g(2)
    """,
    "branches_of_a_function_without_tensors": """
        def g(n):
            if n > 1:
                print(n)
            else:
                print(n + 1)
            print(n + 2)
            return n
        def f(x):
            return x + g(2) + g(1)
    """,
    "function_without_tensors_behind_the_break": """
        def h(n):
            print(n)
            return n
        def g(n):
            return h(n)
        def f(x):
            for n in [2, 3]:
                if x.sum() > 0:
                    x = x + 1
                x = x + g(n)
            return x
    """,
    "function_without_tensors_called_by_one_with_tensors": """
        def h(n):
            print(n)
            return n
        def g(x, n):
            return x + h(n)
        def f(x):
            for n in [2, 3]:
                if x.sum() > 0:
                    x = x + 1
                x = g(x, n)
            return x
    """,
    "function_decorated_with_a_manager": """
        import contextlib
        class Section(contextlib.ContextDecorator):
            def __enter__(self):
                return self
            def __exit__(self, *error):
                pass
        @Section()
        def double(x):
            return x * 2
        def f(x):
            y = double(x + 1)
            return y[y > 0]
    """,
    "generator": """
        def g(x):
            for n in [1, 2]:
                print(n)
                yield x[x > n].sum()
        def f(x):
            return x + sum(g(x))
    """,
    "two_calls": """
        def g(x):
            try:
                x = x + x.sum().item()
            finally:
                x = x + 1
            return x + x.nonzero().sum()
        def f(x):
            return g(x) + g(x * 2)
    """,
    "no_tensors_after_the_break": """
        class Log:
            def __init__(self):
                self.total = torch.ones(3)
            def step(self, y):
                print(y.shape)
                print("b")
                self.more()
            def more(self):
                print(self.total.sum())
        log = Log()
        def f(x):
            log.step(x)
            return x + 1
    """,
    "no_tensors_after_the_condition": """
        def g(y, n):
            if y.sum() > 0:
                print(n)
            print("c")
        def f(x):
            g(x, 2)
            return x + 1
    """,
    "tensors_after_the_break": """
        class Log:
            def step(self, y, *others, **options):
                print("a")
                self.more(y)
                print(y.shape)
            def more(self, y):
                print(y.sum())
        log = Log()
        def f(x):
            log.step(x)
            return x + 1
    """,
    "torch_after_the_break": """
        def g(n):
            print("a")
            print("b")
            return torch.ones(n)
        def f(x):
            print("c")
            return x + g(4)
    """,
    "no_other_arguments_after_the_break": """
        class Log:
            def step(self, y, *others, **options):
                print("a", y.shape)
                print(others)
                print(options)
        log = Log()
        def f(x):
            log.step(x)
            return x + 1
    """,
}
"""Programs whose function ``f`` is compiled."""


def _source(name: str) -> str:
    return "import torch\n" + textwrap.dedent(PROGRAMS[name]).strip("\n")


@functools.cache
def _lines_by_dynamo() -> dict[str, list[int]]:
    jobs = [record.Job(name, _source(name), "(torch.ones(4),)") for name in PROGRAMS]
    lines = {}
    for job, answer in zip(jobs, record.answers(jobs), strict=True):
        assert answer is not None
        assert answer["exception"] is None
        # Line 0 is in the standard library.
        lines[job.name] = sorted({line for line, _ in answer["breaks"] if line})
    return lines


@pytest.mark.parametrize("name", PROGRAMS)
def test_dynamo_breaks_at_the_same_lines(name: str) -> None:
    pytest.importorskip("torch")
    expected = _lines_by_dynamo()[name]
    found = {line for line, _ in breaks(_source(name), "f")} - hidden(_source(name), "f").keys()
    if name == "break_only_if_an_option_is_set":
        found.discard(_line_of(name, "if on"))
    assert sorted(found) == expected


def _line_of(name: str, text: str) -> int:
    return next(number for number, line in enumerate(_source(name).split("\n"), 1) if text in line)


def test_a_break_behind_another_one_is_not_certain() -> None:
    source = _source("loop").replace("f(x)", "f(x: torch.Tensor)")
    first, second = _line_of("loop", "if x.sum"), _line_of("loop", "x[x > 0]")
    assert confidences(source, "f") == {first: "certain", second: "likely"}
    assert hidden(source, "f") == {second: first}


def test_a_function_without_tensors_is_not_compiled_behind_a_break() -> None:
    name = "function_without_tensors_behind_the_break"
    assert hidden(_source(name), "f") == {_line_of(name, "print(n)"): 0}
