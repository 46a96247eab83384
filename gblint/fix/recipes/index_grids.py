"""Index grids from NumPy that are only iterated over: listed by Python."""

from __future__ import annotations

import libcst as cst

from gblint.fix import matchers as match
from gblint.fix.context import FixContext, Rewrite
from gblint.fix.imports import Import, imported_as
from gblint.fix.recipes._build import called_name
from gblint.values.base import members
from gblint.values.containers import Seq

_TAKERS = match.Name("enumerate") | match.Name("zip") | match.Name("tuple") | match.Name("list") | match.Name("len")


def use_itertools_product(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``np.array([g.ravel() for g in np.meshgrid(*s, indexing="ij")]).T`` to ``list(itertools.product(*s))``.

    Preconditions: only loops go through the rows, and each row is only unpacked or indexed. Unsafe: the elements are
    Python integers instead of NumPy's.
    """
    function = ctx.tree.enclosing(ctx.node, cst.FunctionDef)
    for target in [] if function is None else match.findall(function, match.AssignTarget(match.Name())):
        small, name = ctx.tree.parent(target), cst.ensure_type(target, cst.AssignTarget).target
        assert function is not None and isinstance(name, cst.Name)
        rows = small.value if isinstance(small, cst.Assign) and len(small.targets) == 1 else None
        starts = None if rows is None else _of_mesh(ctx, rows)
        if rows is None or starts is None or not _are_rows(ctx, starts):
            continue
        loops = _loops(ctx, function, name)
        if loops and any(outer in loops for outer in ctx.tree.ancestors(ctx.node)):
            module = imported_as(ctx.tree.module, "itertools")
            text = f"list({module or 'itertools'}.product(*{ctx.code(starts)}))"
            imports = () if module else (Import("itertools"),)
            # NumPy converts Python integers to its own.
            return Rewrite(
                "list the indices with `itertools.product`", "unsafe", {rows: cst.parse_expression(text)}, imports
            )
    return None


def _of_mesh(ctx: FixContext, node: cst.BaseExpression) -> cst.BaseExpression | None:
    """Return the argument of ``np.meshgrid`` if the rows of ``node`` are the points of the grid."""
    matched = match.extract(
        node,
        match.Attribute(match.SaveMatchedNode(match.Call(args=[match.Arg(match.ListComp())]), "made"), match.Name("T")),
    )
    call = matched["made"] if matched else None
    if not isinstance(call, cst.Call) or called_name(ctx, call) not in ("numpy.array", "numpy.asarray", "numpy.stack"):
        return None
    parts = cst.ensure_type(call.args[0].value, cst.ListComp)
    mesh, each = parts.for_in.iter, parts.for_in.target
    flat = match.Attribute(match.Name(each.value if isinstance(each, cst.Name) else ""), match.Name())
    if not match.matches(parts.elt, match.Call(flat)) or ctx.code(parts.elt).partition(".")[2] not in (
        "flatten()",
        "ravel()",
        "reshape(-1)",
    ):
        return None
    if parts.for_in.ifs or parts.for_in.inner_for_in or called_name(ctx, mesh) != "numpy.meshgrid":
        return None
    mesh_args = cst.ensure_type(mesh, cst.Call).args
    if len(mesh_args) != 2 or mesh_args[0].star != "*" or ctx.code(mesh_args[1].value).strip("'\"") != "ij":
        return None
    return mesh_args[0].value if mesh_args[1].keyword is not None and mesh_args[1].keyword.value == "indexing" else None


def _are_rows(ctx: FixContext, starts: cst.BaseExpression) -> bool:
    """Return whether ``starts`` is a list of lists."""
    value = ctx.value(starts)
    found = [] if value is None else list(members(value))
    return bool(found) and all(isinstance(each, Seq) and each.cls in ("list", "tuple") for each in found)


def _loops(ctx: FixContext, function: cst.FunctionDef, rows: cst.Name) -> list[cst.CSTNode]:
    """Return the loops over ``rows``; none if the rows are used otherwise."""
    loops: list[cst.CSTNode] = []
    for use in match.findall(function, match.Name(rows.value)):
        loop = ctx.tree.parent(use)
        if use is rows:
            continue
        if (
            not isinstance(loop, (cst.For, cst.CompFor))
            or loop.iter is not use
            or not isinstance(loop.target, cst.Name)
        ):
            return []
        around = ctx.tree.parent(loop) if isinstance(loop, cst.CompFor) else loop
        row = loop.target
        if around is None or not isinstance(row, cst.Name):
            return []
        if not all(n is row or _is_iterated(ctx, n) for n in match.findall(around, match.Name(row.value))):
            return []
        loops.append(around)
    return loops


def _is_iterated(ctx: FixContext, row: cst.CSTNode) -> bool:
    """Return whether a use of a row only reads its elements."""
    outer = ctx.tree.parent(row)
    if isinstance(outer, (cst.For, cst.CompFor)):
        return outer.iter is row
    call = ctx.tree.parent(outer) if isinstance(outer, cst.Arg) else None
    if isinstance(call, cst.Call):
        return match.matches(call.func, _TAKERS)
    return (
        isinstance(outer, cst.Subscript)
        and outer.value is row
        and match.matches(outer.slice[0], match.SubscriptElement(match.Index(match.Integer())))
    )
