"""Check the structure of the code base; print each offence as a linter does."""

from __future__ import annotations

import argparse
import gc
import sys
from pathlib import Path

from tools.structure.checks import CHECKS
from tools.structure.sources import read

ROOT = Path(__file__).parents[2]


def main(arguments: list[str] | None = None) -> int:
    """Run the checks; return 1 if one of them finds an offence."""
    parser = _parser()
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.checks) - CHECKS.keys())
    if unknown:
        parser.error(f"unknown check {unknown[0]!r}")
    gc.disable()  # Garbage collection would only cost time: millions of syntax nodes are used until the end.
    sources = read(ROOT)
    failed = False
    for name in options.checks or CHECKS:
        for offence in sorted(CHECKS[name](sources)):
            print(f"{offence} [{name}]")
            failed = True
    return 1 if failed else 0


def _parser() -> argparse.ArgumentParser:
    checks = "\n".join(f"  {name:<19} {(check.__doc__ or '').splitlines()[0]}" for name, check in CHECKS.items())
    parser = argparse.ArgumentParser(
        "python -m tools.structure",
        description=__doc__,
        epilog=f"checks:\n{checks}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("checks", nargs="*", metavar="CHECK", help="default: all")
    return parser


if __name__ == "__main__":
    sys.exit(main())
