"""Write ``captured_messages.json``: the messages that torch prints for the ids in the examples of the rules.

Run ``python tests/knowledge/capture_messages.py`` with torch installed.  For each id it stores one message, as logged
under ``TORCH_LOGS`` or as raised under ``fullgraph=True``.
"""

from __future__ import annotations

import faulthandler
import json
import logging
import re
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

import torch
import torch._dynamo

from gblint.knowledge.catalog import load
from tests.oracle.id_examples import breaking_lines
from tests.oracle.worker import _load, restored

OUTPUT = Path(__file__).with_name("captured_messages.json")
SECONDS = 60
PLACE = "/home/user/project/example.py"


class _Messages(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(record.getMessage())


def texts(source: str, inputs: str, folder: Path, number: int) -> list[str]:
    """Return the messages logged and raised when ``source`` is compiled, first without and then with ``fullgraph``."""
    path = folder / f"example_{number}.py"
    path.write_text(source, encoding="utf-8")
    handler = _Messages()
    logger = logging.getLogger("torch._dynamo.symbolic_convert.__graph_breaks")
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    logger.propagate = False
    for fullgraph in (False, True):
        torch._dynamo.reset()
        with restored():
            try:
                module = _load(path)
                entry: Any = module.Net() if hasattr(module, "Net") else module.f
                torch.compile(entry, backend="eager", fullgraph=fullgraph)(*eval(inputs, vars(module)))
            except Exception as error:
                handler.texts.append("".join(traceback.format_exception_only(error)))
    logger.removeHandler(handler)
    return [_anywhere(text, str(path)) for text in handler.texts]


def _anywhere(text: str, path: str) -> str:
    """Return a text without the paths of this machine, the frames of this script, and links that contain the id."""
    text = text.replace(path, PLACE)
    text = re.sub(rf'  File "{re.escape(__file__)}".*\n.*\n(?:\s*[\^~]+\s*\n)?', "", text)
    text = text.replace(str(Path(torch.__file__).parents[1]), "/usr/lib/python3/site-packages")
    for here in (str(Path(__file__).parents[2]), sys.prefix, sys.base_prefix, str(Path(path).parent)):
        text = text.replace(here, "/usr")
    text = re.sub(r"please visit: \S+", "please visit: (a link)", text)
    return re.sub(r"\s*# breaks.*", "", text)


def main() -> None:
    """Capture a text for each id that has an example."""
    found: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        for number, (gb_id, shown) in enumerate(sorted(breaking_lines().items())):
            print(gb_id, file=sys.stderr, flush=True)
            example = shown[0].example
            # A process group would outlive the example, and so would effects of its import.
            if example.needs or "distributed" in example.source:
                continue
            faulthandler.dump_traceback_later(SECONDS, exit=True)
            captured = texts(example.source, example.inputs, Path(folder), number)
            own = [text for text in captured if load().gb(gb_id).type in text.splitlines()[:4]]
            if own:
                # Alternate between the logged and the raised message.
                found[gb_id] = own[-(number % 2)]
    faulthandler.cancel_dump_traceback_later()
    OUTPUT.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(f"{len(found)} ids")


if __name__ == "__main__":
    main()
