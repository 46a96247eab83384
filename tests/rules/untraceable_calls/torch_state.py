"""More examples of GBL418, torch-state."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    torch.set_num_threads(2)  # breaks: GB0007
    y = y + torch.get_num_threads()  # breaks: GB0208
    y = y + torch.cuda.device_count()  # breaks: GB0208
    return y * torch.can_cast(torch.int, torch.float)  # breaks: GB0208
""",
    ),
    Example(
        """\
import torch
from torch.nn.utils.rnn import pack_padded_sequence


def f(x: torch.Tensor) -> tuple[torch.Tensor, object]:
    y = x + 1
    packed = pack_padded_sequence(y.view(1, 4, 1), torch.tensor([4]), batch_first=True)  # breaks: GB0007
    return y * 2, packed
""",
    ),
    Example(
        """\
import torch


def without_mode(x: torch.Tensor) -> torch.Tensor:
    try:
        torch._C._pop_torch_function_stack()  # breaks: GB0234
    except RuntimeError:
        return x
    return x * 2


def f(x: torch.Tensor) -> torch.Tensor:
    return without_mode(x + 1)
""",
    ),
    Example(
        """\
import torch


def scale(x: torch.Tensor) -> torch.Tensor:
    return x * 2


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    traced = torch.jit.trace(scale, (y,))  # breaks: GB0098
    return y * 2
""",
    ),
    Example(
        """\
import torch
from torch.utils.data import RandomSampler

SAMPLER = RandomSampler([1, 2, 3])


def f(x: torch.Tensor) -> torch.Tensor:
    return x + len(SAMPLER)  # breaks: GB0008
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch
from torch.backends.cuda import SDPAParams

torch._dynamo.allow_in_graph(SDPAParams)


def f(x: torch.Tensor) -> SDPAParams:
    return SDPAParams(x, x, x, x, 0.1, True, False)
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    torch._check(x.shape[0] == 4)
    torch.set_float32_matmul_precision("high")
    return torch.nn.utils.rnn.pad_sequence([x, x[:2]])
""",
    ),
    Example(
        """\
import torch
from torch.overrides import TorchFunctionMode


class Plain(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


def f(x: torch.Tensor) -> torch.Tensor:
    with Plain():
        return x * 2
""",
    ),
    Example(
        """\
import torch

COUNT = torch.cuda.device_count()


def f(x: torch.Tensor) -> torch.Tensor:
    if torch.is_grad_enabled() and torch.get_default_dtype() == torch.float32:
        return x * torch.finfo(x.dtype).eps
    return x * COUNT
""",
    ),
)
