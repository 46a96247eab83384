"""Functions that call, return and decorate one another, and generators."""

from __future__ import annotations

from benchmarks.robustness.programs.shared import ENTRY, HEAD, body, program


@program
def nested_functions() -> str:
    """A function in a function, as deep as Python allows indents, with several side by side."""
    text = "return x.item()"
    for i in range(90):
        text = f"def g{i}(x, y={i}):\n" + "".join(f" {line}\n" for line in text.splitlines()) + f"return g{i}(x)"
    return HEAD + "@torch.compile\ndef f(x):\n" + "".join(f" {line}\n" for line in text.splitlines())


@program
def five_hundred_closures() -> str:
    lines = ["g = len"] + ["def g(v, g=g):\n    return g(v)" for _ in range(400)]
    return body([*lines, "g(x)"])


@program
def chain_of_functions() -> str:
    """Five hundred functions, each of which calls the next twice."""
    parts = [f"def g{i}(x, n):\n    return g{i + 1}(x, n) + g{i + 1}(x + 1, {i})\n" for i in range(300)]
    return HEAD + "\n".join(parts) + "\ndef g300(x, n):\n    return x.item()\n\n\n" + ENTRY + "    return g0(x, n)\n"


@program
def chain_of_functions_with_growing_arguments() -> str:
    parts = [f"def g{i}(x, *a):\n    return g{i + 1}(x, *a, {i}) + g{i + 1}(x, {i}, *a)\n" for i in range(300)]
    return HEAD + "\n".join(parts) + "\ndef g300(x, *a):\n    return x.item()\n\n\n" + ENTRY + "    return g0(x, n)\n"


@program
def chain_of_functions_with_functions() -> str:
    """Each function passes on two functions, one of which is new."""
    parts = [f"def g{i}(x, h):\n    return g{i + 1}(x, lambda v: h(v)) + g{i + 1}(x, h)\n" for i in range(240)]
    return (
        HEAD + "\n".join(parts) + "\ndef g240(x, h):\n    return h(x.item())\n\n\n" + ENTRY + "    return g0(x, len)\n"
    )


@program
def decorators() -> str:
    """Many decorators of a function, and a decorator that is decorated itself."""
    parts = ["def d0(g):\n    @functools.wraps(g)\n    def w(*a, **k): return g(*a, **k)\n    return w\n"]
    parts += [
        f"@d{i - 1}\ndef d{i}(g):\n    @d{i - 1}\n    def w(*a, **k): return g(*a, **k)\n    return w\n"
        for i in range(1, 60)
    ]
    marks = "".join(f"@d{i}\n" for i in range(60))
    return HEAD + "".join(parts) + f"@torch.compile\n{marks}def f(x):\n    return x.item()\n"


@program
def one_decorator_often() -> str:
    return (
        HEAD
        + "def d(g):\n    def w(*a): return g(*a) + g(*a)\n    return w\n\n\n@torch.compile\n"
        + "@d\n" * 800
        + ("def f(x):\n    return x.item()\n")
    )


@program
def decorators_with_arguments() -> str:
    decorator = "def d(n):\n    def o(g):\n        def w(*a): return g(*a, n)\n        return w\n    return o\n"
    return (
        HEAD
        + decorator
        + "\n\n@torch.compile\n"
        + "".join(f"@d({i})\n" for i in range(800))
        + "def f(x, *a):\n    return x.item()\n"
    )


@program
def mutual_recursion() -> str:
    """Each of forty functions calls all of them."""
    calls = " + ".join(f"g{i}(x, n - {i})" for i in range(40))
    parts = [f"def g{i}(x, n):\n    if n < {i}: return x.item()\n    return {calls}\n" for i in range(40)]
    return HEAD + "\n".join(parts) + "\n" + ENTRY + "    return g0(x, n)\n"


@program
def mutual_recursion_with_functions() -> str:
    parts = [
        f"def g{i}(x, h):\n    return h(x, g{(i + 1) % 30}) + g{(i * 7 + 3) % 30}(x, lambda a, b: h(b(a, h), g{i}))\n"
        for i in range(30)
    ]
    return HEAD + "\n".join(parts) + "\n" + ENTRY + "    return g0(x, g1)\n"


@program
def fixed_point_combinators() -> str:
    return body(
        [
            "w = lambda g: g(g)",
            "z = lambda h: (lambda a: h(lambda v: a(a)(v)))(lambda a: h(lambda v: a(a)(v)))",
            "t = z(lambda me: lambda v: v if v is None else me(me(me(v))) + me(v + 1))",
            "t(x)",
            "w(w)",
            "w(lambda g: [g(g), g(g)])",
        ]
    )


@program
def generators() -> str:
    parts = [f"def g{i}(x):\n    yield from g{i + 1}(x)\n    yield from g{i + 1}(x.item())\n" for i in range(200)]
    return HEAD + "\n".join(parts) + "\ndef g200(x):\n    yield x\n\n\n" + ENTRY + "    return list(g0(x))\n"


@program
def dispatch_tables() -> str:
    parts = [f"def g{i}(x, n): return TABLE[n % 200](x, n + {i})\n" for i in range(200)]
    table = f"TABLE = [{', '.join(f'g{i}' for i in range(200))}]\n"
    return (
        HEAD
        + "".join(parts)
        + table
        + "\n\n"
        + ENTRY
        + "    return TABLE[n](x, n) + TABLE[x.shape[0]](x, n) + x.item()\n"
    )


@program
def breaks_in_calls() -> str:
    """Each function breaks in the middle and calls the next three times."""
    parts = [
        f"def g{i}(x):\n    x = g{i + 1}(x); print(x); x = g{i + 1}(x)\n    return g{i + 1}(x)\n" for i in range(180)
    ]
    return HEAD + "\n".join(parts) + "\ndef g180(x):\n    return x.item()\n\n\n" + ENTRY + "    return g0(x)\n"


@program
def many_entries() -> str:
    parts = [f"h{i} = torch.compile(g, fullgraph={bool(i % 2)}, dynamic={bool(i % 3)})\n" for i in range(900)]
    return HEAD + "def g(x):\n    return x.item()\n\n\n" + "".join(parts)


@program
def many_arguments() -> str:
    names = [f"a{i}" for i in range(1500)]
    calls = [f"g({', '.join(f'{name}={i}' for name in names)})" for i in range(20)]
    return (
        body(calls) + f"\n\ndef g({', '.join(names)}, **k):\n    return dict({', '.join(f'{n}={n}' for n in names)})\n"
    )


@program
def annotations_that_call_their_function() -> str:
    """The annotation of each result calls the function, which is compiled."""
    parts = [f"@torch.compile\ndef g{i}(x) -> g{i}(x).Tensor:\n    return torch()()\n" for i in range(100)]
    return HEAD + "\n".join(parts) + "\n\ndef h(x):\n    return " + " + ".join(f"g{i}(x)" for i in range(100)) + "\n"
