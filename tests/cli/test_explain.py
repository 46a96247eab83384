"""``gblint explain``: rules, ids, and messages as people paste them."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import pytest

from gblint.rules import all_rules

Run = Callable[..., Any]

ERROR = """\
Traceback (most recent call last):
  File "/home/me/train.py", line 30, in <module>
    net(x)
torch._dynamo.exc.Unsupported: Attempted to call function marked as skipped
  Explanation: Dynamo does not know how to trace the builtin `time.sleep.`
  Hint: If it is a Python builtin, please file an issue on GitHub.

  Developer debug context: module: time, qualname: sleep, skip reason: <missing reason>

from user code:
   File "/home/me/net.py", line 12, in forward
    time.sleep(1)

Set TORCHDYNAMO_VERBOSE=1 for the internal stack trace
"""


@pytest.mark.parametrize("what", ["GBL101", "gbl101", "tensor-item"])
def test_a_rule(gblint: Run, what: str) -> None:
    result = gblint("explain", what)
    assert result.status == 0
    assert result.out.startswith("GBL101 tensor-item: ")
    assert "capture_scalar_outputs" in result.out
    assert "https://meta-pytorch.github.io/compile-graph-break-site/gb/gb0124.html" in result.out


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
def test_every_rule_fits_the_terminal(gblint: Run, rule: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "72")
    result = gblint("explain", rule.code)
    prose = result.out.split(f"\n{rule.sections[0][0]}\n")[0].splitlines()[2:]
    assert all(len(line) <= 72 or " " not in line.strip(" -") for line in prose)
    assert "**Instead" not in result.out
    assert "**Does not help" not in result.out


def test_an_id(gblint: Run) -> None:
    result = gblint("explain", "GB0124")
    assert result.status == 0
    assert result.out.startswith("GB0124 ")
    assert "GBL101 tensor-item" in result.out
    assert "# breaks: " in result.out
    assert gblint("explain", "gb0124").out == result.out


def test_an_id_that_no_source_shows(gblint: Run) -> None:
    result = gblint("explain", "GB0052")
    assert "Not visible in source (internal)" in result.out


def test_a_message(gblint: Run) -> None:
    out = gblint("explain", ERROR).out
    assert out.startswith("/home/me/net.py:12, in forward\n    time.sleep(1)\n")
    assert "GB0007 Attempted to call function marked as skipped" in out
    assert "gb/gb0007.html" in out
    assert "GBL406" in out or "clock-call" in out
    assert [title for title in ("Why", "Try", "Does not help") if f"\n{title}\n" in out] == [
        "Why",
        "Try",
        "Does not help",
    ]


def test_a_message_on_standard_input(gblint: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(ERROR))
    assert "GB0007" in gblint("explain", "-").out


def test_a_message_without_quotation_marks(gblint: Run) -> None:
    out = gblint("explain", *"Unsupported: generic_jump TensorVariable()".split()).out
    assert "GB0170 Data-dependent branching" in out


def test_several(gblint: Run) -> None:
    result = gblint("explain", "GBL101", "GB0170", "generic_jump TensorVariable()")
    assert result.status == 0
    assert result.out.startswith("GBL101 ")
    assert "\n\nGB0170 " in result.out


def test_one_of_several_is_unknown(gblint: Run) -> None:
    result = gblint("explain", "GBL101", "GB9999")
    assert result.status == 2
    assert result.out.startswith("GBL101 ")
    assert result.err == "error: torch has no graph break GB9999\n"


def test_a_likeness_is_called_one(gblint: Run) -> None:
    assert "not exactly a message of Dynamo" in gblint("explain", "data dependent branching").out


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("GBL999", "nothing is known about 'GBL999'; did you mean "),
        ("tensor-itm", "nothing is known about 'tensor-itm'; did you mean 'tensor-item'"),
        ("CUDA out of memory, again", "no message of Dynamo is similar to this text"),
        (" ", "there is nothing to explain"),
    ],
)
def test_what_there_is_not(gblint: Run, what: str, message: str) -> None:
    result = gblint("explain", what)
    assert (result.status, result.out) == (2, "")
    assert message in result.err


def test_as_json(gblint: Run) -> None:
    document = json.loads(gblint("explain", "--output-format", "json", "GBL101", "GB0170", ERROR).out)
    rule, an_id, message = document["answers"]
    assert document["version"] == 1
    assert (rule["kind"], rule["rule"]["code"]) == ("rule", "GBL101")
    assert (an_id["kind"], an_id["id"]["id"]) == ("id", "GB0170")
    assert an_id["id"]["url"].endswith("gb0170.html")
    assert message["place"] == {"path": "/home/me/net.py", "line": 12, "function": "forward", "code": "time.sleep(1)"}
    assert message["ids"][0]["try"]
    assert message["ids"][0]["does_not_help"]


def test_what_is_pasted_cannot_play_with_the_terminal(gblint: Run) -> None:
    hostile = 'Unsupported: generic_jump x\n  File "/a/\x07\x1b]0;t\x07b.py", line 3, in f\n    y\x08\x08 = 1\n'
    assert not set(gblint("explain", hostile).out) & {"\x07", "\x08", "\x1b"}
