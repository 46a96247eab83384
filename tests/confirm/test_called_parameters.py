"""The parameters of a constructor that the object calls."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from gblint.confirm.inputs.called_parameters import EACH, called_arguments, called_parts  # noqa: E402
from gblint.confirm.inputs.search import FoundCall, find_call  # noqa: E402
from tests.confirm.modules import reversible_blocks  # noqa: E402


@pytest.mark.parametrize(
    ("cls", "parts"),
    [
        (reversible_blocks.Deterministic, {("net",)}),
        (reversible_blocks.ReversibleBlock, {("f",), ("g",)}),
        (
            reversible_blocks.ReversibleSequence,
            {("blocks", EACH, 0), ("blocks", EACH, 1), ("head",), ("tail", EACH)},
        ),
        (reversible_blocks.Mixture, {("experts", EACH), ("gates", EACH)}),
        (torch.nn.Linear, set()),
        (int, set()),
    ],
)
def test_parts_that_are_called(cls: type, parts: set[tuple[str | int, ...]]) -> None:
    assert called_parts(cls) == parts


def test_values_have_the_structure_of_the_uses() -> None:
    first = {
        name: values[0].source() for name, values in called_arguments(reversible_blocks.ReversibleSequence).items()
    }
    module = "torch.nn.Identity()"
    assert first == {
        "blocks": f"[({module}, {module}), ({module}, {module})]",
        "head": module,
        "tail": f"[{module}, {module}]",
    }


@pytest.mark.parametrize("name", ["ReversibleBlock", "ReversibleSequence", "Mixture"])
def test_a_call_is_found(name: str) -> None:
    target = getattr(reversible_blocks, name)
    found = find_call(target, None, lambda call, args, kwargs: call(*args, **kwargs), seconds=20)
    assert isinstance(found, FoundCall), found.reason
    assert "torch.nn.Identity()" in found.init
