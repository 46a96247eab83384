"""More examples of GBL473, triton-kernel.

Dynamo judges them where Triton is installed; the kernels do nothing, so that no GPU is needed.
"""

from __future__ import annotations

from gblint.rules.examples import Example

_KERNEL = """\
import functools

import torch
import triton
import triton.language as tl


@triton.jit
def add_one(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) + 1, mask=mask)


class Settings:
    pass


SETTINGS = Settings()
CONFIGS = [triton.Config({"BLOCK": 128})]


class Grids:
    def one(self, meta):
        return (1,)
"""


def _example(call: str, decorators: str = "") -> Example:
    """Return an example that makes a call in its function ``f``; ``decorators`` are those of a kernel ``tuned``."""
    tuned = ""
    if decorators:
        tuned = f"\n\n{decorators}\n@triton.jit\ndef tuned(x_ptr, out_ptr, n, BLOCK: tl.constexpr):\n    pass\n"
    function = (
        f"\n\ndef f(x: torch.Tensor) -> torch.Tensor:\n    out = torch.zeros_like(x)\n    {call}\n    return out\n"
    )
    return Example(f"{_KERNEL}{tuned}{function}", needs=("triton",))


_TUNED = "tuned[(1,)](x, out, x.numel())"

BREAKS = (
    _example("add_one[[1]](x, out, 4, BLOCK=128)  # breaks: GB0361"),
    _example("add_one[lambda meta: [1, 1]](x, out, 4, BLOCK=128)  # breaks: GB0361"),
    _example("add_one[functools.partial(lambda n, meta: (n,), 1)](x, out, 4, BLOCK=128)  # breaks: GB0216"),
    _example("add_one[(1,)]((x, x), out, 4, BLOCK=128)  # breaks: GB0361"),
    _example("add_one[(1,)](SETTINGS, out, 4, BLOCK=128)  # breaks: GB0361"),
    _example(
        f"{_TUNED}  # breaks: GB0361",
        '@triton.autotune(configs=[triton.Config({"BLOCK": 128}, pre_hook=lambda args: None)], key=["n"])',
    ),
    _example(
        f"{_TUNED}  # breaks: GB0361",
        '@triton.autotune(configs=CONFIGS, key=["n"], use_cuda_graph=True)',
    ),
    _example(
        f"{_TUNED}  # breaks: GB0361",
        '@triton.autotune(configs=CONFIGS, key=["n"])\n@triton.autotune(configs=CONFIGS, key=["n"])',
    ),
)

CLEAN = (
    _example("add_one[(1,)](x, out, x.numel(), BLOCK=triton.next_power_of_2(x.numel()), num_warps=2)"),
    _example("add_one[(triton.cdiv(x.numel(), 128),)](x, out, x.max(), BLOCK=128)"),
    _example("add_one[Grids().one](x, out, 4, BLOCK=128)"),
    _example("add_one[(1,)](x, None, (1, 2), BLOCK=128)"),
    _example("add_one.run(x, out, 4, BLOCK=128, grid=(1,), warmup=False)"),
    _example("torch.library.wrap_triton(add_one)[(1,)](x, out, 4, BLOCK=128)"),
    _example(
        _TUNED,
        '@triton.autotune(configs=CONFIGS, key=["n"], reset_to_zero=["x_ptr"])\n'
        '@triton.heuristics({"EVEN": lambda args: args["n"] % 2 == 0})',
    ),
    _example(
        _TUNED,
        '@triton.heuristics({"EVEN": lambda args: args["n"] % 2 == 0})\n@triton.autotune(configs=CONFIGS, key=["n"])',
    ),
)
