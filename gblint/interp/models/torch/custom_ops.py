"""Custom operators of the project, called as ``torch.ops.mine.sum``: whether they have a fake implementation."""

from __future__ import annotations

import ast
import re
from typing import Literal

from gblint.interp.domain.access_paths import last_name
from gblint.interp.models.torch import hard_errors, torch_functions
from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext
from gblint.interp.state.interpreter import Interpreter
from gblint.project.modules import Module
from gblint.runtime import ast_walk
from gblint.runtime.lazy_dataclasses import dataclass
from gblint.values.base import Const, Scalar, Tensor

Definition = Literal["", "custom", "library"]

PREFIX = "torch.ops."
_TAG = "pt2_compliant_tag"
_SCHEMA = re.compile(r"(?P<name>[\w:]+?)(\.(?P<overload>\w+))?\s*\((?P<parameters>[^)]*)\)\s*->")
# Words around fake implementations: a module that contains one of them is assumed to have one.
_FAKE = re.compile(r"register_(fake|abstract|meta|torch_dispatch)|impl_abstract|Meta|Composite")


def check(ctx: CallContext, name: str) -> None:
    """Check a call of ``torch.ops.namespace.operator``: without a fake it raises, or breaks if a Library registers it.

    ``torch.library.custom_op`` refuses tensors without data; implementations by ``Library.impl`` fail on them.
    """
    parts = name.removeprefix(PREFIX).split(".")
    if not ctx.frame.mode.tracing or len(parts) < 2:
        return
    operator = f"{parts[0]}::{parts[1]}"
    if ctx.frame.mode.config.compliant_only:
        _check_compliance(ctx, operator, parts[2] if len(parts) > 2 else "")
    if operator not in ctx.interp.compilation.custom_operators:
        ctx.interp.compilation.custom_operators[operator] = _definition(ctx.interp, parts[0], parts[1])
    definition = ctx.interp.compilation.custom_operators[operator]
    if definition == "custom":
        hard_errors.refuse(ctx.interp, ctx.frame, ctx.node, "custom-operator", ("runtime-error-in-fake-tensor-call",))
    elif definition == "library":
        ctx.emit("compile-error", "library-operator", ("operator-without-fake-tensor-support",))


@dataclass(frozen=True, slots=True)
class _Overload:
    """An overload of an operator: the types of its parameters, how many it needs, whether it has the tag of PT2."""

    name: str
    types: tuple[str, ...]
    required: int
    compliant: bool

    def takes(self, args: Args) -> bool:
        """Return whether the overload takes positional arguments of these kinds."""
        if not self.required <= len(args.pos) + len(args.kw) <= len(self.types):
            return False
        wrong = (isinstance(v, (Const, Scalar)) == t.startswith("Tensor") for v, t in zip(args.pos, self.types))
        return not any(wrong) if all(isinstance(v, (Const, Scalar, Tensor)) for v in args.pos) else True


def _check_compliance(ctx: CallContext, operator: str, chosen: str) -> None:
    """Check a call under ``only_allow_pt2_compliant_ops``: which overload it is, and whether that has the tag."""
    found = [each for each in _overloads(ctx.interp, operator) if not chosen or each.name == chosen]
    fitting = [each for each in found if each.takes(ctx.args)]
    if ctx.args.star is not None or ctx.args.kwstar is not None or not found:
        return
    if not fitting:
        name = f"{PREFIX}{operator.replace('::', '.')}"
        torch_functions.wrong(ctx.interp, ctx.frame, ctx.node, "operator-arguments", name, "op-packet-resolution-error")
    elif not fitting[0].compliant:
        ctx.emit("compile-error", "non-compliant-operator", ("encountered-non-pt2-compliant-op",))


def _overloads(interp: Interpreter, operator: str) -> list[_Overload]:
    """Return the overloads of an operator that ``torch.library.define`` and ``Library.define`` of the project make."""
    name = operator.rpartition(":")[2]
    found = []
    for module in interp.project.user_modules():
        if not interp.project.mentions(module, (name,)) or "librar" not in module.source.lower():
            continue
        for call in ast_walk.walk(module.tree):
            if not isinstance(call, ast.Call) or last_name(call.func) != "define":
                continue
            texts = [a.value for a in call.args[:2] if isinstance(a, ast.Constant) and isinstance(a.value, str)]
            match = _SCHEMA.match(" ".join(texts))
            if match is None or match["name"] not in (operator, name):
                continue
            parameters = [each.strip() for each in match["parameters"].split(",") if each.strip() not in ("", "*")]
            tags = [ast.dump(k.value) for k in call.keywords if k.arg == "tags"]
            types = tuple(each.split()[0] for each in parameters)
            required = sum("=" not in each for each in parameters)
            overload = _Overload(match["overload"] or "default", types, required, any(_TAG in each for each in tags))
            found.append(overload)
    return found


def _definition(interp: Interpreter, namespace: str, name: str) -> Definition:
    """Return how the project defines an operator; empty if it does not, or if it may have a fake."""
    told = [
        each
        for each in interp.project.user_modules()
        if interp.project.mentions(each, (name,)) and "librar" in each.source.lower()
    ]
    if any(_FAKE.search(each.source) for each in told):
        return ""
    return next((found for each in told if (found := _defined_in(each, namespace, name))), "")


def _defined_in(module: Module, namespace: str, name: str) -> Definition:
    calls = [node for node in ast_walk.walk(module.tree) if isinstance(node, ast.Call) and node.args]
    first = [(last_name(call.func), call.args[0].value) for call in calls if isinstance(call.args[0], ast.Constant)]
    full = f"{namespace}::{name}"
    if ("custom_op", full) in first:
        return "" if any(_needs_no_fake(node, full) for node in ast_walk.walk(module.tree)) else "custom"
    is_library = ("Library", namespace) in first
    for called, text in first:
        schema = called == "define" and isinstance(text, str)
        if schema and (text == full or (is_library and str(text).startswith(f"{name}("))):
            return "library"
    return ""


def _needs_no_fake(node: ast.AST, full: str) -> bool:
    """Return whether ``node`` defines the operator ``full`` as one that only changes its arguments."""
    if not isinstance(node, ast.FunctionDef) or not node.decorator_list:
        return False
    calls = [each for each in node.decorator_list if isinstance(each, ast.Call) and each.args]
    if not any(isinstance(call.args[0], ast.Constant) and call.args[0].value == full for call in calls):
        return False
    return hard_errors.only_mutates(node)
