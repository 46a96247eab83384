"""Tables that a module fills after it has created them."""

from __future__ import annotations

import pytest

from tests.interp.snippets import breaks

DECORATED = """
import torch
TABLE = {}

def register(name):
    def wrap(target):
        TABLE[name] = target
        return target
    return wrap

@register("one")
def one(x):
    return x.item()

@register("two")
class Two:
    def __call__(self, x):
        return x.nonzero()

@torch.compile
def main(x: torch.Tensor, kind: str):
    found = TABLE[kind]
    return found(x) if kind == "one" else found()(x)
"""


def test_registry_filled_by_a_decorator() -> None:
    assert breaks(DECORATED) == [(13, "tensor-to-python"), (18, "dynamic-shape")]


@pytest.mark.parametrize(
    "filling",
    [
        'TABLE["one"] = one',
        'TABLE.update({"one": one})',
        "TABLE.update(one=one)",
        'for name, function in {"one": one}.items():\n    TABLE[name] = function',
        'if True:\n    TABLE["one"] = one',
    ],
)
def test_registry_filled_by_statements(filling: str) -> None:
    source = f"import torch\nTABLE = {{}}\ndef one(x):\n    return x.item()\n{filling}\n"
    source += "@torch.compile\ndef main(x: torch.Tensor):\n    return TABLE['one'](x)\n"
    assert breaks(source) == [(4, "tensor-to-python")]


LARGE = """
import torch
from collections import OrderedDict

NAMES = OrderedDict([{rows}])
NAMES.update({{"more": "item"}})
NAMES = OrderedDict(**{{"first": "tolist"}}, **NAMES)
KEYS = {{name: key for key, name in NAMES.items()}}

@torch.compile
def main(x: torch.Tensor):
    return getattr(x, {looked_up})()
"""


@pytest.mark.parametrize(
    ("looked_up", "broken"),
    [
        ("NAMES['k7']", False),
        ("NAMES['more']", True),
        ("NAMES['first']", True),
        ("NAMES[KEYS['item']]", True),
        ("NAMES[KEYS['relu']]", False),
    ],
)
def test_a_large_table_is_known_entry_by_entry(looked_up: str, broken: bool) -> None:
    rows = ", ".join(f'("k{number}", "relu")' for number in range(700))
    assert breaks(LARGE.format(rows=rows, looked_up=looked_up)) == ([(12, "tensor-to-python")] if broken else [])
