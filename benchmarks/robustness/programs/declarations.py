"""Many declarations: classes, fields, parameters, registrations, and settings of a module."""

from __future__ import annotations

from benchmarks.robustness.programs.shared import ENTRY, HEAD, body, program


@program
def classes_that_are_each_compiled() -> str:
    parts = [f"@torch.compile\nclass C{i}(nn.Module): forward = lambda self, x: x.item()\n" for i in range(300)]
    parts += [f"torch.compile(type('D{i}', (C{i % 300},), {{}})())\n" for i in range(380)]
    return HEAD + "".join(parts)


@program
def objects_of_classes_that_are_each_compiled() -> str:
    parts = [f"class C{i}(nn.Module): forward = lambda self, x: x.item() + {i}\n" for i in range(450)]
    return HEAD + "".join(parts) + "".join(f"m{i} = torch.compile(C{i}())\n" for i in range(450))


@program
def modules_with_a_compiled_method_each() -> str:
    method = "    @torch.compile\n    def forward(self, x): return self.g(x.item())\n"
    return HEAD + "".join(f"class C{i}(C{i - 1} if {i} else nn.Module):\n{method}" for i in range(320))


@program
def calls_with_four_hundred_keywords() -> str:
    names = [f"a{i}" for i in range(400)]
    calls = [f"y = g(*y, {', '.join(f'{name}=x' for name in names)})" for _ in range(300)]
    return body(calls) + f"\n\ndef g(*a, {', '.join(f'{n}=None' for n in names)}):\n    return a, {', '.join(names)}\n"


@program
def calls_with_four_hundred_different_keywords() -> str:
    """Each call passes constants of its own, and the function passes its arguments on."""
    names = [f"a{i}" for i in range(400)]
    calls = [f"y = g(x, {', '.join(f'{name}={i + k}' for i, name in enumerate(names))})" for k in range(300)]
    given = ", ".join(f"{name}=None" for name in names)
    passed = ", ".join(f"{name}={name}" for name in names)
    return (
        body(calls) + f"\n\ndef g(x, {given}):\n    return h(x, {passed})\n\n\n"
        "def h(x, **k):\n    return [x.item() + v for v in k.values()]\n"
    )


@program
def many_different_decorators() -> str:
    parts = [
        f"def d{i}(g):\n    @functools.wraps(g)\n    def w(*a, **k): return g(*a, **k)\n    return w\n"
        for i in range(190)
    ]
    marks = "".join(f"@d{i}\n" for i in range(190))
    return HEAD + "".join(parts) + f"@torch.compile\n{marks}def f(x):\n    return x.item()\n"


@program
def registry_that_calls_fill() -> str:
    parts = ["REGISTRY = {}\n\n\ndef register(name, cls):\n    REGISTRY[name] = cls\n    return cls\n\n\n"]
    parts += [f"class C{i}(nn.Module): forward = lambda self, x: x.item() + {i}\n" for i in range(440)]
    parts += [f"register('n{i}', C{i})\n" for i in range(440)]
    return (
        HEAD + "".join(parts) + "\n\ndef make(name):\n    return torch.compile(REGISTRY[name]())\n\n\n"
        "def main(name, x):\n    return make(name)(x)\n"
        + "\n\n@torch.compile\ndef f(x, name):\n    return REGISTRY[name]()(x)\n"
    )


@program
def registry_of_one_class() -> str:
    """The same class is registered under 900 names."""
    parts = ["REGISTRY = {}\n\n\ndef register(name, cls, **k):\n    REGISTRY.setdefault(name, (cls, k))\n\n\n"]
    parts += ["class C(nn.Module):\n    def __init__(self, **k): super().__init__(); self.__dict__.update(k)\n"]
    parts += [
        "    def forward(self, x): return x.item()\n\n\n",
        *(f"register('n{i}', C, k{i}={i})\n" for i in range(900)),
    ]
    return (
        HEAD
        + "".join(parts)
        + ("\n\ndef main(name, x):\n    cls, k = REGISTRY[name]\n    return torch.compile(cls(**k))(x)\n")
    )


@program
def attributes_stored_in_a_module() -> str:
    stores = "".join(f"cfg.a{i} = {i}\n" for i in range(500))
    stores += "".join(f"cfg.b{i} = cfg.a{i} + len(cfg.__dict__)\n" for i in range(200))
    tests = "".join(f"    if cfg.a{i} == n: x = x + x.item()\n" for i in range(200))
    return HEAD + "class Cfg:\n    pass\n\n\ncfg = Cfg()\n" + stores + "\n\n" + ENTRY + tests + "    return x\n"


@program
def forwards_stored_in_a_module() -> str:
    stores = "".join(
        f"model.layer{i} = nn.Linear(2, 2); model.layer{i}.forward = torch.compile(model.layer{i}.forward)\n"
        for i in range(500)
    )
    return (
        HEAD + "model = nn.Module()\n" + stores + "\n\n@torch.compile\ndef f(x):\n    return model.layer7(x).item()\n"
    )


@program
def fields_of_subclasses() -> str:
    """Four hundred fields, of which fifty subclasses replace some."""
    head = "import dataclasses\n\nimport pydantic\n\n\n"
    classes = "class C0(pydantic.BaseModel):\n" + "".join(f"    a{i}: int = {i}\n" for i in range(400))
    for n in range(1, 50):
        fields = "; ".join(f"a{i}: int = {i * n}" for i in range(400))
        classes += f"class C{n}(C{n - 1}):\n    {fields}; b{n}: int = a{n} if n else 0\n"
    made = "".join(f"    y = C{n}(a{n}=n, **y.model_dump())\n" for n in range(50))
    return HEAD + head + classes + "\n\n" + ENTRY + "    y = C0()\n" + made + "    return x[y.a3] + x.item()\n"


@program
def fields_of_dataclasses() -> str:
    classes = "@dataclasses.dataclass\nclass C0:\n" + "".join(f"    a{i}: int = {i}\n" for i in range(400))
    for n in range(1, 50):
        fields = "; ".join(f"a{i}: int = {i * n}" for i in range(400))
        classes += f"@dataclasses.dataclass\nclass C{n}(C{n - 1}):\n    {fields}\n"
    made = "".join(f"    y = dataclasses.replace(C{n}(a{n}=n), **vars(y))\n" for n in range(50))
    return (
        HEAD
        + "import dataclasses\n\n\n"
        + classes
        + "\n\n"
        + ENTRY
        + "    y = C0()\n"
        + made
        + "    return x[y.a3].item()\n"
    )


@program
def generic_classes() -> str:
    """The classes have type parameters in the syntax of Python 3.12, each bound by the class before."""
    parts = ["class A0[T]:\n    def m(self, x: T) -> T: return x\n"]
    parts += [f"class A{i}[T: A{i - 1}](A{i - 1}[T]): v: T\n" for i in range(1, 500)]
    return HEAD + "".join(parts) + "\n\n@torch.compile\ndef f[T: A499](x: T, a: A499[T]):\n    return a.m(x).item()\n"


@program
def generic_classes_with_open_brackets() -> str:
    parts = [f"class A{i}[T: A{i - 1}[(A{i - 1}[T]): v: T\n" for i in range(500)]
    return HEAD + "".join(parts) + "\n\n@torch.compile\ndef f[T: A499(x):\n    return x.item()\n"


@program
def generic_classes_of_python_3_10() -> str:
    head = "import typing\n\nT = typing.TypeVar('T')\n\n\nclass A0(typing.Generic[T]):\n"
    parts = [head, "    def m(self, x: T) -> T: return x\n"]
    parts += [f"class A{i}(A{i - 1}[A{i - 1}[T]]): v: T\n" for i in range(1, 500)]
    return HEAD + "".join(parts) + "\n\n@torch.compile\ndef f(x, a: A499[int]):\n    return a.m(x).item() + a.v\n"


@program
def keys_of_an_object() -> str:
    """The items of an object with ``keys()`` are unpacked in calls inside each other."""
    keys = ", ".join(f"'k{i}'" for i in range(64))
    head = (
        f"class D:\n    def __init__(self, v): self.v = v\n    def keys(self): return [{keys}]\n"
        "    def __getitem__(self, k): return self.v\n\n\n"
    )
    parts = [f"def g{i}(x, **k): return g{i + 1}(x, **D(k)), g{i + 1}(**D(x), x=x)\n" for i in range(60)]
    return (
        HEAD + head + "".join(parts) + "def g60(x, **k): return x.item()\n\n\n" + ENTRY + "    return g0(x, **D(y))\n"
    )
