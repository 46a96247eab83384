"""The regions that compiled callables open: the options in force."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from gblint.diagnostics.entry_point import OptionSource, Region
from gblint.interp.domain import default_flags
from gblint.interp.state.compilation import CompiledObject
from gblint.runtime.lazy_dataclasses import replace
from gblint.values.base import TRUE, UNKNOWN, Const, Value


def region_of(options: Mapping[str, Value], source: OptionSource | None = None) -> Region:
    """Return the region of a call of ``torch.compile`` with these options; ``source`` is the place of the options."""
    strict = options.get("error_on_graph_break")
    if isinstance(strict, Const) and source is not None and options.get("fullgraph") != TRUE:
        source = replace(source, option="error_on_graph_break")
    dynamic = options.get("dynamic")
    backend = default_flags.of(options.get("backend", UNKNOWN))
    return Region(
        fullgraph=options.get("fullgraph") == TRUE,
        error_on_graph_break=strict.value if isinstance(strict, Const) and isinstance(strict.value, bool) else None,
        export=options.get("export") == TRUE,
        moves_logging=options.get("strict") == TRUE,
        dynamic=dynamic.value if isinstance(dynamic, Const) and isinstance(dynamic.value, bool) else None,
        backend=backend.value if isinstance(backend, Const) and isinstance(backend.value, str) else None,
        option_source=source,
    )


def with_toggles(region: Region, compiled: CompiledObject) -> Region:
    """Return the region with ``error_on_graph_break`` as set around the calls; true in one call outweighs false."""
    if region.fullgraph:
        return region
    for on, source in compiled.under:
        if on:
            return replace(region, error_on_graph_break=True, option_source=source)
    if compiled.under and all(on is False for on, _ in compiled.under):
        return replace(region, error_on_graph_break=False, option_source=compiled.under[0][1])
    return region


def option_source(compiled: CompiledObject) -> OptionSource:
    """Return the place of the option that makes a break raise: in the call of ``torch.compile`` or in the decorator."""
    node = compiled.node
    calls = [node, *getattr(node, "decorator_list", ())]
    keywords = [k for call in calls if isinstance(call, ast.Call) for k in call.keywords]
    given = [k for k in keywords if k.arg in ("fullgraph", "nopython", "strict")]
    line = given[0].value.lineno if given else getattr(node, "lineno", 1)
    return OptionSource(compiled.module.display, line, "export" if "export" in compiled.options else "fullgraph")
