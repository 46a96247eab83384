"""Random mutations of programs, of the syntax tree, the tokens, the lines or the bytes; and of logs."""

from __future__ import annotations

import ast
import codecs
import copy
import json
import random
import re
from collections.abc import Callable, Sequence
from typing import Any

_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
# Huge values, and expressions that are valid only in some places.
_ODD = (
    *(
        "9" * 5000,
        "0x" + "f" * 3000,
        "1e999",
        "10**10**8",
        "1 << 10**9",
        "'a' * 10**10",
        "[0] * 10**10",
        "range(10**18)",
    ),
    *("b'\\xff'", "f'{x!r:{y}}'", "lambda *a, **k: (yield)", "(yield from x)", "await x", "(x := x)", "*x", "**x"),
    *("not " * 150 + "x", "-" * 300 + "1", "(" * 90 + ")" * 90, "x" + ".a" * 400, "x" + "()" * 400, "x" + "[0]" * 300),
    *(" + ".join(["x"] * 2000), "x if " * 60 + "x" + " else x" * 60, "...", "None", "self", "super()", "__class__"),
    *("[x for x in x for x in x]", "{**x, 'a': x}", "x[::, ..., None]", "'%s' % x", "'{}'.format(*x)", "type(x)(x)"),
)
_WRAPPERS = (
    "for i in range(3):\n    pass",
    "while x:\n    pass",
    "try:\n    pass\nexcept* ValueError:\n    raise",
    "try:\n    pass\nexcept (ValueError, KeyError) as e:\n    raise e\nelse:\n    x = 1\nfinally:\n    return x",
    "with torch.no_grad() as y, open(x):\n    pass",
    "async def g(x):\n    pass",
    "def g(x, *a, k=[], **kw):\n    pass\n    yield x",
    "class C(C if x else object, metaclass=type(x)):\n    pass",
    "match x:\n    case [1, *rest] | {'a': rest, **kw} if rest:\n        pass\n    case C(a=1) as rest:\n        pass",
    "if x is None and (y := x):\n    pass\nelif isinstance(x, (int, torch.Tensor)):\n    del x\nelse:\n    global z",
    "@torch.compile(fullgraph=True)\ndef h(self, x):\n    pass",
    "for i in x:\n    if i: break\n    else: continue\n    pass\nelse:\n    pass",
)
_LINES = ("\r", "\r\n", "\x0c\n", "\u2028", "\x85", "\n\n\n", "\\\n", "\x1c\n", "\x0b\n", "\n\t")


def mutate(data: bytes, other: bytes, chance: random.Random, rounds: int = 3) -> bytes:
    """Return a mutation of ``data``, with parts of ``other``."""
    for _ in range(chance.randint(1, rounds)):
        change = chance.choices([tree_change, token_change, line_change, byte_change], [6, 3, 2, 1])[0]
        try:
            data = change(data, other, chance)
        except RecursionError:  # the tree is nested too deeply
            return data
    return data


def mutate_log(data: bytes, other: bytes, chance: random.Random, rounds: int = 3) -> bytes:
    """Return a mutation of a log, mostly of its records."""
    for _ in range(chance.randint(1, rounds)):
        change = chance.choices([record_change, line_change, token_change, byte_change], [6, 2, 2, 1])[0]
        data = change(data, other, chance)
    return data


_VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    10**30,
    1e999,
    "",
    "0/0",
    "\ud800\x1b[2J",
    [],
    {},
    [[]],
    [None],
    {"": 0},
    [1, "a"],
)


def record_change(data: bytes, other: bytes, chance: random.Random) -> bytes:
    """Remove a value from a record in JSON, or replace it by one of another type."""
    lines = data.split(b"\n")
    places = [i for i, line in enumerate(lines) if b"{" in line]
    if not places:
        return line_change(data, other, chance)
    for _ in range(chance.randint(1, 3)):
        number = chance.choice(places)
        head, brace, tail = lines[number].partition(b"{")
        try:
            record = json.loads(brace + tail)
        except (ValueError, RecursionError):
            continue
        inner = [each for each in _nodes(record) if each]
        if inner:
            node = chance.choice(inner)
            key = chance.choice([*node]) if isinstance(node, dict) else chance.randrange(len(node))
            if chance.random() < 0.2:
                del node[key]
            else:
                node[key] = chance.choice(_VALUES)
        lines[number] = head + json.dumps(record).encode()
    return b"\n".join(lines)


def _nodes(value: Any) -> list[Any]:
    """Return every object and list in a value."""
    if isinstance(value, dict):
        return [value, *(each for inner in value.values() for each in _nodes(inner))]
    if isinstance(value, list):
        return [value, *(each for inner in value for each in _nodes(inner))]
    return []


def tree_change(data: bytes, other: bytes, chance: random.Random) -> bytes:
    """Change the syntax tree; the result is mostly a valid program."""
    try:
        tree, donor = ast.parse(data), ast.parse(other)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return token_change(data, other, chance)
    for _ in range(chance.randint(1, 4)):
        chance.choice((_swap_expressions, _borrow, _wrap, _move, _repeat))(tree, donor, chance)
    try:
        return ast.unparse(ast.fix_missing_locations(tree)).encode("utf-8", "surrogatepass")
    except (RecursionError, ValueError, AttributeError, TypeError, KeyError):
        return data


def token_change(data: bytes, other: bytes, chance: random.Random) -> bytes:
    """Remove a token, double it, or replace it by another one."""
    tokens = _TOKEN.findall(data.decode("utf-8", "replace"))
    if not tokens:
        return other
    for _ in range(chance.randint(1, 3)):
        a, b = chance.randrange(len(tokens)), chance.randrange(len(tokens))
        tokens[a] = chance.choice((tokens[b], "", tokens[a] * 2, chance.choice(_ODD)))
    return "".join(tokens).encode("utf-8", "replace")


def line_change(data: bytes, other: bytes, chance: random.Random) -> bytes:
    """Remove lines, swap, indent or insert some, or end them with unusual characters."""
    lines = data.decode("utf-8", "replace").split("\n")
    a, b = sorted((chance.randrange(len(lines)), chance.randrange(len(lines))))
    how = chance.randrange(6)
    if how == 0:
        del lines[a : a + chance.randint(1, 5)]
    elif how == 1:
        lines[a], lines[b] = lines[b], lines[a]
    elif how == 2:
        lines[a:b] = [chance.choice((" ", "\t", "    ")) + line for line in lines[a:b]]
    elif how == 3:
        return chance.choice(_LINES).join(lines).encode("utf-8", "replace")
    elif how == 4:
        lines[a] += chance.choice(_LINES) + lines[b].strip()
    else:
        lines[a:a] = other.decode("utf-8", "replace").split("\n")[: chance.randint(1, 40)]
    return "\n".join(lines).encode("utf-8", "replace")


def byte_change(data: bytes, other: bytes, chance: random.Random) -> bytes:
    """Cut off or change bytes, or change the encoding."""
    place = chance.randrange(len(data) + 1)
    text = data.decode("utf-8", "replace")
    changes: Sequence[Callable[[], bytes]] = (
        lambda: data[:place],
        lambda: data[:place] + chance.choice((b"\0", b"\xff", b"\r", b"\x0c", b"\x1a", b"\xed\xa0\x80")) + data[place:],
        lambda: codecs.BOM_UTF8 + data,
        lambda: text.encode("utf-16"),
        lambda: b"# coding: latin-1\n" + text.encode("latin-1", "replace") + b"# \xe9\n",
        lambda: (
            b"# -*- coding: "
            + chance.choice((b"utf-7", b"idna", b"rot13", b"\xff", b"undefined", b"cp037"))
            + b"\n"
            + data
        ),
        lambda: data.replace(b"\n", b"\r"),
        lambda: data.replace(b"\n", b"\r\n"),
        lambda: text.replace("a", "ä").replace("x", "ｘ").encode(),
        lambda: data.rstrip(b"\n"),
        lambda: data[:place] + other[: chance.randrange(len(other) + 1)],
        lambda: text.replace("\n", "; ").encode(),
    )
    return chance.choice(changes)()


def _expressions(tree: ast.AST) -> list[tuple[ast.AST, str, int | None, ast.expr]]:
    """Return every expression with its parent, its field and its index."""
    found: list[tuple[ast.AST, str, int | None, ast.expr]] = []
    for node in ast.walk(tree):
        for name, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                found.append((node, name, None, value))
            elif isinstance(value, list):
                found += [(node, name, i, each) for i, each in enumerate(value) if isinstance(each, ast.expr)]
    return found


def _put(place: tuple[ast.AST, str, int | None, ast.expr], new: ast.expr) -> None:
    node, name, index, _ = place
    if index is None:
        setattr(node, name, new)
    else:
        getattr(node, name)[index] = new


def _bodies(tree: ast.AST) -> list[list[ast.stmt]]:
    lists = (getattr(node, name, None) for node in ast.walk(tree) for name in ("body", "orelse", "finalbody"))
    return [each for each in lists if isinstance(each, list) and each]


def _swap_expressions(tree: ast.Module, donor: ast.Module, chance: random.Random) -> None:
    places = _expressions(tree)
    if len(places) > 1:
        a, b = chance.sample(places, 2)
        first, second = copy.deepcopy(a[3]), copy.deepcopy(b[3])
        _put(a, second)
        _put(b, first)


def _borrow(tree: ast.Module, donor: ast.Module, chance: random.Random) -> None:
    places, others = _expressions(tree), _expressions(donor)
    if not places or not others:
        return
    new: ast.expr = copy.deepcopy(chance.choice(others)[3])
    if chance.random() < 0.2:
        try:
            new = ast.parse(chance.choice(_ODD), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return
    _put(chance.choice(places), new)


def _wrap(tree: ast.Module, donor: ast.Module, chance: random.Random) -> None:
    bodies = _bodies(tree)
    if not bodies:
        return
    body = chance.choice(bodies)
    start = chance.randrange(len(body))
    end = chance.randint(start + 1, len(body))
    try:
        wrapper = ast.parse(chance.choice(_WRAPPERS)).body[0]
    except SyntaxError:  # syntax of a newer Python
        return
    chance.choice(_bodies(wrapper))[:] = body[start:end]
    body[start:end] = [wrapper]


def _move(tree: ast.Module, donor: ast.Module, chance: random.Random) -> None:
    bodies, others = _bodies(tree), _bodies(donor)
    if bodies and others:
        body = chance.choice(bodies)
        body.insert(chance.randint(0, len(body)), copy.deepcopy(chance.choice(chance.choice(others))))


def _repeat(tree: ast.Module, donor: ast.Module, chance: random.Random) -> None:
    """Insert an expression into itself several times, which makes it deep."""
    places = [place for place in _expressions(tree) if _expressions(place[3])]
    if not places:
        return
    place = chance.choice(places)
    whole = copy.deepcopy(place[3])
    for _ in range(chance.choice((1, 2, 5))):
        inner = _expressions(whole)
        if len(inner) > 3000:
            break
        _put(chance.choice(inner), copy.deepcopy(whole))
    _put(place, whole)
