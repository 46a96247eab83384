"""Options that a file sets in ``torch._dynamo.config``."""

from __future__ import annotations

from pathlib import Path

import pytest

from gblint.config.settings import Config
from gblint.pipeline.lint import LintRequest, lint
from tests.interp.snippets import breaks

PROGRAM = """
import logging, torch
from torch import nn
{line}
logger = logging.getLogger(__name__)

@torch.compile
def f(x: torch.Tensor):
    x = x * x.max().item()
    x = x[x > 0]
    print("here")
    logger.info("here")
    return x
"""
ALL = [(9, "tensor-to-python"), (10, "dynamic-shape"), (11, "call"), (12, "call")]


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("pass", [0, 1, 2, 3]),
        ("torch._dynamo.config.capture_scalar_outputs = True", [1, 2, 3]),
        ("if torch.cuda.is_available(): torch._dynamo.config.capture_scalar_outputs = True", [1, 2, 3]),
        ("torch._dynamo.config.capture_dynamic_output_shape_ops = True", [0, 2, 3]),
        ("torch._dynamo.config.capture_dynamic_output_shape_ops = False", [0, 1, 2, 3]),
        ("import torch._dynamo as dynamo; dynamo.config.reorderable_logging_functions.add(print)", [0, 1, 3]),
        ("torch._dynamo.config.ignore_logging_functions |= {print, logging.Logger.info}", [0, 1]),
        ("from torch._dynamo import config; config.reorderable_logging_functions.update([print])", [0, 1, 3]),
    ],
)
def test_options(line: str, kept: list[int]) -> None:
    assert breaks(PROGRAM.format(line=line)) == [ALL[index] for index in kept]


def test_recurrent_modules() -> None:
    program = """
    import torch
    from torch import nn
    {line}
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.memory = nn.GRU(4, 4)
        def forward(self, x):
            return self.memory(x)[0]
    """
    assert breaks(program.format(line="pass"), "Net") == [(10, "module-call")]
    assert breaks(program.format(line="torch._dynamo.config.allow_rnn = True"), "Net") == []


@pytest.mark.parametrize(
    "lines",
    [
        ["torch._dynamo.config.capture_scalar_outputs = True", "return torch.compile(f)"],
        ["with torch._dynamo.config.patch(capture_scalar_outputs=True):", "    return torch.compile(f)(X)"],
        ["with torch._dynamo.config.patch('capture_scalar_outputs', True):", "    return torch.compile(f)(X)"],
        ["with torch._dynamo.config.patch({'capture_scalar_outputs': True}):", "    return torch.compile(f)(X)"],
        [
            "with mock.patch.object(torch._dynamo.config, 'capture_scalar_outputs', True):",
            "    return torch.compile(f)(X)",
        ],
        ["with mock.patch('torch._dynamo.config.capture_scalar_outputs', True):", "    return torch.compile(f)(X)"],
        ["setattr(torch._dynamo.config, 'capture_scalar_outputs', True)", "return torch.compile(f)"],
        ["torch._dynamo.config.load_config({'capture_scalar_outputs': True})", "return torch.compile(f)"],
    ],
)
def test_options_where_it_is_compiled(lines: list[str]) -> None:
    program = "import torch\nfrom unittest import mock\nX = torch.ones(3)\n"
    program += "def f(x: torch.Tensor):\n    return x * x.max().item()\n\ndef main():\n"
    main = "".join(f"    {line}\n" for line in lines)
    assert breaks(program + main) == []
    assert breaks(program + main.replace("True", "False")) == [(5, "tensor-to-python")]


def test_options_of_another_function() -> None:
    program = """
    import torch

    def other():
        torch._dynamo.config.capture_scalar_outputs = True

    @torch.compile
    def f(x: torch.Tensor):
        torch._dynamo.config.capture_scalar_outputs = True
        return x * x.max().item()
    """
    assert breaks(program) == [(10, "tensor-to-python")]


def test_options_that_another_module_sets(tmp_path: Path) -> None:
    """The options apply once the module is imported, which is certain if one of its functions runs."""
    (tmp_path / "numbers_of.py").write_text(
        "import torch\n\ntorch._dynamo.config.capture_scalar_outputs = True\n\n\n"
        "def largest(x: torch.Tensor):\n    return x.max().item(), x[x > 0]\n"
    )
    (tmp_path / "plain.py").write_text("import torch\n\n\ndef largest(x: torch.Tensor):\n    return x.max().item()\n")
    main = "import torch\nimport numbers_of, plain\n\n\n@torch.compile\n"
    main += "def f(x: torch.Tensor):\n    return {}.largest(x + 1)\n"
    for module, expected in (("numbers_of", [(7, "GBL302")]), ("plain", [(5, "GBL101")])):
        (tmp_path / "main.py").write_text(main.format(module))
        found = lint(LintRequest([tmp_path]), Config(tmp_path)).report.findings
        assert [(each.span.line, each.code) for each in found] == expected
