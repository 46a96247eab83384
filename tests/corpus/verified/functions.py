"""Functions: each function was run under PyTorch 2.13; the comment above it says whether it breaks."""

import atexit
import base64
import contextlib
import copy
import datetime
import fractions
import gc
import importlib
import inspect
import math
import os
import pathlib
import pickle
import queue
import sys
import threading
import time
import types
import typing
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

SHARED_NUMBER = 1


SETTINGS = types.SimpleNamespace(a=1)


NEW_YEAR = datetime.date(2020, 1, 1)


@contextlib.contextmanager
def from_generator(entry=1):
    yield entry


class Point:

    def __init__(self, given):
        self.a = given


NUMPY_ARRAY = np.ones(3)


NUMPY_SCALAR = np.float32(3)


def branches_on_data(other):
    if other.sum() > 0:
        return other + 1
    return other


scripted = torch.jit.script(nn.Linear(3, 3))


def plus_one(third):
    return third + 1


@torch.compiler.disable
def left_out(t):
    return t + 1


@torch._dynamo.disable(reason='a')
def left_out_with_reason(t):
    return t + 1


# whole
@torch.compile
def case_add(t: torch.Tensor):
    return t + 1


# breaks
@torch.compile
def case_whileitem(t: torch.Tensor):
    while t.sum().item() < 10:
        t = t + 1
    return t


# breaks
@torch.compile
def case_share_memory(t: torch.Tensor):
    return t.share_memory_()


# breaks
@torch.compile
def case_item(t: torch.Tensor):
    return t.sum().item()


# whole
@torch.compile
def case_dataptr_add(t: torch.Tensor):
    param = t.data_ptr()
    return t + 1


# breaks
@torch.compile
def case_dataptr_compared(t: torch.Tensor):
    return t + 1 if t.data_ptr() == 0 else t


# whole
@torch.compile
def case_dataptr_compared_same(t: torch.Tensor):
    return t + 1 if t.data_ptr() == t.data_ptr() else t


# breaks
@torch.compile
def case_dataptr_arith(t: torch.Tensor):
    return t + t.data_ptr() % 2


# breaks
@torch.compile
def case_storage_ptr(t: torch.Tensor):
    return t + t.untyped_storage().data_ptr() % 2


# whole
@torch.compile
def case_stride(t: torch.Tensor):
    return t + t.stride(0)


# breaks
@torch.compile
def case_is_shared(t: torch.Tensor):
    return t + 1 if t.is_shared() else t


# breaks
@torch.compile
def case_is_pinned(t: torch.Tensor):
    return t + 1 if t.is_pinned() else t


# whole
@torch.compile
def case_is_leaf_interm(t: torch.Tensor):
    other = t * 2
    return other + 1 if other.is_leaf else other


# breaks
@torch.compile
def case_unsq_inp(t: torch.Tensor):
    t.unsqueeze_(0)
    return t + 1


# whole
@torch.compile
def case_unsq_integer(t: torch.Tensor):
    other = t + 1
    other.unsqueeze_(0)
    return other


# breaks
@torch.compile
def case_tensor_inp(t: torch.Tensor):
    t.t_()
    return t + 1


# breaks
@torch.compile
def case_squeeze_inp(t: torch.Tensor):
    t.squeeze_()
    return t + 1


# breaks
@torch.compile
def case_resize(t: torch.Tensor):
    other = t + 1
    other.resize_(5)
    return other


# breaks
@torch.compile
def case_resize_as(t: torch.Tensor):
    other = t + 1
    other.resize_as_(torch.zeros(5))
    return other


# whole
@torch.compile
def case_set1(t: torch.Tensor):
    other = t + 1
    other.set_(t)
    return other


# breaks
@torch.compile
def case_set3(t: torch.Tensor):
    other = t + 1
    other.set_(t.untyped_storage(), 0, (3,))
    return other


# breaks
@torch.compile
def case_random(t: torch.Tensor):
    other = t + 1
    other.random_()
    return other


# whole
@torch.compile
def case_uniform(t: torch.Tensor):
    other = t + 1
    other.uniform_(0, 1)
    return other


# whole
@torch.compile
def case_normal(t: torch.Tensor):
    other = t + 1
    other.normal_()
    return other


# whole
@torch.compile
def case_data_inp(t: torch.Tensor):
    t.data = t.data + 1
    return t


# breaks
@torch.compile
def case_data_integer(t: torch.Tensor):
    other = t + 1
    other.data = t
    return other


# whole
@torch.compile
def case_data_read(t: torch.Tensor):
    return t.data + 1


# whole
@torch.compile
def case_data_fill(t: torch.Tensor):
    t.data.fill_(0)
    return t + 1


# whole
@torch.compile
def case_new(t: torch.Tensor):
    return t.new(2, 3)


# whole
@torch.compile
def case_newzeros(t: torch.Tensor):
    return t.new_zeros(2, 3)


# whole
@torch.compile
def case_cpu(t: torch.Tensor):
    return t.cpu() + 1


# whole
@torch.compile
def case_to_dev(t: torch.Tensor):
    return t.to('cpu')


# breaks
@torch.compile
def case_dlpack2(t: torch.Tensor):
    return torch.from_dlpack(t)


# breaks
@torch.compile
def case_deepcopy(t: torch.Tensor):
    return copy.deepcopy(t)


# breaks
@torch.compile
def case_copycopy(t: torch.Tensor):
    return copy.copy(t)


# breaks
@torch.compile
def case_is_inference(t: torch.Tensor):
    return t + 1 if t.is_inference() else t


# breaks
@torch.compile
def case_is_infmode(t: torch.Tensor):
    return t + 1 if torch.is_inference_mode_enabled() else t


# breaks
@torch.compile
def case_is_nonzero(t: torch.Tensor):
    return t + 1 if t.sum().is_nonzero() else t


# breaks
@torch.compile
def case_is_nonzero_f(t: torch.Tensor):
    return t + 1 if torch.is_nonzero(t.sum()) else t


# breaks
@torch.compile
def case_equal_tensors_if(t: torch.Tensor):
    return t + 1 if (t == t).all() else t


# whole
@torch.compile
def case_bool_length(t: torch.Tensor):
    return t + 1 if len(t) else t


# whole
@torch.compile
def case_hash(t: torch.Tensor):
    return t + 1 if hash(t) else t


# breaks
@torch.compile
def case_map(t: torch.Tensor):
    other = t + 1
    other.map_(t, lambda given, right: given + right)
    return other


# breaks
@torch.compile
def case_apply(t: torch.Tensor):
    other = t + 1
    other.apply_(lambda given: given + 1)
    return other


# breaks
@torch.compile
def case_storage(t: torch.Tensor):
    return t.storage().size()


# breaks
@torch.compile
def case_to_sparse(t: torch.Tensor):
    return t.to_sparse().sum()


# breaks
@torch.compile
def case_coalesce(t: torch.Tensor):
    return t.to_sparse().coalesce().values()


# breaks
@torch.compile
def case_to_mkldnn(t: torch.Tensor):
    return t.to_mkldnn().to_dense()


# whole
@torch.compile
def case_quantize(t: torch.Tensor):
    return torch.quantize_per_tensor(t, 0.1, 0, torch.qint8).dequantize()


# breaks
@torch.compile
def case_complex(t: torch.Tensor):
    return complex(t.sum())


# breaks
@torch.compile
def case_pow3(t: torch.Tensor):
    return pow(t, 2)


# whole
@torch.compile
def case_abs(t: torch.Tensor):
    return abs(t)


# breaks
@torch.compile
def case_nonzero(t: torch.Tensor):
    return t.nonzero()


# breaks
@torch.compile
def case_argwhere(t: torch.Tensor):
    return torch.argwhere(t)


# breaks
@torch.compile
def case_where1(t: torch.Tensor):
    return torch.where(t > 0)


# breaks
@torch.compile
def case_masked_select(t: torch.Tensor):
    return t.masked_select(t > 0)


# breaks
@torch.compile
def case_unique(t: torch.Tensor):
    return t.unique()


# breaks
@torch.compile
def case_unique_cons(t: torch.Tensor):
    return torch.unique_consecutive(t)


# whole
@torch.compile
def case_repeat_interleave_integer(t: torch.Tensor):
    return t.repeat_interleave(2)


# breaks
@torch.compile
def case_ctc_l(t: torch.Tensor):
    lp = torch.randn(5, 2, 4).log_softmax(2)
    t = torch.randint(1, 4, (2, 3))
    return F.ctc_loss(lp, t, (5, 5), (3, 3))


# breaks
@torch.compile
def case_equal_m(t: torch.Tensor):
    return t.equal(t)


# breaks
@torch.compile
def case_allclose(t: torch.Tensor):
    return torch.allclose(t, t)


# breaks
@torch.compile
def case_cov(t: torch.Tensor):
    return torch.cov(t)


# breaks
@torch.compile
def case_gnll(t: torch.Tensor):
    return F.gaussian_nll_loss(t, t, t.abs())


# whole
@torch.compile
def case_stft(t: torch.Tensor):
    return torch.stft(torch.randn(100), 16, return_complex=True, window=torch.ones(16))


# whole
@torch.compile
def case_histogram(t: torch.Tensor):
    return torch.histogram(t, 5)


# whole
@torch.compile
def case_histc(t: torch.Tensor):
    return torch.histc(t)


# whole
@torch.compile
def case_quantile(t: torch.Tensor):
    return torch.quantile(t, 0.5)


# whole
@torch.compile
def case_median(t: torch.Tensor):
    return t.median()


# whole
@torch.compile
def case_mode(t: torch.Tensor):
    return t.mode()


# whole
@torch.compile
def case_sort(t: torch.Tensor):
    return t.sort()


# whole
@torch.compile
def case_multinomial(t: torch.Tensor):
    return torch.multinomial(t, 1)


# whole
@torch.compile
def case_randperm(t: torch.Tensor):
    return torch.randperm(3)


# whole
@torch.compile
def case_binomial(t: torch.Tensor):
    return torch.binomial(t, t / 10)


# whole
@torch.compile
def case_poisson(t: torch.Tensor):
    return torch.poisson(t)


# whole
@torch.compile
def case_geqrf(t: torch.Tensor):
    return torch.geqrf(t.view(3, 1))


# whole
@torch.compile
def case_searchsorted(t: torch.Tensor):
    return torch.searchsorted(t, t)


# whole
@torch.compile
def case_bucketize(t: torch.Tensor):
    return torch.bucketize(t, t)


# whole
@torch.compile
def case_isin(t: torch.Tensor):
    return torch.isin(t, t)


# whole
@torch.compile
def case_cartesian(t: torch.Tensor):
    return torch.cartesian_prod(t, t)


# whole
@torch.compile
def case_meshgrid(t: torch.Tensor):
    return torch.meshgrid(t, t, indexing='ij')


# whole
@torch.compile
def case_einsum(t: torch.Tensor):
    return torch.einsum('i,j->ij', t, t)


# whole
@torch.compile
def case_tril_indices(t: torch.Tensor):
    return torch.tril_indices(3, 3)


# whole
@torch.compile
def case_vander(t: torch.Tensor):
    return torch.vander(t)


# whole
@torch.compile
def case_masked_scatter(t: torch.Tensor):
    return t.masked_scatter(t > 0, t)


# whole
@torch.compile
def case_gumbel(t: torch.Tensor):
    return F.gumbel_softmax(t, hard=True)


# whole
@torch.compile
def case_rrelu(t: torch.Tensor):
    return F.rrelu(t, training=True)


# whole
@torch.compile
def case_pad(t: torch.Tensor):
    return F.pad(t, (1, 1))


# whole
@torch.compile
def case_fold(t: torch.Tensor):
    return F.unfold(torch.rand(1, 1, 4, 4), 2)


# whole
@torch.compile
def case_mha(t: torch.Tensor):
    return F.multi_head_attention_forward(torch.rand(2, 1, 4), torch.rand(2, 1, 4), torch.rand(2, 1, 4), 4, 2, torch.rand(12, 4), torch.rand(12), None, None, False, 0.0, torch.rand(4, 4), torch.rand(4))


# whole
@torch.compile
def case_sdpa(t: torch.Tensor):
    return F.scaled_dot_product_attention(torch.rand(1, 2, 3, 4), torch.rand(1, 2, 3, 4), torch.rand(1, 2, 3, 4))


# whole
@torch.compile
def case_kl(t: torch.Tensor):
    return F.kl_div(t, t, reduction='batchmean')


# whole
@torch.compile
def case_nan_to_num(t: torch.Tensor):
    return torch.nan_to_num(t)


# whole
@torch.compile
def case_isfinite_all(t: torch.Tensor):
    return torch.isfinite(t).all()


# breaks
@torch.compile
def case_frombuffer(t: torch.Tensor):
    return torch.frombuffer(bytearray(8), dtype=torch.uint8)


# breaks
@torch.compile
def case_can_cast(t: torch.Tensor):
    return t + 1 if torch.can_cast(torch.int, torch.float) else t


# whole
@torch.compile
def case_iinfo(t: torch.Tensor):
    return t + torch.iinfo(torch.int32).max


# whole
@torch.compile
def case_device(t: torch.Tensor):
    return torch.zeros(2, device=torch.device('cpu'))


# breaks
@torch.compile
def case_set_num_threads(t: torch.Tensor):
    torch.set_num_threads(1)
    return t + 1


# breaks
@torch.compile
def case_get_num_threads(t: torch.Tensor):
    return t + torch.get_num_threads()


# whole
@torch.compile
def case_det_algos(t: torch.Tensor):
    torch.use_deterministic_algorithms(False)
    return t + 1


# whole
@torch.compile
def case_are_det(t: torch.Tensor):
    return t + 1 if torch.are_deterministic_algorithms_enabled() else t


# whole
@torch.compile
def case_prec(t: torch.Tensor):
    torch.set_float32_matmul_precision('high')
    return t + 1


# whole
@torch.compile
def case_is_tensor(t: torch.Tensor):
    return t + 1 if torch.is_tensor(t) else t


# breaks
@torch.compile
def case_is_storage(t: torch.Tensor):
    return t + 1 if torch.is_storage(t) else t


# whole
@torch.compile
def case_numel(t: torch.Tensor):
    return t + torch.numel(t)


# breaks
@torch.compile
def case_typename(t: torch.Tensor):
    return t + len(torch.typename(t))


# breaks
@torch.compile
def case_check_item(t: torch.Tensor):
    count = t.sum().item()
    torch._check(count > 0)
    return t + count


# whole
@torch.compile
def case_assert_async(t: torch.Tensor):
    torch._assert_async((t > 0).all())
    return t + 1


# whole
@torch.compile
def case_randn_like(t: torch.Tensor):
    return torch.randn_like(t)


# breaks
@torch.compile
def case_simplens(t: torch.Tensor):
    count = types.SimpleNamespace(a=t)
    return count.a + 1


# whole
@torch.compile
def case_input(t: torch.Tensor):
    return t + 1 if callable(input) else t


# whole
@torch.compile
def case_locals(x: torch.Tensor):
    return x + len(locals())


# breaks
@torch.compile
def case_globals(t: torch.Tensor):
    return t + len(globals())


# breaks
@torch.compile
def case_sorted_tensor(t: torch.Tensor):
    return sorted(t)


# whole
@torch.compile
def case_sum_tensor(t: torch.Tensor):
    return sum(t)


# breaks
@torch.compile
def case_any_tensor(t: torch.Tensor):
    return t + 1 if any(t > 0) else t


# breaks
@torch.compile
def case_all_tensor(t: torch.Tensor):
    return t + 1 if all(t > 0) else t


# breaks
@torch.compile
def case_pow_tensor(t: torch.Tensor):
    return pow(t, 2)


# whole
@torch.compile
def case_pow_2t(t: torch.Tensor):
    return t ** t


# whole
@torch.compile
def case_round_tensor(t: torch.Tensor):
    return t.round()


# whole
@torch.compile
def case_bool_none(t: torch.Tensor):
    return t + 1 if bool(None) else t


# breaks
@torch.compile
def case_bytes(t: torch.Tensor):
    return t + len(bytes(b'a'))


# breaks
@torch.compile
def case_memview(t: torch.Tensor):
    return t + len(memoryview(b'a'))


# whole
@torch.compile
def case_chr_ord(t: torch.Tensor):
    return t + ord(chr(65))


# whole
@torch.compile
def case_bin_hex(t: torch.Tensor):
    return t + len(hex(3) + bin(3) + oct(3))


# whole
@torch.compile
def case_text_enc(t: torch.Tensor):
    return t + len('a'.encode())


# whole
@torch.compile
def case_text_isdigit(t: torch.Tensor):
    return t + 1 if '1'.isdigit() else t


# breaks
@torch.compile
def case_text_maketrans(t: torch.Tensor):
    return t + len('a'.translate(str.maketrans('a', 'b')))


# whole
@torch.compile
def case_returned_lambda(t: torch.Tensor):
    other = t + 1
    return lambda: other


# whole
@torch.compile
def case_returned_plain_function(t: torch.Tensor):

    def inner_function(given):
        return given
    return (inner_function, t + 1)


# whole
@torch.compile
def case_global_integer(t: torch.Tensor):
    global SHARED_NUMBER
    SHARED_NUMBER += 1
    return t + SHARED_NUMBER


# whole
@torch.compile
def case_global_tensor(t: torch.Tensor):
    global GV2
    GV2 = t + 1
    return t


# breaks
@torch.compile
def case_del_global(t: torch.Tensor):
    global GV3
    GV3 = 1
    del GV3
    return t + 1


# whole
@torch.compile
def case_class_attribute_set_tensor(t: torch.Tensor):
    Point.zz2 = t + 1
    return t + 1


# whole
@torch.compile
def case_walrus(t: torch.Tensor):
    return (other := (t + 1)) * other


# whole
@torch.compile
def case_match_class(x: torch.Tensor):
    match x:
        case torch.Tensor():
            return x + 1
    return x


# whole
@torch.compile
def case_type_annot(t: torch.Tensor):
    other: int = 1
    return t + other


# breaks
@torch.compile
def case_chain_compared(t: torch.Tensor):
    return t + 1 if 0 < t.sum() < 10 else t


# whole
@torch.compile
def case_tensor_is_none(t: torch.Tensor):
    return t + 1 if t is not None else t


# breaks
@torch.compile
def case_not_tensor(t: torch.Tensor):
    return t + 1 if not (t > 0).all() else t


# whole
@torch.compile
def case_ifexp_where(t: torch.Tensor):
    return torch.where(t > 0, t, -t)


# whole
@torch.compile
def case_returned_none(t: torch.Tensor):
    t + 1
    return None


# whole
@torch.compile
def case_returned_exception(t: torch.Tensor):
    return (ValueError('a'), t + 1)


# whole
@torch.compile
def case_returned_slice(t: torch.Tensor):
    return (slice(0, 1), t + 1)


# whole
@torch.compile
def case_returned_bound(t: torch.Tensor):
    return t.sum


# breaks
@torch.compile
def case_returned_generator_manager(t: torch.Tensor):
    return (from_generator(), t + 1)


# breaks
@torch.compile
def case_early_returned_defaultdict(t: torch.Tensor):
    if t.sum() > 0:
        return t + 1
    return t - 1


# breaks
@torch.compile
def case_defaultdict_given_callee(t: torch.Tensor):
    other = t + 1
    return branches_on_data(other) * 2


# breaks
@torch.compile
def case_defaultdict_given_lambda(t: torch.Tensor):
    return (lambda entry: entry + 1 if entry.sum() > 0 else entry)(t)


# whole
@torch.compile
def case_import_new(t: torch.Tensor):
    import colorsys
    return t + 1


# breaks
@torch.compile
def case_import_star_function(x: torch.Tensor):
    exec('from math import *')
    return x + 1


# whole
@torch.compile
def case_eval(x: torch.Tensor):
    return x + eval('1+1')


# breaks
@torch.compile
def case_eval_var(x: torch.Tensor):
    return eval('x+1')


# breaks
@torch.compile
def case_compile_b(t: torch.Tensor):
    return t + len(compile('1', 'a', 'eval').co_names)


# breaks
@torch.compile
def case_time(t: torch.Tensor):
    time.time()
    return t + 1


# breaks
@torch.compile
def case_perf(t: torch.Tensor):
    time.perf_counter()
    return t + 1


# breaks
@torch.compile
def case_monotonic(t: torch.Tensor):
    time.monotonic()
    return t + 1


# breaks
@torch.compile
def case_sleep(t: torch.Tensor):
    time.sleep(0)
    return t + 1


# breaks
@torch.compile
def case_strftime(t: torch.Tensor):
    return t + len(time.strftime('%Y'))


# breaks
@torch.compile
def case_datetime_now(t: torch.Tensor):
    datetime.datetime.now()
    return t + 1


# breaks
@torch.compile
def case_datetime_ctor(t: torch.Tensor):
    table = datetime.datetime(2020, 1, 1)
    return t + 1


# breaks
@torch.compile
def case_datetime_attribute(t: torch.Tensor):
    table = datetime.date(2020, 1, 1)
    return t + table.year


# breaks
@torch.compile
def case_timedelta(t: torch.Tensor):
    table = datetime.timedelta(seconds=1)
    return t + table.seconds


# breaks
@torch.compile
def case_urandom(t: torch.Tensor):
    return t + len(os.urandom(2))


# whole
@torch.compile
def case_environ_get(t: torch.Tensor):
    return t + len(os.environ.get('HOME', ''))


# whole
@torch.compile
def case_environ_given(t: torch.Tensor):
    return t + 1 if 'HOME' in os.environ else t


# whole
@torch.compile
def case_getenv(t: torch.Tensor):
    return t + len(os.getenv('HOME'))


# whole
@torch.compile
def case_path_join(t: torch.Tensor):
    return t + len(os.path.join('a', 'b'))


# whole
@torch.compile
def case_path_basename(t: torch.Tensor):
    return t + len(os.path.basename('a/b'))


# breaks
@torch.compile
def case_path_exists(t: torch.Tensor):
    return t + 1 if os.path.exists('/') else t


# breaks
@torch.compile
def case_path_isfile(t: torch.Tensor):
    return t + 1 if os.path.isfile('/') else t


# breaks
@torch.compile
def case_getcwd(t: torch.Tensor):
    return t + len(os.getcwd())


# breaks
@torch.compile
def case_getpid(t: torch.Tensor):
    return t + os.getpid() % 2


# breaks
@torch.compile
def case_cpu_count(t: torch.Tensor):
    return t + os.cpu_count()


# whole
@torch.compile
def case_fspath(t: torch.Tensor):
    return t + len(os.fspath('a'))


# breaks
@torch.compile
def case_pathlib_exists(t: torch.Tensor):
    return t + 1 if pathlib.Path('/').exists() else t


# whole
@torch.compile
def case_sys_platform(t: torch.Tensor):
    return t + len(sys.platform)


# whole
@torch.compile
def case_sys_argv(t: torch.Tensor):
    return t + len(sys.argv)


# breaks
@torch.compile
def case_sys_getframe(t: torch.Tensor):
    return t + len(sys._getframe().f_code.co_name)


# breaks
@torch.compile
def case_sys_getsizeof(t: torch.Tensor):
    return t + sys.getsizeof(1)


# whole
@torch.compile
def case_sys_maxsize(t: torch.Tensor):
    return t + 1 if sys.maxsize > 0 else t


# whole
@torch.compile
def case_sys_getrec(t: torch.Tensor):
    return t + sys.getrecursionlimit()


# breaks
@torch.compile
def case_deepcopy_obj(t: torch.Tensor):
    return t + copy.deepcopy(types.SimpleNamespace)(a=1).a


# whole
@torch.compile
def case_math(t: torch.Tensor):
    return t + math.sqrt(2) + math.pi + math.floor(2.5)


# breaks
@torch.compile
def case_math_tensor(t: torch.Tensor):
    return t + math.sqrt(t.sum())


# breaks
@torch.compile
def case_math_ceil_tensor(t: torch.Tensor):
    return t + math.ceil(t.sum())


# breaks
@torch.compile
def case_math_isnan_tensor(t: torch.Tensor):
    return t + 1 if math.isnan(t.sum()) else t


# breaks
@torch.compile
def case_cmath(t: torch.Tensor):
    import cmath
    return t + abs(cmath.sqrt(-1))


# breaks
@torch.compile
def case_base64(t: torch.Tensor):
    return t + len(base64.b64encode(b'a'))


# breaks
@torch.compile
def case_pickle(t: torch.Tensor):
    return t + len(pickle.dumps(1))


# breaks
@torch.compile
def case_gc(t: torch.Tensor):
    gc.collect()
    return t + 1


# breaks
@torch.compile
def case_inspect_currentframe(t: torch.Tensor):
    inspect.currentframe()
    return t + 1


# breaks
@torch.compile
def case_inspect_stack(t: torch.Tensor):
    return t + len(inspect.stack())


# breaks
@torch.compile
def case_thread_get(t: torch.Tensor):
    return t + threading.get_ident() % 2


# breaks
@torch.compile
def case_current_thread(t: torch.Tensor):
    return t + len(threading.current_thread().name)


# breaks
@torch.compile
def case_queue(t: torch.Tensor):
    queue_ = queue.Queue()
    queue_.put(t)
    return queue_.get()


# whole
@torch.compile
def case_fraction(t: torch.Tensor):
    return t + float(fractions.Fraction(1, 2))


# breaks
@torch.compile
def case_typevar(t: torch.Tensor):
    T = typing.TypeVar('T')
    return t + 1


# breaks
@torch.compile
def case_types_ns(t: torch.Tensor):
    return t + types.SimpleNamespace(a=1).a


# whole
@torch.compile
def case_types_ns_global(t: torch.Tensor):
    return t + SETTINGS.a


# breaks
@torch.compile
def case_importlib(t: torch.Tensor):
    member = importlib.import_module('math')
    return t + member.pi


# whole
@torch.compile
def case_importlib_spec(t: torch.Tensor):
    return t + 1 if importlib.util.find_spec('math') else t


# breaks
@torch.compile
def case_thread_start(t: torch.Tensor):
    t = threading.Thread(target=lambda: None)
    t.start()
    t.join()
    return t + 1


# breaks
@torch.compile
def case_atexit(t: torch.Tensor):
    atexit.register(lambda: None)
    return t + 1


# whole
@torch.compile
def case_packaging_torch(t: torch.Tensor):
    from packaging import version
    return t + 1 if version.parse(torch.__version__) >= version.parse('2.0') else t


# whole
@torch.compile
def case_torch_version(t: torch.Tensor):
    return t + 1 if torch.__version__ >= '2.0' else t


# whole
@torch.compile
def case_numpy_global_scalar(t: torch.Tensor):
    return t * NUMPY_SCALAR


# whole
@torch.compile
def case_ndarray_given_tensor(t: torch.Tensor):
    return torch.tensor(NUMPY_ARRAY) + t


# breaks
@torch.compile
def case_disable(t: torch.Tensor):
    return left_out(t) * 2


# breaks
@torch.compile
def case_disable_reason(t: torch.Tensor):
    return left_out_with_reason(t)


# whole
@torch.compile
def case_call_torch_compile(t: torch.Tensor):
    return torch.compile(plus_one, backend='eager')(t)


# breaks
@torch.compile
def case_jit_script_module(t: torch.Tensor):
    return scripted(t)


# whole
@torch.compile
def case_while_loop(t: torch.Tensor):
    return torch._higher_order_ops.while_loop(lambda t: t.sum() < 10, lambda t: (t + 1,), (t,))


# whole
@torch.compile
def case_checkpoint(t: torch.Tensor):
    return torch.utils.checkpoint.checkpoint(lambda given: given + 1, t, use_reentrant=False)


# whole
@torch.compile
def case_dist_logprob(t: torch.Tensor):
    return torch.distributions.Normal(t, t.abs() + 1).log_prob(t)


# whole
@torch.compile
def case_dist_cat(t: torch.Tensor):
    return torch.distributions.Categorical(logits=t).sample()


# whole
@torch.compile
def case_subtf_given(t: torch.Tensor):
    return t + 1


# whole
@torch.compile
def case_dist_avail(t: torch.Tensor):
    return t + 1 if torch.distributed.is_available() else t


# whole
@torch.compile
def case_dist_init(t: torch.Tensor):
    return t + 1 if torch.distributed.is_initialized() else t


# whole
@torch.compile
def case_onnx_export(t: torch.Tensor):
    return t + 1 if torch.onnx.is_in_onnx_export() else t


# whole
@torch.compile
def case_size_equal(t: torch.Tensor):
    return t + 1 if t.shape == (3,) else t


# whole
@torch.compile
def case_size_numel(t: torch.Tensor):
    return t + t.shape.numel()


# whole
@torch.compile
def case_math_prod_shape(t: torch.Tensor):
    return t.view(math.prod(t.shape))


# whole
@torch.compile
def case_torch_Tensor_sz(t: torch.Tensor):
    return torch.Tensor(3) + t


# whole
@torch.compile
def case_FloatTensor_sz(t: torch.Tensor):
    return torch.FloatTensor(3) + t


# whole
@torch.compile
def case_tensor_copy(t: torch.Tensor):
    return torch.tensor(t)


# whole
@torch.compile
def case_dev_equal(t: torch.Tensor):
    return t + 1 if t.device == torch.device('cpu') else t


# whole
@torch.compile
def case_finfo_min(t: torch.Tensor):
    return t.masked_fill(t > 0, torch.finfo(t.dtype).min)


# whole
@torch.compile
def case_out_integer(t: torch.Tensor):
    other = torch.empty(3)
    torch.add(t, t, out=other)
    return other


# whole
@torch.compile
def case_given_njt(t: torch.Tensor):
    return t + 1


# whole
@torch.compile
def case_given_complex(t: torch.Tensor):
    return t * t.conj()


# whole
@torch.compile
def case_given_meta(t: torch.Tensor):
    return t + 1


# whole
@torch.compile
def case_given_device(table, t: torch.Tensor):
    return t.to(table)


# whole
@torch.compile
def case_given_inference(t: torch.Tensor):
    return t + 1


# whole
@torch.compile
def case_float_arg(t: torch.Tensor, count: int):
    return t * count


# whole
@torch.compile
def case_iadd_input(t: torch.Tensor):
    t += 1
    return t


# whole
@torch.compile
def case_debug_flag(t: torch.Tensor):
    if __debug__:
        pass
    return t + 1


# whole
@torch.compile
def case_flip(t: torch.Tensor):
    return t.flip(0)


# whole
@torch.compile
def case_datetime_global_attribute(t: torch.Tensor):
    return t + NEW_YEAR.year


# breaks
@torch.compile
def case_datetime_sub(t: torch.Tensor):
    return t + (NEW_YEAR - NEW_YEAR).seconds


# whole
@torch.compile
def case_integer_bitlen(t: torch.Tensor):
    return t + 5 .bit_length()


# whole
@torch.compile
def case_text_pct(t: torch.Tensor):
    return t + len('%d' % 3)


# breaks
@torch.compile
def case_while_true_item(t: torch.Tensor):
    while True:
        if t.sum() > 10:
            break
        t = t + 1
    return t
