"""Narrowing of a value by a condition."""

from __future__ import annotations

from tests.interp.snippets import breaks


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
