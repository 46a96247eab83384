"""``torch.optim.Optimizer``: the attributes that its ``__init__`` sets for a ``step`` written in Python."""

from __future__ import annotations

from gblint.interp.state.call_args import Args
from gblint.values.base import UNKNOWN, Const, Tensor
from gblint.values.containers import Mapping, Seq
from gblint.values.lattice import join_all
from gblint.values.objects import Instance

BASES = ("torch.optim.Optimizer", "torch.optim.optimizer.Optimizer")
_PARAMETER = Tensor(is_input=True)


def fill(instance: Instance, args: Args) -> None:
    """``Optimizer.__init__(params, defaults)``.

    A group holds its parameters and the defaults; the state is a ``defaultdict(dict)`` by parameter.
    """
    given = args.get(1, "defaults")
    defaults = given if isinstance(given, Mapping) else Mapping((), UNKNOWN)
    params = (Const("params"), Seq("list", None, _PARAMETER))
    group = Mapping((*defaults.entries, params), defaults.rest)
    instance.attrs.setdefault("defaults", defaults)
    instance.attrs.setdefault("param_groups", Seq("list", None, join_all((group,))))
    instance.attrs.setdefault("state", Mapping((), Mapping((), UNKNOWN), _PARAMETER))
