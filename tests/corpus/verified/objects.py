"""Objects: each function was run under PyTorch 2.13; the comment above it says whether it breaks."""

import collections
import dataclasses
import enum
import typing
import torch

GENERATOR = torch.Generator()


class Point:

    def __init__(self, given):
        self.a = given


POINT = Point(1)


class Paint(enum.Enum):
    R = 1
    GENERATOR = 2


class Level(enum.IntEnum):
    A = 1


@dataclasses.dataclass
class Record:
    given: object
    right: int = 1


class Named(typing.NamedTuple):
    given: object
    right: int = 1


# whole
@torch.compile
def case_type(t: torch.Tensor):
    return t.type() == 'torch.FloatTensor' and t + 1


# whole
@torch.compile
def case_type_cast(t: torch.Tensor):
    return t.type(torch.FloatTensor)


# whole
@torch.compile
def case_setattr_tensor(t: torch.Tensor):
    t.foo = 1
    return t + t.foo


# whole
@torch.compile
def case_setattr_integer(t: torch.Tensor):
    other = t + 1
    other.foo = 1
    return other + other.foo


# whole
@torch.compile
def case_isinst(t: torch.Tensor):
    return t + 1 if isinstance(t, torch.Tensor) else t


# whole
@torch.compile
def case_isfloatT(t: torch.Tensor):
    return t + 1 if isinstance(t, torch.FloatTensor) else t


# breaks
@torch.compile
def case_result_type(t: torch.Tensor):
    return t.to(torch.result_type(t, 1))


# whole
@torch.compile
def case_set_default_dtype(t: torch.Tensor):
    torch.set_default_dtype(torch.float32)
    return t + 1


# whole
@torch.compile
def case_get_default_dtype(t: torch.Tensor):
    return t.to(torch.get_default_dtype())


# whole
@torch.compile
def case_object_bool(t: torch.Tensor):
    return t + 1 if POINT else t


# whole
@torch.compile
def case_object_dictkey(t: torch.Tensor):
    table = {POINT: 1}
    return t + table[POINT]


# whole
@torch.compile
def case_object_equal(t: torch.Tensor):
    return t + 1 if POINT == 3 else t


# whole
@torch.compile
def case_enum(t: torch.Tensor):
    return t + Paint.R.value


# whole
@torch.compile
def case_enum_compared(t: torch.Tensor):
    return t + 1 if Paint.R == Paint.G else t


# whole
@torch.compile
def case_enum_is(t: torch.Tensor):
    return t + 1 if Paint.R is Paint.G else t


# whole
@torch.compile
def case_enum_ctor(t: torch.Tensor):
    return t + Paint(1).value


# whole
@torch.compile
def case_enum_name(t: torch.Tensor):
    return t + len(Paint.R.name)


# whole
@torch.compile
def case_record_returned(t: torch.Tensor):
    return Record(t + 1)


# whole
@torch.compile
def case_record_replace(t: torch.Tensor):
    return dataclasses.replace(Record(t), b=3).a


# whole
@torch.compile
def case_record_asdict(t: torch.Tensor):
    return dataclasses.asdict(Record(1))['a'] + t


# breaks
@torch.compile
def case_record_asdict_tensor(t: torch.Tensor):
    return dataclasses.asdict(Record(t))['a'] + t


# whole
@torch.compile
def case_record_fields(t: torch.Tensor):
    return t + len(dataclasses.fields(Record(t)))


# whole
@torch.compile
def case_named_tuple_repl(t: torch.Tensor):
    return Named(t)._replace(b=2).a


# whole
@torch.compile
def case_named_tuple_asdict(t: torch.Tensor):
    return Named(t)._asdict()['a']


# whole
@torch.compile
def case_isinstance(t: torch.Tensor):
    return t + 1 if isinstance(t, (int, torch.Tensor)) else t


# whole
@torch.compile
def case_type3(t: torch.Tensor):
    T = type('T', (), {'v': 1})
    return t + T.v


# whole
@torch.compile
def case_delattr(t: torch.Tensor):
    param = Point(1)
    param.q = 1
    del param.q
    return t + 1


# whole
@torch.compile
def case_hasattr(t: torch.Tensor):
    return t + 1 if hasattr(POINT, 'a') else t


# whole
@torch.compile
def case_vars(x: torch.Tensor):
    return x + len(vars(P))


# breaks
@torch.compile
def case_dir(t: torch.Tensor):
    return t + len(dir(POINT))


# whole
@torch.compile
def case_id(t: torch.Tensor):
    return t + id(POINT) % 2


# whole
@torch.compile
def case_id_compared(t: torch.Tensor):
    return t + 1 if id(POINT) == id(t) else t


# whole
@torch.compile
def case_global_obj_attribute(t: torch.Tensor):
    POINT.q = t + 1
    return t + 1


# whole
@torch.compile
def case_returned_dtype(t: torch.Tensor):
    return (t.dtype, t.device, t + 1)


# whole
@torch.compile
def case_returned_obj(t: torch.Tensor):
    return Point(t + 1)


# breaks
@torch.compile
def case_classdef(t: torch.Tensor):

    class A:
        v = 1
    return t + A.v


# whole
@torch.compile
def case_isinst_generic(t: torch.Tensor):
    return t + 1 if isinstance([1], collections.abc.Sequence) else t


# whole
@torch.compile
def case_intenum(t: torch.Tensor):
    return t + Level.A


# whole
@torch.compile
def case_getattr_torch(t: torch.Tensor):
    return getattr(torch, 'sin')(t)


# whole
@torch.compile
def case_hasattr_torch(t: torch.Tensor):
    return t + 1 if hasattr(torch, 'compile') else t


# whole
@torch.compile
def case_hasattr_of_torch_a_dtype(t: torch.Tensor):
    if not hasattr(torch, "float8_e4m3fn") or not hasattr(torch, "channels_last"):
        print("an old torch")
    return t + 1


# whole
@torch.compile
def case_type_call(t: torch.Tensor):
    return type([1])([t])[0] + 1


# whole
@torch.compile
def case_union_pipe(t: torch.Tensor):
    return t + 1 if isinstance(t, int | torch.Tensor) else t


# whole
@torch.compile
def case_hasattr_ordered_dict(t: torch.Tensor):
    table = collections.OrderedDict()
    return t + 1 if hasattr(table, 'foo') else t
