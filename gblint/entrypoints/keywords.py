"""By which words a file may have an entry point: what has none of them is not looked at any further."""

from __future__ import annotations

# The parameters of libraries that compile what they are given.
LIBRARIES = ("torch_compile", "dynamo_backend", "dynamo_plugin", "TorchDynamoPlugin")
# One of these is in every text that compiles something under a name of torch's, or has a library do it.
WORDS = ("compile", "ynamo", "torch.export")
# Attributes that compile, besides those with `compile` in their names.
ATTRIBUTES = frozenset(("optimize", "optimize_assert", "export"))
# What makes an entry point of a class, where those are assumed.
FORWARD = "forward"
PATTERNS = ("re", "regex")
# What is said about settings, compiled or not.
SETTINGS = ("_dynamo", "set_stance")
VARIABLES = ("environ", "torch")


def is_question(name: str) -> bool:
    """Whether a name only asks about compilation, such as ``is_compiling``, or tells what is compiled of a new step."""
    bare = name.lstrip("_")
    return bare.startswith("is_") or "uncompiled" in bare or bare == "cudagraph_mark_step_begin"


def is_pattern(attribute: str, owner: str | None) -> bool:
    """Whether ``owner.attribute`` makes a regular expression."""
    return attribute == "compile" and owner in PATTERNS
