"""Programs whose values double with each line: folding them takes neither the memory nor the time that Python takes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

LINES = 40
STEPS = {
    "f-string": ("'ab'", "a = f'{a}{a}'"),
    "format": ("'ab'", "a = '{0}{0}'.format(a)"),
    "wide-format": ("'ab'", "a = '{0:>999}{0:>999}'.format(a)"),
    "replace": ("'ab'", "a = a.replace('a', a)"),
    "replace-nothing": ("'ab'", "a = a.replace('', a)"),
    "replace-in-literal": (repr("a" * 200_000), "b = a.replace('a', a)"),
    "plus": ("'ab'", "a = a + a"),
    "plus-in-place": ("'ab'", "a += a"),
    "bytes": ("b'ab'", "a = a + a"),
    "number": ("3", "a = a * a"),
    "power": ("9999", "a = a ** 31"),
    "number-from-literal": ("0x" + "f" * 200_000, "b = a * a; c = str(a); d = f'{a}'; e = int(c)"),
    "list": ("[1, 2]", "a = [*a, *a]"),
    "tuple": ("(1, 2)", "a = (*a, *a)"),
    "set": ("{1, 2}", "a = {(*a,), (*a, 1)}"),
    "chain": ("(1, 2)", "a = tuple(itertools.chain(a, a))"),
    "list-plus": ("[1, 2]", "a = a + a"),
    "list-times": ("[1, 2]", "a = a * 2"),
    "extend": ("[1, 2]", "a.extend(a)"),
    "extend-in-place": ("[1, 2]", "a += a"),
    "comprehension": ("[1, 2]", "a = [x for x in (*a, *a)]"),
    "dict": ("{1: 2}", "a = {**a, **{(k, 1): v for k, v in a.items()}}"),
    "pairs": ("(1, 2)", "a = (a, a)"),
    "nested-lists": ("[1, 2]", "a = [a, a]"),
    "nested-append": ("[1, 2]", "b = [a]; b.append(a); a = b"),
    "nested-item": ("{1: 2}", "b = {1: a}; b[2] = a; a = b"),
    "nested-dicts": ("{1: 2}", "a = dict(x=a, y=a)"),
    "nested-zip": ("(1, 2)", "a = tuple(zip(a, a))"),
    "nested-in-place": ("[1, 2]", "a += [a]; a = [a, a]"),
    "partial": ("max", "a = functools.partial(a, a, a)"),
    "arguments": ("(1, 2)", "a = together(a, a)"),
    "slices": ("1", "a = slice(a, a)"),
    "star": ("(1, 2)", "*b, c = a, a; a = b, c"),
    "attribute": ("(1, 2)", "box.a = (a, a); a = (box.a, box.a)"),
}
# Operations whose result, or whose work, is without bound in Python.
LARGE = r"""
'{:>1000000000}'.format('a')
'{:{w}}'.format(1, w=10**9)
f'{1:>1000000000}'
f'{1:{10**9}}'
f'{1:>{10**9}d}'
f'{3.14:.{10**9}f}'
f'{10**300:,}'
format(1, '>1000000000')
format(1.5, '.1000000000f')
'x'.ljust(10**9)
'x'.rjust(10**9)
'x'.center(10**9)
'x'.zfill(10**9)
b'x'.ljust(10**9)
b'x'.zfill(10**9)
'\t'.expandtabs(10**9)
('\t'*4000).expandtabs(10**6)
10**10**8
10**10**7
(-2)**(10**9)
2**-(10**9)
pow(10, 10**8)
pow(3, 10**9, 10**300)
1 << 10**9
(1<<120) << 10**9
bytes(10**9)
bytearray(10**9)
bytes([0]*10**9)
list(range(10**9))
tuple(range(10**9))
set(range(10**9))
dict.fromkeys(range(10**9))
sorted(range(10**9))
[*range(10**9)]
sum(range(10**9))
max(range(10**9))
any(range(10**9))
reversed(range(10**9))
list(enumerate(range(10**9)))
list(zip(range(10**9), range(10**9)))
list(map(str, range(10**9)))
{i: i for i in range(10**9)}
[i for i in range(10**5) for j in range(10**5)]
'a' * 10**9
b'a' * 10**9
[0] * 10**9
(0,) * 10**9
10**9 * 'a'
'-'.join(['a']*10**8)
'-'.join('a' for _ in range(10**9))
('a'*4000).join(['b']*4000)
'%1000000000d' % 1
'%*d' % (10**9, 1)
'%.1000000000f' % 1.0
b'%1000000000d' % 1
str(10**4000)
str(10**4300)
str(9**9999)
repr(9**9999)
int('9'*4000)
int('9'*10**6)
int('f'*4000, 16)
hex(1 << 10**9)
bin(1<<4000)
float('9'*4000)
complex('1'*4000)
math.factorial(10**6)
math.factorial(10**9)
math.comb(10**6, 5*10**5)
math.perm(10**6)
math.prod(range(1, 10**6))
math.pow(10, 10**9)
math.gcd(10**4000, 10**3999)
math.isqrt(10**10000)
math.lcm(*range(1, 10000))
list(itertools.product(range(1000), repeat=5))
list(itertools.permutations(range(50)))
list(itertools.combinations(range(100), 50))
list(itertools.chain.from_iterable([range(10**9)]*10))
list(itertools.islice(itertools.count(), 10**9))
list(itertools.repeat(1, 10**9))
list(itertools.repeat(1))
list(itertools.cycle([1]))
list(itertools.accumulate(range(10**9)))
[x for x in itertools.count()]
next(x for x in itertools.count() if x < 0)
functools.reduce(lambda a, b: a * b, range(1, 10**6))
functools.reduce(operator.mul, range(1, 10**6))
operator.pow(10, 10**9)
operator.mul('a', 10**9)
operator.lshift(1, 10**9)
np.zeros(10**10)
np.arange(10**10)
np.ones((10**5, 10**5))
np.repeat(1, 10**10)
np.full((10**6, 10**6), 1)
torch.zeros(10**12)
torch.arange(10**12)
torch.Size([1]*10**8)
torch.Size(range(10**8))
x.expand([1]*10**8)
x.reshape(*range(10**8))
'a'.replace('a', 'b'*10**9)
('a'*4000).replace('', 'b'*4000)
('a'*4000).split('a')
'a,'*4000 + ','.join(map(str, range(10**7)))
str.maketrans({i: 'a'*1000 for i in range(10**6)})
('a'*4000).translate({97: 'b'*4000})
('a'*4000).encode('utf-32')
('a'*4000).splitlines()
textwrap.fill('a '*2000, 1)
textwrap.indent('\n'*4000, 'x'*4000)
re.match('(a+)+b', 'a'*40)
re.sub('(a|a)*b', '', 'a'*40)
re.compile('(((a{1000}){1000}){1000})')
string.Template('$a'*1000).substitute(a='b'*4000)
json.dumps([0]*10**8)
json.loads('['*100000)
copy.deepcopy([0]*10**8)
struct.pack('1000000000x')
struct.calcsize('9'*30+'x')
base64.b64encode(b'a'*10**9)
decimal.Decimal(10)**(10**9)
fractions.Fraction(10)**(10**8)
fractions.Fraction('1e1000000')
collections.Counter(range(10**9))
collections.deque(range(10**9))
collections.deque(range(10**9), maxlen=3)
slice(0, 10**9).indices(10**9)
range(10**9)[::2]
range(10**30)[10**29]
len(range(10**30))
10**9 in range(10**30)
5.5 in range(10**9)
'a' in range(10**9)
(1,) in range(10**9)
range(10**9).index(5.5)
range(10**9).count('a')
list(range(10**9)).index(5)
range(10**9) == range(10**9)
hash(tuple(range(10**9)))
isinstance(1, (int,)*10**8)
print('a', sep='b'*10**9)
divmod(10**4000, 3)
round(10**4000, -3999)
round(1.5, 10**9)
(10**4000).bit_length()
(1).to_bytes(10**9, 'big')
int.from_bytes(b'a'*4000, 'big')
(10**300).__format__('>1000000000')
'a'.__mul__(10**9)
(2).__pow__(10**9)
(1).__lshift__(10**9)
str.__mul__('a', 10**9)
int.__pow__(10, 10**8)
'{0.__class__:>999999999}'.format(1)
'{:>{}}'.format('a', 10**9)
'{0:{1}}'.format('a', '>1000000000')
'{x:>1000000000}'.format_map({'x': 1})
list('a'*10**9)
[[]]*10**9
[[0]*1000 for _ in range(10**6)]
[[0]*10**4]*10**4
'abc'[::1]*10**9
memoryview(bytes(10**9))
array.array('i', range(10**9))
range(0, 10**18, 1).__len__()
sum([[0]*1000]*10**5, [])
sum([range(10**9)])
max('a'*10**9)
min(range(10**9), key=lambda v: -v)
filter(None, range(10**9))
list(filter(lambda v: v < 0, range(10**9)))
dict(zip(range(10**9), range(10**9)))
dict([(i, i) for i in range(10**7)])
frozenset(range(10**9))
{*range(10**9)}
print(*range(10**9))
(lambda *a: a)(*range(10**9))
dict(**{str(i): i for i in range(10**7)})
torch.cat([x]*10**8)
torch.stack([x for _ in range(10**8)])
torch.nn.ModuleList([torch.nn.Linear(1,1)]*10**8)
torch.nn.Sequential(*[torch.nn.Linear(1,1) for _ in range(10**6)])
[torch.nn.Linear(1,1) for _ in range(10**7)]
x[(None,)*10**7]
x[[0]*10**8]
x.view(*[1]*10**7)
x.permute(*range(10**7))
x.split([1]*10**7)
x.chunk(10**9)
torch.unbind(x.expand(10**9))
x.unsqueeze(0).unbind(10**9)
x.repeat(*[1]*10**6)
""".split("\n")[1:-1]
HEAD = """\
import base64
import collections
import copy
import decimal
import fractions
import functools
import itertools
import json
import math
import operator
import re
import string
import struct
import textwrap

import numpy as np
import torch


def together(*values):
    return values


class Box:
    a = ()


"""
RUN = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
from gblint.cli.main import run
sys.exit(run(["check", "--isolated", "--no-cache", "--jobs", "1", *sys.argv[1:]]))
"""


def _program(start: str, step: str, top: bool) -> str:
    lines = ["box = Box()", f"a = {start}", *[step] * LINES]
    if top:
        return HEAD + "\n".join(lines) + "\n\n\n@torch.compile\ndef f(x):\n    b = a == a\n    return x.item()\n"
    body = "".join(f"    {line}\n" for line in lines)
    return f"{HEAD}@torch.compile\ndef f(x):\n{body}    b = together(a) == together(a)\n    return x.item()\n"


@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX")
@pytest.mark.parametrize("top", [False, True], ids=["in-the-region", "at-the-top"])
def test_growing_values(tmp_path: Path, top: bool) -> None:
    for name, (start, step) in STEPS.items():
        (tmp_path / f"{name.replace('-', '_')}.py").write_text(_program(start, step, top))
    done = subprocess.run(
        [sys.executable, "-c", RUN, "--output-format", "concise", "."],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    found = {line.partition(".py:")[0] for line in done.stdout.splitlines() if ".py:" in line and "GBL101" in line}
    assert found == {name.replace("-", "_") for name in STEPS}


@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX")
@pytest.mark.parametrize("top", [False, True], ids=["in-the-region", "at-the-top"])
def test_large_results(tmp_path: Path, top: bool) -> None:
    """Each operation is traced, and costs next to nothing."""
    indent = "" if top else "    "
    lines = "".join(f"{indent}y{number} = {each}\n" for number, each in enumerate(LARGE))
    uses = "".join(f"    if y{number}:\n        x.item()\n" for number in range(len(LARGE)))
    function = f"@torch.compile\ndef f(x):\n{'' if top else lines}{uses}"
    (tmp_path / "net.py").write_text(f"{HEAD}x = None\n{lines if top else ''}\n\n{function}    return x.item()\n")
    import resource

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-c", RUN, "--output-format", "concise", "."],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 1, done.stderr
    assert "internal error" not in done.stderr
    assert f"net.py:{(tmp_path / 'net.py').read_text().count(chr(10))}:" in done.stdout
    assert after.ru_utime - before.ru_utime < 10
