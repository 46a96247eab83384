"""Programs with containers under several names, and with values that pass through containers."""

from __future__ import annotations

import textwrap

from tests.interp.programs import Program

PRELUDE = """\
import collections
import copy
import dataclasses
import functools
import itertools
import torch

class Keeper:
    def __init__(self):
        self.items = []
        self.table = {}

@dataclasses.dataclass
class Record:
    items: list = dataclasses.field(default_factory=list)

def append(items, value):
    items.append(value)

def append_to_first(*lists):
    lists[0].append(torch.ones(3).sum())

def append_to_named(**lists):
    lists["first"].append(torch.ones(3).sum())

def given(items=None):
    return [] if items is None else items

def empty():
    return []

def empty_pair():
    return [], {}
"""
# ``v`` is the sum of a tensor.
PASSED = {
    "names": "a = b = []\na.append(x.sum())\nv = b[0]",
    "a name for an attribute": "k = Keeper()\na = k.items\na.append(x.sum())\nv = k.items[0]",
    "a name for the dict of an object": "k = Keeper()\na = k.table\na['b'] = x.sum()\nv = k.table['b']",
    "attributes": "k, m = Keeper(), Keeper()\nm.items = k.items\nm.items.append(x.sum())\nv, = k.items",
    "a name for an item": "d = {}\nd['a'] = a = []\na.append(x.sum())\nv = d['a'][0]",
    "an item of a dict": "a = []\nd = {'a': a}\nd['a'].append(x.sum())\nv = a[0]",
    "setdefault": "d = {}\nfor k in 'ab':\n    d.setdefault(k, []).append(x.sum())\nv = d['b'][0]",
    "get": "d = {'a': []}\nd.get('a').append(x.sum())\nv = d['a'][0]",
    "a loop over lists": "a, b = [], []\nfor each in (a, b):\n    each.append(x.sum())\nv = a[0]",
    "enumerate": "lists = [[], []]\nfor i, each in enumerate(lists):\n    each.append(x.sum())\nv = lists[1][0]",
    "zip": "lists = [[], []]\nfor each, w in zip(lists, [x, x + 1]):\n    each.append(w.sum())\nv = lists[1][0]",
    "items": "d = {'a': [], 'b': []}\nfor k, each in d.items():\n    each.append(x.sum())\nv = d['b'][0]",
    "a bound method": "a = []\nadd = a.append\nadd(1)\nadd(x.sum())\nv = a[1]",
    "map": "a = []\nlist(map(a.append, [x.sum()]))\nv = a[0]",
    "a partial": "a = []\nfunctools.partial(append, a)(x.sum())\nv = a[0]",
    "starred arguments": "a = []\nappend_to_first(a)\nv = a[0]",
    "named arguments": "a = []\nappend_to_named(first=a)\nv = a[0]",
    "an argument that is returned": "a = []\nb = given(a)\nc = []\nd = given(c)\nd.append(x.sum())\nv = c[0]",
    "a call that returns it": "a = []\ndef get():\n    return a\nget().append(x.sum())\nv = a[0]",
    "both branches": "a = []\nb = a\nif n == 3:\n    a.append(x.sum())\nelse:\n    a.append(x.max())\nv = b[0]",
    "a repeated list": "a = [[]] * 2\na[0].append(x.sum())\nv = a[1][0]",
    "fromkeys": "d = dict.fromkeys('ab', x.sum())\nv = d['b']",
    "one list under all keys": "d = dict.fromkeys('ab', [])\nd['a'].append(x.sum())\nv = d['b'][0]",
    "a slice": "a = [1, 2]\na[0:1] = [x.sum()]\nv = a[0]",
    "a deleted item": "a = [1, x.sum()]\ndel a[0]\nv = a[0]",
    "a removed item": "a = [1, 2]\na.remove(1)\na[0] = x.sum()\nv = a[0]",
    "islice": "v = next(itertools.islice([1, x.sum()], 1, None))",
    "repeat": "v = list(itertools.repeat(x.sum(), 2))[1]",
    "pairwise": "v = list(itertools.pairwise([1, x.sum()]))[0][1]",
    "product": "v = list(itertools.product([1, 2], [x.sum()]))[1][1]",
    "combinations": "v = list(itertools.combinations([x.sum(), 1, 2], 2))[1][0]",
    "chained lists": "v = list(itertools.chain.from_iterable([[1], [x.sum()]]))[1]",
}
# ``a`` and ``b`` are two empty containers; only one of them is changed.
APART = {
    "copies": "a = []\nb = a.copy()",
    "list": "a = []\nb = list(a)",
    "slices": "a = []\nb = a[:]",
    "displays": "a, b = [], []",
    "stars": "a = []\nb = [*a]",
    "deep copies": "a = []\nb = copy.deepcopy(a)",
    "calls": "a = empty()\nb = empty()",
    "parts of calls": "a, _ = empty_pair()\nb, _ = empty_pair()",
    "defaults": "a = given()\nb = given()",
    "objects": "a = Keeper().items\nb = Keeper().items",
    "fields": "a = Record().items\nb = Record().items",
    "comprehensions": "a, b = [[] for _ in range(2)]",
    "values": "d = {k: [] for k in 'ab'}\na, b = d['a'], d['b']",
    "loops": "lists = []\nfor i in range(2):\n    lists.append([])\na, b = lists",
    "branches": "if n == 3:\n    a = []\n    b = []\nelse:\n    a = []\n    b = []",
    "lambdas": "new = lambda: []\na = new()\nb = new()",
    "generators": "def lists():\n    while True:\n        yield []\nmade = lists()\na = next(made)\nb = next(made)",
    "defaults of dicts": "d = collections.defaultdict(list)\na = d['a']\nb = d['b']",
    "dicts": "a = {}\nb = dict(a)",
    "copied dicts": "a = {}\nb = a.copy()",
}


def _passed(code: str) -> Program:
    body = f"{code}\nif v > 0:  # breaks\n    return x + 1\nreturn x"
    return Program(f"{PRELUDE}\ndef f(x, n):\n{textwrap.indent(body, '    ')}\n", "(torch.rand(3), 3)")


def _apart(code: str, changed: str, other: str) -> Program:
    change = f"{changed}['k'] = x" if "{}" in code else f"{changed}.append(x)"
    body = f"{code}\n{change}\nif {other} or not {changed}:\n    print('changed')\nreturn x"
    return Program(f"{PRELUDE}\ndef f(x, n):\n{textwrap.indent(body, '    ')}\n", "(torch.rand(3), 3)")


PROGRAMS = {
    **{f"under another name: {name}": _passed(code) for name, code in PASSED.items()},
    **{f"apart: {name}": _apart(code, "a", "b") for name, code in APART.items()},
    **{f"apart: {name}, the second": _apart(code, "b", "a") for name, code in APART.items()},
}
