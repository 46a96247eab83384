"""Options that come through ``**``: from an object with keys and items, or from something unknown."""

from __future__ import annotations

import pytest

from tests.interp.snippets import breaks, ways

SOURCE = """
    import torch

    LOADED = torch.load("options.pt")

    class Options:
        allowed = {"verbose", "folder", "depth"}

        def __init__(self, **kwargs):
            for key, value in kwargs.items():
                self._set(key, value)

        def _set(self, key, value):
            if key not in self.allowed:
                raise KeyError(key)
            setattr(self, key, value)

        def keys(self):
            return {key for key in self.allowed if hasattr(self, key)}

        def __getitem__(self, key):
            return getattr(self, key, None)

    class Engine:
        def configure(self, verbose: bool = False, folder: str = None, depth: int = 3):
            self.verbose = bool(verbose)
            self.folder = folder
            self.depth = int(depth)

        def __call__(self, x):
            if self.verbose:
                print(x)
            if self.folder is not None:
                print(x)
            if self.depth > 4:
                print(x)
            return x

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.engine = Engine()

        def forward(self, x, options=None):
            if options is None:
                options = {made}
            self.engine.configure(**options)
            return self.engine(x)

    torch.compile(Net())(torch.ones(3))
    """


@pytest.mark.parametrize(
    ("made", "lines"),
    [("Options(verbose=False)", []), ("Options(verbose=True, folder='a')", [32, 34]), ("Options(depth=5)", [36])],
)
def test_object_with_keys(made: str, lines: list[int]) -> None:
    assert [line for line, _ in breaks(SOURCE.replace("{made}", made))] == lines


def test_unknown_mapping_is_an_option() -> None:
    found = ways(SOURCE.replace("{made}", "LOADED"))
    assert {line: reach for line, (reach, _) in found.items()} == {32: "option", 34: "option", 36: "option"}


def test_flag_looked_up_in_unknown_options_decides_nothing() -> None:
    source = """
    import torch

    class Net(torch.nn.Module):
        def forward(self, x):
            print(x)
            return x

    class Trainer:
        def __init__(self, **options):
            self.options = options

        def fit(self):
            net = Net()
            if self.options.get("compiled", False):
                net = torch.compile(net)
            return net
    """
    assert breaks(source) == [(6, "call")]
