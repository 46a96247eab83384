"""Generated programs are fixed: the result can be parsed, is not changed again, and other lines stay."""

from __future__ import annotations

import ast
import contextlib
import io
import os
import re
import stat
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from gblint.cli.main import run

# Code with fixes, near misses, and code whose layout is easily lost; {n} makes each copy different.
STATEMENTS = (
    "y = y * y.max().item()",
    "y = y + float(y.sum())  # {n}",
    "if torch.isnan(y).any():\n    raise ValueError('not ä number {n}')",
    "if (y > {n}).any(): raise RuntimeError(f'{{y}}')",
    "assert not torch.isinf(y).any(), 'inf'",
    "assert y.sum().item() > -{n}, (\n    'long'\n    'text'\n)",
    "if y.sum() > {n}:\n    y = y + 1\nelse:\n    # less\n    y = y - 1",
    "if y.sum() > {n}:\n    y = y.relu()\nelif y.sum() < 0:\n    y = -y",
    "y = y + 1 if y.mean() > {n} else y - 1",
    "print('y', y.sum(), {n})",
    "print(f'y {{y.sum()}}'); z = {n}",
    "logger.warning('y %s', y.sum())",
    "warnings.warn('ü {n}')",
    "y[y > {n}] = 0.0",
    "y[y > {n}] += 1",
    "s = y[y > {n}].sum()",
    "i = (y > {n}).nonzero()",
    "y = y[torch.where(y > {n})].sum() + y",
    "y = torch.from_numpy(np.interp(y.numpy(), [0, 1], [1, {n}]))",
    "y = y * np.float32(np.random.rand())",
    "y = copy.deepcopy(y)",
    "t = time.time()",
    "with torch.inference_mode():\n    y = y + {n}",
    "for layer in self.layers:\n    if random.random() < 0.1:\n        continue\n    y = layer(y)",
    "for v in y.sum(0).tolist():\n    y = y + v",
    "for i in tqdm(range({n})):\n    y = y + i",
    "while y.sum() < {n}:\n    y = y * 2",
    "y.requires_grad = True",
    "n = len(y.nonzero())",
    'text = """\n  a {n}\n\tb\n"""',
    "y = (\n    y\n    # kept\n    + {n}  \n)",
    "y = y.view(-1,); y = y + {n}",
    "lam = lambda v: v.item()\ny = y + lam(y.sum())",
    "def inner(v):\n    return v.item()\ny = y + inner(y.sum())",
    "try:\n    y = y + y.max().item()\nexcept ValueError:\n    pass",
)
WRAPPERS = (
    "{}",
    "if flag:\n{}",
    "for _ in range(2):\n{}",
    "if flag:\n    pass\nelse:\n{}",
    "with torch.no_grad():\n{}",
)
IMPORTS = (
    "import copy\nimport logging\nimport random\nimport time\nimport warnings\n",
    "import numpy as np\nimport torch\nfrom torch import nn\nfrom tqdm import tqdm\n",
)
KEPT = "# kept as it is: {}  [1,2 ,3]\nUNTOUCHED = ( 1,\n    2 )\n"


@st.composite
def programs(draw: st.DrawFn) -> str:
    chosen = draw(st.lists(st.sampled_from(STATEMENTS), min_size=1, max_size=6))
    indent = draw(st.sampled_from(["    ", "  ", "\t"]))
    body = []
    for number, statement in enumerate(chosen):
        wrapper = draw(st.sampled_from(WRAPPERS))
        text = statement.format(n=number)
        body.append(text if wrapper == "{}" else wrapper.format(textwrap.indent(text, "    ")))
    code = "\n".join([*body, "return y"])
    header = draw(
        st.sampled_from(['"""A module."""\n', "", "#!/usr/bin/env python\n", "from __future__ import annotations\n"])
    )
    method = draw(st.booleans())
    parameter = draw(st.sampled_from(["x: torch.Tensor", "x"]))
    if method:
        head = "class Net(nn.Module):\n    layers = nn.ModuleList()\n\n"
        function = f"    def forward(self, {parameter}, flag: bool = True):\n        y = x\n"
        text = head + function + textwrap.indent(code, "        ") + "\n\n\nnet = torch.compile(Net())\n"
    else:
        decorated = f"@torch.compile\ndef f({parameter}, flag: bool = True, self=None):\n    y = x\n"
        text = decorated + textwrap.indent(code, "    ") + "\n"
    text = f"{header}{''.join(IMPORTS)}\nlogger = logging.getLogger(__name__)\n{KEPT}\n\n{text}"
    if not text.count('"""\n  a') and indent != "    ":
        lines = text.split("\n")
        depth = [(len(line) - len(line.lstrip(" "))) // 4 for line in lines]
        text = "\n".join(indent * d + line.lstrip(" ") for d, line in zip(depth, lines))
    return text


@contextlib.contextmanager
def folder() -> Iterator[Path]:
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as name:
        os.chdir(name)
        try:
            yield Path(name)
        finally:
            os.chdir(here)


def _kept(text: str) -> str:
    """Return the lines of a program that no fix may change."""
    found = re.search(r"# kept as it is.*\nUNTOUCHED.*\n.*\n", text)
    assert found is not None
    return found[0]


def fix(*options: str) -> tuple[int, str]:
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(shown):
        status = run(["check", "--fix", "--exit-zero", "--no-cache", *options, "m.py"])
    return status, shown.getvalue()


@given(
    text=programs(),
    newline=st.sampled_from(["\n", "\r\n"]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "latin-1"]),
    end=st.booleans(),
    unsafe=st.booleans(),
)
# Shrinking a failing program takes minutes and helps little.
@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
def test_fixed_program_parses_and_is_stable(text: str, newline: str, encoding: str, end: bool, unsafe: bool) -> None:
    if encoding == "latin-1":
        text = "# -*- coding: latin-1 -*-\n" + text
    try:
        ast.parse(text)
    except SyntaxError:
        return  # the parts do not make a valid program
    text = text if end else text.rstrip("\n")
    data = text.replace("\n", newline).encode(encoding)
    options = ["--unsafe-fixes"] if unsafe else []
    with folder() as root:
        path = root / "m.py"
        path.write_bytes(data)
        path.chmod(0o640)
        (root / "gblint.toml").write_text("")
        status, shown = fix(*options)
        assert status == 0, shown
        fixed = path.read_bytes()
        ast.parse(fixed)
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        decoded = fixed.decode(encoding)
        assert fixed.startswith(b"\xef\xbb\xbf") == (encoding == "utf-8-sig")
        lines = decoded.replace(newline, "")
        assert "\r" not in lines
        assert newline == "\n" or "\n" not in lines
        assert _kept(text).replace("\n", newline) in decoded
        assert decoded.endswith("\n") == end
        status, shown = fix(*options)
        assert status == 0, shown
        assert "fixed 0 findings" in shown
        assert path.read_bytes() == fixed
        assert sorted(each.name for each in root.iterdir()) == ["gblint.toml", "m.py"]
