"""Optional parameters that calls in the project give: their defaults are not what usually happens.

``model.forward(tokens, cache=cache)`` with a ``cache`` made there is evidence that ``cache=None`` in the signature of a
``forward`` is not usual.  A caller that only hands on an option of its own is none.
"""

from __future__ import annotations

import ast
from weakref import WeakKeyDictionary

from gblint.interp.domain.access_paths import last_name
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime import ast_walk
from gblint.values.objects import Function

# What ``_given_in`` returns, by syntax tree: every interpreter of a run asks for it.
_GIVEN: WeakKeyDictionary[ast.Module, dict[str, list[tuple[str, str]]]] = WeakKeyDictionary()


def is_given(interp: Interpreter, function: Function, option: str) -> bool:
    """Return whether calls of methods or functions of this name give the keyword ``option`` in the project."""
    name = function.name.rpartition(".")[2]
    known = interp.caches.syntax.searches.given_options.get((name, option))
    if known is None:
        call = f".{name}(" if function.owner is not None else f"{name}("
        # Most files have a call, or the keyword elsewhere, and not both: their trees are not needed.
        spellings = (f"{option}=", f"{option} =")
        modules = [each for each in interp.project.mentioning((call,)) if any(map(each.contains, spellings))]
        given_there = (_given_in(each.tree).get(name, ()) for each in modules)
        known = any(word == option and caller != name for words in given_there for caller, word in words)
        interp.caches.syntax.searches.given_options[name, option] = known
    return known


def _given_in(tree: ast.Module) -> dict[str, list[tuple[str, str]]]:
    """Return the callers and keywords of the calls in a module, by the last name of what is called."""
    known = _GIVEN.get(tree)
    if known is None:
        known = _GIVEN[tree] = {}
        functions = [each for each in ast_walk.walk(tree) if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef))]
        scopes = [(each.name, each.body, _options(each.args)) for each in functions]
        for caller, body, options in [("", tree.body, frozenset[str]()), *scopes]:
            for node in ast_walk.walk_scope(body):
                if isinstance(node, ast.Call) and node.keywords:
                    words = [k.arg for k in node.keywords if k.arg and not _is_handed_on(k.value, options)]
                    called = last_name(node.func) if words else None
                    if called:
                        known.setdefault(called, []).extend((caller, word) for word in words)
    return known


def _options(spec: ast.arguments) -> frozenset[str]:
    """Return the parameters of a function that have a default."""
    positional = [*spec.posonlyargs, *spec.args]
    optional = positional[len(positional) - len(spec.defaults) :]
    keywords = [each for each, default in zip(spec.kwonlyargs, spec.kw_defaults) if default is not None]
    return frozenset(each.arg for each in (*optional, *keywords))


def _is_handed_on(value: ast.expr, options: frozenset[str]) -> bool:
    """Return whether an argument is a constant, or an option of the caller."""
    return isinstance(value, ast.Constant) or (isinstance(value, ast.Name) and value.id in options)
