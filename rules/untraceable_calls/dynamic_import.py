"""`importlib.import_module(name)` runs code that Dynamo does not trace; an `import` statement in the region is traced.

An `import` of a missing module breaks, even inside `try: ... except ImportError:`, and Dynamo cannot resume after it.

**Instead**

- import at the top of the module;
- an `import` statement in the region, of an existing module;
- call `importlib.util.find_spec(name)`, which is folded to a constant, before an import that may fail.

**Does not help**

- `try: ... except ImportError:` around it: the import breaks before the handler runs.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import On, Rule


class DynamicImport(Rule):
    """GBL415."""

    code = "GBL415"
    name = "dynamic-import"
    summary = "`importlib.import_module` and `__import__`"
    gb_ids = ("GB0007", "GB0069")
    on = (
        On("call", ("importlib.*", "builtins.__import__", "pkgutil.*", "pkg_resources.*", "runpy.*")),
        On("construct", ("import-missing",)),
    )
    message_template = "`{expression}` imports by name"
    help_template = "import at the top of the module, or with an `import` statement"
    wording = (
        (
            "import-missing",
            "`{expression}` imports a module that is not installed in the environment that gblint searched",
            "use `--python` to select an environment that has it; if the module is optional, import it at the top "
            "of the file inside `try`, and test in the region whether that worked",
        ),
    )
    recipes = ("equivalents.use_import_statement",)
    BREAKS = (
        Example(
            """\
import importlib

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    module = importlib.import_module("math")  # breaks: GB0007
    return y * module.pi
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    import cmath
    from math import tau

    return x * tau + cmath.pi
""",
        ),
    )
    FIXES = (
        FixExample(
            """\
import importlib

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    functional = importlib.import_module("torch.nn.functional")
    return functional.relu(x)
""",
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    import torch.nn.functional as functional
    return functional.relu(x)
""",
            safe=False,
        ),
    )
