"""Run the snippets of ``facts.txt`` under ``torch.compile`` and print the outcome of each as a line of JSON.

Run this as a script in an empty folder, with the path of the snippets as the argument.  A snippet is an expression, or
the head of a ``with`` statement. It is put into a function that has operators for a graph before and after it; its
names are those of ``namespace``.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import logging
import re
import sys
import warnings
from pathlib import Path
from typing import Any

import torch
import torch._dynamo

sys.path.insert(0, str(Path(__file__).parents[2]))

from gblint.confirm.capture import ids_in
from gblint.confirm.guard_latency import guards_not_measured
from tests.oracle.worker import Outcome, listening

_MODULES = re.compile(r"(?<![\w.\"'])((?:[a-zA-Z_]\w*\.)+)[a-zA-Z_]\w*")


def namespace() -> dict[str, Any]:
    """Return the names in the snippets other than their inputs: modules, and one object of each kind that they call."""
    from tests.knowledge import snippet_names

    return {"torch": torch, **{k: v for k, v in vars(snippet_names).items() if not k.startswith("__")}}


def import_modules(code: str, names: dict[str, Any]) -> bool:
    """Import every module that ``code`` names; false if one is not installed."""
    for match in _MODULES.finditer(code):
        parts = match[1].rstrip(".").split(".")
        if parts[0] in names and parts[0] not in ("torch", *sys.modules):
            continue
        if parts[0] in ("x", "y", "i", "b", "A"):
            continue
        try:
            names.setdefault(parts[0], importlib.import_module(parts[0]))
        except ImportError:
            return False
        for end in range(2, len(parts) + 1):
            with contextlib.suppress(ImportError):
                importlib.import_module(".".join(parts[:end]))
    return True


def function(code: str, names: dict[str, Any]) -> Any:
    """Return a new function around one snippet, whose code object has never been compiled."""
    lines = ["def f(x, i, b):", "    y = x + 1"]
    if re.search(r"\bA\b", code):
        lines.append("    A = x.numpy()")
    lines += [f"    {code}:", "        y = y * 2"] if code.startswith("with ") else [f"    r = {code}"]
    scope = dict(names)
    exec(compile("\n".join([*lines, "    return y * 3"]), "<snippet>", "exec"), scope)
    return scope["f"]


def run(code: str, names: dict[str, Any], fullgraph: bool) -> dict[str, Any]:
    """Return the reported ids, the number of graphs, and the exception if one was raised."""
    torch._dynamo.reset()
    graphs = 0
    outcome = Outcome()

    def backend(module: Any, example_inputs: Any) -> Any:
        nonlocal graphs
        graphs += 1
        return module.forward

    error = ""
    inputs = (torch.rand(4, 4), torch.tensor([[0, 1], [1, 2]]), torch.rand(4, 4) > 0.5)
    silent = io.StringIO()
    try:
        with contextlib.redirect_stdout(silent), contextlib.redirect_stderr(silent), listening("<snippet>", outcome):
            torch.compile(function(code, names), backend=backend, fullgraph=fullgraph)(*inputs)
    except Exception as raised:
        error = f"{type(raised).__name__}: {raised}"
    # Dynamo does not count breaks from which it cannot resume.
    reported = [gb_id for _, found in outcome.breaks for gb_id in found]
    ids = list(dict.fromkeys([*reported, *ids_in(error)]))
    return {"ids": ids, "graphs": graphs, "error": error[:200]}


def main(path: Path) -> None:
    """Run every snippet with and without ``fullgraph``."""
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    torch.set_num_threads(1)
    names = namespace()
    for line in path.read_text(encoding="utf-8").splitlines():
        head, _, code = line.partition(" :: ")
        if not code or not import_modules(code, names):
            continue
        default = run(code, names, fullgraph=False)
        clean = not default["ids"] and not default["error"] and default["graphs"] == 1
        full = default if clean else run(code, names, fullgraph=True)
        print(json.dumps({"head": head, "default": default, "fullgraph": full}), flush=True)


if __name__ == "__main__":
    with guards_not_measured():
        main(Path(sys.argv[1]))
