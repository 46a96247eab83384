"""Judges fixes in one process: the fixed source must break no graph, and have the same effects as before.

Run as a script: it reads jobs from standard input, a JSON list of ``{"before", "after", "calls", "safe"}``, and prints
a line of JSON for each: ``breaks``, the graph breaks of the fixed source, and ``differs``, a sentence about the first
difference, or null. Each call is made four times, with new arguments and the same seeds: of each source without
compilation, and twice of the compiled fixed source. With ``safe``, the output without compilation must be the same too,
and a gradient that was None must not become zero.
"""

from __future__ import annotations

import contextlib
import io
import random
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy
import torch
from torch.utils import _pytree as pytree

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.oracle.worker import Outcome, entry_of, listening, restored, serve

# The simplest backend that lowers the graph: some code that Dynamo traces fails only in the lowering.
BACKEND = "aot_eager"


@dataclass(frozen=True)
class Done:
    """The effects of one call: the result or the error, the gradients, the arguments afterwards, and the output."""

    result: Any
    error: str | None
    gradients: list[torch.Tensor | None]
    arguments: Any
    printed: str


def run_fix(job: Mapping[str, Any], folder: Path, number: int) -> dict[str, Any]:
    """Compare the two sources of ``job``."""
    paths = []
    for name in ("before", "after"):
        path = folder / f"fix_{number}_{name}.py"
        path.write_text(job[name], encoding="utf-8")
        paths.append(path)
    outcome = Outcome()
    differs = None
    for inputs in job["calls"]:
        torch._dynamo.reset()
        before = _eager(paths[0], inputs)
        after = _eager(paths[1], inputs)
        differs = differs or _difference(before, after, "eager", exact=True, safe=job["safe"])
        # A call that raises may break the graph at the line that raises.
        captured = Outcome() if before.error else outcome
        with restored(), listening(str(paths[1]), captured):
            module, entry = entry_of(paths[1])
            compiled = torch.compile(entry, backend=BACKEND)
            for _ in range(2):
                differs = differs or _difference(
                    before, _done(compiled, inputs, module, entry), "compiled", exact=False, safe=job["safe"]
                )
    return {"breaks": outcome.breaks, "differs": differs}


def _eager(path: Path, inputs: str) -> Done:
    # Operators of control flow compile their branches themselves, and give wrong results under this stance.
    stance = torch.compiler.set_stance("force_eager") if "compile(" in path.read_text() else contextlib.nullcontext()
    with restored(), stance:
        module, entry = entry_of(path)
        return _done(entry, inputs, module, entry)


def _done(function: Any, inputs: str, module: ModuleType, entry: Any) -> Done:
    torch.manual_seed(0)
    random.seed(0)
    numpy.random.seed(0)
    arguments = eval(inputs, vars(module))
    leaves = [leaf for leaf in pytree.tree_leaves(arguments) if isinstance(leaf, torch.Tensor) and leaf.requires_grad]
    if isinstance(entry, torch.nn.Module):
        entry.zero_grad()
        leaves += list(entry.parameters())
    result, error = None, None
    with _printed() as printed:
        try:
            result = function(*arguments)
        except Exception as raised:
            error = type(raised).__name__
    outputs = [leaf for leaf in pytree.tree_leaves(result) if isinstance(leaf, torch.Tensor) and leaf.requires_grad]
    if outputs:
        sum(output.sum() for output in outputs).backward()
    return Done(result, error, [leaf.grad for leaf in leaves], arguments, printed.getvalue())


def _zero_for_none(done: Done) -> list[torch.Tensor | None]:
    # A result that is computed but not used has a gradient of zero instead of None.
    return [torch.zeros(()) if grad is None or not grad.any() else grad for grad in done.gradients]


@contextlib.contextmanager
def _printed() -> Iterator[io.StringIO]:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        yield out


def _difference(one: Done, other: Done, how: str, *, exact: bool, safe: bool) -> str | None:
    """Return the first difference in a sentence; None if there is none."""
    if (one.error is None) != (other.error is None) or (exact and one.error != other.error):
        return f"{how}: {one.error or 'no error'} before, {other.error or 'no error'} after"
    if not safe:
        one, other = (replace(done, gradients=_zero_for_none(done)) for done in (one, other))
    for name in ("result", "gradients", "arguments"):
        try:
            torch.testing.assert_close(
                pytree.tree_leaves(getattr(other, name)),
                pytree.tree_leaves(getattr(one, name)),
                rtol=0 if exact else 1e-5,
                atol=0 if exact else 1e-6,
                equal_nan=True,
                check_dtype=True,
                check_stride=False,
            )
        except (AssertionError, TypeError) as difference:
            leaves = [pytree.tree_leaves(getattr(done, name)) for done in (one, other)]
            if isinstance(difference, TypeError) and repr(leaves[0]) == repr(leaves[1]):
                continue
            return f"{how}, {name}: {difference}"
    if exact and safe and one.printed != other.printed:
        return f"{how}: printed {other.printed!r}, not {one.printed!r}"
    return None


if __name__ == "__main__":
    serve(run_fix)
