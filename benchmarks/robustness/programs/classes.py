"""Long and wide hierarchies of classes, and modules in modules."""

from __future__ import annotations

from benchmarks.robustness.programs.shared import ENTRY, HEAD, program


@program
def super_chain() -> str:
    parts = ["class C0(nn.Module):\n    def forward(self, x):\n        return x.item()\n"]
    parts += [
        f"class C{i}(C{i - 1}):\n    def forward(self, x): return super().forward(x + 1)\n" for i in range(1, 320)
    ]
    return HEAD + "".join(parts) + "\nmodel = torch.compile(C319())\n"


@program
def super_chain_called_twice() -> str:
    parts = ["class C0(nn.Module):\n    def forward(self, x):\n        return x.item()\n"]
    step = "super().forward(x + 1) + super().forward(x - 1)"
    parts += [f"class C{i}(C{i - 1}):\n    def forward(self, x): return {step}\n" for i in range(1, 320)]
    return HEAD + "".join(parts) + "\nmodel = torch.compile(C319())\n"


@program
def super_init_chain() -> str:
    parts = ["class C0(nn.Module):\n    def __init__(self, a):\n        super().__init__()\n        self.a = a\n"]
    parts += [
        f"class C{i}(C{i - 1}):\n    def __init__(self, a): super().__init__([a, a]); self.a{i} = self.a\n"
        for i in range(1, 320)
    ]
    parts.append("class D(C319):\n    def forward(self, x):\n        return x.item()\n")
    return HEAD + "".join(parts) + "\nmodel = torch.compile(D(1))\n"


@program
def wide_classes() -> str:
    """Diamonds of inheritance on top of one another."""
    parts = ["class A0:\n    def m(self, x): return x.item()\n", "class B0(A0): pass\n", "class C0(A0): pass\n"]
    for i in range(1, 200):
        parts.append(f"class A{i}(B{i - 1}, C{i - 1}):\n    def m(self, x): return super().m(x)\n")
        parts += [f"class B{i}(A{i}): pass\n", f"class C{i}(A{i}): pass\n"]
    return HEAD + "".join(parts) + "\n" + ENTRY + "    return A199().m(x)\n"


@program
def many_bases() -> str:
    parts = [f"class B{i}:\n    def m{i}(self, x): return self.m{(i + 1) % 250}(x)\n" for i in range(250)]
    bases = ", ".join(f"B{i}" for i in range(250))
    return HEAD + "".join(parts) + f"class C({bases}): pass\n\n" + ENTRY + "    return C().m0(x)\n"


@program
def subclasses_of_a_call() -> str:
    """A method with three hundred overrides, each of which calls it."""
    parts = ["class A(nn.Module):\n    def m(self, x): return x\n"]
    parts += [f"class B{i}(A):\n    def m(self, x): return self.m(x + {i})\n" for i in range(300)]
    return HEAD + "".join(parts) + "\n@torch.compile\ndef f(a: A, x):\n    return a.m(x).item()\n"


@program
def mutual_recursion_of_methods() -> str:
    calls = " + ".join(f"self.n.m{i}(x, [n, {i}])" for i in range(30))
    parts = [f"    def m{i}(self, x, n):\n        return x.item() if n else {calls}\n" for i in range(30)]
    return (
        HEAD
        + "class C:\n    def __init__(self): self.n = self\n"
        + "".join(parts)
        + "\n"
        + ENTRY
        + "    return C().m0(x, n)\n"
    )


@program
def properties() -> str:
    parts = [f"    @property\n    def p{i}(self): return [self.p{i + 1}, self.p{i + 1}]\n" for i in range(250)]
    return HEAD + "class C:\n" + "".join(parts) + "    p250 = 1\n\n\n" + ENTRY + "    return C().p0, x.item()\n"


@program
def getattr_of_itself() -> str:
    return HEAD + (
        "class C:\n    def __init__(self, v): self.v = v\n"
        "    def __getattr__(self, name): return getattr(C(self), name + 'a')(name)\n"
        "    def __call__(self, *a): return self.x(*a)\n    def __getitem__(self, i): return self[i + 1]\n"
        "    def __iter__(self): return iter(C(self))\n    def __eq__(self, o): return o == self\n"
        "    def __add__(self, o): return o + self\n    def __bool__(self): return not self\n"
        "    def __len__(self): return len(self)\n"
        "\n\n@torch.compile\ndef f(x):\n    c = C(x)\n    c.y, c(x), c[0], [*c], c == c, c + c, not c, len(c)\n"
        "    return x.item()\n"
    )


@program
def modules_in_modules() -> str:
    parts = ["class M0(nn.Module):\n    def forward(self, x): return x.item()\n"]
    init = "        super().__init__()\n        self.a, self.b = M{0}(), M{0}()\n"
    call = "    def forward(self, x): return self.a(x) + self.b(x)\n"
    parts += [f"class M{i}(nn.Module):\n    def __init__(self):\n{init.format(i - 1)}{call}" for i in range(1, 190)]
    return HEAD + "".join(parts) + "\nmodel = torch.compile(M189())\n"


@program
def sequentials() -> str:
    return (
        HEAD
        + "m = nn.ReLU()\n"
        + "m = nn.Sequential(m, m)\n" * 300
        + "model = torch.compile(m)\n"
        + "m = nn.ModuleList([m, m])\n" * 300
    )
