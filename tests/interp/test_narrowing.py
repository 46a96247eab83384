"""What a condition tells of the value that it is about."""

from __future__ import annotations

from snippets import breaks


def test_what_is_none_is_nothing_else() -> None:
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
