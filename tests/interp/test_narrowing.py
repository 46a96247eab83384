"""Narrowing of a value by a condition."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interp.snippets import breaks, check_first_break, confidences


def test_none_excludes_other_values() -> None:
    source = """
        import torch
        def f(x: torch.Tensor, options):
            mask = options.mask
            if options.other:
                mask = x > 0
            if mask is not None and torch.compiler.is_compiling():
                return x
            if mask is None or mask.all():
                return x + 1
            return x
    """
    assert breaks(source, "f") == []


def test_comparison_of_the_dtype_narrows_a_tensor() -> None:
    source = """
        import torch
        def f(x: torch.Tensor, kept: torch.Tensor, other: torch.Tensor):
            if kept.dtype != torch.bool:
                kept = x.new_zeros(4, dtype=torch.bool)
            assert other.dtype == torch.long
            x = x[:, other]
            both = kept[other] & kept[other]
            return x[:, both]
    """
    assert breaks(source, "f") == [(9, "dynamic-shape")]


def test_a_value_that_may_be_text_is_no_tensor_whatever_the_dict_is_annotated() -> None:
    source = """
        import torch
        from torch import Tensor
        def f(batch: dict[str, Tensor], template: str):
            task = batch.get("task")
            if isinstance(task, str):
                return template.format(task=task)
            prompt = task[0] if isinstance(task, list | tuple) else task
            return template.format(task=str(task)), prompt or "", batch["x"].item()
    """
    assert breaks(source, "f") == [(9, "tensor-to-python")]


def test_classes_of_a_union_are_tested_as_a_tuple_of_them() -> None:
    source = """
        import torch
        def f(x: torch.Tensor):
            if isinstance(x, int | float | None):
                return x.item()
            return x
    """
    assert breaks(source, "f") == []


def test_a_tensor_that_only_a_test_promises_is_likely() -> None:
    source = """
        import torch
        def f(x: torch.Tensor, cache):
            size = cache.size()
            if isinstance(size, torch.Tensor):
                size = size.item()
            return x + size
    """
    assert confidences(source, "f") == {6: "likely"}


def test_an_annotation_chooses_among_the_alternatives_of_an_argument() -> None:
    source = """
        import torch
        from torch import Tensor
        def inner(x: Tensor, sizes: Tensor, shift: float | None = None):
            scale = 1.0 if shift is None else float(shift)
            return x[sizes] * scale
        def f(batch: dict[str, Tensor], config, flag: bool):
            sizes = [1, 2] if flag else batch["sizes"]
            return inner(batch["x"], sizes, batch.get("shift", config.shift))
    """
    assert breaks(source, "f") == []


def test_what_a_tensor_indexes_is_a_tensor() -> None:
    source = """
        import torch
        def f(x: torch.Tensor, index: torch.Tensor, flag: bool):
            points = x if flag else [x, x]
            return points[index]
    """
    assert breaks(source, "f") == []


REQUIRES_GRAD = """
import torch

def known(x):
    y = torch.ones(3) * 2
    if y.requires_grad or y.grad_fn is not None:
        return x + y
    z = x.detach()
    if z.requires_grad:
        return x
    return x * 2 if z.grad_fn is None else x

def unknown(x):
    y = x * 2
    if not y.requires_grad:
        return x
    if y.grad_fn is not None:  # breaks
        return x + y
    return x
"""


@pytest.mark.parametrize("name", ["known", "unknown"])
def test_dynamo_knows_that_no_gradient_means_no_grad_fn(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = REQUIRES_GRAD.split("\n")
    marked = [number for number, line in enumerate(lines, 1) if "# breaks" in line] if name == "unknown" else []
    assert [line for line, _ in breaks(REQUIRES_GRAD, name)] == marked
    source = REQUIRES_GRAD if marked else REQUIRES_GRAD.replace("  # breaks", "")
    check_first_break(tmp_path, monkeypatch, source, name)


def test_a_tuple_of_one_annotated_item_may_have_more() -> None:
    source = """
        from typing import Tuple
        import torch
        def f(x: torch.Tensor, size: Tuple[int] = (96, 96)):
            height, width = size
            return x[:, :height, :width]
    """
    assert breaks(source, "f") == []
