"""Write the module of a new rule, and the module with its examples for the tests.

    python -m tools.new_rule GBL432 my-rule untraceable_calls

The texts to fill in are marked TODO; ``tests/rules/test_catalogue.py`` fails while there are any.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from gblint.rules.registry import all_rules

ROOT = Path(__file__).parents[1]

_RULE = '''\
"""TODO: what breaks, in one sentence that ends with a period.

TODO: why Dynamo breaks here, and what happens then.

**Instead** TODO: what to write.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class {cls}(Rule):
    """{code}."""

    code = "{code}"
    name = "{name}"
    summary = "TODO: one line for the table of rules"
    gb_ids = ()  # TODO: torch's ids, such as "GB0124"; remove the line if there are none
    on = (On("call", ("TODO.{module}",)),)  # TODO: a kind and subjects of rules/events.py
    message_template = "TODO: `{{expression}}` does this"
    help_template = "TODO: the code to write instead"
    BREAKS = (
        Example(
            """\\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    TODO(x)  # breaks
    return x + 1
""",
        ),
    )
    CLEAN = (
        Example(
            """\\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x + 1  # TODO: the nearest code that does not break
""",
        ),
    )
'''
_EXAMPLES = '''\
"""More examples of {code}, {name}."""

from __future__ import annotations

from gblint.rules.examples import Example

CLEAN = (
    Example(
        """\\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x * 2  # TODO: more code that does not break, and a tuple BREAKS of more code that does
""",
    ),
)
'''


def texts(code: str, name: str, family: str) -> dict[Path, str]:
    """Return the text of each new file, by its path from the root of the repository."""
    module = name.replace("-", "_")
    values = {"code": code, "name": name, "module": module, "cls": name.title().replace("-", "")}
    return {
        Path("rules", family, f"{module}.py"): _RULE.format(**values),
        Path("tests", "rules", family, f"{module}.py"): _EXAMPLES.format(**values),
    }


def problem(code: str, name: str, family: str) -> str | None:
    """Return the reason why this rule cannot be created; None if it can."""
    families = sorted(path.parent.name for path in (ROOT / "rules").glob("*/__init__.py"))
    if not re.fullmatch(r"GBL\d{3}", code):
        return f"{code!r} is not a code: GBL and three digits"
    if not re.fullmatch(r"[a-z]+(-[a-z]+)*", name):
        return f"{name!r} is not a name: lower-case words with hyphens between them"
    if family not in families:
        return f"{family!r} is not a family; the families are {', '.join(families)}"
    for rule in all_rules():
        if code == rule.code or name == rule.name:
            return f"there is already a rule {rule.code}, {rule.name}"
    return None


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return 1 if the rule cannot be created."""
    parser = argparse.ArgumentParser(prog="python -m tools.new_rule", description=__doc__.partition("\n")[0])
    parser.add_argument("code", help="a free code of the family, such as GBL432")
    parser.add_argument("name", help="the name in the configuration, such as my-rule")
    parser.add_argument("family", help="a folder of rules/")
    options = parser.parse_args(arguments)
    reason = problem(options.code, options.name, options.family)
    if reason is not None:
        print(f"error: {reason}", file=sys.stderr)
        return 1
    for path, text in texts(options.code, options.name, options.family).items():
        (ROOT / path).parent.mkdir(exist_ok=True)
        (ROOT / path).write_text(text, encoding="utf-8")
        print(path)
    print(f"Replace each TODO, then run: make rule CODE={options.code}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
