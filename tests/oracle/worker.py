"""Runs examples under ``torch.compile`` in one process and prints the outcome of each as a line of JSON.

Run as a script: it reads jobs from standard input, a JSON list of ``{"source": ..., "inputs": ...}``.  A job may also
have ``"calls"``, the arguments of several calls; ``"again": true`` calls the entry point a second time and counts the
graphs that run; ``"compare": true`` also runs the source without compilation.  A job that crashes or hangs ends the
process; the caller runs the remaining jobs in a new one.
"""

from __future__ import annotations

import contextlib
import copy
import faulthandler
import functools
import importlib.util
import json
import logging
import os
import random
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

import torch
import torch._dynamo

# gblint may not be installed in the environment of another torch.
sys.path.append(str(Path(__file__).parents[2]))

from gblint.confirm.capture import DynamoCapture, capture, ids_in
from gblint.confirm.guard_latency import guards_not_measured
from gblint.knowledge.id_groups import id_group

SECONDS_PER_JOB = 60


@dataclass
class Outcome:
    """The result of Dynamo for one example.

    breaks: pairs of a line and the ids of a break there.
    handled: the line of each break, the frame that Dynamo was compiling, and how that frame continues: ``resumes``,
        ``rest-eager`` or ``frame-eager``.
    executed: the number of graphs that a second call runs.
    recompiles: pairs of the first line of a function that is compiled again and the guard that failed.
    differs: the outcomes of the calls with and without compilation, if they differ.
    """

    breaks: list[tuple[int, list[str]]] = field(default_factory=list)
    graphs: int = 0
    operations: int = 0
    exception: str | None = None
    handled: list[tuple[int, str, str]] = field(default_factory=list)
    executed: int | None = None
    recompiles: list[tuple[int, str]] = field(default_factory=list)
    differs: str | None = None

    def record(self, line: int, ids: Sequence[str], source: str = "") -> None:
        """Record a break at a line, unless it is the consequence of another break, which ``source`` does not mark."""
        own = [gb_id for gb_id in ids if gb_id in source or gb_id not in id_group("consequence")]
        if (own or not ids) and (line, own) not in self.breaks:
            self.breaks.append((line, own))

    def take(self, path: str, seen: DynamoCapture, source: str = "") -> None:
        """Record the captured breaks and recompiles in the file ``path``."""
        for each in seen.breaks:
            lines = [link.line for link in each.stack if link.path == path]
            line = lines[-1] if lines else 0
            self.record(line, each.gb_ids, source)
            handled = (line, each.frame.function, each.outcome)
            if each.outcome != "raises" and handled not in self.handled:
                self.handled.append(handled)
        self.recompiles += [(each.frame.line, each.reason) for each in seen.recompiles if each.frame.path == path]


@contextlib.contextmanager
def listening(path: str, outcome: Outcome) -> Iterator[None]:
    """Record in ``outcome`` every break that Dynamo meets in the file ``path``."""
    with capture() as seen:
        try:
            yield
        finally:
            outcome.take(path, seen)


@contextlib.contextmanager
def triton_without_gpu(source: str) -> Iterator[None]:
    """Let Dynamo trace calls of Triton kernels in ``source``, as if there were a GPU; the kernels do nothing."""
    with contextlib.ExitStack() as stack:
        if "import triton" in source:
            stack.enter_context(mock.patch("torch.utils._triton.has_triton", return_value=True))
            for kernel in ("jit.JITFunction", "autotuner.Autotuner"):
                stack.enter_context(mock.patch(f"triton.runtime.{kernel}.run", return_value=None))
        yield


def run_example(job: Mapping[str, Any], folder: Path, number: int) -> Outcome:
    """Write the source of ``job`` into ``folder``, compile its entry, and call it with each of the inputs."""
    outcome = Outcome()
    runs = 0
    source: str = job["source"]
    calls: list[str] = job.get("calls") or [job["inputs"]]
    path = folder / f"example_{number}.py"
    path.write_text(source, encoding="utf-8")
    for name, text in job.get("files", ()):
        (folder / name).write_text(text, encoding="utf-8")

    def backend(graph: Any, _: Any) -> Callable[..., Any]:
        outcome.graphs += 1
        outcome.operations += sum(node.op.startswith("call_") for node in graph.graph.nodes)
        if not job.get("again"):
            return graph.forward  # type: ignore[no-any-return]

        def run(*arguments: Any) -> Any:
            nonlocal runs
            runs += 1
            return graph.forward(*arguments)

        return run

    torch._dynamo.reset()
    compiles_itself = (
        re.search(r"torch\.compile\b|torch\._dynamo\.(optimize|export)|torch\.export\.export", source) is not None
    )
    with restored(), capture() as captured, triton_without_gpu(source):
        real = torch.compile
        if compiles_itself and hasattr(torch.compiler, "set_default_backend"):
            torch.compiler.set_default_backend(backend)
        elif compiles_itself:
            torch.compile = functools.partial(real, backend=backend)
        entry: Any = None
        seen: list[str] = []
        try:
            module, entry = entry_of(path)
            compiled = entry if compiles_itself else real(entry, backend=backend)
            _call(compiled, calls, module, seen)
            if job.get("again"):
                first, captured = replace(outcome), copy.deepcopy(captured)
                with contextlib.suppress(Exception):
                    arguments, runs = eval(job["inputs"], vars(module)), 0
                    compiled(*arguments)
                    first.executed = runs
                outcome = first
        except BaseException as error:
            outcome.exception = f"{type(error).__name__}: {error}"
            seen.append(type(error).__name__)
            if isinstance(error, torch._dynamo.exc.TorchDynamoException) or "from user code:" in str(error):
                outcome.record(_line_of(error, entry, path), ids_in(str(error)))
        finally:
            torch.compile = real
            if hasattr(torch.compiler, "set_default_backend"):
                torch.compiler.set_default_backend(None)
    outcome.take(str(path), captured, source)
    if job.get("compare"):
        plain = _uncompiled(path, calls)
        outcome.differs = None if plain == seen else f"compiled: {seen}; not compiled: {plain}"
    return outcome


def _line_of(error: BaseException, entry: Any, path: Path) -> int:
    """Return the line of ``path`` in the message of an error, otherwise the first line of the entry point."""
    lines = re.findall(rf'File "{re.escape(str(path))}", line (\d+)', str(error))
    if lines:
        return int(lines[-1])
    code = getattr(getattr(entry, "__wrapped__", entry), "__code__", None)
    return code.co_firstlineno if code is not None else 0


def entry_of(path: Path) -> tuple[ModuleType, Any]:
    """Return the module in the file ``path``, and its entry point."""
    module = _load(path)
    return module, module.Net() if hasattr(module, "Net") else module.f


def _call(function: Any, calls: list[str], module: ModuleType, seen: list[str]) -> None:
    """Call ``function`` with each of the inputs, and append a description of each result to ``seen``."""
    torch.manual_seed(0)
    random.seed(0)
    for inputs in calls:
        seen.append(_described(function(*eval(inputs, vars(module)))))


def _uncompiled(path: Path, calls: list[str]) -> list[str]:
    """Return the outcome of each call without compilation."""
    seen: list[str] = []
    with restored(), torch.compiler.set_stance("force_eager"):
        try:
            module, entry = entry_of(path)
            _call(entry, calls, module, seen)
        except BaseException as error:
            seen.append(type(error).__name__)
    return seen


def _described(value: object) -> str:
    """Return a text for a result that is the same in every run."""
    return re.sub(r" at 0x[0-9a-f]+|, grad_fn=<\w+>", "", repr(value))


@contextlib.contextmanager
def restored() -> Iterator[None]:
    """Undo what an example does to Dynamo's settings, the environment, the working directory and the loggers."""
    here = Path.cwd()
    environment = dict(os.environ)
    with torch._dynamo.config.patch(verbose=False):
        saved = torch._dynamo.config.save_config()
        modes = torch.is_grad_enabled()
        try:
            yield
        finally:
            torch._dynamo.config.load_config(saved)
            os.environ.clear()
            os.environ.update(environment)
            torch.compiler.set_stance("default")
            torch.set_grad_enabled(modes)
            os.chdir(here)


def _load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def serve(answer: Callable[[Mapping[str, Any], Path, int], Any]) -> None:
    """Read jobs from standard input, and print a line of JSON for each."""
    jobs = json.load(sys.stdin)
    # Examples may print; the answers go to the original standard output.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    logging.getLogger("torch").setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory() as folder, guards_not_measured():
        os.chdir(folder)
        sys.path.insert(0, folder)
        for number, job in enumerate(jobs):
            faulthandler.dump_traceback_later(SECONDS_PER_JOB, exit=True)
            found = answer(job, Path(folder), number)
            faulthandler.cancel_dump_traceback_later()
            answers.write(json.dumps(found) + "\n")
            answers.flush()


if __name__ == "__main__":
    serve(lambda job, folder, number: asdict(run_example(job, folder, number)))
