"""A Triton kernel that Dynamo does not put into the graph, because of its decorators or of how it is called.

`kernel[grid](...)` is one operation of the graph: Dynamo traces no code of the kernel. It refuses
hooks (`pre_hook=`, `post_hook=`) and `use_cuda_graph=True` of `triton.autotune`, two `triton.autotune` on one kernel,
`num_ctas=` in the call, a grid that is a list or a `functools.partial`, and an argument that is an object or a sequence
of tensors.

**Instead**

- `num_ctas`, `num_warps` and `num_stages` belong in a `triton.Config` of `triton.autotune`;
- `reset_to_zero=` and `restore_value=` of `triton.autotune` do what most hooks do;
- a grid is `(n,)` or `lambda meta: (triton.cdiv(n, meta["BLOCK"]),)`;
- a custom operator (`torch.library.custom_op`) may call any kernel in any way.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class TritonKernel(Rule):
    """GBL473.

    torch/_higher_order_ops/triton_kernel_wrap.py: ``TritonHOPifier``; torch/_dynamo/variables/functions.py:
    ``DynamoTritonHOPifier``.
    """

    code = "GBL473"
    name = "triton-kernel"
    summary = "a Triton kernel, or a call of one, that Dynamo does not support"
    gb_ids = ("GB0216", "GB0361")
    on = (On("triton-kernel"),)
    message_template = "Dynamo does not support the Triton kernel in `{expression}`"
    help_template = "call it in a custom operator (`torch.library.custom_op`)"
    wording = (
        (
            "hook",
            "`{expression}` runs a Triton kernel with a hook (`pre_hook` or `post_hook`)",
            "use `reset_to_zero=` or `restore_value=` of `triton.autotune`, or call the kernel in a custom operator",
        ),
        (
            "cuda-graph",
            "`{expression}` runs a Triton kernel that is tuned with `use_cuda_graph=True`",
            "remove `use_cuda_graph=True` from `triton.autotune`",
        ),
        (
            "second-autotune",
            "`{expression}` runs a Triton kernel with two `triton.autotune`",
            "put the configurations into one `triton.autotune`",
        ),
        (
            "num-ctas",
            "`{expression}` passes `num_ctas` to a Triton kernel",
            "put `num_ctas` into a `triton.Config` of `triton.autotune`",
        ),
        ("grid-list", "`{expression}` has a list as its grid", "write the grid as a tuple"),
        (
            "grid-type",
            "`{expression}` has a `functools.partial` as its grid",
            "write the grid as a tuple or as a function",
        ),
        (
            "argument",
            "`{expression}` passes an object or a sequence of tensors to a Triton kernel",
            "pass tensors and numbers, each as an argument of its own",
        ),
    )
    BREAKS = (
        Example(
            """\
import torch
import triton
import triton.language as tl


@triton.jit
def add_one(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) + 1, mask=mask)


def f(x: torch.Tensor) -> torch.Tensor:
    out = torch.zeros_like(x)
    add_one[(1,)](x, out, x.numel(), BLOCK=128, num_ctas=2)  # breaks: GB0361
    return out
""",
            needs=("triton",),
        ),
    )
    CLEAN = (
        Example(
            """\
import torch
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"BLOCK": 128}, num_ctas=2)], key=["n"])
@triton.jit
def add_one(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) + 1, mask=mask)


def f(x: torch.Tensor) -> torch.Tensor:
    out = torch.zeros_like(x)
    n = x.numel()
    add_one[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, out, n)
    return out
""",
            needs=("triton",),
        ),
    )
