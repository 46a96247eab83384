"""Steps of a loop that are skipped at random: computed all the same, and their results left out."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst
from libcst import matchers as match

from gblint.fix.recipes.branches import scalar_condition
from gblint.fix.recipes.building import is_tensor, statement
from gblint.fix.site import Rewrite, Site

_WAYS_OUT = match.Continue() | match.Break() | match.Return() | match.Yield() | match.Await()


def computed_anyway(site: Site) -> Rewrite | None:
    """``if t: continue`` in a loop: the rest of the step is computed, and ``torch.where`` keeps the old values.

    The branch may stand in an ``if`` that Python decides, such as ``if self.training:``.
    """
    branch = site.around(cst.If)
    if not isinstance(branch, cst.If) or branch.orelse is not None or not _only_continues(branch.body):
        return None
    condition = scalar_condition(site, branch.test)
    block = site.tree.parent(branch)
    outer = None if block is None else site.tree.parent(block)
    if condition is None or not isinstance(block, cst.IndentedBlock):
        return None
    guard: cst.If | None = None
    top: cst.CSTNode = branch
    if isinstance(outer, cst.If):
        # The guard has to be decided by then, and to end with the branch.
        if outer.orelse is not None or block.body[-1] is not branch or is_tensor(site.value(outer.test)):
            return None
        guard, top, block = outer, outer, site.tree.parent(outer)
        outer = None if block is None else site.tree.parent(block)
    if not isinstance(outer, cst.For) or not isinstance(block, cst.IndentedBlock):
        return None
    position = next(i for i, line in enumerate(block.body) if line is top)
    rest = block.body[position + 1 :]
    carried = _carried(site, outer, block.body[: position + 1], rest)
    if not carried:
        return None
    return _rewrite(site, branch, guard, condition.asked, carried, rest, condition.torch)


def _only_continues(suite: cst.BaseSuite) -> bool:
    line = suite.body[0] if len(suite.body) == 1 else None
    small = line.body[0] if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1 else line
    return isinstance(small, cst.Continue)


def _carried(
    site: Site, loop: cst.For, before: Sequence[cst.BaseStatement], rest: Sequence[cst.BaseStatement]
) -> list[str]:
    """The tensors that one step of the loop leaves to the next; nothing if the rest does what cannot be undone."""
    if not rest or any(match.findall(line, _WAYS_OUT) for line in rest):
        return []
    carried: list[str] = []
    for name in _assigned(rest):
        uses = [use for line in (*rest, *before) for use in match.findall(line, match.Name(name))]
        values = [value for value in map(site.value, uses) if value is not None]
        if not _is_read_first(name, (*before, *rest)) and not _is_read_behind(site, loop, name):
            continue
        if values and all(is_tensor(value) for value in values):
            carried.append(name)
        elif any(is_tensor(value) for value in values):
            return []
    return carried


def _assigned(lines: Sequence[cst.BaseStatement]) -> list[str]:
    """The variables that these lines set, not looking into branches: what is gathered there is not of every step."""
    names: list[str] = []
    for line in lines:
        for small in line.body if isinstance(line, cst.SimpleStatementLine) else ():
            targets = [t.target for t in small.targets] if isinstance(small, cst.Assign) else []
            if isinstance(small, (cst.AugAssign, cst.AnnAssign)):
                targets = [small.target]
            for target in targets:
                parts = [e.value for e in target.elements] if isinstance(target, (cst.Tuple, cst.List)) else [target]
                names += [part.value for part in parts if isinstance(part, cst.Name)]
    return list(dict.fromkeys(names))


def _is_read_first(name: str, lines: Sequence[cst.BaseStatement]) -> bool:
    """Whether a step of the loop reads the variable before it sets it."""
    for line in lines:
        sets = name in _assigned([line])
        count = len(match.findall(line, match.Name(name)))
        if count > int(sets):
            return True
        if sets:
            return False
    return False


def _is_read_behind(site: Site, loop: cst.For, name: str) -> bool:
    block = site.tree.parent(loop)
    if not isinstance(block, cst.IndentedBlock):
        return True
    position = next(i for i, line in enumerate(block.body) if line is loop)
    return any(match.findall(line, match.Name(name)) for line in block.body[position + 1 :])


def _rewrite(
    site: Site,
    branch: cst.If,
    guard: cst.If | None,
    asked: str,
    carried: Sequence[str],
    rest: Sequence[cst.BaseStatement],
    torch: str,
) -> Rewrite | None:
    function = site.tree.around(branch, cst.FunctionDef)
    old = {name: f"{name}_before" for name in carried}
    if function is None or any(match.findall(function, match.Name(n)) for n in ("skipped", *old.values())):
        return None
    asks = statement(site.tree, f"skipped = {asked}").with_changes(leading_lines=branch.leading_lines)
    keeps = [statement(site.tree, f"{kept} = {name}") for name, kept in old.items()]
    picks = [f"{name} = {torch}.where(skipped, {kept}, {name})" for name, kept in old.items()]
    if guard is None:
        last: list[cst.BaseStatement] = [statement(site.tree, line) for line in picks]
    else:
        body = "".join(f"    {line}\n" for line in picks)
        last = [statement(site.tree, f"if {site.code(guard.test)}:\n{body}")]
    replace: dict[cst.CSTNode, cst.FlattenSentinel[cst.CSTNode]] = {}
    replace[branch] = cst.FlattenSentinel([asks, *keeps])
    replace[rest[-1]] = cst.FlattenSentinel([rest[-1], *last])
    return Rewrite("compute the step all the same, and keep the old values where it is skipped", "unsafe", replace)
