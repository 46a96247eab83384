"""Context managers: each function was run under PyTorch 2.13; the comment above it says whether it breaks."""

import concurrent.futures
import contextlib
import io
import tempfile
import threading
import torch

LOCK = threading.RLock()


class Manager:

    def __enter__(self):
        return self

    def __exit__(self, *given):
        return False


class DerivedManager(Manager):
    pass


class ManagerWithValue(Manager):
    entry = 1


MANAGER = ManagerWithValue()


@contextlib.contextmanager
def from_generator(entry=1):
    yield entry


@contextlib.contextmanager
def from_generator_finally(entry=1):
    try:
        yield entry
    finally:
        pass


# whole
@torch.compile
def case_user_manager(t: torch.Tensor):
    with DerivedManager():
        return t + 1


# breaks
@torch.compile
def case_user_manager_global_inst(t: torch.Tensor):
    with MANAGER as cell_value:
        other = t + cell_value.v
    return other


# whole
@torch.compile
def case_generator_manager(t: torch.Tensor):
    with from_generator(2) as entry:
        return t + entry


# whole
@torch.compile
def case_generator_manager_try(t: torch.Tensor):
    with from_generator_finally() as entry:
        other = t + entry
    return other


# breaks
@torch.compile
def case_exitstack(t: torch.Tensor):
    with contextlib.ExitStack() as st:
        st.enter_context(torch.no_grad())
        return t + 1


# whole
@torch.compile
def case_exitstack_user(t: torch.Tensor):
    with contextlib.ExitStack() as st:
        st.enter_context(DerivedManager())
        return t + 1


# whole
@torch.compile
def case_nullctx(t: torch.Tensor):
    with contextlib.nullcontext():
        return t + 1


# whole
@torch.compile
def case_nullctx_val(t: torch.Tensor):
    with contextlib.nullcontext(t) as other:
        return other + 1


# whole
@torch.compile
def case_suppress(t: torch.Tensor):
    with contextlib.suppress(KeyError):
        {}['a']
    return t + 1


# breaks
@torch.compile
def case_redirect(t: torch.Tensor):
    with contextlib.redirect_stdout(io.StringIO()):
        return t + 1


# breaks
@torch.compile
def case_lock(t: torch.Tensor):
    with threading.Lock():
        return t + 1


# breaks
@torch.compile
def case_rlock_global(t: torch.Tensor):
    with LOCK:
        return t + 1


# breaks
@torch.compile
def case_open(t: torch.Tensor):
    with open('/dev/null') as inner_function:
        return t + 1


# breaks
@torch.compile
def case_tempdir(t: torch.Tensor):
    with tempfile.TemporaryDirectory() as table:
        return t + 1


# whole
@torch.compile
def case_enable_grad(t: torch.Tensor):
    with torch.enable_grad():
        return t + 1


# whole
@torch.compile
def case_inference(t: torch.Tensor):
    with torch.inference_mode():
        return t + 1


# whole
@torch.compile
def case_autocast_amp(t: torch.Tensor):
    with torch.amp.autocast('cpu'):
        return t + 1


# breaks
@torch.compile
def case_saved_hooks(t: torch.Tensor):
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        return t + 1


# breaks
@torch.compile
def case_save_on_cpu(t: torch.Tensor):
    with torch.autograd.graph.save_on_cpu():
        return t + 1


# breaks
@torch.compile
def case_mult_grad(t: torch.Tensor):
    with torch.autograd.set_multithreading_enabled(False):
        return t + 1


# whole
@torch.compile
def case_recfn(t: torch.Tensor):
    with torch.profiler.record_function('a'):
        return t + 1


# whole
@torch.compile
def case_recfn_ag(t: torch.Tensor):
    with torch.autograd.profiler.record_function('a'):
        return t + 1


# whole
@torch.compile
def case_profile(t: torch.Tensor):
    with torch.profiler.profile() as param:
        return t + 1


# breaks
@torch.compile
def case_device_manager(t: torch.Tensor):
    with torch.device('cpu'):
        return torch.ones(3) + t


# breaks
@torch.compile
def case_mkldnn_flags(t: torch.Tensor):
    with torch.backends.mkldnn.flags(enabled=False):
        return t + 1


# breaks
@torch.compile
def case_flops(t: torch.Tensor):
    from torch.utils.flop_counter import FlopCounterMode
    with FlopCounterMode(display=False):
        return t + 1


# whole
@torch.compile
def case_parametrize_cached(t: torch.Tensor):
    with torch.nn.utils.parametrize.cached():
        return t + 1


# whole
@torch.compile
def case_dual(t: torch.Tensor):
    with torch.autograd.forward_ad.dual_level():
        return t + 1


# whole
@torch.compile
def case_dual_make(t: torch.Tensor):
    with torch.autograd.forward_ad.dual_level():
        return torch.autograd.forward_ad.make_dual(t, t)


# whole
@torch.compile
def case_unsafe_ver(t: torch.Tensor):
    with torch.autograd._unsafe_preserve_version_counter(t):
        return t + 1


# whole
@torch.compile
def case_async_with(t: torch.Tensor):

    async def f():
        async with DerivedManager():
            return t
    return t + 1


# whole
@torch.compile
def case_multi_with(t: torch.Tensor):
    with torch.no_grad(), DerivedManager():
        return t + 1


# whole
@torch.compile
def case_with_given_loop(t: torch.Tensor):
    for index in range(3):
        with torch.no_grad():
            t = t + 1
    return t


# breaks
@torch.compile
def case_defaultdict_given_user_with(t: torch.Tensor):
    other = t + 1
    other = other * 2
    with DerivedManager():
        if other.sum() > 0:
            other = other + 1
    return other


# whole
@torch.compile
def case_nograd_local_var(t: torch.Tensor):
    cell_value = torch.no_grad()
    with cell_value:
        other = t + 1
    return other


# breaks
@torch.compile
def case_tpe(t: torch.Tensor):
    with concurrent.futures.ThreadPoolExecutor(1) as error:
        return error.submit(torch.sin, t).result()


# whole
@torch.compile
def case_egb_manager(t: torch.Tensor):
    other = t + 1
    with torch._dynamo.error_on_graph_break(True):
        other = other * 2
    return other


# breaks
@torch.compile
def case_patch_cfg_manager(t: torch.Tensor):
    with torch._dynamo.patch_dynamo_config(capture_scalar_outputs=True):
        return t + t.sum().item()


# breaks
@torch.compile
def case_raw_config_patch(t: torch.Tensor):
    with torch._dynamo.config.patch(capture_scalar_outputs=True):
        return t + t.sum().item()
