"""More examples of GBL302, boolean-mask."""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample

BREAKS = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    even = [i % 2 == 0 for i in range(x.shape[0])]
    return (x + 1)[even]  # breaks: GB0036
""",
    ),
    Example(
        """\
import torch


class Labelled(torch.Tensor):
    pass


def f(x: torch.Tensor) -> torch.Tensor:
    y = (x + 1).as_subclass(Labelled)
    return y[y > 1]  # breaks: GB0036
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    y[y > 1] += 1  # breaks: GB0036
    return y
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y[[True, False, True, False]]  # breaks: GB0036
""",
    ),
    Example(
        """\
import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return (x + 1)[mask.bool()].mean()  # breaks: GB0036
""",
        "(torch.randn(4), torch.tensor([0, 1, 1, 0]))",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor, valid: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y[~valid] * 2  # breaks: GB0036
""",
        inputs="(torch.randn(4), torch.tensor([True, False, True, True]))",
    ),
)
CLEAN = (
    Example(
        """\
import torch


def f(x: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    return x[rows] + x[rows.argsort(), None].squeeze(-1) + x[:2] + x[None, 0]
""",
        "(torch.randn(4), torch.tensor([0, 2]))",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    table = {True: x, False: x * 2}
    return table[x.shape[0] > 2] + [x, x + 1][x.dim() > 3]
""",
    ),
    Example(
        """\
import torch

torch._dynamo.config.capture_dynamic_output_shape_ops = True


def f(x: torch.Tensor) -> torch.Tensor:
    return x[x > 0].sum()
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    mask = x > 0
    mean = (x * mask).sum() / mask.sum()
    first = x[torch.argsort(mask.int(), descending=True, stable=True)]
    return x.masked_fill(~mask, 0) + mean + first
""",
    ),
    Example(
        """\
import torch

torch._dynamo.config.capture_dynamic_output_shape_ops = True


def f(x: torch.Tensor) -> torch.Tensor:
    return x[x > 0] * 2
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor, valid: torch.Tensor) -> torch.Tensor:
    y = x + 1
    y[~valid] = 0.0
    return y * 2
""",
        inputs="(torch.randn(4), torch.tensor([True, False, True, True]))",
    ),
)
FIXES = (
    FixExample(
        """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    n = x.shape[0]
    same = torch.eye(n, dtype=torch.bool)
    other = ~torch.eye(n).bool()
    x = x @ x.T
    n = 1
    return x[~same].view(x.shape[0], -1), -x[same], x[None][..., other]
""",
        """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    n = x.shape[0]
    same = torch.eye(n, dtype=torch.bool)
    other = ~torch.eye(n).bool()
    x = x @ x.T
    n = 1
    return x[
        torch.nonzero_static(~same, size=same.shape[0] * (same.shape[0] - 1)).unbind(-1)
    ].view(x.shape[0], -1), -x[
        torch.nonzero_static(same, size=same.shape[0]).unbind(-1)
    ], x[None][
        (
            ...,
            *torch.nonzero_static(
                other, size=other.shape[0] * (other.shape[0] - 1)
            ).unbind(-1),
        )
    ]
""",
        calls=(
            "(torch.randn(4, 3, requires_grad=True),)",
            "(torch.randn(1, 3, requires_grad=True),)",
            "(torch.tensor([[1.0, torch.nan], [torch.inf, 0.0]]),)",
        ),
        safe=False,
        choice="select-by-identity",
    ),
    FixExample(
        """\
import torch


def f(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    mask = (y != 0) & (x > 0)
    z = x.clone()
    z[mask] = x[mask] % y[mask]
    z[mask] = z[mask] // y[mask]
    return z
""",
        """\
import torch


def f(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    mask = (y != 0) & (x > 0)
    z = x.clone()
    z.copy_(torch.where(mask, x % torch.where(mask, y, 1), z))
    z.copy_(torch.where(mask, z // torch.where(mask, y, 1), z))
    return z
""",
        calls=(
            "(torch.tensor([5, 7, -3]), torch.tensor([0, 2, 2]))",
            "(torch.tensor([[5.0], [7.0]]), torch.tensor([[0.0], [2.0]]))",
        ),
        safe=False,
    ),
    FixExample(
        """\
import torch


def f(rest: torch.Tensor, total: torch.Tensor) -> torch.Tensor:
    known = ~torch.isclose(rest, torch.zeros_like(rest)) & (total != 0)
    score = torch.ones_like(rest)
    score[known] = 1 - (rest[known] / total[known])
    return score
""",
        """\
import torch


def f(rest: torch.Tensor, total: torch.Tensor) -> torch.Tensor:
    known = ~torch.isclose(rest, torch.zeros_like(rest)) & (total != 0)
    score = torch.ones_like(rest)
    score.copy_(torch.where(known, 1 - (rest / torch.where(known, total, 1)), score))
    return score
""",
        calls=(
            "(torch.randn(5, requires_grad=True), torch.tensor([1.0, 0, 2, 0, -1], requires_grad=True))",
            "(torch.zeros(2, 3, requires_grad=True), torch.zeros(2, 3, requires_grad=True))",
            "(torch.tensor([[torch.inf], [2.0]]), torch.tensor([[0.0], [torch.nan]]))",
            "(torch.tensor(2.0, requires_grad=True), torch.tensor(0.0, requires_grad=True))",
            "(torch.randn(0), torch.randn(0))",
        ),
        safe=False,
    ),
    FixExample(
        """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.padding = nn.Parameter(torch.arange(4.0)[None])

    def forward(self, x: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        y = x * 2
        y[labels == -1] += self.padding
        return y
""",
        """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.padding = nn.Parameter(torch.arange(4.0)[None])

    def forward(self, x: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        y = x * 2
        y += torch.where(
            (labels == -1)[(..., *[None] * (y.dim() - labels.dim()))], self.padding, 0
        )
        return y
""",
        calls=(
            "(torch.randn(2, 3, 4), torch.tensor([[-1, 0, -1], [0, 0, 0]]))",
            "(torch.randn(3, 4, requires_grad=True), torch.tensor([-1, 2, 0]))",
        ),
        safe=False,
    ),
    FixExample(
        """\
import torch


def f(x: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    x = x.double()
    known = labels > 0
    total = x[known].abs().sum()
    return total + x.masked_select(known).max()
""",
        """\
import torch


def f(x: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    x = x.double()
    known = labels > 0
    total = torch.where(
        known[(..., *[None] * (x.dim() - known.dim()))], x, 0
    ).abs().sum()
    return total + torch.where(known, x, -torch.inf).max()
""",
        calls=(
            "(torch.tensor([[1.0, 2.0], [4.0, -3.0]], requires_grad=True), torch.tensor([[2, 0], [1, 1]]))",
            "(torch.tensor([1, 5]), torch.tensor([1, 0]))",
        ),
        safe=False,
    ),
    FixExample(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x.float()
    total = y[y > 1].sum() + 2 * y[y > 1].mean()
    return total + y[y > 0].max() - y[y > 0].min()
""",
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x.float()
    total = torch.where(y > 1, y, 0).sum() + 2 * (torch.where(y > 1, y, 0).sum() / (y > 1).sum())
    return total + torch.where(y > 0, y, -torch.inf).max() - torch.where(y > 0, y, torch.inf).min()
""",
        calls=("(torch.tensor([[1.0, 2.0], [3.0, -4.0]], requires_grad=True),)", "(torch.tensor([2, 4]),)"),
        safe=False,
    ),
    FixExample(
        """\
import torch


def f(x: torch.Tensor, step: float) -> torch.Tensor:
    y = x * 2
    y[y > 1] += step
    y[y < 0] *= 3
    return y
""",
        """\
import torch


def f(x: torch.Tensor, step: float) -> torch.Tensor:
    y = x * 2
    y.copy_(torch.where(y > 1, y + step, y))
    y *= torch.where(y < 0, 3, 1)
    return y
""",
        calls=("(torch.randn(3, 4), 0.5)", "(torch.randn(5, requires_grad=True), 2.0)"),
        choice="update-full-shape",
        safe=False,
    ),
    FixExample(
        """\
import torch
import torch.nn.functional as F


def f(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    x, y = x.reshape(-1), y.reshape(-1).float()
    mask = y > 0.2
    loss = F.mse_loss(x[mask], y[mask])
    scale = y[mask].abs().mean()
    return loss + scale * y.masked_select(mask).amax()
""",
        """\
import torch
import torch.nn.functional as F


def f(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    x, y = x.reshape(-1), y.reshape(-1).float()
    mask = y > 0.2
    loss = F.mse_loss(
        torch.where(mask, x, 0), torch.where(mask, y, 0), reduction="none"
    ).sum() / mask.sum()
    scale = torch.where(mask, y, 0).abs().sum() / mask.sum()
    return loss + scale * torch.where(mask, y, -torch.inf).amax()
""",
        calls=(
            "(torch.rand(4), torch.rand(4))",
            "(torch.rand(4, requires_grad=True), torch.rand(4))",
        ),
        safe=False,
    ),
    FixExample(
        """\
import torch


def f(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    x, y = x.reshape(-1).float(), y.reshape(-1).float()
    x = x.clone()
    mask = y > 0.5
    x[mask] = y[mask] * 2 - x[mask]
    x[y < 0] = y[y < 0].abs()
    return x
""",
        """\
import torch


def f(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    x, y = x.reshape(-1).float(), y.reshape(-1).float()
    x = x.clone()
    mask = y > 0.5
    x.copy_(torch.where(mask, (y * 2) - x, x))
    x.copy_(torch.where(y < 0, torch.where(y < 0, y, 1).abs(), x))
    return x
""",
        calls=(
            "(torch.rand(4), torch.rand(4))",
            "(torch.rand(4), torch.rand(4, requires_grad=True))",
        ),
        safe=False,
        choice="assign-full-shape",
    ),
    FixExample(
        """\
import torch
import torch.nn.functional as F


def f(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    mask = labels >= 0
    return F.cross_entropy(logits[mask], labels[mask])
""",
        """\
import torch
import torch.nn.functional as F


def f(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    mask = labels >= 0
    return F.cross_entropy(
        torch.where(mask.unsqueeze(-1), logits, 0).flatten(0, -2),
        torch.where(mask, labels, -100).flatten(),
    )
""",
        calls=(
            "(torch.randn(4, 3), torch.tensor([0, 1, -1, 2]))",
            "(torch.randn(4, 3, requires_grad=True), torch.tensor([0, 1, -1, 2]))",
        ),
        safe=False,
        choice="average-full-shape",
    ),
    FixExample(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x[x > 0] * 2
""",
        """\
import torch

torch._dynamo.config.capture_dynamic_output_shape_ops = True


def f(x: torch.Tensor) -> torch.Tensor:
    return x[x > 0] * 2
""",
        calls=("(torch.randn(4),)",),
        safe=False,
        choice="capture-dynamic-shapes",
    ),
    FixExample(
        """\
import torch
from torch import nn

LOSS = nn.MSELoss()


def f(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    mask = y > 0
    x = x.masked_select(mask)
    y = y.masked_select(mask)
    y = torch.log(y + 1.0)
    return LOSS(x, y)
""",
        """\
import torch
from torch import nn

torch._dynamo.config.capture_dynamic_output_shape_ops = True

LOSS = nn.MSELoss()


def f(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    mask = y > 0
    x = x.masked_select(mask)
    y = y.masked_select(mask)
    y = torch.log(y + 1.0)
    torch._check(x.size(0) == y.size(0))
    return LOSS(x, y)
""",
        calls=(
            "(torch.rand(4), torch.tensor([1.0, 0.0, 2.0, 3.0]))",
            "(torch.rand(2, 3, requires_grad=True), torch.rand(2, 3))",
            "(torch.rand(2, 3), torch.zeros(2, 3))",
        ),
        safe=False,
        choice="capture-dynamic-shapes",
    ),
    FixExample(
        """\
import torch


def f(x: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    shape = x[..., :1].shape
    largest = x == x.amax(-1, keepdim=True)
    y = x[largest].view(shape)
    z = (x * 2)[largest].reshape(x.shape[0], 1)
    kept = rows > 0
    return y + z * x[largest].view_as(y) + x[kept].reshape(1, 2)
""",
        """\
import torch


def f(x: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    shape = x[..., :1].shape
    largest = x == x.amax(-1, keepdim=True)
    y = x[torch.nonzero_static(largest, size=shape.numel()).unbind(-1)].view(shape)
    z = (x * 2)[torch.nonzero_static(largest, size=x.shape[0]).unbind(-1)].reshape(
        x.shape[0], 1
    )
    kept = rows > 0
    return (
        y
        + z * x[torch.nonzero_static(largest, size=y.numel()).unbind(-1)].view_as(y)
        + x[
            torch.nonzero_static(
                kept, size=2 // x.shape[kept.dim() :].numel()
            ).unbind(-1)
        ].reshape(1, 2)
    )
""",
        calls=(
            "(torch.tensor([[1.0, 2.0], [4.0, 3.0]], requires_grad=True), torch.tensor([0, 1]))",
            "(torch.tensor([[1.0, torch.inf]]), torch.tensor([2]))",
        ),
        safe=False,
        choice="use-nonzero-static",
    ),
    FixExample(
        """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, masked: bool = True) -> None:
        super().__init__()
        reduction = "mean" if masked else "none"
        self.masked = masked
        self.absolute = nn.L1Loss(reduction=reduction)
        self.squared = nn.MSELoss()
        self.offset = 1.0

    def forward(self, x: torch.Tensor, y: torch.Tensor, z: torch.Tensor | None, mask: torch.Tensor):
        if self.masked:
            # padding does not count
            x = x.masked_select(mask)
            if z is not None:
                z = z.masked_select(mask)
            y = y.masked_select(mask)
        loss = self.absolute(x, y)
        if z is not None:
            loss = loss * self.squared(z, y)
        y = torch.log(y.float() + self.offset)
        return loss + self.squared(x, y) ** 2
""",
        """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, masked: bool = True) -> None:
        super().__init__()
        reduction = "mean" if masked else "none"
        self.masked = masked
        self.absolute = nn.L1Loss(reduction=reduction)
        self.squared = nn.MSELoss()
        self.offset = 1.0

    def forward(self, x: torch.Tensor, y: torch.Tensor, z: torch.Tensor | None, mask: torch.Tensor):
        mask_share = 1
        if self.masked:
            # padding does not count
            mask_share = mask.mean(dtype=x.dtype)
            x = torch.where(mask, x, 0).flatten()
            if z is not None:
                z = torch.where(mask, z, 0).flatten()
            y = torch.where(mask, y, 0).flatten()
        loss = self.absolute(x, y) / mask_share
        if z is not None:
            loss = loss * (self.squared(z, y) / mask_share)
        y = torch.log(y.float() + self.offset)
        return loss + (self.squared(x, y) / mask_share) ** 2
""",
        calls=(
            "(torch.ones(2, 3, requires_grad=True), torch.zeros(2, 3), torch.rand(2, 3), torch.eye(2, 3) > 0)",
            "(torch.tensor([[1.0, -torch.inf]]), torch.ones(1, 2), None, torch.tensor([[True, False]]))",
            "(torch.rand(1, 4), torch.arange(4)[None], torch.rand(1, 4), torch.zeros(1, 4, dtype=torch.bool))",
            "(torch.ones(4).half(), torch.zeros(4).half(), None, torch.tensor([True, False, True, False]))",
            "(torch.rand(0), torch.rand(0), None, torch.rand(0) > 0)",
        ),
        safe=False,
        choice="mask-losses",
    ),
    FixExample(
        """\
import torch
import torch.nn.functional as F


def f(x: torch.Tensor, y: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    kept = torch.masked_select(x, mask)
    wanted = y.masked_select(mask)
    mean = ((kept - wanted) ** 2).mean() + F.huber_loss(kept, wanted) * 2
    return mean - F.l1_loss(kept, wanted, reduction="sum") - 1 / torch.mean(kept.abs()) + kept.sum()
""",
        """\
import torch
import torch.nn.functional as F


def f(x: torch.Tensor, y: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    mask_share = mask.mean(dtype=x.dtype)
    kept = torch.where(mask, x, 0).flatten()
    wanted = torch.where(mask, y, 0).flatten()
    mean = ((kept - wanted) ** 2).mean() / mask_share + F.huber_loss(kept, wanted) / mask_share * 2
    return (
        mean
        - F.l1_loss(kept, wanted, reduction="sum")
        - 1 / (torch.mean(kept.abs()) / mask_share)
        + kept.sum()
    )
""",
        calls=(
            "(torch.rand(3, requires_grad=True), torch.rand(3), torch.tensor([True, False, True]))",
            "(torch.full((2, 2), -1.0, dtype=torch.bfloat16), torch.ones(2, 2), torch.eye(2) > 0)",
            "(torch.rand(()), torch.rand(1), torch.tensor(True))",
            "(torch.tensor([torch.nan, 2.0, 3.0]), torch.ones(3), torch.tensor([False, True, True]))",
        ),
        safe=False,
        choice="mask-losses",
    ),
)
