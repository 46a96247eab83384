"""More examples of GBL430, numpy-tracing-off."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import numpy as np
import torch
import torch._dynamo

torch._dynamo.config.trace_numpy = False


def f(x: torch.Tensor) -> tuple[torch.Tensor, np.ndarray]:
    y = x + 1
    return y, np.zeros(4)  # breaks: GB0293
""",
    ),
    Example(
        """\
import numpy as np
import torch
import torch._dynamo

torch._dynamo.config.use_numpy_random_stream = True


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    noise = np.random.rand(4)  # breaks: GB0298
    return y + torch.from_numpy(noise)
""",
    ),
)
CLEAN = (
    Example(
        """\
import numpy as np
import torch
import torch._dynamo

torch._dynamo.config.use_numpy_random_stream = True


def f(x: torch.Tensor) -> torch.Tensor:
    return x + torch.from_numpy(np.linspace(0.0, 1.0, 4))
""",
    ),
    Example(
        """\
import torch
import torch._dynamo

torch._dynamo.config.trace_numpy = False
torch._dynamo.config.use_numpy_random_stream = True


def f(x: torch.Tensor) -> torch.Tensor:
    return x + torch.rand(4) + torch.tensor([1.0, 2.0, 3.0, 4.0])
""",
    ),
)
