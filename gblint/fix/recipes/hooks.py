"""Module hooks that ``forward`` registers: registered by ``__init__``, before anything is compiled."""

from __future__ import annotations

import libcst as cst

from gblint.fix import matchers as match
from gblint.fix.context import FixContext, Rewrite
from gblint.fix.recipes._build import init_method, own_line

_REGISTERS = ("register_forward_hook", "register_forward_pre_hook")


def register_in_init(ctx: FixContext) -> Rewrite | None:
    """Move ``self.layer.register_forward_hook(self.hook)``, and the ``if`` that runs it once, to ``__init__``.

    Preconditions: the statements only read attributes that ``__init__`` sets. Unsafe: the hook is registered although
    ``forward`` may never have reached it.
    """
    method = ctx.tree.enclosing(ctx.node, cst.FunctionDef)
    owner = None if method is None else ctx.tree.enclosing(method, cst.ClassDef)
    call = ctx.node
    if method is None or owner is None or not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute):
        return None
    if call.func.attr.value not in _REGISTERS:
        return None
    moved: cst.BaseStatement | None = own_line(ctx)
    block = None if moved is None else ctx.tree.parent(moved)
    guard = None if block is None else ctx.tree.parent(block)
    if not isinstance(guard, cst.If):
        return None  # it registers one more hook in each call
    moved, block = guard, ctx.tree.parent(guard)
    init = init_method(owner)
    if moved is None or init is None or init is method or block is not method.body or not _is_of_self(moved):
        return None
    return _moved(moved, method, init) if _sets_all_read(init, moved) else None


def call_helper_in_init(ctx: FixContext) -> Rewrite | None:
    """Move ``if not self.ready: self._register()`` to ``__init__``; ``_register`` is the method that registers.

    Preconditions: the helper and the test only read attributes that ``__init__`` sets and methods. Unsafe: the hook
    is registered although ``forward`` may never have reached it.
    """
    helper = ctx.tree.enclosing(ctx.node, cst.FunctionDef)
    owner = None if helper is None else ctx.tree.enclosing(helper, cst.ClassDef)
    named = [] if helper is None else match.findall(owner or helper, _self_attribute(helper.name.value))
    init = None if owner is None else init_method(owner)
    branch = ctx.tree.enclosing(named[0], cst.If) if len(named) == 1 else None
    method = None if branch is None else ctx.tree.enclosing(branch, cst.FunctionDef)
    if helper is None or owner is None or init is None or branch is None or method is None or method is init:
        return None
    calls = match.IndentedBlock(
        [match.SimpleStatementLine([match.Expr(match.Call(_self_attribute(helper.name.value), []))])]
    )
    if branch.orelse is not None or not match.matches(branch.body, calls) or ctx.tree.parent(branch) is not method.body:
        return None
    # Everything that it reads exists at the end of `__init__`.
    known = _attributes_set_in(init) | {f.name.value for f in owner.body.body if isinstance(f, cst.FunctionDef)}
    read = [a for part in (helper.body, branch.test) for a in match.findall(part, _self_attribute())]
    names = {n.value for n in match.findall(branch.test, match.Name()) if isinstance(n, cst.Name)}
    if len(helper.params.params) != 1 or not all(cst.ensure_type(a, cst.Attribute).attr.value in known for a in read):
        return None
    return _moved(branch, method, init) if names <= known | {"self"} else None


def _self_attribute(name: str | None = None) -> match.Attribute:
    return match.Attribute(match.Name("self"), match.Name(name) if name else match.Name())


def _moved(moved: cst.BaseStatement, method: cst.FunctionDef, init: cst.FunctionDef) -> Rewrite | None:
    """Return the move of the statement to the end of ``init``; None if it would leave its method empty."""
    if len(method.body.body) < 2 or match.findall(init, match.Return()):
        return None
    last = init.body.body[-1]
    replace: dict[cst.CSTNode, cst.RemovalSentinel | cst.FlattenSentinel[cst.CSTNode]]
    replace = {moved: cst.RemoveFromParent(), last: cst.FlattenSentinel([last, moved])}
    return Rewrite("register the hook in `__init__`", "unsafe", replace)


def _is_of_self(moved: cst.BaseStatement) -> bool:
    """Return whether the statement only registers hooks and sets attributes, and reads nothing but ``self``."""
    branch = moved if isinstance(moved, cst.If) else None
    if branch is not None and branch.orelse is not None:
        return False
    lines = branch.body.body if branch is not None else [moved]
    for line in lines:
        small = line.body if isinstance(line, cst.SimpleStatementLine) else ()
        if len(small) != 1 or not isinstance(small[0], (cst.Expr, cst.Assign)):
            return False
        if isinstance(small[0], cst.Assign) and not _sets_attribute(small[0]):
            return False
    attributes = {name for node in match.findall(moved, match.Attribute()) for name in [getattr(node, "attr", None)]}
    names = [n for n in match.findall(moved, match.Name()) if n not in attributes]
    return all(isinstance(n, cst.Name) and n.value in ("self", "True", "False") for n in names)


def _sets_attribute(small: cst.Assign) -> bool:
    return all(match.matches(t.target, match.Attribute(value=match.Name("self"))) for t in small.targets)


def _sets_all_read(init: cst.FunctionDef, moved: cst.BaseStatement) -> bool:
    """Return whether ``__init__`` sets each attribute that the statement reads, methods aside."""
    called_on = [
        node.func.value
        for node in match.findall(moved, match.Call(func=match.Attribute()))
        if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute)
    ]
    tests = [moved.test] if isinstance(moved, cst.If) else []
    read = [
        a
        for part in (*called_on, *tests)
        for a in match.findall(part, _self_attribute())
        if isinstance(a, cst.Attribute)
    ]
    return bool(read) and all(attribute.attr.value in _attributes_set_in(init) for attribute in read)


def _attributes_set_in(init: cst.FunctionDef) -> set[str]:
    """Return the attributes that ``__init__`` sets."""
    targets = match.findall(init, match.AssignTarget(target=_self_attribute()))
    return {cst.ensure_type(cst.ensure_type(t, cst.AssignTarget).target, cst.Attribute).attr.value for t in targets}
