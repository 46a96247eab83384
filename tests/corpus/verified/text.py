"""Text: each function was run under PyTorch 2.13; the comment above it says whether it breaks."""

import datetime
import pathlib
import re
import string
import textwrap
import torch

PATTERN = re.compile('a')


NEW_YEAR = datetime.date(2020, 1, 1)


class Point:

    def __init__(self, given):
        self.a = given


POINT = Point(1)


# breaks
@torch.compile
def case_format_item(t: torch.Tensor):
    return f'{t.sum().item():.2f}'


# whole
@torch.compile
def case_strformat(t: torch.Tensor):
    chars = '{}'.format(t)
    return t + 1


# breaks
@torch.compile
def case_repr(t: torch.Tensor):
    chars = repr(t)
    return t + 1


# breaks
@torch.compile
def case_text(t: torch.Tensor):
    chars = str(t)
    return t + 1


# breaks
@torch.compile
def case_nested_text(t: torch.Tensor):
    return torch.nested.nested_tensor([t, t])


# breaks
@torch.compile
def case_object_format(t: torch.Tensor):
    return t + len(f'{POINT}')


# whole
@torch.compile
def case_hash_text(t: torch.Tensor):
    return t + hash('a') % 2


# whole
@torch.compile
def case_integer_text(t: torch.Tensor):
    return t + int('3')


# whole
@torch.compile
def case_float_text(t: torch.Tensor):
    return t + float('3')


# whole
@torch.compile
def case_float_inf(t: torch.Tensor):
    return t + float('inf')


# whole
@torch.compile
def case_repr_constant(t: torch.Tensor):
    return t + len(repr(3))


# whole
@torch.compile
def case_repr_list(t: torch.Tensor):
    return t + len(repr([1, 2]))


# whole
@torch.compile
def case_text_list(t: torch.Tensor):
    return t + len(str([1, 2]))


# breaks
@torch.compile
def case_fstring_tensor(t: torch.Tensor):
    return t + len(f'{t}')


# breaks
@torch.compile
def case_fstring_list_tensor(t: torch.Tensor):
    return t + len(f'{[t]}')


# whole
@torch.compile
def case_fstring_exception(t: torch.Tensor):
    return t + len(str(ValueError('a')))


# breaks
@torch.compile
def case_text_obj(t: torch.Tensor):
    return t + len(str(object()))


# whole
@torch.compile
def case_text_methods(t: torch.Tensor):
    return t + len('a,b'.split(',')[0].upper().replace('A', 'b').strip())


# whole
@torch.compile
def case_text_format(t: torch.Tensor):
    return t + len('{:>3}'.format(1))


# whole
@torch.compile
def case_returned_fstring(t: torch.Tensor):
    other = t + 1
    return (f'{other.shape}', other)


# whole
@torch.compile
def case_returned_fstring_tensor(t: torch.Tensor):
    other = t + 1
    return (f'{other}', other)


# whole
@torch.compile
def case_pathlib(t: torch.Tensor):
    return t + len(str(pathlib.Path('a') / 'b'))


# whole
@torch.compile
def case_regex_match(t: torch.Tensor):
    return t + 1 if re.match('a', 'a') else t


# whole
@torch.compile
def case_regex_sub(t: torch.Tensor):
    return t + len(re.sub('a', 'b', 'a'))


# whole
@torch.compile
def case_regex_compile(t: torch.Tensor):
    return t + 1 if re.compile('a').match('a') else t


# whole
@torch.compile
def case_regex_group(t: torch.Tensor):
    return t + len(PATTERN.match('aa').group(0))


# breaks
@torch.compile
def case_regex_finditer(t: torch.Tensor):
    return t + len(list(PATTERN.finditer('aa')))


# breaks
@torch.compile
def case_string_tensor(t: torch.Tensor):
    return t + len(string.Template('$a').substitute(a='b'))


# whole
@torch.compile
def case_string_ascii(t: torch.Tensor):
    return t + len(string.ascii_letters)


# whole
@torch.compile
def case_textwrap(t: torch.Tensor):
    return t + len(textwrap.dedent(' a'))


# whole
@torch.compile
def case_sub_repr(t: torch.Tensor):
    return len(str(t.shape)) + t


# breaks
@torch.compile
def case_text_native_object(t: torch.Tensor):
    return t + len(str(NEW_YEAR))


# breaks
@torch.compile
def case_fstring_native_object(t: torch.Tensor):
    return t + len(f'{NEW_YEAR}')


# breaks
@torch.compile
def case_repr_native_object(t: torch.Tensor):
    return t + len(repr(NEW_YEAR))


# breaks
@torch.compile
def case_check_clos(t: torch.Tensor):
    torch._check(t.shape[0] == 3, lambda: f'{t}')
    return t + 1
