"""`print` has an effect that a graph cannot hold, so the graph ends at it.

This holds for any argument, even a constant, and also for a branch that rarely runs.

**Instead**

- print the results outside the compiled region;
- for debugging only: `if not torch.compiler.is_compiling():` around it;
- `torch._higher_order_ops.print("loss {}", x)`, which is part of the graph and prints at run time;
- `torch._dynamo.config.reorderable_logging_functions.add(print)`: the call runs after the graph; it takes tensors,
  constants and f-strings, but not shapes, lists or dicts;
- `torch._dynamo.config.ignore_logging_functions.add(print)`: the call is omitted;
- your own function as a custom operator (`torch.library.custom_op`), or as `torch._dynamo.decorators.leaf_function`,
  which the backend inductor refuses: its body runs unchanged.

**Does not help**

- `torch.compiler.disable` on a function that prints: its call is a break as well.
- `torch.compiler.allow_in_graph` or `nonstrict_trace` on such a function: it prints fake tensors while it is compiled,
  and nothing when it runs.
- `end=""`, `file=...`, printing a constant: the call itself breaks.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import On, Rule


class PrintCall(Rule):
    """GBL401."""

    code = "GBL401"
    name = "print-call"
    summary = "`print` and other writing to the terminal"
    gb_ids = ("GB0059", "GB0156", "GB0296")
    on = (
        On(
            "call",
            (
                "builtins.print",
                "builtins.input",
                "sys.stdout.*",
                "sys.stderr.*",
                "pprint.*",
                "rich.print",
                "_io.TextIOWrapper.*",
                "io.TextIOBase.*",
            ),
        ),
        On("reordered-call", ("builtins.print",)),
    )
    message_template = "`{name}` writes to the terminal"
    help_template = (
        "remove it, guard it with `if not torch.compiler.is_compiling()`, or use `torch._higher_order_ops.print`"
    )
    recipes = ("printing.print_in_graph", "printing.guard_with_is_compiling", "printing.remove_statement")
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    print("shape", y.shape)  # breaks: GB0059
    return y * 2
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


class Report:
    def __repr__(self) -> str:
        print("shown")
        return "report"


def f(x: torch.Tensor) -> torch.Tensor:
    report = Report()
    return x * 2 if report is not None else x
""",
        ),
    )
    FIXES = (
        FixExample(
            """\
import torch


def f(x: torch.Tensor, name: str) -> torch.Tensor:
    y = x * 2
    print("mean of {x}", y.mean(), f"{name}: {y.sum():.3f} of {x.shape[0]:04d}")
    return y + 1
""",
            """\
import torch


def f(x: torch.Tensor, name: str) -> torch.Tensor:
    y = x * 2
    torch._higher_order_ops.print(
        "mean of {{x}} {!s} {}: {:.3f} of {:04d}", y.mean(), name, y.sum(), x.shape[0]
    )
    return y + 1
""",
            calls=("(torch.ones(4), 'a')", "(torch.ones(3, requires_grad=True), '{}')"),
            safe=False,
        ),
    )
