"""Output that compiled runs leave out, where the code notes that it has been made."""

from __future__ import annotations

from pathlib import Path

from tests.oracle.linter import fixed

_HEAD = "import warnings\n\nimport torch\n\nTOLD = False\n\n\ndef f(x: torch.Tensor):\n    global TOLD\n    x = x * 1\n"
_REST = "    return x * 2\n"


def _fixed(tmp_path: Path, lines: str) -> str:
    source = f"{_HEAD}{lines}{_REST}"
    return next(iter(fixed(source, tmp_path, ("safe", "unsafe")).texts.values()), source)


def test_a_flag_is_not_set_where_the_warning_is_left_out(tmp_path: Path) -> None:
    text = _fixed(tmp_path, '    if not TOLD:\n        warnings.warn("a", stacklevel=2)\n        TOLD = True\n')
    guarded = (
        "    if not TOLD and not torch.compiler.is_compiling():\n"
        '        warnings.warn("a", stacklevel=2)\n        TOLD = True\n'
    )
    assert text == f"{_HEAD}{guarded}{_REST}"


def test_other_statements_of_the_branch_run_in_compiled_code_too(tmp_path: Path) -> None:
    text = _fixed(tmp_path, '    if not TOLD:\n        warnings.warn("a", stacklevel=2)\n        x = x + 1\n')
    guarded = (
        "    if not TOLD:\n        if not torch.compiler.is_compiling():\n"
        '            warnings.warn("a", stacklevel=2)\n        x = x + 1\n'
    )
    assert text == f"{_HEAD}{guarded}{_REST}"


def test_an_else_keeps_its_condition(tmp_path: Path) -> None:
    text = _fixed(
        tmp_path, '    if x.dim() == 1:\n        warnings.warn("a", stacklevel=2)\n    else:\n        x = x + 1\n'
    )
    assert "    if x.dim() == 1:\n        if not torch.compiler.is_compiling():\n" in text


def test_steps_of_a_training_loop_are_not_left_out(tmp_path: Path) -> None:
    head = (
        "import torch\n\nweight = torch.nn.Parameter(torch.ones(3))\noptimizer = torch.optim.AdamW([weight])\n"
        "scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)\n\n\ndef f(x: torch.Tensor):\n"
    )
    source = f"{head}    optimizer.zero_grad()\n    scheduler.step()\n{_REST}"
    result = fixed(source, tmp_path, ("safe", "unsafe"))
    assert not result.texts
