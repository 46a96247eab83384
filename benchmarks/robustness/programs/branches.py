"""Branches, their joins, and conditions."""

from __future__ import annotations

from benchmarks.robustness.programs.shared import ENTRY, HEAD, body, program


@program
def exponential_joins() -> str:
    lines = [f"if x.sum() > {i}:\n    y = (y, {i})\nelse:\n    y = [y, {i}]" for i in range(200)]
    return body(lines)


@program
def joins_of_unknown_conditions() -> str:
    return body([f"if self.a{i}:\n    x = x + {i}\nelse:\n    x = torch.cat([x, x])" for i in range(200)])


@program
def joins_of_attributes() -> str:
    return body([f"if self.a{i % 7}:\n    self.v{i} = self.v{i // 2}\nelse:\n    self.v{i} = {i}" for i in range(200)])


@program
def joins_of_callables() -> str:
    lines = ["g = len"] + [
        f"if self.a{i}:\n    g = functools.partial(g, {i})\nelse:\n    g = lambda v, g=g: g(v)" for i in range(60)
    ]
    return body([*lines, "g(x)"])


@program
def ten_thousand_branches() -> str:
    line = "; ".join(f"y = y + {j} if self.a{j} else y - x" for j in range(11))
    return body([line] * 900)


@program
def branches_of_early_returns() -> str:
    return (
        body([f"if x.shape[0] == {i}:\n    return g(x, {i})" for i in range(450)])
        + "\n\ndef g(x, i):\n    return x.item()\n"
    )


@program
def long_elif() -> str:
    lines = [f"{'el' if i else ''}if n == {i}:\n    y = x + {i}" for i in range(450)]
    return body(lines)


@program
def deep_unions() -> str:
    lines = ["v = None"] + [f"if self.a{i}:\n    v = C{i}(v)" for i in range(200)]
    lines += ["for i in range(n):\n    v = v.v", "v.v.v.v.v.item()"]
    parts = [f"class C{i}:\n    def __init__(self, v): self.v = v\n" for i in range(200)]
    return body(lines) + "\n\n" + "".join(parts)


@program
def unions_of_strings() -> str:
    return body(["s = ''"] + [f"s = s + ('a' if self.a{i} else 'b')" for i in range(300)] + ["getattr(self, s)(x)"])


@program
def unions_of_arguments() -> str:
    names = [f"v{i}" for i in range(12)]
    lines = [f"{name} = 1 if self.{name} else 'a' if self.x{name} else None" for name in names]
    lines += [f"g({', '.join(names)})"] * 20
    return (
        body(lines)
        + f"\n\ndef g({', '.join(names)}):\n"
        + "".join(f"    h({a}, {b})\n" for a in names for b in names)
        + ("\n\ndef h(a, b):\n    return a if isinstance(a, str) else b\n")
    )


@program
def annotation_unions() -> str:
    union = " | ".join(f"C{i}" for i in range(300))
    nested = "int"
    for _ in range(80):
        nested = f"dict[str, list[{nested}] | None]"
    parts = "".join(f"class C{i}:\n    def m(self, x): return x.item()\n" for i in range(300))
    return HEAD + parts + f"@torch.compile\ndef f(a: {union}, b: {nested}, x):\n    b['a'][0]\n    return a.m(x)\n"


@program
def match_nests() -> str:
    text = "y = x.item()"
    for i in range(18):
        text = (
            f"match y:\n    case [{i}, *r] | ({i} | 1, *r):\n        y = r\n    case {{'a': C(a=r)}} | C(b=r) if r:\n"
            + "".join(f"        {line}\n" for line in text.splitlines())
            + f"    case _:\n        y = [y, {i}]\n"
        )
    return body([text]) + "\n\nclass C: pass\n"


@program
def match_of_patterns() -> str:
    pattern = "1"
    for _ in range(12):
        pattern = f"[{pattern} | 2, *_] | {{'a': {pattern}}}" if len(pattern) < 20_000 else f"[{pattern}]"
    return body(
        ["match y:"] + [f"    case {pattern}:\n        y = {i}" for i in range(3)] + ["    case _:\n        pass"]
    )


@program
def long_match() -> str:
    return body(["match n, x:"] + [f"    case ({i}, [*_, {i}]):\n        y = x * {i}" for i in range(450)])


@program
def conditions_of_conditions() -> str:
    text = "self.a0"
    for i in range(1, 60):
        text = f"({text} and self.b{i} is None) or not isinstance(self.c{i}, int)" if i % 2 else f"not ({text})"
    return body(
        [
            f"if {text}:\n    y = x\nelse:\n    y = None",
            f"while {text}:\n    y = [y]",
            f"assert {text}",
            f"y = 1 if {text} else 2",
        ]
    )


@program
def narrowing() -> str:
    lines = [
        f"if isinstance(y, C{i}) or y is None and self.a{i}:\n    y = y.v\nelif not y:\n    y = C{i}()"
        for i in range(150)
    ]
    return (
        body(lines)
        + "\n\n"
        + "".join(f"class C{i}:\n    v = C{max(i - 1, 0)}() if {i} else None\n" for i in range(150))
    )


@program
def top_level_branches() -> str:
    lines = [f"if flag{i}:\n    def g(x, g=g): return g(x)\nelse:\n    from m{i} import g" for i in range(200)]
    return HEAD + "g = len\n" + "\n".join(lines) + "\n\n\n" + ENTRY + "    return g(x).item()\n"


@program
def match_of_nine_hundred_cases() -> str:
    """Constants, names of values, classes and texts, of each of which the fields are used."""
    cases = [f"case {i}: y = x + {i}\n    case C(a={i}, b=v): y = v + y\n    case self.a{i}: y = x" for i in range(300)]
    return body(["match n:", *(f"    {each}" for each in cases)]) + "\n\nclass C: pass\n"


@program
def match_of_nine_hundred_breaks() -> str:
    return body(["match n:", *(f"    case {i}: y = x.item() + {i}" for i in range(900))])


@program
def flags_of_conditions() -> str:
    """Three hundred results of tests, each of which selects a branch later."""
    flags = [f"a{i} = isinstance(x, (int, C{i % 7})) or y is None and self.b{i}" for i in range(300)]
    lines = [f"if a{i} and not a{(i * 7 + 1) % 300}: y = [y, x.item()]" for i in range(300)]
    return body(flags + lines) + "\n\n" + "".join(f"class C{i}: pass\n" for i in range(7))


@program
def flags_of_flags() -> str:
    flags = ["a0 = isinstance(x, torch.Tensor)", "b0 = y is not None"]
    flags += [f"a{i} = a{i - 1} and b{i - 1}; b{i} = a{i - 1} or not b{i - 1}" for i in range(1, 300)]
    return body(flags + [f"if a{i} or b{i}: x = x + x.item()" for i in range(300)])
