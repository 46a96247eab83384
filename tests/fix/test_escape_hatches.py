"""Escape hatches: the displayed fixes are complete, remove the break and keep the results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gblint.config.settings import Config
from gblint.diagnostics.finding import Finding
from gblint.diagnostics.fix import Fix
from gblint.fix.edits import Offsets, Patch, apply_patches
from gblint.fix.lint_with_fixes import lint_showing_fixes
from gblint.pipeline.lint import LintRequest
from tests.oracle.dynamo import observed_fixes
from tests.oracle.linter import compiles_itself, entry

HEAD = "import torch\n\nSCALE = 2\n\n\n"
EVALUATED = HEAD + (
    'def f(x: torch.Tensor) -> torch.Tensor:\n    y = x + 1\n    y = y * globals()["SCALE"]\n    return y * 2\n'
)
SAVED_STATE = HEAD + (
    "def f(x: torch.Tensor) -> torch.Tensor:\n"
    "    y = x + 1\n"
    "    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):\n"
    "        y = y * 2\n"
    "    return y\n"
)
MODULE = HEAD + (
    "class Net(torch.nn.Module):\n"
    "    def __init__(self) -> None:\n"
    "        super().__init__()\n"
    "        self.norm = torch.nn.LayerNorm(4)\n"
    "        self.scale = 2\n"
    "\n"
    "    def forward(self, x: torch.Tensor) -> torch.Tensor:\n"
    "        y = x + 1\n"
    '        z = self.norm(y) * globals()["SCALE"] * self.scale\n'
    "        return y + z\n"
)
TWICE = HEAD + (
    "def f(x: torch.Tensor) -> torch.Tensor:\n"
    "    y = x + 1\n"
    '    return y * globals()["SCALE"] + y.sum() / globals()["SCALE"]\n'
)
COUNTED = "import torch\nimport uuid\n\n\n" + (
    "def f(x: torch.Tensor) -> torch.Tensor:\n    y = x + 1\n    name = str(uuid.uuid4())\n    return y * len(name)\n"
)
NOTED = "import gc\n\nimport torch\n\n\n" + (
    "def f(x: torch.Tensor, deep: bool) -> torch.Tensor:\n"
    "    y = x + 1\n"
    "    for _ in range(2):\n"
    "        if deep:\n"
    "            seen = gc.get_count()\n"
    "            y = y + len(seen)\n"
    "    return y * 2\n"
)
# By the name of the escape hatch: a source, the arguments, the ids of intended breaks.
CASES = {
    "leaf_function-expression": (EVALUATED, "(torch.randn(4, requires_grad=True),)", ()),
    "leaf_function-module": (MODULE, "(torch.randn(4),)", ()),
    "leaf_function-twice": (TWICE, "(torch.randn(4),)", ()),
    "nonstrict_trace-module": (MODULE, "(torch.randn(4, requires_grad=True),)", ()),
    "nonstrict_trace-with": (SAVED_STATE, "(torch.randn(4),)", ()),
    "torch.library.custom_op-expression": (EVALUATED, "(torch.randn(4),)", ()),
    "torch.compiler.disable-value": (COUNTED, "(torch.randn(4),)", ("GB0098",)),
    "torch.compiler.disable-loop": (NOTED, "(torch.randn(4), True)", ("GB0098",)),
}


def shown(source: str, folder: Path) -> list[tuple[Finding, Fix]]:
    """The fixes that are shown for ``source`` and not made."""
    path = folder / "example.py"
    path.write_text(source, encoding="utf-8")
    entries = () if compiles_itself(source) else (f"example:{entry(source)}",)
    outcome = lint_showing_fixes(LintRequest((path,), entries=entries), Config(root=folder))
    findings = outcome.report.findings
    return [(finding, fix) for finding in findings for fix in finding.fixes if fix.applicability == "display"]


def applied(source: str, fix: Fix) -> str:
    """``source`` after ``fix``."""
    return apply_patches(source, [Patch.of(fix.edits, Offsets(source))])[0]


def after(name: str, folder: Path) -> str:
    """Return the source after the escape hatch ``name``; with several findings, after the fixes of all."""
    source = CASES[name][0]
    hatch = name.rpartition("-")[0]
    for _ in range(3):
        fix = next((fix for _, fix in shown(source, folder) if f"`{hatch}`" in fix.title), None)
        if fix is None:
            break
        source = applied(source, fix)
    return source


@pytest.fixture(scope="module")
def hatched(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """Return the result of Dynamo for each text; all run in one batch."""
    pytest.importorskip("torch")
    folder = tmp_path_factory.mktemp("hatches")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        jobs = [
            {"before": source, "after": after(name, folder), "calls": [inputs], "safe": False}
            for name, (source, inputs, _) in CASES.items()
        ]
    return dict(zip(CASES, observed_fixes(jobs), strict=True))


@pytest.mark.parametrize("name", CASES)
def test_dynamo_agrees(name: str, hatched: dict[str, dict[str, Any]]) -> None:
    """Only the intended break is left, and results and gradients are the same."""
    verdict = hatched[name]
    assert verdict["differs"] is None
    assert all(set(ids) <= set(CASES[name][2]) for _, ids in verdict["breaks"])
    assert bool(verdict["breaks"]) == bool(CASES[name][2])


@pytest.mark.parametrize("name", CASES)
def test_every_escape_hatch_is_displayed(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each escape hatch is among the displayed fixes of its source."""
    monkeypatch.chdir(tmp_path)
    assert after(name, tmp_path) != CASES[name][0]


def test_the_text_is_complete(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The text has the function, the fake and the call, with the known types."""
    monkeypatch.chdir(tmp_path)
    assert after("leaf_function-module", tmp_path) == HEAD + (
        "@torch._dynamo.decorators.leaf_function\n"
        "def _globals(y: torch.Tensor, norm: torch.nn.Module) -> torch.Tensor:\n"
        '    return norm(y) * globals()["SCALE"]\n'
        "\n\n"
        "@_globals.register_fake\n"
        "def _globals_fake(y: torch.Tensor, norm: torch.nn.Module) -> torch.Tensor:\n"
        "    # Correct the shape, dtype and device of the result.\n"
        "    return torch.empty_like(y)\n"
        "\n\n"
    ) + MODULE[len(HEAD) :].replace('self.norm(y) * globals()["SCALE"]', "_globals(y, self.norm)")


def test_break_that_raises_can_be_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Under ``error_on_graph_break(True)`` the line may be excluded from it."""
    monkeypatch.chdir(tmp_path)
    source = EVALUATED.replace("def f", "@torch._dynamo.error_on_graph_break(True)\n@torch.compile\ndef f")
    (fix,) = [fix for _, fix in shown(source, tmp_path) if "error_on_graph_break" in fix.title]
    assert applied(source, fix) == source.replace(
        "    y = y * globals", "    with torch._dynamo.error_on_graph_break(False):\n        y = y * globals"
    )


@pytest.mark.parametrize(
    "body",
    [
        '    return [v * globals()["SCALE"] for v in x]\n',  # a variable of a comprehension
        '    if (size := globals()["SCALE"]) > 1:\n        x = x * size\n    return x\n',
        '    for v in x:\n        if globals()["SCALE"]:\n            return v\n    return x\n',
    ],
)
def test_code_that_cannot_be_extracted(body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Code whose variables cannot be passed, or that leaves the function, is not extracted."""
    monkeypatch.chdir(tmp_path)
    found = shown(HEAD + "def f(x: torch.Tensor) -> torch.Tensor:\n" + body, tmp_path)
    assert all("disable" in fix.title and "[" in body for _, fix in found)


def test_configuration_turns_escape_hatches_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``GBL506 = "off"`` turns escape hatches off as well."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "example.py"
    path.write_text(EVALUATED, encoding="utf-8")
    outcome = lint_showing_fixes(
        LintRequest((path,), entries=("example:f",)), Config(tmp_path).with_values(fixes={"GBL506": "off"})
    )
    assert [finding.fixes for finding in outcome.report.findings] == [()]
