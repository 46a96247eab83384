"""Lint programs spliced from the standard library's tests: ``python -m benchmarks.robustness.splices FOLDER``.

Each program is some functions and classes of Lib/test, put under ``@torch.compile`` and mutated; it is linted and fixed
in a process of its own with the limits of ``limits``.  Programs that fail are stored in the folder, with the failure.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import random
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

from benchmarks.robustness import mutations
from benchmarks.robustness.files import Outcome, go_through
from benchmarks.robustness.limits import limited

HEAD = "import torch\nfrom torch import nn\n\n\n"
LONGEST = 400
_COMPILED = ("torch.compile", "torch.compile(fullgraph=True)", "torch.compile(dynamic=True)")


class Donors:
    """The parsed modules of the standard library's tests."""

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self._paths = sorted(path for path in folder.rglob("*.py") if "bad" not in path.name)
        self._chance = chance
        self._known: dict[Path, tuple[list[str], list[str]]] = {}

    def program(self) -> str:
        """Return some functions and classes with the imports of their modules, up to a size."""
        imports: dict[str, None] = {}
        parts: list[str] = []
        for _ in range(self._chance.randint(1, 4)):
            heads, bodies = self._module(self._chance.choice(self._paths))
            imports.update(dict.fromkeys(heads))
            for body in self._chance.sample(bodies, min(len(bodies), self._chance.randint(1, 5))):
                text = self._compiled(body)
                if text.count("\n") + sum(part.count("\n") for part in parts) < LONGEST:
                    parts.append(text)
        return HEAD + "\n".join([*imports, *parts]) + "\n"

    def _module(self, path: Path) -> tuple[list[str], list[str]]:
        if path not in self._known:
            try:
                tree = ast.parse(path.read_bytes())
            except (SyntaxError, ValueError, OSError):
                self._known[path] = [], []
            else:
                heads = [ast.unparse(node) for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
                bodies = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Assign)
                self._known[path] = heads, [ast.unparse(node) for node in tree.body if isinstance(node, bodies)]
        return self._known[path]

    def _compiled(self, text: str) -> str:
        out = []
        for line in text.splitlines():
            bare = line.lstrip()
            if bare.startswith(("def ", "async def ")) and self._chance.random() < 0.5:
                out.append(f"{line[: len(line) - len(bare)]}@{self._chance.choice(_COMPILED)}")
            out.append(line)
        return "\n".join(out)


def check(data: bytes, place: Path) -> Outcome:
    """Lint a program from each of its functions, and fix it in memory."""
    path = place / "m.py"
    path.write_bytes(data)
    return limited(lambda: go_through(str(path), functions=True, fixes=True))


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.robustness.splices", description=__doc__)
    parser.add_argument("folder", type=Path, help="where programs that fail are stored")
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tests", type=Path, default=Path(sysconfig.get_path("stdlib")) / "test")
    options = parser.parse_args()
    chance = random.Random(options.seed)
    donors = Donors(options.tests, chance)
    place = Path(tempfile.mkdtemp())
    count, lines, known, most = 0, 0, set[str](), Outcome("")
    check(donors.program().encode(), place)
    end = time.monotonic() + options.minutes * 60
    while time.monotonic() < end:
        data = donors.program().encode("utf-8", "replace")
        if chance.random() < 0.7:
            data = mutations.mutate(data, donors.program().encode("utf-8", "replace"), chance)
        if data.count(b"\n") >= 1000:
            continue
        outcome = check(data, place)
        count, lines = count + 1, lines + data.count(b"\n")
        most = max(most, outcome, key=lambda each: each.seconds)
        name = hashlib.blake2b(data, digest_size=6).hexdigest()
        if outcome.seconds > 3 and not outcome.faults:
            print(f"slow {name}: {outcome.seconds:.1f} s for {data.count(10)} lines", flush=True)
            _store(options.folder, name, data, "slow")
        for fault in outcome.faults:
            brief = "".join(c for c in fault if not c.isdigit())[:60]
            if brief not in known or "took" in fault:
                known.add(brief)
                _store(options.folder, name, data, fault)
                print(f"FAULT {name}: {fault[:200]}", flush=True)
    print(f"{count:,} programs of {lines:,} lines, {len(known)} kinds of faults; the slowest took {most.seconds:.1f} s")
    return 1 if known else 0


def _store(folder: Path, name: str, data: bytes, fault: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.py").write_bytes(data)
    (folder / f"{name}.txt").write_text(fault + "\n")


if __name__ == "__main__":
    sys.exit(main())
