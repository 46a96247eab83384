"""Context managers that Dynamo cannot enter: left out of compiled runs, or replaced by traceable ones."""

from __future__ import annotations

import libcst as cst

from gblint.fix import matchers as match
from gblint.fix.context import FixContext, Rewrite
from gblint.fix.imports import Import
from gblint.fix.recipes._build import bind_arguments, called_name, with_keyword
from gblint.values.base import Const, Tensor, Value, members
from gblint.values.objects import ExternalName, ExternalObject

# Contexts that mark code for a profiler.
_OBSERVING = {
    "torch.autograd.profiler.emit_nvtx",
    "torch.autograd.profiler.emit_itt",
    "torch.cuda.nvtx.range",
    "torch.cuda.profiler.profile",
}
# Contexts that manage memory or threads, raise errors, or change the output: the results are the same without them.
_MANAGING = {
    "torch.autograd.detect_anomaly",
    "torch.autograd.set_detect_anomaly",
    "torch.autograd.anomaly_mode.detect_anomaly",
    "torch.autograd.anomaly_mode.set_detect_anomaly",
    "torch.utils.flop_counter.FlopCounterMode",
    "numpy.errstate",
    "numpy.printoptions",
    "warnings.catch_warnings",
    "torch.autograd.graph.save_on_cpu",
    "threading.Lock",
    "threading.RLock",
    "threading.Condition",
    "threading.Semaphore",
}
_BACKENDS = {
    "enable_flash": "FLASH_ATTENTION",
    "enable_math": "MATH",
    "enable_mem_efficient": "EFFICIENT_ATTENTION",
    "enable_cudnn": "CUDNN_ATTENTION",
}
# Functions that create a tensor on the default device.
_FACTORIES = {"zeros", "ones", "empty", "full", "rand", "randn", "arange", "linspace", "eye", "randint", "randperm"}


def enter_in_eager_runs(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``with c():`` to ``with nullcontext() if torch.compiler.is_compiling() else c():``.

    Preconditions: the context is a known one that does not change results, without ``as``. Unsafe: what the context
    does (marks for a profiler, memory, threads, errors, output) is missing in compiled runs.
    """
    item = _item(ctx)
    if item is None or item.asname is not None:
        return None
    name = _class_of(ctx, item.item)
    if name not in _OBSERVING and name not in _MANAGING:
        return None
    torch, imports = ctx.module_reference("torch")
    contextlib, more = ctx.module_reference("contextlib")
    text = f"{contextlib}.nullcontext() if {torch}.compiler.is_compiling() else {ctx.code(item.item)}"
    new = cst.parse_expression(text)
    if item.item.lpar:
        new = new.with_changes(lpar=item.item.lpar, rpar=item.item.rpar)
    return Rewrite("enter the context only in eager runs", "unsafe", {item.item: new}, (*imports, *more))


def use_sdpa_kernel(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``torch.backends.cuda.sdp_kernel(enable_math=False)`` to ``torch.nn.attention.sdpa_kernel([...])``.

    Precondition: all flags are constants. Unsafe: the deprecated function warns, and leaves other backends as they are.
    """
    item = _item(ctx)
    if item is None or not isinstance(item.item, cst.Call):
        return None
    if called_name(ctx, item.item) != "torch.backends.cuda.sdp_kernel":
        return None
    arguments = bind_arguments(item.item, list(_BACKENDS))
    flags = {} if arguments is None else {name: ctx.value(value) for name, value in arguments.items()}
    if arguments is None or not all(value in (Const(True), Const(False)) for value in flags.values()):
        return None
    chosen = [backend for flag, backend in _BACKENDS.items() if flags.get(flag) != Const(False)]
    if not chosen:
        return None
    imports = (Import("torch.nn.attention", "SDPBackend"), Import("torch.nn.attention", "sdpa_kernel"))
    text = f"sdpa_kernel([{', '.join(f'SDPBackend.{backend}' for backend in chosen)}])"
    return Rewrite("use `torch.nn.attention.sdpa_kernel`", "unsafe", {item.item: cst.parse_expression(text)}, imports)


def pass_device(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``with torch.device(d):`` to a ``device=d`` argument for each factory function in the block.

    Preconditions: all calls in the block are factories, or have a tensor as receiver or argument. Unsafe: functions
    called by these may create tensors on the default device.
    """
    item = _item(ctx)
    block = None if item is None else ctx.tree.parent(item)
    if item is None or not isinstance(block, cst.With) or len(block.items) != 1 or item.asname is not None:
        return None
    call = item.item
    arguments = bind_arguments(call, ["device"]) if isinstance(call, cst.Call) else None
    if not arguments or called_name(ctx, call) != "torch.device" or not isinstance(block.body, cst.IndentedBlock):
        return None
    device = arguments["device"]
    if not isinstance(device, (cst.SimpleString, cst.Name)) or not _is_unassigned(block, device):
        return None
    made: dict[cst.CSTNode, cst.CSTNode] = {}
    for inner in match.findall(block.body, match.Call()):
        assert isinstance(inner, cst.Call)
        name = called_name(ctx, inner)
        if name is None or not name.startswith("torch."):
            if not _is_method_of_tensor(ctx, inner):
                return None
            continue
        short = name.removeprefix("torch.")
        if short in _FACTORIES or short == "tensor":
            if any(arg.keyword is not None and arg.keyword.value == "device" for arg in inner.args):
                continue
            made[inner] = with_keyword(inner, "device", cst.parse_expression(ctx.code(device)))
        elif not any(_is_tensor_value(ctx.value(arg.value)) for arg in inner.args):
            return None
    if any(other in made for one in made for other in ctx.tree.ancestors(one)):
        return None
    lines = [line.visit(_ReplaceCalls(made)) for line in block.body.body]
    first = lines[0]
    assert isinstance(first, (cst.BaseStatement, cst.BaseCompoundStatement))
    leading = [*block.leading_lines, *getattr(first, "leading_lines", ())]
    lines[0] = first.with_changes(leading_lines=leading)
    new = cst.FlattenSentinel([line for line in lines if isinstance(line, cst.CSTNode)])
    return Rewrite("pass the device to the factory functions", "unsafe", {block: new})


class _ReplaceCalls(cst.CSTTransformer):
    """Replaces calls."""

    def __init__(self, made: dict[cst.CSTNode, cst.CSTNode]) -> None:
        super().__init__()
        self._made = made

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:  # noqa: N802
        """Return the replacement of a call."""
        new = self._made.get(original_node, updated_node)
        assert isinstance(new, cst.BaseExpression)
        return new


def _is_unassigned(block: cst.With, device: cst.BaseExpression) -> bool:
    """Return whether the block does not assign the variable of the device."""
    if not isinstance(device, cst.Name):
        return True
    return not match.findall(block.body, match.AssignTarget(target=match.Name(device.value)))


def _is_method_of_tensor(ctx: FixContext, call: cst.Call) -> bool:
    return isinstance(call.func, cst.Attribute) and _is_tensor_value(ctx.value(call.func.value))


def _is_tensor_value(value: Value | None) -> bool:
    """Return whether a value is certainly a tensor or an array."""
    return value is not None and all(isinstance(each, Tensor) for each in members(value))


def _item(ctx: FixContext) -> cst.WithItem | None:
    """Return the item of a ``with`` that the finding is about."""
    item = ctx.tree.parent(ctx.node)
    return item if isinstance(item, cst.WithItem) and item.item is ctx.node else None


def _class_of(ctx: FixContext, node: cst.BaseExpression) -> str | None:
    """Return the full name of the class or function that creates the context manager ``node``."""
    name = called_name(ctx, node)
    if name is not None:
        return name
    value = ctx.value(node)
    if isinstance(value, ExternalObject):
        return value.cls
    return value.name if isinstance(value, ExternalName) else None
