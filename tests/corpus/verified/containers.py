"""Containers: each function was run under PyTorch 2.13; the comment above it says whether it breaks."""

import collections
import copy
import enum
import functools
import heapq
import json
import math
import operator
import os
import statistics
import struct
import sys
import types
import typing
import numpy as np
import torch
import torch.nn.functional as F

SHARED_LIST = []


SHARED_DICT = {}


class Level(enum.IntEnum):
    A = 1


class OwnList(list):
    pass


class OwnDict(dict):
    pass


class OwnTuple(tuple):
    pass


NUMPY_ARRAY = np.ones(3)


def always_breaks(given):
    torch._dynamo.graph_break()
    return given


# breaks
@torch.compile
def case_tolist_integer(t: torch.Tensor):
    return t.tolist()


# breaks
@torch.compile
def case_tolist_integer_use(t: torch.Tensor):
    items = t.tolist()
    return t + items[0]


# whole
@torch.compile
def case_dataptr_dict(t: torch.Tensor):
    table = {t.data_ptr(): 1}
    return t + 1


# breaks
@torch.compile
def case_storage_offset(t: torch.Tensor):
    return t + t.storage_offset()


# breaks
@torch.compile
def case_uniform_from(t: torch.Tensor):
    other = t + 1
    other.uniform_(**{'from': 0, 'to': 1})
    return other


# breaks
@torch.compile
def case_real_set(t: torch.Tensor):
    other = t + 1j
    other.real = t
    return other


# whole
@torch.compile
def case_new_list(t: torch.Tensor):
    return t.new([1, 2])


# whole
@torch.compile
def case_setitem_integer(t: torch.Tensor):
    other = t + 1
    other[0] = 1
    return other


# whole
@torch.compile
def case_setitem_mask(t: torch.Tensor):
    other = t + 1
    other[other > 0] = 0
    return other


# whole
@torch.compile
def case_setitem_maskt(t: torch.Tensor):
    other = t + 1
    other[other > 0] = torch.ones(3)[:2].sum()
    return other


# breaks
@torch.compile
def case_isset(t: torch.Tensor):
    return t + 1 if t.is_set_to(t) else t


# breaks
@torch.compile
def case_if_x1(t: torch.Tensor):
    return t + 1 if t[:1] else t


# breaks
@torch.compile
def case_sparse_csr(t: torch.Tensor):
    return torch.sparse_csr_tensor(torch.tensor([0, 1]), torch.tensor([0]), t[:1], (1, 1))


# whole
@torch.compile
def case_nested(t: torch.Tensor):
    return torch.nested.nested_tensor([t, t], layout=torch.jagged)


# breaks
@torch.compile
def case_index(t: torch.Tensor):
    return operator.index(t.long().sum())


# breaks
@torch.compile
def case_boolidx(t: torch.Tensor):
    return t[t > 0]


# breaks
@torch.compile
def case_boolidx2(t: torch.Tensor):
    return t[None][:, t > 0]


# breaks
@torch.compile
def case_boollist(t: torch.Tensor):
    return t[[True, False, True]]


# breaks
@torch.compile
def case_booltensor_const(t: torch.Tensor):
    return t[torch.tensor([True, False, True])]


# breaks
@torch.compile
def case_ctc(t: torch.Tensor):
    lp = torch.randn(5, 2, 4).log_softmax(2)
    t = torch.randint(1, 4, (2, 3))
    return F.ctc_loss(lp, t, torch.tensor([5, 5]), torch.tensor([3, 3]))


# breaks
@torch.compile
def case_corrcoef(t: torch.Tensor):
    return torch.corrcoef(t[None].expand(2, 3))


# whole
@torch.compile
def case_tensor_split_l(t: torch.Tensor):
    return torch.tensor_split(torch.ones(6), [1, 3])


# whole
@torch.compile
def case_histogramdd(t: torch.Tensor):
    return torch.histogramdd(t[:, None], bins=[3])


# whole
@torch.compile
def case_block_diag(t: torch.Tensor):
    return torch.block_diag(t[None], t[None])


# whole
@torch.compile
def case_put(t: torch.Tensor):
    return t.put(torch.tensor([0]), t[:1])


# whole
@torch.compile
def case_index_add(t: torch.Tensor):
    return t.index_add(0, torch.tensor([0, 1, 2]), t)


# whole
@torch.compile
def case_scatter_reduce(t: torch.Tensor):
    return t.scatter_reduce(0, torch.tensor([0, 0, 1]), t, 'sum')


# whole
@torch.compile
def case_segment_reduce(t: torch.Tensor):
    return torch.segment_reduce(t, 'sum', lengths=torch.tensor([1, 2]))


# whole
@torch.compile
def case_interpolate(t: torch.Tensor):
    return F.interpolate(t[None, None], scale_factor=2)


# breaks
@torch.compile
def case_interp_item(t: torch.Tensor):
    return F.interpolate(t[None, None], size=int(t[0]) + 3)


# whole
@torch.compile
def case_ce(t: torch.Tensor):
    return F.cross_entropy(torch.rand(2, 3), torch.tensor([0, 1]))


# whole
@torch.compile
def case_linspace_tensor(t: torch.Tensor):
    return torch.linspace(t[0], t[1], 5)


# whole
@torch.compile
def case_full_tensor(t: torch.Tensor):
    return torch.full((3,), t[0])


# whole
@torch.compile
def case_clamp_tensor(t: torch.Tensor):
    return t.clamp(max=t[1])


# breaks
@torch.compile
def case_add_alpha_tensor(t: torch.Tensor):
    return torch.add(t, t, alpha=t[0])


# whole
@torch.compile
def case_lerp_tensor(t: torch.Tensor):
    return torch.lerp(t, t, t[0])


# breaks
@torch.compile
def case_scalar_tensor(t: torch.Tensor):
    return torch.scalar_tensor(t[0])


# whole
@torch.compile
def case_tensor_nested(t: torch.Tensor):
    return torch.tensor([[t[0], t[1]], [1, 2]])


# whole
@torch.compile
def case_stack(t: torch.Tensor):
    return torch.stack([t, t])


# whole
@torch.compile
def case_check(t: torch.Tensor):
    torch._check(t.shape[0] == 3)
    return t + 1


# whole
@torch.compile
def case_check_msg(t: torch.Tensor):
    torch._check(t.shape[0] == 3, lambda: 'bad')
    return t + 1


# whole
@torch.compile
def case_assert_function(t: torch.Tensor):
    torch._assert(t.shape[0] == 3, 'm')
    return t


# whole
@torch.compile
def case_llist(t: torch.Tensor):
    items = OwnList([t])
    items.append(t)
    return items[0] + len(items)


# whole
@torch.compile
def case_ddict(t: torch.Tensor):
    table = OwnDict(a=t)
    table['b'] = t
    return table['a'] + len(table)


# whole
@torch.compile
def case_ttuple(t: torch.Tensor):
    return OwnTuple((t, t))[0]


# whole
@torch.compile
def case_ddict_l(t: torch.Tensor):
    table = collections.defaultdict(list)
    table['a'].append(t)
    return table['a'][0]


# whole
@torch.compile
def case_ordered_dict(t: torch.Tensor):
    table = collections.OrderedDict(a=t)
    table.move_to_end('a')
    return table['a']


# whole
@torch.compile
def case_deque(t: torch.Tensor):
    table = collections.deque([t], maxlen=2)
    table.append(t)
    return table[0]


# whole
@torch.compile
def case_userdict(t: torch.Tensor):
    table = collections.UserDict(a=t)
    return table['a']


# whole
@torch.compile
def case_mappingproxy(t: torch.Tensor):
    return types.MappingProxyType({'a': t})['a']


# whole
@torch.compile
def case_id_dict(t: torch.Tensor):
    table = {id(t): 1}
    return t + table[id(t)]


# whole
@torch.compile
def case_hash_tuple(t: torch.Tensor):
    return t + hash((1, 2)) % 2


# whole
@torch.compile
def case_map_again(t: torch.Tensor):
    return sum(map(lambda given: given + 1, [t, t]))


# whole
@torch.compile
def case_map_tensor(t: torch.Tensor):
    return list(map(torch.sin, t))


# whole
@torch.compile
def case_filter(t: torch.Tensor):
    return sum(filter(lambda given: given is not None, [t, None]))


# whole
@torch.compile
def case_sorted_const(t: torch.Tensor):
    return t + sorted([3, 1])[0]


# whole
@torch.compile
def case_sorted_shape(t: torch.Tensor):
    return sorted([t, t], key=lambda given: given.shape[0])[0]


# breaks
@torch.compile
def case_sorted_tkey(t: torch.Tensor):
    return sorted([t, t + 1], key=lambda t: t.sum())[0]


# breaks
@torch.compile
def case_sorted_item(t: torch.Tensor):
    return sorted([t, t + 1], key=lambda t: t.sum().item())[0]


# whole
@torch.compile
def case_sum_list(t: torch.Tensor):
    return sum([t, t])


# whole
@torch.compile
def case_sum_start(t: torch.Tensor):
    return sum([t, t], t)


# whole
@torch.compile
def case_max_list(t: torch.Tensor):
    return max([t[0], t[1]])


# whole
@torch.compile
def case_max_item(t: torch.Tensor):
    return t + max(1, t.shape[0])


# breaks
@torch.compile
def case_max_key(t: torch.Tensor):
    return max([t, t + 1], key=lambda t: t.shape[0])


# breaks
@torch.compile
def case_max_tkey(t: torch.Tensor):
    return max([t, t + 1], key=lambda t: t.sum())


# whole
@torch.compile
def case_min_ti(t: torch.Tensor):
    return min(t[0], 3)


# whole
@torch.compile
def case_any_list(t: torch.Tensor):
    return t + 1 if any([t is None]) else t


# whole
@torch.compile
def case_slice(t: torch.Tensor):
    return t[slice(0, 2)]


# whole
@torch.compile
def case_divmod(t: torch.Tensor):
    return t + divmod(7, 2)[0]


# whole
@torch.compile
def case_set(t: torch.Tensor):
    chars = {1, 2}
    chars.add(3)
    return t + len(chars)


# whole
@torch.compile
def case_set_tensor(t: torch.Tensor):
    chars = {t}
    return t + 1 if t in chars else t


# whole
@torch.compile
def case_set_ops(t: torch.Tensor):
    return t + len({1, 2} & {2} | {3} - {1} ^ {4})


# whole
@torch.compile
def case_set_iterated(t: torch.Tensor):
    return t + sum({1, 2})


# whole
@torch.compile
def case_dict_tkey(t: torch.Tensor):
    table = {t: 1}
    return t + table[t]


# whole
@torch.compile
def case_dict_merge(t: torch.Tensor):
    return ({'a': t} | {'b': t})['b']


# whole
@torch.compile
def case_dict_pop(t: torch.Tensor):
    table = {'a': t}
    return table.pop('a')


# whole
@torch.compile
def case_dict_fromkeys(t: torch.Tensor):
    return dict.fromkeys(['a'], t)['a']


# whole
@torch.compile
def case_list_index_tensor(t: torch.Tensor):
    return t + [t, 1].index(t)


# whole
@torch.compile
def case_list_count(t: torch.Tensor):
    return t + [1, 1].count(1)


# whole
@torch.compile
def case_list_sort(t: torch.Tensor):
    items = [2, 1]
    items.sort()
    return t + items[0]


# whole
@torch.compile
def case_list_mul(t: torch.Tensor):
    return sum([t] * 3)


# breaks
@torch.compile
def case_lru_inner(t: torch.Tensor):

    @functools.lru_cache
    def inner_function(given):
        return given + 1
    return t + inner_function(1)


# whole
@torch.compile
def case_wraps_inner(t: torch.Tensor):

    def table(inner_function):

        @functools.wraps(inner_function)
        def source(*given):
            return inner_function(*given)
        return source
    return table(torch.sin)(t)


# whole
@torch.compile
def case_attrgetter(t: torch.Tensor):
    return t + operator.attrgetter('shape')(t)[0]


# whole
@torch.compile
def case_itemgetter(t: torch.Tensor):
    return operator.itemgetter(0)([t])


# whole
@torch.compile
def case_methodcaller(t: torch.Tensor):
    return operator.methodcaller('sum')(t)


# whole
@torch.compile
def case_op_matmul(t: torch.Tensor):
    return operator.matmul(t, t)


# whole
@torch.compile
def case_op_contains(t: torch.Tensor):
    return t + 1 if operator.contains([1], 1) else t


# whole
@torch.compile
def case_default_mutated(t: torch.Tensor, items=[]):
    items.append(1)
    return t + len(items)


# whole
@torch.compile
def case_global_list_append(t: torch.Tensor):
    SHARED_LIST.append(1)
    return t + 1


# whole
@torch.compile
def case_global_list_append_tensor(t: torch.Tensor):
    SHARED_LIST.append(t + 1)
    return t + 1


# whole
@torch.compile
def case_global_dict(t: torch.Tensor):
    SHARED_DICT['a'] = t + 1
    return t + 1


# whole
@torch.compile
def case_module_attribute_set(t: torch.Tensor):
    math.foo = 1
    return t + 1


# whole
@torch.compile
def case_match(x: torch.Tensor):
    match x.shape:
        case [3]:
            return x + 1
        case _:
            return x


# whole
@torch.compile
def case_match_dict(x: torch.Tensor):
    match {'a': x}:
        case {'a': v}:
            return v + 1
    return x


# whole
@torch.compile
def case_star_tensor(t: torch.Tensor):
    given, *right = t
    return given + right[0]


# whole
@torch.compile
def case_returned_map(t: torch.Tensor):
    return map(torch.sin, [t])


# whole
@torch.compile
def case_returned_set(t: torch.Tensor):
    return ({1, 2}, t + 1)


# whole
@torch.compile
def case_returned_dictview(t: torch.Tensor):
    return {'a': t + 1}.items()


# breaks
@torch.compile
def case_break_given_map(t: torch.Tensor):
    return list(map(always_breaks, [t, t]))


# breaks
@torch.compile
def case_break_dict_unpack(t: torch.Tensor):
    return dict(**{'a': always_breaks(t)})['a']


# whole
@torch.compile
def case_environ_indexed(t: torch.Tensor):
    return t + len(os.environ['HOME'])


# breaks
@torch.compile
def case_environ_set(t: torch.Tensor):
    os.environ['ZZQ'] = '1'
    return t + 1


# whole
@torch.compile
def case_path_splitext(t: torch.Tensor):
    return t + len(os.path.splitext('a.b')[0])


# whole
@torch.compile
def case_sys_version(t: torch.Tensor):
    return t + sys.version_info[0]


# breaks
@torch.compile
def case_json_loads(t: torch.Tensor):
    return t + json.loads('{"a":1}')['a']


# breaks
@torch.compile
def case_copy_list(t: torch.Tensor):
    return copy.copy([t])[0]


# whole
@torch.compile
def case_deepcopy_list(t: torch.Tensor):
    return t + copy.deepcopy([1, [2]])[0]


# breaks
@torch.compile
def case_deepcopy_tensor(t: torch.Tensor):
    return copy.deepcopy([t])[0]


# whole
@torch.compile
def case_math_prod(t: torch.Tensor):
    return t + math.prod([1, 2])


# whole
@torch.compile
def case_math_log2(t: torch.Tensor):
    return t + math.log2(t.shape[0])


# breaks
@torch.compile
def case_heappush(t: torch.Tensor):
    handle = []
    heapq.heappush(handle, 1)
    return t + handle[0]


# breaks
@torch.compile
def case_nlargest(t: torch.Tensor):
    return t + heapq.nlargest(1, [1, 2])[0]


# whole
@torch.compile
def case_struct(t: torch.Tensor):
    return t + struct.unpack('i', struct.pack('i', 3))[0]


# breaks
@torch.compile
def case_statistics(t: torch.Tensor):
    return t + statistics.mean([1, 2, 3])


# whole
@torch.compile
def case_typing_origin(t: torch.Tensor):
    return t + 1 if typing.get_origin(typing.List[int]) is list else t


# breaks
@torch.compile
def case_pil(t: torch.Tensor):
    from PIL import Image
    im = Image.new('L', (2, 2))
    return t + im.size[0]


# whole
@torch.compile
def case_numpy_global_indexed(t: torch.Tensor):
    return t * NUMPY_ARRAY[0]


# whole
@torch.compile
def case_config_set(t: torch.Tensor):
    torch._dynamo.config.verbose = False
    return t + 1


# breaks
@torch.compile
def case_checkpoint_seq(t: torch.Tensor):
    return torch.utils.checkpoint.checkpoint_sequential([torch.sin, torch.cos], 1, t, use_reentrant=False)


# whole
@torch.compile
def case_enum_getitem(t: torch.Tensor):
    return t + Level['A']


# whole
@torch.compile
def case_size_add(t: torch.Tensor):
    return t.view(t.shape[:-1] + (3, 1))


# whole
@torch.compile
def case_torch_Tensor(t: torch.Tensor):
    return torch.Tensor([1.0, 2.0, 3.0]) + t


# whole
@torch.compile
def case_FloatTensor(t: torch.Tensor):
    return torch.FloatTensor([1.0, 2.0, 3.0]) + t


# whole
@torch.compile
def case_LongTensor(t: torch.Tensor):
    return t[torch.LongTensor([0])]


# whole
@torch.compile
def case_del_dict(t: torch.Tensor):
    table = {'a': t}
    del table['a']
    return t + len(table)


# whole
@torch.compile
def case_tree_map(t: torch.Tensor):
    return torch.utils._pytree.tree_map(lambda t: t + 1, {'a': t})['a']


# whole
@torch.compile
def case_integer_arg(t: torch.Tensor, count: int):
    return t[:count]


# whole
@torch.compile
def case_float_arg_integer(t: torch.Tensor, count: int):
    return t[:int(count)]


# whole
@torch.compile
def case_list_sort_tensor(t: torch.Tensor):
    items = [t, t + 1]
    items.sort(key=lambda t: -t.shape[0])
    return items[0] + 1


# whole
@torch.compile
def case_max_default(t: torch.Tensor):
    return t + max([], default=1)


# whole
@torch.compile
def case_sorted_length(t: torch.Tensor):
    return sorted([[t], [t, t]], key=len)[0][0] + 1


# whole
@torch.compile
def case_sorted_rev(t: torch.Tensor):
    return t + sorted([1, 3], reverse=True)[0]


# whole
@torch.compile
def case_sorted_dictitems(t: torch.Tensor):
    return t + sorted({'a': 1}.items())[0][1]


# breaks
@torch.compile
def case_sorted_tuple_tensor(t: torch.Tensor):
    return sorted([(1, t), (2, t)])[0][1] + 1


# whole
@torch.compile
def case_dict_ctor(t: torch.Tensor):
    return dict(a=t)['a'] + 1


# whole
@torch.compile
def case_set_sub(t: torch.Tensor):
    return t + len({1, 2} - {1})


# whole
@torch.compile
def case_typing_given_body(t: torch.Tensor):
    items: typing.List[int] = [1]
    return t + items[0]


# whole
@torch.compile
def case_list_integer_alias(t: torch.Tensor):
    T = list[int]
    return t + 1


# whole
@torch.compile
def case_weird_unpack(t: torch.Tensor):
    (given, right), *cell_value = [(t, t), t]
    return given + cell_value[0]


# whole
@torch.compile
def case_ellipsis(t: torch.Tensor):
    return t[..., None]


# whole
@torch.compile
def case_indexed_none(t: torch.Tensor):
    return t[None, :, None]


# whole
@torch.compile
def case_indexed_range(t: torch.Tensor):
    return t[range(2)]


# whole
@torch.compile
def case_indexed_list(t: torch.Tensor):
    return t[[0, 1]]


# whole
@torch.compile
def case_indexed_tuple_tensor(t: torch.Tensor):
    return t[torch.tensor([0, 1]),]


# whole
@torch.compile
def case_selfref(t: torch.Tensor):
    items = [t]
    items.append(items)
    return items


# breaks
@torch.compile
def case_id_returned(t: torch.Tensor):
    return (id([1]), t + 1)


# breaks
@torch.compile
def case_id_module(t: torch.Tensor):
    return t + id([1]) % 2


# whole
@torch.compile
def case_slice_attribute(t: torch.Tensor):
    return t + slice(1, 2).indices(3)[0]


# breaks
@torch.compile
def case_nested_ctor(t: torch.Tensor):
    return torch.nested.nested_tensor([t, t], layout=torch.strided)


# breaks
@torch.compile
def case_id_less_than(t: torch.Tensor):
    given = [1]
    right = [2]
    return t + 1 if id(given) < id(right) else t


# breaks
@torch.compile
def case_id_equal_integer(t: torch.Tensor):
    given = [1]
    return t + 1 if id(given) == 3 else t


# whole
@torch.compile
def case_functools_total(t: torch.Tensor):
    return t + functools.reduce(lambda given, right: given + right, [1, 2])


# breaks
@torch.compile
def case_iterated_file(t: torch.Tensor):
    return t + len(list(open('/dev/null')))


# whole
@torch.compile
def case_tuple_less_than(t: torch.Tensor):
    return t + 1 if (1, 2) < (1, 3) else t
