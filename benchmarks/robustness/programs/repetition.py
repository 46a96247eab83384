"""Nested loops, comprehensions, ``try`` statements and ``with`` statements."""

from __future__ import annotations

from benchmarks.robustness.programs.shared import body, program


@program
def comprehensions() -> str:
    text = "v0"
    for i in range(1, 60):
        text = f"[{text} for v{i % 3} in x]"
    chained = "[v0 " + " ".join(f"for v{i} in (1, 2, 3)" for i in range(60)) + "]"
    filtered = "[v " + " ".join(f"for v in range(99) if v > {i} or x[v]" for i in range(60)) + "]"
    doubled = "(1, 2)"
    for _ in range(40):
        doubled = f"[(v, w) for v in {doubled} for w in (1, 2)]"
    return body([f"y = {text}", f"y = {chained}", f"y = {filtered}", f"y = {doubled}", "y[0].item()"])


@program
def comprehensions_over_known_ranges() -> str:
    text = "x.item()"
    for i in range(14):
        text = f"[{text} for v{i} in range(30)]"
    return body([f"y = {text}"])


@program
def loops_over_known_ranges() -> str:
    text = "y = y + x.item()"
    for i in range(14):
        text = f"for v{i} in range(30):\n" + "".join(f"    {line}\n" for line in text.splitlines())
    return body([text])


@program
def assignments_in_a_circle() -> str:
    names = [f"v{i}" for i in range(200)]
    turned = ", ".join([*names[1:], names[0]])
    return body(
        [
            f"{', '.join(names)} = {', '.join(['x'] * 199)}, [1]",
            f"for i in range(n):\n    {', '.join(names)} = {turned}",
            "v0.item()",
        ]
    )


@program
def loops_that_pass_on() -> str:
    """A value that each iteration of a loop moves on by one variable, through 300 variables."""
    lines = [f"    v{i} = v{i + 1}" for i in range(300)]
    return body([f"v{i} = 0" for i in range(301)] + ["while self.c:", *lines, "    v300 = [v0, x]", "v0.item()"])


@program
def loops_in_loops_that_pass_on() -> str:
    text = "v0 = [v0]"
    for i in range(16):
        text = (
            f"while self.c{i}:\n    v{i} = v{i + 1}\n"
            + "".join(f"    {line}\n" for line in text.splitlines())
            + f"    v{i + 1} = v{i} + x"
        )
    return body([f"v{i} = x" for i in range(18)] + [text])


@program
def exceptions() -> str:
    text = "y = g(x)"
    for i in range(18):
        text = (
            "try:\n"
            + "".join(f"    {line}\n" for line in text.splitlines())
            + f"except C{i}:\n    y = [y, {i}]\n    raise\n"
            f"except (C{i + 1}, ValueError) as e:\n    y = g(e)\nelse:\n    y = g(y)\nfinally:\n    y = g(y)"
        )
    return (
        body([text])
        + "\n\ndef g(x):\n    raise C0\n\n\n"
        + "".join(f"class C{i}(Exception): pass\n" for i in range(20))
    )


@program
def finally_in_finally() -> str:
    text = "y = g(x)"
    for _ in range(18):
        text = "try:\n    y = g(y)\nfinally:\n" + "".join(f"    {line}\n" for line in text.splitlines())
    return body([text]) + "\n\ndef g(x):\n    return x.item()\n"


@program
def context_managers() -> str:
    items = ", ".join(f"C() as v{i}" for i in range(300))
    return body([f"with {items}:\n    x.item()"]) + (
        "\n\nclass C:\n    def __enter__(self): return self\n    def __exit__(self, *a): return self.b\n"
    )


@program
def many_breaks() -> str:
    return body(["x = x + x.item(); print(x); x.tolist()"] * 900)
