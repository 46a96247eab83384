"""A module around a fragment of source, so that gblint can lint it: the free names become parameters or imports."""

from __future__ import annotations

import ast
import builtins
import symtable
import textwrap
from collections.abc import Iterable, Iterator

from gblint.knowledge.catalog import Knowledge
from gblint.pipeline.name_usage import NameUsage
from gblint.pipeline.source_fragments import UNKNOWN_NAMES, Fragment, parsed
from gblint.runtime.lazy_dataclasses import dataclass

FUNCTION = "explained"
# Names of builtins that are used for tensors as well.
_TENSOR_BUILTINS = frozenset(("input",))
_RESULT = "explained_result"
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINITIONS = (*_FUNCTIONS, ast.ClassDef)
_PRELUDE = (
    "from __future__ import annotations",
    "from typing import Any",
    "from jaxtyping import Bool",
    "import torch",
    "from torch import Tensor, nn",
)


@dataclass(frozen=True, slots=True)
class SyntheticModule:
    """The text of a module with a fragment in it.

    ``first`` and ``last`` are the lines of the fragment.  ``assumed`` are the names and attributes of ``self`` of
    which something is assumed, and ``watched`` is the line that reads all of them (0 if there are none).
    """

    text: str
    first: int
    last: int
    watched: int = 0
    assumed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Assumed:
    """Assumptions about the parameters.

    ``tensors``: unknown parameters are tensors. ``computed``: tensors were computed in the function, and are not inputs
    of the graph.
    """

    tensors: bool = False
    computed: bool = False


def synthetic_module(fragment: Fragment, knowledge: Knowledge, assumed: Assumed) -> SyntheticModule | None:
    """Return the fragment as a module with an entry point; None if it cannot be part of a function."""
    if fragment.is_complete and _is_module(fragment.tree):
        return _as_module(fragment, knowledge) if assumed == Assumed() else None
    return _as_function(fragment, knowledge, assumed)


def _is_module(tree: ast.Module) -> bool:
    """Return whether the fragment defines functions, or modules with a forward, at its top level."""
    return any(
        isinstance(node, _FUNCTIONS)
        or (isinstance(node, ast.ClassDef) and any(getattr(part, "name", "") == "forward" for part in node.body))
        for node in tree.body
    )


def _as_module(fragment: Fragment, knowledge: Knowledge) -> SyntheticModule | None:
    """Return the fragment after its imports; its functions are compiled, unless it applies ``torch.compile`` itself."""
    table = _symbols(fragment.text)
    if table is None:
        return None
    names = {symbol.get_name() for scope in _scopes(table) for symbol in scope.get_symbols() if symbol.is_global()}
    bound = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
    usage = NameUsage(fragment.tree, knowledge)
    names |= {symbol.get_name() for symbol in table.get_symbols()}
    imports = [line for name in sorted(names - bound) if (line := usage.import_of(name))]
    prelude = _lines(("import torch", *imports))
    after = []
    if "torch.compile" not in fragment.text and "torch._dynamo.optimize" not in fragment.text:
        functions = [node.name for node in fragment.tree.body if isinstance(node, _FUNCTIONS)]
        after = [f"{FUNCTION}_{name} = torch.compile({name})" for name in dict.fromkeys(functions)]
    text = _lines((*prelude.splitlines(), fragment.text, *after))
    first = prelude.count("\n") + 1
    return SyntheticModule(text, first, first + fragment.text.count("\n"))


def _as_function(fragment: Fragment, knowledge: Knowledge, assumed: Assumed) -> SyntheticModule | None:
    """Return the fragment in a function, or in the forward of a module if it reads ``self``."""
    body = _body(fragment)
    names = _free_names(body)
    if names is None:
        return None
    usage = NameUsage(fragment.tree, knowledge, assumed.tensors)
    imports = {name: line for name in names if (line := usage.import_of(name))}
    managers = [name for name in names if name not in imports and usage.is_manager(name)]
    others = (*imports, *managers, "self", "super", *UNKNOWN_NAMES)
    parameters = [name for name in names if name not in others]
    if assumed != Assumed() and not parameters:
        return None
    signature = [usage.annotated(name) for name in parameters]
    signature += [f"{name}: Any" for name in names if name in UNKNOWN_NAMES]
    lines = [*_PRELUDE, *_lines(imports.values()).splitlines(), *(f"{name} = torch.no_grad()" for name in managers)]
    margin = "    "
    if "self" in names or "super" in names:
        margin = "        "
        lines += [*_class_head(usage), f"    def forward({', '.join(['self', *signature])}):"]
    else:
        lines += ["@torch.compile", f"def {FUNCTION}({', '.join(signature)}):"]
    if assumed.computed:
        lines += [f"{margin}{name} = {name} + 1" for name in parameters if usage.is_tensor(name)]
    # An expression that reads all of them, and so shows the assumed value of each.
    watched = [*parameters, *managers, *(f"self.{name}" for name in usage.attributes if "self" in names)]
    lines.append(f"{margin}({', '.join(watched)},)" if watched else f"{margin}pass")
    watched_line = len(lines) if watched else 0
    first = len(lines) + 1
    lines += textwrap.indent(body, margin).splitlines()
    last = len(lines)
    if body.startswith(f"{_RESULT} = "):
        lines.append(f"{margin}return {_RESULT}")
    text = _lines(lines)
    return SyntheticModule(text, first, last, watched_line, tuple(watched)) if parsed(text) else None


def _body(fragment: Fragment) -> str:
    """Return the fragment as the body of a function; an expression becomes the result."""
    (node, *more) = fragment.tree.body
    if not more and isinstance(node, (ast.Break, ast.Continue)):
        return f"for _ in range(2):\n    {fragment.text.strip()}"
    if not more and isinstance(node, ast.Expr) and not isinstance(node.value, (ast.Yield, ast.YieldFrom)):
        return f"{_RESULT} = {fragment.text.lstrip()}"
    return fragment.text


def _class_head(usage: NameUsage) -> list[str]:
    """Return the head of a module class with the attributes of ``self`` that the fragment reads."""
    signature = ", ".join(["self", *(usage.annotated(name, "self.") for name in usage.attributes)])
    return [
        "class ExplainedModule(nn.Module):",
        f"    def __init__({signature}):",
        "        super().__init__()",
        *(f"        self.{name} = {name}" for name in usage.attributes),
    ]


def _lines(parts: Iterable[str]) -> str:
    return "\n".join(parts) + "\n"


def _symbols(text: str) -> symtable.SymbolTable | None:
    """Return the symbols of a module; None if it has an error that only the compiler finds."""
    try:
        return symtable.symtable(text, "<explained>", "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _scopes(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield table
    for child in table.get_children():
        yield from _scopes(child)


def _free_names(body: str) -> list[str] | None:
    """Return the names that the body of a function reads before it binds them, in the order of the source.

    None if the body has an error that only the compiler finds.
    """
    table = _symbols(_lines((f"def {FUNCTION}():", textwrap.indent(body, "    "))))
    tree = parsed(body)
    if table is None or tree is None:
        return None
    function = next(child for child in table.get_children() if child.get_name() == FUNCTION)
    scopes = list(_scopes(function))
    wanted = {s.get_name() for scope in scopes for s in scope.get_symbols() if s.is_global() and s.is_referenced()}
    wanted = {name for name in wanted if name in _TENSOR_BUILTINS or not _is_builtin(name)}
    if any(symbol.get_name() == "super" for scope in scopes for symbol in scope.get_symbols()):
        wanted.add("super")
    local = {symbol.get_name() for symbol in function.get_symbols() if symbol.is_local()}
    wanted |= set(_read_first(tree.body, local, set()))
    read = sorted((node.lineno, node.col_offset, node.id) for node in ast.walk(tree) if isinstance(node, ast.Name))
    return [name for name in dict.fromkeys([*(name for _, _, name in read), *sorted(wanted)]) if name in wanted]


def _is_builtin(name: str) -> bool:
    return hasattr(builtins, name) or (name.startswith("__") and name.endswith("__"))


def _read_first(body: Iterable[ast.AST], local: set[str], bound: set[str]) -> Iterator[str]:
    """Yield the names of ``local`` that are read before they are bound; bound names are added to ``bound``."""
    for node in body:
        if isinstance(node, (*_DEFINITIONS, ast.Lambda)):
            bound.add(getattr(node, "name", ""))
            continue
        parts = list(ast.iter_child_nodes(node))
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            parts = [part for part in parts if part is node.value] + [part for part in parts if part is not node.value]
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            parts = [node.iter, node.target, *node.body, *node.orelse]
        elif isinstance(node, ast.comprehension):
            parts = [node.iter, node.target, *node.ifs]
        elif isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp)):
            parts = [*node.generators, node.elt]
        elif isinstance(node, ast.DictComp):
            parts = [*node.generators, node.key, node.value]
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            if node.target.id in local and node.target.id not in bound:
                yield node.target.id
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, (ast.Load, ast.Del)) and node.id in local and node.id not in bound:
                yield node.id
            elif isinstance(node.ctx, ast.Store):
                bound.add(node.id)
        yield from _read_first(parts, local, bound)
