"""Modules that import everything from one another."""

from __future__ import annotations

from benchmarks.robustness.programs.shared import Files, program


@program
def cyclic_stars() -> Files:
    """Thirty modules, each of which imports everything from each other."""
    names = [f"p{i}" for i in range(30)]
    files = {"m.py": "import torch\nfrom p0 import *\n\n\n@torch.compile\ndef f(x):\n    return g29(x) + missing(x)\n"}
    for i, name in enumerate(names):
        stars = "".join(f"from {other} import *\n" for other in names if other != name)
        files[f"{name}.py"] = stars + f"\n\ndef g{i}(x):\n    return g{(i + 1) % 30}(x) + x.item()\n"
    return files


@program
def chain_of_stars() -> Files:
    """Three hundred modules, each of which imports everything from the next two."""
    files = {"m.py": "import torch\nfrom p0 import *\n\n\n@torch.compile\ndef f(x):\n    return g(x) + missing(x)\n"}
    for i in range(300):
        files[f"p{i}.py"] = f"from p{(i + 1) % 300} import *\nfrom p{(i + 2) % 300} import *\nv{i} = 1\n"
    files["p299.py"] += "\n\ndef g(x):\n    return x.item()\n"
    return files


@program
def chain_of_names() -> Files:
    """Modules in a circle, each of which imports single names from the next."""
    files = {"m.py": "import torch\nfrom p0 import g\n\n\n@torch.compile\ndef f(x):\n    return g(x)\n"}
    for i in range(200):
        files[f"p{i}.py"] = (
            f"try:\n    from p{(i + 1) % 200} import g\nexcept ImportError:\n    from p{(i + 7) % 200} import g\n"
        )
    return files


@program
def package_of_stars() -> Files:
    files = {"m.py": "import torch\nimport p\n\n\n@torch.compile\ndef f(x):\n    return p.p3.p4.p5.p.p6.g(x)\n"}
    files["p/__init__.py"] = "".join(f"from .p{i} import *\n" for i in range(60)) + "import p\n"
    for i in range(60):
        files[f"p/p{i}.py"] = "from . import *\nfrom p import *\nimport p\n\n\ndef g(x):\n    return x.item()\n"
    return files
