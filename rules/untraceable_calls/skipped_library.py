"""A call into a library on Dynamo's skip list (pandas, scikit-learn, networkx, onnx, ...) ends the graph.

The list has names of folders and files, so that a module of your own called `tree.py` or `tabulate.py` is skipped too:
a call into it breaks the graph, and functions in it that are compiled run eagerly without a warning.

**Instead**

- call such code outside the region, and pass tensors in;
- where its result never changes: `@torch.compiler.assume_constant_result` on a function that calls it;
- for a function of tensors: a custom operator (`torch.library.custom_op` with `register_fake`);
- rename a module of your own that has the name of a library on the list.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class SkippedLibrary(Rule):
    """GBL417."""

    code = "GBL417"
    name = "skipped-library"
    summary = "a call into a library that Dynamo skips"
    gb_ids = ("GB0007", "GB0008")
    on = (
        On("skipped-function"),
        On("divergence", ("own-module",)),
        On(
            "call",
            (
                "networkx.*",
                "pandas.*",
                "sklearn.*",
                "tensorflow.*",
                "onnx.*",
                "onnxruntime.*",
                "tabulate.*",
                "xarray.*",
                "tvm.*",
                "hypothesis.*",
                "torch2trt.*",
                "tensorrt.*",
                "tree.*",
            ),
        ),
    )
    message_template = "Dynamo skips `{subject}`"
    help_template = "call it outside the region, or wrap it as a custom operator (`torch.library.custom_op`)"
    wording = (
        (
            "own-module",
            "`{function}` is not compiled: Dynamo takes its module for a library on its skip list",
            "give the module another name",
        ),
    )
    BREAKS = (
        Example(
            """\
import networkx as nx
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, nx.Graph]:
    y = x + 1
    graph = nx.path_graph(3)  # breaks: GB0007
    return y * 2, graph
""",
            needs=("networkx",),
        ),
    )
    CLEAN = (
        Example(
            """\
import networkx as nx
import torch

SIZE = len(nx.path_graph(3))


def f(x: torch.Tensor) -> torch.Tensor:
    return x * SIZE
""",
            needs=("networkx",),
        ),
    )
