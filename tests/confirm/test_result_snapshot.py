"""Differences between snapshots of calls."""

from __future__ import annotations

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
