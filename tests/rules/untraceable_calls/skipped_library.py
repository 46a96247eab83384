"""More examples of GBL417, skipped-library."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import networkx as nx
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, nx.Graph]:
    graph = nx.Graph()  # breaks: GB0007
    graph.add_edge(0, 1)  # breaks: GB0008
    return x * 2, graph
""",
        needs=("networkx",),
    ),
    Example(
        """\
import networkx as nx
import torch

GRAPH = nx.Graph([(0, 1)])


def f(x: torch.Tensor) -> torch.Tensor:
    return x * len(GRAPH[0])  # breaks: GB0008
""",
        needs=("networkx",),
    ),
    Example(
        """\
import torch

torch._dynamo.disallow_in_graph(torch.hypot)


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    y = torch.hypot(y, y)  # breaks: GB0007
    return y * 2
""",
    ),
)
CLEAN = (
    Example(
        """\
import networkx as nx
import torch

GRAPH = nx.Graph([(0, 1)])
DEGREE = len(GRAPH[0])


def f(x: torch.Tensor) -> torch.Tensor:
    return x * DEGREE
""",
        needs=("networkx",),
    ),
    Example(
        """\
import networkx as nx
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    try:
        raise nx.NetworkXError("no path")
    except nx.NetworkXError:
        return x * 2
""",
        needs=("networkx",),
    ),
    Example(
        """\
import torch

torch._dynamo.disallow_in_graph(torch.logaddexp2)
torch._dynamo.allow_in_graph(torch.logaddexp2)


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.logaddexp2(x, x) + 1
""",
    ),
    Example(
        """\
import textwrap
from fractions import Fraction

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x * len(textwrap.dedent("  a")) + Fraction(1, 2).numerator
""",
    ),
)
