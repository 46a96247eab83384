"""The checks: each takes the sources and yields the places that break its rule."""

from __future__ import annotations

import ast
import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from tools.structure.import_graph import circles, closing_arrows, import_graph, imported_names, shortest_path
from tools.structure.sources import Offence, Source, installed

FILE_LINES = 500
FUNCTION_LINES = 60
CLASS_ATTRIBUTES = 20
PARAMETERS = 8
LONG_TEXT = 200  # characters: a string of this length counts as text, not as a name
SHORT_BODY = 2  # lines: a function with so short a body may equal another one

IMPORTERS: dict[str, tuple[str, ...]] = {
    "gblint.parallel.cpu_count": ("gblint.cli.check",),
    "gblint.parallel.fork": ("gblint.cli.watching", "gblint.parallel.pool"),
    "gblint.parallel.pool": ("gblint.cli.watching", "gblint.pipeline.scan"),
    "gblint.runtime.digests": ("*",),
    "gblint.runtime.files": ("*",),
    "gblint.runtime.json_files": ("*",),
    "gblint.runtime.memory": ("gblint.editors.server.worker",),
    "gblint.runtime.mypyc": ("gblint.cli.start", "gblint.cli.main"),
    "gblint.runtime.stack_chunk": ("gblint.parallel.pool", "gblint.pipeline.lint"),
    "gblint.runtime.ast_origins": ("*",),
    "gblint.runtime.ast_text": ("*",),
    "gblint.runtime.ast_walk": ("*",),
    "gblint.runtime.quiet_parse": ("*",),
    "gblint.runtime.lazy_dataclasses": ("*",),
}
"""The modules that may import each module of ``gblint.runtime`` and ``gblint.parallel``; ``*`` stands for all."""

CALLED_BY_OTHERS: dict[str, str] = {
    "gblint/editors/flake8.py": r"Plugin|add_options|parse_options",
    "gblint/editors/pylint.py": r"load_configuration",
    "gblint/pytest_plugin.py": r"pytest_\w+",
    "gblint/confirm/inputs/flow.py": r"on_\w+",
    "gblint/confirm/run/child_processes.py": r"capture_this_process",
}
"""Names used only from outside: hooks of other tools, methods found by the class of a node, code of child processes."""

_OBSCURE_START = re.compile(r"\s*(What|Which|As in|How)\b")
_NO_FOR_NOT = re.compile(
    r"(?<!\bthere )(?<!['\x22])\b(?:is|are) no (?!(?:longer|more|matter|different|other)\b)[\w`]", re.IGNORECASE
)
_SHORT_LINE = 40
_WIDTH = 120
_NEW_ITEM = re.compile(r"[\s\b]|[-*|>`:]|\w+:|\d+\.")
_ONLY_IDS = re.compile(r"\W*(GB\d{4}\W*)+")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)

Function = ast.FunctionDef | ast.AsyncFunctionDef
Check = Callable[[Sequence[Source]], Iterable[Offence]]


def import_circles(sources: Sequence[Source]) -> Iterator[Offence]:
    """No circle of imports; reported are arrows whose removal opens all circles."""
    graph = import_graph(installed(sources))
    paths = {source.module: source.path for source in sources}
    for component in circles(graph):
        for module, other in closing_arrows(graph, component):
            way = " -> ".join([module, *shortest_path(graph, other, module, component)])
            text = f"closes a circle of imports among {len(component)} modules: {way}"
            yield Offence(paths[module], graph[module][other], text)


def function_imports(sources: Sequence[Source]) -> Iterator[Offence]:
    """No import inside a function of ``gblint.interp``."""
    for source in sources:
        if source.path.startswith("gblint/interp/"):
            inner: dict[ast.Import | ast.ImportFrom, str] = {}
            for function in _functions(source):
                for node in ast.walk(function):
                    if isinstance(node, (ast.Import, ast.ImportFrom)):
                        inner[node] = function.name
            for node, name in inner.items():
                yield Offence(source.path, node.lineno, f"import inside the function {name}")


def restricted_imports(sources: Sequence[Source]) -> Iterator[Offence]:
    """``gblint.runtime`` and ``gblint.parallel`` are imported by a named list of modules only."""
    restricted = {source.module for source in sources if re.match(r"gblint\.(runtime|parallel)\b", source.module)} - {
        "gblint.runtime",
        "gblint.parallel",
    }
    for source in installed(sources):
        for name, line in imported_names(source, restricted):
            allowed = IMPORTERS.get(name, ())
            if source.module not in allowed and "*" not in allowed:
                yield Offence(source.path, line, f"{name} may only be imported by {', '.join(allowed) or 'no module'}")


def file_length(sources: Sequence[Source]) -> Iterator[Offence]:
    """No file of more than 500 lines."""
    for source in _machinery(sources):
        lines = source.text.count("\n")
        if lines > FILE_LINES:
            yield Offence(source.path, 1, f"{lines} lines, more than {FILE_LINES}")


def function_length(sources: Sequence[Source]) -> Iterator[Offence]:
    """No function of more than 60 lines, docstring included."""
    for source in _machinery(sources):
        for function in _functions(source):
            lines = (function.end_lineno or function.lineno) - function.lineno + 1
            if lines > FUNCTION_LINES:
                text = f"function {function.name} has {lines} lines, more than {FUNCTION_LINES}"
                yield Offence(source.path, function.lineno, text)


def parameter_count(sources: Sequence[Source]) -> Iterator[Offence]:
    """No function with more than 8 parameters, ``self`` and keyword-only ones included."""
    for source in _machinery(sources):
        for function in _functions(source):
            given = function.args
            count = len([*given.posonlyargs, *given.args, *given.kwonlyargs]) + bool(given.vararg) + bool(given.kwarg)
            if count > PARAMETERS:
                text = f"function {function.name} has {count} parameters, more than {PARAMETERS}"
                yield Offence(source.path, function.lineno, text)


def attribute_count(sources: Sequence[Source]) -> Iterator[Offence]:
    """No class with more than 20 attributes: annotated fields and what methods assign to ``self``."""
    for source in _machinery(sources):
        for node in source.nodes:
            if isinstance(node, ast.ClassDef):
                count = len(_attributes(node))
                if count > CLASS_ATTRIBUTES:
                    text = f"class {node.name} has {count} attributes, more than {CLASS_ATTRIBUTES}"
                    yield Offence(source.path, node.lineno, text)


def class_names(sources: Sequence[Source]) -> Iterator[Offence]:
    """No two public classes of one name under ``gblint/``."""
    first: dict[str, str] = {}
    for source in sources:
        if source.path.startswith("gblint/"):
            for node in source.tree.body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    place = first.setdefault(node.name, f"{source.path}:{node.lineno}")
                    if place != f"{source.path}:{node.lineno}":
                        yield Offence(source.path, node.lineno, f"class {node.name} has the name of the one at {place}")


def docstring_start(sources: Sequence[Source]) -> Iterator[Offence]:
    """No docstring begins with "What", "Which", "As in" or "How"."""
    for source in sources:
        for docstring in _docstrings(source.tree):
            begun = _OBSCURE_START.match(str(docstring.value))
            if begun:
                yield Offence(source.path, docstring.lineno, f"docstring begins with {begun[1]!r}")


def no_for_not(sources: Sequence[Source]) -> Iterator[Offence]:
    """No "is no X" in a docstring where "is not an X" is meant; "there is no X" is fine."""
    for source in sources:
        for docstring in _docstrings(source.tree):
            for number, line in enumerate(str(docstring.value).splitlines()):
                found = _NO_FOR_NOT.search(line)
                if found:
                    yield Offence(source.path, docstring.lineno + number, f"docstring has {found[0][:-1] + '...'!r}")


def torn_lines(sources: Sequence[Source]) -> Iterator[Offence]:
    """No short line inside a paragraph of a docstring: below 40 characters, where the next word had room."""
    for source in sources:
        for docstring in _docstrings(source.tree):
            indent = " " * docstring.col_offset
            lines = [line.removeprefix(indent) for line in str(docstring.value).splitlines()]
            for number, (line, following) in enumerate(itertools.pairwise(lines)):
                if number and 0 < len(line) < _SHORT_LINE and _is_torn(line, following):
                    yield Offence(source.path, docstring.lineno + number, f"docstring is torn after {line!r}")


def _is_torn(line: str, following: str) -> bool:
    """Return whether two lines of a docstring belong to one paragraph, and the second could begin in the first."""
    if not following.strip() or _NEW_ITEM.match(line) or _NEW_ITEM.match(following) or line.endswith((":", ";", ".")):
        return False
    return len(line) + 1 + len(following.split()[0]) < _WIDTH


def id_literals(sources: Sequence[Source]) -> Iterator[Offence]:
    """No graph-break id (``GBnnnn``) as a string in ``gblint/``: ids come from the tables of ``gblint/knowledge``."""
    for source in sources:
        # Help texts of the command show ids as examples.
        if source.path.startswith("gblint/") and not source.path.startswith(("gblint/knowledge/", "gblint/cli/")):
            docstrings = set(_docstrings(source.tree))
            for node in source.nodes:
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in docstrings:
                    if _ONLY_IDS.fullmatch(node.value):
                        yield Offence(source.path, node.lineno, f"graph-break id {node.value!r} in code")


def equal_functions(sources: Sequence[Source]) -> Iterator[Offence]:
    """No two functions in ``gblint/`` with the same parameters and the same body, whatever their names."""
    first: dict[str, str] = {}
    for source in sources:
        if source.path.startswith("gblint/"):
            for function in _functions(source):
                body = function.body[1:] if ast.get_docstring(function) is not None else function.body
                if (function.end_lineno or 0) - (body[0].lineno if body else function.lineno) < SHORT_BODY:
                    continue
                text = "\n".join(map(ast.dump, (function.args, *body)))
                place = first.setdefault(text, f"{function.name} at {source.path}:{function.lineno}")
                if place != f"{function.name} at {source.path}:{function.lineno}":
                    yield Offence(source.path, function.lineno, f"function {function.name} is a copy of {place}")


def unused_names(sources: Sequence[Source]) -> Iterator[Offence]:
    """No function, class, method or constant in ``gblint/`` whose name occurs nowhere else in the code."""
    used: Counter[str] = Counter()
    for source in sources:
        if not source.path.startswith("tests/"):
            for node in source.nodes:
                used.update(_names_in(node))
    for source in sources:
        if source.path.startswith("gblint/"):
            hooks = CALLED_BY_OTHERS.get(source.path, "")
            for name, line in _definitions(source.tree.body):
                if not used[name] and not name.startswith("__") and not re.fullmatch(hooks, name):
                    yield Offence(source.path, line, f"{name} is used nowhere")


CHECKS: dict[str, Check] = {
    "import-circles": import_circles,
    "function-imports": function_imports,
    "restricted-imports": restricted_imports,
    "file-length": file_length,
    "function-length": function_length,
    "parameter-count": parameter_count,
    "attribute-count": attribute_count,
    "class-names": class_names,
    "docstring-start": docstring_start,
    "no-for-not": no_for_not,
    "torn-lines": torn_lines,
    "id-literals": id_literals,
    "equal-functions": equal_functions,
    "unused-names": unused_names,
}


def _machinery(sources: Sequence[Source]) -> Iterator[Source]:
    """The files that the limits of size hold for: a rule may be as long as its examples."""
    for source in sources:
        if source.path.startswith("gblint/") or (source.path.startswith("rules/") and source.path.count("/") == 1):
            yield source


def _functions(source: Source) -> Iterator[Function]:
    for node in source.nodes:
        if isinstance(node, _FUNCTIONS):
            yield node


def _names_in(node: ast.AST) -> Iterator[str]:
    """Yield the names that a node uses; the words of a string count, since tables and options name functions."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.alias):
        yield node.name.rpartition(".")[2]
    elif isinstance(node, ast.keyword) and node.arg:
        yield node.arg
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < LONG_TEXT:
        yield from re.findall(r"\w+", node.value)


def _definitions(body: Sequence[ast.stmt]) -> Iterator[tuple[str, int]]:
    """Yield the names that statements of a module or a class define, with their lines."""
    for statement in body:
        if isinstance(statement, _FUNCTIONS):
            # A decorated function may be registered: a command, a feature of the server, a hook.
            if not statement.decorator_list or all(map(_is_property, statement.decorator_list)):
                yield statement.name, statement.lineno
        elif isinstance(statement, ast.ClassDef):
            yield statement.name, statement.lineno
            if not statement.bases:
                yield from ((name, line) for name, line in _definitions(statement.body) if not name.isupper())
        elif isinstance(statement, ast.Assign):
            yield from ((each.id, each.lineno) for each in statement.targets if isinstance(each, ast.Name))
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            yield statement.target.id, statement.lineno


def _is_property(decorator: ast.expr) -> bool:
    name = decorator.attr if isinstance(decorator, ast.Attribute) else getattr(decorator, "id", "")
    return name in ("property", "cached_property", "staticmethod", "classmethod", "cache", "lru_cache")


def _attributes(node: ast.ClassDef) -> set[str]:
    """Return the names of a class's annotated fields and of the attributes that its methods assign to ``self``."""
    names = {
        statement.target.id
        for statement in node.body
        if isinstance(statement, ast.AnnAssign)
        and isinstance(statement.target, ast.Name)
        and "ClassVar" not in ast.unparse(statement.annotation)
    }
    for method in node.body:
        if isinstance(method, _FUNCTIONS) and method.args.args:
            self_name = method.args.args[0].arg
            for inner in ast.walk(method):
                if isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store):
                    if isinstance(inner.value, ast.Name) and inner.value.id == self_name:
                        names.add(inner.attr)
    return names


def _docstrings(tree: ast.Module) -> Iterator[ast.Constant]:
    """Yield the nodes of the docstrings of a module and of its classes and functions, also of nested ones."""
    left: list[ast.AST] = [tree]
    while left:
        node = left.pop()
        body = getattr(node, "body", [])
        if isinstance(node, (ast.Module, ast.ClassDef, *_FUNCTIONS)) and body and isinstance(body[0], ast.Expr):
            first = body[0].value
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield first
        # Expressions are left out: they are most of the nodes and contain no definitions.
        for field in ("body", "orelse", "handlers", "finalbody", "cases"):
            inner = getattr(node, field, None)
            left.extend(inner if isinstance(inner, list) else ())
