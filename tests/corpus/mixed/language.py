"""Python itself: closures, generators, decorators, context managers, exceptions, containers, strings."""

import contextlib
import copy
import enum
import functools
import itertools
import json
import math
import operator
import time
import typing
from collections import Counter, OrderedDict, deque, namedtuple
from functools import partial, reduce

import torch
import torch.nn as nn
import torch.nn.functional as F


# %% closure_counter | torch.randn(3)
def make_counter():
    n = 0

    def bump():
        nonlocal n
        n += 1
        return n

    return bump


def f(x):
    bump = make_counter()
    for _ in range(3):
        x = x * bump()
    return x


# %% global_counter | torch.randn(3)
STEP = 0


def f(x):
    global STEP
    STEP += 1
    return x + STEP


# %% function_attribute_counter | torch.randn(3)
def helper(x):
    helper.calls += 1  # breaks: GB0467
    return x * 2


helper.calls = 0


def f(x):
    return helper(x)


# %% memo_dict | torch.randn(3)
CACHE = {}


def ones(n):
    if n not in CACHE:
        CACHE[n] = torch.ones(n)
    return CACHE[n]


def f(x):
    return x + ones(x.shape[0]) + ones(x.shape[0])


# %% generator_layers | torch.randn(3)
def scales(n):
    s = 1.0
    for _ in range(n):
        yield s
        s *= 0.5


def f(x):
    return sum(x * s for s in scales(4))


# %% generator_yield_from | torch.randn(3)
def inner(x):
    yield x
    yield x + 1


def outer(x):
    yield from inner(x)
    yield from (x * i for i in range(2))


def f(x):
    return torch.stack(list(outer(x)))


# %% generator_next_default | torch.randn(3)
def f(x):
    it = iter([x, x + 1])
    total = 0
    while (item := next(it, None)) is not None:
        total = total + item
    return total


# %% generator_send | torch.randn(3)
def running():
    total = 0
    while True:
        value = yield total
        if value is None:
            return
        total = total + value


def f(x):
    g = running()
    next(g)
    g.send(x)
    return g.send(x * 2)


# %% generator_returned | torch.randn(3)
def f(x):
    return (x * i for i in range(3))


# %% timing_decorator | torch.randn(3)
def timed(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        t0 = time.time()  # breaks: GB0007
        out = fn(*args, **kwargs)
        wrapper.elapsed = time.time() - t0  # breaks: GB0007, GB0467
        return out

    return wrapper


@timed
def work(x):
    return x.sin()


def f(x):
    return work(x) + 1


# %% passthrough_decorator | torch.randn(3)
def ensure_float(fn):
    @functools.wraps(fn)
    def wrapper(x, *args, **kwargs):
        return fn(x.float(), *args, **kwargs)

    return wrapper


def scaled(factor):
    def deco(fn):
        def wrapper(*args):
            return fn(*args) * factor

        return wrapper

    return deco


@ensure_float
@scaled(3)
def work(x, y):
    return x + y


def f(x):
    return work(x, 2)


# %% class_decorator_callable | torch.randn(3)
class Scale:
    def __init__(self, fn):
        self.fn = fn
        functools.update_wrapper(self, fn)

    def __call__(self, x):
        return self.fn(x) * 2


@Scale
def work(x):
    return x.cos()


def f(x):
    return work(x)


# %% contextmanager_generator | torch.randn(3)
@contextlib.contextmanager
def scaled(state, factor):
    old = state["scale"]
    state["scale"] = factor
    try:
        yield state
    finally:
        state["scale"] = old


def f(x):
    state = {"scale": 1.0}
    with scaled(state, 4.0) as s:
        y = x * s["scale"]
    return y + state["scale"]


# %% context_manager_class | torch.randn(3)
class Scope:
    depth = 0

    def __enter__(self):
        Scope.depth += 1
        return self

    def __exit__(self, *exc):
        Scope.depth -= 1
        return False


def f(x):
    with Scope() as s:
        y = x * s.depth
    return y


# %% context_manager_timer | torch.randn(3)
class Timer:
    def __enter__(self):
        self.start = time.time()  # breaks: GB0007
        return self

    def __exit__(self, *exc):
        self.seconds = time.time() - self.start


def f(x):
    with Timer() as t:
        y = x.exp()
    return y


# %% break_inside_context | torch.randn(3)
class Scope:
    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return False


def f(x):
    with Scope():
        y = x + 1
        print("in the scope")  # breaks: GB0059
        y = y * 2
    return y


# %% exitstack | torch.randn(3)
def f(x, grad: bool = False):
    with contextlib.ExitStack() as stack:
        if not grad:
            stack.enter_context(torch.no_grad())  # breaks: GB0007
        return x * 2


# %% nullcontext_choice | torch.randn(3)
def f(x, train: bool = True):
    ctx = contextlib.nullcontext() if train else torch.no_grad()
    with ctx:
        return x.tanh()


# %% suppress | torch.randn(3)
def f(x, d={"a": 1}):
    value = 0
    with contextlib.suppress(KeyError):
        value = d["b"]
    return x + value


# %% autocast_block | torch.randn(3, 3)
def f(x):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = x @ x
    return y.float()


# %% try_key_error | torch.randn(3)
def f(x, table={"a": 2}):
    try:
        scale = table["b"]
    except KeyError:
        scale = 3
    finally:
        x = x + 1
    return x * scale


# %% try_value_error_raised | torch.randn(3)
def check(n):
    if n > 2:
        raise ValueError(f"too many: {n}")
    return n


def f(x):
    try:
        n = check(x.shape[0])
    except ValueError as e:
        n = len(str(e))
    return x * n


# %% raise_uncaught_shape | torch.randn(3)
def f(x):
    if x.ndim != 1:
        raise ValueError("bad shape")
    return x * 2


# %% raise_from | torch.randn(3)
class ConfigError(Exception):
    pass


def lookup(d, k):
    try:
        return d[k]
    except KeyError as e:
        raise ConfigError(k) from e


def f(x):
    try:
        return x * lookup({}, "a")
    except ConfigError:
        return x


# %% bare_except_item | torch.randn(3)
def f(x):
    try:
        v = x.sum().item()  # breaks: GB0124
    except Exception:
        v = 0.0
    return x + v


# %% assert_tensor | torch.ones(3)
def f(x):
    assert torch.isfinite(x).all(), "not finite"
    return x.log()


# %% assert_tensor_fstring | torch.ones(3)
def f(x):
    assert (x > 0).all(), f"min was {x.min()}"  # breaks: GB0170
    return x.log()


# %% assert_shape_and_type | torch.ones(3)
def f(x):
    assert isinstance(x, torch.Tensor) and x.ndim == 1
    assert x.dtype == torch.float32, f"got {x.dtype}"
    assert x.shape[0] == 3, x.shape
    return x.log()


# %% while_python_condition | torch.ones(8)
def f(x):
    while x.shape[0] > 1:
        half = x.shape[0] // 2
        x = x[:half] + x[half : 2 * half]
    return x


# %% while_tensor_condition | torch.ones(8)
def f(x):
    while x.norm() > 1:  # breaks: GB0170
        x = x / 2
    return x


# %% loop_break_continue | torch.randn(3)
def f(x):
    for i in range(10):
        if i == 2:
            continue
        if i > 4:
            break
        x = x + i
    else:
        x = x * 0
    return x


# %% loop_else | torch.randn(3)
def f(x, names=("a", "b")):
    for n in names:
        if n == "c":
            break
    else:
        x = x - 1
    return x


# %% early_return_on_tensor | torch.randn(3)
def f(x):
    if x.sum() > 100:  # breaks: GB0170
        return x
    y = x * 2
    return y + 1


# %% ternary_on_tensor | torch.randn(3)
def f(x):
    s = 1 if x[0] > 0 else -1  # breaks: GB0170
    return x * s


# %% and_or_tensors | torch.randn(3), torch.randn(3)
def f(a, b):
    if (a > 0).all() and (b > 0).all():  # breaks: GB0170
        return a
    return b


# %% bitwise_and_tensors | torch.randn(3), torch.randn(3)
def f(a, b):
    both = (a > 0) & (b > 0)
    return torch.where(both | (a < -1), a, b)


# %% python_max_tensors | torch.randn(()), torch.randn(())
def f(a, b):
    return max(a, b) + 1


# %% python_sum_min | torch.randn(3)
def f(x):
    n = min(x.shape[0], 10)
    return sum([x * i for i in range(n)], torch.zeros(3))


# %% comprehension_forms | torch.randn(4)
def f(x):
    squares = [i * i for i in range(4) if i % 2]
    lookup = {f"k{i}": x[i] for i in range(4)}
    uniq = {i % 2 for i in range(4)}
    nested = [[x * i * j for j in range(2)] for i in range(2)]
    return lookup["k1"] + sum(squares) + len(uniq) + nested[1][1]


# %% dict_dispatch_functions | torch.randn(4)
ACT = {"relu": F.relu, "gelu": F.gelu, "tanh": torch.tanh, "id": lambda t: t}


def f(x, names=("relu", "tanh", "id")):
    for n in names:
        x = ACT[n](x)
    return x


# %% match_statement | torch.randn(4)
def f(x, op=("scale", 2)):
    match op:
        case ("scale", k):
            return x * k
        case ("shift", k):
            return x + k
        case _:
            return x


# %% match_on_mapping | torch.randn(4)
def f(x, cfg={"kind": "norm", "p": 2}):
    match cfg:
        case {"kind": "norm", "p": p}:
            return x.norm(p)
        case _:
            return x


# %% walrus_filter | torch.randn(4)
def f(x):
    if (n := x.shape[0]) > 3:
        x = x[: n - 1]
    return x


# %% star_args | torch.randn(4)
def combine(*tensors, weights=None, **opts):
    weights = weights or [1.0] * len(tensors)
    out = sum(w * t for w, t in zip(weights, tensors))
    return out.clamp(**opts) if opts else out


def f(x):
    return combine(x, x + 1, weights=[0.5, 0.5], min=0) + combine(*[x, x])


# %% keyword_only_and_unpack | torch.randn(4)
def step(x, /, scale, *, bias=0.0):
    return x * scale + bias


def f(x):
    cfg = {"scale": 2.0, "bias": 1.0}
    merged = {**cfg, "bias": 3.0}
    return step(x, **merged)


# %% mutable_default_list | torch.randn(4)
def f(x, history=[]):
    history.append(x.mean())
    return x + len(history)


# %% partial_and_reduce | torch.randn(4)
def f(x):
    fns = [partial(torch.mul, other=2), torch.relu, partial(operator.add, 1)]
    return reduce(lambda acc, fn: fn(acc), fns, x)


# %% operator_itemgetter | torch.randn(4)
def f(x):
    items = [("b", 2), ("a", 1)]
    items.sort(key=operator.itemgetter(0))
    return x * items[0][1]


# %% sorted_by_lambda | torch.randn(4)
def f(x):
    order = sorted(range(4), key=lambda i: -i)
    return x[order]


# %% sorted_tensors | torch.randn(4)
def f(x):
    return sorted([x[0], x[1], x[2]])  # breaks: GB0207


# %% deque_window | torch.randn(4)
def f(x):
    window = deque(maxlen=2)
    for i in range(4):
        window.append(x[i])
    return sum(window)


# %% counter_tokens | torch.randn(4)
def f(x, words=("a", "b", "a")):
    c = Counter(words)
    return x * c["a"]


# %% ordered_dict | torch.randn(4)
def f(x):
    d = OrderedDict()
    d["a"] = x
    d["b"] = x * 2
    d.move_to_end("a")
    return torch.cat(list(d.values()))


# %% namedtuple_replace | torch.randn(4)
State = namedtuple("State", ["x", "step"])


def f(x):
    s = State(x, 0)
    for _ in range(2):
        s = s._replace(x=s.x * 2, step=s.step + 1)
    return s.x + s.step


# %% enum_mode | torch.randn(4)
class Mode(enum.Enum):
    TRAIN = "train"
    EVAL = "eval"


def f(x, mode=Mode.TRAIN):
    if mode is Mode.TRAIN:
        return x * 2
    return x if mode == Mode.EVAL else -x


# %% int_enum_index | torch.randn(4)
class Axis(enum.IntEnum):
    X = 0
    Y = 1


def f(x):
    return x[Axis.Y] + x[Axis.X.value]


# %% enum_lookup_by_value | torch.randn(4)
class Mode(enum.Enum):
    TRAIN = "train"
    EVAL = "eval"


def f(x, name: str = "eval"):
    mode = Mode(name)
    return x * len(mode.name)


# %% itertools_mix | torch.randn(4)
def f(x):
    out = x
    for a, b in itertools.chain([(1, 2)], zip([3], [4])):
        out = out + a * b
    for i in itertools.islice(itertools.count(1), 3):
        out = out * i
    return out + sum(itertools.accumulate([1, 2, 3]))


# %% itertools_groupby | torch.randn(4)
def f(x):
    total = 0
    for key, group in itertools.groupby([1, 1, 2]):
        total += key * len(list(group))
    return x * total


# %% zip_longest_enumerate | torch.randn(4)
def f(x):
    out = x
    for i, (a, b) in enumerate(itertools.zip_longest([1, 2], [3], fillvalue=0), start=1):
        out = out + i * (a - b)
    return out


# %% math_constants | torch.randn(4)
def f(x):
    c = math.sqrt(2 / math.pi)
    return 0.5 * x * (1 + torch.tanh(c * (x + 0.044715 * x**3)))


# %% math_on_tensor | torch.tensor(2.0)
def f(x):
    return x * math.sqrt(x)  # breaks: GB0033


# %% math_on_item | torch.tensor(2.0)
def f(x):
    n = x.item()  # breaks: GB0124
    return math.exp(n) + x


# %% round_and_divmod | torch.randn(7)
def f(x):
    q, r = divmod(x.shape[0], 2)
    return x[: round(q * 1.5)] + r


# %% string_building | torch.randn(7)
def f(x, tag: str = "a-b"):
    parts = tag.split("-")
    name = "_".join(p.upper() for p in parts) + f":{x.shape[0]}"
    if name.startswith("A") and "B" in name:
        x = x * name.count("_")
    return x, name.replace("_", " ")


# %% string_format_tensor | torch.randn(7)
def f(x):
    msg = f"mean={x.mean()}"
    return x, len(msg)  # breaks: GB0088


# %% string_percent_shape | torch.randn(7)
def f(x):
    key = "n%d_%s" % (x.shape[0], x.dtype)
    return {key: x + 1}


# %% json_dumps_config | torch.randn(7)
def f(x, cfg={"a": 1}):
    text = json.dumps(cfg)  # breaks: GB0156
    return x * len(text)


# %% sort_and_reverse_list | torch.randn(3)
def f(x):
    sizes = [3, 1, 2]
    sizes.sort(reverse=True)
    sizes.insert(0, sizes.pop())
    sizes.extend(reversed(sizes))
    return x * sizes[0] + sizes.index(3)


# %% list_of_tensors_membership | torch.randn(3), torch.randn(3)
def f(a, b):
    items = [a]
    if b in items:  # breaks: GB0170
        return a
    return b


# %% set_operations | torch.randn(3)
def f(x):
    a, b = {1, 2, 3}, {2, 3, 4}
    a |= {9}
    return x * len(a & b) + max(a - b)


# %% dict_methods | torch.randn(3)
def f(x):
    d = dict(a=1, b=2)
    d.update({"c": 3})
    d.setdefault("d", 4)
    v = d.pop("a")
    del d["b"]
    return x * sum(d.values()) + v + len(d.keys())


# %% dict_of_tensors_update | {"x": torch.randn(3), "y": torch.randn(3)}
def f(batch: dict):
    out = {k: v * 2 for k, v in batch.items() if k != "y"}
    out |= {"z": batch["y"]}
    return out


# %% slice_object | torch.randn(8)
def f(x):
    s = slice(1, None, 2)
    start, stop, step = s.indices(x.shape[0])
    return x[s] + start


# %% tuple_compare | torch.randn(2, 3)
def f(x):
    if tuple(x.shape) == (2, 3) and x.shape > (1, 1):
        return x.t()
    return x


# %% isinstance_dispatch | torch.randn(2, 3)
def to_list(v):
    if isinstance(v, torch.Tensor):
        return [v]
    if isinstance(v, (list, tuple)):
        return [t for item in v for t in to_list(item)]
    if isinstance(v, dict):
        return to_list(list(v.values()))
    raise TypeError(type(v))


def f(x):
    return sum(t.sum() for t in to_list({"a": x, "b": [x, (x, x)]}))


# %% hasattr_getattr | torch.randn(2, 3)
def f(x, fn: str = "sigmoid"):
    if hasattr(x, fn):
        x = getattr(x, fn)()
    return getattr(torch, "relu")(x)


# %% callable_check | torch.randn(2, 3)
def apply(x, g=None):
    if callable(g):
        return g(x)
    return x


def f(x):
    return apply(x, torch.sin) + apply(x)


# %% lambda_capturing_loop | torch.randn(3)
def f(x):
    fns = [lambda t, k=k: t * k for k in range(3)]
    return sum(fn(x) for fn in fns)


# %% recursion | torch.randn(3)
def power(x, n):
    if n == 0:
        return torch.ones_like(x)
    half = power(x, n // 2)
    return half * half * (x if n % 2 else 1)


def f(x):
    return power(x, 5)


# %% lru_cached_table | torch.randn(3)
@functools.lru_cache
def factor(n: int) -> float:
    return 1.0 / math.factorial(n)


def f(x):
    return x * factor(4)


# %% singledispatch | torch.randn(3)
@functools.singledispatch
def scale(v, x):
    return x


@scale.register
def _(v: int, x):
    return x * v


def f(x):
    return scale(3, x)  # breaks: GB0811


# %% typing_cast | torch.randn(3)
def f(x):
    y = typing.cast(torch.Tensor, x)
    if typing.TYPE_CHECKING:
        print("never")
    return y * 2


# %% eval_expression | torch.randn(3)
def f(x):
    n = eval("1 + 2")
    return x * n


# %% del_variable | torch.randn(3)
def f(x):
    y = x * 2
    z = y + 1
    del y
    return z


# %% chained_comparison_tensor | torch.tensor(0.5)
def f(x):
    if 0 < x < 1:  # breaks: GB0170
        return x
    return x.clamp(0, 1)


# %% tensor_truthiness_not | torch.tensor(0.5)
def f(x):
    if not x:  # breaks: GB0170
        return x + 1
    return x


# %% range_of_item | torch.tensor(3)
def f(n):
    out = torch.zeros(2)
    for i in range(n.item()):  # breaks: GB0124
        out = out + i
    return out


# %% range_of_tensor | torch.tensor(3), torch.zeros(2)
def f(n: torch.Tensor, x: torch.Tensor):
    for i in range(n):  # breaks: GB0059
        x = x + i
    return x


# %% print_in_helper | torch.randn(3)
def report(name, t):
    print(name, tuple(t.shape))  # breaks: GB0059


def f(x):
    y = x * 2
    report("y", y)
    return y.sum()


# %% deepcopy_config | torch.randn(3)
def f(x, cfg={"a": [1, 2]}):
    c = copy.deepcopy(cfg)
    c["a"].append(3)
    return x * len(c["a"])


# %% sleep_between | torch.randn(3)
def f(x):
    y = x + 1
    time.sleep(0)  # breaks: GB0007
    return y * 2


# %% import_inside | torch.randn(3)
def f(x):
    import math as m
    from torch.nn.functional import silu

    return silu(x) * m.pi


# %% input_id_and_hash | torch.randn(3)
def f(x):
    key = hash(("a", 1))
    return x * (key == hash(("a", 1)))


# %% int_float_str_casts | torch.randn(3)
def f(x, n: str = "3"):
    k = int(n) + float("1.5")
    return x * k * bool(n), str(k)


# %% nested_function_default_tensor | torch.randn(3)
def f(x):
    def inner(a, b=x):
        return a + b

    return inner(x * 2)


# %% map_filter_zip | torch.randn(3)
def f(x):
    doubled = list(map(lambda i: i * 2, range(3)))
    odd = list(filter(lambda i: i % 4, doubled))
    pairs = dict(zip("ab", odd))
    return x * pairs["a"], any(odd), all(doubled)


# %% dict_comprehension_from_tensor | torch.randn(3)
def f(x):
    return {i: v for i, v in enumerate(x.unbind())}


# %% tensor_as_dict_key | torch.tensor(1)
def f(i):
    names = {0: 1.0, 1: 2.0}
    return torch.ones(2) * names[i.item()]  # breaks: GB0124


# %% conditional_import_flag | torch.randn(3)
try:
    import nonexistent_accelerated_lib

    HAVE_FAST = True
except ImportError:
    HAVE_FAST = False


def f(x):
    if HAVE_FAST:
        return nonexistent_accelerated_lib.run(x)
    return x.exp()

# %% unequal_without_a_method_of_its_own | torch.randn(3)
class Version:
    def __init__(self, number):
        self.number = number

    def __eq__(self, other):
        torch._dynamo.graph_break()  # breaks: GB0025
        return self.number == other.number


def f(x):
    return x + 1, Version(1) != Version(2)


# %% set_of_tensors_across_a_break | torch.randn(4)
def f(x):
    seen = {x, x + 1}
    print("half way")  # breaks: GB0059
    return x * len(seen)  # breaks: GB0222


# %% set_of_numbers_across_a_break | torch.randn(4)
def f(x):
    seen = {x.shape, x + 1}
    sizes = {1, 2}
    y = x * len(seen)
    print("half way")  # breaks: GB0059
    return y * len(sizes)


# %% module_whose_init_breaks | torch.randn(4)
class Loud(torch.nn.Sequential):
    def __init__(self, *layers):
        print("made")  # breaks: GB0059
        super().__init__(*layers)  # breaks: GB0119


class Scale(torch.nn.Module):
    def __init__(self):
        super().__init__()  # breaks: GB0119
        self.weight = torch.nn.Parameter(torch.ones(4))  # breaks: GB0264

    def forward(self, x):
        return x * self.weight


def f(x):
    return Scale()(Loud(torch.nn.ReLU(), torch.nn.Tanh())(x))
