"""Readers of messages about dtypes, types of values, and missing or unexpected arguments."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from gblint.confirm.inputs.error_requests import (
    Dtype,
    InputRequest,
    ItemCount,
    LargerSize,
    MissingArguments,
    MultipleOf,
    OneOf,
    Size,
    UnexpectedArgument,
    UpperBound,
    ValueKind,
    ValueRange,
)
from gblint.confirm.inputs.messages._reader import Table, reader_for

READERS: Table = []
_reads = functools.partial(reader_for, READERS)
_DTYPES = {
    "long": "int64",
    "long int": "int64",
    "int": "int32",
    "torch.int64": "int64",
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "bool": "bool",
    "byte": "uint8",
    "bfloat16": "bfloat16",
    "c10::bfloat16": "bfloat16",
    "complexfloat": "complex64",
    "torch.float32": "float32",
    "torch.floattensor": "float32",
    "torch.longtensor": "int64",
    "longtensor": "int64",
}


def _dtype(name: str) -> str:
    return _DTYPES.get(name.strip().lower(), name.strip().lower().removeprefix("torch."))


@_reads(
    r"same dtype, but got (\w+) and (\w+)|\bexpected scalar type (?P<want>\w+) but found "
    r"(?P<have>\w+)|same dtype, but found (\w+) and (\w+)"
)
def dtypes(match: re.Match[str]) -> Iterator[InputRequest]:
    """Two tensors with different dtypes."""
    found = [_dtype(each) for each in match.groups() if each]
    if match["want"]:
        yield Dtype(found[0], found[1])
        yield Dtype(found[1], found[0])
        return
    yield Dtype(
        "float32" if "float32" in found else found[1], next((each for each in found if each != "float32"), found[0])
    )


@_reads(
    r"Input type \(([^)]*)\) and (?:bias|weight) type \(([^)]*)\) should be the same|RNN input dtype "
    r"\(([^)]*)\) does not match weight dtype \(([^)]*)\)"
)
def input_type(match: re.Match[str]) -> Iterator[InputRequest]:
    """A layer got integers or another precision."""
    have, want = (_dtype(each) for each in match.groups() if each)
    yield Dtype(want, have)


@_reads(
    r"scalar types: (\w+), \w+; but got (torch\.\w+Tensor)|[Ee]xpected (?:target )?dtype (?:to be "
    r")?(Long|int32/int64)\b[^,]*(?:, but got (\w+))?|must be (long), int, byte or bool tensors"
        r"|index tensor of type LongTensor")  # fmt: skip
def ids_expected(match: re.Match[str]) -> Iterator[InputRequest]:
    """Ids or indices are expected."""
    have = match[2] or match[4]
    yield Dtype("int64", _dtype(have) if have else "float32")


@_reads(r"Found dtype (\w+) but expected (\w+)|result type (\w+) can't be cast to the desired output type (\w+)")
def found_dtype(match: re.Match[str]) -> Iterator[InputRequest]:
    """A loss over floating-point numbers."""
    found = [_dtype(each) for each in match.groups() if each]
    yield Dtype(found[1], found[0])
    yield Dtype("float32", "int64")


@_reads(
    r"only supports boolean masks, but got mask with dtype (\w+)|condition to be a boolean tensor, "
    r"but got a tensor with dtype (\w+)"
        r"|\(operator\.invert\) is only implemented on integer and Boolean|\"bitwise_\w+\" not implemented for '(\w+)'"
        r"|must be (?:a )?bool(?:ean)?[ _]?(?:tensor|mask)?, (?:but )?got (\S+)")  # fmt: skip
def mask_expected(match: re.Match[str]) -> Iterator[InputRequest]:
    """A mask is expected."""
    have = next((each for each in match.groups() if each), "")
    yield Dtype("bool", _dtype(have) if have else "")


@_reads(r"not implemented for '(Float|Double|ComplexFloat)'|attn_mask dtype to be bool or float")
def integers_expected(match: re.Match[str]) -> Iterator[InputRequest]:
    """An operation on integers got floats, or a mask is neither bool nor float."""
    if match[1] is None:
        yield Dtype("bool", "int64")
    else:
        yield Dtype("int64", _dtype(match[1]))


@_reads(
    r"not implemented for '(Long|Int|Bool|Byte)'|only (?:support|implemented|defined).*float.*"
    r"|floating[- ]point (?:dtype|tensor|and complex)|can only calculate the mean of"
)
def floats_expected(match: re.Match[str]) -> Iterator[InputRequest]:
    """An operation on floating-point numbers got integers."""
    yield Dtype("float32", _dtype(match[1]) if match[1] else "int64")


@_reads(r"index (-?\d+) is out of bounds for (?:dimension|axis) (\d+) with size (\d+)|Target (\d+) is out of bounds")
def bounds(match: re.Match[str]) -> Iterator[InputRequest]:
    """An index is out of bounds, or the indexed tensor too small."""
    if match[4]:
        yield UpperBound()
        return
    at, dim, size = int(match[1]), int(match[2]), int(match[3])
    yield UpperBound(max(size, 1))
    yield Size(size, at + 1 if at >= 0 else -at, dim)


@_reads(
    r"index out of range in self|Class values must be smaller than num_classes|device-side assert"
    r"|indices? out of (?:range|bounds)"
)
def out_of_range(match: re.Match[str]) -> Iterator[InputRequest]:
    """Ids are too large for the table in which they are looked up."""
    yield UpperBound()


@_reads(r"between 0 and 1|\[0, 1\]")
def unit_interval(match: re.Match[str]) -> Iterator[InputRequest]:
    """Probabilities are expected."""
    yield ValueRange()


@_reads(r"missing \d+ required (?:positional|keyword-only) arguments?: (.*)")
def missing(match: re.Match[str]) -> Iterator[InputRequest]:
    """Arguments that were not passed (Python's message)."""
    yield MissingArguments(tuple(re.findall(r"'(\w+)'", match[1])))


@_reads(r"got an unexpected keyword argument '(\w+)'|got multiple values for argument '(\w+)'")
def unexpected(match: re.Match[str]) -> Iterator[InputRequest]:
    """Arguments that are not accepted (Python's message)."""
    yield UnexpectedArgument(match[1] or match[2])


@_reads(r"argument '(\w+)' (?:\(position \d+\) )?must be ([\w ]+?)(?:, not (\w+)|, but)")
def argument_type(match: re.Match[str]) -> Iterator[InputRequest]:
    """A torch function got an argument of another type."""
    wanted = match[2]
    have = match[3] or ""
    if wanted == "Tensor":
        yield ValueKind("tensor", have)
    elif wanted in ("tuple of Tensors", "list of Tensors"):
        yield ValueKind("tensors", have)
    elif wanted in ("int", "tuple of ints"):
        yield ValueKind("int", have)
    elif wanted in ("Number", "float"):
        yield ValueKind("number", have)


@_reads(
    r"invalid combination of arguments - got \((\w+)|unknown to einops <class '(\w+)'>|but got (int"
    r"|float|NoneType|list|dict|tuple)$"
)
def overload(match: re.Match[str]) -> Iterator[InputRequest]:
    """The same for a function with overloads."""
    have = match[1] or match[2] or match[3]
    if have != "Tensor":
        yield ValueKind("tensor", have)


@_reads(
    r"type must be tuple of ints,but got (\w+)|found element of type (\w+) at pos|'(\w+)' object "
    r"cannot be interpreted as an integer|'(float|str|list|tuple)' object cannot be interpreted"
)
def integer_expected(match: re.Match[str]) -> Iterator[InputRequest]:
    """A size that is not an integer."""
    yield ValueKind("int", next(each for each in match.groups() if each))


@_reads(
    r"'(?:[\w.]*\.)?(\w+)' object (?:has no attribute '(\w+)'|is not (subscriptable|iterable"
    r"|callable))|object of type '(\w+)' has no (len)\(\)|cannot unpack non-iterable (\w+) object"
)
def missing_attribute(match: re.Match[str]) -> Iterator[InputRequest]:
    """A value of another type is expected, or any value in place of None."""
    have = match[1] or match[4] or match[6]
    part = match[2] or ""
    if have == "NoneType":
        yield ValueKind("given", have, part)
    elif match[3] == "callable":
        yield ValueKind("callable", have)
    elif part in (
        "shape",
        "size",
        "dim",
        "view",
        "device",
        "dtype",
        "ndim",
        "unsqueeze",
        "reshape",
        "transpose",
        "permute",
    ):
        yield ValueKind("tensor", have, part)
    elif part in ("items", "keys", "values", "get", "pop", "update", "copy"):
        yield ValueKind("mapping", have)
    elif part:
        yield ValueKind("object", have, part)
    else:
        yield ValueKind("sequence", have)
        yield ValueKind("tensor", have)


@_reads(
    r"unsupported operand type\(s\) for .+: '(\w+)' and '(\w+)'|(?:in|between) (?:instances of )?'(\w+)' and '(\w+)'"
)
def operand_types(match: re.Match[str]) -> Iterator[InputRequest]:
    """None or a container in arithmetic."""
    for have in match.groups():
        if have == "NoneType":
            yield ValueKind("given", have)
        elif have in ("list", "tuple", "dict", "str", "Tensor") and have is not None:
            yield ValueKind("number", have)


@_reads(
    r"list indices must be integers or slices, not str|new\(\): invalid data type 'str'|tuple "
    r"indices must be integers or slices, not str"
)
def mapping_expected(match: re.Match[str]) -> Iterator[InputRequest]:
    """A mapping is expected."""
    yield ValueKind("mapping")


@_reads(
    r"can only convert|only integer tensors of a single element can be converted|only one element "
    r"tensors can be converted|"
        r"(?:a )?Tensor with (\d+) elements cannot be converted|Boolean value of Tensor with more than "
        r"one value|len\(\) of a 0-d")  # fmt: skip
def single_number(match: re.Match[str]) -> Iterator[InputRequest]:
    """A single number is expected."""
    yield ValueKind("number", "Tensor")


@_reads(r"(?:list|tuple) index out of range|expects? (?:a )?(?:list|tuple) of (?:length )?(\d+)")
def too_few_items(match: re.Match[str]) -> Iterator[InputRequest]:
    """A list is too short."""
    yield ItemCount(int(match[1] or 0))


@_reads(r"(?:(\w+)[^.\n]{0,20} (?:must|should|needs? to|has to) be (?:divisible by|a multiple of) (?:\w+ )?\(?(\w+)?)")
def divisible(match: re.Match[str]) -> Iterator[InputRequest]:
    """A size that is not divisible."""
    number = match[2] or ""
    yield MultipleOf(int(number) if number.isdigit() else 0, name=match[1])


@_reads(r"Expected more than 1 (?:value per channel|spatial element)")
def too_few_values(match: re.Match[str]) -> Iterator[InputRequest]:
    """A batch norm in training got a single value."""
    yield LargerSize("batch")
    yield LargerSize("space")


@_reads(
    r"Kernel size can't be greater than actual input size|Output size is too small|Padding size "
    r"should be less than|"
        r"selected index k out of range|kernel size should be|maximum size for tensor at dimension|non-empty|"
        r"start \(\d+\) \+ length|Expected .* to be (?:at least|greater)|Invalid (?:computed )?output "
        r"size")  # fmt: skip
def too_small(match: re.Match[str]) -> Iterator[InputRequest]:
    """An image or signal is too small."""
    yield LargerSize("space")


@_reads(r"(?:one of|must be|choose (?:from|between)|[Ss]upported|[Aa]vailable|[Vv]alid|expected|[Oo]nly|in)\b[^\n]*")
def accepted_words(match: re.Match[str]) -> Iterator[InputRequest]:
    """A word should be one of the quoted words of the message."""
    choices = re.split(r",? (?:but )?(?:got|given|received|found)\b", match[0])[0]
    found = tuple(dict.fromkeys(re.findall(r"['\"`]([A-Za-z_][\w.-]{0,30})['\"`]", choices)))
    if "{" in choices:  # the order of a set changes from run to run
        found = tuple(sorted(found))
    if found and "argument" not in match[0] and "object" not in match[0]:
        yield OneOf(found)


@_reads(r"^'(\w+)'$")
def missing_key(match: re.Match[str]) -> Iterator[InputRequest]:
    """A KeyError."""
    yield ValueKind("mapping", "dict", match[1])
