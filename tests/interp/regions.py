"""The effect of the options around a break: the table of docs/regions.md, each row with its source.

The lines that break are marked as in the examples of the rules.  ``becomes`` is the effect of the break: it ``raises``,
is ``allowed``, or ``breaks`` the graph. If there is no break, the code is ``traced``, or nothing is compiled
(``eager``).
"""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """One row."""

    title: str
    becomes: str
    source: str


TABLE: dict[str, tuple[Row, ...]] = {
    "The options of the region": (
        Row(
            "`torch.compile`",
            "breaks",
            """
            import torch
            @torch.compile
            def f(x):
                print("a")  # breaks: GB0059
                return x + 1
            """,
        ),
        Row(
            "`torch.compile(fullgraph=True)`",
            "raises",
            """
            import torch
            @torch.compile(fullgraph=True)
            def f(x):
                print("a")  # breaks: GB0059
                return x + 1
            """,
        ),
        Row(
            "`torch._dynamo.optimize(nopython=True)`",
            "raises",
            """
            import torch
            def g(x):
                print("a")  # breaks: GB0059
                return x * 2
            f = torch._dynamo.optimize("eager", nopython=True)(g)
            """,
        ),
        Row(
            "`torch._dynamo.optimize(error_on_graph_break=True)`",
            "raises",
            """
            import torch
            def g(x):
                print("a")  # breaks: GB0059
                return x * 2
            f = torch._dynamo.optimize("eager", error_on_graph_break=True)(g)
            """,
        ),
        Row(
            "`torch._dynamo.optimize_assert`",
            "raises",
            """
            import torch
            def g(x):
                print("a")  # breaks: GB0059
                return x * 2
            f = torch._dynamo.optimize_assert("eager")(g)
            """,
        ),
        Row(
            "`fullgraph=True` above another `torch.compile`",
            "raises",
            """
            import torch
            @torch.compile(fullgraph=True)
            @torch.compile
            def f(x):
                print("a")  # breaks: GB0059
                return x * 2
            """,
        ),
        Row(
            "`fullgraph=True` below another `torch.compile`",
            "breaks",
            """
            import torch
            @torch.compile
            @torch.compile(fullgraph=True)
            def f(x):
                print("a")  # breaks: GB0059
                return x * 2
            """,
        ),
        Row(
            "`torch.compile(disable=True)`",
            "eager",
            """
            import torch
            @torch.compile(disable=True)
            def f(x):
                print("a")
                return x + 1
            """,
        ),
        Row(
            "`.item()` under `fullgraph=True`",
            "traced",
            """
            import torch
            @torch.compile(fullgraph=True)
            def f(x):
                return x + x.sum().item()
            """,
        ),
    ),
    "`error_on_graph_break` inside": (
        Row(
            "`with error_on_graph_break(True)`",
            "raises",
            """
            import torch
            @torch.compile
            def f(x):
                with torch._dynamo.error_on_graph_break(True):
                    print("a")  # breaks: GB0059
                return x + 1
            """,
        ),
        Row(
            "`with error_on_graph_break(False)`",
            "allowed",
            """
            import torch
            @torch.compile
            def f(x):
                with torch._dynamo.error_on_graph_break(False):
                    print("a")  # breaks: GB0059
                return x + 1
            """,
        ),
        Row(
            "after `with error_on_graph_break(True)`",
            "breaks",
            """
            import torch
            @torch.compile
            def f(x):
                with torch._dynamo.error_on_graph_break(True):
                    x = x + 1
                print("a")  # breaks: GB0059
                return x + 1
            """,
        ),
        Row(
            "`True` under `fullgraph=True`",
            "raises",
            """
            import torch
            @torch.compile(fullgraph=True)
            def f(x):
                with torch._dynamo.error_on_graph_break(True):
                    print("a")  # breaks: GB0059
                return x + 1
            """,
        ),
        Row(
            "`False` under `fullgraph=True`",
            "raises",
            """
            import torch
            @torch.compile(fullgraph=True)
            def f(x):
                with torch._dynamo.error_on_graph_break(False):
                    print("a")  # breaks: GB0059
                return x + 1
            """,
        ),
        Row(
            "`False` inside `True`",
            "allowed",
            """
            import torch
            @torch.compile
            def f(x):
                with torch._dynamo.error_on_graph_break(True):
                    with torch._dynamo.error_on_graph_break(False):
                        print("a")  # breaks: GB0059
                return x + 1
            """,
        ),
        Row(
            "`True` inside `True`",
            "raises",
            """
            import torch
            @torch.compile
            def f(x):
                with torch._dynamo.error_on_graph_break(True):
                    with torch._dynamo.error_on_graph_break(True):
                        print("a")  # breaks: GB0059
                return x + 1
            """,
        ),
        Row(
            "`False` inside `True` under `fullgraph=True`",
            "raises",
            """
            import torch
            @torch.compile(fullgraph=True)
            def f(x):
                with torch._dynamo.error_on_graph_break(True):
                    with torch._dynamo.error_on_graph_break(False):
                        print("a")  # breaks: GB0059
                return x + 1
            """,
        ),
        Row(
            "`.item()` under `error_on_graph_break(True)`",
            "raises",
            """
            import torch
            @torch.compile
            def f(x):
                with torch._dynamo.error_on_graph_break(True):
                    y = x.sum().item()  # breaks: GB0124
                return x + y
            """,
        ),
        Row(
            "a manager made outside of the function",
            "raises",
            """
            import torch
            strict = torch._dynamo.error_on_graph_break(True)
            @torch.compile
            def f(x):
                with strict:
                    print("a")  # breaks: GB0059
                return x + 1
            """,
        ),
        Row(
            "a manager in a variable",
            "raises",
            """
            import torch
            @torch.compile
            def f(x):
                strict = torch._dynamo.error_on_graph_break(True)
                with strict:
                    print("a")  # breaks: GB0059
                return x + 1
            """,
        ),
    ),
    "`error_on_graph_break` on functions": (
        Row(
            "`True` below `torch.compile`",
            "raises",
            """
            import torch
            @torch.compile
            @torch._dynamo.error_on_graph_break(True)
            def f(x):
                print("a")  # breaks: GB0059
                return x + 1
            """,
        ),
        Row(
            "`True` above `torch.compile`",
            "raises",
            """
            import torch
            @torch._dynamo.error_on_graph_break(True)
            @torch.compile
            def f(x):
                print("a")  # breaks: GB0059
                return x + 1
            """,
        ),
        Row(
            "`False` above `torch.compile`",
            "allowed",
            """
            import torch
            @torch._dynamo.error_on_graph_break(False)
            @torch.compile
            def f(x):
                print("a")  # breaks: GB0059
                return x + 1
            """,
        ),
        Row(
            "`False` above `fullgraph=True`",
            "raises",
            """
            import torch
            @torch._dynamo.error_on_graph_break(False)
            @torch.compile(fullgraph=True)
            def f(x):
                print("a")  # breaks: GB0059
                return x + 1
            """,
        ),
        Row(
            "`False` below `fullgraph=True`",
            "raises",
            """
            import torch
            @torch.compile(fullgraph=True)
            @torch._dynamo.error_on_graph_break(False)
            def f(x):
                print("a")  # breaks: GB0059
                return x + 1
            """,
        ),
        Row(
            "`True` below `fullgraph=True`",
            "raises",
            """
            import torch
            @torch.compile(fullgraph=True)
            @torch._dynamo.error_on_graph_break(True)
            def f(x):
                print("a")  # breaks: GB0059
                return x + 1
            """,
        ),
        Row(
            "`True` on a function that is called",
            "raises",
            """
            import torch
            @torch._dynamo.error_on_graph_break(True)
            def g(x):
                print("a")  # breaks: GB0059
                return x * 2
            @torch.compile
            def f(x):
                return g(x) + 1
            """,
        ),
        Row(
            "`False` on a function that is called under `True`",
            "allowed",
            """
            import torch
            @torch._dynamo.error_on_graph_break(False)
            def g(x):
                print("a")  # breaks: GB0059
                return x * 2
            @torch.compile
            def f(x):
                with torch._dynamo.error_on_graph_break(True):
                    return g(x) + 1
            """,
        ),
        Row(
            "`True` on a function that is called under `False`",
            "raises",
            """
            import torch
            @torch._dynamo.error_on_graph_break(True)
            def g(x):
                print("a")  # breaks: GB0059
                return x * 2
            @torch.compile
            def f(x):
                with torch._dynamo.error_on_graph_break(False):
                    return g(x) + 1
            """,
        ),
        Row(
            "`False` in a function that is called under `True`",
            "allowed",
            """
            import torch
            def g(x):
                with torch._dynamo.error_on_graph_break(False):
                    print("a")  # breaks: GB0059
                return x * 2
            @torch.compile
            @torch._dynamo.error_on_graph_break(True)
            def f(x):
                return g(x) + 1
            """,
        ),
        Row(
            "`True` put on a method from outside",
            "raises",
            """
            import torch
            class N(torch.nn.Module):
                def forward(self, x):
                    return self.helper(x) + 1
                def helper(self, x):
                    print("a")  # breaks: GB0059
                    return x * 2
            N.helper = torch._dynamo.error_on_graph_break(True)(N.helper)
            f = torch.compile(N())
            """,
        ),
        Row(
            "`True` put on the `forward` of a model",
            "raises",
            """
            import torch
            class N(torch.nn.Module):
                def forward(self, x):
                    print("a")  # breaks: GB0059
                    return x * 2
            n = N()
            n.forward = torch._dynamo.error_on_graph_break(True)(n.forward)
            f = torch.compile(n)
            """,
        ),
        Row(
            "`True` put on a function from outside",
            "raises",
            """
            import torch
            def g(x):
                print("a")  # breaks: GB0059
                return x * 2
            g = torch._dynamo.error_on_graph_break(True)(g)
            @torch.compile
            def f(x):
                return g(x) + 1
            """,
        ),
        Row(
            "`True` put on a compiled model",
            "raises",
            """
            import torch
            class N(torch.nn.Module):
                def forward(self, x):
                    print("a")  # breaks: GB0059
                    return x * 2
            f = torch._dynamo.error_on_graph_break(True)(torch.compile(N()))
            """,
        ),
    ),
    "`error_on_graph_break` around the call": (
        Row(
            "`True` around the call of a compiled function",
            "raises",
            """
            import torch
            @torch.compile
            def g(x):
                print("a")  # breaks: GB0059
                return x * 2
            def f(x):
                with torch._dynamo.error_on_graph_break(True):
                    return g(x) + 1
            if 0: torch.compile
            """,
        ),
        Row(
            "`False` around the call of one with `fullgraph=True`",
            "raises",
            """
            import torch
            @torch.compile(fullgraph=True)
            def g(x):
                print("a")  # breaks: GB0059
                return x * 2
            def f(x):
                with torch._dynamo.error_on_graph_break(False):
                    return g(x) + 1
            """,
        ),
        Row(
            "`True` around the call, `False` inside",
            "allowed",
            """
            import torch
            @torch.compile
            def g(x):
                with torch._dynamo.error_on_graph_break(False):
                    print("a")  # breaks: GB0059
                return x * 2
            def f(x):
                with torch._dynamo.error_on_graph_break(True):
                    return g(x) + 1
            """,
        ),
    ),
    "One compiled function in another": (
        Row(
            "both without options",
            "breaks",
            """
            import torch
            @torch.compile
            def g(x):
                print("a")  # breaks: GB0059
                return x * 2
            @torch.compile
            def f(x):
                return g(x) + 1
            """,
        ),
        Row(
            "`fullgraph=True` on the outer one",
            "raises",
            """
            import torch
            @torch.compile
            def g(x):
                print("a")  # breaks: GB0059
                return x * 2
            @torch.compile(fullgraph=True)
            def f(x):
                return g(x) + 1
            """,
        ),
        Row(
            "`fullgraph=True` on the inner one",
            "raises",
            """
            import torch
            @torch.compile(fullgraph=True)
            def g(x):
                print("a")  # breaks: GB0059
                return x * 2
            @torch.compile
            def f(x):
                return g(x) + 1
            """,
        ),
        Row(
            "`.item()` in the inner one with `fullgraph=True`",
            "breaks",
            """
            import torch
            @torch.compile(fullgraph=True)
            def g(x):
                return x * x.sum().item()  # breaks: GB0124
            @torch.compile
            def f(x):
                return g(x) + 1
            """,
        ),
        Row(
            "`torch.compile(f, fullgraph=True)` called inside a region",
            "breaks",
            """
            import torch
            def g(x):
                print("a")  # breaks: GB0059
                return x * 2
            @torch.compile
            def f(x):
                return torch.compile(g, fullgraph=True)(x) + 1
            """,
        ),
        Row(
            "a compiled part of a model, with `fullgraph=True`",
            "raises",
            """
            import torch
            class Inner(torch.nn.Module):
                def forward(self, x):
                    print("a")  # breaks: GB0059
                    return x * 2
            class N(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.inner = torch.compile(Inner(), fullgraph=True)
                def forward(self, x):
                    return self.inner(x) + 1
            f = torch.compile(N())
            """,
        ),
        Row(
            "`torch.compile(disable=True)` called inside a region",
            "breaks",
            """
            import torch
            @torch.compile(disable=True)
            def g(x):
                print("a")  # breaks: GB0059
                return x + 1
            @torch.compile
            def f(x):
                return g(x) + 1
            """,
        ),
    ),
    "`torch.compiler.disable`": (
        Row(
            "on a function",
            "breaks",
            """
            import torch
            @torch.compiler.disable
            def g(x):
                return x * 2
            def f(x):
                return g(x + 1) + 1  # breaks: GB0098
            """,
        ),
        Row(
            "on a function, called under `fullgraph=True`",
            "raises",
            """
            import torch
            @torch.compiler.disable
            def g(x):
                return x * 2
            @torch.compile(fullgraph=True)
            def f(x):
                return g(x + 1) + 1  # breaks: GB0098
            """,
        ),
        Row(
            "on a function, called under `error_on_graph_break(True)`",
            "raises",
            """
            import torch
            @torch.compiler.disable
            def g(x):
                return x * 2
            @torch.compile
            @torch._dynamo.error_on_graph_break(True)
            def f(x):
                return g(x) + 1  # breaks: GB0098
            """,
        ),
        Row(
            "a function that the disabled one calls",
            "breaks",
            """
            import torch
            @torch.compiler.disable
            def g(x):
                return h(x) * 2
            def h(x):
                print("deeper")
                return x + 1
            def f(x):
                return g(x + 1) + 1  # breaks: GB0098
            """,
        ),
        Row(
            "a function that the disabled one calls, with `recursive=False`",
            "breaks",
            """
            import torch
            @torch._dynamo.disable(recursive=False)
            def g(x):
                return h(x) * 2
            def h(x):
                print("deeper")  # breaks: GB0059
                return x + 1
            def f(x):
                return g(x + 1) + 1  # breaks: GB0099
            """,
        ),
        Row(
            "on a method",
            "breaks",
            """
            import torch
            class Net(torch.nn.Module):
                def forward(self, x):
                    return self.slow(x + 1) + 1  # breaks: GB0099
                @torch.compiler.disable
                def slow(self, x):
                    return x * 2
            """,
        ),
        Row(
            "on a static method",
            "breaks",
            """
            import torch
            class Net(torch.nn.Module):
                def forward(self, x):
                    return self.slow(x + 1) + 1  # breaks: GB0098
                @staticmethod
                @torch.compiler.disable
                def slow(x):
                    return x * 2
            """,
        ),
        Row(
            "on a model",
            "breaks",
            """
            import torch
            class Inner(torch.nn.Module):
                def forward(self, x):
                    return x * 2
            class Net(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.inner = torch.compiler.disable(Inner())
                def forward(self, x):
                    return self.inner(x + 1) + 1  # breaks: GB0148
            """,
        ),
        Row(
            "on the class of a model",
            "breaks",
            """
            import torch
            @torch.compiler.disable
            class Inner(torch.nn.Module):
                def forward(self, x):
                    return x * 2
            class Net(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.inner = Inner()
                def forward(self, x):
                    return self.inner(x + 1) + 1  # breaks: GB0099
            """,
        ),
        Row(
            "on the `forward` of one model",
            "breaks",
            """
            import torch
            class Inner(torch.nn.Module):
                def forward(self, x):
                    return x * 2
            class Net(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.inner = Inner()
                    self.inner.forward = torch.compiler.disable(self.inner.forward)
                def forward(self, x):
                    return self.inner(x + 1) + 1  # breaks: GB0098
            """,
        ),
        Row(
            "on a method, from outside",
            "breaks",
            """
            import torch
            class Inner(torch.nn.Module):
                def forward(self, x):
                    return x * 2
            Inner.forward = torch._dynamo.disable(Inner.forward)
            class Net(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.inner = Inner()
                def forward(self, x):
                    return self.inner(x + 1) + 1  # breaks: GB0099
            """,
        ),
        Row(
            "called inside a region",
            "breaks",
            """
            import torch
            def g(x):
                return x * 2
            def f(x):
                return torch.compiler.disable(g)(x + 1) + 1  # breaks: GB0007, GB0098
            """,
        ),
        Row(
            "below `torch.compile`",
            "breaks",
            """
            import torch
            @torch.compile
            @torch.compiler.disable
            def f(x):
                print("a")  # breaks: GB0059
                return x + 1
            """,
        ),
        Row(
            "above `torch.compile`",
            "eager",
            """
            import torch
            @torch.compiler.disable
            @torch.compile
            def f(x):
                print("a")
                return x + 1
            """,
        ),
        Row(
            "under a decorator with `functools.wraps`",
            "breaks",
            """
            import torch
            import functools
            def deco(fn):
                @functools.wraps(fn)
                def wrapper(*a):
                    return fn(*a)  # breaks: GB0098
                return wrapper
            @deco
            @torch.compiler.disable
            def g(x):
                return x * 2
            def f(x):
                return g(x + 1) + 1  # breaks: GB0099
            """,
        ),
        Row(
            "`torch._dynamo.decorators.skip`",
            "breaks",
            """
            import torch
            from torch._dynamo.decorators import skip
            @skip
            def g(x):
                return x * 2
            def f(x):
                return g(x + 1) + 1  # breaks: GB0099
            """,
        ),
        Row(
            "`torch._dynamo.run` on a function",
            "traced",
            """
            import torch
            @torch._dynamo.run
            def g(x):
                return x * 2
            def f(x):
                return g(x + 1) + 1
            """,
        ),
        Row(
            "`torch._dynamo.run` above `torch.compile`",
            "eager",
            """
            import torch
            @torch._dynamo.run
            @torch.compile
            def f(x):
                print("a")
                return x * 2
            """,
        ),
    ),
    "Stances": (
        Row(
            "`with set_stance(...)` inside a region",
            "raises",
            """
            import torch
            def f(x):
                with torch.compiler.set_stance("default"):  # breaks
                    return x + 1
            """,
        ),
        Row(
            "`set_stance(...)` on a function that a region calls",
            "raises",
            """
            import torch
            @torch.compiler.set_stance("force_eager")
            def g(x):
                return x * 2
            def f(x):
                return g(x) + 1  # breaks
            """,
        ),
        Row(
            "`set_stance(...)` in a disabled function",
            "breaks",
            """
            import torch
            @torch.compiler.disable
            def g(x):
                with torch.compiler.set_stance("force_eager"):
                    return x + 1
            def f(x):
                return g(x) + 1  # breaks: GB0098
            """,
        ),
        Row(
            '`set_stance("force_eager")` above `torch.compile`',
            "eager",
            """
            import torch
            @torch.compiler.set_stance("force_eager")
            @torch.compile
            def f(x):
                print("a")
                return x + 1
            """,
        ),
    ),
    "Functions put into the graph, or replaced": (
        Row(
            "`allow_in_graph`",
            "traced",
            """
            import torch
            @torch.compiler.allow_in_graph
            def g(x):
                print("a")
                return x * 2
            def f(x):
                return g(x) + 1
            """,
        ),
        Row(
            "`allow_in_graph(f)` as a call",
            "traced",
            """
            import torch
            def g(x):
                print("a")
                return x * 2
            torch.compiler.allow_in_graph(g)
            def f(x):
                return g(x) + 1
            """,
        ),
        Row(
            "`.item()` under `allow_in_graph`",
            "breaks",
            """
            import torch
            @torch.compiler.allow_in_graph
            def g(x):
                return x * x.sum().item()  # breaks: GB0124
            def f(x):
                return g(x) + 1  # breaks: GB0033
            """,
        ),
        Row(
            "`allow_in_graph` on a method",
            "breaks",
            """
            import torch
            class Net(torch.nn.Module):
                def forward(self, x):
                    return self.g(x) + 1
                @torch.compiler.allow_in_graph
                def g(self, x):
                    print("a")  # breaks: GB0059
                    return x * 2
            """,
        ),
        Row(
            "`allow_in_graph` on a function that returns a number",
            "breaks",
            """
            import torch
            @torch.compiler.allow_in_graph
            def g(x):
                return x.shape[0]
            def f(x):
                return x + g(x)  # breaks: GB0208
            """,
        ),
        Row(
            "`nonstrict_trace`",
            "traced",
            """
            import torch
            @torch._dynamo.nonstrict_trace
            def g(x):
                print("a")
                return x * 2
            def f(x):
                return g(x) + 1
            """,
        ),
        Row(
            "`.item()` under `nonstrict_trace`",
            "breaks",
            """
            import torch
            @torch._dynamo.nonstrict_trace
            def g(x):
                return x * x.sum().item()  # breaks: GB0124
            def f(x):
                return g(x) + 1  # breaks: GB0251
            """,
        ),
        Row(
            "`nonstrict_trace` on a method",
            "traced",
            """
            import torch
            class Net(torch.nn.Module):
                def forward(self, x):
                    return self.g(x) + 1
                @torch._dynamo.nonstrict_trace
                def g(self, x):
                    print("a")
                    return x * 2
            """,
        ),
        Row(
            "`.item()` in a leaf function",
            "traced",
            """
            import torch
            from torch._dynamo.decorators import leaf_function
            @leaf_function
            def g(x):
                return x * x.sum().item()
            @g.register_fake
            def _(x):
                return torch.empty_like(x)
            def f(x):
                return g(x) + 1
            """,
        ),
        Row(
            "`.item()` in a custom operator",
            "traced",
            """
            import torch
            @torch.library.custom_op("rr::one", mutates_args=())
            def g(x: torch.Tensor) -> torch.Tensor:
                print("a")
                return x * x.sum().item()
            @g.register_fake
            def _(x):
                return torch.empty_like(x)
            def f(x):
                return g(x) + 1
            """,
        ),
        Row(
            "`substitute_in_graph`",
            "traced",
            """
            import torch
            def slow(x):
                print("a")
                return x * 2
            @torch.compiler.substitute_in_graph(slow)
            def slow_traced(x):
                return x * 2
            def f(x):
                return slow(x) + 1
            """,
        ),
        Row(
            "`substitute_in_graph` for a function in C",
            "traced",
            """
            import torch
            import time
            @torch.compiler.substitute_in_graph(time.time)
            def t():
                return 0.0
            def f(x):
                return x * time.time()
            """,
        ),
        Row(
            "`forbid_in_graph`",
            "raises",
            """
            import torch
            @torch._dynamo.forbid_in_graph
            def g(x):
                return x * 2
            def f(x):
                return g(x) + 1  # breaks
            """,
        ),
        Row(
            "`assume_constant_result`",
            "traced",
            """
            import torch
            @torch.compiler.assume_constant_result
            def g():
                print("a")
                return 3
            def f(x):
                return x + g()
            """,
        ),
    ),
    "Exports": (
        Row(
            "`print` under `torch.export.export(strict=True)`",
            "traced",
            """
            import torch
            class N(torch.nn.Module):
                def forward(self, x):
                    print("a")
                    return x * 2
            def f(x):
                torch.export.export(N(), (x,), strict=True)
                return x
            """,
        ),
        Row(
            "`print` under `torch._dynamo.export`",
            "raises",
            """
            import torch
            def g(x):
                print("a")  # breaks: GB0059
                return x * 2
            def f(x):
                torch._dynamo.export(g)(x)
                return x
            """,
        ),
        Row(
            "a disabled function under `torch.export.export(strict=True)`",
            "raises",
            """
            import torch
            @torch.compiler.disable
            def h(x):
                return x * 3
            class N(torch.nn.Module):
                def forward(self, x):
                    return h(x) * 2  # breaks: GB0098
            def f(x):
                torch.export.export(N(), (x,), strict=True)
                return x
            """,
        ),
        Row(
            "`is_exporting()`",
            "traced",
            """
            import torch
            class N(torch.nn.Module):
                def forward(self, x):
                    if torch.compiler.is_exporting():
                        return x * 2
                    print("a")
                    return x
            def f(x):
                torch.export.export(N(), (x,), strict=True)
                return x
            """,
        ),
    ),
    "Queries": (
        Row(
            "`torch.compiler.is_compiling()`",
            "traced",
            """
            import torch
            def f(x):
                if torch.compiler.is_compiling():
                    return x + 1
                print("a")
                return x
            """,
        ),
        Row(
            "`torch._dynamo.is_compiling()`",
            "traced",
            """
            import torch
            def f(x):
                if torch._dynamo.is_compiling():
                    return x + 1
                print("a")
                return x
            """,
        ),
        Row(
            "`torch._utils.is_compiling()`",
            "traced",
            """
            import torch
            def f(x):
                if torch._utils.is_compiling():
                    return x + 1
                print("a")
                return x
            """,
        ),
        Row(
            "`torch._dynamo.external_utils.is_compiling()`",
            "traced",
            """
            import torch
            def f(x):
                if torch._dynamo.external_utils.is_compiling():
                    return x + 1
                print("a")
                return x
            """,
        ),
        Row(
            "`torch.compiler.is_dynamo_compiling()`",
            "traced",
            """
            import torch
            def f(x):
                if torch.compiler.is_dynamo_compiling():
                    return x + 1
                print("a")
                return x
            """,
        ),
        Row(
            "`torch.compiler.is_exporting()`",
            "traced",
            """
            import torch
            def f(x):
                if not torch.compiler.is_exporting():
                    return x + 1
                print("a")
                return x
            """,
        ),
        Row(
            "`torch.jit.is_scripting()`",
            "traced",
            """
            import torch
            def f(x):
                if not torch.jit.is_scripting():
                    return x + 1
                print("a")
                return x
            """,
        ),
        Row(
            "`torch.jit.is_tracing()`",
            "traced",
            """
            import torch
            def f(x):
                if not torch.jit.is_tracing():
                    return x + 1
                print("a")
                return x
            """,
        ),
        Row(
            "`is_compiling()` at the top of a module",
            "breaks",
            """
            import torch
            if torch.compiler.is_compiling():
                def g(x):
                    return x + 1
            else:
                def g(x):
                    print("a")  # breaks: GB0059
                    return x
            def f(x):
                return g(x)
            """,
        ),
    ),
}
