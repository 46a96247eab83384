"""A report made by hand for the tests of the page, with hostile texts."""

from __future__ import annotations

from pathlib import Path

from gblint.diagnostics.break_event import Category, Confidence, Consequence
from gblint.diagnostics.call_tree import CallTreeNode
from gblint.diagnostics.count_range import CountRange
from gblint.diagnostics.entry_point import EntryPoint, Region
from gblint.diagnostics.finding import Confirmation, Finding, Severity
from gblint.diagnostics.fix import Edit, Fix, FixVerdict
from gblint.diagnostics.report import FileError, Report
from gblint.diagnostics.span import ChainLink, Span
from gblint.project.source_text import Source

EVIL = "</script><img src=x onerror=alert(1)>\"'&{{ 7*7 }}"
ODD = "\u202egnp\u202c \x1b[31m\x00 \ud800 \u2028"
CODE = f"""\
import torch

def forward(x):  # {EVIL}
    name = "\u202eevil\u202c \x07"
    peak = x.max().item()
    return x * peak  # \x85

class \u540d\u524d:
    text = '''</pre></script>
    <script>alert(2)</script>'''
"""
RULES = (
    ("GBL101", "tensor-item", Severity.WARNING, Confidence.CERTAIN),
    ("GBL102", "tensor-tolist", Severity.ERROR, Confidence.LIKELY),
    ("GBL201", "branch-on-tensor", Severity.INFO, Confidence.POSSIBLE),
)


def finding(number: int, path: str, **changes: object) -> Finding:
    """The finding with this number, from which its rule, severity and other properties are derived."""
    code, rule, severity, confidence = RULES[number % 3]
    line = 5 + number % 2
    values: dict[str, object] = {
        "code": code,
        "rule": rule,
        "category": Category.GRAPH_BREAK if number % 4 else Category.DIVERGENCE,
        "severity": severity,
        "confidence": confidence,
        "span": Span(path, line, 12, line, 26),
        "message": f"`x.max().item()` takes number {number}",
        "help": "keep it a **tensor**",
        "gb_ids": ("GB0124",),
        "entries": ("train:main",) if number % 2 else ("train:main", "train:other"),
        "chain": (ChainLink(path, 3, "main"), ChainLink(path, line, "forward")),
        "consequence": Consequence("rest-eager", "forward", "loop", 4, None, "train:main"),
        "cost": 10 + number,
    }
    return Finding(**{**values, **changes})  # type: ignore[arg-type]


def report(folder: Path, count: int = 6, files: int = 2) -> tuple[Report, Source, dict[EntryPoint, CallTreeNode]]:
    """Findings in some files, with a fix, a confirmation, hostile names, and a call tree."""
    paths = [str(folder / f"f{number}.py") for number in range(files)]
    evil = str(folder / f"{EVIL.replace('/', '_')}.py")
    fix = Fix("use `detach`", "safe", (Edit(Span(paths[0], 5, 19, 5, 26), ".detach()"),), FixVerdict("holds"))
    seen = Confirmation("confirmed", f"cpu {EVIL}", "2.13.0", ("GB0124",), f"Unsupported {EVIL} {ODD}", count=2)
    findings = [finding(number, paths[number % files]) for number in range(count)]
    findings[0] = finding(0, paths[0], fixes=(fix, Fix(EVIL)), confirmation=seen)
    findings.append(
        finding(
            1,
            evil,
            message=f"`{EVIL}` {ODD}",
            help=f"{EVIL} {ODD}",
            rule="tensor-tolist",
            entries=(f"m:{EVIL}",),
            chain=(ChainLink(evil, 3, EVIL), ChainLink(evil, 5, ODD)),
            cost=1000,
        )
    )
    main = EntryPoint("train:main", paths[0], 3, "call", Region(backend=EVIL), CountRange(2, 4))
    strict = EntryPoint("train:main", paths[0], 4, "call", Region(fullgraph=True), CountRange(1, 1))
    entries = [
        main,
        strict,
        EntryPoint("train:other", paths[0], 3, "decorator", graphs=CountRange(2, None)),
        EntryPoint(f"m:{EVIL}", evil, 1, "requested"),
        EntryPoint("train:fine", paths[0], 1, "call", graphs=CountRange(1, 1)),
    ]
    errors = [FileError(evil, 3, f"bad {EVIL} {ODD}")]
    inner = (
        CallTreeNode("graph", path=paths[0], line=4, graph=2, last=2, operators=5),
        CallTreeNode("break", path=paths[0], line=5, column=12, outcome="rest-eager", reason="loop", resume_line=4),
        CallTreeNode("eager", path=paths[0], line=6, operators=2),
        CallTreeNode("break", path=paths[0], line=99, column=1, hidden=True, always=False),
    )
    tree = CallTreeNode(
        "call",
        f"main {EVIL}",
        paths[0],
        3,
        graphs=CountRange(2, 4),
        parts=(
            CallTreeNode("graph", path=paths[0], line=3, graph=1, last=1, operators=1),
            CallTreeNode("loop", path=paths[0], line=3, times=None, parts=inner),
            CallTreeNode("branch", path=paths[0], line=3, parts=(CallTreeNode("call", "deep", paths[0], 3, breaks=3),)),
        ),
    )
    made = Report("2.13", entries, findings, errors, files + 1)
    overlays = dict.fromkeys([*paths, evil], CODE)
    return made, Source(overlays), {main: tree, strict: tree}
