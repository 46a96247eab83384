"""Names of builtins, and the public spelling of external names."""

from __future__ import annotations

import builtins
import re

from gblint.values.base import (
    Const,
    Value,
)
from gblint.values.objects import ExternalName

# The result of ``data_ptr()``: Dynamo passes it on, but can neither compare it nor compute with it.
DATA_POINTER = "torch.Tensor.data_ptr"

# A module that ``torch.jit.load`` or ``torch.jit.freeze`` makes: it has no source.
SCRIPT_MODULE = "torch.jit.ScriptModule"
# Methods of modules that return the module itself.
MODULE_KEEPERS = frozenset(("to", "cuda", "cpu", "half", "float", "bfloat16", "eval", "train", "requires_grad_"))

BUILTINS = frozenset(dir(builtins))
BUILTIN_VALUES: dict[str, Value] = {
    **{name: ExternalName(f"builtins.{name}") for name in BUILTINS},
    **{str(value): Const(value) for value in (None, True, False, ...)},
}
_NN_MODULES = re.compile(r"^torch\.nn\.modules\.(?:\w+\.)*(_?[A-Z]\w*)")
_ALIASES = {
    "torch.nn.parameter.Parameter": "torch.nn.Parameter",
    "torch.autograd.function.Function": "torch.autograd.Function",
    "torch._tensor.Tensor": "torch.Tensor",
    "torch.utils.checkpoint": "torch.utils.checkpoint",
    "torch._dynamo.disable": "torch.compiler.disable",
    "torch._dynamo.allow_in_graph": "torch.compiler.allow_in_graph",
    "torch._dynamo.assume_constant_result": "torch.compiler.assume_constant_result",
    "torch._dynamo.substitute_in_graph": "torch.compiler.substitute_in_graph",
    "torch._dynamo.set_stance": "torch.compiler.set_stance",
    "torch._dynamo.is_compiling": "torch.compiler.is_compiling",
    "torch._dynamo.external_utils.is_compiling": "torch.compiler.is_compiling",
    "torch._utils.is_compiling": "torch.compiler.is_compiling",
    "torch.functional.einsum": "torch.einsum",
}
ENUMS = ("enum.Enum", "enum.IntEnum", "enum.StrEnum")
"""Classes of which each member is one value; those of ``enum.Flag`` are combined."""
# Methods that store an item in a container.
MUTATORS = frozenset(("update", "append", "extend", "add", "setdefault", "insert", "register", "__setitem__"))
_BACKPORTS = "typing_extensions."
_DECORATORS = frozenset(
    f"torch._dynamo.decorators.{name}"
    for name in (
        "allow_in_graph assume_constant_result disable disable_nested_graph_breaks disallow_in_graph dont_skip_tracing "
        "error_on_graph_break forbid_in_graph graph_break is_dynamo_disable_recursive mark_dynamic mark_static "
        "mark_static_address maybe_mark_dynamic nonstrict_trace override_cudagraphs override_optimization_hint "
        "patch_dynamo_config run set_stance skip_frame step_unsupported substitute_in_graph"
    ).split()
)


def canonical(name: str) -> str:
    """Return the public spelling of an external name."""
    if name.startswith(_BACKPORTS):
        return f"typing.{name[len(_BACKPORTS) :]}"
    if name.startswith("torch."):
        name = name.replace("torch._dynamo.decorators.", "torch._dynamo.") if name in _DECORATORS else name
        name = _ALIASES.get(name, name)
        match = _NN_MODULES.match(name)
        if match:
            return f"torch.nn.{name[match.start(1) :]}"
    return name
