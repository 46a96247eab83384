"""Any bytes give a report: inputs that once failed, and a short run of the fuzzer in ``benchmarks/robustness``."""

from __future__ import annotations

import random
import textwrap
from pathlib import Path

import hypothesmith
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.robustness import mutations, targets
from benchmarks.robustness.fuzz import seeds

TRACE = b"V1121 15:28:31.095000 153 torch/_logging/structured.py:28] "
NET = b"import torch\n\n\n@torch.compile\ndef f(x):\n    print(x.item())\n    return x\n"

SOURCES = {
    "nothing": b"",
    "a null byte": NET + b"\0",
    "a byte order mark": b"\xef\xbb\xbf" + NET,
    "a mark and another coding": b"\xef\xbb\xbf# coding: latin-1\n" + NET,
    "UTF-16": NET.decode().encode("utf-16"),
    "a surrogate": NET + b"# \xed\xa0\x80\n",
    "only carriage returns": NET.replace(b"\n", b"\r"),
    "a form feed in a line": NET.replace(b"    print", b"    \x0c print"),
    "a form feed as a line": NET.replace(b"\n\n", b"\n\x0c\n"),
    "separators that end no line": NET.replace(b"x.item()", b"'\xe2\x80\xa8\xc2\x85\x1c\x0b', x.item()"),
    "an index of nothing": NET.replace(b"x.item()", b"x[()].item()").replace(b"return x", b"x[()] = 1; return x[()]"),
    "no newline at the end": NET.rstrip(),
    "a backslash at the end": NET + b"\\",
    "an encoding that is none": b"# coding: rot13\n" + NET,
    "an encoding of text that is odd": b"# coding: utf-7\n" + NET + b"# +2AE-\n",
    "deep parentheses": NET.replace(b"x.item()", b"(" * 150 + b"x.item()" + b")" * 150),
    "too deep": NET.replace(b"x.item()", b"[" * 5000 + b"]" * 5000),
    "deep attributes": NET.replace(b"x.item()", b"x" + b".a" * 900 + b".item()"),
    "deep operators": NET.replace(b"x.item()", b" + ".join([b"x.item()"] * 900)),
    "deep unary": NET.replace(b"x.item()", b"-" * 900 + b"x.item()"),
    "deep calls": NET.replace(b"x.item()", b"f(" * 90 + b"x" + b")" * 90),
    "deep blocks": b"import torch\n@torch.compile\ndef f(x):\n"
    + b"".join(b" " * (number + 1) + b"if x.item():\n" for number in range(40))
    + b" " * 45
    + b"x\n",
    "many elifs": b"import torch\n@torch.compile\ndef f(x):\n    if x: pass\n"
    + b"".join(b"    elif x.sum() > %d: y = %d\n" % (number, number) for number in range(900)),
    "a number too long for text": NET.replace(b"x.item()", b"x.item(), " + b"9" * 5000),
    "numbers that grow": NET.replace(b"x.item()", b"10 ** 10 ** 8, 1 << 10 ** 10, 2 ** -(10 ** 9), 1e308 * 10, -5 % 0"),
    "texts that grow": NET.replace(b"x.item()", b"'a' * 10 ** 12, [0] * 10 ** 12, (0,) * -1, '%0*d' % (10 ** 9, 1)"),
    "texts that are wide": NET.replace(
        b"x.item()", b"'{:>1000000000}'.format(1), f'{1:>1000000000}', '%1000000000d' % 1"
    ),
    "a range without end": NET.replace(
        b"x.item()", b"[y for y in range(10 ** 15)], sum(range(10 ** 18)), len(range(10 ** 30))"
    ),
    "powers in a loop": NET.replace(
        b"    return", b"    y = 2\n    for _ in range(60):\n        y = y * y\n    return"
    ),
    "a text that doubles": NET.replace(
        b"    return", b"    y = 'a'\n    for _ in range(90):\n        y += y\n    return"
    ),
    "lists that double": NET.replace(b"    return", b"    y = [x]\n    while x:\n        y = [*y, *y, y]\n    return"),
    "a class of itself": b"import torch\nclass A(A): pass\nclass B(C): pass\n"
    b"class C(B, torch.nn.Module):\n    def forward(self, x): x.item()\n",
    "a module of itself": b"from m import *\nfrom .m import f as f\nimport m\nm.m = m\n" + NET,
    "a function of itself": NET.replace(b"return x", b"return f(f(f(x)), f)") + b"f = torch.compile(f)(f)\n",
    "a decorator of itself": b"import torch\n@f\n@torch.compile\ndef f(x, y=f):\n    return x.item()\n",
    "a property of itself": b"import torch\nclass N(torch.nn.Module):\n    @property\n    def a(self): return self.a\n"
    b"    def __getattr__(self, n): return getattr(self, n)\n    def forward(self, x): return self.a + self.b\n",
    "bytes as an annotation": b"import torch\nfrom tqdm import tqdm\n\n\n@torch.compile\ndef f(x: b'\\xff'.T):\n"
    b"    for i in tqdm(x, disable=True):\n        x = x + 1\n    return x\n",
    "a long line": NET.replace(b"x.item()", b"x.item(), " * 60 + b"1"),
    "many names": b"import torch\n" + b"".join(b"a%d = a%d = torch.compile\n" % (n, n + 1) for n in range(400)),
    "stars": NET.replace(b"print(x.item())", b"print(*x, **x); (*y, [*z]) = x; {**x, **y}; f(*f(*x), **f(**x))"),
}

LOGS = {
    "nothing": b"",
    "a null byte": b"\0" + TRACE,
    "UTF-16": (TRACE + b'{"str": ["a", 0]}\n').decode().encode("utf-16"),
    "a stack of an older version without a start": TRACE
    + b'{"dynamo_start": {"stack": []}, "frame_id": 0, "frame_compile_id": 0}\n'
    + TRACE
    + b'{"artifact": {"name": "dynamo_graph_break_reason", "encoding": "string"}, "frame_id": 0, "frame_compile_id": 0,'
    b' "has_payload": "x"}\n\tGraph break in user code at m.py:3\n\tReason: Unsupported: a\n\tUser code traceback:\n'
    b'\t  File "m.py", line 3, in f\n\t    a\n',
    "records of no kind": TRACE + b"[[[]]]\n" + TRACE + b"{}\n" + TRACE + b'{"str": null, "dynamo_start": 3}\n',
    "packed and cut": b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03KLJ",
    "a line without end": b"x" * (3 << 20),
}


@pytest.fixture(autouse=True)
def _no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GBLINT_CACHE_DIR", "/dev/null")


@pytest.mark.parametrize("name", SOURCES)
def test_sources(name: str, tmp_path: Path) -> None:
    for form in ("full", "json"):
        assert targets.source(SOURCES[name], tmp_path, form) == []


@pytest.mark.parametrize("name", LOGS)
def test_logs(name: str, tmp_path: Path) -> None:
    for file in ("log.txt", "t/raw.jsonl", "t/compile_directory.json"):
        assert targets.log(LOGS[name], tmp_path, file) == []


@pytest.mark.parametrize("seed", range(24))
def test_programs_made_of_others(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    known = seeds("source")
    data = mutations.mutate(chance.choice(known), chance.choice(known), chance)
    form = targets.FORMATS[seed % len(targets.FORMATS)]
    assert targets.source(data, tmp_path, form, fixes=seed % 2 == 0) == []


@pytest.mark.parametrize("seed", range(8))
def test_logs_made_of_others(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    known = seeds("log")
    for number in range(10):
        data = mutations.mutate_log(chance.choice(known), chance.choice(known), chance)
        name = ("log.txt", "dedicated_log_torch_trace_rank_0_x.log", "t/raw.jsonl")[number % 3]
        assert targets.log(data, tmp_path, name) == []


@given(st.binary(max_size=300))
@settings(max_examples=60)
def test_bytes(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    folder = tmp_path_factory.mktemp("bytes")
    assert targets.source(data, folder) == []
    assert targets.log(data, folder) == []


def _programs() -> st.SearchStrategy[str]:
    return hypothesmith.from_grammar(auto_target=False) | hypothesmith.from_node(auto_target=False)


# Deferred, since the grammar is read for two seconds.
@given(st.deferred(_programs))
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large], deadline=None)
def test_programs_made_from_the_grammar(tmp_path_factory: pytest.TempPathFactory, program: str) -> None:
    """The bytes are a module, and the body of a compiled function."""
    folder = tmp_path_factory.mktemp("grammar")
    body = textwrap.indent(program, "    ")
    for text in (program, f"import torch\n\n\n@torch.compile\ndef f(x, *a, **k):\n{body}\n    return x.item()\n"):
        assert targets.source(text.encode("utf-8", "surrogatepass"), folder) == []
