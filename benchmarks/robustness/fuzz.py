"""A fuzzer guided by coverage: ``python -m benchmarks.robustness.fuzz source|log FOLDER [-max_total_time=S ...]``.

It needs atheris (``pip install atheris``), whose options come after the folder. Inputs that fail are stored in the
folder, each with the failure.  With ``--plain SECONDS`` instead of these options it mutates inputs at random, without
atheris.
"""

from __future__ import annotations

import hashlib
import os
import random
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.robustness import mutations


def seeds(kind: str) -> list[bytes]:
    """Return the first inputs: the examples of the rules, or the logs of the test suite."""
    if kind == "log":
        samples = Path(__file__).parents[2] / "tests" / "runtime_logs" / "samples"
        return [path.read_bytes()[:20_000] for path in sorted(samples.rglob("*")) if path.is_file()]
    from tests.oracle.examples import cases

    return [case.example.source.encode() for case in cases() if len(case.example.source) < 4000]


class Fuzzer:
    """Runs inputs, and stores those that fail."""

    def __init__(self, kind: str, folder: Path) -> None:
        from benchmarks.robustness import targets

        targets.keep_nothing()
        self._targets = targets
        self.kind = kind
        self._folder = folder
        self._known: set[str] = set()
        self._place = Path(tempfile.mkdtemp(dir="/dev/shm" if os.path.isdir("/dev/shm") else None))
        self.seeds = seeds(kind)
        self.count = self.faulty = 0

    def one(self, data: bytes) -> None:
        """Run one input."""
        self.count += 1
        pick = hashlib.blake2b(data, digest_size=2).digest()
        try:
            if self.kind == "log":
                name = ("log.txt", "dedicated_log_torch_trace_rank_0_x.log", "t/raw.jsonl", "t/compile_directory.json")
                faults = self._targets.log(data, self._place, name[pick[0] % 4], compare=pick[1] < 20)
            else:
                form = self._targets.FORMATS[pick[0] % len(self._targets.FORMATS)]
                faults = self._targets.source(data, self._place, form, fixes=pick[1] < 128)
        except Exception as error:
            faults = [f"{type(error).__name__}: {error}"]
        for fault in faults:
            self._keep(data, fault)

    def _keep(self, data: bytes, fault: str) -> None:
        self.faulty += 1
        brief = "".join(c for c in fault if not c.isdigit())[:60]
        if brief in self._known:
            return
        self._known.add(brief)
        name = hashlib.blake2b(data, digest_size=6).hexdigest()
        self._folder.mkdir(parents=True, exist_ok=True)
        (self._folder / f"{name}.bin").write_bytes(data)
        (self._folder / f"{name}.txt").write_text(fault)
        print(f"FAULT {name}: {fault[:200]}", flush=True)

    def changed(self, data: bytes, seed: int) -> bytes:
        """Return a mutation of an input."""
        chance = random.Random(seed)
        change = mutations.mutate_log if self.kind == "log" else mutations.mutate
        return change(data or chance.choice(self.seeds), chance.choice(self.seeds), chance)


def main() -> None:
    """Run the command line."""
    kind, folder, *options = sys.argv[1:]
    if options[:1] == ["--plain"]:
        fuzzer, end = Fuzzer(kind, Path(folder)), time.monotonic() + float(options[1])
        chance = random.Random(int(options[2]) if len(options) > 2 else time.time_ns())
        while time.monotonic() < end:
            fuzzer.one(fuzzer.changed(chance.choice(fuzzer.seeds), chance.getrandbits(64)))
        print(f"{fuzzer.count:,} inputs, {fuzzer.faulty} faults")
        return
    import atheris

    with atheris.instrument_imports(include=["gblint"], enable_loader_override=False):
        import gblint.cli.check
        import gblint.cli.logs
        import gblint.fix.fixed_point
        import gblint.pipeline.lint
        import gblint.runtime_logs.run  # noqa: F401

        fuzzer = Fuzzer(kind, Path(folder))
    corpus = Path(folder) / "corpus"
    if not corpus.exists():
        corpus.mkdir(parents=True)
        for data in fuzzer.seeds:
            (corpus / hashlib.blake2b(data, digest_size=8).hexdigest()).write_bytes(data)

    def mutator(data: bytes, size: int, seed: int) -> bytes:
        if seed % 10 == 0:
            return bytes(atheris.Mutate(data, size))
        return fuzzer.changed(data, seed)[:size]

    atheris.Setup(
        [sys.argv[0], *options, "-max_len=20000", "-timeout=120", "-rss_limit_mb=4000", str(corpus)],
        fuzzer.one,
        custom_mutator=mutator,
    )
    atheris.Fuzz()


if __name__ == "__main__":
    main()
