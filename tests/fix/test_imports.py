"""Imports that fixes need: found also under a condition, added at the right place, and removed completely."""

from __future__ import annotations

import libcst as cst
import pytest

from gblint.fix.imports import Import, imported_as, with_imports, without_unused

HEADS = {
    "standard library first": (
        "import math\n\nimport numpy as np\n",
        "os",
        "import math\nimport os\n\nimport numpy as np\n",
    ),
    "before the first of its section": ("import numpy\n", "math", "import math\n\nimport numpy\n"),
    "sorted": ("import einops\nimport torchvision\n", "torch", "import einops\nimport torch\nimport torchvision\n"),
    "above own modules": (
        "import abc\n\nfrom .x import y\nfrom own.z import w\n",
        "torch",
        "import abc\n\nimport torch\n\nfrom .x import y\nfrom own.z import w\n",
    ),
    "before names": ("from numpy import array\n", "torch", "import torch\nfrom numpy import array\n"),
    "after the docstring": ('"""A file."""\nx = 1\n', "torch", '"""A file."""\n\nimport torch\n\nx = 1\n'),
    "after the future": (
        "from __future__ import annotations\n\nx = 1\n",
        "torch",
        "from __future__ import annotations\n\nimport torch\n\nx = 1\n",
    ),
    "a comment stays with its import": (
        "import abc\n\n# ours\nfrom own import a\n",
        "torch",
        "import abc\n\nimport torch\n\n# ours\nfrom own import a\n",
    ),
    "there already": ("import torch\n", "torch", "import torch\n"),
    "above a function": ("def f():\n    pass\n", "torch", "import torch\n\n\ndef f():\n    pass\n"),
    "nothing else": ("x = 1\n", "torch", "import torch\n\nx = 1\n"),
}


@pytest.mark.parametrize("name", HEADS)
def test_import_is_put_in_its_section(name: str) -> None:
    before, module, after = HEADS[name]
    assert with_imports(cst.parse_module(before), [Import(module)], ("own",)).code == after


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import torch as th\n", "th"),
        ("if has_torch():\n    import torch\n", "torch"),
        ("try:\n    import torch\nexcept ImportError:\n    torch = None\n", "torch"),
        ("if TYPE_CHECKING:\n    import torch\n", None),
        ("try:\n    import jax\nexcept ImportError:\n    import torch\n", None),
        ("def f():\n    import torch\n", None),
    ],
)
def test_conditional_imports_count(text: str, found: str | None) -> None:
    assert imported_as(cst.parse_module(text), "torch") == found


def test_removed_import_keeps_the_sections_apart() -> None:
    text = "import math\n\nimport numpy as np\nimport torch\n\nx = torch.ones(math.prod((1, 2)))\n"
    module = without_unused(cst.parse_module(text), [Import("numpy", None, "np")], text)
    assert module.code == text.replace("import numpy as np\n", "")
