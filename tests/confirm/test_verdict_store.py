"""Stored verdicts are valid until the code changes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from gblint.confirm.verdict_store import VerdictStore
from gblint.diagnostics.break_event import Category, Confidence
from gblint.diagnostics.finding import Confirmation, Finding, Severity
from gblint.diagnostics.span import Span
from gblint.project.source_text import Source

NET = "import torch\n\ndef f(x):\n    return x.sum().item()\n\ndef g(x):\n    return x\n"
SEEN = Confirmation("confirmed", "NVIDIA H200", "2.13.0+cu130", ("GB0124",), "Unsupported Tensor.item() call", count=2)


@pytest.fixture
def store(tmp_path: Path) -> VerdictStore:
    """An empty store."""
    return VerdictStore(tmp_path / "cache" / "confirmations")


@pytest.fixture
def net(tmp_path: Path) -> Path:
    """The file with the finding."""
    path = tmp_path / "net.py"
    path.write_text(NET)
    return path


def finding(net: Path, confirmation: Confirmation | None = None, line: int = 4) -> Finding:
    return Finding(
        "GBL101",
        "tensor-item",
        Category.GRAPH_BREAK,
        Severity.WARNING,
        Confidence.CERTAIN,
        Span(str(net), line, 12, line, 26),
        "`x.sum().item()` takes a number out of a tensor",
        confirmation=confirmation,
    )


def recalled(store: VerdictStore, net: Path, torch: str = "2.13", line: int = 4) -> Confirmation | None:
    (found,) = store.annotate([finding(net, line=line)], torch, Source())
    return found.confirmation


def test_a_verdict_is_stored(store: VerdictStore, net: Path) -> None:
    store.save([finding(net, SEEN)], Source())
    assert recalled(store, net) == replace(SEEN, remembered=True)


@pytest.mark.parametrize("changed", [NET.replace("sum", "max"), NET.replace("import torch\n", "import os, torch\n")])
def test_a_change_of_the_function_drops_the_verdict(store: VerdictStore, net: Path, changed: str) -> None:
    store.save([finding(net, SEEN)], Source())
    net.write_text(changed)
    assert (recalled(store, net) is None) == ("max" in changed)


def test_a_moved_function_keeps_its_verdict(store: VerdictStore, net: Path) -> None:
    store.save([finding(net, SEEN)], Source())
    net.write_text("# a comment\n" + NET)
    assert recalled(store, net, line=5) is not None


def test_verdicts_of_another_torch_are_not_used(store: VerdictStore, net: Path) -> None:
    store.save([finding(net, SEEN)], Source())
    assert recalled(store, net, "2.12") is None


def test_a_later_run_does_not_replace_confirmed(store: VerdictStore, net: Path) -> None:
    refuted = replace(SEEN, verdict="refuted", gb_ids=(), message="")
    store.save([finding(net, SEEN)], Source())
    store.save([finding(net, refuted)], Source())
    store.save([finding(net, replace(refuted, device="CPU"))], Source())
    confirmation = recalled(store, net)
    assert confirmation is not None
    assert confirmation.verdict == "confirmed"


def test_only_confirmed_and_refuted_are_stored(store: VerdictStore, net: Path) -> None:
    store.save([finding(net, Confirmation("masked", "CPU", "2.13.0")), finding(net)], Source())
    assert recalled(store, net) is None
    assert not store.folder.exists()


@pytest.mark.parametrize(
    "broken", ["", "{", "[]", '{"version": 1}', '{"version": 1, "path": "x", "verdicts": []}', "\x00"]
)
def test_a_damaged_file_is_ignored(store: VerdictStore, net: Path, broken: str) -> None:
    store.save([finding(net, SEEN)], Source())
    (file,) = store.folder.iterdir()
    file.write_text(broken)
    assert recalled(store, net) is None
    store.save([finding(net, SEEN)], Source())
    assert recalled(store, net) is not None


def test_invalid_entries_are_ignored(store: VerdictStore, net: Path) -> None:
    store.save([finding(net, SEEN)], Source())
    (file,) = store.folder.iterdir()
    file.write_text(file.read_text().replace('"confirmed"', '"perhaps"'))
    assert recalled(store, net) is None


def test_a_folder_that_cannot_be_created_is_no_error(net: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = VerdictStore(tmp_path / "file" / "confirmations")
    store.save([finding(net, SEEN)], Source())
    assert recalled(store, net) is None
