"""Measure the time from a key stroke to the answer of the language server, in a session with a real client.

    $ python -m benchmarks.speed.server --python PY

The project is a copy of diffusers with a file that compiles one model.  With --assumed there is no such file, and the
forward of every module is assumed to be compiled.  Each key stroke changes one line of the model's file; the time ends
when the client has the diagnostics of the new text.
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

from lsprotocol import types
from pygls.lsp.client import LanguageClient

from benchmarks.accuracy import environment

MEDIAN, SLOW = 0.150, 0.400  # limits in seconds: the median, and the 95th percentile
MODEL = "diffusers/models/unets/unet_2d_condition.py"
TRAIN = """import torch
from diffusers.models.unets.unet_2d_condition import UNet2DConditionModel

model = torch.compile(UNet2DConditionModel())
"""
WORD = "sample = self.conv_in(sample)"
TYPED = "; sample = sample * sample.mean(1)"


async def session(root: Path, strokes: int, pause: float) -> tuple[float, list[float]]:
    """Return the seconds until the first analysis ends, and those after each key stroke."""
    client = LanguageClient("benchmark", "1")
    await client.start_io(sys.executable, "-m", "gblint", "server")
    pull = types.DiagnosticClientCapabilities()
    capabilities = types.ClientCapabilities(text_document=types.TextDocumentClientCapabilities(diagnostic=pull))
    folders = [types.WorkspaceFolder(root.as_uri(), root.name)]
    await client.initialize_async(types.InitializeParams(capabilities, workspace_folders=folders))
    client.initialized(types.InitializedParams())
    uri, text = (root / MODEL).as_uri(), (root / MODEL).read_text()
    client.text_document_did_open(types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "python", 0, text)))
    client.feature(types.WINDOW_LOG_MESSAGE)(lambda params: None)
    start = time.perf_counter()
    await client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams([]))
    whole = time.perf_counter() - start
    line = next(number for number, each in enumerate(text.splitlines()) if WORD in each)
    column = len(text.splitlines()[line])
    taken = []
    for number in range(1, strokes + 1):
        # A statement is typed at the end of the line, one letter at a time, and deleted again.
        at = (number - 1) % (2 * len(TYPED))
        typed = at < len(TYPED)
        place = column + (at if typed else 2 * len(TYPED) - at - 1)
        change = types.TextDocumentContentChangePartial(
            types.Range(types.Position(line, place), types.Position(line, place + (not typed))),
            TYPED[at] if typed else "",
        )
        about = types.VersionedTextDocumentIdentifier(uri=uri, version=number)
        start = time.perf_counter()
        client.text_document_did_change(types.DidChangeTextDocumentParams(about, [change]))
        await client.text_document_diagnostic_async(types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri)))
        taken.append(time.perf_counter() - start)
        await asyncio.sleep(pause)
    await client.shutdown_async(None)
    client.exit(None)
    await client.stop()
    return whole, taken


def measured(python: Path, strokes: int, pause: float = 0.2, *, assumed: bool = False) -> tuple[float, list[float]]:
    """Return the seconds of the first analysis and of each key stroke, in a copy of the diffusers of ``python``."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "project"
        root.mkdir()
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(environment.site_packages(python) / "diffusers", root / "diffusers", ignore=ignore)
        if not assumed:
            (root / "train.py").write_text(TRAIN)
        (root / "gblint.toml").write_text(f"python = '{python}'\n")
        return asyncio.run(session(root, strokes, pause))


def middle(taken: list[float]) -> float:
    """Return the median."""
    return statistics.median(taken)


def slow(taken: list[float]) -> float:
    """Return the 95th percentile."""
    return statistics.quantiles(taken, n=20)[-1]


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed.server", description=__doc__)
    parser.add_argument("--environment", type=Path, default=Path(".venv-accuracy"), help="made if it is not there")
    parser.add_argument("--python", type=Path, help="an environment that has the packages already")
    parser.add_argument("--strokes", type=int, default=100)
    parser.add_argument("--pause", type=float, default=0.2, metavar="SECONDS", help="between an answer and the next")
    parser.add_argument("--assumed", action="store_true", help="a project in which nothing is compiled")
    options = parser.parse_args()
    python = (options.python or environment.make(options.environment)).absolute()
    whole, taken = measured(python, options.strokes, options.pause, assumed=options.assumed)
    print(f"everything once: {whole:.1f} s")
    for name, seconds, most in (("median", middle(taken), MEDIAN), ("95 of 100 under", slow(taken), SLOW)):
        said = "pass" if seconds <= most else "fail"
        print(f"{name:16} {seconds * 1000:6.0f} ms  at most {most * 1000:.0f} {said}")


if __name__ == "__main__":
    main()
