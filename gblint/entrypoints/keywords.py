"""The words of files that may have an entry point; the search skips files without any of them."""

from __future__ import annotations

# Every text that compiles something by a name of torch, or by a library, contains one of these.
WORDS = ("compile", "ynamo", "torch.export")
# Attributes that compile, besides those with `compile` in their names.
ATTRIBUTES = frozenset(("optimize", "optimize_assert", "export", "explain", "standard_test"))
# The method that makes a class an entry point, where entry points are assumed.
FORWARD = "forward"
PATTERNS = ("re", "regex")
# The words of files with settings of Dynamo, and of files that may set environment variables for it.
SETTINGS = ("_dynamo", "set_stance")
VARIABLES = ("environ", "torch")


def is_query(name: str) -> bool:
    """Return whether a name only queries compilation (``is_compiling``), prepares for what is compiled elsewhere
    (``prepare_for_compiled_hotswap``), or marks a step of compiled code.
    """
    bare = name.lstrip("_")
    is_about = "uncompiled" in bare or "for_compiled" in bare
    return bare.startswith("is_") or is_about or bare == "cudagraph_mark_step_begin"


def is_pattern(attribute: str, owner: str | None) -> bool:
    """Return whether ``owner.attribute`` compiles a regular expression."""
    return attribute == "compile" and owner in PATTERNS
