"""Arrays: each function was run under PyTorch 2.13; the comment above it says whether it breaks."""

import numpy as np
import torch




# whole
@torch.compile
def case_numpy_returned(t: torch.Tensor):
    return t.numpy()


# whole
@torch.compile
def case_numpy_force(t: torch.Tensor):
    return t.numpy(force=True)


# whole
@torch.compile
def case_detach_cpu_numpy(t: torch.Tensor):
    return t.detach().cpu().numpy()


# whole
@torch.compile
def case_array(t: torch.Tensor):
    import numpy as np
    return np.array(t)


# whole
@torch.compile
def case_from_numpy(t: torch.Tensor):
    import numpy as np
    return torch.from_numpy(np.ones(3)) + t


# whole
@torch.compile
def case_ndarray_sqrt(given: np.ndarray):
    return np.sqrt(given)


# breaks
@torch.compile
def case_ndarray_tolist(given: np.ndarray):
    return given.tolist()


# breaks
@torch.compile
def case_ndarray_item(given: np.ndarray):
    return given.sum().item()


# breaks
@torch.compile
def case_ndarray_if(given: np.ndarray):
    return given + 1 if given.sum() > 0 else given


# breaks
@torch.compile
def case_ndarray_float(given: np.ndarray):
    return float(given.sum())


# whole
@torch.compile
def case_ndarray_astype(given: np.ndarray):
    return given.astype(np.float32)


# whole
@torch.compile
def case_ndarray_astype_text(given: np.ndarray):
    return given.astype('float32')


# breaks
@torch.compile
def case_ndarray_astype_obj(given: np.ndarray):
    return given.astype(object)


# breaks
@torch.compile
def case_ndarray_dtype(given: np.ndarray):
    return given + 1 if given.dtype == np.float64 else given


# whole
@torch.compile
def case_ndarray_shape(given: np.ndarray):
    return given + given.shape[0]


# whole
@torch.compile
def case_ndarray_T(given: np.ndarray):
    return given.T


# breaks
@torch.compile
def case_ndarray_boolidx(given: np.ndarray):
    return given[given > 1]


# whole
@torch.compile
def case_ndarray_setitem(given: np.ndarray):
    given[0] = 3
    return given


# breaks
@torch.compile
def case_ndarray_tobytes(given: np.ndarray):
    return given.tobytes()


# whole
@torch.compile
def case_ndarray_copy(given: np.ndarray):
    return given.copy()


# breaks
@torch.compile
def case_ndarray_print(given: np.ndarray):
    print(given)
    return given


# whole
@torch.compile
def case_ndarray_where(given: np.ndarray):
    return np.where(given > 1, given, 0)


# breaks
@torch.compile
def case_ndarray_where1(given: np.ndarray):
    return np.where(given > 1)


# breaks
@torch.compile
def case_ndarray_nonzero(given: np.ndarray):
    return np.nonzero(given)


# breaks
@torch.compile
def case_ndarray_interp(given: np.ndarray):
    return np.interp(0.5, given, given)


# whole
@torch.compile
def case_ndarray_clip(given: np.ndarray):
    return np.clip(given, 0, 1)


# whole
@torch.compile
def case_ndarray_concat(given: np.ndarray):
    return np.concatenate([given, given])


# breaks
@torch.compile
def case_ndarray_pad(given: np.ndarray):
    return np.pad(given, 1)


# whole
@torch.compile
def case_ndarray_fft(given: np.ndarray):
    return np.fft.fft(given)


# whole
@torch.compile
def case_ndarray_linalg(given: np.ndarray):
    return np.linalg.norm(given)


# whole
@torch.compile
def case_ndarray_percentile(given: np.ndarray):
    return np.percentile(given, 50)


# whole
@torch.compile
def case_ndarray_histogram(given: np.ndarray):
    return np.histogram(given)


# whole
@torch.compile
def case_ndarray_cumsum(given: np.ndarray):
    return np.cumsum(given)


# breaks
@torch.compile
def case_ndarray_vectorize(given: np.ndarray):
    return np.vectorize(lambda entry: entry + 1)(given)


# breaks
@torch.compile
def case_ndarray_apply(given: np.ndarray):
    return np.apply_along_axis(lambda entry: entry + 1, 0, given)


# whole
@torch.compile
def case_ndarray_isclose(given: np.ndarray):
    return np.isclose(given, given)


# breaks
@torch.compile
def case_ndarray_allclose(given: np.ndarray):
    return np.allclose(given, given)


# breaks
@torch.compile
def case_ndarray_array_equal(given: np.ndarray):
    return np.array_equal(given, given)


# breaks
@torch.compile
def case_ndarray_testing(given: np.ndarray):
    np.testing.assert_allclose(given, given)
    return given


# whole
@torch.compile
def case_numpy_const(t: torch.Tensor):
    return t + np.pi


# whole
@torch.compile
def case_numpy_float32(t: torch.Tensor):
    return t + np.float32(3)


# whole
@torch.compile
def case_numpy_float(t: torch.Tensor):
    return t + float(np.float64(3))


# whole
@torch.compile
def case_numpy_sqrt_constant(t: torch.Tensor):
    return t + np.sqrt(2)


# whole
@torch.compile
def case_numpy_sqrt_constant_float(t: torch.Tensor):
    return t + float(np.sqrt(2))


# breaks
@torch.compile
def case_numpy_prod_shape(t: torch.Tensor):
    return t + int(np.prod(t.shape))


# whole
@torch.compile
def case_numpy_prod_shape2(t: torch.Tensor):
    return t.view(np.prod(t.shape[:1]))


# whole
@torch.compile
def case_numpy_ceil(t: torch.Tensor):
    return t[:int(np.ceil(1.5))]


# whole
@torch.compile
def case_numpy_log(t: torch.Tensor):
    return t * np.log(2.0)


# whole
@torch.compile
def case_numpy_arange(t: torch.Tensor):
    return t + torch.tensor(np.arange(3))


# whole
@torch.compile
def case_numpy_linspace(t: torch.Tensor):
    return t + torch.as_tensor(np.linspace(0, 1, 3))


# whole
@torch.compile
def case_numpy_newaxis(t: torch.Tensor):
    return t[np.newaxis]


# whole
@torch.compile
def case_numpy_dtype(t: torch.Tensor):
    table = np.dtype('float32')
    return t + 1


# whole
@torch.compile
def case_numpy_finfo(t: torch.Tensor):
    return t + np.finfo(np.float32).eps


# whole
@torch.compile
def case_numpy_iinfo(t: torch.Tensor):
    return t + np.iinfo(np.int32).max


# whole
@torch.compile
def case_numpy_random_randn3(t: torch.Tensor):
    return t + torch.from_numpy(np.random.randn(3))


# breaks
@torch.compile
def case_numpy_random_uniform(t: torch.Tensor):
    return t + np.random.uniform(0, 1)


# breaks
@torch.compile
def case_numpy_random_randint(t: torch.Tensor):
    return t + np.random.randint(0, 3)


# breaks
@torch.compile
def case_numpy_random_choice(t: torch.Tensor):
    return t + np.random.choice([1, 2])


# whole
@torch.compile
def case_numpy_random_seed(t: torch.Tensor):
    np.random.seed(0)
    return t + 1


# whole
@torch.compile
def case_numpy_random_shuffle(t: torch.Tensor):
    items = np.array([1, 2])
    np.random.shuffle(items)
    return t + 1


# breaks
@torch.compile
def case_numpy_random_permutation(t: torch.Tensor):
    return t + np.random.permutation(3).sum()


# breaks
@torch.compile
def case_numpy_default_generator(t: torch.Tensor):
    outcome = np.random.default_rng(0)
    return t + outcome.random()


# whole
@torch.compile
def case_numpy_of_tensor(t: torch.Tensor):
    return np.sqrt(t)


# whole
@torch.compile
def case_numpy_asarray_tensor(t: torch.Tensor):
    return np.asarray(t)


# breaks
@torch.compile
def case_numpy_printopts(t: torch.Tensor):
    np.set_printoptions(precision=3)
    return t + 1


# whole
@torch.compile
def case_numpy_isinstance(t: torch.Tensor):
    return t + 1 if isinstance(t, np.ndarray) else t


# whole
@torch.compile
def case_numpy_issubdtype(t: torch.Tensor):
    return t + 1 if np.issubdtype(np.float32, np.floating) else t


# breaks
@torch.compile
def case_numpy_ndindex(t: torch.Tensor):
    return t + len(list(np.ndindex(2, 2)))


# whole
@torch.compile
def case_numpy_broadcast_shapes(t: torch.Tensor):
    return t + len(np.broadcast_shapes((1,), (3,)))


# whole
@torch.compile
def case_numpy_max_constant(t: torch.Tensor):
    return t + np.max([1, 2])


# breaks
@torch.compile
def case_numpy_max_indexed(t: torch.Tensor):
    return t[np.argmax([1, 2])]


# breaks
@torch.compile
def case_numpy_integer_range(t: torch.Tensor):
    for index in range(np.int64(2)):
        t = t + 1
    return t


# whole
@torch.compile
def case_numpy_given_shape(t: torch.Tensor):
    return torch.zeros(np.int64(3)) + t


# whole
@torch.compile
def case_indexed_numpy(t: torch.Tensor):
    import numpy as np
    return t[np.array([0, 1])]


# breaks
@torch.compile
def case_numpy_reduce(t: torch.Tensor):
    return t + torch.from_numpy(np.array([np.add.reduce(np.ones(3))]))


# breaks
@torch.compile
def case_numpy_outer(t: torch.Tensor):
    return torch.from_numpy(np.add.outer(np.ones(3), np.ones(3)))
