"""Settings that keep numbers and shapes of data in the graph: shown with what they cost, made where that is chosen."""

from __future__ import annotations

from gblint.fix.recipes.building import after_imports, if_chosen
from gblint.fix.site import Rewrite, Site
from gblint.values.base import Tensor, members
from gblint.values.objects import External

_SCALARS = "capture_scalar_outputs"
_SHAPES = "capture_dynamic_output_shape_ops"


def numbers_captured(site: Site) -> Rewrite | None:
    """``torch._dynamo.config.capture_scalar_outputs = True`` behind the imports."""
    return _setting(site, _SCALARS, "compiled code knows nothing of such a number, and a branch on it still breaks")


def list_captured(site: Site) -> Rewrite | None:
    """The same for ``t.tolist()``, which stays in the graph for integers only."""
    function = getattr(site.node, "func", None)
    value = None if function is None else site.value(getattr(function, "value", function))
    if value is None or any(not isinstance(v, Tensor) or v.dtype == "float" for v in members(value)):
        return None
    return numbers_captured(site)


def shapes_captured(site: Site) -> Rewrite | None:
    """``torch._dynamo.config.capture_dynamic_output_shape_ops = True`` behind the imports."""
    function = site.value(getattr(site.node, "func", site.node))
    if isinstance(function, External) and function.name.startswith("numpy."):
        return None
    return _setting(site, _SHAPES, "compiled code knows nothing of such a size, and a branch on it still breaks")


def _setting(site: Site, name: str, cost: str) -> Rewrite | None:
    torch, imports = site.named("torch")
    line = f"{torch}._dynamo.config.{name} = True"
    replace = after_imports(site.tree, line)
    if not replace or imports or line in site.tree.text:
        return None
    title = f"set `{name}`, for all that the program compiles: {cost}"
    return Rewrite(title, if_chosen(site), replace)
