"""Arguments of an entry point without visible calls, also through wrappers that pass arguments on."""

from __future__ import annotations

import pytest

from tests.interp.snippets import breaks

WRAPPED = """
    import functools
    import torch
    def defaults(func):
        @functools.wraps(func)
        def wrapper(self, *args, **kwargs):
            for name in ("use_cache", "scale"):
                index = None
                if name in func.__code__.co_varnames:
                    index = func.__code__.co_varnames.index(name) - 1
                if index is not None and len(args) > index:
                    args = list(args)
                    args[index] = args[index]
                elif kwargs.get(name) is None:
                    kwargs[name] = True
            if kwargs.get("debug", None):
                print(kwargs)
            return func(self, *args, **kwargs)
        return wrapper
    class Net(torch.nn.Module):
        @defaults
        def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None, use_cache: bool | None = None, **kwargs):
            if use_cache:
                x = x + 1
            if mask is not None and mask.sum() > 0:
                x = x - 1
            return x
"""


def test_options_through_a_wrapper_keep_their_kinds() -> None:
    assert breaks(WRAPPED, "Net") == [(25, "data-dependent-branch")]


def test_options_that_nobody_passes() -> None:
    source = """
        import torch
        def f(x: torch.Tensor, **kwargs):
            if kwargs.pop("verbose", False) or "debug" in kwargs:
                print(x)
            for name in kwargs:
                print(name)
            return x
    """
    assert breaks(source, "f") == []


def test_options_of_a_constructor_are_passed() -> None:
    source = """
        import torch
        class Config:
            def __init__(self, **kwargs):
                self.token = kwargs.pop("token", None)
        def f(x: torch.Tensor, config: Config):
            if config.token is not None:
                print(x)
            return x
    """
    assert breaks(source, "f") == [(8, "call")]


def test_true_or_a_boolean() -> None:
    source = """
        import torch
        def tracing(flag: bool) -> bool:
            answer = torch.compiler.is_compiling()
            answer |= flag
            return answer
        def f(x: torch.Tensor, flag: bool):
            if not tracing(flag) and x.sum() > 0:
                return x
            return x + 1
    """
    assert breaks(source, "f") == []


def test_abstract_bases_give_no_methods() -> None:
    source = """
        import abc
        import torch
        class Layer(abc.ABC):
            pass
        def f(x: torch.Tensor, layer: Layer):
            return layer.update(x)
    """
    assert breaks(source, "f") == []


BATCH = """
    import torch
    class Net(torch.nn.Module):
        def forward(self, x, lengths=None, *, mask=None):
            if lengths is not None:
                x = x[:, : int(lengths.max())]
            if mask is not None and mask.sum() > 0:
                x = x + 1
            return x
    def main(batches):
        net = torch.compile(Net())
        for batch in batches:
            net({args})
"""


def test_a_batch_may_pass_every_option() -> None:
    both = [(6, "tensor-to-python"), (7, "data-dependent-branch")]
    assert breaks(BATCH.format(args="**batch")) == both
    assert breaks(BATCH.format(args='batch["x"], **batch')) == both
    assert breaks(BATCH.format(args='batch["x"]')) == []


def test_options_of_unknown_value_are_passed() -> None:
    assert breaks(BATCH.format(args='batch["x"], lengths=batch["n"]')) == [(6, "tensor-to-python")]
    assert breaks(BATCH.format(args='batch["x"], lengths=None')) == []


@pytest.mark.parametrize("given", ["batch.get('context', None)", "context=batch.get('context', None)"])
def test_an_argument_that_is_partly_unknown_is_completed_by_the_annotation(given: str) -> None:
    source = f"""
        import torch
        class Net(torch.nn.Module):
            def forward(self, x: torch.Tensor, context: torch.Tensor | None = None):
                if context is not None and context.sum() > 0:
                    return x
                return x + 1
        net = torch.compile(Net())
        def step(batch: dict):
            return net(torch.ones(2), {given})
    """
    assert breaks(source) == [(5, "data-dependent-branch")]


def test_a_method_that_changes_a_module_after_it_is_compiled() -> None:
    source = """
        import torch
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.state = None
            def start(self):
                self.state = torch.zeros(4)
            def forward(self, x):
                if self.state is not None and x.max() > 0:
                    x = x + self.state
                return x
        model = Net()
        step = torch.compile(model)
        model.start()
        step(torch.randn(4))
    """
    assert breaks(source) == [(10, "data-dependent-branch")]


QUIET = """
import torch
class Cut(torch.nn.Module):
    def forward(self, x):
        return x[x > 0]
"""


@pytest.mark.parametrize(
    "source",
    [
        """
def decode(model, x):
    return model(x)
fn = torch.compile(decode)
def run(model, x):
    return fn(model, x)
def start(model):
    run(model, torch.ones(2))
start(Cut())
""",
        """
class Sampler:
    def __init__(self, parts):
        self.parts = list(parts)
    @torch.compile
    def step(self, x):
        for part in self.parts:
            x = part(x)
        return x
Sampler([Cut()]).step(torch.ones(2))
""",
        """
class Net(torch.nn.Module):
    def __init__(self, part):
        super().__init__()
        self.part = part
    @torch.compile
    def forward(self, x):
        return self.part(x)
net = Net(Cut())
net(torch.ones(2))
""",
        """
class Trainer:
    def __init__(self, part=None):
        self.part = part
        self.step = torch.compile(self._step)
    def _step(self, x):
        return x if self.part is None else self.part(x)
    def fit(self, x):
        self.step(x)
trainer = Trainer(Cut())
trainer.fit(torch.ones(2))
trainer.part = None
trainer.fit(torch.ones(2))
""",
    ],
    ids=["parameter-of-callers", "copied-list", "named-object", "removed-afterwards"],
)
def test_what_the_calls_of_compiled_code_pass(source: str) -> None:
    assert breaks(QUIET + source) == [(5, "dynamic-shape")]
