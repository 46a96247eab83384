"""Programs whose marked lines break, and no others: gblint and Dynamo agree on each."""

from __future__ import annotations

import pytest

from tests.interp import alias_programs
from tests.interp.programs import Program, check_lines, lines_by_dynamo, marked
from tests.interp.test_builds_of_torch import HANDLER

REDUCED_RANKS = """\
import torch

def f(x):
    m = torch.zeros(2, 3, 4)
    a = x[m.sum(dim=(0, 1, 2)).long()]  # breaks
    b = x[m.sum(dim=(0, 1)).long()]
    c = x[m.sum((0, 1)).sum(0).long()]  # breaks
    d = x[m.sum((0, 1), True).long()]
    e = x[m.norm(2).long()]  # breaks
    g = x[m.norm(2, 1).long()]
    h = x[m.mean(dim=None).long()]  # breaks
    i = x[m[0, 0].argmax(-1)]  # breaks
    j = x[torch.argmax(m[0, 0, :3], 0, True)]
    k = x[torch.linalg.norm(m[0, 0]).long()]  # breaks
    order = torch.topk(torch.mean(m[0], dim=0), 2, dim=-1)[1]
    n = m[0][:, order[0]]  # breaks
    return a, b, c, d, e, g, h, i, j, k, n
"""
TENSORS_OF_SUBCLASSES = """\
import torch

class First(torch.Tensor):
    pass

class Second(torch.Tensor):
    pass

weight = torch.nn.Parameter(torch.rand(3).as_subclass(First))

def converted(x, n):
    return x.as_subclass(First) if n > 2 else x.as_subclass(Second)

def f(x: torch.Tensor, n: int):
    mask = x != converted(x, n) * 2
    y = x[mask]  # breaks
    z = x[:2][converted(x, n).argmax()[None].long()]
    return y, z, (weight * x).as_subclass(First)  # breaks
"""
CLASSES_OF_DICTS = """\
import torch
from collections import Counter, OrderedDict, defaultdict

def f(x):
    d, e, c = OrderedDict(a=1), defaultdict(list), Counter("aab")
    if type(d) is dict or type(e) is dict or type(c) is dict:
        print("a")
    if type(d) is not OrderedDict or type(e) is not defaultdict:
        print("b")
    if hasattr(d, "foo") or hasattr(e, "foo") or not hasattr(d, "move_to_end"):
        print("c")
    if isinstance(d, OrderedDict) and isinstance(d, dict) and not isinstance({}, OrderedDict):
        x = x[x > 0]  # breaks
    if isinstance(d, defaultdict) or isinstance(e, OrderedDict):
        print("d")
    return x + c["a"]
"""
NUMBERS_OF_NUMPY = """\
import json
import torch

length = json.loads("2")

def f(x: torch.Tensor):
    periods = x.sum(0, keepdim=True).detach().numpy()
    if periods[0] * length > 0:  # breaks
        x = x + 1
    if (length + 1) % periods[0] != 0:  # breaks
        x = x * 2
    return x + length
"""
MESSAGES_OF_ASSERTIONS = """\
import torch

def f(x: torch.Tensor):
    assert (x > -1).all(), ("a", ("b", 1))
    assert (x > -1).all(), "a" + "b" * 2
    assert (x > -1).all(), f"abc"
    assert (x > -1).all(), -1
    assert (x > -1).all(), "a %s" % 3  # breaks
    return x + 1
"""
DISPATCHED = """\
import functools
import torch

class Shape:
    @functools.singledispatchmethod
    def scaled(self, value):
        return value * 2

    @scaled.register(int)
    def _(self, value):
        return value * 3

@functools.singledispatch
def width(value):
    return 1

@width.register(int)
def _(value):
    return value

shape = Shape()

def f(x: torch.Tensor):
    y = shape.scaled(x) + width(x) + width(shape)
    y = y + width(2)  # breaks
    y = y + width("a")  # breaks
    y = y + width(None)  # breaks
    return y + shape.scaled(2)  # breaks
"""
NARROW_NUMBERS = """\
import torch

def f(x: torch.Tensor, batch: torch.Tensor):
    narrow = batch.max().int() + 1
    wide = batch.max() + 1
    a = torch.zeros(narrow, 1)  # breaks
    b = torch.zeros(narrow, 2)  # breaks
    c = torch.zeros(wide, 2)
    return a, b, c, x
"""
FACTORS_OF_LISTS = """\
import torch

def f(x, t):
    y = x * 1
    torch._foreach_add_([y], [x], alpha=t)  # breaks
    a = torch._foreach_sub([x], [x], alpha=t)  # breaks
    b = torch._foreach_addcmul([x], [x], [x], value=t)  # breaks
    c = torch._foreach_add([x], [x], alpha=0.5)
    d = torch._foreach_mul([x], t)
    return y, a, b, c, d
"""
ASSERTED_ALTERNATIVES = """\
import torch

def f(x: torch.Tensor, mask: torch.BoolTensor, b: int):
    assert b > 3 or x.dim() == 1
    if x.dim() != 1:
        x = x[mask]  # breaks
    return x
"""
TRAINING_AND_FALSE = """\
import torch

def f(x, training: bool):
    drops = training and False and torch.is_grad_enabled()
    keeps = training or True
    if drops or not keeps:
        print(x)
    return x + 1
"""
NAMES_OF_TYPES = """\
import torch

def f(x, y):
    if x.type() != y.data.type():
        x = x.type_as(y)
    if x.type(torch.float32).sum() > 0:  # breaks
        x = x + 1
    return x
"""
VIEWED_AS_ANOTHER_DTYPE = """\
import torch

def f(x):
    a = x.view(torch.int8).view(torch.float8_e4m3fn).float()
    a[a < 0.5] = 0.5
    return a
"""
LEAVES_IN_BACKWARD = """\
import torch

class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        y = x.detach().requires_grad_(True)
        x.requires_grad_(True)
        return g * y

def f(x):
    return Doubled.apply(x * 1.0)
"""
DRAWN_BEFORE_A_LOOP = """\
import random
import torch

def f(x):
    drawn = random.randint(0, 9)
    for i in print("a") or [1, 2]:  # breaks
        if drawn + i > 3:
            x = x + 1
    return x
"""
VISITED_RECURRENT = """\
import torch
from torch import nn

flat = nn.Sequential(nn.Linear(3, 3), nn.GRU(3, 4))
nested = nn.Sequential(nn.Linear(3, 3), nn.Sequential(nn.GRU(3, 4)))
turned = nn.Sequential(nn.GRU(3, 4), nn.Linear(3, 3))

def f(x, how: int):
    if how == 0:
        return x + sum(p.sum() for p in {visited})  # breaks
    return x
"""
VISITING = tuple(
    f"[x for _ in [nested.{method}]]"
    for method in ("train()", "eval()", "zero_grad()", "state_dict()", "float()", "to('cpu')", "apply(print)")
)
FIRST_OF_FLAT = VISITED_RECURRENT.replace("  # breaks", "").format(visited="[next(p for p in flat.parameters())]")
CHILDREN_OF_NESTED = VISITED_RECURRENT.replace("  # breaks", "").format(visited="nested[0].parameters()")
COMPARED_WITH_A_LIST = """\
import torch

def f(x):
    if x == [] or x == () or x == {}:
        print(x)
    if x != [1.0]:
        x = x + 1
    return x
"""
ROUNDED = """\
import numpy as np
import torch

def f(x, options):
    return torch.cat(x.chunk(int(np.ceil(x.shape[0] / options.parts)), 0))
"""
EXACT_TYPES = """\
import torch

def f(x: torch.Tensor, n: torch.Tensor | int):
    if type(n) is int:
        x = x[:n]
    if type(n) != int:
        return x + n
    assert type(n) == int
    return x[n:]
"""
ITEMS_OF_INPUTS = """\
import torch

def f(x, options):
    box = options["box"]
    if box[..., 0].sum() > 3:  # breaks
        x = x + 1
    return x
"""
SCALARS_OF_NUMPY = """\
import numpy as np
import torch

class Scaled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.n = np.int64(2)
        self.p = np.prod([1, 2])
        self.q = np.sqrt(16)

    def forward(self, x):
        a = x[: self.n]
        b = [x, x + 1, x + 2][self.n]
        c = torch.clamp(x, 0, self.q) + torch.add(x, x, alpha=self.q)
        d = torch.nn.functional.leaky_relu(x, self.q) + x.reshape(-1, self.p).view(-1)
        if self.q > 1:  # breaks
            c = c + 1
        return a, b, c, d

scaled = Scaled()

def f(x):
    return scaled(x)
"""
WHETHER_GRADIENTS_ARE_RECORDED = """\
import torch

def f(x):
    with torch.no_grad():
        if torch.is_grad_enabled():
            print(x)
        with torch.enable_grad():
            if not torch.is_grad_enabled():
                print(x)
    manager = torch.no_grad()
    with manager:
        if torch.is_grad_enabled():
            print(x)
    with torch.set_grad_enabled(False):
        if torch.is_grad_enabled():
            print(x)
    if torch.is_grad_enabled():
        print(x)  # breaks
    return x
"""
CHOSEN_BY_SIGNATURE = """\
import torch
from torch import nn

class One(nn.Module):
    def forward(self, x, n):
        return x.view(n, -1)

class Two(nn.Module):
    def forward(self, x, y, n, *, keep=True):
        return x + y if keep else y[x > n]

class Flagged(nn.Module):
    def forward(self, x, keep: bool = False, n: int = 0):
        return x if keep else x + n

class Named:
    def __init__(self, x, n):
        self.x = x.view(n, -1)

class Empty:
    def __init__(self, x, y, n):
        self.x = x + y if n else y[x > 0]  # breaks

blocks = {"one": One(), "two": Two(), "flagged": Flagged()}
kinds = {"named": Named, "empty": Empty}

def f(x, n, name: str, kind: str):
    y = x.exp()
    return blocks[name](x, y, 3), kinds[kind](x, y, n).x
"""
LAYERS_IN_AN_ENCODER = """\
import torch
from torch import nn

class Layer(nn.TransformerEncoderLayer):
    def forward(self, src, src_mask=None, is_causal=False, **kwargs):
        if kwargs["src_key_padding_mask"] is not None:
            print(src)
        if src_mask.sum() > 0:  # breaks
            src = src + 1
        return src

class DecoderLayer(nn.TransformerDecoderLayer):
    def forward(self, tgt, memory, tgt_mask=None, tgt_is_causal=False, memory_is_causal=False, **kwargs):
        if tgt_mask is not None or kwargs["memory_mask"] is None:
            print(tgt)
        return tgt + memory[memory[:, 0, 0] > 0].sum()  # breaks

encoder = nn.TransformerEncoder(Layer(4, 2, 8), 2, enable_nested_tensor=False)
decoder = nn.TransformerDecoder(DecoderLayer(4, 2, 8), 1)

def f(x):
    x = encoder(x, torch.zeros(3, 3), is_causal=False)
    return decoder(x, x, memory_mask=torch.zeros(3, 3))
"""
INDEX_AFTER_A_BREAK = """\
import torch

def f(x):
    best = x.argmin()
    if x[best] > 0.5:  # breaks
        x = x + x[best]
    a = x[best]
    worst = x.argmax()
    b = x[worst]  # breaks
    return a + b + x[worst] + x[best]
"""
LISTS_OF_TENSORS = """\
import torch

def f(x: torch.Tensor, how: int):
    if [x, x + 1] != [None, None] and [x, x] != ["a", "b"] and list(x) != []:
        x = x + 1
    if how == 0 and {compared}:  # breaks
        x = x + 1
    return x
"""
DRAWN_INDICES = """\
import torch

def f(x):
    a = torch.randint(0, 4, (3,))
    b = torch.randint(4, (3,))
    c = torch.randint(0, 4, size=(2, 3))
    y = x[0, a[0]]  # breaks
    x[1, b[0]] = 1.0  # breaks
    z = x[c[0]] + x[torch.full((2, 3), 1)[1]]
    for each in torch.randint(0, 4, [1]):
        x = x + each.item()  # breaks
    return x, y, z
"""
RESHAPED_BY_FUNCTIONS = """\
import torch

def f(batch, shape, values):
    a = torch.abs(batch)
    a = a + torch.reshape(batch, shape)
    b = torch.transpose(values, 0, 1)
    if values.sum() > 0:  # breaks
        b = b + 1
    return a, b
"""
FLAGS = """\
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fused = False

    def forward(self, x: torch.Tensor, native: bool):
        if torch.compiler.is_compiling() and native:
            return x + 1
        if native:
            print(x)
        other = x.is_cuda and x.shape[-1] == 3
        if other or not torch.compiler.is_compiling():
            return x
        if other:
            print(x)
        if not native or self.fused:
            x = x + x.sum().item()  # breaks
        return x

net = Net()

def f(x, native: bool):
    return net(x, native)
"""
CHANGED_FLAGS = {
    "stored": Program(
        """\
import torch
class N:
    def __init__(self):
        self.a = False
    def go(self, x: torch.Tensor, n: bool):
        if not self.a:
            x = x + 1
        if self.a:
            return x
        self.a = True
        if self.a:
            print(x)  # breaks
        return x
o = N()
def f(x, n=False):
    return o.go(x, n)
""",
        "(torch.rand(3),)",
    ),
    "assigned": Program(
        """\
import torch
def f(x: torch.Tensor, n: bool):
    if not n:
        return x
    n = x.shape[0] > 2
    if n:
        print(x)  # breaks
    return x
""",
        "(torch.rand(3), True)",
    ),
    "in a loop": Program(
        """\
import torch
def f(x: torch.Tensor, flags: list[bool]):
    for n in flags:
        if not n:
            continue
        x = x + 1
    if not n:
        return x
    print(x)  # breaks
    return x
""",
        "(torch.rand(3), [True, False, True])",
    ),
    "in a method": Program(
        """\
import torch
class N:
    def __init__(self):
        self.a = False
    def flip(self):
        self.a = True
    def go(self, x: torch.Tensor, n: bool):
        if self.a:
            return x
        self.flip()
        if self.a:
            print(x)  # breaks
        return x
o = N()
def f(x, n=False):
    return o.go(x, n)
""",
        "(torch.rand(3),)",
    ),
    "nonlocal": Program(
        """\
import torch
def f(x: torch.Tensor, n: bool):
    def flip():
        nonlocal n
        n = True
    if n:
        return x
    flip()
    if n:
        print(x)  # breaks
    return x
""",
        "(torch.rand(3), False)",
    ),
    "in a condition": Program(
        """\
import torch
def f(x: torch.Tensor, n: bool):
    if n:
        return x
    if (n := x.shape[0] > 2):
        print(x)  # breaks
    return x
""",
        "(torch.rand(3), False)",
    ),
}
SPREAD_OPTIONS = """\
import torch

class Plain:
    def step(self, x):
        return x[x > 0]  # breaks

class Scaled:
    def step(self, x, eta):
        return x * eta

steppers = {"plain": Plain(), "scaled": Scaled()}

def f(x: torch.Tensor, name: str):
    options = {"eta": 0.5} if hasattr(steppers[name], "eta") else {}
    if name != "plain":
        options["eta"] = 0.5
    return steppers[name].step(x, **options)
"""
NUMBERS_IN_MATH = """\
import math
import numpy as np
import torch

def f(x):
    scale = math.sqrt(np.float64(2.5)) + math.exp(np.sqrt(x.shape[0])) + math.fsum([np.float32(2.5) * 2, 1])
    y = x * scale
    count = math.floor(np.sqrt(4))  # breaks
    turned = math.radians(y.sum())
    total = math.fsum([x.sum(), 1])  # breaks
    long = math.hypot(y.sum(), 2)  # breaks
    return y + count + total + long + turned
"""
FUNCTIONS_OF_NUMPY = """\
import numpy as np
import torch

def f(x, a: np.ndarray, indices: np.ndarray):
    first = a.item(1)
    last = a[0].item()  # breaks
    chosen = indices.choose(a)
    return x * first + last + chosen.sum()
"""
RAISED_BY_NUMPY = """\
import numpy as np
import torch

def f(x, a: np.ndarray):
    {call}  # breaks
    return x + a.sum()
"""
MADE_IN_THE_REGION = """\
import functools
import operator
import types
import torch

class Plain:
    pass

plain = Plain()

def scaled(self, value):
    return value * 2

def f(x, n):
    method = types.MethodType(scaled, plain)  # breaks
    x = method(x)
    cached = functools.lru_cache(scaled)  # breaks
    x = cached(plain, x)
    @functools.lru_cache(maxsize=None)  # breaks
    def halved(value):
        return value / 2
    x = halved(x)
    if operator.contains([1, 2], n):
        x = x + 1
    if operator.contains(x, n):  # breaks
        return x - 1
    return x
"""
NUMBER_IN_TENSOR = """\
import torch
import torch.nn.functional as F

def f(x: torch.Tensor, n: torch.Tensor):
    k = n + 0
    return {call}  # breaks
"""
CALLS_WITH_NUMBERS = (
    "torch.fft.fftfreq(k)",
    "torch.fft.fft(x, n=k)",
    "torch.fft.ifft(x, dim=k - 2)",
    "torch.fft.fftshift(x, dim=k - 2)",
    "torch.linalg.vector_norm(x, ord=k)",
    "torch.linalg.matrix_power(x, k)",
    "torch.linalg.diagonal(x, offset=k - 2)",
    "torch.norm(x, k)",
    "x.norm(k)",
    "torch.cdist(x, x, k)",
    "torch.stft(x[0], k, window=torch.ones(2), return_complex=True)",
    "F.normalize(x, p=k)",
    "F.cosine_similarity(x, x, eps=k)",
    "F.group_norm(x, 2, eps=k)",
    "F.batch_norm(x, x[0], x[0].abs(), momentum=k)",
    "F.dropout2d(x[None, None], p=k / 4)",
    "F.triplet_margin_loss(x, x, x, margin=k)",
    "F.unfold(x[None, None], k)",
)
SHARED_OUT = """\
import torch
from torch.distributions.utils import broadcast_all

def f(x, n):
    a, b = broadcast_all(x, 2.0)
    if (b > 1).all():  # breaks
        return a
    return b
"""
ITEMS_UNDER_COMPUTED_KEYS = """\
import collections
import json
import torch

class Ranges(torch.nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.whole = {{}}
        found = collections.defaultdict(list)
        for size in sizes:
            found[size] += [0, size]
        for key in found:
            self.whole[key] = len(found[key]) == 2
            if self.whole[key]:
                found[key] = torch.LongTensor(found[key])
            else:
                found[key] = torch.LongTensor([0])
            self.register_buffer({name}, found[key])

    def forward(self, x):
        for key, whole in self.whole.items():
            bounds = getattr(self, {name})
            if whole:
                x = x[bounds[0] : bounds[1]]  # breaks
        return x

net = Ranges(json.loads("[2]"))

def f(x, n):
    return net(x)
"""
DESCRIBED_MASK = """\
import torch

def f(x: torch.Tensor, valid: torch.Tensor, where: torch.Tensor):
    '''Compute.
{description}
    '''
    x = x[where]
    return x[valid]  # breaks
"""
DESCRIPTIONS = {
    "NumPy": """
    Parameters
    ----------
    valid : torch.Tensor
        Boolean mask ``(B, L)``, ``True`` = masked out.
    where : torch.Tensor
        Positions, not a boolean mask.""",
    "Google": """
    Args:
        valid (torch.Tensor, optional): a boolean attention mask of shape (B, L)
        where: positions; see `valid` for a boolean mask""",
    "Sphinx": """
    :param valid: bool tensor, where to look
    :param torch.Tensor where: positions""",
}
CONSTANT_TENSORS = """\
import torch

def padded(x, size):
    return torch.fft.irfft(torch.fft.rfft(x, size), size)

def f(x: torch.Tensor):
    size = 2 ** torch.ceil(torch.log2(torch.tensor(x.shape[-1] + 1)))
    x = padded(x, size.int())
    n = torch.tensor(4)
    x = x + torch.zeros(n.to(torch.int64)) + torch.zeros(n.type(torch.int32))
    x = x + torch.zeros(n.view(-1)[0]) + torch.zeros(n.squeeze()) + torch.zeros(n.unsqueeze(0)[0])
    x = x + torch.zeros(n.sum()) + torch.zeros(n.max()) + torch.zeros(torch.as_tensor(n))
    x = x + torch.zeros(torch.stack([n, n]).max())  # breaks
    return x + torch.zeros(torch.ones(4).sum().int())  # breaks
"""
SCHEDULERS = (
    "lr_scheduler.LambdaLR(optimizer, lambda epoch: 0.5)",
    "lr_scheduler.MultiplicativeLR(optimizer, lambda epoch: 0.5)",
    "lr_scheduler.MultiStepLR(optimizer, [1])",
    "lr_scheduler.ConstantLR(optimizer)",
    "lr_scheduler.LinearLR(optimizer)",
    "lr_scheduler.ExponentialLR(optimizer, 0.5)",
    "lr_scheduler.PolynomialLR(optimizer)",
    "lr_scheduler.CyclicLR(optimizer, 0.1, 0.2)",
    "lr_scheduler.CosineAnnealingWarmRestarts(optimizer, 10)",
    "lr_scheduler.SequentialLR(optimizer, [lr_scheduler.ConstantLR(optimizer), lr_scheduler.LinearLR(optimizer)], [2])",
    "lr_scheduler.ChainedScheduler([lr_scheduler.ConstantLR(optimizer)], optimizer)",
)
CREATED = (
    *SCHEDULERS,
    "lr_scheduler.StepLR(optimizer, 2)",
    "lr_scheduler.CosineAnnealingLR(optimizer, 10)",
    "lr_scheduler.OneCycleLR(optimizer, 0.1, total_steps=10)",
    "lr_scheduler.ReduceLROnPlateau(optimizer)",
    "torch.optim.swa_utils.SWALR(optimizer, 0.05)",
    "torch.optim.LBFGS(parameters)",
    "torch.optim.SparseAdam(parameters)",
)
CREATE = """\
import torch
from torch.optim import lr_scheduler

parameters = [torch.nn.Parameter(torch.ones(3))]
optimizer = torch.optim.SGD(parameters, 0.1, momentum=0.9)

def f(x: torch.Tensor):
    made = {made}  # breaks
    return x + 1
"""
OBJECTS_FOR_NUMPY = """\
import numpy as np
import torch
from PIL import Image

image = Image.new("L", (3, 3))

class Samples:
    def __array__(self, dtype=None, copy=None):
        return np.ones(3)

samples = Samples()

def f(x: torch.Tensor):
    x = x + np.array(samples).sum()  # breaks
    x = x + np.stack([image, image]).sum()  # breaks
    return x + np.array([1.0, 2.0]).sum() + np.array(x).sum() + np.array(x.shape).sum()
"""
OWN_SCHEDULER = """\
import torch

optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(3))], 0.1)

class Constant(torch.optim.lr_scheduler.LRScheduler):
    def __init__(self, optimizer):
        super().__init__(optimizer)  # breaks

    def get_lr(self):
        return [0.1 for _ in self.base_lrs]

def f(x: torch.Tensor):
    Constant(optimizer)
    return x + 1
"""
SCHEDULER = """\
import torch
from torch.optim import lr_scheduler

optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(3))], 0.1, momentum=0.9)
scheduler = {made}

def f(x):
    scheduler.step()  # breaks
    return x * scheduler.get_last_lr()[0]  # breaks
"""
DECORATORS = (
    "np.printoptions(precision=2)",
    "torch.autograd.graph.allow_mutation_on_saved_tensors()",
    "torch.backends.mkldnn.flags(enabled=False)",
    "torch.backends.nnpack.flags(enabled=True)",
    "torch.backends.opt_einsum.flags(enabled=True)",
    "torch.cuda.nvtx.range('part')",
    "torch.sparse.check_sparse_tensor_invariants()",
)
DECORATED = """\
import numpy as np
import torch

@{decorator}
def part(x):
    return x.sum()

def f(x):
    return x * part(x)  # breaks
"""
FUNCTIONS_NAMED_MASKS = """\
import torch

def same(order):
    return order

masks = [same]

def f(x: torch.Tensor, order: torch.Tensor):
    return x[masks[0](order)]
"""
OUTSIDE_CLOSURES = """\
import functools
import inspect
import torch

def registered(init):
    @functools.wraps(init)
    def inner(self, *args, **kwargs):
        init(self, *args, **kwargs)
    return inner

def scaled(factor):
    def inner(self, x):
        return x * factor
    return inner

class Part:
    @registered
    def __init__(self, size, depth=2):
        self.size = size

part = Part(2)
method = scaled(torch.ones(3))

def f(x: torch.Tensor):
    names = set(dict(inspect.signature(Part.__init__).parameters).keys())
    x = method.__get__(part)(x) + len(names) + len(str(method)) + len(repr(method))
    return scaled(2).__get__(part)(x)  # breaks
"""
SUPER_PROPERTIES = """\
import torch

class Base(torch.nn.Module):
    @property
    def device(self):
        return torch.device("cpu")

    @property
    def sizes(self):
        return [3]

    @property
    def part(self):
        return torch.nn.ReLU()

class Child(Base):
    @property
    def device(self):
        if not hasattr(self, "hook"):
            return super().device

    @property
    def sizes(self):
        return super().sizes

    @property
    def part(self):
        return super().part

child = Child()

def f(x: torch.Tensor):
    if child.device is None or isinstance(child.device, str):
        return x
    y = torch.zeros(3, device=child.device)  # breaks
    if child.device != y.device:  # breaks
        y = y + 1
    y = child.part(y)  # breaks
    return x.to(child.device) + y  # breaks
"""
SIZES_OF_SUPER = (
    SUPER_PROPERTIES.partition("def f")[0]
    + """\
def f(x: torch.Tensor):
    return x * child.sizes[0]  # breaks
"""
)
IN_SUPER = (
    SUPER_PROPERTIES.partition("def f")[0]
    + """\
def f(x: torch.Tensor):
    if child.device.type in {"cuda", "xpu"}:  # breaks
        return x + 1
    return x
"""
)
UNKNOWN_OUTPUTS = """\
import torch

class Outputs:
    pass

outputs = Outputs()
outputs.__dict__.update(logits=torch.rand(2, 4), masks=torch.rand(2, 4))

def f(x, outputs=outputs):
    scores, labels = outputs.logits.softmax(dim=-1).max(-1)
    kept = labels.ne(7) & (scores > 0.1)
    if outputs.masks.sigmoid().sum() > 100:  # breaks
        return x
    return x.sum() + scores[kept].sum()  # breaks
"""
BUCKETS = """\
import torch

def f(x: torch.Tensor, h, w, bucket_options, resolution):
    best = float("inf")
    for index, (bucket_h, bucket_w) in enumerate(bucket_options):
        metric = abs(h * bucket_w - w * bucket_h)
        if metric <= best:
            best = metric
    return x * best + round((resolution * resolution / 2) ** 0.5 / 4)
"""
SPREAD_CAST = """\
import torch
import torch.nn.functional as F

def cast(*args):
    if not torch.is_autocast_enabled("cpu"):
        return args
    return torch.amp.autocast_mode._cast(args, "cpu", torch.bfloat16)

def f(x: torch.Tensor, sizes: torch.Tensor):
    y = F.layer_norm(*cast(x, (4,), x[0] + 1, x[0], 1e-5))
    return y.reshape(*sizes)  # breaks
"""
WRONG_ENUM = """\
import enum
import torch

class Kind(str, enum.Enum):
    TORCH = "pt"
    NUMPY = "np"

def corners(boxes: Kind) -> Kind:
    if isinstance(boxes, torch.Tensor):
        return boxes.repeat(1, 2)
    raise ValueError("no boxes")

def f(x, outputs: dict):
    boxes = corners(outputs["boxes"])
    if boxes.is_floating_point():
        boxes = boxes.float()
    return torch.max(x, boxes[:, :2])
"""
DECORATED_METHODS = """\
import torch

class Part:
    def __init__(self, factor):
        self.factor = factor

    @torch.no_grad()
    def scale(self, x):
        return x * self.factor

    @staticmethod
    def shift(x):
        return x + 1

class Twice(torch.autograd.Function):
    @staticmethod
    @torch.no_grad()
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2

def scaled(part, x):
    return part.scale(x){mark}

def f(x: torch.Tensor):
    part = Part(2)
    x = Twice.apply(part.shift(x))
    {statement}
    return scaled(part, x) + 1
"""
STAR_IMPORTS = """\
import torch
from torch.nn import *
from torch.optim.lr_scheduler import *

class Printing(Module):
    def forward(self, x):
        print(x)  # breaks
        return x

net = Sequential(Linear(3, 3), Printing())
scheduler = StepLR(torch.optim.SGD(net.parameters(), 0.1), 1)

def f(x):
    y = net(x)
    scheduler.step()  # breaks
    return y
"""
PROGRAMS = {
    **alias_programs.PROGRAMS,
    "reduced ranks": Program(REDUCED_RANKS),
    "constant tensors": Program(CONSTANT_TENSORS),
    "results of functions in a table": Program(FUNCTIONS_NAMED_MASKS, "(torch.rand(3), torch.tensor([1, 0]))"),
    **{f"scheduler: {made}": Program(SCHEDULER.format(made=made)) for made in SCHEDULERS},
    **{f"decorator: {each}": Program(DECORATED.format(decorator=each)) for each in DECORATORS},
    "tensors of subclasses": Program(TENSORS_OF_SUBCLASSES, "(torch.rand(3), 3)"),
    "numbers of NumPy": Program(NUMBERS_OF_NUMPY),
    "numbers of NumPy in math": Program(NUMBERS_IN_MATH),
    "functions of NumPy": Program(
        FUNCTIONS_OF_NUMPY, "(torch.rand(3), np.array([1.0, 2.0]), np.array([[0, 1], [1, 0]]))"
    ),
    **{
        f"raised by NumPy: {call}": Program(RAISED_BY_NUMPY.format(call=call), "(torch.rand(3), np.array([1.0, 2.0]))")
        for call in ("np.copyto(a, 1.0)", "np.put(a, 0, 1.0)", "b = np.ndarray((2, 3))", "a.dumps()")
    },
    **{
        f"a number in a tensor: {call}": Program(
            NUMBER_IN_TENSOR.format(call=call), "(torch.rand(4, 4) + torch.eye(4), torch.tensor(2))"
        )
        for call in CALLS_WITH_NUMBERS
    },
    "broadcast by a helper of torch": Program(SHARED_OUT, "(torch.rand(3), 3)"),
    **{
        f"items under computed keys: {name}": Program(ITEMS_UNDER_COMPUTED_KEYS.format(name=name), "(torch.rand(3), 3)")
        for name in ("f'range_{key}'", "'range_{}'.format(key)", "'range_%d' % key")
    },
    "made in the region": Program(MADE_IN_THE_REGION, "(torch.rand(3), 1)"),
    "classes of dicts": Program(CLASSES_OF_DICTS),
    "factors of lists": Program(FACTORS_OF_LISTS, "(torch.rand(3), torch.tensor(2.0))"),
    "asserted alternatives": Program(ASSERTED_ALTERNATIVES, "(torch.rand(2, 3), torch.ones(2, 3) > 0, 4)"),
    "training and false": Program(TRAINING_AND_FALSE, "(torch.rand(3), True)"),
    "names of types": Program(NAMES_OF_TYPES, "(torch.rand(3), torch.rand(3))"),
    "viewed as another dtype": Program(VIEWED_AS_ANOTHER_DTYPE),
    "drawn before a loop": Program(DRAWN_BEFORE_A_LOOP),
    **{
        f"visited: {visited}": Program(VISITED_RECURRENT.format(visited=visited), "(torch.rand(3), 0)")
        for visited in (
            "flat.parameters()",
            "nested.buffers()",
            "(m.weight for m in flat.children())",
            "[next(turned.parameters())]",
        )
    },
    "first of flat": Program(FIRST_OF_FLAT, "(torch.rand(3), 0)"),
    "children of nested": Program(CHILDREN_OF_NESTED, "(torch.rand(3), 0)"),
    "compared with a list": Program(COMPARED_WITH_A_LIST),
    "rounded": Program(ROUNDED, "(torch.rand(4), __import__('types').SimpleNamespace(parts=2))"),
    "exact types": Program(EXACT_TYPES, "(torch.rand(3), 2)"),
    "scalars of NumPy": Program(SCALARS_OF_NUMPY, "(torch.rand(4),)"),
    "whether gradients are recorded": Program(WHETHER_GRADIENTS_ARE_RECORDED),
    "chosen by signature": Program(CHOSEN_BY_SIGNATURE, "(torch.rand(3), 0, 'two', 'empty')"),
    "layers in an encoder": Program(LAYERS_IN_AN_ENCODER, "(torch.rand(3, 1, 4),)"),
    "index after a break": Program(INDEX_AFTER_A_BREAK, "(torch.rand(4),)"),
    **{
        f"compared: {compared}": Program(LISTS_OF_TENSORS.format(compared=compared), "(torch.rand(2), 0)")
        for compared in ("list(x) == [1, 2]", "tuple(x) != (1.0, 2)", "list(x) != list(x + 1)", "[x] == [1]")
    },
    "drawn indices": Program(DRAWN_INDICES, "(torch.rand(4, 4),)"),
    "reshaped by functions": Program(RESHAPED_BY_FUNCTIONS, "(torch.rand(3, 4), (3, 4), torch.rand(3, 4))"),
    **{
        f"described: {style}": Program(
            DESCRIBED_MASK.format(description=text),
            "(torch.rand(2, 3), torch.ones(2, 3) > 0, torch.tensor([0, 1]))",
        )
        for style, text in DESCRIPTIONS.items()
    },
    "spread options": Program(SPREAD_OPTIONS, "(torch.rand(3), 'plain')"),
    "flags": Program(FLAGS, "(torch.rand(4), False)"),
    **{f"changed flags: {how}": program for how, program in CHANGED_FLAGS.items()},
    "items of inputs": Program(ITEMS_OF_INPUTS, "(torch.rand(3), {'box': torch.rand(2, 2)})"),
    "out of memory": Program(HANDLER.format(error="torch.OutOfMemoryError"), "(torch.rand(3), 2)"),
    "messages of assertions": Program(MESSAGES_OF_ASSERTIONS),
    "dispatched": Program(DISPATCHED),
    "narrow numbers": Program(NARROW_NUMBERS, "(torch.rand(3), torch.tensor([0, 1, 1]))"),
    "closures from outside": Program(OUTSIDE_CLOSURES),
    "properties of super": Program(SUPER_PROPERTIES),
    "sizes of super": Program(SIZES_OF_SUPER),
    "in super": Program(IN_SUPER),
    "unknown outputs": Program(UNKNOWN_OUTPUTS),
    "buckets": Program(BUCKETS, "(torch.rand(3), 4, 5, [(3, 4), (6, 2)], 8)"),
    "spread cast": Program(SPREAD_CAST, "(torch.rand(3, 4), torch.tensor([4, 3]))"),
    "wrong enum": Program(WRONG_ENUM, "(torch.rand(3, 2), {'boxes': torch.rand(3, 2)})"),
    "decorated method": Program(DECORATED_METHODS.format(statement="x = x + 1", mark="  # breaks")),
    "decorated method after a break": Program(DECORATED_METHODS.format(statement="print(x)  # breaks", mark="")),
    **{f"created: {made}": Program(CREATE.format(made=made)) for made in CREATED},
    "objects for NumPy": Program(OBJECTS_FOR_NUMPY),
    "own scheduler": Program(OWN_SCHEDULER),
    "star imports": Program(STAR_IMPORTS),
    "leaves in backward": Program(LEAVES_IN_BACKWARD, "(torch.rand(3, requires_grad=True),)"),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_marked_lines_break(name: str) -> None:
    check_lines(PROGRAMS[name].source, "f")


@pytest.fixture(scope="module")
def observed() -> dict[str, set[int]]:
    """The lines at which Dynamo breaks in each program."""
    return lines_by_dynamo(PROGRAMS)


@pytest.mark.parametrize("name", PROGRAMS)
def test_dynamo_breaks_at_the_marked_lines(name: str, observed: dict[str, set[int]]) -> None:
    assert observed[name] == marked(PROGRAMS[name].source)
