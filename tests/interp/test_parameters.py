"""Values of parameters, from their uses and from annotations of unknown arguments."""

from __future__ import annotations

from tests.interp.snippets import breaks


def test_parameter_that_cannot_be_a_tensor() -> None:
    source = """
        import torch
        def f(x, mode, width, solver, fn, extras):
            if mode == "linear":
                x = x + 1
            if width:
                x = x + torch.zeros(width)
            if solver:
                x = solver.integrate(x)
            if fn:
                x = fn(x, **extras)
            if extras:
                x = x + 1
            if x > 0:
                return x
            return -x
    """
    assert breaks(source, "f") == [(14, "data-dependent-branch")]


def test_unknown_argument_has_the_annotated_type() -> None:
    source = """
        import torch
        from somewhere import load
        def step(x: torch.Tensor, y: "torch.Tensor | None" = None):
            if y is not None and y > 0:
                return y
            if x.sum() > 0:
                return x
        def f(x: torch.Tensor):
            return step(load(x), load(x))
    """
    assert breaks(source, "f") == [(7, "data-dependent-branch")]


def test_a_type_variable_is_its_bound() -> None:
    source = """
        import torch
        from typing import List, TypeVar
        T = TypeVar("T", bound=torch.Tensor)
        Number = TypeVar("Number", int, float)
        Any = TypeVar("Any")
        def f(x: T, several: List[T], n: Number, y: Any, layers: Any):
            if x > 0 or several[0] > 0:
                x = x + 1
            if n > 0:
                x = x + 1
            for layer in layers:
                x = layer(x)
            return y.sum().item() + x
    """
    assert breaks(source, "f") == [(8, "data-dependent-branch"), (14, "tensor-to-python")]


def test_a_type_parameter_is_its_bound() -> None:
    source = """
        import torch
        type Image = torch.Tensor
        type Images[T] = list[torch.Tensor]
        class Scale[T: torch.Tensor]:
            def grow(self, x: T, y: Image) -> T:
                return x + y if x.sum() > y.sum() else x
        def f[N: (int, float), A](images: Images, n: N, y: A):
            if n > 0 and images[0] > 0:
                n = n + 1
            return y.sum().item() + n
    """
    assert breaks(source, "f") == [(9, "data-dependent-branch"), (11, "tensor-to-python")]
    assert breaks(source, "Scale.grow") == [(7, "data-dependent-branch")]


def test_samples_of_a_distribution_are_tensors() -> None:
    source = """
        import torch
        from torch.distributions import Normal, Uniform
        class Wider(Uniform):
            pass
        def f(x: torch.Tensor):
            if Normal(x, 1.0).rsample().sum() > 0:
                x = x + 1
            if Wider(x, x + 1).mean.sum() > 0:
                x = x + 1
            return x
    """
    assert breaks(source, "f") == [(7, "data-dependent-branch"), (9, "data-dependent-branch")]


def test_keys_to_sort_by_are_constants() -> None:
    source = """
        import torch
        class Item:
            def __init__(self, size):
                self.size = size
        def f(x: torch.Tensor):
            items = [Item(2), Item(1)]
            items.sort(key=lambda item: item.size)
            pairs = sorted({"a": x, "b": x}.items(), key=lambda pair: pair[0])
            pairs = sorted({"a": x, "b": x}.items())
            items.sort()
            return x
    """
    assert breaks(source, "f") == [(10, "tensor-to-python"), (11, "tensor-to-python")]


def test_a_hook_on_a_module_that_is_not_known() -> None:
    source = """
        import torch
        class Extractor(torch.nn.Module):
            def __init__(self, net, name):
                super().__init__()
                self.net, self.name = net, name
            def forward(self, x: torch.Tensor):
                getattr(self.net, self.name).register_forward_hook(print)
                return self.net(x)
    """
    assert breaks(source, "Extractor") == [(8, "hook")]


def test_unknown_options_may_contain_an_argument() -> None:
    source = """
        import torch
        from somewhere import options
        def run(x, size=None):
            if size is not None:
                return x.sum().item()
            return x
        def f(x: torch.Tensor):
            return run(x, **options)
    """
    assert breaks(source, "f") == [(6, "tensor-to-python")]


def test_flags_and_sizes_are_no_tensors() -> None:
    source = """
        import torch
        from torch import arange
        def f(x: torch.Tensor, gated, causal, start, chunk):
            if gated:
                x = x + 1
            if not (causal or gated):
                x = x + 1
            positions = arange(x.shape[0] + start) + torch.zeros((chunk, 1))
            for i in range(chunk):
                x = x[:, start:]
            return x * positions
    """
    assert breaks(source, "f") == []


def test_initial_checks_determine_the_parameters() -> None:
    source = """
        import torch
        def f(x, period, y, other):
            assert isinstance(period, int) and period > 0
            if not isinstance(y, torch.Tensor):
                raise TypeError("y is no tensor")
            if (x.size(0) + period) % period:
                x = x + 1
            if y.sum() > 0:
                x = x + y
            if other.sum() > 0:
                x = x + 1
            return x
    """
    assert breaks(source, "f") == [(9, "data-dependent-branch"), (11, "data-dependent-branch")]


def test_docstring_determines_the_parameters() -> None:
    source = '''
        import torch
        def sphinx(x, mass, y):
            """Does.

            :param float mass: How much.
            :param torch.Tensor y: Where.
            :type x: torch.Tensor
            """
            n = int(mass * 2)
            return x + n + int(y.sum())
        def google(x, mass, y=None):
            """Does.

            Args:
                x (Tensor): What.
                mass (float or int, optional): How much. (default: :obj:`1`)
                y (:class:`torch.Tensor`, optional): Where.
            """
            n = int(mass * 2)
            return x + n if y is None else x + int(y.sum())
        def numpy(x, mass, y):
            """Does.

            Parameters
            ----------
            mass : float
                How much.
            y : torch.Tensor of shape (n,)
                Where.
            """
            n = int(mass * 2)
            return x + n + int(y.sum())
    '''
    found = breaks(source, ["sphinx", "google", "numpy"])
    assert [line for line, _ in found] == [11, 21, 33]


def test_unknown_words_of_a_docstring_are_ignored() -> None:
    source = '''
        import torch
        def f(x, other):
            """Does.

            Args:
                other (whatever it takes): Where.
            """
            return x + int(other)
    '''
    assert [line for line, _ in breaks(source, "f")] == [9]


def test_type_before_the_description_in_a_docstring() -> None:
    source = '''
        import torch
        def f(x, steps):
            """Return x, scaled.

            :param x: torch.Tensor, the values
            :param steps: int, the number of steps
            """
            return x * float(steps) + x.item()
    '''
    assert breaks(source, "f") == [(9, "tensor-to-python")]


def test_a_subclass_of_tensors_that_adds_nothing_is_a_name_for_tensors() -> None:
    source = """
        import torch
        class Matrix(torch.Tensor):
            '''A tensor of two dimensions.'''
        class Square(Matrix):
            pass
        def f(x: Square):
            if not x.isfinite().all():
                return x
            return int(x.argmin())
    """
    assert breaks(source, "f") == [(8, "data-dependent-branch"), (10, "tensor-to-python")]


def test_a_callable_named_like_a_loss_returns_a_tensor() -> None:
    source = """
        import torch
        def step(x: torch.Tensor, closure, criterion, source):
            first = float(closure())
            batch = source()
            second = criterion(*batch).item()
            return x + first + second + float(source.limit())
    """
    assert breaks(source, "step") == [(4, "tensor-to-python"), (6, "tensor-to-python")]


def test_a_method_that_the_annotated_class_lacks_is_that_of_a_tensor() -> None:
    source = """
        import collections, torch
        class Output(collections.OrderedDict):
            def first(self):
                return self["first"]
        def f(output: Output):
            y = output.reshape(-1)
            if y.sum() > 0:
                return y.unsqueeze(0)
            return output.first
    """
    assert breaks(source, "f") == [(8, "data-dependent-branch")]


def test_a_number_by_its_name_gets_no_tensor_from_a_mapping() -> None:
    source = """
        import torch
        def split(x, *, max_batch_size=None, weight=None):
            if max_batch_size is not None and 10 // max_batch_size:
                x = x + 1
            if weight is not None and weight.sum() > 0:
                x = x * weight
            return x
        def f(x: torch.Tensor, batch: dict[str, torch.Tensor]):
            return split(x, **batch)
    """
    assert breaks(source, "f") == [(6, "data-dependent-branch")]
