"""Large literals, long expressions, and nested values."""

from __future__ import annotations

from benchmarks.robustness.programs.shared import ENTRY, HEAD, body, program


@program
def huge_literals() -> str:
    numbers = ", ".join(map(str, range(50_000)))
    pairs = ", ".join(f"'k{i}': [{i}, {i}]" for i in range(20_000))
    top = f"TABLE = [{numbers}]\nPAIRS = {{{pairs}}}\nTEXT = '{'ab' * 200_000}'\n\n\n"
    return top + body(
        [
            "y = TABLE[n]",
            "y = PAIRS[y]",
            f"y = ({numbers})",
            "for t in TABLE: x = x + t",
            "TEXT.split('a')",
            "sum(TABLE)",
        ]
    )


@program
def huge_nested_literal() -> str:
    text = "x.item()"
    for i in range(80):
        text = f"[{text}, {{'a': ({i},)}}]"
    wide = "[" + ", ".join(["[x, [x, [x, [x]]]]"] * 4000) + "]"
    return body([f"y = {text}", f"y = {wide}", "y = [*y, *y]; y = y == y"])


@program
def long_chains() -> str:
    calls = "x" + "".join(f".add({i})" for i in range(900))
    items = "self" + "".join(f"[{i}]" for i in range(900))
    names = "self" + ".a" * 900
    mixed = "self" + ".a(x)[0]" * 300
    return body([f"y = {each}" for each in (calls, items, names, mixed)] + ["y.item()"])


@program
def long_chains_around_compile() -> str:
    """Long chains that are compiled, that decorate, and that use the compiled result."""
    calls = "x" + "".join(f".add({i})" for i in range(900))
    names = "x" + ".a" * 900
    return (
        f"{HEAD}from torch._dynamo import compiled_autograd\n\n\n"
        f"def run(x, y):\n    f = torch.compile({calls})\n    g = torch.compile({names})\n"
        f"    h = {names}.compile(fullgraph=True)\n    k = torch.compile(make({calls}))\n"
        f"    {names} = torch.compile({calls})\n"
        f"    with {calls}.autograd(torch.compile(y)):\n        f()\n    return f(x)\n\n\n"
        f"class A:\n    @{calls}\n    def forward(self, x):\n        return {calls}\n\n"
        f"    def go(self):\n        self.n = {names}\n        self.n = torch.compile(self.n)\n\n\n"
        "m = torch.compile(A())\n"
    )


@program
def long_chains_of_known_calls() -> str:
    """A builder whose calls each return the builder."""
    chain = "C()" + "".join(f".m(x).n({i})" for i in range(300))
    head = (
        "class C:\n    def m(self, x):\n        self.x = x\n        return self\n"
        "    def n(self, i):\n        self.x = [self.x, i]\n        return self\n\n\n"
    )
    return HEAD + head + ENTRY + f"    return {chain}.x\n"


@program
def long_operators() -> str:
    lines = ["y = " + " + ".join(["x"] * 900), "y = " + " and ".join(["x"] * 900), "y = " + " < ".join(["n"] * 900)]
    lines += ["y = " + " or ".join(f"self.a{i} and self.b{i}" for i in range(400)), "y = " + "x if n else " * 90 + "y"]
    return body(lines)


@program
def tuples_of_tuples() -> str:
    return body(
        ["t = (x, y)", *["t = (t, t)"] * 300, "a, b = t"]
        + ["(a, b), c = a, b"] * 200
        + ["a == b, hash(t), t + t, sorted(t), x.item()"]
    )


@program
def aliases_in_containers() -> str:
    lines = ["d = {}; a = [d]; d['a'] = a; a.append(a)"] + [
        f"d['k{i}'] = d; a.append(d); d = {{'d': d, 'a': a}}" for i in range(300)
    ]
    return body([*lines, "for v in a: v['k']", "a == a", "x.item()"])


@program
def names_that_nothing_binds() -> str:
    return body([f"y = [{', '.join(['types'] * 9_000)}]"])


@program
def casts_to_nested_unions() -> str:
    lines = ["from typing import Dict, List, Optional, Union, cast"]
    text, name = "torch.Tensor", "T0 = torch.Tensor"
    names = [name]
    for i in range(24):
        text = f"Union[List[{text}], Dict[str, int], Optional[C{i}]]" if i % 2 else f"C{i} | list[{text}] | None"
        names.append(f"T{i + 1} = Union[List[T{i}], Dict[str, T{i}], Optional[C{i}], 'T{i}']")
    wide = ", ".join(f"List[C{i}]" for i in range(300))
    lines += [f"y = cast({text}, y)", f"y = cast('{text}', y)", f"y = cast(Union[{wide}], y)", "y = y[0]"] * 100
    lines += [f"y = cast(T{i}, y); y = y[0]" for i in range(24)] * 5
    classes = "".join(f"class C{i}:\n    def __getitem__(self, i): return self.x\n" for i in range(150))
    return "from typing import Dict, List, Optional, Union\n" + body(lines) + "\n\n" + classes + "\n".join(names) + "\n"
