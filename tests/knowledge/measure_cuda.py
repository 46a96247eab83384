"""Measure what Dynamo does on a GPU with each expression of ``cuda_facts.json``, and write that file again.

Run it as a script. It uses one process, whose first CUDA device it changes: no other program should run there. A
call is measured in a function that has operators for a graph before and after it; what is a context manager is
also entered.
"""

from __future__ import annotations

import importlib.util
import json
import re
import sys
import tempfile
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

FILE = Path(__file__).with_name("cuda_facts.json")
# The names in the expressions; ``x`` is a CUDA tensor.
NAMES = """\
import torch, torch.cuda.nvtx, torch.cuda.profiler, torch.cuda.tunable, torch.cuda.nccl

S = torch.cuda.Stream()
S2 = torch.cuda.Stream()
G = torch.Stream("cuda")
E = torch.cuda.Event(enable_timing=True)
E2 = torch.cuda.Event(enable_timing=True)
GE = torch.Event("cuda")
for event in (E, E2, GE):
    event.record()
R = torch.cuda.get_rng_state()
GEN = torch.Generator(device="cuda")
POOL = torch.cuda.MemPool()
Q = torch.randn(1, 1, 16, 16, device="cuda")
P = torch.backends.cuda.SDPAParams(Q, Q, Q, None, 0.0, False, False)
C = torch.ones(4)
SCALER = torch.amp.GradScaler("cuda")
LSTM = torch.nn.LSTM(4, 4, device="cuda")
GRUCELL = torch.nn.GRUCell(4, 4, device="cuda")
LIN = torch.nn.Linear(4, 4, device="cuda")
A8 = torch.ones(16, 16, device="cuda").to(torch.float8_e4m3fn)
ONE = torch.ones((), device="cuda")
I8 = torch.ones(32, 32, dtype=torch.int8, device="cuda")
JIT = torch.cuda.jiterator._create_jit_fn("template <typename T> T my(T x) { return x + 1; }")
"""
BODIES = {
    "call": "    y = x + 1\n    r = {}\n    return y * 2\n",
    "with": "    y = x + 1\n    with {}:\n        y = y * 2\n    return y\n",
}


def source(outcomes: dict[str, dict[str, str]]) -> tuple[str, dict[str, tuple[str, str]]]:
    """Return a module with one function for each expression and kind, and what each function has: expression, kind."""
    functions = {
        f"{kind}_{number}": (expression, kind)
        for number, (expression, kinds) in enumerate(outcomes.items())
        for kind in kinds
    }
    text = NAMES + "".join(
        f"\n\ndef {name}(x: torch.Tensor):\n{BODIES[kind].format(expression)}"
        for name, (expression, kind) in functions.items()
    )
    return text, functions


def measure(outcomes: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    """Return "ok", the id of the graph break, or the exception, for each expression and kind."""
    import torch

    text, functions = source(outcomes)
    with tempfile.TemporaryDirectory() as folder:
        module = _imported(Path(folder, "cuda_expressions.py"), text)
        measured: dict[str, dict[str, str]] = {}
        for name, (expression, kind) in functions.items():
            measured.setdefault(expression, {})[kind] = _outcome(getattr(module, name))
            # What some of the functions change.
            torch.cuda.set_stream(torch.cuda.default_stream())
            torch.set_default_device(None)
            torch.set_autocast_enabled(False)
    return measured


def _imported(path: Path, text: str) -> ModuleType:
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def _outcome(function: Any) -> str:
    import torch

    x = torch.tensor([0.5, 1.5, -2.0, 3.0], device="cuda")
    torch._dynamo.reset()
    try:
        torch.compile(function, backend="eager", fullgraph=True)(x)
    except Exception as error:
        found = re.search(r"gb(\d{4})", str(error))
        return f"GB{found[1]}" if found else type(error).__name__
    return "ok"


def main() -> None:
    """Measure all expressions of the file."""
    import torch

    warnings.simplefilter("ignore")
    outcomes = measure(json.loads(FILE.read_text(encoding="utf-8"))["outcomes"])
    rows = ",\n".join(f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in sorted(outcomes.items()))
    version, device = torch.__version__.partition("+")[0], torch.cuda.get_device_name()
    head = f' "torch": {json.dumps(version)},\n "device": {json.dumps(device)},\n'
    FILE.write_text(f'{{\n{head} "outcomes": {{\n{rows}\n }}\n}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
