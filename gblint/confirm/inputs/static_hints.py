"""Static half of the synthesis of inputs: facts about a target from the project's sources. Nothing is
imported or run."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from gblint.confirm.inputs import call_sites, signature_docs
from gblint.confirm.inputs.call_sites import CallSiteTarget
from gblint.confirm.inputs.target_facts import Hints, Parameter
from gblint.project.modules import Module
from gblint.project.project import Project

_CALLS = ("forward", "__call__")


def gather(project: Project, entry: str, path: Path | None = None) -> Hints:
    """Return the hints for an entry ``package.module:Name`` or ``package.module:Class.method``.

    ``path`` is the file that defines it, if the module's name does not lead there. The hints are empty if the entry is
    not found.
    """
    target = locate(project, entry, path)
    if target is None:
        return Hints(entry)
    if isinstance(target.node, ast.ClassDef):
        init = _parameters(project, target.module, target.node, ("__init__",))
        call = _parameters(project, target.module, target.node, (target.method,) if target.method else _CALLS)
    else:
        init = ()
        call = signature_docs.parameters(target.node, target.module.source)
    return Hints(entry, init, call, call_sites.find(project, target))


def locate(project: Project, entry: str, path: Path | None = None) -> CallSiteTarget | None:
    """Return the class or function that an entry names; for a method, its class and the method's name."""
    name, _, qualified = entry.partition(":")
    module = project.module_at(path) if path is not None else project.find_module(name)
    if module is None or not qualified:
        return None
    parts = qualified.split(".")
    found = project.resolve(module, parts[0])
    if found.kind != "binding" or found.module is None or found.binding is None:
        return None
    node: ast.AST = found.binding.node
    top = found.name.rpartition(".")[2]
    reached = [top]
    for index, part in enumerate(parts[1:]):
        if not isinstance(node, ast.ClassDef):
            return None
        inner = next((each for each in node.body if isinstance(each, ast.ClassDef) and each.name == part), None)
        if inner is None:
            method = part if index == len(parts) - 2 else ""
            return CallSiteTarget(found.module, node, ".".join(reached), "" if method in _CALLS else method)
        node = inner
        reached.append(part)
    if not isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
        return None
    return CallSiteTarget(found.module, node, ".".join(reached))


def _parameters(project: Project, module: Module, node: ast.ClassDef, names: tuple[str, ...]) -> tuple[Parameter, ...]:
    """Return the parameters of a method, which a base class may define."""
    docs: list[str] = []
    for class_module, cls in _with_bases(project, module, node):
        docs.append(ast.get_docstring(cls) or "")
        for name in names:
            for each in cls.body:
                if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)) and each.name == name:
                    return signature_docs.parameters(each, class_module.source, docs)
    return ()


def _with_bases(project: Project, module: Module, node: ast.ClassDef) -> Iterator[tuple[Module, ast.ClassDef]]:
    """Yield the class and its bases that have source, nearest first."""
    pending, seen = [(module, node)], set[int]()
    while pending and len(seen) < 30:
        class_module, cls = pending.pop(0)
        if id(cls) in seen:
            continue
        seen.add(id(cls))
        yield class_module, cls
        for base in cls.bases:
            if isinstance(base, ast.Name):
                found = project.resolve(class_module, base.id)
                if (
                    found.binding is not None
                    and found.module is not None
                    and isinstance(found.binding.node, ast.ClassDef)
                ):
                    pending.append((found.module, found.binding.node))
