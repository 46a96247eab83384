"""Context managers, exceptions, generators, operators of classes."""

import torch


# %% gcm_print | torch.randn(3)
import contextlib


@contextlib.contextmanager
def gcm_print():
    print("a")  # breaks: GB0059
    yield 1


def f(x):
    y = x + 1
    y = y * 2
    with gcm_print() as v:
        y = y + v
    return y


# %% gcm_nograd_body_break | torch.randn(3)
import contextlib


@contextlib.contextmanager
def gcm_nograd():
    with torch.no_grad():
        yield


def f(x):
    y = x + 1
    y = y * 2
    with gcm_nograd():
        print("a")  # breaks: GB0059
        y = y + 1
    return y


# %% chdir | torch.randn(3)
import contextlib


def f(x):
    with contextlib.chdir("."):  # breaks: GB0007
        return x + 1


# %% set_grad | torch.randn(3)
def f(x):
    with torch.set_grad_enabled(False):
        return x + 1


# %% autocast_cuda | torch.randn(3)
def f(x):
    with torch.cuda.amp.autocast():
        return x + 1


# %% saved_hooks | torch.randn(3)
def f(x):
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):  # breaks: GB0008, GB0142
        return x + 1


# %% sdpa_kernel2 | torch.randn(3)
SB = torch.nn.attention.SDPBackend


def f(x):
    with torch.nn.attention.sdpa_kernel(SB.MATH):
        return x + 1


# %% sdp_kernel_old | torch.randn(3)
def f(x):
    with torch.backends.cuda.sdp_kernel(enable_flash=False):  # breaks: GB0142, GB0208
        return x + 1


# %% fork_rng | torch.randn(3)
def f(x):
    with torch.random.fork_rng(devices=[]):  # breaks: GB0142, GB0208
        return x + torch.rand(3)


# %% break_in_gen | torch.randn(3)
def f(x):

    def g():
        for i in range(2):
            print("a")  # breaks: GB0059
            yield (x + i)

    y = x + 1
    return sum(g()) + y


# %% break_unpack | torch.randn(3)
def brk2(x):
    print("a")  # breaks: GB0059
    return (x, x + 1)


def f(x):
    a, b = brk2(x)
    return a + b


# %% break_attr | torch.randn(3)
class BP:
    @property
    def p(self):
        print("a")  # breaks: GB0059
        return 1


def f(x):
    y = x + 1
    y = y * 2
    return y + BP().p


# %% break_binop | torch.randn(3)
class BO:
    def __add__(self, o):
        print("a")  # breaks: GB0059
        return 2


def f(x):
    y = x + 1
    y = y * 2
    return y + (BO() + 1)


# %% break_compare | torch.randn(3)
class BC:
    def __eq__(self, o):
        print("a")  # breaks: GB0059
        return o == 3


def f(x):
    return x + 1 if BC() == 3 else x


# %% break_getitem | torch.randn(3)
class BG:
    def __getitem__(self, i):
        print("a")  # breaks: GB0059
        return 1


def f(x):
    return x + BG()[0]


# %% break_contains | torch.randn(3)
class BCn:
    def __contains__(self, o):
        print("a")  # breaks: GB0059
        return True


def f(x):
    y = x + 1
    y = y * 2
    return y + 1 if 1 in BCn() else y


# %% break_delitem | torch.randn(3)
class BDI:
    def __delitem__(self, i):
        print("a")  # breaks: GB0059


def f(x):
    o = BDI()
    del o[0]
    return x + 2


# %% break_import | torch.randn(3)
def f(x):
    y = x + 1
    y = y * 2
    import nonexist_mod_zz  # breaks: GB0069

    return y


# %% raise_uncaught | torch.randn(3)
def f(x):
    y = x + 1
    raise ValueError("a")  # breaks: GB0088


# %% try_torch_err | torch.randn(3)
def f(x):
    try:
        return x.view(7)  # breaks: GB4315
    except RuntimeError:
        return x + 1


# %% try_assert | torch.randn(3)
def f(x):
    try:
        assert x.shape[0] == 4  # breaks: GB0034
    except AssertionError:
        return x + 1
    return x


# %% exc_info | torch.randn(3)
import sys


def f(x):
    try:
        raise ValueError
    except ValueError:
        t = sys.exc_info()[0]
    return x + 1


# %% gen_toplevel | torch.randn(3)
def gtop(x):
    yield x
    yield (x + 1)


def f(x):
    return list(gtop(x))


# %% nograd_global | torch.randn(3)
NG = torch.no_grad()


def f(x):
    with NG:  # breaks: GB0142
        y = x + 1
    return y


# %% ue0 | torch.randn(3)
class UE0(Exception):
    pass


def f(x):
    try:
        raise UE0("a")
    except UE0 as e:
        return x + len(str(e))


# %% ue1 | torch.randn(3)
class UE1(Exception):
    def __init__(self, a):
        self.a = a


def f(x):
    try:
        raise UE1(2)
    except UE1 as e:
        return x + e.a


# %% print_ignored | torch.randn(3)
torch._dynamo.config.ignore_logging_functions = {print}


def f(x):
    print("a")
    return x + 1


# %% print_reorder | torch.randn(3)
torch._dynamo.config.reorderable_logging_functions = {print}


def f(x):
    y = x + 1
    print("a", y)
    return y * 2


# %% print_reorder_shape | torch.randn(3)
torch._dynamo.config.reorderable_logging_functions = {print}


def f(x):
    y = x + 1
    print("a", y.shape)  # breaks: GB0296
    return y * 2


# %% print_reorder_fstr | torch.randn(3)
torch._dynamo.config.reorderable_logging_functions = {print}


def f(x):
    y = x + 1
    print(f"a {y}")
    return y * 2


# %% print_reorder_fstr_item | torch.randn(3)
torch._dynamo.config.reorderable_logging_functions = {print}


def f(x):
    y = x + 1
    print(f"a {y.sum().item()}")  # breaks: GB0124
    return y * 2


# %% print_reorder_list | torch.randn(3)
torch._dynamo.config.reorderable_logging_functions = {print}


def f(x):
    y = x + 1
    print([y])  # breaks: GB0296
    return y * 2


# %% warn_reorder | torch.randn(3)
import warnings


torch._dynamo.config.reorderable_logging_functions = {warnings.warn}


def f(x):
    y = x + 1
    warnings.warn("a")
    return y * 2


# %% lg_reorder | torch.randn(3)
import logging


lg = logging.getLogger("lg")
torch._dynamo.config.reorderable_logging_functions = {lg.info}


def f(x):
    y = x + 1
    lg.info("a")  # breaks: GB0291
    return y * 2
