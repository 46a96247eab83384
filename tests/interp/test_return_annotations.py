"""Results that the evaluation of a function leaves unknown have the type of its return annotation."""

from __future__ import annotations

import pytest

from tests.interp.snippets import breaks, confidences

PLAN = """
import torch
from somewhere import load

class Plan:
    def __init__(self, x: torch.Tensor):
        self.rows = x.nonzero()

@torch.compiler.disable
def make({parameter}) -> {annotation}:
    return {result}

class Net(torch.nn.Module):
    def forward(self, x: torch.Tensor, name: str):
        return self.apply_plan(x, {argument})

    def apply_plan(self, x, plan=None):
        if plan is None:
            plan = Plan(x)
        return x + plan.rows.shape[0]
"""


@pytest.mark.parametrize(
    ("annotation", "result", "argument", "built"),
    [
        ("Plan", "load(x)", "make(x)", False),
        ("dict[str, Plan]", "{key: load(each) for key, each in load(x)}", "make(x)[name]", False),
        ("tuple[int, list[Plan]]", "1, [load(each) for each in x]", "make(x)[1][0]", False),
        ("Plan | None", "load(x)", "make(x)", True),
        ("'Anything'", "load(x)", "make(x)", True),
    ],
)
def test_object_of_the_annotation_is_not_none(annotation: str, result: str, argument: str, built: bool) -> None:
    source = PLAN.format(parameter="x", annotation=annotation, result=result, argument=argument)
    assert [line for line, kind in breaks(source, "Net") if kind == "dynamic-shape"] == ([7] if built else [])


def test_tensor_of_the_annotation_is_a_likely_one() -> None:
    source = """
        import torch
        from somewhere import load
        def mask(x) -> torch.Tensor:
            return load(x)
        def names(x) -> list[str]:
            return load(x)
        def f(x: torch.Tensor):
            if mask(x):
                x = x + 1
            if names(x):
                x = x + 1
            return x
    """
    assert confidences(source, "f") == {9: "likely"}


def test_values_of_keyword_arguments_are_of_all_kinds() -> None:
    source = """
        import torch
        from somewhere import load
        def prepared(**kwargs) -> dict[str, torch.Tensor]:
            return {"mask": load(), **kwargs}
        def f(x: torch.Tensor, **kwargs):
            kwargs = prepared(**kwargs)
            if kwargs["use_cache"]:
                x = x + 1
            return x
    """
    assert breaks(source, "f") == []


def test_iterator_of_the_annotation_may_be_made_in_the_region() -> None:
    source = """
        import torch
        from collections.abc import Iterator
        from somewhere import load
        def items(x) -> Iterator[torch.Tensor]:
            return load(x)
        def f(x: torch.Tensor):
            for item in items(x):
                x = x + item
            return x
    """
    assert breaks(source, "f") == []


def test_known_result_overrides_the_annotation() -> None:
    source = """
        import torch
        def size(x: torch.Tensor) -> torch.Tensor:
            return x.shape[0]
        def f(x: torch.Tensor):
            if size(x):
                x = x + 1
            return x
    """
    assert breaks(source, "f") == []


def test_field_with_unknown_options_has_the_type_of_its_default() -> None:
    source = """
        import dataclasses
        import torch
        from somewhere import options
        @dataclasses.dataclass
        class Config:
            as_dict: bool | None = True
            mask: bool | None = None
            @property
            def use_dict(self):
                print("deprecated")
                return self.as_dict
        class Net(torch.nn.Module):
            def __init__(self, config: Config):
                super().__init__()
                self.config = config
            def forward(self, x: torch.Tensor, as_dict: bool | None = None):
                as_dict = as_dict if as_dict is not None else self.config.as_dict
                return self.inner(x, as_dict)
            def inner(self, x, as_dict=None):
                as_dict = as_dict if as_dict is not None else self.config.use_dict
                return {"x": x} if as_dict else x
        net = torch.compile(Net(Config(**options)))
    """
    assert breaks(source) == []


def test_object_may_be_of_a_subclass_of_the_annotation() -> None:
    source = """
        import torch
        from somewhere import load
        class Config:
            learns = False
        class Prompt(Config):
            learns = True
        def active(name) -> Config:
            return load(name)
        def f(x: torch.Tensor, name: str):
            if active(name).learns:
                return x.sum().item()
            return x
    """
    assert breaks(source, "f") == [(12, "tensor-to-python")]


def test_text_is_no_tensor() -> None:
    source = """
    import torch

    def route_of(features: dict[str, torch.Tensor], task: str | None) -> str:
        task = task or features.get("task")
        return task

    def count_of(features: dict[str, torch.Tensor]) -> int:
        return features["count"]

    def f(features: dict[str, torch.Tensor]):
        modules = {"a": torch.sin, "b": torch.cos}
        x = modules[route_of(features, None)](features["x"])
        return x if count_of(features) > 1 else x + 1
    """
    assert [line for line, _ in breaks(source, "f")] == [14]
