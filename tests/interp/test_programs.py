"""Whole programs: gblint finds the lines that are marked, and Dynamo breaks there and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interp.snippets import check_program, check_program_by_dynamo

HEAD = """
import contextlib, importlib
import torch
from torch import nn

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.loud = False
        self.record = None

    def forward(self, x):
        x = self.linear(x)
        if self.loud:
            print("loud")$LOUD
        if self.record is not None:
            self.record.append(x.sum().item())$RECORD
        return x

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()
        self.blocks = nn.ModuleList([Block() for _ in range(2)])

    def forward(self, x):
        x = self.block(x)
        for each in self.blocks:
            x = each(x)
        return x

def reading(module, args, result):
    result.mean().item()$HOOK

x = torch.ones(2, 3)
"""
LOUD_AND_COUNTING = """
class Loud(nn.Module):
    def forward(self, x):
        print("loud")  # breaks
        return x

class Counting(nn.Module):
    def forward(self, x):
        return x * x.sum().item()  # breaks
"""
PROGRAMS = {
    "context-manager": (
        "LOUD",
        """
@contextlib.contextmanager
def loud(block):
    old = block.loud
    block.loud = True
    try:
        yield block
    finally:
        block.loud = old

block = Block()
compiled = torch.compile(block)
compiled(x)
with loud(block):
    compiled(x)
""",
    ),
    "exit-stack": (
        "RECORD",
        """
class recording:
    def __init__(self, block):
        self.block = block
    def __enter__(self):
        self.block.record = []
        return self.block.record
    def __exit__(self, *error):
        self.block.record = None

def main():
    net = Net()
    compiled = torch.compile(net)
    compiled(x)
    with contextlib.ExitStack() as stack:
        stack.enter_context(recording(net.block))
        compiled(x)

main()
""",
    ),
    "flag-for-one-call": (
        "LOUD",
        """
net = Net()
compiled = torch.compile(net)
compiled(x)
net.block.loud = True
compiled(x)
net.block.loud = False
compiled(x)
""",
    ),
    "flag-before-the-calls": (
        "",
        """
net = Net()
net.block.loud = True
compiled = torch.compile(net)
net.block.loud = False
compiled(x)
""",
    ),
    "apply": (
        "LOUD",
        """
def enable(module):
    if isinstance(module, Block):
        module.loud = True

net = Net()
net.apply(enable)
torch.compile(net)(x)
""",
    ),
    "apply-to-others": (
        "",
        """
def enable(module):
    if isinstance(module, nn.Linear):
        module.loud = True

net = Net()
net.apply(enable)
torch.compile(net)(x)
""",
    ),
    "hook-of-named-part": (
        "HOOK",
        """
net = Net()
dict(net.named_modules())["blocks.1"].register_forward_hook(reading)
torch.compile(net)(x)
""",
    ),
    "hook-of-submodule": (
        "HOOK",
        """
net = Net()
net.get_submodule("block").register_forward_hook(reading)
torch.compile(net)(x)
""",
    ),
    "hook-of-attribute": (
        "HOOK",
        """
net = Net()
getattr(net, "block").register_forward_hook(reading)
torch.compile(net)(x)
""",
    ),
    "registry-of-subclasses": (
        "",
        """
NETS, ORDER = {}, []
class Base(nn.Module):
    def __init_subclass__(cls, name="", **kwargs):
        super().__init_subclass__(**kwargs)
        NETS[name or cls.__name__.lower()] = cls
        ORDER.append(cls)

class First(Base, name="one"):
    def forward(self, x):
        return x

class Second(First):
    def forward(self, x):
        print("second")  # breaks
        return x

class Third(First):
    def forward(self, x):
        return x * x.sum().item()  # breaks

def build(name):
    return NETS[name]()

torch.compile(build("second"))(x)
torch.compile(ORDER[-1]())(x)
""",
    ),
    "class-decorator": (
        "",
        """
def compiled(cls):
    cls.forward = torch.compile(cls.forward)
    return cls

@compiled
class Scale(nn.Module):
    def forward(self, x, n):
        if n > 3:  # breaks
            x = x + 1
        return x

def main():
    scale = Scale()
    scale(x, torch.tensor(4))

main()
""",
    ),
    "method-of-class": (
        "",
        """
class Scale(nn.Module):
    def step(self, x, n):
        if n > 3:  # breaks
            x = x + 1
        return x

Scale.step = torch.compile(Scale.step)
scale = Scale()
scale.step(x, torch.tensor(4))
""",
    ),
    "target-in-parts": (
        "LOUD",
        """
def instantiate(config, **kwargs):
    if isinstance(config, (list, tuple)):
        return [instantiate(each) for each in config]
    package, _, name = config["_target_"].rpartition(".")
    cls = getattr(importlib.import_module(package), name)
    return cls(**{key: value for key, value in config.items() if key != "_target_"}, **kwargs)

block = instantiate({"_target_": __name__ + ".Block"})
block.loud = True
torch.compile(block)(x)
""",
    ),
    "loop-over-models": (
        "",
        LOUD_AND_COUNTING
        + """
NETS = {"loud": Loud, "counting": Counting, "block": Block}

def main():
    for name in ("loud", "counting", "block"):
        net = NETS[name]()
        compiled = torch.compile(lambda x: net(x).sum())
        def step(x):
            return compiled(x)
        step(x)

main()
""",
    ),
    "loop-of-a-script": (
        "",
        LOUD_AND_COUNTING
        + """
for cls in (Loud, Counting, Block):
    net = cls()
    @torch.compile
    def run(x):
        return net(x).sum()
    run(x)
""",
    ),
    "class-of-a-caller": (
        "RECORD",
        """
def fit(cls):
    model = cls()
    model.record = []
    @torch.compile
    def loss(x):
        return model(x).sum()
    return loss(x)

fit(Block)
""",
    ),
    "objects-with-other-items": (
        "",
        """
class Chain(list):
    def __call__(self, x):
        for each in self:
            x = each(x)
        return x

class Scale:
    def __call__(self, x):
        return x * 2

class Ban:
    def __call__(self, x):
        return x + len(x.tolist())  # breaks

class Sampler:
    def __init__(self, parts, strict=False):
        self.parts, self.strict = Chain(parts), strict
        self.step = torch.compile(self._step)
    def _step(self, x):
        if self.strict and x.sum() > 0:  # breaks
            return x * 2
        return self.parts(x)

def main():
    fast = Sampler([Scale()])
    fast.step(torch.ones(3))
    slow = Sampler([Scale(), Ban()])
    slow.step(torch.ones(3))
    strict = Sampler([], strict=True)
    strict.step(torch.ones(3))

main()
""",
    ),
    "parameter-of-a-caller": (
        "",
        """
def pick(x, n):
    if n == 0:  # breaks
        return x
    return x + n
compiled = torch.compile(pick)
def run(x, n):
    return compiled(x, n)

run(x, torch.tensor(1.0))
""",
    ),
    "parameter-of-a-method": (
        "",
        """
class Picker:
    def __init__(self):
        self.compiled = torch.compile(self._pick)
    def _pick(self, x, n):
        if n > 0:  # breaks
            return x
        return x + n
    def run(self, x, n):
        return self.compiled(x, n)

Picker().run(x, torch.tensor(1.0))
""",
    ),
    "class-registry": (
        "",
        """
class Sampler:
    registry = {}
    def __init_subclass__(cls, name=None, **kwargs):
        super().__init_subclass__(**kwargs)
        Sampler.registry[name] = cls
    @classmethod
    def create(cls, name, *args):
        return cls.registry[name](*args)
    def __init__(self, model):
        self.model = model
    def sample(self, sigmas):
        x = torch.ones(2, 3)
        for i in range(len(sigmas) - 1):
            x = self.step(x, i, sigmas)
        return x

class Multi(Sampler, name="multi"):
    def __init__(self, *args):
        super().__init__(*args)
        self._update = torch.compile(self._multistep)
    def _multistep(self, x, now, following):
        if following == 0:  # breaks
            return now
        return x + (following - now) * x
    def step(self, x, i, sigmas):
        return self._update(x, self.model(x), sigmas[i + 1])

Sampler.create("multi", nn.Linear(3, 3)).sample(torch.linspace(1, 0.1, 4))
""",
    ),
    "modules-of-a-sequence": (
        "RECORD",
        """
class Chain(nn.Sequential):
    def forward(self, x):
        for name, each in self._modules.items():
            x = each(x)
        return x

chain = Chain(Block(), Block())
chain[1].record = []
torch.compile(chain)(x)
""",
    ),
    "index-after-reduction": (
        "",
        """
@torch.compile
def best(scores, boxes):
    values, labels = scores.max(-1)
    return boxes[values.argsort()[0]] + 1  # breaks

@torch.compile
def first(scores, boxes):
    kept = scores.topk(1, 1)[1].squeeze(1)
    return boxes[kept[0]] + 1  # breaks

best(torch.rand(5, 5), torch.rand(5, 4))
first(torch.rand(5, 5), torch.rand(5, 4))
""",
    ),
    "enum-that-chooses": (
        "LOUD",
        """
import enum

class Mode(enum.Enum):
    NONE = "none"
    FULL = "full"

def prepare(model, mode: Mode = Mode.NONE):
    if mode is Mode.NONE:
        return model
    return torch.compile(model)

block = Block()
block.loud = True
prepare(block, Mode.FULL)(x)
""",
    ),
    "callbacks": (
        "",
        """
class Log:
    def on_step(self, trainer, out):
        if trainer.count % 2 == 0:
            print("loss", out.mean())  # breaks

class Trainer:
    def __init__(self, callbacks=()):
        self.count = 0
        self.callbacks = list(callbacks)
    @torch.compile
    def step(self, x):
        self.count += 1
        for each in self.callbacks:
            each.on_step(self, x)
        return x + 1

def main():
    trainer = Trainer([Log()])
    for _ in range(4):
        trainer.step(x)

main()
""",
    ),
    "list-of-a-generator": (
        "HOOK",
        """
class Stats:
    def setup(self, module):
        module.register_forward_hook(reading)

class Manager(list):
    @classmethod
    def load(cls, names):
        return cls({"stats": Stats}[name]() for name in names)
    def setup(self, module):
        for each in self:
            each.setup(module)

class Trainer:
    def __init__(self, plugins):
        self.raw = nn.Linear(3, 3)
        plugins.setup(self.raw)
        self.model = torch.compile(self.raw)

Trainer(Manager.load(["stats"])).model(x)
""",
    ),
    "tuple-or-dict": (
        "",
        """
class Detector(nn.Module):
    def forward(self, x):
        if self.training:
            return {"loss": x.mean()}
        return x * 2, x.sigmoid()

def kept(boxes, scores):
    return boxes[scores.amax(-1) > 0.5]  # breaks

detector = Detector()
detector.eval()
run = torch.compile(kept)
run(*detector(x))
""",
    ),
    "configuration-of-a-dict": (
        "",
        """
import dataclasses

class FromDict:
    @classmethod
    def from_dict(cls, values):
        given = {}
        for field in dataclasses.fields(cls):
            if field.name in values:
                value = values[field.name]
                given[field.name] = field.type.from_dict(value) if dataclasses.is_dataclass(field.type) else value
        return cls(**given)

@dataclasses.dataclass
class Model(FromDict):
    kind: str = "quiet"
    size: int = 3

@dataclasses.dataclass
class Config(FromDict):
    model: Model = dataclasses.field(default_factory=Model)

class Quiet(nn.Module):
    def forward(self, x):
        return x

class Loud(nn.Module):
    def forward(self, x):
        print("loud")  # breaks
        return x

KINDS = {"quiet": Quiet, "loud": Loud}
config = Config.from_dict({"model": {"kind": "loud"}})
torch.compile(KINDS[config.model.kind]())(x)
""",
    ),
    "fields-in-the-region": (
        "",
        """
import dataclasses

@dataclasses.dataclass
class Result:
    loss: torch.Tensor
    scores: torch.Tensor

@torch.compile
def total(x):
    result = Result(x.mean(), x[x > 0])  # breaks
    found = 0
    for field in dataclasses.fields(result):
        value = getattr(result, field.name)
        if value.ndim == 1:
            found = found + value.sum()
    return found

total(x)
""",
    ),
    "hook-in-one-of-the-parts": (
        "HOOK",
        """
class Outer(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.part = {"block": Block, "linear": lambda: nn.Linear(3, 3)}[kind]()
    def forward(self, x):
        return self.part(x)

class Trainer:
    def __init__(self, kinds):
        self.parts = nn.ModuleList([Outer(kind) for kind in kinds])
        for each in self.parts.modules():
            if isinstance(each, Block):
                each.register_forward_hook(reading)
        for i, each in enumerate(self.parts):
            self.parts[i] = torch.compile(each)
    def run(self, x):
        for each in self.parts:
            x = each(x)
        return x

Trainer(["linear", "block"]).run(x)
""",
    ),
    "attribute-of-an-object": (
        "",
        """
class Scheduler:
    def __init__(self):
        self.timesteps = None
    def set_timesteps(self, n):
        self.timesteps = torch.arange(n)
    def step(self, x, t):
        index = (self.timesteps == t).nonzero()[0]  # breaks
        return x + index

class Pipeline:
    def __init__(self, net, scheduler):
        self.net, self.scheduler = net, scheduler
    def __call__(self, n):
        self.scheduler.set_timesteps(n)
        x = torch.ones(2, 3)
        for t in self.scheduler.timesteps:
            x = self.step(self.net(x), t)
        return x
    def step(self, x, t):
        return self.scheduler.step(x, t)

pipeline = Pipeline(Block(), Scheduler())
pipeline.net = torch.compile(pipeline.net)
pipeline.step = torch.compile(pipeline.step)
with torch.no_grad():
    pipeline(3)
""",
    ),
    "part-compiled-in-place": (
        "",
        """
class Chooser(nn.Module):
    def forward(self, x, n):
        if n > 1:  # breaks
            return x
        return x + n

class Agent:
    def __init__(self):
        self.net = Chooser()
    def act(self, x, n):
        return self.net(x, n)

agent = Agent()
agent.net.compile()
agent.act(x, torch.tensor(2.0))
""",
    ),
    "registered-subclasses": (
        "",
        """
class Registry:
    def __init__(self):
        self.items = {}
    def register(self, name):
        def inner(cls):
            self.items[name] = cls
            return cls
        return inner

LOSSES = Registry()

@LOSSES.register("first")
class First(nn.Module):
    def forward(self, x):
        return self.reduced(x)
    def reduced(self, x):
        return x.mean()

class Positive:
    def reduced(self, x):
        return super().reduced(x[x > 0])  # breaks

@LOSSES.register("second")
class Second(First):
    pass

@LOSSES.register("third")
class Third(Positive, Second):
    pass

torch.compile(LOSSES.items["third"]())(x)
torch.compile(Second())(x)
""",
    ),
    "argument-that-some-calls-leave-out": (
        "",
        """
@torch.compile
def scaled(x, n=None):
    x = x * 2
    if n is None:
        print("none")  # breaks
    return x + 1

scaled(x, 3)
scaled(x)
""",
    ),
    "module-in-place-of-another": (
        "",
        """
class Quantized(nn.Module):
    def __init__(self, linear):
        super().__init__()
        self.act = nn.Identity()
        self.weight = linear.weight
    def forward(self, x):
        if x.sum() > 0:  # breaks
            x = x + 1
        return self.act(x)

def convert(model):
    for name, child in model.named_children():
        if isinstance(child, nn.Linear):
            setattr(model, name, Quantized(child))
    return model

torch.compile(convert(nn.Sequential(nn.Linear(3, 3))))(x)
""",
    ),
    "index-after-flatten": (
        "",
        """
@torch.compile
def best(maps):
    scores = torch.cat([maps.flatten(2), maps.flatten(2)], 1).mean((0, 1))
    return scores[scores.argsort()[0]]  # breaks

best(torch.rand(2, 3, 8, 8))
""",
    ),
    "objects-of-a-helper": (
        "RECORD",
        """
def prepare_model(model):
    model.compile(backend="eager")
    return model

def prepare(*models):
    return tuple(prepare_model(each) for each in models)

block = Block()
block.record = []
prepared, = prepare(block)
prepared(x)
""",
    ),
    "dict-of-flags": (
        "",
        """
class Options(nn.Module):
    def __init__(self):
        super().__init__()
        self.options = {"loud": False}
    def forward(self, x):
        if self.options["loud"]:
            print("loud")  # breaks
        return x + 1

def main():
    net = Options()
    compiled = torch.compile(net)
    compiled(x)
    net.options["loud"] = True
    compiled(x)
    net.options["loud"] = False
    compiled(x)

main()
""",
    ),
    "stacked-modules": (
        "",
        """
from torch.func import stack_module_state

nets = [nn.Linear(3, 1), nn.Linear(3, 1)]

@torch.compile
def total(x):
    params, buffers = stack_module_state(nets)  # breaks
    return params["weight"].sum() + x.sum()

total(x)
""",
    ),
    "hook-of-an-object-around-the-module": (
        "HOOK",
        """
class Reader:
    def __init__(self, net):
        self.attach(net)

    def attach(self, net):
        net.block.register_forward_hook(reading)

net = Net()
reader = Reader(net)
compiled = torch.compile(net)
compiled(x)
""",
    ),
    "hook-after-the-compilation": (
        "HOOK",
        """
class Reader:
    def __init__(self, net):
        net.block.register_forward_hook(reading)

def read(net):
    return Reader(net)

net = Net()
fast = torch.compile(net)
read(net)
fast(x)
""",
    ),
    "hooks-through-a-table-of-parts": (
        "HOOK",
        """
net = Net()
parts = dict(net.named_modules())
parts["block"].register_forward_hook(reading)
torch.compile(net)(x)
""",
    ),
    "registered-subclass-of-a-subclass": (
        "",
        """
class Op:
    known = {}

    def __init_subclass__(cls, name=None):
        if name:
            Op.known[name] = cls

class Scale(Op, name="scale"):
    def __call__(self, x):
        return x * 2

class Clip(Scale, name="clip"):
    def __call__(self, x):
        return x.clamp(max=x.mean().item())  # breaks

clip = Op.known["clip"]()

@torch.compile
def clipped(x):
    return clip(x)

clipped(x)
""",
    ),
    "argument-of-a-method-that-passes-it-on": (
        "",
        """
class Cloud:
    def __init__(self, points):
        self.points = points

    def size(self):
        return self.points.sum()

class Filter:
    @torch.compile
    def step(self, cloud):
        if cloud.size() < 3:  # breaks
            return cloud.points + 1
        return cloud.points

    def run(self, cloud):
        return self.step(cloud)

Filter().run(Cloud(x))
""",
    ),
    "keyword-of-a-configuration": (
        "",
        """
import functools

class Config:
    def __init__(self, **options):
        for name, value in options.items():
            setattr(self, name, value)

def with_defaults(forward):
    @functools.wraps(forward)
    def wrapper(self, *args, **kwargs):
        use_cache = getattr(self.config, "use_cache", None)
        if use_cache is not None:
            kwargs["use_cache"] = use_cache
        try:
            return forward(self, *args, **kwargs)
        except TypeError as error:
            raise error
    return wrapper

class Configured(nn.Module):
    def __init__(self, config: Config):
        super().__init__()
        self.config = config
    @with_defaults
    def forward(self, x):
        return x + 1

def main(settings):
    torch.compile(Configured(Config(**settings)))(x)

main({})
""",
    ),
    "functionalized": (
        "",
        """
def filled(x):
    return x.clone().add_(1)

@torch.compile
def doubled(x):
    return torch.func.functionalize(filled)(x) * 2  # breaks

doubled(x)
""",
    ),
    "operators-of-objects": (
        "",
        """
import operator

class Turn:
    def __init__(self, matrix):
        self.matrix = matrix
    def __matmul__(self, other):
        return Turn(self.matrix @ other.matrix)
    def __rmatmul__(self, factor):
        return Turn(self.matrix * factor)
    def __imul__(self, other):
        self.matrix = self.matrix * other.matrix
        return self
    def __iadd__(self, other):
        print("added")  # breaks
        return self
    def __invert__(self):
        return Turn(self.matrix.mT)
    def __neg__(self):
        return Turn(-self.matrix)

class TurnModule(nn.Module):
    def __init__(self, matrix):
        super().__init__()
        self.matrix = matrix
    def __imatmul__(self, other):
        self.matrix = self.matrix @ other.matrix
        return self

@torch.compile
def between_objects(x):
    return (Turn(x) @ Turn(x)).matrix  # breaks

@torch.compile
def by_function(x):
    return operator.matmul(Turn(x), Turn(x)).matrix  # breaks

@torch.compile
def of_a_number(x):
    return (2.0 @ Turn(x)).matrix  # breaks

@torch.compile
def in_place(left, right):
    left @= right  # breaks
    return left.matrix

@torch.compile
def inverted(x):
    return (~Turn(x)).matrix  # breaks

@torch.compile
def by_method(x):
    return Turn(x).__matmul__(Turn(x)).matrix

@torch.compile
def by_other_operators(x):
    turn = Turn(x)
    turn *= Turn(x)
    return (-turn).matrix

@torch.compile
def by_a_method_that_breaks(x):
    turn = Turn(x)
    turn += Turn(x)
    return turn.matrix

square = torch.eye(3)
between_objects(square); by_function(square); of_a_number(square); inverted(square)
by_method(square); by_other_operators(square); by_a_method_that_breaks(square)
in_place(TurnModule(square), TurnModule(square))
""",
    ),
    "gradients-of-parts-of-arguments": (
        "",
        """
from dataclasses import dataclass
from typing import NamedTuple

class State(NamedTuple):
    position: torch.Tensor

@dataclass
class System:
    position: torch.Tensor

@torch.compile
def of_item(inputs, keys):
    for key in keys:
        inputs[key].requires_grad_()  # breaks
    return inputs["R"].sum()

@torch.compile
def of_element(positions):
    positions[0].requires_grad_()  # breaks
    return positions[0].sum()

@torch.compile
def of_field(state):
    state.position.requires_grad_()  # breaks
    return state.position.sum()

@torch.compile
def of_dataclass(system):
    system.position.requires_grad_(True)  # breaks
    return system.position.sum()

@torch.compile
def of_optional_item(inputs):
    inputs.get("R").requires_grad_()  # breaks
    return inputs["R"].sum()

@torch.compile
def of_each(inputs):
    for value in inputs.values():
        value.requires_grad_()  # breaks
    return inputs["R"].sum()

@torch.compile
def of_leaf(inputs):
    inputs["R"].requires_grad_()
    return inputs["R"].sum()

class Potential(nn.Module):
    def __init__(self, wanted):
        super().__init__()
        self.wanted = wanted
    def forward(self, inputs):
        for key in self.wanted:
            if key in inputs.keys():
                inputs[key].requires_grad_()  # breaks
        return inputs["R"].sum()

class Offset(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("offset", torch.ones(3))
    def forward(self, x):
        self.offset.requires_grad_()  # breaks
        return (x * self.offset).sum()

def fresh():
    return torch.ones(3)

of_item({"R": fresh()}, ["R"])
of_element([fresh()])
of_field(State(fresh()))
of_dataclass(System(fresh()))
of_optional_item({"R": fresh()})
of_each({"R": fresh()})
of_leaf({"R": fresh().requires_grad_()})
potential = Potential(["R"])
potential.compile()
potential({"R": fresh()})
torch.compile(Offset())(fresh())
""",
    ),
    "numbers-of-numpy-scalars": (
        "",
        """
import math
import numpy as np

HALF = np.float16(0.5)
SINGLE = np.float32(0.5)
TWICE = SINGLE * 2
COUNT = np.int32(2)
DOUBLE = np.float64(0.5)
LONG = np.int64(2)
ARRAY = np.array(0.5)
SINGLE_ARRAY = np.array(0.5, dtype=np.float32)
VALUES = np.array([0.5, 1.0])

@torch.compile
def of_half(x):
    return x * float(HALF)  # breaks

@torch.compile
def of_single(x):
    return x * float(SINGLE)  # breaks

@torch.compile
def of_product(x):
    return x * float(TWICE)  # breaks

@torch.compile
def of_count(x):
    return x + int(COUNT)  # breaks

@torch.compile
def by_math(x):
    return x * math.sqrt(SINGLE)  # breaks

@torch.compile
def of_argument(x, scale):
    return x * float(scale)  # breaks

@torch.compile
def of_single_array(x):
    return x * float(SINGLE_ARRAY)  # breaks

@torch.compile
def of_computed(x):
    return x * float(VALUES.max())  # breaks

@torch.compile
def of_doubles(x, scale):
    x = x * float(DOUBLE) + DOUBLE.item() + float(ARRAY) + ARRAY.item() + float(scale)
    return x.repeat(LONG.item())

@torch.compile
def without_conversion(x):
    made = np.float32(0.5)
    return x * SINGLE + x.clamp(min=HALF) + float(made)

for each in (of_half, of_single, of_product, of_count, by_math, of_single_array, of_computed, without_conversion):
    each(torch.ones(2))
of_argument(torch.ones(2), SINGLE)
of_doubles(torch.ones(2), np.array(0.25))
""",
    ),
    "gradient-and-value": (
        "",
        """
from torch.func import grad_and_value, vmap

def energy(x):
    if x.sum() > 0:  # breaks
        x = x + 1
    return x.square().sum()

def quiet(x):
    return x.square().sum()

class Chooser:
    def __init__(self, target):
        self.value_and_grad = vmap(grad_and_value(target))
    def step(self, x):
        gradient, value = self.value_and_grad(x)
        if value.sum() > 0:  # breaks
            x = x + gradient
        return x

torch.compile(grad_and_value(energy))(torch.ones(3))
torch.compile(Chooser(quiet).step)(x)
""",
    ),
    "index-that-changes": (
        "",
        """
import numpy as np
SCHEDULE = np.linspace(0.1, 0.2, 8)

@torch.compile
def scaled(x, epoch):
    return x * SCHEDULE[epoch]  # breaks

@torch.compile
def spelled(x, epoch):
    return x * SCHEDULE[epoch, ...] + SCHEDULE[:epoch].sum() + torch.from_numpy(SCHEDULE)[epoch] + SCHEDULE[3]

for epoch in (2, 3, 4):
    scaled(torch.ones(3), epoch)
    spelled(torch.ones(3), epoch)
""",
    ),
    "classes-and-objects-made-by-calls": (
        "",
        """
import argparse, enum

class Activation(enum.Enum):
    RELU = "relu"
    GATED = "gated"

    def __call__(self, x):
        if self is Activation.GATED and x.sum() > 0:  # breaks
            return x * x.sigmoid()
        return x.relu()

class Activated(nn.Module):
    def __init__(self, activation: Activation = Activation.GATED):
        super().__init__()
        self.activation = activation
    def forward(self, x):
        return self.activation(x)

torch.compile(Activated())(torch.ones(3))

@torch.compile
def activate(x, activation):
    return activation(x)

for each in Activation:
    activate(torch.ones(3), each)

class Lazy(nn.Linear):
    @classmethod
    def of(cls, linear):
        made = cls.__new__(cls)
        nn.Module.__init__(made)
        made.weight, made.bias = linear.weight, linear.bias
        made.register_buffer("started", torch.zeros(1, dtype=torch.bool))
        return made
    def forward(self, x):
        if not self.started:  # breaks
            self.started.fill_(True)
        return super().forward(x)

torch.compile(Lazy.of(nn.Linear(3, 3)))(torch.ones(2, 3))

class Loss(nn.Module):
    def forward(self, x):
        return self.compute(x).mean()

def loss(name, function):
    def compute(self, x):
        print(name)  # breaks
        return function(x)
    return type(name, (Loss,), {"compute": compute, "__module__": __name__})

Absolute = loss("Absolute", lambda x: x.abs())
torch.compile(Absolute())(torch.ones(3))

MODELS = {}

class Registered(type(nn.Module)):
    def __new__(mcs, name, bases, namespace, key=None, **options):
        cls = super().__new__(mcs, name, bases, namespace, **options)
        if key:
            MODELS[key] = cls
        return cls
    def __init__(cls, name, bases, namespace, key=None, **options):
        super().__init__(name, bases, namespace)

class Base(nn.Module, metaclass=Registered):
    pass

class Doubling(Base, key="doubling"):
    def forward(self, x):
        return x * x.mean().item()  # breaks

class Runner:
    def __init__(self, options):
        self.model = MODELS[options["model"]]()
        self.run = torch.compile(self._run)
    def _run(self, x):
        return self.model(x)

Runner({"model": "doubling"}).run(torch.ones(3))

def loud(x):
    print("loud")  # breaks
    return x
def quiet(x):
    return x + 1
FUNCTIONS = {"quiet": quiet, "loud": loud}

def main(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--function", default="quiet")
    parser.add_argument("--twice", action="store_true")
    parser.add_argument("--fast", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--name")
    options = parser.parse_args(argv)
    function = FUNCTIONS[options.function]
    compiled = torch.compile(function)
    compiled(torch.ones(3))
    if options.twice:
        torch.compile(lambda x: function(x) * x.max().item())(torch.ones(3))  # breaks

    @torch.compile
    def told(x):
        if not options.fast:
            print("slow")  # breaks
        if options.scale == 2.0:
            print("scaled")  # breaks
        if options.name == "named":
            print("named")  # breaks
        return x + 1

    told(torch.ones(3))

main([])
main(["--function", "loud", "--twice", "--no-fast", "--scale=2", "--name", "named"])

class Cache:
    def get(self, function):
        return torch.compile(function)

class Stepper(nn.Module):
    def step(self, x):
        print("step")  # breaks
        return x

def accelerate(model, methods=()):
    cache = Cache()
    for name in methods:
        setattr(model, name, cache.get(getattr(model, name)))
    return model

accelerate(Stepper(), methods=("step",)).step(torch.ones(3))
""",
    ),
}


def _source(name: str) -> str:
    broken, program = PROGRAMS[name]
    head = HEAD
    for each in ("LOUD", "RECORD", "HOOK"):
        head = head.replace(f"${each}", "  # breaks" if each == broken else "")
    return head + program


@pytest.mark.parametrize("name", PROGRAMS)
def test_gblint_finds_the_lines_that_break(name: str) -> None:
    check_program(_source(name))


@pytest.mark.parametrize("name", PROGRAMS)
def test_dynamo_breaks_at_these_lines(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_program_by_dynamo(tmp_path, monkeypatch, _source(name))
