"""The origin of a compiled expression of unknown value, read from the source around it.

It only explains: nothing is evaluated here.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Sequence

from gblint.diagnostics.unresolved import Reason
from gblint.interp.domain.builtin_names import MODULE_KEEPERS
from gblint.interp.state.interpreter import Interpreter
from gblint.project.modules import Module
from gblint.runtime import ast_text, ast_walk
from gblint.runtime.ast_origins import assignments
from gblint.runtime.lazy_dataclasses import dataclass

NAME_IT = "name it with --entry package.module:Class"
LONGEST = 60  # characters of an expression in a message
# Packages whose objects are known without their source.
MODELLED = frozenset(("torch", "numpy", "builtins"))
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True, slots=True)
class Provenance:
    """The reason why a value is not known, as a code and as a sentence, and the hint on how to name it."""

    reason: Reason
    explanation: str
    hint: str


def shown(node: ast.AST) -> str:
    """Return the source text of an expression, shortened if it is long."""
    text = " ".join(ast_text.unparse(node).split())
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def missing_package(interp: Interpreter, module: Module, name: str) -> str:
    """Return the package of a qualified name if it is not installed, else an empty text."""
    package = name.partition(".")[0]
    if not package or package in MODELLED or interp.project.module_exists(package, module) != "missing":
        return ""
    return package


def not_installed(package: str) -> str:
    """Return the sentence about an object of a package that is not installed."""
    return f"it comes from `{package}`, which is not installed in the environment that gblint searched"


def provenance(interp: Interpreter, module: Module, target: ast.expr) -> Provenance:
    """Return why the value of ``target`` is not known, and how to name it."""
    scopes = enclosing(module.tree, target)
    reason, explanation = _reason(interp, module, target, scopes)
    return Provenance(reason, explanation, _hint(module, target, scopes))


def enclosing(tree: ast.AST, node: ast.AST) -> list[_Scope]:
    """Return the classes and functions around a node, the outermost first; nodes are compared by their places."""
    line: int = getattr(node, "lineno", 0)
    found: list[_Scope] = []
    here: ast.AST | None = tree
    while here is not None:
        inner = None
        for child in ast_walk.children(here):
            first, last = getattr(child, "lineno", 0), getattr(child, "end_lineno", 0) or 0
            if first <= line <= last and isinstance(child, (ast.stmt, ast.excepthandler, ast.match_case)):
                inner = child
        if isinstance(inner, (*_FUNCTIONS, ast.ClassDef)):
            found.append(inner)
        here = inner
    return found


def _reason(interp: Interpreter, module: Module, target: ast.expr, scopes: Sequence[_Scope]) -> tuple[Reason, str]:
    root, path = _split(target)
    source: ast.expr | None = None
    if isinstance(root, ast.Call):
        source = root
    elif isinstance(root, ast.Name):
        owner = _class_of(root, scopes)
        if owner is not None and path:
            parameter, source = _attribute_source(owner, path[0])
            if parameter:
                return (
                    "parameter",
                    f"`{parameter}` of `{owner.name}.__init__` sets it, and no visible call passes a known value",
                )
        elif (function := _function_of(root, scopes)) is not None:
            source = _last_value(function, root.id, target.lineno)
            if source is None:
                return (
                    "parameter",
                    f"`{root.id}` is a parameter of `{function.name}`, and no visible call passes a known value",
                )
        else:
            source = _local_source(module, scopes, root.id, target.lineno)
    if source is None:
        return "unknown-value", "its value could not be determined"
    package = _package_of(interp, module, source, scopes)
    if package:
        return "not-installed", not_installed(package)
    while isinstance(source, ast.Call) and _keeps(source) and isinstance(source.func, ast.Attribute):
        source = source.func.value
    if isinstance(source, ast.Call):
        made = shown(source.func)
        return "factory", f"`{made}(...)` returns it, and its result could not be determined"
    return "unknown-value", "its value could not be determined"


def _hint(module: Module, target: ast.expr, scopes: Sequence[_Scope]) -> str:
    """Return how to tell gblint the object: by ``--entry``, and by a pin if it is an attribute or a parameter."""
    root, path = _split(target)
    place, what = "", root.id if isinstance(root, ast.Name) else ""
    if isinstance(root, ast.Name):
        owner = _class_of(root, scopes)
        if owner is not None and path and not _defines(owner, path[0]):
            place, what = f"{_qualified(scopes, owner)}.{path[0]}", f"{root.id}.{path[0]}"
        elif owner is None and (function := _function_of(root, scopes)) is not None:
            place = f"{_qualified(scopes, function)}.{root.id}"
    if not place:
        return NAME_IT
    whole = "it" if what == ast_text.unparse(target) else f"`{what}`"
    return f'{NAME_IT}, or pin {whole}: pins = {{"{module.name}:{place}" = "package.module:Class"}}'


def _split(target: ast.expr) -> tuple[ast.expr, list[str]]:
    """Return the innermost object of a chain of attributes, items and method calls, and the attributes on it."""
    path: list[str] = []
    root = target
    while True:
        if isinstance(root, ast.Attribute):
            path.insert(0, root.attr)
            root = root.value
        elif isinstance(root, ast.Subscript):
            root = root.value
        elif isinstance(root, ast.Call) and isinstance(root.func, ast.Attribute) and _keeps(root):
            root = root.func.value
        else:
            return root, path


def _keeps(call: ast.Call) -> bool:
    """Return whether a call is of a method that returns its module."""
    return isinstance(call.func, ast.Attribute) and call.func.attr in MODULE_KEEPERS


def _qualified(scopes: Sequence[_Scope], last: _Scope) -> str:
    return ".".join(scope.name for scope in scopes[: list(scopes).index(last) + 1])


def _class_of(root: ast.Name, scopes: Sequence[_Scope]) -> ast.ClassDef | None:
    """Return the class if ``root`` is the receiver (``self``) of the method around it."""
    for outer, inner in itertools.pairwise(scopes):
        if isinstance(outer, ast.ClassDef) and isinstance(inner, _FUNCTIONS):
            names = _parameters(inner)
            static = any(isinstance(each, ast.Name) and each.id == "staticmethod" for each in inner.decorator_list)
            if names and names[0] == root.id and not static:
                return outer
    return None


def _defines(owner: ast.ClassDef, name: str) -> bool:
    """Return whether a class has a method of this name."""
    return any(isinstance(each, _FUNCTIONS) and each.name == name for each in owner.body)


def _function_of(root: ast.Name, scopes: Sequence[_Scope]) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    """Return the innermost function around that has a parameter named ``root``, unless a nearer one sets the name."""
    for scope in reversed(scopes):
        if isinstance(scope, _FUNCTIONS):
            if root.id in _parameters(scope):
                return scope
            if any(True for _ in _values(scope, root.id)):
                return None
    return None


def _parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    spec = function.args
    return [each.arg for each in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)]


def _attribute_source(owner: ast.ClassDef, name: str) -> tuple[str, ast.expr | None]:
    """Return the parameter of ``__init__`` that an attribute is set to, or another expression that it is set to."""
    found: ast.expr | None = None
    for method in owner.body:
        if not isinstance(method, _FUNCTIONS) or not (names := _parameters(method)):
            continue
        for node in ast_walk.walk(method):
            value = _value_for(node, f"{names[0]}.{name}")
            if value is None or isinstance(value, ast.Constant) or _only_wraps(value, f"{names[0]}.{name}"):
                continue
            if method.name == "__init__" and isinstance(value, ast.Name) and value.id in names:
                return value.id, None
            if isinstance(value, ast.Name):
                value = _last_value(method, value.id, value.lineno) or value
            if found is None or (isinstance(value, ast.Call) and not isinstance(found, ast.Call)):
                found = value
    return "", found


def _local_source(module: Module, scopes: Sequence[_Scope], name: str, line: int) -> ast.expr | None:
    """Return the expression that a variable was last set to before a line."""
    for scope in (*reversed([s for s in scopes if isinstance(s, _FUNCTIONS)]), module.tree):
        found = _last_value(scope, name, line)
        if found is not None:
            return found
    return None


def _last_value(scope: ast.AST, name: str, line: int) -> ast.expr | None:
    """Return the last expression before a line that a variable is set to, unless it only wraps the variable."""
    before = [value for value in _values(scope, name) if value.lineno <= line and not _only_wraps(value, name)]
    return max(before, key=lambda value: (value.lineno, value.col_offset), default=None)


def _values(scope: ast.AST, name: str) -> Iterator[ast.expr]:
    """Yield the expressions that a variable is set to."""
    for node in ast_walk.walk(scope):
        value = _value_for(node, name)
        if value is not None:
            yield value


def _value_for(node: ast.AST, wanted: str) -> ast.expr | None:
    """Return the value that an assignment or a loop gives to a variable or attribute, also one in a tuple."""
    for target, value in assignments(node):
        parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
        for number, part in enumerate(parts):
            if isinstance(part, (ast.Name, ast.Attribute)) and ast_text.unparse(part) == wanted:
                same = isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(parts) > 1
                return value.elts[number] if same and isinstance(value, (ast.Tuple, ast.List)) else value
    return None


def _only_wraps(value: ast.expr, name: str) -> bool:
    """Return whether an expression is made of the variable itself: ``torch.compile(model)``, ``model.to(device)``."""
    return any(
        isinstance(each, (ast.Name, ast.Attribute)) and ast_text.unparse(each) == name for each in ast_walk.walk(value)
    )


def _package_of(interp: Interpreter, module: Module, source: ast.expr, scopes: Sequence[_Scope]) -> str:
    """Return the package that an expression starts from if that is not installed, else an empty text."""
    root: ast.AST = source
    while isinstance(root, (ast.Attribute, ast.Subscript, ast.Call, ast.Await)):
        root = root.func if isinstance(root, ast.Call) else root.value
    if not isinstance(root, ast.Name):
        return ""
    names = [binding.module for binding in module.symbols.get(root.id, ()) if binding.module is not None]
    names += [name for scope in scopes for name in _imported(scope, root.id)]
    return next((package for name in names if (package := missing_package(interp, module, name))), "")


def _imported(scope: ast.AST, name: str) -> Iterator[str]:
    """Yield the modules that imports in a function bind to a name, or take it from."""
    for node in ast_walk.walk(scope):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            if any((alias.asname or alias.name) == name for alias in node.names):
                yield node.module
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if (alias.asname or alias.name.partition(".")[0]) == name:
                    yield alias.name
