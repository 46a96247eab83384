"""Entry points, and the options of the regions that they open."""

from __future__ import annotations

from typing import Literal

from gblint.diagnostics.count_range import CountRange
from gblint.runtime.lazy_dataclasses import dataclass, field

EntryKind = Literal["decorator", "call", "method", "requested", "assumed"]
RegionName = Literal["default", "fullgraph", "error_on_graph_break"]


@dataclass(frozen=True, slots=True, order=True)
class OptionSource:
    """The line of an option that decides the effect of a break.

    ``option`` is ``fullgraph``, ``error_on_graph_break`` or ``export``.
    """

    path: str
    line: int
    option: str


@dataclass(frozen=True, slots=True)
class Region:
    """The options of ``torch.compile``, and of the code around it, that change the effect of a break.

    ``option_source`` is the place of the option that makes a break raise.
    """

    fullgraph: bool = False
    error_on_graph_break: bool | None = None
    dynamic: bool | None = None
    backend: str | None = None
    export: bool = False
    moves_logging: bool = False
    option_source: OptionSource | None = field(default=None, compare=False)

    @property
    def name(self) -> RegionName:
        """The name of the region in the JSON contract."""
        if self.fullgraph:
            return "fullgraph"
        return "error_on_graph_break" if self.error_on_graph_break else "default"

    @property
    def raises(self) -> bool:
        """Whether a break in this region raises out of the compiled function."""
        return self.fullgraph or bool(self.error_on_graph_break)

    @property
    def allows(self) -> bool:
        """Whether the author allows breaks here with ``error_on_graph_break(False)``, which ``fullgraph`` overrides."""
        return not self.fullgraph and self.error_on_graph_break is False


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """A callable that ``torch.compile`` is applied to, or is assumed to be applied to.

    ``graphs`` is the estimated number of graphs that one call runs, None without an estimate.
    """

    name: str
    path: str
    line: int
    kind: EntryKind
    region: Region = field(default_factory=Region)
    graphs: CountRange | None = field(default=None, compare=False)
