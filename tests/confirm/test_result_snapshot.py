"""Differences between snapshots of calls."""

from __future__ import annotations

import enum
import logging
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from gblint.confirm.result_snapshot import Snapshot, differences, take_snapshot, without_messages, without_unsteady


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


def _of(function: Callable[..., Any], *arguments: Any, owner: object = None) -> Snapshot:
    return take_snapshot(lambda: function(*arguments), (arguments, {}), owner, backward=False)


def _differs(one: Callable[..., Any], other: Callable[..., Any], make: Callable[[], tuple[Any, ...]]) -> list[str]:
    """Return the differences between two functions that are called with equal arguments."""
    return differences(_of(one, *make()), _of(other, *make()), exact=False)


def _one_tensor() -> tuple[Any, ...]:
    return (torch.ones(2, 2),)


SHARED = "shared with the arguments[0][0], now of its own"
NEW = "of its own, now shared with the arguments[0][0]"


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        (lambda x: x, lambda x: x.clone(), [f"the memory of the result: {SHARED}"]),
        (lambda x: x, lambda x: torch.where(x > 2, x * 2, x), [f"the memory of the result: {SHARED}"]),
        (lambda x: x + 0, lambda x: x, [f"the memory of the result: {NEW}"]),
        (lambda x: {"a": [x.t()]}, lambda x: {"a": [x.t().clone()]}, [f"the memory of the result['a'][0]: {SHARED}"]),
        (lambda x: x[:1], lambda x: x[:1].clone(), [f"the memory of the result: {SHARED}"]),
        (lambda x: x, lambda x: x.view(2, 2), []),
        (lambda x: x.clone(), lambda x: x + 0, []),
        (lambda x: x[:0], lambda x: x[:0].clone(), []),
        # The halves of a tensor share its storage and none of its elements.
        (lambda x: [*(x + 1).chunk(2, 1)], lambda x: [each.clone() for each in (x + 1).chunk(2, 1)], []),
        (
            lambda x: [x + 1] * 2,
            lambda x: [x + 1, x + 1],
            ["the memory of the result[1]: shared with the result[0], now of its own"],
        ),
        (
            lambda x: [*(x + 1).expand(2, 2, 2)],
            lambda x: [x + 1, x + 1],
            ["the memory of the result[1]: shared with the result[0], now of its own"],
        ),
    ],
)
def test_memory_that_results_share(one: Callable[..., Any], other: Callable[..., Any], found: list[str]) -> None:
    told = _differs(one, other, _one_tensor)
    assert told == found


def test_memory_that_arguments_share_afterwards() -> None:
    def store(cache: list[Any], x: Any) -> None:
        cache.append(x)

    def store_copy(cache: list[Any], x: Any) -> None:
        cache.append(x.clone())

    (told,) = _differs(store_copy, store, lambda: ([], torch.ones(2)))
    assert told == "the memory of the arguments[0][0][0]: of its own, now shared with the arguments[0][1]"


class Meter(nn.Module):
    """A module whose calls leave something behind."""

    def __init__(self) -> None:
        super().__init__()
        self.inner: Any = nn.Identity()
        self.inner.count = 0
        self.kept = torch.zeros(2)
        self.register_buffer("last", torch.zeros(2))

    def forward(self, x: Any, way: str) -> Any:
        if way == "number":
            self.inner.count = x.sum().item()
        elif way == "tensor":
            self.inner.count = x.sum()
        elif way == "buffer":
            self.last = x
        elif way == "copied":
            self.last = x.clone()
        elif way == "list":
            self.seen = [1]
        return self.last if way == "returned" else x + 1


def test_what_a_call_leaves_in_an_object() -> None:
    def after(way: str) -> Snapshot:
        meter = Meter()
        return _of(lambda x: meter(x, way), torch.ones(2), owner=meter)

    (told,) = differences(after("number"), after("tensor"), exact=False)
    assert told == "the attribute inner.count: 2.0, now a tensor of shape ()"
    # A fix may keep something in a new attribute; it may not remove one.
    assert differences(after(""), after("list"), exact=False) == []
    assert any("the attribute seen" in each for each in differences(after("list"), after(""), exact=False))
    assert "the memory of the result: shared with last, now of its own" in differences(
        after("returned"), after(""), exact=False
    )


class Timer:
    """A plain object with a method."""

    def __init__(self) -> None:
        self.calls, self.times = 0, [0]

    def step(self, x: Any, increment: int, time: int) -> Any:
        self.calls += increment
        self.times.append(time)
        return x


def test_attributes_of_the_object_of_a_method() -> None:
    def after(increment: int, time: int) -> Snapshot:
        timer = Timer()
        return _of(lambda x: timer.step(x, increment, time), torch.ones(2), owner=timer)

    first, again, other = after(1, 5), after(1, 6), after(2, 7)
    assert differences(first, again, exact=False) == ["the attribute times[1]: 5, now 6"]
    steady = without_unsteady(first, first, again)
    kept = [name for name in steady if name.startswith("the attribute")]
    assert kept == ["the attribute calls"]
    assert differences(steady, other, exact=False) == ["the attribute calls: 1, now 2"]


def _warn(text: str) -> Callable[[Any], Any]:
    def warn(x: Any) -> Any:
        for _ in range(2):
            warnings.warn(text, stacklevel=2)
        return x

    return warn


def _log(text: str) -> Callable[[Any], Any]:
    def log(x: Any) -> Any:
        logging.getLogger("some.library").warning("value %s", text)
        return x

    return log


def _complain(text: str) -> Callable[[Any], Any]:
    def complain(x: Any) -> Any:
        sys.stderr.write(text)
        return x

    return complain


@pytest.mark.parametrize(
    ("make", "found"),
    [
        (_warn, "the warnings: 'UserWarning: a\\nUserWarning: a', now 'UserWarning: b\\nUserWarning: b'"),
        (_log, "the log: 'some.library WARNING: value a', now 'some.library WARNING: value b'"),
        (_complain, "the error output: 'a', now 'b'"),
    ],
)
def test_messages(make: Callable[[str], Callable[[Any], Any]], found: str) -> None:
    one, other, silent = (_of(each, torch.ones(1)) for each in (make("a"), make("b"), lambda x: x))
    assert differences(one, _of(make("a"), torch.ones(1)), exact=True) == []
    assert differences(one, other, exact=False) == [found]
    assert len(differences(one, silent, exact=False)) == 1
    # What an equal call does not repeat is not compared.
    assert differences(without_unsteady(one, one, silent), other, exact=False) == []
    assert differences(one, without_messages(silent), exact=False) == []


def test_messages_that_do_not_count() -> None:
    def of_torch(x: Any) -> Any:
        torch.meshgrid(x, x)  # warns that `indexing` will be required
        print("progress\r", file=sys.stderr)
        return x

    def refused(x: Any) -> Any:
        warnings.warn("refused", stacklevel=1)
        return x

    assert _differs(of_torch, lambda x: x, lambda: (torch.ones(2),)) == []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert _of(refused, torch.ones(1))["exception"] == "UserWarning"
