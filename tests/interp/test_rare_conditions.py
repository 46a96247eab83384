"""Conditions that are rarely true, sets of constants, and stores through a mask."""

from __future__ import annotations

from tests.interp.snippets import breaks


def test_clamp_for_half_precision_is_only_possible() -> None:
    source = """
        import torch
        def f(x: torch.Tensor):
            if x.dtype == torch.float16 and not torch.isfinite(x).all():
                x = x.clamp(-1, 1)
            if x.dtype == torch.half:
                if torch.isinf(x).any():
                    x = x + 1
            if x.dtype in (torch.float16, torch.bfloat16):
                x = guard(x)
            return x
        def guard(x):
            return x if x.sum() > 0 else -x
    """
    assert breaks(source, "f") == []


def test_code_after_a_rare_condition_keeps_its_confidence() -> None:
    source = """
        import torch
        def f(x: torch.Tensor):
            if x.dtype == torch.float16 and x.ndim == 2:
                x = x.float()
            if x.sum() > 0:
                x = x + 1
            if x.dtype == torch.float32 and x.sum() > 1:
                x = x - 1
            return x
    """
    assert breaks(source, "f") == [(6, "data-dependent-branch"), (8, "data-dependent-branch")]


_SPREAD = """
    import functools, torch
    def watch(module):
        old = module.forward
        def forward(*args):
            print("watched")
            return old(*args)
        module.forward = functools.update_wrapper(functools.partial(forward), old)
    class Inner(torch.nn.Module):
        def forward(self, x):
            return x + 1
    class Net(torch.nn.Module):
        def __init__(self, options):
            super().__init__()
            self.inner = Inner()
            for name, value in options.items():
                setattr(self, name, value)
        def forward(self, x: torch.Tensor):
            if hasattr(self, "map_of_devices"):
                if hasattr(self.inner, "watched"):
                    print("again")
                else:
                    watch(self.inner)
            return self.inner(x)
        def spread(self, name):
            self.places = name
"""


def test_attribute_that_is_never_set_rarely_exists() -> None:
    assert breaks(_SPREAD, "Net") == []


def test_attribute_that_a_method_may_set_is_not_rare() -> None:
    found = breaks(_SPREAD.replace("self.places", "self.map_of_devices"), "Net")
    assert [kind for _, kind in found]


def test_class_attribute_is_not_rare() -> None:
    source = """
        import torch
        class Net(torch.nn.Module):
            scale = 2
            def __init__(self, options):
                super().__init__()
                for name, value in options.items():
                    setattr(self, name, value)
            def gate(self, x):
                return x
            def forward(self, x: torch.Tensor):
                if hasattr(self, "gate") and x.sum() > 0:
                    x = x + 1
                if hasattr(self, "scale") and x.sum() > 1:
                    x = x * self.scale
                return x
    """
    assert breaks(source, "Net") == [(12, "data-dependent-branch"), (14, "data-dependent-branch")]


def test_sets_of_constants() -> None:
    source = """
        import torch
        def length(kinds):
            found = set(kinds)
            if len(found) == 1 and kinds[0] == "a":
                return 8
            elif len(found) == 2 and found == {"b", "a"}:
                return torch.zeros(())
            raise NotImplementedError(kinds)
        def f(x: torch.Tensor):
            if length(("a", "b", "a")) > 0:
                x = x + 1
            return x
    """
    assert breaks(source, "f") == [(11, "data-dependent-branch")]


def test_a_store_through_a_mask_is_traced() -> None:
    source = """
        import torch
        def f(x: torch.Tensor, mask: torch.Tensor, rows: torch.Tensor):
            x = x + 1
            x[mask > 0] = rows.view(-1)
            return x
    """
    assert breaks(source, "f") == []


def test_checks_of_tensors_read_them() -> None:
    source = """
        import torch
        def f(x: torch.Tensor):
            torch._check_tensor_all(x > 0)
            torch._check(x.shape[0] > 2)
            return x
    """
    assert [line for line, _ in breaks(source, "f")] == [4]
