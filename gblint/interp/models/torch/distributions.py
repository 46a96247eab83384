"""``torch.distributions``: Dynamo traces its classes; their parameters and samples are tensors."""

from __future__ import annotations

from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext, Handler
from gblint.values.base import FALSE, NONE, TENSOR, UNKNOWN, Value, members
from gblint.values.containers import Seq
from gblint.values.objects import BuiltinMethod, Class, ExternalObject, Function, Instance

_DRAWN = frozenset("sample rsample sample_n log_prob cdf icdf entropy perplexity enumerate_support".split())
_HELD = frozenset(
    "mean mode variance stddev loc scale probs logits low high rate concentration covariance_matrix scale_tril "
    "precision_matrix concentration0 concentration1 df total_count".split()
)
# Classes for which ``register_kl`` has several functions: that of the class, and that of a base class such as
# ``ExponentialFamily`` (torch/distributions/kl.py).
_SEVERAL_DIVERGENCES = frozenset(
    "Bernoulli Beta Chi2 ContinuousBernoulli Dirichlet Exponential Gamma Gumbel HalfNormal Normal Pareto "
    "Poisson".split()
)
# The methods of ``Distribution`` that return what another one returns (torch/distributions/distribution.py).
_CALLED_BY = {"sample": "rsample", "perplexity": "entropy"}
_SHAPES = frozenset(("batch_shape", "event_shape"))


def is_distribution(cls: str) -> bool:
    """Return whether an external class is one of ``torch.distributions``."""
    return cls.startswith("torch.distributions.") and cls.rpartition(".")[2][:1].isupper()


def _is_transform(cls: str) -> bool:
    return is_distribution(cls) and cls.endswith("Transform")


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


def call_method(ctx: CallContext, base: Value, name: str) -> Value | None:
    """``distribution.name(...)``: some methods of torch call others, which a class of the project may define."""
    other = _CALLED_BY.get(name)
    if other is not None and isinstance(base, Instance) and isinstance(base.cls, Class):
        if isinstance(ctx.interp.class_attribute(base.cls, other), Function):
            return ctx.call(ctx.get_attribute(base, other), ctx.args)
    if name in _DRAWN:
        return TENSOR
    return base if name == "expand" else None


def call_transform(ctx: CallContext, transform: Instance) -> Value:
    """Call an instance of a class that has no ``__call__`` of its own: that of ``Transform`` calls ``_call``."""
    cls = transform.cls
    if not isinstance(cls, Class) or not any(map(_is_transform, cls.externals)):
        return UNKNOWN
    method = ctx.interp.class_attribute(cls, "_call")
    return ctx.call(method, ctx.args.prepend(transform)) if isinstance(method, Function) else TENSOR


def kl_divergence(ctx: CallContext) -> Value:
    """``kl_divergence(p, q)``: its first call for two classes sorts the functions that are registered for them.

    Dynamo does not trace ``min`` over more than one of these.
    """
    given = [value for value in (ctx.args.get(0, "p"), ctx.args.get(1, "q")) if value is not None]
    kinds = [kind for value in given for member in members(value) for kind in _kinds(member)]
    if all(kind is None or kind in _SEVERAL_DIVERGENCES for kind in kinds):
        ctx.emit(
            "call", "torch.distributions.kl_divergence", ("failed-to-trace-builtin-operator",), likely=None in kinds
        )
    return TENSOR


def _kinds(value: Value) -> list[str | None]:
    """Return the class of a distribution and those of torch from which it inherits; None for unknown ones."""
    if isinstance(value, ExternalObject) and is_distribution(value.cls):
        name = value.cls.rpartition(".")[2]
        return [None if name in ("Independent", "Distribution") else name]
    if isinstance(value, Instance) and isinstance(value.cls, Class):
        return [base.rpartition(".")[2] for base in value.cls.externals if is_distribution(base)] or [None]
    return [None]


HANDLERS: dict[str, Handler] = {
    "torch.distributions.kl_divergence": kl_divergence,
    "torch.distributions.kl.kl_divergence": kl_divergence,
}
