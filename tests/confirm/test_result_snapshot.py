"""Differences between snapshots of calls."""

from __future__ import annotations

import enum
from pathlib import Path

import pytest
import torch

from gblint.confirm.result_snapshot import Snapshot, differences, take_snapshot


def _printed(make: object) -> Snapshot:
    return take_snapshot(lambda: print("kept", make), None, None, backward=False)


def test_the_grad_fn_of_a_printed_tensor_does_not_count() -> None:
    for x in (torch.ones(4, requires_grad=True), torch.ones(40, 3, requires_grad=True)):
        mean, quotient, other = x.mean(0), x.sum(0) / len(x), x.mean(0) + 1
        assert mean.grad_fn != quotient.grad_fn
        assert differences(_printed(mean), _printed(quotient), exact=True) == []
        assert differences(_printed(mean), _printed(other), exact=True)


class Kind(str, enum.Enum):
    ONE = "one"


class Meters(float):
    pass


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("np.float64(1.5)", "np.float64(1.25)"),
        ("np.float64(1.5)", "np.float32(1.5)"),
        ("np.float64(1.5)", "1.5"),
        ("np.str_('a')", "np.str_('b')"),
        ("Kind.ONE", "'one'"),
        ("Meters(2.0)", "Meters(3.0)"),
        ("Meters(2.0)", "2.0"),
    ],
)
def test_subclasses_of_numbers_are_stored_as_plain_data(tmp_path: Path, one: str, other: str) -> None:
    import numpy as np

    names = {"np": np, "Kind": Kind, "Meters": Meters}
    snapshots = []
    for text in (one, one, other):
        torch.save(take_snapshot(lambda text=text: eval(text, names), (), None, backward=True), tmp_path / "one.pt")
        snapshots.append(torch.load(tmp_path / "one.pt", weights_only=True))
    assert differences(snapshots[0], snapshots[1], exact=True) == []
    assert differences(snapshots[0], snapshots[2], exact=False)
