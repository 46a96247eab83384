"""Dynamo: each function was run under PyTorch 2.13; the comment above it says whether it breaks."""

import torch

def plus_one(third):
    return third + 1


# whole
@torch.compile
def case_function_vmap(t: torch.Tensor):
    return torch.func.vmap(lambda t: t * 2)(t)


# whole
@torch.compile
def case_vmap_item(t: torch.Tensor):
    return torch.func.vmap(lambda t: t * t.sum())(t)


# whole
@torch.compile
def case_compiling(t: torch.Tensor):
    return t + 1 if torch.compiler.is_compiling() else t


# breaks
@torch.compile
def case_nonstrict_inline_decorator(t: torch.Tensor):

    @torch._dynamo.nonstrict_trace
    def inner_function(t):
        return t + 1
    return inner_function(t)


# breaks
@torch.compile
def case_disable_inline_call(t: torch.Tensor):
    return torch.compiler.disable(plus_one)(t)


# breaks
@torch.compile
def case_disable_manager(t: torch.Tensor):
    return torch._dynamo.disable(lambda third: third + 1)(t)


# breaks
@torch.compile
def case_graph_break(t: torch.Tensor):
    torch._dynamo.graph_break()
    return t + 1


# breaks
@torch.compile
def case_skip_frame(t: torch.Tensor):
    other = t + 1
    torch._dynamo.skip_frame()
    return other


# whole
@torch.compile
def case_mark_static(t: torch.Tensor):
    torch._dynamo.mark_static(t)
    return t + 1


# whole
@torch.compile
def case_aten_op(t: torch.Tensor):
    return torch.ops.aten.add.Tensor(t, t)


# whole
@torch.compile
def case_jacrev(t: torch.Tensor):
    return torch.func.jacrev(torch.sin)(t)


# whole
@torch.compile
def case_hessian(t: torch.Tensor):
    return torch.func.hessian(lambda t: t.sin().sum())(t)


# whole
@torch.compile
def case_jvp(t: torch.Tensor):
    return torch.func.jvp(torch.sin, (t,), (t,))


# whole
@torch.compile
def case_comptime(t: torch.Tensor):
    from torch._dynamo.comptime import comptime

    @comptime
    def _(ctx):
        pass
    return t + 1


def is_compiling():
    try:
        import torch

        if hasattr(torch, "compiler"):
            return torch.compiler.is_compiling()
        return False
    except Exception:
        return False


# whole
@torch.compile
def case_is_compiling_in_a_try_with_a_test(t: torch.Tensor):
    if not is_compiling():
        print("eager")
    return t + 1
