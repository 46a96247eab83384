"""Optional parameters that calls in the project give: their defaults are not what usually happens.

``model.forward(tokens, cache=cache)`` with a ``cache`` made there is evidence that ``cache=None`` in the signature of a
``forward`` is not usual.  A caller that only hands on an option of its own is none.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gblint.interp.domain.access_paths import last_name
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime import ast_walk
from gblint.values.objects import Function


def given(interp: Interpreter, function: Function) -> frozenset[str]:
    """Return the keywords that calls of methods or functions of this name give in the project."""
    name = function.name.rpartition(".")[2]
    known = interp.caches.syntax.given_options.get(name)
    if known is None:
        call = f".{name}(" if function.owner is not None else f"{name}("
        modules = [each for each in interp.project.user_modules() if interp.project.mentions(each, (call,))]
        known = frozenset(word for each in modules if each.contains(call) for word in _given_in(each.tree, name))
        interp.caches.syntax.given_options[name] = known
    return known


def _given_in(tree: ast.Module, name: str) -> Iterator[str]:
    functions = [each for each in ast_walk.walk(tree) if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef))]
    scopes = [(each.body, _options(each.args)) for each in functions if each.name != name]
    for body, options in [(tree.body, frozenset[str]()), *scopes]:
        for node in ast_walk.walk_scope(body):
            if isinstance(node, ast.Call) and last_name(node.func) == name:
                yield from (each.arg for each in node.keywords if each.arg and not _is_handed_on(each.value, options))


def _options(spec: ast.arguments) -> frozenset[str]:
    """Return the parameters of a function that have a default."""
    positional = [*spec.posonlyargs, *spec.args]
    optional = positional[len(positional) - len(spec.defaults) :]
    keywords = [each for each, default in zip(spec.kwonlyargs, spec.kw_defaults) if default is not None]
    return frozenset(each.arg for each in (*optional, *keywords))


def _is_handed_on(value: ast.expr, options: frozenset[str]) -> bool:
    """Return whether an argument is a constant, or an option of the caller."""
    return isinstance(value, ast.Constant) or (isinstance(value, ast.Name) and value.id in options)
