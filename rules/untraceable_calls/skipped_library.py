"""A call into a library on Dynamo's skip list (pandas, scikit-learn, networkx, onnx, ...) ends the graph.

The list contains names of folders and files, so Dynamo also skips a module of your own that is called `tree.py` or
`tabulate.py`: a call into it breaks the graph, and its functions run eagerly without a warning if you compile them.

**Instead**

- call such code outside the region, and pass tensors in;
- if the result never changes: `@torch.compiler.assume_constant_result` on a function that calls the library;
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
            "`{function}` is not compiled: its module has the name of a library that Dynamo skips",
            "rename the module",
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
