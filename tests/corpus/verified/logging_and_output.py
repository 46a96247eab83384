"""Logging and output: each function was run under PyTorch 2.13; the comment above it says whether it breaks."""

import contextlib
import logging
import pprint
import sys
import traceback
import warnings
import torch

LOG = logging.getLogger('a')


class Manager:

    def __enter__(self):
        return self

    def __exit__(self, *given):
        return False


@contextlib.contextmanager
def from_generator(entry=1):
    yield entry


# breaks
@torch.compile
def case_loopbreak(t: torch.Tensor):
    for index in range(3):
        t = t + 1
        print('a')
    return t


# breaks
@torch.compile
def case_breakafterloop(t: torch.Tensor):
    for index in range(3):
        t = t + 1
    print('a')
    return t + 1


# breaks
@torch.compile
def case_breakbeforeloop(t: torch.Tensor):
    print('a')
    for index in range(3):
        t = t + 1
    return t


# breaks
@torch.compile
def case_try_break_prefix(t: torch.Tensor):
    other = t + 1
    third = other * 2
    weight = third - 1
    try:
        print('a')
        weight = weight + 1
    except ValueError:
        pass
    return weight * 2


# breaks
@torch.compile
def case_with_nograd_break(t: torch.Tensor):
    other = t + 1
    with torch.no_grad():
        other = other * 2
        print('a')
        other = other * 3
    return other + 1


# breaks
@torch.compile
def case_with_user_break(t: torch.Tensor):
    other = t + 1
    other = other * 2
    with Manager():
        other = other * 2
        print('a')
        other = other * 3
    return other + 1


# breaks
@torch.compile
def case_finally(t: torch.Tensor):
    other = t + 1
    try:
        other = other * 2
    finally:
        print('a')
    return other + 1


# whole
@torch.compile
def case_cholesky(t: torch.Tensor):
    return torch.linalg.cholesky(t @ t.T + torch.eye(4))


# whole
@torch.compile
def case_set_printopt(t: torch.Tensor):
    torch.set_printoptions(precision=3)
    return t + 1


# breaks
@torch.compile
def case_print_const(t: torch.Tensor):
    print('a')
    return t


# breaks
@torch.compile
def case_generator_manager_body_break(t: torch.Tensor):
    other = t + 1
    other = other * 2
    with from_generator() as entry:
        print('a')
        other = other + entry
    return other


# breaks
@torch.compile
def case_nullctx_break(t: torch.Tensor):
    other = t + 1
    other = other * 2
    with contextlib.nullcontext():
        print('a')
        other = other + 1
    return other


# breaks
@torch.compile
def case_suppress_break(t: torch.Tensor):
    other = t + 1
    other = other * 2
    with contextlib.suppress(KeyError):
        print('a')
    return other + 1


# whole
@torch.compile
def case_catch_warnings(t: torch.Tensor):
    with warnings.catch_warnings():
        return t + 1


# whole
@torch.compile
def case_catch_warnings_rec(t: torch.Tensor):
    with warnings.catch_warnings(record=True):
        return t + 1


# breaks
@torch.compile
def case_catch_warnings_simple(t: torch.Tensor):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        return t + 1


# breaks
@torch.compile
def case_inference_break(t: torch.Tensor):
    other = t + 1
    with torch.inference_mode():
        print('a')
        other = other + 1
    return other


# breaks
@torch.compile
def case_autocast_break(t: torch.Tensor):
    other = t + 1
    with torch.autocast('cpu'):
        print('a')
        other = other + 1
    return other


# breaks
@torch.compile
def case_break_given_while_true_return(t: torch.Tensor):
    other = t + 1
    while True:
        print('a')
        return other + 1


# breaks
@torch.compile
def case_traceback(t: torch.Tensor):
    try:
        raise ValueError
    except ValueError:
        chars = traceback.format_exc()
    return t + 1


# breaks
@torch.compile
def case_generator_across_break(t: torch.Tensor):

    def source():
        yield (t + 1)
        yield (t + 2)
    it = source()
    given = next(it)
    print('z')
    return given + next(it)


# breaks
@torch.compile
def case_logging_info(t: torch.Tensor):
    LOG.info('a')
    return t + 1


# breaks
@torch.compile
def case_logging_debug(t: torch.Tensor):
    LOG.debug('a')
    return t + 1


# breaks
@torch.compile
def case_logging_warning(t: torch.Tensor):
    LOG.warning('a')
    return t + 1


# breaks
@torch.compile
def case_logging_error(t: torch.Tensor):
    LOG.error('a')
    return t + 1


# breaks
@torch.compile
def case_logging_log(t: torch.Tensor):
    LOG.log(10, 'a')
    return t + 1


# breaks
@torch.compile
def case_logging_isenabled(t: torch.Tensor):
    if LOG.isEnabledFor(10):
        return t
    return t + 1


# breaks
@torch.compile
def case_logging_geteff(t: torch.Tensor):
    return t + LOG.getEffectiveLevel()


# breaks
@torch.compile
def case_logging_root(t: torch.Tensor):
    logging.info('a')
    return t + 1


# breaks
@torch.compile
def case_logging_rootwarn(t: torch.Tensor):
    logging.warning('a')
    return t + 1


# breaks
@torch.compile
def case_logging_getLogger_info(t: torch.Tensor):
    logging.getLogger('zz').info('a')
    return t + 1


# breaks
@torch.compile
def case_logging_setlevel(t: torch.Tensor):
    LOG.setLevel(10)
    return t + 1


# whole
@torch.compile
def case_hop_print2(t: torch.Tensor):
    torch._higher_order_ops.print('moo')
    return t + 1


# breaks
@torch.compile
def case_warn(t: torch.Tensor):
    warnings.warn('a')
    return t + 1


# breaks
@torch.compile
def case_warn_cat(t: torch.Tensor):
    warnings.warn('a', UserWarning, stacklevel=2)
    return t + 1


# breaks
@torch.compile
def case_warn_fstring(t: torch.Tensor):
    warnings.warn(f'a {t.shape}')
    return t + 1


# breaks
@torch.compile
def case_warn_explicit(t: torch.Tensor):
    warnings.warn_explicit('a', UserWarning, 'f', 1)
    return t + 1


# breaks
@torch.compile
def case_filterwarnings(t: torch.Tensor):
    warnings.filterwarnings('ignore')
    return t + 1


# breaks
@torch.compile
def case_sys_stderr_print(t: torch.Tensor):
    print('a', file=sys.stderr)
    return t + 1


# breaks
@torch.compile
def case_pprint(t: torch.Tensor):
    import pprint
    pprint.pprint('a')
    return t + 1


# breaks
@torch.compile
def case_tb_print(t: torch.Tensor):
    traceback.print_stack()
    return t + 1


# breaks
@torch.compile
def case_sys_flush(t: torch.Tensor):
    sys.stdout.flush()
    return t + 1


# whole
@torch.compile
def case_is_dynamic_compiling(t: torch.Tensor):
    return t + 1 if torch.compiler.is_dynamo_compiling() else print('a') or t


# whole
@torch.compile
def case_jit_scripting(t: torch.Tensor):
    if torch.jit.is_scripting():
        print('a')
    return t + 1


# whole
@torch.compile
def case_jit_tracing(t: torch.Tensor):
    if torch.jit.is_tracing() or torch._C._get_tracing_state():
        print('a')
    return t + 1


# breaks
@torch.compile
def case_checkpoint_break(t: torch.Tensor):

    def inner_function(given):
        print('a')
        return given + 1
    return torch.utils.checkpoint.checkpoint(inner_function, t, use_reentrant=False)


# whole
@torch.compile
def case_verbose_flag(t: torch.Tensor, entry=False):
    if entry:
        print('a')
    return t + 1


# breaks
@torch.compile
def case_return_given_loop(t: torch.Tensor):
    for index in range(3):
        t = t + 1
        if index == 1:
            print('a')
            return t
    return t


# breaks
@torch.compile
def case_break_after_while(t: torch.Tensor):
    index = 0
    while index < 3:
        t = t + 1
        index += 1
    print('a')
    return t


# breaks
@torch.compile
def case_loop_else_break(t: torch.Tensor):
    for index in range(2):
        t = t + 1
    else:
        print('a')
    return t * 2


# breaks
@torch.compile
def case_self_ref_break(t: torch.Tensor):
    items = [1]
    items.append(items)
    other = t + 1
    print('a')
    return other + len(items)


# breaks
@torch.compile
def case_annotate(t: torch.Tensor):
    with torch.fx.traceback.annotate({'a': 1}):
        other = t + 1
        print('a')
    return other
