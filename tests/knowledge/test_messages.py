"""Error texts are matched to torch's ids: every entry of the registry, what torch prints, and older spellings."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from gblint.knowledge.catalog import load
from gblint.knowledge.messages import recognise
from gblint.knowledge.pasted_errors import clean
from gblint.knowledge.registry import GbEntry

REGISTRY = load("2.13").registry()
CAPTURED: dict[str, str] = json.loads(Path(__file__).with_name("captured_messages.json").read_text(encoding="utf-8"))
LOG = "V1121 11:58:41.725000 10368 torch/_dynamo/symbolic_convert.py:5124] [0/0_1] [__graph_breaks] "
TRACEBACK = '\n\nfrom user code:\n   File "/home/user/net.py", line 7, in forward\n    y = self.f(x)\n'


def as_torch_formats_it(entry: GbEntry) -> str:
    """Format an entry like ``format_graph_break_message`` in ``torch/_dynamo/exc.py``, with filled placeholders."""
    hints = "\n".join("  Hint: " + textwrap.indent(hint, "    ").lstrip() for hint in entry.hints)
    text = f"{entry.type}\n  Explanation: {textwrap.indent(entry.explanation, '    ').lstrip()}\n{hints}\n\n"
    return re.sub(r"\{[^{}]*\}", "UserObject(Net, [1, 2])", text + f"  Developer debug context: {entry.context}")


def raised(text: str) -> str:
    return f"Traceback (most recent call last):\ntorch._dynamo.exc.Unsupported: {text}{TRACEBACK}"


def logged(text: str) -> str:
    return "\n".join(
        LOG + line for line in f"Graph break in user code at /home/user/net.py:7\nReason: {text}".splitlines()
    )


def narrow(text: str) -> str:
    return "\n".join(textwrap.fill(line, 50, break_on_hyphens=False) for line in raised(text).splitlines())


def coloured(text: str) -> str:
    return "\n".join(f"\x1b[31mE       {line}\x1b[0m" for line in raised(text).splitlines())


def by_rank(text: str) -> str:
    return "\n".join(f"[rank0]: {line}" for line in raised(text).splitlines())


def in_one_line(text: str) -> str:
    return " ".join(raised(text).split())


@pytest.mark.parametrize("shape", [str, raised, logged, narrow, coloured, by_rank, in_one_line])
def test_every_id_of_the_registry(shape: Callable[[str], str]) -> None:
    wrong = {
        gb_id: found
        for gb_id, entry in REGISTRY.items()
        if (found := ids(shape(as_torch_formats_it(entry)))[:1]) != [gb_id]
    }
    # Torch has the same text under both ids.
    assert wrong in ({}, {"GB0249": ["GB0286"]}, {"GB0286": ["GB0249"]})


def ids(text: str) -> list[str]:
    return [match.id for match in recognise(clean(text)).matches]


@pytest.mark.parametrize("gb_id", CAPTURED)
@pytest.mark.parametrize("shape", [str, logged, coloured, narrow])
def test_what_torch_prints(gb_id: str, shape: Callable[[str], str]) -> None:
    assert gb_id in ids(shape(CAPTURED[gb_id]))


def test_enough_messages_were_captured() -> None:
    assert len(CAPTURED) >= 40


@pytest.mark.parametrize("gb_id", CAPTURED)
def test_the_line_is_found(gb_id: str) -> None:
    place = clean(CAPTURED[gb_id]).place
    if place is None:
        pytest.skip("this text has no traceback")
    assert place.path == "/home/user/project/example.py"
    assert place.line > 1


def older() -> list[tuple[str, str]]:
    lines = Path(__file__).with_name("older_messages.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.split(" | ", 1) for line in lines if not line.startswith("#")]
    return [(gb_id, text) for gb_id, text in rows]


@pytest.mark.parametrize(("gb_id", "text"), older())
@pytest.mark.parametrize("shape", [str, logged, lambda text: text + TRACEBACK], ids=["bare", "logged", "traceback"])
def test_older_spellings(gb_id: str, text: str, shape: Callable[[str], str]) -> None:
    assert ids(shape(text))[:1] == [gb_id]


def test_every_older_spelling_is_found() -> None:
    path = Path(__file__).parents[2] / "gblint" / "knowledge" / "data" / "messages.json"
    older = json.loads(path.read_text(encoding="utf-8"))["older"]
    assert set(older) <= set(REGISTRY)
    for gb_id, spellings in older.items():
        for spelling in spellings:
            filled = re.sub(r"\{[^{}]*\}", "ListVariable(x)", spelling)
            assert gb_id in ids("torch._dynamo.exc.Unsupported: " + filled + TRACEBACK), spelling


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("InternalTorchDynamoError: AttributeError: 'NoneType' object has no attribute 'x'", "internal"),
        ("torch._dynamo.exc.BackendCompilerFailed: backend='inductor' raised:\nAssertionError: x", "backend"),
        ("UserError: Could not guard on data-dependent expression u0 > 3 (unhinted: u0 > 3)", "data-dependent-guard"),
        ("failed with a graph break. Falling back to eager mode", "falls-back"),
        ("Cond doesn't work unless it is captured completely with torch.compile. Scroll up", "uncaptured-operator"),
        ("Recompiling function f in /x/y.py:3\n    triggered by the following guard failure(s):", "recompile"),
        ("WON'T CONVERT forward /x/net.py line 12\ndue to:\nTraceback (most recent call last):", "wont-convert"),
        ("RuntimeError: Python 3.12+ not yet supported for torch.compile", "platform"),
        ("AssertionError: Attempt to trace forbidden callable <function mark_dynamic at 0x7f>", "forbidden"),
    ],
)
def test_messages_without_an_id(text: str, name: str) -> None:
    assert name in [topic.name for topic in recognise(clean(text)).topics]


def test_break_in_a_branch_of_cond_matches_both() -> None:
    text = "UncapturedHigherOrderOpError: This higher order operator doesn't work unless it is captured completely with"
    text += " torch.compile. Got graph break/error:\n\n" + as_torch_formats_it(REGISTRY["GB0059"])
    text = text.replace("\n  Explanation", "\n  Higher Order Operator: torch.cond\n  Explanation", 1)
    found = recognise(clean(text))
    assert [match.id for match in found.matches] == ["GB0059"]
    assert [topic.name for topic in found.topics] == ["uncaptured-operator"]


def test_the_first_of_several_comes_first() -> None:
    both = "\n\n*** While handling this graph break, another graph break occurred: ***\n\n".join(
        as_torch_formats_it(REGISTRY[gb_id]) for gb_id in ("GB0124", "GB0066")
    )
    assert ids(raised(both)) == ["GB0124", "GB0066"]


def test_a_link_is_enough() -> None:
    assert ids("see https://meta-pytorch.github.io/compile-graph-break-site/gb/gb0291.html") == ["GB0291"]


@pytest.mark.parametrize(
    ("text", "gb_id"),
    [
        ("data dependent branching", "GB0170"),
        ("logging.Logger method not supported", "GB0291"),
        ("Dynamo does not support tracing `Tensor.item()` with config.capture_scalar_outputs=False.", "GB0124"),
    ],
)
def test_texts_similar_to_a_message(text: str, gb_id: str) -> None:
    assert ids(text) == [gb_id]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "CUDA out of memory. Tried to allocate 2.00 GiB",
        "ModuleNotFoundError: No module named 'torch'",
        "the generator of this loss is missing: please raise the number next time",
        "KeyError: 'model'",
    ],
)
def test_texts_unrelated_to_dynamo(text: str) -> None:
    found = recognise(clean(text))
    assert (found.matches, found.topics) == ((), ())


def test_users_line_is_the_innermost_outside_libraries() -> None:
    place = clean(
        'from user code:\n   File "/home/me/net.py", line 44, in f\n    return torch.cond(p, g, h, (x,))\n'
        '  File "/usr/lib/python3.11/site-packages/torch/_higher_order_ops/cond.py", line 196, in cond\n'
        "    return cond_op(pred)\n"
    ).place
    assert place is not None
    assert (place.path, place.line, place.function, place.code) == (
        "/home/me/net.py",
        44,
        "f",
        "return torch.cond(p, g, h, (x,))",
    )


def test_is_quick_and_imports_no_torch() -> None:
    text = "\n".join(logged(CAPTURED[gb_id]) for gb_id in CAPTURED)
    ids(text)
    started = time.process_time()
    assert len(ids(text)) >= len(CAPTURED)
    assert time.process_time() - started < 1.0
    code = (
        "import sys; from gblint.report.explain_lookup import answer; answer('generic_jump x'); "
        "print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
