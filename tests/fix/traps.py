"""Programs in which a naive safe fix changes what they do: subclasses, hidden names, refused arguments, aliases."""

from __future__ import annotations

from tests.fix.program import EMPTY, ZERO, Case, X

TRAPS = {
    "mask-of-expanded": Case("x[x > 0] *= 2\nreturn x", ({"x": "torch.ones(1).expand(3)"},)),
    "mask-mul-sub": Case(
        "x[x > 0] -= 1\nreturn x",
        (
            {"x": "torch.tensor([-0.0,0.0,float('inf'),float('nan')])"},
            {"x": "torch.tensor([True,False])"},
            {"x": "torch.tensor([1.,2.],dtype=torch.bfloat16)"},
            {"x": "torch.ones(1).expand(3)"},
        ),
    ),
    "mask-mul-attr": Case(
        "h.t[h.t > 0] *= 2\nreturn x + h.t",
        (X,),
        extra="class H:\n    n = 0\n    @property\n    def t(self):\n        self.n += 1\n"
        "        return torch.ones(3) * self.n\nh = H()",
    ),
    "mask-mul-global": Case("T[T > 0] *= 2\nreturn x + T", (X,), extra="T = torch.ones(3)"),
    "mask-mul-param-chain": Case("x.data[x.data > 0] *= 2\nreturn x * 1", (X,)),
    "mask-where-wide": Case(
        "m = torch.tensor([True, False, False, False, False])\nx[torch.where(m)] = 0\nreturn x",
        ({"x": "torch.ones(3)"},),
    ),
    "mask-where-arg": Case(
        "x[torch.where(m)] = 0\nreturn x",
        (
            {"x": "torch.ones(3)", "m": "torch.tensor([True,False,False,False])"},
            {"x": "torch.ones(3)", "m": "torch.tensor([True,False,False])"},
        ),
        call="f(x, m)",
        parameters="x: torch.Tensor, m: torch.Tensor",
    ),
    "mask-where-made": Case("y = torch.zeros(3, dtype=torch.uint8)\ny[torch.where(y > 7)] = 300\nreturn x + y", (X,)),
    "mask-where-bool": Case("y = torch.zeros(3, dtype=torch.bool)\ny[torch.where(y == 0)] = 7\nreturn x + y", (X,)),
    "clone-strided": Case(
        "y = copy.deepcopy(x.data[::2])\nreturn y.view(-1), y.stride()", ({"x": "torch.arange(6.)"},), imports=("copy",)
    ),
    "clone-expanded": Case(
        "y = copy.deepcopy(x.data.expand(3))\ny.add_(1)\nreturn y", ({"x": "torch.ones(1)"},), imports=("copy",)
    ),
    "clone-attr": Case(
        "T.tag = 3\ny = copy.deepcopy(T)\nreturn x + y.tag", (X,), extra="import copy\nT = torch.ones(3)"
    ),
    "clone-param": Case(
        "y = copy.deepcopy(P)\nreturn x + y, type(y).__name__",
        (X,),
        extra="import copy\nP = torch.nn.Parameter(torch.ones(3), requires_grad=False)",
    ),
    "clone-long-arg": Case(
        "y = copy.deepcopy(x.long())\nreturn y.add_(1), x",
        (
            {"x": "torch.arange(3)"},
            {"x": "torch.arange(4)[::2]"},
        ),
        imports=("copy",),
    ),
    "copy-default": Case(
        "d = copy.copy(D)\nreturn x + len(d['new'])",
        (X,),
        extra="import copy\nfrom collections import defaultdict\nD = defaultdict(list)",
    ),
    "copy-ordered": Case(
        "d = copy.copy(D)\nd.move_to_end('a')\nreturn x + d['a']",
        (X,),
        extra="import copy\nfrom collections import OrderedDict\nD = OrderedDict(a=1, b=2)",
    ),
    "copy-counter": Case(
        "d = copy.copy(D)\nreturn x + d['zz']",
        (X,),
        extra="import copy\nfrom collections import Counter\nD = Counter('ab')",
    ),
    "copy-sub": Case(
        "d = copy.copy(D)\nreturn x + d.total()",
        (X,),
        extra="import copy\nclass L(list):\n    def total(self):\n        return sum(self)\nD = L([1, 2])",
    ),
    "copy-param": Case(
        "d = copy.copy(rows)\nreturn x + len(d), type(d).__name__",
        (
            {**X, "rows": "L([1])"},
            {**X, "rows": "[1]"},
        ),
        call="f(x, rows)",
        parameters="x: torch.Tensor, rows: list[int]",
        extra="class L(list):\n    pass",
        imports=("copy",),
    ),
    "copy-param-dict": Case(
        "d = copy.copy(rows)\nreturn x + d['q']",
        (
            {**X, "rows": "D(int)"},
            {**X, "rows": "{'q':1}"},
        ),
        call="f(x, rows)",
        parameters="x: torch.Tensor, rows: dict[str, int]",
        extra="from collections import defaultdict as D",
        imports=("copy",),
    ),
    "copy-shadow": Case(
        "d = copy.copy(rows)\nreturn x + len(d) + list",
        (X,),
        parameters="x: torch.Tensor, list=3",
        extra="rows = [1,2]",
        imports=("copy",),
    ),
    "copy-param-none": Case(
        "rows = [x, x]\nd = copy.copy(rows)\nd.append(x)\nreturn sum(d) + len(rows)", (X,), imports=("copy",)
    ),
    "range-shadow": Case(
        "steps = torch.arange(3).tolist()\nreturn x + len(steps) + range", (X,), parameters="x: torch.Tensor, range=3"
    ),
    "range-device": Case(
        "steps = torch.arange(3, device=dev).tolist()\nreturn x + len(steps)",
        (
            {**X, "dev": "'cuda:3'"},
            {**X, "dev": "'meta'"},
        ),
        call="f(x, dev)",
        parameters="x: torch.Tensor, dev: str",
    ),
    "range-bool": Case("steps = torch.arange(True).tolist()\nreturn x + len(steps)", (X,)),
    "range-negative": Case("steps = torch.arange(-3).tolist()\nreturn x + len(steps)", (X,)),
    "range-step": Case("steps = torch.arange(0, 10, 3).tolist()\nreturn x + steps[-1]", (X,)),
    "range-size": Case(
        "steps = torch.arange(x.shape[0]).tolist()\nreturn x + sum(steps)",
        (
            X,
            EMPTY,
        ),
    ),
    "range-len": Case("steps = torch.arange(len(x) - 4).tolist()\nreturn x + sum(steps)", (X,)),
    "math-shadow": Case(
        "return x.reshape(int(np.prod(x.shape))) + math",
        (X,),
        parameters="x: torch.Tensor, math=2",
        extra="import numpy as np",
    ),
    "math-shadow-global": Case(
        "return x.reshape(int(np.prod(x.shape))) + math", (X,), extra="import numpy as np\nmath = 3"
    ),
    "math-overflow": Case("return x * int(np.prod([2**40, 2**40]))", (X,), extra="import numpy as np"),
    "math-float": Case("return x * int(np.prod([0.1, 3.0, 10.0]))", (X,), extra="import numpy as np"),
    "math-lcm": Case(
        "return x[: int(np.lcm(a, b))]",
        (
            {**X, "a": "2**40+1", "b": "2**41+1"},
            {**X, "a": "-2", "b": "3"},
            {**X, "a": "0", "b": "0"},
        ),
        call="f(x, a, b)",
        parameters="x: torch.Tensor, a: int, b: int",
        extra="import numpy as np",
    ),
    "math-gcd-float": Case(
        "return x[: int(np.gcd(a, 3))]",
        (
            {**X, "a": "2.0"},
            {**X, "a": "2"},
        ),
        call="f(x, a)",
        parameters="x: torch.Tensor, a: int",
        extra="import numpy as np",
    ),
    "math-int-own": Case(
        "return x.sum() + len(int(np.prod(x.shape)))",
        (X,),
        extra="import numpy as np\ndef int(v):\n    return type(v).__name__",
    ),
    "import-shadowed": Case(
        "m = importlib.import_module('pprint')\nreturn x + len(m.__name__)", (X,), imports=("importlib",)
    ),
    "import-dotted-attr": Case(
        "m = importlib.import_module('torch.functional')\nreturn x + len(m.__name__)", (X,), imports=("importlib",)
    ),
    "import-missing-caught": Case(
        "try:\n    m = importlib.import_module('nothing_here')\nexcept ImportError as e:\n"
        "    return x + len(str(e))\nreturn x",
        (X,),
        imports=("importlib",),
    ),
    "import-class": Case(
        "return x + len(K.f())",
        (X,),
        extra="import importlib\nclass K:\n    @staticmethod\n    def f():\n"
        "        __m = importlib.import_module('json')\n        return __m.dumps([1])",
    ),
    "import-re-exported": Case(
        "m = importlib.import_module('json')\nreturn x + len(m.dumps([1])) + len(G)",
        (X,),
        extra="import importlib\nG = [k for k in globals() if k == 'importlib']",
    ),
    "import-all": Case(
        "m = importlib.import_module('json')\n"
        "return x + len(m.dumps([1])) + hasattr(sys.modules[__name__], 'importlib')",
        (X,),
        extra="__all__ = ['importlib', 'f']",
        imports=("importlib", "sys"),
    ),
    "import-noqa": Case(
        "m = importlib.import_module('json')\nreturn x + len(m.dumps([1]))",
        (X,),
        extra="import importlib  # noqa: F401",
    ),
    "group-key-none": Case(
        "return x + sum(len(list(g)) for _, g in itertools.groupby([1, 1, 2], None))", (X,), imports=("itertools",)
    ),
    "dtype-signed": Case(
        "return x * (2 if x.is_signed() else 3)",
        (
            X,
            {"x": "torch.ones(2,dtype=torch.uint8)"},
            {"x": "torch.ones(2,dtype=torch.bool)"},
            {"x": "torch.ones(2,dtype=torch.complex64)"},
        ),
    ),
    "enum-own-upper": Case(
        "return x + len(Mode.A.upper())",
        (X,),
        extra="import enum\nclass Mode(str, enum.Enum):\n    A = 'a'\n    def upper(self):\n        return 'long'",
    ),
    "enum-strip": Case(
        "return x + len(Mode.A.strip())",
        (X,),
        extra="import enum\nclass Mode(str, enum.Enum):\n    A = ' a '\n"
        "    def __getitem__(self, k):\n        return 'long'",
    ),
    "enum-format": Case(
        "return x + len(Mode.A.format(3))", (X,), extra="import enum\nclass Mode(str, enum.Enum):\n    A = '{}'"
    ),
    "enum-strenum": Case(
        "return x + len(Mode.A.replace('a', 'bb'))", (X,), extra="import enum\nclass Mode(enum.StrEnum):\n    A = 'a'"
    ),
    "byte-fill": Case(
        "try:\n    return x.masked_fill(m, 7)\nexcept RuntimeError:\n    return x * 0",
        ({"x": "torch.ones(3)", "m": "torch.tensor([1,0,2],dtype=torch.uint8)"},),
        call="f(x, m)",
        parameters="x: torch.Tensor, m: torch.Tensor",
    ),
    "byte-made-where": Case("m = torch.tensor([1, 0, 2], dtype=torch.uint8)\nreturn torch.where(m, x, 0)", (X,)),
    "byte-made-select": Case("m = torch.tensor([1, 0, 2], dtype=torch.uint8)\nreturn x.masked_select(m)", (X,)),
    "random-from": Case("return x * random()", (X,), extra="from random import random"),
    "random-own": Case("return x * r.random()", (X,), extra="import random\nr = random.Random(3)"),
    "random-made-half": Case(
        "y = torch.full((3,), 3.3, dtype=torch.float16)\nreturn x + y * random.random() - random.random() * y",
        (X,),
        imports=("random",),
    ),
    "random-left": Case("y = torch.full((3,), 3.3)\nreturn random.random() - y", (X,), imports=("random",)),
    "random-as": Case("y = torch.full((3,), 3.3)\nreturn rnd.random() - y", (X,), extra="import random as rnd"),
    "repeat-dim": Case(
        "return torch.repeat_interleave(x, torch.tensor([1, 2, 3]), dim=0)",
        (
            X,
            {"x": "torch.ones(2)"},
            {"x": "torch.ones(())"},
            {"x": "torch.ones(3,2)"},
        ),
    ),
    "repeat-neg": Case("return torch.repeat_interleave(x, torch.tensor([1, -2, 3]), dim=0)", (X,)),
    "repeat-bool": Case("return torch.repeat_interleave(x, torch.tensor([True, False, True]), dim=0)", (X,)),
    "repeat-half": Case("return torch.repeat_interleave(x, torch.tensor([1, 2, 0], dtype=torch.float16), dim=0)", (X,)),
    "repeat-shadow": Case(
        "return torch.repeat_interleave(x, torch.tensor([1, 2, 0]), dim=0) + sum",
        (X,),
        parameters="x: torch.Tensor, sum=2",
    ),
    "repeat-list-var": Case(
        "n = [1, 2, 0]\nc = torch.tensor(n)\nn[0] = 9\nreturn torch.repeat_interleave(x, c, dim=0)", (X,)
    ),
    "item-var-write": Case(
        "y = torch.ones(3)\ns = y.sum()\nn = s.item()\ns.zero_()\nreturn torch.full((3,), 2.0) * n", (X,)
    ),
    "item-var-view": Case("y = torch.ones(3)\nn = y[0].item()\ny.mul_(7)\nreturn torch.full((3,), 2.0) * n", (X,)),
    "item-inplace-self": Case("y = torch.full((3,), 2.0)\ny *= y[0].item()\nreturn y + x", (X,)),
    "item-other-var": Case("y = torch.full((3,), 2.0)\nz = y[0]\nn = z.item()\ny += 5\nreturn torch.ones(3) * n", (X,)),
    "item-long": Case("s = torch.tensor(2**62 + 1)\nreturn torch.ones(3, dtype=torch.float64) * s.item()", (X,)),
    "item-cmp-half": Case(
        "s = torch.tensor(2049)\nreturn torch.full((3,), 2048.0, dtype=torch.float16) == s.item()", (X,)
    ),
    "item-cmp-f64": Case(
        "s = torch.tensor(0.1, dtype=torch.float64)\n"
        "return torch.full((3,), 0.1) < s.item(), torch.full((3,), 0.1) == s.item()",
        (X,),
    ),
    "item-global": Case(
        "global N\ns = torch.ones(3).sum()\nN = s.item()\nreturn torch.ones(3) * N",
        (X,),
        call="(f(x), type(N).__name__)",
    ),
    "item-closure": Case(
        "s = torch.ones(3).sum()\nn = s.item()\ndef g():\n    return n\nreturn torch.ones(3) * n, g()", (X,)
    ),
    "item-nonlocal": Case(
        "n = 0\ndef g():\n    nonlocal n\n    n = torch.ones(3).sum().item()\n"
        "    return torch.ones(3) * n\nreturn g(), type(n).__name__",
        (X,),
    ),
    "item-walrus": Case("return torch.ones(3) * (n := torch.ones(3).sum().item()), n", (X,)),
    "item-locals": Case(
        "n = torch.ones(3).sum().item()\nv = locals()\nreturn torch.ones(3) * n, type(v['n']).__name__", (X,)
    ),
    "item-annotated": Case("n: float = torch.ones(3).sum().item()\nreturn torch.ones(3) * n", (X,)),
    "unbind-write": Case(
        "t = torch.arange(3.0)\nout = torch.zeros(3)\nfor v in t.tolist():\n"
        "    out = out + v\n    t.add_(1)\nreturn out + x",
        (X,),
    ),
    "unbind-empty": Case(
        "t = torch.arange(0.0)\nout = torch.zeros(3)\nfor v in t.tolist():\n    out = out + v\nreturn out + x", (X,)
    ),
    "unbind-comp": Case("t = torch.arange(3.0)\nreturn sum([torch.ones(3) * v for v in t.tolist()])", (X,)),
    "minmax2": Case(
        "y = x[x > 0]\nreturn x * (1 if len(y) > 1 else 0)",
        (
            X,
            ZERO,
            EMPTY,
        ),
    ),
    "minmax-shadow": Case(
        "y = x[x > 0]\nreturn x * (1 if len(y) > 1 else 0) + max", (X,), parameters="x: torch.Tensor, max=2"
    ),
    "sorted-shadow": Case(
        "return x * bisect.bisect([1, 2, 2, 3], 2) + sum",
        (X,),
        parameters="x: torch.Tensor, sum=2",
        imports=("bisect",),
    ),
    "tracetime-mut": Case("s = torch.linspace(0, 1, 3).tolist()\ns.append(x.shape[0])\nreturn x * sum(s)", (X,)),
    "np-reduce-0d": Case(
        "return np.add.reduce(x)",
        (
            {"x": "np.array(3.0)"},
            {"x": "np.arange(6.).reshape(2,3)"},
            {"x": "np.array([True,True])"},
            {"x": "np.zeros(0)"},
        ),
        parameters="x: np.ndarray",
        extra="import numpy as np",
    ),
    "np-max-reduce": Case(
        "return np.maximum.reduce(x)",
        (
            {"x": "np.zeros(0)"},
            {"x": "np.array([1,np.nan])"},
            {"x": "np.array([1,2],dtype=np.int8)"},
        ),
        parameters="x: np.ndarray",
        extra="import numpy as np",
    ),
    "np-trap": Case(
        "return np.trapezoid(x, y)",
        (
            {"x": "np.array(3.0)", "y": "np.array([1.,2.])"},
            {"x": "np.arange(6.).reshape(2,3)", "y": "np.arange(3.)"},
            {"x": "np.arange(6,dtype=np.int8).reshape(2,3)*40", "y": "np.arange(6,dtype=np.int8).reshape(2,3)"},
            {"x": "np.array([True,False])", "y": "np.array([True,False])"},
            {"x": "np.array([1.0])", "y": "np.array([2.0])"},
        ),
        call="f(x, y)",
        parameters="x: np.ndarray, y: np.ndarray",
        extra="import numpy as np",
    ),
    "lambda-shadow": Case("g = lambda list: torch.arange(3).tolist()[list]\nreturn x + g(1)", (X,)),
    "comp-shadow": Case("return x + sum([len(torch.arange(3).tolist()) + list for list in range(2)])", (X,)),
    "nested-shadow": Case("list = 3\ndef g():\n    return torch.arange(3).tolist()\nreturn x + len(g()) + list", (X,)),
    "local-import": Case(
        "import math\nreturn x.reshape(int(np.prod(x.shape))) + math.pi", (X,), extra="import numpy as np"
    ),
    "global-sum": Case(
        "return x.repeat_interleave(torch.tensor([1, 2, 0])) + sum(3)", (X,), extra="def sum(n):\n    return n"
    ),
}
