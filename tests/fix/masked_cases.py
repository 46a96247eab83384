"""Programs in which full-shape code for masked elements may go wrong: NaN where the mask is false, fills, shapes."""

from __future__ import annotations

from tests.fix.program import Case

NANS = {"x": "torch.tensor([1.0, float('nan'), -3.0, float('inf')], requires_grad=True)"}
NONE_KNOWN = {"x": "torch.full((3,), float('nan'), requires_grad=True)"}
ROW = {"x": "torch.tensor([1.0, -2.0, 0.0, 3.0], requires_grad=True)"}
EMPTY = {"x": "torch.zeros(0, requires_grad=True)"}
HALF = {"x": "torch.tensor([1.0, -2.0, 0.5], dtype=torch.float16, requires_grad=True)"}
BYTES = {"x": "torch.tensor([0, 3, 250], dtype=torch.uint8)"}
PAIR = "x: torch.Tensor, y: torch.Tensor"
_KNOWN = "m = ~x.isnan() & ~x.isinf()\n"
_LOSS_INPUTS = (
    # No element is equal in both: a gradient of zero may have another sign.
    {"x": "torch.ones(4, requires_grad=True)", "y": "torch.tensor([1.5, float('nan'), 0.5, 2.0], requires_grad=True)"},
    {"x": "torch.ones(2, 2, requires_grad=True)", "y": "torch.full((2, 2), 3.0, requires_grad=True)"},
)
_LOSSES = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")

MASKED_CASES = {
    **{
        f"masked-nan-{name}": Case(f"{_KNOWN}return x[m].{name}().sum()", (NANS, ROW, EMPTY, HALF))
        for name in ("abs", "square", "tanh", "sigmoid", "exp")
    },
    "masked-nan-mean": Case(f"{_KNOWN}return x[m].abs().mean()", (NANS, ROW)),
    "masked-log-sum": Case("return x[x > 0].log().sum()", (NANS, ROW, EMPTY, HALF, BYTES)),
    **{
        f"masked-nan-{name}": Case(
            f"m = ~(x - y).isnan()\nreturn F.{name}(x[m], y[m])",
            _LOSS_INPUTS,
            call="f(x, y)",
            parameters=PAIR,
            extra="import torch.nn.functional as F",
        )
        for name in _LOSSES
    },
    "masked-nan-cross-entropy": Case(
        "m = y >= 0\nreturn F.cross_entropy(x[m], y[m])",
        (
            {
                "x": "torch.tensor([[1.0, 2.0], [float('nan'), 1.0], [0.5, 0.1]], requires_grad=True)",
                "y": "torch.tensor([1, -1, 0])",
            },
        ),
        call="f(x, y)",
        parameters=PAIR,
        extra="import torch.nn.functional as F",
    ),
    "masked-set-log": Case("y = torch.zeros_like(x)\nm = x > 0\ny[m] = x[m].log()\nreturn y", (NANS, ROW, EMPTY, HALF)),
    "masked-set-function": Case(
        "y = torch.zeros_like(x)\nm = x > 0\ny[m] = torch.log(x[m] + 1) / torch.sqrt(x[m])\nreturn y",
        (NANS, ROW, EMPTY, HALF),
    ),
    "masked-set-power": Case(
        f"y = torch.zeros_like(x)\n{_KNOWN}y[m] = x[m] ** 2 + 2 ** x[m]\nreturn y", (NANS, ROW, NONE_KNOWN, EMPTY, HALF)
    ),
    "masked-set-product": Case(
        f"y = torch.zeros_like(x)\nz = x * 1\n{_KNOWN}y[m] = z[m] * x[m]\nreturn y", (NANS, ROW, NONE_KNOWN, EMPTY)
    ),
    "masked-set-correlation": Case(
        "r = torch.zeros_like(x)\nm = (x > 0) & (y > 0)\n"
        "r[m] = (x[m] / (x[m] * y[m]).sqrt()).squeeze().to(r.dtype)\nreturn r",
        (
            {"x": "torch.tensor([1.0, 0.0, -2.0], requires_grad=True)", "y": "torch.ones(3, requires_grad=True)"},
            {"x": "torch.tensor([1.0, 4.0, 2.0], requires_grad=True)", "y": "torch.ones(3, requires_grad=True)"},
        ),
        call="f(x, y)",
        parameters=PAIR,
    ),
    "masked-scatter": Case(
        "y = torch.zeros_like(x)\nm = x.lt(0)\ny.masked_scatter_(m, x.masked_select(m) * 2)\nreturn y",
        (NANS, ROW, EMPTY, HALF),
    ),
    "masked-scatter-normal": Case(
        "y = torch.zeros_like(x)\nm = x.lt(0.5)\n"
        "y.masked_scatter_(m, torch.log(Normal(0.0, 1.0).cdf(x.masked_select(m))))\nreturn y",
        (NANS, ROW, EMPTY),
        extra="from torch.distributions import Normal",
    ),
    "masked-scatter-other-shape": Case(
        "y = torch.zeros(4)\nm = x.lt(0)\ny.masked_scatter_(m, x.masked_select(m) * 2)\nreturn y",
        ({"x": "torch.tensor([[-1.0], [2.0]])"}, ROW),
    ),
    "masked-set-again": Case(
        "y = torch.zeros_like(x)\nm = x > 0\ny[m] = x[m].sqrt()\ny = y.sum(dim=0)\nreturn y", (ROW, EMPTY)
    ),
    **{
        f"masked-add-{name}": Case(
            f"y = x * 1\ny[y > 0] += {number}\nreturn y",
            (ROW, {"x": "torch.tensor([1.0, -2.0], dtype=torch.float64)"}, HALF, EMPTY),
            extra="import math",
        )
        for name, number in (("pi", "2 * math.pi"), ("half", "0.5"), ("large", "1e300"))
    },
    "masked-weight": Case(
        f"y = torch.zeros_like(x)\n{_KNOWN}w = torch.ones((), requires_grad=True)\ny[m] = x[m] * w\n"
        "(g,) = torch.autograd.grad(y.sum(), w)\nreturn y, g",
        (NANS, ROW),
    ),
}
