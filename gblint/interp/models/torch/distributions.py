"""``torch.distributions``: Dynamo traces its classes; their parameters and samples are tensors."""

from __future__ import annotations

from gblint.interp.state.call_args import Args
from gblint.values.base import FALSE, NONE, TENSOR, Value
from gblint.values.containers import Seq
from gblint.values.objects import BuiltinMethod, Instance

_DRAWN = frozenset("sample rsample sample_n log_prob cdf icdf entropy perplexity enumerate_support".split())
_HELD = frozenset(
    "mean mode variance stddev loc scale probs logits low high rate concentration covariance_matrix scale_tril "
    "precision_matrix concentration0 concentration1 df total_count".split()
)
_SHAPES = frozenset(("batch_shape", "event_shape"))


def is_distribution(cls: str) -> bool:
    """Return whether an external class is one of ``torch.distributions``."""
    return cls.startswith("torch.distributions.") and cls.rpartition(".")[2][:1].isupper()


def attribute(base: Value, name: str) -> Value | None:
    """``distribution.name``."""
    if name in _HELD:
        return TENSOR
    if name in _SHAPES:
        return Seq("Size", None)
    return BuiltinMethod(base, name) if name in _DRAWN or name == "expand" else None


def fill(instance: Instance, args: Args) -> None:
    """Set what ``Distribution.__init__(batch_shape, event_shape, validate_args)`` sets.

    ``torch.compile`` switches the validation off for all distributions that do not ask for it (``TorchPatcher.patch``
    in torch/_dynamo/eval_frame.py).
    """
    given = args.get(2, "validate_args")
    instance.attrs.setdefault("_validate_args", FALSE if given is None or given == NONE else given)


def call_method(base: Value, name: str, args: Args) -> Value | None:
    """``distribution.name(...)``."""
    if name in _DRAWN:
        return TENSOR
    return base if name == "expand" else None
