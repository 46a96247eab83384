"""Calls of a target in the project: in tests, scripts, docstrings and the README."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gblint.confirm.inputs.close_expressions import (
    CannotClose,
    ExpressionCloser,
    ExpressionScope,
    source_of,
    statements,
)
from gblint.confirm.inputs.target_facts import CallSite, CallSiteKind, Imported
from gblint.project.modules import Module
from gblint.project.project import Project
from gblint.project.test_files import is_test_path
from gblint.runtime.files import read_text

MAX_SITES, MAX_FILES = 24, 400
_ORDER: dict[CallSiteKind, int] = {"test": 0, "docstring": 1, "readme": 2, "script": 3}
_NEARBY = ("tests", "test", "testing", "examples", "example", "scripts", "demo", "benchmarks")
_CHAINED_METHODS = frozenset("to eval train cuda cpu float double half bfloat16 requires_grad_ compile".split())
_WRAPPERS = frozenset("compile DataParallel script optimize".split())


@dataclass(frozen=True, slots=True)
class CallSiteTarget:
    """The class or function whose calls are searched; ``method`` is the called method, "" for the instance itself."""

    module: Module
    node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    qualified: str
    method: str = ""

    @property
    def name(self) -> str:
        """Name at module level."""
        return self.qualified.partition(".")[0]

    @property
    def is_class(self) -> bool:
        """Whether an instance has to be built first."""
        return isinstance(self.node, ast.ClassDef)


def find(project: Project, target: CallSiteTarget) -> tuple[CallSite, ...]:
    """Return the calls of ``target``: complete calls before constructors alone, and tests before scripts."""
    found: dict[tuple[object, ...], CallSite] = {}
    search = _CallSiteSearch(project, target)
    for site in search.all():
        found.setdefault((site.init, site.args, site.kwargs, site.method), site)
        if len(found) >= MAX_SITES * 3:
            break
    ranked = sorted(found.values(), key=lambda site: (site.args is None, _ORDER[site.where]))
    return tuple(ranked[:MAX_SITES])


@dataclass(frozen=True, slots=True)
class _CodeOrigin:
    """Origin of code: kind and name of its file, and the line number before its first line."""

    kind: CallSiteKind
    path: str
    offset: int = 0


class _CallSiteSearch:
    """Search for the calls of one target."""

    def __init__(self, project: Project, target: CallSiteTarget) -> None:
        self.project, self.target = project, target
        self.known: dict[tuple[str, str], bool] = {}

    def all(self) -> Iterator[CallSite]:
        """Yield all call sites, in the order of the files."""
        for module in self.modules():
            if self.target.name not in module.source and "import *" not in module.source:
                continue
            kind: CallSiteKind = "test" if self.is_test(module) else "script"
            try:
                yield from self.in_body(ExpressionScope(module, module.tree.body), _CodeOrigin(kind, module.display))
            except RecursionError:
                continue
        yield from self.in_docstrings()
        yield from self.in_readme()

    def is_test(self, module: Module) -> bool:
        """Return whether a file is a test, by its path below the root."""
        try:
            place = str(module.path.relative_to(self.project.root))
        except ValueError:
            place = module.path.name
        return is_test_path(place)

    def modules(self) -> Iterator[Module]:
        """Yield the project's files, and those in folders such as ``tests`` and ``examples``."""
        seen: set[Path] = set()
        for number, module in enumerate(self.project.user_modules()):
            if number >= MAX_FILES:
                break
            seen.add(module.path)
            yield module
        for folder in _NEARBY:
            for path in sorted((self.project.root / folder).rglob("*.py"))[:MAX_FILES]:
                if path not in seen:
                    module_there = self.project.module_at(path)
                    if module_there is not None:
                        yield module_there

    def in_body(self, scope: ExpressionScope, origin: _CodeOrigin) -> Iterator[CallSite]:
        """Yield the calls in a body, and in the functions and classes inside it."""
        for statement in statements(scope.body):
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
                inner = ExpressionScope(
                    scope.module, statement.body, statement, scope.owner, scope if scope.owner is None else scope.outer
                )
                yield from self.in_body(inner, origin)
            elif isinstance(statement, ast.ClassDef):
                inner = ExpressionScope(scope.module, statement.body, None, statement, scope)
                yield from self.in_body(inner, origin)
            else:
                for call in _own_calls(statement):
                    site = self.site(call, scope, origin)
                    if site is not None:
                        yield site

    def site(self, call: ast.Call, scope: ExpressionScope, origin: _CodeOrigin) -> CallSite | None:
        """Return the call site of a call of the target or of an instance of it, else None."""
        closer = ExpressionCloser(self.is_target, self.target.name)
        args: tuple[str, ...] | None = None
        kwargs: tuple[tuple[str, str], ...] = ()
        try:
            function = closer.close(call.func, scope, call.lineno)
            init, method = self.built(function)
            if init is None:
                return None
            positional, keywords = _arguments(closer, call, scope)
            if init == "class":
                init = source_of(ast.Call(function, positional, keywords))
            else:
                args = tuple(source_of(each) for each in positional)
                kwargs = tuple((each.arg or "", source_of(each.value)) for each in keywords)
        except (CannotClose, RecursionError):
            return None
        name = self.target.name
        imports = {**closer.imports, name: Imported(name, self.target.module.name, name)}
        line = call.lineno + origin.offset
        return CallSite(init, args, kwargs, tuple(imports.values()), origin.kind, origin.path, line, method)

    def built(self, function: ast.expr) -> tuple[str | None, str]:
        """Classify a called expression: the instance and the called method.

        The first value is "class" for the target class itself, "" for the target function, the expression of the
        instance, or None for another callee.
        """
        if _is_name(function, self.target.qualified):
            return ("class" if self.target.is_class else ""), ""
        core = _unwrapped(function)
        if not self.target.is_class:
            return ("", "") if _is_name(core, self.target.qualified) and core is not function else (None, "")
        if isinstance(core, ast.Call) and _is_name(core.func, self.target.qualified):
            return source_of(core), ""
        if isinstance(function, ast.Attribute):
            owner = _unwrapped(function.value)
            if (
                isinstance(owner, ast.Call)
                and _is_name(owner.func, self.target.qualified)
                and function.attr not in _CHAINED_METHODS
            ):
                return (source_of(owner), "" if function.attr == "forward" else function.attr)
        return None, ""

    def is_target(self, scope: ExpressionScope, name: str) -> bool:
        """Return whether a name is the target's name at module level."""
        top: ExpressionScope = scope
        while top.outer is not None:
            top = top.outer
        if top.module is None or top.body is not top.module.tree.body:
            # An example may import the target under its own name, or use it without an import.
            return name == self.target.name
        module = top.module
        key = (str(module.path), name)
        if key not in self.known:
            self.known[key] = self.resolves(module, name)
        if self.known[key]:
            return True
        return any(self.imports_target(each, module, name) for inner in _inner_scopes(scope) for each in inner.body)

    def imports_target(self, statement: ast.stmt, module: Module, name: str) -> bool:
        """Return whether an import inside a function binds ``name`` to the target."""
        if not isinstance(statement, ast.ImportFrom):
            return False
        source = module.resolve_relative(statement.level, statement.module) if statement.level else statement.module
        origin = self.project.find_module(source, module) if source else None
        names = [alias.name for alias in statement.names if (alias.asname or alias.name) == name]
        return origin is not None and bool(names) and self.resolves(origin, names[0])

    def resolves(self, module: Module, name: str) -> bool:
        """Return whether a name in a module is the target."""
        if name not in module.symbols and not module.stars:
            return False
        found = self.project.resolve(module, name)
        return (
            found.kind == "binding"
            and found.module is self.target.module
            and found.name.endswith("." + self.target.name)
        )

    def in_docstrings(self) -> Iterator[CallSite]:
        """Yield the calls in docstrings of the target's module."""
        module = self.target.module
        for node in ast.walk(module.tree):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                doc = ast.get_docstring(node, clean=True)
                if doc and self.target.name in doc:
                    origin = _CodeOrigin("docstring", module.display, getattr(node, "lineno", 1) - 1)
                    yield from self.in_example(code_in(doc), module, origin)

    def in_readme(self) -> Iterator[CallSite]:
        """Yield the calls in the project's README."""
        for path in sorted(self.project.root.glob("README*"))[:3]:
            try:
                text = read_text(path, errors="replace")
            except OSError:
                continue
            if self.target.name in text:
                for block in re.findall(r"```(?:python|py)[^\n]*\n(.*?)```", text, re.DOTALL):
                    yield from self.in_example(block, self.target.module, _CodeOrigin("readme", path.name))

    def in_example(self, code: str, module: Module, origin: _CodeOrigin) -> Iterator[CallSite]:
        """Yield the calls in the code of an example."""
        if self.target.name not in code:
            return
        try:
            tree = ast.parse(textwrap.dedent(code))
        except (SyntaxError, ValueError):
            return
        yield from self.in_body(ExpressionScope(module, tree.body), origin)


def code_in(doc: str) -> str:
    """Return the code of the examples in a docstring: doctests, fenced blocks, and blocks after ``::``."""
    lines = [match[1] for match in re.finditer(r"^\s*(?:>>>|\.\.\.) ?(.*)$", doc, re.MULTILINE)]
    if lines:
        return "\n".join(lines)
    fenced = re.findall(r"```(?:\w*)\n(.*?)```", doc, re.DOTALL)
    if fenced:
        return "\n".join(map(textwrap.dedent, fenced))
    blocks = re.findall(r"::\s*\n((?:\n|[ \t][^\n]*\n)+)", doc + "\n")
    return "\n".join(map(textwrap.dedent, blocks))


def _arguments(
    closer: ExpressionCloser, call: ast.Call, scope: ExpressionScope
) -> tuple[list[ast.expr], list[ast.keyword]]:
    """Return the closed arguments; unpacked tuples and dicts are written out."""
    args: list[ast.expr] = []
    for each in call.args:
        if isinstance(each, ast.Starred):
            inner = closer.close(each.value, scope, call.lineno)
            if not isinstance(inner, (ast.Tuple, ast.List)):
                raise CannotClose
            args += inner.elts
        else:
            args.append(closer.close(each, scope, call.lineno))
    keywords: list[ast.keyword] = []
    for keyword in call.keywords:
        value = closer.close(keyword.value, scope, call.lineno)
        if keyword.arg is not None:
            keywords.append(ast.keyword(keyword.arg, value))
        elif isinstance(value, ast.Dict):
            for key, item in zip(value.keys, value.values):
                if not (isinstance(key, ast.Constant) and isinstance(key.value, str)):
                    raise CannotClose
                keywords.append(ast.keyword(key.value, item))
        elif isinstance(value, ast.Call) and _is_name(value.func, "dict") and not value.args:
            keywords += value.keywords
        else:
            raise CannotClose
    return args, keywords


def _own_calls(statement: ast.stmt) -> Iterator[ast.Call]:
    """Yield the calls in a statement's own expressions, outermost first."""
    pending: list[ast.AST] = [child for child in ast.iter_child_nodes(statement) if not isinstance(child, ast.stmt)]
    while pending:
        node = pending.pop(0)
        if isinstance(node, (ast.Lambda, ast.stmt, ast.excepthandler)):
            continue
        if isinstance(node, ast.Call):
            yield node
        pending.extend(ast.iter_child_nodes(node))


def _unwrapped(node: ast.expr) -> ast.expr:
    """Return the instance inside ``.to(...)``, ``.eval()``, ``torch.compile(...)`` and similar calls."""
    while isinstance(node, ast.Call):
        if (
            isinstance(node.func, ast.Attribute)
            and node.func.attr in _CHAINED_METHODS
            and not _is_torch(node.func.value)
        ):
            node = node.func.value
        elif isinstance(node.func, ast.Attribute) and node.func.attr in _WRAPPERS and node.args:
            node = node.args[0]
        else:
            break
    return node


def _is_torch(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("torch", "nn")


def _is_name(node: ast.expr, qualified: str) -> bool:
    return isinstance(node, (ast.Name, ast.Attribute)) and ast.unparse(node) == qualified


def _inner_scopes(scope: ExpressionScope) -> Sequence[ExpressionScope]:
    found = []
    current: ExpressionScope | None = scope
    while current is not None and current.outer is not None:
        found.append(current)
        current = current.outer
    return found
