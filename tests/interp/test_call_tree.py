"""The call tree of an entry point: breaks, the graphs between them, and what runs eagerly."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from gblint.config.settings import Config
from gblint.diagnostics.call_tree import CallTreeNode
from gblint.pipeline.lint import LintRequest, lint

HEAD = "import torch\nfrom torch import nn\n\n"


def tree(folder: Path, source: str) -> CallTreeNode:
    """Return the call tree of the one entry point in ``source``."""
    path = folder / "m.py"
    path.write_text(HEAD + dedent(source))
    outcome = lint(LintRequest((path,), call_trees=True), Config(root=folder))
    (found,) = outcome.trees.values()
    return found


def shape(part: CallTreeNode) -> object:
    """Return a short form of a tree: graphs as ``g1``, functions and loops as lists."""
    if part.kind == "graph":
        return f"g{part.graph}" if part.graph == part.last else f"g{part.graph}-{part.last}"
    if part.kind == "break":
        return "(x)" if part.hidden else "x"
    if part.kind in ("eager", "more"):
        return part.kind
    name = part.name if part.kind == "call" else f"{part.kind} {part.times}"
    return [name, *map(shape, part.parts)]


def test_a_break_begins_a_new_graph(tmp_path: Path) -> None:
    found = tree(
        tmp_path, "@torch.compile\ndef f(x: torch.Tensor):\n    y = x.sin()\n    print(y)\n    return y.cos()\n"
    )
    assert shape(found) == ["f", "g1", "x", "g2"]
    cut = found.parts[1]
    assert (Path(cut.path).name, cut.line, cut.column, cut.outcome) == ("m.py", 7, 5, "resumes")
    assert found.graphs is not None and found.graphs.low == 2


def test_a_function_that_breaks_cuts_its_caller(tmp_path: Path) -> None:
    found = tree(
        tmp_path,
        """
        def say(x):
            print(x.sum())
            return x * 2

        def double(x):
            return x + x

        @torch.compile
        def f(x: torch.Tensor):
            x = double(x.sin())
            x = say(x)
            return double(x)
        """,
    )
    assert shape(found) == ["f", "g1", ["say", "g2", "x", "g3"], "g4"]
    assert found.parts[0].operators == 2


def test_a_loop_that_breaks_runs_eagerly_and_hides_the_rest(tmp_path: Path) -> None:
    found = tree(
        tmp_path,
        """
        @torch.compile
        def f(x: torch.Tensor):
            x = x.sin()
            for _ in range(3):
                x = x + x.sum().item()
            print("done")
            return x
        """,
    )
    assert shape(found) == ["f", "eager", ["loop 3", "eager", "x", "eager"], "(x)"]
    assert found.parts[1].parts[1].outcome == "frame-eager"


def test_equal_layers_are_shown_once(tmp_path: Path) -> None:
    found = tree(
        tmp_path,
        """
        class Layer(nn.Module):
            def forward(self, x):
                y = x.sin()
                print(y)
                return y.cos()

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = nn.Sequential(Layer(), Layer(), Layer())

            def forward(self, x: torch.Tensor):
                return self.layers(x).tan()

        net = torch.compile(Net())
        net(torch.randn(3))
        """,
    )
    loop = next(part for part in found.walk() if part.kind == "loop")
    assert (loop.times, [shape(part) for part in loop.parts]) == (3, [["Layer.forward", "g1", "x", "g2"]])
    # The other two iterations also use graph numbers.
    assert [part.graph for part in found.walk() if part.kind == "graph"] == [1, 2, 7]


def test_both_sides_of_a_condition_are_shown_if_both_break(tmp_path: Path) -> None:
    found = tree(
        tmp_path,
        """
        @torch.compile
        def f(x: torch.Tensor, flag: bool):
            if flag:
                print("yes")
            else:
                print("no")
            return x.sin()
        """,
    )
    assert [shape(part) for part in found.parts if part.kind == "branch"] == [["branch 1", "x"], ["branch 1", "x"]]


def test_recursion_terminates(tmp_path: Path) -> None:
    found = tree(
        tmp_path,
        """
        def down(x, n):
            print(n)
            return down(x + 1, n - 1) if n else x

        @torch.compile
        def f(x: torch.Tensor, n: int):
            return down(x, n)
        """,
    )
    assert found.size < 20 and found.leads() >= 1


def test_a_large_tree_is_cut_off(tmp_path: Path) -> None:
    lines = ["def f0(x):", "    print(1)", "    return x + 1", ""]
    for n in range(1, 12):
        lines += [f"def f{n}(x):", f"    x = f{n - 1}(x)", f"    return f{n - 1}(x + 1)", ""]
    lines += ["@torch.compile", "def f(x: torch.Tensor):", "    return f11(x)", ""]
    found = tree(tmp_path, "\n".join(lines))
    assert 50 < found.size < 1500
    folded = [part for part in found.walk() if part.kind == "call" and not part.parts]
    assert folded and all(part.breaks == 1 for part in folded)


def test_trees_are_built_on_request_only(tmp_path: Path) -> None:
    path = tmp_path / "m.py"
    path.write_text(HEAD + "@torch.compile\ndef f(x):\n    print(x)\n    return x + 1\n")
    assert lint(LintRequest((path,)), Config(root=tmp_path)).trees == {}


@pytest.mark.parametrize("body", ["return x + 1", "return x.unknown()"])
def test_functions_without_a_break_have_no_tree(tmp_path: Path, body: str) -> None:
    path = tmp_path / "m.py"
    path.write_text(HEAD + f"@torch.compile\ndef f(x: torch.Tensor):\n    {body}\n")
    assert lint(LintRequest((path,), call_trees=True), Config(root=tmp_path)).trees == {}
