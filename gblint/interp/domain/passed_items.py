"""Parameters to which callers pass the items of a tensor that the object itself holds.

``for t in scheduler.timesteps: sample = scheduler.step(sample, t)``: whatever the annotation of ``t`` says, it is a
tensor.  The callers are looked for in the project and in the package of the class.  A method that passes its own
parameter on to another method of the object passes such items, too.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gblint.interp.state.call_args import Args
from gblint.interp.state.interpreter import Interpreter
from gblint.project.modules import Module
from gblint.runtime import ast_walk
from gblint.values.base import UNKNOWN, Tensor, Value, members
from gblint.values.lattice import join
from gblint.values.objects import Class, Function, Instance

MAX_MODULES = 3_000
"""Modules of a package that are searched for calls."""


def with_items(interp: Interpreter, function: Function, receiver: Value, args: Args) -> Args:
    """Return the arguments of a method of ``receiver``, with the items of its tensors where a loop passes them.

    A parameter and the attribute that holds its values are called alike: ``timestep`` and ``timesteps``.
    """
    if not isinstance(receiver, Instance):
        return args
    names = [each.arg for each in (*function.node.args.posonlyargs, *function.node.args.args)][1:]
    given = list(args.pos)
    for index, (name, value) in enumerate(zip(names, given)):
        held = receiver.attrs.get(f"{name}s")
        tensors = [each for each in members(held) if isinstance(each, Tensor)] if held is not None else []
        if not tensors or any(isinstance(each, Tensor) for each in members(value)):
            continue
        if any(_is_passed(interp, function.module, *each) for each in _ways_to(receiver.cls, function, index, name)):
            given[index] = join(_item_of(tensors[0]), UNKNOWN)
    return Args(tuple(given), args.kw, args.star, args.kwstar)


def _item_of(tensor: Tensor) -> Tensor:
    """Return an item of a tensor; not an input, which rests on an annotation and gives way to others."""
    return Tensor(proven=tensor.proven)


def _ways_to(cls: Value, function: Function, index: int, name: str) -> Iterator[tuple[str, int, str]]:
    """Yield the method and those that pass a parameter called ``name`` on to it: name, position and parameter."""
    method = function.name.rpartition(".")[2]
    yield method, index, name
    for each in cls.mro if isinstance(cls, Class) else ():
        for node in each.node.body:
            if isinstance(node, ast.FunctionDef) and node.name != method:
                names = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)][1:]
                if name in names and any(_passes(call, method, index, name, {name}) for call in ast_walk.walk(node)):
                    yield node.name, names.index(name), name


def _is_passed(interp: Interpreter, module: Module, method: str, index: int, name: str) -> bool:
    """Return whether a loop over ``<name>s`` passes its items to a method of this name, at ``index``."""
    place = (module.name.partition(".")[0], method, index, name)
    known = interp.caches.syntax.searches.passed_items.get(place)
    if known is None:
        call = f".{method}("
        users = [each for each in interp.project.user_modules() if interp.project.mentions(each, (call,))]
        known = any(
            each.contains(call) and each.contains(f"{name}s") and _passes_items(each, method, index, name)
            for modules in (users, _package_of(interp, module))
            for each in modules
        )
        interp.caches.syntax.searches.passed_items[place] = known
    return known


def _package_of(interp: Interpreter, module: Module) -> Iterator[Module]:
    """Yield the modules of the installed package that ``module`` belongs to."""
    if module.origin == "user":
        return
    waiting = [module.name.partition(".")[0]]
    for number, name in enumerate(waiting):  # grows while it is read
        found = interp.project.find_module(name) if number < MAX_MODULES else None
        if found is not None:
            yield found
            waiting += [f"{name}.{last}" for last in interp.project.submodules(found)]


def _passes_items(module: Module, method: str, index: int, name: str) -> bool:
    for node in ast_walk.walk(module.tree):
        if not isinstance(node, (ast.For, ast.AsyncFor)) or not _reads(node.iter, f"{name}s"):
            continue
        items = {each.id for each in ast_walk.walk(node.target) if isinstance(each, ast.Name)}
        if any(_passes(call, method, index, name, items) for call in ast_walk.walk(node)):
            return True
    return False


def _passes(node: ast.AST, method: str, index: int, name: str, variables: set[str]) -> bool:
    """Return whether a node is a call that passes one of the variables to a method, at ``index`` or as ``name``."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr != method:
        return False
    given = [k.value for k in node.keywords if k.arg == name] + node.args[index : index + 1]
    return any(isinstance(each, ast.Name) and each.id in variables for each in given)


def _reads(expression: ast.expr, name: str) -> bool:
    """Return whether an expression reads a variable or an attribute of this name."""
    return any(
        (isinstance(each, ast.Name) and each.id == name) or (isinstance(each, ast.Attribute) and each.attr == name)
        for each in ast_walk.walk(expression)
    )
