"""The confidence of breaks: conditions in the same statement, and code that runs only with changed defaults."""

from __future__ import annotations

from tests.interp.snippets import confidences


def test_break_that_the_same_statement_may_skip_is_only_likely() -> None:
    source = """
        import torch
        def f(x: torch.Tensor, mask: torch.Tensor | None, flag: bool, names: list[str]):
            if mask is not None and mask.any():
                x = x + 1
            n = x.sum().item() if flag else 0
            m = flag and x.max().item()
            found = [x.min().item() for name in names if name != "a"]
            if mask is not None:
                if mask.all():
                    x = x - 1
            return x + n + m, found
    """
    assert confidences(source, "f") == {4: "likely", 6: "likely", 7: "likely", 8: "likely", 10: "likely"}


def test_break_behind_a_condition_that_the_source_does_not_decide_is_only_likely() -> None:
    source = """
        import torch
        def f(x: torch.Tensor, size: int, flag=True):
            if x.shape[0] == size:
                print("this size")
            if flag:
                print("by default")
            if x.shape[0] < size:
                return x
            print("other sizes")
            return x + 1
    """
    assert confidences(source, "f") == {5: "likely", 7: "certain", 10: "likely"}


def test_first_operand_of_a_condition_keeps_its_confidence() -> None:
    source = """
        import torch
        def f(x: torch.Tensor, flag: bool):
            if x.sum() > 0 and flag:
                x = x + 1
            n = 1 if x.max() > 0 else 0
            m = x.min().item() or flag
            return x + n + m
    """
    assert confidences(source, "f") == {4: "certain", 6: "certain", 7: "certain"}


def test_known_number_overrides_an_assumed_tensor() -> None:
    source = """
        import torch
        class Model(torch.nn.Module):
            def __init__(self, eager: bool = False):
                super().__init__()
                self.eager = eager
            def forward(self, x, masked=None):
                masked = masked if masked is not None else self.eager
                return self.inner(x, masked)
            def inner(self, x, masked):
                if masked:
                    x = x + 1
                if x.sum() > 0:
                    x = x + 1
                return x
    """
    assert confidences(source, "Model") == {13: "likely"}


def test_break_that_needs_a_changed_default_is_only_likely() -> None:
    source = """
        import torch
        from torch import nn
        class Net(nn.Module):
            def __init__(self, offload: bool = False, keep=True, groups: int = 1, mode: str = "fast", **options):
                super().__init__()
                self.offload = offload
                self.keep = keep
                self.grouped = groups > 1
                self.flag = options.get("flag", False)
                self.kind = getattr(self.make(options), "kind", "dense")
                self.both = offload is True
            def forward(self, x: torch.Tensor):
                if self.offload:
                    x = x + x.sum().item()
                if not self.keep:
                    x = x + x.sum().item()
                if self.keep:
                    x = x + x.sum().item()
                if self.grouped:
                    x = x + x.sum().item()
                if self.training:
                    x = x + x.sum().item()
                if self.flag or self.both:
                    x = x + x.sum().item()
                if self.kind == "sparse":
                    x = helper(x)
                if self.offload and x.max() > 0:
                    x = x + 1
                return x
        def helper(x):
            return x + x.sum().item()
    """
    usual, changed, hidden = "certain", "likely", "possible"
    assert confidences(source, "Net") == {
        15: changed,
        17: changed,
        19: usual,
        21: changed,
        23: usual,
        25: changed,
        28: hidden,
        32: changed,
    }


def test_helper_also_reached_by_default_keeps_its_confidence() -> None:
    source = """
        import torch
        from torch import nn
        class Net(nn.Module):
            def __init__(self, double: bool = False):
                super().__init__()
                self.double = double
            def forward(self, x: torch.Tensor):
                if self.double:
                    x = helper(x)
                return helper(x)
        def helper(x):
            return x + x.sum().item()
    """
    assert confidences(source, "Net") == {13: "certain"}


def test_what_callers_have_to_pass_is_likely_only() -> None:
    source = """
        import torch
        def f(x: torch.Tensor, check: bool = False):
            if check:
                x = x + x.sum().item()
            return x
    """
    assert confidences(source, "f") == {5: "likely"}


def test_a_framework_that_is_not_installed_is_mostly_another_backend() -> None:
    source = """
        import mindspore
        import torch
        def f(x: torch.Tensor, backend: str):
            if backend == "mindspore":
                x = mindspore.jit(x)
            return x + x.sum().item()
    """
    assert confidences(source, "f") == {7: "certain"}
    assert confidences(source.replace("mindspore", "tensorflow"), "f") == {6: "possible", 7: "certain"}


POINTER = """\
import dataclasses

import torch


@dataclasses.dataclass
class Pointer:
    rank: int


class Block(torch.nn.Module):
    def __init__(self, block, own):
        super().__init__()
        self.block, self.own = block, own

    def forward(self, x):
        if torch.distributed.get_rank() != self.own:
            return {name: Pointer(self.own) for name in ("out", "other")}
        return self.block(x)


class Model(torch.nn.Module):
    def __init__(self, block):
        super().__init__()
        self.a = Block(block, 0)

    @torch.compile
    def forward(self, x):
        return self.a(x)["out"].transpose(0, 1)


@torch.compile
def g(x):
    return Pointer(1).missing + x
"""


def test_an_attribute_is_missing_for_certain_only_if_every_call_makes_the_object() -> None:
    assert confidences(POINTER) == {34: "likely"}


def test_a_value_that_is_searched_for_a_string_is_no_tensor() -> None:
    source = """
        import torch
        class M(torch.nn.Module):
            def __init__(self, inner):
                super().__init__()
                self.inner = inner
            def forward(self, x: torch.Tensor):
                out = self.inner(x)
                if "logits" in out:
                    out["scores"] = out["logits"]
                return out, 1.0 in x
    """
    assert confidences(source, "M") == {11: "certain"}


def test_a_number_of_numpy_times_an_unknown_value_may_be_a_tensor() -> None:
    source = """
        import numpy as np
        import torch
        class Scaled(torch.nn.Module):
            def __init__(self, width):
                super().__init__()
                self.width = width
            def forward(self, x: torch.Tensor, condition: dict):
                scaled = condition.get("vector") * np.sqrt(self.width)
                if scaled.dtype != x.dtype:
                    scaled = scaled.to(x.dtype)
                return x + scaled + np.ones(3).byteswap()
    """
    assert confidences(source, "Scaled") == {12: "certain"}


def test_a_constant_that_a_function_of_python_cannot_hold_is_an_error_of_the_program() -> None:
    for call in ("int(1e999)", "chr(99999999999)"):
        source = f"""
            import torch
            def f(x: torch.Tensor):
                return x, {call}
        """
        assert confidences(source, "f") == {4: "likely"}
