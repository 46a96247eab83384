"""More examples of GBL401, print-call."""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample

BREAKS = (
    Example(
        """\
import os

import torch

CACHE = os.environ.get("GBLINT_EXAMPLE_CACHE")


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if CACHE is None:
        print("no cache")  # breaks: GB0059
    if os.getenv("GBLINT_EXAMPLE_CACHE") is None:
        print("no cache")  # breaks: GB0059
    return y * 2
""",
    ),
    Example(
        """\
import torch


class Phased(torch.optim.Optimizer):
    def __init__(self, params: list[torch.Tensor]) -> None:
        super().__init__(params, {"lr": 0.1, "training": False})

    def train(self) -> None:
        for group in self.param_groups:
            group["training"] = True

    def evaluate(self) -> None:
        for group in self.param_groups:
            if group["training"]:
                print("evaluation")  # breaks: GB0059
            group["training"] = False


def f(x: torch.Tensor) -> torch.Tensor:
    phased.evaluate()
    return x + 1


phased = Phased([torch.nn.Parameter(torch.ones(2))])
for prepare in (phased.train,):
    prepare()
""",
    ),
    Example(
        """\
import torch


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.calls = 0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.calls += 1
        if self.calls > 1:
            print("again")  # breaks: GB0059
        return x + 1
""",
        calls=("(torch.randn(4),)", "(torch.randn(4),)"),
    ),
    Example(
        """\
import torch


class Smoothed:
    def __init__(self) -> None:
        self.last = None

    @torch.compile
    def step(self, x: torch.Tensor) -> torch.Tensor:
        if self.last is not None:
            print("smoothed")  # breaks: GB0059
        self.last = x + 1
        return self.last


def f(x: torch.Tensor) -> torch.Tensor:
    smoothed = Smoothed()
    smoothed.step(x)
    return smoothed.step(x)
""",
    ),
    Example(
        """\
from typing import Protocol, runtime_checkable

import torch


@runtime_checkable
class Walks(Protocol):
    def walk(self) -> None: ...


class Dog:
    def walk(self) -> None:
        pass


def f(x: torch.Tensor) -> torch.Tensor:
    if isinstance(Dog(), Walks):
        print("walks")  # breaks: GB0059
    return x + 1
""",
    ),
    Example(
        """\
import torch


class All(type):
    def __subclasscheck__(cls, other: type) -> bool:
        return True


class Anything(metaclass=All):
    pass


class Dog:
    pass


def f(x: torch.Tensor) -> torch.Tensor:
    if issubclass(Dog, Anything):
        print("a dog")  # breaks: GB0059
    return x + 1
""",
    ),
    Example(
        """\
import torch


class Flag:
    def __bool__(self) -> bool:
        print("asked")  # breaks: GB0059
        return True


def f(x: torch.Tensor, flag: Flag) -> torch.Tensor:
    y = x + 1
    if flag:
        y = y * 2
    return y
""",
        inputs="(torch.randn(3), Flag())",
    ),
    Example(
        """\
import torch


class Items:
    def __len__(self) -> int:
        print("counted")  # breaks: GB0059
        return 2


def f(x: torch.Tensor, items: Items) -> torch.Tensor:
    y = x + 1
    return y * 2 if not items else y
""",
        inputs="(torch.randn(3), Items())",
    ),
    Example(
        """\
import torch


def g(x: torch.Tensor) -> torch.Tensor:
    print("step")  # breaks: GB0059
    return x + 1


def f(x: torch.Tensor) -> torch.Tensor:
    for _ in range(2):
        x = g(x)
    return x
""",
    ),
    Example(
        """\
import sys

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    sys.stdout.write("here")  # breaks: GB0156
    return y * 2
""",
    ),
    Example(
        """\
import pprint

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    pprint.pprint("here")  # breaks: GB0156
    return y * 2
""",
    ),
    Example(
        """\
import torch


@torch.compile(fullgraph=True)
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    print("here")  # breaks: GB0059
    return y * 2
""",
        raises=True,
    ),
    Example(
        """\
import torch

torch._dynamo.config.reorderable_logging_functions.add(print)


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    print("shape", y.shape)  # breaks: GB0296
    return y * 2
""",
    ),
    Example(
        """\
import torch
from torch import nn


class Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.linear(x)


def net(hook: object = None) -> Layer:
    made = Layer()
    if hook is not None:
        made.linear.register_forward_hook(hook)
    return made


def hook(module: nn.Module, inputs: object, output: torch.Tensor) -> None:
    print("hook")  # breaks: GB0059


plain = net()
hooked = net(hook)


def f(x: torch.Tensor) -> torch.Tensor:
    return hooked(plain(x))
""",
    ),
    Example(
        """\
import contextlib

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    with contextlib.ExitStack() as stack:  # breaks: GB0059
        stack.callback(print, "done")
        y = y * 2
    return y
""",
    ),
    Example(
        """\
import contextlib

import torch


def report(*error: object) -> None:
    print("done")  # breaks: GB0059


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    with contextlib.ExitStack() as stack:
        stack.push(report)
        y = y * 2
    return y
""",
    ),
    Example(
        """\
from collections.abc import Callable

import torch

Step = Callable[[torch.Tensor], torch.Tensor]


class Registry:
    steps: dict[str, Step] = {}

    @classmethod
    def register(cls, name: str) -> Callable[[Step], Step]:
        def add(step: Step) -> Step:
            cls.steps[name] = step
            return step

        return add

    @classmethod
    def get(cls, name: str) -> Step:
        if name not in cls.steps:
            raise KeyError(name)
        return cls.steps[name]


@Registry.register("double")
def double(x: torch.Tensor) -> torch.Tensor:
    print("double")  # breaks: GB0059
    return x * 2


@Registry.register("halve")
def halve(x: torch.Tensor) -> torch.Tensor:
    return x / 2


def f(x: torch.Tensor) -> torch.Tensor:
    return Registry.get("double")(x + 1)
""",
    ),
    Example(
        """\
import torch


class Step:
    kinds: dict[str, type] = {}

    def __init_subclass__(cls, name: str) -> None:
        super().__init_subclass__()
        Step.kinds[name] = cls


class Double(Step, name="double"):
    def run(self, x: torch.Tensor) -> torch.Tensor:
        print("double")  # breaks: GB0059
        return x * 2


def f(x: torch.Tensor) -> torch.Tensor:
    return Step.kinds["double"]().run(x + 1)  # breaks: GB0092
""",
        others=("GBL530",),
    ),
    Example(
        """\
import torch


class Accountant:
    def __init__(self) -> None:
        self.history: list[int] = []

    def step(self, size: int) -> None:
        if self.history:
            print(self.history[-1])  # breaks: GB0059
        self.history.append(size)


accountant = Accountant()


def f(x: torch.Tensor) -> torch.Tensor:
    accountant.step(x.shape[0])
    return x + 1
""",
        calls=("(torch.randn(4),)", "(torch.randn(4),)"),
    ),
    Example(
        """\
import torch


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.last: torch.Tensor | None = None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.last is not None:
            print("a later call")  # breaks: GB0059
        self.last = x
        return x + 1
""",
        calls=("(torch.randn(4),)", "(torch.randn(4),)"),
    ),
    Example(
        """\
import torch

warm = False


def f(x: torch.Tensor) -> torch.Tensor:
    global warm
    if warm:
        print("warm")  # breaks: GB0059
    warm = True
    return x + 1
""",
        calls=("(torch.randn(4),)", "(torch.randn(4),)"),
    ),
    Example(
        """\
from collections import defaultdict
from collections.abc import Callable

import torch


class Events:
    def __init__(self) -> None:
        self.handlers: defaultdict[str, list[Callable[[torch.Tensor], None]]] = defaultdict(list)

    def on(self, name: str, handler: Callable[[torch.Tensor], None]) -> None:
        self.handlers[name].append(handler)

    def emit(self, name: str, x: torch.Tensor) -> None:
        for handler in self.handlers[name]:
            handler(x)


def report(x: torch.Tensor) -> None:
    print(x.shape)  # breaks: GB0059


events = Events()
events.on("step", report)


def f(x: torch.Tensor) -> torch.Tensor:
    events.emit("step", x)
    return x + 1
""",
    ),
    Example(
        """\
from collections.abc import Callable

import torch

counts = {"calls": 0}


def made() -> Callable[[torch.Tensor], torch.Tensor]:
    seen: list[int] = []

    def step(x: torch.Tensor) -> torch.Tensor:
        if seen:
            print("seen")  # breaks: GB0059
        seen.append(1)
        return x + 1

    return step


step = made()


def f(x: torch.Tensor) -> torch.Tensor:
    counts["calls"] += 1
    y = step(x)
    if counts["calls"] > 1:
        print("counted")  # breaks: GB0059
    return y
""",
        calls=("(torch.randn(4),)", "(torch.randn(4),)"),
    ),
    Example(
        """\
import torch


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.scale: int | None = None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.scale is None:
            print("the first call")  # breaks: GB0059
            self.scale = 2
        return x * self.scale


f = torch.compile(Net())
f(torch.zeros(3))
""",
    ),
    Example(
        """\
import torch


class Counter:
    calls: int | None = None


LAST: int | None = None
counter = Counter()


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    global LAST
    if LAST is None:
        print("the first call")  # breaks: GB0059
        LAST = 1
    if not hasattr(counter, "seen"):
        print("nothing was seen")  # breaks: GB0059
        counter.seen = True
    if Counter.calls is None:
        print("nothing was counted")  # breaks: GB0059
        Counter.calls = 1
    return x + 1


f(torch.zeros(3))
""",
    ),
)
CLEAN = (
    Example(
        """\
from typing import Protocol, runtime_checkable

import torch


@runtime_checkable
class Walks(Protocol):
    def walk(self) -> None: ...


class Fish:
    pass


def f(x: torch.Tensor) -> torch.Tensor:
    if isinstance(Fish(), Walks):
        print("walks")
    return x + 1
""",
    ),
    Example(
        """\
import torch

VERBOSE = False


def f(x: torch.Tensor) -> torch.Tensor:
    if VERBOSE:
        print("here")
    return x * 2
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    if not torch.compiler.is_compiling():
        print("here")
    return x * 2
""",
    ),
    Example(
        """\
import torch

torch._dynamo.config.reorderable_logging_functions.add(print)


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    print("here")
    return y * 2
""",
    ),
    Example(
        """\
import torch


class Log:
    def __init__(self) -> None:
        self.lines: list[str] = []

    def print(self, line: str) -> None:
        self.lines.append(line)


def f(x: torch.Tensor) -> torch.Tensor:
    log = Log()
    log.print("here")
    return x * len(log.lines)
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    if x.dim() == 0:
        raise ValueError("no rows")
    return x * 2
    print("never")
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    torch._higher_order_ops.print("loss {}", y.sum())
    return y * 2
""",
    ),
    Example(
        """\
import torch

torch._dynamo.config.ignore_logging_functions.add(print)


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    print("here", y)
    return y * 2
""",
    ),
    Example(
        """\
import torch
from torch._dynamo.decorators import leaf_function


@leaf_function
def show(x: torch.Tensor) -> tuple[torch.Tensor]:
    print("here", x)
    return (x.clone(),)


@show.register_fake
def _(x: torch.Tensor) -> tuple[torch.Tensor]:
    return (x.clone(),)


def f(x: torch.Tensor) -> torch.Tensor:
    (y,) = show(x + 1)
    return y * 2
""",
    ),
    Example(
        """\
import torch

torch._dynamo.config.reorderable_logging_functions.add(print)


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    print("rows", y.shape[0], y.dtype, f"{y}", end="")
    return y * 2
""",
    ),
    Example(
        """\
import contextlib

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    done: list[int] = []
    with contextlib.ExitStack() as stack:
        stack.callback(done.append, 1)
        stack.push(lambda *error: None)
        y = x + 1
    return y * len(done)
""",
    ),
    Example(
        """\
from collections.abc import Callable

import torch

Step = Callable[[torch.Tensor], torch.Tensor]


class Registry:
    def __init__(self) -> None:
        self.steps: dict[str, Step] = {}

    def register(self, step: Step) -> Step:
        self.steps[step.__name__] = step
        return step


STEPS = Registry()


@STEPS.register
def double(x: torch.Tensor) -> torch.Tensor:
    print("double")
    return x * 2


@STEPS.register
def halve(x: torch.Tensor) -> torch.Tensor:
    return x / 2


def f(x: torch.Tensor) -> torch.Tensor:
    return STEPS.steps["halve"](x + 1)
""",
    ),
    Example(
        """\
import torch


class Counter:
    def __init__(self) -> None:
        self.calls: list[int] = []
        self.ready = False


counter = Counter()


def f(x: torch.Tensor) -> torch.Tensor:
    if counter.ready and not counter.calls:
        print("never")
    counter.calls.clear()
    counter.calls.append(1)
    counter.ready = True
    return x + 1
""",
    ),
)
FIXES = (
    FixExample(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    if x.dim() == 1:
        # the shape, while we are at it
        print("shape", x.shape, end="")
    return x + 1
""",
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    if x.dim() == 1 and not torch.compiler.is_compiling():
        # the shape, while we are at it
        print("shape", x.shape, end="")
    return x + 1
""",
        safe=False,
    ),
    FixExample(
        """\
import pprint

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    pprint.pprint(x)
    if x.dim() == 1:
        print(x)
    return x + 1
""",
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    if x.dim() == 1:
        pass
    return x + 1
""",
        safe=False,
        choice="remove-statement",
    ),
    FixExample(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    print(x)
    return x + 1
""",
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    if not torch.compiler.is_compiling():
        print(x)
    return x + 1
""",
        choice="guard-with-is-compiling",
        safe=False,
    ),
)
