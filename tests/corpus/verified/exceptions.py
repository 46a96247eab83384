"""Exceptions: each function was run under PyTorch 2.13; the comment above it says whether it breaks."""

import contextlib
import sys
import numpy as np
import torch

class Swallows:

    def __enter__(self):
        return self

    def __exit__(self, *given):
        return True


@contextlib.contextmanager
def from_generator_finally(entry=1):
    try:
        yield entry
    finally:
        pass


class CustomError(Exception):

    def __init__(self, given):
        super().__init__(given)
        self.a = given


def branches_on_data(other):
    if other.sum() > 0:
        return other + 1
    return other


# whole
@torch.compile
def case_assert_tensor(t: torch.Tensor):
    assert (t > 0).all(), 'm'
    return t + 1


# whole
@torch.compile
def case_assert_fmsg(t: torch.Tensor):
    assert t.shape[0] == 3, f'{t.shape}'
    return t + 1


# breaks
@torch.compile
def case_assert_tensor_fmsg(t: torch.Tensor):
    assert (t > 0).all(), f'bad {t.shape}'
    return t + 1


# whole
@torch.compile
def case_assert_nonstr(t: torch.Tensor):
    assert t.shape[0] == 3, 3
    return t + 1


# whole
@torch.compile
def case_assert_and(t: torch.Tensor):
    assert t.shape[0] == 3 and (t > 0).all()
    return t + 1


# breaks
@torch.compile
def case_assert_item(t: torch.Tensor):
    assert t.sum().item() > 0
    return t + 1


# whole
@torch.compile
def case_user_manager_swallow_raise(t: torch.Tensor):
    other = t + 1
    with Swallows():
        raise ValueError('a')
    return other


# whole
@torch.compile
def case_generator_manager_raise(t: torch.Tensor):
    try:
        with from_generator_finally():
            raise ValueError
    except ValueError:
        return t + 1


# breaks
@torch.compile
def case_defaultdict_given_try(t: torch.Tensor):
    other = t + 1
    other = other * 2
    try:
        if other.sum() > 0:
            other = other + 1
    except ValueError:
        pass
    return other


# breaks
@torch.compile
def case_defaultdict_given_callee_try(t: torch.Tensor):
    other = t + 1
    other = other * 2
    try:
        other = branches_on_data(other)
    except ValueError:
        pass
    return other * 2


# whole
@torch.compile
def case_raise_cond_shape(t: torch.Tensor):
    if t.shape[0] != 3:
        raise ValueError('a')
    return t + 1


# whole
@torch.compile
def case_raise_from(t: torch.Tensor):
    try:
        try:
            raise KeyError('a')
        except KeyError as error:
            raise ValueError('b') from error
    except ValueError as error:
        return t + 1


# whole
@torch.compile
def case_except_as_text(t: torch.Tensor):
    try:
        raise ValueError('abc')
    except ValueError as error:
        return t + len(str(error))


# breaks
@torch.compile
def case_user_exception(t: torch.Tensor):
    try:
        raise CustomError(3)
    except CustomError as error:
        return t + error.a


# breaks
@torch.compile
def case_except_group(t: torch.Tensor):
    try:
        raise ExceptionGroup('a', [ValueError(1)])
    except* ValueError:
        pass
    return t + 1


# whole
@torch.compile
def case_try_else_finally(t: torch.Tensor):
    try:
        other = t + 1
    except ValueError:
        other = t
    else:
        other = other * 2
    finally:
        other = other + 1
    return other


# whole
@torch.compile
def case_try_index_failure(t: torch.Tensor):
    try:
        return [1][3] + t
    except IndexError:
        return t + 1


# whole
@torch.compile
def case_try_attribute_failure(t: torch.Tensor):
    try:
        return t.foo
    except AttributeError:
        return t + 1


# whole
@torch.compile
def case_try_type_failure(t: torch.Tensor):
    try:
        return len(3) + t
    except TypeError:
        return t + 1


# whole
@torch.compile
def case_try_zero_div(t: torch.Tensor):
    try:
        return t + 1 // 0
    except ZeroDivisionError:
        return t + 1


# whole
@torch.compile
def case_exception_info(t: torch.Tensor):
    try:
        raise ValueError
    except ValueError:
        t = sys.exc_info()[0]
    return t + 1


# whole
@torch.compile
def case_bare_raise(t: torch.Tensor):
    try:
        try:
            raise ValueError
        except ValueError:
            raise
    except ValueError:
        return t + 1


# whole
@torch.compile
def case_stopiter(t: torch.Tensor):
    it = iter([])
    try:
        next(it)
    except StopIteration:
        return t + 1


# breaks
@torch.compile
def case_exception_kwargs(t: torch.Tensor):
    try:
        raise ImportError('a', name='b')
    except ImportError:
        return t + 1


# breaks
@torch.compile
def case_sys_exit(t: torch.Tensor):
    try:
        sys.exit(0)
    except SystemExit:
        return t + 1


# whole
@torch.compile
def case_try_import_inside(t: torch.Tensor):
    try:
        import numpy as np
    except ImportError:
        np = None
    return t + 1


# whole
@torch.compile
def case_try_attribute(t: torch.Tensor):
    try:
        table = t.dtype
    except AttributeError:
        table = None
    return t + 1


# whole
@torch.compile
def case_notimpl(t: torch.Tensor):
    if t.dim() > 3:
        raise NotImplementedError
    return t + 1


# whole
@torch.compile
def case_obj_text_given_failure(t: torch.Tensor):
    if t.dim() != 1:
        raise ValueError(f'bad {t.shape}')
    return t + 1


# breaks
@torch.compile
def case_assert_failure(t: torch.Tensor):
    try:
        raise AssertionError(3)
    except AssertionError:
        return t + 1


# whole
@torch.compile
def case_raise_noncls(t: torch.Tensor):
    try:
        raise 3
    except TypeError:
        return t + 1


# whole
@torch.compile
def case_except_tuple_var(t: torch.Tensor):
    try:
        {}['a']
    except (KeyError,) + (ValueError,):
        return t + 1


# whole
@torch.compile
def case_issub_bad(t: torch.Tensor):
    try:
        return issubclass(3, int)
    except TypeError:
        return t + 1
