"""Iteration: each function was run under PyTorch 2.13; the comment above it says whether it breaks."""

import enum
import itertools
import time
import torch
import torch.nn as nn

GENERATOR = torch.Generator()


OUTER_GENERATOR = (index for index in [1, 2])


class Point:

    def __init__(self, given):
        self.a = given


class Paint(enum.Enum):
    R = 1
    GENERATOR = 2


LOADER = torch.utils.data.DataLoader([1, 2])


def always_breaks(given):
    torch._dynamo.graph_break()
    return given


layers = nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 3)])


# breaks
@torch.compile
def case_listcomp_break(t: torch.Tensor):
    other = t + 1
    items = [time.time() for index in range(2)]
    return other + items[0] * 0


# whole
@torch.compile
def case_enum_iterated(t: torch.Tensor):
    return t + len([cell_value for cell_value in Paint])


# whole
@torch.compile
def case_setattr_dynamic(t: torch.Tensor):
    param = Point(1)
    for count in ('a', 'b'):
        setattr(param, count, t)
    return param.b


# whole
@torch.compile
def case_iterated_next(t: torch.Tensor):
    it = iter([t, t + 1])
    next(it)
    return next(it)


# whole
@torch.compile
def case_iterated_sent(t: torch.Tensor):
    cell_value = [0]

    def inner_function():
        cell_value[0] += 1
        return cell_value[0]
    return t + sum(iter(inner_function, 3))


# whole
@torch.compile
def case_enumerate(t: torch.Tensor):
    return sum((given * index for index, given in enumerate(t)))


# whole
@torch.compile
def case_reversed_tensor(t: torch.Tensor):
    return list(reversed(t))[0]


# breaks
@torch.compile
def case_all_generator_tensor(t: torch.Tensor):
    return t + 1 if all((entry > 0 for entry in t)) else t


# whole
@torch.compile
def case_range_shape(t: torch.Tensor):
    return sum((t * index for index in range(t.shape[0])))


# whole
@torch.compile
def case_listcomp(t: torch.Tensor):
    return sum([t + index for index in range(3)])


# whole
@torch.compile
def case_listcomp_nested(t: torch.Tensor):
    return sum([t + index + second for index in range(2) for second in range(2)])


# whole
@torch.compile
def case_setcomp(t: torch.Tensor):
    return t + len({index for index in range(3)})


# whole
@torch.compile
def case_for_tensor(t: torch.Tensor):
    for error in t:
        t = t + error
    return t


# breaks
@torch.compile
def case_for_tensor_if(t: torch.Tensor):
    chars = t * 0
    for error in t:
        if error > 0:
            chars = chars + error
    return chars


# whole
@torch.compile
def case_for_else(t: torch.Tensor):
    for index in range(2):
        t = t + 1
    else:
        t = t * 2
    return t


# whole
@torch.compile
def case_returned_generator(t: torch.Tensor):
    return (t + index for index in range(2))


# whole
@torch.compile
def case_returned_iterated(t: torch.Tensor):
    return iter([t + 1])


# whole
@torch.compile
def case_returned_zip(t: torch.Tensor):
    return zip([t + 1], [t])


# breaks
@torch.compile
def case_if_given_loop_data(t: torch.Tensor):
    for index in range(3):
        if t.sum() > 0:
            t = t + 1
    return t


# breaks
@torch.compile
def case_defaultdict_given_genexp(t: torch.Tensor):
    return sum((entry if entry.sum() > 0 else -entry for entry in [t, t + 1]))


# breaks
@torch.compile
def case_break_given_comprehension_callee(t: torch.Tensor):
    return [always_breaks(entry) for entry in [t, t + 1]]


# whole
@torch.compile
def case_generator_send(t: torch.Tensor):

    def source():
        entry = (yield t)
        yield (entry + 1)
        it = source()
        next(it)
        return it.send(t)


# whole
@torch.compile
def case_generator_close(t: torch.Tensor):

    def source():
        yield t
    it = source()
    next(it)
    it.close()
    return t + 1


# whole
@torch.compile
def case_generator_yield_from(t: torch.Tensor):

    def source():
        yield from [t, t + 1]
    return sum(source())


# whole
@torch.compile
def case_generator_infinite(t: torch.Tensor):

    def source():
        index = 0
        while True:
            yield (t + index)
            index += 1
        it = source()
        return next(it) + next(it)


# whole
@torch.compile
def case_generator_returned(t: torch.Tensor):

    def source():
        yield (t + 1)
    return source()


# whole
@torch.compile
def case_generator_returned_partial(t: torch.Tensor):

    def source():
        yield (t + 1)
        yield (t + 2)
    it = source()
    next(it)
    return it


# whole
@torch.compile
def case_generator_returned_sideeff(t: torch.Tensor):
    items = []

    def source():
        items.append(1)
        yield (t + 1)
    return (source(), items)


# whole
@torch.compile
def case_generator_arg_inner(t: torch.Tensor):

    def source():
        yield t
        yield (t + 1)
    given, right = source()
    return given + right


# whole
@torch.compile
def case_generator_zip(t: torch.Tensor):

    def source():
        yield t
        yield (t + 1)
    return sum((given + right for given, right in zip(source(), source())))


# breaks
@torch.compile
def case_generator_global(t: torch.Tensor):
    return next(OUTER_GENERATOR) + t


# whole
@torch.compile
def case_generator_inf_sum(t: torch.Tensor):

    def source():
        while True:
            yield 1
        import itertools
    return t + sum(itertools.islice(source(), 3))


# whole
@torch.compile
def case_itertools_chain(t: torch.Tensor):
    return sum(itertools.chain([t], [t]))


# whole
@torch.compile
def case_itertools_combos(t: torch.Tensor):
    return sum((given + right for given, right in itertools.combinations([t, t, t], 2)))


# whole
@torch.compile
def case_itertools_perm(t: torch.Tensor):
    return sum((given + right for given, right in itertools.permutations([t, t], 2)))


# whole
@torch.compile
def case_itertools_accum(t: torch.Tensor):
    return list(itertools.accumulate([t, t]))[1]


# breaks
@torch.compile
def case_itertools_groupby_tensor(t: torch.Tensor):
    return t + len(list(itertools.groupby([t, t], key=lambda t: t.sum())))


# whole
@torch.compile
def case_itertools_cycle(t: torch.Tensor):
    return sum(itertools.islice(itertools.cycle([t]), 3))


# whole
@torch.compile
def case_itertools_count(t: torch.Tensor):
    return t + next(itertools.count(3))


# whole
@torch.compile
def case_itertools_zip_longest(t: torch.Tensor):
    return sum((given for given, right in itertools.zip_longest([t], [t, t], fillvalue=t)))


# whole
@torch.compile
def case_itertools_starmap(t: torch.Tensor):
    return sum(itertools.starmap(torch.add, [(t, t)]))


# whole
@torch.compile
def case_itertools_pairwise(t: torch.Tensor):
    return sum((given + right for given, right in itertools.pairwise([t, t])))


# whole
@torch.compile
def case_itertools_batched(t: torch.Tensor):
    return t + len(list(itertools.batched([1, 2], 1))) if hasattr(itertools, 'batched') else t + 1


# whole
@torch.compile
def case_modlist(t: torch.Tensor):
    for items in layers:
        t = items(t)
    return t


# breaks
@torch.compile
def case_dataloader(t: torch.Tensor):
    for right in torch.utils.data.DataLoader([1, 2]):
        t = t + right
    return t


# breaks
@torch.compile
def case_dataloader_global(t: torch.Tensor):
    for right in LOADER:
        t = t + right
    return t


# whole
@torch.compile
def case_tensor_as_bool_indexed_list(t: torch.Tensor):
    return [entry for entry, member in zip([t, t], [True, False]) if member][0] + 1


# whole
@torch.compile
def case_any_isinstance(t: torch.Tensor):
    return t + 1 if any((isinstance(entry, torch.Tensor) for entry in [t])) else t


# whole
@torch.compile
def case_max_over_shapes(t: torch.Tensor):
    return t + max((t.shape[0] for t in [t, t]))


# breaks
@torch.compile
def case_sorted_keys_tensor(t: torch.Tensor):
    return sum((entry for key, entry in sorted({'b': t, 'a': t}.items())))


# whole
@torch.compile
def case_zip_star(t: torch.Tensor):
    given, right = zip(*[(t, 1), (t, 2)])
    return given[0] + right[0]


# whole
@torch.compile
def case_next_iterated_vals(t: torch.Tensor):
    return next(iter({'a': t}.values())) + 1


# whole
@torch.compile
def case_dictcomp_op(t: torch.Tensor):
    other = t + 1
    table = {key: other for key in 'ab'}
    return table['a'] + 1


# whole
@torch.compile
def case_dictcomp_items(t: torch.Tensor):
    other = t + 1
    table = {key: entry + 1 for key, entry in {'a': other}.items()}
    return table['a']


# whole
@torch.compile
def case_genexp_text(t: torch.Tensor):
    other = t + 1
    return sum((1 for cell_value in 'ab')) + other


# whole
@torch.compile
def case_for_text(t: torch.Tensor):
    for cell_value in 'ab':
        t = t + 1
    return t


# whole
@torch.compile
def case_enum_text(t: torch.Tensor):
    for index, cell_value in enumerate('ab'):
        t = t + index
    return t


# whole
@torch.compile
def case_generator_frame(t: torch.Tensor):
    yield (t + 1)


# breaks
@torch.compile
def case_groupby_positional(t: torch.Tensor):
    return t + len(list(itertools.groupby([1, 1, 2], lambda entry: entry)))


# whole
@torch.compile
def case_groupby_keyword(t: torch.Tensor):
    return t + len(list(itertools.groupby([1, 1, 2], key=lambda entry: entry)))


# whole
@torch.compile
def case_async_for(t: torch.Tensor):

    async def f():
        async for index in t:
            pass
    return t + 1


# whole
@torch.compile
def case_version_tuple(t: torch.Tensor):
    return t + 1 if tuple((int(entry) for entry in torch.__version__.split('+')[0].split('.')[:2])) >= (2, 0) else t


# breaks
@torch.compile
def case_for_zip_defaultdict(t: torch.Tensor):
    outcome = []
    for given, right in zip(t, t):
        outcome.append(given + right if given > right else right)
    return torch.stack(outcome)
